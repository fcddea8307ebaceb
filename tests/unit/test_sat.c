/* The SAT: its consensus flux, and the identity on which the whole pipeline rests: with any flux
 * that the two sides of an edge share, divergence, SAT and projection are the projected weak
 * divergence. */
#include "support/bench.h"

#include "operators/sbp_point.h"
#include "stages/sat/sat_point.h"

/* out = -H0/J times the weak divergence -Hv^-1 Dvc^T Hc F, from the columns of Dvc. */
static void weak_divergence(const bench *t, const double *f1, const double *f2, double *out)
{
    const int n = t->layout->n;
    double unit[64] = {0.0};
    memset(out, 0, (size_t)t->layout->field * sizeof(double));
    for (int v = 0; v <= n; v++) {
        unit[v] = 1.0;
        for (int c = 0; c < n; c++) {
            const double weight =
                sbp_dvc(t->params->sbp.order, SBP_ANYWHERE, &t->params->sbp, n, c, unit + c, 1) *
                swe_sbp_cell_norm(&t->params->sbp, n, c) /
                swe_sbp_vertex_norm(&t->params->sbp, n, v);
            for (int panel = 0; panel < SWE_PANELS && weight != 0.0; panel++)
                for (int k = 0; k <= n; k++) {
                    out[swe_at(t->layout, panel, k, v)] +=
                        weight * f1[swe_at(t->layout, panel, k, c)];
                    out[swe_at(t->layout, panel, v, k)] +=
                        weight * f2[swe_at(t->layout, panel, c, k)];
                }
        }
        unit[v] = 0.0;
    }
    for (ptrdiff_t at = 0; at < t->layout->field; at++)
        out[at] *= t->params->depth * t->params->inverse_spacing *
                   t->params->inverse_jacobian[at % t->layout->panel];
}

/* The SAT as the product does it, with the flux `consensus` (12, n + 1). */
static void add_sat(const bench *t, const double *consensus, double *dh)
{
    const int n = t->layout->n, order = t->params->sbp.order;
    const swe_work work = t->fields.work;
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int side = 0; side < SWE_SIDES; side++) {
            const int skip = side == SWE_WEST || side == SWE_EAST; /* they do not own the corners */
            for (int k = skip; k <= n - skip; k++)
                dh[panel * t->layout->panel + topology_side_at(t->layout, side, k)] +=
                    sat_vertex_point(order, t->params, work.f1, work.f2, consensus, panel, side, k);
        }
}

static void check_projected(bench *t, double *dh, double *weak)
{
    t->stages->projection(t->execution, t->params, dh);
    t->stages->projection(t->execution, t->params, weak);
    field_check_close(t->layout, AT_H, dh, weak, 1e-12 * field_max(t->layout, AT_H, weak));
}

static void check_any_flux(bench *t)
{
    const swe_fields y = t->fields.y;
    const swe_work work = t->fields.work;
    double consensus[SWE_EDGES * 64], *dh = bench_fields(t, 2), *weak = dh + t->layout->field;
    bench_random_state(t, y);
    bench_fluxes(t, y.v1, y.v2);
    random_fill(&t->random, SWE_EDGES * (t->layout->n + 1), consensus);
    t->stages->divergence(t->execution, t->params, work.f1, work.f2, dh);
    add_sat(t, consensus, dh);
    weak_divergence(t, work.f1, work.f2, weak);
    check_projected(t, dh, weak);
    free(dh);
}

static void sat_with_any_flux_and_projection_give_the_weak_divergence(void **state)
{
    (void)state;
    for_all_benches(check_any_flux);
}

static void check_own_flux(bench *t)
{
    const swe_fields y = t->fields.y;
    const swe_work work = t->fields.work;
    double *dh = bench_fields(t, 3), *weak = dh + t->layout->field,
           *by_hand = weak + t->layout->field;
    bench_random_state(t, y);
    bench_fluxes(t, y.v1, y.v2);
    t->stages->divergence(t->execution, t->params, work.f1, work.f2, dh);
    memcpy(by_hand, dh, (size_t)t->layout->field * sizeof(double));
    t->stages->sat(t->execution, t->params, y.h, y.v1, y.v2, work.f1, work.f2, work.edge, dh);
    add_sat(t, work.edge, by_hand);
    field_check_close(t->layout, AT_H, by_hand, dh, 1e-13 * field_max(t->layout, AT_H, dh));
    weak_divergence(t, work.f1, work.f2, weak);
    check_projected(t, dh, weak);
    free(dh);
}

static void sat_with_the_consensus_flux_and_projection_give_the_weak_divergence(void **state)
{
    (void)state;
    for_all_benches(check_own_flux);
}

/* Outward flux of a Cartesian velocity at place k of a side. */
static double outward_flux(const bench *t, int panel, int side, int k, const double velocity[3])
{
    const double x = sat_tan1(t->params, side, k), y = sat_tan2(t->params, side, k);
    const double flux = side == SWE_WEST || side == SWE_EAST
                            ? geometry_flux1(t->params->radius, panel, x, y, velocity)
                            : geometry_flux2(t->params->radius, panel, x, y, velocity);
    return side == SWE_EAST || side == SWE_NORTH ? flux : -flux;
}

