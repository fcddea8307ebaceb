#include "stages/cost.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "stages/integrals/integrals.h"
#include "time/plan.h"

/* Conditions of a row of the table: a bit of each kind; no bit of a kind means all. */
enum {
    NONROTATING = 1,
    ROTATING = 2,
    NONLINEAR = 4,
    ORDER2 = 8,
    ORDER4 = 16,
    ORDER6 = 32,
    GPU = 64,
    CPU = 128,
    FUSED = 256, /* the pipelines */
    STAGED = 512,
    LEAPFROG = 1024, /* the stage fused, in place of NONROTATING */
    END = INT_MAX    /* no largest n */
};

static const int kinds_of_place[] = {NONROTATING | ROTATING | NONLINEAR | LEAPFROG,
                                     ORDER2 | ORDER4 | ORDER6, GPU | CPU, FUSED | STAGED};

/* A quantity of one call of a kernel: c[0] + c[1] n + c[2] n^2 for `first` <= n <= `last`. */
typedef struct cost_row {
    int kernel, places, first, last;
    enum {
        ADDITIONS,
        MULTIPLICATIONS,
        DIVISIONS,
        ROOTS,
        REPEATED_ADDITIONS,
        REPEATED_MULTIPLICATIONS,
        REPEATED_DIVISIONS,
        REPEATED_ROOTS,
        READ, /* values of a buffer */
        WRITTEN,
        READ_DOUBLE, /* values that are double in both precisions */
        WRITTEN_DOUBLE
    } what;
    const char *buffer;
    double c[3];
} cost_row;

static const cost_row rows[] = {
#include "stages/cost_table.inc"
};

static int places_of(const swe_cost_case *what, int kernel)
{
    return (what->leaps && swe_kernels[kernel].stage == SWE_STAGE_fused
                ? LEAPFROG
                : NONROTATING << what->flow) |
           (what->order == 2   ? ORDER2
            : what->order == 4 ? ORDER4
                               : ORDER6) |
           (what->inner_first ? CPU : GPU) |
           (what->pipeline == SWE_PIPELINE_STAGED ? STAGED : FUSED);
}

static bool applies(const cost_row *row, int places, int n)
{
    bool does = row->first <= n && n <= row->last;
    for (size_t k = 0; k < sizeof kinds_of_place / sizeof *kinds_of_place; k++)
        does = does && ((row->places & kinds_of_place[k]) == 0 ||
                        (row->places & kinds_of_place[k] & places) != 0);
    return does;
}

/* An access too many is an error in the table and ends the program. */
static void append(swe_cost *cost, prof_access access)
{
    if (cost->access_count == SWE_MOST_ACCESSES)
        abort();
    cost->accesses[cost->access_count++] = access;
}

/* The operations of a cost, in the order of cost_row.what. */
enum { OPERATIONS = READ };
static void list_operations(swe_cost *cost, double *out[OPERATIONS])
{
    double *const all[OPERATIONS] = {
        &cost->formula.additions,  &cost->formula.multiplications, &cost->formula.divisions,
        &cost->formula.roots,      &cost->repeated.additions,      &cost->repeated.multiplications,
        &cost->repeated.divisions, &cost->repeated.roots,
    };
    memcpy(out, all, sizeof all);
}

static void add_row(swe_cost *cost, const cost_row *row, const swe_cost_case *what)
{
    const double n = what->n, value = row->c[0] + n * (row->c[1] + n * row->c[2]);
    const bool is_double = row->what == READ_DOUBLE || row->what == WRITTEN_DOUBLE;
    double *operations[OPERATIONS];
    list_operations(cost, operations);
    if (row->what < READ)
        *operations[row->what] += value;
    else
        append(cost,
               (prof_access){row->buffer,
                             value * (double)(is_double ? sizeof(double)
                                                        : swe_precision_bytes(what->precision)),
                             row->what == WRITTEN || row->what == WRITTEN_DOUBLE});
}

/* Whether a stage has such an access already. */
static prof_access *find(swe_cost *cost, const prof_access *wanted)
{
    for (int k = 0; k < cost->access_count; k++)
        if (cost->accesses[k].writes == wanted->writes &&
            strcmp(cost->accesses[k].buffer, wanted->buffer) == 0)
            return &cost->accesses[k];
    return NULL;
}

