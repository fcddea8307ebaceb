/* THE STAGES, declared once. A stage is a batched kernel over all six panels. It has a folder of
 * its name, and it keeps its name in backends, tests, timings and reports. time/plan.c lists the
 * stages of a step in their order; integrals belongs to diagnostics.
 *
 *     folder/<stage>_point.h   arithmetic at one point, shared by all backends
 *     folder/<stage>_cpu.c     loops over panels and rows
 *     folder/<stage>_cuda.cu   kernels and launches
 *
 * The folder is stages/<stage>, or sweeps/<stage> for a stage that combines several operations in
 * one sweep over the state. Stages are compiled for both precisions (base/real.h).
 *
 * NOTATION (solver/THEORY.md)
 *
 *   - n: cells a panel side. D: inner spacing [rad]. a: radius of the sphere [m]. H0: depth
 *     at rest [m], in the nonlinear equations a typical depth.
 *   - (v,v), (c,v), (v,c): the points of a field, cells (c) or vertices (v) along xi1, then xi2.
 *   - An index k = 1, 2 is a direction, m the other one. a_k: covariant basis [m]. J: Jacobian
 *     [m2]. g^km: inverse metric [m-2].
 *   - Pcv_k, Pvc_k interpolate along xi_k, from cells to vertices and from vertices to cells.
 *     Dcv_k, Dvc_k differentiate by xi_k likewise. Hv: norm weights of vertices [rad]. Operators
 *     have spacing D here, unless spacing 1 is stated, and spacing 1 in operators/sbp.h.
 *   - A vertex on a panel edge is a shared point: each of its panels has a copy (grid/topology.h).
 *   - A flow is rotational if it has rotation or forcing, or is nonlinear.
 *
 * ARRAYS are [panel][j][i] in the layout of grid/layout.h and in the backend's memory:
 *
 *   - `h` (v,v) [m]. Linear equations: height above rest. Nonlinear equations: depth of the fluid.
 *   - `v1` (c,v), `v2` (v,c): covariant velocity u . a_k [m2 s-1].
 *   - `f1` (c,v), `f2` (v,c): contravariant flux F_k = J u^k [m2 s-1]. Nonlinear equations:
 *     h J u^k [m3 s-1].
 *   - `dh`, `dv1`, `dv2`: tendencies. `k`, `y`: tendency and state, h, v1, v2 one after the other.
 *   - `next`: the states Y1, Y2, Y3, params->next values apart.
 *   - `head` (v,v): Bernoulli head [m]. Linear equations: callers pass h, which no stage writes
 *     through this pointer.
 *   - `pv_flux1`, `pv_flux2` (v,v): W_k = W . a_k [m2 s-2], W the potential-vorticity flux [m s-2].
 *   - `cross1`, `cross2`, `vorticity`, `edge`, `edge_vorticity`: work arrays (fields/fields.h).
 *
 * Stages other than the projections need one value of h, head, vorticity, W and q at all copies of
 * a shared point. The copies differ after bernoulli (head), vorticity, sat (dh), tracer (q)
 * and transport (h, head, W); projection or flux_projection follows in the plan.
 *
 * SUBSTEPS: `weight` is w [s] (rk4/rk4_point.h).
 *
 *     substep   tendency k at   result                                      w
 *     0         y               Y1 = y + w k                                dt/2
 *     1         Y1              Y2 = y + w k                                dt/2
 *     2         Y2              Y3 = y + w k                                dt
 *     3         Y3              y + (Y1-y + 2 (Y2-y) + Y3-y)/3 + w k        dt/6
 *
 * The last result overwrites y.
 *
 * THE STAGES of the list:
 *
 *   - contravariant: cross_k = J g^12 Pcv_k v_k (v,v) [m2 s-1]. Nonlinear equations: cross_k is h
 *     times this [m3 s-1], and F_k = (Pvc_k h) J g^kk v_k + Pvc_k cross_m.
 *   - bernoulli: b is the bottom, params->bottom; `h` NULL: K/g alone. K is the kinetic energy at
 *     vertices: J K = 1/2 Pcv_1 [J g^11 v1^2] + 1/2 Pcv_2 [J g^22 v2^2] + J g^12 (Pcv_1 v1) (Pcv_2
 *     v2).
 *   - vorticity: scratch mean_k = Pcv_k v_k (v,v), and the derivatives shear1 = Dvc_1 mean2 (c,v)
 *     and shear2 = Dvc_2 mean1 (v,c), both for spacing 1.
 *   - coriolis: W = q (h u) x r, q = (zeta + f)/h, r the unit vector upward. At a shared point the
 *     Cartesian vectors h u, or u, of all copies are averaged first (coriolis_point.h). Linear
 *     equations: W = f u x r; `h` and `vorticity` are not read, and `vorticity` may be NULL.
 *   - sat: each panel extrapolates its normal velocity to the edge, interpolates the other
 *     component along it, and forms a Cartesian vector. The mean of both vectors gives the
 *     consensus flux; nonlinear equations: times h. It has no upwind term. `edge` (12, n + 1) holds
 *     it, positive out of side_a. In the term of a panel the consensus flux and the panel's own
 *     flux are positive out of that panel. The own flux is F1 or F2, extrapolated to the edge.
 *   - forcing: rotational flows, after the other stages of a substep. It adds the changes by its
 *     terms to the result, at the state at which the tendency is computed (forcing_point.h). `odd`
 *     is the weight of the odd record at the time of that state. For quadratic drag it calls
 *     bernoulli and projection, which overwrite `head` by K/g.
 *   - wind: prescribed flows, the first stage of a substep (wind_point.h). Factors are of the time
 *     of the substep's state.
 *   - viscosity: rotational flows, after forcing, of v and, as physics says, of h and advected
 *     fields. It calls the stages gradient, contravariant, divergence, sat and projection, and
 *     overwrites the work arrays cross1, cross2, F1, F2, edge, slope1, slope2 and velocity_x to
 *     velocity_z (viscosity_point.h).
 *   - fused: a sweep of fused/fused_point.h, `weight` is dt [s] unless it says otherwise. `lags`:
 *     v lags behind h by such a step when sweep 0 begins, or may lag when sweep 1 ends.
 *   - transport: head and W belong to the state at which the tendency is computed. At shared points
 *     pv_flux_k receives Pcv_k F_k. `edge_vorticity` (6, 4, n + 1) receives zeta of each panel
 *     along its sides; linear equations do not use it. A CPU also computes v of inner cells
 *     (momentum/momentum_cpu.h), and stores only those values of head and W that flux_projection
 *     and momentum still need.
 *   - flux_projection: h, head and edge_vorticity become the mean of their copies. All copies get
 *     one vector W, computed as in coriolis. Each panel stores its components W_k.
 *   - tracer: nonlinear flows only. q is prognostic field `field`, counted from h = 0 (the first
 *     advected field: 3). c = q/h is its concentration. c and F belong to the state at which the
 *     tendency is computed. g_k = F_k Pvc_k c and e_k = F_k Dvc_k c (spacing 1) lie at the points
 *     of F_k. c, g_k and e_k are scratch of one field each. The tendency lets no flux through panel
 *     edges; the projection of q couples the panels (tracer_point.h). `growth` has the decay and
 * the source of c.
 *   - damping: `weight` = dt sigma sqrt(g H0)/(a D) [1], sigma = scheme.edge_damping. `changes`
 *     (12, n + 1) is scratch: the change of the outward normal velocity at the inner points of each
 *     edge [m2 s-1], the same on both panels. The change is -weight/2 times the sum of both outward
 *     fluxes, divided by h J g^kk (linear equations: J g^kk), k the direction across the edge. A
 *     cell that the extrapolation l to the edge reads changes by Hc^-1 l times this change; l and
 *     the norm weights Hc of cells are for spacing 1 (damping_point.h).
 *   - dissipation: `weight` = dt eps sqrt(g H0)/(a D) [1], eps = scheme.dissipation. The Cartesian
 *     vector Z is -(s/J) (M_1 + M_2) x, with x = s U, s = sqrt(J/h) and the mass flux U = h u.
 *     Linear equations: s = sqrt(J), U = u. M_k = Hv^-1 B^T B/4^p along direction k (spacing 1). B
 *     takes p-th differences, p = params->sbp.order/2 + 1. `scratch` has five fields
 *     (dissipation_point.h).
 *   - limiter: end of a step, for an advected field, with physics.limiter. `limited` has the fields
 * of limiter_point.h, to which `tracer` added the fluxes of the substeps; `in` and `out` (v,v) are
 *     scratch.
 *   - integrals: `h` is the address of a whole state with its advected fields. `rows` has doubles
 *     in both precisions; its shape is in integrals/integrals.h. Linear equations do not read
 *     `vorticity`, which may be NULL.
 *
 * On a CPU every thread of a team calls a stage. No thread returns before the work of all is done
 * (backend.h, share). Outside of a team one caller does all the work. On a GPU a stage starts its
 * kernels and returns (backend.h, synchronize); on several ranks it may wait for messages. */
