#include "ranks/nccl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"

/* The types of nccl.h that are needed here; 0 is success. */
typedef struct unique_id {
    char bytes[128];
} unique_id;
typedef void *communicator;
enum { NCCL_INT8 = 0 };

/* The first version whose messages may alternate between a graph and plain launches: 2.13. */
enum { LEAST_VERSION = 21300 };

/* FUNCTION(result, name, parameters) */
#define FUNCTION_LIST(FUNCTION)                                                                    \
    FUNCTION(int, GetVersion, (int *version))                                                      \
    FUNCTION(int, GetUniqueId, (unique_id * id))                                                   \
    FUNCTION(int, CommInitRank, (communicator * out, int ranks, unique_id id, int rank))           \
    FUNCTION(int, CommDestroy, (communicator c))                                                   \
    FUNCTION(int, GroupStart, (void))                                                              \
    FUNCTION(int, GroupEnd, (void))                                                                \
    FUNCTION(int, Send,                                                                            \
             (const void *data, size_t count, int type, int to, communicator c, void *stream))     \
    FUNCTION(int, Recv,                                                                            \
             (void *data, size_t count, int type, int from, communicator c, void *stream))         \
    FUNCTION(const char *, GetErrorString, (int result))

/* A process has one connection. */
static struct {
    void *library;
#define FUNCTION_MEMBER(result, name, parameters) result(*name) parameters;
    FUNCTION_LIST(FUNCTION_MEMBER)
#undef FUNCTION_MEMBER
    communicator all;
} nccl;

static swe_status open_library(swe_context *ctx)
{
    const char *chosen = getenv("CUBESWE_NCCL_LIBRARY");
    nccl.library = dlopen(chosen != NULL ? chosen : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (nccl.library == NULL)
        return swe_fail(ctx, SWE_UNAVAILABLE, "NCCL: %s", dlerror());
#define FUNCTION_FIND(result, name, parameters)                                                    \
    if (!swe_library_find(nccl.library, "nccl" #name, &nccl.name))                                 \
        return swe_fail(ctx, SWE_UNAVAILABLE, "NCCL: the library has no nccl" #name);
    FUNCTION_LIST(FUNCTION_FIND)
#undef FUNCTION_FIND
    return SWE_OK;
}

static swe_status check(swe_context *ctx, const char *what, int result)
{
    return result == 0
               ? SWE_OK
               : swe_fail(ctx, SWE_UNAVAILABLE, "NCCL: %s: %s", what, nccl.GetErrorString(result));
}

static swe_status open_and_check(swe_context *ctx)
{
    int version = 0;
    SWE_TRY(open_library(ctx));
    SWE_TRY(check(ctx, "no version", nccl.GetVersion(&version)));
    return version >= LEAST_VERSION
               ? SWE_OK
               : swe_fail(ctx, SWE_UNAVAILABLE, "NCCL: version %d.%d.%d is older than 2.13",
                          version / 10000, version / 100 % 100, version % 100);
}

/* The root chooses the identity of the connection. */
static swe_status share_identity(swe_context *ctx, unique_id *id)
{
    swe_status status = SWE_OK;
    if (swe_ranks_is_root())
        status = check(ctx, "no identity", nccl.GetUniqueId(id));
    status = swe_ranks_agree(ctx, status);
    if (status == SWE_OK)
        swe_ranks_broadcast(id, sizeof *id);
    return status;
}

static swe_status connect_all(swe_context *ctx)
{
    unique_id id;
    memset(&id, 0, sizeof id);
    SWE_TRY(swe_ranks_agree(ctx, open_and_check(ctx)));
    SWE_TRY(share_identity(ctx, &id));
    return swe_ranks_agree(
        ctx, check(ctx, "no connection",
                   nccl.CommInitRank(&nccl.all, swe_ranks_count(), id, swe_ranks_rank())));
}

swe_status swe_nccl_connect(swe_context *ctx)
{
    if (nccl.all != NULL)
        return SWE_OK;
    const swe_status status = connect_all(ctx);
    if (status != SWE_OK)
        swe_nccl_disconnect();
    return status;
}

void swe_nccl_disconnect(void)
{
    if (nccl.all != NULL)
        nccl.CommDestroy(nccl.all);
    nccl.all = NULL;
}

/* Print one line and end the process of this rank, which ends the other ranks. */
static void expect(const char *what, int result)
{
    if (result == 0)
        return;
    fprintf(stderr, "cubeswe: rank %d: NCCL: %s: %s\n", swe_ranks_rank(), what,
            nccl.GetErrorString(result));
    abort();
}

void swe_nccl_exchange(int received, const swe_message *receive, int sent, const swe_message *send,
                       void *stream)
{
    expect("a group of messages does not start", nccl.GroupStart());
    for (int k = 0; k < received; k++)
        expect("a message is not received", nccl.Recv(receive[k].data, receive[k].bytes, NCCL_INT8,
                                                      receive[k].rank, nccl.all, stream));
    for (int k = 0; k < sent; k++)
        expect("a message is not sent",
               nccl.Send(send[k].data, send[k].bytes, NCCL_INT8, send[k].rank, nccl.all, stream));
    expect("messages do not start", nccl.GroupEnd());
    swe_ranks_count_messages(received, receive);
}
