/* Experiment 07: how fast one core reads many arrays at once, a burst of cache lines of each in
 * turn.   cc -O3 -march=native tools/lab/streams.c -o build/streams && build/streams */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE = 8, MOST_STREAMS = 24, ROUNDS = 3 };

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double read_all(const double *memory, size_t values, int streams, size_t burst)
{
    const size_t each = values / (size_t)streams / (burst * LINE) * (burst * LINE);
    double lanes[LINE] = {0.0}, sum = 0.0;
    for (size_t at = 0; at < each; at += burst * LINE)
        for (int s = 0; s < streams; s++)
            for (size_t k = 0; k < burst * LINE; k += LINE)
                for (int lane = 0; lane < LINE; lane++)
                    lanes[lane] += memory[(size_t)s * each + at + k + (size_t)lane];
    for (int lane = 0; lane < LINE; lane++)
        sum += lanes[lane];
    return sum;
}

int main(void)
{
    const size_t values = (size_t)1 << 25; /* 256 MiB */
    double *memory = aligned_alloc(64, values * sizeof(double)), total = 0.0;
    if (memory == NULL)
        return 1;
    memset(memory, 0, values * sizeof(double));
    puts("burst, cache lines   streams   GB/s");
    for (size_t burst = 8; burst <= 512; burst *= 4)
        for (int streams = 1; streams <= MOST_STREAMS; streams += streams < 4 ? streams : 4) {
            double best = 1e9;
            for (int round = 0; round < ROUNDS; round++) {
                const double start = seconds();
                total += read_all(memory, values, streams, burst);
                best = seconds() - start < best ? seconds() - start : best;
            }
            printf("%18zu %9d %6.1f\n", burst, streams,
                   1e-9 * (double)(values * sizeof(double)) / best);
        }
    free(memory);
    return total > 0.0;
}
