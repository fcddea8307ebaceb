#include "stages/rk4/rk4_rows.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"
#include "stages/tracer/tracer_point.h"

/* Arrays of one direction, at a row. */
typedef struct direction {
    const real *f;
    real *g, *e;
} direction;

static direction direction_at(direction d, ptrdiff_t at)
{
    const direction moved = {d.f + at, d.g + at, d.e + at};
    return moved;
}

/* g1 and e1 along a row, at which all arrays point. */
SWE_POINT void fluxes1_row(int order, const swe_params *params, const real *SWE_RESTRICT f,
                           const real *SWE_RESTRICT c, real *SWE_RESTRICT g, real *SWE_RESTRICT e)
{
    const int n = params->layout.n;
    const rows_range cells = {0, n};
    ROWS_ALONG(cells, rows_cells(order, n),
               g[k] = tracer_flux_point(order, where, params, i, f[k], c + k, 1));
    ROWS_ALONG(cells, rows_cells(order, n),
               e[k] = tracer_slope_point(order, where, params, i, f[k], c + k, 1));
}

SWE_CLONES
static void first_row(const swe_params *params, const real *SWE_RESTRICT h,
                      const real *SWE_RESTRICT q, real *SWE_RESTRICT c, const direction *d)
{
#pragma omp simd
    for (int i = 0; i <= params->layout.n; i++)
        c[i] = tracer_concentration_point(h[i], q[i]);
    SWE_WITH_ORDER(params->sbp.order, fluxes1_row(ORDER, params, d->f, c, d->g, d->e));
}

SWE_POINT void fluxes2_row_in(int order, sbp_region where, const swe_params *params, int j,
                              const real *SWE_RESTRICT f, const real *SWE_RESTRICT c,
                              real *SWE_RESTRICT g, real *SWE_RESTRICT e)
{
    const ptrdiff_t pitch = params->layout.pitch;
#pragma omp simd
    for (int i = 0; i <= params->layout.n; i++)
        g[i] = tracer_flux_point(order, where, params, j, f[i], c + i, pitch);
#pragma omp simd
    for (int i = 0; i <= params->layout.n; i++)
        e[i] = tracer_slope_point(order, where, params, j, f[i], c + i, pitch);
}

SWE_CLONES
static void fluxes2_row(const swe_params *params, int j, const real *c, const direction *d)
{
    SWE_WITH_ORDER(params->sbp.order, ROWS_AT_CELL(ORDER, params->layout.n, j,
                                                   fluxes2_row_in(ORDER, (sbp_region)REGION, params,
                                                                  j, d->f, c, d->g, d->e)));
}

/* dq along row j in place of c, which no other row needs any more. */
SWE_POINT void tendency_row_in(int order, sbp_region where_j, const swe_params *params, int j,
                               const real *SWE_RESTRICT f1, const real *SWE_RESTRICT g1,
                               const real *SWE_RESTRICT e1, const real *SWE_RESTRICT f2,
                               const real *SWE_RESTRICT g2, const real *SWE_RESTRICT e2,
                               real *SWE_RESTRICT c)
{
    const ptrdiff_t pitch = params->layout.pitch;
    const real *SWE_RESTRICT inverse_jacobian = params->inverse_jacobian + j * pitch;
    const rows_range vertices = {0, params->layout.n + 1};
    if (where_j != SBP_INTERIOR) { /* some rows, whose loop clang does not vectorise */
        ROWS_VECTOR for (int i = 0; i <= params->layout.n; i++) c[i] = tracer_tendency_point(
            params, inverse_jacobian[i],
            tracer_terms_point(order, SBP_ANYWHERE, params, i, c[i], f1 + i, g1 + i, e1 + i, 1),
            tracer_terms_point(order, where_j, params, j, c[i], f2 + i, g2 + i, e2 + i, pitch));
        return;
    }
    ROWS_ALONG(
        vertices, rows_vertices(order, params->layout.n),
        c[k] = tracer_tendency_point(
            params, inverse_jacobian[k],
            tracer_terms_point(order, where, params, i, c[k], f1 + k, g1 + k, e1 + k, 1),
            tracer_terms_point(order, where_j, params, j, c[k], f2 + k, g2 + k, e2 + k, pitch)));
}

SWE_CLONES
static void tendency_row(const swe_params *params, int j, const direction *d1, const direction *d2,
                         real *c)
{
    SWE_WITH_ORDER(params->sbp.order,
                   ROWS_AT_VERTEX(ORDER, params->layout.n, j,
                                  tendency_row_in(ORDER, (sbp_region)REGION, params, j, d1->f,
                                                  d1->g, d1->e, d2->f, d2->g, d2->e, c)));
}

SWE_CLONES
static void result_row(const swe_params *params, int substep, real weight, const real *dq,
                       const rk4_arrays *q)
{
    rk4_row(substep, weight, params->layout.n + 1, dq, *q);
}

void swe_tracer_cpu(const swe_execution *execution, const swe_params *params, int field,
                    int substep, real weight, const real *f1, const real *f2, real *c, real *g1,
                    real *g2, real *e1, real *e2, real *y, real *next)
{
    const ptrdiff_t pitch = params->layout.pitch;
    const rk4_arrays state = rk4_arrays_of(params, substep, y, next);
    const rk4_arrays q = rk4_arrays_at(state, field * params->layout.field);
    const direction along1 = {f1, g1, e1}, along2 = {f2, g2, e2};
    thread_begin(execution);
    FOR_THREAD_ROWS(params, row, j, {
        const direction d = direction_at(along1, row * pitch);
        first_row(params, state.in + row * pitch, q.in + row * pitch, c + row * pitch, &d);
    });
    thread_end(execution);
    threads_wait(execution);
    thread_begin(execution);
    FOR_THREAD_ROWS(params, row, j, {
        const direction d = direction_at(along2, row * pitch);
        if (j < params->layout.n)
            fluxes2_row(params, j, c + row * pitch, &d);
    });
    thread_end(execution);
    threads_wait(execution);
    thread_begin(execution);
    FOR_THREAD_ROWS(params, row, j, {
        const direction d1 = direction_at(along1, row * pitch);
        const direction d2 = direction_at(along2, row * pitch);
        const rk4_arrays q_of_row = rk4_arrays_at(q, row * pitch);
        tendency_row(params, j, &d1, &d2, c + row * pitch);
        result_row(params, substep, weight, c + row * pitch, &q_of_row);
    });
    thread_end(execution);
    threads_wait(execution);
}
