#include "stages/damping/damping_point.h"
#include "stages/exchange.h"
#include "stages/sides_cpu.h"
#include "stages/stages.h"

/* ---- batches of points ------------------------------------------------------------------------
 */

/* A panel's own flux out of its side. */
SWE_CLONES
static void compute_fluxes(const swe_params *params, const real *h, const real *v1, const real *v2,
                           int count, const side_point *p, real *out)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->physics.equations,
                                      for (int c = 0; c < count; c++) out[c] = damping_flux_out(
                                          EQUATIONS, ORDER, params, p[c].metric, h + p[c].at,
                                          v1 + p[c].at, v2 + p[c].at, p[c].side, p[c].k)));
}

/* Points of sides a of edges, and the depth there in nonlinear equations. */
SWE_CLONES
static void compute_changes(const swe_params *params, real weight, int count, const side_point *p,
                            const real *jump, const real *h, real *change)
{
    SWE_WITH_EQUATIONS(params->physics.equations,
                       for (int c = 0; c < count; c++) change[c] = damping_change_of(
                           EQUATIONS, params, weight, jump[c], h[c], p[c].side, p[c].k));
}

SWE_CLONES
static void add_changes(const swe_params *params, int count, const side_point *p,
                        const real *change, real *v1, real *v2)
{
    SWE_WITH_ORDER(params->sbp.order, for (int c = 0; c < count; c++)
                                          damping_add_side(ORDER, params, p[c].side, p[c].k,
                                                           change[c], v1 + p[c].at, v2 + p[c].at));
}

/* ---- whole panels -----------------------------------------------------------------------------
 */

/* Indices 1..n-1 of k; `count` becomes their number. */
static void leave_out_corners(int n, int *count, int *k)
{
    int left = 0;
    for (int c = 0; c < *count; c++)
        if (k[c] > 0 && k[c] < n)
            k[left++] = k[c];
    *count = left;
}

static void changes_of_edge(const swe_params *params, real weight, const real *h, const real *v1,
                            const real *v2, int edge, int count, int *k, real *changes)
{
    const swe_edge e = params->topology.edges[edge];
    side_point a[SIDE_BATCH] = {{0, 0, 0, 0, 0}}, b[SIDE_BATCH] = {{0, 0, 0, 0, 0}};
    real jump[SIDE_BATCH], of_b[SIDE_BATCH], depth[SIDE_BATCH] = {0}, change[SIDE_BATCH];
    leave_out_corners(params->layout.n, &count, k);
    for (int c = 0; c < count; c++) {
        a[c] = side_point_a(params, e, k[c]);
        b[c] = side_point_b(params, e, k[c]);
        depth[c] =
            side_depth(params, h + a[c].at + topology_side_at(&params->layout, e.side_a, k[c]));
    }
    compute_fluxes(params, h, v1, v2, count, a, jump);
    compute_fluxes(params, h, v1, v2, count, b, of_b);
    for (int c = 0; c < count; c++)
        jump[c] += of_b[c];
    compute_changes(params, weight, count, a, jump, depth, change);
    for (int c = 0; c < count; c++)
        changes[edge * (params->layout.n + 1) + k[c]] = change[c];
}

static void add_to_edge(const swe_params *params, const real *changes, int edge, int count, int *k,
                        real *v1, real *v2)
{
    const swe_edge e = params->topology.edges[edge];
    side_point a[SIDE_BATCH] = {{0, 0, 0, 0, 0}}, b[SIDE_BATCH] = {{0, 0, 0, 0, 0}};
    real change[SIDE_BATCH] = {0};
    leave_out_corners(params->layout.n, &count, k);
    for (int c = 0; c < count; c++) {
        a[c] = side_point_a(params, e, k[c]);
        b[c] = side_point_b(params, e, k[c]);
        change[c] = changes[edge * (params->layout.n + 1) + k[c]];
    }
    add_changes(params, count, a, change, v1, v2);
    add_changes(params, count, b, change, v1, v2);
}

/* ---- blocks: the flux out of each side is exchanged --------------------------------------------
 */

static side_point point_of_copy(const swe_shared_point *p, int copy, const swe_block *b)
{
    const topology_copies *c = &p->copies;
    const side_point point = {b->at, b->metric, c->panel[copy], c->side[copy], c->place[copy]};
    return point;
}

/* Execute a statement for each point of an edge, cube vertices apart, that a block owns. */
#define FOR_OWN_EDGE_POINTS(params, p, b, ...)                                                     \
    FOR_OWN_SHARED_POINTS(                                                                         \
        params, p, if (p->copies.count == 2) {                                                     \
            const swe_block *b = &(params)->decomposition->block[p->block];                        \
            __VA_ARGS__;                                                                           \
        })

static void compute_block_fluxes(const swe_params *params, const real *h, const real *v1,
                                 const real *v2, real *out)
{
    FOR_OWN_EDGE_POINTS(params, p, b, {
        const side_point own = point_of_copy(p, p->own, b);
        compute_fluxes(params, h, v1, v2, 1, &own, out + p->copies.at[p->own]);
    });
}

static void add_block_changes(const swe_params *params, real weight, const real *h, const real *out,
                              real *v1, real *v2)
{
    FOR_OWN_EDGE_POINTS(params, p, b, {
        const topology_copies *c = &p->copies;
        const side_point own = point_of_copy(p, p->own, b), a = point_of_copy(p, 0, b);
        const real jump = out[c->at[0]] + out[c->at[1]];
        const real depth = side_depth(params, h + c->at[0]);
        real change = 0;
        compute_changes(params, weight, 1, &a, &jump, &depth, &change);
        add_changes(params, 1, &own, &change, v1, v2);
    });
}

static void damp_blocks(const swe_execution *execution, const swe_params *params, real weight,
                        const real *h, real *v1, real *v2, real *out)
{
    thread_begin(execution);
    compute_block_fluxes(params, h, v1, v2, out);
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_FOREIGN(out));
    thread_begin(execution);
    add_block_changes(params, weight, h, out, v1, v2);
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(v1), EXCHANGE_GHOSTS(v2));
}

/* ---- the stage --------------------------------------------------------------------------------
 */

void swe_damping_cpu(const swe_execution *execution, const swe_params *params, real weight,
                     const real *h, real *v1, real *v2, real *changes)
{
    if (params->decomposition != NULL) {
        damp_blocks(execution, params, weight, h, v1, v2, changes);
        return;
    }
    thread_begin(execution);
    FOR_THREAD_EDGE_BATCHES(params, edge, count, k,
                            changes_of_edge(params, weight, h, v1, v2, edge, count, k, changes));
    thread_end(execution);
    threads_wait(execution);
    thread_begin(execution);
    FOR_THREAD_EDGE_BATCHES(params, edge, count, k,
                            add_to_edge(params, changes, edge, count, k, v1, v2));
    thread_end(execution);
    threads_wait(execution);
}
