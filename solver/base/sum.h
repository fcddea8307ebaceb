/* A compensated sum (Neumaier): what it returns does not drift with the number of terms. */
#ifndef SWE_BASE_SUM_H
#define SWE_BASE_SUM_H

#include <math.h>

#include "base/point.h"

typedef struct swe_sum {
    double value, lost;
} swe_sum;

/* Both cases are one expression, so that sums beside one another vectorise. */
SWE_POINT void swe_sum_add(swe_sum *sum, double term)
{
    const double next = sum->value + term;
    const int keeps = fabs(sum->value) >= fabs(term);
    const double large = keeps ? sum->value : term, small = keeps ? term : sum->value;
    sum->lost += (large - next) + small;
    sum->value = next;
}

SWE_POINT double swe_sum_total(swe_sum sum)
{
    return sum.value + sum.lost;
}

#endif
