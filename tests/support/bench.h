/* A model on the CPU with its quadrature, for tests of the stages: all closures, several sizes,
 * constants that are not 1. On the CPU, device memory is host memory. */
#ifndef SUPPORT_BENCH_H
#define SUPPORT_BENCH_H

#include "support/field.h"

#include <stdlib.h>

#include "base/memory.h"
#include "support/quadrature.h"
#include "support/whole_state.h"
#include "state/model_ranks.h"
#include "state/stepper_internal.h"

typedef struct bench {
    swe_model *model;
    const swe_stage_table *stages;
    const swe_execution *execution;
    const swe_params *params;
    swe_step_fields fields;
    const swe_layout *layout;
    quadrature q;
    random_source random;
} bench;

static const swe_physics bench_physics = {.gravity = 9.8, .depth = 0.3, .radius = 2.5};

/* A bench with the arrays of both pipelines; it runs the staged pipeline. `fields`: NULL, or with
 * advected ones. */
static inline bench bench_of_fields(int order, swe_closure closure, int n, int threads,
                                    const swe_physics *physics, const swe_field_set *fields)
{
    const swe_model_options options = {.n = n,
                                       .order = order,
                                       .closure = closure,
                                       .fields = fields,
                                       .physics = *physics,
                                       .pipeline = SWE_PIPELINE_STAGED,
                                       .all_arrays = true,
                                       .backend = "cpu",
                                       .threads = threads};
    swe_context ctx = {""};
    const swe_backend *backend = NULL;
    int device = -1;
    bench t = {.random = {(uint64_t)(100 * n + 10 * order) + closure}};
    CHECK_OK(&ctx, swe_model_create(&ctx, &options, &t.model));
    CHECK_OK(&ctx, quadrature_create(&ctx, t.model->grid, t.model->sbp, &t.q));
    CHECK_OK(&ctx, swe_backend_find(&ctx, options.backend, &backend, &device));
    assert_ptr_equal(t.model->backend, backend);
    t.stages = t.model->stepper->stages;
    assert_ptr_equal(t.stages, backend->stages[SWE_PRECISION_DOUBLE]);
    t.execution = &t.model->stepper->execution;
    t.params = &t.model->stepper->params;
    t.fields = t.model->stepper->fields;
    t.layout = &t.model->grid->layout;
    return t;
}

static inline bench bench_of_physics(int order, swe_closure closure, int n, int threads,
                                     const swe_physics *physics)
{
    return bench_of_fields(order, closure, n, threads, physics, NULL);
}

static inline bench bench_of_threads(int order, swe_closure closure, int n, int threads)
{
    return bench_of_physics(order, closure, n, threads, &bench_physics);
}

static inline bench bench_of(int order, swe_closure closure, int n)
{
    return bench_of_threads(order, closure, n, 1);
}

static inline void bench_destroy(bench *t)
{
    quadrature_destroy(&t->q);
    swe_model_destroy(&t->model);
}

/* Every closure at its smallest size, at an odd one and at one of whole cache lines. */
static inline void for_all_benches_of(swe_pipeline pipeline, void (*check)(bench *))
{
    static const struct {
        int order;
        swe_closure closure;
        int n[3];
    } cases[] = {
        {2, SWE_CLOSURE_MOVED, {4, 13, 23}},       {4, SWE_CLOSURE_MOVED, {9, 14, 23}},
        {6, SWE_CLOSURE_MOVED, {13, 14, 23}},      {4, SWE_CLOSURE_EQUISPACED, {7, 13, 23}},
        {6, SWE_CLOSURE_EQUISPACED, {11, 13, 23}}, {4, SWE_CLOSURE_PUBLISHED, {7, 13, 23}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int s = 0; s < 3; s++) {
            bench t = bench_of(cases[k].order, cases[k].closure, cases[k].n[s]);
            t.model->pipeline = pipeline;
            check(&t);
            bench_destroy(&t);
        }
}

static inline void for_all_benches(void (*check)(bench *))
{
    for_all_benches_of(SWE_PIPELINE_STAGED, check);
}

/* For checks that run steps. */
static inline void for_all_benches_and_pipelines(void (*check)(bench *))
{
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++)
        for_all_benches_of((swe_pipeline)pipeline, check);
}

/* `count` fields one after the other, all zero; release with free(). */
static inline double *bench_fields(const bench *t, int count)
{
    swe_context ctx = {""};
    double *memory = NULL;
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, (size_t)(count * t->layout->field), &memory));
    return memory;
}

/* Any state: h differs between the copies of a shared point. */
static inline void bench_random_state(bench *t, swe_fields y)
{
    field_random(t->layout, AT_H, &t->random, y.h);
    field_random(t->layout, AT_V1, &t->random, y.v1);
    field_random(t->layout, AT_V2, &t->random, y.v2);
}

/* Advance the model, and complete v in its fields. */
static inline void bench_advance(bench *t, double dt, long steps)
{
    swe_context ctx = {""};
    CHECK_OK(&ctx, swe_model_advance(&ctx, t->model, dt, steps));
    model_complete(t->model, false);
}

/* dy = f(P y) with the model's work fields. */
static inline void bench_rhs(const bench *t, swe_fields y, swe_fields dy)
{
    swe_rhs(t->stages, t->execution, t->params, y, t->fields.work, dy);
}

/* F of v into the model's work fields f1, f2; of nonlinear equations with h. */
static inline void bench_fluxes_of(const bench *t, const double *h, const double *v1,
                                   const double *v2)
{
    const swe_work work = t->fields.work;
    t->stages->contravariant(t->execution, t->params, h, v1, v2, work.cross1, work.cross2, work.f1,
                             work.f2);
}

static inline void bench_fluxes(const bench *t, const double *v1, const double *v2)
{
    bench_fluxes_of(t, t->fields.y.h, v1, v2);
}

/* <v, F> = <v1, f1> + <v2, f2> with the f1, f2 of the model's work fields. */
static inline double bench_times_fluxes(const bench *t, const double *v1, const double *v2)
{
    const swe_work work = t->fields.work;
    return quadrature_product_v1(&t->q, v1, work.f1) + quadrature_product_v2(&t->q, v2, work.f2);
}

#endif