#ifndef SWE_STAGES_STAGES_H
#define SWE_STAGES_STAGES_H

#include <stdbool.h>

#include "base/context.h"
#include "fields/fields.h"
#include "stages/execution.h"
#include "stages/params.h"

#ifdef __cplusplus
extern "C" {
#endif

/*  STAGE(name, what it computes, parameters, arguments)
 *
 *  `arguments` are what a step passes after the execution context and the kernel parameters; `s` is
 *  the substep of time/step.c. */
#define SWE_STAGE_LIST(STAGE)                                                                      \
    STAGE(projection, "mean of a field over the copies of each shared point",                      \
          (const swe_execution *execution, const swe_params *params, real *field), (s->projected)) \
    STAGE(contravariant, "F_k = J g^kk v_k + Pvc_k [J g^12 Pcv_m v_m], m the other direction",     \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *v1, const real *v2, real *cross1, real *cross2, real *f1, real *f2),        \
          (s->at.h, s->at.v1, s->at.v2, s->work.cross1, s->work.cross2, s->work.f1, s->work.f2))   \
    STAGE(bernoulli, "head = h + b + K/g",                                                         \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *v1, const real *v2, real *head),                                            \
          (s->at.h, s->at.v1, s->at.v2, s->work.head))                                             \
    STAGE(                                                                                         \
        vorticity, "zeta = Pcv_1 Pcv_2 (Dvc_1 v2 - Dvc_2 v1)/J",                                   \
        (const swe_execution *execution, const swe_params *params, const real *v1, const real *v2, \
         real *mean1, real *mean2, real *shear1, real *shear2, real *vorticity),                   \
        (s->at.v1, s->at.v2, s->work.cross1, s->work.cross2, s->k.v1, s->k.v2, s->work.vorticity)) \
    STAGE(gradient, "dv_k = -g Dvc_k head; linear equations: head = h",                            \
          (const swe_execution *execution, const swe_params *params, const real *head, real *dv1,  \
           real *dv2),                                                                             \
          (s->head, s->k.v1, s->k.v2))                                                             \
    STAGE(coriolis,                                                                                \
          "dv_k += Pvc_k W_k; W: mass flux rotated clockwise by 90 degrees, times (zeta + f)/h",   \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *vorticity, const real *f1, const real *f2, real *pv_flux1, real *pv_flux2,  \
           real *dv1, real *dv2),                                                                  \
          (s->at.h, s->work.vorticity, s->work.f1, s->work.f2, s->work.cross1, s->work.cross2,     \
           s->k.v1, s->k.v2))                                                                      \
    STAGE(divergence, "dh = -1/J (Dcv_1 F1 + Dcv_2 F2); linear equations: H0 times this",          \
          (const swe_execution *execution, const swe_params *params, const real *f1,               \
           const real *f2, real *dh),                                                              \
          (s->work.f1, s->work.f2, s->k.h))                                                        \
    STAGE(sat,                                                                                     \
          "dh += 1/J Hv^-1 (own - consensus normal flux) at panel edges; linear: H0 times this",   \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *v1, const real *v2, const real *f1, const real *f2, real *edge, real *dh),  \
          (s->at.h, s->at.v1, s->at.v2, s->work.f1, s->work.f2, s->work.edge, s->k.h))             \
    STAGE(rk4, "classical Runge-Kutta update of h, v1 and v2",                                     \
          (const swe_execution *execution, const swe_params *params, int substep, real weight,     \
           const real *k, real *y, real *next),                                                    \
          (s->number, s->weight, s->k.h, s->y.h, s->next))                                         \
    STAGE(forcing, "adds source and relaxation of h; stress over depth, drag and stirring to v",   \
          (const swe_execution *execution, const swe_params *params, int substep, real weight,     \
           real odd, real *head, real *y, real *next),                                             \
          (s->number, s->weight, s->odd, s->work.head, s->y.h, s->next))                           \
    STAGE(wind,                                                                                    \
          "prescribed flow: the flux at the time of the state, and v at the end of the step",      \
          (const swe_execution *execution, const swe_params *params, int substep,                  \
           swe_wind_factors wind, real *f1, real *f2, real *y, real *next),                        \
          (s->number, s->wind, s->work.f1, s->work.f2, s->y.h, s->next))                           \
    STAGE(                                                                                         \
        viscosity,                                                                                 \
        "adds viscosity to v: Laplacians of the Cartesian velocity at vertices; also to h and q",  \
        (const swe_execution *execution, const swe_params *params, int substep, real weight,       \
         const swe_work *work, real *y, real *next),                                               \
        (s->number, s->weight, &s->work, s->y.h, s->next))                                         \
    STAGE(fused, "non-rotating: half a step in one sweep, with its projection",                    \
          (const swe_execution *execution, const swe_params *params, int sweep, real weight,       \
           int lags, real *y, real *next),                                                         \
          (s->sweep, s->weight, s->lags, s->y.h, s->next))                                         \
    STAGE(transport,                                                                               \
          "rotational, first sweep: head and W of the state, h of the next; on a CPU v of inner "  \
          "cells",                                                                                 \
          (const swe_execution *execution, const swe_params *params, int substep, real weight,     \
           real *y, real *next, real *head, real *pv_flux1, real *pv_flux2, real *edge_vorticity), \
          (s->number, s->weight, s->y.h, s->next, s->head, s->work.pv_flux1, s->work.pv_flux2,     \
           s->work.edge_vorticity))                                                                \
    STAGE(flux_projection, "one value of h, head and W at the copies of each shared point",        \
          (const swe_execution *execution, const swe_params *params, int substep, real *y,         \
           real *next, real *head, real *pv_flux1, real *pv_flux2, real *edge_vorticity),          \
          (s->number, s->y.h, s->next, s->head, s->work.pv_flux1, s->work.pv_flux2,                \
           s->work.edge_vorticity))                                                                \
    STAGE(momentum,                                                                                \
          "rotational, second sweep: dv_k = Pvc_k W_k - g Dvc_k head, v of the next state",        \
          (const swe_execution *execution, const swe_params *params, int substep, real weight,     \
           const real *head, const real *pv_flux1, const real *pv_flux2, real *y, real *next),     \
          (s->number, s->weight, s->head, s->work.pv_flux1, s->work.pv_flux2, s->y.h, s->next))    \
    STAGE(tracer,                                                                                  \
          "q = h c of an advected field in the next state; dq = -1/J div(F c) in split form",      \
          (const swe_execution *execution, const swe_params *params, int field, int substep,       \
           real weight, swe_growth growth, const real *f1, const real *f2, real *c, real *g1,      \
           real *g2, real *e1, real *e2, real *limited, real *y, real *next),                      \
          (s->field, s->number, s->weight, s->growth, s->work.f1, s->work.f2, s->work.head,        \
           s->work.cross1, s->work.cross2, s->work.slope1, s->work.slope2, s->limited, s->y.h,     \
           s->next))                                                                               \
    STAGE(limiter, "keeps an advected field in bounds by flux-corrected transport",                \
          (const swe_execution *execution, const swe_params *params, int field, swe_bounds bounds, \
           real *limited, real *in, real *out, real *y),                                           \
          (s->field, s->bounds, s->limited, s->work.cross1, s->work.cross2, s->y.h))               \
    STAGE(damping, "reduces jumps of the normal flux at panel edges; changes the normal velocity", \
          (const swe_execution *execution, const swe_params *params, real weight, const real *h,   \
           real *v1, real *v2, real *changes),                                                     \
          (s->dt * s->params->damping, s->y.h, s->y.v1, s->y.v2, s->scratch))                      \
    STAGE(dissipation, "v_k += weight Pvc_k (Z . a_k); Z: high differences of the mass flux",      \
          (const swe_execution *execution, const swe_params *params, real weight, const real *h,   \
           real *v1, real *v2, real *scratch),                                                     \
          (s->dt * s->params->dissipation, s->y.h, s->y.v1, s->y.v2, s->scratch))                  \
    STAGE(integrals, "mass, energy, circulation and extremes of every row of every panel",         \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *v1, const real *v2, const real *vorticity, double *rows),                   \
          (s->y.h, s->y.v1, s->y.v2, s->vorticity, s->rows))

