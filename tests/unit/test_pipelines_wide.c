/* What test_pipelines.c checks, on panels of several tiles beside each other. */
#include "stages/tiles_cpu.h"
#include "support/pipelines.h"

static void check(int order, int n, int tile_columns)
{
    const pipelines_case c = {order, SWE_CLOSURE_DEFAULT, n, tile_columns};
    pipelines_check(c);
}

/* Panels that are wider than a tile (tiles_cpu.h); as wide as two tiles, of which the second has no
 * room to spare in its lines. */
static void tiles_beside_each_other_are_no_different(void **state)
{
    (void)state;
    check(4, 530, CPU_TILE_I_SMALL);
    check(6, 513, CPU_TILE_I_SMALL);
    for (int order = 2; order <= 6; order += 2)
        check(order, 2 * CPU_TILE_I_SMALL - 1, CPU_TILE_I_SMALL);
}

/* As where a second-level cache has room. */
static void tiles_wide_as_a_panel_are_no_different(void **state)
{
    (void)state;
    for (int order = 2; order <= 6; order += 2)
        check(order, 450, CPU_TILE_I);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_beside_each_other_are_no_different),
        cmocka_unit_test(tiles_wide_as_a_panel_are_no_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
