#include "run/tasks.h"

#include "ranks/ranks.h"

static const swe_task *const tasks[SWE_TASKS] = {
#define TASK_ROW(NAME, name) [SWE_TASK_##NAME] = &swe_task_##name,
    SWE_TASK_LIST(TASK_ROW)
#undef TASK_ROW
};

static swe_status run(swe_context *ctx, swe_model *model, const swe_task *task, void *given)
{
    swe_ranks_broadcast(given, task->bytes);
    return swe_ranks_agree(ctx, task->run(ctx, model, given));
}

swe_status swe_task_run(swe_context *ctx, swe_model *model, swe_task_number number, void *given)
{
    swe_model_ask_task(model, (int)number);
    return run(ctx, model, tasks[number], given);
}

swe_status swe_task_serve(swe_context *ctx, swe_model *model, int number)
{
    union {
        double alignment;
        char bytes[SWE_TASK_BYTES];
    } given;
    return run(ctx, model, tasks[number], &given);
}
