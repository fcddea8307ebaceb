#include "stages/cost_formulas.h"

#include "operators/sbp_point.h"
#include "stages/budgets/budgets_point.h"

/* ---- what geometry_point.h does at a point; of X and Y at a panel's edge one is +-1 -------------
 */

/* geometry_velocity: delta^2, its root over a, w1 and w2, w0, three components of three terms. */
static const swe_operations velocity = {11.0, 17.0, 3.0, 1.0};
/* geometry_frame_of_fluxes: 1 + X^2 and 1 + Y^2, both fluxes scaled, w0, w1 and w2; and
 * geometry_velocity_of_fluxes, besides three components. */
static const swe_operations frame_of_fluxes = {5.0, 14.0, 1.0, 0.0};
static const swe_operations velocity_of_fluxes = {11.0, 23.0, 1.0, 0.0};
/* geometry_covariants_of_frame: 1 + X^2 and 1 + Y^2, each once, and two components. */
static const swe_operations covariants_of_frame = {6.0, 12.0, 0.0, 0.0};
/* geometry_flux1: two sums of three terms, a (1 + Y^2) / delta^2 times their combination. */
static const swe_operations flux_of_velocity = {10.0, 12.0, 1.0, 0.0};
/* geometry_covariant1: one such sum, a (1 + X^2) over the root of delta^2. */
static const swe_operations covariant = {6.0, 8.0, 1.0, 1.0};
/* geometry_metric11: 1 + Y^2 over the root of delta^2. */
static const swe_operations metric = {3.0, 3.0, 1.0, 1.0};

/* ---- sizes and sums ---------------------------------------------------------------------------
 */

void cost_add(swe_operations *to, double count, swe_operations what)
{
    to->additions += count * what.additions;
    to->multiplications += count * what.multiplications;
    to->divisions += count * what.divisions;
    to->roots += count * what.roots;
}

void cost_add_each(swe_operations *to, double count, double additions, double multiplications,
                   double divisions, double roots)
{
    cost_add(to, count, (swe_operations){additions, multiplications, divisions, roots});
}

static swe_operations weighted_sum(double terms)
{
    return (swe_operations){.additions = terms - 1.0, .multiplications = terms};
}

/* Vertices within frames that are narrower than a tile by so many. */
static double vertices_within(const cost_sizes *s, int narrower)
{
    const double columns = LAUNCH_TILE_I - 2.0 * (s->order - 1) - narrower,
                 rows = LAUNCH_TILE_ROWS - narrower;
    return SWE_PANELS * (s->places - 2.0 * columns) * (s->places - 2.0 * rows);
}

cost_sizes cost_sizes_of(const swe_cost_case *what)
{
    const int n = what->n, order = what->order;
    const size_t bytes = swe_precision_bytes(what->precision);
    const double pairs = 0.5 * order; /* of values that the interior takes */
    const swe_operations paired = {.additions = 2.0 * pairs - 1.0, .multiplications = pairs};
    cost_sizes s = {.n = n,
                    .places = n + 1.0,
                    .order = order,
                    .columns = sbp_columns(order),
                    .edge = sbp_edge_length(order),
                    .flow = what->flow,
                    .pipeline = what->pipeline,
                    .wide = (double)sizeof(double) / (double)bytes,
                    .inner_first = what->inner_first,
                    .in_pairs = what->inner_first && swe_state_streams(n, bytes)};
    s.lines = SWE_PANELS * s.places;
    s.vertices = s.lines * s.places;
    s.cells = s.lines * s.n;
    if (!what->inner_first && what->flow == SWE_FLOW_STILL && swe_state_walks(n)) {
        s.within_first = vertices_within(&s, 0);
        s.within_second = vertices_within(&s, order - 1);
    }
    s.inner_rows = SWE_PANELS * (s.n - 1.0);
    s.inner_places = s.n - 2.0 * sbp_cell_rows(order);
    s.margin = SWE_PANELS * 4.0 * s.n;
    s.shared = SWE_EDGES * (s.n - 1.0) + SWE_CORNERS;
    s.mean = paired;
    s.difference = order == 2 ? (swe_operations){.additions = 1.0} : paired; /* whose one weight is
                                                                                1 */
    s.closure = weighted_sum(s.columns);
    s.extrapolation = weighted_sum(s.edge);
    return s;
}

