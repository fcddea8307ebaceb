#include "stages/coriolis/coriolis_rows.h"
#include "stages/threads_cpu.h"
#include "stages/viscosity/viscosity_calls.h"

/* A section of row j of a panel; pointers at its first vertex. */
typedef struct viscous_row {
    int panel, j;
    rows_range vertices;
    const real *h;
    real *z[3];
} viscous_row;

static viscous_row viscous_row_at(const swe_block *b, int j, ptrdiff_t at, const real *h,
                                  real *const z[3])
{
    const viscous_row row = {b->panel, j, b->i, h + at, {z[0] + at, z[1] + at, z[2] + at}};
    return row;
}

SWE_POINT void viscous_flow_row_of(swe_equations equations, int order, sbp_region where_j,
                                   const swe_params *params, const viscous_row *r,
                                   const real *SWE_RESTRICT f1, const real *SWE_RESTRICT f2)
{
    const int n = params->layout.n;
    const viscosity_frame frame = viscosity_frame_of(r->panel);
    const real *SWE_RESTRICT h = r->h;
    real *SWE_RESTRICT x = r->z[0], *SWE_RESTRICT y = r->z[1], *SWE_RESTRICT z = r->z[2];
    ROWS_ALONG(r->vertices, rows_vertices(order, params), {
        viscosity_flow(equations, params, &frame, params->tan_vertex[i], params->tan_vertex[r->j],
                       h + k, sbp_pcv(order, where, &params->sbp, n, i, f1 + k, 1),
                       sbp_pcv(order, where_j, &params->sbp, n, r->j, f2 + k, params->layout.pitch),
                       x + k, y + k, z + k);
    });
}

SWE_CLONES
static void viscous_flow_row(const swe_params *params, const viscous_row *r, const real *f1,
                             const real *f2)
{
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations,
                           ROWS_AT_VERTEX(ORDER, params, r->j,
                                          viscous_flow_row_of(EQUATIONS, ORDER, (sbp_region)REGION,
                                                              params, r, f1, f2))));
}

static void viscous_flow(const swe_execution *execution, const swe_params *params, const real *h,
                         const real *f1, const real *f2, real *const z[3])
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t at = b.at + j * params->layout.pitch + b.i.first;
        const viscous_row row = viscous_row_at(&b, j, at, h, z);
        viscous_flow_row(params, &row, f1 + at, f2 + at);
    });
    thread_end(execution);
    threads_wait(execution);
}

SWE_POINT void viscous_force_row_of(swe_equations equations, bool is_last, const swe_params *params,
                                    real weight, const viscous_row *r)
{
    const viscosity_frame frame = viscosity_frame_of(r->panel);
    const real tan_y = params->tan_vertex[r->j];
    const real *SWE_RESTRICT tan_x = params->tan_vertex + r->vertices.first;
    const real *SWE_RESTRICT h = r->h;
    real *SWE_RESTRICT x = r->z[0], *SWE_RESTRICT y = r->z[1], *SWE_RESTRICT z = r->z[2];
#pragma omp simd
    for (int k = 0; k < r->vertices.last - r->vertices.first; k++)
        viscosity_force(equations, is_last, params, &frame, tan_x[k], tan_y, weight, h + k, x + k,
                        y + k, z + k);
}

SWE_CLONES
static void viscous_force_row(const swe_params *params, bool is_last, real weight,
                              const viscous_row *r)
{
    SWE_WITH_EQUATIONS(params->physics.equations,
                       if (is_last) viscous_force_row_of(EQUATIONS, true, params, weight, r);
                       else viscous_force_row_of(EQUATIONS, false, params, weight, r));
}

static void viscous_force(const swe_execution *execution, const swe_params *params, bool is_last,
                          real weight, const real *h, real *const z[3])
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const viscous_row row =
            viscous_row_at(&b, j, b.at + j * params->layout.pitch + b.i.first, h, z);
        viscous_force_row(params, is_last, weight, &row);
    });
    thread_end(execution);
    threads_wait(execution);
}

SWE_CLONES
static void viscous_scalar_row(const swe_params *params, bool is_advected, ptrdiff_t first,
                               int count, const real *h, const real *in, real *out)
{
    if (is_advected) {
#pragma omp simd
        for (ptrdiff_t at = first; at < first + count; at++)
            out[at] = tracer_concentration_point(h[at], in[at]);
    } else {
#pragma omp simd
        for (ptrdiff_t at = first; at < first + count; at++)
            out[at] = viscosity_surface(params, at, in[at]);
    }
}

static void viscous_scalar(const swe_execution *execution, const swe_params *params,
                           bool is_advected, const real *h, const real *in, real *out)
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j,
                    viscous_scalar_row(params, is_advected,
                                       b.at + j * params->layout.pitch + b.i.first,
                                       b.i.last - b.i.first, h, in, out));
    thread_end(execution);
    threads_wait(execution);
}

SWE_CLONES
static void viscous_add_row(real weight, int count, const real *SWE_RESTRICT in,
                            real *SWE_RESTRICT out)
{
#pragma omp simd
    for (int k = 0; k < count; k++)
        out[k] += weight * in[k];
}

static void viscous_add_scalar(const swe_execution *execution, const swe_params *params,
                               real weight, const real *in, real *out)
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t at = b.at + j * params->layout.pitch + b.i.first;
        viscous_add_row(weight, b.i.last - b.i.first, in + at, out + at);
    });
    thread_end(execution);
    threads_wait(execution);
}

static void viscous_add(const swe_execution *execution, const swe_params *params, const real *z1,
                        const real *z2, real *v1, real *v2)
{
    coriolis_add_rows(execution, params, z1, z2, v1, v2);
    threads_wait(execution);
}

void swe_viscosity_cpu(const swe_execution *execution, const swe_params *params, int substep,
                       real weight, const swe_work *work, real *y, real *next)
{
    static const viscosity_backend cpu = {&swe_stages_cpu, swe_exchange_cpu, viscous_flow,
                                          viscous_force,   viscous_scalar,   viscous_add_scalar,
                                          viscous_add};
    viscosity_run(&cpu, execution, params, substep, weight, work, y, next);
}
