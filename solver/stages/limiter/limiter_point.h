/* A limiter of advected fields at one point: flux-corrected transport (Zalesak, J. Comput. Phys. 31
 * (1979) 335), once at the end of a step. It keeps the mass of a tracer to rounding. If the flow
 * goes less than SWE_LIMITER_COURANT spacings in a step, c stays in bounds: with
 * SWE_LIMITER_BOUNDS the tracer's own, with SWE_LIMITER_MONOTONE the least and the greatest value
 * that the vertex and its neighbours had before the step.
 *
 * A cut k of a line lies between vertices k and k + 1. The flux through it is what the terms of
 * tracer_point.h take from the vertices on its low side. That depends on cells near the cut alone:
 *
 *     Q_k = 1/2 sum over v <= k of Hv_v (W g + Pcv e + c W F)_v        M_k likewise with c = 1
 *
 * The stage `tracer` adds Q and M of the substeps, with the weights of the step, to the fields of
 * swe_limits. The stage `limiter` then
 *
 *   - takes the upwind flux M c of the state before the step from Q: what remains is antidiffusive,
 *   - and from q the divergence of the rest: q is then the result of the upwind scheme, between
 * bounds,
 *   - computes for each vertex the parts of the fluxes into and out of it that keep c in bounds,
 *   - and gives q the fluxes back, each times the lesser part of its two vertices.
 *
 * Copies of a shared point have bounds of their own, and their results are projected: a mean. */
#ifndef SWE_STAGES_LIMITER_POINT_H
#define SWE_STAGES_LIMITER_POINT_H

#include "stages/tracer/tracer_point.h"

/* The fields of a limited tracer, one after the other: c before the step at vertices, and at the
 * cuts Q1, Q2 and M1, M2 of a step [m3 rad-1]; a cut has the index of its low vertex. */
enum { LIMITER_BEFORE, LIMITER_Q1, LIMITER_Q2, LIMITER_M1, LIMITER_M2 = SWE_LIMITED_FIELDS - 1 };

/* Cuts at each end of a line whose fluxes read cells of a closure. */
SWE_POINT int limiter_end(int order)
{
    return sbp_cell_rows(order) + order / 2 - 1;
}

SWE_POINT int limiter_is_inside(int order, int n, int cut)
{
    return cut >= limiter_end(order) && cut < n - limiter_end(order);
}

/* Cell m of an inner cut adds B e - A g - S F to 2 Q. A and B are the sums of its weights of Dvc
 * and Pvc for the vertices on the low side, S the sum of Dvc times c there. All arrays point at the
 * cut's low vertex, or at the cell of its index. */
#define LIMITER_CELL(m, A, B, S) ((real)(B)*e[(m)*s] - ((real)(A)*g[(m)*s] + (S)*f[(m)*s]))
#define LIMITER_C(k)             c[(k)*s]

SWE_POINT real limiter_flux_inside(int order, const real *SWE_RESTRICT c,
                                   const real *SWE_RESTRICT f, const real *SWE_RESTRICT g,
                                   const real *SWE_RESTRICT e, ptrdiff_t s)
{
    if (order == 2)
        return (real)0.5 * LIMITER_CELL(0, -1.0, 0.5, -c[0]);
    if (order == 4) {
        const real d1 = (real)(9.0 / 8.0), d2 = (real)(1.0 / 24.0);
        const real own = d1 * c[0], low = d2 * LIMITER_C(-1) - own;
        return (real)0.5 * (LIMITER_CELL(1, 1.0 / 24.0, -1.0 / 16.0, d2 * c[0]) +
                            LIMITER_CELL(0, 1.0 / 24.0 - 9.0 / 8.0, 0.5, low) +
                            LIMITER_CELL(-1, 1.0 / 24.0, 17.0 / 16.0,
                                         d2 * LIMITER_C(-2) - d1 * LIMITER_C(-1) + own));
    }
    const real d1 = (real)(75.0 / 64.0), d2 = (real)(25.0 / 384.0), d3 = (real)(3.0 / 640.0);
    return (real)0.5 *
           (LIMITER_CELL(2, -3.0 / 640.0, 3.0 / 256.0, -d3 * c[0]) +
            LIMITER_CELL(1, 25.0 / 384.0 - 3.0 / 640.0, -22.0 / 256.0,
                         d2 * c[0] - d3 * LIMITER_C(-1)) +
            LIMITER_CELL(0, 25.0 / 384.0 - 3.0 / 640.0 - 75.0 / 64.0, 0.5,
                         d2 * LIMITER_C(-1) - d3 * LIMITER_C(-2) - d1 * c[0]) +
            LIMITER_CELL(-1, 25.0 / 384.0 - 3.0 / 640.0, 278.0 / 256.0,
                         d2 * LIMITER_C(-2) - d3 * LIMITER_C(-3) - d1 * LIMITER_C(-1) + d1 * c[0]) +
            LIMITER_CELL(-2, -3.0 / 640.0, 253.0 / 256.0,
                         d2 * LIMITER_C(-3) - d3 * LIMITER_C(-4) - d1 * LIMITER_C(-2) +
                             d1 * LIMITER_C(-1) - d2 * c[0]));
}
#undef LIMITER_CELL
#undef LIMITER_C

