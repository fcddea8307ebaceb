/* Reading a configuration: every mistake is refused with file, line and key. */
#include "support/config_case.h"

#include <sys/stat.h>

/* The message names the origin (such as "case.yaml:3: " or "--set: ") and the mistake. */
static void check_refused(const char *text, const char *const *set, int set_count,
                          const char *where, const char *what)
{
    swe_context ctx = {""};
    swe_config *config = NULL;
    case_write(case_path, text);
    const swe_status status = swe_config_load(&ctx, case_path, set, set_count, &config);
    if (status == SWE_CONFIG && strstr(ctx.message, where) != NULL &&
        strstr(ctx.message, what) != NULL) {
        assert_null(config);
        return;
    }
    swe_config_destroy(&config);
    fail_msg("<<%s>> %s: expected '%s' and '%s', got status %d: %s", text,
             set_count > 0 ? set[0] : "", where, what, (int)status, ctx.message);
}

static void check_refused_set(const char *set, const char *where, const char *what)
{
    check_refused("grid:\n  n: 24\ntime:\n  dt_times_n: 0.25\n", &set, 1, where, what);
}

/* A mistake in a file, and the origin that the message must name. */
typedef struct mistake {
    const char *text, *where, *what;
} mistake;

#define CHECK_MISTAKES(mistakes)                                                                   \
    for (size_t k = 0; k < sizeof(mistakes) / sizeof *(mistakes); k++)                             \
    check_refused((mistakes)[k].text, NULL, 0, (mistakes)[k].where, (mistakes)[k].what)

static void unknown_and_repeated_keys_are_refused(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {"grid:\n  n: 24\n  m: 3\n", "case.yaml:3: ", "grid.m: "},
        {"grid: {n: 24}\nwind:\n  u: 1\n", "case.yaml:2: ", "wind: "},
        {"n: 24\n", "case.yaml:1: ", "n: "},
        {"grid:\n  n: 24\n  n: 25\n", "case.yaml:3: ", "grid.n: "},
        {"grid:\n  n: 24\ngrid:\n  order: 4\n", "case.yaml:3: ", "grid: "}};
    CHECK_MISTAKES(mistakes);
}

static void values_of_the_wrong_type_are_refused(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {"grid:\n  n: many\n", "case.yaml:2: ", "grid.n: "},
        {"grid:\n  n: [24]\n", "case.yaml:2: ", "grid.n: "},
        {"grid:\n  n: {a: 1}\n", "case.yaml:2: ", "grid.n: "},
        {"grid:\n  order: 4\n  n:\n", "case.yaml:3: ", "grid.n: "},
        {"grid: 24\n", "case.yaml:1: ", "grid: "},
        {"grid: [1, 2]\n", "case.yaml:1: ", "grid: "},
        {"physics:\n  depth: deep\n", "case.yaml:2: ", "physics.depth: "},
        {"physics:\n  depth: ''\n", "case.yaml:2: ", "physics.depth: "},
        {"grid:\n  closure: other\n", "case.yaml:2: ", "grid.closure: 'other'"},
        {"scheme:\n  pipeline: split\n", "case.yaml:2: ", "scheme.pipeline: 'split'"},
        {"initial:\n  lon: 1\n  kind: flat\n", "case.yaml:3: ", "initial.kind: 'flat'"},
        {"output:\n  fields: h\n", "case.yaml:2: ", "output.fields: "},
        {"diagnostics:\n  sample_times: 0.5\n", "case.yaml:2: ", "diagnostics.sample_times: "}};
    CHECK_MISTAKES(mistakes);
}

static void leapfrog_of_other_flows_is_refused(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {"scheme: {time: leapfrog}\n", "case.yaml:1: ", "scheme.time: 'leapfrog'"},
        {"scheme: {time: leapfrog4, pipeline: staged}\n",
         "case.yaml:1: ", "scheme.time: leapfrog4 needs scheme.pipeline fused"},
        {"scheme: {time: leapfrog4}\nphysics: {rotation: 1}\n",
         "case.yaml:1: ", "leapfrog4 needs a linear flow without rotation"},
        {"scheme: {time: leapfrog4, edge_damping: 0.1}\n",
         "case.yaml:1: ", "leapfrog4 needs scheme.edge_damping 0"},
        {"scheme: {time: leapfrog4, dissipation: 0.1}\n",
         "case.yaml:1: ", "leapfrog4 needs scheme.dissipation 0"},
        {"scheme: {time: leapfrog4}\ntime: {courant: 0.66}\n",
         "case.yaml:2: ", "Courant number 0.6"}};
    CHECK_MISTAKES(mistakes);
}

