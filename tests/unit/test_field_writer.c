/* The background writer of field files. A stand-in for the file waits at a gate, so that no test
 * depends on time. */
#include <semaphore.h>
#include <signal.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "files/output/field_writer.h"
#include "support/check.h"

static sem_t begun, gate;
static atomic_int written;
static atomic_bool signals_are_unblocked;

swe_status __wrap_swe_field_file_write(swe_context *ctx, const char *path,
                                       const swe_snapshot *snapshot);

/* Fails for the path "full"; the message has the step. */
swe_status __wrap_swe_field_file_write(swe_context *ctx, const char *path,
                                       const swe_snapshot *snapshot)
{
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    signals_are_unblocked = !sigismember(&blocked, SIGTERM);
    sem_post(&begun);
    sem_wait(&gate);
    if (strcmp(path, "full") == 0)
        return swe_fail(ctx, SWE_IO, "step %ld: the disk is full", snapshot->step);
    written++;
    return SWE_OK;
}

static swe_field_writer *new_writer(void)
{
    swe_context ctx;
    swe_field_writer *writer = NULL;
    sem_init(&begun, 0, 0);
    sem_init(&gate, 0, 0);
    written = 0;
    assert_int_equal(swe_field_writer_create(&ctx, &writer), SWE_OK);
    return writer;
}

/* The caller continues while the file is written; the variables of the snapshot and the path may go
 * out of scope. */
static void start_returns_before_the_file_is_written(void **state)
{
    (void)state;
    swe_context ctx;
    swe_field_writer *writer = new_writer();
    {
        char path[] = "good";
        const swe_snapshot snapshot = {.step = 3};
        swe_field_writer_start(writer, path, &snapshot);
        path[0] = '\0';
    }
    sem_wait(&begun);
    assert_int_equal(written, 0);
    sem_post(&gate);
    assert_int_equal(swe_field_writer_drain(&ctx, writer), SWE_OK);
    assert_int_equal(written, 1);
    const swe_field_writer_times times = swe_field_writer_get_times(writer);
    assert_int_equal(times.files, 1);
    assert_true(times.writing > 0.0 && times.waiting > 0.0);
    assert_false(signals_are_unblocked);
    swe_field_writer_destroy(&writer);
    assert_null(writer);
}

static void every_later_drain_reports_a_failure(void **state)
{
    (void)state;
    swe_context ctx = {""};
    swe_field_writer *writer = new_writer();
    swe_field_writer_start(writer, "full", &(swe_snapshot){.step = 7});
    sem_post(&gate);
    for (int k = 0; k < 2; k++) {
        ctx.message[0] = '\0';
        assert_int_equal(swe_field_writer_drain(&ctx, writer), SWE_IO);
        assert_string_equal(ctx.message, "step 7: the disk is full");
    }
    assert_int_equal(swe_field_writer_get_times(writer).files, 0);
    swe_field_writer_destroy(&writer);
}

static void nothing_begun_is_lost(void **state)
{
    (void)state;
    swe_field_writer *writer = new_writer();
    swe_field_writer_start(writer, "good", &(swe_snapshot){.step = 1});
    sem_post(&gate);
    swe_field_writer_destroy(&writer);
    assert_int_equal(written, 1);
}

static void many_files_one_after_another(void **state)
{
    (void)state;
    swe_context ctx;
    swe_field_writer *writer = new_writer();
    for (int k = 0; k < 1000; k++) {
        swe_field_writer_start(writer, "good", &(swe_snapshot){.step = k});
        sem_post(&gate);
        assert_int_equal(swe_field_writer_drain(&ctx, writer), SWE_OK);
        assert_int_equal(written, k + 1);
    }
    swe_field_writer_destroy(&writer);
}

static void no_writer_has_nothing_to_wait_for(void **state)
{
    (void)state;
    swe_context ctx;
    swe_field_writer *writer = NULL;
    assert_int_equal(swe_field_writer_drain(&ctx, writer), SWE_OK);
    swe_field_writer_destroy(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_returns_before_the_file_is_written),
        cmocka_unit_test(every_later_drain_reports_a_failure),
        cmocka_unit_test(nothing_begun_is_lost),
        cmocka_unit_test(many_files_one_after_another),
        cmocka_unit_test(no_writer_has_nothing_to_wait_for),
    };
    return cmocka_run_group_tests_name("the writer of field files", tests, NULL, NULL);
}
