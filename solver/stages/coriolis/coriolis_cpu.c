#include "stages/coriolis/coriolis_rows.h"
#include "stages/exchange.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* Inputs of some vertices of row j; pointers at the first. */
typedef struct coriolis_row {
    int j;
    rows_range vertices;
    const real *h, *coriolis, *vorticity, *f1, *f2;
} coriolis_row;

SWE_POINT void pv_flux_row_in(swe_equations equations, int order, sbp_region where_j,
                              const swe_params *params, coriolis_row r, real *SWE_RESTRICT pv_flux1,
                              real *SWE_RESTRICT pv_flux2)
{
    const int n = params->layout.n;
    ROWS_ALONG(r.vertices, rows_vertices(order, params), {
        const int is_shared =
            where_j == SBP_INTERIOR && where == SBP_INTERIOR ? 0 : topology_is_shared(n, r.j, i);
        const real g1 = sbp_pcv(order, where, &params->sbp, n, i, r.f1 + k, 1);
        const real g2 =
            sbp_pcv(order, where_j, &params->sbp, n, r.j, r.f2 + k, params->layout.pitch);
        const real rate = coriolis_rate(equations, r.vorticity + k, r.coriolis[k], r.h + k);
        coriolis_pv_flux(is_shared, rate, g1, g2, pv_flux1 + k, pv_flux2 + k);
    });
}

SWE_POINT void pv_flux_row_of(swe_equations equations, int order, const swe_params *params,
                              coriolis_row r, real *pv_flux1, real *pv_flux2)
{
    ROWS_AT_VERTEX(
        order, params, r.j,
        pv_flux_row_in(equations, order, (sbp_region)REGION, params, r, pv_flux1, pv_flux2));
}

SWE_CLONES
static void pv_flux_row(const swe_params *params, const coriolis_row *r, real *pv_flux1,
                        real *pv_flux2)
{
    SWE_WITH_ORDER(params->sbp.order, SWE_WITH_EQUATIONS(params->physics.equations,
                                                         pv_flux_row_of(EQUATIONS, ORDER, params,
                                                                        *r, pv_flux1, pv_flux2)));
}

SWE_POINT void flux_projection_of(swe_equations equations, const swe_params *params,
                                  const real *SWE_RESTRICT h, const real *SWE_RESTRICT vorticity,
                                  real *pv_flux1, real *pv_flux2)
{
    FOR_SHARED_POINTS(params, copies, {
        const ptrdiff_t at = copies.at[0];
        const real rate = coriolis_rate(equations, vorticity + at, params->coriolis[at], h + at);
        coriolis_project(params, &copies, rate, pv_flux1, pv_flux2);
    });
}

SWE_CLONES
static void project(const swe_params *params, const real *h, const real *vorticity, real *pv_flux1,
                    real *pv_flux2)
{
    SWE_WITH_EQUATIONS(params->physics.equations,
                       flux_projection_of(EQUATIONS, params, h, vorticity, pv_flux1, pv_flux2));
}

void swe_coriolis_cpu(const swe_execution *execution, const swe_params *params, const real *h,
                      const real *vorticity, const real *f1, const real *f2, real *pv_flux1,
                      real *pv_flux2, real *dv1, real *dv2)
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t at = b.at + j * params->layout.pitch + b.i.first;
        const coriolis_row r = {j,       b.i,    h + at, params->coriolis + at, vorticity + at,
                                f1 + at, f2 + at};
        pv_flux_row(params, &r, pv_flux1 + at, pv_flux2 + at);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(pv_flux1), EXCHANGE_BOTH(pv_flux2));
    thread_begin(execution);
    project(params, h, vorticity, pv_flux1, pv_flux2);
    thread_end(execution);
    threads_wait(execution);
    coriolis_add_rows(execution, params, pv_flux1, pv_flux2, dv1, dv2);
    threads_wait(execution);
}
