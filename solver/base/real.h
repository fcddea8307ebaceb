/* The type of the numbers that a model computes with: double, or float where SWE_SINGLE is defined.
 *
 * The operators, the stages, the time step and a model's arrays are compiled twice, once for each
 * precision, and a program has both. Names that both would give the linker are told apart here, so
 * that a source reads as if there was one precision. A constant is cast, (real)(9.0 / 8.0), or a
 * whole number: 9.0 / 8.0 times a float would be computed in double. */
#ifndef SWE_BASE_REAL_H
#define SWE_BASE_REAL_H

#include <math.h>

#include "base/point.h"
#include "base/precision.h"

#ifdef SWE_SINGLE

typedef float real;
#define REAL_PRECISION SWE_PRECISION_SINGLE

/* types that hold real numbers: C++ wants one meaning of a name */
#define rk4_arrays      rk4_arrays_single
#define swe_fields      swe_fields_single
#define swe_sbp         swe_sbp_single
#define swe_stage_table swe_stage_table_single
#define swe_step_fields swe_step_fields_single
#define swe_params      swe_params_single
#define swe_work        swe_work_single

/* operators/, time/, state/ and the right-hand side */
#define swe_rhs               swe_rhs_single
#define swe_step              swe_step_single
#define swe_step_stage        swe_step_stage_single
#define swe_sbp_cell_norm     swe_sbp_cell_norm_single
#define swe_sbp_courant_limit swe_sbp_courant_limit_single
#define swe_sbp_find          swe_sbp_find_single
#define swe_sbp_vertex_norm   swe_sbp_vertex_norm_single
#define swe_stepper_double    swe_stepper_single

/* backend/ */
#define swe_fma_benchmark_cpu  swe_fma_benchmark_cpu_single
#define swe_fma_benchmark_cuda swe_fma_benchmark_cuda_single

/* the stages */
#define swe_bernoulli_cpu         swe_bernoulli_cpu_single
#define swe_bernoulli_cuda        swe_bernoulli_cuda_single
#define swe_integrals_cpu         swe_integrals_cpu_single
#define swe_integrals_cuda        swe_integrals_cuda_single
#define swe_contravariant_cpu     swe_contravariant_cpu_single
#define swe_contravariant_cuda    swe_contravariant_cuda_single
#define swe_coriolis_cpu          swe_coriolis_cpu_single
#define swe_coriolis_cuda         swe_coriolis_cuda_single
#define swe_damping_cpu           swe_damping_cpu_single
#define swe_damping_cuda          swe_damping_cuda_single
#define swe_dissipation_cpu       swe_dissipation_cpu_single
#define swe_dissipation_cuda      swe_dissipation_cuda_single
#define swe_divergence_cpu        swe_divergence_cpu_single
#define swe_divergence_cuda       swe_divergence_cuda_single
#define swe_flux1_row             swe_flux1_row_single
#define swe_flux2_row             swe_flux2_row_single
#define swe_flux_tile_begin       swe_flux_tile_begin_single
#define swe_flux_tile_prefetch    swe_flux_tile_ahead_single
#define swe_flux_tile_row         swe_flux_tile_row_single
#define swe_flux_tile_room        swe_flux_tile_room_single
#define swe_fused_clear_cpu       swe_fused_clear_cpu_single
#define swe_fused_cpu             swe_fused_cpu_single
#define swe_fused_scratch_cpu     swe_fused_scratch_cpu_single
#define swe_fused_cuda            swe_fused_cuda_single
#define swe_fused_prepare_cuda    swe_fused_prepare_cuda_single
#define swe_gradient_cpu          swe_gradient_cpu_single
#define swe_gradient_cuda         swe_gradient_cuda_single
#define swe_flux_projection_cpu   swe_flux_projection_cpu_single
#define swe_flux_projection_cuda  swe_flux_projection_cuda_single
#define swe_momentum1_row         swe_momentum1_row_single
#define swe_momentum2_row         swe_momentum2_row_single
#define swe_momentum_cpu          swe_momentum_cpu_single
#define swe_momentum_cuda         swe_momentum_cuda_single
#define swe_projection_cpu        swe_projection_cpu_single
#define swe_projection_cuda       swe_projection_cuda_single
#define swe_rk4_cpu               swe_rk4_cpu_single
#define swe_rk4_cuda              swe_rk4_cuda_single
#define swe_sat_cpu               swe_sat_cpu_single
#define swe_sat_cuda              swe_sat_cuda_single
#define swe_stages_cpu            swe_stages_cpu_single
#define swe_stages_cuda           swe_stages_cuda_single
#define swe_transport_cpu         swe_transport_cpu_single
#define swe_transport_cuda        swe_transport_cuda_single
#define swe_transport_simd_base   swe_transport_simd_base_single
#define swe_transport_simd_v3     swe_transport_simd_v3_single
#define swe_transport_simd_v4     swe_transport_simd_v4_single
#define swe_transport_scratch_cpu swe_transport_scratch_cpu_single
#define swe_two_rows_base         swe_two_rows_base_single
#define swe_two_rows_v3           swe_two_rows_v3_single
#define swe_two_rows_v4           swe_two_rows_v4_single
#define swe_vorticity_cpu         swe_vorticity_cpu_single
#define swe_vorticity_cuda        swe_vorticity_cuda_single

#else

typedef double real;
#define REAL_PRECISION SWE_PRECISION_DOUBLE

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
