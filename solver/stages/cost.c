#include "stages/cost.h"

#include <string.h>

#include "stages/budgets/budgets_point.h"
#include "operators/sbp_point.h"

/* What the costs are made of. */
typedef struct sizes {
    double n, places;       /* cells and vertices of a line */
    double lines;           /* rows, or columns, of vertices on all panels */
    double vertices, cells; /* values of a field at vertices, and of one at (c,v) or (v,c) */
    double margin;          /* vertices on the edges of all panels */
    int order;
    swe_operations difference, mean; /* the derivative and the interpolation of the interior */
    swe_operations closure;          /* one row of a closure */
    swe_operations extrapolation;    /* to the end of a line */
    double edge;                     /* cells that it takes */
    swe_pipeline pipeline;           /* that a step consists of */
    double wide;                     /* values that have the bytes of a double */
} sizes;

static const swe_operations addition = {.additions = 1.0},
                            multiplication = {.multiplications = 1.0},
                            division = {.divisions = 1.0};

/* count x what. */
static void add(swe_operations *to, double count, swe_operations what)
{
    to->additions += count * what.additions;
    to->multiplications += count * what.multiplications;
    to->divisions += count * what.divisions;
    to->roots += count * what.roots;
}

static swe_operations weighted_sum(double terms)
{
    return (swe_operations){.additions = terms - 1.0, .multiplications = terms};
}

static sizes sizes_of(int n, int order, swe_pipeline pipeline, swe_precision precision)
{
    const double pairs = 0.5 * order; /* of values that the interior takes */
    const swe_operations paired = {.additions = 2.0 * pairs - 1.0, .multiplications = pairs};
    sizes s = {.n = n,
               .places = n + 1.0,
               .order = order,
               .edge = sbp_edge_length(order),
               .pipeline = pipeline,
               .wide = (double)sizeof(double) / (double)swe_precision_bytes(precision)};
    s.lines = SWE_PANELS * s.places;
    s.vertices = s.lines * s.places;
    s.cells = s.lines * s.n;
    s.margin = SWE_PANELS * 4.0 * s.n;
    s.mean = paired;
    s.difference = order == 2 ? addition : paired; /* whose one weight is 1 */
    s.closure = weighted_sum(sbp_columns(order));
    s.extrapolation = weighted_sum(s.edge);
    return s;
}

/* An operator at all cells, and at all vertices, of some lines. */
static void add_at_cells(swe_operations *to, double lines, const sizes *s, swe_operations interior)
{
    const double closed = 2.0 * sbp_cell_rows(s->order);
    add(to, lines * closed, s->closure);
    add(to, lines * (s->n - closed), interior);
}

static void add_at_vertices(swe_operations *to, double lines, const sizes *s,
                            swe_operations interior)
{
    const double closed = 2.0 * sbp_vertex_rows(s->order);
    add(to, lines * closed, s->closure);
    add(to, lines * (s->places - closed), interior);
}

/* Values, until all of a kernel is counted. */
static void access(swe_cost *cost, const char *buffer, double values, bool writes)
{
    cost->accesses[cost->access_count++] = (prof_access){buffer, values, writes};
}

static void reads(swe_cost *cost, const char *buffer, double values)
{
    access(cost, buffer, values, false);
}

static void writes(swe_cost *cost, const char *buffer, double values)
{
    access(cost, buffer, values, true);
}

/* Half of the calls of the staged pipeline are those of dh. The mean of two copies, or of three. */
static void count_projection(const sizes *s, swe_cost *cost)
{
    static const char *const buffers[] = {"h", "dh"};
    const int kinds = s->pipeline == SWE_PIPELINE_STAGED ? 2 : 1;
    for (int k = 0; k < kinds; k++) {
        reads(cost, buffers[k], s->margin / kinds);
        writes(cost, buffers[k], s->margin / kinds);
    }
    add(&cost->formula, SWE_EDGES * (s->n - 1.0), (swe_operations){1.0, 1.0, 0.0, 0.0});
    add(&cost->formula, SWE_CORNERS, (swe_operations){2.0, 0.0, 1.0, 0.0});
}

