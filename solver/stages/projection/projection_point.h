/* Projection at one shared point: the H-orthogonal projection onto continuous fields.
 *
 * The weights J Hv Hv of all copies are equal, by symmetry of the closures and of the metric. So
 * the projection is the mean of the copies. One caller reads and writes all copies of a point. The
 * mean does not depend on the order of the copies and is exact where they already agree. */
#ifndef SWE_STAGES_PROJECTION_POINT_H
#define SWE_STAGES_PROJECTION_POINT_H

#include "stages/params.h"

/* Mean of three values, independent of their order. */
SWE_POINT real projection_mean3(real a, real b, real c)
{
    const real low = a < b ? a : b, high = a < b ? b : a;
    const real least = c < low ? c : low, greatest = c > high ? c : high;
    const real middle = c < low ? low : c > high ? high : c;
    if (least == greatest)
        return least; /* 3 x / 3 is not always x */
    return ((least + greatest) + middle) / 3;
}

/* Mean of two or three copies of a value, independent of their order. */
SWE_POINT real projection_mean(int count, real a, real b, real c)
{
    return count == 2 ? (real)0.5 * (a + b) : projection_mean3(a, b, c);
}

/* The same for vectors. */
SWE_POINT void projection_mean_vector(int count, real copies[3][3], real mean[3])
{
    for (int k = 0; k < 3; k++)
        mean[k] = projection_mean(count, copies[0][k], copies[1][k], copies[2][k]);
}

/* Replace a field's values at[m] by their mean, and return it. */
SWE_POINT real projection_average(int count, const ptrdiff_t at[3], real *SWE_RESTRICT field)
{
    const real third = count == 3 ? field[at[2]] : 0;
    const real mean = projection_mean(count, field[at[0]], field[at[1]], third);
    TOPOLOGY_FOR_COPIES(count, field[at[m]] = mean)
    return mean;
}

/* h is a whole field. */
SWE_POINT void projection_point(const topology_copies *copies, real *SWE_RESTRICT h)
{
    ptrdiff_t at[3] = {0, 0, 0};
    TOPOLOGY_FOR_COPIES(copies->count, at[m] = copies->at[m])
    projection_average(copies->count, at, h);
}

#endif
