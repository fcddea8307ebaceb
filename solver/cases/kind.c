#include "cases/kind.h"

#include <stdlib.h>

swe_reference swe_reference_exact(const swe_initial *initial, const swe_physics *physics)
{
    (void)initial;
    (void)physics;
    return SWE_REFERENCE_EXACT;
}

swe_reference swe_reference_none(const swe_initial *initial, const swe_physics *physics)
{
    (void)initial;
    (void)physics;
    return SWE_REFERENCE_NONE;
}

swe_reference swe_reference_at_rest(const swe_initial *initial, const swe_physics *physics)
{
    (void)initial;
    return physics->equations == SWE_LINEAR && physics->rotation == 0.0 ? SWE_REFERENCE_EXACT
                                                                        : SWE_REFERENCE_NONE;
}

swe_status swe_case_memory(swe_context *ctx, size_t size, void **own)
{
    *own = calloc(1, size);
    return *own != NULL ? SWE_OK : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the case");
}
