/* Reading a configuration: defaults, overrides, the time step, and writing it back. */
#include "config/keys.h"
#include "run/schedule.h"
#include "support/config_case.h"

static void an_empty_mapping_gives_the_defaults(void **state)
{
    (void)state;
    swe_config *c = case_load("{}\n", NULL, 0);
    assert_int_equal(c->grid.n, 96);
    assert_int_equal(c->grid.order, 4);
    assert_int_equal(c->grid.closure, SWE_CLOSURE_MOVED);
    assert_int_equal(c->scheme.pipeline, SWE_PIPELINE_FUSED);
    assert_int_equal(c->initial.kind, SWE_INITIAL_GAUSSIAN);
    assert_true(c->initial.lon == 0.0 && c->initial.lat == 90.0);
    assert_true(c->initial.amplitude == 0.01 && c->initial.width == 0.18);
    assert_true(c->physics.gravity == 1.0 && c->physics.depth == 1.0 && c->physics.radius == 1.0);
    assert_true(c->time.end == 1.0 && c->time.dt == 0.0 && c->time.courant == 0.0);
    assert_int_equal(c->output.fields.chosen & 7u,
                     (1u << SWE_WORD_h) | (1u << SWE_WORD_wind) | (1u << SWE_WORD_native));
    assert_int_equal(c->diagnostics.sample_times.count, 0);
    assert_string_equal(c->case_name, "case");
    assert_string_equal(c->case_file, case_path);
    swe_config_destroy(&c);
    assert_null(c);
    swe_config_destroy(&c);
}

static const char full_case[] =
    "grid: {n: 29, order: 4, closure: published}\n"
    "scheme: {pipeline: staged}\n"
    "physics: {gravity: 9.80616, depth: 8.3333333333333339, radius: 2.1e-3}\n"
    "initial:\n"
    "  kind: standing_wave # comment\n"
    "  lon: -123.45600000000002\n"
    "  lat: -0.1\n"
    "  amplitude: 3e-7\n"
    "  degree: 7\n"
    "  angle: 1e-300\n"
    "time: {end: 0.1, dt_times_n: 1.2345678901234567e-4}\n"
    "output: {every: 10, fields: [native, h]}\n"
    "diagnostics: {every: 3, sample_times: [0, 0.033333333333333333, 0.1], sample_interval: "
    "0.01}\n";

static void a_full_case_gives_the_options_of_the_model(void **state)
{
    (void)state;
    swe_config *c = case_load(full_case, NULL, 0);
    const swe_physics physics = swe_config_physics(c);
    const swe_initial initial = swe_config_initial(c);
    assert_true(physics.gravity == 9.80616 && physics.depth == 8.3333333333333339);
    assert_true(physics.radius == 2.1e-3);
    assert_int_equal(initial.kind, SWE_INITIAL_STANDING_WAVE);
    assert_true(initial.lon == -123.45600000000002 && initial.lat == -0.1);
    assert_true(initial.amplitude == 3e-7 && initial.angle == 1e-300);
    assert_int_equal(initial.degree, 7);
    assert_int_equal(c->grid.closure, SWE_CLOSURE_PUBLISHED);
    assert_int_equal(swe_config_model(c, "cpu", 1, NULL).pipeline, SWE_PIPELINE_STAGED);
    const swe_step_plan plan = {.flow = SWE_FLOW_NONROTATING, .pipeline = SWE_PIPELINE_STAGED};
    assert_true(swe_config_bytes(c) > swe_model_bytes(29, &plan, SWE_PRECISION_DOUBLE));
    assert_int_equal(c->output.fields.chosen, (1u << SWE_WORD_h) | (1u << SWE_WORD_native));
    assert_int_equal(c->diagnostics.sample_times.count, 3);
    assert_true(c->diagnostics.sample_times.value[1] == 0.033333333333333333);
    swe_config_destroy(&c);
}

