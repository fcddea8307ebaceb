/* The type `real` of the numbers that a model computes with: double, or float with SWE_SINGLE.
 *
 * The operators, the stages, the time step and the arrays of a model are compiled twice, once for
 * each precision, and one program links both. REAL_SYMBOL at a declaration gives the
 * single-precision function or object another linker name, so that sources read as if there were
 * one precision. A constant is cast, (real)(9.0 / 8.0), or a whole number: 9.0 / 8.0 times a float
 * would be computed in double. */
#ifndef SWE_BASE_REAL_H
#define SWE_BASE_REAL_H

#include <math.h>

#include "base/point.h"
#include "base/precision.h"

#ifdef SWE_SINGLE

typedef float real;
#define REAL_PRECISION    SWE_PRECISION_SINGLE
#define REAL_SYMBOL(name) __asm__(#name "_single")

/* types that contain real numbers: C++ requires one definition of a name in a program */
#define rk4_arrays      rk4_arrays_single
#define swe_fields      swe_fields_single
#define swe_sbp         swe_sbp_single
#define swe_stage_table swe_stage_table_single
#define swe_step_fields swe_step_fields_single
#define swe_params      swe_params_single
#define swe_work        swe_work_single

/* functions within a stage */
#define swe_flux1_row             swe_flux1_row_single
#define swe_flux2_row             swe_flux2_row_single
#define swe_flux_tile_begin       swe_flux_tile_begin_single
#define swe_flux_tile_prefetch    swe_flux_tile_ahead_single
#define swe_flux_tile_row         swe_flux_tile_row_single
#define swe_flux_tile_room        swe_flux_tile_room_single
#define swe_fused_clear_cpu       swe_fused_clear_cpu_single
#define swe_fused_scratch_cpu     swe_fused_scratch_cpu_single
#define swe_fused_prepare_cuda    swe_fused_prepare_cuda_single
#define swe_momentum1_row         swe_momentum1_row_single
#define swe_momentum2_row         swe_momentum2_row_single
#define swe_transport_simd_base   swe_transport_simd_base_single
#define swe_transport_simd_v3     swe_transport_simd_v3_single
#define swe_transport_simd_v4     swe_transport_simd_v4_single
#define swe_transport_scratch_cpu swe_transport_scratch_cpu_single
#define swe_two_rows_base         swe_two_rows_base_single
#define swe_two_rows_v3           swe_two_rows_v3_single
#define swe_two_rows_v4           swe_two_rows_v4_single

#else

typedef double real;
#define REAL_PRECISION SWE_PRECISION_DOUBLE
#define REAL_SYMBOL(name)

#endif

SWE_POINT real real_sqrt(real x)
{
#ifdef SWE_SINGLE
    return sqrtf(x);
#else
    return sqrt(x);
#endif
}

#endif
