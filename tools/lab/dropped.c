/* Experiment 59: how fast one core reads rows of some arrays, one row after the other, and how fast
 * it does no more than ask for them: faster than memory can be means that it drops what it is
 * asked. cc -O3 -march=native tools/lab/dropped.c -o build/dropped && build/dropped */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { LINE = 8, ROW = 49 * LINE, ROWS = 4096, ARRAYS = 12, ROUNDS = 3 };
static const size_t values = (size_t)ROW * ROWS;

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void read_lines(const volatile double *from, int count)
{
    for (int i = 0; i < count; i += LINE)
        (void)from[i];
}

static void ask_lines(const volatile double *from, int count)
{
    for (int i = 0; i < count; i += LINE)
        __builtin_prefetch((const double *)from + i, 0, 2);
}

static double rate(const double *memory, int arrays, int rows,
                   void (*lines)(const volatile double *, int))
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = seconds();
        for (int row = 0; row < ROWS; row += rows)
            for (int a = 0; a < arrays; a++)
                lines(memory + (size_t)a * values + (size_t)row * ROW, rows * ROW);
        best = seconds() - start < best ? seconds() - start : best;
    }
    return 1e-9 * (double)arrays * ROWS * ROW * sizeof(double) / best;
}

int main(void)
{
    const size_t page = (size_t)2 << 20,
                 bytes = ARRAYS * values * sizeof(double) / page * page + page;
    double *memory = aligned_alloc(page, bytes);
    if (memory == NULL || madvise(memory, bytes, MADV_HUGEPAGE) != 0)
        return 1;
    memset(memory, 0, bytes);
    puts("arrays  rows at a time  read [GB/s]  asked for [GB/s]");
    for (int arrays = 6; arrays <= ARRAYS; arrays += 6)
        for (int rows = 1; rows <= 4; rows *= 2)
            printf("%6d %15d %12.1f %17.1f\n", arrays, rows, rate(memory, arrays, rows, read_lines),
                   rate(memory, arrays, rows, ask_lines));
    free(memory);
    return 0;
}
