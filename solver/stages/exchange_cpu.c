#include "stages/exchange.h"

#include "ranks/ranks.h"
#include "stages/threads_cpu.h"

/* The range of a field's values that an exchange copies, in a list of ghosts and then foreign
 * copies. */
static rows_range values_of(int what, int ghosts, int count)
{
    const rows_range range = {what & SWE_GHOSTS ? 0 : ghosts, what & SWE_FOREIGN ? count : ghosts};
    return range;
}

static rows_range values_in_message(int what, const swe_values *values)
{
    return values_of(what, values->ghost_count, values->count);
}

/* ---- within this rank ------------------------------------------------------------------------ */

static void copy_values(const swe_params *params, int count, const swe_exchanged_field fields[])
{
    const swe_decomposition *d = params->decomposition;
    for (int m = 0; m < count; m++) {
        real *field = fields[m].values;
        const rows_range share =
            threads_share_of(values_of(fields[m].what, d->ghost_count, d->exchanged_count));
        for (int k = share.first; k < share.last; k++)
            field[d->exchanged[k].to] = field[d->exchanged[k].from];
    }
}

/* ---- between ranks: a message has field after field ------------------------------------------ */

static void pack(const swe_values *sent, int count, const swe_exchanged_field fields[])
{
    real *buffer = (real *)sent->buffer;
    for (int m = 0; m < count; m++) {
        const real *field = fields[m].values;
        const rows_range range = values_in_message(fields[m].what, sent),
                         share = threads_share_of(range);
        for (int k = share.first; k < share.last; k++)
            buffer[k - range.first] = field[sent->at[k]];
        buffer += range.last - range.first;
    }
}

static void unpack(const swe_values *received, int count, const swe_exchanged_field fields[])
{
    const real *buffer = (const real *)received->buffer;
    for (int m = 0; m < count; m++) {
        real *field = fields[m].values;
        const rows_range range = values_in_message(fields[m].what, received),
                         share = threads_share_of(range);
        for (int k = share.first; k < share.last; k++)
            field[received->at[k]] = buffer[k - range.first];
        buffer += range.last - range.first;
    }
}

/* Add the message of these values to a list, unless it is empty; the length of the list. */
static int add_message(const swe_values *values, int rank, int count,
                       const swe_exchanged_field fields[], swe_message *list, int length)
{
    swe_message message = {rank, values->buffer, 0};
    for (int m = 0; m < count; m++) {
        const rows_range range = values_in_message(fields[m].what, values);
        message.bytes += (size_t)(range.last - range.first) * sizeof(real);
    }
    list[length] = message;
    return message.bytes > 0 ? length + 1 : length;
}

static void start_messages(const swe_execution *execution, const swe_decomposition *d, int count,
                           const swe_exchanged_field fields[])
{
    swe_message *receive = d->messages, *send = d->messages + d->neighbour_count;
    int received = 0, sent = 0;
    for (int m = 0; m < d->neighbour_count; m++) {
        const swe_neighbour *of = &d->neighbour[m];
        received = add_message(&of->received, of->rank, count, fields, receive, received);
        sent = add_message(&of->sent, of->rank, count, fields, send, sent);
    }
    exchange_record(execution, received, receive, sent, send);
    swe_ranks_exchange_start(received, receive, sent, send);
}

/* ---- the exchange ---------------------------------------------------------------------------- */

/* Thread 0 sends and receives messages. Meanwhile all threads copy the values that stay in this
 * rank. */
static void exchange(const swe_execution *execution, const swe_params *params, int count,
                     const swe_exchanged_field fields[])
{
    const swe_decomposition *d = params->decomposition;
    const int neighbours = d->neighbour_count, is_first = omp_get_thread_num() == 0;
    if (neighbours > 0) {
        thread_begin(execution);
        for (int m = 0; m < neighbours; m++)
            pack(&d->neighbour[m].sent, count, fields);
        thread_end(execution);
        threads_wait(execution);
        if (is_first)
            start_messages(execution, d, count, fields);
    }
    thread_begin(execution);
    copy_values(params, count, fields);
    thread_end(execution);
    if (neighbours > 0) {
        if (is_first)
            exchange_wait(execution);
        threads_wait(execution);
        thread_begin(execution);
        for (int m = 0; m < neighbours; m++)
            unpack(&d->neighbour[m].received, count, fields);
        thread_end(execution);
    }
    threads_wait(execution);
}

void swe_exchange_cpu(const swe_execution *execution, const swe_params *params, int count,
                      const swe_exchanged_field fields[])
{
    threads_wait(execution);
    if (params->decomposition != NULL)
        exchange(execution, params, count, fields);
}
