/* Compensated sum (Neumaier 1974): its rounding error does not grow with the number of terms. */
#ifndef SWE_BASE_SUM_H
#define SWE_BASE_SUM_H

#include <math.h>

#include "base/point.h"

typedef struct swe_sum {
    double value, lost; /* the sum, and the rounding errors of the additions */
} swe_sum;

/* Add a term. Without branches, so that independent sums vectorise. */
SWE_POINT void swe_sum_add(swe_sum *sum, double term)
{
    const double next = sum->value + term;
    const int keeps = fabs(sum->value) >= fabs(term);
    const double large = keeps ? sum->value : term, small = keeps ? term : sum->value;
    sum->lost += (large - next) + small;
    sum->value = next;
}

/* The corrected sum. */
SWE_POINT double swe_sum_total(swe_sum sum)
{
    return sum.value + sum.lost;
}

#endif
