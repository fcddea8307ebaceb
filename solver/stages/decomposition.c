#include "stages/decomposition.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#include "stages/fused/fused_tile.h"

/* First of the vertices that dissipation reads at vertices v, v + 1, ... */
static int first_spread(int order, int n, int v)
{
    const int interior = v - sbp_spread_reach(order), closure = n + 1 - sbp_spread_columns(order);
    if (v < sbp_spread_rows(order))
        return 0;
    return interior < closure ? interior : closure;
}

swe_range swe_decomposition_reach(int order, int n, swe_range own)
{
    const int last = own.last - 1;
    const swe_range substep = {fused_first_vertex(order, n, fused_first_cell(order, n, own.first)),
                               fused_last_vertex(order, n, fused_last_cell(order, n, last)) + 1},
                    spread = {first_spread(order, n, own.first),
                              n - first_spread(order, n, n - last) + 1};
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
int swe_decomposition_misfit(swe_context *ctx, int n, int order, int parts_j, int parts_i, int line)
{
    const int least_j = sbp_columns(order);
    const struct {
        int parts, unit, least;
    } lines[] = {{parts_i, parts_i > 1 ? line : 1, 2 * line > least_j ? 2 * line : least_j},
                 {parts_j, 1, least_j}};
    for (int k = 0; k < 2; k++)
        if (lines[k].parts > 1 && !fits(n, lines[k].unit, lines[k].parts, lines[k].least)) {
            swe_fail(ctx, SWE_CONFIG,
                     "%d blocks along xi%d are too small for n = %d, order %d; at most %d",
                     lines[k].parts, k + 1, n, order, most_parts(n, lines[k].unit, lines[k].least));
            return k + 1;
        }
    return 0;
}

/* ---- blocks in memory ------------------------------------------------------------------------ */

static int length(swe_range range)
{
    return range.last - range.first;
}

static bool is_in(swe_range range, int point)
{
    return point >= range.first && point < range.last;
}

/* Rows begin at a cache line. Vectors read beyond the end of a row: behind the last row of a block
 * one more can be read. */
static void place_blocks(swe_decomposition *d, int n)
{
    const int line = d->line;
    const int before = d->parts_i > 1 ? SWE_LINES_BEFORE * line : 0;
    int rows = 0, columns = 0;
    for (int k = 0; k < d->count; k++) {
        const int from = d->ghosts_i[k].first / line * line;
        rows = length(d->ghosts_j[k]) > rows ? length(d->ghosts_j[k]) : rows;
        columns = d->ghosts_i[k].last - from > columns ? d->ghosts_i[k].last - from : columns;
    }
    d->layout.n = n;
    d->layout.pitch = (ptrdiff_t)before + (columns + line - 1) / line * line;
    d->layout.panel = d->layout.pitch * (rows + 1);
    for (int k = 0; k < d->count; k++) {
        swe_block *b = &d->block[k];
        const int parts = d->parts_j * d->parts_i;
        const ptrdiff_t origin =
            before - d->ghosts_j[k].first * d->layout.pitch - d->ghosts_i[k].first / line * line;
        b->at = k * d->layout.panel + origin;
        b->metric = k % parts * d->layout.panel + origin;
    }
    d->metric_size = d->parts_j * d->parts_i * d->layout.panel + line;
}

static void cut(swe_decomposition *d, int n, int order)
{
    d->unit_i = d->parts_i > 1 ? d->line : 1;
    for (int k = 0; k < d->count; k++) {
        const int part = k % (d->parts_j * d->parts_i);
        swe_block *b = &d->block[k];
        b->panel = k / (d->parts_j * d->parts_i);
        b->j = part_of(n, 1, d->parts_j, part / d->parts_i);
        b->i = part_of(n, d->unit_i, d->parts_i, part % d->parts_i);
        d->ghosts_j[k] = swe_decomposition_reach(order, n, b->j);
        d->ghosts_i[k] = swe_decomposition_reach(order, n, b->i);
    }
}

/* ---- the plan of an exchange ----------------------------------------------------------------- */

static ptrdiff_t place_in(const swe_decomposition *d, const swe_block *b, int j, int i)
{
    return b->at + j * d->layout.pitch + i;
}

/* The part that has a vertex of a line. */
static int part_with(int n, int unit, int parts, int vertex)
{
    int part = (int)((long)parts * vertex / (n + 1));
    while (part > 0 && part_of(n, unit, parts, part).first > vertex)
        part--;
    while (part_of(n, unit, parts, part).last <= vertex)
        part++;
    return part;
}

/* The block that owns a vertex. */
static const swe_block *owner_of(const swe_decomposition *d, int panel, int j, int i)
{
    const int n = d->layout.n, along = part_with(n, 1, d->parts_j, j),
              across = part_with(n, d->unit_i, d->parts_i, i);
    return &d->block[(panel * d->parts_j + along) * d->parts_i + across];
}

static ptrdiff_t place_of_owner(const swe_decomposition *d, int panel, int j, int i)
{
    return place_in(d, owner_of(d, panel, j, i), j, i);
}

/* Execute a statement for the vertices (j, i) of block k, ghosts included. */
#define FOR_STORED(d, k, j, i, ...)                                                                \
    for (int j = (d)->ghosts_j[k].first; j < (d)->ghosts_j[k].last; j++)                           \
        for (int i = (d)->ghosts_i[k].first; i < (d)->ghosts_i[k].last; i++)                       \
    __VA_ARGS__

static int ends_in(int n, swe_range range)
{
    return (range.first == 0) + (range.last > n);
}

static swe_status count_exchanged(swe_context *ctx, swe_decomposition *d)
{
    const int n = d->layout.n;
    ptrdiff_t ghosts = 0, points = 0, foreign = 0;
    for (int k = 0; k < d->count; k++) {
        const swe_range j = d->ghosts_j[k], i = d->ghosts_i[k];
        const int rows = ends_in(n, j), columns = ends_in(n, i), corners = rows * columns;
        const int shared = rows * length(i) + columns * length(j) - corners;
        ghosts += (ptrdiff_t)length(j) * length(i) -
                  (ptrdiff_t)length(d->block[k].j) * length(d->block[k].i);
        points += shared;
        foreign += shared + corners; /* a cube vertex has two foreign copies */
    }
    if (ghosts + foreign > INT_MAX)
        return swe_fail(ctx, SWE_CONFIG,
                        "parallel.blocks_1 and blocks_2: %d blocks have more than "
                        "%d ghosts",
                        d->count, INT_MAX);
    d->ghost_count = (int)ghosts;
    d->shared_count = (int)points;
    d->exchanged_count = (int)(ghosts + foreign);
    const ptrdiff_t lines = (foreign + d->line - 1) / d->line;
    d->layout.field = d->count * d->layout.panel + lines * d->line;
    return SWE_OK;
}

static void list_ghosts(swe_decomposition *d)
{
    int next = 0;
    for (int k = 0; k < d->count; k++) {
        const swe_block *b = &d->block[k];
        FOR_STORED(d, k, j, i, {
            if (!is_in(b->j, j) || !is_in(b->i, i))
                d->exchanged[next++] =
                    (swe_exchanged){place_of_owner(d, b->panel, j, i), place_in(d, b, j, i)};
        });
    }
}

/* List a shared point for block k, which has its copy `here`. */
static void list_point(swe_decomposition *d, const topology_copies *copies, int here, int k,
                       swe_shared_point **shared, swe_exchanged **next, ptrdiff_t *foreign)
{
    const swe_block *b = &d->block[k];
    const int j = copies->j[here], i = copies->i[here];
    swe_shared_point *point = (*shared)++;
    *point = (swe_shared_point){*copies, here, k, !is_in(b->j, j) || !is_in(b->i, i)};
    for (int m = 0; m < copies->count; m++) {
        point->copies.at[m] = m == here ? place_in(d, b, j, i) : (*foreign)++;
        if (m != here)
            *(*next)++ =
                (swe_exchanged){place_of_owner(d, copies->panel[m], copies->j[m], copies->i[m]),
                                point->copies.at[m]};
    }
}

/* List the shared points of all blocks, point by point of the sphere. A block whose ghosts have a
 * copy is a neighbour of its owner. */
static void list_shared(swe_decomposition *d, const swe_topology *topology)
{
    const int n = d->layout.n;
    const swe_layout whole = swe_layout_of(n);
    swe_exchanged *next = d->exchanged + d->ghost_count;
    swe_shared_point *shared = d->shared;
    ptrdiff_t foreign = d->count * d->layout.panel;
    for (int point = 0; point < topology_shared_points(n); point++) {
        const topology_copies copies = topology_shared_point(topology, &whole, point);
        if (point == SWE_EDGES * (n - 1))
            d->shared_on_edges = (int)(shared - d->shared);
        for (int here = 0; here < copies.count; here++) {
            const int panel = copies.panel[here], j = copies.j[here], i = copies.i[here];
            const int along = part_with(n, 1, d->parts_j, j),
                      across = part_with(n, d->unit_i, d->parts_i, i);
            for (int part_j = along - 1; part_j <= along + 1; part_j++)
                for (int part_i = across - 1; part_i <= across + 1; part_i++) {
                    const int k = (panel * d->parts_j + part_j) * d->parts_i + part_i;
                    if (part_j >= 0 && part_j < d->parts_j && part_i >= 0 && part_i < d->parts_i &&
                        is_in(d->ghosts_j[k], j) && is_in(d->ghosts_i[k], i))
                        list_point(d, &copies, here, k, &shared, &next, &foreign);
                }
        }
    }
}

static swe_status allocate(swe_context *ctx, swe_decomposition *d)
{
    d->block = calloc((size_t)d->count, sizeof *d->block);
    d->ghosts_j = calloc((size_t)d->count, sizeof *d->ghosts_j);
    d->ghosts_i = calloc((size_t)d->count, sizeof *d->ghosts_i);
    return d->block != NULL && d->ghosts_j != NULL && d->ghosts_i != NULL
               ? SWE_OK
               : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the blocks");
}

static swe_status plan(swe_context *ctx, swe_decomposition *d)
{
    swe_topology topology;
    swe_topology_create(&topology);
    if (d->shared_count <= 0) /* every panel has shared points */
        return swe_fail(ctx, SWE_INTERNAL, "blocks without shared points");
    d->exchanged = calloc((size_t)d->exchanged_count, sizeof *d->exchanged);
    d->shared = calloc((size_t)d->shared_count, sizeof *d->shared);
    if (d->exchanged == NULL || d->shared == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the plan of the exchanges");
    list_ghosts(d);
    list_shared(d, &topology);
    return SWE_OK;
}

/* The blocks and, if wanted, the lists of an exchange. */
static swe_status create(swe_context *ctx, int n, int order, bool wants_lists, swe_decomposition *d)
{
    SWE_TRY(allocate(ctx, d));
    cut(d, n, order);
    place_blocks(d, n);
    SWE_TRY(count_exchanged(ctx, d));
    return wants_lists ? plan(ctx, d) : SWE_OK;
}

static swe_status create_as(swe_context *ctx, int n, int order, int parts_j, int parts_i, int line,
                            bool wants_lists, swe_decomposition **out)
{
    *out = NULL;
    if (swe_decomposition_misfit(ctx, n, order, parts_j, parts_i, line) != 0)
        return SWE_CONFIG;
    swe_decomposition *d = calloc(1, sizeof *d);
    if (d == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the blocks");
    d->line = line;
    d->parts_j = parts_j;
    d->parts_i = parts_i;
    d->count = SWE_PANELS * parts_j * parts_i;
    const swe_status status = create(ctx, n, order, wants_lists, d);
    if (status != SWE_OK)
        swe_decomposition_destroy(&d);
    *out = d;
    return status;
}

swe_status swe_decomposition_measure(swe_context *ctx, int n, int order, int parts_j, int parts_i,
                                     int line, swe_decomposition **out)
{
    return create_as(ctx, n, order, parts_j, parts_i, line, false, out);
}

swe_status swe_decomposition_create(swe_context *ctx, int n, int order, int parts_j, int parts_i,
                                    int line, swe_decomposition **out)
{
    return create_as(ctx, n, order, parts_j, parts_i, line, true, out);
}

size_t swe_decomposition_values(const swe_decomposition *decomposition, swe_location location)
{
    return (size_t)decomposition->layout.field * (location == SWE_ON_EDGES ? 6 : 1);
}

void swe_decomposition_destroy(swe_decomposition **decomposition)
{
    swe_decomposition *d = *decomposition;
    if (d == NULL)
        return;
    free(d->block);
    free(d->ghosts_j);
    free(d->ghosts_i);
    free(d->exchanged);
    free(d->shared);
    free(d);
    *decomposition = NULL;
}

/* ---- from and to whole panels ---------------------------------------------------------------- */

void swe_decomposition_scatter(const swe_decomposition *d, const swe_layout *host,
                               const double *from, double *to)
{
    for (int k = 0; k < d->count; k++)
        FOR_STORED(d, k, j, i,
                   to[place_in(d, &d->block[k], j, i)] =
                       from[swe_at(host, d->block[k].panel, j, i)]);
}

void swe_decomposition_gather(const swe_decomposition *d, const swe_layout *host,
                              const double *from, double *to)
{
    for (int k = 0; k < d->count; k++) {
        const swe_block *b = &d->block[k];
        for (int j = b->j.first; j < b->j.last; j++)
            for (int i = b->i.first; i < b->i.last; i++)
                to[swe_at(host, b->panel, j, i)] = from[place_in(d, b, j, i)];
    }
}

void swe_decomposition_scatter_metric(const swe_decomposition *d, const swe_layout *host,
                                      const double *from, double *to)
{
    for (int k = 0; k < d->parts_j * d->parts_i; k++)
        FOR_STORED(d, k, j, i,
                   to[d->block[k].metric + j * d->layout.pitch + i] = from[swe_at(host, 0, j, i)]);
}