/* Compare every key of two configurations, numbers to the last bit. */
static void check_same(const swe_config *first, const swe_config *second)
{
    static const size_t sizes[] = {sizeof(double),   sizeof(long), sizeof(int), 0, 0,
                                   sizeof(swe_words)};
    swe_value a = {.key = NULL}, b = {.key = NULL};
    while (swe_value_next(first, &a)) {
        assert_true(swe_value_next(second, &b) && a.key == b.key);
        if (a.key->type == SWE_KEY_TEXT) {
            assert_string_equal(*(char *const *)a.at, *(char *const *)b.at);
        } else if (a.key->type == SWE_KEY_REALS) {
            const swe_reals *x = a.at, *y = b.at;
            assert_int_equal(x->count, y->count);
            CHECK_SAME_BITS(x->value, y->value, x->count);
        } else {
            assert_memory_equal(a.at, b.at, sizes[a.key->type]);
        }
    }
    assert_false(swe_value_next(second, &b));
}

/* Coefficients are written as they run. */
static void set_coefficients(swe_config *config)
{
    const swe_physics physics = swe_config_physics(config);
    config->scheme.edge_damping = physics.edge_damping;
    config->scheme.dissipation = physics.dissipation;
}

static void check_round_trip(const char *text)
{
    swe_context ctx = {""};
    swe_config *a = case_load(text, NULL, 0), *b = NULL;
    FILE *file = fopen(other_path, "w");
    assert_non_null(file);
    swe_config_write(a, file);
    assert_int_equal(fclose(file), 0);
    CHECK_OK(&ctx, swe_config_load(&ctx, other_path, NULL, 0, &b));
    set_coefficients(a);
    check_same(a, b);
    swe_config_destroy(&a);
    swe_config_destroy(&b);
}

static void a_written_configuration_reads_back_the_same(void **state)
{
    (void)state;
    check_round_trip("{}\n");
    check_round_trip(full_case);
    check_round_trip("initial: {kind: file, path: \"it's # a: 'path' [.nc\"}\n");
    check_round_trip("physics: {gravity: 0.1, depth: 1e12, radius: 123456789012.34567}\n");
    check_round_trip("time: {end: 1e9, courant: 0.5}\n");
}

/* Texts that YAML reads as something else, and where its readers differ. */
static const char *const texts[] = {
    "run #1", " run #1 ",      "it's",       "''",     "\"a\"", "a: b", "a:",  "- a",   "? a",
    "[a, b]", "{a: b}",        "& a",        "*a",     "!a",    "| a",  "> a", "% a",   "@a",
    "`a`",    "yes",           "No",         "true",   "1e3",   "0x10", "~a",  "a ~",   ".",
    "..",     "a\\nb",         "a\\",        "#",      "a=b",   "a,b",  "...", "--- a", "nones",
    "./none", "\u00e4 \u2208", "\U0001F30A", "\u00a0", " ",     "<<",   "=",   "NaN",   "$HOME"};

static void texts_are_set_and_written_as_they_are(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char path[4200], file[80], cwd[4096], dir[80];
        snprintf(file, sizeof file, "initial.variable_h=%s", texts[k]);
        snprintf(dir, sizeof dir, "checkpoint.dir=%s", texts[k]);
        const char *const set[] = {"initial.kind=file", "initial.path=/a.nc", file, dir};
        swe_context ctx = {""};
        swe_config *a = case_load("{}\n", set, 4), *b = NULL;
        assert_non_null(getcwd(cwd, sizeof cwd));
        snprintf(path, sizeof path, "%s/%s", cwd, texts[k]);
        assert_string_equal(a->initial.variable_h, texts[k]);
        assert_string_equal(a->checkpoint.dir, path);
        char *text = NULL;
        CHECK_OK(&ctx, swe_config_text(&ctx, a, &text));
        CHECK_OK(&ctx, swe_config_load_of_run(&ctx, "text", text, &b));
        set_coefficients(a);
        check_same(a, b);
        free(text);
        swe_config_destroy(&a);
        swe_config_destroy(&b);
    }
}

static void the_reference_table_names_every_key(void **state)
{
    (void)state;
    char *table = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&table, &size);
    swe_config_write_reference(file);
    fclose(file);
    for (const swe_key *key = swe_keys; key->path != NULL; key++) {
        char start[80];
        snprintf(start, sizeof start, "\n| `%s` |", key->path);
        assert_non_null(strstr(table, start));
    }
    free(table);
}

