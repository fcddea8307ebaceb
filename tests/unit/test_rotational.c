/* Rotational flows, linear on a rotating sphere and nonlinear: invariants of the right-hand side in
 * both pipelines, for random states; agreement of the pipelines; and the effect of damping and
 * dissipation. */
#include "support/pipelines.h"
#include "support/rotational.h"

#include "stages/flux_projection/flux_projection_point.h"

static const swe_physics flows[] = {
    {.gravity = 9.8,
     .depth = 0.3,
     .radius = 2.5,
     .rotation = 1.7,
     .axis_lon = 40.0,
     .axis_lat = 35.0},
    {.gravity = 9.8,
     .depth = 2.0,
     .radius = 2.5,
     .equations = SWE_NONLINEAR,
     .rotation = 1.7,
     .axis_lon = 40.0,
     .axis_lat = 35.0,
     .edge_damping = 0.5,
     .dissipation = 0.5},
    {.gravity = 9.8, .depth = 2.0, .radius = 2.5, .equations = SWE_NONLINEAR, .dissipation = 0.1},
};
enum { FLOWS = sizeof flows / sizeof flows[0] };

/* For every flow and closure at its smallest size and others; the fused pipeline too. */
static void for_all_flows(void (*check)(bench *))
{
    for (int flow = 0; flow < FLOWS; flow++)
        for (int order = 2; order <= 6; order += 2)
            for (int k = 0; k < 3; k++)
                for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++) {
                    bench t = bench_of_physics(order, SWE_CLOSURE_MOVED,
                                               rotational_sizes[order / 2 - 1][k], 1, &flows[flow]);
                    t.model->pipeline = (swe_pipeline)pipeline;
                    check(&t);
                    bench_destroy(&t);
                }
}

/* A state of random velocity; of nonlinear equations of positive depth over a random bottom. */
static void set_random_state(bench *t, swe_fields y)
{
    bench_random_state(t, y);
    if (is_nonlinear(t)) {
        rotational_set_bottom(t);
        for (ptrdiff_t at = 0; at < t->layout->field; at++)
            y.h[at] = 2.0 + 0.4 * y.h[at];
    }
    t->stages->projection(t->execution, t->params, y.h);
}

/* dy = f(y). The fused pipeline adds it to y: here with so large a weight that nothing is left. */
static void find_tendency(bench *t, swe_fields y, swe_fields dy)
{
    const double weight = 0x1p60;
    double *sum = t->fields.next.h;
    const swe_work s = t->fields.work;
    if (t->model->pipeline == SWE_PIPELINE_STAGED) {
        bench_rhs(t, y, dy);
        return;
    }
    double *head = is_nonlinear(t) ? s.head : y.h;
    t->stages->transport(t->execution, t->params, 0, weight, y.h, sum, head, s.pv_flux1, s.pv_flux2,
                         s.edge_vorticity);
    t->stages->flux_projection(t->execution, t->params, 0, y.h, sum, head, s.pv_flux1, s.pv_flux2,
                               s.edge_vorticity);
    t->stages->momentum(t->execution, t->params, 0, weight, head, s.pv_flux1, s.pv_flux2, y.h, sum);
    for (ptrdiff_t at = 0; at < 3 * t->layout->field; at++)
        dy.h[at] = sum[at] / weight;
}

/* g (<h, h>/2 + <h, b>) + (<v1, F1> + <v2, F2>)/2, linear: H0 times the latter. */
static double energy_of(bench *t, swe_fields y)
{
    const double gravity = t->model->physics.gravity;
    bench_fluxes_of(t, y.h, y.v1, y.v2);
    const double kinetic = t->params->depth * bench_times_fluxes(t, y.v1, y.v2);
    const double height = quadrature_product_h(&t->q, y.h, y.h);
    const double bottom =
        is_nonlinear(t) ? quadrature_product_h(&t->q, y.h, t->params->bottom) : 0.0;
    return gravity * (0.5 * height + bottom) + 0.5 * kinetic;
}

static double energy_at(bench *t, swe_fields y, swe_fields dy, double s)
{
    double *memory = bench_fields(t, 3);
    const swe_fields moved = swe_fields_at(t->layout, memory);
    for (ptrdiff_t at = 0; at < 3 * t->layout->field; at++)
        memory[at] = y.h[at] + s * dy.h[at];
    const double energy = energy_of(t, moved);
    free(memory);
    return energy;
}

