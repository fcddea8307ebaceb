/* A compensated sum (Neumaier): what it returns does not drift with the number of terms. */
#ifndef SWE_DIAGNOSTICS_SUM_H
#define SWE_DIAGNOSTICS_SUM_H

#include <math.h>

typedef struct swe_sum {
    double value, lost;
} swe_sum;

static inline void swe_sum_add(swe_sum *sum, double term)
{
    const double next = sum->value + term;
    if (fabs(sum->value) >= fabs(term))
        sum->lost += (sum->value - next) + term;
    else
        sum->lost += (term - next) + sum->value;
    sum->value = next;
}

static inline double swe_sum_total(swe_sum sum)
{
    return sum.value + sum.lost;
}

#endif