/* The mean velocity of the two sides, by either side's own metric. */
static void check_consensus_at(const bench *t, const swe_edge *e, int k, double found)
{
    const swe_fields y = t->fields.y;
    const int order = t->params->sbp.order, k_b = e->reversed ? t->layout->n - k : k;
    const ptrdiff_t at_a = e->panel_a * t->layout->panel, at_b = e->panel_b * t->layout->panel;
    double a[3], b[3], mean[3];
    sat_velocity_point(order, t->params, y.v1 + at_a, y.v2 + at_a, e->panel_a, e->side_a, k, a);
    sat_velocity_point(order, t->params, y.v1 + at_b, y.v2 + at_b, e->panel_b, e->side_b, k_b, b);
    for (int m = 0; m < 3; m++)
        mean[m] = 0.5 * (a[m] + b[m]);
    CHECK_CLOSE(found, outward_flux(t, e->panel_a, e->side_a, k, mean), 1e-13);
    CHECK_CLOSE(found, -outward_flux(t, e->panel_b, e->side_b, k_b, mean), 1e-13);
}

static void check_consensus(bench *t)
{
    const swe_fields y = t->fields.y;
    const swe_work work = t->fields.work;
    double *dh = bench_fields(t, 1);
    bench_random_state(t, y);
    bench_fluxes(t, y.v1, y.v2);
    t->stages->sat(t->execution, t->params, y.h, y.v1, y.v2, work.f1, work.f2, work.edge, dh);
    for (int e = 0; e < SWE_EDGES; e++)
        for (int k = 0; k <= t->layout->n; k++)
            check_consensus_at(t, &t->params->topology.edges[e], k,
                               work.edge[e * (t->layout->n + 1) + k]);
    free(dh);
}

static void consensus_flux_is_that_of_the_mean_velocity_for_both_sides(void **state)
{
    (void)state;
    for_all_benches(check_consensus);
}

/* Covariant components v . a_k of a rigid rotation about the x + y + z axis. */
static double rotation_component(const bench *t, int panel, int k, double x, double y)
{
    double r[3], basis[3];
    const double delta2 = geometry_delta2(x, y), delta = sqrt(delta2);
    geometry_position(panel, x, y, r);
    const double v[3] = {r[2] - r[1], r[0] - r[2], r[1] - r[0]};
    const double along = k == 1 ? 1.0 + x * x : 1.0 + y * y;
    for (int m = 0; m < 3; m++) /* a_k = a (1 + tan^2) (e_k - tan_k r / delta) / delta */
        basis[m] = t->params->radius * along / delta *
                   (geometry_frame(panel, k, m) - (k == 1 ? x : y) / delta * r[m]);
    return v[0] * basis[0] + v[1] * basis[1] + v[2] * basis[2];
}

static void set_rotation(const bench *t)
{
    const swe_grid *grid = t->model->grid;
    const swe_fields y = t->fields.y;
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int v = 0; v <= t->layout->n; v++)
            for (int c = 0; c < t->layout->n; c++) {
                const double at_vertex = grid->tan_vertex[v], at_cell = grid->tan_cell[c];
                y.v1[swe_at(t->layout, panel, v, c)] =
                    rotation_component(t, panel, 1, at_cell, at_vertex);
                y.v2[swe_at(t->layout, panel, c, v)] =
                    rotation_component(t, panel, 2, at_vertex, at_cell);
            }
}

/* Largest error of the consensus flux of a rigid rotation. */
static double consensus_error(int order, swe_closure closure, int n)
{
    bench t = bench_of(order, closure, n);
    const swe_fields y = t.fields.y;
    const swe_work work = t.fields.work;
    double *dh = bench_fields(&t, 1), largest = 0.0;
    set_rotation(&t);
    bench_fluxes(&t, y.v1, y.v2);
    t.stages->sat(t.execution, t.params, y.h, y.v1, y.v2, work.f1, work.f2, work.edge, dh);
    for (int e = 0; e < SWE_EDGES; e++)
        for (int k = 0; k <= n; k++) {
            const swe_edge edge = t.params->topology.edges[e];
            double r[3];
            geometry_position(edge.panel_a, sat_tan1(t.params, edge.side_a, k),
                              sat_tan2(t.params, edge.side_a, k), r);
            const double v[3] = {r[2] - r[1], r[0] - r[2], r[1] - r[0]};
            const double exact = outward_flux(&t, edge.panel_a, edge.side_a, k, v);
            largest = fmax(largest, fabs(work.edge[e * (n + 1) + k] - exact));
        }
    free(dh);
    bench_destroy(&t);
    return largest;
}

/* Normal components are extrapolated to degree p = order/2, tangential ones interpolated to p - 1.
 */
static void consensus_flux_of_a_smooth_flow_converges_to_the_exact_flux(void **state)
{
    (void)state;
    for (int order = 2; order <= 6; order += 2) {
        const double coarse = consensus_error(order, SWE_CLOSURE_MOVED, 24);
        const double fine = consensus_error(order, SWE_CLOSURE_MOVED, 48);
        CHECK_WITHIN(log2(coarse / fine), 0.5 * order - 0.2, order + 1.0);
        CHECK_WITHIN(fine, 0.0, 0.2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sat_with_any_flux_and_projection_give_the_weak_divergence),
        cmocka_unit_test(sat_with_the_consensus_flux_and_projection_give_the_weak_divergence),
        cmocka_unit_test(consensus_flux_is_that_of_the_mean_velocity_for_both_sides),
        cmocka_unit_test(consensus_flux_of_a_smooth_flow_converges_to_the_exact_flux),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
