/* THE EXECUTION CONTEXT: the threads or the CUDA streams that run the stages, and the profiler that
 * records them. Host functions of stages take it; kernels never see it. */
#ifndef SWE_STAGES_EXECUTION_H
#define SWE_STAGES_EXECUTION_H

#include "profiler.h"

struct swe_team;

typedef struct swe_execution {
    int threads;             /* CPU threads that share a stage, at most; scratch is for so many */
    struct swe_team *team;   /* of CPU threads (team_cpu.h); NULL on a GPU */
    int tile_columns;        /* of a tile on a CPU, at most; the stepper's params get it */
    void *queue;             /* CUDA stream that a stage is put on; NULL on the CPU */
    int device;              /* of the queue */
    void *second_stream;     /* second stream, for concurrent kernels (launch_cuda.h) */
    void *before, *after;    /* CUDA events that mark the begin and the end of its work */
    int two_substep_blocks;  /* blocks of the two-substep sweep that a GPU runs at a time */
    prof_profiler *profiler; /* records every stage; NULL: off. In host memory */
} swe_execution;

#endif
