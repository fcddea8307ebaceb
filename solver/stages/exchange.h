/* The exchange of a stage copies the values that blocks read of each other (decomposition.h). A
 * rank receives the values of other ranks' blocks in messages. */
#ifndef SWE_STAGES_EXCHANGE_H
#define SWE_STAGES_EXCHANGE_H

#include "ranks/ranks.h"
#include "stages/execution.h"
#include "stages/params.h"
#include "stages/regions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A field to exchange: its ghosts, which operators read, its foreign copies, which are averaged, or
 * both. */
enum { SWE_GHOSTS = 1, SWE_FOREIGN = 2 };

typedef struct swe_exchanged_field {
    real *values;
    int what;
} swe_exchanged_field;

/* A value of the messages of a rank to all its neighbours. The messages lie one after the other. */
typedef struct swe_message_value {
    ptrdiff_t at;      /* in a field */
    int ghosts_before; /* ghosts among the values before it */
    int is_ghost;
} swe_message_value;

/* The two receive buffers of a neighbour, mapped by CUDA IPC; exchanges alternate between them. In
 * a buffer the message of this rank follows the messages of other ranks, which have count_before
 * values, ghosts_before of them ghosts. */
typedef struct swe_peer {
    void *values[2];
    int ghosts_before, count_before;
} swe_peer;

/* The buffers of exchanges on a GPU. Device memory holds the lists of a decomposition and the
 * messages of SWE_MOST_EXCHANGED fields. Host memory holds the same messages, and the rows of
 * integrals that ranks share (integrals_rows.h). With CUDA IPC the struct also has a second receive
 * buffer (`second_values`), the neighbours and their ranks in the order of the decomposition, and
 * the index of the receive buffer of the next exchange (`turn`). */
typedef struct swe_exchange_room {
    const swe_exchanged *exchanged;
    const swe_message_value *sent, *received;
    int sent_count, received_count;
    void *sent_values, *received_values;
    void *host_sent, *host_received, *host_rows;
    swe_transport transport; /* MPI, NCCL or IPC */
    void *second_values;
    swe_peer *peers; /* NULL: no CUDA IPC */
    int *peer_ranks, *turn;
} swe_exchange_room;

/* Fill the ghosts and the foreign copies of `count` fields from the own points of their blocks.
 * Without a decomposition nothing is exchanged.
 *
 * CPU: all threads of a team call it; it begins and ends with a barrier. CUDA: it starts kernels;
 * with MPI as the transport it waits for the stream. */
void swe_exchange_cpu(const swe_execution *execution, const swe_params *params, int count,
                      const swe_exchanged_field fields[]) REAL_SYMBOL(swe_exchange_cpu);
void swe_exchange_cuda(const swe_execution *execution, const swe_params *params, int count,
                       const swe_exchanged_field fields[]) REAL_SYMBOL(swe_exchange_cuda);

/* The same for a list: EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(h), EXCHANGE_GHOSTS(v1)). */
#define EXCHANGE_BOTH(field)                                                                       \
    {                                                                                              \
        field, SWE_GHOSTS | SWE_FOREIGN                                                            \
    }
#define EXCHANGE_GHOSTS(field)                                                                     \
    {                                                                                              \
        field, SWE_GHOSTS                                                                          \
    }
#define EXCHANGE_FOREIGN(field)                                                                    \
    {                                                                                              \
        field, SWE_FOREIGN                                                                         \
    }
#define EXCHANGE(backend, execution, params, ...)                                                  \
    do {                                                                                           \
        const swe_exchanged_field to_exchange[] = {__VA_ARGS__};                                   \
        enum { EXCHANGED = sizeof to_exchange / sizeof *to_exchange };                             \
        swe_exchange_##backend(execution, params, EXCHANGED, to_exchange);                         \
        typedef char at_most[(int)EXCHANGED <= (int)SWE_MOST_EXCHANGED ? 1 : -1];                  \
        (void)sizeof(at_most);                                                                     \
    } while (0)

/* ---- for the two above ----------------------------------------------------------------------- */

/* Record an exchange whose messages start now. */
static inline void exchange_record(const swe_execution *execution, int received,
                                   const swe_message *receive, int sent, const swe_message *send)
{
    prof_profiler *profiler = execution->profiler;
    if (!prof_exchange_begin(profiler))
        return;
    for (int k = 0; k < received; k++)
        prof_exchange_add(profiler, receive[k].rank, receive[k].bytes, false);
    for (int k = 0; k < sent; k++)
        prof_exchange_add(profiler, send[k].rank, send[k].bytes, true);
}

/* Wait for the messages of an exchange that has started. */
static inline void exchange_wait(const swe_execution *execution)
{
    prof_begin(execution->profiler, SWE_REGION_messages);
    swe_ranks_exchange_wait();
    prof_end(execution->profiler);
}

#ifdef __cplusplus
}
#endif
#endif
