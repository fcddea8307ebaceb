/* Every stage, the right-hand side and some steps of the CUDA backend against the CPU's, for
 * several n and orders. Built four times: in both precisions, over the emulation layer and for a
 * real GPU (skipped without one). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "state/model.h"
#include "stages/budgets/budgets.h"
#include "state/stepper_arrays.h"
#include "support/random.h"

#ifdef SWE_TEST_EMULATED
#include "cuda_emulation.h"
#endif

enum { SKIPPED = 77 };

/* The backend under test. */
#define BACKEND "cuda"

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

static const struct test_case {
    int n, order;
    swe_closure closure;
} cases[] = {
    {4, 2, SWE_CLOSURE_DEFAULT},  {13, 2, SWE_CLOSURE_DEFAULT},   {7, 4, SWE_CLOSURE_DEFAULT},
    {31, 4, SWE_CLOSURE_DEFAULT}, {24, 4, SWE_CLOSURE_PUBLISHED}, {11, 6, SWE_CLOSURE_DEFAULT},
    {40, 6, SWE_CLOSURE_DEFAULT}, {80, 6, SWE_CLOSURE_DEFAULT}, /* a tile without closures */
};

static swe_model *make(const struct test_case *c, const char *backend)
{
    swe_context ctx = {""};
    swe_model *model = NULL;
    const swe_model_options options = {.n = c->n,
                                       .order = c->order,
                                       .closure = c->closure,
                                       .physics = {9.8, 3.0, 2.0},
                                       .pipeline = SWE_PIPELINE_STAGED,
                                       .precision = REAL_PRECISION,
                                       .backend = backend,
                                       .threads = 2};
    if (swe_model_create(&ctx, &options, &model) != SWE_OK)
        fail_msg("%s: %s", backend, ctx.message);
    return model;
}

static pair pair_create(const struct test_case *c)
{
    pair p = {make(c, "cpu"), make(c, BACKEND), NULL, NULL, NULL};
    const size_t size = swe_model_state_size(p.cpu);
    random_source random = {1};
    swe_context ctx = {""};
    p.state = calloc(size, sizeof(double));
    p.a = calloc(size, sizeof(real));
    p.b = calloc(size, sizeof(real));
    random_fill(&random, (int)size, p.state);
    assert_int_equal(swe_model_set_state(&ctx, p.cpu, p.state), SWE_OK);
    assert_int_equal(swe_model_set_state(&ctx, p.cuda, p.state), SWE_OK);
    return p;
}

static void pair_destroy(pair *p)
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

static void fetch(swe_model *model, const real *device, real *host, size_t count)
{
    swe_context ctx = {""};
    const size_t bytes = count * sizeof(real);
    if (model->backend->download(&ctx, model->device, device, host, bytes) != SWE_OK)
        fail_msg("%s", ctx.message);
}

/* Compare rows x columns of every panel of a field on the two backends. */
static void compare(pair *p, const char *what, const real *on_cpu, const real *on_cuda, int rows,
                    int columns)
{
    const swe_layout *layout = &p->cpu->grid->layout;
    double largest = 0.0, worst = 0.0;
    fetch(p->cpu, on_cpu, p->a, (size_t)layout->field);
    fetch(p->cuda, on_cuda, p->b, (size_t)layout->field);
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j < rows; j++)
            for (int i = 0; i < columns; i++) {
                const ptrdiff_t at = swe_at(layout, panel, j, i);
                const double a = (double)p->a[at], b = (double)p->b[at];
                largest = fmax(largest, fabs(a));
                worst = fmax(worst, isfinite(b) ? fabs(a - b) : INFINITY);
            }
    assert_true(largest > 0.0);
    if (!(worst <= tolerance * largest))
        fail_msg("%s differs by %g of %g (n %d, order %d)", what, worst, largest, layout->n,
                 p->cpu->stepper->view.sbp.order);
}

static void compare_state(pair *p, const char *what, swe_fields cpu, swe_fields cuda)
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

