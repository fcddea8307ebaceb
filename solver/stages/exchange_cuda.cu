#include "stages/exchange.h"

#include "ranks/nccl.h"
#include "stages/launch_cuda.h"

/* The fields of an exchange, as kernels get them. */
struct exchanged_fields {
    int count;
    real *values[SWE_MOST_EXCHANGED];
    int what[SWE_MOST_EXCHANGED];
    int of_ghosts, of_foreign; /* fields whose ghosts are exchanged, and whose foreign copies */
};

static exchanged_fields fields_of(int count, const swe_exchanged_field fields[])
{
    exchanged_fields f = {count, {}, {}, 0, 0};
    for (int m = 0; m < count; m++) {
        f.values[m] = fields[m].values;
        f.what[m] = fields[m].what;
        f.of_ghosts += (fields[m].what & SWE_GHOSTS) != 0;
        f.of_foreign += (fields[m].what & SWE_FOREIGN) != 0;
    }
    return f;
}

static __device__ bool is_exchanged(const exchanged_fields &f, int m, bool is_ghost)
{
    return (f.what[m] & (is_ghost ? SWE_GHOSTS : SWE_FOREIGN)) != 0;
}

/* Messages are ordered by value, then by field. Offset of value k; `ghosts_before` of the values
 * before it are ghosts. */
static __host__ __device__ ptrdiff_t offset_in_messages(const exchanged_fields &f,
                                                        int ghosts_before, int k)
{
    return (ptrdiff_t)ghosts_before * f.of_ghosts + (ptrdiff_t)(k - ghosts_before) * f.of_foreign;
}

/* One thread for each value of a list. */

static __global__ void copy_values_kernel(const swe_exchanged *list, int ghosts, int count,
                                          exchanged_fields f)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= count)
        return;
    const swe_exchanged value = list[k];
    for (int m = 0; m < f.count; m++)
        if (is_exchanged(f, m, k < ghosts))
            f.values[m][value.to] = f.values[m][value.from];
}

static __global__ void pack_kernel(const swe_message_value *list, int count, exchanged_fields f,
                                   real *messages)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= count)
        return;
    const swe_message_value value = list[k];
    real *to = messages + offset_in_messages(f, value.ghosts_before, k);
    for (int m = 0; m < f.count; m++)
        if (is_exchanged(f, m, value.is_ghost))
            *to++ = f.values[m][value.at];
}

static __global__ void unpack_kernel(const swe_message_value *list, int count, exchanged_fields f,
                                     const real *messages)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= count)
        return;
    const swe_message_value value = list[k];
    const real *from = messages + offset_in_messages(f, value.ghosts_before, k);
    for (int m = 0; m < f.count; m++)
        if (is_exchanged(f, m, value.is_ghost))
            f.values[m][value.at] = *from++;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Values of a rank's messages before the message of a neighbour. */
struct values_before {
    int ghosts, count;
};

/* Add the message of some values to a list, unless it is empty; the length of the list. */
static int add_message(const exchanged_fields &f, const swe_values *values, int rank, void *memory,
                       values_before *before, swe_message *list, int length)
{
    const ptrdiff_t first = offset_in_messages(f, before->ghosts, before->count);
    before->ghosts += values->ghost_count;
    before->count += values->count;
    const ptrdiff_t last = offset_in_messages(f, before->ghosts, before->count);
    if (first == last)
        return length;
    list[length] = {rank, static_cast<real *>(memory) + first,
                    (size_t)(last - first) * sizeof(real)};
    return length + 1;
}

/* Bytes of a rank's messages to all its neighbours, or from them. */
static size_t bytes_of(const exchanged_fields &f, values_before all)
{
    return (size_t)offset_in_messages(f, all.ghosts, all.count) * sizeof(real);
}

/* The sent and received messages; the lists are in d->messages. */
struct messages {
    values_before sent, received;
    int sent_length, received_length;
    const void *arrived; /* device memory of the received messages */
};

static messages list_messages(const swe_decomposition *d, const exchanged_fields &f, void *to_send,
                              void *to_receive)
{
    swe_message *receive = d->messages, *send = d->messages + d->neighbour_count;
    messages all = {};
    all.arrived = to_receive;
    for (int m = 0; m < d->neighbour_count; m++) {
        const swe_neighbour *of = &d->neighbour[m];
        all.received_length = add_message(f, &of->received, of->rank, to_receive, &all.received,
                                          receive, all.received_length);
        all.sent_length =
            add_message(f, &of->sent, of->rank, to_send, &all.sent, send, all.sent_length);
    }
    return all;
}

/* A TRANSPORT sends messages that are packed in device memory. Received messages arrive in device
 * memory before later work of the stream. */
struct transport {
    messages (*start)(const swe_execution *execution, const swe_decomposition *d,
                      const exchanged_fields &f);
    void (*end)(const swe_execution *execution, const exchanged_fields &f, const messages &all);
};

/* Through host memory: device memory is never handed to MPI. */