/* BLOCKS (decomposition.h): when a stage begins, the fields that it reads have valid ghosts. The
 * fields that it averages over shared points have valid foreign copies. A stage exchanges the
 * fields that it writes and that later stages read (time/exchanges.c), except:
 *
 *   - gradient, divergence, coriolis write dv1, dv2 and dh, which are read at own points alone;
 *   - projection and flux_projection compute ghosts and foreign copies themselves;
 *   - fused computes v in ghosts itself, and exchanges v where it does not lag.
 *
 * In place of (12, n + 1) and (6, 4, n + 1) arrays blocks have fields: `edge` has six, the
 * Cartesian velocity of each panel at west and east and at south and north sides; edge_vorticity
 * and the `changes` of damping, there each panel's flux out of its side, have one. */

/*  KERNEL(stage, name, threads of a block)
 *
 *  <name>_kernel in <stage>_cuda.cu, in the order of the launches. A call launches only those that
 *  it needs. Sizes of blocks: kernels.h.
 *
 *  - coriolis: pv_flux computes W_k, but stores Pcv_k F_k at shared points. project_pv_flux
 *    computes W_k there. accelerate adds Pvc_k W_k to dv_k.
 *  - sat: consensus computes `edge`, exchange adds the term to dh.
 *  - viscosity: viscous_flow computes the velocity at vertices, viscous_force its tangential
 *    Laplacian, viscous_add adds to v; viscous_scalar computes s or c, viscous_add_scalar adds to h
 *    or q. The cost of viscous_flow includes the kernels of the stages that viscosity calls for v.
 *  - fused: fused computes a sweep of whole panels or of their boundary strips (the points near
 *    panel edges), march computes the points inside the strips. average is the projection of both
 *    fields. complete computes v.
 *  - tracer: concentration computes c, tracer_flux g_k and e_k, limiter_flux fluxes of a limited
 *    tracer, tracer q.
 *  - limiter: antidiffusive takes the upwind fluxes, limiter_divergence adds the rest to q or takes
 *    it, limiter_parts computes the parts that stay in bounds, limited multiplies the fluxes.
 *  - damping: change computes `changes`, damping adds them to v.
 *  - dissipation: flow computes x = s U, force weight Z . a_k. project_flow and project_force
 *    average the Cartesian vectors x and Z over the copies of shared points. slow adds to v.
 *  - integrals: integrals sums over the flow, field_integrals over each advected field.
 *
 *  With blocks some stages run kernels block_<name> instead, and exchanges run the kernels of
 *  exchange_cuda.cu. This list omits both: the cost model describes whole panels only. */
