/* THE TASKS of a run that all ranks share (state/slabs.h). In a task each rank evaluates a case,
 * interpolates a file, sums errors, or computes the variables of a field file, in its own rows. The
 * root sends the arguments of a task in one message. A new task is a line of the list, and a
 * swe_task_<name> beside the code that runs it. */
#ifndef SWE_RUN_TASKS_H
#define SWE_RUN_TASKS_H

#include "state/model.h"

/* TASK(NAME, name) */
#define SWE_TASK_LIST(TASK)                                                                        \
    TASK(START_BOTTOM, start_bottom)                                                               \
    TASK(START_FLOW, start_flow)                                                                   \
    TASK(START_WIND, start_wind)                                                                   \
    TASK(START_TRACER, start_tracer)                                                               \
    TASK(STIR, stir)                                                                               \
    TASK(INTERPOLATE, interpolate)                                                                 \
    TASK(FIND_LOWEST, find_lowest)                                                                 \
    TASK(MEASURE_ERRORS, measure_errors)                                                           \
    TASK(WRITE_FIELDS, write_fields)                                                               \
    TASK(COMPUTE_VARIABLE, compute_variable)

typedef enum swe_task_number {
#define SWE_TASK_ENUM(NAME, name) SWE_TASK_##NAME,
    SWE_TASK_LIST(SWE_TASK_ENUM)
#undef SWE_TASK_ENUM
        SWE_TASKS
} swe_task_number;

/* All ranks run a task with the same arguments, the root's `given`. `given` names fields in host
 * memory by their number (swe_host_fields_number). The root has the results. */
typedef struct swe_task {
    size_t bytes; /* of `given`, at most SWE_TASK_BYTES */
    swe_status (*run)(swe_context *ctx, swe_model *model, void *given);
} swe_task;

enum { SWE_TASK_BYTES = 2048 };

/* Define a task from the type of `given` and run_<name>. */
#define SWE_TASK_DEFINE(name, type)                                                                \
    _Static_assert(sizeof(type) <= SWE_TASK_BYTES, "a task is given more than there is room for"); \
    const swe_task swe_task_##name = {sizeof(type), run_##name}

#define SWE_TASK_DECLARE(NAME, name) extern const swe_task swe_task_##name;
SWE_TASK_LIST(SWE_TASK_DECLARE)
#undef SWE_TASK_DECLARE

/* The root: run a task on all ranks. Errors: of the first rank that fails. */
swe_status swe_task_run(swe_context *ctx, swe_model *model, swe_task_number number, void *given);

/* The others: the tasks of swe_model_serve. */
swe_status swe_task_serve(swe_context *ctx, swe_model *model, int number);

#endif
