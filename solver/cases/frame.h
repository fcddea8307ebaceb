/* Vectors, and coordinates relative to an axis. */
#ifndef SWE_CASES_FRAME_H
#define SWE_CASES_FRAME_H

#include <math.h>

#include "base/physics.h"
#include "grid/geographic.h"

/* Orthonormal, right-handed basis (e1, e2, axis). It is the rotated grid of Williamson et al., J.
 * Comput. Phys. 102 (1992) 211: e1 points south of the axis, e2 east. About the pole at longitude 0
 * it is (x, y, z). */
typedef struct swe_frame {
    double e1[3], e2[3], axis[3];
} swe_frame;

/* A point: longitude and latitude relative to a frame, and Cartesian unit vectors east and north.
 */
typedef struct swe_place {
    double lon, lat; /* [rad] */
    double sin_lat, cos_lat;
    double east[3], north[3];
} swe_place;

static inline double swe_radians(double degrees)
{
    return degrees * (SWE_PI / 180.0);
}

static inline double swe_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void swe_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Angle [rad] between two unit vectors, accurate also near 0 and pi. */
static inline double swe_angle_between(const double a[3], const double b[3])
{
    double cross[3];
    swe_cross(a, b, cross);
    return atan2(sqrt(swe_dot(cross, cross)), swe_dot(a, b));
}

/* Frame whose axis has a longitude and latitude [degree]. */
static inline swe_frame swe_frame_about(double lon_degrees, double lat_degrees)
{
    swe_frame frame;
    double north[3];
    geographic_frame(lon_degrees, lat_degrees, frame.axis, frame.e2, north);
    for (int k = 0; k < 3; k++)
        frame.e1[k] = -north[k];
    return frame;
}

/* Frame whose axis is the axis of rotation. */
static inline swe_frame swe_frame_of_rotation(const swe_physics *physics)
{
    return swe_frame_about(physics->axis_lon, physics->axis_lat);
}

/* Coordinates of the unit vector r. At the axis itself the longitude is 0. */
static inline swe_place swe_place_in(const swe_frame *frame, const double r[3])
{
    const double x = swe_dot(frame->e1, r), y = swe_dot(frame->e2, r), z = swe_dot(frame->axis, r);
    const double c = hypot(x, y), cos_lon = c > 0.0 ? x / c : 1.0, sin_lon = c > 0.0 ? y / c : 0.0;
    swe_place place = {.lon = atan2(y, x), .lat = atan2(z, c), .sin_lat = z, .cos_lat = c};
    for (int k = 0; k < 3; k++) {
        place.east[k] = cos_lon * frame->e2[k] - sin_lon * frame->e1[k];
        place.north[k] = c * frame->axis[k] - z * (cos_lon * frame->e1[k] + sin_lon * frame->e2[k]);
    }
    return place;
}

/* Cartesian vector with given zonal and meridional components. */
static inline void swe_place_vector(const swe_place *place, double zonal, double meridional,
                                    double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = zonal * place->east[k] + meridional * place->north[k];
}

/* Solid-body rotation u = speed (axis x r), `speed` at the equator of the axis. */
static inline void swe_solid_body(const double axis[3], double speed, const double r[3],
                                  double u[3])
{
    swe_cross(axis, r, u);
    for (int k = 0; k < 3; k++)
        u[k] *= speed;
}

#endif