#define SWE_KERNEL_LIST(KERNEL)                                                                    \
    KERNEL(projection, projection, LAUNCH_BLOCK_LINE)                                              \
    KERNEL(contravariant, cross, LAUNCH_BLOCK_POINTS)                                              \
    KERNEL(contravariant, flux, LAUNCH_BLOCK_POINTS)                                               \
    KERNEL(bernoulli, bernoulli, LAUNCH_BLOCK_POINTS)                                              \
    KERNEL(vorticity, mean, LAUNCH_BLOCK_POINTS)                                                   \
    KERNEL(vorticity, shear, LAUNCH_BLOCK_POINTS)                                                  \
    KERNEL(vorticity, vorticity, LAUNCH_BLOCK_POINTS)                                              \
    KERNEL(gradient, gradient, LAUNCH_BLOCK_POINTS)                                                \
    KERNEL(coriolis, pv_flux, LAUNCH_BLOCK_POINTS)                                                 \
    KERNEL(coriolis, project_pv_flux, LAUNCH_BLOCK_LINE)                                           \
    KERNEL(coriolis, accelerate, LAUNCH_BLOCK_POINTS)                                              \
    KERNEL(divergence, divergence, LAUNCH_BLOCK_POINTS)                                            \
    KERNEL(sat, consensus, LAUNCH_BLOCK_LINE)                                                      \
    KERNEL(sat, exchange, LAUNCH_BLOCK_LINE)                                                       \
    KERNEL(rk4, rk4, LAUNCH_BLOCK_VALUES)                                                          \
    KERNEL(forcing, forcing, LAUNCH_BLOCK_POINTS)                                                  \
    KERNEL(wind, wind, LAUNCH_BLOCK_POINTS)                                                        \
    KERNEL(viscosity, viscous_flow, LAUNCH_BLOCK_POINTS)                                           \
    KERNEL(viscosity, viscous_force, LAUNCH_BLOCK_POINTS)                                          \
    KERNEL(viscosity, viscous_add, LAUNCH_BLOCK_POINTS)                                            \
    KERNEL(viscosity, viscous_scalar, LAUNCH_BLOCK_POINTS)                                         \
    KERNEL(viscosity, viscous_add_scalar, LAUNCH_BLOCK_POINTS)                                     \
    KERNEL(fused, fused, LAUNCH_BLOCK_TILE)                                                        \
    KERNEL(fused, march, LAUNCH_BLOCK_MARCH)                                                       \
    KERNEL(fused, average, LAUNCH_BLOCK_LINE)                                                      \
    KERNEL(fused, complete, LAUNCH_BLOCK_POINTS)                                                   \
    KERNEL(transport, transport, LAUNCH_BLOCK_TILE)                                                \
    KERNEL(flux_projection, flux_projection, LAUNCH_BLOCK_LINE)                                    \
    KERNEL(momentum, momentum, LAUNCH_BLOCK_POINTS)                                                \
    KERNEL(tracer, concentration, LAUNCH_BLOCK_POINTS)                                             \
    KERNEL(tracer, tracer_flux, LAUNCH_BLOCK_POINTS)                                               \
    KERNEL(tracer, limiter_flux, LAUNCH_BLOCK_POINTS)                                              \
    KERNEL(tracer, tracer, LAUNCH_BLOCK_POINTS)                                                    \
    KERNEL(limiter, antidiffusive, LAUNCH_BLOCK_POINTS)                                            \
    KERNEL(limiter, limiter_divergence, LAUNCH_BLOCK_POINTS)                                       \
    KERNEL(limiter, limiter_parts, LAUNCH_BLOCK_POINTS)                                            \
    KERNEL(limiter, limited, LAUNCH_BLOCK_POINTS)                                                  \
    KERNEL(damping, change, LAUNCH_BLOCK_LINE)                                                     \
    KERNEL(damping, damping, LAUNCH_BLOCK_LINE)                                                    \
    KERNEL(dissipation, flow, LAUNCH_BLOCK_TILE)                                                   \
    KERNEL(dissipation, project_flow, LAUNCH_BLOCK_LINE)                                           \
    KERNEL(dissipation, force, LAUNCH_BLOCK_POINTS)                                                \
    KERNEL(dissipation, project_force, LAUNCH_BLOCK_LINE)                                          \
    KERNEL(dissipation, slow, LAUNCH_BLOCK_POINTS)                                                 \
    KERNEL(integrals, integrals, LAUNCH_BLOCK_LINE)                                                \
    KERNEL(integrals, field_integrals, LAUNCH_BLOCK_LINE)

