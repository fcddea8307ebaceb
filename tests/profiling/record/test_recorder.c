/* The recorder: spans nest as regions do, windows cut them, threads have parts, nothing is lost
 * silently. */
#include "support/check.h"

#include <pthread.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "record/record.h"

enum { STAGE, RHS, STEP, STEPS, WAIT, REGIONS, MOST = 1000, PARTS = 3 };

static const prof_region regions[REGIONS] = {{"gradient", PROF_STAGE},
                                             {"rhs", PROF_SUBSTEP},
                                             {"step", PROF_STEP},
                                             {"steps", PROF_PHASE},
                                             {"messages", PROF_WAIT}};

typedef struct worker {
    prof_recorder *recorder;
    int thread;
} worker;

static void *take_part(void *argument)
{
    const worker *w = argument;
    prof_recorder_thread_begin(w->recorder, w->thread);
    prof_recorder_thread_end(w->recorder, w->thread);
    return NULL;
}

/* A stage in which all threads take part. */
static void run_stage(prof_recorder *r)
{
    pthread_t ids[PARTS];
    worker workers[PARTS];
    prof_recorder_begin(r, STAGE);
    for (int k = 1; k < PARTS; k++) {
        workers[k] = (worker){r, k};
        assert_int_equal(pthread_create(&ids[k], NULL, take_part, &workers[k]), 0);
    }
    workers[0] = (worker){r, 0};
    take_part(&workers[0]);
    for (int k = 1; k < PARTS; k++)
        assert_int_equal(pthread_join(ids[k], NULL), 0);
    prof_recorder_end(r);
}

static void run_step(prof_recorder *r)
{
    prof_recorder_begin(r, STEP);
    prof_recorder_begin(r, RHS);
    run_stage(r);
    run_stage(r);
    prof_recorder_end(r);
    prof_recorder_end(r);
}

static prof_trace *close_now(prof_recorder *r)
{
    prof_trace *trace = prof_trace_create();
    assert_non_null(trace);
    assert_true(prof_recorder_close(r, trace));
    return trace;
}

static void check_nesting(const prof_trace *t)
{
    for (int64_t k = 0; k < t->span_count; k++) {
        const prof_span *s = &t->spans[k];
        assert_true(s->end >= s->start);
        if (s->parent < 0)
            continue;
        const prof_span *outer = &t->spans[s->parent];
        assert_true(s->kind == PROF_THREAD || s->parent < k);
        assert_true(outer->start <= s->start && s->end <= outer->end);
        if (s->thread == outer->thread)
            assert_int_equal(s->depth, outer->depth + 1);
    }
}

/* Steps in the phase that they belong to. */
static void run_steps(prof_recorder *r, int steps)
{
    prof_recorder_begin(r, STEPS);
    for (int k = 0; k < steps; k++)
        run_step(r);
    prof_recorder_end(r);
}

static void test_window(void **state)
{
    (void)state;
    prof_recorder *r = prof_recorder_create(regions, REGIONS, MOST);
    assert_non_null(r);
    assert_true(prof_recorder_threads(r, PARTS, NULL));
    run_steps(r, 1); /* before the window: leaves nothing but the time of its phase */
    prof_recorder_at_step(r, 17);
    prof_recorder_open(r);
    run_steps(r, 2);
    assert_int_equal(prof_recorder_step(r), 19);
    prof_trace *t = close_now(r);
    run_steps(r, 1); /* after it */

    const int main_spans = 1 + 2 * 4, parts = 2 * 2 * PARTS;
    assert_int_equal(t->span_count, main_spans + parts);
    assert_string_equal(t->spans[0].name, "steps");
    assert_int_equal(t->spans[1].kind, PROF_STEP);
    assert_int_equal(t->spans[1].step, 17);
    assert_int_equal(t->spans[3].step, 17); /* what is in a step knows its number */
    assert_int_equal(t->spans[5].step, 18);
    assert_int_equal(t->spans[0].step, -1);
    check_nesting(t);
    for (int64_t k = main_spans; k < t->span_count; k++) {
        assert_int_equal(t->spans[k].kind, PROF_THREAD);
        assert_string_equal(t->spans[k].name, "gradient");
        assert_int_equal(t->spans[t->spans[k].parent].kind, PROF_STAGE);
    }
    assert_int_equal(t->thread_count, PARTS);
    assert_int_not_equal(t->threads[1].id, t->threads[0].id);
    assert_int_equal(t->phase_count, 1);
    assert_int_equal(t->phases[0].count, 2);
    assert_true(t->phases[0].total >= t->spans[0].end - t->spans[0].start);
    assert_int_equal(t->drops.spans, 0);
    prof_trace_destroy(&t);
    prof_recorder_destroy(&r);
}

