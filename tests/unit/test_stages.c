/* The stages and the right-hand side, on the CPU: each against its definition. */
#include "support/bench.h"

#include "operators/sbp_point.h"

/* All copies of every shared point hold the same bits. */
static void check_single_valued(const bench *t, const double *h)
{
    const swe_topology *topology = &t->params->topology;
    for (int e = 0; e < SWE_EDGES; e++)
        for (int k = 0; k <= t->layout->n; k++) {
            const swe_edge edge = topology->edges[e];
            const int k_b = edge.reversed ? t->layout->n - k : k;
            CHECK_SAME_BITS(
                h + edge.panel_a * t->layout->panel + topology_side_at(t->layout, edge.side_a, k),
                h + edge.panel_b * t->layout->panel + topology_side_at(t->layout, edge.side_b, k_b),
                1);
        }
}

static void check_projection(bench *t)
{
    double *p = bench_fields(t, 4), *q = p + t->layout->field, *h = q + t->layout->field,
           *rest = h + t->layout->field;
    field_random(t->layout, AT_H, &t->random, h);
    field_random(t->layout, AT_H, &t->random, q);
    memcpy(p, h, (size_t)t->layout->field * sizeof(double));
    t->stages->projection(t->execution, t->params, p);
    t->stages->projection(t->execution, t->params, q);
    check_single_valued(t, p);
    for (ptrdiff_t at = 0; at < t->layout->field; at++)
        rest[at] = h[at] - p[at];
    CHECK_CLOSE(quadrature_product_h(&t->q, rest, q), 0.0,
                1e-15 * quadrature_product_h(&t->q, q, q));
    CHECK_CLOSE(quadrature_h(&t->q, rest), 0.0, 1e-15 * quadrature_absolute_h(&t->q, h));
    memcpy(rest, p, (size_t)t->layout->field * sizeof(double));
    t->stages->projection(t->execution, t->params, p);
    CHECK_SAME_BITS(p, rest, t->layout->field);
    free(p);
}

static void projection_is_orthogonal_and_the_second_changes_no_bit(void **state)
{
    (void)state;
    for_all_benches(check_projection);
}

/* Three times a number, divided by three, is not always that number: 1.5 + 2^-51 is an example. */
static void check_projection_of_a_constant(bench *t)
{
    double *p = bench_fields(t, 2), *h = p + t->layout->field;
    for (ptrdiff_t at = 0; at < t->layout->field; at++)
        p[at] = h[at] = 1.5 + 0x1p-51;
    t->stages->projection(t->execution, t->params, p);
    CHECK_SAME_BITS(p, h, t->layout->field);
    free(p);
}

static void projection_of_a_constant_changes_no_bit(void **state)
{
    (void)state;
    for_all_benches(check_projection_of_a_constant);
}

static void check_projection_interior(bench *t)
{
    const int n = t->layout->n;
    double *p = bench_fields(t, 2), *h = p + t->layout->field;
    field_random(t->layout, AT_H, &t->random, h);
    memcpy(p, h, (size_t)t->layout->field * sizeof(double));
    t->stages->projection(t->execution, t->params, p);
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 1; j < n; j++) {
            const ptrdiff_t at = swe_at(t->layout, panel, j, 1);
            CHECK_SAME_BITS(p + at, h + at, n - 1);
        }
    free(p);
}

static void projection_leaves_the_interior_alone(void **state)
{
    (void)state;
    for_all_benches(check_projection_interior);
}

/* The operators anywhere on a line, with the order as a variable. */
static double dvc(const bench *t, int c, const double *f, ptrdiff_t s)
{
    return sbp_dvc(t->params->sbp.order, SBP_ANYWHERE, &t->params->sbp, t->layout->n, c, f + c * s,
                   s);
}

static double pvc(const bench *t, int c, const double *f, ptrdiff_t s)
{
    return sbp_pvc(t->params->sbp.order, SBP_ANYWHERE, &t->params->sbp, t->layout->n, c, f + c * s,
                   s);
}

static double pcv(const bench *t, int v, const double *f, ptrdiff_t s)
{
    return sbp_pcv(t->params->sbp.order, SBP_ANYWHERE, &t->params->sbp, t->layout->n, v, f + v * s,
                   s);
}

static void check_gradient(bench *t)
{
    const swe_fields y = t->fields.y, dy = t->fields.k;
    const swe_fields expected = t->fields.next;
    const double factor = -t->model->physics.gravity / t->model->grid->spacing;
    bench_random_state(t, y);
    t->stages->gradient(t->execution, t->params, y.h, dy.v1, dy.v2);
    for (int row = 0; row < SWE_PANELS * (t->layout->n + 1); row++)
        for (int c = 0; c < t->layout->n; c++) {
            const int panel = row / (t->layout->n + 1), v = row % (t->layout->n + 1);
            expected.v1[swe_at(t->layout, panel, v, c)] =
                factor * dvc(t, c, y.h + swe_at(t->layout, panel, v, 0), 1);
            expected.v2[swe_at(t->layout, panel, c, v)] =
                factor * dvc(t, c, y.h + swe_at(t->layout, panel, 0, v), t->layout->pitch);
        }
    const double within = 1e-14 * field_max(t->layout, AT_V1, dy.v1);
    field_check_close(t->layout, AT_V1, dy.v1, expected.v1, within);
    field_check_close(t->layout, AT_V2, dy.v2, expected.v2, within);
}

