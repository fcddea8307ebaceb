/* The static cost against the counts of every stage: the product's sources run with a number type
 * that counts its operations (support/counting), on the CPU and as CUDA kernels. The values of n
 * differ from the values at which the table of costs was fitted (support/counting/cost_table.c). */
#include "support/check.h"

#include <stdlib.h>

#include "base/tuning.h"
#include "grid/layout.h"
#include "operators/sbp_point.h"
#include "stages/cost.h"
#include "support/counting/counted_step.h"
#include "time/plan.h"

static const struct {
    int n, order;
} cases[] = {{8, 2}, {24, 2}, {12, 4}, {31, 4}, {23, 6}};

enum { SUBSTEPS = 4, WHOLE = -1 };

/* The calls of a stage in a step. */
typedef struct counted_stage {
    const char *what;
    counting_case of;
    int kernels;
    int kernel; /* that is looked at, or the whole stage */
    bool on_cuda;
    counted_step steps[COUNTING_TALLIES];
} counted_stage;

static counted_stage run(bool on_cuda, counting_case what)
{
    counted_stage c = {
        .what = swe_stage_name(what.stage), .of = what, .kernel = WHOLE, .on_cuda = on_cuda};
    c.kernels = counted_step_run(on_cuda, what, c.steps);
    return c;
}

/* Whether sweeps compute values between two tiles for both tiles: on panels with more than
 * least_tile vertices a side. */
static bool has_tiles(const counted_stage *c)
{
    const int least_tile = 16, stage = c->of.stage;
    const bool sweeps = stage == SWE_STAGE_fused || stage == SWE_STAGE_transport ||
                        c->kernel == SWE_KERNEL_flow ||
                        (stage == SWE_STAGE_dissipation && c->kernel == WHOLE);
    return sweeps && c->of.n + 1 > least_tile;
}

/* Number of repeated multiplications for squares of velocities in the head, in a step: the
 * multiplications beyond two for each cell. All stages compute a square at every point that reads
 * it, except one stage on a CPU. */
static double squares_again(const counted_stage *c)
{
    const int n = c->of.n, order = c->of.order, stage = c->of.stage;
    const double closed = sbp_vertex_rows(order), columns = sbp_columns(order);
    const double lines = 2.0 * 6.0 * (n + 1.0);
    const double used = 2.0 * closed * columns + (n + 1.0 - 2.0 * closed) * order;
    const bool has_head = stage == SWE_STAGE_bernoulli || stage == SWE_STAGE_transport;
    const bool keeps_them = stage == SWE_STAGE_transport && !c->on_cuda;
    return c->of.flow == SWE_FLOW_NONLINEAR && has_head && !keeps_them
               ? SUBSTEPS * 2.0 * lines * (used - n)
               : 0.0;
}

static int calls_of(const counted_stage *c)
{
    return counted_step_calls(c->of.stage);
}

static void check_kinds(const counted_stage *c, const double found[COUNTED_KINDS],
                        swe_operations each)
{
    static const char *const kinds[] = {"additions", "multiplications", "divisions", "roots"};
    const double expected[] = {each.additions, each.multiplications, each.divisions, each.roots};
    for (int k = 0; k < COUNTED_KINDS; k++) {
        const double stated = calls_of(c) * expected[k], more = found[k] - stated;
        if (has_tiles(c) && more >= 0.0 && more < 0.6 * stated)
            continue;
        if (more != 0.0)
            fail_msg("%s, %s, n %d: %g %s, counted %g", c->what, swe_flow_name(c->of.flow), c->of.n,
                     expected[k], kinds[k], found[k] / calls_of(c));
    }
}

static void check_operations(const counted_stage *c, const counted_step *step, const swe_cost *cost)
{
    check_kinds(c, step->operations, cost->formula);
    check_kinds(c, step->operations + COUNTED_KINDS, cost->repeated);
    assert_true(step->squares_again == squares_again(c));
}

