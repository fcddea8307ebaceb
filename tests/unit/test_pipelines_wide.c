/* What test_pipelines.c checks, on panels of several tiles beside each other. */
#include "stages/tiles_cpu.h"
#include "support/pipelines.h"

/* Panels that are wider than a tile (CPU_TILE_I, tiles_cpu.h); as wide as two tiles, of which the
 * second has no room to spare in its lines. */
static void tiles_beside_each_other_are_no_different(void **state)
{
    (void)state;
    pipelines_check(4, SWE_CLOSURE_DEFAULT, 530);
    pipelines_check(6, SWE_CLOSURE_DEFAULT, 513);
    for (int order = 2; order <= 6; order += 2)
        pipelines_check(order, SWE_CLOSURE_DEFAULT, 2 * CPU_TILE_I - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_beside_each_other_are_no_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
