/* THE TRACE: all measurements of one window, in host memory.
 *
 * Sources (../sources) fill it; outputs (../outputs) only read it. Times are nanoseconds since the
 * epoch on one clock that goes on as CLOCK_MONOTONIC from the time of day when the window opened.
 * The trace owns its arrays. Strings live as long as the trace: literals, or interned by
 * prof_trace_intern. An index of -1 means none.
 */
#ifndef PROFILING_WINDOW_TRACE_H
#define PROFILING_WINDOW_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler.h"

/* Counters of a CPU thread: name, unit, meaning. */
#define PROF_COUNTER_LIST(COUNTER)                                                                 \
    COUNTER(task_clock, "ns", "time on a core")                                                    \
    COUNTER(context_switches, "", "times that it left its core")                                   \
    COUNTER(instructions, "", "instructions retired")                                              \
    COUNTER(cycles, "", "core cycles")                                                             \
    COUNTER(cache_misses, "", "misses of the last-level cache")

enum {
#define PROF_COUNTER_ENUM(name, unit, meaning) PROF_COUNTER_##name,
    PROF_COUNTER_LIST(PROF_COUNTER_ENUM)
#undef PROF_COUNTER_ENUM
        PROF_COUNTER_COUNT
};

/* INTERNED TEXTS: copies, one for all equal texts, numbered 1, 2, ... in order of appearance.
 * Zero-initialised. */
typedef struct prof_text {
    int32_t number;
    const char *display; /* set by the owner of the list; initially NULL */
    char *text;          /* behind the structure in memory */
} prof_text;

typedef struct prof_texts {
    prof_text **item; /* [count], by number */
    int64_t count, room;
    void *tree; /* of tsearch */
} prof_texts;

/* The entry of a text, which is added if it is new; it stays in place. NULL without memory. */
prof_text *prof_texts_find(prof_texts *texts, const char *text);
void prof_texts_destroy(prof_texts *texts);

/* Grow an array so that it holds more than `count` elements, `room` at present. NULL without
 * memory; then the old array stays valid. */
void *prof_grow(void *array, int64_t count, int64_t *room, size_t size);

/* A region on the main thread (thread 0), or one thread's share of a stage (kind PROF_THREAD, on
 * any thread). Regions come first, by start, a parent before its children; then the shares, thread
 * by thread. */
typedef struct prof_span {
    const char *name;
    prof_kind kind;
    int64_t start, end;
    int64_t step;   /* model step, of a launch the first one; -1 outside of steps */
    int32_t parent; /* index of the enclosing span; of a PROF_THREAD span: of its stage */
    int32_t depth;  /* 0: outermost */
    int32_t thread; /* index into threads */
    int64_t counts[PROF_COUNTER_COUNT]; /* PROF_THREAD only; -1 where not measured */
} prof_span;

typedef struct prof_thread {
    const char *name; /* "main", "worker 1" */
    int32_t id;       /* thread id of the operating system */
} prof_thread;

/* An exchange with other ranks, by time. All ranks have the same exchanges in the same order, so
 * that equal indices are one exchange. */
typedef struct prof_exchange {
    int64_t time;           /* at which its messages start */
    int32_t span;           /* innermost region then */
    int32_t wait;           /* region of the wait for those received; -1: none */
    int64_t first;          /* index of its first message; those received come first */
    int32_t received, sent; /* numbers of messages */
} prof_exchange;

typedef struct prof_message {
    int32_t rank; /* the other rank */
    int64_t bytes;
} prof_message;

typedef enum prof_op_kind { PROF_OP_KERNEL, PROF_OP_COPY, PROF_OP_FILL } prof_op_kind;

/* Kinds of memory, as source and target of copies. */
typedef enum prof_memory_kind {
    PROF_MEMORY_UNKNOWN,
    PROF_MEMORY_PAGEABLE,
    PROF_MEMORY_PINNED,
    PROF_MEMORY_DEVICE,
    PROF_MEMORY_ARRAY,
    PROF_MEMORY_MANAGED
} prof_memory_kind;

