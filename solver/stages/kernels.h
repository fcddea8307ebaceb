/* THE KERNELS: what the stages launch on a GPU, and in what blocks. */
#ifndef SWE_STAGES_KERNELS_H
#define SWE_STAGES_KERNELS_H

#include "stages/stages.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Threads of a block: one a point (i and j), one a place of a line (of integrals: a lane of some
 * rows), one a value of a state; of tiles (tiles_cuda.h) a warp some rows, of one panel or two; of
 * pairs of substeps (fused/fused_two_substeps_cuda.h) one a column, of two. */
enum {
    LAUNCH_BLOCK_I = 32,
    LAUNCH_BLOCK_J = 8,
    LAUNCH_BLOCK_POINTS = LAUNCH_BLOCK_I * LAUNCH_BLOCK_J,
    LAUNCH_TILE_I = 32,
    LAUNCH_TILE_J = 4,
    LAUNCH_TILE_ROWS = 4 * LAUNCH_TILE_J, /* vertices of a tile along j */
    LAUNCH_BLOCK_TILE = LAUNCH_TILE_I * LAUNCH_TILE_J,
    LAUNCH_TILE_PANELS = 2,
    LAUNCH_BLOCK_TILES = LAUNCH_BLOCK_TILE * LAUNCH_TILE_PANELS,
    LAUNCH_TWO_SUBSTEPS_LANES = 64,
    LAUNCH_TWO_SUBSTEPS_PANELS = 2,
    LAUNCH_BLOCK_TWO_SUBSTEPS = LAUNCH_TWO_SUBSTEPS_LANES * LAUNCH_TWO_SUBSTEPS_PANELS,
    LAUNCH_BLOCK_LINE = 128,
    LAUNCH_BLOCK_VALUES = 256
};

/*  KERNEL(stage, name, threads of a block): <name>_kernel in <stage>_cuda.cu, in the order in
 *  which the stage launches them */
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
