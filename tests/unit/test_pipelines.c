/* The two pipelines: to the same numbers but for rounding; the fused one, whose tiles differ with
 * the number of threads, to the same bits with any. */
#include "support/pipelines.h"

/* Both pipelines with one thread, and the fused one with more. */
static void check_pipelines(int order, swe_closure closure, int n)
{
    bench t = bench_of(order, closure, n);
    const size_t size = swe_model_state_size(t.model);
    double *start = bench_fields(&t, 3);
    bench_random_state(&t, swe_fields_at(t.layout, start));
    double *staged = pipelines_steps(&t, SWE_PIPELINE_STAGED, 0.2, start);
    double *fused = pipelines_steps(&t, SWE_PIPELINE_FUSED, 0.2, start);
    pipelines_check_same(&t, fused, staged, 1e-14);
    for (int threads = 2; threads <= 3; threads++) {
        bench shared = bench_of_threads(order, closure, n, threads);
        double *end = pipelines_steps(&shared, SWE_PIPELINE_FUSED, 0.2, start);
        CHECK_SAME_BITS(end, fused, size);
        free(end);
        bench_destroy(&shared);
    }
    free(start);
    free(staged);
    free(fused);
    bench_destroy(&t);
}

/* Smallest panels, panels of one tile, and of several along j that are cut anywhere. */
static void fused_is_staged_to_rounding(void **state)
{
    (void)state;
    static const int sizes[] = {0, 12, 31, 32, 33, 64, 97};
    for (int order = 2; order <= 6; order += 2)
        for (int k = 0; k < 7; k++) {
            const int smallest = order == 2 ? 4 : order == 4 ? 7 : 11;
            check_pipelines(order, SWE_CLOSURE_DEFAULT, k == 0 ? smallest : sizes[k]);
            if (order == 4)
                check_pipelines(order, SWE_CLOSURE_PUBLISHED, k == 0 ? smallest : sizes[k]);
        }
}

/* Panels that are wider than a tile (CPU_TILE_I, tiles_cpu.h). */
static void tiles_beside_each_other_are_no_different(void **state)
{
    (void)state;
    check_pipelines(4, SWE_CLOSURE_DEFAULT, 530);
    check_pipelines(6, SWE_CLOSURE_DEFAULT, 513);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_is_staged_to_rounding),
        cmocka_unit_test(tiles_beside_each_other_are_no_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
