#include "stages/budgets/budgets_point.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"

/* A warp a row: lane l of the row is thread l. */
enum { ROWS = LAUNCH_BLOCK_LINE / BUDGETS_LANES };

/* What a thread adds, in registers. */
struct lane_sums {
    swe_sum sums[BUDGETS_SUMS];
    double max_h, max_i;
};

/* The terms at place i of row j; fields and metric terms are those of the row. */
template <int ORDER>
static __device__ void add_place(const swe_view *view, int j, int i, const real *h, const real *v1,
                                 const real *v2, ptrdiff_t in_panel, lane_sums &lane)
{
    const int n = view->layout.n;
    const ptrdiff_t pitch = view->layout.pitch;
    const double vertex = view->norm_vertex[i];
    const double mass = budgets_mass_point(vertex, view->inverse_jacobian[in_panel + i], h[i]);
    swe_sum_add(&lane.sums[BUDGETS_MASS], mass);
    swe_sum_add(&lane.sums[BUDGETS_MASS_SCALE], fabs(mass));
    swe_sum_add(&lane.sums[BUDGETS_HEIGHT], mass * (double)h[i]);
    budgets_max_point((double)h[i], i, &lane.max_h, &lane.max_i);
    const real cross2 = contravariant_cross2_point(ORDER, SBP_ANYWHERE, view, j,
                                                   view->metric12[in_panel + i], v2 + i, pitch);
    const real mean1 = sbp_pcv(ORDER, SBP_ANYWHERE, &view->sbp, n, i, v1 + i, 1);
    swe_sum_add(&lane.sums[BUDGETS_CROSS], budgets_cross_point(vertex, cross2, mean1));
    if (j < n)
        swe_sum_add(&lane.sums[BUDGETS_VELOCITY2],
                    budgets_velocity_point(vertex, view->metric22[in_panel + i], v2[i]));
    if (i == n)
        return;
    const double cell = view->norm_cell[i];
    swe_sum_add(&lane.sums[BUDGETS_VELOCITY1],
                budgets_velocity_point(cell, view->metric11[in_panel + i], v1[i]));
    if (budgets_is_side1(view, j))
        swe_sum_add(&lane.sums[BUDGETS_SIDES1], budgets_side1_point(cell, v1[i]));
    if (j == n)
        return;
    const real d1_v2 = sbp_dvc(ORDER, SBP_ANYWHERE, &view->sbp, n, i, v2 + i, 1);
    const real d2_v1 = sbp_dvc(ORDER, SBP_ANYWHERE, &view->sbp, n, j, v1 + i, pitch);
    swe_sum_add(&lane.sums[BUDGETS_SHEAR], budgets_shear_point(cell, d1_v2, d2_v1));
}

/* Lane `index` of row `row` of all panels' rows. */
template <int ORDER>
static __device__ void add_lane(const swe_view *view, int row, int index, const real *h,
                                const real *v1, const real *v2, budgets_lanes &lanes)
{
    const int n = view->layout.n, j = row % (n + 1);
    const ptrdiff_t at = row * view->layout.pitch, in_panel = j * view->layout.pitch;
    lane_sums lane = {};
    lane.max_h = -1.0;
    for (int i = index; i <= n; i += BUDGETS_LANES)
        add_place<ORDER>(view, j, i, h + at, v1 + at, v2 + at, in_panel, lane);
    for (int sum = 0; sum < BUDGETS_SUMS; sum++) {
        lanes.value[sum][index] = lane.sums[sum].value;
        lanes.lost[sum][index] = lane.sums[sum].lost;
    }
    lanes.max_h[index] = lane.max_h;
    lanes.max_i[index] = lane.max_i;
}

/* x: lanes; y: rows. */
template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_LINE)
    budgets_kernel(const __grid_constant__ swe_view view, const real *h, const real *v1,
                   const real *v2, double *rows)
{
    __shared__ budgets_lanes lanes[ROWS];
    const int places = view.layout.n + 1, index = (int)threadIdx.x, own = (int)threadIdx.y;
    const int row = (int)blockIdx.x * ROWS + own, j = row % places;
    const bool is_row = row < SWE_PANELS * places;
    double *const out = rows + row * BUDGETS_VALUES;
    if (is_row)
        add_lane<ORDER>(&view, row, index, h, v1, v2, lanes[own]);
    __syncthreads();
    if (is_row && index < BUDGETS_SUMS)
        budgets_put_sum(&view, j, index, &lanes[own], out);
    if (is_row && index == BUDGETS_SIDES2)
        budgets_put_sides2(&view, j, v2 + row * view.layout.pitch, out);
    if (is_row && index == BUDGETS_MAX_H)
        budgets_put_max(&lanes[own], out);
}

void swe_budgets_cuda(const swe_view *view, const real *h, const real *v1, const real *v2,
                      double *rows)
{
    const unsigned count = SWE_PANELS * ((unsigned)view->layout.n + 1);
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_LAUNCH((budgets_kernel<ORDER>), dim3((count + ROWS - 1) / ROWS),
                              dim3(BUDGETS_LANES, ROWS), 0, launch_stream(&view->workers), *view, h,
                              v1, v2, rows));
}
