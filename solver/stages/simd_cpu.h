/* SIMD vectors: as many neighbouring values of a row as a register of the processor holds. Loops
 * use them to keep values of a row in registers from one vector to the next, which compilers do not
 * do by themselves.
 *
 * A source that includes this file is compiled for each instruction set, which fixes the width.
 * Operators and formulas accept vectors as they accept numbers. */
#ifndef SWE_STAGES_SIMD_CPU_H
#define SWE_STAGES_SIMD_CPU_H

#include "stages/rows_cpu.h"
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define SIMD_BYTES 64
#elif defined(__AVX__)
#define SIMD_BYTES 32
#else
#define SIMD_BYTES 16
#endif

typedef real simd __attribute__((vector_size(SIMD_BYTES)));
/* The same without alignment. */
typedef real simd_of_array __attribute__((vector_size(SIMD_BYTES), aligned(sizeof(real))));

/* A window of a row: some SIMD vectors, and the values beside them that stencils read. */
enum {
    LANES = SIMD_BYTES / sizeof(real),
    SIMD_STENCIL = 3, /* most points that an operator of order 6 reads on one side */
    SIMD_BESIDE = (SIMD_STENCIL + LANES - 1) / LANES,
    SIMD_WINDOW = 2 * SIMD_BESIDE + 1
};

SWE_POINT simd simd_at(const real *values)
{
    return *(const simd_of_array *)values;
}

SWE_POINT void simd_put(simd x, real *values)
{
    *(simd_of_array *)values = x;
}

/* Compiler barrier: keeps the compiler from contracting the multiplication that gives this value
 * into an FMA. */
SWE_POINT simd simd_rounded(simd x)
{
#if defined(__x86_64__)
    __asm__("" : "+v"(x));
#else
    __asm__("" : "+m"(x));
#endif
    return x;
}

/* Store the values of points i, i + 1, ... that are in a range. */
SWE_POINT void simd_put_within(rows_range range, int i, simd x, real *values)
{
    const int first = range.first - i, last = range.last - i;
    if (first <= 0 && last >= LANES) {
        simd_put(x, values);
        return;
    }
    real all[LANES];
    simd_put(x, all);
#pragma omp simd
    for (int lane = 0; lane < LANES; lane++)
        if (lane >= first && lane < last)
            values[lane] = all[lane];
}

/* Indices 0, 1, ... of the values of a vector. */
#ifdef SWE_SINGLE
typedef int simd_places __attribute__((vector_size(SIMD_BYTES)));
#define SIMD_COUNT (SIMD_BYTES / 4)
#else
typedef long long simd_places __attribute__((vector_size(SIMD_BYTES)));
#define SIMD_COUNT (SIMD_BYTES / 8)
#endif
#if SIMD_COUNT == 2
static const simd_places simd_order = {0, 1};
#elif SIMD_COUNT == 4
static const simd_places simd_order = {0, 1, 2, 3};
#elif SIMD_COUNT == 8
static const simd_places simd_order = {0, 1, 2, 3, 4, 5, 6, 7};
#else
static const simd_places simd_order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#endif

/* Values of x at points i, i + 1, ... in a range, values of `others` outside it. */
SWE_POINT simd simd_within(rows_range range, int i, simd x, simd others)
{
    const simd_places places = simd_order + i;
    const simd_places within = (places >= range.first) & (places < range.last);
    return (simd)((within & (simd_places)x) | (~within & (simd_places)others));
}

/* Shift the window by one vector. */
SWE_POINT void simd_push(simd *window, simd next)
{
    for (int k = 0; k + 1 < SIMD_WINDOW; k++)
        window[k] = window[k + 1];
    window[SIMD_WINDOW - 1] = next;
}

/* The vector `places` points beyond the middle of a window; a constant. */
SWE_POINT simd simd_beside(const simd *window, int places)
{
    const int from = SIMD_BESIDE * LANES + places, k = from / LANES, lane = from % LANES;
    if (lane == 0)
        return window[k];
#if defined(__clang__)
    simd x;
    for (int to = 0; to < LANES; to++)
        x[to] = lane + to < LANES ? window[k][lane + to] : window[k + 1][lane + to - LANES];
    return x;
#else
#if SIMD_BYTES == 64 /* gcc needs two more registers without it */
    if (sizeof(real) == 8)
        return (simd)_mm512_alignr_epi64((__m512i)window[k + 1], (__m512i)window[k], lane & 7);
    return (simd)_mm512_alignr_epi32((__m512i)window[k + 1], (__m512i)window[k], lane);
#endif
    const simd_places order = simd_order + lane;
    return __builtin_shuffle(window[k], window[k + 1], order);
#endif
}

#endif