/* The whole value must be a number: 24.5 cells are not 24, and 1,5 is not 1. */
static void numbers_with_trailing_text_are_refused(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {"physics:\n  gravity: 1,5\n", "case.yaml:2: ", "physics.gravity: "},
        {"physics:\n  gravity: 9.8 m/s2\n", "case.yaml:2: ", "physics.gravity: "},
        {"grid:\n  n: 24.5\n", "case.yaml:2: ", "grid.n: "},
        {"grid:\n  n: 1e2\n", "case.yaml:2: ", "grid.n: "},
        {"grid:\n  n: 24x\n", "case.yaml:2: ", "grid.n: "},
        {"diagnostics:\n  sample_times: [0.5x]\n", "case.yaml:2: ", "diagnostics.sample_times: "}};
    CHECK_MISTAKES(mistakes);
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {"physics:\n  gravity: nan\n", "case.yaml:2: ", "physics.gravity: nan"},
        {"physics:\n  gravity: .nan\n", "case.yaml:2: ", "physics.gravity: "},
        {"physics:\n  gravity: -.inf\n", "case.yaml:2: ", "physics.gravity: "},
        {"physics:\n  gravity: 1e999\n", "case.yaml:2: ", "physics.gravity: "},
        {"physics:\n  gravity: 1e13\n", "case.yaml:2: ", "physics.gravity: 1e13"},
        {"physics:\n  depth: 0\n", "case.yaml:2: ", "physics.depth: 0"},
        {"physics:\n  radius: -1\n", "case.yaml:2: ", "physics.radius: -1"},
        {"time:\n  end: 0\n", "case.yaml:2: ", "time.end: 0"},
        {"time:\n  dt: -0.1\n", "case.yaml:2: ", "time.dt: -0.1"},
        {"initial:\n  lat: 90.1\n", "case.yaml:2: ", "initial.lat: 90.1"},
        {"initial:\n  width: 0\n", "case.yaml:2: ", "initial.width: 0"},
        {"initial:\n  degree: 0\n", "case.yaml:2: ", "initial.degree: 0"},
        {"output:\n  every: -1\n", "case.yaml:2: ", "output.every: -1"},
        {"grid:\n  n: 0\n", "case.yaml:2: ", "grid.n: 0"},
        {"grid:\n  n: -24\n", "case.yaml:2: ", "grid.n: -24"},
        {"grid:\n  n: 16385\n", "case.yaml:2: ", "grid.n: 16385"},
        {"grid:\n  n: 4294967320\n", "case.yaml:2: ", "grid.n: 4294967320"}, /* 24 in 32 bits */
        {"grid:\n  n: 99999999999999999999\n", "case.yaml:2: ", "grid.n: "}};
    CHECK_MISTAKES(mistakes);
}

static void text_that_is_not_a_configuration_is_refused(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {"", "case.yaml:1: ", "empty"},
        {"# nothing\n", "case.yaml:1: ", "empty"},
        {"- a\n- b\n", "case.yaml:1: ", "grid"},
        {"just text\n", "case.yaml:1: ", "grid"},
        {"grid: {n: 24}\ntime: [1,\n", "case.yaml:3: ", ""},
        {"grid:\n\tn: 24\n", "case.yaml:2: ", ""},
        {"a: &a [*a, 1]\n", "case.yaml", "nested"},
        {"output:\n  dir: \"safe\\0evil\"\n", "case.yaml:2: ", "NUL"},
        {"grid: {\"n\\0x\": 24}\n", "case.yaml:1: ", "NUL"}};
    CHECK_MISTAKES(mistakes);
}

/* Checked before the document is loaded: the time of libyaml grows with the square of the depth. */
static void depth_is_refused_where_it_is_too_deep(void **state)
{
    (void)state;
    char lines[512] = "grid:\n", flow[64 << 10];
    memset(flow, '[', sizeof flow - 1);
    flow[sizeof flow - 1] = '\0';
    check_refused(flow, NULL, 0, "case.yaml:1: ", "nested more deeply than 16 levels");
    for (int k = 1; k < 20; k++)
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%*sa:\n", k, "");
    check_refused(lines, NULL, 0, "case.yaml:17: ", "nested more deeply than 16 levels");
    memcpy(flow, "grid.n=", 7);
    check_refused_set(flow, "--set ", "not a value that can be set");
}

