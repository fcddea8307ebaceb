/* Longitude, latitude and local unit vectors of a point of the sphere. Host code, in double. */
#ifndef SWE_GRID_GEOGRAPHIC_H
#define SWE_GRID_GEOGRAPHIC_H

#include <math.h>

#include "base/physics.h"

static const double geographic_degrees = 180.0 / SWE_PI; /* per radian */

/* Longitude in [0, 360) and latitude [degree] of a Cartesian vector of any length > 0. */

static inline double geographic_longitude(const double r[3])
{
    const double east = atan2(r[1], r[0]) * geographic_degrees;
    return east < 0.0 ? east + 360.0 : east;
}

static inline double geographic_latitude(const double r[3])
{
    return atan2(r[2], hypot(r[0], r[1])) * geographic_degrees;
}

static inline void geographic_of(const double r[3], double *lon, double *lat)
{
    *lon = geographic_longitude(r);
    *lat = geographic_latitude(r);
}

/* Cartesian unit vectors up, east and north at a longitude and latitude [degree]. At a pole the
 * longitude defines east. */
static inline void geographic_frame(double lon, double lat, double up[3], double east[3],
                                    double north[3])
{
    const double a = lon / geographic_degrees, b = lat / geographic_degrees;
    const double out =
        fabs(lat) < 90.0 ? cos(b) : 0.0; /* exactly 0, so that the pole is a point of the grid */
    up[0] = out * cos(a);
    up[1] = out * sin(a);
    up[2] = sin(b);
    east[0] = -sin(a);
    east[1] = cos(a);
    east[2] = 0.0;
    north[0] = -sin(b) * cos(a);
    north[1] = -sin(b) * sin(a);
    north[2] = out;
}

/* Coriolis parameter f = 2 Omega . r [s-1] at a unit vector r. Omega is `rate` [s-1] times the unit
 * vector `axis`. */
static inline double geographic_coriolis(double rate, const double axis[3], const double r[3])
{
    return 2.0 * rate * (axis[0] * r[0] + axis[1] * r[1] + axis[2] * r[2]);
}

#endif
