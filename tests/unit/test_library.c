/* The library for other programs: library/cubeswe.h. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "library/cubeswe.h"

enum { N = 32, AT_VERTICES = 6 * (N + 1) * (N + 1), AT_V = 6 * (N + 1) * N };

/* Settings end with NULL. */
static cubeswe_model *create_forced(const char *const *settings, int has_own_forcing)
{
    cubeswe_error error;
    cubeswe_model *model = NULL;
    size_t count = 0;
    while (settings[count] != NULL)
        count++;
    const cubeswe_options options = {.settings = settings,
                                     .setting_count = count,
                                     .backend = "cpu",
                                     .threads = 2,
                                     .has_own_forcing = has_own_forcing};
    if (cubeswe_create(&options, &model, &error) != CUBESWE_OK)
        fail_msg("%s", error.message);
    return model;
}

static cubeswe_model *create(const char *const *settings)
{
    return create_forced(settings, 0);
}
#define CREATE(...)        create((const char *const[]){__VA_ARGS__, NULL})
#define CREATE_FORCED(...) create_forced((const char *const[]){__VA_ARGS__, NULL}, 1)

#define EARTH                                                                                      \
    "grid.n=32", "grid.order=4", "physics.gravity=9.80616", "physics.radius=6371220",              \
        "physics.rotation=7.292e-5", "time.end=1d"
#define GALEWSKY EARTH, "initial.kind=galewsky", "physics.model=nonlinear", "physics.depth=1e4"
#define PULSE    "grid.n=32", "grid.order=4", "initial.kind=gaussian", "time.end=1"
#define UNDAMPED "scheme.edge_damping=0", "scheme.dissipation=0"

static double *get(cubeswe_model *model, const char *name, size_t count)
{
    cubeswe_error error;
    double *values = calloc(count, sizeof *values);
    assert_non_null(values);
    if (cubeswe_get(model, name, values, count, &error) != CUBESWE_OK)
        fail_msg("%s", error.message);
    return values;
}

static void assert_same(cubeswe_model *a, cubeswe_model *b)
{
    static const struct {
        const char *name;
        size_t count;
    } state[] = {{"h", AT_VERTICES}, {"v1", AT_V}, {"v2", AT_V}};
    for (int k = 0; k < 3; k++) {
        double *of_a = get(a, state[k].name, state[k].count),
               *of_b = get(b, state[k].name, state[k].count);
        assert_memory_equal(of_a, of_b, state[k].count * sizeof *of_a);
        free(of_a);
        free(of_b);
    }
}

