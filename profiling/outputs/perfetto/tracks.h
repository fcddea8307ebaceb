/* TRACKS: a trace as timeline viewers show it, in tracks of slices, counters and notes. Ranks come
 * one after the other.
 *
 * prof_tracks_emit walks through a trace and passes it to a sink, which writes it in its format:
 *
 *     process                           notes: the window, dropped records, warnings
 *       CPU thread                      regions, thread shares of stages, messages of other ranks
 *       CUDA calls of a thread
 *     GPU
 *       stream                          kernels, copies, fills
 *       counter
 *
 * A track comes before its contents. The slices of one track nest; slices that overlap without
 * nesting go to an additional track beside it. A flow connects an operation with the call or region
 * that launched it, or a message with the rank that sent it; the number of a flow is unique in the
 * trace. */
#ifndef PROFILING_OUTPUTS_PERFETTO_TRACKS_H
#define PROFILING_OUTPUTS_PERFETTO_TRACKS_H

#include "window/trace.h"

/* Ids of processes and threads of a machine are below this. Those of rank r on another machine than
 * rank 0 are larger by r times as much. */
enum { PROF_IDS_OF_MACHINE = 1 << 22 };

typedef enum prof_track_kind {
    PROF_TRACK_PROCESS,
    PROF_TRACK_THREAD,
    PROF_TRACK_GPU,
    PROF_TRACK_ROW, /* other slices */
    PROF_TRACK_COUNTER
} prof_track_kind;

typedef struct prof_track {
    prof_track_kind kind;
    int32_t id;              /* 1, 2, ... in the order of display */
    int32_t parent;          /* id of the enclosing track; 0: none */
    int32_t group;           /* id of the track's process or GPU, or its own id if it is one */
    int32_t process, thread; /* ids of the operating system; of a process, of a thread */
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

/* An interval on a track, from `start` to `end` [ns since the epoch]; a note has no length. */
typedef struct prof_slice {
    const char *name, *category;
    int64_t start, end;
    prof_argument argument[PROF_ARGUMENTS_MOST];
    int arguments;
    const uint64_t *flows_out; /* flows that start at this slice */
    int64_t flow_count;
    const uint64_t *flows_in; /* flows that end at it */
    int64_t flow_in_count;
    uint64_t launch_flow;     /* storage of the one flow that ends at an operation */
    char grid[40], block[40]; /* storage of arguments' texts */
} prof_slice;

/* Receives the tracks of a trace; `self` is its own state. */
typedef struct prof_sink {
    void *self;
    void (*track)(void *self, const prof_track *track);
    void (*begin)(void *self, const prof_track *track, const prof_slice *slice);
    /* Ends the innermost open slice of the track; NULL: slices that begin have their ends. */
    void (*end)(void *self, const prof_track *track, int64_t time);
    void (*note)(void *self, const prof_track *track, const prof_slice *note);
    void (*point)(void *self, const prof_track *counter, int64_t time, double value);
} prof_sink;

/* Pass all tracks of a trace to a sink. False: out of memory. */
bool prof_tracks_emit(const prof_trace *trace, const prof_sink *sink);

#endif