enum {
#define SWE_STAGE_ENUM(name, what, parameters, arguments) SWE_STAGE_##name,
    SWE_STAGE_LIST(SWE_STAGE_ENUM)
#undef SWE_STAGE_ENUM
        SWE_STAGE_COUNT
};

/* The two ways to compute a substep. Their results agree to rounding. */
typedef enum swe_pipeline {
    SWE_PIPELINE_FUSED,  /* fused, projection; rotational: transport, flux_projection, momentum */
    SWE_PIPELINE_STAGED, /* one stage for each term of the right-hand side, then rk4 */
    SWE_PIPELINES
} swe_pipeline;

/* Name of a pipeline; name of a stage and its meaning, from the list. Static strings. */
const char *swe_pipeline_name(swe_pipeline pipeline);
const char *swe_stage_name(int stage);
const char *swe_stage_meaning(int stage);

/* Whether h, v1 and v2 of n cells a panel side exceed the caches of a CPU: 3 MiB or more. `bytes`:
 * size of one value. The CPU then prefetches rows (number 39 of tools/lab). */
bool swe_state_exceeds_cache(int n, size_t bytes);

/* Whether a GPU marches over what is inside the boundary strips of a panel in a non-rotating flow:
 * from n = 40 on (fused/fused_march_cuda.h). */