static void gradient_is_the_derivative_along_every_line(void **state)
{
    (void)state;
    for_all_benches(check_gradient);
}

/* J g^12 Pcv v_k at the vertices of all panels, into two fields. */
static void find_cross(const bench *t, swe_fields y, double *cross1, double *cross2)
{
    const ptrdiff_t pitch = t->layout->pitch;
    for (int row = 0; row < SWE_PANELS * (t->layout->n + 1); row++)
        for (int i = 0; i <= t->layout->n; i++) {
            const int panel = row / (t->layout->n + 1), j = row % (t->layout->n + 1);
            const ptrdiff_t at = swe_at(t->layout, panel, j, i);
            const double metric = t->params->metric12[j * pitch + i];
            cross1[at] = metric * pcv(t, i, y.v1 + at - i, 1);
            cross2[at] = metric * pcv(t, j, y.v2 + at - j * pitch, pitch);
        }
}

static void check_contravariant(bench *t)
{
    const swe_fields y = t->fields.y, expected = t->fields.next;
    const swe_work work = t->fields.work;
    const ptrdiff_t pitch = t->layout->pitch;
    double *cross = bench_fields(t, 2), *cross2 = cross + t->layout->field;
    bench_random_state(t, y);
    bench_fluxes(t, y.v1, y.v2);
    find_cross(t, y, cross, cross2);
    for (int row = 0; row < SWE_PANELS * (t->layout->n + 1); row++)
        for (int c = 0; c < t->layout->n; c++) {
            const int panel = row / (t->layout->n + 1), v = row % (t->layout->n + 1);
            const ptrdiff_t at1 = swe_at(t->layout, panel, v, c);
            const ptrdiff_t at2 = swe_at(t->layout, panel, c, v);
            expected.v1[at1] = t->params->metric11[v * pitch + c] * y.v1[at1] +
                               pvc(t, c, cross2 + swe_at(t->layout, panel, v, 0), 1);
            expected.v2[at2] = t->params->metric22[c * pitch + v] * y.v2[at2] +
                               pvc(t, c, cross + swe_at(t->layout, panel, 0, v), pitch);
        }
    field_check_close(t->layout, AT_V1, work.f1, expected.v1, 1e-13);
    field_check_close(t->layout, AT_V2, work.f2, expected.v2, 1e-13);
    free(cross);
}

static void contravariant_flux_is_the_metric_with_its_cross_term_at_vertices(void **state)
{
    (void)state;
    for_all_benches(check_contravariant);
}

static void check_rhs_is_single_valued(bench *t)
{
    const swe_fields y = t->fields.y, dy = t->fields.k;
    double *before = bench_fields(t, 3);
    bench_random_state(t, y);
    bench_rhs(t, y, dy);
    check_single_valued(t, y.h);
    check_single_valued(t, dy.h);
    memcpy(before, y.h, 3 * (size_t)t->layout->field * sizeof(double));
    bench_rhs(t, y, dy);
    CHECK_SAME_BITS(y.h, before, 3 * t->layout->field);
    free(before);
}

static void rhs_changes_no_bit_of_a_single_valued_state(void **state)
{
    (void)state;
    for_all_benches(check_rhs_is_single_valued);
}

static void check_set_state(bench *t)
{
    swe_context ctx = {""};
    double *start = bench_fields(t, 3), *found = bench_fields(t, 3);
    bench_random_state(t, swe_fields_at(t->layout, start));
    CHECK_OK(&ctx, model_set_state(&ctx, t->model, start));
    CHECK_OK(&ctx, model_get_state(&ctx, t->model, found));
    t->stages->projection(t->execution, t->params, start);
    CHECK_SAME_BITS(found, start, model_state_size(t->model));
    free(start);
    free(found);
}

static void setting_a_state_makes_its_height_single_valued(void **state)
{
    (void)state;
    for_all_benches(check_set_state);
}

/* next = y + factor k. */
static void step_to(const bench *t, double factor, const double *y, const double *k, double *next)
{
    for (ptrdiff_t at = 0; at < 3 * t->layout->field; at++)
        next[at] = y[at] + factor * k[at];
}

/* y(t + dt) by the textbook: y + dt/6 (k1 + 2 k2 + 2 k3 + k4). */
static void textbook_step(const bench *t, double dt, double *y)
{
    static const double factors[] = {0.5, 0.5, 1.0}, weights[] = {1.0, 2.0, 2.0, 1.0};
    const ptrdiff_t size = 3 * t->layout->field;
    double *memory = bench_fields(t, 9), *k = memory + size, *next = k + size;
    for (int substep = 0; substep < 4; substep++) {
        memcpy(next, y, (size_t)size * sizeof(double));
        if (substep > 0)
            step_to(t, factors[substep - 1] * dt, y, k, next);
        bench_rhs(t, swe_fields_at(t->layout, next), swe_fields_at(t->layout, k));
        step_to(t, weights[substep], memory, k, memory);
    }
    step_to(t, dt / 6.0, y, memory, y);
    free(memory);
}

