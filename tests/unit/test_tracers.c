/* Passive tracers: a constant stays constant, mass and square stay, pipelines agree, the flow does
 * not change, a smooth tracer converges, and initial shapes. */
#include "support/config_case.h"

#include "base/memory.h"
#include "diagnostics/integrals.h"
#include "support/quadrature.h"
#include "support/whole_state.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "run/start.h"

enum { CONSTANT = SWE_FLOW_FIELDS, SMOOTH, CYLINDER, FIELDS };

/* A steady flow whose axis is oblique to the grid, or an unsteady flow over a mountain. */
#define PHYSICS                                                                                    \
    "physics: {model: nonlinear, gravity: 9.80616, depth: 2998.1154702758267, radius: 6371220.0, " \
    "rotation: 7.292e-5, axis_lon: 180.0, axis_lat: 45.0}\n"
#define TRACERS                                                                                    \
    "tracers:\n"                                                                                   \
    "  - {name: one, initial: {kind: constant, amplitude: 1.0}}\n"                                 \
    "  - name: smooth\n"                                                                           \
    "    initial: {kind: gaussian, lon: 250.0, lat: 20.0, radius: 0.7, background: 0.25}\n"        \
    "  - name: cylinder\n"                                                                         \
    "    initial: {kind: slotted_cylinder, lon: 90.0, lat: -30.0, radius: 0.6}\n"
#define STEADY   "initial: {kind: williamson2, period: 1036800.0}\n"
#define MOUNTAIN "initial: {kind: williamson5}\n"
#define TIME     "time: {end: 86400.0, courant: 0.4}\n"

/* A case and its model after some time. */
typedef struct flow {
    swe_config *config;
    swe_model *model;
    double *state;
} flow;

static flow flow_of(const char *text, const char *const *set, int set_count, int threads)
{
    swe_context ctx = {""};
    flow f = {.config = case_load(text, set, set_count)};
    const swe_initial initial = swe_config_initial(f.config);
    const swe_model_options options = swe_config_model(f.config, "cpu", threads, NULL);
    swe_case *test_case = NULL;
    CHECK_OK(&ctx, swe_model_create(&ctx, &options, &f.model));
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, model_state_size(f.model), &f.state));
    CHECK_OK(&ctx, swe_case_create(&ctx, &initial, &f.model->physics, &test_case));
    CHECK_OK(&ctx, swe_start_model(&ctx, f.config, test_case, f.model));
    CHECK_OK(&ctx, model_get_state(&ctx, f.model, f.state));
    swe_case_destroy(&test_case);
    return f;
}

static void run(flow *f, long most_steps)
{
    swe_context ctx = {""};
    long steps = 0;
    const double dt = swe_config_schedule(f->config, &steps);
    CHECK_OK(&ctx, swe_model_advance(&ctx, f->model, dt, steps < most_steps ? steps : most_steps));
    CHECK_OK(&ctx, model_get_state(&ctx, f->model, f->state));
}

static void flow_destroy(flow *f)
{
    swe_model_destroy(&f->model);
    swe_config_destroy(&f->config);
    free(f->state);
}

static const double *field_of(const flow *f, int field)
{
    return f->state + field * f->model->grid->layout.field;
}

static double concentration(const flow *f, int field, int panel, int j, int i)
{
    const ptrdiff_t at = swe_at(&f->model->grid->layout, panel, j, i);
    return field_of(f, field)[at] / f->state[at];
}

/* For each order and pipeline, an unsteady flow. */
static void for_all_schemes(const char *text, void (*check)(flow *f))
{
    static const char *const orders[] = {"grid.order=2", "grid.order=4", "grid.order=6"};
    static const char *const pipelines[] = {"scheme.pipeline=fused", "scheme.pipeline=staged"};
    for (int o = 0; o < 3; o++)
        for (int p = 0; p < 2; p++) {
            flow f =
                flow_of(text, (const char *const[]){"grid.n=20", orders[o], pipelines[p]}, 3, 2);
            check(&f);
            flow_destroy(&f);
        }
}

static void check_constant(flow *f)
{
    const int n = f->model->grid->layout.n;
    run(f, 40);
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++)
                CHECK_CLOSE(concentration(f, CONSTANT, panel, j, i), 1.0, 1e-13);
}

static void a_constant_stays_constant(void **state)
{
    (void)state;
    for_all_schemes(PHYSICS MOUNTAIN TRACERS TIME, check_constant);
}

static void check_mass(flow *f)
{
    swe_context ctx = {""};
    swe_integrals of_flow;
    swe_field_integrals before[FIELDS];
    CHECK_OK(&ctx, swe_integrals_measure(&ctx, f->model, &of_flow));
    for (int k = CONSTANT; k < FIELDS; k++)
        before[k] = swe_integrals_of_field(f->model, k);
    run(f, 40);
    CHECK_OK(&ctx, swe_integrals_measure(&ctx, f->model, &of_flow));
    for (int k = CONSTANT; k < FIELDS; k++) {
        const swe_field_integrals now = swe_integrals_of_field(f->model, k);
        CHECK_CLOSE(now.mass, before[k].mass, 1e-13 * before[k].mass);
    }
    assert_true(before[CYLINDER].greatest.value == 1.0 && before[CYLINDER].least.value == 0.0);
}