/* Compare the budgets of all rows, each kind relative to its own largest value. */
static void compare_budgets(pair *p, const double *on_cpu, const double *on_cuda)
{
    const int rows = SWE_PANELS * (p->cpu->grid->layout.n + 1);
    for (int kind = 0; kind < BUDGETS_VALUES; kind++) {
        double largest = 0.0, worst = 0.0;
        for (int at = kind; at < rows * BUDGETS_VALUES; at += BUDGETS_VALUES) {
            const double difference = fabs(on_cpu[at] - on_cuda[at]);
            largest = fmax(largest, fabs(on_cpu[at]));
            worst = fmax(worst, isfinite(difference) ? difference : INFINITY);
        }
        assert_true(largest > 0.0);
        if (!(worst <= tolerance * largest) || (kind == BUDGETS_MAX_I && worst > 0.0))
            fail_msg("budgets: kind %d differs by %g of %g (n %d, order %d)", kind, worst, largest,
                     p->cpu->grid->layout.n, p->cpu->stepper->view.sbp.order);
    }
}

typedef void model_action(swe_model *model);

static void run_projection(swe_model *m)
{
    m->stepper->stages->projection(&m->stepper->view, m->stepper->fields.y.h);
}

static void run_gradient(swe_model *m)
{
    m->stepper->stages->gradient(&m->stepper->view, m->stepper->fields.y.h, m->stepper->fields.k.v1,
                                 m->stepper->fields.k.v2);
}

static void run_contravariant(swe_model *m)
{
    const swe_work w = m->stepper->fields.work;
    m->stepper->stages->contravariant(&m->stepper->view, m->stepper->fields.y.v1,
                                      m->stepper->fields.y.v2, w.cross1, w.cross2, w.f1, w.f2);
}

static void run_divergence(swe_model *m)
{
    run_contravariant(m);
    m->stepper->stages->divergence(&m->stepper->view, m->stepper->fields.work.f1,
                                   m->stepper->fields.work.f2, m->stepper->fields.k.h);
}

static void run_sat(swe_model *m)
{
    const swe_work w = m->stepper->fields.work;
    run_divergence(m);
    m->stepper->stages->sat(&m->stepper->view, m->stepper->fields.y.v1, m->stepper->fields.y.v2,
                            w.f1, w.f2, w.edge, m->stepper->fields.k.h);
}

static void run_rhs(swe_model *m)
{
    swe_rhs(m->stepper->stages, &m->stepper->view, m->stepper->fields.y, m->stepper->fields.work,
            m->stepper->fields.k);
}

/* A stable time step. */
static double step_of(const swe_model *m)
{
    return 0.2 / swe_model_courant(&m->physics, m->grid->layout.n, 1.0);
}

static void run_steps(swe_model *m)
{
    swe_context ctx = {""};
    if (swe_model_advance(&ctx, m, step_of(m), 4) != SWE_OK)
        fail_msg("%s", ctx.message);
}

static void start_two_steps(void *model)
{
    const swe_model *m = model;
    for (int step = 0; step < 2; step++)
        swe_model_step(m, step_of(m));
}

static void run_recorded_steps(swe_model *m)
{
    swe_context ctx = {""};
    swe_sequence *two_steps = NULL;
    if (m->backend->record(&ctx, m->device, start_two_steps, m, &two_steps) != SWE_OK)
        fail_msg("%s", ctx.message);
    m->backend->replay(m->device, two_steps);
    m->backend->replay(m->device, two_steps);
    if (m->backend->synchronize(&ctx, m->device) != SWE_OK)
        fail_msg("%s", ctx.message);
    m->backend->forget(m->device, &two_steps);
    assert_null(two_steps);
}

static void set_pipeline(pair *p, swe_pipeline pipeline)
{
    p->cpu->pipeline = p->cuda->pipeline = pipeline;
}

static void on_both(pair *p, model_action *action)
{
    swe_context ctx = {""};
    action(p->cpu);
    action(p->cuda);
    if (p->cuda->backend->synchronize(&ctx, p->cuda->device) != SWE_OK)
        fail_msg("%s", ctx.message);
}

typedef void pair_check(pair *p);

static void for_all_cases(pair_check *check)
{
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        pair p = pair_create(&cases[k]);
        check(&p);
        pair_destroy(&p);
    }
}

