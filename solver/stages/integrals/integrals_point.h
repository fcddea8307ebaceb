/* The integrals of a row: their terms at one point, and their summation.
 *
 * The kinetic energy needs no flux: as Hc Pvc = (Hv Pcv)^T,
 *
 *     <v1, F1> + <v2, F2> = <v1, J g^11 v1> + <v2, J g^22 v2> + 2 <Pcv_1 v1, J g^12 Pcv_2 v2>,
 *
 * nonlinear with Pvc_k h in the first two terms and h in the third. The circulation needs no
 * derivative: as 1^T Hc Dvc = e_N - e_0, the sum of the vorticity over the cells of a panel is the
 * circulation along its sides. Operators use the precision of the state; products and sums are
 * double.
 *
 * A row is summed in 32 lanes, one per thread of a GPU's warp: lane l adds the terms of the points
 * i = l, l + 32, ... in order, then the lanes are added in order; all sums are compensated. So the
 * bits are the same on every backend. Fields point at the point (j, i). */
#ifndef SWE_STAGES_INTEGRALS_POINT_H
#define SWE_STAGES_INTEGRALS_POINT_H

#include "base/sum.h"
#include "grid/geometry_point.h"
#include "stages/integrals/integrals.h"
#include "stages/contravariant/contravariant_point.h"

enum { INTEGRALS_LANES = 32 };

/* The lanes of a row; sums begin at zero, extremes at integrals_least. */
typedef struct integrals_lanes {
    double value[INTEGRALS_SUMS][INTEGRALS_LANES], lost[INTEGRALS_SUMS][INTEGRALS_LANES];
    double max[INTEGRALS_EXTREMES][INTEGRALS_LANES], max_i[INTEGRALS_EXTREMES][INTEGRALS_LANES];
} integrals_lanes;

/* Smaller than any value of an extreme. */
SWE_POINT double integrals_least(int extreme)
{
    return extreme == INTEGRALS_LOWEST ? -HUGE_VAL : -1.0;
}

/* ---- terms: `weight` is the weight along the row --------------------------------------------- */

/* h dA; the integrals of h^2 and |h| follow from it. */
SWE_POINT double integrals_mass_point(double weight, real inverse_jacobian, real h)
{
    return weight / (double)inverse_jacobian * (double)h;
}

SWE_POINT double integrals_velocity_point(double weight, real metric, real v)
{
    return weight * ((double)metric * (double)v * (double)v);
}

/* The same along direction k = 1 or 2 with h, which points at index i of row j, where v is. */
SWE_POINT double integrals_momentum_point(int order, sbp_region where, const swe_params *params,
                                          int k, int place, double weight, real metric, real v,
                                          const real *SWE_RESTRICT h)
{
    const ptrdiff_t along = k == 1 ? 1 : params->layout.pitch;
    const real depth = sbp_pvc(order, where, &params->sbp, params->layout.n, place, h, along);
    return integrals_velocity_point(weight, metric, v) * (double)depth;
}

/* q^2 times a mass. */
SWE_POINT double integrals_enstrophy_point(double mass, real vorticity, real f, real h)
{
    const double q = ((double)vorticity + (double)f) / (double)h;
    return mass * (q * q);
}

/* |u| + sqrt(g h) at a vertex from the means Pcv_k v_k. Negative squares count as 0; another
 * extreme reports a negative depth. */
SWE_POINT double integrals_speed_point(const swe_params *params, int j, int i,
                                       real inverse_jacobian, real metric12, real h, real mean1,
                                       real mean2)
{
    const real x = params->tan_vertex[i], y = params->tan_vertex[j];
    const double m1 = (double)mean1, m2 = (double)mean2;
    const double square = (double)inverse_jacobian * ((double)geometry_metric11(x, y) * m1 * m1 +
                                                      2.0 * ((double)metric12 * m1 * m2) +
                                                      (double)geometry_metric22(x, y) * m2 * m2);
    const double wave = (double)params->gravity * (double)h;
    return sqrt(square < 0.0 ? 0.0 : square) + sqrt(wave < 0.0 ? 0.0 : wave);
}

/* The product of J g^12 Pcv_2 v2 and Pcv_1 v1 at a vertex. */
SWE_POINT double integrals_cross_point(double weight, real cross2, real v1)
{
    return weight * ((double)cross2 * (double)v1);
}

/* Absolute differences Dvc_1 v2 and Dvc_2 v1 at a cell. */
SWE_POINT double integrals_shear_point(double weight, real d1_v2, real d2_v1)
{
    return weight * (fabs((double)d1_v2) + fabs((double)d2_v1));
}

