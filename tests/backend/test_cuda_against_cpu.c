/* Every stage, the right-hand side and some steps of linear equations on a sphere that is still, by
 * the CUDA backend and by the CPU's, for several n and orders; test_cuda_rotational.c has the other
 * flows. Built four times: in both precisions, over the emulation layer and for a
 * real GPU (skipped without one). */
#include <pthread.h>

#include "support/pair.h"

static const struct test_case cases[] = {
    {4, 2, SWE_CLOSURE_MOVED},
    {13, 2, SWE_CLOSURE_MOVED},
    {9, 4, SWE_CLOSURE_MOVED},
    {31, 4, SWE_CLOSURE_MOVED},
    {24, 4, SWE_CLOSURE_PUBLISHED},
    {13, 6, SWE_CLOSURE_MOVED},
    {40, 6, SWE_CLOSURE_MOVED},
    /* Tiles without closures, of each order. */
    {67, 2, SWE_CLOSURE_MOVED},
    {66, 4, SWE_CLOSURE_MOVED},
    {80, 6, SWE_CLOSURE_MOVED},
    /* A tile off the closures whose cells are in one. */
    {51, 6, SWE_CLOSURE_MOVED},
};

static void for_all_cases(pair_check *check)
{
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        pair p = pair_create(&cases[k], SWE_FLOW_NONROTATING);
        check(&p);
        pair_destroy(&p);
    }
}

static void run_projection(swe_model *m)
{
    m->stepper->stages->projection(&m->stepper->execution, &m->stepper->params,
                                   m->stepper->fields.y.h);
}

static void run_gradient(swe_model *m)
{
    m->stepper->stages->gradient(&m->stepper->execution, &m->stepper->params,
                                 m->stepper->fields.y.h, m->stepper->fields.k.v1,
                                 m->stepper->fields.k.v2);
}

static void run_contravariant(swe_model *m)
{
    const swe_work w = m->stepper->fields.work;
    m->stepper->stages->contravariant(&m->stepper->execution, &m->stepper->params,
                                      m->stepper->fields.y.h, m->stepper->fields.y.v1,
                                      m->stepper->fields.y.v2, w.cross1, w.cross2, w.f1, w.f2);
}

static void run_divergence(swe_model *m)
{
    run_contravariant(m);
    m->stepper->stages->divergence(&m->stepper->execution, &m->stepper->params,
                                   m->stepper->fields.work.f1, m->stepper->fields.work.f2,
                                   m->stepper->fields.k.h);
}

static void run_sat(swe_model *m)
{
    const swe_work w = m->stepper->fields.work;
    run_divergence(m);
    m->stepper->stages->sat(&m->stepper->execution, &m->stepper->params, m->stepper->fields.y.h,
                            m->stepper->fields.y.v1, m->stepper->fields.y.v2, w.f1, w.f2, w.edge,
                            m->stepper->fields.k.h);
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

/* A stride of steps at once, of which the model replays recorded ones, and one by one: the same
 * bits. */
static void check_stride_of(pair *p, swe_pipeline pipeline)
{
    enum { STRIDE = 2 * SWE_RECORDED_STEPS + 2 };
    swe_context ctx = {""};
    const size_t size = model_state_size(p->cuda);
    const double dt = step_of(p->cuda) / (1.0 + pipeline); /* another step is recorded anew */
    set_pipeline(p, pipeline);
    assert_int_equal(model_set_state(&ctx, p->cuda, p->state), SWE_OK);
    for (int step = 0; step < STRIDE; step++)
        assert_int_equal(swe_model_advance(&ctx, p->cuda, dt, 1), SWE_OK);
    assert_true(p->cuda->captured[0].graph == NULL || p->cuda->captured_dt != dt);
    fetch(p->cuda, p->cuda->stepper->fields.y.h, p->a, size);
    assert_int_equal(model_set_state(&ctx, p->cuda, p->state), SWE_OK);
    assert_int_equal(swe_model_advance(&ctx, p->cuda, dt, STRIDE), SWE_OK);
    assert_true(p->cuda->captured[0].graph != NULL && p->cuda->captured_dt == dt);
    fetch(p->cuda, p->cuda->stepper->fields.y.h, p->b, size);
    assert_memory_equal(p->a, p->b, size * sizeof(real));
}

/* Strides too short for a long sequence replay two steps at a time: to the same bits. */
static void check_short_strides(pair *p)
{
    swe_context ctx = {""};
    const size_t size = model_state_size(p->cuda);
    const double dt = step_of(p->cuda) / 3.0;
    set_pipeline(p, SWE_PIPELINE_FUSED);
    assert_int_equal(model_set_state(&ctx, p->cuda, p->state), SWE_OK);
    for (int step = 0; step < 3 + 2 + 5; step++)
        assert_int_equal(swe_model_advance(&ctx, p->cuda, dt, 1), SWE_OK);
    fetch(p->cuda, p->cuda->stepper->fields.y.h, p->a, size);
    assert_int_equal(model_set_state(&ctx, p->cuda, p->state), SWE_OK);
    assert_true(p->cuda->captured_dt != dt);
    static const long strides[] = {3, 2, 5};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(swe_model_advance(&ctx, p->cuda, dt, strides[k]), SWE_OK);
        assert_true(p->cuda->captured[1].graph != NULL);
        assert_true(p->cuda->captured_dt == dt);
    }
    fetch(p->cuda, p->cuda->stepper->fields.y.h, p->b, size);
    assert_memory_equal(p->a, p->b, size * sizeof(real));
}

