/* One rank: a build without MPI. */
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks.h"
#include "ranks/launcher.h"

swe_status swe_ranks_start(swe_context *ctx)
{
    const int count = swe_launcher_ranks();
    if (count <= 1)
        return SWE_OK;
    return swe_fail(ctx, SWE_UNAVAILABLE,
                    "started as %d ranks, and this program is built without MPI (see cubeswe info; "
                    "build it with -DCUBESWE_MPI=ON)",
                    count);
}

swe_status swe_ranks_join(swe_context *ctx, swe_status status, int communicator)
{
    (void)communicator;
    SWE_TRY(status);
    return swe_fail(ctx, SWE_UNAVAILABLE,
                    "this library is built without MPI: build it with -DCUBESWE_MPI=ON");
}

void swe_ranks_end(void)
{
}

int swe_ranks_rank(void)
{
    return 0;
}

int swe_ranks_count(void)
{
    return 1;
}

int swe_ranks_on_machine(void)
{
    return 1;
}

int swe_ranks_rank_on_machine(void)
{
    return 0;
}

int swe_ranks_count_same(const char *text)
{
    (void)text;
    return 1;
}

int swe_ranks_sharing_cores(void)
{
    return 1;
}

double swe_ranks_cores_each(void)
{
    return 1.0;
}

swe_status swe_ranks_check_arguments(swe_context *ctx, int count, char *const *arguments)
{
    (void)ctx, (void)count, (void)arguments;
    return SWE_OK;
}

bool swe_ranks_is_root(void)
{
    return true;
}

bool swe_ranks_prints(void)
{
    return swe_launcher_rank() == 0;
}

const char *swe_ranks_library(void)
{
    return NULL;
}

void swe_ranks_broadcast(void *data, size_t bytes)
{
    (void)data;
    (void)bytes;
}

swe_status swe_ranks_agree(swe_context *ctx, swe_status status)
{
    (void)ctx;
    return status;
}

int swe_ranks_max(int value)
{
    return value;
}

void swe_ranks_all_to_all(const int *from, int *to)
{
    *to = *from;
}

void swe_ranks_all_to_all_lists(const swe_ranks_lists *from, const swe_ranks_lists *to)
{
    memcpy(to->values + to->first[0], from->values + from->first[0],
           (size_t)from->count[0] * sizeof *from->values);
}

void swe_ranks_gather(const void *own, size_t bytes, void *all)
{
    memcpy(all, own, bytes);
}

/* One rank has no messages. */

void swe_ranks_send(int to, const void *data, size_t bytes)
{
    (void)to;
    (void)data;
    (void)bytes;
    abort();
}

void swe_ranks_receive(int from, void *data, size_t bytes)
{
    (void)from;
    (void)data;
    (void)bytes;
    abort();
}

swe_status swe_ranks_reserve(swe_context *ctx, int most)
{
    (void)ctx;
    (void)most;
    return SWE_OK;
}

void swe_ranks_exchange_start(int received, const swe_message *receive, int sent,
                              const swe_message *send)
{
    (void)received;
    (void)receive;
    (void)sent;
    (void)send;
    abort();
}

void swe_ranks_notify_start(int count, const int *ranks)
{
    (void)count;
    (void)ranks;
}

void swe_ranks_count_messages(int received, const swe_message *receive)
{
    (void)received;
    (void)receive;
}

void swe_ranks_exchange_wait(void)
{
}

swe_ranks_speed swe_ranks_measure(void)
{
    return (swe_ranks_speed){0};
}

swe_ranks_traffic swe_ranks_get_traffic(void)
{
    return (swe_ranks_traffic){0};
}

void swe_ranks_add_traffic(const swe_ranks_traffic *more, int times)
{
    (void)more;
    (void)times;
}
