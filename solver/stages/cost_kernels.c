#include "stages/cost_kernels.h"

#include <math.h>
#include <stdlib.h>

#include "stages/budgets/budgets.h"

void cost_append(swe_cost *cost, prof_access access)
{
    if (cost->access_count == SWE_MOST_ACCESSES)
        abort();
    cost->accesses[cost->access_count++] = access;
}

static void reads(swe_cost *cost, const char *buffer, double values)
{
    cost_append(cost, (prof_access){buffer, values, false});
}

static void writes(swe_cost *cost, const char *buffer, double values)
{
    cost_append(cost, (prof_access){buffer, values, true});
}

static void changes(swe_cost *cost, const char *buffer, double values)
{
    reads(cost, buffer, values);
    writes(cost, buffer, values);
}

/* Terms of the metric, which all panels share. */
static void reads_metric_of_v(const cost_sizes *s, swe_cost *cost)
{
    reads(cost, "J g^11", s->cells / SWE_PANELS);
    reads(cost, "J g^22", s->cells / SWE_PANELS);
}

static void reads_metric_of_h(const cost_sizes *s, swe_cost *cost, const char *term)
{
    reads(cost, term, s->vertices / SWE_PANELS);
}

/* Two fields at (c,v) and (v,c), and of vertices. */
static void reads_v(const cost_sizes *s, swe_cost *cost, const char *first, const char *second)
{
    reads(cost, first, s->cells);
    reads(cost, second, s->cells);
}

static void writes_v(const cost_sizes *s, swe_cost *cost, const char *first, const char *second)
{
    writes(cost, first, s->cells);
    writes(cost, second, s->cells);
}

static void reads_two(const cost_sizes *s, swe_cost *cost, const char *first, const char *second)
{
    reads(cost, first, s->vertices);
    reads(cost, second, s->vertices);
}

static void writes_two(const cost_sizes *s, swe_cost *cost, const char *first, const char *second)
{
    writes(cost, first, s->vertices);
    writes(cost, second, s->vertices);
}

/* What drives the velocity. */
static const char *head_of(const cost_sizes *s)
{
    return cost_is_nonlinear(s) ? "head" : "h";
}

/* ---- the right-hand side ----------------------------------------------------------------------
 */

/* Of the staged pipeline as many calls are those of each field. */
static void count_projection(const cost_sizes *s, swe_cost *cost)
{
    static const char *const buffers[] = {"h", "dh", "head", "vorticity"};
    const bool is_staged = s->pipeline == SWE_PIPELINE_STAGED;
    const int kinds = !is_staged ? 1 : cost_is_nonlinear(s) ? 4 : 2;
    for (int k = 0; k < kinds; k++)
        changes(cost, buffers[k], s->margin / kinds);
    cost_of_projection(s, cost);
}

static void count_cross(const cost_sizes *s, swe_cost *cost)
{
    if (cost_is_nonlinear(s))
        reads(cost, "h", s->vertices);
    reads_v(s, cost, "v1", "v2");
    reads_metric_of_h(s, cost, "J g^12");
    writes_two(s, cost, "cross1", "cross2");
    cost_of_cross(s, cost);
}

static void count_flux(const cost_sizes *s, swe_cost *cost)
{
    if (cost_is_nonlinear(s))
        reads(cost, "h", s->vertices);
    reads_v(s, cost, "v1", "v2");
    reads_metric_of_v(s, cost);
    reads_two(s, cost, "cross1", "cross2");
    writes_v(s, cost, "F1", "F2");
    cost_of_flux(s, cost);
}

static void count_bernoulli(const cost_sizes *s, swe_cost *cost)
{
    reads_two(s, cost, "h", "b");
    reads_v(s, cost, "v1", "v2");
    reads_metric_of_v(s, cost);
    reads_metric_of_h(s, cost, "J g^12");
    reads_metric_of_h(s, cost, "1/J");
    writes(cost, "head", s->vertices);
    cost_of_means(s, cost);
    cost_of_head(s, cost);
}

static void count_mean(const cost_sizes *s, swe_cost *cost)
{
    reads_v(s, cost, "v1", "v2");
    writes_two(s, cost, "mean1", "mean2");
    cost_of_means(s, cost);
}

static void count_shear(const cost_sizes *s, swe_cost *cost)
{
    reads_two(s, cost, "mean1", "mean2");
    writes_v(s, cost, "shear1", "shear2");
    cost_of_shears(s, cost);
}

