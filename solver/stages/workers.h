/* Who does the work of the stages, and who is told of it. */
#ifndef SWE_STAGES_WORKERS_H
#define SWE_STAGES_WORKERS_H

#include "profiler.h"

struct swe_team;

typedef struct swe_workers {
    int threads;             /* CPU threads that share a stage, at most: scratch is for so many */
    struct swe_team *team;   /* of CPU threads (team_cpu.h); NULL on a GPU */
    int tile_columns;        /* of a CPU's tiles, at most (tiles_cpu.h) */
    void *queue;             /* CUDA stream that a stage is put on; NULL on the CPU */
    int device;              /* of the queue */
    void *aside;             /* another one, for what runs beside (launch_cuda.h), */
    void *before, *after;    /* and CUDA events for its begin and its end */
    int pair_blocks;         /* of the two-substep sweep, that a GPU runs at a time */
    prof_profiler *profiler; /* told of every stage; NULL: off. In host memory */
} swe_workers;

#endif