static void check_stride(pair *p)
{
    check_short_strides(p);
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++)
        check_stride_of(p, (swe_pipeline)pipeline);
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
CASE_TEST(integrals)
CASE_TEST(rhs)
CASE_TEST(steps)
CASE_TEST(captured_steps)

static void strides_of_steps_are_the_steps_one_by_one(void **unused)
{
    (void)unused;
    static const int chosen[] = {0, 2, 5}; /* each order; sequences do not depend on n */
    for (int k = 0; k < 3; k++) {
        pair p = pair_create(&cases[chosen[k]], SWE_FLOW_NONROTATING);
        check_stride(&p);
        pair_destroy(&p);
    }
}

/* A state that has the precision goes to the device and back, and is the same. */
static void transfers_keep_every_bit(void **unused)
{
    (void)unused;
    swe_context ctx = {""};
    pair p = pair_create(&cases[3], SWE_FLOW_NONROTATING);
    const size_t size = model_state_size(p.cuda), bytes = size * sizeof(real);
    real *const on_device = p.cuda->stepper->fields.k.h;
    for (size_t at = 0; at < size; at++)
        p.b[at] = (real)p.state[at];
    assert_int_equal(p.cuda->backend->upload(&ctx, p.cuda->device, p.b, on_device, bytes), SWE_OK);
    fetch(p.cuda, on_device, p.a, size);
    assert_memory_equal(p.a, p.b, bytes);
    pair_destroy(&p);
}

static void pipelines_agree(void **unused)
{
    (void)unused;
    for_all_cases(check_pipelines);
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
    swe_graph *sequence = NULL;
    pair p = pair_create(&cases[3], SWE_FLOW_NONROTATING);
    assert_int_equal(
        p.cuda->backend->capture(&ctx, p.cuda->device, wait_within_a_recording, p.cuda, &sequence),
        SWE_INTERNAL);
    assert_null(sequence);
    assert_non_null(strstr(ctx.message, "captured"));
    on_both(&p, run_steps);
    compare_state(&p, "steps", p.cpu->stepper->fields.y, p.cuda->stepper->fields.y);
    pair_destroy(&p);
}