static void test_threads_that_never_come(void **state)
{
    (void)state;
    prof_recorder *r = prof_recorder_create(regions, REGIONS, MOST);
    assert_true(prof_recorder_threads(r, 100, NULL));
    prof_recorder_open(r);
    run_step(r);
    prof_trace *t = close_now(r);
    assert_int_equal(t->thread_count, PARTS);
    prof_trace_destroy(&t);
    prof_recorder_destroy(&r);
}

static void test_no_memory_for_threads(void **state)
{
    (void)state;
    if (CHECKS_ADDRESSES)
        skip(); /* the sanitizer ends a program whose memory is refused */
    prof_recorder *r = prof_recorder_create(regions, REGIONS, MOST);
    struct rlimit before, little;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    prof_recorder_destroy(&r);
    r = prof_recorder_create(regions, REGIONS, INT64_C(1) << 22);
    assert_non_null(r);
    little = (struct rlimit){(rlim_t)1 << 20, before.rlim_max}; /* less than there is already */
    assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
    const bool enough = prof_recorder_threads(r, 2, NULL);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_false(enough);
    prof_recorder_open(r);
    prof_recorder_begin(r, STAGE);
    prof_recorder_thread_begin(r, 0); /* finds no room, and counts that */
    prof_recorder_thread_end(r, 0);
    prof_recorder_end(r);
    prof_trace *t = close_now(r);
    assert_int_equal(t->span_count, 1);
    prof_trace_destroy(&t);
    prof_recorder_destroy(&r);
}

static void test_full(void **state)
{
    (void)state;
    enum { ROOM = 10 };
    prof_recorder *r = prof_recorder_create(regions, REGIONS, ROOM);
    assert_true(prof_recorder_threads(r, PARTS, NULL));
    prof_recorder_open(r);
    for (int k = 0; k < 5; k++)
        run_step(r);
    prof_trace *t = close_now(r);
    const int all = 5 * 4 + 5 * 2 * PARTS;
    int dropped_parts = 0; /* of stages that were dropped themselves: not counted a second time */
    for (int64_t k = 0; k < t->span_count; k++)
        dropped_parts += t->spans[k].kind == PROF_THREAD;
    assert_true(t->span_count < all && t->drops.spans > 0);
    assert_int_equal(t->span_count - dropped_parts, ROOM);
    assert_int_equal(t->drops.spans >= 5 * 4 - ROOM, 1);
    check_nesting(t);
    prof_trace_destroy(&t);
    /* the next window has room again */
    prof_recorder_open(r);
    run_step(r);
    t = close_now(r);
    assert_int_equal(t->drops.spans, 0);
    prof_trace_destroy(&t);
    prof_recorder_destroy(&r);
}

static void test_too_deep(void **state)
{
    (void)state;
    enum { DEPTH = 100 };
    prof_recorder *r = prof_recorder_create(regions, REGIONS, MOST);
    prof_recorder_open(r);
    for (int k = 0; k < DEPTH; k++)
        prof_recorder_begin(r, RHS);
    for (int k = 0; k < DEPTH; k++)
        prof_recorder_end(r);
    prof_recorder_begin(r, STAGE);
    prof_recorder_end(r);
    prof_trace *t = close_now(r);
    check_nesting(t);
    assert_string_equal(t->spans[t->span_count - 1].name, "gradient");
    assert_int_equal(t->spans[t->span_count - 1].depth, 0);
    prof_trace_destroy(&t);
    prof_recorder_destroy(&r);
}