/* An operator at all cells, and at all vertices, of some lines. */
static void add_at_cells(swe_operations *to, double lines, const cost_sizes *s,
                         swe_operations interior)
{
    const double closed = 2.0 * sbp_cell_rows(s->order);
    cost_add(to, lines * closed, s->closure);
    cost_add(to, lines * (s->n - closed), interior);
}

static void add_at_vertices(swe_operations *to, double lines, const cost_sizes *s,
                            swe_operations interior)
{
    const double closed = 2.0 * sbp_vertex_rows(s->order);
    cost_add(to, lines * closed, s->closure);
    cost_add(to, lines * (s->places - closed), interior);
}

/* The means of `values` values over the copies of all shared points: of two, or of three. */
static void add_means_of_copies(swe_operations *to, double values, const cost_sizes *s)
{
    cost_add_each(to, values * SWE_EDGES * (s->n - 1.0), 1.0, 1.0, 0.0, 0.0);
    cost_add_each(to, values * SWE_CORNERS, 2.0, 0.0, 1.0, 0.0);
}

/* ---- the stages of the right-hand side --------------------------------------------------------
 */

void cost_of_projection(const cost_sizes *s, swe_cost *cost)
{
    add_means_of_copies(&cost->formula, 1.0, s);
}

void cost_of_means(const cost_sizes *s, swe_cost *cost)
{
    add_at_vertices(&cost->formula, 2.0 * s->lines, s, s->mean);
}

void cost_of_shears(const cost_sizes *s, swe_cost *cost)
{
    add_at_cells(&cost->formula, 2.0 * s->lines, s, s->difference);
}

void cost_of_averages(const cost_sizes *s, swe_cost *cost)
{
    add_at_cells(&cost->formula, 2.0 * s->lines, s, s->mean);
}

/* J g^12 times a mean, nonlinear times h. */
void cost_of_cross(const cost_sizes *s, swe_cost *cost)
{
    cost_of_means(s, cost);
    cost_add_each(&cost->formula, 2.0 * s->vertices, 0.0, cost_is_nonlinear(s) ? 2.0 : 1.0, 0.0,
                  0.0);
}

/* J g^kk v_k plus an average; nonlinear the former times that of h. */
void cost_of_flux(const cost_sizes *s, swe_cost *cost)
{
    cost_of_averages(s, cost);
    cost_add_each(&cost->formula, 2.0 * s->cells, 1.0, 1.0, 0.0, 0.0);
    if (!cost_is_nonlinear(s))
        return;
    cost_of_averages(s, cost);
    cost_add_each(&cost->formula, 2.0 * s->cells, 0.0, 1.0, 0.0, 0.0);
}

/* (1/D) 1/J times the difference of two means. */
void cost_of_vorticity(const cost_sizes *s, swe_cost *cost)
{
    cost_of_means(s, cost);
    cost_add_each(&cost->formula, s->vertices, 1.0, 2.0, 0.0, 0.0);
}

/* J g^kk v_k^2, two multiplications each, and their means; h + b and 1/g 1/J times half the sum and
 * J g^12 times two means. */
void cost_of_head(const cost_sizes *s, swe_cost *cost)
{
    cost_of_means(s, cost);
    cost_add_each(&cost->formula, 2.0 * s->cells, 0.0, 2.0, 0.0, 0.0);
    cost_add_each(&cost->formula, s->vertices, 4.0, 5.0, 0.0, 0.0);
}

/* (-g/D) times a difference. */
void cost_of_gradient(const cost_sizes *s, swe_cost *cost)
{
    cost_of_shears(s, cost);
    cost_add_each(&cost->formula, 2.0 * s->cells, 0.0, 1.0, 0.0, 0.0);
    cost_add_each(&cost->repeated, 2.0 * s->cells, 0.0, 1.0, 0.0, 0.0);
}

/* q, and it times two means, but for shared points. */
void cost_of_turn(const cost_sizes *s, swe_cost *cost)
{
    cost_of_means(s, cost);
    cost_add_each(&cost->formula, 2.0 * (s->vertices - s->margin), 0.0, 1.0, 0.0, 0.0);
    if (cost_is_nonlinear(s))
        cost_add_each(&cost->formula, s->vertices, 1.0, 0.0, 1.0, 0.0);
}

