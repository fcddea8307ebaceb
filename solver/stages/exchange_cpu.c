#include "stages/exchange_cpu.h"

#include <string.h>

#include "ranks/ranks.h"
#include "stages/threads_cpu.h"

/* Which values an exchange copies: ghosts and foreign copies, or those alone. */
typedef enum exchange_kind { EXCHANGE_ALL, EXCHANGE_FOREIGN_COPIES } exchange_kind;

static rows_range range_of(exchange_kind kind, int ghosts, int count)
{
    const rows_range range = {kind == EXCHANGE_ALL ? 0 : ghosts, count};
    return range;
}

static rows_range range_of_values(exchange_kind kind, const swe_values *values)
{
    return range_of(kind, values->ghost_count, values->count);
}

/* ---- within this rank ------------------------------------------------------------------------ */

static void copy_values(const swe_params *params, exchange_kind kind, int count,
                        real *const fields[])
{
    const swe_decomposition *d = params->decomposition;
    const rows_range share =
        threads_share_of(range_of(kind, d->ghost_count, d->exchanged_count));
    for (int field = 0; field < count; field++)
        for (int k = share.first; k < share.last; k++)
            fields[field][d->exchanged[k].to] = fields[field][d->exchanged[k].from];
}

/* ---- between ranks: a message has field after field ------------------------------------------ */

static size_t bytes_of(rows_range range, int count)
{
    return (size_t)(range.last - range.first) * (size_t)count * sizeof(real);
}

static void pack(const swe_decomposition *d, exchange_kind kind, int count, real *const fields[])
{
    for (int m = 0; m < d->neighbour_count; m++) {
        const swe_values *sent = &d->neighbour[m].sent;
        const rows_range range = range_of_values(kind, sent), share = threads_share_of(range);
        const int length = range.last - range.first;
        real *buffer = (real *)sent->buffer;
        for (int field = 0; field < count; field++)
            for (int k = share.first; k < share.last; k++)
                buffer[field * length + k - range.first] = fields[field][sent->at[k]];
    }
}

static void unpack(const swe_decomposition *d, exchange_kind kind, int count,
                   real *const fields[])
{
    for (int m = 0; m < d->neighbour_count; m++) {
        const swe_values *received = &d->neighbour[m].received;
        const rows_range range = range_of_values(kind, received), share = threads_share_of(range);
        const int length = range.last - range.first;
        const real *buffer = (const real *)received->buffer;
        for (int field = 0; field < count; field++)
            for (int k = share.first; k < share.last; k++)
                fields[field][received->at[k]] = buffer[field * length + k - range.first];
    }
}

static int list_messages(const swe_decomposition *d, exchange_kind kind, int count, bool is_sent,
                         swe_message *out)
{
    int messages = 0;
    for (int m = 0; m < d->neighbour_count; m++) {
        const swe_neighbour *of = &d->neighbour[m];
        const swe_values *values = is_sent ? &of->sent : &of->received;
        const swe_message message = {of->rank, values->buffer,
                                     bytes_of(range_of_values(kind, values), count)};
        if (message.bytes > 0)
            out[messages++] = message;
    }
    return messages;
}

static void start_messages(const swe_decomposition *d, exchange_kind kind, int count)
{
    swe_message *receive = d->messages, *send = d->messages + d->neighbour_count;
    const int received = list_messages(d, kind, count, false, receive),
              sent = list_messages(d, kind, count, true, send);
    swe_ranks_exchange_start(received, receive, sent, send);
}

/* ---- the exchange ---------------------------------------------------------------------------- */

/* Thread 0 has the messages. While they are under way all threads copy what stays in this rank. */
static void exchange(const swe_execution *execution, const swe_params *params, exchange_kind kind,
                     int count, real *const fields[])
{
    const swe_decomposition *d = params->decomposition;
    const bool has_messages = d->neighbour_count > 0, is_first = omp_get_thread_num() == 0;
    if (has_messages) {
        thread_begin(execution);
        pack(d, kind, count, fields);
        thread_end(execution);
        threads_wait(execution);
        if (is_first)
            start_messages(d, kind, count);
    }
    thread_begin(execution);
    copy_values(params, kind, count, fields);
    thread_end(execution);
    if (has_messages) {
        if (is_first)
            swe_ranks_exchange_wait();
        threads_wait(execution);
        thread_begin(execution);
        unpack(d, kind, count, fields);
        thread_end(execution);
    }
    threads_wait(execution);
}

void swe_exchange_cpu(const swe_execution *execution, const swe_params *params, int count,
                      real *const fields[])
{
    threads_wait(execution);
    if (params->decomposition != NULL)
        exchange(execution, params, EXCHANGE_ALL, count, fields);
}

void swe_exchange_foreign_cpu(const swe_execution *execution, const swe_params *params, int count,
                              real *const fields[])
{
    threads_wait(execution);
    if (params->decomposition != NULL)
        exchange(execution, params, EXCHANGE_FOREIGN_COPIES, count, fields);
}
