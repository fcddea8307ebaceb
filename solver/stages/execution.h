/* THE EXECUTION CONTEXT: the threads or CUDA streams that run the stages, and the profiler that
 * records them. Host functions of stages get it; kernels never see it. */
#ifndef SWE_STAGES_EXECUTION_H
#define SWE_STAGES_EXECUTION_H

#include "profiler.h"

struct swe_team;
struct swe_exchange_room;

typedef struct swe_execution {
    int threads;           /* most CPU threads that share a stage; scratch has room for each */
    struct swe_team *team; /* the team of CPU threads (team_cpu.h); NULL on a GPU */
    int tile_columns;      /* most columns of a tile on a CPU; copied to the parameters */
    void *queue;           /* CUDA stream of the stages; NULL on the CPU */
    int device;            /* index of the device of `queue` */
    void *second_stream;   /* second stream, for concurrent kernels (launch_cuda.h) */
    void *before, *after;  /* CUDA events at the begin and the end of the concurrent work */
    int march_blocks;      /* blocks of a march of the fused stage that the device runs at a time */
    const struct swe_exchange_room *room; /* of a decomposition on a GPU; NULL: none */
    prof_profiler *profiler;              /* records every stage; NULL: off. In host memory */
} swe_execution;

#endif
