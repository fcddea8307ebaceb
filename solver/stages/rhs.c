#include "stages/rhs.h"

void swe_rhs(const swe_stage_table *stages, const swe_view *view, swe_fields y, swe_work work,
             swe_fields dy)
{
    stages->projection(view, y.h);
    stages->gradient(view, y.h, dy.v1, dy.v2);
    stages->contravariant(view, y.v1, y.v2, work.cross1, work.cross2, work.f1, work.f2);
    stages->divergence(view, work.f1, work.f2, dy.h);
    stages->sat(view, y.v1, y.v2, work.f1, work.f2, work.edge, dy.h);
    stages->projection(view, dy.h);
}
