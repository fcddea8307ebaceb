/* Experiment 39: how fast one core reads the next row of many arrays that it asks for while it goes
 * over this one; rows that follow each other in memory or not, asked for one after the other or
 * line by line in turn.   cc -O3 -march=native tools/lab/asks.c -o build/asks && build/asks */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { LINE = 8, ROW = 48 * LINE, ROWS = 4096, ARRAYS = 12, TILE = 64, ROUNDS = 5 };
static const size_t pitch = ROW + LINE, values = (size_t)(ROW + LINE) * (ROWS + 1);

typedef enum ask { NOT, ROW_AFTER_ROW, IN_TURN, KINDS } ask;
static const char *const names[KINDS] = {"nothing", "row after row", "lines in turn"};

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Inline: gcc leaves out calls of a function that does nothing else. */
__attribute__((always_inline)) static inline void ask_for(ask kind, const double *next, int arrays,
                                                          int columns)
{
    if (kind == ROW_AFTER_ROW)
        for (int a = 0; a < arrays; a++)
            for (int i = 0; i < columns; i += LINE)
                __builtin_prefetch(next + (size_t)a * values + i, 0, 2);
    if (kind == IN_TURN)
        for (int i = 0; i < columns; i += LINE)
            for (int a = 0; a < arrays; a++)
                __builtin_prefetch(next + (size_t)a * values + i, 0, 2);
}

static double sum_of(const double *row, int columns)
{
    double lanes[LINE] = {0.0}, sum = 0.0;
    for (int i = 0; i < columns; i += LINE)
        for (int lane = 0; lane < LINE; lane++)
            lanes[lane] += row[i + lane];
    for (int lane = 0; lane < LINE; lane++)
        sum += lanes[lane];
    return sum;
}

static double sweep(const double *memory, ask kind, int arrays, int columns)
{
    double sum = 0.0;
    for (int first = 0; first < ROWS; first += TILE)
        for (int column = 0; column < ROW; column += columns)
            for (int row = first; row < first + TILE; row++) {
                const double *here = memory + (size_t)row * pitch + column;
                ask_for(kind, here + pitch, arrays, columns);
                for (int a = 0; a < arrays; a++)
                    sum += sum_of(here + (size_t)a * values, columns);
            }
    return sum;
}

int main(void)
{
    const size_t page = (size_t)2 << 20,
                 bytes = ARRAYS * values * sizeof(double) / page * page + page;
    double *memory = aligned_alloc(page, bytes), total = 0.0;
    if (memory == NULL || madvise(memory, bytes, MADV_HUGEPAGE) != 0)
        return 1;
    memset(memory, 0, bytes);
    puts("arrays  lines of a tile's row  asked for        GB/s");
    for (int arrays = 6; arrays <= ARRAYS; arrays += 3)
        for (int columns = ROW / 2; columns <= ROW; columns *= 2)
            for (ask kind = NOT; kind < KINDS; kind++) {
                double best = 1e9;
                for (int round = 0; round < ROUNDS; round++) {
                    const double start = seconds();
                    total += sweep(memory, kind, arrays, columns);
                    best = seconds() - start < best ? seconds() - start : best;
                }
                printf("%6d %22d  %-13s %7.1f\n", arrays, columns / LINE, names[kind],
                       1e-9 * (double)arrays * ROWS * ROW * sizeof(double) / best);
            }
    free(memory);
    return total > 0.0;
}
