/* A model on the CPU and the same on the CUDA backend, over the emulation layer or on a real GPU,
 * and how their fields compare. */
#ifndef SUPPORT_PAIR_H
#define SUPPORT_PAIR_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stages/integrals/integrals.h"
#include "state/model_ranks.h"
#include "state/stepper_internal.h"
#include "support/field.h"
#include "support/random.h"
#include "support/whole_state.h"

#ifdef SWE_TEST_EMULATED
#include "cuda_emulation.h"
#endif

enum { SKIPPED = 77 };

/* The backend under test. */
#define BACKEND "cuda"

/* Two pipelines never add in the same order. */
static const double pipeline_tolerance = REAL_PRECISION == SWE_PRECISION_SINGLE ? 5e-5 : 1e-13;

/* Sums of a few terms in another order, or with other FMA contraction; none in a repro build. */
#ifdef SWE_TEST_REPRODUCIBLE
static const double tolerance = 0.0;
#else
static const double tolerance = REAL_PRECISION == SWE_PRECISION_SINGLE ? 5e-5 : 1e-13;
#endif

typedef struct pair {
    swe_model *cpu, *cuda;
    double *state; /* in host memory */
    real *a, *b;   /* host room of a state */
} pair;

/* A size, order and closure. */
struct test_case {
    int n, order;
    swe_closure closure;
};

/* Physics of every flow; steps of nonlinear ones, and here of rotating ones, end with damping. */
enum { PAIR_PRESCRIBED = SWE_FLOWS, PAIR_FLOWS };
static const swe_physics pair_physics[PAIR_FLOWS] = {
    {.gravity = 9.8, .depth = 3.0, .radius = 2.0},
    {.gravity = 9.8,
     .depth = 3.0,
     .radius = 2.0,
     .rotation = 1.7,
     .axis_lon = 40.0,
     .axis_lat = 35.0,
     .relaxation = 0.4,
     .has_stirring = true,
     .viscosity = 1e-3,
     .viscosity_order = 2,
     .viscosity_of_h = true,
     .edge_damping = 0.5},
    {.gravity = 9.8,
     .depth = 2.0,
     .radius = 2.0,
     .drag = 0.7,
     .drag_coefficient = 0.2,
     .has_source = true,
     .density = 3.0,
     .has_stirring = true,
     .viscosity = 1e-3,
     .viscosity_order = 2,
     .viscosity_of_h = true,
     .viscosity_of_tracers = true,
     .limiter = SWE_LIMITER_BOUNDS,
     .equations = SWE_NONLINEAR,
     .rotation = 1.7,
     .axis_lon = 40.0,
     .axis_lat = 35.0,
     .edge_damping = 0.5,
     .dissipation = 0.5},
    {.depth = 2.0,
     .radius = 2.0,
     .equations = SWE_NONLINEAR,
     .is_prescribed = true,
     .limiter = SWE_LIMITER_MONOTONE,
     .wind = {.terms = 4, .swing = 0.5, .turn = 2.0, .speed = 4.0}},
};

/* A state with an advected field. */
static const swe_field pair_fields[] = {
    {.name = "h", .units = "m", .location = SWE_AT_VERTICES},
    {.name = "v1", .units = "m2 s-1", .location = SWE_AT_U1},
    {.name = "v2", .units = "m2 s-1", .location = SWE_AT_U2},
    {.name = "dye",
     .units = "1",
     .location = SWE_AT_VERTICES,
     .kind = SWE_ADVECTED,
     .greatest = 1.0,
     .decay = 0.3,
     .source = 0.2},
};
static const swe_field_set pair_with_dye = {4, pair_fields};

/* Nonlinear flows advect a field. `flow`: swe_flow, or PAIR_PRESCRIBED. */
static inline swe_model *make(const struct test_case *c, int flow, const char *backend)
{
    swe_context ctx = {""};
    swe_model *model = NULL;
    const swe_model_options options = {.n = c->n,
                                       .order = c->order,
                                       .closure = c->closure,
                                       .fields = flow >= SWE_FLOW_NONLINEAR ? &pair_with_dye : NULL,
                                       .physics = viscous_by_order(pair_physics[flow], c->order),
                                       .pipeline = SWE_PIPELINE_STAGED,
                                       .all_arrays = true,
                                       .precision = REAL_PRECISION,
                                       .backend = backend,
                                       .threads = 2};
    if (swe_model_create(&ctx, &options, &model) != SWE_OK)
        fail_msg("%s: %s", backend, ctx.message);
    return model;
}

/* A random state; nonlinear: over a random bottom, of a depth that stays positive for some steps.
 */
