/* Lanes: as many neighbours of a row as a register of the processor holds, for loops whose rows are
 * kept in registers from one loop's work to the next, which a compiler does not see by itself.
 *
 * For a source that is compiled for each kind of processor: how wide a register is, is known when
 * it is compiled. Operators and formulas take lanes as they take numbers. */
#ifndef SWE_STAGES_LANES_CPU_H
#define SWE_STAGES_LANES_CPU_H

#include "stages/rows_cpu.h"
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define LANES_BYTES 64
#elif defined(__AVX__)
#define LANES_BYTES 32
#else
#define LANES_BYTES 16
#endif

typedef real lanes __attribute__((vector_size(LANES_BYTES)));
/* The same anywhere in an array. */
typedef real lanes_of_array __attribute__((vector_size(LANES_BYTES), aligned(sizeof(real))));

/* A window of a row: some lanes, and those that stencils take at both sides of them. */
enum {
    LANES = LANES_BYTES / sizeof(real),
    LANES_STENCIL = 3, /* places that an operator of order 6 takes beyond a place, at most */
    LANES_BESIDE = (LANES_STENCIL + LANES - 1) / LANES,
    LANES_WINDOW = 2 * LANES_BESIDE + 1
};

SWE_POINT lanes lanes_at(const real *values)
{
    return *(const lanes_of_array *)values;
}

SWE_POINT void lanes_put(lanes x, real *values)
{
    *(lanes_of_array *)values = x;
}

/* Lanes as they would be if they were put and loaded again: a compiler fuses no multiplication that
 * they come from with what is done with them. */
SWE_POINT lanes lanes_rounded(lanes x)
{
#if defined(__x86_64__)
    __asm__("" : "+v"(x));
#else
    __asm__("" : "+m"(x));
#endif
    return x;
}

/* Put those of the lanes of places i, i + 1, ... that are in a range. */
SWE_POINT void lanes_put_within(rows_range range, int i, lanes x, real *values)
{
    const int first = range.first - i, last = range.last - i;
    if (first <= 0 && last >= LANES) {
        lanes_put(x, values);
        return;
    }
    real all[LANES];
    lanes_put(x, all);
#pragma omp simd
    for (int lane = 0; lane < LANES; lane++)
        if (lane >= first && lane < last)
            values[lane] = all[lane];
}

/* Places of lanes: 0, 1, ... */
#ifdef SWE_SINGLE
typedef int lanes_places __attribute__((vector_size(LANES_BYTES)));
#define LANES_COUNT (LANES_BYTES / 4)
#else
typedef long long lanes_places __attribute__((vector_size(LANES_BYTES)));
#define LANES_COUNT (LANES_BYTES / 8)
#endif
#if LANES_COUNT == 2
static const lanes_places lanes_order = {0, 1};
#elif LANES_COUNT == 4
static const lanes_places lanes_order = {0, 1, 2, 3};
#elif LANES_COUNT == 8
static const lanes_places lanes_order = {0, 1, 2, 3, 4, 5, 6, 7};
#else
static const lanes_places lanes_order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#endif

/* Those of the lanes x of places i, i + 1, ... that are in a range, and of others those that are
 * not. */
SWE_POINT lanes lanes_within(rows_range range, int i, lanes x, lanes others)
{
    const lanes_places places = lanes_order + i;
    const lanes_places within = (places >= range.first) & (places < range.last);
    return (lanes)((within & (lanes_places)x) | (~within & (lanes_places)others));
}

/* The next lanes come into a window. */
SWE_POINT void lanes_push(lanes *window, lanes next)
{
    for (int k = 0; k + 1 < LANES_WINDOW; k++)
        window[k] = window[k + 1];
    window[LANES_WINDOW - 1] = next;
}

/* The lanes `places` beyond those in the middle of a window; a constant. */
SWE_POINT lanes lanes_beside(const lanes *window, int places)
{
    const int from = LANES_BESIDE * LANES + places, k = from / LANES, lane = from % LANES;
    if (lane == 0)
        return window[k];
#if defined(__clang__)
    lanes x;
    for (int to = 0; to < LANES; to++)
        x[to] = lane + to < LANES ? window[k][lane + to] : window[k + 1][lane + to - LANES];
    return x;
#else
#if LANES_BYTES == 64 /* gcc takes two registers more for the same */
    if (sizeof(real) == 8)
        return (lanes)_mm512_alignr_epi64((__m512i)window[k + 1], (__m512i)window[k], lane & 7);
    return (lanes)_mm512_alignr_epi32((__m512i)window[k + 1], (__m512i)window[k], lane);
#endif
    const lanes_places order = lanes_order + lane;
    return __builtin_shuffle(window[k], window[k + 1], order);
#endif
}

#endif
