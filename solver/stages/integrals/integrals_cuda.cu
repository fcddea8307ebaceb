#include "ranks/ranks.h"
#include "stages/exchange.h"
#include "stages/integrals/integrals_rows.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"

/* One warp per row: lane l of the row is thread l. */
enum { ROWS = LAUNCH_BLOCK_LINE / INTEGRALS_LANES };

/* Sums of a thread, in registers. */
struct lane_sums {
    swe_sum sums[INTEGRALS_SUMS];
    double max[INTEGRALS_EXTREMES], max_i[INTEGRALS_EXTREMES];
};

/* A row of a part: fields and metric terms at the first value of the panel's row. */
struct integrals_row {
    int j;
    ptrdiff_t metric;
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
    const real h = r.h[i], inverse_jacobian = params->inverse_jacobian[r.metric + i];
    const real metric12 = params->metric12[r.metric + i];
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
                                                    params->metric22[r.metric + i], v2[i],
                                                    r.h + i));
    if (i == n)
        return;
    const double cell = params->norm_cell[i];
    swe_sum_add(&lane.sums[INTEGRALS_VELOCITY1],
                velocity_term<ORDER, EQUATIONS>(params, 1, i, cell, params->metric11[r.metric + i],
                                                v1[i], r.h + i));
    if (integrals_is_side1(params, j))
        swe_sum_add(&lane.sums[INTEGRALS_SIDES1], integrals_side1_point(cell, v1[i]));
    if (j == n)
        return;
    const real d1_v2 = sbp_dvc(ORDER, SBP_ANYWHERE, &params->sbp, n, i, v2 + i, 1);
    const real d2_v1 = sbp_dvc(ORDER, SBP_ANYWHERE, &params->sbp, n, j, v1 + i, pitch);
    swe_sum_add(&lane.sums[INTEGRALS_SHEAR], integrals_shear_point(cell, d1_v2, d2_v1));
}

/* First index of a lane in a part: a lane has every INTEGRALS_LANES-th index of a row. */
static __device__ int first_of_lane(const swe_block &part, int index)
{
    const int shift = (index - part.i.first) % INTEGRALS_LANES;
    return part.i.first + (shift < 0 ? shift + INTEGRALS_LANES : shift);
}

static __device__ lane_sums empty_lane()
{
    lane_sums lane = {};
    for (int extreme = 0; extreme < INTEGRALS_EXTREMES; extreme++)
        lane.max[extreme] = integrals_least(extreme);
    return lane;
}

static __device__ lane_sums lane_of(const integrals_lanes &lanes, int index)
{
    lane_sums lane;
    for (int sum = 0; sum < INTEGRALS_SUMS; sum++)
        lane.sums[sum] = {lanes.value[sum][index], lanes.lost[sum][index]};
    for (int extreme = 0; extreme < INTEGRALS_EXTREMES; extreme++) {
        lane.max[extreme] = lanes.max[extreme][index];
        lane.max_i[extreme] = lanes.max_i[extreme][index];
    }
    return lane;
}

static __device__ void keep_lane(const lane_sums &lane, int index, integrals_lanes &lanes)
{
    for (int sum = 0; sum < INTEGRALS_SUMS; sum++) {
        lanes.value[sum][index] = lane.sums[sum].value;
        lanes.lost[sum][index] = lane.sums[sum].lost;
    }
    for (int extreme = 0; extreme < INTEGRALS_EXTREMES; extreme++) {
        lanes.max[extreme][index] = lane.max[extreme];
        lanes.max_i[extreme][index] = lane.max_i[extreme];
    }
}

/* Add a row's points in a part to a lane. */
template <int ORDER, swe_equations EQUATIONS>
static __device__ void add_part(const swe_params *params, const swe_block &part, int j, int index,
                                const real *h, const real *v1, const real *v2,
                                const real *vorticity, lane_sums &lane)
{
    const ptrdiff_t row = j * params->layout.pitch, at = part.at + row;
    const integrals_row r = {j,
                             part.metric + row,
                             h + at,
                             v1 + at,
                             v2 + at,
                             EQUATIONS == SWE_LINEAR ? nullptr : vorticity + at,
                             EQUATIONS == SWE_LINEAR ? nullptr : params->bottom + at,
                             EQUATIONS == SWE_LINEAR ? nullptr : params->coriolis + at};
    for (int i = first_of_lane(part, index); i < part.i.last; i += INTEGRALS_LANES)
        add_place<ORDER, EQUATIONS>(params, r, i, lane);
}

