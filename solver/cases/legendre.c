#include "cases/legendre.h"

#include <math.h>

#include "base/physics.h"
#include "base/point.h"

/* P_degree(x) and its derivative. */
static double evaluate(int degree, double x, double *derivative)
{
    double before = 1.0, value = x;
    for (int l = 2; l <= degree; l++) {
        const double next = ((2 * l - 1) * x * value - (l - 1) * before) / l;
        before = value;
        value = next;
    }
    *derivative = degree * (x * value - before) / (x * x - 1.0);
    return value;
}

void swe_legendre_rule(int count, double *nodes, double *weights)
{
    for (int i = 0; i < (count + 1) / 2; i++) {
        double x = cos(SWE_PI * (i + 0.75) / (count + 0.5)), slope = 0.0;
        for (int iteration = 0; iteration < 100; iteration++) {
            const double step = evaluate(count, x, &slope) / slope;
            x -= step;
            if (fabs(step) < 1e-15)
                break;
        }
        evaluate(count, x, &slope);
        nodes[i] = -x;
        nodes[count - 1 - i] = x;
        weights[i] = weights[count - 1 - i] = 2.0 / ((1.0 - x * x) * slope * slope);
    }
}

enum { BATCH = 64 }; /* points that share one pass over the degrees */

SWE_CLONES
static void series_batch(int degrees, const double *coefficients, const double *x, double *out)
{
    double before[BATCH], value[BATCH], sum[BATCH];
    for (int i = 0; i < BATCH; i++) {
        before[i] = 1.0;
        value[i] = x[i];
        sum[i] = coefficients[0] + (degrees > 0 ? coefficients[1] * x[i] : 0.0);
    }
    for (int l = 2; l <= degrees; l++) {
        const double forward = (2.0 * l - 1.0) / l, backward = (l - 1.0) / l,
                     weight = coefficients[l];
        for (int i = 0; i < BATCH; i++) {
            const double next = forward * x[i] * value[i] - backward * before[i];
            before[i] = value[i];
            value[i] = next;
            sum[i] += weight * next;
        }
    }
    for (int i = 0; i < BATCH; i++)
        out[i] = sum[i];
}

void swe_legendre_series(int degrees, const double *coefficients, int count, const double *x,
                         double *out)
{
    for (int start = 0; start < count; start += BATCH) {
        double points[BATCH] = {0}, sums[BATCH];
        const int used = count - start < BATCH ? count - start : BATCH;
        for (int i = 0; i < used; i++)
            points[i] = x[start + i];
        series_batch(degrees, coefficients, points, sums);
        for (int i = 0; i < used; i++)
            out[start + i] = sums[i];
    }
}
