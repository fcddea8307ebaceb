/* Hardware counters of a GPU, summed by stage: a member of the trace. */
#ifndef PROFILING_TRACE_COUNTED_H
#define PROFILING_TRACE_COUNTED_H

#include <stdint.h>

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

#endif
