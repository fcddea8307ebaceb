#include "stages/decomposition.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks.h"
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
    return cut->parts_j == 1 || fits(cut->n, 1, cut->parts_j, least_along(cut));
}

static bool fits_across(const swe_cut *cut)
{
    return cut->parts_i == 1 || fits(cut->n, cut->line, cut->parts_i, least_across(cut));
}

static void fail_misfit(swe_context *ctx, const swe_cut *cut, int parts, int direction, int most)
{
    swe_fail(ctx, SWE_CONFIG, "%d blocks along xi%d are too small for n = %d, order %d; at most %d",
             parts, direction, cut->n, cut->order, most);
}

int swe_decomposition_misfit(swe_context *ctx, const swe_cut *cut)
{
    if (!fits_across(cut)) {
        fail_misfit(ctx, cut, cut->parts_i, 1, most_parts(cut->n, cut->line, least_across(cut)));
        return 1;
    }
    if (!fits_along(cut)) {
        fail_misfit(ctx, cut, cut->parts_j, 2, most_parts(cut->n, 1, least_along(cut)));
        return 2;
    }
    return 0;
}

static int ranks_of(const swe_cut *cut)
{
    return cut->ranks > 1 ? cut->ranks : 1;
}

static int common_divisor(int a, int b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* Choose the factors of `blocks`; false: no choice fits. */
static bool choose_parts(swe_cut *cut, int blocks)
{
    swe_cut best = {.parts_j = 0};
    for (int along = blocks; along >= 1; along--) {
        cut->parts_j = along;
        cut->parts_i = blocks / along;
        if (blocks % along == 0 && fits_along(cut) && fits_across(cut) &&
            (best.parts_j == 0 || along + blocks / along < best.parts_j + best.parts_i))
            best = *cut;
    }
    *cut = best.parts_j > 0 ? best : *cut;
    return best.parts_j > 0;
}

swe_status swe_decomposition_choose(swe_context *ctx, swe_cut *cut)
{
    const int ranks = ranks_of(cut);
    if (cut->parts_j > 1 || cut->parts_i > 1)
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
    const int line = d->cut.line, parts = d->cut.parts_j * d->cut.parts_i;
    const int before = d->cut.parts_i > 1 ? SWE_LINES_BEFORE * line : 0;
    int rows = 0, columns = 0;
    for (int k = d->own.first; k < d->own.last; k++) {
        const int from = d->ghosts_i[k].first / line * line;
        const int along = length(d->block[k].j), across = length(d->block[k].i);
        d->largest_j = along > d->largest_j ? along : d->largest_j;
        d->largest_i = across > d->largest_i ? across : d->largest_i;
        rows = length(d->ghosts_j[k]) > rows ? length(d->ghosts_j[k]) : rows;
        columns = d->ghosts_i[k].last - from > columns ? d->ghosts_i[k].last - from : columns;
    }
    d->layout.n = n;
    d->layout.pitch = (ptrdiff_t)before + (columns + line - 1) / line * line;
    d->layout.panel = d->layout.pitch * (rows + 1);
    for (int index = 0; index < d->part_count; index++)
        for (int panel = d->part[index].panels.first; panel < d->part[index].panels.last; panel++) {
            const int k = panel * parts + d->part[index].number;
            const ptrdiff_t origin = before - d->ghosts_j[k].first * d->layout.pitch -
                                     d->ghosts_i[k].first / line * line;
            d->block[k].at = (k - d->own.first) * d->layout.panel + origin;
            d->block[k].metric = index * d->layout.panel + origin;
            d->block[k].first_panel = d->part[index].panels.first;
        }
    d->metric_size = d->part_count * d->layout.panel + line;
}

/* List the parts of the own blocks. Their panels are consecutive. */
static void list_parts(swe_decomposition *d)
{
    const int parts = d->cut.parts_j * d->cut.parts_i;
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
    const int n = d->cut.n, ranks = ranks_of(&d->cut), parts = d->cut.parts_j * d->cut.parts_i;
    d->unit_i = d->cut.parts_i > 1 ? d->cut.line : 1;
    for (int k = 0; k < d->count; k++) {
        const int part = k % parts;
        swe_block *b = &d->block[k];
        b->panel = k / parts;
        b->j = part_of(n, 1, d->cut.parts_j, part / d->cut.parts_i);
        b->i = part_of(n, d->unit_i, d->cut.parts_i, part % d->cut.parts_i);
        d->ghosts_j[k] = swe_decomposition_reach(d->cut.order, n, b->j);
        d->ghosts_i[k] = swe_decomposition_reach(d->cut.order, n, b->i);
    }
    d->own.first = (int)((long)d->count * d->cut.rank / ranks);
    d->own.last = (int)((long)d->count * (d->cut.rank + 1) / ranks);
    list_parts(d);
}

/* ---- the plan of an exchange ----------------------------------------------------------------- */

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
static int block_with(const swe_decomposition *d, int panel, int j, int i)
{
    const int n = d->layout.n, along = part_with(n, 1, d->cut.parts_j, j),
              across = part_with(n, d->unit_i, d->cut.parts_i, i);
    return (panel * d->cut.parts_j + along) * d->cut.parts_i + across;
}

int swe_decomposition_rank(const swe_decomposition *d, int block)
{
    const int ranks = ranks_of(&d->cut);
    int rank = (int)((long)block * ranks / d->count);
    while ((int)((long)d->count * (rank + 1) / ranks) <= block)
        rank++;
    return rank;
}

static int ends_in(int n, swe_range range)
{
    return (range.first == 0) + (range.last > n);
}

static swe_status count_exchanged(swe_context *ctx, swe_decomposition *d)
{
    const int n = d->layout.n;
    ptrdiff_t ghosts = 0, points = 0, foreign = 0;
    for (int k = d->own.first; k < d->own.last; k++) {
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
    d->shared_count = (int)points;
    d->exchanged_count = (int)(ghosts + foreign); /* until the lists tell what other ranks own */
    const ptrdiff_t lines = foreign / d->cut.line + 1, /* at least one, as of a metric term */
        blocks = d->own.last - d->own.first;
    d->layout.field = blocks * d->layout.panel + lines * d->cut.line;
    return SWE_OK;
}

/* A value of another rank's block: the number of its vertex on the sphere, and where it goes. */
typedef struct received_value {
    int rank;
    bool is_foreign;
    long long vertex;
    ptrdiff_t to;
} received_value;

/* The lists as they grow. */
typedef struct exchange_lists {
    swe_decomposition *d;
    int exchanged, received;
    received_value *value; /* (received) */
    int *numbers;          /* (4, ranks) scratch */
} exchange_lists;

/* List a value that goes to a ghost or to a foreign copy. */
static void list_value(exchange_lists *lists, int panel, int j, int i, bool is_foreign,
                       ptrdiff_t to)
{
    const swe_decomposition *d = lists->d;
    const long long side = d->layout.n + 1;
    const int k = block_with(d, panel, j, i);
    if (swe_decomposition_owns(d, k))
        d->exchanged[lists->exchanged++] = (swe_exchanged){swe_decomposition_at(d, k, j, i), to};
    else
        lists->value[lists->received++] = (received_value){swe_decomposition_rank(d, k), is_foreign,
                                                           (panel * side + j) * side + i, to};
}

static void list_ghosts(exchange_lists *lists)
{
    const swe_decomposition *d = lists->d;
    for (int k = d->own.first; k < d->own.last; k++) {
        const swe_block *b = &d->block[k];
        FOR_STORED(d, k, j, i, {
            if (!is_in(b->j, j) || !is_in(b->i, i))
                list_value(lists, b->panel, j, i, false, swe_decomposition_at(d, k, j, i));
        });
    }
}

/* List a shared point for block k, which has its copy `here`. */
static void list_point(exchange_lists *lists, const topology_copies *copies, int here, int k,
                       swe_shared_point **shared, ptrdiff_t *foreign)
{
    const swe_block *b = &lists->d->block[k];
    const int j = copies->j[here], i = copies->i[here];
    swe_shared_point *point = (*shared)++;
    *point = (swe_shared_point){*copies, here, k, !is_in(b->j, j) || !is_in(b->i, i)};
    for (int m = 0; m < copies->count; m++) {
        point->copies.at[m] = m == here ? swe_decomposition_at(lists->d, k, j, i) : (*foreign)++;
        if (m != here)
            list_value(lists, copies->panel[m], copies->j[m], copies->i[m], true,
                       point->copies.at[m]);
    }
}

/* List the shared points of the own blocks, point by point of the sphere. A block whose ghosts have
 * a copy is a neighbour of its owner. */
static void list_shared(exchange_lists *lists, const swe_topology *topology)
{
    swe_decomposition *d = lists->d;
    const int n = d->layout.n, parts_j = d->cut.parts_j, parts_i = d->cut.parts_i;
    const swe_layout whole = swe_layout_of(n);
    swe_shared_point *shared = d->shared;
    ptrdiff_t foreign = (d->own.last - d->own.first) * d->layout.panel;
    for (int point = 0; point < topology_shared_points(n); point++) {
        const topology_copies copies = topology_shared_point(topology, &whole, point);
        if (point == SWE_EDGES * (n - 1))
            d->shared_on_edges = (int)(shared - d->shared);
        for (int here = 0; here < copies.count; here++) {
            const int panel = copies.panel[here], j = copies.j[here], i = copies.i[here];
            const int along = part_with(n, 1, parts_j, j),
                      across = part_with(n, d->unit_i, parts_i, i);
            for (int part_j = along - 1; part_j <= along + 1; part_j++)
                for (int part_i = across - 1; part_i <= across + 1; part_i++) {
                    const int k = (panel * parts_j + part_j) * parts_i + part_i;
                    if (part_j >= 0 && part_j < parts_j && part_i >= 0 && part_i < parts_i &&
                        swe_decomposition_owns(d, k) && is_in(d->ghosts_j[k], j) &&
                        is_in(d->ghosts_i[k], i))
                        list_point(lists, &copies, here, k, &shared, &foreign);
                }
        }
    }
}

/* ---- messages between ranks ------------------------------------------------------------------ */

/* By rank; of a rank ghosts first, each kind in the order of the lists. */
static int compare_received(const void *a, const void *b)
{
    const received_value *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->is_foreign != y->is_foreign)
        return x->is_foreign ? 1 : -1;
    return (x->to > y->to) - (x->to < y->to);
}

static swe_status allocate_values(swe_context *ctx, swe_values *values)
{
    if (values->count == 0)
        return SWE_OK;
    const size_t count = (size_t)values->count;
    if (count * SWE_MOST_EXCHANGED * sizeof(double) > INT_MAX)
        return swe_fail(ctx, SWE_CONFIG, "a message between two ranks has more than %d bytes",
                        INT_MAX);
    values->at = calloc(count, sizeof *values->at);
    values->buffer = calloc(count * SWE_MOST_EXCHANGED, sizeof(double));
    return values->at != NULL && values->buffer != NULL
               ? SWE_OK
               : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for messages between ranks");
}

/* The counts of values that each rank receives from this one are those that it wants. */
static swe_status list_neighbours(swe_context *ctx, swe_decomposition *d, const int *ghosts,
                                  const int *counts, const int *sent_ghosts, const int *sent_counts)
{
    const int ranks = ranks_of(&d->cut);
    d->neighbour = calloc((size_t)ranks, sizeof *d->neighbour);
    if (d->neighbour == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the neighbours of a rank");
    for (int rank = 0; rank < ranks; rank++) {
        if (counts[rank] == 0 && sent_counts[rank] == 0)
            continue;
        swe_neighbour *of = &d->neighbour[d->neighbour_count++];
        of->rank = rank;
        of->received = (swe_values){.ghost_count = ghosts[rank], .count = counts[rank]};
        of->sent = (swe_values){.ghost_count = sent_ghosts[rank], .count = sent_counts[rank]};
        SWE_TRY(allocate_values(ctx, &of->received));
        SWE_TRY(allocate_values(ctx, &of->sent));
    }
    d->messages = calloc(2 * (size_t)d->neighbour_count + 1, sizeof *d->messages);
    if (d->messages == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for messages between ranks");
    return swe_ranks_reserve(ctx, 2 * d->neighbour_count);
}

/* Place what this rank receives; the buffers hold the numbers of the vertices. */
static void place_received(swe_decomposition *d, const received_value *value)
{
    for (int m = 0; m < d->neighbour_count; m++) {
        const swe_values *received = &d->neighbour[m].received;
        long long *wanted = received->buffer;
        for (int k = 0; k < received->count; k++, value++) {
            received->at[k] = value->to;
            wanted[k] = value->vertex;
        }
    }
}

/* Tell each neighbour which vertices this rank receives from it, and learn which it sends. */
static void connect(swe_decomposition *d)
{
    const long long side = d->layout.n + 1;
    swe_message *receive = d->messages, *send = d->messages + d->neighbour_count;
    for (int m = 0; m < d->neighbour_count; m++) {
        const swe_neighbour *of = &d->neighbour[m];
        send[m] = (swe_message){of->rank, of->received.buffer,
                                (size_t)of->received.count * sizeof(long long)};
        receive[m] =
            (swe_message){of->rank, of->sent.buffer, (size_t)of->sent.count * sizeof(long long)};
    }
    swe_ranks_exchange_start(d->neighbour_count, receive, d->neighbour_count, send);
    swe_ranks_exchange_wait();
    for (int m = 0; m < d->neighbour_count; m++) {
        const swe_values *sent = &d->neighbour[m].sent;
        const long long *wanted = sent->buffer;
        for (int k = 0; k < sent->count; k++) {
            const int panel = (int)(wanted[k] / (side * side)), j = (int)(wanted[k] / side % side),
                      i = (int)(wanted[k] % side);
            sent->at[k] = swe_decomposition_at(d, block_with(d, panel, j, i), j, i);
        }
    }
}

/* List what this rank receives of each neighbour and, if it connects to them, what it sends. */
static swe_status list_messages(swe_context *ctx, const exchange_lists *lists, bool connects)
{
    swe_decomposition *d = lists->d;
    received_value *value = lists->value;
    const int count = lists->received;
    const size_t ranks = (size_t)ranks_of(&d->cut);
    int *numbers = lists->numbers;
    int *ghosts = numbers, *counts = numbers + ranks, *sent_ghosts = counts + ranks,
        *sent_counts = sent_ghosts + ranks;
    qsort(value, (size_t)count, sizeof *value, compare_received);
    for (int k = 0; k < count; k++) {
        counts[value[k].rank]++;
        ghosts[value[k].rank] += !value[k].is_foreign;
    }
    if (connects) {
        swe_ranks_swap(ghosts, sent_ghosts);
        swe_ranks_swap(counts, sent_counts);
    }
    const swe_status status = list_neighbours(ctx, d, ghosts, counts, sent_ghosts, sent_counts);
    if (status == SWE_OK)
        place_received(d, value);
    return status;
}

static swe_status allocate(swe_context *ctx, swe_decomposition *d)
{
    d->block = calloc((size_t)d->count, sizeof *d->block);
    d->ghosts_j = calloc((size_t)d->count, sizeof *d->ghosts_j);
    d->ghosts_i = calloc((size_t)d->count, sizeof *d->ghosts_i);
    d->part = calloc((size_t)d->count / SWE_PANELS, sizeof *d->part);
    return d->block != NULL && d->ghosts_j != NULL && d->ghosts_i != NULL && d->part != NULL
               ? SWE_OK
               : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the blocks");
}

static swe_status list_exchanges(swe_context *ctx, swe_decomposition *d, exchange_lists *lists)
{
    swe_topology topology;
    swe_topology_create(&topology);
    const size_t values = (size_t)d->exchanged_count + 1, points = (size_t)d->shared_count + 1;
    d->exchanged = calloc(values, sizeof *d->exchanged); /* at least one: a list may be empty */
    d->shared = calloc(points, sizeof *d->shared);
    lists->value = calloc(values, sizeof *lists->value);
    lists->numbers = calloc((size_t)ranks_of(&d->cut), 4 * sizeof *lists->numbers);
    if (d->exchanged == NULL || d->shared == NULL || lists->value == NULL || lists->numbers == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the plan of the exchanges");
    list_ghosts(lists);
    d->ghost_count = lists->exchanged;
    list_shared(lists, &topology);
    d->exchanged_count = lists->exchanged;
    d->received_count = lists->received;
    return SWE_OK;
}

/* A caller wants sizes, the lists of a rank, or to exchange. A rank that fails to connect must not
 * leave the others waiting. */
typedef enum wanted_lists { NO_LISTS, LISTS_ALONE, CONNECTED_LISTS } wanted_lists;

static swe_status agree(swe_context *ctx, const swe_decomposition *d, wanted_lists wanted,
                        swe_status status)
{
    return wanted == CONNECTED_LISTS && ranks_of(&d->cut) > 1 ? swe_ranks_agree(ctx, status)
                                                              : status;
}

static swe_status plan(swe_context *ctx, wanted_lists wanted, swe_decomposition *d)
{
    const bool connects = wanted == CONNECTED_LISTS;
    exchange_lists lists = {.d = d};
    swe_status status = agree(ctx, d, wanted, list_exchanges(ctx, d, &lists));
    if (status == SWE_OK && ranks_of(&d->cut) > 1) {
        status = agree(ctx, d, wanted, list_messages(ctx, &lists, connects));
        if (status == SWE_OK && connects)
            connect(d);
    }
    free(lists.value);
    free(lists.numbers);
    return status;
}

static swe_status create(swe_context *ctx, wanted_lists wanted, swe_decomposition *d)
{
    swe_status status = allocate(ctx, d);
    if (status == SWE_OK) {
        cut_panels(d);
        place_blocks(d, d->cut.n);
        status = count_exchanged(ctx, d);
    }
    SWE_TRY(agree(ctx, d, wanted, status));
    return wanted != NO_LISTS ? plan(ctx, wanted, d) : SWE_OK;
}

static swe_status create_as(swe_context *ctx, const swe_cut *cut, wanted_lists wanted,
                            swe_decomposition **out)
{
    *out = NULL;
    const int count = SWE_PANELS * cut->parts_j * cut->parts_i;
    if (swe_decomposition_misfit(ctx, cut) != 0)
        return SWE_CONFIG;
    if (count < cut->ranks)
        return swe_fail(ctx, SWE_CONFIG,
                        "parallel.blocks_1 and blocks_2: %d blocks are too few for %d ranks", count,
                        cut->ranks);
    swe_decomposition *d = calloc(1, sizeof *d);
    if (d == NULL) {
        const swe_status none = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the blocks");
        return wanted == CONNECTED_LISTS ? swe_ranks_agree(ctx, none) : none;
    }
    d->cut = *cut;
    d->count = count;
    const swe_status status = create(ctx, wanted, d);
    if (status != SWE_OK)
        swe_decomposition_destroy(&d);
    *out = d;
    return status;
}

swe_status swe_decomposition_measure(swe_context *ctx, const swe_cut *cut, swe_decomposition **out)
{
    return create_as(ctx, cut, NO_LISTS, out);
}

swe_status swe_decomposition_list(swe_context *ctx, const swe_cut *cut, swe_decomposition **out)
{
    return create_as(ctx, cut, LISTS_ALONE, out);
}

swe_status swe_decomposition_create(swe_context *ctx, const swe_cut *cut, swe_decomposition **out)
{
    return create_as(ctx, cut, CONNECTED_LISTS, out);
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
    free(d->ghosts_j);
    free(d->ghosts_i);
    free(d->exchanged);
    free(d->shared);
    free(d);
    *decomposition = NULL;
}