static void mass_stays(void **state)
{
    (void)state;
    for_all_schemes(PHYSICS MOUNTAIN TRACERS TIME, check_mass);
}

/* int h c^2 dA of the cylinder, whose jumps excite the shortest waves. */
static double square_of(const flow *f)
{
    swe_context ctx = {""};
    quadrature q;
    const ptrdiff_t field = f->model->grid->layout.field;
    double *c = NULL;
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, (size_t)field, &c));
    CHECK_OK(&ctx, quadrature_create(&ctx, f->model->grid, f->model->sbp, &q));
    for (ptrdiff_t k = 0; k < field; k++)
        c[k] = f->state[k] != 0.0 ? field_of(f, CYLINDER)[k] / f->state[k] : 0.0;
    const double square = quadrature_product_h(&q, c, field_of(f, CYLINDER));
    quadrature_destroy(&q);
    free(c);
    return square;
}

/* The square is constant except for the loss of the Runge-Kutta method. */
static void check_square(flow *f)
{
    const double before = square_of(f);
    run(f, 100);
    CHECK_WITHIN(square_of(f) / before, 0.98, 1.0 + 1e-6);
}

static void the_square_does_not_grow(void **state)
{
    (void)state;
    for_all_schemes(PHYSICS MOUNTAIN TRACERS TIME, check_square);
}

/* The cylinder stays in [0, 1], and no mass is lost. */
static void check_limited(flow *f)
{
    swe_context ctx = {""};
    swe_integrals of_flow;
    CHECK_OK(&ctx, swe_integrals_measure(&ctx, f->model, &of_flow));
    const double mass = swe_integrals_of_field(f->model, CYLINDER).mass;
    run(f, 60);
    CHECK_OK(&ctx, swe_integrals_measure(&ctx, f->model, &of_flow));
    const swe_field_integrals cylinder = swe_integrals_of_field(f->model, CYLINDER),
                              one = swe_integrals_of_field(f->model, CONSTANT);
    CHECK_CLOSE(cylinder.mass, mass, 1e-13 * mass);
    CHECK_WITHIN(cylinder.least.value, -1e-13, 0.1);
    CHECK_WITHIN(cylinder.greatest.value, 0.5, 1.0 + 1e-13);
    CHECK_CLOSE(one.least.value, 1.0, 1e-13);
    CHECK_CLOSE(one.greatest.value, 1.0, 1e-13);
}

static void a_limited_tracer_stays_in_bounds(void **state)
{
    (void)state;
    for_all_schemes(PHYSICS MOUNTAIN TRACERS TIME "scheme: {limiter: monotone}\n", check_limited);
    for_all_schemes(PHYSICS MOUNTAIN TIME
                    "scheme: {limiter: bounds}\ntracers:\n"
                    "  - {name: one, greatest: 1.0, initial: {kind: constant}}\n"
                    "  - {name: smooth, initial: {kind: gaussian}}\n"
                    "  - name: cylinder\n"
                    "    greatest: 1.0\n"
                    "    initial: {kind: slotted_cylinder, lon: 90.0, lat: -30.0, "
                    "radius: 0.6}\n",
                    check_limited);
}

/* Largest difference of a field of two flows, relative to its largest value. */
static double difference(const flow *a, const flow *b, int field)
{
    const int n = a->model->grid->layout.n;
    double most = 0.0, largest = 0.0;
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++) {
                const ptrdiff_t at = swe_at(&a->model->grid->layout, panel, j, i);
                const double one = field_of(a, field)[at], other = field_of(b, field)[at];
                largest = fmax(largest, fabs(one));
                most = fmax(most, isfinite(other) ? fabs(one - other) : INFINITY);
            }
    return most / largest;
}

static void both_pipelines_agree(void **state)
{
    (void)state;
    flow a = flow_of(PHYSICS MOUNTAIN TRACERS TIME,
                     (const char *const[]){"grid.n=20", "scheme.pipeline=fused"}, 2, 1);
    flow b = flow_of(PHYSICS MOUNTAIN TRACERS TIME,
                     (const char *const[]){"grid.n=20", "scheme.pipeline=staged"}, 2, 1);
    run(&a, 20);
    run(&b, 20);
    for (int k = CONSTANT; k < FIELDS; k++)
        CHECK_WITHIN(difference(&a, &b, k), 1e-18, 1e-12);
    flow_destroy(&a);
    flow_destroy(&b);
}

