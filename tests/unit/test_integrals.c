/* Integrals that a device sums by rows, compared with the quadrature of the host: values, positions
 * of extremes, values that are not finite, padding, and independence of the number of threads. */
#include "support/rotational.h"
#include "support/tracer.h"

#include "diagnostics/integrals.h"
#include "grid/geometry_point.h"
#include "stages/integrals/integrals_point.h"

/* 1/2 <h q, q> of the vorticity that the stages compute. */
static double potential_enstrophy(const bench *t, const double *h, const double *v1,
                                  const double *v2)
{
    const swe_work w = t->fields.work;
    double *flux = bench_fields(t, 2), *q = flux + t->layout->field;
    t->stages->vorticity(t->execution, t->params, v1, v2, w.cross1, w.cross2, t->fields.k.v1,
                         t->fields.k.v2, w.vorticity);
    t->stages->projection(t->execution, t->params, w.vorticity);
    for (int row = 0; row < SWE_PANELS * (t->layout->n + 1); row++)
        for (int i = 0; i <= t->layout->n; i++) {
            const ptrdiff_t at = field_row(t->layout, AT_H, row) + i;
            q[at] = (w.vorticity[at] + t->params->coriolis[at]) / h[at];
            flux[at] = h[at] * q[at];
        }
    const double sum = 0.5 * quadrature_product_h(&t->q, flux, q);
    free(flux);
    return sum;
}

/* Largest |u| + sqrt(g h), with u from Cartesian velocities. Call it after potential_enstrophy,
 * whose stages compute the means of v. */
static double fastest(const bench *t, const double *h)
{
    const swe_work w = t->fields.work;
    double most = 0.0;
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= t->layout->n; j++)
            for (int i = 0; i <= t->layout->n; i++) {
                const ptrdiff_t at = swe_at(t->layout, panel, j, i);
                double u[3];
                geometry_velocity(t->params->radius, panel, t->params->tan_vertex[i],
                                  t->params->tan_vertex[j], w.cross1[at], w.cross2[at], u);
                most = fmax(most, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) +
                                      sqrt(t->params->gravity * h[at]));
            }
    return most;
}

/* Integrals by the quadrature, with the fluxes of the bench's model. */
static swe_integrals integrals(const bench *t, const double *state)
{
    const swe_physics *p = &t->model->physics;
    const double *h = state, *v1 = h + t->layout->field, *v2 = v1 + t->layout->field;
    bench_fluxes_of(t, h, v1, v2);
    swe_integrals b = {.mass = quadrature_h(&t->q, h),
                       .mass_scale = quadrature_absolute_h(&t->q, h),
                       .energy = 0.5 * p->gravity * quadrature_product_h(&t->q, h, h) +
                                 0.5 * t->params->depth * bench_times_fluxes(t, v1, v2),
                       .circulation = quadrature_circulation(&t->q, v1, v2),
                       .shear = quadrature_shear(&t->q, v1, v2),
                       .fastest.value = -1.0};
    if (is_nonlinear(t)) {
        b.energy += p->gravity * quadrature_product_h(&t->q, h, t->params->bottom);
        b.potential_enstrophy = potential_enstrophy(t, h, v1, v2);
        b.fastest.value = fastest(t, h);
    }
    return b;
}

static double at(const bench *t, const double *h, swe_extreme extreme)
{
    return h[swe_at(t->layout, extreme.panel, extreme.j, extreme.i)];
}

static double least(const bench *t, const double *h)
{
    double low = INFINITY;
    for (int row = 0; row < SWE_PANELS * (t->layout->n + 1); row++)
        for (int i = 0; i <= t->layout->n; i++)
            low = fmin(low, h[field_row(t->layout, AT_H, row) + i]);
    return low;
}

static void check_integrals(const swe_integrals *found, const swe_integrals *expected,
                            double within)
{
    CHECK_CLOSE(found->mass, expected->mass, within * expected->mass_scale);
    CHECK_CLOSE(found->mass_scale, expected->mass_scale, within * expected->mass_scale);
    CHECK_CLOSE(found->energy, expected->energy, within * expected->energy);
    /* linear in v, without a metric: in double for either precision */
    CHECK_CLOSE(found->circulation, expected->circulation, 2e-15 * expected->shear);
    CHECK_CLOSE(found->shear, expected->shear, within * expected->shear);
    /* the quadrature computes the vorticity in double for either precision */
    CHECK_CLOSE(found->potential_enstrophy, expected->potential_enstrophy,
                10.0 * within * expected->potential_enstrophy);
    CHECK_CLOSE(found->fastest.value, expected->fastest.value,
                within * fabs(expected->fastest.value));
}