static messages start_mpi(const swe_execution *execution, const swe_decomposition *d,
                          const exchanged_fields &f)
{
    const swe_exchange_room *room = execution->room;
    const cudaStream_t stream = launch_stream(execution);
    messages all = list_messages(d, f, room->host_sent, room->host_received);
    all.arrived = room->received_values;
    if (all.sent.count > 0)
        cudaMemcpyAsync(room->host_sent, room->sent_values, bytes_of(f, all.sent),
                        cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    exchange_record(execution, all.received_length, d->messages, all.sent_length,
                    d->messages + d->neighbour_count);
    swe_ranks_exchange_start(all.received_length, d->messages, all.sent_length,
                             d->messages + d->neighbour_count);
    return all;
}

static void end_mpi(const swe_execution *execution, const exchanged_fields &f, const messages &all)
{
    const swe_exchange_room *room = execution->room;
    exchange_wait(execution);
    if (all.received.count > 0)
        cudaMemcpyAsync(room->received_values, room->host_received, bytes_of(f, all.received),
                        cudaMemcpyHostToDevice, launch_stream(execution));
}

static messages start_nccl(const swe_execution *execution, const swe_decomposition *d,
                           const exchanged_fields &f)
{
    const swe_exchange_room *room = execution->room;
    const messages all = list_messages(d, f, room->sent_values, room->received_values);
    exchange_record(execution, all.received_length, d->messages, all.sent_length,
                    d->messages + d->neighbour_count);
    swe_nccl_exchange(all.received_length, d->messages, all.sent_length,
                      d->messages + d->neighbour_count, execution->queue);
    return all;
}

static void end_nccl(const swe_execution *execution, const exchanged_fields &f, const messages &all)
{
    (void)execution; /* the stream waits */
    (void)f;
    (void)all;
}

/* Messages are copied to the receive buffers of the neighbours. The signal of a neighbour reports
 * that its message has arrived. Exchanges alternate between two receive buffers: before a neighbour
 * writes a buffer again, it waits for this rank's signal of the exchange between, and this rank
 * sends that signal after it has read the buffer. */

static void copy_to_peers(const swe_execution *execution, const swe_decomposition *d,
                          const exchanged_fields &f, const messages &all, int turn)
{
    const swe_exchange_room *room = execution->room;
    const swe_message *send = d->messages + d->neighbour_count;
    int m = 0; /* the list has neighbours in their order */
    for (int k = 0; k < all.sent_length; k++) {
        while (room->peer_ranks[m] != send[k].rank)
            m++;
        const swe_peer *peer = &room->peers[m];
        real *to = static_cast<real *>(peer->values[turn]) +
                   offset_in_messages(f, peer->ghosts_before, peer->count_before);
        cudaMemcpyAsync(to, send[k].data, send[k].bytes, cudaMemcpyDeviceToDevice,
                        launch_stream(execution));
    }
}

static messages start_ipc(const swe_execution *execution, const swe_decomposition *d,
                          const exchanged_fields &f)
{
    const swe_exchange_room *room = execution->room;
    const int turn = *room->turn;
    void *const arrived = turn == 0 ? room->received_values : room->second_values;
    const messages all = list_messages(d, f, room->sent_values, arrived);
    *room->turn = 1 - turn;
    copy_to_peers(execution, d, f, all, turn);
    cudaStreamSynchronize(launch_stream(execution));
    exchange_record(execution, all.received_length, d->messages, all.sent_length,
                    d->messages + d->neighbour_count);
    swe_ranks_count_messages(all.received_length, d->messages);
    swe_ranks_notify_start(d->neighbour_count, room->peer_ranks);
    return all;
}

static void end_ipc(const swe_execution *execution, const exchanged_fields &f, const messages &all)
{
    (void)f;
    (void)all;
    exchange_wait(execution);
}

static const transport transports[] = {{nullptr, nullptr},
                                       {start_mpi, end_mpi},
                                       {start_nccl, end_nccl},
                                       {start_ipc, end_ipc}}; /* by swe_transport */

static void pack(const swe_execution *execution, const exchanged_fields &f)
{
    const swe_exchange_room *room = execution->room;
    if (room->sent_count > 0)
        SWE_LAUNCH(pack_kernel, launch_lines(room->sent_count, 1), dim3(LAUNCH_BLOCK_LINE), 0,
                   launch_stream(execution), room->sent, room->sent_count, f,
                   static_cast<real *>(room->sent_values));
}

static void unpack(const swe_execution *execution, const exchanged_fields &f, const void *arrived)
{
    const swe_exchange_room *room = execution->room;
    if (room->received_count > 0)
        SWE_LAUNCH(unpack_kernel, launch_lines(room->received_count, 1), dim3(LAUNCH_BLOCK_LINE), 0,
                   launch_stream(execution), room->received, room->received_count, f,
                   static_cast<const real *>(arrived));
}

/* ---- the exchange ---------------------------------------------------------------------------- */

/* Copy what stays in this rank. */
static void copy_values(const swe_execution *execution, const swe_decomposition *d,
                        const exchanged_fields &f)
{
    const int first = f.of_ghosts > 0 ? 0 : d->ghost_count,
              last = f.of_foreign > 0 ? d->exchanged_count : d->ghost_count;
    if (first < last)
        SWE_LAUNCH(copy_values_kernel, launch_lines(last - first, 1), dim3(LAUNCH_BLOCK_LINE), 0,
                   launch_stream(execution), execution->room->exchanged + first,
                   d->ghost_count - first, last - first, f);
}

void swe_exchange_cuda(const swe_execution *execution, const swe_params *params, int count,
                       const swe_exchanged_field fields[])
{
    const swe_decomposition *d = params->decomposition;
    if (d == nullptr)
        return;
    const exchanged_fields f = fields_of(count, fields);
    const bool has_messages = d->neighbour_count > 0;
    const transport &by = transports[execution->room->transport];
    messages all = {};
    if (has_messages) {
        pack(execution, f);
        all = by.start(execution, d, f);
    }
    copy_values(execution, d, f);
    if (has_messages) {
        by.end(execution, f, all);
        unpack(execution, f, all.arrived);
    }
}
