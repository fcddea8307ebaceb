/* Benches of the nonlinear equations on a rotating sphere, over a random bottom. */
#ifndef SUPPORT_ROTATIONAL_H
#define SUPPORT_ROTATIONAL_H

#include "support/bench.h"

static const swe_physics rotational_physics = {.gravity = 9.8,
                                               .depth = 2.0,
                                               .radius = 2.5,
                                               .equations = SWE_NONLINEAR,
                                               .rotation = 1.7,
                                               .axis_lon = 40.0,
                                               .axis_lat = 35.0};

static inline bool is_nonlinear(const bench *t)
{
    return t->params->physics.equations == SWE_NONLINEAR;
}

static inline void rotational_set_bottom(bench *t)
{
    swe_context ctx = {""};
    double *bottom = bench_fields(t, 1);
    field_random(t->layout, AT_H, &t->random, bottom);
    CHECK_OK(&ctx, model_set_bottom(&ctx, t->model, bottom));
    free(bottom);
}

/* A bench of nonlinear equations over a random bottom. */
static inline bench rotational_bench(int order, int n)
{
    bench t = bench_of_physics(order, SWE_CLOSURE_MOVED, n, 1, &rotational_physics);
    rotational_set_bottom(&t);
    return t;
}

/* Sizes for the order 2 k + 2: the smallest, and others. */
static const int rotational_sizes[3][3] = {{4, 13, 23}, {13, 14, 23}, {15, 16, 23}};

static inline void for_all_rotational(void (*check)(bench *))
{
    for (int order = 2; order <= 6; order += 2)
        for (int k = 0; k < 3; k++) {
            bench t = rotational_bench(order, rotational_sizes[order / 2 - 1][k]);
            check(&t);
            bench_destroy(&t);
        }
}

/* A random state of a bench of any flow, of nonlinear equations of positive depth; release it with
 * free(). */
static inline double *rotational_state(bench *t)
{
    double *state = bench_fields(t, 3);
    bench_random_state(t, swe_fields_at(t->layout, state));
    for (ptrdiff_t k = 0; is_nonlinear(t) && k < t->layout->field; k++)
        state[k] = 2.0 + 0.4 * state[k];
    return state;
}

#endif
