#include "library/internal.h"
#include "ranks/ranks.h"
#include "run/tasks.h"

static atomic_int models;
static atomic_int begun;

swe_status library_count_model(swe_context *ctx)
{
    if (swe_ranks_rank() > 0)
        return swe_fail(ctx, SWE_USAGE,
                        "rank %d has no models of its own: it serves rank 0 (cubeswe_ranks_serve)",
                        swe_ranks_rank());
    atomic_fetch_add(&models, 1);
    return SWE_OK;
}

void library_uncount_model(void)
{
    atomic_fetch_sub(&models, 1);
}

static swe_status begin(swe_context *ctx, int communicator)
{
    if (atomic_exchange(&begun, 1))
        return swe_fail(ctx, SWE_USAGE, "ranks have begun, with another communicator or this one");
    swe_status status = library_load_tuning(ctx);
    if (status == SWE_OK && atomic_load(&models) > 0) /* their arrays are on one rank */
        status = swe_fail(ctx, SWE_USAGE, "ranks begin before models: release the %d that exist",
                          atomic_load(&models));
    status = swe_ranks_join(ctx, status, communicator);
    if (status != SWE_OK)
        atomic_store(&begun, 0);
    return status;
}

cubeswe_status cubeswe_ranks_begin(int communicator, cubeswe_error *error)
{
    swe_context ctx = {""};
    return library_end(begin(&ctx, communicator), &ctx, error);
}

void cubeswe_ranks_serve(void)
{
    if (!swe_ranks_is_root())
        swe_model_serve(swe_task_serve, NULL);
}

void cubeswe_ranks_dismiss(void)
{
    swe_model_dismiss();
}