/* M of an inner cut. */
SWE_POINT real limiter_mass_inside(int order, const real *SWE_RESTRICT f, ptrdiff_t s)
{
    if (order == 2)
        return f[0];
    if (order == 4)
        return (real)(9.0 / 8.0 - 1.0 / 24.0) * f[0] - (real)(1.0 / 24.0) * (f[s] + f[-s]);
    return (real)(75.0 / 64.0 - 25.0 / 384.0 + 3.0 / 640.0) * f[0] -
           (real)(25.0 / 384.0 - 3.0 / 640.0) * (f[s] + f[-s]) +
           (real)(3.0 / 640.0) * (f[2 * s] + f[-2 * s]);
}

/* Q and M of cuts near an end: sums over the vertices between the cut and the end, from the end on.
 */
typedef struct limiter_fluxes {
    real q, m;
} limiter_fluxes;

/* Add vertex v to the sums of the cuts behind it. All arrays point at the vertex. */
SWE_POINT void limiter_add_vertex(int order, const swe_params *params, int v,
                                  const real *SWE_RESTRICT c, const real *SWE_RESTRICT f,
                                  const real *SWE_RESTRICT g, const real *SWE_RESTRICT e,
                                  ptrdiff_t s, limiter_fluxes *sum)
{
    const int n = params->layout.n;
    const real hv = sbp_hv(order, SBP_ANYWHERE, &params->sbp, n, v);
    const real terms = tracer_terms_point(order, SBP_ANYWHERE, params, v, c[0], f, g, e, s);
    sum->q += (real)0.5 * hv * terms;
    sum->m += hv * sbp_weak(order, SBP_ANYWHERE, &params->sbp, n, v, f, s);
}

SWE_POINT int limiter_is_low(int n, int cut)
{
    return cut < n - 1 - cut;
}

/* The fluxes of a cut from its sums. */
SWE_POINT limiter_fluxes limiter_fluxes_of(int n, int cut, limiter_fluxes sum)
{
    const limiter_fluxes high = {-sum.q, -sum.m};
    return limiter_is_low(n, cut) ? sum : high;
}

/* Weight in the step of the tendency of a substep whose own weight is `weight` (rk4_point.h). */
SWE_POINT real limiter_weight(int substep, real weight)
{
    return substep == 3 ? weight : weight * (substep == 1 ? (real)(2.0 / 3.0) : (real)(1.0 / 3.0));
}

/* ---- the stage limiter: arrays point at a vertex, or at the cut of its index ----------------- */

/* A vertex of a panel, and the stride from a row to the next. */
typedef struct limiter_place {
    int n, i, j;
    ptrdiff_t pitch;
    real weight1, weight2; /* 1/(J Hv) [m-2 rad-1] */
} limiter_place;

SWE_POINT limiter_place limiter_place_of(const swe_params *params, real inverse_jacobian, int i,
                                         int j)
{
    const limiter_place place = {params->layout.n,
                                 i,
                                 j,
                                 params->layout.pitch,
                                 inverse_jacobian / (real)params->norm_vertex[i],
                                 inverse_jacobian / (real)params->norm_vertex[j]};
    return place;
}

