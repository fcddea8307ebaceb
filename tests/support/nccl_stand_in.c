/* A stand-in for NCCL's library with the emulated CUDA runtime, whose device memory is host memory.
 * MPI carries the messages of a group as work of its stream, immediately or whenever a graph that
 * captured the work is launched. NCCL_STAND_IN_FAILS names a function that fails on the last rank;
 * NCCL_STAND_IN_VERSION sets another version. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct unique_id {
    char bytes[128];
} unique_id;

/* The emulated runtime has these functions. */
int cudaLaunchHostFunc(void *stream, void (*function)(void *argument), void *argument);
size_t cuda_emulation_live_graphs(void);

enum { MOST = 64, FAILED = 3, TAG = 7 };

typedef struct message {
    const void *sent; /* NULL: received */
    void *received;
    int bytes, rank;
} message;

/* Graphs may repeat a group: it lives as long as the connection. */
typedef struct group {
    struct group *previous;
    void *stream;
    int count;
    message messages[MOST];
} group;

static group *last;
static int in_group;
static MPI_Comm all = MPI_COMM_NULL;

static int fails(const char *name)
{
    const char *chosen = getenv("NCCL_STAND_IN_FAILS");
    int own = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return chosen != NULL && strcmp(chosen, name) == 0 && own == ranks - 1;
}

int ncclGetVersion(int *version);
int ncclGetUniqueId(unique_id *id);
int ncclCommInitRank(void **out, int ranks, unique_id id, int rank);
int ncclCommDestroy(void *communicator);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclSend(const void *data, size_t bytes, int type, int to, void *communicator, void *stream);
int ncclRecv(void *data, size_t bytes, int type, int from, void *communicator, void *stream);
const char *ncclGetErrorString(int result);

int ncclGetVersion(int *version)
{
    const char *chosen = getenv("NCCL_STAND_IN_VERSION");
    *version = chosen != NULL ? atoi(chosen) : 23000;
    return fails("GetVersion") ? FAILED : 0;
}

int ncclGetUniqueId(unique_id *id)
{
    strcpy(id->bytes, "stand-in");
    return 0;
}

int ncclCommInitRank(void **out, int ranks, unique_id id, int rank)
{
    int own = -1, size = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_rank(all, &own);
    MPI_Comm_size(all, &size);
    *out = &all;
    return own == rank && size == ranks && strcmp(id.bytes, "stand-in") == 0 &&
                   !fails("CommInitRank")
               ? 0
               : FAILED;
}

int ncclCommDestroy(void *communicator)
{
    if (cuda_emulation_live_graphs() > 0) {
        fputs("the stand-in of NCCL: graphs are left, which NCCL would wait for\n", stderr);
        abort();
    }
    while (last != NULL) {
        group *previous = last->previous;
        free(last);
        last = previous;
    }
    return MPI_Comm_free(communicator);
}

int ncclGroupStart(void)
{
    group *next = calloc(1, sizeof *next);
    if (in_group || next == NULL || fails("GroupStart")) {
        free(next);
        return FAILED;
    }
    next->previous = last;
    last = next;
    in_group = 1;
    return 0;
}

static int add(message m, int type, const void *communicator, void *stream)
{
    if (!in_group || last->count == MOST || type != 0 || communicator != &all || stream == NULL ||
        (last->count > 0 && last->stream != stream))
        return FAILED;
    last->stream = stream;
    last->messages[last->count++] = m;
    return 0;
}

int ncclSend(const void *data, size_t bytes, int type, int to, void *communicator, void *stream)
{
    return add((message){data, NULL, (int)bytes, to}, type, communicator, stream);
}

int ncclRecv(void *data, size_t bytes, int type, int from, void *communicator, void *stream)
{
    return add((message){NULL, data, (int)bytes, from}, type, communicator, stream);
}

static void carry(void *argument)
{
    const group *g = argument;
    MPI_Request requests[MOST];
    for (int k = 0; k < g->count; k++) {
        const message *m = &g->messages[k];
        if (m->sent != NULL)
            MPI_Isend(m->sent, m->bytes, MPI_BYTE, m->rank, TAG, all, &requests[k]);
        else
            MPI_Irecv(m->received, m->bytes, MPI_BYTE, m->rank, TAG, all, &requests[k]);
    }
    MPI_Waitall(g->count, requests, MPI_STATUSES_IGNORE);
}

int ncclGroupEnd(void)
{
    in_group = 0;
    return last->count > 0 ? cudaLaunchHostFunc(last->stream, carry, last) : 0;
}

const char *ncclGetErrorString(int result)
{
    return result == FAILED ? "the stand-in fails" : "another error";
}
