/* What the GPU's counters say of the stages. */
#include <string.h>

#include "outputs/summary/parts.h"
#include "outputs/summary/values.h"

static json_t *counted(double value)
{
    return value >= 0.0 ? summary_real(value) : json_null();
}

static json_t *kernels_of(const prof_counted *all, const char *stage)
{
    json_t *kernels = json_array();
    for (int32_t k = 0; k < all->kernel_count; k++)
        if (strcmp(all->kernels[k].stage, stage) == 0)
            summary_append(&kernels,
                           json_pack("{s:o, s:I}", "name", summary_text(all->kernels[k].name),
                                     "launches", (json_int_t)all->kernels[k].launches));
    return kernels;
}

static json_t *stage_of(const prof_counted *all, const prof_counted_stage *stage)
{
    static const char *const names[] = {
#define PROF_METRIC_NAME(name, cupti, unit, meaning) #name,
        PROF_METRIC_LIST(PROF_METRIC_NAME)
#undef PROF_METRIC_NAME
    };
    json_t *row = json_pack("{s:o, s:I, s:o}", "stage", summary_text(stage->stage), "calls",
                            (json_int_t)stage->calls, "kernels", kernels_of(all, stage->stage));
    int failed = 0;
    for (int k = 0; k < PROF_METRIC_COUNT; k++)
        failed |= json_object_set_new(row, names[k], counted(stage->value[k]));
    failed |= json_object_set_new(row, "fp64_flops", counted(prof_counted_flops(stage)));
    if (failed == 0)
        return row;
    json_decref(row);
    return NULL;
}

json_t *summary_counters(const prof_trace *trace)
{
    const prof_counted *all = &trace->counted;
    if (all->chip == NULL)
        return json_null();
    json_t *stages = json_array();
    for (int32_t k = 0; k < all->stage_count; k++)
        summary_append(&stages, stage_of(all, &all->stages[k]));
    return json_pack("{s:o, s:i, s:I, s:o}", "chip", summary_text(all->chip), "passes", all->passes,
                     "first_step", (json_int_t)all->first_step, "stages", stages);
}
