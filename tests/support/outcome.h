/* The outcome of a model: its state and its integrals after some steps from a rough state, to
 * compare models of blocks with a model of whole panels. */
#ifndef SUPPORT_OUTCOME_H
#define SUPPORT_OUTCOME_H

#include "support/check.h"

#include <stdlib.h>

#include "stages/integrals/integrals.h"
#include "support/random.h"
#include "support/tracer.h"
#include "support/whole_state.h"

static const swe_physics outcome_flows[] = {
    {.gravity = 9.8, .depth = 2.0, .radius = 2.5, .edge_damping = 0.3, .dissipation = 0.4},
    {.gravity = 9.8, .depth = 2.0, .radius = 2.5, .rotation = 1.7, .axis_lat = 35.0},
    {.gravity = 9.8,
     .depth = 2.0,
     .radius = 2.5,
     .drag = 0.7,
     .relaxation = 0.4,
     .has_stirring = true,
     .viscosity = 1e-3,
     .viscosity_order = 2,
     .viscosity_of_h = true},
    {.gravity = 9.8,
     .depth = 2.0,
     .radius = 2.5,
     .rotation = 1.7,
     .axis_lat = 35.0,
     .has_source = true,
     .records = 0.2,
     .drag_of_field = 0.1,
     .drag_coefficient = 0.2,
     .density = 3.0,
     .viscosity = 1e-4,
     .viscosity_order = 2,
     .viscosity_of_h = true,
     .viscosity_of_tracers = true,
     .limiter = SWE_LIMITER_BOUNDS,
     .equations = SWE_NONLINEAR,
     .edge_damping = 0.1,
     .dissipation = 0.5},
    {.depth = 2.0,
     .radius = 2.5,
     .equations = SWE_NONLINEAR,
     .is_prescribed = true,
     .limiter = SWE_LIMITER_MONOTONE,
     .wind = {.terms = 4, .swing = 0.5, .turn = 2.0, .speed = 4.0}}};
enum { OUTCOME_FLOWS = sizeof outcome_flows / sizeof outcome_flows[0] };

/* A rough state: the same for all models of a size. */
static inline double *outcome_start(const swe_model *model)
{
    const swe_layout *layout = &model->grid->layout;
    const size_t size = model_state_size(model);
    random_source random = {17};
    double *state = malloc(size * sizeof *state);
    assert_non_null(state);
    for (size_t k = 0; k < size; k++) {
        const size_t field = k / (size_t)layout->field;
        const double x = random_next(&random);
        state[k] = field == SWE_FIELD_H ? 2.0 + 0.1 * x : field < SWE_FLOW_FIELDS ? x : 1.0 + x;
    }
    return state;
}

/* State and integrals after some steps. */
typedef struct outcome {
    double *state, *integrals;
    size_t state_size, integrals_size;
} outcome;

static inline void outcome_destroy(outcome *o)
{
    free(o->state);
    free(o->integrals);
}

/* Values of the rows' padding are not compared. */
static inline void outcome_clear_padding(const swe_model *model, double *state)
{
    const swe_layout *layout = &model->grid->layout;
    for (int k = 0; k < model->fields.count; k++)
        for (int row = 0; row < SWE_PANELS * (layout->n + 1); row++)
            for (int i = 0; i < layout->pitch; i++) {
                const swe_field *f = &model->fields.field[k];
                if (i >= swe_field_columns(f, layout->n) ||
                    row % (layout->n + 1) >= swe_field_rows(f, layout->n))
                    state[k * layout->field + row * layout->pitch + i] = 0.0;
            }
}

static inline outcome outcome_of(const swe_model_options *options, int steps)
{
    swe_context ctx = {""};
    swe_model *model = NULL;
    const double *rows = NULL;
    CHECK_OK(&ctx, swe_model_create(&ctx, options, &model));
    double *state = outcome_start(model);
    if (options->physics.equations == SWE_NONLINEAR)
        CHECK_OK(&ctx, model_set_bottom(&ctx, model, state + model->grid->layout.field));
    CHECK_OK(&ctx, model_set_forcing(&ctx, model, state, state));
    CHECK_OK(&ctx, model_set_state(&ctx, model, state));
    const double dt = 0.1 / swe_model_courant(model, 1.0);
    CHECK_OK(&ctx, swe_model_advance(&ctx, model, dt, steps));
    CHECK_OK(&ctx, model_get_state(&ctx, model, state));
    CHECK_OK(&ctx, swe_model_get_integrals(&ctx, model, SWE_TERMS, 0.0, &rows));
    outcome_clear_padding(model, state);
    outcome o = {.state = state,
                 .state_size = model_state_size(model),
                 .integrals_size = (size_t)integrals_of_field(options->n, model->fields.count)};
    o.integrals = malloc(o.integrals_size * sizeof *o.integrals);
    assert_non_null(o.integrals);
    memcpy(o.integrals, rows, o.integrals_size * sizeof *rows);
    swe_model_destroy(&model);
    return o;
}

static inline size_t outcome_differing(const double *a, const double *b, size_t count)
{
    size_t differ = 0;
    for (size_t k = 0; k < count; k++) {
        uint64_t of_a = 0, of_b = 0;
        memcpy(&of_a, &a[k], sizeof of_a);
        memcpy(&of_b, &b[k], sizeof of_b);
        differ += of_a != of_b;
    }
    return differ;
}

static inline void check_same_outcome(const outcome *a, const outcome *b,
                                      const swe_model_options *options)
{
    assert_int_equal(a->state_size, b->state_size);
    for (size_t k = 0; k < a->state_size; k++)
        assert_false(isnan(a->state[k]));
    const size_t differ = outcome_differing(a->state, b->state, a->state_size) +
                          outcome_differing(a->integrals, b->integrals, a->integrals_size);
    if (differ > 0)
        fail_msg("%zu values differ: n %d, order %d, pipeline %d, precision %d, rotation %g, "
                 "equations %d, %d x %d blocks, %d threads",
                 differ, options->n, options->order, options->pipeline, options->precision,
                 options->physics.rotation, options->physics.equations, options->blocks_1,
                 options->blocks_2, options->threads);
}

/* The model cut into blocks has the outcome of whole panels. */
static inline void check_cut(swe_model_options options, int blocks_1, int blocks_2, int threads,
                             int steps, const outcome *whole)
{
    options.blocks_1 = blocks_1;
    options.blocks_2 = blocks_2;
    options.threads = threads;
    outcome blocks = outcome_of(&options, steps);
    check_same_outcome(&blocks, whole, &options);
    outcome_destroy(&blocks);
}

#endif
