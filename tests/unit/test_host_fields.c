/* Fields in host memory: values that are set by panels or slabs are read by both, for any
 * blocks. */
#include "support/check.h"

#include "base/memory.h"
#include "state/slabs.h"
#include "support/field.h"
#include "support/whole_state.h"

#include <stdlib.h>
#include <string.h>

enum { N = 40, FIELDS = 2 };

static swe_model *model_of(int blocks_1, int blocks_2)
{
    swe_context ctx = {""};
    const swe_model_options options = {
        .n = N,
        .order = 4,
        .physics = {.equations = SWE_LINEAR, .gravity = 1.0, .depth = 1.0, .radius = 1.0},
        .pipeline = SWE_PIPELINE_FUSED,
        .blocks_1 = blocks_1,
        .blocks_2 = blocks_2,
        .backend = "cpu",
        .threads = 1};
    swe_model *model = NULL;
    CHECK_OK(&ctx, swe_model_create(&ctx, &options, &model));
    return model;
}

static const int blocks[][2] = {{1, 1}, {2, 1}, {1, 3}, {2, 4}};

static void panels_are_got_as_they_were_set(void **state)
{
    (void)state;
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        swe_context ctx = {""};
        swe_model *model = model_of(blocks[b][0], blocks[b][1]);
        const swe_layout layout = model->grid->layout;
        const size_t size = FIELDS * (size_t)layout.field;
        swe_host_fields *fields = NULL;
        double *set = NULL, *got = NULL;
        random_source random = {7};
        CHECK_OK(&ctx, swe_memory_doubles(&ctx, size, &set));
        CHECK_OK(&ctx, swe_memory_doubles(&ctx, size, &got));
        CHECK_OK(&ctx, swe_host_fields_create(&ctx, model, FIELDS, &fields));
        for (int k = 0; k < FIELDS; k++)
            field_random(&layout, AT_H, &random, set + k * layout.field);
        const swe_panels *panels = swe_host_fields_panels(fields);
        const whole_fields to_set = {layout, set}, to_get = {layout, got};
        copy_panels(panels, FIELDS, &to_get, false);
        for (size_t at = 0; at < size; at++)
            assert_true(got[at] == 0.0);
        copy_panels(panels, FIELDS, &to_set, true);
        copy_panels(panels, FIELDS, &to_get, false);
        for (int k = 0; k < FIELDS; k++)
            field_check_same_bits(&layout, AT_H, got + k * layout.field, set + k * layout.field);
        swe_host_fields_destroy(&fields);
        assert_null(fields);
        swe_model_destroy(&model);
        free(set);
        free(got);
    }
}

/* Copy the values of a field between a slab and whole panels. */
static void copy_slab(const swe_slab *slab, const swe_layout *layout, double *whole, bool is_set)
{
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const swe_range rows = swe_slab_rows_of_panel(N, slab->own, panel);
        for (int j = rows.first; j < rows.last; j++) {
            double *a = swe_slab_row(slab, panel, j), *b = whole + swe_at(layout, panel, j, 0);
            memcpy(is_set ? a : b, is_set ? b : a, (N + 1) * sizeof *a);
        }
    }
}

/* A panel of field number 1, which may lie in the fields. */
static void get_panel(const swe_host_fields *fields, int panel, double *out)
{
    const double *values = swe_panels_get(swe_host_fields_panels(fields), 1, panel, out);
    if (values != out)
        memcpy(out, values, (size_t)(N + 1) * (size_t)swe_layout_of(N).pitch * sizeof *out);
}

static void slabs_are_got_as_they_were_set(void **state)
{
    (void)state;
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        swe_context ctx = {""};
        swe_model *model = model_of(blocks[b][0], blocks[b][1]);
        const swe_layout layout = model->grid->layout;
        swe_host_fields *fields = NULL;
        swe_slab slab;
        double *set = NULL, *got = NULL;
        random_source random = {7};
        CHECK_OK(&ctx, swe_memory_doubles(&ctx, (size_t)layout.field, &set));
        CHECK_OK(&ctx, swe_memory_doubles(&ctx, (size_t)layout.field, &got));
        CHECK_OK(&ctx, swe_host_fields_create(&ctx, model, FIELDS, &fields));
        field_random(&layout, AT_H, &random, set);
        CHECK_OK(&ctx, swe_slab_create(&ctx, fields, (swe_margin){0, 0}, &slab));
        swe_slab_turn(fields, 1, &slab);
        copy_slab(&slab, &layout, set, true);
        swe_slab_set(fields, 1, &slab);
        swe_slab_release(&slab);
        for (int panel = 0; panel < SWE_PANELS; panel++)
            get_panel(fields, panel, got + panel * layout.panel);
        field_check_same_bits(&layout, AT_H, got, set);
        CHECK_OK(&ctx, swe_slab_create(&ctx, fields, (swe_margin){3, 5}, &slab));
        swe_slab_get(fields, 1, &slab);
        copy_slab(&slab, &layout, got, false);
        field_check_same_bits(&layout, AT_H, got, set);
        swe_slab_release(&slab);
        swe_host_fields_destroy(&fields);
        swe_model_destroy(&model);
        free(set);
        free(got);
    }
}

/* The model releases lists of fields that their owner does not release. */
static void a_model_has_room_for_some_lists(void **state)
{
    (void)state;
    swe_context ctx = {""};
    swe_model *model = model_of(1, 1);
    swe_host_fields *fields[SWE_MODEL_HOST_FIELDS + 1];
    for (int k = 0; k < SWE_MODEL_HOST_FIELDS; k++)
        CHECK_OK(&ctx, swe_host_fields_create(&ctx, model, 1, &fields[k]));
    assert_int_equal(swe_host_fields_create(&ctx, model, 1, &fields[SWE_MODEL_HOST_FIELDS]),
                     SWE_INTERNAL);
    assert_null(fields[SWE_MODEL_HOST_FIELDS]);
    assert_null(swe_host_fields_panels(NULL));
    swe_host_fields_destroy(&fields[3]);
    CHECK_OK(&ctx, swe_host_fields_create(&ctx, model, 1, &fields[3]));
    swe_model_destroy(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_are_got_as_they_were_set),
        cmocka_unit_test(slabs_are_got_as_they_were_set),
        cmocka_unit_test(a_model_has_room_for_some_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