static void check_set(const char *const *set, int set_count, void (*check)(const swe_config *))
{
    swe_config *c = case_load("grid: {n: 24}\ntime: {dt_times_n: 0.25}\n", set, set_count);
    check(c);
    swe_config_destroy(&c);
}

static void n_is_48(const swe_config *c)
{
    assert_int_equal(c->grid.n, 48);
}

static void lists_are_set(const swe_config *c)
{
    assert_int_equal(c->diagnostics.sample_times.count, 2);
    assert_true(c->diagnostics.sample_times.value[1] == 0.5);
    assert_int_equal(c->output.fields.chosen, (1u << SWE_WORD_native));
}

static void pipeline_is_staged(const swe_config *c)
{
    assert_int_equal(c->scheme.pipeline, SWE_PIPELINE_STAGED);
}

static void path_is_set(const swe_config *c)
{
    assert_int_equal(c->initial.kind, SWE_INITIAL_FILE);
    assert_string_equal(c->initial.path, "/a=b.nc");
}

static void overrides_replace_and_add_keys(void **state)
{
    (void)state;
    check_set((const char *const[]){"grid.n=48"}, 1, n_is_48);
    check_set((const char *const[]){"grid.n=32", "grid.n=48"}, 2, n_is_48); /* the last counts */
    check_set(
        (const char *const[]){"diagnostics.sample_times=[0.25, 0.5]", "output.fields=[native]"}, 2,
        lists_are_set);
    check_set((const char *const[]){"scheme.pipeline=staged"}, 1, pipeline_is_staged);
    check_set((const char *const[]){"initial.kind=file", "initial.path=/a=b.nc"}, 2, path_is_set);
}

static void only_courant_is_set(const swe_config *c)
{
    assert_true(c->time.courant == 0.1);
    assert_true(c->time.dt == 0.0 && c->time.dt_times_n == 0.0);
}

static void only_dt_is_set(const swe_config *c)
{
    assert_true(c->time.dt == 0.01);
    assert_true(c->time.courant == 0.0 && c->time.dt_times_n == 0.0);
}

static void a_new_rule_for_the_step_replaces_the_old_one(void **state)
{
    (void)state;
    check_set((const char *const[]){"time.courant=0.1"}, 1, only_courant_is_set);
    check_set((const char *const[]){"time.courant=0.1", "time.dt=0.01"}, 2, only_dt_is_set);
    check_set((const char *const[]){"time.dt=0.01", "time.courant=0.1"}, 2, only_courant_is_set);
}

/* As many as allowed, so that libyaml reallocates the document. */
static void many_overrides_are_applied_in_turn(void **state)
{
    (void)state;
    enum { MANY = 200 };
    static char text[MANY][32];
    const char *set[MANY];
    for (int k = 0; k < MANY; k++) {
        snprintf(text[k], sizeof text[k], k % 2 == 0 ? "grid.n=%d" : "output.every=%d", 24 + k);
        set[k] = text[k];
    }
    swe_config *c = case_load("grid: {order: 6}\n", set, MANY);
    assert_int_equal(c->grid.n, 24 + MANY - 2);
    assert_int_equal(c->output.every, 24 + MANY - 1);
    assert_int_equal(c->grid.order, 6);
    swe_config_destroy(&c);
}

static void check_schedule(const char *text, double expected_dt, long expected_steps)
{
    long steps = 0;
    swe_config *c = case_load(text, NULL, 0);
    const double dt = swe_config_schedule(c, &steps);
    assert_int_equal(steps, expected_steps);
    assert_true(dt == expected_dt);
    assert_true((double)steps * dt == c->time.end);
    swe_config_destroy(&c);
}