bool swe_state_marches(int n);

/* A backend's implementation of every stage, in one precision. */
typedef struct swe_stage_table {
#define SWE_STAGE_MEMBER(name, what, parameters, arguments) void(*name) parameters;
    SWE_STAGE_LIST(SWE_STAGE_MEMBER)
#undef SWE_STAGE_MEMBER
    /* Number of values of params->scratch that the stages need; NULL: none. It does not read
     * what `prepare` sets. */
    size_t (*scratch)(const swe_execution *execution, const swe_params *params);
    /* Zero `panels` consecutive panels of layout.panel values, the first at `values`; a field has
     * six. `reserve` of backend.h left them uninitialised. Each thread zeroes the rows that it
     * computes later, so that their pages lie in its own memory. All threads call it, within
     * backend->share. NULL where all memory is equally near. */
    void (*clear)(const swe_params *params, int panels, real *values);
    /* Fill ghosts and foreign copies of a field (decomposition.h). All threads call it, within
     * backend->share. */
    void (*exchange)(const swe_execution *execution, const swe_params *params, real *field);
    /* Query the device: set the launch limits in `execution` and the preferred split of shared
     * memory on the device. NULL: nothing to do. Errors: SWE_INTERNAL. */
    swe_status (*prepare)(swe_context *ctx, swe_execution *execution, const swe_params *params);
} swe_stage_table;