static void the_cpu_records_nothing(void **unused)
{
    (void)unused;
    assert_null(swe_backend_cpu.capture);
    assert_null(swe_backend_cpu.launch);
    assert_null(swe_backend_cpu.destroy_graph);
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

#ifdef SWE_TEST_EMULATED
/* NULL: the model's device did all from this thread, too, whose own device is another one; kernels
 * first, before a call that selects the device for itself. */
static void *use_in_a_thread(void *argument)
{
    swe_context ctx = {""};
    swe_model *model = argument;
    double *host = calloc(model_state_size(model), sizeof *host);
    size_t before = 0, after = 0;
    void *block = NULL;
    const bool works = host != NULL && swe_model_advance(&ctx, model, 1.0, 2) == SWE_OK &&
                       swe_model_advance(&ctx, model, 1.0, 5) == SWE_OK &&
                       model_set_state(&ctx, model, host) == SWE_OK &&
                       model_get_state(&ctx, model, host) == SWE_OK &&
                       model->backend->memory(&ctx, model->device, &before) == SWE_OK &&
                       model->backend->allocate(&ctx, model->device, 1000, 1, PROF_HERE("test"),
                                                &block) == SWE_OK &&
                       model->backend->memory(&ctx, model->device, &after) == SWE_OK &&
                       before == after + 1000;
    if (block != NULL)
        model->backend->release(model->device, block);
    free(host);
    return works ? NULL : argument;
}

static void threads_use_the_device_of_the_model(void **unused)
{
    (void)unused;
    pthread_t thread;
    void *failed = NULL;
    setenv("CUDA_EMULATION_DEVICES", "2", 1);
    swe_model *model = make(&cases[3], SWE_FLOW_NONROTATING, BACKEND ":1");
    assert_int_equal(pthread_create(&thread, NULL, use_in_a_thread, model), 0);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    swe_model_destroy(&model);
    unsetenv("CUDA_EMULATION_DEVICES");
}
#endif

/* A GPU's kernels count places of a field in 32 bits; n = 18917 is the first size that is too
 * large. */
static void sizes_beyond_32_bits_are_refused(void **unused)
{
    (void)unused;
    swe_context ctx = {""};
    swe_model *model = NULL;
    const swe_model_options options = {.n = 18917, .order = 4, .backend = "cpu"};
    assert_int_equal(swe_model_create(&ctx, &options, &model), SWE_CONFIG);
    assert_non_null(strstr(ctx.message, "n = 18917"));
}

/* Steps of a prescribed flow depend on the time, and are not recorded. */
static void prescribed_flows_agree_with_the_cpu(void **state)
{
    (void)state;
    swe_context ctx = {""};
    for (int order = 2; order <= 6; order += 2) {
        const struct test_case c = {13, order, SWE_CLOSURE_MOVED};
        pair p = pair_create(&c, PAIR_PRESCRIBED);
        const double dt = step_of(p.cuda);
        assert_int_equal(swe_model_advance(&ctx, p.cpu, dt, 5), SWE_OK);
        assert_int_equal(swe_model_advance(&ctx, p.cuda, dt, 1), SWE_OK);
        assert_int_equal(swe_model_advance(&ctx, p.cuda, dt, 4), SWE_OK);
        compare_state(&p, "prescribed", p.cpu->stepper->fields.y, p.cuda->stepper->fields.y);
        compare_dye(&p, "prescribed: dye", p.cpu->stepper->fields.y, p.cuda->stepper->fields.y);
        assert_null(p.cuda->captured[0].graph);
        pair_destroy(&p);
    }
}

int main(void)
{
    if (!pair_device_is_there())
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_agrees_with_the_cpu),
        cmocka_unit_test(gradient_agrees_with_the_cpu),
        cmocka_unit_test(contravariant_agrees_with_the_cpu),
        cmocka_unit_test(divergence_agrees_with_the_cpu),
        cmocka_unit_test(sat_agrees_with_the_cpu),
        cmocka_unit_test(integrals_agrees_with_the_cpu),
        cmocka_unit_test(rhs_agrees_with_the_cpu),
        cmocka_unit_test(steps_agrees_with_the_cpu),
        cmocka_unit_test(pipelines_agree),
        cmocka_unit_test(prescribed_flows_agree_with_the_cpu),
        cmocka_unit_test(captured_steps_agrees_with_the_cpu),
#ifdef SWE_TEST_EMULATED
        cmocka_unit_test(threads_use_the_device_of_the_model),
#endif
        cmocka_unit_test(sizes_beyond_32_bits_are_refused),
        cmocka_unit_test(strides_of_steps_are_the_steps_one_by_one),
        cmocka_unit_test(a_device_works_on_after_a_failed_recording),
        cmocka_unit_test(the_cpu_records_nothing),
        cmocka_unit_test(transfers_keep_every_bit),
        cmocka_unit_test(a_device_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
