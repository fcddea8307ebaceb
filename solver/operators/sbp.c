#include "operators/sbp.h"

#include "operators/sbp_point.h"

static const swe_sbp tables[] = {
#include "operators/sbp_tables.inc"
};

enum { TABLE_COUNT = sizeof tables / sizeof tables[0], PUBLISHED = TABLE_COUNT - 1 };

swe_status swe_sbp_find(swe_context *ctx, int order, swe_closure closure, int n,
                        const swe_sbp **out)
{
    *out = NULL;
    if (closure == SWE_CLOSURE_PUBLISHED) {
        if (order != tables[PUBLISHED].order)
            return swe_fail(ctx, SWE_CONFIG, "the published closure exists for order 4 only");
        *out = &tables[PUBLISHED];
    }
    for (int i = 0; i < PUBLISHED && *out == NULL; i++)
        if (tables[i].order == order)
            *out = &tables[i];
    if (*out == NULL)
        return swe_fail(ctx, SWE_CONFIG, "order %d is not one of 2, 4, 6", order);
    if (n < (*out)->smallest_n)
        return swe_fail(ctx, SWE_CONFIG, "n = %d is too small: order %d needs n >= %d", n, order,
                        (*out)->smallest_n);
    return SWE_OK;
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
    if (closure == SWE_CLOSURE_PUBLISHED)
        return 0.59;
    switch (order) {
    case 2:
        return 0.81;
    case 4:
        return 0.63;
    default:
        return 0.62;
    }
}
