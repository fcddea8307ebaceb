/* The plan of a step and the list of fields, which determine calls, arrays and cost. */
#include "support/check.h"

#include <string.h>

#include "fields/fields.h"
#include "state/model.h"
#include "time/plan.h"

/* Calls of a step of each flow and pipeline, counted by hand from solver/README.md. */
static void a_step_calls_its_stages(void **state)
{
    static const struct {
        swe_flow flow;
        swe_pipeline pipeline;
        int stage, calls;
    } expected[] = {
        {SWE_FLOW_NONROTATING, SWE_PIPELINE_FUSED, SWE_STAGE_fused, 2},
        {SWE_FLOW_NONROTATING, SWE_PIPELINE_FUSED, SWE_STAGE_projection, 0},
        {SWE_FLOW_NONROTATING, SWE_PIPELINE_FUSED, SWE_STAGE_transport, 0},
        {SWE_FLOW_NONROTATING, SWE_PIPELINE_STAGED, SWE_STAGE_projection, 8},
        {SWE_FLOW_NONROTATING, SWE_PIPELINE_STAGED, SWE_STAGE_coriolis, 0},
        {SWE_FLOW_ROTATING, SWE_PIPELINE_FUSED, SWE_STAGE_fused, 0},
        {SWE_FLOW_ROTATING, SWE_PIPELINE_FUSED, SWE_STAGE_projection, 0},
        {SWE_FLOW_ROTATING, SWE_PIPELINE_FUSED, SWE_STAGE_momentum, 4},
        {SWE_FLOW_ROTATING, SWE_PIPELINE_STAGED, SWE_STAGE_coriolis, 4},
        {SWE_FLOW_ROTATING, SWE_PIPELINE_STAGED, SWE_STAGE_vorticity, 0},
        {SWE_FLOW_NONLINEAR, SWE_PIPELINE_FUSED, SWE_STAGE_flux_projection, 4},
        {SWE_FLOW_NONLINEAR, SWE_PIPELINE_STAGED, SWE_STAGE_projection, 16},
        {SWE_FLOW_NONLINEAR, SWE_PIPELINE_STAGED, SWE_STAGE_vorticity, 4},
        {SWE_FLOW_NONLINEAR, SWE_PIPELINE_STAGED, SWE_STAGE_rk4, 4},
    };
    (void)state;
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const swe_step_plan plan = {.flow = expected[k].flow, .pipeline = expected[k].pipeline};
        assert_int_equal(swe_plan_calls(&plan, expected[k].stage), expected[k].calls);
    }
}

static void a_step_ends_with_the_requested_stages(void **state)
{
    (void)state;
    for (int bits = 0; bits < 4; bits++) {
        const swe_step_plan plan = {.flow = SWE_FLOW_NONLINEAR,
                                    .pipeline = SWE_PIPELINE_FUSED,
                                    .damps = (bits & 1) != 0,
                                    .dissipates = (bits & 2) != 0};
        assert_int_equal(swe_plan_calls(&plan, SWE_STAGE_damping), bits & 1);
        assert_int_equal(swe_plan_calls(&plan, SWE_STAGE_dissipation), bits >> 1);
    }
}

/* Every stage occurs in some plan, and the right-hand side precedes the other calls of a substep.
 */
static void every_stage_is_in_a_plan(void **state)
{
    (void)state;
    for (int stage = 0; stage < SWE_STAGE_COUNT; stage++) {
        bool serves = false;
        for (int flow = 0; flow < SWE_FLOWS; flow++)
            serves = serves || swe_stage_is_active(stage, (swe_flow)flow, 1);
        assert_true(serves);
    }
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++) {
        const swe_step_plan plan = {.pipeline = (swe_pipeline)pipeline};
        const swe_planned *call = swe_plan_substep(&plan);
        while (call->in_rhs)
            call++;
        for (; call->stage != SWE_STAGE_COUNT; call++)
            assert_false(call->in_rhs);
    }
}

/* A fused step of non-rotating flow needs only states; each further flow needs more arrays. */
static void flows_need_their_arrays(void **state)
{
    int needed[SWE_FLOWS] = {0};
    (void)state;
    for (int flow = 0; flow < SWE_FLOWS; flow++)
        for (int k = 0; k < SWE_WORK_COUNT; k++)
            needed[flow] += swe_plan_needs(
                &(swe_step_plan){.flow = (swe_flow)flow, .pipeline = SWE_PIPELINE_FUSED}, k);
    assert_int_equal(needed[SWE_FLOW_NONROTATING], 0);
    assert_int_equal(needed[SWE_FLOW_ROTATING], 3);
    assert_int_equal(needed[SWE_FLOW_NONLINEAR], 4);
}

static void fields_have_their_shapes(void **state)
{
    static const struct {
        const char *name;
        int rows, columns;
    } expected[] = {{"h", 8, 8}, {"v1", 8, 7}, {"v2", 7, 8}};
    (void)state;
    assert_int_equal(swe_flow_fields.count, 3);
    for (int k = 0; k < swe_flow_fields.count; k++) {
        const swe_field *field = &swe_flow_fields.field[k];
        assert_string_equal(field->name, expected[k].name);
        assert_int_equal(swe_field_rows(field, 7), expected[k].rows);
        assert_int_equal(swe_field_columns(field, 7), expected[k].columns);
    }
    assert_int_equal(swe_location_values(SWE_ON_EDGES, 7), 12 * 8);
    assert_int_equal(swe_location_values(SWE_ON_SIDES, 7), 6 * 4 * 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_calls_its_stages),
                                       cmocka_unit_test(a_step_ends_with_the_requested_stages),
                                       cmocka_unit_test(every_stage_is_in_a_plan),
                                       cmocka_unit_test(flows_need_their_arrays),
                                       cmocka_unit_test(fields_have_their_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
