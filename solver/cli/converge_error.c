/* `cubeswe converge --error`: the order, size and time step that reach an error in the least time.
 */
#include <math.h>
#include <string.h>

#include "cli/convergence_study.h"
#include "cli/machine.h"

/* A study that is to reach an error: its first rows, unless others are requested, and their Courant
 * number. Linear flows allow 0.52 with RK4 and 0.64 with leapfrog. */
static const cli_list first_n = {{24, 48}, 2}, first_orders = {{4, 6}, 2};
static const char leapfrog[] = "scheme.time=leapfrog4";

/* The last --set of scheme.time; NULL: none. */
static const char *given_scheme(const cli_options *options)
{
    const char *given = NULL;
    for (int k = 0; k < options->set_count; k++)
        if (strncmp(options->set[k], leapfrog, strlen("scheme.time=")) == 0)
            given = options->set[k];
    return given;
}

static double first_courant(const cli_options *options)
{
    const char *scheme = given_scheme(options);
    return scheme != NULL && strcmp(scheme, leapfrog) == 0 ? 0.6 : 0.4;
}

/* A leapfrog step costs half of an RK4 step and has a smaller error: use it where case and backend
 * can and --set does not decide. */
static swe_status choose_scheme(swe_context *ctx, cli_options *options)
{
    const swe_backend *backend = NULL;
    swe_context quiet = {""};
    swe_config *config = NULL;
    SWE_TRY(cli_backend_decide(ctx, options, &backend));
    if (given_scheme(options) == NULL && !backend->has_own_memory &&
        cli_converge_load(&quiet, options, leapfrog, options->order.value[0], options->n.value[0],
                          &config) == SWE_OK)
        options->set[options->set_count++] = leapfrog;
    swe_config_destroy(&config);
    return SWE_OK;
}

swe_status cli_converge_request(swe_context *ctx, cli_options *options)
{
    static char step[32];
    if (options->n.count == 0)
        options->n = first_n;
    if (options->order.count == 0)
        options->order = first_orders;
    if (options->n.count < 2)
        return swe_fail(ctx, SWE_USAGE, "--error: a rate needs two or more sizes in --n");
    if (options->set_count + 2 > CLI_MOST_SET)
        return swe_fail(ctx, SWE_USAGE, "--error: too many --set");
    SWE_TRY(choose_scheme(ctx, options));
    snprintf(step, sizeof step, "time.courant=%g", first_courant(options));
    options->set[options->set_count++] = step;
    return SWE_OK;
}

/* An order, by the rate of its rows. Seconds of a step grow as n^2, steps as n. */
typedef struct candidate {
    int order, n;
    double rate, seconds, courant;
    const cli_convergence_row *coarse, *last;
} candidate;

/* The even number of cells at which l2 reaches the error, with 2 % to spare, if it falls at the
 * rate from n cells on. */
static int cells_for(double n, double l2, double error, double rate)
{
    return 2 * (int)ceil(0.5 * 1.02 * n * pow(l2 / error, 1.0 / rate));
}

static candidate candidate_of(const cli_convergence *s, int order, double error)
{
    candidate c = {.order = order, .courant = first_courant(&s->base.options), .seconds = INFINITY};
    const cli_list *sizes = &s->base.options.n;
    c.coarse = cli_convergence_find(s, order, sizes->value[0]);
    c.last = cli_convergence_find(s, order, sizes->value[sizes->count - 1]);
    const cli_convergence_row *before =
        cli_convergence_find(s, order, sizes->value[sizes->count - 2]);
    c.rate = log(before->results.errors.l2 / c.last->results.errors.l2) /
             log((double)c.last->n / (double)before->n);
    if (!(c.rate > 0.5))
        return c;
    c.n = cells_for((double)c.last->n, c.last->results.errors.l2, error, c.rate);
    if (c.n < c.coarse->n)
        c.n = (int)c.coarse->n;
    c.seconds = c.last->results.seconds * pow((double)c.n / (double)c.last->n, 3.0);
    /* a quarter of the error is left to the time step, whose part falls as dt^4 */
    const double of_step = 16.0 / 15.0 *
                           fabs(c.coarse->results.errors.l2 - c.coarse->half_step_l2) *
                           pow((double)c.coarse->n / c.n, 4.0);
    if (of_step > 0.25 * error) {
        const double shorter = pow(0.25 * error / of_step, 0.25);
        c.courant *= shorter;
        c.seconds /= shorter;
    }
    return c;
}