/* An operation of the GPU: a kernel, a copy or a fill (memset). Sorted by start. */
typedef struct prof_op {
    prof_op_kind kind;
    const char *name; /* kernel: demangled; copy and fill: nsys's, "[CUDA memcpy Host-to-Device]" */
    int64_t start, end;
    int32_t device, context, stream;
    uint32_t correlation; /* id of the call that launched it */
    int32_t span;         /* innermost region at its launch */
    const char *stage;    /* name of the innermost region at its launch, or at the capture of its
                           * graph node; NULL if unknown */
    uint32_t graph;       /* id of its CUDA graph; 0: none */
    uint64_t graph_node;
    int32_t captured_step; /* of a node: its step within the graph, from 1; 0: unknown */
    int32_t captured_call; /* the call of its stage within the graph, from 1; 0: none */
    /* kernels */
    int32_t grid[3], block[3];
    int32_t registers; /* per thread */
    int32_t static_shared, dynamic_shared;
    int32_t local;    /* bytes per thread: spills and stack */
    double occupancy; /* theoretical, percent; -1 if unknown */
    /* copies and fills */
    uint64_t bytes;
    prof_memory_kind from, to;
    bool asynchronous;
} prof_op;

/* A step, or a call of a stage, within a graph that was launched in the window: from the start of
 * its first operation to the end of its last. Sorted by start. */
typedef struct prof_replay {
    prof_kind kind;   /* PROF_STEP or PROF_STAGE */
    const char *name; /* of the stage; NULL for a step */
    int64_t step;     /* model step */
    int64_t start, end, ops;
    uint32_t correlation; /* id of the launch */
    int32_t captured;     /* captured_step or captured_call of its operations */
} prof_replay;

typedef enum prof_call_kind {
    PROF_CALL_RUNTIME,
    PROF_CALL_DRIVER,
    PROF_CALL_SYNCHRONIZE, /* the host waits for a stream, event or context */
    PROF_CALL_OVERHEAD     /* CUPTI's own work */
} prof_call_kind;

/* A CUDA call on the host. Sorted by start. */
typedef struct prof_call {
    prof_call_kind kind;
    const char *name; /* "cudaLaunchKernel_v7000" */
    int64_t start, end;
    int32_t thread_id;    /* the operating system's */
    uint32_t correlation; /* 0 if it has none */
    int32_t span;         /* innermost region at the call */
    int32_t result;       /* 0: success */
} prof_call;

/* Quantities of a GPU's state: key in files, member of a sample, track title, unit. */
#define PROF_STATE_LIST(STATE)                                                                     \
    STATE(sm_percent, sm, "SM utilisation", "%")                                                   \
    STATE(memory_percent, memory, "memory utilisation", "%")                                       \
    STATE(memory_used_bytes, memory_used, "memory used", "B")                                      \
    STATE(sm_clock_mhz, sm_clock, "SM clock", "MHz")                                               \
    STATE(memory_clock_mhz, memory_clock, "memory clock", "MHz")                                   \
    STATE(power_watts, power, "power", "W")                                                        \
    STATE(temperature_celsius, temperature, "temperature", "\u00b0C")

/* A sample of a GPU's state (NVML). Negative: unknown. */
typedef struct prof_gpu_sample {
    int64_t time;
    int32_t device;
    double sm, memory;             /* utilisation, percent */
    double memory_used;            /* bytes */
    double sm_clock, memory_clock; /* MHz */
    double power;                  /* W */
    double temperature;            /* degrees C */
} prof_gpu_sample;

/* Hardware counters of a GPU, summed by stage: a member of the trace. */

