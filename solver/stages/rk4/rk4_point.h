/* Classical Runge-Kutta update of one value, in four parts (part = 0..3).
 *
 *     part   sum                   next (the state at which the next tendency is taken)
 *     0      y + dt/6 k            y + dt/2 k
 *     1      sum + dt/3 k          y + dt/2 k
 *     2      sum + dt/3 k          y + dt k
 *     3                            y = sum + dt/6 k */
#ifndef SWE_STAGES_RK4_POINT_H
#define SWE_STAGES_RK4_POINT_H

#include "base/point.h"

SWE_POINT void rk4_point(int part, double dt, double k, double *y, double *sum, double *next)
{
    switch (part) {
    case 0:
        *sum = *y + dt / 6.0 * k;
        *next = *y + dt / 2.0 * k;
        break;
    case 1:
        *sum += dt / 3.0 * k;
        *next = *y + dt / 2.0 * k;
        break;
    case 2:
        *sum += dt / 3.0 * k;
        *next = *y + dt * k;
        break;
    default:
        *y = *sum + dt / 6.0 * k;
    }
}

#endif
