#include "stages/rhs.h"

#include "stages/regions.h"

void swe_rhs(const swe_stage_table *stages, const swe_view *view, swe_fields y, swe_work work,
             swe_fields dy)
{
    swe_region_begin(&view->workers, SWE_REGION_rhs);
    SWE_RUN(stages, projection, view, y.h);
    SWE_RUN(stages, gradient, view, y.h, dy.v1, dy.v2);
    SWE_RUN(stages, contravariant, view, y.v1, y.v2, work.cross1, work.cross2, work.f1, work.f2);
    SWE_RUN(stages, divergence, view, work.f1, work.f2, dy.h);
    SWE_RUN(stages, sat, view, y.v1, y.v2, work.f1, work.f2, work.edge, dy.h);
    SWE_RUN(stages, projection, view, dy.h);
    swe_region_end(&view->workers);
}
