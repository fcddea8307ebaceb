/* Steps of a bench by one pipeline or the other, and how close states are. */
#ifndef SUPPORT_PIPELINES_H
#define SUPPORT_PIPELINES_H

#include "support/bench.h"

/* All steps have the same accesses. */
enum { PIPELINES_STEPS = CHECKS_ADDRESSES ? 1 : 3, PIPELINES_THREADS = 5 };

/* The state after some steps of a pipeline at a Courant number; release with free(). */
static inline double *pipelines_steps(const bench *t, swe_pipeline pipeline, double courant,
                                      const double *start)
{
    swe_context ctx = {""};
    const double dt = courant / swe_model_courant(t->model, 1.0);
    double *end = bench_fields(t, 3);
    t->model->pipeline = pipeline;
    t->model->clock.steps = 0;
    CHECK_OK(&ctx, model_set_state(&ctx, t->model, start));
    CHECK_OK(&ctx, swe_model_advance(&ctx, t->model, dt, PIPELINES_STEPS));
    CHECK_OK(&ctx, model_get_state(&ctx, t->model, end));
    return end;
}

/* Tolerance: of the largest value of each field. */
static inline void pipelines_check_same(const bench *t, const double *found, const double *expected,
                                        double tolerance)
{
    static const field_place places[] = {AT_H, AT_V1, AT_V2};
    for (int k = 0; k < 3; k++) {
        const double *f = expected + k * t->layout->field;
        field_check_close(t->layout, places[k], found + k * t->layout->field, f,
                          tolerance * field_max(t->layout, places[k], f));
    }
}

/* Overwrite scratch: every step computes it anew. */
static inline void pipelines_forget(const bench *t)
{
    const size_t scratch = t->stages->scratch(t->execution, t->params),
                 next = 9 * (size_t)t->layout->field;
    for (size_t k = 0; k < scratch; k++)
        t->params->scratch[k] = NAN;
    for (size_t k = 0; k < next; k++)
        t->fields.next.h[k] = NAN;
}

/* A case in which tiles on a CPU have at most `tile_columns` columns. */
typedef struct pipelines_case {
    int order;
    swe_closure closure;
    int n, tile_columns;
} pipelines_case;

static inline bench pipelines_bench(pipelines_case c, int threads)
{
    bench t = bench_of_threads(c.order, c.closure, c.n, threads);
    t.model->stepper->params.tile_columns = c.tile_columns;
    return t;
}

/* Both pipelines with one thread, and the fused one with more. */
static inline void pipelines_check(pipelines_case c)
{
    bench t = pipelines_bench(c, 1);
    const size_t size = model_state_size(t.model);
    double *start = bench_fields(&t, 3);
    bench_random_state(&t, swe_fields_at(t.layout, start));
    double *staged = pipelines_steps(&t, SWE_PIPELINE_STAGED, 0.2, start);
    double *fused = pipelines_steps(&t, SWE_PIPELINE_FUSED, 0.2, start);
    pipelines_check_same(&t, fused, staged, 1e-14);
    for (int threads = 2; threads <= PIPELINES_THREADS; threads++) {
        bench shared = pipelines_bench(c, threads);
        pipelines_forget(&shared);
        double *end = pipelines_steps(&shared, SWE_PIPELINE_FUSED, 0.2, start);
        CHECK_SAME_BITS(end, fused, size);
        free(end);
        bench_destroy(&shared);
    }
    free(start);
    free(staged);
    free(fused);
    bench_destroy(&t);
}

#endif
