/* CUDA IPC: ranks of a machine copy their messages into each other's device memory. */
#include <stdlib.h>

#include "state/stepper_internal.h"

/* Offer of a rank to a neighbour: the rank's receive buffers, and where the messages of the
 * neighbour begin in them. */
typedef struct offer {
    swe_memory_name values[2];
    int ghosts_before, count_before;
} offer;

static swe_status allocate_peers(swe_context *ctx, swe_stepper *s)
{
    swe_exchange_room *room = &s->room;
    const size_t neighbours = (size_t)s->decomposition->neighbour_count,
                 most = (size_t)room->received_count * SWE_MOST_EXCHANGED + 1;
    room->turn = &s->turn;
    room->peers = calloc(neighbours + 1, sizeof *room->peers);
    room->peer_ranks = calloc(neighbours + 1, sizeof *room->peer_ranks);
    if (room->peers == NULL || room->peer_ranks == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %zu neighbours", neighbours);
    return neighbours == 0 || room->second_values != NULL
               ? SWE_OK
               : stepper_allocate(ctx, s, false, most, sizeof(real), PROF_HERE("messages"),
                                  &room->second_values);
}

/* The offers to all neighbours. */
static swe_status make_offers(swe_context *ctx, swe_stepper *s, offer *out)
{
    const swe_decomposition *d = s->decomposition;
    void *const values[] = {s->room.received_values, s->room.second_values};
    offer next = {.ghosts_before = 0};
    for (int k = 0; k < 2 && d->neighbour_count > 0; k++)
        SWE_TRY(s->backend->name_memory(ctx, s->device, values[k], &next.values[k]));
    for (int m = 0; m < d->neighbour_count; m++) {
        out[m] = next;
        next.ghosts_before += d->neighbour[m].received.ghost_count;
        next.count_before += d->neighbour[m].received.count;
    }
    return SWE_OK;
}

/* Send offer number m of `sent` to neighbour m, and receive its own. */
static void exchange_offers(const swe_decomposition *d, offer *sent, offer *received)
{
    const int neighbours = d->neighbour_count;
    for (int m = 0; m < neighbours; m++) {
        const int rank = d->neighbour[m].rank;
        d->messages[m] = (swe_message){rank, &received[m], sizeof *received};
        d->messages[neighbours + m] = (swe_message){rank, &sent[m], sizeof *sent};
    }
    swe_ranks_exchange_start(neighbours, d->messages, neighbours, d->messages + neighbours);
    swe_ranks_exchange_wait();
}

static swe_status accept_offers(swe_context *ctx, swe_stepper *s, const offer *offers)
{
    for (int m = 0; s->room.peers != NULL && m < s->decomposition->neighbour_count; m++) {
        swe_peer *peer = &s->room.peers[m];
        s->room.peer_ranks[m] = s->decomposition->neighbour[m].rank;
        peer->ghosts_before = offers[m].ghosts_before;
        peer->count_before = offers[m].count_before;
        for (int k = 0; k < 2; k++)
            SWE_TRY(
                s->backend->open_memory(ctx, s->device, &offers[m].values[k], &peer->values[k]));
    }
    return SWE_OK;
}

static swe_status connect(swe_context *ctx, swe_stepper *s, offer *sent, offer *received)
{
    SWE_TRY(swe_ranks_agree(ctx, allocate_peers(ctx, s)));
    SWE_TRY(swe_ranks_agree(ctx, make_offers(ctx, s, sent)));
    exchange_offers(s->decomposition, sent, received);
    return swe_ranks_agree(ctx, accept_offers(ctx, s, received));
}

swe_status stepper_peers_connect(swe_context *ctx, swe_stepper *s)
{
    const size_t neighbours = (size_t)s->decomposition->neighbour_count;
    const bool is_far = swe_ranks_on_machine() < swe_ranks_count();
    SWE_TRY(swe_ranks_agree(
        ctx, !is_far
                 ? SWE_OK
                 : swe_fail(ctx, SWE_UNAVAILABLE, "CUDA IPC: the ranks are on several machines")));
    offer *offers = calloc(2 * neighbours + 1, sizeof *offers);
    swe_status status = swe_ranks_agree(
        ctx, offers != NULL
                 ? SWE_OK
                 : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %zu neighbours", neighbours));
    if (status == SWE_OK && offers != NULL)
        status = connect(ctx, s, offers, offers + neighbours);
    free(offers);
    if (status != SWE_OK)
        stepper_peers_disconnect(s);
    return status;
}

void stepper_peers_disconnect(swe_stepper *s)
{
    swe_exchange_room *room = &s->room;
    const bool is_connected = room->turn != NULL;
    for (int m = 0; room->peers != NULL && m < s->decomposition->neighbour_count; m++)
        for (int k = 0; k < 2; k++)
            if (room->peers[m].values[k] != NULL)
                s->backend->close_memory(s->device, room->peers[m].values[k]);
    free(room->peers);
    free(room->peer_ranks);
    room->peers = NULL;
    room->peer_ranks = NULL;
    room->turn = NULL;
    if (is_connected) /* all ranks unmap the memory before its owner releases it */
        swe_ranks_max(0);
}