static inline void pair_fill(pair *p)
{
    const swe_layout *layout = &p->cpu->grid->layout;
    const size_t field = (size_t)layout->field;
    random_source random = {1};
    swe_context ctx = {""};
    for (int k = 0; k < SWE_FLOW_FIELDS; k++) /* padding is 0: pipelines may change it */
        field_random(layout, (field_place)k, &random, p->state + (size_t)k * field);
    if (p->cpu->physics.equations == SWE_NONLINEAR) {
        for (size_t at = 0; at < 3 * field; at++)
            p->state[at] *= 0.1;
        assert_int_equal(model_set_bottom(&ctx, p->cpu, p->state + field), SWE_OK);
        assert_int_equal(model_set_bottom(&ctx, p->cuda, p->state + field), SWE_OK);
        for (size_t at = 0; at < field; at++)
            p->state[at] += 2.0;
        random_fill(&random, (int)field, p->state + 3 * field);
    }
    assert_int_equal(model_set_forcing(&ctx, p->cpu, p->state, p->state), SWE_OK);
    assert_int_equal(model_set_forcing(&ctx, p->cuda, p->state, p->state), SWE_OK);
    assert_int_equal(model_set_state(&ctx, p->cpu, p->state), SWE_OK);
    assert_int_equal(model_set_state(&ctx, p->cuda, p->state), SWE_OK);
}

static inline pair pair_create(const struct test_case *c, int flow)
{
    pair p = {make(c, flow, "cpu"), make(c, flow, BACKEND), NULL, NULL, NULL};
    const size_t size = model_state_size(p.cpu);
    p.state = calloc(size, sizeof(double));
    p.a = calloc(size, sizeof(real));
    p.b = calloc(size, sizeof(real));
    assert_true(p.state != NULL && p.a != NULL && p.b != NULL);
    pair_fill(&p);
    return p;
}

static inline void pair_destroy(pair *p)
{
    swe_model_destroy(&p->cpu);
    swe_model_destroy(&p->cuda);
    free(p->state);
    free(p->a);
    free(p->b);
#ifdef SWE_TEST_EMULATED
    assert_int_equal(cuda_emulation_live_blocks(), 0);
    assert_int_equal(cuda_emulation_live_graphs(), 0);
#endif
}

static inline void fetch(swe_model *model, const real *device, real *host, size_t count)
{
    swe_context ctx = {""};
    const size_t bytes = count * sizeof(real);
    model_complete(model, false);
    if (model->backend->download(&ctx, model->device, device, host, bytes) != SWE_OK)
        fail_msg("%s", ctx.message);
}

static inline bool is_at_ends(int place, int places, int ends)
{
    return place < ends || place >= places - ends;
}

/* Compare rows x columns of every panel of a field on the two backends: of the first and the last
 * `row_ends` rows all values, of the other rows `column_ends` values at both ends. */
static inline void compare_ends(pair *p, const char *what, const real *on_cpu, const real *on_cuda,
                                int rows, int columns, int row_ends, int column_ends)
{
    const swe_layout *layout = &p->cpu->grid->layout;
    double largest = 0.0, worst = 0.0;
    fetch(p->cpu, on_cpu, p->a, (size_t)layout->field);
    fetch(p->cuda, on_cuda, p->b, (size_t)layout->field);
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j < rows; j++)
            for (int i = 0; i < columns; i++) {
                if (!is_at_ends(j, rows, row_ends) && !is_at_ends(i, columns, column_ends))
                    continue;
                const ptrdiff_t at = swe_at(layout, panel, j, i);
                const double a = (double)p->a[at], b = (double)p->b[at];
                largest = fmax(largest, fabs(a));
                worst = fmax(worst, isfinite(b) ? fabs(a - b) : INFINITY);
            }
    assert_true(largest > 0.0);
    if (!(worst <= tolerance * largest))
        fail_msg("%s differs by %g of %g (n %d, order %d)", what, worst, largest, layout->n,
                 p->cpu->stepper->params.sbp.order);
}

/* Compare whole fields. */
static inline void compare(pair *p, const char *what, const real *on_cpu, const real *on_cuda,
                           int rows, int columns)
{
    compare_ends(p, what, on_cpu, on_cuda, rows, columns, rows, columns);
}

static inline void compare_state(pair *p, const char *what, swe_fields cpu, swe_fields cuda)
{
    const int n = p->cpu->grid->layout.n;
    char name[64];
    snprintf(name, sizeof name, "%s: h", what);
    compare(p, name, cpu.h, cuda.h, n + 1, n + 1);
    snprintf(name, sizeof name, "%s: v1", what);
    compare(p, name, cpu.v1, cuda.v1, n + 1, n);
    snprintf(name, sizeof name, "%s: v2", what);
    compare(p, name, cpu.v2, cuda.v2, n, n + 1);
}

