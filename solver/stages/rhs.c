#include "stages/rhs.h"

#include <stdbool.h>

#include "stages/regions.h"

/* What drives the velocity like h does in the linear equations, and the vorticity of the flow. The
 * tendency of v, not yet made, lends its room to the shears. */
static void make_head_and_vorticity(const swe_stage_table *stages, const swe_view *view,
                                    swe_fields y, swe_work work, swe_fields dy)
{
    SWE_RUN(stages, bernoulli, view, y.h, y.v1, y.v2, work.head);
    SWE_RUN(stages, projection, view, work.head);
    SWE_RUN(stages, vorticity, view, y.v1, y.v2, work.cross1, work.cross2, dy.v1, dy.v2,
            work.vorticity);
    SWE_RUN(stages, projection, view, work.vorticity);
}

void swe_rhs(const swe_stage_table *stages, const swe_view *view, swe_fields y, swe_work work,
             swe_fields dy)
{
    const bool is_linear = view->equations == SWE_LINEAR;
    swe_region_begin(&view->workers, SWE_REGION_rhs);
    SWE_RUN(stages, projection, view, y.h);
    SWE_RUN(stages, contravariant, view, y.h, y.v1, y.v2, work.cross1, work.cross2, work.f1,
            work.f2);
    if (!is_linear)
        make_head_and_vorticity(stages, view, y, work, dy);
    SWE_RUN(stages, gradient, view, is_linear ? y.h : work.head, dy.v1, dy.v2);
    SWE_RUN(stages, divergence, view, work.f1, work.f2, dy.h);
    SWE_RUN(stages, sat, view, y.h, y.v1, y.v2, work.f1, work.f2, work.edge, dy.h);
    SWE_RUN(stages, projection, view, dy.h);
    if (view->turns)
        SWE_RUN(stages, coriolis, view, y.h, work.vorticity, work.f1, work.f2, work.cross1,
                work.cross2, dy.v1, dy.v2);
    swe_region_end(&view->workers);
}
