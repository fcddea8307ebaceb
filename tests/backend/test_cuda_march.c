/* Marches of the fused stage on the CUDA backend, inside boundary strips
 * (fused/fused_march_cuda.h), also on panels that are too small for a GPU to use marches. Built
 * four times, like test_cuda_against_cpu.c. */
#include "run/components.h"
#include "support/pair.h"

/* For each order: the smallest n with vertices inside the strips; and neighbouring blocks, of which
 * the last block has a few columns and rows. */
static const struct test_case cases[] = {
    {8, 2, SWE_CLOSURE_MOVED},  {127, 2, SWE_CLOSURE_MOVED}, {18, 4, SWE_CLOSURE_MOVED},
    {19, 4, SWE_CLOSURE_MOVED}, {104, 4, SWE_CLOSURE_MOVED}, {61, 4, SWE_CLOSURE_PUBLISHED},
    {28, 6, SWE_CLOSURE_MOVED}, {90, 6, SWE_CLOSURE_MOVED},
};

/* The least of each order. */
static const struct test_case small_cases[] = {
    {8, 2, SWE_CLOSURE_MOVED}, {18, 4, SWE_CLOSURE_MOVED}, {28, 6, SWE_CLOSURE_MOVED}};
enum { SMALL_CASES = sizeof small_cases / sizeof small_cases[0] };

/* The smallest with neighbouring blocks. */
static const struct test_case neighbours = {61, 4, SWE_CLOSURE_PUBLISHED};

static pair pair_that_marches(const struct test_case *c)
{
    pair p = pair_create(c, SWE_FLOW_NONROTATING);
    p.cuda->stepper->params.marches = 1;
    assert_in_range(p.cuda->stepper->execution.march_blocks, 1, 1 << 20); /* of the device */
    p.cuda->stepper->execution.march_blocks = 132 * 3;
    return p;
}

static void for_case(const struct test_case *c, pair_check *check)
{
    pair p = pair_that_marches(c);
    check(&p);
    pair_destroy(&p);
}

static void for_all_cases(pair_check *check)
{
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for_case(&cases[k], check);
}

/* What does not depend on how many blocks there are. */
static void for_some_cases(pair_check *check)
{
    for (int k = 0; k < SMALL_CASES; k++)
        for_case(&small_cases[k], check);
    for_case(&neighbours, check);
}

static void set_state(swe_model *model, const double *state)
{
    swe_context ctx = {""};
    assert_int_equal(model_set_state(&ctx, model, state), SWE_OK);
}

/* Overwrite scratch: every step computes it anew. */
static void forget_next_states(pair *p)
{
    swe_context ctx = {""};
    swe_stepper *s = p->cuda->stepper;
    const size_t count = model_state_size(p->cuda);
    for (size_t at = 0; at < count; at++)
        p->a[at] = (real)NAN;
    for (int state = 0; state < 3; state++)
        assert_int_equal(
            p->cuda->backend->upload(&ctx, p->cuda->device, p->a,
                                     swe_step_scratch(&s->fields) + (size_t)state * count,
                                     count * sizeof(real)),
            SWE_OK);
}

static void check_forgetful_steps(pair *p)
{
    swe_context ctx = {""};
    set_pipeline(p, SWE_PIPELINE_FUSED);
    set_state(p->cpu, p->state);
    set_state(p->cuda, p->state);
    for (int step = 0; step < 3; step++) {
        forget_next_states(p);
        assert_int_equal(swe_model_advance(&ctx, p->cuda, step_of(p->cuda), 1), SWE_OK);
        assert_int_equal(swe_model_advance(&ctx, p->cpu, step_of(p->cpu), 1), SWE_OK);
        compare_state(p, "a step", p->cpu->stepper->fields.y, p->cuda->stepper->fields.y);
    }
}

static void steps_agree_with_the_cpu(void **unused)
{
    (void)unused;
    for_all_cases(check_steps);
}

static void a_step_computes_all_that_it_reads(void **unused)
{
    (void)unused;
    for_all_cases(check_forgetful_steps);
}

/* Damping and dissipation at the end of a step find all of the state. */
static void check_steps_that_end_in_damping(pair *p)
{
    for (int k = 0; k < 2; k++) {
        swe_params *params = &(k == 0 ? p->cpu : p->cuda)->stepper->params;
        params->damping = params->dissipation = (real)(0.3 / step_of(p->cpu));
    }
    check_forgetful_steps(p);
}

static void steps_that_end_in_damping_agree_with_the_cpu(void **unused)
{
    (void)unused;
    for_some_cases(check_steps_that_end_in_damping);
}

static void pipelines_agree(void **unused)
{
    (void)unused;
    for_some_cases(check_pipelines);
}

/* Blocks have more rows where a device runs fewer of them at a time: to the same bits. */
static void check_blocks(pair *p)
{
    static const int blocks[] = {132 * 3, 1, 12};
    swe_context ctx = {""};
    const size_t size = model_state_size(p->cuda);
    set_pipeline(p, SWE_PIPELINE_FUSED);
    for (int k = 0; k < 3; k++) {
        p->cuda->stepper->execution.march_blocks = blocks[k];
        set_state(p->cuda, p->state);
        assert_int_equal(swe_model_advance(&ctx, p->cuda, step_of(p->cuda), 2), SWE_OK);
        fetch(p->cuda, p->cuda->stepper->fields.y.h, k == 0 ? p->a : p->b, size);
        if (k > 0)
            assert_memory_equal(p->a, p->b, size * sizeof(real));
    }
}

