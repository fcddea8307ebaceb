/* Single precision against double, on every backend of the build (one of them emulated): steps,
 * what goes to the device and comes back, memory. */
#include "support/check.h"

#include <stdlib.h>

#include "grid/geometry_point.h"
#include "stages/integrals/integrals.h"
#include "support/field.h"
#include "support/whole_state.h"

enum { STEPS = 10 };

static const struct test_case {
    int n, order;
    swe_closure closure;
} cases[] = {{4, 2, SWE_CLOSURE_MOVED},  {31, 2, SWE_CLOSURE_MOVED},     {9, 4, SWE_CLOSURE_MOVED},
             {48, 4, SWE_CLOSURE_MOVED}, {24, 4, SWE_CLOSURE_PUBLISHED}, {13, 6, SWE_CLOSURE_MOVED},
             {40, 6, SWE_CLOSURE_MOVED}};

static swe_model *make(const struct test_case *c, const char *backend, swe_pipeline pipeline,
                       swe_precision precision)
{
    swe_context ctx = {""};
    swe_model *model = NULL;
    const swe_model_options options = {.n = c->n,
                                       .order = c->order,
                                       .closure = c->closure,
                                       .physics = {.gravity = 9.8, .depth = 3.0, .radius = 2.0},
                                       .pipeline = pipeline,
                                       .precision = precision,
                                       .backend = backend,
                                       .threads = 2};
    CHECK_OK(&ctx, swe_model_create(&ctx, &options, &model));
    return model;
}

static double *room_of(const swe_model *model)
{
    double *room = calloc(model_state_size(model), sizeof *room);
    assert_non_null(room);
    return room;
}

/* A smooth hill, and velocities that are the differences of another one. */
static double *smooth_state(const swe_model *model)
{
    const swe_grid *grid = model->grid;
    const swe_layout *layout = &grid->layout;
    double *state = room_of(model);
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                double r[3];
                const ptrdiff_t at = swe_at(layout, p, j, i);
                geometry_position(p, grid->tan_vertex[i], grid->tan_vertex[j], r);
                state[at] = exp(r[0] - 0.5 * r[1] + 0.25 * r[2]);
                state[layout->field + at] = sin(r[0] + 2.0 * r[2]);
                state[2 * layout->field + at] = cos(r[1] - r[2]);
            }
    return state;
}

/* The state after some steps from a smooth one. */
static double *advance(const struct test_case *c, const char *backend, swe_pipeline pipeline,
                       swe_precision precision)
{
    swe_context ctx = {""};
    swe_model *model = make(c, backend, pipeline, precision);
    double *state = smooth_state(model);
    const double dt = 0.3 / swe_model_courant(model, 1.0);
    CHECK_OK(&ctx, model_set_state(&ctx, model, state));
    CHECK_OK(&ctx, swe_model_advance(&ctx, model, dt, STEPS));
    CHECK_OK(&ctx, model_get_state(&ctx, model, state));
    swe_model_destroy(&model);
    return state;
}

/* Close to the field in double precision, and yet another one. */
static void check_field(const swe_layout *layout, field_place place, const double *single,
                        const double *expected)
{
    const double largest = field_max(layout, place, expected);
    double difference = 0.0;
    for (int row = 0; row < SWE_PANELS * field_rows(layout, place); row++)
        for (int i = 0; i < field_columns(layout, place); i++) {
            const ptrdiff_t at = field_row(layout, place, row) + i;
            assert_true(isfinite(single[at]));
            difference = fmax(difference, fabs(single[at] - expected[at]));
        }
    CHECK_WITHIN(difference, 1e-9 * largest, 1e-5 * largest);
}

static void check_steps(const struct test_case *c, const char *backend, swe_pipeline pipeline)
{
    const swe_layout layout = swe_layout_of(c->n);
    double *single = advance(c, backend, pipeline, SWE_PRECISION_SINGLE);
    double *expected = advance(c, backend, pipeline, SWE_PRECISION_DOUBLE);
    check_field(&layout, AT_H, single, expected);
    check_field(&layout, AT_V1, single + layout.field, expected + layout.field);
    check_field(&layout, AT_V2, single + 2 * layout.field, expected + 2 * layout.field);
    free(single);
    free(expected);
}

static void single_is_double_but_for_rounding(void **unused)
{
    (void)unused;
    int backends = 0;
    for (; swe_backend_at(backends) != NULL; backends++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++)
                check_steps(&cases[k], swe_backend_at(backends)->name, (swe_pipeline)pipeline);
    assert_int_equal(backends, 2);
}

/* More than one piece of the way to the device, the last one not whole; what floats cannot hold is
 * rounded, and what they can is kept. */
static void a_state_is_rounded_to_floats_once(void **unused)
{
    (void)unused;
    static const struct test_case large = {61, 4, SWE_CLOSURE_MOVED};
    swe_context ctx = {""};
    for (int k = 0; swe_backend_at(k) != NULL; k++) {
        swe_model *model =
            make(&large, swe_backend_at(k)->name, SWE_PIPELINE_FUSED, SWE_PRECISION_SINGLE);
        const size_t size = model_state_size(model), field = size / 3;
        double *given = room_of(model), *found = room_of(model);
        for (size_t at = 0; at < size; at++)
            given[at] = at < field ? 0.1 : 1.0 / (double)(at + 1);
        CHECK_OK(&ctx, model_set_state(&ctx, model, given));
        CHECK_OK(&ctx, model_get_state(&ctx, model, found));
        for (size_t at = 0; at < size; at++)
            assert_true(found[at] == (double)(float)given[at]);
        CHECK_OK(&ctx, model_set_state(&ctx, model, found));
        CHECK_OK(&ctx, model_get_state(&ctx, model, given));
        CHECK_SAME_BITS(given, found, size);
        free(given);
        free(found);
        swe_model_destroy(&model);
    }
}

/* But for the norms and the integrals of rows. */
static void single_takes_half_the_memory(void **unused)
{
    (void)unused;
    const size_t wide = 8 * (97 + 96 + 6 * 97 * INTEGRALS_VALUES);
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++) {
        const swe_step_plan plan = {.flow = SWE_FLOW_NONROTATING,
                                    .pipeline = (swe_pipeline)pipeline};
        assert_int_equal(swe_model_bytes(96, &plan, SWE_PRECISION_DOUBLE) - wide,
                         2 * (swe_model_bytes(96, &plan, SWE_PRECISION_SINGLE) - wide));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_is_double_but_for_rounding),
        cmocka_unit_test(a_state_is_rounded_to_floats_once),
        cmocka_unit_test(single_takes_half_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