/* (-g/D) times a difference. */
static void operate_gradient(const sizes *s, swe_cost *cost)
{
    add_at_cells(&cost->formula, 2.0 * s->lines, s, s->difference);
    add(&cost->formula, 2.0 * s->cells, multiplication);
    add(&cost->repeated, 2.0 * s->cells, multiplication);
}

static void count_gradient(const sizes *s, swe_cost *cost)
{
    reads(cost, "h", s->vertices);
    writes(cost, "dv1", s->cells);
    writes(cost, "dv2", s->cells);
    operate_gradient(s, cost);
}

/* J g^12 times a mean. */
static void operate_cross(const sizes *s, swe_cost *cost)
{
    add_at_vertices(&cost->formula, 2.0 * s->lines, s, s->mean);
    add(&cost->formula, 2.0 * s->vertices, multiplication);
}

static void count_cross(const sizes *s, swe_cost *cost)
{
    reads(cost, "v1", s->cells);
    reads(cost, "v2", s->cells);
    reads(cost, "J g^12", s->vertices / SWE_PANELS);
    writes(cost, "cross1", s->vertices);
    writes(cost, "cross2", s->vertices);
    operate_cross(s, cost);
}

/* J g^kk v_k plus a mean. */
static void operate_flux(const sizes *s, swe_cost *cost)
{
    add_at_cells(&cost->formula, 2.0 * s->lines, s, s->mean);
    add(&cost->formula, 2.0 * s->cells, (swe_operations){1.0, 1.0, 0.0, 0.0});
}

static void count_flux(const sizes *s, swe_cost *cost)
{
    reads(cost, "v1", s->cells);
    reads(cost, "v2", s->cells);
    reads(cost, "J g^11", s->cells / SWE_PANELS);
    reads(cost, "J g^22", s->cells / SWE_PANELS);
    reads(cost, "cross1", s->vertices);
    reads(cost, "cross2", s->vertices);
    writes(cost, "F1", s->cells);
    writes(cost, "F2", s->cells);
    operate_flux(s, cost);
}

/* (-H0/D) 1/J times the sum of two differences, strong or weak. */
static void operate_divergence(const sizes *s, swe_cost *cost)
{
    add_at_vertices(&cost->formula, 2.0 * s->lines, s, s->difference);
    add(&cost->formula, s->vertices, (swe_operations){1.0, 2.0, 0.0, 0.0});
    add(&cost->repeated, s->vertices, multiplication);
}

static void count_divergence(const sizes *s, swe_cost *cost)
{
    reads(cost, "F1", s->cells);
    reads(cost, "F2", s->cells);
    reads(cost, "1/J", s->vertices / SWE_PANELS);
    writes(cost, "dh", s->vertices);
    operate_divergence(s, cost);
}

/* At each place of an edge: both sides' velocities, their mean, its flux. One of X and Y is +-1:
 * its square is a constant. */
static void count_consensus(const sizes *s, swe_cost *cost)
{
    const double places = SWE_EDGES * s->places;
    /* geometry_velocity: delta^2, its root over a, w1 and w2, w0, three components of three terms;
     * geometry_flux: two sums of three terms, a (1 + Y^2) / delta^2 times their combination */
    const swe_operations velocity = {10.0, 15.0, 3.0, 1.0}, mean = {3.0, 3.0, 0.0, 0.0};
    const swe_operations flux = {10.0, 11.0, 1.0, 0.0};
    /* of each panel: the first and the last cells of every line across its edges, and the two lines
     * along them, which share the cells at their ends */
    const double strips = SWE_PANELS * (2.0 * s->edge * (s->places - 2.0) + 2.0 * s->n);
    reads(cost, "v1", strips);
    reads(cost, "v2", strips);
    reads(cost, "tangents", s->places);
    writes(cost, "edge", places);
    add(&cost->formula, 2.0 * places, s->extrapolation);
    add_at_vertices(&cost->formula, 2.0 * SWE_EDGES, s, s->mean);
    add(&cost->formula, 2.0 * places, velocity);
    add(&cost->formula, places, mean);
    add(&cost->formula, places, flux);
    add(&cost->repeated, 2.0 * places, (swe_operations){1.0, 2.0, 0.0, 0.0});
    add(&cost->repeated, places, multiplication);
}

