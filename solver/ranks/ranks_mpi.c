/* Ranks of MPI. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/point.h"
#include "base/samples.h"
#include "base/tuning.h"
#include "base/version.h"
#include "ranks/launcher.h"
#include "ranks/nccl.h"
#include "ranks/ranks.h"

enum { ROOT = 0, IDENTITY = 256, TAG_PAIR = 1, TAG_EXCHANGE = 2, TAG_SIGNAL = 3 };

/* A process uses MPI once, so this file has one global state. */
static struct {
    bool is_started;
    int own, count, on_machine, own_on_machine, sharing;
    MPI_Comm all, machine; /* the ranks, and the ranks of this machine */
    MPI_Request *requests; /* of the exchange in progress */
    int room, under_way;
    double started; /* start of the exchange in progress [s] */
    double cores_each;
    swe_ranks_traffic traffic;
} state = {
    .count = 1, .on_machine = 1, .sharing = 1, .all = MPI_COMM_WORLD, .machine = MPI_COMM_NULL};

/* The number of ranks on this machine that have the same bytes. */
static int count_same(const void *own, size_t bytes)
{
    char *all = calloc((size_t)state.on_machine, bytes);
    int count = 0;
    if (all == NULL)
        abort(); /* MPI then ends the other ranks, too */
    MPI_Allgather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, state.machine);
    for (int rank = 0; rank < state.on_machine; rank++)
        count += memcmp(own, all + (size_t)rank * bytes, bytes) == 0;
    free(all);
    return count;
}

/* Count the ranks of this machine, and the ranks of this machine that may use the same cores. */
static void count_neighbours(void)
{
    cpu_set_t own, all;
    MPI_Comm_split_type(state.all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &state.machine);
    MPI_Comm_size(state.machine, &state.on_machine);
    MPI_Comm_rank(state.machine, &state.own_on_machine);
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    state.sharing = count_same(&own, sizeof own);
    MPI_Allreduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, state.machine);
    const double each = (double)CPU_COUNT(&all) / state.on_machine;
    MPI_Allreduce(&each, &state.cores_each, 1, MPI_DOUBLE, MPI_MIN, state.all);
}

swe_status swe_ranks_check_arguments(swe_context *ctx, int count, char *const *arguments)
{
    uint64_t own = 14695981039346656037u, of_root; /* FNV-1a, with the end of each argument */
    if (state.count == 1)
        return SWE_OK;
    for (int k = 1; k < count; k++)
        for (const char *c = arguments[k]; c == arguments[k] || c[-1] != '\0'; c++)
            own = (own ^ (unsigned char)*c) * 1099511628211u;
    of_root = own;
    swe_ranks_broadcast(&of_root, sizeof of_root);
    return swe_ranks_agree(
        ctx, own == of_root || count == 1
                 ? SWE_OK
                 : swe_fail(ctx, SWE_USAGE,
                            "rank %d has other arguments than rank 0, and would ignore them: give "
                            "all ranks the same (independent runs need a launcher each)",
                            state.own));
}

int swe_ranks_count_same(const char *text)
{
    char own[SWE_RANKS_TEXT] = {0};
    strncpy(own, text, sizeof own - 1);
    return state.count > 1 ? count_same(own, sizeof own) : 1;
}

/* The code that this processor runs. It uses FMA from x86-64-v3 on, which changes bits of the
 * results (base/point.h). */
static const char *code_of_processor(void)
{
#if SWE_HAS_CLONES
    return __builtin_cpu_supports("x86-64-v3") ? "with FMA" : "without FMA";
#else
    return "of one instruction set";
#endif
}

/* Check that this rank runs the same program as the root, and that its bits are equal. */
static swe_status check_identity(swe_context *ctx)
{
    char own[IDENTITY] = {0}, of_root[IDENTITY];
    snprintf(own, IDENTITY, "cubeswe %s (%s) %s", swe_version, swe_build, code_of_processor());
    memcpy(of_root, own, IDENTITY);
    swe_ranks_broadcast(of_root, IDENTITY);
    const swe_status status =
        memcmp(own, of_root, IDENTITY) == 0
            ? SWE_OK
            : swe_fail(ctx, SWE_USAGE,
                       "rank %d runs %s, and rank 0 %s: all ranks need the same program on "
                       "processors with the same instructions",
                       state.own, own, of_root);
    return swe_ranks_agree(ctx, status);
}

static void count_ranks(void)
{
    MPI_Comm_rank(state.all, &state.own);
    MPI_Comm_size(state.all, &state.count);
}