static void check_projection(pair *p)
{
    const int n = p->cpu->grid->layout.n;
    on_both(p, run_projection);
    compare(p, "projection", p->cpu->stepper->fields.y.h, p->cuda->stepper->fields.y.h, n + 1,
            n + 1);
}

static void check_gradient(pair *p)
{
    const int n = p->cpu->grid->layout.n;
    on_both(p, run_gradient);
    compare(p, "dv1", p->cpu->stepper->fields.k.v1, p->cuda->stepper->fields.k.v1, n + 1, n);
    compare(p, "dv2", p->cpu->stepper->fields.k.v2, p->cuda->stepper->fields.k.v2, n, n + 1);
}

static void check_contravariant(pair *p)
{
    const int n = p->cpu->grid->layout.n;
    on_both(p, run_contravariant);
    compare(p, "f1", p->cpu->stepper->fields.work.f1, p->cuda->stepper->fields.work.f1, n + 1, n);
    compare(p, "f2", p->cpu->stepper->fields.work.f2, p->cuda->stepper->fields.work.f2, n, n + 1);
}

static void check_divergence(pair *p)
{
    const int n = p->cpu->grid->layout.n;
    on_both(p, run_divergence);
    compare(p, "divergence", p->cpu->stepper->fields.k.h, p->cuda->stepper->fields.k.h, n + 1,
            n + 1);
}

static void check_sat(pair *p)
{
    const int n = p->cpu->grid->layout.n;
    on_both(p, run_sat);
    compare(p, "sat", p->cpu->stepper->fields.k.h, p->cuda->stepper->fields.k.h, n + 1, n + 1);
}

static const double *budgets_of(swe_model *m)
{
    swe_context ctx = {""};
    const double *rows = NULL;
    if (swe_model_get_budgets(&ctx, m, &rows) != SWE_OK)
        fail_msg("%s", ctx.message);
    return rows;
}

static void check_budgets(pair *p)
{
    const double *on_cpu = budgets_of(p->cpu), *on_cuda = budgets_of(p->cuda);
    assert_true(on_cpu != NULL && on_cuda != NULL);
    compare_budgets(p, on_cpu, on_cuda);
}

static void check_rhs(pair *p)
{
    on_both(p, run_rhs);
    compare_state(p, "rhs", p->cpu->stepper->fields.k, p->cuda->stepper->fields.k);
}

static void check_steps(pair *p)
{
    on_both(p, run_steps);
    compare_state(p, "staged steps", p->cpu->stepper->fields.y, p->cuda->stepper->fields.y);
    set_pipeline(p, SWE_PIPELINE_FUSED);
    on_both(p, run_steps);
    compare_state(p, "fused steps", p->cpu->stepper->fields.y, p->cuda->stepper->fields.y);
}

/* Four steps one by one, and again as two replays of two recorded ones: the same bits. */
static void check_recorded_steps_of(pair *p, swe_pipeline pipeline)
{
    swe_context ctx = {""};
    const size_t size = swe_model_state_size(p->cuda);
    set_pipeline(p, pipeline);
    assert_int_equal(swe_model_set_state(&ctx, p->cpu, p->state), SWE_OK);
    assert_int_equal(swe_model_set_state(&ctx, p->cuda, p->state), SWE_OK);
    run_steps(p->cuda);
    fetch(p->cuda, p->cuda->stepper->fields.y.h, p->a, size);
    assert_int_equal(swe_model_set_state(&ctx, p->cuda, p->state), SWE_OK);
    run_recorded_steps(p->cuda);
    fetch(p->cuda, p->cuda->stepper->fields.y.h, p->b, size);
    assert_memory_equal(p->a, p->b, size * sizeof(real));
    run_steps(p->cpu);
    compare_state(p, "recorded steps", p->cpu->stepper->fields.y, p->cuda->stepper->fields.y);
}

static void check_recorded_steps(pair *p)
{
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++)
        check_recorded_steps_of(p, (swe_pipeline)pipeline);
}