/* Store the values of a row that this thread has. v2_west and v2_east: v2 at the ends of the
 * row. */
static __device__ void store_row(const swe_params *params, int j, int index,
                                 const integrals_lanes &lanes, const real *west, const real *east,
                                 double *out)
{
    if (index < INTEGRALS_SUMS)
        integrals_store_sum(params, j, index, &lanes, out);
    if (index == INTEGRALS_SIDES2)
        integrals_store_sides2(params, j, west, east, out);
    if (index >= INTEGRALS_MAX && index < INTEGRALS_MAX_I)
        integrals_store_max(index - INTEGRALS_MAX, &lanes, out);
}

/* The lanes of an advected field: its mass, and the extremes of c. */
struct field_lane {
    swe_sum mass;
    double greatest, greatest_i, least, least_i;
};

static __device__ field_lane empty_field_lane()
{
    return {{0.0, 0.0}, -HUGE_VAL, 0.0, -HUGE_VAL, 0.0};
}

static __device__ field_lane field_lane_of(const integrals_lanes &lanes, int index)
{
    return {{lanes.value[INTEGRALS_MASS][index], lanes.lost[INTEGRALS_MASS][index]},
            lanes.max[INTEGRALS_HIGHEST][index],
            lanes.max_i[INTEGRALS_HIGHEST][index],
            lanes.max[INTEGRALS_LOWEST][index],
            lanes.max_i[INTEGRALS_LOWEST][index]};
}

static __device__ void keep_field_lane(const field_lane &lane, int index, integrals_lanes &lanes)
{
    lanes.value[INTEGRALS_MASS][index] = lane.mass.value;
    lanes.lost[INTEGRALS_MASS][index] = lane.mass.lost;
    lanes.max[INTEGRALS_HIGHEST][index] = lane.greatest;
    lanes.max_i[INTEGRALS_HIGHEST][index] = lane.greatest_i;
    lanes.max[INTEGRALS_LOWEST][index] = lane.least;
    lanes.max_i[INTEGRALS_LOWEST][index] = lane.least_i;
}

static __device__ void add_field_part(const swe_params *params, const swe_block &part, int j,
                                      int index, const real *h, const real *q, field_lane &lane)
{
    const ptrdiff_t row = j * params->layout.pitch;
    for (int i = first_of_lane(part, index); i < part.i.last; i += INTEGRALS_LANES) {
        const ptrdiff_t at = part.at + row + i;
        const double c = (double)q[at] / (double)h[at];
        swe_sum_add(&lane.mass,
                    integrals_mass_point(params->norm_vertex[i],
                                         params->inverse_jacobian[part.metric + row + i], q[at]));
        integrals_max_point(c, i, &lane.greatest, &lane.greatest_i);
        integrals_max_point(-c, i, &lane.least, &lane.least_i);
    }
}

/* ---- whole panels. x: lanes, rows; then panels, after advected fields ------------------------ */

template <int ORDER, swe_equations EQUATIONS>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_LINE)
    integrals_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h, const real *v1,
                     const real *v2, const real *vorticity, double *rows)
{
    __shared__ integrals_lanes lanes[ROWS];
    const int n = params.layout.n, index = (int)threadIdx.x, panel = (int)blockIdx.y,
              j = (int)(blockIdx.x * ROWS + threadIdx.y);
    const swe_block part = launch_panel_of(&params, panel);
    if (j <= n) {
        lane_sums lane = empty_lane();
        add_part<ORDER, EQUATIONS>(&params, part, j, index, h, v1, v2, vorticity, lane);
        keep_lane(lane, index, lanes[threadIdx.y]);
    }
    __syncthreads();
    const real *west = v2 + part.at + j * params.layout.pitch;
    if (j <= n)
        store_row(&params, j, index, lanes[threadIdx.y], west, west + n,
                  rows + (ptrdiff_t)(panel * (n + 1) + j) * INTEGRALS_VALUES);
}