/* At each vertex on a panel's edge -H0/J Hv^-1 times the jump, at a cube vertex the sum of two. */
static void count_exchange(const sizes *s, swe_cost *cost)
{
    const double strips = SWE_PANELS * 2.0 * s->edge * s->places;
    const double corners = SWE_PANELS * 4.0;
    reads(cost, "F1", strips);
    reads(cost, "F2", strips);
    reads(cost, "edge", SWE_EDGES * s->places);
    reads(cost, "1/J", s->margin / SWE_PANELS);
    reads(cost, "dh", s->margin);
    writes(cost, "dh", s->margin);
    add(&cost->formula, s->margin + corners, s->extrapolation);
    add(&cost->formula, s->margin + corners, addition);
    add(&cost->formula, corners, addition);
    add(&cost->formula, s->margin, (swe_operations){1.0, 3.0, 0.0, 0.0});
    add(&cost->repeated, s->margin, division);
}

/* What parts do with each value of a state. Three of them y + w k; the fourth has three differences
 * to y, one of them doubled, a third of their sum, and w k. */
static void operate_rk4(const sizes *s, swe_cost *cost)
{
    const double values = s->vertices + 2.0 * s->cells;
    add(&cost->formula, 0.25 * 3.0 * values, (swe_operations){1.0, 1.0, 0.0, 0.0});
    add(&cost->formula, 0.25 * values, (swe_operations){7.0, 3.0, 0.0, 0.0});
}

/* A state that is written, and `reads_of_states` that are read. */
static void count_states(const sizes *s, double reads_of_states, swe_cost *cost)
{
    static const char *const states[] = {"h", "v1", "v2"};
    const double counts[] = {s->vertices, s->cells, s->cells};
    for (int k = 0; k < 3; k++) {
        reads(cost, states[k], reads_of_states * counts[k]);
        writes(cost, states[k], counts[k]);
    }
}

/* All parts read k and y, the fourth also Y1, Y2 and Y3. */
static void count_rk4(const sizes *s, swe_cost *cost)
{
    reads(cost, "dh", s->vertices);
    reads(cost, "dv1", s->cells);
    reads(cost, "dv2", s->cells);
    count_states(s, 0.25 * (1.0 + 1.0 + 1.0 + 4.0), cost);
    operate_rk4(s, cost);
}

/* The first part reads y, the next two also the state before, the fourth all four. */
static void count_fused(const sizes *s, swe_cost *cost)
{
    count_states(s, 0.25 * (1.0 + 2.0 + 2.0 + 4.0), cost);
    reads(cost, "J g^11", s->cells / SWE_PANELS);
    reads(cost, "J g^12", s->vertices / SWE_PANELS);
    reads(cost, "J g^22", s->cells / SWE_PANELS);
    reads(cost, "1/J", s->vertices / SWE_PANELS);
    operate_cross(s, cost);
    operate_flux(s, cost);
    operate_divergence(s, cost);
    operate_gradient(s, cost);
    operate_rk4(s, cost);
}

/* `count` terms of so many operations each, and a compensated sum of them. */
static void add_terms(swe_operations *to, double count, double additions, double multiplications)
{
    const swe_operations compensated = {.additions = 4.0};
    add(to, count, (swe_operations){additions, multiplications, 0.0, 0.0});
    add(to, count, compensated);
}

/* The lanes of `count` rows, each with what it lost. */
static void add_row_sums(swe_operations *to, double count)
{
    add_terms(to, count * BUDGETS_LANES, 1.0, 0.0);
    add(to, count, addition);
}

/* Five sums of rows of vertices and two of rows of cells, which have a weight; v1 along two sides
 * of every panel, and v2. */
