/* THE TIMELINE: a trace as viewers show it, in tracks of slices, counters and notes.
 *
 * prof_timeline_tell walks through a trace and tells a sink, which writes it in its format:
 *
 *     process                           notes: the window, what was dropped, warnings
 *       thread of the CPU               regions and threads' parts
 *       CUDA calls of a thread
 *     GPU
 *       stream                          kernels, copies, fills
 *       counter
 *
 * A track is told before what is on it. The slices of one track nest: what overlaps without
 * nesting is put on a further track beside it. An operation is tied to what launched it by a flow,
 * whose number nothing else has. */
#ifndef PROFILING_OUTPUTS_PERFETTO_TIMELINE_H
#define PROFILING_OUTPUTS_PERFETTO_TIMELINE_H

#include "trace/trace.h"

typedef enum prof_track_kind {
    PROF_TRACK_PROCESS,
    PROF_TRACK_THREAD,
    PROF_TRACK_GPU,
    PROF_TRACK_ROW, /* other slices */
    PROF_TRACK_COUNTER
} prof_track_kind;

typedef struct prof_track {
    prof_track_kind kind;
    int32_t id;              /* 1, 2, ... in the order in which they are to be shown */
    int32_t parent;          /* a track's id; 0: none */
    int32_t group;           /* id of the process or GPU that it belongs to, or is */
    int32_t process, thread; /* the operating system's; of a process, of a thread */
    const char *unit;        /* of a counter; "B" for bytes */
    char name[512];
} prof_track;

typedef enum prof_argument_kind {
    PROF_ARGUMENT_COUNT,
    PROF_ARGUMENT_REAL,
    PROF_ARGUMENT_TEXT
} prof_argument_kind;

/* A property of a slice. */
typedef struct prof_argument {
    const char *name;
    prof_argument_kind kind;
    union {
        uint64_t count;
        double real;
        const char *text;
    } value;
} prof_argument;

enum { PROF_ARGUMENTS_MOST = 12 };

/* Something on a track, from `start` to `end`; a note has no length. */
typedef struct prof_slice {
    const char *name, *category;
    int64_t start, end;
    prof_argument argument[PROF_ARGUMENTS_MOST];
    int arguments;
    const uint64_t *flows_out; /* that start here */
    int64_t flow_count;
    uint64_t flow_in;         /* that ends here; 0: none */
    char grid[40], block[40]; /* room for arguments' texts */
} prof_slice;

typedef struct prof_sink {
    void *self;
    void (*track)(void *self, const prof_track *track);
    void (*begin)(void *self, const prof_track *track, const prof_slice *slice);
    /* The innermost slice of the track that has not ended yet ends. */
    void (*end)(void *self, const prof_track *track, int64_t time);
    void (*note)(void *self, const prof_track *track, const prof_slice *note);
    void (*point)(void *self, const prof_track *counter, int64_t time, double value);
} prof_sink;

/* False if there is no memory. */
bool prof_timeline_tell(const prof_trace *trace, const prof_sink *sink);

#endif