static void add(swe_operations *to, swe_operations more)
{
    to->additions += more.additions;
    to->multiplications += more.multiplications;
    to->divisions += more.divisions;
    to->roots += more.roots;
}

/* Kernels of one stage that read the same buffer read the same values: the kernel that reads most
 * of the buffer counts. */
static void add_kernel(swe_cost *stage, const swe_cost *kernel)
{
    add(&stage->formula, kernel->formula);
    add(&stage->repeated, kernel->repeated);
    for (int k = 0; k < kernel->access_count; k++) {
        prof_access *found = find(stage, &kernel->accesses[k]);
        if (found == NULL)
            append(stage, kernel->accesses[k]);
        else if (found->bytes < kernel->accesses[k].bytes)
            found->bytes = kernel->accesses[k].bytes;
    }
}

static void scale(double factor, swe_cost *cost)
{
    double *operations[OPERATIONS];
    list_operations(cost, operations);
    for (int k = 0; k < OPERATIONS; k++)
        *operations[k] *= factor;
    for (int k = 0; k < cost->access_count; k++)
        cost->accesses[k].bytes *= factor;
}

/* On a GPU that marches, the kernel march has the vertices inside the strips as its share of the
 * cost. */
static void split_fused(const swe_cost_case *what, swe_cost *strips, swe_cost *march)
{
    const int strip = LAUNCH_FUSED_STRIP(what->order);
    const double inside = 1.0 - 2.0 * strip / (what->n + 1.0);
    if (what->inner_first || !swe_state_marches(what->n))
        return;
    *march = *strips;
    scale(inside * inside, march);
    scale(1.0 - inside * inside, strips);
}

/* Dimensions that depend on n; a positive number stands for itself, 0 ends a list. */
enum { VERTICES = -1, CELLS = -2, VERTICES_AND_CELLS = -3, ADVECTED = -4 };

/* The arrays that the table names. Where two arrays share memory (fields/fields.h), the larger
 * array gives the shape. */
static const struct {
    const char *name;
    int shape[PROF_MOST_DIMENSIONS];
    bool is_double; /* in both precisions */
} arrays[] = {
    {"h", {SWE_SUBSTEPS, SWE_PANELS, VERTICES, VERTICES}, false},
    {"v1", {SWE_SUBSTEPS, SWE_PANELS, VERTICES, CELLS}, false},
    {"v2", {SWE_SUBSTEPS, SWE_PANELS, CELLS, VERTICES}, false},
    {"q", {SWE_SUBSTEPS, ADVECTED, SWE_PANELS, VERTICES, VERTICES}, false},
    {"h1", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"h2", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"mean", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"dh", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"dv1", {SWE_PANELS, VERTICES, CELLS}, false},
    {"dv2", {SWE_PANELS, CELLS, VERTICES}, false},
    {"F1", {SWE_PANELS, VERTICES, CELLS}, false},
    {"F2", {SWE_PANELS, CELLS, VERTICES}, false},
    {"slope1", {SWE_PANELS, VERTICES, CELLS}, false},
    {"slope2", {SWE_PANELS, CELLS, VERTICES}, false},
    {"shear1", {SWE_PANELS, VERTICES, CELLS}, false},
    {"shear2", {SWE_PANELS, CELLS, VERTICES}, false},
    {"cross1", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"cross2", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"mean1", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"mean2", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"W1", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"W2", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"vorticity", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"head", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"x1", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"x2", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"x3", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"z1", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"z2", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"b", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"f", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"before", {ADVECTED, SWE_PANELS, VERTICES, VERTICES}, false},
    {"Q1", {ADVECTED, SWE_PANELS, VERTICES, CELLS}, false},
    {"Q2", {ADVECTED, SWE_PANELS, CELLS, VERTICES}, false},
    {"M1", {ADVECTED, SWE_PANELS, VERTICES, CELLS}, false},
    {"M2", {ADVECTED, SWE_PANELS, CELLS, VERTICES}, false},
    {"in", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"out", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"velocity1", {SWE_PANELS, VERTICES, CELLS}, false},
    {"velocity2", {SWE_PANELS, CELLS, VERTICES}, false},
    {"flux1", {SWE_PANELS, VERTICES, CELLS}, false},
    {"flux2", {SWE_PANELS, CELLS, VERTICES}, false},
    {"target", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"source", {SWE_PANELS, VERTICES, VERTICES}, false},
    {"stress1", {SWE_PANELS, VERTICES, CELLS}, false},
    {"stress2", {SWE_PANELS, CELLS, VERTICES}, false},
    {"edge", {SWE_EDGES, VERTICES}, false},
    {"changes", {SWE_EDGES, VERTICES}, false},
    {"edge_vorticity", {SWE_PANELS, SWE_SIDES, VERTICES}, false},
    {"1/J", {VERTICES, VERTICES}, false},
    {"J g^11", {VERTICES, CELLS}, false},
    {"J g^12", {VERTICES, VERTICES}, false},
    {"J g^22", {CELLS, VERTICES}, false},
    {"tangents", {VERTICES}, false},
    {"norms", {VERTICES_AND_CELLS}, true},
    {"integrals", {SWE_PANELS, VERTICES, INTEGRALS_VALUES}, true},
};
_Static_assert(sizeof arrays / sizeof *arrays == SWE_COST_BUFFERS, "swe_costs has all arrays");

