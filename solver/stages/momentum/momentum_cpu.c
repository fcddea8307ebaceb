#include "stages/momentum/momentum_point.h"
#include "stages/rk4/rk4_point.h"
#include "stages/rows_cpu.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"
#include "stages/tiles_cpu.h"

/* Head, W and the part's arrays of v1 and v2, at a panel or at a row of it. */
typedef struct momentum_fields {
    const real *head, *turned1, *turned2;
    rk4_arrays v1, v2;
} momentum_fields;

SWE_POINT momentum_fields fields_at(momentum_fields f, ptrdiff_t at)
{
    const momentum_fields moved = {f.head + at, f.turned1 + at, f.turned2 + at,
                                   rk4_arrays_at(f.v1, at), rk4_arrays_at(f.v2, at)};
    return moved;
}

SWE_POINT void update_v1_of(int order, const swe_view *view, int part, real weight,
                            momentum_fields f)
{
    const int n = view->layout.n;
    const rows_range cells = {0, n};
    const real *SWE_RESTRICT head = f.head, *SWE_RESTRICT turned1 = f.turned1;
    ROWS_ALONG(cells, rows_cells(order, n),
               rk4_point(part, weight,
                         momentum_point1(order, where, view, i, head + k, turned1 + k),
                         rk4_arrays_at(f.v1, k)));
}

SWE_CLONES
static void update_v1(const swe_view *view, int part, real weight, const momentum_fields *f)
{
    if (part < 3)
        SWE_WITH_ORDER(view->sbp.order, update_v1_of(ORDER, view, 0, weight, *f));
    else
        SWE_WITH_ORDER(view->sbp.order, update_v1_of(ORDER, view, 3, weight, *f));
}

SWE_POINT void update_v2_of(int order, sbp_region where, const swe_view *view, int part,
                            real weight, int j, momentum_fields f)
{
    const ptrdiff_t pitch = view->layout.pitch;
    const real *SWE_RESTRICT head = f.head, *SWE_RESTRICT turned2 = f.turned2;
#pragma omp simd
    for (int k = 0; k <= view->layout.n; k++)
        rk4_point(part, weight,
                  momentum_point2(order, where, view, j, head + k, turned2 + k, pitch),
                  rk4_arrays_at(f.v2, k));
}

SWE_CLONES
static void update_v2(const swe_view *view, int part, real weight, int j, const momentum_fields *f)
{
    if (part < 3)
        SWE_WITH_ORDER(view->sbp.order, ROWS_AT_CELL(ORDER, view->layout.n, j,
                                                     update_v2_of(ORDER, (sbp_region)REGION, view,
                                                                  0, weight, j, *f)));
    else
        SWE_WITH_ORDER(view->sbp.order, ROWS_AT_CELL(ORDER, view->layout.n, j,
                                                     update_v2_of(ORDER, (sbp_region)REGION, view,
                                                                  3, weight, j, *f)));
}

/* Row j of a panel, and asking for what the next one takes in portions between the loops. */
static void update_row(const swe_view *view, int part, real weight, int j, momentum_fields panel)
{
    const int n = view->layout.n, ahead = j + view->sbp.order / 2 + 1; /* last of the stencil */
    const rows_range columns = {0, n + 1};
    const momentum_fields row = fields_at(panel, j * view->layout.pitch);
    fetch(view, columns, ahead, panel.head);
    fetch(view, columns, j + 1, panel.turned1);
    fetch_part(view, part, columns, j + 1, panel.v1);
    if (part == 3)
        fetch(view, columns, j + 1, panel.v1.in);
    update_v1(view, part, weight, &row);
    fetch(view, columns, ahead, panel.turned2);
    fetch_part(view, part, columns, j + 1, panel.v2);
    if (part == 3)
        fetch(view, columns, j + 1, panel.v2.in);
    if (j < n)
        update_v2(view, part, weight, j, &row);
}

void swe_momentum_cpu(const swe_view *view, int part, real weight, const real *head,
                      const real *turned1, const real *turned2, real *y, real *next)
{
    const ptrdiff_t field = view->layout.field;
    const rk4_arrays arrays = rk4_arrays_of(view, part, y, next);
    const momentum_fields whole = {head, turned1, turned2, rk4_arrays_at(arrays, field),
                                   rk4_arrays_at(arrays, 2 * field)};
    thread_begin(view);
    FOR_OWN_ROWS(
        view, row, j,
        update_row(view, part, weight, j, fields_at(whole, (row - j) * view->layout.pitch)));
    thread_end(view);
#pragma omp barrier
}
