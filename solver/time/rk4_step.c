#include "time/rk4_step.h"

#include "stages/regions.h"
#include "stages/rk4/rk4_point.h"

/* State `index` of those that lie one after the other from `first` on. */
static swe_fields state(swe_fields first, ptrdiff_t index, ptrdiff_t size)
{
    return (swe_fields){first.h + index * size, first.v1 + index * size, first.v2 + index * size};
}

static void staged_part(const swe_stage_table *stages, const swe_view *view, int part,
                        swe_step_fields f, double dt)
{
    const ptrdiff_t size = 3 * view->layout.field;
    swe_rhs(stages, view, part == 0 ? f.y : state(f.next, part - 1, size), f.work, f.k);
    SWE_RUN(stages, rk4, view, part, rk4_weight(part, dt), f.k.h, f.y.h, f.next.h);
}

static void fused_part(const swe_stage_table *stages, const swe_view *view, int part,
                       swe_step_fields f, double dt)
{
    const rk4_arrays arrays = rk4_arrays_of(view, part, f.y.h, f.next.h);
    SWE_RUN(stages, fused, view, part, rk4_weight(part, dt), f.y.h, f.next.h);
    SWE_RUN(stages, projection, view, arrays.out);
}

void swe_rk4_step(const swe_stage_table *stages, const swe_view *view, swe_pipeline pipeline,
                  swe_step_fields f, double dt)
{
    swe_region_begin(&view->workers, SWE_REGION_step);
    for (int part = 0; part < RK4_PARTS; part++)
        if (pipeline == SWE_PIPELINE_FUSED)
            fused_part(stages, view, part, f, dt);
        else
            staged_part(stages, view, part, f, dt);
    swe_region_end(&view->workers);
}