/* swe_stages_cuda and swe_<stage>_cuda are defined only in a build with CUDA. */
extern const swe_stage_table swe_stages_cpu REAL_SYMBOL(swe_stages_cpu);
extern const swe_stage_table swe_stages_cuda REAL_SYMBOL(swe_stages_cuda);

/* Run a stage as a region of its name: SWE_RUN(stages, gradient, execution, params, h, dv1, dv2).
 * Evaluates `execution` three times. */
#define SWE_RUN(stages, stage, execution, ...)                                                     \
    (swe_region_begin(execution, SWE_STAGE_##stage), (stages)->stage(execution, __VA_ARGS__),      \
     swe_region_end(execution))

/* Begin and end a region (regions.h) around stages. Every thread of a team calls them; thread 0
 * reports to the profiler. In swe_region_begin the others wait until it has reported; in
 * swe_region_end no thread waits. Without a profiler they do nothing. */
void swe_region_begin(const swe_execution *execution, int region);
void swe_region_end(const swe_execution *execution);

#define SWE_STAGE_DECLARE(name, what, parameters, arguments)                                       \
    void swe_##name##_cpu parameters REAL_SYMBOL(swe_##name##_cpu);                                \
    void swe_##name##_cuda parameters REAL_SYMBOL(swe_##name##_cuda);
SWE_STAGE_LIST(SWE_STAGE_DECLARE)
#undef SWE_STAGE_DECLARE

#ifdef __cplusplus
}
#endif
#endif
