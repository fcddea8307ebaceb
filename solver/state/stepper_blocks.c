/* The blocks of a stepper, and the data of blocks that kernels and exchanges on a device read. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ranks/nccl.h"
#include "state/stepper_internal.h"

swe_status stepper_blocks_create(swe_context *ctx, const swe_stepper_options *options,
                                 swe_stepper *s)
{
    swe_cut cut = {.n = options->grid->layout.n,
                   .closure = options->closure,
                   .order = options->order,
                   .blocks_1 = options->blocks_1,
                   .blocks_2 = options->blocks_2,
                   .line = SWE_CACHE_LINE / (int)sizeof(real),
                   .rank = swe_ranks_rank(),
                   .ranks = swe_ranks_count()};
    const bool has_blocks = cut.blocks_1 > 1 || cut.blocks_2 > 1;
    if (!has_blocks && cut.ranks == 1)
        return SWE_OK;
    SWE_TRY(swe_decomposition_choose(ctx, &cut));
    return swe_decomposition_create(ctx, &cut, &s->decomposition);
}

/* ---- lists in device memory ------------------------------------------------------------------ */

/* Copy a list of `count` items of `size` bytes; an empty one has room for one. */
static swe_status place_list(swe_context *ctx, swe_stepper *s, const void *list, size_t count,
                             size_t size, prof_place place, void *out)
{
    void *memory = NULL;
    SWE_TRY(stepper_allocate(ctx, s, false, count > 0 ? count : 1, size, place, &memory));
    memcpy(out, &memory, sizeof memory);
    return count > 0 ? s->backend->upload(ctx, s->device, list, memory, count * size) : SWE_OK;
}

/* The values of all messages that are sent, or received. */
static void list_values(const swe_decomposition *d, bool is_sent, swe_message_value *out)
{
    int ghosts = 0;
    for (int m = 0; m < d->neighbour_count; m++) {
        const swe_neighbour *of = &d->neighbour[m];
        const swe_values *values = is_sent ? &of->sent : &of->received;
        for (int k = 0; k < values->count; k++) {
            const bool is_ghost = k < values->ghost_count;
            *out++ = (swe_message_value){values->at[k], ghosts, is_ghost};
            ghosts += is_ghost;
        }
    }
}