static void whole_steps_end_exactly_at_the_end(void **state)
{
    (void)state;
    check_schedule("grid: {n: 24}\ntime: {end: 1, dt_times_n: 0.3333333333333333}\n", 1.0 / 72.0,
                   72);
    check_schedule("grid: {n: 24}\ntime: {end: 1, dt_times_n: 0.3333333}\n", 1.0 / 72.0, 72);
    check_schedule("grid: {n: 24}\ntime: {end: 3, dt_times_n: 0.25}\n", 3.0 / 288.0, 288);
    check_schedule("grid: {n: 4, order: 2}\ntime: {end: 1, dt: 0.1666667}\n", 1.0 / 6.0, 6);
    check_schedule("grid: {n: 4, order: 2}\ntime: {end: 0.1, dt: 0.3}\n", 0.1, 1);
}

/* The time step of a case, and steps between files of fields. */
static void check_step(const char *text, double expected_dt, long expected_steps, long expected)
{
    swe_config *c = case_load(text, NULL, 0);
    const swe_schedule s = swe_schedule_of(c, false);
    assert_int_equal(s.steps, expected_steps);
    assert_true(s.dt == expected_dt);
    assert_int_equal(s.fields, expected);
    if (expected > 0 && expected < s.steps)
        assert_true(swe_schedule_fields_time(&s, expected) == c->output.interval);
    assert_true(swe_schedule_fields_time(&s, s.steps) == c->time.end);
    swe_config_destroy(&c);
}

static void a_given_step_is_used_to_the_last_bit_for_any_end(void **state)
{
    (void)state;
    check_step("grid: {n: 12}\ntime: {end: 0.3, dt: 0.01}\n", 0.01, 30, 0);
    check_step("grid: {n: 12}\ntime: {end: 0.7, dt: 0.01}\n", 0.01, 70, 0);
    check_step("grid: {n: 12}\ntime: {end: 1.1, dt: 0.01}\n", 0.01, 110, 0);
    check_step("grid: {n: 12}\ntime: {end: 1, dt: 0.03}\n", 0.03, 34, 0);
    check_step("grid: {n: 12}\ntime: {end: 1, dt: 0.03}\noutput: {interval: 0.3}\n", 0.03, 34, 10);
}

static void one_step_divides_all_intervals(void **state)
{
    (void)state;
    check_step("grid: {n: 12}\ntime: {end: 1, dt: 0.01}\noutput: {interval: 0.1}\n", 0.01, 100, 10);
    check_step("grid: {n: 12}\ntime: {end: 1, dt_times_n: 0.3}\noutput: {interval: 0.1}\n",
               0.1 / 4.0, 40, 4);
    check_step("grid: {n: 12}\ntime: {end: 1, dt_times_n: 0.36}\noutput: {interval: 0.3}\n",
               0.3 / 12.0, 40, 12);
    check_step("grid: {n: 12}\ntime: {end: 1.2, dt_times_n: 0.36}\noutput: {interval: 0.3}\n"
               "diagnostics: {interval: 0.2}\ncheckpoint: {interval: 0.24}\n",
               0.2 / 10.0, 60, 15);
    check_step("grid: {n: 12}\ntime: {end: 1, dt_times_n: 0.36}\noutput: {interval: 4}\n",
               1.0 / 34.0, 34, 136);
    check_step("grid: {n: 12}\ntime: {end: 1, dt_times_n: 0.36}\noutput: {interval: 0.01}\n", 0.01,
               100, 1);
    check_step("grid: {n: 12}\nphysics: {radius: 6371220, depth: 5000, gravity: 9.80616}\n"
               "time: {end: 864000, courant: 0.4}\noutput: {interval: 86400}\n"
               "diagnostics: {interval: 3600}\n",
               3600.0 / 3.0, 720, 72);
}

static void an_interval_keeps_the_step_when_the_end_is_raised(void **state)
{
    (void)state;
    static const char text[] = "grid: {n: 12}\noutput: {interval: 0.1}\ntime: {courant: 0.3}\n";
    double dt[2] = {0.0};
    for (int end = 1; end <= 7; end++) {
        char set[32];
        snprintf(set, sizeof set, "time.end=0.%d", end);
        swe_config *c = case_load(text, (const char *const[]){set}, 1);
        dt[end > 1] = swe_config_schedule(c, NULL);
        assert_true(dt[end > 1] == dt[0]);
        swe_config_destroy(&c);
    }
}

