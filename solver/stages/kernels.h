/* The CUDA kernels of the stages (SWE_KERNEL_LIST in stages.h), and the size of their thread
 * blocks. */
#ifndef SWE_STAGES_KERNELS_H
#define SWE_STAGES_KERNELS_H

#include "stages/stages.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Threads of a block: one per point (i, j), per index of a line (integrals: per lane of some rows),
 * or per value of a state. In tiles (tiles_cuda.h) a warp computes some rows. In a march
 * (fused/fused_march_cuda.h) a thread has one column of one of two panels, or of a block. */
enum {
    LAUNCH_BLOCK_I = 32,
    LAUNCH_BLOCK_J = 8,
    LAUNCH_BLOCK_POINTS = LAUNCH_BLOCK_I * LAUNCH_BLOCK_J,
    LAUNCH_TILE_I = 32,
    LAUNCH_TILE_J = 8,
    LAUNCH_TILE_ROWS = 2 * LAUNCH_TILE_J, /* rows of vertices of a tile */
    LAUNCH_BLOCK_TILE = LAUNCH_TILE_I * LAUNCH_TILE_J,
    LAUNCH_STRIP = 16, /* vertices of a strip along a side of a block; other blocks read no more */
    LAUNCH_MARCH_LANES = 64,
    LAUNCH_MARCH_PANELS = 2,
    LAUNCH_BLOCK_MARCH = LAUNCH_MARCH_LANES * LAUNCH_MARCH_PANELS,
    LAUNCH_BLOCK_LINE = 128,
    LAUNCH_BLOCK_VALUES = 256
};

/* Vertices of a strip of the fused stage: closures of order 2, 4, 6 have as many cells, and A B
 * reads 3/2 order - 1 points to either side. */
#define LAUNCH_FUSED_STRIP(order) (5 * (order) / 2 - 1)

enum {
#define SWE_KERNEL_ENUM(stage, name, threads) SWE_KERNEL_##name,
    SWE_KERNEL_LIST(SWE_KERNEL_ENUM)
#undef SWE_KERNEL_ENUM
        SWE_KERNEL_COUNT
};

typedef struct swe_kernel {
    const char *name; /* of its function */
    int stage;
    int block_threads;
} swe_kernel;

extern const swe_kernel swe_kernels[SWE_KERNEL_COUNT];

#ifdef __cplusplus
}
#endif
#endif
