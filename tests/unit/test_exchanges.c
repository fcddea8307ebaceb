/* The exchanges of a step: how often blocks wait for each other, and how many fields they exchange.
 * The stages' calls of swe_exchange_cpu are counted on their way (-Wl,--wrap). */
#include "support/check.h"

#include <omp.h>
#include <stdlib.h>

#include "stages/exchange.h"
#include "support/tracer.h"
#include "support/whole_state.h"
#include "time/exchanges.h"

typedef void exchange_function(const swe_execution *execution, const swe_params *params, int count,
                               const swe_exchanged_field fields[]);
exchange_function __real_swe_exchange_cpu, __wrap_swe_exchange_cpu;

/* The calls of the main thread are counted. */
static swe_exchanges found;

void __wrap_swe_exchange_cpu(const swe_execution *execution, const swe_params *params, int count,
                             const swe_exchanged_field fields[])
{
    if (omp_get_thread_num() == 0) {
        found.count++;
        for (int k = 0; k < count; k++) {
            found.both += fields[k].what == (SWE_GHOSTS | SWE_FOREIGN);
            found.ghosts += fields[k].what == SWE_GHOSTS;
            found.foreign += fields[k].what == SWE_FOREIGN;
        }
    }
    __real_swe_exchange_cpu(execution, params, count, fields);
}

#define EARTH .gravity = 9.8, .depth = 2.0, .radius = 2.5

/* A step has four substeps, or two sweeps. */
static const struct {
    const char *what;
    swe_physics physics;
    swe_pipeline pipeline;
    swe_exchanges expected;
    bool has_tracer;
} steps[] = {
    /* two fields after each of two sweeps */
    {"non-rotating", {EARTH}, SWE_PIPELINE_FUSED, {2, 2 * 2, 0, 0}, false},
    /* of a substep: transport h and W, momentum v */
    {"rotating", {EARTH, .rotation = 1.7}, SWE_PIPELINE_FUSED, {4 * 2, 4 * 3, 4 * 2, 0}, false},
    /* transport the head and the vorticity on edges, too */
    {"nonlinear",
     {EARTH, .rotation = 1.7, .equations = SWE_NONLINEAR},
     SWE_PIPELINE_FUSED,
     {4 * 2, 4 * 5, 4 * 2, 0},
     false},
    /* forcing K/g, then h and v */
    {"quadratic drag",
     {EARTH, .drag_coefficient = 0.1, .equations = SWE_NONLINEAR},
     SWE_PIPELINE_FUSED,
     {4 * 4, 4 * 7, 4 * 4, 0},
     false},
    /* Also, in a substep: forcing and viscosity v, forcing h. Viscosity: the fluxes of v and the
     * three components of U; for each Laplacian of a component its gradient, a cross term, fluxes,
     * velocities at sides and the divergence; the force, of order 4 also Z. A scalar: likewise as
     * a component, its ghosts before, and its field */
    {"viscous",
     {EARTH, .rotation = 1.7, .viscosity = 1e-3, .viscosity_order = 2, .relaxation = 0.1},
     SWE_PIPELINE_FUSED,
     {4 * (2 + 1 + 2 + 1 + 3 * 5 + 2), 4 * (3 + 1 + 3 + 3), 4 * (2 + 2 + 3 + 3 * 5 + 2 + 2),
      4 * 3 * 6},
     false},
    {"viscous h",
     {EARTH, .viscosity = 1e-3, .viscosity_order = 2, .viscosity_of_h = true},
     SWE_PIPELINE_FUSED,
     {4 * (2 + 2 + 1 + 4 * 5 + 2 + 2), 4 * (3 + 3 + 4 + 1), 4 * (2 + 3 + 4 * 5 + 2 + 2 + 1),
      4 * 4 * 6},
     false},
    {"viscous of order 4, with h and a tracer",
     {EARTH, .viscosity = 1e-6, .viscosity_order = 4, .viscosity_of_h = true,
      .viscosity_of_tracers = true, .equations = SWE_NONLINEAR},
     SWE_PIPELINE_FUSED,
     {4 * (2 + 2 + 3 + 2 + 1 + 10 * 5 + 3 + 2 * 3), 4 * (5 + 1 + 3 + 10 + 2),
      4 * (2 + 3 + 5 + 3 + 10 * 5 + 3 + 2 + 2 + 2 * 2), 4 * 10 * 6},
     true},
    {"viscous of order 4",
     {EARTH, .viscosity = 1e-6, .viscosity_order = 4, .equations = SWE_NONLINEAR},
     SWE_PIPELINE_FUSED,
     {4 * (2 + 2 + 1 + 6 * 5 + 3), 4 * (5 + 3 + 6), 4 * (2 + 3 + 6 * 5 + 3 + 2 + 2), 4 * 6 * 6},
     false},
    /* Also, in a substep: contravariant exchanges a cross term and the fluxes, tracer its
     * concentration, four values of its fluxes and the new mass. */
    {"nonlinear with a tracer",
     {EARTH, .rotation = 1.7, .equations = SWE_NONLINEAR},
     SWE_PIPELINE_FUSED,
     {4 * (2 + 2 + 3), 4 * (5 + 1), 4 * (2 + 1 + 2 + 1 + 4), 0},
     true},
    /* In a substep wind exchanges h and the fluxes, tracer as above; at the end of the step v; the
     * limiter c of before, the fluxes twice, q twice, the parts. */
    {"prescribed with a limited tracer",
     {.depth = 2.0,
      .radius = 2.5,
      .equations = SWE_NONLINEAR,
      .is_prescribed = true,
      .wind = {.terms = 1, .speed = 1.0},
      .limiter = SWE_LIMITER_MONOTONE},
     SWE_PIPELINE_FUSED,
     {4 * (1 + 3) + 1 + 6, 4 * (1 + 1) + 2, 4 * (2 + 5) + 2 + (1 + 2 + 2 + 2), 0},
     true},
    /* at the end of a step: v, the change on sides, v */
    {"damping",
     {EARTH, .edge_damping = 0.1},
     SWE_PIPELINE_FUSED,
     {2 + 1 + 2, 2 * 2, 2 + 2, 1},
     false},
    /* v, the flow, the force, v */
    {"dissipation",
     {EARTH, .dissipation = 0.5},
     SWE_PIPELINE_FUSED,
     {2 + 1 + 3, 2 * 2 + 3 + 2, 2 + 2, 0},
     false},
    /* In a substep contravariant exchanges a cross term and the fluxes, sat six values on edges and
     * dh, rk4 the state. */
    {"staged", {EARTH}, SWE_PIPELINE_STAGED, {4 * 5, 4 * (1 + 1), 4 * (1 + 2 + 2), 4 * 6}, false},
};

