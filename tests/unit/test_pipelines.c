/* The two pipelines: to the same numbers but for rounding; the fused one, whose tiles differ with
 * the number of threads, to the same bits with any: part by part and, as it takes a state that
 * streams from memory, two parts in a sweep. */
#include "stages/tiles_cpu.h"
#include "support/pipelines.h"

enum { MOST_THREADS = 5 };

/* What a step leaves to itself is made anew in every step. */
static void forget(const bench *t)
{
    const size_t scratch = t->stages->scratch(t->view), next = 9 * (size_t)t->layout->field;
    for (size_t k = 0; k < scratch; k++)
        t->view->scratch[k] = NAN;
    for (size_t k = 0; k < next; k++)
        t->fields.next.h[k] = NAN;
}

/* After some steps of the fused pipeline in pairs of parts; release with free(). */
static double *steps_in_pairs(int order, swe_closure closure, int n, int threads,
                              const double *start)
{
    bench t = bench_of_threads(order, closure, n, threads);
    t.model->stepper->view.streams = 1;
    forget(&t);
    double *end = pipelines_steps(&t, SWE_PIPELINE_FUSED, 0.2, start);
    bench_destroy(&t);
    return end;
}

/* In pairs of parts with one thread and with more, some of which have no inner rows. */
static void check_pairs(const bench *t, const double *start, const double *staged)
{
    const int order = t->view->sbp.order, n = t->layout->n;
    double *pairs = steps_in_pairs(order, t->model->closure, n, 1, start);
    pipelines_check_same(t, pairs, staged, 1e-14);
    for (int threads = 2; threads <= MOST_THREADS; threads++) {
        double *end = steps_in_pairs(order, t->model->closure, n, threads, start);
        CHECK_SAME_BITS(end, pairs, swe_model_state_size(t->model));
        free(end);
    }
    free(pairs);
}

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
    check_pairs(&t, start, staged);
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

/* Panels that are wider than a tile (CPU_TILE_I, tiles_cpu.h); as wide as two tiles, of which the
 * second has no room to spare in its lines. */
static void tiles_beside_each_other_are_no_different(void **state)
{
    (void)state;
    check_pipelines(4, SWE_CLOSURE_DEFAULT, 530);
    check_pipelines(6, SWE_CLOSURE_DEFAULT, 513);
    for (int order = 2; order <= 6; order += 2)
        check_pipelines(order, SWE_CLOSURE_DEFAULT, 2 * CPU_TILE_I - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_is_staged_to_rounding),
        cmocka_unit_test(tiles_beside_each_other_are_no_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
