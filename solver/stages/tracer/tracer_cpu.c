#include "stages/rk4/rk4_rows.h"
#include "stages/exchange.h"
#include "stages/stages.h"
#include "stages/tiles_cpu.h"
#include "stages/limiter/limiter_rows.h"
#include "stages/tracer/tracer_point.h"

/* Arrays of one direction, at the first vertex of a section of a row. */
typedef struct direction {
    const real *f;
    real *g, *e;
} direction;

static direction direction_at(direction d, ptrdiff_t at)
{
    const direction moved = {d.f + at, d.g + at, d.e + at};
    return moved;
}

/* g1 and e1 along a section of a row. All arrays point at its first value. c is valid at all
 * vertices that the cells read. */
SWE_POINT void fluxes1_row(int order, const swe_params *params, rows_range vertices,
                           const real *SWE_RESTRICT f, const real *SWE_RESTRICT c,
                           real *SWE_RESTRICT g, real *SWE_RESTRICT e)
{
    const int n = params->layout.n;
    const rows_range cells = rows_cells_of(n, vertices);
    ROWS_ALONG(cells, rows_cells(order, params),
               g[k] = tracer_flux_point(order, where, params, i, f[k], c + k, 1));
    ROWS_ALONG(cells, rows_cells(order, params),
               e[k] = tracer_slope_point(order, where, params, i, f[k], c + k, 1));
}

SWE_CLONES
static void first_row(const swe_params *params, rows_range vertices, const real *SWE_RESTRICT h,
                      const real *SWE_RESTRICT q, real *SWE_RESTRICT c, const direction *d)
{
    const int order = params->sbp.order, n = params->layout.n;
    const rows_range read = tiles_vertices(order, params, rows_cells_of(n, vertices));
#pragma omp simd
    for (int k = read.first - vertices.first; k < read.last - vertices.first; k++)
        c[k] = tracer_concentration_point(h[k], q[k]);
    SWE_WITH_ORDER(params->sbp.order, fluxes1_row(ORDER, params, vertices, d->f, c, d->g, d->e));
}

SWE_POINT void fluxes2_row_in(int order, sbp_region where, const swe_params *params, int count,
                              int j, const real *SWE_RESTRICT f, const real *SWE_RESTRICT c,
                              real *SWE_RESTRICT g, real *SWE_RESTRICT e)
{
    const ptrdiff_t pitch = params->layout.pitch;
#pragma omp simd
    for (int i = 0; i < count; i++)
        g[i] = tracer_flux_point(order, where, params, j, f[i], c + i, pitch);
#pragma omp simd
    for (int i = 0; i < count; i++)
        e[i] = tracer_slope_point(order, where, params, j, f[i], c + i, pitch);
}

SWE_CLONES
static void fluxes2_row(const swe_params *params, int count, int j, const real *c,
                        const direction *d)
{
    SWE_WITH_ORDER(params->sbp.order, ROWS_AT_CELL(ORDER, params, j,
                                                   fluxes2_row_in(ORDER, (sbp_region)REGION, params,
                                                                  count, j, d->f, c, d->g, d->e)));
}

/* dq at `vertices` of row j. It overwrites c, which no other row reads any more. */
SWE_POINT void tendency_row_in(int order, sbp_region where_j, const swe_params *params,
                               rows_range vertices, int j,
                               const real *SWE_RESTRICT inverse_jacobian,
                               const real *SWE_RESTRICT f1, const real *SWE_RESTRICT g1,
                               const real *SWE_RESTRICT e1, const real *SWE_RESTRICT f2,
                               const real *SWE_RESTRICT g2, const real *SWE_RESTRICT e2,
                               real *SWE_RESTRICT c)
{
    const ptrdiff_t pitch = params->layout.pitch;
    if (where_j != SBP_INTERIOR) { /* some rows, whose loop clang does not vectorise */
        ROWS_VECTOR for (int k = 0; k < vertices.last - vertices.first; k++) c[k] =
            tracer_tendency_point(
                params, inverse_jacobian[k],
                tracer_terms_point(order, SBP_ANYWHERE, params, vertices.first + k, c[k], f1 + k,
                                   g1 + k, e1 + k, 1),
                tracer_terms_point(order, where_j, params, j, c[k], f2 + k, g2 + k, e2 + k, pitch));
        return;
    }
    ROWS_ALONG(
        vertices, rows_vertices(order, params),
        c[k] = tracer_tendency_point(
            params, inverse_jacobian[k],
            tracer_terms_point(order, where, params, i, c[k], f1 + k, g1 + k, e1 + k, 1),
            tracer_terms_point(order, where_j, params, j, c[k], f2 + k, g2 + k, e2 + k, pitch)));
}

