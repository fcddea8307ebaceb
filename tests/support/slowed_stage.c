/* The gradient on the CPU, slower by CUBESWE_SLOWED_PERCENT: it spins for that fraction of its
 * time. The linker replaces the stage by this function (--wrap), only in a program of the tests. */
#include <stdlib.h>

#include "base/clock.h"
#include "stages/stages.h"

void __real_swe_gradient_cpu(const swe_execution *execution, const swe_params *params,
                             const double *h, double *dv1, double *dv2);
void __wrap_swe_gradient_cpu(const swe_execution *execution, const swe_params *params,
                             const double *h, double *dv1, double *dv2);

void __wrap_swe_gradient_cpu(const swe_execution *execution, const swe_params *params,
                             const double *h, double *dv1, double *dv2)
{
    const char *percent = getenv("CUBESWE_SLOWED_PERCENT");
    const double start = swe_clock_seconds();
    __real_swe_gradient_cpu(execution, params, h, dv1, dv2);
    const double end = swe_clock_seconds();
    const double until = end + (percent != NULL ? atof(percent) / 100.0 : 0.0) * (end - start);
    while (swe_clock_seconds() < until)
        ;
}
