/* The program that a step is: the kernels of the stages that ran and have a cost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/xplane/internal.h"

/* The stage of an operation that ran in the steps and has a cost; -1: none. */
static int32_t stage_of(const flow_graph *graph, const prof_op *op)
{
    for (int32_t k = 0; k < graph->stage_count && op->stage != NULL; k++) {
        const flow_stage *stage = &graph->stages[k];
        if (stage->calls > 0 && stage->cost != NULL && strcmp(stage->name, op->stage) == 0)
            return k;
    }
    return -1;
}

const xplane_kernel *xplane_program_find(const xplane_program *program, const prof_op *op)
{
    const int32_t stage = op->kind == PROF_OP_KERNEL ? stage_of(&program->graph, op) : -1;
    for (int32_t k = 0; k < program->kernel_count && stage >= 0; k++)
        if (program->kernels[k].stage == stage && strcmp(program->kernels[k].name, op->name) == 0)
            return &program->kernels[k];
    return NULL;
}

static bool add_kernel(xplane_program *program, int64_t *room, const prof_op *op)
{
    xplane_kernel *grown =
        prof_grow(program->kernels, program->kernel_count, room, sizeof *program->kernels);
    if (grown == NULL)
        return false;
    program->kernels = grown;
    program->kernels[program->kernel_count++] =
        (xplane_kernel){.stage = stage_of(&program->graph, op), .name = op->name};
    return true;
}

/* Name the instructions: after the stage, and with a number if it has several kernels. */
static void name_instructions(xplane_program *program)
{
    for (int32_t k = 0; k < program->kernel_count; k++) {
        xplane_kernel *kernel = &program->kernels[k];
        const char *stage = program->graph.stages[kernel->stage].name;
        int number = 0, count = 0;
        for (int32_t j = 0; j < program->kernel_count; j++) {
            count += program->kernels[j].stage == kernel->stage;
            number += j <= k && program->kernels[j].stage == kernel->stage;
        }
        snprintf(kernel->instruction, sizeof kernel->instruction, count > 1 ? "%.40s.%d" : "%.40s",
                 stage, number);
    }
}

/* A number of a program's name, size, order and precision: the FNV-1a hash, without its sign. */
static int32_t id_of(const prof_trace *trace, const char *name)
{
    const prof_fact *n = prof_fact_named(trace, "n"), *order = prof_fact_named(trace, "order");
    char text[PROF_PROGRAM_NAME + 80];
    uint32_t hash = 2166136261u;
    snprintf(text, sizeof text, "%s %.17g %.17g %d", name, n != NULL ? n->number : 0.0,
             order != NULL ? order->number : 0.0, prof_is_single(trace));
    for (const char *at = text; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    return (int32_t)(hash & INT32_MAX);
}

bool xplane_program_of(const prof_trace *trace, xplane_program *program)
{
    int64_t room = 0;
    *program = (xplane_program){.kernel_count = 0};
    prof_program_name(trace, program->name);
    program->id = id_of(trace, program->name);
    bool done = flow_graph_of(trace, &program->graph);
    for (int64_t k = 0; k < trace->op_count && done; k++) {
        const prof_op *op = &trace->ops[k];
        if (op->kind == PROF_OP_KERNEL && stage_of(&program->graph, op) >= 0 &&
            xplane_program_find(program, op) == NULL)
            done = add_kernel(program, &room, op);
    }
    name_instructions(program);
    return done;
}

void xplane_program_destroy(xplane_program *program)
{
    free(program->kernels);
    flow_graph_destroy(&program->graph);
    *program = (xplane_program){.kernel_count = 0};
}
