/* Terms of dv/dt that read values of the same point alone, with the update by Runge-Kutta. Every
 * form of the momentum equation ends here. */
#ifndef SWE_STAGES_VELOCITY_POINT_H
#define SWE_STAGES_VELOCITY_POINT_H

#include "stages/rk4/rk4_point.h"

/* dv_k at one value: `dv`, the sum of the terms with operators, and the terms that read values of
 * the same point alone. For numbers and SIMD vectors; v is v_k. */
#define VELOCITY_TENDENCY(params, dv, v)                                                           \
    ((real)(params)->physics.drag == 0 ? (dv) : (dv) - (real)(params)->physics.drag * (v))

/* The substep's result of v_k at one value, in both pipelines, from the terms with operators. */
SWE_POINT void velocity_rk4(const swe_params *params, int substep, real weight, real dv,
                            rk4_arrays v)
{
    rk4_point(substep, weight, VELOCITY_TENDENCY(params, dv, *v.in), v);
}

#endif