static swe_model *model_of(const bench *t, swe_precision precision, int threads)
{
    swe_context ctx = {""};
    swe_model *model = NULL;
    const swe_model_options options = {.n = t->layout->n,
                                       .order = t->model->sbp->order,
                                       .closure = t->model->closure,
                                       .physics = t->model->physics,
                                       .precision = precision,
                                       .backend = "cpu",
                                       .threads = threads};
    CHECK_OK(&ctx, swe_model_create(&ctx, &options, &model));
    return model;
}

/* The state is the state of the model: rounded to the model's precision, and projected. */
static void check_against_quadrature(bench *t, swe_precision precision, double within)
{
    swe_context ctx = {""};
    swe_integrals found;
    swe_model *model = model_of(t, precision, 1);
    double *state = rotational_state(t);
    if (is_nonlinear(t))
        CHECK_OK(&ctx, model_set_bottom(&ctx, model, t->params->bottom));
    CHECK_OK(&ctx, model_set_state(&ctx, model, state));
    CHECK_OK(&ctx, model_get_state(&ctx, model, state));
    CHECK_OK(&ctx, swe_integrals_measure(&ctx, model, &found));
    const swe_integrals expected = integrals(t, state);
    check_integrals(&found, &expected, within);
    CHECK_CLOSE(found.highest.value, field_max(t->layout, AT_H, state), 0.0);
    CHECK_CLOSE(fabs(at(t, state, found.highest)), found.highest.value, 0.0);
    CHECK_CLOSE(at(t, state, found.lowest), found.lowest.value, 0.0);
    CHECK_CLOSE(found.lowest.value, least(t, state), 0.0);
    free(state);
    swe_model_destroy(&model);
}

static void check_double(bench *t)
{
    check_against_quadrature(t, SWE_PRECISION_DOUBLE, 2e-15);
}

static void integrals_are_those_of_the_quadrature(void **state)
{
    (void)state;
    for_all_benches(check_double);
    for_all_rotational(check_double);
}

/* The metric and the operators are rounded, the sums are not. */
static void check_single(bench *t)
{
    check_against_quadrature(t, SWE_PRECISION_SINGLE, 1e-7);
}

static void single_precision_is_summed_in_double(void **state)
{
    (void)state;
    for_all_benches(check_single);
    for_all_rotational(check_single);
}

/* Rows longer than one block of SIMD sums. */
static void long_rows_are_summed_too(void **state)
{
    (void)state;
    bench t = bench_of(4, SWE_CLOSURE_MOVED, 300);
    check_double(&t);
    check_single(&t);
    bench_destroy(&t);
    t = rotational_bench(4, 300);
    check_double(&t);
    bench_destroy(&t);
}

/* Integrals of the bench's model; the test modifies its state in place. */
static swe_integrals measure(bench *t)
{
    swe_context ctx = {""};
    swe_integrals found;
    CHECK_OK(&ctx, swe_integrals_measure(&ctx, t->model, &found));
    return found;
}

static void check_place(const swe_integrals *found, int panel, int j, int i)
{
    assert_int_equal(found->highest.panel, panel);
    assert_int_equal(found->highest.j, j);
    assert_int_equal(found->highest.i, i);
}

static void the_first_of_the_largest_heights_is_found(void **state)
{
    (void)state;
    bench t = bench_of(2, SWE_CLOSURE_MOVED, 70);
    double *h = t.fields.y.h;
    h[swe_at(t.layout, 5, 3, 0)] = h[swe_at(t.layout, 4, 70, 69)] = -2.0;
    h[swe_at(t.layout, 4, 70, 40)] = h[swe_at(t.layout, 4, 70, 70)] = 2.0;
    h[swe_at(t.layout, 0, 0, 70)] = 1.0;
    swe_integrals found = measure(&t);
    check_place(&found, 4, 70, 40);
    CHECK_CLOSE(found.highest.value, 2.0, 0.0);
    memset(h, 0, (size_t)t.layout->field * sizeof *h);
    found = measure(&t);
    check_place(&found, 0, 0, 0);
    CHECK_CLOSE(found.highest.value, 0.0, 0.0);
    bench_destroy(&t);
}

