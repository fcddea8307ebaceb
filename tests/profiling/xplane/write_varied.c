/* write_varied DIR: write the sample trace to DIR with rare cases added: texts that are not UTF-8,
 * a call of an unknown thread, a second GPU, a copy between unknown memories, work in a step known
 * only by its time or only by its launch, regions with equal starts, many blocks of memory, and
 * more memory in use than the blocks have. */
#include <stdio.h>
#include <stdlib.h>

#include "outputs/output.h"
#include "sample_trace.h"

enum { BLOCKS = 100 };

static void print_line(void *nobody, const char *line)
{
    (void)nobody;
    fprintf(stderr, "%s\n", line);
}

static prof_span *first_step(prof_trace *trace)
{
    prof_span *span = trace->spans;
    while (span->kind != PROF_STEP)
        span++;
    return span;
}

/* A call that launches in a step. */
static void add_launch(prof_trace *t, uint32_t correlation, int32_t thread_id)
{
    const prof_span *step = first_step(t);
    const int64_t middle = (step->start + step->end) / 2;
    t->calls[t->call_count++] = (prof_call){.name = "cuLaunchKernel",
                                            .kind = PROF_CALL_DRIVER,
                                            .start = middle,
                                            .end = middle + 10,
                                            .thread_id = thread_id,
                                            .correlation = correlation,
                                            .span = (int32_t)(step - t->spans),
                                            .result = 700};
}

static prof_op *add_op(prof_trace *t, const char *name, int64_t start, uint32_t correlation)
{
    prof_op *op = &t->ops[t->op_count++];
    *op = (prof_op){.name = name,
                    .start = start,
                    .end = start + 100,
                    .stream = 21,
                    .correlation = correlation,
                    .span = -1,
                    .grid = {1, 1, 1},
                    .block = {1, 1, 1}};
    return op;
}

static void vary_work(prof_trace *t)
{
    const prof_span *step = first_step(t);
    add_launch(t, 2000, 7777);
    add_launch(t, 2001, t->threads[0].id);
    add_op(t, "timed_kernel()", step->end - 200, 3000);
    add_op(t, "late_kernel()", t->end - 300, 2001)->graph = 3;
    add_op(t, "second_kernel()", step->end - 200, 2000)->device = 1;
    prof_op *copy = add_op(t, "[CUDA memcpy Unified]", t->end - 200, 3001);
    copy->kind = PROF_OP_COPY;
    copy->from = PROF_MEMORY_MANAGED;
}

static bool vary_memory(prof_blocks *before)
{
    prof_block *block = realloc(before->block, (BLOCKS + 3) * sizeof *block);
    if (block == NULL)
        return false;
    before->block = block;
    for (int k = 0; k < BLOCKS; k++)
        block[before->count++] = (prof_block){0x100000 * (uint64_t)(k + 1), 1, 0, -1};
    before->in_use += BLOCKS + 1000;
    return true;
}

static bool vary(prof_trace *t)
{
    t->host = "node \xff/2";
    t->warnings[0] = "cut in a character: \xe2\x82";
    first_step(t)[0].start = t->start;
    first_step(t)[1].start = t->start;
    vary_work(t);
    prof_trace_finish(t);
    return vary_memory(&t->before);
}

int main(int argc, char **argv)
{
    swe_log log = {.warn = print_line};
    prof_trace *trace = argc == 2 ? sample_trace(true) : NULL;
    if (trace == NULL || !vary(trace))
        return 64;
    const bool written = prof_write_xplane(trace, argv[1], &log);
    prof_trace_destroy(&trace);
    return written ? 0 : 1;
}
