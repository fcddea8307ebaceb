/* XPlane file: packing planes, lines and events, and the planes of a trace.
 *
 * A protobuf message is the concatenation of its fields. Each event is therefore packed and
 * appended on its own, and no plane is ever held as messages. A plane keeps its first failure (out
 * of memory), which xplane_end returns. */
#ifndef PROFILING_OUTPUTS_XPLANE_INTERNAL_H
#define PROFILING_OUTPUTS_XPLANE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "outputs/dataflow/dataflow.h"
#include "outputs/output.h"
#include "window/trace.h"
#include "xplane.pb-c.h"

/* The name of an operation in XProf's form "scope/scope/name:type": the regions around `span` (-1:
 * none) within its step, then the stage. */
enum { XPLANE_OP_NAME_SIZE = 512 };
void xplane_op_name(const prof_trace *trace, int32_t span, const char *stage,
                    char text[XPLANE_OP_NAME_SIZE]);

/* Packed fields. */
typedef struct xplane_bytes {
    FILE *file; /* memory stream; NULL: out of memory */
    char *bytes;
    size_t size;
} xplane_bytes;

/* A plane while it is packed: one device or the host. */
typedef struct xplane_plane {
    int64_t zero; /* origin of offsets [ns since the epoch] */
    xplane_bytes body, line;
    prof_texts event_names, stat_names;
    bool failed;
} xplane_plane;

enum { XPLANE_MOST_STATS = 16 };

/* Properties of an event or a plane besides its name and time. */
typedef struct xplane_stats {
    xplane_plane *plane;
    int count;
    ProfXplane__Stat stat[XPLANE_MOST_STATS];
} xplane_stats;

/* Numbers of planes; the number of a GPU's plane is its index. */
enum { XPLANE_ID_HOST = 1000, XPLANE_ID_TASK, XPLANE_ID_PROGRAM };

/* THE PROGRAM that a step is (xplane_program.c). Each kernel of a stage is an instruction of its
 * own, because XProf adds up work by kernel. */
typedef struct xplane_kernel {
    int32_t stage;    /* index into the graph's stages */
    const char *name; /* of the kernel */
    char instruction[64];
} xplane_kernel;

typedef struct xplane_program {
    char name[PROF_PROGRAM_NAME];
    int32_t id; /* XProf tells the programs of a session by it */
    flow_graph graph;
    xplane_kernel *kernels; /* by first launch */
    int32_t kernel_count;
} xplane_program;

/* False: out of memory. Destroy it in both cases. */
bool xplane_program_of(const prof_trace *trace, xplane_program *program);
void xplane_program_destroy(xplane_program *program);
/* The kernel that an operation is a launch of; NULL: none of the program's. */
const xplane_kernel *xplane_program_find(const xplane_program *program, const prof_op *op);

void xplane_begin(xplane_plane *plane, int64_t id, const char *name, int64_t zero);
/* Append the plane to an XSpace and release it. False: out of memory. The file keeps its own write
 * errors, which the caller checks. */
bool xplane_end(xplane_plane *plane, FILE *space);

void xplane_line_begin(xplane_plane *plane, int64_t id, const char *name);
void xplane_line_end(xplane_plane *plane);

/* Offset of a time [ns since the epoch] from the plane's zero [ps]; 0 for earlier times. */
int64_t xplane_offset(const xplane_plane *plane, int64_t time);

/* Add an event to the line. Events must come by start, and the longer of two with equal starts
 * first. `display` (NULL: none) is shown instead of the name. */
void xplane_event(xplane_stats *stats, const char *name, const char *display, int64_t offset,
                  int64_t end_offset);
/* Add stats to the plane itself. */
void xplane_plane_stats(xplane_stats *stats);
/* Add the name of an event that does not occur, with stats of its own; the plane has no events. */
void xplane_event_name(xplane_stats *stats, int64_t id, const char *text);

/* Add a stat. XProf accepts each stat with one type only. */
void xplane_stat_integer(xplane_stats *stats, const char *name, int64_t value);
void xplane_stat_natural(xplane_stats *stats, const char *name, uint64_t value);
void xplane_stat_real(xplane_stats *stats, const char *name, double value);
void xplane_stat_text(xplane_stats *stats, const char *name, const char *value);
/* The bytes must stay valid until the event, the plane's stats or the event's name is added. */
void xplane_stat_blob(xplane_stats *stats, const char *name, ProtobufCBinaryData value);

/* Append the plane /host:CPU: regions and CUDA calls by thread, and device memory. False: out of
 * memory. */
bool xplane_write_host(const prof_trace *trace, FILE *space);
/* Append a plane /device:GPU:N for each GPU: its streams. False: out of memory. */
bool xplane_write_devices(const prof_trace *trace, const xplane_program *program, FILE *space);

/* Append the plane /host:metadata: the program as an HLO module (xplane_module.c). False: out of
 * memory. */
bool xplane_write_module(const prof_trace *trace, const xplane_program *program, FILE *space);

/* XProf attributes GPU work without a step to the step before it, which then seems longer. Such
 * work is therefore tied to an event that spans the whole window, with XProf's stats for producers,
 * consumers and roots of groups. */
enum { XPLANE_TIE_TYPE = 1, XPLANE_TIE_NUMBER = 1 };

#endif