static void an_interval_replaces_a_number_of_steps(void **state)
{
    (void)state;
    static const char text[] = "output: {every: 5}\ndiagnostics: {interval: 0.5}\n";
    swe_config *c =
        case_load(text, (const char *const[]){"output.interval=0.25", "diagnostics.every=7"}, 2);
    assert_true(c->output.every == 0 && c->output.interval == 0.25);
    assert_true(c->diagnostics.every == 7 && c->diagnostics.interval == 0.0);
    swe_config_destroy(&c);
}

/* The step is the step of the rule, or shorter by less than its share 1/steps. */
static void check_courant(const char *text, double rule)
{
    long steps = 0;
    swe_config *c = case_load(text, NULL, 0);
    const swe_physics physics = swe_config_physics(c);
    const double dt = swe_config_schedule(c, &steps);
    CHECK_WITHIN(swe_physics_courant(&physics, swe_config_spacing(c), dt),
                 rule * (1.0 - 1.0 / (double)steps), rule * (1.0 + 1e-6));
    CHECK_CLOSE((double)steps * dt, c->time.end, 1e-15 * c->time.end);
    swe_config_destroy(&c);
}

static void the_courant_rule_and_the_default_give_their_courant_number(void **state)
{
    (void)state;
    check_courant("physics: {gravity: 9.8, depth: 30, radius: 1000}\ntime: {end: 500}\n", 0.2);
    check_courant("physics: {gravity: 9.8, depth: 30, radius: 1000}\n"
                  "time: {end: 500, courant: 0.5}\n",
                  0.5);
    /* c = 2 m/s, a = 3 m, n = 10: D = pi/20 */
    const swe_physics physics = {.gravity = 4.0, .depth = 1.0, .radius = 3.0};
    CHECK_CLOSE(swe_physics_courant(&physics, swe_points_spacing(&swe_points_equispaced, 10), 0.1),
                2.0 * 0.1 / (3.0 * 0.15707963267948966), 1e-15);
}

/* Rounding to whole steps may lengthen the step: a Courant number at the limit must be accepted. */
static void the_largest_courant_number_is_accepted(void **state)
{
    (void)state;
    static const double ends[] = {1.0, 7.3, 1e5, 1e9};
    for (int order = 2; order <= 6; order += 2)
        for (int k = 0; k < 4; k++) {
            char text[128];
            snprintf(text, sizeof text, "grid: {order: %d}\ntime: {courant: %.17g, end: %g}\n",
                     order, swe_sbp_courant_limit(order, SWE_CLOSURE_MOVED), ends[k]);
            swe_config *c = case_load(text, NULL, 0);
            swe_config_destroy(&c);
        }
}

/* ---- differences ----------------------------------------------------------------------------- */

/* Differences of two cases. */
static int differences(const char *there, const char *here, char *out, size_t size)
{
    swe_config *a = case_load(there, NULL, 0), *b = case_load(here, NULL, 0);
    const int count = swe_config_differences(a, b, out, size);
    swe_config_destroy(&a);
    swe_config_destroy(&b);
    return count;
}

static void equal_cases_do_not_differ(void **state)
{
    char text[400];
    (void)state;
    assert_int_equal(differences(full_case, full_case, text, sizeof text), 0);
    assert_string_equal(text, "");
}

static void differences_of_the_solution_are_reported_and_no_others(void **state)
{
    static const char there[] = "grid: {n: 12}\nscheme: {pipeline: fused}\noutput: {every: 3}\n",
                      here[] = "grid: {n: 16}\nscheme: {pipeline: staged, precision: single}\n"
                               "output: {every: 4}\nphysics: {depth: 2}\n"
                               "forcing: {drag: {rate: 0.5}}\ninitial: {lat: 89}\n"
                               "time: {end: 2}\nprofile: {dir: elsewhere}\n";
    char text[400];
    (void)state;
    assert_int_equal(differences(there, here, text, sizeof text), 5);
    assert_string_equal(text, "grid.n is 12 there and 16 here; "
                              "scheme.precision is double there and single here; "
                              "physics.depth is 1 there and 2 here; "
                              "forcing.drag.rate is 0 there and 0.5 here; "
                              "initial.lat is 90 there and 89 here");
    assert_int_equal(differences(there, here, text, 16), 1);
    assert_string_equal(text, "grid.n is 12 th");
}

