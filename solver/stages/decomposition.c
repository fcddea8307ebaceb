#include <stdlib.h>

#include "ranks/ranks.h"
#include "stages/decomposition_internal.h"
#include "stages/reach.h"

/* First of the vertices that dissipation reads at vertices v, v + 1, ... */
static int first_spread(int order, int degree, int n, int v)
{
    const int interior = v - degree, closure = n + 1 - sbp_spread_columns(order, degree);
    if (v < sbp_spread_rows(order, degree))
        return 0;
    return interior < closure ? interior : closure;
}

swe_range swe_decomposition_reach(const swe_cut *cut, swe_range own)
{
    const int n = cut->n, order = cut->order, last = own.last - 1;
    const int degree = swe_sbp_degree(order, cut->closure);
    const swe_range substep = {reach_first_vertex(
                                   order, sbp_vertex_rows(order), n,
                                   reach_first_cell(order, sbp_vertex_rows(order), n, own.first)),
                               reach_last_vertex(
                                   order, sbp_vertex_rows(order), n,
                                   reach_last_cell(order, sbp_vertex_rows(order), n, last)) +
                                   1},
                    spread = {first_spread(order, degree, n, own.first),
                              n - first_spread(order, degree, n, n - last) + 1};
    const swe_range reach = {substep.first < spread.first ? substep.first : spread.first,
                             substep.last > spread.last ? substep.last : spread.last};
    return reach;
}

/* ---- parts of a line ------------------------------------------------------------------------- */

/* Part `index` of `parts` of a line of n + 1 vertices; cuts lie at multiples of `unit`. */
static swe_range part_of(int n, int unit, int parts, int index)
{
    const int units = (n + unit) / unit;
    const int first = (int)((long)units * index / parts * unit),
              last = (int)((long)units * (index + 1) / parts * unit);
    const swe_range part = {first, last < n + 1 ? last : n + 1};
    return part;
}

static bool fits(int n, int unit, int parts, int least)
{
    bool all = true;
    for (int index = 0; index < parts; index++) {
        const swe_range part = part_of(n, unit, parts, index);
        all = all && part.last - part.first >= least;
    }
    return all;
}

/* The most parts of at least `least` vertices each. */
static int most_parts(int n, int unit, int least)
{
    int most = 1;
    for (int parts = 2; parts * least <= n + 1; parts++)
        if (fits(n, unit, parts, least))
            most = parts;
    return most;
}

/* Blocks have room for all of a closure, and along xi1 for a cache line at each cut. */

static int least_along(const swe_cut *cut)
{
    return sbp_columns(cut->order);
}

static int least_across(const swe_cut *cut)
{
    return 2 * cut->line > least_along(cut) ? 2 * cut->line : least_along(cut);
}

static bool fits_along(const swe_cut *cut)
{
    return cut->blocks_2 == 1 || fits(cut->n, 1, cut->blocks_2, least_along(cut));
}

static bool fits_across(const swe_cut *cut)
{
    return cut->blocks_1 == 1 || fits(cut->n, cut->line, cut->blocks_1, least_across(cut));
}

static void fail_misfit(swe_context *ctx, const swe_cut *cut, int parts, int direction, int most)
{
    swe_fail(ctx, SWE_CONFIG, "%d blocks along xi%d are too small for n = %d, order %d; at most %d",
             parts, direction, cut->n, cut->order, most);
}

int swe_decomposition_misfit(swe_context *ctx, const swe_cut *cut)
{
    if (!fits_across(cut)) {
        fail_misfit(ctx, cut, cut->blocks_1, 1, most_parts(cut->n, cut->line, least_across(cut)));
        return 1;
    }
    if (!fits_along(cut)) {
        fail_misfit(ctx, cut, cut->blocks_2, 2, most_parts(cut->n, 1, least_along(cut)));
        return 2;
    }
    return 0;
}