static __global__ void __launch_bounds__(LAUNCH_BLOCK_LINE)
    field_integrals_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h, double *rows)
{
    __shared__ integrals_lanes lanes[ROWS];
    const int n = params.layout.n, index = (int)threadIdx.x, panel = (int)blockIdx.z,
              j = (int)(blockIdx.x * ROWS + threadIdx.y), field = SWE_FLOW_FIELDS + (int)blockIdx.y;
    if (j <= n) {
        field_lane lane = empty_field_lane();
        add_field_part(&params, launch_panel_of(&params, panel), j, index, h,
                       h + field * params.layout.field, lane);
        keep_field_lane(lane, index, lanes[threadIdx.y]);
    }
    __syncthreads();
    if (j <= n && index == 0)
        integrals_store_field(&params, j, &lanes[threadIdx.y],
                              rows + integrals_of_field(n, field) +
                                  (ptrdiff_t)(panel * (n + 1) + j) * INTEGRALS_FIELD_VALUES);
}

/* ---- blocks. x: lanes, rows; y: advected fields ---------------------------------------------- */

/* The rows that cross `across` neighbouring blocks, from block number `first` of this rank on. If
 * the rows do not begin and end in these blocks, `states` holds the states of the rows
 * (integrals_rows.h). */
struct row_group {
    int first, across;
    bool begins, ends;
    row_state *states;
};

/* A thread's row. */
struct block_row {
    int j;
    bool exists;
    row_state *states; /* of this row */
    ptrdiff_t number;  /* of all panels' rows */
};

static __device__ block_row block_row_of(const swe_params *params, const row_group &g)
{
    const swe_block part = launch_block_of(params, g.first);
    const int in_part = (int)(blockIdx.x * ROWS + threadIdx.y), j = part.j.first + in_part;
    return {j, j < part.j.last, g.states + in_part * row_states(params),
            (ptrdiff_t)part.panel * (params->layout.n + 1) + j};
}

template <int ORDER, swe_equations EQUATIONS>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_LINE)
    block_integrals_kernel(SWE_GRID_CONSTANT(swe_params) params, row_group g, const real *h,
                           const real *v1, const real *v2, const real *vorticity, double *rows)
{
    __shared__ integrals_lanes lanes[ROWS];
    const int index = (int)threadIdx.x;
    const block_row at = block_row_of(&params, g);
    const ptrdiff_t row = at.j * params.layout.pitch;
    const real *west =
        g.begins ? v2 + launch_block_of(&params, g.first).at + row : &at.states->v2_west;
    if (at.exists) {
        lane_sums lane = g.begins ? empty_lane() : lane_of(at.states->lanes, index);
        for (int across = 0; across < g.across; across++)
            add_part<ORDER, EQUATIONS>(&params, launch_block_of(&params, g.first + across), at.j,
                                       index, h, v1, v2, vorticity, lane);
        keep_lane(lane, index, g.ends ? lanes[threadIdx.y] : at.states->lanes);
        if (g.begins && !g.ends && index == 0 && at.j < params.layout.n) /* v2 has rows of cells */
            at.states->v2_west = *west;
    }
    __syncthreads();
    if (at.exists && g.ends)
        store_row(&params, at.j, index, lanes[threadIdx.y], west,
                  v2 + launch_block_of(&params, g.first + g.across - 1).at + row + params.layout.n,
                  rows + at.number * INTEGRALS_VALUES);
}

static __global__ void __launch_bounds__(LAUNCH_BLOCK_LINE)
    block_field_integrals_kernel(SWE_GRID_CONSTANT(swe_params) params, row_group g, const real *h,
                                 double *rows)
{
    __shared__ integrals_lanes lanes[ROWS];
    const int index = (int)threadIdx.x, field = SWE_FLOW_FIELDS + (int)blockIdx.y;
    const block_row at = block_row_of(&params, g);
    row_state *state = at.states + 1 + blockIdx.y;
    if (at.exists) {
        field_lane lane = g.begins ? empty_field_lane() : field_lane_of(state->lanes, index);
        for (int across = 0; across < g.across; across++)
            add_field_part(&params, launch_block_of(&params, g.first + across), at.j, index, h,
                           h + field * params.layout.field, lane);
        keep_field_lane(lane, index, g.ends ? lanes[threadIdx.y] : state->lanes);
    }
    __syncthreads();
    if (at.exists && g.ends && index == 0)
        integrals_store_field(&params, at.j, &lanes[threadIdx.y],
                              rows + integrals_of_field(params.layout.n, field) +
                                  at.number * INTEGRALS_FIELD_VALUES);
}

