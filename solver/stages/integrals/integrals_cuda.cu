#include "stages/integrals/integrals_point.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"

/* One warp per row: lane l of the row is thread l. */
enum { ROWS = LAUNCH_BLOCK_LINE / INTEGRALS_LANES };

/* Sums of a thread, in registers. */
struct lane_sums {
    swe_sum sums[INTEGRALS_SUMS];
    double max[INTEGRALS_EXTREMES], max_i[INTEGRALS_EXTREMES];
};

/* A row: fields and metric terms at its first value. */
struct integrals_row {
    int j;
    ptrdiff_t in_panel;
    const real *h, *v1, *v2, *vorticity, *bottom,
        *coriolis; /* the last three only in nonlinear equations */
};

static __device__ void add_extreme(lane_sums &lane, int extreme, double value, int i)
{
    integrals_max_point(value, i, &lane.max[extreme], &lane.max_i[extreme]);
}

/* J g^kk v_k v_k at a point of direction k = 1 or 2; nonlinear: with h. */
template <int ORDER, swe_equations EQUATIONS>
static __device__ double velocity_term(const swe_params *params, int k, int place, double weight,
                                       real metric, real v, const real *h)
{
    if (EQUATIONS == SWE_LINEAR)
        return integrals_velocity_point(weight, metric, v);
    return integrals_momentum_point(ORDER, SBP_ANYWHERE, params, k, place, weight, metric, v, h);
}

/* The terms of h and of the fields at vertices. */
template <int ORDER, swe_equations EQUATIONS>
static __device__ void add_vertex(const swe_params *params, const integrals_row &r, int i,
                                  lane_sums &lane)
{
    const int n = params->layout.n;
    const real h = r.h[i], inverse_jacobian = params->inverse_jacobian[r.in_panel + i];
    const real metric12 = params->metric12[r.in_panel + i];
    const double vertex = params->norm_vertex[i];
    const double mass = integrals_mass_point(vertex, inverse_jacobian, h);
    swe_sum_add(&lane.sums[INTEGRALS_MASS], mass);
    swe_sum_add(&lane.sums[INTEGRALS_MASS_SCALE], fabs(mass));
    swe_sum_add(&lane.sums[INTEGRALS_HEIGHT], mass * (double)h);
    add_extreme(lane, INTEGRALS_HIGHEST, fabs((double)h), i);
    add_extreme(lane, INTEGRALS_LOWEST, -(double)h, i);
    const real mean1 = sbp_pcv(ORDER, SBP_ANYWHERE, &params->sbp, n, i, r.v1 + i, 1);
    const real mean2 =
        sbp_pcv(ORDER, SBP_ANYWHERE, &params->sbp, n, r.j, r.v2 + i, params->layout.pitch);
    const real cross2 = contravariant_cross(EQUATIONS, metric12, r.h + i, mean2);
    swe_sum_add(&lane.sums[INTEGRALS_CROSS], integrals_cross_point(vertex, cross2, mean1));
    if (EQUATIONS == SWE_LINEAR)
        return;
    swe_sum_add(&lane.sums[INTEGRALS_BOTTOM], mass * (double)r.bottom[i]);
    swe_sum_add(&lane.sums[INTEGRALS_ENSTROPHY],
                integrals_enstrophy_point(mass, r.vorticity[i], r.coriolis[i], h));
    add_extreme(lane, INTEGRALS_FASTEST,
                integrals_speed_point(params, r.j, i, inverse_jacobian, metric12, h, mean1, mean2),
                i);
}

/* All terms at index i of a row. */
template <int ORDER, swe_equations EQUATIONS>
static __device__ void add_place(const swe_params *params, const integrals_row &r, int i,
                                 lane_sums &lane)
{
    const int n = params->layout.n, j = r.j;
    const ptrdiff_t pitch = params->layout.pitch;
    const real *v1 = r.v1, *v2 = r.v2;
    add_vertex<ORDER, EQUATIONS>(params, r, i, lane);
    if (j < n)
        swe_sum_add(&lane.sums[INTEGRALS_VELOCITY2],
                    velocity_term<ORDER, EQUATIONS>(params, 2, j, params->norm_vertex[i],
                                                    params->metric22[r.in_panel + i], v2[i],
                                                    r.h + i));
    if (i == n)
        return;
    const double cell = params->norm_cell[i];
    swe_sum_add(&lane.sums[INTEGRALS_VELOCITY1],
                velocity_term<ORDER, EQUATIONS>(params, 1, i, cell,
                                                params->metric11[r.in_panel + i], v1[i], r.h + i));
    if (integrals_is_side1(params, j))
        swe_sum_add(&lane.sums[INTEGRALS_SIDES1], integrals_side1_point(cell, v1[i]));
    if (j == n)
        return;
    const real d1_v2 = sbp_dvc(ORDER, SBP_ANYWHERE, &params->sbp, n, i, v2 + i, 1);
    const real d2_v1 = sbp_dvc(ORDER, SBP_ANYWHERE, &params->sbp, n, j, v1 + i, pitch);
    swe_sum_add(&lane.sums[INTEGRALS_SHEAR], integrals_shear_point(cell, d1_v2, d2_v1));
}