static void check_rk4(bench *t)
{
    const swe_fields y = t->fields.y;
    const swe_physics *p = &t->model->physics;
    const double dt = /* Courant number 0.5, so that all terms matter */
        0.5 * p->radius * t->model->grid->spacing / sqrt(p->gravity * p->depth);
    double *expected = bench_fields(t, 3);
    bench_random_state(t, y);
    t->stages->projection(t->execution, t->params, y.h);
    memcpy(expected, y.h, 3 * (size_t)t->layout->field * sizeof(double));
    bench_advance(t, dt, 1);
    textbook_step(t, dt, expected);
    const swe_fields e = swe_fields_at(t->layout, expected);
    field_check_close(t->layout, AT_H, y.h, e.h, 1e-13 * field_max(t->layout, AT_H, e.h));
    field_check_close(t->layout, AT_V1, y.v1, e.v1, 1e-13 * field_max(t->layout, AT_V1, e.v1));
    field_check_close(t->layout, AT_V2, y.v2, e.v2, 1e-13 * field_max(t->layout, AT_V2, e.v2));
    free(expected);
}

static void rk4_step_is_the_textbook_one(void **state)
{
    (void)state;
    for_all_benches_and_pipelines(check_rk4);
}

static void poison_state(const bench *t, swe_fields f)
{
    field_poison(t->layout, AT_H, SWE_PANELS, f.h);
    field_poison(t->layout, AT_V1, SWE_PANELS, f.v1);
    field_poison(t->layout, AT_V2, SWE_PANELS, f.v2);
}

/* NaN outside the range of every array of the model. */
static void poison(const bench *t)
{
    const swe_step_fields *f = &t->fields;
    poison_state(t, f->y);
    poison_state(t, f->k);
    for (int k = 0; k < 3; k++)
        poison_state(t, swe_fields_at(t->layout, f->next.h + 3 * k * t->layout->field));
    field_poison(t->layout, AT_H, SWE_PANELS, f->work.cross1);
    field_poison(t->layout, AT_H, SWE_PANELS, f->work.cross2);
    field_poison(t->layout, AT_V1, SWE_PANELS, f->work.f1);
    field_poison(t->layout, AT_V2, SWE_PANELS, f->work.f2);
    /* the parameters are const for stages; the memory belongs to the model */
    field_poison(t->layout, AT_H, 1, (double *)(uintptr_t)t->params->inverse_jacobian);
    field_poison(t->layout, AT_H, 1, (double *)(uintptr_t)t->params->metric12);
    field_poison(t->layout, AT_V1, 1, (double *)(uintptr_t)t->params->metric11);
    field_poison(t->layout, AT_V2, 1, (double *)(uintptr_t)t->params->metric22);
}

static void check_poisoned(bench *t)
{
    swe_context ctx = {""};
    const swe_fields y = t->fields.y;
    double *clean = bench_fields(t, 6), *start = clean + 3 * t->layout->field;
    bench_random_state(t, swe_fields_at(t->layout, start));
    CHECK_OK(&ctx, model_set_state(&ctx, t->model, start));
    bench_advance(t, 0.01, 3);
    CHECK_OK(&ctx, model_get_state(&ctx, t->model, clean));
    poison(t);
    poison_state(t, swe_fields_at(t->layout, start));
    CHECK_OK(&ctx, model_set_state(&ctx, t->model, start));
    bench_advance(t, 0.01, 3);
    const swe_fields expected = swe_fields_at(t->layout, clean);
    assert_true(isfinite(field_max(t->layout, AT_H, expected.h)));
    field_check_same_bits(t->layout, AT_H, y.h, expected.h);
    field_check_same_bits(t->layout, AT_V1, y.v1, expected.v1);
    field_check_same_bits(t->layout, AT_V2, y.v2, expected.v2);
    free(clean);
}

static void nothing_outside_a_fields_range_is_read(void **state)
{
    (void)state;
    for_all_benches_and_pipelines(check_poisoned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_is_orthogonal_and_the_second_changes_no_bit),
        cmocka_unit_test(projection_of_a_constant_changes_no_bit),
        cmocka_unit_test(projection_leaves_the_interior_alone),
        cmocka_unit_test(gradient_is_the_derivative_along_every_line),
        cmocka_unit_test(contravariant_flux_is_the_metric_with_its_cross_term_at_vertices),
        cmocka_unit_test(rhs_changes_no_bit_of_a_single_valued_state),
        cmocka_unit_test(setting_a_state_makes_its_height_single_valued),
        cmocka_unit_test(rk4_step_is_the_textbook_one),
        cmocka_unit_test(nothing_outside_a_fields_range_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
