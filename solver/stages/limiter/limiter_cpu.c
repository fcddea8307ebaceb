#include "stages/exchange.h"
#include "stages/limiter/limiter_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* A row of the fields of a limited tracer; `in` and `out` are the parts of its vertices. All point
 * at its first vertex. */
typedef struct limited_row {
    int j;
    rows_range vertices;
    const real *before, *m1, *m2, *h, *inverse_jacobian;
    real *a1, *a2, *q, *in, *out;
} limited_row;

typedef struct limited {
    real *before, *h, *q, *in, *out;
} limited;

static limited_row row_at(const swe_params *params, const swe_block *b, int j, const limited *l)
{
    const ptrdiff_t first = j * params->layout.pitch + b->i.first, at = b->at + first,
                    field = params->layout.field;
    real *before = l->before + at;
    const limited_row row = {.j = j,
                             .vertices = b->i,
                             .before = before,
                             .m1 = before + LIMITER_M1 * field,
                             .m2 = before + LIMITER_M2 * field,
                             .h = l->h + at,
                             .inverse_jacobian = params->inverse_jacobian + b->metric + first,
                             .a1 = before + LIMITER_Q1 * field,
                             .a2 = before + LIMITER_Q2 * field,
                             .q = l->q + at,
                             .in = l->in + at,
                             .out = l->out + at};
    return row;
}

/* Number of cuts along a row, and to the next row. */
static int cuts1(const swe_params *params, const limited_row *r)
{
    const rows_range cells = rows_cells_of(params->layout.n, r->vertices);
    return cells.last - cells.first;
}

static int cuts2(const swe_params *params, const limited_row *r)
{
    return r->j < params->layout.n ? r->vertices.last - r->vertices.first : 0;
}

SWE_CLONES
static void antidiffusive_row(int count, const real *before, ptrdiff_t s, const real *m, real *a)
{
#pragma omp simd
    for (int k = 0; k < count; k++)
        a[k] = limiter_antidiffusive(a[k], m[k], before + k, s);
}

SWE_CLONES
static void divergence_row(const swe_params *params, real sign, const limited_row *r)
{
    const limited_row row = *r;
    ROWS_VECTOR for (int k = 0; k < row.vertices.last - row.vertices.first; k++)
    {
        const limiter_place place =
            limiter_place_of(params, row.inverse_jacobian[k], row.vertices.first + k, row.j);
        row.q[k] += sign * limiter_divergence(&place, row.a1 + k, row.a2 + k);
    }
}

SWE_CLONES
static void parts_row(const swe_params *params, swe_bounds bounds, const limited_row *r)
{
    const limited_row row = *r;
    ROWS_VECTOR for (int k = 0; k < row.vertices.last - row.vertices.first; k++)
    {
        const limiter_place place =
            limiter_place_of(params, row.inverse_jacobian[k], row.vertices.first + k, row.j);
        const limiter_parts parts =
            limiter_parts_at(params->physics.limiter, bounds, &place, row.before + k, row.h[k],
                             row.q[k], row.a1 + k, row.a2 + k);
        row.in[k] = parts.in;
        row.out[k] = parts.out;
    }
}

SWE_CLONES
static void limited_row_of(int count, const real *in, const real *out, ptrdiff_t s, real *a)
{
#pragma omp simd
    for (int k = 0; k < count; k++)
        a[k] = limiter_limited(a[k], in + k, out + k, s);
}

/* Add the divergence of the fluxes to q, or take it, and project q. */
static void add_divergence(const swe_execution *execution, const swe_params *params, real sign,
                           const limited *l)
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const limited_row row = row_at(params, &b, j, l);
        divergence_row(params, sign, &row);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(l->q));
    swe_projection_cpu(execution, params, l->q);
}

void swe_limiter_cpu(const swe_execution *execution, const swe_params *params, int field,
                     swe_bounds bounds, real *limited_fields, real *in, real *out, real *y)
{
    const ptrdiff_t pitch = params->layout.pitch, size = params->layout.field;
    const limited l = {limited_fields, y, y + field * size, in, out};
    real *a1 = l.before + LIMITER_Q1 * size, *a2 = l.before + LIMITER_Q2 * size;
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(l.before));
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const limited_row row = row_at(params, &b, j, &l);
        antidiffusive_row(cuts1(params, &row), row.before, 1, row.m1, row.a1);
        antidiffusive_row(cuts2(params, &row), row.before, pitch, row.m2, row.a2);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(a1), EXCHANGE_GHOSTS(a2));
    add_divergence(execution, params, 1, &l);
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const limited_row row = row_at(params, &b, j, &l);
        parts_row(params, bounds, &row);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(in), EXCHANGE_GHOSTS(out));
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const limited_row row = row_at(params, &b, j, &l);
        limited_row_of(cuts1(params, &row), row.in, row.out, 1, row.a1);
        limited_row_of(cuts2(params, &row), row.in, row.out, pitch, row.a2);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(a1), EXCHANGE_GHOSTS(a2));
    add_divergence(execution, params, -1, &l);
}
