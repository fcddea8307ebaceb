#include "time/rk4_step.h"

#include "stages/regions.h"
#include "stages/rk4/rk4_point.h"

/* The state at which a part takes its tendency. */
static swe_fields state_of_part(const swe_view *view, int part, swe_step_fields f)
{
    const ptrdiff_t before = (part - 1) * view->next;
    return part == 0 ? f.y
                     : (swe_fields){f.next.h + before, f.next.v1 + before, f.next.v2 + before};
}

static void staged_part(const swe_stage_table *stages, const swe_view *view, int part,
                        swe_step_fields f, double dt)
{
    swe_rhs(stages, view, state_of_part(view, part, f), f.work, f.k);
    SWE_RUN(stages, rk4, view, part, rk4_weight(part, dt), f.k.h, f.y.h, f.next.h);
}

static void fused_part(const swe_stage_table *stages, const swe_view *view, int part,
                       swe_step_fields f, double dt)
{
    const rk4_arrays arrays = rk4_arrays_of(view, part, f.y.h, f.next.h);
    SWE_RUN(stages, fused, view, part, rk4_weight(part, dt), rk4_weight(part + 1, dt), f.y.h,
            f.next.h);
    SWE_RUN(stages, projection, view, arrays.out);
}

/* The same where the flow turns; the head of the linear equations is h. */
static void swept_part(const swe_stage_table *stages, const swe_view *view, int part,
                       swe_step_fields f, double dt)
{
    const swe_sweep s = f.sweep;
    const real weight = rk4_weight(part, dt);
    real *head = view->equations == SWE_LINEAR ? state_of_part(view, part, f).h : s.head;
    SWE_RUN(stages, transport, view, part, weight, f.y.h, f.next.h, head, s.turned1, s.turned2,
            s.margin);
    SWE_RUN(stages, join, view, part, f.y.h, f.next.h, head, s.turned1, s.turned2, s.margin);
    SWE_RUN(stages, momentum, view, part, weight, head, s.turned1, s.turned2, f.y.h, f.next.h);
}

static void take_part(const swe_stage_table *stages, const swe_view *view, swe_pipeline pipeline,
                      int part, swe_step_fields f, double dt)
{
    if (pipeline == SWE_PIPELINE_STAGED)
        staged_part(stages, view, part, f, dt);
    else if (view->turns)
        swept_part(stages, view, part, f, dt);
    else
        fused_part(stages, view, part, f, dt);
}

/* What a step ends with, if it is asked for: the shortest waves are taken from the state. The next
 * states, of no more use then, lend their room. */
static void dissipate(const swe_stage_table *stages, const swe_view *view, swe_step_fields f,
                      double dt)
{
    real *lent = swe_rk4_lent(view, &f);
    if (view->damping > 0)
        SWE_RUN(stages, damping, view, (real)dt * view->damping, f.y.h, f.y.v1, f.y.v2, lent);
    if (view->dissipation > 0)
        SWE_RUN(stages, dissipation, view, (real)dt * view->dissipation, f.y.h, f.y.v1, f.y.v2,
                lent);
}

/* The result is in the place of Y1, and y's is the next step's Y1. */
static void turn_back(swe_view *view, swe_step_fields *f)
{
    const swe_fields y = f->y;
    f->y = f->next;
    f->next = y;
    view->next = -view->next;
}

void swe_rk4_step(const swe_stage_table *stages, swe_view *view, swe_pipeline pipeline,
                  swe_step_fields *fields, double dt)
{
    swe_region_begin(&view->workers, SWE_REGION_step);
    for (int part = 0; part < RK4_PARTS; part++)
        take_part(stages, view, pipeline, part, *fields, dt);
    if (view->walks)
        turn_back(view, fields);
    dissipate(stages, view, *fields, dt);
    swe_region_end(&view->workers);
}
