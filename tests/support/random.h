/* Pseudo-random numbers that are the same on every machine (splitmix64). */
#ifndef SUPPORT_RANDOM_H
#define SUPPORT_RANDOM_H

#include <stdint.h>

typedef struct random_source {
    uint64_t state; /* start with any number: the seed */
} random_source;

/* Next number in [-1, 1). */
static inline double random_next(random_source *source)
{
    uint64_t bits = (source->state += 0x9e3779b97f4a7c15u);
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
    return (double)(bits >> 11) * 0x1p-52 - 1.0;
}

static inline void random_fill(random_source *source, int count, double *out)
{
    for (int i = 0; i < count; i++)
        out[i] = random_next(source);
}

#endif