static int common_divisor(int a, int b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* Choose the factors of `blocks`; false: no choice fits. */
static bool choose_parts(swe_cut *cut, int blocks)
{
    swe_cut best = {.blocks_2 = 0};
    for (int along = blocks; along >= 1; along--) {
        cut->blocks_2 = along;
        cut->blocks_1 = blocks / along;
        if (blocks % along == 0 && fits_along(cut) && fits_across(cut) &&
            (best.blocks_2 == 0 || along + blocks / along < best.blocks_2 + best.blocks_1))
            best = *cut;
    }
    *cut = best.blocks_2 > 0 ? best : *cut;
    return best.blocks_2 > 0;
}

swe_status swe_decomposition_choose(swe_context *ctx, swe_cut *cut)
{
    const int ranks = decomposition_ranks(cut);
    if (cut->blocks_2 > 1 || cut->blocks_1 > 1)
        return SWE_OK;
    if (choose_parts(cut, ranks / common_divisor(ranks, SWE_PANELS)))
        return SWE_OK;
    int most = ranks - 1;
    while (!choose_parts(cut, most / common_divisor(most, SWE_PANELS)))
        most--;
    return swe_fail(ctx, SWE_CONFIG, "%d ranks are too many for n = %d, order %d; at most %d",
                    ranks, cut->n, cut->order, most);
}

/* ---- blocks in memory ------------------------------------------------------------------------ */

/* Rows begin at a cache line. Vectors read beyond the end of a row, so one more row behind the last
 * row of a block is readable. */
static void place_blocks(swe_decomposition *d, int n)
{
    const int line = d->cut.line, parts = d->cut.blocks_2 * d->cut.blocks_1;
    const int before = d->cut.blocks_1 > 1 ? SWE_LINES_BEFORE * line : 0;
    int rows = 0, columns = 0;
    for (int k = d->own.first; k < d->own.last; k++) {
        const int from = d->stored_i[k].first / line * line;
        const int along = range_length(d->block[k].j), across = range_length(d->block[k].i),
                  stored = range_length(d->stored_j[k]);
        d->largest_j = along > d->largest_j ? along : d->largest_j;
        d->largest_i = across > d->largest_i ? across : d->largest_i;
        rows = stored > rows ? stored : rows;
        columns = d->stored_i[k].last - from > columns ? d->stored_i[k].last - from : columns;
    }
    d->layout.n = n;
    d->layout.pitch = (ptrdiff_t)before + (columns + line - 1) / line * line;
    d->layout.panel = d->layout.pitch * (rows + 1);
    for (int index = 0; index < d->part_count; index++)
        for (int panel = d->part[index].panels.first; panel < d->part[index].panels.last; panel++) {
            const int k = panel * parts + d->part[index].number;
            const ptrdiff_t origin = before - d->stored_j[k].first * d->layout.pitch -
                                     d->stored_i[k].first / line * line;
            d->block[k].at = (k - d->own.first) * d->layout.panel + origin;
            d->block[k].metric = index * d->layout.panel + origin;
            d->block[k].first_panel = d->part[index].panels.first;
        }
    d->metric_size = d->part_count * d->layout.panel + line;
}

/* List the parts of the own blocks. Their panels are consecutive. */
static void list_parts(swe_decomposition *d)
{
    const int parts = d->cut.blocks_2 * d->cut.blocks_1;
    for (int number = 0; number < parts; number++) {
        swe_part part = {number, {SWE_PANELS, 0}};
        for (int panel = 0; panel < SWE_PANELS; panel++)
            if (swe_decomposition_owns(d, panel * parts + number)) {
                part.panels.first = panel < part.panels.first ? panel : part.panels.first;
                part.panels.last = panel + 1;
            }
        if (part.panels.first < part.panels.last)
            d->part[d->part_count++] = part;
    }
}

static void cut_panels(swe_decomposition *d)
{
    const int n = d->cut.n, ranks = decomposition_ranks(&d->cut),
              parts = d->cut.blocks_2 * d->cut.blocks_1;
    d->unit_i = d->cut.blocks_1 > 1 ? d->cut.line : 1;
    for (int k = 0; k < d->count; k++) {
        const int part = k % parts;
        swe_block *b = &d->block[k];
        b->panel = k / parts;
        b->j = part_of(n, 1, d->cut.blocks_2, part / d->cut.blocks_1);
        b->i = part_of(n, d->unit_i, d->cut.blocks_1, part % d->cut.blocks_1);
        d->stored_j[k] = swe_decomposition_reach(&d->cut, b->j);
        d->stored_i[k] = swe_decomposition_reach(&d->cut, b->i);
    }
    d->own.first = (int)((long)d->count * d->cut.rank / ranks);
    d->own.last = (int)((long)d->count * (d->cut.rank + 1) / ranks);
    list_parts(d);
}

/* ---- who has a point ------------------------------------------------------------------------- */

int decomposition_part_with(int n, int unit, int parts, int vertex)
{
    int part = (int)((long)parts * vertex / (n + 1));
    while (part > 0 && part_of(n, unit, parts, part).first > vertex)
        part--;
    while (part_of(n, unit, parts, part).last <= vertex)
        part++;
    return part;
}

int decomposition_block_with(const swe_decomposition *d, int panel, int j, int i)
{
    const int n = d->layout.n, along = decomposition_part_with(n, 1, d->cut.blocks_2, j),
              across = decomposition_part_with(n, d->unit_i, d->cut.blocks_1, i);
    return (panel * d->cut.blocks_2 + along) * d->cut.blocks_1 + across;
}

int swe_decomposition_rank(const swe_decomposition *d, int block)
{
    const int ranks = decomposition_ranks(&d->cut);
    int rank = (int)((long)block * ranks / d->count);
    while ((int)((long)d->count * (rank + 1) / ranks) <= block)
        rank++;
    return rank;
}

/* ---- the decomposition ----------------------------------------------------------------------- */

static swe_status allocate(swe_context *ctx, swe_decomposition *d)
{
    d->block = calloc((size_t)d->count, sizeof *d->block);
    d->stored_j = calloc((size_t)d->count, sizeof *d->stored_j);
    d->stored_i = calloc((size_t)d->count, sizeof *d->stored_i);
    d->part = calloc((size_t)d->count / SWE_PANELS, sizeof *d->part);
    return d->block != NULL && d->stored_j != NULL && d->stored_i != NULL && d->part != NULL
               ? SWE_OK
               : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the blocks");
}

swe_status decomposition_agree(swe_context *ctx, const swe_decomposition *d,
                               decomposition_wanted wanted, swe_status status)
{
    return wanted == DECOMPOSITION_CONNECTED && decomposition_ranks(&d->cut) > 1
               ? swe_ranks_agree(ctx, status)
               : status;
}

static swe_status create(swe_context *ctx, decomposition_wanted wanted, swe_decomposition *d)
{
    swe_status status = allocate(ctx, d);
    if (status == SWE_OK) {
        cut_panels(d);
        place_blocks(d, d->cut.n);
        status = decomposition_size_lists(ctx, d);
    }
    SWE_TRY(decomposition_agree(ctx, d, wanted, status));
    return wanted != DECOMPOSITION_SIZES ? decomposition_list(ctx, wanted, d) : SWE_OK;
}

static swe_status create_as(swe_context *ctx, const swe_cut *cut, decomposition_wanted wanted,
                            swe_decomposition **out)
{
    *out = NULL;
    const int count = SWE_PANELS * cut->blocks_2 * cut->blocks_1;
    if (swe_decomposition_misfit(ctx, cut) != 0)
        return SWE_CONFIG;
    if (count < cut->ranks)
        return swe_fail(ctx, SWE_CONFIG,
                        "parallel.blocks_1 and blocks_2: %d blocks are too few for %d ranks", count,
                        cut->ranks);
    swe_decomposition *d = calloc(1, sizeof *d);
    if (d == NULL) {
        const swe_status none = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the blocks");
        return wanted == DECOMPOSITION_CONNECTED ? swe_ranks_agree(ctx, none) : none;
    }
    d->cut = *cut;
    d->count = count;
    const swe_status status = create(ctx, wanted, d);
    if (status != SWE_OK)
        swe_decomposition_destroy(&d);
    *out = d;
    return status;
}

swe_status swe_decomposition_create_sizes(swe_context *ctx, const swe_cut *cut,
                                          swe_decomposition **out)
{
    return create_as(ctx, cut, DECOMPOSITION_SIZES, out);
}

swe_status swe_decomposition_create_lists(swe_context *ctx, const swe_cut *cut,
                                          swe_decomposition **out)
{
    return create_as(ctx, cut, DECOMPOSITION_LISTS, out);
}

swe_status swe_decomposition_create(swe_context *ctx, const swe_cut *cut, swe_decomposition **out)
{
    return create_as(ctx, cut, DECOMPOSITION_CONNECTED, out);
}

size_t swe_decomposition_values(const swe_decomposition *decomposition, swe_location location)
{
    return (size_t)decomposition->layout.field * (location == SWE_ON_EDGES ? 6 : 1);
}

double swe_decomposition_share(const swe_decomposition *d)
{
    const double line = d->cut.n + 1;
    double own = 0.0;
    for (int k = d->own.first; k < d->own.last; k++)
        own += (double)(d->block[k].j.last - d->block[k].j.first) *
               (double)(d->block[k].i.last - d->block[k].i.first);
    return own / (6.0 * line * line);
}

void swe_decomposition_destroy(swe_decomposition **decomposition)
{
    swe_decomposition *d = *decomposition;
    if (d == NULL)
        return;
    for (int m = 0; m < d->neighbour_count; m++) {
        swe_neighbour *of = &d->neighbour[m];
        free(of->received.at);
        free(of->received.buffer);
        free(of->sent.at);
        free(of->sent.buffer);
    }
    free(d->neighbour);
    free(d->messages);
    free(d->block);
    free(d->part);
    free(d->stored_j);
    free(d->stored_i);
    free(d->exchanged);
    free(d->shared);
    free(d);
    *decomposition = NULL;
}