/* Compare the advected field of a state. */
static inline void compare_dye(pair *p, const char *what, swe_fields cpu, swe_fields cuda)
{
    const swe_layout *layout = &p->cpu->grid->layout;
    const ptrdiff_t dye = SWE_FLOW_FIELDS * layout->field;
    if (p->cpu->fields.count > SWE_FLOW_FIELDS)
        compare(p, what, cpu.h + dye, cuda.h + dye, layout->n + 1, layout->n + 1);
}

/* Whether integrals of this kind are computed; with linear equations some are constants. */
static inline bool is_computed(const pair *p, int kind)
{
    return p->cpu->physics.equations == SWE_NONLINEAR ||
           (kind != INTEGRALS_BOTTOM && kind != INTEGRALS_ENSTROPHY &&
            kind != INTEGRALS_MAX_I + INTEGRALS_FASTEST);
}

/* Compare the integrals of an advected field; indices must agree. */
static inline void compare_field_integrals(const pair *p, const double *on_cpu,
                                           const double *on_cuda)
{
    const int n = p->cpu->grid->layout.n, rows = SWE_PANELS * (n + 1);
    const ptrdiff_t first = integrals_of_field(n, SWE_FLOW_FIELDS);
    for (int at = 0; at < rows * INTEGRALS_FIELD_VALUES; at++) {
        const int kind = at % INTEGRALS_FIELD_VALUES;
        const double a = on_cpu[first + at], b = on_cuda[first + at];
        assert_true(isfinite(a) && a != -HUGE_VAL);
        if (kind == INTEGRALS_FIELD_GREATEST_I || kind == INTEGRALS_FIELD_LEAST_I)
            assert_true(a == b);
        else if (!(fabs(a - b) <= tolerance * fmax(1.0, fabs(a))))
            fail_msg("integrals of a field: kind %d differs by %g of %g", kind, a - b, a);
    }
}

/* Compare the integrals of all rows, each kind relative to its own largest value. */
static inline void compare_integrals(pair *p, const double *on_cpu, const double *on_cuda)
{
    const int rows = SWE_PANELS * (p->cpu->grid->layout.n + 1);
    for (int kind = 0; kind < INTEGRALS_VALUES; kind++) {
        double largest = 0.0, worst = 0.0;
        for (int at = kind; at < rows * INTEGRALS_VALUES; at += INTEGRALS_VALUES) {
            const double difference = fabs(on_cpu[at] - on_cuda[at]);
            largest = fmax(largest, fabs(on_cpu[at]));
            worst = fmax(worst, isfinite(difference) ? difference : INFINITY);
        }
        assert_true(largest > 0.0 || !is_computed(p, kind));
        if (!(worst <= tolerance * largest) || (kind >= INTEGRALS_MAX_I && worst > 0.0))
            fail_msg("budgets: kind %d differs by %g of %g (n %d, order %d)", kind, worst, largest,
                     p->cpu->grid->layout.n, p->cpu->stepper->params.sbp.order);
    }
    if (p->cpu->fields.count > SWE_FLOW_FIELDS)
        compare_field_integrals(p, on_cpu, on_cuda);
}

typedef void model_action(swe_model *model);

static inline void run_rhs(swe_model *m)
{
    swe_rhs(m->stepper->stages, &m->stepper->execution, &m->stepper->params, m->stepper->fields.y,
            m->stepper->fields.work, m->stepper->fields.k);
}

/* A stable time step. */
static inline double step_of(const swe_model *m)
{
    return 0.2 / swe_model_courant(m, 1.0);
}

static inline void run_steps(swe_model *m)
{
    swe_context ctx = {""};
    if (swe_model_advance(&ctx, m, step_of(m), 4) != SWE_OK)
        fail_msg("%s", ctx.message);
}

static inline void start_two_steps(void *model)
{
    const swe_model *m = model;
    swe_model_call(
        m, &(swe_model_calls){SWE_CALL_STEP, m->pipeline, step_of(m), 2, {0.0, 0, step_of(m)}});
}

static inline void run_captured_steps(swe_model *m)
{
    swe_context ctx = {""};
    swe_graph *two_steps = NULL;
    if (m->backend->capture(&ctx, m->device, start_two_steps, m, &two_steps) != SWE_OK)
        fail_msg("%s", ctx.message);
    m->backend->launch(m->device, two_steps);
    m->backend->launch(m->device, two_steps);
    if (m->backend->synchronize(&ctx, m->device) != SWE_OK)
        fail_msg("%s", ctx.message);
    m->backend->destroy_graph(m->device, &two_steps);
    assert_null(two_steps);
}

static inline void set_pipeline(pair *p, swe_pipeline pipeline)
{
    p->cpu->pipeline = p->cuda->pipeline = pipeline;
}

