/* Regions and the graph nodes that they name; texts by number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sources/cupti/cupti_names.h"

static void nodes_are_named_by_the_innermost_region(void **state)
{
    (void)state;
    prof_cupti_names names = {0};
    prof_cupti_names_node(&names, 1);
    prof_cupti_names_push(&names, (prof_cupti_region){"step", PROF_STEP, false});
    prof_cupti_names_push(&names, (prof_cupti_region){"rhs", PROF_STAGE, true});
    prof_cupti_names_node(&names, 2);
    assert_true(prof_cupti_names_pop(&names));
    prof_cupti_names_node(&names, 3);
    assert_false(prof_cupti_names_pop(&names));
    assert_false(prof_cupti_names_pop(&names)); /* of none */
    assert_null(prof_cupti_names_of_node(&names, 1));
    assert_string_equal(prof_cupti_names_of_node(&names, 2)->name, "rhs");
    assert_string_equal(prof_cupti_names_of_node(&names, 3)->name, "step");
    assert_null(prof_cupti_names_of_node(&names, 0));
    prof_cupti_names_free(&names);
}

/* Two captures of two steps, whose stage "fused" is called twice a step and has two nodes a call.
 */
static void nodes_know_their_step_and_call_within_the_capture(void **state)
{
    (void)state;
    prof_cupti_names names = {0};
    uint64_t node = 0;
    for (int capture = 0; capture < 2; capture++) {
        prof_cupti_names_capture(&names);
        for (int call = 0; call < 4; call++) {
            if (call % 2 == 0)
                prof_cupti_names_push(&names, (prof_cupti_region){"step", PROF_STEP, false});
            prof_cupti_names_push(&names, (prof_cupti_region){"fused", PROF_STAGE, false});
            prof_cupti_names_node(&names, ++node);
            prof_cupti_names_node(&names, ++node);
            prof_cupti_names_pop(&names);
            if (call % 2 == 1)
                prof_cupti_names_pop(&names);
        }
    }
    for (uint64_t k = 0; k < node; k++) {
        const prof_cupti_label *label = prof_cupti_names_of_node(&names, k + 1);
        assert_string_equal(label->name, "fused");
        assert_int_equal(label->step, 1 + k % 8 / 4);
        assert_int_equal(label->call, 1 + k % 8 / 2);
    }
    prof_cupti_names_free(&names);
}

/* A copy is reported as created, in whatever region instantiates the graph, and then as a copy. */
static void copied_nodes_take_the_name_of_the_original(void **state)
{
    (void)state;
    prof_cupti_names names = {0};
    prof_cupti_names_node(&names, 1); /* in no region */
    prof_cupti_names_push(&names, (prof_cupti_region){"gradient", PROF_STAGE, false});
    prof_cupti_names_node(&names, 2);
    prof_cupti_names_pop(&names);
    prof_cupti_names_push(&names, (prof_cupti_region){"setup", PROF_PHASE, false});
    prof_cupti_names_node(&names, 11);
    prof_cupti_names_copy(&names, 11, 1);
    prof_cupti_names_node(&names, 12);
    prof_cupti_names_copy(&names, 12, 2);
    prof_cupti_names_copy(&names, 22, 12);
    assert_null(prof_cupti_names_of_node(&names, 11));
    assert_string_equal(prof_cupti_names_of_node(&names, 12)->name, "gradient");
    assert_string_equal(prof_cupti_names_of_node(&names, 22)->name, "gradient");
    prof_cupti_names_free(&names);
}

static void regions_that_are_too_deep_are_counted(void **state)
{
    (void)state;
    prof_cupti_names names = {0};
    for (int k = 0; k < PROF_CUPTI_DEPTH + 10; k++)
        prof_cupti_names_push(
            &names, (prof_cupti_region){k < PROF_CUPTI_DEPTH ? "kept" : "deep", PROF_STAGE, true});
    prof_cupti_names_node(&names, 1);
    assert_string_equal(prof_cupti_names_of_node(&names, 1)->name, "kept");
    int linked = 0;
    for (int k = 0; k < PROF_CUPTI_DEPTH + 10; k++)
        linked += prof_cupti_names_pop(&names);
    assert_int_equal(linked, PROF_CUPTI_DEPTH);
    assert_int_equal(names.depth, 0);
    prof_cupti_names_free(&names);
}

static void a_map_keeps_every_text_up_to_its_limit(void **state)
{
    (void)state;
    static const char text[PROF_CUPTI_MAP_MOST + 1];
    prof_cupti_map map = {0};
    bool found = true;
    assert_null(prof_cupti_map_get(&map, 5, &found));
    assert_false(found);
    const uint64_t stride = UINT64_C(1) << 33; /* as graph and node make a number */
    for (int k = 0; k < PROF_CUPTI_MAP_MOST; k++)
        assert_true(prof_cupti_map_set(&map, (uint64_t)(k + 1) * stride, &text[k]));
    assert_false(prof_cupti_map_set(&map, 7, &text[0]));
    assert_true(prof_cupti_map_set(&map, stride, &text[9])); /* replaced */
    for (int k = 1; k < PROF_CUPTI_MAP_MOST; k++) {
        assert_ptr_equal(prof_cupti_map_get(&map, (uint64_t)(k + 1) * stride, &found), &text[k]);
        assert_true(found);
    }
    assert_ptr_equal(prof_cupti_map_get(&map, stride, &found), &text[9]);
    assert_null(prof_cupti_map_get(&map, 7, &found));
    assert_false(found);
    prof_cupti_map_free(&map);
}

static void names_of_kernels_are_demangled(void **state)
{
    (void)state;
    prof_cupti_demangle *demangle = prof_cupti_demangle_find();
    assert_non_null(demangle);
    int status = 1;
    char *name = demangle("_Z10rk4_kernelIfEviPd", NULL, NULL, &status);
    assert_int_equal(status, 0);
    assert_string_equal(name, "void rk4_kernel<float>(int, double*)");
    free(name);
    assert_null(demangle("plain_name", NULL, NULL, &status));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_named_by_the_innermost_region),
        cmocka_unit_test(nodes_know_their_step_and_call_within_the_capture),
        cmocka_unit_test(copied_nodes_take_the_name_of_the_original),
        cmocka_unit_test(regions_that_are_too_deep_are_counted),
        cmocka_unit_test(a_map_keeps_every_text_up_to_its_limit),
        cmocka_unit_test(names_of_kernels_are_demangled)};
    return cmocka_run_group_tests_name("cupti: names", tests, NULL, NULL);
}
