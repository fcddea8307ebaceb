/* The snapshots of a run, written in the background while the model steps. A stand-in for the file
 * records the snapshot, and fails at a chosen file. */
#include "support/config_case.h"

#include <pthread.h>
#include <time.h>

#include "run/simulation.h"
#include "files/output/field_file.h"

static const char case_text[] = "grid: {n: 9, order: 4}\n"
                                "initial: {kind: gaussian}\n"
                                "time: {end: 0.2, dt: 0.01}\n"
                                "output: {every: 4}\n" /* six files */
                                "diagnostics: {every: 1}\n";

enum { FILES = 6, NEVER = FILES };

static pthread_t main_thread;
static long steps[FILES + 1];   /* of the requested files */
static int requested, fails_at; /* number of files; index of the one that fails */
static bool changed;            /* a snapshot changed while it was written */
static bool was_main;           /* the main thread wrote a file */

swe_status __wrap_swe_field_file_write(swe_context *ctx, const char *path,
                                       const swe_snapshot *snapshot);

swe_status __wrap_swe_field_file_write(swe_context *ctx, const char *path,
                                       const swe_snapshot *snapshot)
{
    const size_t bytes = (size_t)snapshot->grid->layout.panel * sizeof(double);
    const double *h = swe_panels_get(swe_host_fields_panels(snapshot->state), SWE_FIELD_H, 4, NULL);
    double *before = malloc(bytes);
    if (before == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory");
    memcpy(before, h, bytes);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL); /* the model steps meanwhile */
    changed = changed || memcmp(before, h, bytes) != 0;
    free(before);
    was_main = was_main || pthread_equal(pthread_self(), main_thread);
    steps[requested] = snapshot->step;
    return requested++ == fails_at ? swe_fail(ctx, SWE_IO, "%s: cannot be written", path) : SWE_OK;
}

static void count_step(void *watcher, const swe_progress *progress)
{
    *(long *)watcher = progress->step;
}

/* Run the case; file `fails` fails. `last`: the last step of the run. */
static swe_status run_case(swe_context *ctx, int fails, long *last, swe_results *results)
{
    requested = 0;
    fails_at = fails;
    changed = was_main = false;
    main_thread = pthread_self();
    *last = 0;
    swe_config *config = case_load(case_text, NULL, 0);
    const swe_simulation_options options = {.backend = "cpu", .watch = count_step, .watcher = last};
    const swe_run_files files = {.fields_directory = "out"};
    swe_simulation *simulation = NULL;
    CHECK_OK(ctx, swe_simulation_create(ctx, config, &options, &simulation));
    const swe_status status = swe_simulation_run(ctx, simulation, &files, results);
    const int requested_at_end = requested;
    swe_simulation_destroy(&simulation);
    swe_config_destroy(&config);
    assert_int_equal(requested, requested_at_end); /* no file was still in flight */
    assert_false(was_main);
    assert_false(changed);
    return status;
}

static void every_snapshot_is_written(void **state)
{
    (void)state;
    swe_context ctx = {""};
    swe_results results;
    long last = 0;
    CHECK_OK(&ctx, run_case(&ctx, NEVER, &last, &results));
    assert_int_equal(requested, FILES);
    for (int k = 0; k < FILES; k++)
        assert_int_equal(steps[k], 4 * k);
    assert_int_equal(results.output.files, FILES);
    assert_true(results.output.writing >= FILES * 0.005);
    assert_int_equal(last, 20);
}

/* If the first file fails, the run ends before the first step; otherwise at the next snapshot. */
static void a_failure_ends_the_run_at_the_next_snapshot(void **state)
{
    (void)state;
    for (int k = 0; k < FILES; k++) {
        swe_context ctx = {""};
        swe_results results;
        long last = 0;
        char message[64];
        snprintf(message, sizeof message, "out/fields_%08d.nc: cannot be written", 4 * k);
        assert_int_equal(run_case(&ctx, k, &last, &results), SWE_IO);
        assert_string_equal(ctx.message, message);
        assert_int_equal(requested, k + 1);
        assert_true(last <= (k == 0 ? 0 : 4 * (k + 1)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_snapshot_is_written),
        cmocka_unit_test(a_failure_ends_the_run_at_the_next_snapshot),
    };
    return cmocka_run_group_tests_name("snapshots of a run", tests, case_folder_make,
                                       case_folder_remove);
}
