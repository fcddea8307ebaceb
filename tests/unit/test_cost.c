/* The static cost, worked out by hand at small n; test_cost_counted compares the cost with
 * counts. */
#include "support/check.h"

#include "stages/cost.h"
#include "time/plan.h"
#include "window/trace.h"

typedef struct expected_cost {
    double flops, repeated, read, written; /* operations; values */
} expected_cost;

static void check_cost(const char *what, const swe_cost *cost, expected_cost expected)
{
    const double found[] = {swe_cost_flops(cost->formula), swe_cost_flops(cost->repeated),
                            swe_cost_bytes(cost, false) / 8.0, swe_cost_bytes(cost, true) / 8.0};
    const double wanted[] = {expected.flops, expected.repeated, expected.read, expected.written};
    static const char *const names[] = {"FLOPs", "repeated FLOPs", "read", "written"};
    for (int k = 0; k < 4; k++)
        if (found[k] != wanted[k])
            fail_msg("%s: %s: %g, expected %g", what, names[k], found[k], wanted[k]);
}

/* n = 4, order 2: 30 rows of vertices on the sphere, 150 vertices, 120 values of v1 and of v2, 96
 * vertices on panels' edges of which 24 are cube vertices. Closures: 1 vertex and 2 cells at each
 * end, of 3 terms = 5 FLOPs. Interior: 1 FLOP a difference, 2 a mean. */
static void costs_at_the_smallest_size_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    swe_costs c;
    swe_costs_count(&(swe_cost_case){4, 2, SWE_FLOW_NONROTATING, SWE_PIPELINE_STAGED,
                                     SWE_PRECISION_DOUBLE, .inner_first = false},
                    &c);
    check_cost("projection", &c.stages[SWE_STAGE_projection],
               (expected_cost){12 * 3 * 2 + 8 * 3, 0, 96, 96});
    check_cost("gradient", &c.stages[SWE_STAGE_gradient],
               (expected_cost){60 * (4 * 5) + 240, 240, 150, 240});
    check_cost("cross", &c.kernels[SWE_KERNEL_cross],
               (expected_cost){60 * (2 * 5 + 3 * 2) + 300, 0, 240 + 25, 300});
    check_cost("flux", &c.kernels[SWE_KERNEL_flux],
               (expected_cost){60 * (4 * 5) + 2 * 240, 0, 240 + 2 * 20 + 300, 240});
    check_cost("contravariant", &c.stages[SWE_STAGE_contravariant],
               (expected_cost){1260 + 1680, 0, 240 + 25 + 2 * 20 + 300, 300 + 240});
    check_cost("divergence", &c.stages[SWE_STAGE_divergence],
               (expected_cost){60 * (2 * 5 + 3) + 3 * 150, 150, 240 + 25, 150});
    check_cost("consensus", &c.kernels[SWE_KERNEL_consensus],
               (expected_cost){24 * (5 * 3 + 2 * 5 + 3 * 2) + 60 * (2 * 29 + 6 + 22),
                               60 * (2 * 3 + 1), 2 * 120 + 5, 60});
    check_cost("exchange", &c.kernels[SWE_KERNEL_exchange],
               (expected_cost){120 * (3 + 1) + 24 + 96 * 4, 96, 2 * 120 + 60 + 16 + 96, 96});
    check_cost("rk4", &c.stages[SWE_STAGE_rk4], (expected_cost){4 * 390, 0, 2.75 * 390, 390});
    check_cost("fused", &c.stages[SWE_STAGE_fused],
               (expected_cost){2 * (1440 + 1260 + 1680 + 1230) + 240 + 7 * 150 + 2 * 72 + 24,
                               2 * (240 + 150) + 3, (5 * 150 + 240) / 2 + 2 * 20 + 2 * 25,
                               (4 * 150 + 240) / 2});
}

/* Wider operators: n = 9, order 4 has 4 cells in a closure of 6 terms, 5 FLOPs in the interior;
 * n = 14, order 6 has 7 vertices in one of 9 terms, 8 FLOPs. */
