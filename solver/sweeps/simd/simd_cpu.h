/* SIMD vectors: as many neighbouring values of a row as a register of the processor holds. The
 * interior loops of the fused pipeline use them to keep values of a row in registers from one
 * vector to the next, which compilers do not do by themselves.
 *
 * simd_rows_cpu.c includes this file and is compiled for each instruction set, which fixes the
 * width. Operators and formulas accept vectors as they accept numbers. Sums have the order of the
 * point functions, and the compiler contracts the same multiplications, so vectors and loops over
 * points give the same bits.
 *
 * Closures along xi1 are computed point by point outside the loop over a row: closures that vectors
 * read are computed before the loop, closures that read vectors after it. */
#ifndef SWE_SWEEPS_SIMD_SIMD_CPU_H
#define SWE_SWEEPS_SIMD_SIMD_CPU_H

#include "stages/rk4/rk4_point.h"
#include "stages/tiles_cpu.h"
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

/* A vector with its neighbours: SIMD_NEIGHBOURS vectors. Stencils are applied at the values of the
 * middle vector. */
enum {
    SIMD_WIDTH = SIMD_BYTES / sizeof(real),
    SIMD_STENCIL = 3, /* most points that an operator of order 6 reads on one side */
    SIMD_HALO = (SIMD_STENCIL + SIMD_WIDTH - 1) / SIMD_WIDTH,
    SIMD_NEIGHBOURS = 2 * SIMD_HALO + 1,
    SIMD_LEAD = SIMD_HALO * SIMD_WIDTH /* points by which neighbours are computed in advance */
};

SWE_POINT simd simd_load(const real *values)
{
    return *(const simd_of_array *)values;
}

SWE_POINT void simd_store(simd x, real *values)
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
SWE_POINT void simd_store_within(rows_range range, int i, simd x, real *values)
{
    const int first = range.first - i, last = range.last - i;
    if (first <= 0 && last >= SIMD_WIDTH) {
        simd_store(x, values);
        return;
    }
    real all[SIMD_WIDTH];
    simd_store(x, all);
#pragma omp simd
    for (int k = 0; k < SIMD_WIDTH; k++)
        if (k >= first && k < last)
            values[k] = all[k];
}

/* Indices 0, 1, ... of the values of a vector. */
#ifdef SWE_SINGLE
typedef int simd_indices __attribute__((vector_size(SIMD_BYTES)));
#define SIMD_COUNT (SIMD_BYTES / 4)
#else
typedef long long simd_indices __attribute__((vector_size(SIMD_BYTES)));
#define SIMD_COUNT (SIMD_BYTES / 8)
#endif
#if SIMD_COUNT == 2
static const simd_indices simd_order = {0, 1};
#elif SIMD_COUNT == 4
static const simd_indices simd_order = {0, 1, 2, 3};
#elif SIMD_COUNT == 8
static const simd_indices simd_order = {0, 1, 2, 3, 4, 5, 6, 7};
#else
static const simd_indices simd_order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#endif

/* Values of x at points i, i + 1, ... in a range, values of `others` outside it. */
SWE_POINT simd simd_select(rows_range range, int i, simd x, simd others)
{
    const simd_indices points = simd_order + i;
    const simd_indices within = (points >= range.first) & (points < range.last);
    return (simd)((within & (simd_indices)x) | (~within & (simd_indices)others));
}

/* Shift the neighbours by one vector. */
SWE_POINT void simd_shift(simd *neighbours, simd next)
{
    for (int k = 0; k + 1 < SIMD_NEIGHBOURS; k++)
        neighbours[k] = neighbours[k + 1];
    neighbours[SIMD_NEIGHBOURS - 1] = next;
}

/* The vector `points` points beyond the middle one; a constant. */
SWE_POINT simd simd_neighbour(const simd *neighbours, int points)
{
    const int from = SIMD_LEAD + points, k = from / SIMD_WIDTH, shift = from % SIMD_WIDTH;
    if (shift == 0)
        return neighbours[k];
#if defined(__clang__)
    simd x;
    for (int to = 0; to < SIMD_WIDTH; to++)
        x[to] = shift + to < SIMD_WIDTH ? neighbours[k][shift + to]
                                        : neighbours[k + 1][shift + to - SIMD_WIDTH];
    return x;
#else
#if SIMD_BYTES == 64 /* gcc needs two more registers without it */
    if (sizeof(real) == 8)
        return (simd)_mm512_alignr_epi64((__m512i)neighbours[k + 1], (__m512i)neighbours[k],
                                         shift & 7);
    return (simd)_mm512_alignr_epi32((__m512i)neighbours[k + 1], (__m512i)neighbours[k], shift);
#endif
    const simd_indices order = simd_order + shift;
    return __builtin_shuffle(neighbours[k], neighbours[k + 1], order);
#endif
}

/* ---- stencils; f points at the value, the middle neighbour is at it -------------------------- */

#define SIMD_AT(k) simd_load(f + (k)*s)

SWE_POINT simd simd_difference(int order, const real *SWE_RESTRICT f, ptrdiff_t s)
{
    return SBP_DIFFERENCE(order, SIMD_AT);
}

SWE_POINT simd simd_mean(int order, const real *SWE_RESTRICT f, ptrdiff_t s)
{
    return SBP_MEAN(order, SIMD_AT);
}

#undef SIMD_AT
#define SIMD_NEAR(k) simd_neighbour(neighbours, (k) + from)