/* The orders of the study, and the fastest of them. */
static int find_candidates(const cli_convergence *s, double error, candidate out[CLI_MOST_LIST])
{
    int best = 0;
    for (int k = 0; k < s->base.options.order.count; k++) {
        out[k] = candidate_of(s, s->base.options.order.value[k], error);
        if (out[k].seconds < out[best].seconds)
            best = k;
    }
    return best;
}

/* The fastest row that reaches the error; NULL: none. */
static const cli_convergence_row *reached_by(const cli_convergence *s, double error)
{
    const cli_convergence_row *best = NULL;
    for (int k = 0; k < s->count; k++) {
        const cli_convergence_row *row = &s->rows[k];
        if (row->results.errors.l2 <= error &&
            (best == NULL || row->results.seconds < best->results.seconds))
            best = row;
    }
    return best;
}

/* Where the error of a row is larger than its rate says, the next try has more cells. */
swe_status cli_converge_reach(swe_context *ctx, cli_convergence *s)
{
    enum { TRIES = 4 };
    const double error = s->error;
    const cli_list *sizes = &s->base.options.n;
    candidate all[CLI_MOST_LIST] = {{0}};
    candidate *best = &all[find_candidates(s, error, all)];
    char step[48];
    if (!isfinite(best->seconds))
        return swe_fail(ctx, SWE_CONFIG, "--error: errors do not fall from n = %d to n = %d",
                        sizes->value[0], sizes->value[sizes->count - 1]);
    snprintf(step, sizeof step, "time.courant=%.4g", best->courant);
    for (int k = 0; k < TRIES; k++) {
        const cli_convergence_row *reached = reached_by(s, error);
        if (reached != NULL && (k > 0 || reached->results.seconds <= best->seconds))
            break;
        SWE_TRY(cli_converge_ensure(ctx, s, step, best->order, best->n, false));
        const cli_convergence_row *row = cli_convergence_find(s, best->order, best->n);
        best->n = cells_for(best->n, row->results.errors.l2, error, best->rate);
    }
    return SWE_OK;
}

void cli_converge_print_choice(FILE *file, const cli_convergence *s)
{
    const double error = s->error;
    const cli_convergence_row *row = reached_by(s, error);
    candidate all[CLI_MOST_LIST] = {{0}};
    if (row == NULL) {
        fprintf(
            file,
            "\nNo row has l2 of at most %g: errors of finer rows do not fall at the rate of the "
            "coarse ones.\n",
            error);
        return;
    }
    fprintf(file,
            "\nFor l2 of at most %g: order %d, n = %d, %d steps of %.4g s by %s: %.3e in %.3g s.\n",
            error, (int)row->order, (int)row->n, (int)row->steps, row->results.dt,
            s->base.config->scheme.time == SWE_TIME_RK4 ? "RK4" : "leapfrog",
            row->results.errors.l2, row->results.seconds);
    find_candidates(s, error, all);
    for (int k = 0; k < s->base.options.order.count; k++)
        if (all[k].last != NULL && isfinite(all[k].seconds))
            fprintf(file,
                    "Order %d: rate %.2f up to n = %d, so it needs n = %d and about %.2g s.\n",
                    all[k].order, all[k].rate, (int)all[k].last->n, all[k].n, all[k].seconds);
}