/* A Cartesian velocity of each copy of a shared point, their mean, its two fluxes times q. */
void cost_of_unite(const cost_sizes *s, swe_cost *cost)
{
    cost_add(&cost->formula, s->margin, velocity_of_fluxes);
    add_means_of_copies(&cost->formula, 3.0, s);
    cost_add(&cost->formula, 2.0 * s->margin, flux_of_velocity);
    cost_add_each(&cost->formula, 2.0 * s->margin, 0.0, 1.0, 0.0, 0.0);
    if (cost_is_nonlinear(s))
        cost_add_each(&cost->formula, s->shared, 1.0, 0.0, 1.0, 0.0);
}

/* (-H0/D) 1/J times the sum of two differences, strong or weak. */
void cost_of_divergence(const cost_sizes *s, swe_cost *cost)
{
    add_at_vertices(&cost->formula, 2.0 * s->lines, s, s->difference);
    cost_add_each(&cost->formula, s->vertices, 1.0, 2.0, 0.0, 0.0);
    cost_add_each(&cost->repeated, s->vertices, 0.0, 1.0, 0.0, 0.0);
}

/* At each place of an edge: both sides' velocities, their mean, its flux, nonlinear times h. One of
 * X and Y is +-1: its square is a constant, and so is 1 + X^2 of a velocity. */
void cost_of_consensus(const cost_sizes *s, swe_cost *cost)
{
    const double places = SWE_EDGES * s->places;
    swe_operations *f = &cost->formula;
    cost_add(f, 2.0 * places, s->extrapolation);
    add_at_vertices(f, 2.0 * SWE_EDGES, s, s->mean);
    cost_add(f, 2.0 * places, velocity);
    cost_add_each(f, 2.0 * places, -1.0, -2.0, 0.0, 0.0);
    cost_add_each(&cost->repeated, 2.0 * places, 1.0, 2.0, 0.0, 0.0);
    cost_add_each(f, places, 3.0, 3.0, 0.0, 0.0);
    cost_add(f, places, flux_of_velocity);
    cost_add_each(f, places, 0.0, -1.0, 0.0, 0.0);
    cost_add_each(&cost->repeated, places, 0.0, 1.0, 0.0, 0.0);
    if (cost_is_nonlinear(s))
        cost_add_each(f, places, 0.0, 1.0, 0.0, 0.0);
}

/* At each vertex on a panel's edge -H0/J Hv^-1 times the jump, at a cube vertex the sum of two. */
void cost_of_exchange(const cost_sizes *s, swe_cost *cost)
{
    const double corners = SWE_PANELS * 4.0;
    cost_add(&cost->formula, s->margin + corners, s->extrapolation);
    cost_add_each(&cost->formula, s->margin + corners, 1.0, 0.0, 0.0, 0.0);
    cost_add_each(&cost->formula, corners, 1.0, 0.0, 0.0, 0.0);
    cost_add_each(&cost->formula, s->margin, 1.0, 3.0, 0.0, 0.0);
    cost_add_each(&cost->repeated, s->margin, 0.0, 0.0, 1.0, 0.0);
}

/* Three parts y + w k; the fourth has three differences to y, one of them doubled, a third of their
 * sum, and w k. */
void cost_of_rk4(double values, swe_cost *cost)
{
    cost_add_each(&cost->formula, 0.25 * 3.0 * values, 1.0, 1.0, 0.0, 0.0);
    cost_add_each(&cost->formula, 0.25 * values, 7.0, 3.0, 0.0, 0.0);
}

void cost_of_part(const cost_sizes *s, swe_cost *cost)
{
    cost_of_cross(s, cost);
    cost_of_flux(s, cost);
    cost_of_divergence(s, cost);
    cost_of_gradient(s, cost);
    cost_of_rk4(s->vertices + 2.0 * s->cells, cost);
}

/* Cross terms, fluxes, divergence, gradient, rk4. */
void cost_of_interior(const cost_sizes *s, double vertices, swe_cost *cost)
{
    cost_add(&cost->formula, (2.0 + 2.0) * vertices, s->mean);
    cost_add(&cost->formula, (2.0 + 2.0) * vertices, s->difference);
    cost_add_each(&cost->formula, vertices, 2.0 + 1.0, 2.0 + 2.0 + 2.0 + 2.0, 0.0, 0.0);
    cost_add_each(&cost->repeated, vertices, 0.0, 1.0 + 2.0, 0.0, 0.0);
    cost_of_rk4(3.0 * vertices, cost);
}

