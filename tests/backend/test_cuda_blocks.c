/* Blocks on the CUDA backend: a model cut into blocks has the bits of one of whole panels, of any
 * flow, order and pipeline.
 *
 * The first step starts kernel by kernel, the others are replayed from graphs. Over the emulation
 * the inside of blocks is computed before the exchange in the first, and after it in the others,
 * where work of a second stream is done when it is joined. */
#include "support/pair.h"

#include "support/outcome.h"

enum { STEPS = 3 };

static void check_blocks(swe_model_options options, int blocks_1, int blocks_2,
                         const outcome *whole)
{
    check_cut(options, blocks_1, blocks_2, 1, STEPS, whole);
#ifdef SWE_TEST_EMULATED
    assert_int_equal(cuda_emulation_live_blocks(), 0);
    assert_int_equal(cuda_emulation_live_graphs(), 0);
#endif
}

/* From n = 40 on non-rotating flows march. Blocks of single precision
 * have at least 32 columns. Flows without marches may have order 4 alone. */
static void check_models(int n, bool marches_alone, const int (*layouts)[2], int count)
{
    int number = 0;
    for (int flow = 0; flow < OUTCOME_FLOWS; flow++)
        for (int order = 2; order <= 6; order += 2)
            for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++, number++) {
                const bool is_nonlinear = outcome_flows[flow].equations == SWE_NONLINEAR,
                           marches = !is_nonlinear && outcome_flows[flow].rotation == 0.0;
                if (marches_alone && !marches && order != 4)
                    continue;
                const swe_model_options options = {
                    .n = n,
                    .order = order,
                    .fields = is_nonlinear ? fields_with_a_tracer() : NULL,
                    .physics = viscous_by_order(outcome_flows[flow], order),
                    .pipeline = (swe_pipeline)pipeline,
                    .precision = REAL_PRECISION,
                    .backend = BACKEND,
                    .threads = 1};
                outcome whole = outcome_of(&options, STEPS);
                check_blocks(options, layouts[number % count][0], layouts[number % count][1],
                             &whole);
                outcome_destroy(&whole);
            }
}

static void models_of_blocks_have_the_bits_of_whole_panels(void **state)
{
    (void)state;
    static const int layouts[][2] = {{1, 2}, {2, 1}, {2, 2}, {1, 3}, {2, 3}};
    check_models(REAL_PRECISION == SWE_PRECISION_SINGLE ? 70 : 50, false, layouts,
                 sizeof layouts / sizeof *layouts);
}

/* Strips fill these blocks: marches have no inside, or one in some blocks alone. */
static void narrow_blocks_have_these_bits(void **state)
{
    (void)state;
    static const int layouts[][2] = {{1, 5}, {1, 4}, {1, 2}};
    check_models(47, true, layouts, sizeof layouts / sizeof *layouts);
}

int main(void)
{
    if (!pair_device_is_there())
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_of_blocks_have_the_bits_of_whole_panels),
        cmocka_unit_test(narrow_blocks_have_these_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