/* One value in the same row as a larger height, another in the same SIMD element. */
static void the_first_height_that_is_not_finite_is_found(void **state)
{
    (void)state;
    static const double values[] = {NAN, -INFINITY};
    for (int k = 0; k < 2; k++) {
        bench t = bench_of(4, SWE_CLOSURE_MOVED, 70);
        double *h = t.fields.y.h;
        h[swe_at(t.layout, 1, 2, 3)] = h[swe_at(t.layout, 3, 1, 34)] = 1e300;
        h[swe_at(t.layout, 3, 1, 66)] = values[k];
        h[swe_at(t.layout, 3, 1, 69)] = values[1 - k];
        h[swe_at(t.layout, 3, 2, 0)] = values[1 - k];
        const swe_integrals found = measure(&t);
        check_place(&found, 3, 1, 66);
        assert_true(isnan(values[k]) ? isnan(found.highest.value) : isinf(found.highest.value));
        bench_destroy(&t);
    }
}

static void a_velocity_that_is_not_finite_shows_in_the_energy(void **state)
{
    (void)state;
    for (int field = 1; field <= 2; field++) {
        bench t = bench_of(6, SWE_CLOSURE_MOVED, 16);
        t.fields.y.h[field * t.layout->field + swe_at(t.layout, 2, 15, 15)] = NAN;
        const swe_integrals found = measure(&t);
        assert_false(isfinite(found.energy));
        assert_true(found.highest.value == 0.0);
        bench_destroy(&t);
    }
}

static void check_poisoned(bench *t)
{
    swe_context ctx = {""};
    const size_t bytes =
        (size_t)SWE_PANELS * ((size_t)t->layout->n + 1) * INTEGRALS_VALUES * sizeof(double);
    const double *rows = NULL;
    double *state = rotational_state(t);
    memcpy(t->fields.y.h, state, 3 * (size_t)t->layout->field * sizeof *state);
    free(state);
    CHECK_OK(&ctx, swe_model_get_integrals(&ctx, t->model, SWE_TERMS, 0.0, &rows));
    double *before = malloc(bytes);
    assert_non_null(before);
    memcpy(before, rows, bytes);
    field_poison(t->layout, AT_H, SWE_PANELS, t->fields.y.h);
    field_poison(t->layout, AT_V1, SWE_PANELS, t->fields.y.v1);
    field_poison(t->layout, AT_V2, SWE_PANELS, t->fields.y.v2);
    /* the parameters are const for stages; the memory belongs to the model */
    field_poison(t->layout, AT_H, 1, (double *)(uintptr_t)t->params->inverse_jacobian);
    field_poison(t->layout, AT_H, 1, (double *)(uintptr_t)t->params->metric12);
    field_poison(t->layout, AT_V1, 1, (double *)(uintptr_t)t->params->metric11);
    field_poison(t->layout, AT_V2, 1, (double *)(uintptr_t)t->params->metric22);
    if (is_nonlinear(t)) {
        field_poison(t->layout, AT_H, SWE_PANELS, (double *)(uintptr_t)t->params->bottom);
        field_poison(t->layout, AT_H, SWE_PANELS, (double *)(uintptr_t)t->params->coriolis);
    }
    memset(t->model->integrals, 0xff, bytes);
    CHECK_OK(&ctx, swe_model_get_integrals(&ctx, t->model, SWE_TERMS, 0.0, &rows));
    assert_memory_equal(rows, before, bytes);
    free(before);
}

static void nothing_outside_a_fields_range_is_read(void **state)
{
    (void)state;
    for_all_benches(check_poisoned);
    for_all_rotational(check_poisoned);
}

static void check_threads(bench *t, swe_precision precision)
{
    swe_context ctx = {""};
    const size_t bytes =
        (size_t)SWE_PANELS * ((size_t)t->layout->n + 1) * INTEGRALS_VALUES * sizeof(double);
    double *state = rotational_state(t);
    swe_model *models[3];
    const double *rows[3];
    for (int k = 0; k < 3; k++) {
        models[k] = model_of(t, precision, k + 1);
        CHECK_OK(&ctx, model_set_state(&ctx, models[k], state));
        CHECK_OK(&ctx, swe_model_get_integrals(&ctx, models[k], SWE_TERMS, 0.0, &rows[k]));
        assert_memory_equal(rows[k], rows[0], bytes);
    }
    for (int k = 0; k < 3; k++)
        swe_model_destroy(&models[k]);
    free(state);
}

static void the_number_of_threads_changes_no_bit(void **state)
{
    (void)state;
    bench t = bench_of(4, SWE_CLOSURE_MOVED, 37);
    check_threads(&t, SWE_PRECISION_DOUBLE);
    check_threads(&t, SWE_PRECISION_SINGLE);
    bench_destroy(&t);
    t = rotational_bench(4, 37);
    check_threads(&t, SWE_PRECISION_DOUBLE);
    bench_destroy(&t);
}

