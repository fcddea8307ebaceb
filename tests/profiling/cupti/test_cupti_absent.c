/* Without CUPTI there is one warning and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sources/sources.h"

static void a_build_without_cupti_says_so_and_records_nothing(void **state)
{
    (void)state;
    static swe_log log;
    prof_cupti *cupti = prof_cupti_create(1000, &log);
    assert_null(cupti);
    assert_int_equal(log.count, 1);
    assert_non_null(strstr(log.line[0], "no CUPTI"));
    prof_trace *trace = prof_trace_create();
    assert_false(prof_cupti_start(cupti, &log));
    prof_cupti_push(cupti, (prof_region){"region", PROF_PHASE}, 0);
    prof_cupti_pop(cupti);
    prof_cupti_stop(cupti, trace, &log);
    prof_cupti_destroy(&cupti);
    assert_int_equal(trace->op_count + trace->call_count, 0);
    assert_int_equal(log.count, 1);
    prof_trace_destroy(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_build_without_cupti_says_so_and_records_nothing)};
    return cmocka_run_group_tests_name("cupti: absent", tests, NULL, NULL);
}
