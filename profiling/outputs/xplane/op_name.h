/* Names of operations. */
#ifndef PROFILING_OUTPUTS_XPLANE_OP_NAME_H
#define PROFILING_OUTPUTS_XPLANE_OP_NAME_H

#include "trace/trace.h"

/* The name of an operation as XProf takes it apart, "scope/scope/name:type": the regions around
 * `span` (-1: none) within its step, then the stage. */
enum { XPLANE_OP_NAME_SIZE = 512 };
void xplane_op_name(const prof_trace *trace, int32_t span, const char *stage,
                    char text[XPLANE_OP_NAME_SIZE]);

#endif
