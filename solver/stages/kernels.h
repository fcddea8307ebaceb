/* THE KERNELS: the CUDA kernels of each stage, and the size of their thread blocks. */
#ifndef SWE_STAGES_KERNELS_H
#define SWE_STAGES_KERNELS_H

#include "stages/stages.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Threads of a block: one per point (i, j), per index of a line (integrals: per lane of some rows),
 * or per value of a state. In tiles (tiles_cuda.h) a warp computes some rows of one or two panels.
 * In the two-substep sweep (fused/fused_two_substeps_cuda.h) a thread has one column of one of two
 * panels. */
enum {
    LAUNCH_BLOCK_I = 32,
    LAUNCH_BLOCK_J = 8,
    LAUNCH_BLOCK_POINTS = LAUNCH_BLOCK_I * LAUNCH_BLOCK_J,
    LAUNCH_TILE_I = 32,
    LAUNCH_TILE_J = 4,
    LAUNCH_TILE_ROWS = 4 * LAUNCH_TILE_J, /* rows of vertices of a tile */
    LAUNCH_BLOCK_TILE = LAUNCH_TILE_I * LAUNCH_TILE_J,
    LAUNCH_TILE_PANELS = 2,
    LAUNCH_BLOCK_TILES = LAUNCH_BLOCK_TILE * LAUNCH_TILE_PANELS,
    LAUNCH_TWO_SUBSTEPS_LANES = 64,
    LAUNCH_TWO_SUBSTEPS_PANELS = 2,
    LAUNCH_BLOCK_TWO_SUBSTEPS = LAUNCH_TWO_SUBSTEPS_LANES * LAUNCH_TWO_SUBSTEPS_PANELS,
    LAUNCH_BLOCK_LINE = 128,
    LAUNCH_BLOCK_VALUES = 256
};

/* KERNEL(stage, name, threads of a block): <name>_kernel in <stage>_cuda.cu, in the order of the
 * launches. */
#define SWE_KERNEL_LIST(KERNEL)                                                                    \
    KERNEL(projection, projection, LAUNCH_BLOCK_LINE)                                              \
    KERNEL(contravariant, cross, LAUNCH_BLOCK_POINTS)                                              \
    KERNEL(contravariant, flux, LAUNCH_BLOCK_POINTS)                                               \
    KERNEL(bernoulli, bernoulli, LAUNCH_BLOCK_POINTS)                                              \
    KERNEL(vorticity, mean, LAUNCH_BLOCK_POINTS)                                                   \
    KERNEL(vorticity, shear, LAUNCH_BLOCK_POINTS)                                                  \
    KERNEL(vorticity, vorticity, LAUNCH_BLOCK_POINTS)                                              \
    KERNEL(gradient, gradient, LAUNCH_BLOCK_POINTS)                                                \
    KERNEL(coriolis, pv_flux, LAUNCH_BLOCK_POINTS)                                                 \
    KERNEL(coriolis, project_pv_flux, LAUNCH_BLOCK_LINE)                                           \
    KERNEL(coriolis, accelerate, LAUNCH_BLOCK_POINTS)                                              \
    KERNEL(divergence, divergence, LAUNCH_BLOCK_POINTS)                                            \
    KERNEL(sat, consensus, LAUNCH_BLOCK_LINE)                                                      \
    KERNEL(sat, exchange, LAUNCH_BLOCK_LINE)                                                       \
    KERNEL(rk4, rk4, LAUNCH_BLOCK_VALUES)                                                          \
    KERNEL(fused, fused, LAUNCH_BLOCK_TILES)                                                       \
    KERNEL(fused, two_substeps, LAUNCH_BLOCK_TWO_SUBSTEPS)                                         \
    KERNEL(fused, last_two_substeps, LAUNCH_BLOCK_TWO_SUBSTEPS)                                    \
    KERNEL(transport, transport, LAUNCH_BLOCK_TILE)                                                \
    KERNEL(flux_projection, flux_projection, LAUNCH_BLOCK_LINE)                                    \
    KERNEL(momentum, momentum, LAUNCH_BLOCK_POINTS)                                                \
    KERNEL(damping, change, LAUNCH_BLOCK_LINE)                                                     \
    KERNEL(damping, damping, LAUNCH_BLOCK_LINE)                                                    \
    KERNEL(dissipation, flow, LAUNCH_BLOCK_TILES)                                                  \
    KERNEL(dissipation, project_flow, LAUNCH_BLOCK_LINE)                                           \
    KERNEL(dissipation, force, LAUNCH_BLOCK_POINTS)                                                \
    KERNEL(dissipation, project_force, LAUNCH_BLOCK_LINE)                                          \
    KERNEL(dissipation, slow, LAUNCH_BLOCK_POINTS)                                                 \
    KERNEL(integrals, integrals, LAUNCH_BLOCK_LINE)

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
