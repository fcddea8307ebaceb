/* The checks of test_pipelines.c on panels of several tiles along i. Narrow tiles need no wide
 * panels; one panel is wider than the tiles of a CPU. */
#include "stages/tiles_cpu.h"
#include "support/pipelines.h"

enum { NARROW = 6 * ROWS_LINE };

static void check(int order, int n, int tile_columns)
{
    const pipelines_case c = {order, SWE_CLOSURE_MOVED, n, tile_columns};
    pipelines_check(c);
}

/* Panels wider than a tile (tiles_cpu.h); panels as wide as two tiles, where the second tile fills
 * all columns of its buffers. */
static void tiles_beside_each_other_are_no_different(void **state)
{
    (void)state;
    check(4, 530, CPU_TILE_I_SMALL);
    check(6, NARROW + 28, NARROW);
    for (int order = 2; order <= 6; order += 2)
        check(order, 2 * NARROW - 1, NARROW);
}

/* The width of tiles for a second-level cache of 2 MiB: the same bits as narrower tiles. */
static void tiles_wide_as_a_panel_are_no_different(void **state)
{
    (void)state;
    for (int order = 2; order <= 6; order += 2) {
        const pipelines_case narrow = {order, SWE_CLOSURE_MOVED, NARROW + 12, NARROW};
        pipelines_case wide = narrow;
        wide.tile_columns = CPU_TILE_I;
        bench t = pipelines_bench(wide, 1);
        double *start = bench_fields(&t, 3);
        bench_random_state(&t, swe_fields_at(t.layout, start));
        bench u = pipelines_bench(narrow, 1);
        double *expected = pipelines_steps(&u, SWE_PIPELINE_FUSED, 0.2, start),
               *found = pipelines_steps(&t, SWE_PIPELINE_FUSED, 0.2, start);
        CHECK_SAME_BITS(found, expected, model_state_size(t.model));
        free(found);
        free(expected);
        free(start);
        bench_destroy(&u);
        bench_destroy(&t);
        pipelines_check(wide);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_beside_each_other_are_no_different),
        cmocka_unit_test(tiles_wide_as_a_panel_are_no_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
