#include "support/counting/counted_step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "time/plan.h"

int counted_step_calls(int stage)
{
    return stage == SWE_STAGE_fused ? SWE_SWEEPS : SWE_SUBSTEPS;
}

static void add_operations(double sums[COUNTED_KINDS], const counting_operations *more)
{
    sums[0] += (double)more->additions;
    sums[1] += (double)more->multiplications;
    sums[2] += (double)more->divisions;
    sums[3] += (double)more->roots;
}

static void add_buffer(counted_step *step, const counting_buffer *more)
{
    int k = 0;
    while (step->buffers[k].name != NULL && strcmp(step->buffers[k].name, more->name) != 0)
        k++;
    counting_buffer *buffer = &step->buffers[k];
    buffer->name = more->name;
    buffer->is_double = more->is_double;
    buffer->read += more->read;
    buffer->written += more->written;
    buffer->padding_read += more->padding_read;
    buffer->padding_written += more->padding_written;
}

static void add_tally(counted_step *step, const counting_tally *tally)
{
    double padding[COUNTED_KINDS] = {0.0};
    memcpy(step->kernel, tally->kernel, sizeof step->kernel);
    step->block_threads = tally->block_threads;
    add_operations(step->operations, &tally->on_values);
    add_operations(step->operations + COUNTED_KINDS, &tally->on_constants);
    add_operations(padding, &tally->on_padding);
    for (int k = 0; k < COUNTED_KINDS; k++)
        step->on_padding += padding[k];
    step->squares_again += (double)tally->squares_again;
    for (int k = 0; k < COUNTING_BUFFERS && tally->buffers[k].name != NULL; k++)
        add_buffer(step, &tally->buffers[k]);
}

/* The kernel of that name, in the order of their first launches. */
static counted_step *find_kernel(counted_step steps[COUNTING_TALLIES], int *kernels,
                                 const char *name)
{
    for (int k = 1; k <= *kernels; k++)
        if (strcmp(steps[k].kernel, name) == 0)
            return &steps[k];
    if (*kernels + 1 == COUNTING_TALLIES) {
        fprintf(stderr, "counting: no room for kernel %s\n", name);
        abort();
    }
    return &steps[++*kernels];
}

int counted_step_run(bool on_cuda, counting_case what, counted_step steps[COUNTING_TALLIES])
{
    int kernels = 0;
    memset(steps, 0, COUNTING_TALLIES * sizeof *steps);
    for (what.substep = 0; what.substep < counted_step_calls(what.stage); what.substep++) {
        static counting_tally tallies[COUNTING_TALLIES];
        const int launched = counting_run(on_cuda, &what, tallies);
        add_tally(&steps[0], &tallies[0]);
        for (int k = 1; k <= launched && k < COUNTING_TALLIES; k++)
            add_tally(find_kernel(steps, &kernels, tallies[k].kernel), &tallies[k]);
    }
    return kernels;
}

double counted_step_values(const counted_step *step, const char *buffer, bool writes)
{
    for (int k = 0; k < COUNTING_BUFFERS && step->buffers[k].name != NULL; k++)
        if (strcmp(step->buffers[k].name, buffer) == 0)
            return (double)(writes ? step->buffers[k].written : step->buffers[k].read);
    return 0.0;
}