swe_status swe_ranks_start(swe_context *ctx)
{
    int provided;
    if (swe_launcher_ranks() <= 1)
        return SWE_OK;
#ifdef OPEN_MPI
    /* Between ranks of a machine Open MPI sends messages of up to 4 KiB eagerly; for a longer
     * message it first asks the receiver. Messages of small grids are longer than 4 KiB, and faster
     * if sent eagerly (validation/ranks). Values that users set are kept. */
    setenv("OMPI_MCA_btl_vader_eager_limit", "32768", 0); /* the name up to version 4 */
    setenv("OMPI_MCA_btl_sm_eager_limit", "32768", 0);
#endif
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    state.is_started = true;
    count_ranks();
    if (provided < MPI_THREAD_FUNNELED)
        return swe_fail(ctx, SWE_UNAVAILABLE, "this MPI does not allow a program to use threads");
    if (state.count != swe_launcher_ranks())
        return swe_fail(ctx, SWE_UNAVAILABLE,
                        "the launcher started %d ranks, and this program's MPI (%s) sees %d: use "
                        "the launcher of that MPI",
                        swe_launcher_ranks(), swe_ranks_library(), state.count);
    count_neighbours();
    return check_identity(ctx);
}

swe_status swe_ranks_join(swe_context *ctx, swe_status status, int communicator)
{
    int is_initialized = 0, provided = 0;
    MPI_Initialized(&is_initialized);
    if (!is_initialized)
        return swe_fail(ctx, SWE_UNAVAILABLE,
                        "MPI is not initialized: the caller must use the MPI library of this build "
                        "(%s)",
                        swe_ranks_library());
    MPI_Query_thread(&provided);
    if (status == SWE_OK && provided < MPI_THREAD_FUNNELED)
        status = swe_fail(ctx, SWE_UNAVAILABLE,
                          "MPI is initialized without threads: initialize it with "
                          "MPI_THREAD_FUNNELED or more");
    MPI_Comm_dup(MPI_Comm_f2c(communicator), &state.all);
    MPI_Comm_set_errhandler(state.all, MPI_ERRORS_ARE_FATAL);
    count_ranks();
    status = swe_ranks_agree(ctx, status);
    if (status == SWE_OK)
        status = check_identity(ctx);
    if (status == SWE_OK) {
        count_neighbours();
        return SWE_OK;
    }
    MPI_Comm_free(&state.all);
    state.all = MPI_COMM_WORLD;
    state.own = ROOT;
    state.count = 1;
    return status;
}

void swe_ranks_end(void)
{
    swe_nccl_disconnect();
    if (state.machine != MPI_COMM_NULL)
        MPI_Comm_free(&state.machine);
    if (state.is_started)
        MPI_Finalize();
    free(state.requests);
    state.requests = NULL;
}

int swe_ranks_rank(void)
{
    return state.own;
}

int swe_ranks_count(void)
{
    return state.count;
}

int swe_ranks_on_machine(void)
{
    return state.on_machine;
}

int swe_ranks_rank_on_machine(void)
{
    return state.own_on_machine;
}

int swe_ranks_sharing_cores(void)
{
    return state.sharing;
}

double swe_ranks_cores_each(void)
{
    return state.count > 1 ? state.cores_each : 1.0;
}

bool swe_ranks_is_root(void)
{
    return state.own == ROOT;
}

bool swe_ranks_prints(void)
{
    return (state.count > 1 ? state.own : swe_launcher_rank()) == ROOT;
}

const char *swe_ranks_library(void)
{
    static char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (name[0] == '\0') {
        MPI_Get_library_version(name, &length);
        name[strcspn(name, ",\n")] = '\0';
    }
    return name;
}

/* ---- all ranks call these together ----------------------------------------------------------- */

static int piece_of(size_t bytes)
{
    const size_t most = 1 << 30;
    return (int)(bytes < most ? bytes : most);
}

void swe_ranks_broadcast(void *data, size_t bytes)
{
    if (state.count == 1)
        return;
    for (char *at = data; bytes > 0;) {
        const int piece = piece_of(bytes);
        MPI_Bcast(at, piece, MPI_BYTE, ROOT, state.all);
        at += piece;
        bytes -= (size_t)piece;
    }
}

swe_status swe_ranks_agree(swe_context *ctx, swe_status status)
{
    if (state.count == 1)
        return status;
    int failed = status != SWE_OK ? state.own : INT_MAX, first = INT_MAX;
    MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, state.all);
    if (first == INT_MAX)
        return SWE_OK;
    int agreed = (int)status;
    MPI_Bcast(&agreed, 1, MPI_INT, first, state.all);
    MPI_Bcast(ctx->message, sizeof ctx->message, MPI_BYTE, first, state.all);
    return (swe_status)agreed;
}

int swe_ranks_max(int value)
{
    int largest = value;
    if (state.count > 1)
        MPI_Allreduce(&value, &largest, 1, MPI_INT, MPI_MAX, state.all);
    return largest;
}

void swe_ranks_all_to_all(const int *from, int *to)
{
    if (state.count == 1)
        *to = *from;
    else
        MPI_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, state.all);
}