/* The list of values sent or received, and room for their messages on the device and the host. */
static swe_status place_messages(swe_context *ctx, swe_stepper *s, bool is_sent, int *count,
                                 const swe_message_value **list, void **values, void **host)
{
    const swe_decomposition *d = s->decomposition;
    *count = 0;
    for (int m = 0; m < d->neighbour_count; m++)
        *count += is_sent ? d->neighbour[m].sent.count : d->neighbour[m].received.count;
    const size_t values_count = (size_t)*count, most = values_count * SWE_MOST_EXCHANGED;
    swe_message_value *of_host = calloc(values_count + 1, sizeof *of_host);
    if (of_host == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for messages between ranks");
    list_values(d, is_sent, of_host);
    const swe_status status = place_list(ctx, s, of_host, values_count, sizeof *of_host,
                                         PROF_HERE("values of messages"), list);
    free(of_host);
    SWE_TRY(status);
    SWE_TRY(stepper_allocate(ctx, s, false, most + 1, sizeof(real), PROF_HERE("messages"), values));
    return s->backend->allocate_host(ctx, s->device, (most + 1) * sizeof(real), host);
}

swe_status stepper_blocks_place(swe_context *ctx, swe_stepper *s, size_t bytes_of_rows)
{
    const swe_decomposition *d = s->decomposition;
    swe_exchange_room *room = &s->room;
    if (d == NULL || !s->backend->has_own_memory)
        return SWE_OK;
    s->execution.room = room;
    s->params.first_block = d->own.first;
    s->params.shared_count = d->shared_count;
    SWE_TRY(place_list(ctx, s, d->block, (size_t)d->count, sizeof *d->block, PROF_HERE("blocks"),
                       &s->params.blocks));
    SWE_TRY(place_list(ctx, s, d->shared, (size_t)d->shared_count, sizeof *d->shared,
                       PROF_HERE("shared points"), &s->params.shared));
    SWE_TRY(place_list(ctx, s, d->exchanged, (size_t)d->exchanged_count, sizeof *d->exchanged,
                       PROF_HERE("exchanged values"), &room->exchanged));
    if (d->neighbour_count == 0)
        return SWE_OK;
    SWE_TRY(s->backend->allocate_host(ctx, s->device, bytes_of_rows + 1, &room->host_rows));
    SWE_TRY(place_messages(ctx, s, true, &room->sent_count, &room->sent, &room->sent_values,
                           &room->host_sent));
    return place_messages(ctx, s, false, &room->received_count, &room->received,
                          &room->received_values, &room->host_received);
}

/* ---- what carries messages ------------------------------------------------------------------- */

static void exchange_h(void *argument)
{
    const swe_stepper *s = argument;
    s->stages->exchange(&s->execution, &s->params, s->fields.y.h);
}

/* Time of some exchanges, the longest of all ranks [us]. The first ones are slow. */
static swe_status time_exchanges(swe_context *ctx, swe_stepper *s, swe_transport transport,
                                 int *microseconds)
{
    enum { WARM_UP = 3, TIMED = 20 };
    swe_status status = SWE_OK;
    double start = 0.0;
    s->room.transport = transport;
    for (int k = 0; k < WARM_UP + TIMED; k++) {
        s->backend->share(&s->execution, exchange_h, s);
        const swe_status waited = s->backend->synchronize(ctx, s->device);
        status = status != SWE_OK ? status : waited;
        if (k == WARM_UP - 1)
            start = swe_clock_seconds();
    }
    *microseconds = swe_ranks_max((int)(1e6 * (swe_clock_seconds() - start)));
    return swe_ranks_agree(ctx, status);
}

static swe_status connect_nccl(swe_context *ctx, swe_stepper *s)
{
    (void)s;
    return swe_nccl_connect(ctx);
}

static const struct {
    const char *name;
    swe_status (*connect)(swe_context *ctx, swe_stepper *s); /* on all ranks; NULL: not needed */
} transports[SWE_TRANSPORTS] = {[SWE_TRANSPORT_MPI] = {"mpi", NULL},
                                [SWE_TRANSPORT_NCCL] = {"nccl", connect_nccl},
                                [SWE_TRANSPORT_IPC] = {"ipc", stepper_peers_connect}};

static swe_status connect(swe_context *ctx, swe_stepper *s, int transport)
{
    return transports[transport].connect != NULL ? transports[transport].connect(ctx, s) : SWE_OK;
}

/* Take the fastest of those that work. */
static swe_status choose_transport(swe_context *ctx, swe_stepper *s)
{
    int least = INT_MAX, fastest = SWE_TRANSPORT_MPI;
    for (int k = SWE_TRANSPORT_MPI; k < SWE_TRANSPORTS; k++) {
        swe_context why_not = {""};
        int microseconds = 0;
        if (connect(&why_not, s, k) != SWE_OK)
            continue;
        SWE_TRY(time_exchanges(ctx, s, (swe_transport)k, &microseconds));
        if (microseconds < least) {
            least = microseconds;
            fastest = k;
        }
    }
    s->room.transport = (swe_transport)fastest;
    return SWE_OK;
}

/* Whether exchanges have messages of other ranks. */
static bool has_messages(const swe_stepper *s)
{
    return s->decomposition != NULL && s->decomposition->cut.ranks > 1;
}

swe_status stepper_blocks_connect(swe_context *ctx, swe_stepper *s, swe_transport transport)
{
    s->room.transport = SWE_TRANSPORT_MPI;
    if (s->execution.room == NULL || !has_messages(s))
        return SWE_OK;
    if (transport == SWE_TRANSPORT_AUTO)
        return choose_transport(ctx, s);
    s->room.transport = transport;
    return connect(ctx, s, (int)transport);
}

const char *stepper_blocks_transport(const swe_stepper *s)
{
    return s->execution.room != NULL && has_messages(s) ? transports[s->room.transport].name : NULL;
}

bool stepper_blocks_waits(const swe_stepper *s)
{
    return has_messages(s) && s->room.transport != SWE_TRANSPORT_NCCL;
}

void stepper_blocks_destroy(swe_stepper *s)
{
    void *const host[] = {s->room.host_sent, s->room.host_received, s->room.host_rows};
    for (size_t k = 0; k < sizeof host / sizeof *host; k++)
        if (host[k] != NULL)
            s->backend->release_host(s->device, host[k]);
    swe_decomposition_destroy(&s->decomposition);
}

/* ---- integrals of rows ----------------------------------------------------------------------- */

void stepper_blocks_gather_integrals(const swe_stepper *s, double *rows)
{
    const swe_decomposition *d = s->decomposition;
    const int fields = s->prognostic->count;
    if (!has_messages(s))
        return;
    const int n = d->layout.n, side = n + 1;
    for (int k = 0; k < d->count; k++) {
        const swe_block *b = &d->block[k];
        const bool is_root = d->cut.rank == 0;
        if (b->i.last != side || swe_decomposition_owns(d, k) == is_root)
            continue;
        for (int field = SWE_FLOW_FIELDS - 1; field < fields; field++) {
            const bool is_flow = field < SWE_FLOW_FIELDS;
            const int values = is_flow ? INTEGRALS_VALUES : INTEGRALS_FIELD_VALUES;
            double *first = rows + (is_flow ? 0 : integrals_of_field(n, field)) +
                            ((ptrdiff_t)b->panel * side + b->j.first) * values;
            const size_t bytes = (size_t)(b->j.last - b->j.first) * (size_t)values * sizeof *first;
            if (is_root)
                swe_ranks_receive(swe_decomposition_rank(d, k), first, bytes);
            else
                swe_ranks_send(0, first, bytes);
        }
    }
}