/* initial.lat is compared where one of the two reads it. */
static void keys_that_no_initial_state_reads_are_left_out(void **state)
{
    char text[400];
    (void)state;
    swe_config *a = case_load("physics: {model: nonlinear}\ninitial: {kind: lake_at_rest}\n", NULL,
                              0),
               *b = case_load("physics: {model: nonlinear}\ninitial: {kind: lake_at_rest}\n", NULL,
                              0);
    b->initial.degree = a->initial.degree + 1;
    assert_int_equal(swe_config_differences(a, b, text, sizeof text), 0);
    b->initial.kind = SWE_INITIAL_STANDING_WAVE;
    assert_int_equal(swe_config_differences(a, b, text, sizeof text), 2);
    assert_non_null(strstr(text, "initial.degree is "));
    swe_config_destroy(&a);
    swe_config_destroy(&b);
}

static bool is_name_of_list(const void *of, const char *key)
{
    (void)of;
    return strcmp(key, "tracers[].name") == 0;
}

static void entries_of_lists_are_compared_by_number(void **state)
{
    static const char one[] = "physics: {model: nonlinear}\ninitial: {kind: lake_at_rest}\n"
                              "tracers: [{name: a, initial: {kind: gaussian, lon: 3}}]\n",
                      two[] =
                          "physics: {model: nonlinear}\ninitial: {kind: lake_at_rest}\n"
                          "tracers: [{name: a, initial: {kind: gaussian, lon: 4}}, {name: b}]\n";
    char text[2000];
    swe_difference d;
    (void)state;
    assert_true(differences(one, two, text, sizeof text) > 2);
    assert_non_null(strstr(text, "tracers[0].initial.lon is 3 there and 4 here"));
    assert_non_null(strstr(text, "tracers[1].name is not known there and 'b' here"));
    assert_true(differences(two, one, text, sizeof text) > 2);
    assert_non_null(strstr(text, "tracers[1].name is 'b' there and not known here"));
    swe_config *a = case_load(one, NULL, 0), *b = case_load(two, NULL, 0);
    assert_true(swe_config_find_difference(a, b, is_name_of_list, NULL, &d));
    assert_string_equal(d.path, "tracers[0].initial.lon");
    assert_true(swe_config_agrees(a, b, "time.end"));
    b->time.end = 0.5;
    assert_false(swe_config_agrees(a, b, "time.end"));
    swe_config_destroy(&a);
    swe_config_destroy(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_cases_do_not_differ),
        cmocka_unit_test(differences_of_the_solution_are_reported_and_no_others),
        cmocka_unit_test(keys_that_no_initial_state_reads_are_left_out),
        cmocka_unit_test(entries_of_lists_are_compared_by_number),
        cmocka_unit_test(an_empty_mapping_gives_the_defaults),
        cmocka_unit_test(a_full_case_gives_the_options_of_the_model),
        cmocka_unit_test(a_written_configuration_reads_back_the_same),
        cmocka_unit_test(texts_are_set_and_written_as_they_are),
        cmocka_unit_test(the_reference_table_names_every_key),
        cmocka_unit_test(overrides_replace_and_add_keys),
        cmocka_unit_test(a_new_rule_for_the_step_replaces_the_old_one),
        cmocka_unit_test(many_overrides_are_applied_in_turn),
        cmocka_unit_test(whole_steps_end_exactly_at_the_end),
        cmocka_unit_test(a_given_step_is_used_to_the_last_bit_for_any_end),
        cmocka_unit_test(one_step_divides_all_intervals),
        cmocka_unit_test(an_interval_keeps_the_step_when_the_end_is_raised),
        cmocka_unit_test(an_interval_replaces_a_number_of_steps),
        cmocka_unit_test(the_courant_rule_and_the_default_give_their_courant_number),
        cmocka_unit_test(the_largest_courant_number_is_accepted),
    };
    return cmocka_run_group_tests(tests, case_folder_make, case_folder_remove);
}
