/* The build without NVTX's headers: nvtx.c is compiled into this program without them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/sources.h"

static void there_is_never_a_tool(void **state)
{
    (void)state;
    static const prof_region regions[] = {{"steps", PROF_PHASE}, {"step", PROF_STEP}};
    prof_nvtx *nvtx = prof_nvtx_create(regions, 2);
    assert_null(nvtx);
    prof_nvtx_destroy(&nvtx);
    assert_null(nvtx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_is_never_a_tool)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
