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
#define dissipation_scratch dissipation_scratch_single
#define exchanged_fields    exchanged_fields_single
#define fused_fields        fused_fields_single
#define fused_weights       fused_weights_single
#define rk4_arrays          rk4_arrays_single
#define row_group           row_group_single
#define row_state           row_state_single
#define swe_bounds          swe_bounds_single
#define swe_fields          swe_fields_single
#define swe_growth          swe_growth_single
#define swe_wind_factors    swe_wind_factors_single
#define swe_sbp             swe_sbp_single
#define swe_stage_table     swe_stage_table_single
#define swe_step_fields     swe_step_fields_single
#define swe_params          swe_params_single
#define swe_work            swe_work_single
#define swe_exchanged_field swe_exchanged_field_single
#define transport_substep   transport_substep_single
#define viscosity_backend   viscosity_backend_single
#define viscosity_frame     viscosity_frame_single

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
