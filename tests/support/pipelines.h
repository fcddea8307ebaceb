/* Steps of a bench by one pipeline, and how close states are. */
#ifndef SUPPORT_PIPELINES_H
#define SUPPORT_PIPELINES_H

#include "support/bench.h"

/* The state after three steps of a pipeline at a Courant number; release with free(). */
static inline double *pipelines_steps(const bench *t, swe_pipeline pipeline, double courant,
                                      const double *start)
{
    swe_context ctx = {""};
    const double dt = courant / swe_model_courant(&t->model->physics, t->layout->n, 1.0);
    double *end = bench_fields(t, 3);
    t->model->pipeline = pipeline;
    CHECK_OK(&ctx, swe_model_set_state(&ctx, t->model, start));
    CHECK_OK(&ctx, swe_model_advance(&ctx, t->model, dt, 3));
    CHECK_OK(&ctx, swe_model_get_state(&ctx, t->model, end));
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

#endif