void swe_ranks_all_to_all_lists(const swe_ranks_lists *from, const swe_ranks_lists *to)
{
    if (state.count == 1)
        memcpy(to->values + to->first[0], from->values + from->first[0],
               (size_t)from->count[0] * sizeof *from->values);
    else
        MPI_Alltoallv(from->values, from->count, from->first, MPI_DOUBLE, to->values, to->count,
                      to->first, MPI_DOUBLE, state.all);
}

void swe_ranks_gather(const void *own, size_t bytes, void *all)
{
    if (state.count == 1)
        memcpy(all, own, bytes);
    else
        MPI_Gather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, ROOT, state.all);
}

/* ---- messages between two ranks -------------------------------------------------------------- */

void swe_ranks_send(int to, const void *data, size_t bytes)
{
    for (const char *at = data; bytes > 0;) {
        const int piece = piece_of(bytes);
        MPI_Send(at, piece, MPI_BYTE, to, TAG_PAIR, state.all);
        at += piece;
        bytes -= (size_t)piece;
    }
}

void swe_ranks_receive(int from, void *data, size_t bytes)
{
    for (char *at = data; bytes > 0;) {
        const int piece = piece_of(bytes);
        MPI_Recv(at, piece, MPI_BYTE, from, TAG_PAIR, state.all, MPI_STATUS_IGNORE);
        at += piece;
        bytes -= (size_t)piece;
    }
}

swe_status swe_ranks_reserve(swe_context *ctx, int most)
{
    if (most <= state.room)
        return SWE_OK;
    MPI_Request *requests = realloc(state.requests, (size_t)most * sizeof(MPI_Request));
    if (requests == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %d messages", most);
    state.requests = requests;
    state.room = most;
    return SWE_OK;
}

void swe_ranks_count_messages(int received, const swe_message *receive)
{
    for (int k = 0; k < received; k++)
        state.traffic.bytes += (double)receive[k].bytes;
    state.traffic.messages += received;
    state.traffic.exchanges++;
}

void swe_ranks_exchange_start(int received, const swe_message *receive, int sent,
                              const swe_message *send)
{
    state.under_way = received + sent;
    state.started = swe_clock_seconds();
    for (int k = 0; k < received; k++)
        MPI_Irecv(receive[k].data, (int)receive[k].bytes, MPI_BYTE, receive[k].rank, TAG_EXCHANGE,
                  state.all, &state.requests[k]);
    for (int k = 0; k < sent; k++)
        MPI_Isend(send[k].data, (int)send[k].bytes, MPI_BYTE, send[k].rank, TAG_EXCHANGE, state.all,
                  &state.requests[received + k]);
    swe_ranks_count_messages(received, receive);
}

void swe_ranks_notify_start(int count, const int *ranks)
{
    state.under_way = 2 * count;
    state.started = swe_clock_seconds();
    for (int k = 0; k < count; k++)
        MPI_Irecv(NULL, 0, MPI_BYTE, ranks[k], TAG_SIGNAL, state.all, &state.requests[k]);
    for (int k = 0; k < count; k++)
        MPI_Isend(NULL, 0, MPI_BYTE, ranks[k], TAG_SIGNAL, state.all, &state.requests[count + k]);
}

void swe_ranks_exchange_wait(void)
{
    const double start = swe_clock_seconds();
    MPI_Waitall(state.under_way, state.requests, MPI_STATUSES_IGNORE);
    /* the knob emulates a slower network: messages count as in progress until the delay is over */
    const double delay = 1e-6 * swe_tuning(SWE_TUNING_exchange_delay);
    while (swe_clock_seconds() < state.started + delay)
        continue;
    state.under_way = 0;
    state.traffic.waited += swe_clock_seconds() - start;
}

/* Median time of a message between the root and rank `last`. */
static double time_message(int last, void *data, size_t bytes)
{
    swe_samples samples = {.count = 0};
    for (int k = 0; k < 200; k++) {
        const double start = swe_clock_seconds();
        if (state.own == ROOT) {
            swe_ranks_send(last, data, bytes);
            swe_ranks_receive(last, data, bytes);
        } else {
            swe_ranks_receive(ROOT, data, bytes);
            swe_ranks_send(ROOT, data, bytes);
        }
        swe_samples_add(&samples, 0.5 * (swe_clock_seconds() - start));
    }
    return swe_samples_quartiles(&samples).median;
}

swe_ranks_speed swe_ranks_measure(void)
{
    static char data[1 << 20];
    const int last = state.count - 1;
    swe_ranks_speed speed = {0};
    if (last == ROOT || (state.own != ROOT && state.own != last))
        return speed;
    speed.latency = time_message(last, data, 8);
    speed.bandwidth = sizeof data / time_message(last, data, sizeof data);
    return speed;
}

swe_ranks_traffic swe_ranks_get_traffic(void)
{
    return state.traffic;
}

void swe_ranks_add_traffic(const swe_ranks_traffic *more, int times)
{
    state.traffic.exchanges += times * more->exchanges;
    state.traffic.messages += times * more->messages;
    state.traffic.bytes += times * more->bytes;
    state.traffic.waited += times * more->waited;
}