static void closures_and_interior_have_the_widths_of_their_order(void **state)
{
    (void)state;
    swe_costs c;
    swe_costs_count(&(swe_cost_case){9, 4, SWE_FLOW_NONROTATING, SWE_PIPELINE_STAGED,
                                     SWE_PRECISION_DOUBLE, .inner_first = false},
                    &c);
    check_cost("gradient", &c.stages[SWE_STAGE_gradient],
               (expected_cost){120 * (8 * 11 + 1 * 5 + 9), 1080, 600, 1080});
    swe_costs_count(&(swe_cost_case){14, 6, SWE_FLOW_NONROTATING, SWE_PIPELINE_STAGED,
                                     SWE_PRECISION_DOUBLE, .inner_first = false},
                    &c);
    check_cost("divergence", &c.stages[SWE_STAGE_divergence],
               (expected_cost){180 * (14 * 17 + 1 * 8) + 3 * 1350, 1350, 2520 + 225, 1350});
}

/* The same size where the flow rotational: 96 copies of 44 shared points, 54 vertices that are not
 * shared. The mean over two copies has 2 FLOPs, the mean over three copies 3. */
static void costs_of_rotational_flows_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    const double means = 60 * (2 * 5 + 3 * 2), averages = 60 * (4 * 5), derivatives = 60 * (4 * 5);
    const double joined = 36 * 2 + 8 * 3, unite = 96 * 35 + 3 * joined + 2 * 96 * (23 + 1);
    swe_costs c;
    swe_costs_count(&(swe_cost_case){4, 2, SWE_FLOW_ROTATING, SWE_PIPELINE_FUSED,
                                     SWE_PRECISION_DOUBLE, .inner_first = false},
                    &c);
    check_cost("turn", &c.kernels[SWE_KERNEL_pv_flux],
               (expected_cost){means + 2 * 54, 0, 240 + 150, 300});
    check_cost("unite", &c.kernels[SWE_KERNEL_project_pv_flux],
               (expected_cost){unite, 0, 192 + 44 + 5, 192});
    check_cost("momentum", &c.stages[SWE_STAGE_momentum],
               (expected_cost){derivatives + averages + 2 * 240 + 2 * 240, 240, 450 + 240, 240});
    swe_costs_count(&(swe_cost_case){4, 2, SWE_FLOW_NONLINEAR, SWE_PIPELINE_STAGED,
                                     SWE_PRECISION_DOUBLE, .inner_first = false},
                    &c);
    check_cost("projection", &c.stages[SWE_STAGE_projection], (expected_cost){joined, 0, 96, 96});
    check_cost("cross", &c.kernels[SWE_KERNEL_cross],
               (expected_cost){means + 2 * 300, 0, 240 + 150 + 25, 300});
    check_cost("flux", &c.kernels[SWE_KERNEL_flux],
               (expected_cost){2 * averages + 3 * 240, 0, 240 + 150 + 2 * 20 + 300, 240});
    check_cost("vorticity", &c.stages[SWE_STAGE_vorticity],
               (expected_cost){2 * means + derivatives + 3 * 150, 0, 240 + 300 + 240 + 25,
                               300 + 240 + 150});
    /* a square has 2 FLOPs */
    check_cost("bernoulli", &c.stages[SWE_STAGE_bernoulli],
               (expected_cost){2 * means + 2 * 240 + 9 * 150, 0, 300 + 240 + 2 * 20 + 2 * 25, 150});
    check_cost("flux_projection", &c.stages[SWE_STAGE_flux_projection],
               (expected_cost){3 * joined + unite + 2 * 44, 0, 5 * 96 + 2 * 44 + 5, 5 * 96});
}

/* Costs where transport updates v of inner cells. n = 12, order 4: of 13 points of a line closures
 * have six at each end; of its 12 cells 4 are in the interior, in 11 of 13 lines without shared
 * points. An inner cell has two operators of 5 FLOPs, a factor, an addition and the mean of 2, 2, 2
 * and 10 of rk4. */
static void costs_where_inner_cells_come_first_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    const double inner = 2 * 6 * 11 * 4, others = 2 * 6 * 13 * 12 - inner;
    const double head = 6 * (13 * 13 - 1 * 1), pv_flux = 2 * 6 * (13 * 13 - 1 * 11);
    const double closed = 2 * 78 * 8 * (11 + 11), along_edges = 2 * 12 * 4 * (5 + 5);
    const double vertices = 6 * 13 * 13, edge_vorticity = 6 * 48;
    swe_costs on_gpu, on_cpu;
    swe_cost_case what = {
        12, 4, SWE_FLOW_NONLINEAR, SWE_PIPELINE_FUSED, SWE_PRECISION_DOUBLE, .inner_first = false};
    swe_costs_count(&what, &on_gpu);
    what.inner_first = true;
    swe_costs_count(&what, &on_cpu);
    const swe_cost *all = &on_gpu.stages[SWE_STAGE_transport];
    check_cost("momentum", &on_cpu.stages[SWE_STAGE_momentum],
               (expected_cost){closed + along_edges + 6 * others, others,
                               head + pv_flux + 1.75 * others, others});
    check_cost("transport", &on_cpu.stages[SWE_STAGE_transport],
               (expected_cost){swe_cost_flops(all->formula) + 16 * inner,
                               swe_cost_flops(all->repeated) + inner,
                               swe_cost_bytes(all, false) / 8 + 1.25 * inner,
                               vertices + head + pv_flux + edge_vorticity + inner});
}

