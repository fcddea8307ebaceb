/* The static cost against what every stage does: the product's sources, run with numbers that count
 * (support/counting), on the CPU and as CUDA kernels. */
#include "support/check.h"

#include "grid/layout.h"
#include "operators/sbp_point.h"
#include "stages/cost.h"
#include "support/counting/counting.h"

static const struct {
    int n, order;
} cases[] = {{4, 2}, {7, 2}, {24, 2}, {7, 4}, {8, 4}, {31, 4}, {11, 6}, {16, 6}, {23, 6}};

enum { PARTS = 4, KINDS = 4, WHOLE = -1 };

/* The calls of a stage in the four parts of a step; what is in them is added up. */
typedef struct counted_stage {
    const char *what;
    swe_flow flow;
    int n, order, stage, kernels;
    int kernel; /* that is looked at, or the whole stage */
    bool on_cuda;
    counting_tally part[PARTS][COUNTING_TALLIES];
} counted_stage;

static counted_stage run(bool on_cuda, int stage, swe_flow flow, int n, int order)
{
    counted_stage c = {.what = swe_stage_name(stage),
                       .flow = flow,
                       .n = n,
                       .order = order,
                       .stage = stage,
                       .kernel = WHOLE,
                       .on_cuda = on_cuda};
    for (int part = 0; part < PARTS; part++) {
        const counting_case what = {stage, part, n, order, flow};
        c.kernels = counting_run(on_cuda, &what, c.part[part]);
    }
    return c;
}

static void add(const counting_operations *operations, double sums[KINDS])
{
    sums[0] += (double)operations->additions;
    sums[1] += (double)operations->multiplications;
    sums[2] += (double)operations->divisions;
    sums[3] += (double)operations->roots;
}

/* Sweeps make what lies between two tiles for both, on tiles of at least so many vertices a side.
 */
static bool has_tiles(const counted_stage *c)
{
    const int least_tile = 16;
    const bool sweeps = c->stage == SWE_STAGE_fused || c->stage == SWE_STAGE_transport ||
                        c->kernel == SWE_KERNEL_flow ||
                        (c->stage == SWE_STAGE_dissipation && c->kernel == WHOLE);
    return sweeps && c->n + 1 > least_tile;
}

/* rk4 also runs over the padding: so many times the values of the state. */
static double surplus(const counted_stage *c)
{
    const double side = c->n + 1, values = 6.0 * side * (side + 2.0 * c->n);
    return c->stage == SWE_STAGE_rk4 ? 3.0 * (double)swe_layout_of(c->n).field / values : 1.0;
}

/* Multiplications for squares of velocities in the head, made at every place that takes them but by
 * one stage on a CPU: those beyond the two of each cell. */
static double squares_made_again(const counted_stage *c)
{
    const double rows = sbp_vertex_rows(c->order), columns = sbp_columns(c->order);
    const double lines = 2.0 * 6.0 * (c->n + 1.0);
    const double taken = 2.0 * rows * columns + (c->n + 1.0 - 2.0 * rows) * c->order;
    const bool has_head = c->stage == SWE_STAGE_bernoulli || c->stage == SWE_STAGE_transport;
    const bool keeps_them = c->stage == SWE_STAGE_transport && !c->on_cuda;
    return c->flow == SWE_FLOW_NONLINEAR && has_head && !keeps_them ? 2.0 * lines * (taken - c->n)
                                                                    : 0.0;
}

static void check_kinds(const counted_stage *c, const double found[KINDS], swe_operations each)
{
    static const char *const kinds[KINDS] = {"additions", "multiplications", "divisions", "roots"};
    const double expected[KINDS] = {each.additions, each.multiplications, each.divisions,
                                    each.roots};
    for (int k = 0; k < KINDS; k++) {
        const double stated = PARTS * surplus(c) * expected[k], more = found[k] - stated;
        if (has_tiles(c) && more >= 0.0 && more < 0.6 * stated)
            continue;
        if (fabs(more) > 1e-3)
            fail_msg("%s, %s, n %d: %g %s, counted %g", c->what, swe_flow_name(c->flow), c->n,
                     expected[k], kinds[k], found[k] / PARTS / surplus(c));
    }
}

static void check_operations(const counted_stage *c, int tally, const swe_cost *cost)
{
    double on_values[KINDS] = {0.0}, on_constants[KINDS] = {0.0};
    for (int part = 0; part < PARTS; part++) {
        add(&c->part[part][tally].on_values, on_values);
        add(&c->part[part][tally].on_constants, on_constants);
    }
    on_values[1] -= PARTS * squares_made_again(c);
    check_kinds(c, on_values, cost->formula);
    check_kinds(c, on_constants, cost->repeated);
}

/* The next state has the names of the state: "next h" is a buffer of the cost's h. */
static const char *cost_name(const char *name)
{
    return strncmp(name, "next ", 5) == 0 ? name + 5 : name;
}