static void check_flow(const char *pipeline)
{
    const char *const set[] = {"grid.n=20", pipeline, "tracers=[]"};
    flow with = flow_of(PHYSICS MOUNTAIN TRACERS TIME, set, 2, 2);
    flow without = flow_of(PHYSICS MOUNTAIN TRACERS TIME, set, 3, 2);
    assert_int_equal(without.model->fields.count, SWE_FLOW_FIELDS);
    run(&with, 10);
    run(&without, 10);
    CHECK_SAME_BITS(with.state, without.state, 3 * with.model->grid->layout.field);
    flow_destroy(&with);
    flow_destroy(&without);
}

static void tracers_change_no_bit_of_the_flow(void **state)
{
    (void)state;
    check_flow("scheme.pipeline=fused");
    check_flow("scheme.pipeline=staged");
}

/* The smooth tracer at a point after solid-body rotation by an angle about the axis of the flow. */
static double exact(const flow *f, double angle, const double r[3])
{
    const struct swe_config_tracers_initial *shape = &f->config->tracers.item[1].initial;
    double axis[3], centre[3], a[3], b[3], back[3], square = 0.0;
    geographic_frame(180.0, 45.0, axis, a, b);
    geographic_frame(shape->lon, shape->lat, centre, a, b);
    const double along = axis[0] * r[0] + axis[1] * r[1] + axis[2] * r[2];
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        back[k] = cos(angle) * r[k] - sin(angle) * (axis[l] * r[m] - axis[m] * r[l]) +
                  (1.0 - cos(angle)) * along * axis[k];
        square += (back[k] - centre[k]) * (back[k] - centre[k]);
    }
    return shape->background + exp(-square / (shape->radius * shape->radius));
}

/* Root mean square of the smooth tracer's error after a day. */
static double error_at(const char *n, const char *order)
{
    flow f = flow_of(PHYSICS STEADY TRACERS TIME, (const char *const[]){n, order}, 2, 2);
    const swe_grid *grid = f.model->grid;
    const double angle = 2.0 * SWE_PI * 86400.0 / 1036800.0;
    double sum = 0.0;
    run(&f, 1000000);
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= grid->layout.n; j++)
            for (int i = 0; i <= grid->layout.n; i++) {
                double r[3];
                geometry_position(panel, grid->tan_vertex[i], grid->tan_vertex[j], r);
                const double e = concentration(&f, SMOOTH, panel, j, i) - exact(&f, angle, r);
                sum += e * e;
            }
    const double points = SWE_PANELS * (grid->layout.n + 1.0) * (grid->layout.n + 1.0);
    flow_destroy(&f);
    return sqrt(sum / points);
}

/* Operators of order 4 are of order 2 at the ends of a line. */
static void a_smooth_tracer_converges(void **state)
{
    (void)state;
    const double second =
        error_at("grid.n=16", "grid.order=2") / error_at("grid.n=32", "grid.order=2");
    const double fourth =
        error_at("grid.n=16", "grid.order=4") / error_at("grid.n=32", "grid.order=4");
    CHECK_WITHIN(log2(second), 1.6, 2.6);
    CHECK_WITHIN(log2(fourth), 2.2, 4.5);
}

/* Values of the slotted cylinder: radius 0.6 about 90 E, 30 S, a slot of 0.2 to the north. */
static void shapes_have_their_values(void **state)
{
    (void)state;
    flow f = flow_of(PHYSICS STEADY TRACERS TIME, (const char *const[]){"grid.n=40"}, 1, 1);
    const swe_grid *grid = f.model->grid;
    int inside = 0, slot = 0;
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= 40; j++)
            for (int i = 0; i <= 40; i++) {
                double r[3], lon = 0.0, lat = 0.0;
                geometry_position(panel, grid->tan_vertex[i], grid->tan_vertex[j], r);
                geographic_of(r, &lon, &lat);
                const double c = concentration(&f, CYLINDER, panel, j, i);
                const bool is_near = fabs(lon - 90.0) < 5.0 && fabs(lat + 30.0) < 10.0;
                const bool is_beside =
                    fabs(fabs(lon - 90.0) - 12.0) < 4.0 && fabs(lat + 30.0) < 10.0;
                if (is_near) /* the slot is 5.7 degrees wide on both sides of 90 E */
                    CHECK_CLOSE(c, 0.0, 0.0);
                if (is_beside)
                    CHECK_CLOSE(c, 1.0, 1e-15);
                slot += is_near;
                inside += is_beside;
                CHECK_CLOSE(concentration(&f, SMOOTH, panel, j, i), exact(&f, 0.0, r), 1e-14);
            }
    assert_true(inside > 10 && slot > 10);
    flow_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_constant_stays_constant),
                                       cmocka_unit_test(mass_stays),
                                       cmocka_unit_test(the_square_does_not_grow),
                                       cmocka_unit_test(a_limited_tracer_stays_in_bounds),
                                       cmocka_unit_test(both_pipelines_agree),
                                       cmocka_unit_test(tracers_change_no_bit_of_the_flow),
                                       cmocka_unit_test(a_smooth_tracer_converges),
                                       cmocka_unit_test(shapes_have_their_values)};
    return cmocka_run_group_tests(tests, case_folder_make, case_folder_remove);
}