static void blocks_of_a_device_change_no_bit(void **unused)
{
    (void)unused;
    for_all_cases(check_blocks);
}

/* In a captured step the march follows the strips; in one that is launched call by call, it
 * precedes them. */
static void captured_steps_are_the_steps_one_by_one(void **unused)
{
    (void)unused;
    for_some_cases(check_captured_steps);
}

/* As pair_destroy, while another pair exists. */
static void destroy_beside(pair *p)
{
    swe_model_destroy(&p->cpu);
    swe_model_destroy(&p->cuda);
    free(p->state);
    free(p->a);
    free(p->b);
}

/* The same bits as steps one at a time, whatever strides they come in. */
static void check_strides(const struct test_case *c)
{
    static const long strides[] = {17, 1, 20, 18, 3, 2, 5, 1, 4};
    swe_context ctx = {""};
    pair p = pair_that_marches(c), alone = pair_that_marches(c);
    const size_t size = model_state_size(p.cuda);
    const double dt = step_of(p.cuda);
    set_pipeline(&p, SWE_PIPELINE_FUSED);
    set_pipeline(&alone, SWE_PIPELINE_FUSED);
    for (size_t k = 0; k < sizeof strides / sizeof strides[0]; k++) {
        assert_int_equal(swe_model_advance(&ctx, p.cuda, dt, strides[k]), SWE_OK);
        for (long step = 0; step < strides[k]; step++)
            assert_int_equal(swe_model_advance(&ctx, alone.cuda, dt, 1), SWE_OK);
        fetch(p.cuda, p.cuda->stepper->fields.y.h, p.a, size);
        fetch(alone.cuda, alone.cuda->stepper->fields.y.h, p.b, size);
        assert_memory_equal(p.a, p.b, size * sizeof(real));
    }
    assert_non_null(p.cuda->captured[0].graph);
    assert_null(alone.cuda->captured[0].graph);
    destroy_beside(&alone);
    pair_destroy(&p);
}

static void strides_of_steps_are_the_steps_one_by_one(void **unused)
{
    (void)unused;
    for (int k = 0; k < SMALL_CASES; k++)
        check_strides(&small_cases[k]);
}

/* The window that `cubeswe profile` records goes on from step to step, whatever their number. */
static void a_recorded_window_goes_from_step_to_step(void **unused)
{
    (void)unused;
    swe_context ctx = {""};
    pair p = pair_that_marches(&small_cases[1]), alone = pair_that_marches(&small_cases[1]);
    const size_t size = model_state_size(p.cuda);
    const double dt = step_of(p.cuda);
    set_pipeline(&p, SWE_PIPELINE_FUSED);
    set_pipeline(&alone, SWE_PIPELINE_FUSED);
    assert_int_equal(swe_components_trace(&ctx, p.cuda, dt, 3), SWE_OK);
    for (int step = 0; step < 3; step++)
        assert_int_equal(swe_model_advance(&ctx, alone.cuda, dt, 1), SWE_OK);
    fetch(p.cuda, p.cuda->stepper->fields.y.h, p.a, size);
    fetch(alone.cuda, alone.cuda->stepper->fields.y.h, p.b, size);
    assert_memory_equal(p.a, p.b, size * sizeof(real));
    destroy_beside(&alone);
    pair_destroy(&p);
}

/* Integrals and the state are found wherever a step has left it. */
static void check_state_after_steps(pair *p)
{
    swe_context ctx = {""};
    const size_t size = model_state_size(p->cuda);
    double *found = calloc(size, sizeof *found);
    assert_non_null(found);
    for (int step = 0; step < 2; step++) {
        assert_int_equal(swe_model_advance(&ctx, p->cuda, step_of(p->cuda), 1), SWE_OK);
        assert_int_equal(swe_model_advance(&ctx, p->cpu, step_of(p->cpu), 1), SWE_OK);
        check_integrals(p);
        assert_int_equal(model_get_state(&ctx, p->cuda, found), SWE_OK);
        fetch(p->cuda, p->cuda->stepper->fields.y.h, p->a, size);
        for (size_t at = 0; at < size; at++)
            assert_true(found[at] == (double)p->a[at]);
        set_state(p->cuda, p->state);
        set_state(p->cpu, p->state);
    }
    free(found);
}

static void the_state_is_found_after_any_step(void **unused)
{
    (void)unused;
    for_some_cases(check_state_after_steps);
}

int main(void)
{
    if (!pair_device_is_there())
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_agree_with_the_cpu),
        cmocka_unit_test(a_step_computes_all_that_it_reads),
        cmocka_unit_test(steps_that_end_in_damping_agree_with_the_cpu),
        cmocka_unit_test(pipelines_agree),
        cmocka_unit_test(blocks_of_a_device_change_no_bit),
        cmocka_unit_test(captured_steps_are_the_steps_one_by_one),
        cmocka_unit_test(strides_of_steps_are_the_steps_one_by_one),
        cmocka_unit_test(a_recorded_window_goes_from_step_to_step),
        cmocka_unit_test(the_state_is_found_after_any_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
