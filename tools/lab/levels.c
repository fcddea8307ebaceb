/* Experiment 85: what a core waits for a line of each level of its memory, one at a time in no
 * order and many in a row.   cc -O3 -march=native tools/lab/levels.c -o build/levels &&
 * build/levels */
#define _DEFAULT_SOURCE /* madvise */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { LINE = 8, HUGE_PAGE = 1 << 21, ROUNDS = 5, STEPS = 2000000 };

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A number below `count`; the state is any but 0. */
static size_t any_of(size_t count, unsigned long long *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (size_t)(*state % count);
}

/* One way through all lines, each of which tells the next (Sattolo's shuffle). */
static void make_way(size_t *memory, size_t lines)
{
    unsigned long long state = 88172645463325252ULL;
    for (size_t k = 0; k < lines; k++)
        memory[k * LINE] = k;
    for (size_t k = lines - 1; k > 0; k--) {
        const size_t other = any_of(k, &state), next = memory[k * LINE];
        memory[k * LINE] = memory[other * LINE];
        memory[other * LINE] = next;
    }
}

static double ns_a_step(const size_t *memory, size_t *at)
{
    const double start = seconds();
    for (int step = 0; step < STEPS; step++)
        *at = memory[*at * LINE];
    return 1e9 * (seconds() - start) / STEPS;
}

static double gb_per_second(const size_t *memory, size_t lines, size_t *sum)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = seconds();
        for (size_t k = 0; k < lines * LINE; k++)
            *sum += memory[k];
        best = seconds() - start < best ? seconds() - start : best;
    }
    return 64e-9 * (double)lines / best;
}

int main(void)
{
    const size_t most = (size_t)1 << 30;
    size_t *memory = aligned_alloc(HUGE_PAGE, most), at = 0, sum = 0;
    if (memory == NULL)
        return 1;
    madvise(memory, most, MADV_HUGEPAGE);
    puts("    KiB   ns a line, in no order   GB/s in a row");
    for (size_t bytes = (size_t)1 << 18; bytes <= most; bytes *= 2) {
        make_way(memory, bytes / 64);
        at = 0;
        ns_a_step(memory, &at);
        printf("%7zu %24.1f %15.1f\n", bytes >> 10, ns_a_step(memory, &at),
               gb_per_second(memory, bytes / 64, &sum));
    }
    free(memory);
    return sum + at == 1;
}
