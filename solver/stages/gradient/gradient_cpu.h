/* Rows of the gradient on the CPU, of all regions (rows_cpu.h). */
#ifndef SWE_STAGES_GRADIENT_CPU_H
#define SWE_STAGES_GRADIENT_CPU_H

#include "stages/rows_cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Compute v_k = dv_k, or add v_k += weight dv_k; or v_k is there. */
typedef enum gradient_result { GRADIENT_STORED, GRADIENT_ADDED, GRADIENT_GIVEN } gradient_result;

/* Run `call` with RESULT a compile-time constant. */
#define GRADIENT_WITH_RESULT(result, call)                                                         \
    do {                                                                                           \
        if ((result) == GRADIENT_ADDED) {                                                          \
            enum { RESULT = GRADIENT_ADDED };                                                      \
            call;                                                                                  \
        } else if ((result) == GRADIENT_STORED) {                                                  \
            enum { RESULT = GRADIENT_STORED };                                                     \
            call;                                                                                  \
        } else {                                                                                   \
            enum { RESULT = GRADIENT_GIVEN };                                                      \
            call;                                                                                  \
        }                                                                                          \
    } while (0)

SWE_POINT void gradient_put(int result, real weight, real dv, real *v)
{
    *v = result == GRADIENT_ADDED ? *v + weight * dv : dv;
}

/* v1 at `cells` of a row of vertices, and v2 at `count` vertices of row j of cells. `h` and `v`
 * point at the first value; for v1, h points at the vertex west of its cell, for v2 at the vertex
 * south of it. */
void swe_gradient_row1(const swe_params *params, gradient_result result, real weight,
                       rows_range cells, const real *h, real *v1) REAL_SYMBOL(swe_gradient_row1);
void swe_gradient_row2(const swe_params *params, gradient_result result, real weight, int j,
                       int count, const real *h, real *v2) REAL_SYMBOL(swe_gradient_row2);

#ifdef __cplusplus
}
#endif
#endif
