/* The cost of the kernels that make parts of a step: the mean of the four. */
#include <math.h>

#include "stages/cost_accesses.h"

/* States that are read for what parts do with a value: y, in the fourth also Y1, Y2 and Y3. */
static const double states_of_update = 0.25 * (1.0 + 1.0 + 1.0 + 4.0);

/* The same where the state at which the tendency is taken is read, too. */
static const double states_of_sweep = 0.25 * (1.0 + 2.0 + 2.0 + 4.0);

/* `states` of a field are read, one is written. */
static void updates(swe_cost *cost, const char *buffer, double states, double values)
{
    reads(cost, buffer, states * values);
    writes(cost, buffer, values);
}

void swe_count_rk4(const cost_sizes *s, swe_cost *cost)
{
    reads(cost, "dh", s->vertices);
    reads_v(s, cost, "dv1", "dv2");
    updates(cost, "h", states_of_update, s->vertices);
    updates(cost, "v1", states_of_update, s->cells);
    updates(cost, "v2", states_of_update, s->cells);
    cost_of_rk4(s->vertices + 2.0 * s->cells, cost);
}

/* On a CPU the second of two parts in a sweep finds in a cache what the first has read and made: y,
 * then y, Y1 and Y2 are read. Metric terms serve both. */
static void count_panels(const cost_sizes *s, swe_cost *cost)
{
    const double states = s->in_pairs ? 0.25 * (1.0 + 3.0) : states_of_sweep;
    cost_sizes metric = *s;
    metric.vertices *= s->in_pairs ? 0.5 : 1.0;
    metric.cells *= s->in_pairs ? 0.5 : 1.0;
    updates(cost, "h", states, s->vertices);
    updates(cost, "v1", states, s->cells);
    updates(cost, "v2", states, s->cells);
    reads_metric_of_v(&metric, cost);
    reads_metric_of_h(&metric, cost, "J g^12");
    reads_metric_of_h(&metric, cost, "1/J");
    cost_of_part(s, cost);
}

/* What of a field, and of a metric term, which all panels share, is moved. */
typedef struct moved {
    double read, written, metric;
} moved;

static void count_moved(swe_cost *cost, moved of_h, moved of_v)
{
    static const char *const fields[] = {"h", "v1", "v2"};
    static const char *const terms[] = {"J g^11", "J g^22", "J g^12", "1/J"};
    for (int k = 0; k < 3; k++) {
        reads(cost, fields[k], k == 0 ? of_h.read : of_v.read);
        writes(cost, fields[k], k == 0 ? of_h.written : of_v.written);
    }
    for (int k = 0; k < 4; k++)
        reads(cost, terms[k], (k < 2 ? of_v.metric : of_h.metric) / SWE_PANELS);
}

/* Of a field of so many values what parts 0 and 2 make in frames, and parts 1 and 3: they read y;
 * Y2 and y; Y1 and y; all four. */
static moved moved_in_frames(const cost_sizes *s, double values)
{
    const double first = values - s->within_first, second = values - s->within_second;
    return (moved){.read = 0.25 * ((1.0 + 2.0) * first + (2.0 + 4.0) * second),
                   .written = 0.5 * (first + second),
                   .metric = 0.5 * (first + second)};
}

static void count_frames(const cost_sizes *s, swe_cost *cost)
{
    swe_cost within = {.access_count = 0};
    cost_of_interior(s, 0.5 * (s->within_first + s->within_second), &within);
    cost_of_part(s, cost);
    cost_add(&cost->formula, -1.0, within.formula);
    cost_add(&cost->repeated, -1.0, within.repeated);
    count_moved(cost, moved_in_frames(s, s->vertices), moved_in_frames(s, s->cells));
}

void swe_count_fused(const cost_sizes *s, swe_cost *cost)
{
    if (s->within_second > 0.0)
        count_frames(s, cost);
    else
        count_panels(s, cost);
}

/* A sweep, shared by the four calls of a step, that reads so many states and writes so many values
 * of a field. */
static void count_pair(const cost_sizes *s, double states, double written, swe_cost *cost)
{
    const moved field = {.read = 0.25 * states * s->within_second,
                         .written = 0.25 * written,
                         .metric = 0.25 * s->within_second};
    if (s->within_second == 0.0)
        return;
    cost_of_interior(s, 0.25 * (s->within_first + s->within_second), cost);
    count_moved(cost, field, field);
}

/* y; Y1 and Y2. */
void swe_count_pair(const cost_sizes *s, swe_cost *cost)
{
    count_pair(s, 1.0, s->within_first + s->within_second, cost);
}

/* y, Y1 and Y2; the next y. */
void swe_count_last_pair(const cost_sizes *s, swe_cost *cost)
{
    count_pair(s, 3.0, s->within_second, cost);
}

/* Values of a field at vertices of which a panel has `columns` at both ends of all rows and `rows`
 * at those of all columns. */