/* -g Dvc_k head + Pvc_k W_k, of interior operators alone, and rk4. */
void cost_of_inner_cells(const cost_sizes *s, swe_cost *cost)
{
    const double cells = 2.0 * s->inner_rows * s->inner_places;
    cost_add(&cost->formula, cells, s->difference);
    cost_add(&cost->formula, cells, s->mean);
    cost_add_each(&cost->formula, cells, 1.0, 1.0, 0.0, 0.0);
    cost_add_each(&cost->repeated, cells, 0.0, 1.0, 0.0, 0.0);
    cost_of_rk4(cells, cost);
}

/* ---- what a step may end with -----------------------------------------------------------------
 */

/* At each place of an edge but its ends: cross terms and fluxes of both sides that the
 * extrapolation takes, all in closures but for the means along the edge; their jump, half of it
 * times the weight over J g^nn, nonlinear of h. */
void cost_of_change(const cost_sizes *s, swe_cost *cost)
{
    const double places = SWE_EDGES * (s->n - 1.0);
    const double closed = 2.0 * SWE_EDGES * 2.0 * (sbp_vertex_rows(s->order) - 1.0);
    swe_operations *f = &cost->formula;
    cost_add(f, closed * s->columns, s->closure);
    cost_add(f, (2.0 * places - closed) * s->columns, s->mean);
    cost_add_each(f, 2.0 * places * s->columns, 0.0, cost_is_nonlinear(s) ? 2.0 : 1.0, 0.0, 0.0);
    cost_add(f, 2.0 * places * s->edge, s->closure);
    cost_add_each(f, 2.0 * places * s->edge, 1.0, 1.0, 0.0, 0.0);
    if (cost_is_nonlinear(s)) {
        cost_add(f, 2.0 * places * s->edge, s->closure);
        cost_add_each(f, 2.0 * places * s->edge, 0.0, 1.0, 0.0, 0.0);
    }
    cost_add(f, 2.0 * places, s->extrapolation);
    cost_add(f, places, metric);
    cost_add_each(f, places, 0.0, -1.0, 0.0, 0.0); /* the square of +-1 */
    cost_add_each(f, places, 1.0, cost_is_nonlinear(s) ? 2.0 : 1.0, 1.0, 0.0);
    cost_add_each(&cost->repeated, places, 0.0, 2.0, 0.0, 0.0);
}

/* And each side's cells. */
void cost_of_damping(const cost_sizes *s, swe_cost *cost)
{
    const double cells = 2.0 * SWE_EDGES * (s->n - 1.0) * s->edge;
    cost_add_each(&cost->formula, cells, 1.0, 1.0, 0.0, 0.0);
    cost_add_each(&cost->repeated, cells, 0.0, 0.0, 1.0, 0.0);
}

/* h/J. */
static void add_densities(swe_operations *to, const cost_sizes *s)
{
    if (cost_is_nonlinear(s))
        cost_add_each(to, s->vertices, 0.0, 1.0, 0.0, 0.0);
}

/* The velocity of two means times s, along the panel's frame. */
void cost_of_flow(const cost_sizes *s, swe_cost *cost)
{
    cost_of_means(s, cost);
    add_densities(&cost->formula, s);
    cost_add_each(&cost->formula, s->vertices, 0.0, 1.0, 0.0, 1.0);
    cost_add(&cost->formula, s->vertices, frame_of_fluxes);
}

/* To a frame and back, of three components. */
void cost_of_joined_flow(const cost_sizes *s, swe_cost *cost)
{
    cost_add_each(&cost->formula, s->margin, 6.0 + 9.0, 9.0 + 9.0, 0.0, 0.0);
    add_means_of_copies(&cost->formula, 3.0, s);
}

/* M along one direction, of one component. */
static void add_spread(swe_operations *to, const cost_sizes *s)
{
    const double reach = sbp_spread_reach(s->order), closed = 2.0 * sbp_spread_rows(s->order);
    cost_add(to, s->lines * closed, weighted_sum(sbp_spread_columns(s->order)));
    cost_add_each(to, s->lines * (s->places - closed), 2.0 * reach, reach + 1.0, 0.0, 0.0);
}