/* No part of a file is ignored silently. */
static void a_second_document_is_refused(void **state)
{
    (void)state;
    check_refused("grid: {n: 24}\n---\ngrid: {n: 25}\n", NULL, 0, "case.yaml:", "");
}

static void check_no_input(const char *path)
{
    swe_context ctx = {""};
    swe_config *config = NULL;
    assert_int_equal(swe_config_load(&ctx, path, NULL, 0, &config), SWE_NO_INPUT);
    assert_null(config);
    assert_non_null(strstr(ctx.message, path));
}

static void paths_that_are_not_files_are_refused_without_waiting(void **state)
{
    (void)state;
    unlink(other_path);
    check_no_input(other_path); /* missing */
    check_no_input(case_folder);
    assert_int_equal(mkfifo(other_path, 0600), 0);
    check_no_input(other_path); /* opening it would wait for a writer */
    unlink(other_path);
}

static void a_file_too_large_for_a_configuration_is_refused(void **state)
{
    (void)state;
    char *text = malloc((1 << 24) + 2);
    memset(text, '#', (1 << 24) + 1);
    text[(1 << 24) + 1] = '\0';
    case_write(case_path, text);
    free(text);
    swe_context ctx = {""};
    swe_config *config = NULL;
    assert_int_equal(swe_config_load(&ctx, case_path, NULL, 0, &config), SWE_CONFIG);
    assert_non_null(strstr(ctx.message, "larger than 16 MiB"));
}

static void unknown_operators_are_refused(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {"grid:\n  order: 3\n", "case.yaml:2: ", "grid.order: 3"},
        {"grid:\n  order: 5\n", "case.yaml:2: ", "grid.order: 5"},
        {"grid:\n  order: 8\n", "case.yaml:2: ", "grid.order: 8"},
        {"grid:\n  order: 2\n  n: 3\n", "case.yaml:3: ", "grid.n: 3"},
        {"grid:\n  order: 4\n  n: 6\n", "case.yaml:3: ", "grid.n: n = 6"},
        {"grid:\n  n: 10\n  order: 6\n", "case.yaml:2: ", "grid.n: n = 10"},
        {"grid:\n  order: 6\n  closure: published\n", "case.yaml:3: ", "grid.closure: "},
        {"grid:\n  order: 2\n  closure: published\n", "case.yaml:3: ", "grid.closure: "}};
    CHECK_MISTAKES(mistakes);
}

static void a_grid_larger_than_the_memory_is_refused(void **state)
{
    (void)state;
    const double gib = 1024.0 * 1024.0 * 1024.0;
    if ((double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) > 300.0 * gib)
        skip(); /* the largest grid would fit */
    check_refused("grid:\n  n: 16384\n", NULL, 0, "case.yaml:2: ", "grid.n: 16384 needs");
}

static void steps_that_cannot_work_are_refused_for_every_rule(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {"grid: {n: 24}\ntime:\n  dt: 0.1\n", "case.yaml:3: ", "time.dt: "},
        {"grid: {n: 24}\ntime:\n  dt_times_n: 2\n", "case.yaml:3: ", "time.dt_times_n: "},
        {"grid: {n: 24}\ntime:\n  courant: 0.7\n", "case.yaml:3: ", "time.courant: "},
        {"grid: {n: 24}\ntime:\n  courant: 0.7\n", "case.yaml:3: ", "order 4 allows"},
        {"time:\n  dt: 1e-14\n", "case.yaml:2: ", "time.dt: more than 1e12 steps"},
        {"time:\n  courant: 0.1\n  dt: 0.001\n", "case.yaml:", "set one of"},
        {"time:\n  dt_times_n: 0.1\n  dt: 0.001\n", "case.yaml:", "set one of"},
        {"time:\n  dt_times_n: 0.1\n  courant: 0.1\n", "case.yaml:", "set one of"}};
    CHECK_MISTAKES(mistakes);
}

/* The published closure has a larger spectral radius than the default one. */
static void a_step_that_only_the_default_closure_allows_is_refused(void **state)
{
    (void)state;
    check_refused("grid: {order: 4, closure: published}\ntime:\n  courant: 0.62\n", NULL, 0,
                  "case.yaml:3: ", "time.courant: ");
}

