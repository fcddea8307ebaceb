/* A stand-in of NCCL's library for the emulated CUDA runtime, whose device memory is that of the
 * host: MPI carries the messages of a group when it ends. NCCL_STAND_IN_FAILS names a function that
 * fails on the last rank. */
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct unique_id {
    char bytes[128];
} unique_id;

enum { MOST = 256, FAILED = 3, TAG = 7 };

static MPI_Request *requests; /* [MOST] */
static int count, in_group;
static MPI_Comm all = MPI_COMM_NULL;

static int fails(const char *name)
{
    const char *chosen = getenv("NCCL_STAND_IN_FAILS");
    int own = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return chosen != NULL && strcmp(chosen, name) == 0 && own == ranks - 1;
}

int ncclGetUniqueId(unique_id *id);
int ncclCommInitRank(void **out, int ranks, unique_id id, int rank);
int ncclCommDestroy(void *communicator);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclSend(const void *data, size_t bytes, int type, int to, void *communicator, void *stream);
int ncclRecv(void *data, size_t bytes, int type, int from, void *communicator, void *stream);
const char *ncclGetErrorString(int result);

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
    requests = calloc(MOST, sizeof(MPI_Request));
    return requests != NULL && own == rank && size == ranks && strcmp(id.bytes, "stand-in") == 0 &&
                   !fails("CommInitRank")
               ? 0
               : FAILED;
}

int ncclCommDestroy(void *communicator)
{
    free(requests);
    return MPI_Comm_free(communicator);
}

int ncclGroupStart(void)
{
    in_group = 1;
    return fails("GroupStart") ? FAILED : 0;
}

int ncclSend(const void *data, size_t bytes, int type, int to, void *communicator, void *stream)
{
    if (!in_group || count == MOST || type != 0 || communicator != &all || stream == NULL)
        return FAILED;
    return MPI_Isend(data, (int)bytes, MPI_BYTE, to, TAG, all, &requests[count++]);
}

int ncclRecv(void *data, size_t bytes, int type, int from, void *communicator, void *stream)
{
    if (!in_group || count == MOST || type != 0 || communicator != &all || stream == NULL)
        return FAILED;
    return MPI_Irecv(data, (int)bytes, MPI_BYTE, from, TAG, all, &requests[count++]);
}

int ncclGroupEnd(void)
{
    const int waited = count;
    count = in_group = 0;
    return MPI_Waitall(waited, requests, MPI_STATUSES_IGNORE);
}

const char *ncclGetErrorString(int result)
{
    return result == FAILED ? "the stand-in fails" : "another error";
}
