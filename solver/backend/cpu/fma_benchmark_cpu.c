#include "backend/backend.h"
#include "backend/peaks.h"

enum { VECTOR = 64 / sizeof(real) }; /* values of the widest vectors */

/* Chains of one group. `width` is a constant, so that the chains stay in registers if they fit. */
SWE_POINT void group_of_width(int width, size_t group, long length, real *SWE_RESTRICT last)
{
    enum { WIDEST = 24 * VECTOR };
    real x[WIDEST];
    for (int k = 0; k < width; k++)
        x[k] = chain_start(group * (size_t)width + (size_t)k);
    for (long m = 0; m < length; m++)
#pragma omp simd
        for (int k = 0; k < width; k++)
            x[k] = chain_point(x[k]);
    for (int k = 0; k < width; k++)
        last[group * (size_t)width + (size_t)k] = x[k];
}

SWE_CLONES
static void run_group(int width, size_t group, long length, real *last)
{
    switch (width / VECTOR) {
    case 3:
        group_of_width(3 * VECTOR, group, length, last);
        break;
    case 6:
        group_of_width(6 * VECTOR, group, length, last);
        break;
    case 12:
        group_of_width(12 * VECTOR, group, length, last);
        break;
    default:
        group_of_width(24 * VECTOR, group, length, last);
    }
}

static void chains(const swe_execution *execution, int width, size_t groups, long length,
                   void *last)
{
#pragma omp parallel for schedule(static) num_threads(execution->threads)
    for (size_t group = 0; group < groups; group++)
        run_group(width, group, length, last);
}

/* Widths: twelve vectors of 16, 32 and 64 bytes cover the latency of four or five cycles at two
 * fused multiply-adds a cycle. AVX-512 with separate multiply and add needs twice as many. A width
 * that exceeds the registers is slower, and so never the peak. */
const swe_fma_benchmark swe_fma_benchmark_cpu = {
    chains, {3 * VECTOR, 6 * VECTOR, 12 * VECTOR, 24 * VECTOR}, 16384};
