#include "time/rk4_step.h"

#include "stages/regions.h"

void swe_rk4_step(const swe_stage_table *stages, const swe_view *view, swe_step_fields f, double dt)
{
    prof_begin(view->profiler, SWE_REGION_step);
    for (int part = 0; part < 4; part++) {
        swe_rhs(stages, view, part == 0 ? f.y : f.next, f.work, f.k);
        SWE_RUN(stages, rk4, view, part, dt, f.k.h, f.y.h, f.sum.h, f.next.h);
    }
    prof_end(view->profiler);
}
