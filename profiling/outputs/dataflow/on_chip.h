/* ON-CHIP MEMORY that would hold what a call of a stage works on: all of it, one panel's, or a
 * block of rows of one panel with the rows beside it that the stencil reaches.
 *
 * Assumed: fields on a cubed sphere, 6 panels of n + 1 rows, over which the bytes of every buffer
 * lie evenly; interior stencils of order p, which reach p/2 rows to either side; every buffer that
 * is read needs those rows, one that is only written none; a buffer that is read and written is
 * held once. n and p are the facts "n" and "order". */
#ifndef PROFILING_OUTPUTS_DATAFLOW_ON_CHIP_H
#define PROFILING_OUTPUTS_DATAFLOW_ON_CHIP_H

#include "trace/trace.h"

enum { FLOW_PANELS = 6, FLOW_BLOCKS = 4 };

extern const int flow_block_rows[FLOW_BLOCKS];

typedef struct flow_shape {
    double rows; /* of a panel; 0: not known */
    double halo; /* rows to either side; negative: not known */
} flow_shape;

flow_shape flow_shape_of(const prof_trace *trace);

/* Bytes of all that a call works on, and of a block of `rows` rows of a panel with the halo that
 * reads need; the shape is known. */
double flow_whole_bytes(const prof_cost *cost);
double flow_block_bytes(const prof_cost *cost, flow_shape shape, int rows);

#endif