SWE_POINT real limiter_antidiffusive(real q, real m, const real *SWE_RESTRICT before, ptrdiff_t s)
{
    const real low = before[0], high = before[s];
    return q - m * (m > 0 ? low : high);
}

/* Fluxes through the cuts before and after a vertex; there are none beyond the ends of a line. */
SWE_POINT real limiter_low(int place, const real *SWE_RESTRICT a, ptrdiff_t s)
{
    return place > 0 ? a[-s] : 0;
}

SWE_POINT real limiter_high(int n, int place, const real *SWE_RESTRICT a)
{
    return place < n ? a[0] : 0;
}

SWE_POINT real limiter_divergence(const limiter_place *p, const real *SWE_RESTRICT a1,
                                  const real *SWE_RESTRICT a2)
{
    return p->weight1 * (limiter_high(p->n, p->i, a1) - limiter_low(p->i, a1, 1)) +
           p->weight2 * (limiter_high(p->n, p->j, a2) - limiter_low(p->j, a2, p->pitch));
}

SWE_POINT real limiter_positive(real x)
{
    return x > 0 ? x : 0;
}

/* The parts of the fluxes into a vertex, and out of it, that keep c in bounds. */
typedef struct limiter_parts {
    real in, out;
} limiter_parts;

SWE_POINT real limiter_part(real room, real change)
{
    return change > 0 && room < change ? limiter_positive(room) / change : 1;
}

/* The bounds of c: of `limiter` SWE_LIMITER_BOUNDS the tracer's own. */
SWE_POINT limiter_parts limiter_parts_at(swe_limiter limiter, swe_bounds bounds,
                                         const limiter_place *p, const real *SWE_RESTRICT before,
                                         real h, real q, const real *SWE_RESTRICT a1,
                                         const real *SWE_RESTRICT a2)
{
    const real low1 = limiter_low(p->i, a1, 1), high1 = limiter_high(p->n, p->i, a1),
               low2 = limiter_low(p->j, a2, p->pitch), high2 = limiter_high(p->n, p->j, a2);
    const real own = before[0], c = q / h;
    const real west = p->i > 0 ? before[-1] : own, east = p->i < p->n ? before[1] : own,
               south = p->j > 0 ? before[-p->pitch] : own,
               north = p->j < p->n ? before[p->pitch] : own;
#define LIMITER_MOST(a, b)  ((a) > (b) ? (a) : (b))
#define LIMITER_LEAST(a, b) ((a) < (b) ? (a) : (b))
    const real most1 = LIMITER_MOST(west, east), most2 = LIMITER_MOST(south, north),
               least1 = LIMITER_LEAST(west, east), least2 = LIMITER_LEAST(south, north),
               most_own = LIMITER_MOST(own, c), least_own = LIMITER_LEAST(own, c),
               most12 = LIMITER_MOST(most1, most2), least12 = LIMITER_LEAST(least1, least2),
               most =
                   limiter == SWE_LIMITER_BOUNDS ? bounds.greatest : LIMITER_MOST(most12, most_own),
               least =
                   limiter == SWE_LIMITER_BOUNDS ? bounds.least : LIMITER_LEAST(least12, least_own);
#undef LIMITER_MOST
#undef LIMITER_LEAST
    const real in = p->weight1 * (limiter_positive(low1) + limiter_positive(-high1)) +
                    p->weight2 * (limiter_positive(low2) + limiter_positive(-high2)),
               out = p->weight1 * (limiter_positive(high1) + limiter_positive(-low1)) +
                     p->weight2 * (limiter_positive(high2) + limiter_positive(-low2));
    const limiter_parts parts = {limiter_part(most * h - q, in), limiter_part(q - least * h, out)};
    return parts;
}

/* A flux times the lesser part of its vertices. */
SWE_POINT real limiter_limited(real a, const real *SWE_RESTRICT in, const real *SWE_RESTRICT out,
                               ptrdiff_t s)
{
    const real in_low = in[0], in_high = in[s], out_low = out[0], out_high = out[s];
    const real from = a > 0 ? out_low : in_low, to = a > 0 ? in_high : out_high;
    return a * (from < to ? from : to);
}

#endif
