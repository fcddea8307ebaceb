/* A stage counted over the substeps of a step, or the sweeps of the fused stage: the source of its
 * table of costs, and the reference for the costs. */
#ifndef SUPPORT_COUNTED_STEP_H
#define SUPPORT_COUNTED_STEP_H

#include "support/counting/counting.h"

/* Additions, multiplications, divisions, roots; then the same four kinds for operations on
 * constants alone. */
enum { COUNTED_KINDS = 4, COUNTED_OPERATIONS = 2 * COUNTED_KINDS };

/* Sums over the calls of a stage, or of one of its kernels, in a step. */
typedef struct counted_step {
    char kernel[32]; /* "" for all of a stage */
    int block_threads;
    double operations[COUNTED_OPERATIONS];
    double on_padding, squares_again;          /* operations that are not among these */
    counting_buffer buffers[COUNTING_BUFFERS]; /* each name once */
} counted_step;

/* Count a stage; `what.substep` is ignored. steps[0] is the stage, the others are its kernels (none
 * on a CPU). Returns the number of kernels. */
int counted_step_run(bool on_cuda, counting_case what, counted_step steps[COUNTING_TALLIES]);

/* Number of calls of a stage that are counted: its calls in a step. */
int counted_step_calls(int stage);

/* Values of a buffer that are read or written; 0 where there is no such buffer. */
double counted_step_values(const counted_step *step, const char *buffer, bool writes);

#endif