static void assert_refused(cubeswe_status status, cubeswe_status expected,
                           const cubeswe_error *error, const char *text)
{
    assert_int_equal(status, expected);
    assert_int_equal(error->status, expected);
    if (strstr(error->message, text) == NULL)
        fail_msg("'%s' is not in '%s'", text, error->message);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void test_a_wrong_case_gives_no_model(void **unused)
{
    (void)unused;
    cubeswe_error error;
    cubeswe_model *model = (cubeswe_model *)&error;
    const char *const settings[] = {"grid.m=12"};
    const cubeswe_options wrong = {.settings = settings, .setting_count = 1};
    assert_refused(cubeswe_create(&wrong, &model, &error), CUBESWE_CONFIG, &error,
                   "grid.m: unknown key");
    assert_null(model);
    const cubeswe_options missing = {.case_file = "/nowhere/case.yaml"};
    assert_refused(cubeswe_create(&missing, &model, &error), CUBESWE_NO_INPUT, &error,
                   "/nowhere/case.yaml");
    const cubeswe_options device = {.backend = "tpu"};
    assert_refused(cubeswe_create(&device, &model, &error), CUBESWE_USAGE, &error, "tpu");
    assert_int_equal(cubeswe_create(&device, &model, NULL), CUBESWE_USAGE);
    cubeswe_destroy(&model);
}

static void test_wrong_variables_are_refused(void **unused)
{
    (void)unused;
    cubeswe_error error;
    double values[AT_VERTICES];
    cubeswe_model *model = CREATE(GALEWSKY), *same = CREATE(GALEWSKY);
    for (int k = 0; k < AT_VERTICES; k++)
        values[k] = 1.0;
    assert_refused(cubeswe_get(model, "vortcity", values, AT_VERTICES, &error), CUBESWE_USAGE,
                   &error, "did you mean 'vorticity'");
    assert_refused(cubeswe_get(model, "v1", values, AT_VERTICES, &error), CUBESWE_USAGE, &error,
                   "6 x 33 x 32");
    assert_refused(cubeswe_set(model, "vorticity", values, AT_VERTICES, &error), CUBESWE_USAGE,
                   &error, "follows from the state");
    assert_refused(cubeswe_tendency(model, "u", values, AT_VERTICES, &error), CUBESWE_USAGE, &error,
                   "follows from the state");
    values[7] = NAN;
    assert_refused(cubeswe_set(model, "h", values, AT_VERTICES, &error), CUBESWE_USAGE, &error,
                   "value 7 is not finite");
    values[7] = 0.0;
    assert_refused(cubeswe_set(model, "h", values, AT_VERTICES, &error), CUBESWE_USAGE, &error,
                   "value 7 is 0, and nonlinear flow needs a depth");
    assert_refused(cubeswe_write(model, "/nowhere/x.nc", NULL, &error), CUBESWE_CANNOT_CREATE,
                   &error, "/nowhere");
    assert_refused(cubeswe_write(model, "/tmp/x.nc", "h winds", &error), CUBESWE_USAGE, &error,
                   "'winds'");
    assert_same(model, same);
    cubeswe_destroy(&model);
    cubeswe_destroy(&same);
}

/* ---- time ------------------------------------------------------------------------------------ */

static int stop(void *calls)
{
    return ++*(int *)calls == 2;
}

static void test_steps_reach_a_time(void **unused)
{
    (void)unused;
    cubeswe_error error;
    cubeswe_info info;
    int calls = 0;
    cubeswe_model *model = CREATE(GALEWSKY), *steps = CREATE(GALEWSKY);
    cubeswe_get_info(model, &info);
    const double dt = info.time_step;
    assert_int_equal(cubeswe_advance(model, 4.0 * dt, NULL, NULL, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_step(steps, 4, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_steps(model), 4);
    assert_true(cubeswe_time(model) == 4.0 * dt);
    assert_same(model, steps);
    assert_int_equal(cubeswe_advance(model, 5.5 * dt, NULL, NULL, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_steps(model), 6); /* two equal steps */
    assert_true(cubeswe_time(model) == 5.5 * dt);
    assert_int_equal(cubeswe_step(model, 1, &error), CUBESWE_OK);
    assert_true(fabs(cubeswe_time(model) / dt - 6.5) < 1e-12);
    assert_refused(cubeswe_advance(model, dt, NULL, NULL, &error), CUBESWE_USAGE, &error,
                   "the model is at");
    assert_refused(cubeswe_step(model, -1, &error), CUBESWE_USAGE, &error, "-1 steps");
    assert_refused(cubeswe_advance(model, 1e6 * dt, stop, &calls, &error), CUBESWE_STOPPED, &error,
                   "stopped after step");
    assert_true(cubeswe_steps(model) >= 8 && cubeswe_steps(model) < 1000000);
    cubeswe_destroy(&model);
    cubeswe_destroy(&steps);
}

static void test_an_unstable_flow_is_an_error(void **unused)
{
    (void)unused;
    cubeswe_error error;
    cubeswe_info info;
    cubeswe_diagnostics diagnostics;
    cubeswe_model *model = CREATE(GALEWSKY);
    double *h = get(model, "h", AT_VERTICES);
    cubeswe_get_info(model, &info);
    for (int k = 0; k < AT_VERTICES; k++)
        h[k] *= k % 2 == 0 ? 1e-3 : 1e3;
    assert_int_equal(cubeswe_set(model, "h", h, AT_VERTICES, &error), CUBESWE_OK);
    assert_refused(cubeswe_advance(model, 10.0 * info.time_step, NULL, NULL, &error),
                   CUBESWE_INTERNAL, &error, "");
    assert_int_equal(cubeswe_diagnose(model, &diagnostics, &error), CUBESWE_INTERNAL);
    assert_true(strlen(error.message) > 20);
    free(h);
    cubeswe_destroy(&model);
}

/* ---- the state ------------------------------------------------------------------------------- */

/* A state that is set, or read, continues with the same bits. */
static void test_a_state_is_set_and_read(void **unused)
{
    (void)unused;
    cubeswe_error error;
    cubeswe_model *from = CREATE(GALEWSKY), *to = CREATE(GALEWSKY);
    char path[] = "/tmp/test_library_XXXXXX", note[1024];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(cubeswe_step(from, 3, &error), CUBESWE_OK);
    static const char *const names[] = {"h", "v1", "v2"};
    for (int k = 0; k < 3; k++) {
        const size_t count = k == 0 ? AT_VERTICES : AT_V;
        double *values = get(from, names[k], count);
        assert_int_equal(cubeswe_set(to, names[k], values, count, &error), CUBESWE_OK);
        free(values);
    }
    assert_same(from, to);
    assert_int_equal(cubeswe_step(to, 2, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_write(from, path, "h native", &error), CUBESWE_OK);
    assert_int_equal(cubeswe_step(from, 2, &error), CUBESWE_OK);
    assert_same(from, to);
    assert_int_equal(cubeswe_read(to, path, note, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_step(to, 2, &error), CUBESWE_OK);
    assert_same(from, to);
    unlink(path);
    cubeswe_destroy(&from);
    cubeswe_destroy(&to);
}

static void test_a_tracer_is_its_concentration(void **unused)
{
    (void)unused;
    char path[] = "/tmp/test_library_XXXXXX";
    const int file = mkstemp(path);
    static const char text[] = "tracers:\n  - {name: dust}\n";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    cubeswe_error error;
    cubeswe_model *model = NULL;
    const char *const settings[] = {GALEWSKY};
    const cubeswe_options options = {.case_file = path,
                                     .settings = settings,
                                     .setting_count = sizeof settings / sizeof settings[0],
                                     .backend = "cpu"};
    if (cubeswe_create(&options, &model, &error) != CUBESWE_OK)
        fail_msg("%s", error.message);
    double values[AT_VERTICES];
    for (int k = 0; k < AT_VERTICES; k++)
        values[k] = 0.25;
    assert_int_equal(cubeswe_set(model, "dust", values, AT_VERTICES, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_step(model, 2, &error), CUBESWE_OK);
    double *dust = get(model, "dust", AT_VERTICES);
    for (int k = 0; k < AT_VERTICES; k++)
        assert_true(fabs(dust[k] - 0.25) < 1e-14);
    free(dust);
    unlink(path);
    cubeswe_destroy(&model);
}

/* Solid-body rotation by functions of its points is the state of williamson2. */
static void test_a_wind_gives_the_velocity(void **unused)
{
    (void)unused;
    cubeswe_error error;
    cubeswe_model *model =
        CREATE(EARTH, "initial.kind=williamson2", "physics.model=nonlinear", "physics.depth=3e3");
    const double speed = 2.0 * 3.14159265358979323846 * 6371220.0 / 1036800.0;
    static const char *const names[] = {"v1", "v2"};
    for (int k = 0; k < 2; k++) {
        double lon[AT_V], lat[AT_V], zonal[AT_V], meridional[AT_V] = {0.0};
        double *before = get(model, names[k], AT_V);
        assert_int_equal(cubeswe_get_points(model, names[k], lon, lat, AT_V, &error), CUBESWE_OK);
        for (int m = 0; m < AT_V; m++)
            zonal[m] = speed * cos(lat[m] * 3.14159265358979323846 / 180.0);
        assert_int_equal(cubeswe_set_wind(model, names[k], zonal, meridional, AT_V, &error),
                         CUBESWE_OK);
        double *after = get(model, names[k], AT_V);
        for (int m = 0; m < AT_V; m++)
            assert_true(fabs(after[m] - before[m]) < 1e-13 * speed * 6371220.0);
        free(before);
        free(after);
    }
    cubeswe_destroy(&model);
}

static void test_a_view_is_the_state(void **unused)
{
    (void)unused;
    cubeswe_error error;
    cubeswe_view view;
    cubeswe_model *model = CREATE(PULSE), *cut = CREATE(PULSE, "parallel.blocks_1=2");
    assert_int_equal(cubeswe_step(model, 3, &error), CUBESWE_OK);
    double *v2 = get(model, "v2", AT_V), *expected = v2;
    assert_int_equal(cubeswe_get_view(model, "v2", &view, &error), CUBESWE_OK);
    assert_true(!view.is_single && !view.is_on_gpu && view.rows == N && view.columns == N + 1);
    for (size_t panel = 0; panel < 6; panel++)
        for (size_t j = 0; j < N; j++, expected += N + 1)
            assert_memory_equal((const double *)view.values + panel * view.panel_stride +
                                    j * view.row_stride,
                                expected, (N + 1) * sizeof *expected);
    assert_refused(cubeswe_get_view(cut, "h", &view, &error), CUBESWE_USAGE, &error, "blocks");
    free(v2);
    cubeswe_destroy(&model);
    cubeswe_destroy(&cut);
}

/* ---- the tendency ---------------------------------------------------------------------------- */

/* The greatest difference between the tendency and the change by one step, over the tendency. */
static double difference(cubeswe_model *model, const char *name, size_t count, double dt)
{
    cubeswe_error error;
    double *k = calloc(count, sizeof *k), *before = get(model, name, count), greatest = 0.0,
           largest = 0.0;
    assert_int_equal(cubeswe_tendency(model, name, k, count, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_step(model, 1, &error), CUBESWE_OK);
    double *after = get(model, name, count);
    for (size_t m = 0; m < count; m++) {
        greatest = fmax(greatest, fabs(k[m]));
        largest = fmax(largest, fabs((after[m] - before[m]) / dt - k[m]));
    }
    free(k);
    free(before);
    free(after);
    return largest / greatest;
}

/* The change by a step differs from the tendency by a term of order dt. */
static void check_tendency(const char *const *settings, double dt)
{
    static const char *const names[] = {"h", "v1", "v2"};
    for (int k = 0; k < 3; k++) {
        double of[2];
        for (int half = 0; half < 2; half++) {
            char step[64];
            const char *all[40] = {step};
            const double length = dt / (1 + half);
            snprintf(step, sizeof step, "time.dt=%.17g", length);
            for (int m = 0; settings[m] != NULL; m++)
                all[m + 1] = settings[m];
            cubeswe_model *model = create(all);
            assert_int_equal(cubeswe_step(model, 10 * (1 + half), NULL), CUBESWE_OK);
            of[half] = difference(model, names[k], k == 0 ? AT_VERTICES : AT_V, length);
            cubeswe_destroy(&model);
        }
        if (!(of[0] < 0.1 && of[0] / of[1] > 1.9 && of[0] / of[1] < 2.1))
            fail_msg("%s: %g of dt, %g of half of it", names[k], of[0], of[1]);
    }
}
#define CHECK_TENDENCY(dt, ...) check_tendency((const char *const[]){__VA_ARGS__, NULL}, dt)

#define MOVING "initial.kind=williamson6", "physics.model=nonlinear", "physics.depth=8e3"

static void test_the_tendency_is_the_limit_of_steps(void **unused)
{
    (void)unused;
    static const char *const pipelines[] = {"scheme.pipeline=fused", "scheme.pipeline=staged"};
    static const char *const blocks[] = {"parallel.blocks_1=1", "parallel.blocks_1=2"};
    for (int p = 0; p < 2; p++)
        for (int b = 0; b < 2; b++) {
            CHECK_TENDENCY(20.0, EARTH, MOVING, UNDAMPED, pipelines[p], blocks[b]);
            CHECK_TENDENCY(20.0, EARTH, MOVING, UNDAMPED, pipelines[p], blocks[b],
                           "forcing.drag.rate=1e-4", "forcing.relaxation.time=1e4",
                           "forcing.viscosity.coefficient=1e7");
            CHECK_TENDENCY(2e-3, PULSE, "initial.lat=40", UNDAMPED, pipelines[p], blocks[b]);
            CHECK_TENDENCY(20.0, EARTH, "initial.kind=hough", "physics.depth=1e4", UNDAMPED,
                           pipelines[p], blocks[b]);
        }
    CHECK_TENDENCY(2e-3, PULSE, "initial.lat=40", "scheme.time=leapfrog4");
}

/* ---- forcing of the user's own --------------------------------------------------------------- */

typedef struct relaxation {
    cubeswe_model *model;
    double *target;
    int calls, last; /* last: the call that stops; 0: none */
    double times[4]; /* of the last calls [s] */
} relaxation;

static int relax(void *data, double time)
{
    relaxation *r = data;
    double change[AT_VERTICES];
    cubeswe_error error;
    r->times[r->calls % 4] = time;
    if (++r->calls == r->last)
        return 1;
    if (cubeswe_get(r->model, "h", change, AT_VERTICES, &error) != CUBESWE_OK)
        return 1;
    for (int k = 0; k < AT_VERTICES; k++)
        change[k] = (r->target[k] - change[k]) / 1e4;
    return cubeswe_force(r->model, change, NULL, NULL, AT_VERTICES, &error) != CUBESWE_OK;
}

/* Greatest difference of h, over the greatest h. */
static double compare_h(cubeswe_model *a, cubeswe_model *b)
{
    double *of_a = get(a, "h", AT_VERTICES), *of_b = get(b, "h", AT_VERTICES), most = 0.0,
           scale = 0.0;
    for (int k = 0; k < AT_VERTICES; k++) {
        most = fmax(most, fabs(of_a[k] - of_b[k]));
        scale = fmax(scale, fabs(of_a[k]));
    }
    free(of_a);
    free(of_b);
    return most / scale;
}

#define CHECK_OWN_RELAXATION(...)                                                                  \
    check_own_relaxation(CREATE_FORCED(__VA_ARGS__),                                               \
                         CREATE(__VA_ARGS__, "forcing.relaxation.time=1e4"))
static void check_own_relaxation(cubeswe_model *own, cubeswe_model *of_case)
{
    cubeswe_error error;
    cubeswe_info info;
    relaxation r = {.model = own, .target = get(own, "h", AT_VERTICES)};
    cubeswe_get_info(own, &info);
    assert_int_equal(cubeswe_set_forcing(own, relax, &r, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_step(own, 20, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_step(of_case, 20, &error), CUBESWE_OK);
    assert_int_equal(r.calls, 80);
    for (int k = 0; k < 4; k++)
        assert_true(fabs(r.times[k] / info.time_step - 19.0 - (k + 1) / 2 * 0.5) < 1e-9);
    assert_true(compare_h(own, of_case) < 1e-12);
    assert_int_equal(cubeswe_set_forcing(own, NULL, NULL, &error), CUBESWE_OK);
    free(r.target);
    cubeswe_destroy(&own);
    cubeswe_destroy(&of_case);
}

static void test_own_relaxation_is_the_relaxation_of_a_case(void **unused)
{
    (void)unused;
    static const char *const pipelines[] = {"scheme.pipeline=fused", "scheme.pipeline=staged"};
    static const char *const blocks[] = {"parallel.blocks_1=1", "parallel.blocks_1=2"};
    for (int k = 0; k < 2; k++) {
        CHECK_OWN_RELAXATION(GALEWSKY, pipelines[k], blocks[k]);
        CHECK_OWN_RELAXATION(EARTH, "initial.kind=hough", "physics.depth=1e4", pipelines[k],
                             blocks[k]);
        CHECK_OWN_RELAXATION(PULSE, pipelines[k], blocks[k]);
    }
}

static int pull(void *data, double time)
{
    relaxation *r = data;
    double u[AT_VERTICES], v[AT_VERTICES];
    cubeswe_error error;
    (void)time;
    if (cubeswe_get(r->model, "u", u, AT_VERTICES, &error) != CUBESWE_OK ||
        cubeswe_get(r->model, "v", v, AT_VERTICES, &error) != CUBESWE_OK)
        return 1;
    for (int k = 0; k < AT_VERTICES; k++) {
        u[k] *= -1e-5;
        v[k] *= -1e-5;
    }
    return cubeswe_force(r->model, NULL, u, v, AT_VERTICES, &error) != CUBESWE_OK;
}

/* Up to the interpolation of the wind. */
static void test_own_drag_is_the_drag_of_a_case(void **unused)
{
    (void)unused;
    cubeswe_error error;
    cubeswe_diagnostics of_own, of_case;
    cubeswe_model *own = CREATE_FORCED(EARTH, MOVING),
                  *drag = CREATE(EARTH, MOVING, "forcing.drag.rate=1e-5");
    relaxation r = {.model = own};
    assert_int_equal(cubeswe_set_forcing(own, pull, &r, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_advance(own, 86400.0, NULL, NULL, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_advance(drag, 86400.0, NULL, NULL, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_diagnose(own, &of_own, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_diagnose(drag, &of_case, &error), CUBESWE_OK);
    assert_true(fabs(of_own.energy / of_case.energy - 1.0) < 1e-5);
    assert_true(compare_h(own, drag) < 1e-3);
    cubeswe_destroy(&own);
    cubeswe_destroy(&drag);
}

static int read_vorticity(void *data, double time)
{
    relaxation *r = data;
    double values[AT_VERTICES];
    cubeswe_error error;
    (void)time;
    assert_refused(cubeswe_get(r->model, "vorticity", values, AT_VERTICES, &error), CUBESWE_USAGE,
                   &error, "alone");
    assert_refused(cubeswe_set(r->model, "h", r->target, AT_VERTICES, &error), CUBESWE_USAGE,
                   &error, "alone");
    assert_refused(cubeswe_step(r->model, 1, &error), CUBESWE_USAGE, &error, "alone");
    r->calls++;
    return 0;
}

static void test_own_forcing_may_stop_and_not_disturb_a_step(void **unused)
{
    (void)unused;
    cubeswe_error error;
    cubeswe_model *model = CREATE_FORCED(GALEWSKY), *same = CREATE_FORCED(GALEWSKY),
                  *plain = CREATE(GALEWSKY);
    relaxation r = {.model = model, .target = get(model, "h", AT_VERTICES), .last = 11};
    assert_refused(cubeswe_set_forcing(plain, relax, &r, &error), CUBESWE_USAGE, &error,
                   "has_own_forcing");
    relaxation of_same = {.model = same, .target = r.target};
    assert_int_equal(cubeswe_set_forcing(model, relax, &r, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_set_forcing(same, relax, &of_same, &error), CUBESWE_OK);
    assert_refused(cubeswe_step(model, 5, &error), CUBESWE_STOPPED, &error, "stopped after step 2");
    assert_int_equal(cubeswe_steps(model), 2);
    assert_int_equal(cubeswe_step(same, 2, &error), CUBESWE_OK);
    assert_same(model, same);
    r.last = r.calls = 0;
    assert_int_equal(cubeswe_set_forcing(model, read_vorticity, &r, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_step(model, 1, &error), CUBESWE_OK);
    assert_int_equal(r.calls, 4);
    double values[AT_VERTICES] = {NAN};
    assert_refused(cubeswe_force(model, values, NULL, NULL, AT_VERTICES, &error), CUBESWE_USAGE,
                   &error, "forcing of h: value 0 is not finite");
    free(r.target);
    cubeswe_destroy(&model);
    cubeswe_destroy(&same);
    cubeswe_destroy(&plain);
}

/* ---- several models -------------------------------------------------------------------------- */

static void test_a_checkpoint_goes_on_to_the_same_bits(void **unused)
{
    (void)unused;
    char folder[] = "test_library_XXXXXX", command[80], name[65];
    cubeswe_error error;
    assert_non_null(mkdtemp(folder));
    const char *const settings[] = {GALEWSKY,
                                    "time.dt=300",
                                    "scheme.time=rk4",
                                    "forcing.stirring.rate=1e-6",
                                    "forcing.stirring.interval=1h",
                                    NULL};
    cubeswe_model *whole = create(settings), *again = create(settings);
    for (int steps = 0; steps <= 17; steps += 17) { /* the initial state, and within an interval */
        assert_int_equal(cubeswe_step(whole, steps, &error), CUBESWE_OK);
        if (cubeswe_write_checkpoint(whole, folder, name, &error) != CUBESWE_OK)
            fail_msg("%s", error.message);
        assert_int_equal(cubeswe_step(again, 5, &error), CUBESWE_OK);
        if (cubeswe_read_checkpoint(again, folder, name, &error) != CUBESWE_OK)
            fail_msg("%s", error.message);
        assert_int_equal(strlen(name), steps == 0 ? 0 : 64);
        assert_refused(cubeswe_read_checkpoint(again, folder, "other", &error), CUBESWE_CONFIG,
                       &error, "another state");
        assert_int_equal(cubeswe_steps(again), steps);
        assert_true(cubeswe_time(again) == cubeswe_time(whole));
        assert_same(again, whole);
    }
    assert_int_equal(cubeswe_step(whole, 19, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_step(again, 19, &error), CUBESWE_OK);
    assert_same(again, whole);
    assert_refused(cubeswe_read_checkpoint(again, "none", NULL, &error), CUBESWE_NO_INPUT, &error,
                   "none");
    cubeswe_destroy(&again);
    again = CREATE(GALEWSKY, "time.dt=300", "physics.depth=9e3");
    assert_refused(cubeswe_read_checkpoint(again, folder, NULL, &error), CUBESWE_CONFIG, &error,
                   "another case");
    assert_int_equal(cubeswe_steps(again), 0);
    cubeswe_destroy(&again);
    cubeswe_destroy(&whole);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void *run(void *out)
{
    cubeswe_error error;
    cubeswe_model *model = CREATE(GALEWSKY, "forcing.drag.rate=1e-5");
    for (int k = 0; k < 5; k++) {
        if (cubeswe_step(model, 5, &error) != CUBESWE_OK)
            return NULL;
        double *vorticity = get(model, "vorticity", AT_VERTICES);
        free(vorticity);
    }
    *(cubeswe_model **)out = model;
    return out;
}

static void test_models_in_threads_do_not_meet(void **unused)
{
    (void)unused;
    cubeswe_model *model[3] = {NULL};
    pthread_t thread[2];
    run(&model[2]);
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, run, &model[k]), 0);
    for (int k = 0; k < 2; k++) {
        void *done = NULL;
        pthread_join(thread[k], &done);
        assert_non_null(done);
    }
    assert_same(model[0], model[1]);
    assert_same(model[0], model[2]);
    for (int k = 0; k < 3; k++)
        cubeswe_destroy(&model[k]);
}

typedef struct reader {
    cubeswe_model *model;
    int polls;
    bool has_read, is_refused;
} reader;

static void *read_it(void *argument)
{
    reader *r = argument;
    double values[AT_VERTICES];
    cubeswe_error error;
    cubeswe_diagnostics diagnostics;
    r->has_read = cubeswe_get(r->model, "vorticity", values, AT_VERTICES, &error) == CUBESWE_OK &&
                  cubeswe_diagnose(r->model, &diagnostics, &error) == CUBESWE_OK;
    r->is_refused =
        cubeswe_step(r->model, 1, &error) == CUBESWE_USAGE &&
        strstr(error.message, "another thread") != NULL &&
        cubeswe_set(r->model, "vorticity", values, AT_VERTICES, &error) == CUBESWE_USAGE;
    return NULL;
}

/* Each call of `poll` starts a thread that reads the model, and waits for it. */
static int let_read(void *argument)
{
    reader *r = argument;
    pthread_t thread;
    r->polls++;
    if (pthread_create(&thread, NULL, read_it, r) != 0)
        return 1;
    pthread_join(thread, NULL);
    return !r->has_read || !r->is_refused;
}

static void test_a_model_that_advances_is_read_and_not_changed(void **unused)
{
    (void)unused;
    cubeswe_error error;
    cubeswe_model *model = CREATE(GALEWSKY), *same = CREATE(GALEWSKY);
    reader r = {.model = model};
    assert_int_equal(cubeswe_advance(model, 86400.0, let_read, &r, &error), CUBESWE_OK);
    assert_int_equal(cubeswe_advance(same, 86400.0, NULL, NULL, &error), CUBESWE_OK);
    assert_true(r.polls > 1);
    assert_same(model, same);
    cubeswe_destroy(&model);
    cubeswe_destroy(&same);
}

/* An argument is a pattern of names of tests. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_wrong_case_gives_no_model),
        cmocka_unit_test(test_wrong_variables_are_refused),
        cmocka_unit_test(test_steps_reach_a_time),
        cmocka_unit_test(test_an_unstable_flow_is_an_error),
        cmocka_unit_test(test_a_state_is_set_and_read),
        cmocka_unit_test(test_a_tracer_is_its_concentration),
        cmocka_unit_test(test_a_wind_gives_the_velocity),
        cmocka_unit_test(test_a_view_is_the_state),
        cmocka_unit_test(test_the_tendency_is_the_limit_of_steps),
        cmocka_unit_test(test_own_relaxation_is_the_relaxation_of_a_case),
        cmocka_unit_test(test_own_drag_is_the_drag_of_a_case),
        cmocka_unit_test(test_own_forcing_may_stop_and_not_disturb_a_step),
        cmocka_unit_test(test_a_checkpoint_goes_on_to_the_same_bits),
        cmocka_unit_test(test_models_in_threads_do_not_meet),
        cmocka_unit_test(test_a_model_that_advances_is_read_and_not_changed),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