/* Values of a state on panels of n cells a side, and of the metric terms that a substep reads. */
static double metric_of(int n)
{
    return 2.0 * (n + 1) * (2.0 * n + 1);
}

/* A sweep of the fused pipeline is the mean of both; a GPU's march and strips share its work. */
static void costs_of_the_fused_stage_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    const int n = 384;
    const double vertices = 6.0 * (n + 1) * (n + 1), cells = 6.0 * n * (n + 1);
    const double strips = 1.0 - pow(1.0 - 2.0 * 9.0 / (n + 1.0), 2);
    swe_costs on_gpu, on_cpu;
    swe_cost_case what = {
        n, 4, SWE_FLOW_NONROTATING, SWE_PIPELINE_FUSED, SWE_PRECISION_DOUBLE, .inner_first = false};
    swe_costs_count(&what, &on_gpu);
    what.inner_first = true;
    swe_costs_count(&what, &on_cpu);
    const swe_cost *stage = &on_cpu.stages[SWE_STAGE_fused];
    /* a step reads h twice, h1, h2, the mean and v once, and writes all once */
    assert_true(swe_cost_bytes(stage, false) ==
                8.0 * (5.0 * vertices + 2.0 * cells) / 2.0 + 8.0 * metric_of(n));
    assert_true(swe_cost_bytes(stage, true) == 8.0 * (4.0 * vertices + 2.0 * cells) / 2.0);
    const double all = swe_cost_flops(on_gpu.kernels[SWE_KERNEL_fused].formula) +
                       swe_cost_flops(on_gpu.kernels[SWE_KERNEL_march].formula);
    CHECK_CLOSE(swe_cost_flops(on_gpu.kernels[SWE_KERNEL_fused].formula), strips * all, 1e-9 * all);
    CHECK_CLOSE(all, swe_cost_flops(on_cpu.kernels[SWE_KERNEL_fused].formula), 1e-9 * all);
}

/* Check the costs of the stages that are active in the flow. */
static void check_profiled(swe_flow flow)
{
    swe_costs c;
    int count = 0;
    swe_costs_count(&(swe_cost_case){24, 4, flow, SWE_PIPELINE_STAGED, SWE_PRECISION_DOUBLE,
                                     .inner_first = false},
                    &c);
    for (int stage = 0; stage < SWE_STAGE_COUNT; stage++) {
        const prof_cost *cost = &c.profiled[count];
        if (!swe_stage_is_active(stage, flow, 0)) {
            assert_true(swe_cost_flops(c.stages[stage].formula) == 0.0);
            assert_int_equal(c.stages[stage].access_count, 0);
            continue;
        }
        assert_string_equal(cost->stage, swe_stage_name(stage));
        assert_true(cost->flops == swe_cost_flops(c.stages[stage].formula) && cost->flops > 0.0);
        assert_ptr_equal(cost->accesses, c.stages[stage].accesses);
        assert_in_range(cost->access_count, 2, SWE_MOST_ACCESSES);
        count++;
    }
    assert_int_equal(count, c.profiled_count);
}

static void the_profiler_gets_the_costs_of_the_stages_of_a_flow(void **state)
{
    (void)state;
    for (int flow = 0; flow < SWE_FLOWS; flow++)
        check_profiled((swe_flow)flow);
}

/* Whether the profiler gets the cost of a stage in a nonlinear run. */
static bool is_profiled(const swe_physics *physics, int stage)
{
    swe_costs c;
    bool is_listed = false;
    swe_costs_count(&(swe_cost_case){24, 4, SWE_FLOW_NONLINEAR, SWE_PIPELINE_FUSED,
                                     SWE_PRECISION_DOUBLE, .advected = 1, .physics = physics},
                    &c);
    for (int k = 0; k < c.profiled_count; k++)
        is_listed = is_listed || strcmp(c.profiled[k].stage, swe_stage_name(stage)) == 0;
    return is_listed;
}