/* The energy is a cubic in the state: its derivative along dy from four values of it. */
static void check_energy(bench *t)
{
    const swe_fields y = t->fields.y, dy = t->fields.k;
    set_random_state(t, y);
    find_tendency(t, y, dy);
    const double change = field_max(t->layout, AT_V1, dy.v1), s = 0.5 / change;
    const double near = energy_at(t, y, dy, s) - energy_at(t, y, dy, -s),
                 far = energy_at(t, y, dy, 2.0 * s) - energy_at(t, y, dy, -2.0 * s);
    const double scale = fabs(near) + fabs(far) + energy_of(t, y);
    CHECK_CLOSE((8.0 * near - far) / 12.0, 0.0, 2e-14 * scale);
}

static void energy_does_not_change(void **state)
{
    (void)state;
    for_all_flows(check_energy);
}

static void check_mass_and_circulation(bench *t)
{
    const swe_fields y = t->fields.y, dy = t->fields.k;
    set_random_state(t, y);
    find_tendency(t, y, dy);
    const double largest =
        fmax(field_max(t->layout, AT_V1, dy.v1), field_max(t->layout, AT_V2, dy.v2));
    CHECK_CLOSE(quadrature_h(&t->q, dy.h), 0.0, 1e-14 * quadrature_absolute_h(&t->q, dy.h));
    CHECK_CLOSE(quadrature_circulation(&t->q, dy.v1, dy.v2), 0.0,
                2e-14 * largest / t->model->grid->spacing);
}

static void mass_and_circulation_do_not_change(void **state)
{
    (void)state;
    for_all_flows(check_mass_and_circulation);
}

static void check_pipelines(int order, int n, const swe_physics *physics)
{
    bench t = bench_of_physics(order, SWE_CLOSURE_MOVED, n, 1, physics);
    double *start = bench_fields(&t, 3);
    set_random_state(&t, swe_fields_at(t.layout, start));
    double *staged = pipelines_steps(&t, SWE_PIPELINE_STAGED, 0.1, start);
    double *fused = pipelines_steps(&t, SWE_PIPELINE_FUSED, 0.1, start);
    pipelines_check_same(&t, fused, staged, 4e-14);
    for (int threads = 2; threads <= 3; threads++) {
        bench shared = bench_of_physics(order, SWE_CLOSURE_MOVED, n, threads, physics);
        swe_context ctx = {""};
        if (is_nonlinear(&t))
            CHECK_OK(&ctx, model_set_bottom(&ctx, shared.model, t.params->bottom));
        double *end = pipelines_steps(&shared, SWE_PIPELINE_FUSED, 0.1, start);
        CHECK_SAME_BITS(end, fused, model_state_size(t.model));
        free(end);
        bench_destroy(&shared);
    }
    free(start);
    free(staged);
    free(fused);
    bench_destroy(&t);
}

/* Smallest panels, panels of one tile, and panels of several tiles, cut at any row. */
static void fused_is_staged_to_rounding(void **state)
{
    (void)state;
    static const int sizes[] = {0, 16, 31, 32, 33, 64, 97, 130};
    for (int flow = 0; flow < FLOWS; flow++)
        for (int order = 2; order <= 6; order += 2)
            for (int k = 0; k < 8; k++) {
                const int smallest = order == 2 ? 4 : order == 4 ? 13 : 15;
                check_pipelines(order, k == 0 ? smallest : sizes[k], &flows[flow]);
            }
}

/* Damping and dissipation, each by itself, on a random state. */
static void check_dissipation(bench *t, bool at_edges)
{
    const swe_fields y = t->fields.y;
    set_random_state(t, y);
    double *before = bench_fields(t, 3);
    memcpy(before, y.h, (size_t)(3 * t->layout->field) * sizeof *before);
    const swe_fields old = swe_fields_at(t->layout, before);
    const double energy = energy_of(t, y), weight = 1e-3;
    if (at_edges)
        t->stages->damping(t->execution, t->params, weight, y.h, y.v1, y.v2, t->fields.next.h);
    else
        t->stages->dissipation(t->execution, t->params, weight, y.h, y.v1, y.v2, t->fields.next.h);
    const double scale = field_max(t->layout, AT_V1, y.v1) / t->model->grid->spacing;
    CHECK_CLOSE(quadrature_circulation(&t->q, y.v1, y.v2),
                quadrature_circulation(&t->q, old.v1, old.v2), 1e-13 * scale);
    field_check_close(t->layout, AT_H, y.h, old.h, 0.0);
    const double lost = energy - energy_of(t, y);
    assert_true(lost > 1e-6 * energy && lost < 0.1 * energy);
    free(before);
}

static void check_dissipations(bench *t)
{
    check_dissipation(t, true);
    check_dissipation(t, false);
}

static void energy_alone_is_dissipated(void **state)
{
    (void)state;
    for_all_flows(check_dissipations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_does_not_change),
        cmocka_unit_test(mass_and_circulation_do_not_change),
        cmocka_unit_test(fused_is_staged_to_rounding),
        cmocka_unit_test(energy_alone_is_dissipated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
