/* Qualifiers that let one header of arithmetic serve C17 on the CPU and CUDA on the GPU.
 *
 * SWE_POINT   a function of one grid point: always inlined, callable from host and device
 * SWE_UNROLL  before a loop of known length over arrays that a GPU shall keep in registers
 * SWE_CLONES  a row function compiled for AVX-512, AVX2 and the baseline in one binary
 *
 * SWE_RESTRICT is believed on a GPU, too: what is only read through such a pointer goes through a
 * cache that does not see what the kernel writes. A stage that reads what it writes, at whatever
 * place, cannot have it. */
#ifndef SWE_BASE_POINT_H
#define SWE_BASE_POINT_H

#ifdef __CUDACC__
#define SWE_POINT  __host__ __device__ __forceinline__ static
#define SWE_UNROLL _Pragma("unroll")
#else
#define SWE_UNROLL
#define SWE_POINT static inline __attribute__((always_inline, unused))
#endif

#define SWE_RESTRICT __restrict__

/* The sanitizers instrument the resolver that picks a clone before their runtime is up. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(SWE_NO_CLONES)
#define SWE_HAS_CLONES 1
#define SWE_CLONES     __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SWE_HAS_CLONES 0
#define SWE_CLONES
#endif

/* Run `call` with ORDER a compile-time constant equal to `order` (2, 4 or 6). */
#define SWE_WITH_ORDER(order, call)                                                                \
    do {                                                                                           \
        switch (order) {                                                                           \
        case 2: {                                                                                  \
            enum { ORDER = 2 };                                                                    \
            call;                                                                                  \
            break;                                                                                 \
        }                                                                                          \
        case 4: {                                                                                  \
            enum { ORDER = 4 };                                                                    \
            call;                                                                                  \
            break;                                                                                 \
        }                                                                                          \
        default: {                                                                                 \
            enum { ORDER = 6 };                                                                    \
            call;                                                                                  \
        }                                                                                          \
        }                                                                                          \
    } while (0)

#endif
