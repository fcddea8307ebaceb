/* THE RANKS: the processes of one computation, which a launcher of MPI starts (mpirun, srun). Rank
 * 0, the root, reads, decides, writes and prints; the other ranks serve its requests
 * (state/model.h). A program without a launcher, and every program built without MPI, has one rank.
 *
 * An error of MPI ends all ranks. Only the main thread of a rank calls these functions;
 * where there is one rank, any thread does. */
#ifndef SWE_RANKS_RANKS_H
#define SWE_RANKS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"

/* Messages between GPUs are carried by MPI, through host memory; by NCCL; or by CUDA IPC, copied
 * into the memory of another GPU of the machine. AUTO: by the fastest. */
typedef enum swe_transport {
    SWE_TRANSPORT_AUTO,
    SWE_TRANSPORT_MPI,
    SWE_TRANSPORT_NCCL,
    SWE_TRANSPORT_IPC,
    SWE_TRANSPORTS
} swe_transport;

#ifdef __cplusplus
extern "C" {
#endif

/* Start MPI where a launcher started this process. Errors: SWE_UNAVAILABLE (several ranks, and a
 * build without MPI), SWE_USAGE (ranks of different programs, or with code of different bits).
 * After an error only the process with swe_ranks_prints() prints. */
swe_status swe_ranks_start(swe_context *ctx);

/* Use the ranks of a communicator (MPI_Comm_c2f) of the caller, who has initialized MPI and ends
 * it. All its ranks call this once, each with a status of its own: an error of one rank, with its
 * message in ctx, is an error of all. After an error each process is one rank. Errors:
 * SWE_UNAVAILABLE (a build without MPI, or with another MPI library), SWE_USAGE as above. */
swe_status swe_ranks_join(swe_context *ctx, swe_status status, int communicator);

/* End MPI that swe_ranks_start started; all ranks call it. */
void swe_ranks_end(void);

/* The number of this rank; the number of ranks; the number of ranks on this machine; the number of
 * this rank among the ranks of this machine; the number of ranks on this machine that may use the
 * same cores as this rank. */
int swe_ranks_rank(void);
int swe_ranks_count(void);
int swe_ranks_on_machine(void);
int swe_ranks_rank_on_machine(void);
int swe_ranks_sharing_cores(void);

/* Number of cores that the ranks of a machine may use together, divided by the number of these
 * ranks; the least of all machines. Below 1, ranks share cores. On one rank 1. */
double swe_ranks_cores_each(void);

bool swe_ranks_is_root(void);

/* Whether this process prints an error after which the processes of its launcher have no ranks. */
bool swe_ranks_prints(void);

/* The MPI library of this build; NULL: none. A static string. */
const char *swe_ranks_library(void);

/* ---- all ranks call these together ----------------------------------------------------------- */

/* Copy `bytes` from the root to all ranks. */
void swe_ranks_broadcast(void *data, size_t bytes);

/* The status of the first rank that failed, and its message; SWE_OK where none did. */
swe_status swe_ranks_agree(swe_context *ctx, swe_status status);

/* The number of ranks on this machine that pass the same text, of at most SWE_RANKS_TEXT - 1
 * characters; this rank counts, too. */
enum { SWE_RANKS_TEXT = 64 };
int swe_ranks_count_same(const char *text);

/* Check that all ranks have the same arguments as the root: only the root reads them. Errors:
 * SWE_USAGE.
 */
swe_status swe_ranks_check_arguments(swe_context *ctx, int count, char *const *arguments);

/* The largest value of all ranks. */
int swe_ranks_max(int value);

/* Value number r of `from` goes to rank r; value number r of `to` comes from it. */
void swe_ranks_all_to_all(const int *from, int *to);

/* The same for lists of doubles: count[r] values from first[r] on. */
typedef struct swe_ranks_lists {
    double *values;
    int *count, *first; /* (ranks) */
} swe_ranks_lists;
void swe_ranks_all_to_all_lists(const swe_ranks_lists *from, const swe_ranks_lists *to);

/* Copy `bytes` of each rank, at most INT_MAX, to the root, one after the other. `all` is written by
 * the root alone. */
void swe_ranks_gather(const void *own, size_t bytes, void *all);

/* ---- messages between two ranks -------------------------------------------------------------- */

/* Send or receive `bytes`, and wait. Messages of a pair of ranks keep their order. */
void swe_ranks_send(int to, const void *data, size_t bytes);
void swe_ranks_receive(int from, void *data, size_t bytes);

/* One message of an exchange: at most INT_MAX bytes. */
typedef struct swe_message {
    int rank; /* the other rank */
    void *data;
    size_t bytes;
} swe_message;

/* Make room for exchanges of at most `most` messages. Errors: SWE_NO_MEMORY. */
swe_status swe_ranks_reserve(swe_context *ctx, int most);

/* Start an exchange of received and sent messages; wait until all messages have arrived. Only one
 * exchange is in progress at a time. */
void swe_ranks_exchange_start(int received, const swe_message *receive, int sent,
                              const swe_message *send);
void swe_ranks_exchange_wait(void);

/* Start an exchange of empty messages with some ranks. An empty message reports that data copied by
 * other means (CUDA IPC) has arrived. The list is not needed afterwards. */
void swe_ranks_notify_start(int count, const int *ranks);

/* Count an exchange whose messages to this rank another library carries (nccl.h). */
void swe_ranks_count_messages(int received, const swe_message *receive);

/* Times of messages of 8 bytes and of 1 MiB between the root and the last rank: half of the time
 * there and back. All ranks call it; the root has the result. 0 on one rank. */
typedef struct swe_ranks_speed {
    double latency;   /* [s] */
    double bandwidth; /* [B/s] */
} swe_ranks_speed;
swe_ranks_speed swe_ranks_measure(void);

/* The messages of exchanges that this rank has received, and its wait for them, since it started.
 */
typedef struct swe_ranks_traffic {
    long exchanges, messages;
    double bytes, waited; /* waited: [s] */
} swe_ranks_traffic;
swe_ranks_traffic swe_ranks_get_traffic(void);

/* Add the traffic of captured messages: -1 times after their capture, once at each launch. */
void swe_ranks_add_traffic(const swe_ranks_traffic *more, int times);

#ifdef __cplusplus
}
#endif
#endif
