/* The two pipelines: to the same numbers but for rounding; the fused one, whose tiles differ with
 * the number of threads, to the same bits with any: substep by substep and, as it takes a state
 * that streams from memory, two substeps in a sweep. */
#include "stages/tiles_cpu.h"
#include "support/pipelines.h"

/* Smallest panels, panels of one tile, and of several along j that are cut anywhere. */
static void fused_is_staged_to_rounding(void **state)
{
    (void)state;
    static const int sizes[] = {0, 12, 31, 32, 33, 64, 97};
    for (int order = 2; order <= 6; order += 2)
        for (int k = 0; k < 7; k++) {
            const int smallest = order == 2 ? 4 : order == 4 ? 7 : 11;
            pipelines_case c = {order, SWE_CLOSURE_DEFAULT, k == 0 ? smallest : sizes[k],
                                CPU_TILE_I_SMALL};
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
