/* The calls of the stage viscosity on either backend: stages that D of viscosity_point.h is
 * composed of, and the passes of a backend. All threads of a team call them. */
#ifndef SWE_STAGES_VISCOSITY_CALLS_H
#define SWE_STAGES_VISCOSITY_CALLS_H

#include "fields/fields.h"
#include "stages/exchange.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"
#include "stages/tracer/tracer_point.h"
#include "stages/viscosity/viscosity_point.h"

/* The parts of a backend. `z`: three fields of Cartesian components; their first two receive the
 * components of the force. */
typedef struct viscosity_backend {
    const swe_stage_table *stages;
    void (*exchange)(const swe_execution *execution, const swe_params *params, int count,
                     const swe_exchanged_field fields[]);
    /* U from F */
    void (*flow)(const swe_execution *execution, const swe_params *params, const real *h,
                 const real *f1, const real *f2, real *const z[3]);
    /* Z from D U; `is_last`: the force, weight times its covariant components */
    void (*force)(const swe_execution *execution, const swe_params *params, bool is_last,
                  real weight, const real *h, real *const z[3]);
    /* s from h, or c from q */
    void (*scalar)(const swe_execution *execution, const swe_params *params, bool is_advected,
                   const real *h, const real *in, real *out);
    /* out += weight in */
    void (*add_scalar)(const swe_execution *execution, const swe_params *params, real weight,
                       const real *in, real *out);
    /* v_k += Pvc_k of the force */
    void (*add)(const swe_execution *execution, const swe_params *params, const real *z1,
                const real *z2, real *v1, real *v2);
} viscosity_backend;

/* D of a component, in place. */
static inline void viscosity_component(const viscosity_backend *b, const swe_execution *execution,
                                       const swe_params *params, const swe_work *work,
                                       const real *h, real *s)
{
    const swe_stage_table *stages = b->stages;
    const swe_exchanged_field slopes[] = {EXCHANGE_GHOSTS(work->slope1),
                                          EXCHANGE_GHOSTS(work->slope2)};
    stages->gradient(execution, params, s, work->slope1, work->slope2);
    b->exchange(execution, params, 2, slopes);
    stages->contravariant(execution, params, h, work->slope1, work->slope2, work->cross1,
                          work->cross2, work->f1, work->f2);
    stages->divergence(execution, params, work->f1, work->f2, s);
    stages->sat(execution, params, h, work->slope1, work->slope2, work->f1, work->f2, work->edge,
                s);
    stages->projection(execution, params, s);
}

/* Prognostic field `field`, h or an advected one. */
static inline void viscosity_of_scalar(const viscosity_backend *b, const swe_execution *execution,
                                       const swe_params *params, rk4_arrays arrays, int field,
                                       real weight, const swe_work *work)
{
    const bool is_advected = field != SWE_FIELD_H;
    swe_params of_scalar = viscosity_params(params);
    if (!is_advected) /* d = 1 */
        of_scalar.physics.equations = SWE_LINEAR;
    const ptrdiff_t at = field * params->layout.field;
    real *const s = work->velocity_x, *const out = arrays.out + at;
    const swe_exchanged_field read[] = {EXCHANGE_GHOSTS(s)}, changed[] = {EXCHANGE_BOTH(out)};
    b->scalar(execution, params, is_advected, arrays.in, arrays.in + at, s);
    for (int left = params->physics.viscosity_order; left > 0; left -= 2) {
        b->exchange(execution, params, 1, read);
        viscosity_component(b, execution, &of_scalar, work, arrays.in, s);
        if (left > 2 && is_advected)
            b->scalar(execution, params, is_advected, arrays.in, s, s);
    }
    b->add_scalar(execution, params, -weight * (real)params->physics.viscosity, s, out);
    b->exchange(execution, params, 1, changed);
}

static inline void viscosity_run(const viscosity_backend *b, const swe_execution *execution,
                                 const swe_params *params, int substep, real weight,
                                 const swe_work *work, real *y, real *next)
{
    const rk4_arrays arrays = rk4_arrays_of(params, substep, y, next);
    const ptrdiff_t field = params->layout.field;
    const swe_params of_components = viscosity_params(params);
    const real *h = arrays.in;
    real *const z[3] = {work->velocity_x, work->velocity_y, work->velocity_z};
    real *const v1 = arrays.out + field, *const v2 = v1 + field;
    const swe_exchanged_field components[] = {EXCHANGE_BOTH(z[0]), EXCHANGE_BOTH(z[1]),
                                              EXCHANGE_BOTH(z[2])};
    const swe_exchanged_field forces[] = {EXCHANGE_GHOSTS(z[0]), EXCHANGE_GHOSTS(z[1]),
                                          EXCHANGE_GHOSTS(z[2])};
    const swe_exchanged_field velocity[] = {EXCHANGE_GHOSTS(v1), EXCHANGE_GHOSTS(v2)};
    b->stages->contravariant(execution, params, h, h + field, h + 2 * field, work->cross1,
                             work->cross2, work->f1, work->f2);
    b->flow(execution, params, h, work->f1, work->f2, z);
    b->exchange(execution, params, 3, components);
    for (int m = 0; m < 3; m++)
        b->stages->projection(execution, params, z[m]);
    for (int left = params->physics.viscosity_order; left > 0; left -= 2) {
        const bool is_last = left == 2;
        for (int m = 0; m < 3; m++)
            viscosity_component(b, execution, &of_components, work, h, z[m]);
        b->force(execution, params, is_last, -weight * (real)params->physics.viscosity, h, z);
        b->exchange(execution, params, is_last ? 2 : 3, forces);
    }
    b->add(execution, params, z[0], z[1], v1, v2);
    b->exchange(execution, params, 2, velocity);
    if (params->physics.viscosity_of_h)
        viscosity_of_scalar(b, execution, params, arrays, SWE_FIELD_H, weight, work);
    for (int k = SWE_FLOW_FIELDS; params->physics.viscosity_of_tracers && k < params->fields; k++)
        viscosity_of_scalar(b, execution, params, arrays, k, weight, work);
}

#endif