/* M of three components along both directions, times s/J and the strength its covariant
 * components. */
void cost_of_force(const cost_sizes *s, swe_cost *cost)
{
    for (int k = 0; k < 3 * 2; k++)
        add_spread(&cost->formula, s);
    cost_add_each(&cost->formula, 3.0 * s->vertices, 1.0, 0.0, 0.0, 0.0);
    add_densities(&cost->formula, s);
    cost_add_each(&cost->formula, s->vertices, 2.0, 2.0 + 4.0, 1.0, 1.0); /* with delta^2 */
    cost_add(&cost->formula, s->vertices, covariants_of_frame);
}

void cost_of_joined_force(const cost_sizes *s, swe_cost *cost)
{
    cost_add(&cost->formula, s->margin, velocity);
    add_means_of_copies(&cost->formula, 3.0, s);
    cost_add(&cost->formula, 2.0 * s->margin, covariant);
}

/* ---- budgets ----------------------------------------------------------------------------------
 */

/* `count` terms of so many operations each, and a compensated sum of them. */
static void add_terms(swe_operations *to, double count, double additions, double multiplications)
{
    cost_add_each(to, count, additions + 4.0, multiplications, 0.0, 0.0);
}

/* The lanes of `count` rows, each with what it lost. */
static void add_row_sums(swe_operations *to, double count)
{
    add_terms(to, count * BUDGETS_LANES, 1.0, 0.0);
    cost_add_each(to, count, 1.0, 0.0, 0.0, 0.0);
}

/* What nonlinear equations have besides: h in the terms of the velocity, two sums of rows of
 * vertices, which have a weight, and |u| + sqrt(g h). */
static void add_nonlinear_budgets(const cost_sizes *s, swe_cost *cost)
{
    swe_operations *f = &cost->formula;
    cost_of_averages(s, cost);
    cost_add_each(f, 2.0 * s->cells, 0.0, 1.0, 0.0, 0.0);
    cost_add_each(f, s->vertices, 0.0, 1.0, 0.0, 0.0);
    add_terms(f, s->vertices, 0.0, 1.0); /* <h, b> */
    add_terms(f, s->vertices, 1.0, 2.0); /* <h q, q> */
    cost_add_each(f, s->vertices, 0.0, 0.0, 1.0, 0.0);
    cost_add(f, 2.0 * s->vertices, metric);
    cost_add_each(f, s->vertices, 3.0, 9.0, 0.0, 2.0);
    add_row_sums(f, 2.0 * s->lines);
    cost_add_each(f, 2.0 * s->lines, 0.0, 1.0, 0.0, 0.0);
}

/* Five sums of rows of vertices and two of rows of cells, which have a weight; v1 along two sides
 * of every panel, and v2. */
void cost_of_budgets(const cost_sizes *s, swe_cost *cost)
{
    swe_operations *f = &cost->formula;
    const double rows_of_cells = SWE_PANELS * s->n, cells = rows_of_cells * s->n;
    cost_add_each(f, s->vertices, 0.0, 0.0, 1.0, 0.0);
    add_terms(f, s->vertices, 0.0, 1.0); /* mass */
    add_terms(f, s->vertices, 0.0, 0.0); /* its scale */
    add_terms(f, s->vertices, 0.0, 1.0); /* <h, h> */
    cost_of_means(s, cost);
    cost_add_each(f, s->vertices, 0.0, 1.0, 0.0, 0.0);
    add_terms(f, s->vertices, 0.0, 2.0);    /* cross terms */
    add_terms(f, 2.0 * s->cells, 0.0, 3.0); /* velocities */
    add_at_cells(f, 2.0 * rows_of_cells, s, s->difference);
    add_terms(f, cells, 1.0, 1.0); /* shear */
    add_terms(f, 2.0 * rows_of_cells, 0.0, 1.0);
    cost_add_each(f, rows_of_cells, 1.0, 1.0, 0.0, 0.0);
    add_row_sums(f, 5.0 * s->lines + 2.0 * rows_of_cells + 2.0 * SWE_PANELS);
    cost_add_each(f, 5.0 * s->lines + 2.0 * rows_of_cells, 0.0, 1.0, 0.0, 0.0);
    if (cost_is_nonlinear(s))
        add_nonlinear_budgets(s, cost);
}
