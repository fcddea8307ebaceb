#include "operators/sbp.h"

#include <stdbool.h>
#include <stdio.h>

#include "operators/sbp_point.h"

static const struct table {
    swe_closure closure;
    swe_points points;
    swe_sbp sbp;
} tables[] = {
#include "operators/sbp_tables.inc"
};

enum { TABLE_COUNT = sizeof tables / sizeof tables[0] };

/* NULL: there is none. Order 2 has no moved points. */
static const struct table *find(int order, swe_closure closure)
{
    if (order == 2 && closure == SWE_CLOSURE_MOVED)
        closure = SWE_CLOSURE_EQUISPACED;
    for (int i = 0; i < TABLE_COUNT; i++)
        if (tables[i].sbp.order == order && tables[i].closure == closure)
            return &tables[i];
    return NULL;
}

const swe_points *swe_sbp_points(int order, swe_closure closure)
{
    const struct table *table = find(order, closure);
    return table != NULL ? &table->points : &swe_points_equispaced;
}

int swe_sbp_degree(int order, swe_closure closure)
{
    const struct table *table = find(order, closure);
    return table != NULL ? table->sbp.degree : order / 2 + 1;
}

static swe_status check_n(swe_context *ctx, const struct table *table, int n, int least)
{
    char other[64] = "";
    if (n >= least)
        return SWE_OK;
    if (table->closure == SWE_CLOSURE_MOVED)
        snprintf(other, sizeof other, " (closure moved; equispaced: %d)",
                 find(table->sbp.order, SWE_CLOSURE_EQUISPACED)->sbp.smallest_n);
    return swe_fail(ctx, SWE_CONFIG, "n = %d is too small: order %d needs n >= %d%s%s", n,
                    table->sbp.order, least,
                    least > table->sbp.smallest_n ? " with dissipation" : "", other);
}

swe_status swe_sbp_find(swe_context *ctx, int order, swe_closure closure, int n,
                        const swe_sbp **out)
{
    const struct table *table = find(order, closure);
    *out = table != NULL ? &table->sbp : NULL;
    if (*out == NULL)
        return closure == SWE_CLOSURE_PUBLISHED
                   ? swe_fail(ctx, SWE_CONFIG, "the published closure exists for order 4 only")
                   : swe_fail(ctx, SWE_CONFIG, "order %d is not one of 2, 4, 6", order);
    return check_n(ctx, table, n, (*out)->smallest_n);
}

swe_status swe_sbp_check_spread(swe_context *ctx, int order, swe_closure closure, int n)
{
    const struct table *table = find(order, closure);
    return table != NULL ? check_n(ctx, table, n, table->sbp.smallest_spread_n) : SWE_OK;
}

/* Weight at `index` of `count` points. The first `rows` weights are `head`, the last mirror them,
 * the others are 1. */
static real mirrored(const real *head, int rows, int count, int index)
{
    const int from_end = count - 1 - index;
    const int row = index < from_end ? index : from_end;
    return row < rows ? head[row] : 1;
}

real swe_sbp_vertex_norm(const swe_sbp *sbp, int n, int v)
{
    return mirrored(sbp->hv, sbp_vertex_rows(sbp->order), n + 1, v);
}

real swe_sbp_cell_norm(const swe_sbp *sbp, int n, int c)
{
    return mirrored(sbp->hc, sbp_cell_rows(sbp->order), n, c);
}

double swe_sbp_courant_limit(int order, swe_closure closure)
{
    const bool is_moved = closure == SWE_CLOSURE_MOVED;
    if (closure == SWE_CLOSURE_PUBLISHED)
        return 0.59;
    switch (order) {
    case 2:
        return 0.81;
    case 4:
        return is_moved ? 0.52 : 0.63;
    default:
        return is_moved ? 0.52 : 0.62;
    }
}
