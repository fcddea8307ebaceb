/* Queries of tests to the CUDA emulation beyond the CUDA interface itself. C and C++. */
#ifndef CUDA_EMULATION_H
#define CUDA_EMULATION_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of blocks from cudaMalloc and cudaMallocHost which have not been freed. */
size_t cuda_emulation_live_blocks(void);

/* Number of graphs, instantiated or not, which have not been destroyed. */
size_t cuda_emulation_live_graphs(void);

#ifdef __cplusplus
}
#endif

#endif