static void stages_with_other_terms_have_no_cost(void **state)
{
    (void)state;
    const swe_physics counted = {
        .relaxation = 1.0, .has_source = true, .viscosity_order = 2, .wind = {.terms = 1}};
    swe_physics other[] = {counted, counted, counted, counted, counted, counted};
    other[0].drag_coefficient = 1.0;
    other[1].has_stirring = true;
    other[2].drag_of_field = 1.0;
    other[3].relaxation = 0.0;
    other[4].viscosity_order = 4;
    other[5].viscosity_of_h = true;
    assert_true(is_profiled(&counted, SWE_STAGE_forcing));
    assert_true(is_profiled(&counted, SWE_STAGE_viscosity));
    for (int k = 0; k < 6; k++) {
        assert_true(is_profiled(&other[k], SWE_STAGE_forcing) == (k >= 4));
        assert_true(is_profiled(&other[k], SWE_STAGE_viscosity) == (k < 4));
        assert_true(is_profiled(&other[k], SWE_STAGE_transport));
    }
}

static const prof_buffer *buffer_of(const swe_costs *costs, const char *name)
{
    for (int k = 0; k < SWE_COST_BUFFERS; k++)
        if (strcmp(costs->buffers[k].name, name) == 0)
            return &costs->buffers[k];
    fail_msg("no shape of %s", name);
    return NULL;
}

/* Each access is of a buffer with a shape, and within it. `whole` receives the buffers of which one
 * access is of all values. */
static void check_buffers(const swe_cost_case *what, bool whole[SWE_COST_BUFFERS])
{
    swe_costs c;
    swe_costs_count(what, &c);
    for (int k = 0; k < c.profiled_count; k++)
        for (int a = 0; a < c.profiled[k].access_count; a++) {
            const prof_access *access = &c.profiled[k].accesses[a];
            const prof_buffer *buffer = buffer_of(&c, access->buffer);
            if (access->bytes > prof_buffer_bytes(buffer))
                fail_msg("%s accesses %g bytes of %s, which has %g", c.profiled[k].stage,
                         access->bytes, access->buffer, prof_buffer_bytes(buffer));
            whole[buffer - c.buffers] |= access->bytes == prof_buffer_bytes(buffer);
        }
}

/* No access is of all states, or of the ends of an edge in `changes` and `edge_vorticity`. */
static void every_access_is_within_its_buffer(void **state)
{
    (void)state;
    static const char *const in_part[] = {
        "h",      "v1", "v2", "q",  "h1", "h2",        "mean",     "changes", "edge_vorticity",
        "before", "Q1", "Q2", "M1", "M2", "velocity1", "velocity2"};
    for (int precision = 0; precision < 2; precision++) {
        bool whole[SWE_COST_BUFFERS] = {false};
        for (int flow = 0; flow < SWE_FLOWS; flow++)
            for (int choice = 0; choice < 4; choice++)
                check_buffers(&(swe_cost_case){.n = 96,
                                               .order = 4,
                                               .flow = (swe_flow)flow,
                                               .pipeline = (swe_pipeline)(choice % 2),
                                               .precision = (swe_precision)precision,
                                               .inner_first = choice / 2 == 1,
                                               .advected = flow == SWE_FLOW_NONLINEAR ? 2 : 0},
                              whole);
        swe_costs c;
        swe_costs_count(&(swe_cost_case){.n = 96, .order = 4}, &c);
        for (int k = 0; k < SWE_COST_BUFFERS; k++) {
            bool is_in_part = false;
            for (size_t p = 0; p < sizeof in_part / sizeof *in_part; p++)
                is_in_part |= strcmp(in_part[p], c.buffers[k].name) == 0;
            if (whole[k] == is_in_part)
                fail_msg("%s: whole %d", c.buffers[k].name, whole[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_at_the_smallest_size_are_those_worked_out_by_hand),
        cmocka_unit_test(closures_and_interior_have_the_widths_of_their_order),
        cmocka_unit_test(costs_of_rotational_flows_are_those_worked_out_by_hand),
        cmocka_unit_test(costs_where_inner_cells_come_first_are_those_worked_out_by_hand),
        cmocka_unit_test(costs_of_the_fused_stage_are_those_worked_out_by_hand),
        cmocka_unit_test(the_profiler_gets_the_costs_of_the_stages_of_a_flow),
        cmocka_unit_test(stages_with_other_terms_have_no_cost),
        cmocka_unit_test(every_access_is_within_its_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