static void operate_budgets(const sizes *s, swe_cost *cost)
{
    swe_operations *f = &cost->formula;
    const double rows_of_cells = SWE_PANELS * s->n, cells = rows_of_cells * s->n;
    add(f, s->vertices, division);
    add_terms(f, s->vertices, 0.0, 1.0); /* mass */
    add_terms(f, s->vertices, 0.0, 0.0); /* its scale */
    add_terms(f, s->vertices, 0.0, 1.0); /* <h, h> */
    add_at_vertices(f, 2.0 * s->lines, s, s->mean);
    add(f, s->vertices, multiplication);
    add_terms(f, s->vertices, 0.0, 2.0);    /* cross terms */
    add_terms(f, 2.0 * s->cells, 0.0, 3.0); /* velocities */
    add_at_cells(f, 2.0 * rows_of_cells, s, s->difference);
    add_terms(f, cells, 1.0, 1.0); /* shear */
    add_terms(f, 2.0 * rows_of_cells, 0.0, 1.0);
    add(f, rows_of_cells, (swe_operations){1.0, 1.0, 0.0, 0.0});
    add_row_sums(f, 5.0 * s->lines + 2.0 * rows_of_cells + 2.0 * SWE_PANELS);
    add(f, 5.0 * s->lines + 2.0 * rows_of_cells, multiplication);
}

static void count_budgets(const sizes *s, swe_cost *cost)
{
    reads(cost, "h", s->vertices);
    reads(cost, "v1", s->cells);
    reads(cost, "v2", s->cells);
    reads(cost, "J g^11", s->cells / SWE_PANELS);
    reads(cost, "J g^12", s->vertices / SWE_PANELS);
    reads(cost, "J g^22", s->cells / SWE_PANELS);
    reads(cost, "1/J", s->vertices / SWE_PANELS);
    reads(cost, "norms", s->wide * (s->places + s->n));
    writes(cost, "budgets", s->wide * s->lines * BUDGETS_VALUES);
    operate_budgets(s, cost);
}

static bool has(const swe_cost *cost, const prof_access *wanted)
{
    for (int k = 0; k < cost->access_count; k++)
        if (cost->accesses[k].writes == wanted->writes &&
            strcmp(cost->accesses[k].buffer, wanted->buffer) == 0)
            return true;
    return false;
}

/* What two kernels of a stage read both is the same values. */
static void add_kernel(swe_cost *stage, const swe_cost *kernel)
{
    add(&stage->formula, 1.0, kernel->formula);
    add(&stage->repeated, 1.0, kernel->repeated);
    for (int k = 0; k < kernel->access_count; k++)
        if (!has(stage, &kernel->accesses[k]))
            stage->accesses[stage->access_count++] = kernel->accesses[k];
}

/* Values to bytes. */
static void scale(swe_cost *cost, double value_bytes)
{
    for (int k = 0; k < cost->access_count; k++)
        cost->accesses[k].bytes *= value_bytes;
}

typedef void count_function(const sizes *s, swe_cost *cost);

static count_function *const counts[SWE_KERNEL_COUNT] = {
#define COUNT_OF_KERNEL(stage, name, threads) count_##name,
    SWE_KERNEL_LIST(COUNT_OF_KERNEL)
#undef COUNT_OF_KERNEL
};

void swe_costs_count(int n, int order, swe_pipeline pipeline, swe_precision precision,
                     swe_costs *out)
{
    const sizes s = sizes_of(n, order, pipeline, precision);
    memset(out, 0, sizeof *out);
    for (int k = 0; k < SWE_KERNEL_COUNT; k++) {
        counts[k](&s, &out->kernels[k]);
        scale(&out->kernels[k], (double)swe_precision_bytes(precision));
        add_kernel(&out->stages[swe_kernels[k].stage], &out->kernels[k]);
    }
    for (int k = 0; k < SWE_STAGE_COUNT; k++) {
        const swe_cost *cost = &out->stages[k];
        out->profiled[k] = (prof_cost){swe_stage_name(k), swe_cost_flops(cost->formula),
                                       cost->accesses, cost->access_count};
    }
}

double swe_cost_flops(swe_operations operations)
{
    return operations.additions + operations.multiplications + operations.divisions +
           operations.roots;
}

double swe_cost_bytes(const swe_cost *cost, bool writes)
{
    double bytes = 0.0;
    for (int k = 0; k < cost->access_count; k++)
        bytes += cost->accesses[k].writes == writes ? cost->accesses[k].bytes : 0.0;
    return bytes;
}