static void count_vorticity(const cost_sizes *s, swe_cost *cost)
{
    reads_v(s, cost, "shear1", "shear2");
    reads_metric_of_h(s, cost, "1/J");
    writes(cost, "vorticity", s->vertices);
    cost_of_vorticity(s, cost);
}

static void count_gradient(const cost_sizes *s, swe_cost *cost)
{
    reads(cost, head_of(s), s->vertices);
    writes_v(s, cost, "dv1", "dv2");
    cost_of_gradient(s, cost);
}

/* What q is made of, at so many vertices. */
static void reads_q(const cost_sizes *s, swe_cost *cost, double vertices)
{
    reads(cost, "f", vertices);
    if (!cost_is_nonlinear(s))
        return;
    reads(cost, "h", vertices);
    reads(cost, "vorticity", vertices);
}

static void count_turn(const cost_sizes *s, swe_cost *cost)
{
    reads_q(s, cost, s->vertices);
    reads_v(s, cost, "F1", "F2");
    writes_two(s, cost, "W1", "W2");
    cost_of_turn(s, cost);
}

static void count_unite(const cost_sizes *s, swe_cost *cost)
{
    reads_q(s, cost, s->shared);
    reads(cost, "tangents", s->places);
    changes(cost, "W1", s->margin);
    changes(cost, "W2", s->margin);
    cost_of_unite(s, cost);
}

/* Pvc_k of two fields at vertices, added to two at cells. */
static void adds_averages(const cost_sizes *s, swe_cost *cost, const char *of1, const char *of2)
{
    reads_two(s, cost, of1, of2);
    cost_of_averages(s, cost);
    cost_add_each(&cost->formula, 2.0 * s->cells, 1.0, 0.0, 0.0, 0.0);
}

static void count_accelerate(const cost_sizes *s, swe_cost *cost)
{
    adds_averages(s, cost, "W1", "W2");
    changes(cost, "dv1", s->cells);
    changes(cost, "dv2", s->cells);
}

static void count_divergence(const cost_sizes *s, swe_cost *cost)
{
    reads_v(s, cost, "F1", "F2");
    reads_metric_of_h(s, cost, "1/J");
    writes(cost, "dh", s->vertices);
    cost_of_divergence(s, cost);
}

/* Of each panel the first and the last cells of every line across its edges, and the two lines
 * along them, which share the cells at their ends; h of the first panels of the edges, which are
 * four and have all their corners. */
static void count_consensus(const cost_sizes *s, swe_cost *cost)
{
    const double strips = SWE_PANELS * (2.0 * s->edge * (s->places - 2.0) + 2.0 * s->n);
    if (cost_is_nonlinear(s))
        reads(cost, "h", SWE_EDGES * (s->n - 1.0) + 4.0 * 4.0);
    reads(cost, "v1", strips);
    reads(cost, "v2", strips);
    reads(cost, "tangents", s->places);
    writes(cost, "edge", SWE_EDGES * s->places);
    cost_of_consensus(s, cost);
}

static void count_exchange(const cost_sizes *s, swe_cost *cost)
{
    const double strips = SWE_PANELS * 2.0 * s->edge * s->places;
    reads(cost, "F1", strips);
    reads(cost, "F2", strips);
    reads(cost, "edge", SWE_EDGES * s->places);
    reads(cost, "1/J", s->margin / SWE_PANELS);
    changes(cost, "dh", s->margin);
    cost_of_exchange(s, cost);
}

/* ---- parts of a step: the mean of the four ----------------------------------------------------
 */

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

static void count_rk4(const cost_sizes *s, swe_cost *cost)
{
    reads(cost, "dh", s->vertices);
    reads_v(s, cost, "dv1", "dv2");
    updates(cost, "h", states_of_update, s->vertices);
    updates(cost, "v1", states_of_update, s->cells);
    updates(cost, "v2", states_of_update, s->cells);
    cost_of_rk4(s->vertices + 2.0 * s->cells, cost);
}

/* Of two parts in a sweep the second finds in a cache what the first has read and made: y, then y,
 * Y1 and Y2 are read. Metric terms serve both. */
static void count_fused(const cost_sizes *s, swe_cost *cost)
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
    cost_of_cross(s, cost);
    cost_of_flux(s, cost);
    cost_of_divergence(s, cost);
    cost_of_gradient(s, cost);
    cost_of_rk4(s->vertices + 2.0 * s->cells, cost);
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

