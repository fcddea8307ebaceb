/* The lists of a decomposition: the values that its blocks read of each other, and the messages.
 */
#include <limits.h>
#include <stdlib.h>

#include "ranks/ranks.h"
#include "stages/decomposition_internal.h"

static int ends_in(int n, swe_range range)
{
    return (range.first == 0) + (range.last > n);
}

swe_status decomposition_size_lists(swe_context *ctx, swe_decomposition *d)
{
    const int n = d->layout.n;
    ptrdiff_t ghosts = 0, points = 0, foreign = 0;
    for (int k = d->own.first; k < d->own.last; k++) {
        const swe_range j = d->stored_j[k], i = d->stored_i[k];
        const int rows = ends_in(n, j), columns = ends_in(n, i), corners = rows * columns;
        const int shared = rows * range_length(i) + columns * range_length(j) - corners;
        ghosts += (ptrdiff_t)range_length(j) * range_length(i) -
                  (ptrdiff_t)range_length(d->block[k].j) * range_length(d->block[k].i);
        points += shared;
        foreign += shared + corners; /* a cube vertex has two foreign copies */
    }
    if (ghosts + foreign > INT_MAX)
        return swe_fail(ctx, SWE_CONFIG,
                        "parallel.blocks_1 and blocks_2: %d blocks have more than "
                        "%d ghosts",
                        d->count, INT_MAX);
    d->shared_count = (int)points;
    d->exchanged_count = (int)(ghosts + foreign); /* lists subtract the values of other ranks */
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
    const int k = decomposition_block_with(d, panel, j, i);
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
            if (!range_has(b->j, j) || !range_has(b->i, i))
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
    *point = (swe_shared_point){*copies, here, k, !range_has(b->j, j) || !range_has(b->i, i)};
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
    const int n = d->layout.n, blocks_2 = d->cut.blocks_2, blocks_1 = d->cut.blocks_1;
    const swe_layout whole = swe_layout_of(n);
    swe_shared_point *shared = d->shared;
    ptrdiff_t foreign = (d->own.last - d->own.first) * d->layout.panel;
    for (int point = 0; point < topology_shared_points(n); point++) {
        const topology_copies copies = topology_shared_point(topology, &whole, point);
        if (point == SWE_EDGES * (n - 1))
            d->shared_on_edges = (int)(shared - d->shared);
        for (int here = 0; here < copies.count; here++) {
            const int panel = copies.panel[here], j = copies.j[here], i = copies.i[here];
            const int along = decomposition_part_with(n, 1, blocks_2, j),
                      across = decomposition_part_with(n, d->unit_i, blocks_1, i);
            for (int part_j = along - 1; part_j <= along + 1; part_j++)
                for (int part_i = across - 1; part_i <= across + 1; part_i++) {
                    const int k = (panel * blocks_2 + part_j) * blocks_1 + part_i;
                    if (part_j >= 0 && part_j < blocks_2 && part_i >= 0 && part_i < blocks_1 &&
                        swe_decomposition_owns(d, k) && range_has(d->stored_j[k], j) &&
                        range_has(d->stored_i[k], i))
                        list_point(lists, &copies, here, k, &shared, &foreign);
                }
        }
    }
}

/* ---- messages between ranks ------------------------------------------------------------------ */

/* Order by rank; for a rank ghosts come first; each kind is in the order of the lists. */
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

/* Each rank receives from this rank the counts of values that it requests. */
static swe_status list_neighbours(swe_context *ctx, swe_decomposition *d, const int *ghosts,
                                  const int *counts, const int *sent_ghosts, const int *sent_counts)
{
    const int ranks = decomposition_ranks(&d->cut);
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

/* Send each neighbour the numbers of the vertices that this rank receives from it; receive the
 * numbers of the vertices that this rank sends. */
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
            sent->at[k] = swe_decomposition_at(d, decomposition_block_with(d, panel, j, i), j, i);
        }
    }
}

/* List what this rank receives of each neighbour and, if it connects to them, what it sends. */
static swe_status list_messages(swe_context *ctx, const exchange_lists *lists, bool connects)
{
    swe_decomposition *d = lists->d;
    received_value *value = lists->value;
    const int count = lists->received;
    const size_t ranks = (size_t)decomposition_ranks(&d->cut);
    int *numbers = lists->numbers;
    int *ghosts = numbers, *counts = numbers + ranks, *sent_ghosts = counts + ranks,
        *sent_counts = sent_ghosts + ranks;
    qsort(value, (size_t)count, sizeof *value, compare_received);
    for (int k = 0; k < count; k++) {
        counts[value[k].rank]++;
        ghosts[value[k].rank] += !value[k].is_foreign;
    }
    if (connects) {
        swe_ranks_all_to_all(ghosts, sent_ghosts);
        swe_ranks_all_to_all(counts, sent_counts);
    }
    const swe_status status = list_neighbours(ctx, d, ghosts, counts, sent_ghosts, sent_counts);
    if (status == SWE_OK)
        place_received(d, value);
    return status;
}

static swe_status list_exchanges(swe_context *ctx, swe_decomposition *d, exchange_lists *lists)
{
    swe_topology topology;
    swe_topology_create(&topology);
    const size_t values = (size_t)d->exchanged_count + 1, points = (size_t)d->shared_count + 1;
    d->exchanged = calloc(values, sizeof *d->exchanged); /* at least one: a list may be empty */
    d->shared = calloc(points, sizeof *d->shared);
    lists->value = calloc(values, sizeof *lists->value);
    lists->numbers = calloc((size_t)decomposition_ranks(&d->cut), 4 * sizeof *lists->numbers);
    if (d->exchanged == NULL || d->shared == NULL || lists->value == NULL || lists->numbers == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the plan of the exchanges");
    list_ghosts(lists);
    d->ghost_count = lists->exchanged;
    list_shared(lists, &topology);
    d->exchanged_count = lists->exchanged;
    d->received_count = lists->received;
    return SWE_OK;
}

swe_status decomposition_list(swe_context *ctx, decomposition_wanted wanted, swe_decomposition *d)
{
    const bool connects = wanted == DECOMPOSITION_CONNECTED;
    exchange_lists lists = {.d = d};
    swe_status status = decomposition_agree(ctx, d, wanted, list_exchanges(ctx, d, &lists));
    if (status == SWE_OK && decomposition_ranks(&d->cut) > 1) {
        status = decomposition_agree(ctx, d, wanted, list_messages(ctx, &lists, connects));
        if (status == SWE_OK && connects)
            connect(d);
    }
    free(lists.value);
    free(lists.numbers);
    return status;
}