/* The fields of a state, and where its rows go. */
struct summed_fields {
    const real *h, *v1, *v2, *vorticity;
    double *rows;
};

static dim3 rows_grid(int rows, int fields, int panels)
{
    return dim3((unsigned)(rows + ROWS - 1) / ROWS, (unsigned)fields, (unsigned)panels);
}

static void sum_panels(const swe_execution *execution, const swe_params *params,
                       const summed_fields &s)
{
    const int rows = params->layout.n + 1, advected = params->fields - SWE_FLOW_FIELDS;
    const dim3 block(INTEGRALS_LANES, ROWS);
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->physics.equations,
                                      SWE_LAUNCH((integrals_kernel<ORDER, EQUATIONS>),
                                                 rows_grid(rows, SWE_PANELS, 1), block, 0,
                                                 launch_stream(execution), *params, s.h, s.v1, s.v2,
                                                 s.vorticity, s.rows)));
    if (advected > 0)
        SWE_LAUNCH(field_integrals_kernel, rows_grid(rows, advected, SWE_PANELS), block, 0,
                   launch_stream(execution), *params, s.h, s.rows);
}

static void sum_group(const swe_execution *execution, const swe_params *params,
                      const summed_fields &s, const row_group &g, int rows)
{
    const int advected = params->fields - SWE_FLOW_FIELDS;
    const dim3 block(INTEGRALS_LANES, ROWS);
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations,
                           SWE_LAUNCH((block_integrals_kernel<ORDER, EQUATIONS>),
                                      rows_grid(rows, 1, 1), block, 0, launch_stream(execution),
                                      *params, g, s.h, s.v1, s.v2, s.vorticity, s.rows)));
    if (advected > 0)
        SWE_LAUNCH(block_field_integrals_kernel, rows_grid(rows, advected, 1), block, 0,
                   launch_stream(execution), *params, g, s.h, s.rows);
}

/* Sum the rows of some blocks of this rank. If other ranks have blocks of these rows, the states of
 * the rows are received from the rank before and sent to the next rank. */
static void sum_blocks(const swe_execution *execution, const swe_params *params,
                       const summed_fields &s, row_blocks blocks)
{
    const swe_decomposition *d = params->decomposition;
    const swe_range rows = d->block[blocks.number + blocks.first].j;
    const size_t bytes = row_states_bytes(params, rows);
    const cudaStream_t stream = launch_stream(execution);
    const row_group g = {blocks.number + blocks.first - d->own.first, blocks.last - blocks.first,
                         blocks.first == 0, blocks.last == row_blocks_across(params),
                         reinterpret_cast<row_state *>(params->scratch)};
    if (!g.begins) {
        cudaStreamSynchronize(stream); /* the rows of an earlier call have been copied */
        swe_ranks_receive(d->cut.rank - 1, execution->room->host_rows, bytes);
        cudaMemcpyAsync(params->scratch, execution->room->host_rows, bytes, cudaMemcpyHostToDevice,
                        stream);
    }
    sum_group(execution, params, s, g, rows.last - rows.first);
    if (!g.ends) {
        cudaMemcpyAsync(execution->room->host_rows, params->scratch, bytes, cudaMemcpyDeviceToHost,
                        stream);
        cudaStreamSynchronize(stream);
        swe_ranks_send(d->cut.rank + 1, execution->room->host_rows, bytes);
    }
}

static void sum_blocks_with(const swe_execution *execution, const swe_params *params,
                            const summed_fields &s, row_ends ends)
{
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int along = 0; along < row_blocks_along(params); along++) {
            const row_blocks blocks = row_blocks_of(params, panel, along);
            if (blocks.first < blocks.last && row_ends_of(params, blocks) == ends)
                sum_blocks(execution, params, s, blocks);
        }
}

/* Compute first the rows that the next rank waits for, and last the rows that need the result of
 * the rank before. */
void swe_integrals_cuda(const swe_execution *execution, const swe_params *params, const real *h,
                        const real *v1, const real *v2, const real *vorticity, double *rows)
{
    const summed_fields s = {h, v1, v2, vorticity, rows};
    if (params->decomposition == nullptr) {
        sum_panels(execution, params, s);
        return;
    }
    sum_blocks_with(execution, params, s, INTO_NEXT_RANK);
    sum_blocks_with(execution, params, s, WITHIN_RANK);
    sum_blocks_with(execution, params, s, FROM_RANK_BEFORE);
}