static void count_transport(const cost_sizes *s, swe_cost *cost)
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
static void count_join(const cost_sizes *s, swe_cost *cost)
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

static void count_momentum(const cost_sizes *s, swe_cost *cost)
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

/* ---- the end of a step, and diagnostics -------------------------------------------------------
 */

/* Of each panel the vertices that closures take across its edges, but its corners; the cells of
 * lines among them along an edge, and of the others those that the extrapolation takes. */
static void count_change(const cost_sizes *s, swe_cost *cost)
{
    const double lines = fmin(2.0 * s->columns, s->places), inner = s->places - lines;
    const double frame = s->places * s->places - inner * inner - 4.0;
    const double cells = SWE_PANELS * (lines * s->n + inner * 2.0 * s->edge);
    if (cost_is_nonlinear(s))
        reads(cost, "h", SWE_PANELS * frame);
    reads(cost, "v1", cells);
    reads(cost, "v2", cells);
    reads(cost, "J g^11", 2.0 * s->edge * (s->n - 1.0));
    reads(cost, "J g^22", 2.0 * s->edge * (s->n - 1.0));
    reads(cost, "J g^12", frame);
    reads(cost, "tangents", s->n - 1.0);
    writes(cost, "changes", SWE_EDGES * (s->n - 1.0));
    cost_of_change(s, cost);
}

static void count_damping(const cost_sizes *s, swe_cost *cost)
{
    const double strips = SWE_PANELS * 2.0 * s->edge * (s->n - 1.0);
    reads(cost, "changes", SWE_EDGES * (s->n - 1.0));
    changes(cost, "v1", strips);
    changes(cost, "v2", strips);
    cost_of_damping(s, cost);
}

static const char *const components_of_x[] = {"x1", "x2", "x3"};

/* What x and Z are made of besides. */
static void reads_scale(const cost_sizes *s, swe_cost *cost)
{
    if (cost_is_nonlinear(s))
        reads(cost, "h", s->vertices);
    reads_metric_of_h(s, cost, "1/J");
    reads(cost, "tangents", s->places);
}

static void count_flow(const cost_sizes *s, swe_cost *cost)
{
    reads_scale(s, cost);
    reads_v(s, cost, "v1", "v2");
    reads_metric_of_v(s, cost);
    reads_metric_of_h(s, cost, "J g^12");
    for (int k = 0; k < 3; k++)
        writes(cost, components_of_x[k], s->vertices);
    cost_of_cross(s, cost);
    cost_of_flux(s, cost);
    cost_of_flow(s, cost);
}

static void count_join_flow(const cost_sizes *s, swe_cost *cost)
{
    for (int k = 0; k < 3; k++)
        changes(cost, components_of_x[k], s->margin);
    cost_of_joined_flow(s, cost);
}

static void count_force(const cost_sizes *s, swe_cost *cost)
{
    reads_scale(s, cost);
    for (int k = 0; k < 3; k++)
        reads(cost, components_of_x[k], s->vertices);
    writes_two(s, cost, "z1", "z2");
    cost_of_force(s, cost);
}

static void count_join_force(const cost_sizes *s, swe_cost *cost)
{
    reads(cost, "tangents", s->places);
    changes(cost, "z1", s->margin);
    changes(cost, "z2", s->margin);
    cost_of_joined_force(s, cost);
}

static void count_slow(const cost_sizes *s, swe_cost *cost)
{
    adds_averages(s, cost, "z1", "z2");
    changes(cost, "v1", s->cells);
    changes(cost, "v2", s->cells);
}

static void count_budgets(const cost_sizes *s, swe_cost *cost)
{
    reads(cost, "h", s->vertices);
    reads_v(s, cost, "v1", "v2");
    reads_metric_of_v(s, cost);
    reads_metric_of_h(s, cost, "J g^12");
    reads_metric_of_h(s, cost, "1/J");
    reads(cost, "norms", s->wide * (s->places + s->n));
    if (cost_is_nonlinear(s)) {
        reads_two(s, cost, "b", "f");
        reads(cost, "vorticity", s->vertices);
        reads(cost, "tangents", s->places);
    }
    writes(cost, "budgets", s->wide * s->lines * BUDGETS_VALUES);
    cost_of_budgets(s, cost);
}

cost_function *const cost_of_kernels[SWE_KERNEL_COUNT] = {
#define COUNT_OF_KERNEL(stage, name, threads) count_##name,
    SWE_KERNEL_LIST(COUNT_OF_KERNEL)
#undef COUNT_OF_KERNEL
};