SWE_CLONES
static void tendency_row(const swe_params *params, rows_range vertices, int j,
                         const real *inverse_jacobian, const direction *d1, const direction *d2,
                         real *c)
{
    SWE_WITH_ORDER(params->sbp.order,
                   ROWS_AT_VERTEX(ORDER, params, j,
                                  tendency_row_in(ORDER, (sbp_region)REGION, params, vertices, j,
                                                  inverse_jacobian, d1->f, d1->g, d1->e, d2->f,
                                                  d2->g, d2->e, c)));
}

/* Add the fluxes of a substep to the fields of a limited tracer, in whose first substep also c. All
 * arrays point at the first vertex of a section of a row. */
SWE_CLONES
static void add_fluxes_row(const swe_params *params, int substep, real weight, rows_range vertices,
                           int j, const real *c, const direction *d1, const direction *d2,
                           real *limited)
{
    const ptrdiff_t field = params->layout.field;
    const bool is_first = substep == 0;
    const real of_step = limiter_weight(substep, weight);
    const int count = vertices.last - vertices.first;
    for (int k = 0; k < (is_first ? count : 0); k++)
        limited[LIMITER_BEFORE * field + k] = c[k];
    SWE_WITH_ORDER(params->sbp.order,
                   limiter_add_row1(ORDER, params, is_first, of_step,
                                    rows_cells_of(params->layout.n, vertices), c, d1->f, d1->g,
                                    d1->e, limited + LIMITER_Q1 * field,
                                    limited + LIMITER_M1 * field));
    if (j < params->layout.n)
        SWE_WITH_ORDER(params->sbp.order,
                       limiter_add_row2(ORDER, params, is_first, of_step, j, count, c, d2->f, d2->g,
                                        d2->e, limited + LIMITER_Q2 * field,
                                        limited + LIMITER_M2 * field));
}

static void add_fluxes(const swe_execution *execution, const swe_params *params, int substep,
                       real weight, const real *c, const direction *d1, const direction *d2,
                       real *limited)
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t at = b.at + j * params->layout.pitch + b.i.first;
        const direction along1 = direction_at(*d1, at), along2 = direction_at(*d2, at);
        add_fluxes_row(params, substep, weight, b.i, j, c + at, &along1, &along2, limited + at);
    });
    thread_end(execution);
    threads_wait(execution);
}

SWE_CLONES
static void result_row(int substep, real weight, swe_growth growth, int count, const real *h,
                       const real *dq, const rk4_arrays *q)
{
    const real *in = q->in;
    real *out = q->out;
    rk4_row(substep, weight, count, dq, *q);
#pragma omp simd
    for (int k = 0; k < (growth.is_any ? count : 0); k++)
        out[k] += weight * tracer_growth_point(growth, h[k], in[k]);
}

void swe_tracer_cpu(const swe_execution *execution, const swe_params *params, int field,
                    int substep, real weight, swe_growth growth, const real *f1, const real *f2,
                    real *c, real *g1, real *g2, real *e1, real *e2, real *limited, real *y,
                    real *next)
{
    const ptrdiff_t pitch = params->layout.pitch;
    const rk4_arrays state = rk4_arrays_of(params, substep, y, next);
    const rk4_arrays q = rk4_arrays_at(state, field * params->layout.field);
    const direction along1 = {f1, g1, e1}, along2 = {f2, g2, e2};
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t at = b.at + j * pitch + b.i.first;
        const direction d = direction_at(along1, at);
        first_row(params, b.i, state.in + at, q.in + at, c + at, &d);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(c));
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t at = b.at + j * pitch + b.i.first;
        const direction d = direction_at(along2, at);
        if (j < params->layout.n)
            fluxes2_row(params, b.i.last - b.i.first, j, c + at, &d);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(g1), EXCHANGE_GHOSTS(g2), EXCHANGE_GHOSTS(e1),
             EXCHANGE_GHOSTS(e2));
    if (limited != NULL)
        add_fluxes(execution, params, substep, weight, c, &along1, &along2, limited);
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t first = j * pitch + b.i.first, at = b.at + first;
        const direction d1 = direction_at(along1, at), d2 = direction_at(along2, at);
        const rk4_arrays q_of_row = rk4_arrays_at(q, at);
        tendency_row(params, b.i, j, params->inverse_jacobian + b.metric + first, &d1, &d2, c + at);
        result_row(substep, weight, growth, b.i.last - b.i.first, state.in + at, c + at, &q_of_row);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(q.out));
}