SWE_POINT simd simd_difference_in(int order, const simd *neighbours, int from)
{
    return SBP_DIFFERENCE(order, SIMD_NEAR);
}

SWE_POINT simd simd_mean_in(int order, const simd *neighbours, int from)
{
    return SBP_MEAN(order, SIMD_NEAR);
}

#undef SIMD_NEAR

/* ---- the loop over a row --------------------------------------------------------------------- */

/* Position of a vector in a row: all its values lie inside the computed range, or some lie beyond
 * an end of the range. */
typedef enum simd_where { SIMD_INSIDE, SIMD_AT_END } simd_where;

/* The range of k in a row with columns `i` for vectors off the closures along xi1; all values
 * computed from these vectors are off the closures, too. */
SWE_POINT rows_range simd_inside(int order, int n, rows_range i)
{
    const int first = sbp_columns(order), last = n - sbp_columns(order) - SIMD_LEAD - SIMD_WIDTH;
    const rows_range inside = {
        first > i.first ? (first - i.first + SIMD_WIDTH - 1) / SIMD_WIDTH * SIMD_WIDTH : 0,
        (last < i.last - SIMD_WIDTH ? last : i.last - SIMD_WIDTH) - i.first + 1};
    return inside;
}

/* Execute a statement for vectors k = begin, begin + SIMD_WIDTH, ... < end of a row, with `where` a
 * constant: inside, or at an end. */
#define SIMD_ALONG(begin, end, inside, ...)                                                        \
    do {                                                                                           \
        const rows_range off_ends = inside;                                                        \
        const int simd_end = end;                                                                  \
        for (int k = begin; k < simd_end;) {                                                       \
            for (; k >= off_ends.first && k < off_ends.last && k < simd_end; k += SIMD_WIDTH) {    \
                const simd_where where = SIMD_INSIDE;                                              \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
            if (k < simd_end) {                                                                    \
                const simd_where where = SIMD_AT_END;                                              \
                __VA_ARGS__;                                                                       \
                k += SIMD_WIDTH;                                                                   \
            }                                                                                      \
        }                                                                                          \
    } while (0)

SWE_POINT void simd_store_where(simd_where where, rows_range range, int i, simd x, real *values)
{
    if (where == SIMD_INSIDE)
        simd_store(x, values);
    else
        simd_store_within(range, i, x, values);
}

/* Values at point i of a line: in the closures the values of the line, in the interior the values
 * of the vector. */
SWE_POINT simd simd_with_closure(rows_range interior, int i, simd x, real *line)
{
    const simd all = simd_select(interior, i, x, simd_load(line));
    simd_store(all, line);
    return all;
}

/* Issue one prefetch step for each cache line of a row, except at its ends. */
SWE_POINT void simd_prefetch(simd_where where, tile_prefetch *prefetch, int k)
{
    if (where == SIMD_INSIDE && (SIMD_BYTES == 64 || k % ROWS_LINE == 0))
        prefetch_step(prefetch);
}

/* Result of the substep at i for a vector with tendency k. */
SWE_POINT void simd_rk4(int substep, simd_where where, real weight, simd k, rk4_arrays a,
                        rows_range range, int i)
{
    const simd y = simd_load(a.y);
    simd result;
    if (substep < 3)
        result = RK4_STATE(weight, k, y);
    else
        result = RK4_END(weight, k, y, simd_load(a.y1), simd_load(a.y2), simd_load(a.in));
    simd_store_where(where, range, i, result, a.out);
}

/* Do a statement for both rows, r = 0 and 1. */
#define BOTH_ROWS(...)                                                                             \
    do {                                                                                           \
        {                                                                                          \
            enum { r = 0 };                                                                        \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        {                                                                                          \
            enum { r = 1 };                                                                        \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    } while (0)

/* ---- the closures along xi1 ------------------------------------------------------------------ */

/* Execute a statement for the first and the last `count` of `points` points along xi1 that a tile
 * has; i is the point, k its column in the tile, `where` the end. */
#define SIMD_CLOSURE(region, begin, count, ...)                                                    \
    ROWS_OF_CLOSURE(count, {                                                                       \
        const sbp_region where = region;                                                           \
        const int i = (begin) + closure;                                                           \
        const ptrdiff_t k = i - first;                                                             \
        (void)where, (void)k;                                                                      \
        __VA_ARGS__;                                                                               \
    })
#define SIMD_CLOSURES(n, columns, points, given, ...)                                              \
    do {                                                                                           \
        const int first = (columns).first, count = given;                                          \
        if (first == 0) {                                                                          \
            SIMD_CLOSURE(SBP_LOW, 0, count, __VA_ARGS__)                                           \
        }                                                                                          \
        if ((columns).last > (n)) {                                                                \
            SIMD_CLOSURE(SBP_HIGH, (points)-count, count, __VA_ARGS__)                             \
        }                                                                                          \
    } while (0)

/* The vertices, and cells, of closures. */
#define SIMD_VERTEX_CLOSURES(params, columns, ...)                                                 \
    SIMD_CLOSURES((params)->layout.n, columns, (params)->layout.n + 1,                             \
                  sbp_closed_vertices(order, &(params)->sbp), __VA_ARGS__)
#define SIMD_CELL_CLOSURES(params, columns, ...)                                                   \
    SIMD_CLOSURES((params)->layout.n, columns, (params)->layout.n,                                 \
                  sbp_closed_cells(order, &(params)->sbp), __VA_ARGS__)

#endif
