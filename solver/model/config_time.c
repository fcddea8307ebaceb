/* The time step of a case: from its rule, its intervals of model time and time.end. */
#include <math.h>

#include "model/config_time.h"

/* Two decimal numbers and their quotient, rounded to binary, are off by less. */
static const double rounding = 1e-12;

double swe_config_count(double length, double part)
{
    const double count = length / part, nearest = floor(count + 0.5);
    return nearest >= 1.0 && fabs(count - nearest) <= rounding * count ? nearest : 0.0;
}

/* Number of parts no longer than `most`; one that is longer by rounding is not divided further. */
static double count_of_parts(double length, double most)
{
    const double whole = swe_config_count(length, most);
    return whole > 0.0 ? whole : fmax(1.0, ceil(length / most));
}

swe_time_lengths swe_config_lengths(const swe_config *config)
{
    const swe_time_length all[] = {{"output.interval", config->output.interval},
                                   {"diagnostics.interval", config->diagnostics.interval},
                                   {"checkpoint.interval", config->checkpoint.interval}};
    swe_time_lengths l = {.count = 0};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        if (all[k].seconds > 0.0)
            l.of[l.count++] = all[k];
    if (l.count > 0)
        l.of[l.count++] = (swe_time_length){"time.end", config->time.end};
    for (int k = 1; k < l.count; k++)
        if (l.of[k].seconds < l.of[l.shortest].seconds)
            l.shortest = k;
    return l;
}

bool swe_config_divides(const swe_time_lengths *lengths, double dt)
{
    bool divides = true;
    for (int k = 0; k < lengths->count; k++)
        divides = divides && swe_config_count(lengths->of[k].seconds, dt) > 0.0;
    return divides;
}

/* Parts of the shortest length that divide all; 0 if there are too many. */
static double parts_of_shortest(const swe_time_lengths *lengths)
{
    const double shortest = lengths->of[lengths->shortest].seconds;
    for (int parts = 1; parts <= SWE_MOST_PARTS; parts++)
        if (swe_config_divides(lengths, shortest / parts))
            return parts;
    return 0.0;
}

double swe_config_longest_step(const swe_time_lengths *lengths)
{
    const double parts = parts_of_shortest(lengths);
    return parts > 0.0 ? lengths->of[lengths->shortest].seconds / parts : 0.0;
}

double swe_config_asked_step(const swe_config *config)
{
    const double default_courant = 0.2;
    if (config->time.dt_times_n > 0.0)
        return config->time.dt_times_n / (double)config->grid.n;
    if (config->time.dt > 0.0)
        return config->time.dt;
    const swe_physics physics = swe_config_physics(config);
    const double courant = config->time.courant > 0.0 ? config->time.courant : default_courant;
    return courant / swe_model_courant(&physics, (int)config->grid.n, 1.0);
}

/* The longest step up to the one asked for that divides all lengths. It is the quotient of an
 * interval, so that it does not change with a time.end that is a multiple of the others' divisor.
 */
static double step_within(const swe_time_lengths *lengths, double asked)
{
    const double shortest = lengths->of[lengths->shortest].seconds;
    const double parts = parts_of_shortest(lengths);
    return shortest / (parts * count_of_parts(shortest / parts, asked));
}

/* Whole steps to time.end; 0.3333333 for 1/3 must not cost one. */
static double steps_to_end(double end, double asked)
{
    const double exact = end / asked, nearest = floor(exact + 0.5);
    const double whole = fabs(exact - nearest) <= 1e-6 * exact ? nearest : ceil(exact);
    return whole < 1.0 ? 1.0 : whole < 1e18 ? whole : 1e18;
}

void swe_config_schedule(const swe_config *config, double *dt, long *steps)
{
    const double asked = swe_config_asked_step(config), end = config->time.end;
    const swe_time_lengths lengths = swe_config_lengths(config);
    const bool is_given = config->time.dt > 0.0;
    if (is_given && swe_config_count(end, asked) > 0.0 && swe_config_divides(&lengths, asked))
        *dt = asked; /* to the last bit, whatever time.end is */
    else if (swe_config_longest_step(&lengths) > 0.0)
        *dt = step_within(&lengths, asked);
    else
        *dt = end / steps_to_end(end, asked);
    *steps = (long)steps_to_end(end, *dt);
}