#define CASE_TEST(stage)                                                                           \
    static void stage##_agrees_with_the_cpu(void **unused)                                         \
    {                                                                                              \
        (void)unused;                                                                              \
        for_all_cases(check_##stage);                                                              \
    }
CASE_TEST(projection)
CASE_TEST(gradient)
CASE_TEST(contravariant)
CASE_TEST(divergence)
CASE_TEST(sat)
CASE_TEST(budgets)
CASE_TEST(rhs)
CASE_TEST(steps)
CASE_TEST(recorded_steps)

/* A state that has the precision goes to the device and back, and is the same. */
static void transfers_keep_every_bit(void **unused)
{
    (void)unused;
    swe_context ctx = {""};
    pair p = pair_create(&cases[3]);
    const size_t size = swe_model_state_size(p.cuda), bytes = size * sizeof(real);
    real *const on_device = p.cuda->stepper->fields.k.h;
    for (size_t at = 0; at < size; at++)
        p.b[at] = (real)p.state[at];
    assert_int_equal(p.cuda->backend->upload(&ctx, p.cuda->device, p.b, on_device, bytes), SWE_OK);
    fetch(p.cuda, on_device, p.a, size);
    assert_memory_equal(p.a, p.b, bytes);
    pair_destroy(&p);
}

static void wait_within_a_recording(void *model)
{
    const swe_model *m = model;
    swe_context ctx = {""};
    assert_int_equal(m->backend->synchronize(&ctx, m->device), SWE_INTERNAL);
}

static void a_device_works_on_after_a_failed_recording(void **unused)
{
    (void)unused;
    swe_context ctx = {""};
    swe_sequence *sequence = NULL;
    pair p = pair_create(&cases[3]);
    assert_int_equal(
        p.cuda->backend->record(&ctx, p.cuda->device, wait_within_a_recording, p.cuda, &sequence),
        SWE_INTERNAL);
    assert_null(sequence);
    assert_non_null(strstr(ctx.message, "recorded"));
    on_both(&p, run_steps);
    compare_state(&p, "steps", p.cpu->stepper->fields.y, p.cuda->stepper->fields.y);
    pair_destroy(&p);
}

static void the_cpu_records_nothing(void **unused)
{
    (void)unused;
    assert_null(swe_backend_cpu.record);
    assert_null(swe_backend_cpu.replay);
    assert_null(swe_backend_cpu.forget);
}

static void a_device_that_is_not_there_is_refused(void **unused)
{
    (void)unused;
    swe_context ctx = {""};
    const swe_backend *backend = NULL;
    int index = 0;
    assert_int_equal(swe_backend_find(&ctx, BACKEND ":1000", &backend, &index), SWE_UNAVAILABLE);
    assert_non_null(strstr(ctx.message, "devices"));
    assert_int_equal(swe_backend_find(&ctx, "auto", &backend, &index), SWE_OK);
    assert_string_equal(backend->name, BACKEND);
}

int main(void)
{
    swe_context ctx = {""};
    const swe_backend *backend = NULL;
    int index = 0;
    swe_device *device = NULL;
    if (swe_backend_find(&ctx, BACKEND, &backend, &index) != SWE_OK ||
        backend->open(&ctx, index, 1, &device) != SWE_OK) {
        printf("skipped: %s\n", ctx.message);
        return SKIPPED;
    }
    backend->close(&device);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_agrees_with_the_cpu),
        cmocka_unit_test(gradient_agrees_with_the_cpu),
        cmocka_unit_test(contravariant_agrees_with_the_cpu),
        cmocka_unit_test(divergence_agrees_with_the_cpu),
        cmocka_unit_test(sat_agrees_with_the_cpu),
        cmocka_unit_test(budgets_agrees_with_the_cpu),
        cmocka_unit_test(rhs_agrees_with_the_cpu),
        cmocka_unit_test(steps_agrees_with_the_cpu),
        cmocka_unit_test(recorded_steps_agrees_with_the_cpu),
        cmocka_unit_test(a_device_works_on_after_a_failed_recording),
        cmocka_unit_test(the_cpu_records_nothing),
        cmocka_unit_test(transfers_keep_every_bit),
        cmocka_unit_test(a_device_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