static double stated_bytes(const swe_cost *cost, const char *name, bool writes)
{
    double bytes = 0.0;
    for (int k = 0; k < cost->access_count; k++)
        if (cost->accesses[k].writes == writes && strcmp(cost->accesses[k].buffer, name) == 0)
            bytes += cost->accesses[k].bytes;
    return bytes;
}

/* Values that a call of a whole stage reads beyond its cost. A tracer's first kernel reads q of the
 * substep's state, its last kernel q of y. In two of the four substeps these are two states, and
 * the cost counts one state. The first sweep of the fused stage averages h1 and h2, which the
 * second reads (leapfrog is counted whole); the second averages the mean, which the first reads on
 * a CPU. Viscosity reads v of the substep's state and of its result. */
static double read_of_another_state(const counted_stage *c, const char *name, bool writes)
{
    const double vertices = 6.0 * (c->of.n + 1.0) * (c->of.n + 1.0);
    if (c->of.stage == SWE_STAGE_fused && !c->of.leaps && c->kernel == WHOLE && !writes &&
        (strcmp(name, "h1") == 0 || strcmp(name, "h2") == 0 ||
         (strcmp(name, "mean") == 0 && !c->on_cuda)))
        return 12.0 * c->of.n;
    if (c->of.stage == SWE_STAGE_viscosity && c->kernel == WHOLE && !writes &&
        (strcmp(name, "v1") == 0 || strcmp(name, "v2") == 0))
        return 6.0 * c->of.n * (c->of.n + 1.0);
    return c->of.stage == SWE_STAGE_tracer && c->kernel == WHOLE && !writes &&
                   strcmp(name, "q") == 0
               ? vertices / 2.0
               : 0.0;
}

/* Only rk4 reads and writes padding. */
static void check_bytes(const counted_stage *c, const counted_step *step, const swe_cost *cost)
{
    double all_stated = 0.0;
    for (int k = 0; k < COUNTING_BUFFERS && step->buffers[k].name != NULL; k++)
        for (int writes = 0; writes < 2; writes++) {
            const char *name = step->buffers[k].name;
            const double stated = stated_bytes(cost, name, writes);
            const double counted = 8.0 * counted_step_values(step, name, writes);
            const double more = 8.0 * read_of_another_state(c, name, writes);
            if (counted != calls_of(c) * (stated + more))
                fail_msg("%s, %s, n %d: %g bytes of %s %s, counted %g", c->what,
                         swe_flow_name(c->of.flow), c->of.n, stated, name,
                         writes ? "written" : "read", counted / calls_of(c));
            assert_true(c->of.stage == SWE_STAGE_rk4 || (step->buffers[k].padding_read == 0 &&
                                                         step->buffers[k].padding_written == 0));
            all_stated += stated;
        }
    assert_true(all_stated == swe_cost_bytes(cost, true) + swe_cost_bytes(cost, false));
}

static void check_cost(const counted_stage *c, const counted_step *step, const swe_cost *cost)
{
    check_operations(c, step, cost);
    check_bytes(c, step, cost);
}

/* The kernels that a stage launches, their names, blocks and costs. */
static void check_kernels(counted_stage *c, const swe_costs *costs)
{
    int kernel = 0;
    for (int k = 0; k < SWE_KERNEL_COUNT; k++) {
        if (swe_kernels[k].stage != c->of.stage || costs->kernels[k].access_count == 0)
            continue; /* a march is for larger panels */
        const counted_step *step = &c->steps[++kernel];
        assert_in_range(kernel, 1, c->kernels);
        c->what = swe_kernels[k].name;
        c->kernel = k;
        assert_string_equal(step->kernel, c->what);
        assert_int_equal(step->block_threads, swe_kernels[k].block_threads);
        check_cost(c, step, &costs->kernels[k]);
    }
    assert_int_equal(kernel, c->kernels);
}