static bool are_equal(swe_exchanges a, swe_exchanges b)
{
    return a.count == b.count && a.both == b.both && a.ghosts == b.ghosts && a.foreign == b.foreign;
}

/* Exchanges of a step: half the difference between the exchanges of three steps and of one step. */
static swe_exchanges of_a_step(swe_model_options options)
{
    swe_context ctx = {""};
    swe_model *model = NULL;
    CHECK_OK(&ctx, swe_model_create(&ctx, &options, &model));
    double *state = calloc(model_state_size(model), sizeof *state);
    assert_non_null(state);
    for (size_t k = 0; k < model_state_size(model); k++)
        state[k] = 2.0;
    CHECK_OK(&ctx, model_set_state(&ctx, model, state));
    free(state);
    found = (swe_exchanges){0};
    CHECK_OK(&ctx, swe_model_advance(&ctx, model, 1e-4, 1));
    const swe_exchanges one = found;
    found = (swe_exchanges){0};
    CHECK_OK(&ctx, swe_model_advance(&ctx, model, 1e-4, 3));
    found = (swe_exchanges){found.count - one.count, found.both - one.both,
                            found.ghosts - one.ghosts, found.foreign - one.foreign};
    swe_model_destroy(&model);
    assert_true(found.count % 2 == 0 && found.both % 2 == 0 && found.ghosts % 2 == 0 &&
                found.foreign % 2 == 0);
    return (swe_exchanges){found.count / 2, found.both / 2, found.ghosts / 2, found.foreign / 2};
}

static void a_step_exchanges_what_its_stages_write(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        const swe_exchanges step = of_a_step(
            (swe_model_options){.n = 40,
                                .order = 4,
                                .fields = steps[k].has_tracer ? fields_with_a_tracer() : NULL,
                                .physics = steps[k].physics,
                                .pipeline = steps[k].pipeline,
                                .backend = "cpu",
                                .threads = 2,
                                .blocks_1 = 2,
                                .blocks_2 = 2});
        const swe_step_plan plan = swe_step_plan_of(
            &steps[k].physics, steps[k].has_tracer ? fields_with_a_tracer() : &swe_flow_fields,
            steps[k].pipeline);
        if (!are_equal(step, steps[k].expected))
            fail_msg("%s: %d exchanges of %d, %d and %d fields", steps[k].what, step.count,
                     step.both, step.ghosts, step.foreign);
        assert_true(are_equal(swe_exchanges_of_step(&plan), step));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_exchanges_what_its_stages_write)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
