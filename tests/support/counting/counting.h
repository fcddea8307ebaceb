/* Counted operations and accesses of a stage: it is run once, with numbers that count. C and C++.
 */
#ifndef SUPPORT_COUNTING_H
#define SUPPORT_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/physics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { COUNTING_BUFFERS = 74, COUNTING_TALLIES = 6 };

typedef struct counting_operations {
    int64_t additions, multiplications, divisions, roots;
} counting_operations;

/* Number of different values of an array that are read, and written; and the same for its padding,
 * the elements without a value. All states of a step have the names of the first: h, v1, v2. */
typedef struct counting_buffer {
    const char *name;
    bool is_double; /* in both precisions */
    int64_t read, written;
    int64_t padding_read, padding_written;
} counting_buffer;

typedef struct counting_tally {
    char kernel[32]; /* "" for all of a stage */
    int block_threads;
    /* Operations on results that depend on array values, without padding; on results of constants
     * only; and on padding. */
    counting_operations on_values, on_constants, on_padding;
    int64_t squares_again; /* multiplications for squares of values that were squared before */
    counting_buffer buffers[COUNTING_BUFFERS];
} counting_tally;

/* The case to run: a stage for n cells and an order, in a flow in which it is active, as substep
 * `substep` of a step does, or sweep of the fused stage. */
typedef struct counting_case {
    int stage, substep, n, order;
    swe_flow flow;
    /* The projection averages h in all substeps, as in the fused pipeline; else another field of
     * the staged one in each substep. */
    bool projects_h;
    bool leaps;   /* fused: the sweeps of leapfrog, on a CPU */
    bool marches; /* on a GPU, the fused stage marches over the points inside the strips */
} counting_case;

/* Run a case on the CPU or as emulated CUDA kernels. tallies[0] counts the whole stage, the others
 * its kernels. Returns the number of kernels, which may exceed COUNTING_TALLIES. */
int counting_run(bool on_cuda, const counting_case *what, counting_tally tallies[COUNTING_TALLIES]);

#ifdef __cplusplus
}
#endif
#endif