static void lists_with_a_bad_element_are_refused(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {"diagnostics:\n  sample_times: [0.1, x]\n", "case.yaml:2: ", "diagnostics.sample_times: "},
        {"diagnostics:\n  sample_times: [0.1, -1]\n", "case.yaml:2: ", "sample_times: -1"},
        {"diagnostics:\n  sample_times: [0.1, nan]\n", "case.yaml:2: ", "sample_times: nan"},
        {"diagnostics:\n  sample_times: [0.1, 5]\n", "case.yaml:2: ", "5 is after time.end"},
        {"output:\n  fields: [h, foo]\n", "case.yaml:2: ", "output.fields: 'foo'"}};
    CHECK_MISTAKES(mistakes);
}

static void an_empty_list_of_fields_does_not_mean_all_of_them(void **state)
{
    (void)state;
    swe_context ctx = {""};
    swe_config *config = NULL;
    unsigned chosen = 0;
    case_write(case_path, "output: {fields: []}\n");
    if (swe_config_load(&ctx, case_path, NULL, 0, &config) == SWE_OK)
        chosen = config->output.fields.chosen;
    swe_config_destroy(&config);
    assert_int_equal(chosen, 0);
}

static void only_an_initial_state_from_a_file_has_a_path(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {"initial:\n  kind: file\n", "case.yaml:1: ", "initial.path: "},
        {"initial:\n  path: a.nc\n", "case.yaml:2: ", "initial.path: "}};
    CHECK_MISTAKES(mistakes);
}

/* Other characters would change when configuration.yaml is written in quotes and read again. */
static void a_path_is_one_line(void **state)
{
    (void)state;
    static const mistake mistakes[] = {
        {"checkpoint:\n  dir: \"a\\nb\"\n", "case.yaml:2: ", "checkpoint.dir: "},
        {"checkpoint:\n  dir: \"a\\u0085b\"\n", "case.yaml:2: ", "checkpoint.dir: "},
        {"profile:\n  dir: \"a\\u2028b\"\n", "case.yaml:2: ", "profile.dir: "},
        {"profile:\n  dir: 'none'\n", "case.yaml:2: ", "profile.dir: leave it empty"},
        {"profile:\n  dir: null\n", "case.yaml:2: ", "profile.dir: leave it empty"},
        {"profile:\n  dir: ~\n", "case.yaml:2: ", "profile.dir: "}};
    CHECK_MISTAKES(mistakes);
}

static void overrides_that_cannot_be_read_are_refused(void **state)
{
    (void)state;
    static const char *const sets[] = {"grid.n",
                                       "n=3",
                                       ".n=3",
                                       "grid.=3",
                                       "=3",
                                       "grid.n=",
                                       "grid.n=[1",
                                       "output.fields=[h] wind native",
                                       "output.fields=[h], x",
                                       "output.fields=[h]\n--- x",
                                       "grid.n=24\n...\nx",
                                       "time.end=\"1\\0evil\""};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
        check_refused_set(sets[k], "--set ", sets[k]);
    const char *in_scalar = "grid.n=24";
    check_refused("grid: 3\n", &in_scalar, 1, "--set ", "grid.n=24");
}

static void overrides_are_checked_as_the_file_is(void **state)
{
    (void)state;
    check_refused_set("grid.foo=1", "--set: ", "grid.foo: ");
    check_refused_set("grid.n.x=3", "--set: ", "grid.n.x: ");
    check_refused_set("checkpoint.dir=none", "--set: ", "checkpoint.dir: leave it empty for none");
    check_refused_set("profile.dir=Null", "--set: ", "'./Null' is a path of that name");
    check_refused_set("bottom.path=none", "--set: ", "bottom.path: ");
    check_refused_set("profile.dir=~/a", "--set: ", "profile.dir: ");
    check_refused_set("profile.dir=a\nb", "--set: ", "profile.dir: ");
    check_refused_set("profile.dir=a\xff", "--set ", "not a value that can be set");
    check_refused_set("nothing.n=1", "--set: ", "nothing");
    check_refused_set("grid.n=abc", "--set: ", "grid.n: ");
    check_refused_set("grid.n=-1", "--set: ", "grid.n: -1");
    check_refused_set("grid.n=24: 3", "--set: ", "grid.n: ");
    check_refused_set("grid.order=3", "--set: ", "grid.order: 3");
    check_refused_set("time.dt=nan", "--set: ", "time.dt: nan");
    check_refused_set("time.end=-1", "--set: ", "time.end: -1");
    check_refused_set("time.courant=0.9", "--set: ", "time.courant: ");
    check_refused_set("diagnostics.sample_times=[0.1, y]", "--set: ", "diagnostics.sample_times: ");
    check_refused_set("output.fields=[h, q]", "--set: ", "output.fields: 'q'");
}

