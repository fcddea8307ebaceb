/* Qualifiers for headers of arithmetic that are compiled both as C17 and as CUDA.
 *
 * SWE_POINT   a function of one grid point: always inlined, callable from host and device
 * SWE_UNROLL  before a loop of known length over arrays that a GPU must keep in registers
 * SWE_CLONES  a row function compiled for AVX-512, AVX2 and the baseline in one binary
 * SWE_RESTRICT  no other pointer of the function reaches the array. On a GPU, reads through such a
 *             pointer use a cache that does not see the writes of the kernel: a stage that reads
 *             what it writes, at any point, must not use it. */
#ifndef SWE_BASE_POINT_H
#define SWE_BASE_POINT_H

/* Limits of a run and files rely on isfinite(), bits on the order of sums. */
#if (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(__FAST_MATH__) ||           \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__USE_FAST_MATH__)
#error "remove -ffast-math, -Ofast, -use_fast_math: they change results and hide NaN"
#endif

#ifdef __CUDACC__
#define SWE_POINT  __host__ __device__ __forceinline__ static
#define SWE_UNROLL _Pragma("unroll")
#else
#define SWE_UNROLL
#ifdef SWE_NO_INLINING /* for tests that count: where speed does not matter, it compiles faster */
#define SWE_POINT static inline __attribute__((unused))
#else
#define SWE_POINT static inline __attribute__((always_inline, unused))
#endif
#endif

#define SWE_RESTRICT __restrict__

/* SWE_NO_CLONES: sanitizers instrument the resolver of a clone, which runs before their runtime. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(SWE_NO_CLONES)
#define SWE_HAS_CLONES 1
#define SWE_CLONES     __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SWE_HAS_CLONES 0
#define SWE_CLONES
#endif

/* Run `call` with ORDER a compile-time constant equal to `order` (2, 4 or 6). */
#define SWE_WITH_ORDER(order, ...)                                                                 \
    do {                                                                                           \
        switch (order) {                                                                           \
        case 2: {                                                                                  \
            enum { ORDER = 2 };                                                                    \
            __VA_ARGS__;                                                                           \
            break;                                                                                 \
        }                                                                                          \
        case 4: {                                                                                  \
            enum { ORDER = 4 };                                                                    \
            __VA_ARGS__;                                                                           \
            break;                                                                                 \
        }                                                                                          \
        default: {                                                                                 \
            enum { ORDER = 6 };                                                                    \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        }                                                                                          \
    } while (0)

#endif