/* Lane `index` of row `row` of all panels' rows. */
template <int ORDER, swe_equations EQUATIONS>
static __device__ void add_lane(const swe_params *params, int row, int index, const real *h,
                                const real *v1, const real *v2, const real *vorticity,
                                integrals_lanes &lanes)
{
    const int n = params->layout.n, j = row % (n + 1);
    const ptrdiff_t at = row * params->layout.pitch;
    const integrals_row r = {j,
                             j * params->layout.pitch,
                             h + at,
                             v1 + at,
                             v2 + at,
                             EQUATIONS == SWE_LINEAR ? nullptr : vorticity + at,
                             EQUATIONS == SWE_LINEAR ? nullptr : params->bottom + at,
                             EQUATIONS == SWE_LINEAR ? nullptr : params->coriolis + at};
    lane_sums lane = {};
    for (int extreme = 0; extreme < INTEGRALS_EXTREMES; extreme++)
        lane.max[extreme] = integrals_least(extreme);
    for (int i = index; i <= n; i += INTEGRALS_LANES)
        add_place<ORDER, EQUATIONS>(params, r, i, lane);
    for (int sum = 0; sum < INTEGRALS_SUMS; sum++) {
        lanes.value[sum][index] = lane.sums[sum].value;
        lanes.lost[sum][index] = lane.sums[sum].lost;
    }
    for (int extreme = 0; extreme < INTEGRALS_EXTREMES; extreme++) {
        lanes.max[extreme][index] = lane.max[extreme];
        lanes.max_i[extreme][index] = lane.max_i[extreme];
    }
}

/* x: lanes; y: rows. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_LINE)
    integrals_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h, const real *v1,
                     const real *v2, const real *vorticity, double *rows)
{
    __shared__ integrals_lanes lanes[ROWS];
    const int places = params.layout.n + 1, index = (int)threadIdx.x, own = (int)threadIdx.y;
    const int row = (int)blockIdx.x * ROWS + own, j = row % places;
    const bool is_row = row < SWE_PANELS * places;
    double *const out = rows + row * INTEGRALS_VALUES;
    if (is_row)
        add_lane<ORDER, EQUATIONS>(&params, row, index, h, v1, v2, vorticity, lanes[own]);
    __syncthreads();
    if (is_row && index < INTEGRALS_SUMS)
        integrals_store_sum(&params, j, index, &lanes[own], out);
    if (is_row && index == INTEGRALS_SIDES2)
        integrals_store_sides2(&params, j, v2 + row * params.layout.pitch,
                               v2 + row * params.layout.pitch + params.layout.n, out);
    if (is_row && index >= INTEGRALS_MAX && index < INTEGRALS_MAX_I)
        integrals_store_max(index - INTEGRALS_MAX, &lanes[own], out);
}

/* x: lanes, rows; y: advected fields. */
static __global__ void __launch_bounds__(LAUNCH_BLOCK_LINE)
    field_integrals_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h, double *rows)
{
    __shared__ integrals_lanes lanes[ROWS];
    const int n = params.layout.n, field = SWE_FLOW_FIELDS + (int)blockIdx.y;
    const int index = (int)threadIdx.x, own = (int)threadIdx.y;
    const int row = (int)blockIdx.x * ROWS + own, j = row % (n + 1);
    const bool is_row = row < SWE_PANELS * (n + 1);
    const ptrdiff_t at = row * params.layout.pitch;
    swe_sum mass = {0.0, 0.0};
    double greatest = -HUGE_VAL, greatest_i = 0.0, least = -HUGE_VAL, least_i = 0.0;
    for (int i = index; is_row && i <= n; i += INTEGRALS_LANES) {
        const real q = h[field * params.layout.field + at + i];
        const double c = (double)q / (double)h[at + i];
        swe_sum_add(&mass,
                    integrals_mass_point(params.norm_vertex[i],
                                         params.inverse_jacobian[j * params.layout.pitch + i], q));
        integrals_max_point(c, i, &greatest, &greatest_i);
        integrals_max_point(-c, i, &least, &least_i);
    }
    lanes[own].value[INTEGRALS_MASS][index] = mass.value;
    lanes[own].lost[INTEGRALS_MASS][index] = mass.lost;
    lanes[own].max[INTEGRALS_HIGHEST][index] = greatest;
    lanes[own].max_i[INTEGRALS_HIGHEST][index] = greatest_i;
    lanes[own].max[INTEGRALS_LOWEST][index] = least;
    lanes[own].max_i[INTEGRALS_LOWEST][index] = least_i;
    __syncthreads();
    if (is_row && index == 0)
        integrals_store_field(&params, j, &lanes[own],
                              rows + integrals_of_field(n, field) + row * INTEGRALS_FIELD_VALUES);
}

void swe_integrals_cuda(const swe_execution *execution, const swe_params *params, const real *h,
                        const real *v1, const real *v2, const real *vorticity, double *rows)
{
    const unsigned count = SWE_PANELS * ((unsigned)params->layout.n + 1);
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(
                       params->equations,
                       SWE_LAUNCH((integrals_kernel<ORDER, EQUATIONS>),
                                  dim3((count + ROWS - 1) / ROWS), dim3(INTEGRALS_LANES, ROWS), 0,
                                  launch_stream(execution), *params, h, v1, v2, vorticity, rows)));
    if (params->fields > SWE_FLOW_FIELDS)
        SWE_LAUNCH(field_integrals_kernel,
                   dim3((count + ROWS - 1) / ROWS, (unsigned)(params->fields - SWE_FLOW_FIELDS)),
                   dim3(INTEGRALS_LANES, ROWS), 0, launch_stream(execution), *params, h, rows);
}