/* A mistake in the file is reported with the line of the file. */
static void a_mistake_in_the_file_has_the_line_of_the_file(void **state)
{
    (void)state;
    const char *set = "time.end=2";
    check_refused("grid:\n  n: -4\n", &set, 1, "case.yaml:2: ", "grid.n: -4");
}

static void intervals_that_no_step_divides_are_refused(void **state)
{
    (void)state;
#define SMALL "grid: {n: 12}\n"
    static const mistake mistakes[] = {
        {SMALL "output:\n  every: 3\n  interval: 0.1\n",
         "case.yaml:4: ", "output.interval: set it or output.every"},
        {SMALL "diagnostics: {every: 3, interval: 0.1}\n", "case.yaml:2: ", "diagnostics.every"},
        {SMALL "checkpoint: {every: 3, interval: 0.1}\n", "case.yaml:2: ", "checkpoint.every"},
        {SMALL "output: {interval: -1}\n", "case.yaml:2: ", "output.interval: -1"},
        {SMALL "time: {dt: 0.03}\noutput: {interval: 0.25}\n", "case.yaml:2: ",
         "time.dt: 0.029999999999999999 s does not divide output.interval = 0.25 s; the nearest "
         "that divides all intervals is 0.03125"},
        {SMALL "time: {dt: 0.03, end: 0.99}\noutput: {interval: 0.33}\ndiagnostics: {interval: "
               "0.01}\n",
         "case.yaml:2: ",
         "diagnostics.interval = 0.01 s; the nearest that divides all intervals is 0.01"},
        {SMALL "output: {interval: 0.1}\ndiagnostics: {interval: 0.141421356}\n", "case.yaml:2: ",
         "output.interval: no time step divides 0.1 s and diagnostics.interval = 0.141421356 s"},
        {SMALL "time: {end: 3.14159265}\noutput: {interval: 0.1}\n", "case.yaml:3: ",
         "output.interval: no time step divides 0.1 s and time.end = 3.14159265 s"},
        {SMALL "time: {end: 0.1}\noutput: {interval: 3.14159265}\n", "case.yaml:3: ",
         "output.interval: no time step divides 3.14159265 s and time.end = 0.1 s"},
        {SMALL "output: {interval: 0.1}\ndiagnostics: {interval: 0.101}\n", "case.yaml:2: ",
         "output.interval: 0.1 s and diagnostics.interval = 0.101 s need a time step of 0.001 s"}};
    CHECK_MISTAKES(mistakes);
}

/* A longer step than the nearest is not stable. */
static void the_nearest_step_is_a_stable_one(void **state)
{
    (void)state;
    check_refused("grid: {n: 24}\ntime: {dt: 0.04}\noutput: {interval: 0.05}\n", NULL, 0,
                  "case.yaml:2: ", "divides all intervals is 0.025");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_and_repeated_keys_are_refused),
        cmocka_unit_test(values_of_the_wrong_type_are_refused),
        cmocka_unit_test(leapfrog_of_other_flows_is_refused),
        cmocka_unit_test(numbers_with_trailing_text_are_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(text_that_is_not_a_configuration_is_refused),
        cmocka_unit_test(depth_is_refused_where_it_is_too_deep),
        cmocka_unit_test(a_second_document_is_refused),
        cmocka_unit_test(paths_that_are_not_files_are_refused_without_waiting),
        cmocka_unit_test(a_file_too_large_for_a_configuration_is_refused),
        cmocka_unit_test(unknown_operators_are_refused),
        cmocka_unit_test(a_grid_larger_than_the_memory_is_refused),
        cmocka_unit_test(steps_that_cannot_work_are_refused_for_every_rule),
        cmocka_unit_test(a_step_that_only_the_default_closure_allows_is_refused),
        cmocka_unit_test(lists_with_a_bad_element_are_refused),
        cmocka_unit_test(an_empty_list_of_fields_does_not_mean_all_of_them),
        cmocka_unit_test(only_an_initial_state_from_a_file_has_a_path),
        cmocka_unit_test(a_path_is_one_line),
        cmocka_unit_test(overrides_that_cannot_be_read_are_refused),
        cmocka_unit_test(overrides_are_checked_as_the_file_is),
        cmocka_unit_test(a_mistake_in_the_file_has_the_line_of_the_file),
        cmocka_unit_test(intervals_that_no_step_divides_are_refused),
        cmocka_unit_test(the_nearest_step_is_a_stable_one),
    };
    return cmocka_run_group_tests(tests, case_folder_make, case_folder_remove);
}