static double frame(const cost_sizes *s, double columns, double rows)
{
    const double across = fmax(s->places - 2.0 * columns, 0.0),
                 along = fmax(s->places - 2.0 * rows, 0.0);
    return SWE_PANELS * (s->places * s->places - across * along);
}

/* Those of the head, W1 and W2 that are left for momentum: where inner cells come first, what the
 * others' operators take. */

static double values_left(const cost_sizes *s, double columns, double rows)
{
    return s->inner_first ? frame(s, columns, rows) : s->vertices;
}

static double head_left(const cost_sizes *s)
{
    return values_left(s, s->columns, s->columns);
}

static double turned1_left(const cost_sizes *s)
{
    return values_left(s, s->columns, 1.0);
}

static double turned2_left(const cost_sizes *s)
{
    return values_left(s, 1.0, s->columns);
}

/* Values of v1, and of v2, that inner cells have. */
static double inner_cells(const cost_sizes *s)
{
    return s->inner_first ? s->inner_rows * s->inner_places : 0.0;
}

/* What the nonlinear equations want besides; a panel's own vorticity of shared points is kept. */
static void count_head_and_vorticity(const cost_sizes *s, swe_cost *cost)
{
    reads(cost, "b", s->vertices);
    writes(cost, "head", head_left(s));
    writes(cost, "margin", s->margin);
    cost_of_head(s, cost);
    cost_of_shears(s, cost);
    cost_of_vorticity(s, cost);
}

/* Values of h that inner cells take of a state for the gradient: in rows, or in columns, without
 * shared points what interior operators reach. */
static double heads_of_inner_cells(const cost_sizes *s)
{
    const double taken = s->inner_places > 0.0 ? s->inner_places + s->order - 1.0 : 0.0;
    return s->inner_first ? 2.0 * s->inner_rows * taken - SWE_PANELS * taken * taken : 0.0;
}

/* The head of the linear equations is h, in two parts of four that of a state which nothing else
 * here reads. */
static double states_of_h(const cost_sizes *s)
{
    return cost_is_nonlinear(s) ? states_of_sweep * s->vertices
                                : states_of_update * s->vertices + 0.5 * heads_of_inner_cells(s);
}

void swe_count_transport(const cost_sizes *s, swe_cost *cost)
{
    const bool is_nonlinear = cost_is_nonlinear(s);
    const double more = (states_of_sweep - 1.0) * inner_cells(s);
    reads(cost, "h", states_of_h(s));
    reads(cost, "v1", s->cells + more);
    reads(cost, "v2", s->cells + more);
    reads(cost, "f", s->vertices);
    reads_metric_of_v(s, cost);
    reads_metric_of_h(s, cost, "J g^12");
    reads_metric_of_h(s, cost, "1/J");
    writes(cost, "h", s->vertices);
    writes(cost, "W1", turned1_left(s));
    writes(cost, "W2", turned2_left(s));
    cost_of_cross(s, cost);
    cost_of_flux(s, cost);
    cost_of_turn(s, cost);
    cost_of_divergence(s, cost);
    cost_of_rk4(s->vertices, cost);
    if (is_nonlinear)
        count_head_and_vorticity(s, cost);
    if (!s->inner_first)
        return;
    writes(cost, "v1", inner_cells(s));
    writes(cost, "v2", inner_cells(s));
    cost_of_inner_cells(s, cost);
}

/* One value of h; nonlinear of the head and of the vorticity, too, and h of before for q. */
void swe_count_join(const cost_sizes *s, swe_cost *cost)
{
    const bool is_nonlinear = cost_is_nonlinear(s);
    reads(cost, "h", s->margin + (is_nonlinear ? s->shared : 0.0));
    writes(cost, "h", s->margin);
    reads(cost, "f", s->shared);
    reads(cost, "tangents", s->places);
    changes(cost, "W1", s->margin);
    changes(cost, "W2", s->margin);
    cost_of_projection(s, cost);
    cost_of_unite(s, cost);
    if (!is_nonlinear)
        return;
    changes(cost, "head", s->margin);
    changes(cost, "margin", s->margin);
    cost_of_projection(s, cost);
    cost_of_projection(s, cost);
}

void swe_count_momentum(const cost_sizes *s, swe_cost *cost)
{
    const double cells = s->cells - inner_cells(s);
    reads(cost, head_of(s), head_left(s));
    reads(cost, "W1", turned1_left(s));
    reads(cost, "W2", turned2_left(s));
    updates(cost, "v1", states_of_update, cells);
    updates(cost, "v2", states_of_update, cells);
    cost_of_gradient(s, cost);
    cost_of_averages(s, cost);
    cost_add_each(&cost->formula, 2.0 * s->cells, 1.0, 0.0, 0.0, 0.0);
    cost_of_rk4(2.0 * s->cells, cost);
    if (s->inner_first) {
        swe_cost inner = {.access_count = 0};
        cost_of_inner_cells(s, &inner);
        cost_add(&cost->formula, -1.0, inner.formula);
        cost_add(&cost->repeated, -1.0, inner.repeated);
    }
}
