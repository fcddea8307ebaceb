/* The two pipelines agree to rounding. The fused pipeline gives the same bits with any number of
 * threads, although the number of threads changes the cut into tiles. */
#include "stages/tiles_cpu.h"
#include "support/pipelines.h"

/* Smallest panels, panels of one tile, and panels of several tiles along j, cut at any row. */
static void fused_is_staged_to_rounding(void **state)
{
    (void)state;
    static const int sizes[] = {0, 14, 31, 32, 33, 64, 97};
    for (int order = 2; order <= 6; order += 2)
        for (int k = 0; k < 7; k++) {
            const int smallest = order == 2 ? 4 : order == 4 ? 9 : 13;
            pipelines_case c = {order, SWE_CLOSURE_MOVED, k == 0 ? smallest : sizes[k],
                                CPU_TILE_I_SMALL};
            pipelines_check(c);
            c.closure = SWE_CLOSURE_EQUISPACED;
            pipelines_check(c);
            c.closure = SWE_CLOSURE_PUBLISHED;
            if (order == 4)
                pipelines_check(c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_is_staged_to_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