static inline void on_both(pair *p, model_action *action)
{
    swe_context ctx = {""};
    action(p->cpu);
    action(p->cuda);
    if (p->cuda->backend->synchronize(&ctx, p->cuda->device) != SWE_OK)
        fail_msg("%s", ctx.message);
}

typedef void pair_check(pair *p);

static inline void check_integrals(pair *p)
{
    swe_context ctx = {""};
    const double *on_cpu = NULL, *on_cuda = NULL;
    if (swe_model_get_integrals(&ctx, p->cpu, SWE_TERMS, 0.0, &on_cpu) != SWE_OK ||
        swe_model_get_integrals(&ctx, p->cuda, SWE_TERMS, 0.0, &on_cuda) != SWE_OK)
        fail_msg("%s", ctx.message);
    compare_integrals(p, on_cpu, on_cuda);
}

static inline void check_rhs(pair *p)
{
    on_both(p, run_rhs);
    compare_state(p, "rhs", p->cpu->stepper->fields.k, p->cuda->stepper->fields.k);
}

static inline void run_steps_of(pair *p, swe_pipeline pipeline)
{
    swe_context ctx = {""};
    set_pipeline(p, pipeline);
    assert_int_equal(model_set_state(&ctx, p->cpu, p->state), SWE_OK);
    assert_int_equal(model_set_state(&ctx, p->cuda, p->state), SWE_OK);
    on_both(p, run_steps);
}

static inline void check_steps(pair *p)
{
    run_steps_of(p, SWE_PIPELINE_STAGED);
    compare_state(p, "staged steps", p->cpu->stepper->fields.y, p->cuda->stepper->fields.y);
    compare_dye(p, "staged steps: dye", p->cpu->stepper->fields.y, p->cuda->stepper->fields.y);
    run_steps_of(p, SWE_PIPELINE_FUSED);
    compare_state(p, "fused steps", p->cpu->stepper->fields.y, p->cuda->stepper->fields.y);
    compare_dye(p, "fused steps: dye", p->cpu->stepper->fields.y, p->cuda->stepper->fields.y);
}

/* Both pipelines of the device under test: equal to rounding, in every build. */
static inline void check_pipelines(pair *p)
{
    const int n = p->cuda->grid->layout.n;
    const size_t size = model_state_size(p->cuda);
    double largest = 0.0;
    run_steps_of(p, SWE_PIPELINE_STAGED);
    fetch(p->cuda, p->cuda->stepper->fields.y.h, p->a, size);
    run_steps_of(p, SWE_PIPELINE_FUSED);
    fetch(p->cuda, p->cuda->stepper->fields.y.h, p->b, size);
    for (size_t at = 0; at < size; at++)
        largest = fmax(largest, fabs(p->a[at]));
    for (size_t at = 0; at < size; at++)
        if (!(fabs(p->a[at] - p->b[at]) <= pipeline_tolerance * largest))
            fail_msg("pipelines differ at %zu: %g and %g (n %d, order %d)", at, p->a[at], p->b[at],
                     n, p->cuda->sbp->order);
}

/* Four steps one by one, and again as two launches of a graph of two steps: the same bits. */
static inline void check_captured_steps_of(pair *p, swe_pipeline pipeline)
{
    swe_context ctx = {""};
    const size_t size = model_state_size(p->cuda);
    set_pipeline(p, pipeline);
    assert_int_equal(model_set_state(&ctx, p->cpu, p->state), SWE_OK);
    assert_int_equal(model_set_state(&ctx, p->cuda, p->state), SWE_OK);
    run_steps(p->cuda);
    fetch(p->cuda, p->cuda->stepper->fields.y.h, p->a, size);
    assert_int_equal(model_set_state(&ctx, p->cuda, p->state), SWE_OK);
    run_captured_steps(p->cuda);
    fetch(p->cuda, p->cuda->stepper->fields.y.h, p->b, size);
    assert_memory_equal(p->a, p->b, size * sizeof(real));
    run_steps(p->cpu);
    compare_state(p, "recorded steps", p->cpu->stepper->fields.y, p->cuda->stepper->fields.y);
}

static inline void check_captured_steps(pair *p)
{
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++)
        check_captured_steps_of(p, (swe_pipeline)pipeline);
}

/* Whether there is a device to test; if not, it prints the reason. */
static inline bool pair_device_is_there(void)
{
    swe_context ctx = {""};
    const swe_backend *backend = NULL;
    int index = 0;
    swe_device *device = NULL;
    if (swe_backend_find(&ctx, BACKEND, &backend, &index) != SWE_OK ||
        backend->open(&ctx, index, 1, &device) != SWE_OK) {
        printf("skipped: %s\n", ctx.message);
        return false;
    }
    backend->close(&device);
    return true;
}

#endif