/* The main thread may wait while others still work for the stage. */
static void a_wait_has_no_shares(void **state)
{
    (void)state;
    worker second = {prof_recorder_create(regions, REGIONS, MOST), 1};
    prof_recorder *r = second.recorder;
    assert_true(prof_recorder_threads(r, PARTS, NULL));
    prof_recorder_open(r);
    prof_recorder_begin(r, STAGE);
    prof_recorder_begin(r, WAIT);
    assert_int_equal(prof_recorder_region(r), STAGE);
    take_part(&second);
    prof_recorder_end(r);
    assert_int_equal(prof_recorder_region(r), STAGE);
    prof_recorder_end(r);
    assert_int_equal(prof_recorder_region(r), -1);
    prof_trace *t = close_now(r);
    assert_int_equal(t->span_count, 3);
    assert_string_equal(t->spans[2].name, "gradient");
    assert_int_equal(t->spans[2].kind, PROF_THREAD);
    assert_int_equal(t->spans[2].parent, 0);
    assert_int_equal(t->spans[1].kind, PROF_WAIT);
    prof_trace_destroy(&t);
    prof_recorder_destroy(&r);
}

/* One exchange within a stage, with a wait, of two messages received and one sent. */
static bool exchange(prof_recorder *r)
{
    prof_recorder_begin(r, STAGE);
    const bool is_recorded = prof_recorder_exchange(r);
    if (is_recorded) {
        prof_recorder_message(r, (prof_message){3, 100}, false);
        prof_recorder_message(r, (prof_message){1, 200}, false);
        prof_recorder_message(r, (prof_message){1, 300}, true);
    }
    prof_recorder_begin(r, WAIT);
    prof_recorder_end(r);
    prof_recorder_end(r);
    return is_recorded;
}

static void exchanges_have_messages_and_waits(void **state)
{
    (void)state;
    prof_recorder *r = prof_recorder_create(regions, REGIONS, MOST);
    assert_true(prof_recorder_ranks(r));
    assert_false(exchange(r));
    prof_recorder_open(r);
    assert_true(exchange(r));
    assert_true(exchange(r));
    prof_trace *t = close_now(r);
    assert_int_equal(t->exchange_count, 2);
    assert_int_equal(t->message_count, 6);
    for (int k = 0; k < 2; k++) {
        const prof_exchange *e = &t->exchanges[k];
        assert_int_equal(e->first, 3 * k);
        assert_int_equal(e->received, 2);
        assert_int_equal(e->sent, 1);
        assert_int_equal(t->spans[e->span].kind, PROF_STAGE);
        assert_int_equal(t->spans[e->wait].kind, PROF_WAIT);
        assert_int_equal(t->spans[e->wait].parent, e->span);
        assert_true(t->spans[e->span].start <= e->time && e->time <= t->spans[e->wait].start);
        assert_int_equal(t->messages[e->first + 1].rank, 1);
        assert_int_equal(t->messages[e->first + 2].bytes, 300);
    }
    prof_trace_destroy(&t);
    prof_recorder_destroy(&r);
}

/* Equal numbers are the same exchange on all ranks: after one that is dropped none is kept. */
static void exchanges_beyond_the_room_are_dropped(void **state)
{
    (void)state;
    enum { ROOM = 4, RUN = 7 };
    prof_recorder *r = prof_recorder_create(regions, REGIONS, ROOM);
    assert_true(prof_recorder_ranks(r));
    prof_recorder_open(r);
    for (int k = 0; k < RUN; k++)
        assert_int_equal(exchange(r), k < ROOM);
    prof_trace *t = close_now(r);
    assert_int_equal(t->exchange_count, ROOM);
    assert_int_equal(t->drops.spans, RUN - ROOM + 2 * RUN - ROOM);
    prof_trace_destroy(&t);
    prof_recorder_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_threads_that_never_come),
        cmocka_unit_test(test_no_memory_for_threads),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_too_deep),
        cmocka_unit_test(a_wait_has_no_shares),
        cmocka_unit_test(exchanges_have_messages_and_waits),
        cmocka_unit_test(exchanges_beyond_the_room_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