/* Metrics: name, CUPTI's name, unit, meaning. Sums over all units of the GPU. */
#define PROF_METRIC_LIST(METRIC)                                                                   \
    METRIC(time_ns, "gpu__time_duration.sum", "nanosecond", "time on the GPU")                     \
    METRIC(dram_read_bytes, "dram__bytes_read.sum", "byte", "read from device memory")             \
    METRIC(dram_written_bytes, "dram__bytes_write.sum", "byte", "written to device memory")        \
    METRIC(l2_bytes, "lts__t_bytes.sum", "byte", "requested of L2")                                \
    METRIC(l1_bytes, "l1tex__t_bytes.sum", "byte", "requested of L1")                              \
    METRIC(fp64_adds, "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "instruction",        \
           "FP64 additions, of all threads")                                                       \
    METRIC(fp64_multiplies, "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "instruction",  \
           "FP64 multiplications, of all threads")                                                 \
    METRIC(fp64_fmas, "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "instruction",        \
           "FP64 multiply-adds, of all threads")

enum {
#define PROF_METRIC_ENUM(name, cupti, unit, meaning) PROF_METRIC_##name,
    PROF_METRIC_LIST(PROF_METRIC_ENUM)
#undef PROF_METRIC_ENUM
        PROF_METRIC_COUNT
};

/* Totals of the calls of one stage in one step. */
typedef struct prof_counted_stage {
    const char *stage;
    int64_t calls;
    double value[PROF_METRIC_COUNT]; /* sum over the calls; negative: not counted */
} prof_counted_stage;

/* Launches of a kernel in one stage in one step. */
typedef struct prof_counted_kernel {
    const char *stage, *name;
    int64_t launches;
} prof_counted_kernel;

/* Counters of one step. Each pass counts some of the metrics in a step of its own; all steps do the
 * same work. Stages and kernels are in order of their first call. */
typedef struct prof_counted {
    const char *chip; /* "GH100"; NULL if nothing was counted */
    int32_t passes;
    int64_t first_step; /* model step of the first pass */
    prof_counted_stage *stages;
    int32_t stage_count;
    prof_counted_kernel *kernels;
    int32_t kernel_count;
} prof_counted;

/* FP64 operations; a multiply-add counts as two. Negative: not counted. */
static inline double prof_counted_flops(const prof_counted_stage *stage)
{
    const double adds = stage->value[PROF_METRIC_fp64_adds];
    const double multiplies = stage->value[PROF_METRIC_fp64_multiplies];
    const double fmas = stage->value[PROF_METRIC_fp64_fmas];
    return adds < 0.0 || multiplies < 0.0 || fmas < 0.0 ? -1.0 : adds + multiplies + 2.0 * fmas;
}

/* Hardware counters of a GPU over time: a member of the trace. */

/* Quantities: name, track title, unit, meaning. */
#define PROF_SAMPLED_LIST(QUANTITY)                                                                \
    QUANTITY(sm_active_percent, "SMs active", "%", "time that a multiprocessor had a warp")        \
    QUANTITY(warps_active_percent, "warps active", "%",                                            \
             "warps on the multiprocessors, of the most that they hold")                           \
    QUANTITY(fp64_active_percent, "FP64 pipe active", "%", "time that FP64 units worked")          \
    QUANTITY(dram_read_bytes_per_s, "DRAM read", "B/s", "read from device memory")                 \
    QUANTITY(dram_written_bytes_per_s, "DRAM written", "B/s", "written to device memory")          \
    QUANTITY(l2_hit_percent, "L2 hits", "%", "what L2 had, of what was requested of it")

enum {
#define PROF_SAMPLED_ENUM(name, title, unit, meaning) PROF_SAMPLED_##name,
    PROF_SAMPLED_LIST(PROF_SAMPLED_ENUM)
#undef PROF_SAMPLED_ENUM
        PROF_SAMPLED_COUNT
};

/* Means over [start, end] [ns] and over the whole GPU. */
typedef struct prof_sampled_interval {
    int64_t start, end;
    double value[PROF_SAMPLED_COUNT]; /* negative: unknown */
} prof_sampled_interval;

/* Consecutive intervals within the window. */
typedef struct prof_sampled {
    const char *chip; /* "GH100"; NULL if nothing was sampled */
    int64_t period;   /* requested [ns] */
    prof_sampled_interval *intervals;
    int64_t count;
} prof_sampled;

/* An allocation (bytes > 0) or release (bytes < 0) of device memory. Sorted by time. */
typedef struct prof_memory_event {
    int64_t time;
    uint64_t address;
    int64_t bytes;
    int64_t in_use, peak; /* afterwards */
    int32_t site;         /* of the allocation; index into sites */
} prof_memory_event;

/* An allocated block of device memory. */
typedef struct prof_block {
    uint64_t address;
    int64_t bytes;
    int64_t time; /* of its allocation */
    int32_t site;
} prof_block;

/* Snapshot of all blocks. */
typedef struct prof_blocks {
    int64_t time;
    prof_block *block;
    int32_t count;
    int64_t in_use, peak;
} prof_blocks;

/* Whole-run time of a run phase: setup, warm-up, steps, ... */
typedef struct prof_phase_time {
    const char *name;
    double total; /* ns, so far */
    int64_t count;
    double share; /* of all phases; set by the report */
} prof_phase_time;

/* Numbers of records that were lost, by reason. */
typedef struct prof_drops {
    int64_t spans;    /* regions and threads' shares beyond max_events */
    int64_t ops;      /* GPU operations and calls beyond max_events */
    int64_t records;  /* dropped by CUPTI: its buffers were full */
    int64_t rejected; /* records without valid times */
    int64_t unknown;  /* records of unsupported kinds */
} prof_drops;

/* Cost of tracing, and the state of the records. The time of a step [ns] is the host time of a
 * stride, from its start to the end of its wait, divided by its number of steps; 0 or NAN:
 * unknown. */
typedef struct prof_tracing {
    const char *launch;       /* how steps were launched: "graph", "eager"; NULL or "" on a CPU */
    int64_t launched_steps;   /* steps of the window that graphs launched */
    double untraced, traced;  /* median over strides before the first window; in this window */
    int64_t untraced_strides; /* number of strides before the first window */
    double ratio;             /* traced over untraced; 0 or NAN: unknown */
    double later;             /* median over strides from the last window to this one */
    double waited;            /* time that threads waited for cores over the window's */
    int64_t discarded_steps;  /* steps just before the window whose records were discarded */
    int64_t early_ops;        /* GPU operations that begin before their launch */
    double clock_difference;  /* CUPTI's clock less the host's [ns]; 0: within the reading; NAN:
                                 not compared */
} prof_tracing;

/* The compute device. Zero, negative, NAN or "": unknown. Texts are not NULL. */
typedef struct prof_device_info {
    const char *name, *vendor;
    bool is_gpu;
    int64_t index;                  /* of CUDA; negative: unknown */
    int64_t threads;                /* CPU threads that share a stage */
    const char *compute_capability; /* "9.0" */
    int64_t multiprocessors, warps_per_multiprocessor;
    double clock;            /* Hz */
    double memory_bandwidth; /* B/s, of the data sheet */
    double memory_size;      /* B */
    double peak_flops;       /* FP64, 1/s, of the data sheet */
} prof_device_info;

/* A rank of the window, as compared with others (ranks.h). */
typedef struct prof_rank prof_rank;

typedef struct prof_trace {
    /* the window */
    int64_t start, end;
    int64_t first_step, steps;
    prof_mode mode;
    const char *case_name, *version, *host;
    int32_t process;
    prof_device_info device;
    const prof_fact *facts; /* of the run; not owned */
    int32_t fact_count;
    const prof_cost *costs; /* of the stages; not owned */
    int32_t cost_count;
    const prof_buffer *buffers; /* not owned */
    int32_t buffer_count;
    prof_cost *own_costs; /* `costs` if they are this rank's share of the options'; NULL: they are
                             the options' */
    prof_peaks peaks;
    prof_tracing tracing;

    /* Ranks. `rank_count` is 0 if there is one. In the trace of rank 0: what `ranks` of all tell,
     * and the traces of ranks 1 to `traced` - 1, which outputs show beside it. */
    int32_t rank;
    double share; /* of the work that the rank does */
    prof_rank *ranks;
    int32_t rank_count, traced;
    struct prof_trace **others;

    prof_thread *threads;
    int32_t thread_count;
    prof_span *spans;
    int64_t span_count;
    prof_exchange *exchanges;
    int64_t exchange_count;
    prof_message *messages; /* of the exchanges */
    int64_t message_count;
    prof_op *ops;
    int64_t op_count;
    prof_replay *replays;
    int64_t replay_count;
    prof_call *calls;
    int64_t call_count;
    prof_gpu_sample *samples;
    int64_t sample_count;
    prof_counted counted; /* modes PROF_COUNTERS and PROF_FULL, on a GPU */
    prof_sampled sampled; /* modes but PROF_COUNTERS, on a GPU, on request */
    prof_parts parts;     /* on request */
    prof_place *sites;    /* where device memory was allocated */
    int32_t site_count;
    prof_memory_event *memory_events; /* within the window */
    int64_t memory_event_count;
    prof_blocks before, after; /* device memory when the window opened and when it closed */
    int64_t untracked_blocks, untracked_bytes; /* allocations within the window that CUPTI recorded
                                                  and prof_allocated did not */
    prof_phase_time *phases;
    int32_t phase_count;
    prof_drops drops;
    const char **warnings;
    int32_t warning_count;

    prof_texts texts; /* interned; private */
} prof_trace;

/* Ranks whose traces outputs show, at most: of the others prof_trace.ranks tells. Their number, and
 * the trace of one of them. */
enum { PROF_MOST_TRACED = 64 };

static inline int32_t prof_trace_shown(const prof_trace *trace)
{
    return trace->traced > 0 ? trace->traced : 1;
}

static inline const prof_trace *prof_trace_of_rank(const prof_trace *trace, int32_t rank)
{
    return rank == 0 ? trace : trace->others[rank - 1];
}

/* An empty trace; NULL without memory. */
prof_trace *prof_trace_create(void);
void prof_trace_destroy(prof_trace **trace);

/* Intern a text: a copy owned by the trace, one for all equal texts. Without memory, a static
 * placeholder; never NULL. */
const char *prof_trace_intern(prof_trace *trace, const char *text);

/* Bytes of device memory and FLOPs of one call of a stage, the mean of its calls, as the GPU
 * counted them. What was not counted is unchanged, as FLOPs of single precision. False if the bytes
 * are. */
bool prof_counted_work(const prof_trace *trace, const char *stage, double *bytes, double *flops);

/* Copy what another trace counted, if it did; NULL: it did not. False without memory. */
bool prof_trace_copy_counted(const prof_trace *from, prof_trace *to);

/* Sort operations and calls by start, set the missing stages of operations by their spans, and find
 * the replays. Called once, after all sources have filled the trace. False without memory for the
 * replays. */
bool prof_trace_finish(prof_trace *trace);

/* Move all times of a trace by a number of ns. */
void prof_trace_shift(prof_trace *trace, int64_t by);

/* A trace as one piece of bytes, for another rank of the same program: without the case, the
 * version, the facts, costs and buffers, which all ranks share, and without other ranks. The caller
 * frees the bytes. NULL without memory. */
void *prof_trace_pack(const prof_trace *trace, size_t *size);
prof_trace *prof_trace_unpack(const void *bytes, size_t size);

/* The costs of a share of the work; free() them. NULL without memory. */
prof_cost *prof_costs_of_share(const prof_cost *costs, int32_t count, double share);

/* The buffer of a name; NULL: its shape is not known. Its bytes. */
const prof_buffer *prof_buffer_named(const prof_trace *trace, const char *name);
double prof_buffer_bytes(const prof_buffer *buffer);

/* The fact of a name; NULL: the program recorded none. */
const prof_fact *prof_fact_named(const prof_trace *trace, const char *name);
/* Write the name of the program that a step is, by the fact "pipeline": "cubeswe_fused_step". */
enum { PROF_PROGRAM_NAME = 48 };
void prof_program_name(const prof_trace *trace, char name[PROF_PROGRAM_NAME]);
/* Whether the run computes in single precision, by its fact "precision". */
bool prof_is_single(const prof_trace *trace);

/* Index of the innermost span that encloses a span or is it, and is a step or the launch of a graph
 * of steps; -1: none. */
int32_t prof_trace_step_of(const prof_trace *trace, int32_t span);

/* The texts of the kinds. */
extern const char *const prof_kind_names[PROF_KINDS];

const char *prof_counter_name(int counter);
const char *prof_counter_unit(int counter);

#endif
