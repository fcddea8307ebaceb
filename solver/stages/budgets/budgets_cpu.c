#include "stages/budgets/budgets_point.h"
#include "stages/contravariant/contravariant_rows.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* A row is taken in pieces, whose terms stay in a core's first cache. */
enum { PIECE_LINES = 8, PIECE = PIECE_LINES * BUDGETS_LANES };

/* Row j from place `first` on: `vertices` and `cells` places of it. Fields point at the first,
 * which metric terms have at `in_panel`. */
typedef struct row_piece {
    int j, first, vertices, cells;
    ptrdiff_t in_panel;
    const real *h, *v1, *v2;
} row_piece;

static void begin_lanes(budgets_lanes *lanes)
{
    for (int lane = 0; lane < BUDGETS_LANES; lane++) {
        for (int sum = 0; sum < BUDGETS_SUMS; sum++)
            lanes->value[sum][lane] = lanes->lost[sum][lane] = 0.0;
        lanes->max_h[lane] = -1.0;
        lanes->max_i[lane] = 0.0;
    }
}

/* Do `work` for the places k = 0..count-1 of a piece, `lane` being the lane of each. */
#define FOR_LANES(count, work)                                                                     \
    do {                                                                                           \
        int line = 0;                                                                              \
        for (; line + BUDGETS_LANES <= (count); line += BUDGETS_LANES) {                           \
            _Pragma("omp simd") for (int lane = 0; lane < BUDGETS_LANES; lane++)                   \
            {                                                                                      \
                const int k = line + lane;                                                         \
                work;                                                                              \
            }                                                                                      \
        }                                                                                          \
        for (int lane = 0; line + lane < (count); lane++) {                                        \
            const int k = line + lane;                                                             \
            work;                                                                                  \
        }                                                                                          \
    } while (0)

SWE_POINT void add_term(budgets_lanes *lanes, int sum, int lane, double term)
{
    swe_sum s = {lanes->value[sum][lane], lanes->lost[sum][lane]};
    swe_sum_add(&s, term);
    lanes->value[sum][lane] = s.value;
    lanes->lost[sum][lane] = s.lost;
}

SWE_POINT void add_heights(const swe_view *view, row_piece p, budgets_lanes *lanes)
{
    const double *norm = view->norm_vertex + p.first;
    const real *inverse_jacobian = view->inverse_jacobian + p.in_panel;
    double mass[PIECE];
#pragma omp simd
    for (int k = 0; k < p.vertices; k++)
        mass[k] = budgets_mass_point(norm[k], inverse_jacobian[k], p.h[k]);
    FOR_LANES(p.vertices, add_term(lanes, BUDGETS_MASS, lane, mass[k]));
    FOR_LANES(p.vertices, add_term(lanes, BUDGETS_MASS_SCALE, lane, fabs(mass[k])));
    FOR_LANES(p.vertices, add_term(lanes, BUDGETS_HEIGHT, lane, mass[k] * (double)p.h[k]));
    FOR_LANES(p.vertices, budgets_max_point((double)p.h[k], p.first + k, &lanes->max_h[lane],
                                            &lanes->max_i[lane]));
}

SWE_POINT void add_velocities(const swe_view *view, row_piece p, budgets_lanes *lanes)
{
    const double *vertex = view->norm_vertex + p.first, *cell = view->norm_cell + p.first;
    const real *metric11 = view->metric11 + p.in_panel, *metric22 = view->metric22 + p.in_panel;
    FOR_LANES(p.cells, add_term(lanes, BUDGETS_VELOCITY1, lane,
                                budgets_velocity_point(cell[k], metric11[k], p.v1[k])));
    if (budgets_is_side1(view, p.j))
        FOR_LANES(p.cells,
                  add_term(lanes, BUDGETS_SIDES1, lane, budgets_side1_point(cell[k], p.v1[k])));
    if (p.j < view->layout.n)
        FOR_LANES(p.vertices, add_term(lanes, BUDGETS_VELOCITY2, lane,
                                       budgets_velocity_point(vertex[k], metric22[k], p.v2[k])));
}

