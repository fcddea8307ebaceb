/* The reach of stages in short sequences of calls, by hand, and the memory that serves a stage. */
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#include "window/device_model.h"
#include "window/reach.h"

enum { MOST_CALLS = 8, COSTS = 4 };

/* A step that calls stages by the numbers of their costs; -1 ends it. */
typedef struct sample {
    prof_cost costs[COSTS];
    int cost_count;
    int calls[MOST_CALLS];
    const prof_buffer *buffers;
    int buffer_count;
    bool in_graph;
} sample;

/* Record it as regions of two steps, or in a graph as replays, the last call first. */
static void record(const sample *s, prof_trace *trace, prof_span *spans, prof_replay *replays)
{
    int count = 0;
    while (s->calls[count] >= 0)
        count++;
    *trace = (prof_trace){.costs = s->costs,
                          .cost_count = s->cost_count,
                          .buffers = s->buffers,
                          .buffer_count = s->buffer_count,
                          .spans = spans,
                          .replays = replays};
    for (int k = 0; k < 2 * count; k++) {
        const char *name = s->costs[s->calls[k % count]].stage;
        if (s->in_graph)
            replays[trace->replay_count++] =
                (prof_replay){.kind = PROF_STAGE,
                              .name = s->costs[s->calls[count - 1 - k % count]].stage,
                              .step = 7 + k / count,
                              .captured = count - 1 - k % count};
        else
            spans[trace->span_count++] =
                (prof_span){.kind = PROF_STAGE, .name = name, .step = 7 + k / count};
    }
}

static void check_reaches(const sample *s, const double expected[COSTS])
{
    prof_trace trace;
    prof_span spans[2 * MOST_CALLS];
    prof_replay replays[2 * MOST_CALLS];
    record(s, &trace, spans, replays);
    double *found = prof_reaches(&trace);
    assert_non_null(found);
    for (int k = 0; k < s->cost_count; k++)
        if (!(found[k] == expected[k] || (isnan(found[k]) && isnan(expected[k]))))
            fail_msg("%s: reach %g, expected %g", s->costs[k].stage, found[k], expected[k]);
    free(found);
}

static const prof_access a_writes_x[] = {{"c", 10.0, false}, {"x", 100.0, true}},
                         b_reads_x[] = {{"x", 100.0, false}, {"z", 60.0, true}},
                         d_uses_edges[] = {{"x", 20.0, false}, {"w", 4.0, true}},
                         updates_h[] = {{"h", 200.0, false}, {"h", 100.0, true}};

static void a_stage_alone_reaches_its_own_buffers(void **state)
{
    (void)state;
    check_reaches(&(sample){.costs = {{"a", NULL, 0.0, a_writes_x, 2, 0}},
                            .cost_count = 1,
                            .calls = {0, 0, -1}},
                  (double[COSTS]){110.0});
}

/* B: x was written one call before, (110 + 160) / 2; z one step before, all of 170. The first has
 * more bytes. A: c and x after B, (160 + 110) / 2 for x, and 170 for c. */
static void a_reader_follows_the_writer(void **state)
{
    (void)state;
    const sample s = {.costs = {{"a", NULL, 0.0, a_writes_x, 2, 0},
                                {"b", NULL, 0.0, b_reads_x, 2, 0},
                                {"unused", NULL, 0.0, a_writes_x, 2, 0}},
                      .cost_count = 3,
                      .calls = {0, 1, -1}};
    check_reaches(&s, (double[COSTS]){135.0, 135.0, NAN});
    sample in_graph = s;
    in_graph.in_graph = true;
    check_reaches(&in_graph, (double[COSTS]){135.0, 135.0, NAN});
}

/* D accesses a fifth of x: to B, A is the last that accessed it. B: z, x and w after A's c and x.
 */
static void an_edge_is_no_access_of_a_field(void **state)
{
    (void)state;
    check_reaches(&(sample){.costs = {{"a", NULL, 0.0, a_writes_x, 2, 0},
                                      {"d", NULL, 0.0, d_uses_edges, 2, 0},
                                      {"b", NULL, 0.0, b_reads_x, 2, 0}},
                            .cost_count = 3,
                            .calls = {0, 1, 2, -1}},
                  (double[COSTS]){135.0, 0.5 * (24.0 + 110.0), 0.5 * (164.0 + 114.0)});
}

/* A call reads two states and writes one: three of a buffer with room for four, both of one with
 * room for two. Where the shape is unknown, what is written may be what was read. */
static void values_that_are_read_and_written_may_be_others(void **state)
{
    (void)state;
    const prof_buffer four = {"h", 2, {10, 5}, 8}, two = {"h", 1, {25}, 8};
    sample s = {.costs = {{"a", NULL, 0.0, updates_h, 2, 0}}, .cost_count = 1, .calls = {0, -1}};
    check_reaches(&s, (double[COSTS]){200.0});
    s.buffer_count = 1;
    s.buffers = &four;
    check_reaches(&s, (double[COSTS]){300.0});
    s.buffers = &two;
    check_reaches(&s, (double[COSTS]){200.0});
}

static void the_smallest_cache_that_holds_the_reach_serves(void **state)
{
    (void)state;
    const prof_cache caches[] = {{"L1", 10.0, 8.0}, {"L2", 100.0, 0.0}, {"L3", 1000.0, 2.0}};
    static const struct {
        double reach;
        const char *cache;
        double bandwidth;
    } expected[] = {{10.0, "L1", 8.0}, {10.5, "L3", 2.0}, {1001.0, NULL, 0.0}, {NAN, NULL, 0.0}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const prof_cache *cache = prof_serving_cache(caches, 3, expected[k].reach);
        if (expected[k].cache == NULL) {
            assert_null(cache);
            continue;
        }
        assert_string_equal(cache->name, expected[k].cache);
        assert_true(cache->bandwidth == expected[k].bandwidth);
    }
    assert_null(prof_serving_cache(caches, 0, 1.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stage_alone_reaches_its_own_buffers),
        cmocka_unit_test(a_reader_follows_the_writer),
        cmocka_unit_test(an_edge_is_no_access_of_a_field),
        cmocka_unit_test(values_that_are_read_and_written_may_be_others),
        cmocka_unit_test(the_smallest_cache_that_holds_the_reach_serves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