/* Bytes of a buffer that were read, or written; of its padding nothing, or in rk4 all. */
static double counted_bytes(const counted_stage *c, int tally, const char *name, bool writes)
{
    double bytes = 0.0;
    for (int part = 0; part < PARTS; part++)
        for (int k = 0; k < COUNTING_BUFFERS; k++) {
            const counting_buffer *b = &c->part[part][tally].buffers[k];
            const int64_t padding = writes ? b->padding_written : b->padding_read;
            if (b->name == NULL || strcmp(cost_name(b->name), name) != 0)
                continue;
            bytes += 8.0 * (double)(writes ? b->written : b->read);
            assert_true(padding == 0 || c->stage == SWE_STAGE_rk4);
        }
    return bytes;
}

static double stated_bytes(const swe_cost *cost, const char *name, bool writes)
{
    double bytes = 0.0;
    for (int k = 0; k < cost->access_count; k++)
        if (cost->accesses[k].writes == writes && strcmp(cost->accesses[k].buffer, name) == 0)
            bytes += cost->accesses[k].bytes;
    return bytes;
}

static void check_bytes(const counted_stage *c, int tally, const swe_cost *cost)
{
    double all_stated = 0.0;
    for (int k = 0; k < COUNTING_BUFFERS; k++)
        for (int writes = 0; writes < 2; writes++) {
            const char *name = c->part[0][tally].buffers[k].name;
            if (name == NULL || cost_name(name) != name)
                continue;
            const double stated = stated_bytes(cost, name, writes);
            const double counted = counted_bytes(c, tally, name, writes);
            if (counted != PARTS * stated)
                fail_msg("%s, %s, n %d: %g bytes of %s %s, counted %g", c->what,
                         swe_flow_name(c->flow), c->n, stated, name, writes ? "written" : "read",
                         counted / PARTS);
            all_stated += stated;
        }
    assert_true(all_stated == swe_cost_bytes(cost, true) + swe_cost_bytes(cost, false));
}

static void check_cost(const counted_stage *c, int tally, const swe_cost *cost)
{
    check_operations(c, tally, cost);
    check_bytes(c, tally, cost);
}

/* The kernels that a stage launches, their names, blocks and costs. */
static void check_kernels(counted_stage *c, const swe_costs *costs)
{
    int tally = 0;
    for (int k = 0; k < SWE_KERNEL_COUNT; k++) {
        if (swe_kernels[k].stage != c->stage || costs->kernels[k].access_count == 0)
            continue; /* pairs are for larger panels */
        tally++;
        assert_in_range(tally, 1, c->kernels);
        c->what = swe_kernels[k].name;
        c->kernel = k;
        assert_string_equal(c->part[0][tally].kernel, c->what);
        assert_int_equal(c->part[0][tally].block_threads, swe_kernels[k].block_threads);
        check_cost(c, tally, &costs->kernels[k]);
    }
    assert_int_equal(tally, c->kernels);
}

static void check_stages_of(bool on_cuda, swe_flow flow, int n, int order)
{
    swe_costs costs;
    swe_costs_count(&(swe_cost_case){n, order, flow, SWE_PIPELINE_STAGED, SWE_PRECISION_DOUBLE,
                                     .inner_first = !on_cuda},
                    &costs);
    for (int stage = 0; stage < SWE_STAGE_COUNT; stage++) {
        if (!swe_stage_serves(stage, flow))
            continue;
        counted_stage c = run(on_cuda, stage, flow, n, order);
        check_cost(&c, 0, &costs.stages[stage]);
        if (on_cuda)
            check_kernels(&c, &costs);
    }
}

static void check_stages(bool on_cuda)
{
    for (int flow = 0; flow < SWE_FLOWS; flow++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            check_stages_of(on_cuda, (swe_flow)flow, cases[k].n, cases[k].order);
}

static void stages_on_the_cpu_do_what_their_cost_says(void **state)
{
    (void)state;
    check_stages(false);
}

static void stages_and_kernels_on_cuda_do_what_their_cost_says(void **state)
{
    (void)state;
    check_stages(true);
}

/* All of the state's arrays are touched as a whole, padding too. */
static void the_padding_that_rk4_takes_along_is_known(void **state)
{
    (void)state;
    const swe_layout layout = swe_layout_of(31);
    counting_tally tallies[COUNTING_TALLIES];
    int arrays = 0;
    counting_run(true, &(counting_case){SWE_STAGE_rk4, 0, 31, 4, SWE_FLOW_STILL}, tallies);
    for (int k = 0; k < COUNTING_BUFFERS && tallies[0].buffers[k].name != NULL; k++) {
        const counting_buffer *b = &tallies[0].buffers[k];
        arrays += b->read > 0 || b->written > 0;
        assert_true(b->read == 0 || b->read + b->padding_read == layout.field);
        assert_true(b->written == 0 || b->written + b->padding_written == layout.field);
    }
    assert_int_equal(arrays, 9); /* of the tendency, the state and the next one */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_on_the_cpu_do_what_their_cost_says),
        cmocka_unit_test(stages_and_kernels_on_cuda_do_what_their_cost_says),
        cmocka_unit_test(the_padding_that_rk4_takes_along_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