SWE_POINT void add_cross_terms(int order, const swe_view *view, row_piece p, budgets_lanes *lanes)
{
    const int n = view->layout.n;
    const double *norm = view->norm_vertex + p.first;
    const rows_range vertices = {p.first, p.first + p.vertices};
    real cross2[PIECE], mean1[PIECE];
    contravariant_cross2_row(order, view, p.j, p.vertices, view->metric12 + p.in_panel, p.v2,
                             view->layout.pitch, cross2);
    ROWS_ALONG(vertices, rows_vertices(order, n),
               mean1[k] = sbp_pcv(order, where, &view->sbp, n, i, p.v1 + k, 1));
    FOR_LANES(p.vertices, add_term(lanes, BUDGETS_CROSS, lane,
                                   budgets_cross_point(norm[k], cross2[k], mean1[k])));
}

/* Differences of v1 along xi2. */
SWE_POINT void differences2(int order, sbp_region where, const swe_view *view, row_piece p,
                            real *SWE_RESTRICT out)
{
#pragma omp simd
    for (int k = 0; k < p.cells; k++)
        out[k] =
            sbp_dvc(order, where, &view->sbp, view->layout.n, p.j, p.v1 + k, view->layout.pitch);
}

SWE_POINT void add_shear(int order, const swe_view *view, row_piece p, budgets_lanes *lanes)
{
    const int n = view->layout.n;
    const double *norm = view->norm_cell + p.first;
    const rows_range cells = {p.first, p.first + p.cells};
    real d1_v2[PIECE], d2_v1[PIECE];
    ROWS_ALONG(cells, rows_cells(order, n),
               d1_v2[k] = sbp_dvc(order, where, &view->sbp, n, i, p.v2 + k, 1));
    if (rows_is_interior(rows_cells(order, n), p.j))
        differences2(order, SBP_INTERIOR, view, p, d2_v1);
    else
        differences2(order, SBP_ANYWHERE, view, p, d2_v1);
    FOR_LANES(p.cells, add_term(lanes, BUDGETS_SHEAR, lane,
                                budgets_shear_point(norm[k], d1_v2[k], d2_v1[k])));
}

/* From place `first` of row `row` of all panels' rows on. */
SWE_POINT row_piece piece_of(const swe_view *view, int row, int first, const real *h,
                             const real *v1, const real *v2)
{
    const int places = view->layout.n + 1, j = row % places, left = places - first;
    const ptrdiff_t pitch = view->layout.pitch, at = row * pitch + first;
    const row_piece p = {j,
                         first,
                         left < PIECE ? left : PIECE,
                         left <= PIECE ? left - 1 : PIECE,
                         j * pitch + first,
                         h + at,
                         v1 + at,
                         v2 + at};
    return p;
}

SWE_POINT void add_row_of_order(int order, const swe_view *view, int row, const real *h,
                                const real *v1, const real *v2, budgets_lanes *lanes)
{
    for (int first = 0; first <= view->layout.n; first += PIECE) {
        const row_piece p = piece_of(view, row, first, h, v1, v2);
        add_heights(view, p, lanes);
        add_velocities(view, p, lanes);
        add_cross_terms(order, view, p, lanes);
        if (p.j < view->layout.n)
            add_shear(order, view, p, lanes);
    }
}

SWE_CLONES
static void add_row(const swe_view *view, int row, const real *h, const real *v1, const real *v2,
                    budgets_lanes *lanes)
{
    SWE_WITH_ORDER(view->sbp.order, add_row_of_order(ORDER, view, row, h, v1, v2, lanes));
}

static void sum_row(const swe_view *view, int row, const real *h, const real *v1, const real *v2,
                    double *out)
{
    const int j = row % (view->layout.n + 1);
    budgets_lanes lanes;
    begin_lanes(&lanes);
    add_row(view, row, h, v1, v2, &lanes);
    for (int sum = 0; sum < BUDGETS_SUMS; sum++)
        budgets_put_sum(view, j, sum, &lanes, out);
    budgets_put_sides2(view, j, v2 + row * view->layout.pitch, out);
    budgets_put_max(&lanes, out);
}

void swe_budgets_cpu(const swe_view *view, const real *h, const real *v1, const real *v2,
                     double *rows)
{
    const int places = view->layout.n + 1;
    thread_begin(view);
#pragma omp for schedule(static) nowait
    for (int row = 0; row < SWE_PANELS * places; row++)
        sum_row(view, row, h, v1, v2, rows + row * BUDGETS_VALUES);
    thread_end(view);
#pragma omp barrier
}