SWE_POINT double integrals_side1_point(double weight, real v1)
{
    return weight * (double)v1;
}

SWE_POINT int integrals_is_side1(const swe_params *params, int j)
{
    return j == 0 || j == params->layout.n;
}

/* Update the largest value; a value that is not finite stays. */
SWE_POINT void integrals_max_point(double value, int i, double *max, double *max_i)
{
    const int is_larger = !(value <= *max), was_finite = *max < HUGE_VAL;
    const int is_new = is_larger & was_finite;
    *max = is_new ? value : *max;
    *max_i = is_new ? (double)i : *max_i;
}

/* ---- a row of its lanes ---------------------------------------------------------------------- */

SWE_POINT double integrals_total(const integrals_lanes *lanes, int sum)
{
    swe_sum total = {0.0, 0.0};
    for (int lane = 0; lane < INTEGRALS_LANES; lane++) {
        swe_sum_add(&total, lanes->value[sum][lane]);
        total.lost += lanes->lost[sum][lane];
    }
    return swe_sum_total(total);
}

/* Sum number `sum` of row j. The sides of a panel are traversed along xi1 at j = 0, against it at j
 * = n. */
SWE_POINT void integrals_store_sum(const swe_params *params, int j, int sum,
                                   const integrals_lanes *lanes, double *row)
{
    const int is_nonlinear = sum == INTEGRALS_BOTTOM || sum == INTEGRALS_ENSTROPHY;
    row[sum] = 0.0;
    if (is_nonlinear && params->physics.equations == SWE_LINEAR)
        return;
    if (sum < INTEGRALS_VELOCITY2)
        row[sum] = params->norm_vertex[j] * integrals_total(lanes, sum);
    else if (sum < INTEGRALS_SIDES1 && j < params->layout.n)
        row[sum] = params->norm_cell[j] * integrals_total(lanes, sum);
    else if (sum == INTEGRALS_SIDES1 && integrals_is_side1(params, j))
        row[sum] = j == 0 ? integrals_total(lanes, sum) : -integrals_total(lanes, sum);
}

/* v2_west and v2_east point at the first and the last value of row j. */
SWE_POINT void integrals_store_sides2(const swe_params *params, int j, const real *v2_west,
                                      const real *v2_east, double *row)
{
    row[INTEGRALS_SIDES2] = 0.0;
    if (j < params->layout.n)
        row[INTEGRALS_SIDES2] = params->norm_cell[j] * ((double)*v2_east - (double)*v2_west);
}

/* Whether the maximum of lane a precedes the maximum of lane b. */
SWE_POINT int integrals_precedes(const double *max, const double *max_i, int a, int b)
{
    const double size_a = max[a], size_b = max[b];
    const int first = max_i[a] < max_i[b];
    if (!(size_b < HUGE_VAL))
        return first && !(size_a < HUGE_VAL);
    return !(size_a <= size_b) || (size_a == size_b && first);
}

/* The maximum of all lanes, and its index. */
SWE_POINT void integrals_find_max(int extreme, const integrals_lanes *lanes, double *out,
                                  double *index)
{
    const double *max = lanes->max[extreme], *max_i = lanes->max_i[extreme];
    int best = 0;
    for (int lane = 1; lane < INTEGRALS_LANES; lane++)
        if (integrals_precedes(max, max_i, lane, best))
            best = lane;
    *out = max[best];
    *index = max_i[best];
}

SWE_POINT void integrals_store_max(int extreme, const integrals_lanes *lanes, double *row)
{
    integrals_find_max(extreme, lanes, &row[INTEGRALS_MAX + extreme],
                       &row[INTEGRALS_MAX_I + extreme]);
}

/* A row of an advected field: its mass is the lanes' sum INTEGRALS_MASS, the extremes of c are
 * INTEGRALS_HIGHEST and INTEGRALS_LOWEST. */
SWE_POINT void integrals_store_field(const swe_params *params, int j, const integrals_lanes *lanes,
                                     double *row)
{
    row[INTEGRALS_FIELD_MASS] = params->norm_vertex[j] * integrals_total(lanes, INTEGRALS_MASS);
    integrals_find_max(INTEGRALS_HIGHEST, lanes, &row[INTEGRALS_FIELD_GREATEST],
                       &row[INTEGRALS_FIELD_GREATEST_I]);
    integrals_find_max(INTEGRALS_LOWEST, lanes, &row[INTEGRALS_FIELD_LEAST],
                       &row[INTEGRALS_FIELD_LEAST_I]);
}

#endif