static int64_t size_of_dimension(int dimension, const swe_cost_case *what)
{
    switch (dimension) {
    case VERTICES:
        return what->n + 1;
    case CELLS:
        return what->n;
    case VERTICES_AND_CELLS:
        return 2 * (int64_t)what->n + 1;
    case ADVECTED:
        return what->advected > 0 ? what->advected : 1;
    default:
        return dimension;
    }
}

static void list_buffers(const swe_cost_case *what, prof_buffer *out)
{
    for (int k = 0; k < SWE_COST_BUFFERS; k++) {
        out[k] = (prof_buffer){.name = arrays[k].name,
                               .value_bytes = arrays[k].is_double
                                                  ? (int)sizeof(double)
                                                  : (int)swe_precision_bytes(what->precision)};
        for (int d = 0; d < PROF_MOST_DIMENSIONS && arrays[k].shape[d] != 0; d++)
            out[k].shape[out[k].dimensions++] = size_of_dimension(arrays[k].shape[d], what);
    }
}

/* The files of the stages' kernels, and the lines of their first kernels. */
static const struct {
    const char *file;
    int line;
} sources[SWE_STAGE_COUNT] = {
#include "stage_lines.inc"
};

/* Whether the table counts the terms that a stage has in a run. */
static bool has_counted_terms(int stage, const swe_physics *physics)
{
    switch (stage) {
    case SWE_STAGE_viscosity:
        return physics->viscosity_order == 2 && !physics->viscosity_of_h &&
               !physics->viscosity_of_tracers;
    case SWE_STAGE_forcing:
        return physics->relaxation > 0.0 && physics->has_source && physics->drag_of_field == 0.0 &&
               physics->drag_coefficient == 0.0 && !physics->has_stirring;
    case SWE_STAGE_wind:
        return physics->wind.terms == 1;
    default:
        return true;
    }
}

/* Convert the costs for the profiler. */
static void list_stages(const swe_cost_case *what, swe_costs *out)
{
    for (int k = 0; k < SWE_STAGE_COUNT; k++) {
        const swe_cost *cost = &out->stages[k];
        if (swe_stage_is_active(k, what->flow, what->advected) &&
            (what->physics == NULL || has_counted_terms(k, what->physics)))
            out->profiled[out->profiled_count++] =
                (prof_cost){swe_stage_name(k), sources[k].file,    swe_cost_flops(cost->formula),
                            cost->accesses,    cost->access_count, sources[k].line};
    }
}

void swe_costs_count(const swe_cost_case *what, swe_costs *out)
{
    memset(out, 0, sizeof *out);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (swe_stage_is_active(swe_kernels[rows[k].kernel].stage, what->flow, what->advected) &&
            applies(&rows[k], places_of(what, rows[k].kernel), what->n))
            add_row(&out->kernels[rows[k].kernel], &rows[k], what);
    for (int k = 0; k < SWE_KERNEL_COUNT; k++)
        add_kernel(&out->stages[swe_kernels[k].stage], &out->kernels[k]);
    split_fused(what, &out->kernels[SWE_KERNEL_fused], &out->kernels[SWE_KERNEL_march]);
    list_stages(what, out);
    list_buffers(what, out->buffers);
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