/* Mass, greatest and least concentration of an advected field. */
static void an_advected_field_has_its_own_integrals(void **state)
{
    (void)state;
    swe_context ctx = {""};
    swe_integrals found;
    swe_model *model = NULL;
    bench t = rotational_bench(4, 37);
    const swe_model_options options = {.n = 37,
                                       .order = 4,
                                       .fields = fields_with_a_tracer(),
                                       .physics = t.model->physics,
                                       .backend = "cpu",
                                       .threads = 2};
    CHECK_OK(&ctx, swe_model_create(&ctx, &options, &model));
    const ptrdiff_t field = t.layout->field, at = swe_at(t.layout, 3, 20, 36),
                    low = swe_at(t.layout, 1, 5, 7);
    double *flow = rotational_state(&t), *all = calloc((size_t)(4 * field), sizeof *all);
    assert_non_null(all);
    memcpy(all, flow, (size_t)(3 * field) * sizeof *all);
    double *q = all + 3 * field;
    for (ptrdiff_t k = 0; k < field; k++)
        q[k] = 0.5 * all[k];
    q[at] = 0.75 * all[at];
    q[low] = -0.25 * all[low];
    CHECK_OK(&ctx, model_set_state(&ctx, model, all));
    CHECK_OK(&ctx, swe_integrals_measure(&ctx, model, &found));
    const swe_field_integrals dye = swe_integrals_of_field(model, 3);
    CHECK_CLOSE(dye.mass, quadrature_h(&t.q, q), 1e-14 * fabs(dye.mass));
    assert_true(dye.greatest.value == 0.75 && dye.greatest.panel == 3 && dye.greatest.j == 20 &&
                dye.greatest.i == 36);
    assert_true(dye.least.value == -0.25 && dye.least.panel == 1 && dye.least.j == 5 &&
                dye.least.i == 7);
    free(all);
    free(flow);
    swe_model_destroy(&model);
    bench_destroy(&t);
}

/* Compensation within SIMD elements, and of their final sum. */
static void a_row_is_summed_with_compensation(void **state)
{
    (void)state;
    integrals_lanes lanes = {.value[INTEGRALS_MASS] = {1.0, 1e16, 1.0, -1e16},
                             .lost[INTEGRALS_MASS] = {0.0, 0.5}};
    assert_true(integrals_total(&lanes, INTEGRALS_MASS) == 2.5);
    assert_true(integrals_total(&lanes, INTEGRALS_SHEAR) == 0.0);
}

/* Points 3, 35 and 67 of a row belong to one SIMD element; the first and the last have equal
 * weights.
 */
static void a_simd_element_is_summed_with_compensation(void **state)
{
    (void)state;
    bench t = bench_of(4, SWE_CLOSURE_MOVED, 70);
    double *row = t.fields.y.h + swe_at(t.layout, 2, 10, 0);
    row[35] = 1.0;
    const double alone = measure(&t).mass;
    row[3] = 1e20;
    row[67] = -1e20;
    assert_true(alone > 0.0);
    CHECK_CLOSE(measure(&t).mass, alone, 0.0);
    bench_destroy(&t);
}

/* Rows with terms of very different size that cancel: the errors do not exceed the errors of the
 * quadrature. */
static void check_wild(bench *t)
{
    swe_context ctx = {""};
    swe_integrals found;
    const ptrdiff_t half = t->layout->field / 2;
    double *state = rotational_state(t);
    for (ptrdiff_t at = 0; at < half; at++) {
        state[at] *= exp2(30.0 * random_next(&t->random));
        state[at + half] = -state[at];
    }
    memcpy(t->fields.y.h, state, 3 * (size_t)t->layout->field * sizeof *state);
    CHECK_OK(&ctx, swe_integrals_measure(&ctx, t->model, &found));
    CHECK_CLOSE(found.mass, 0.0, 1e-30 * found.mass_scale);
    free(state);
}

static void mass_that_cancels_is_zero(void **state)
{
    (void)state;
    for_all_benches(check_wild);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrals_are_those_of_the_quadrature),
        cmocka_unit_test(single_precision_is_summed_in_double),
        cmocka_unit_test(long_rows_are_summed_too),
        cmocka_unit_test(the_first_of_the_largest_heights_is_found),
        cmocka_unit_test(the_first_height_that_is_not_finite_is_found),
        cmocka_unit_test(a_velocity_that_is_not_finite_shows_in_the_energy),
        cmocka_unit_test(nothing_outside_a_fields_range_is_read),
        cmocka_unit_test(the_number_of_threads_changes_no_bit),
        cmocka_unit_test(an_advected_field_has_its_own_integrals),
        cmocka_unit_test(a_row_is_summed_with_compensation),
        cmocka_unit_test(a_simd_element_is_summed_with_compensation),
        cmocka_unit_test(mass_that_cancels_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