static swe_costs costs_of(bool on_cuda, const counting_case *what)
{
    swe_costs costs;
    swe_costs_count(&(swe_cost_case){what->n, what->order, what->flow, SWE_PIPELINE_STAGED,
                                     SWE_PRECISION_DOUBLE, .inner_first = !on_cuda, .advected = 1,
                                     .leaps = what->leaps},
                    &costs);
    return costs;
}

static void check_stage(bool on_cuda, counting_case what)
{
    const swe_costs costs = costs_of(on_cuda, &what);
    counted_stage c = run(on_cuda, what);
    check_operations(&c, &c.steps[0], &costs.stages[what.stage]);
    if (!on_cuda || c.kernels == 1) /* else each kernel has its own accesses */
        check_bytes(&c, &c.steps[0], &costs.stages[what.stage]);
    if (on_cuda)
        check_kernels(&c, &costs);
}

static void check_stages(bool on_cuda)
{
    for (int flow = 0; flow < SWE_FLOWS; flow++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            for (int stage = 0; stage < SWE_STAGE_COUNT; stage++)
                if (swe_stage_is_active(stage, (swe_flow)flow, 1))
                    check_stage(on_cuda, (counting_case){.stage = stage,
                                                         .n = cases[k].n,
                                                         .order = cases[k].order,
                                                         .flow = (swe_flow)flow});
}

static void stages_on_the_cpu_do_what_their_cost_says(void **state)
{
    (void)state;
    check_stages(false);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check_stage(false, (counting_case){.stage = SWE_STAGE_fused,
                                           .n = cases[k].n,
                                           .order = cases[k].order,
                                           .flow = SWE_FLOW_NONROTATING,
                                           .leaps = true});
}

static void stages_and_kernels_on_cuda_do_what_their_cost_says(void **state)
{
    (void)state;
    check_stages(true);
}

/* A march and the strips around it together compute the same as the stage on whole panels, and
 * repeat little. */
static void a_march_does_what_its_cost_says(void **state)
{
    (void)state;
    const counting_case whole = {.stage = SWE_STAGE_fused, .n = 90, .order = 4};
    counting_case marches = whole;
    marches.marches = true;
    const counted_stage one = run(true, whole), both = run(true, marches);
    for (int k = 0; k < COUNTING_BUFFERS && one.steps[0].buffers[k].name != NULL; k++)
        assert_true(one.steps[0].buffers[k].read == both.steps[0].buffers[k].read &&
                    one.steps[0].buffers[k].written == both.steps[0].buffers[k].written);
    const swe_costs costs = costs_of(true, &marches);
    check_kinds(&both, both.steps[0].operations, costs.stages[SWE_STAGE_fused].formula);
}

/* All of the state's arrays are touched as a whole, padding too. */
static void the_padding_that_rk4_takes_along_is_known(void **state)
{
    (void)state;
    const swe_layout layout = swe_layout_of(31);
    counting_tally tallies[COUNTING_TALLIES];
    int arrays = 0;
    counting_run(true, &(counting_case){.stage = SWE_STAGE_rk4, .n = 31, .order = 4}, tallies);
    for (int k = 0; k < COUNTING_BUFFERS && tallies[0].buffers[k].name != NULL; k++) {
        const counting_buffer *b = &tallies[0].buffers[k];
        arrays += b->read > 0 || b->written > 0;
        assert_true(b->read == 0 || b->read + b->padding_read == layout.field);
        assert_true(b->written == 0 || b->written + b->padding_written == layout.field);
    }
    assert_int_equal(arrays, 9); /* of the tendency, the state and the next one */
    /* an addition and a multiplication for each value of padding */
    const double side = 32, values = 6.0 * side * (side + 2.0 * 31);
    assert_true((double)(tallies[0].on_padding.additions + tallies[0].on_padding.multiplications) ==
                2.0 * (3.0 * (double)layout.field - values));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_on_the_cpu_do_what_their_cost_says),
        cmocka_unit_test(stages_and_kernels_on_cuda_do_what_their_cost_says),
        cmocka_unit_test(a_march_does_what_its_cost_says),
        cmocka_unit_test(the_padding_that_rk4_takes_along_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
