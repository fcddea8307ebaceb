/* Deformation of tracers by four prescribed flows, initial.mode: Nair and Lauritzen, J. Comput.
 * Phys. 229 (2010) 8868, cases 1 to 4, equations 18 to 29. With s = 5 a/period and
 * p = cos(pi t/period):
 *
 *     1  u =  2.4 s sin^2(lon/2) sin(2 lat) p           v = 1.2 s sin(lon) cos(lat) p
 *     2  u =  2 s sin^2(lon) sin(2 lat) p               v = 2 s sin(2 lon) cos(lat) p
 *     3  u = -s sin^2(lon/2) sin(2 lat) cos^2(lat) p    v = s/2 sin(lon) cos^3(lat) p
 *     4  flow 2 in the longitude lon - 2 pi t/period, plus u = 2 pi a/period cos(lat)
 *
 * After each period all fields are what they were at first. Flow 3 has divergence: it changes
 * concentrations in the meantime. Published constant: 5 units of time in a period.
 *
 * Flow 4 has four terms in time. With 2 sin^2 x = 1 - cos(2 x) and x = lon - 2 pi t/period, flow 2
 * is two fields that turn and a zonal flow; the last term is the rotation. */
#include "cases/kind.h"

static double scale_of(const swe_case *c)
{
    return 5.0 * c->physics.radius / c->initial.period;
}

/* Greatest speeds, in units of s. */
static swe_wind wind(const swe_initial *initial, const swe_physics *physics)
{
    static const double bounds[] = {0.0, 2.4, 2.0, 0.65, 2.94};
    const double period = initial->period, swing = SWE_PI / period, turn = 4.0 * swing;
    const int mode = initial->mode >= 1 && initial->mode <= 4 ? initial->mode : 0;
    const double speed = bounds[mode] * 5.0 * physics->radius / period;
    return (swe_wind){.terms = initial->mode < 4 ? 1 : 4,
                      .swing = swing,
                      .turn = turn,
                      .speed = speed,
                      .diverges = initial->mode == 3};
}

/* Term m of flow 4, in units of s. */
static void turning_term(int m, const swe_place *p, double *zonal, double *meridional)
{
    const double sin_2lat = 2.0 * p->sin_lat * p->cos_lat;
    const double cos_2lon = cos(2.0 * p->lon), sin_2lon = sin(2.0 * p->lon);
    *zonal = m == 0   ? -cos_2lon * sin_2lat
             : m == 1 ? -sin_2lon * sin_2lat
             : m == 2 ? sin_2lat
                      : 0.4 * SWE_PI * p->cos_lat;
    *meridional = m == 0   ? 2.0 * sin_2lon * p->cos_lat
                  : m == 1 ? -2.0 * cos_2lon * p->cos_lat
                           : 0.0;
}

static void wind_term(const swe_case *c, int m, const double r[3], double u[3])
{
    const swe_place p = swe_place_in(&c->frame, r);
    const double sin_2lat = 2.0 * p.sin_lat * p.cos_lat, c2 = p.cos_lat * p.cos_lat;
    const double sin_lon = sin(p.lon), half = 0.5 * (1.0 - cos(p.lon)); /* sin^2(lon/2) */
    double zonal = 0.0, meridional = 0.0;
    switch (c->initial.mode) {
    case 1:
        zonal = 2.4 * half * sin_2lat;
        meridional = 1.2 * sin_lon * p.cos_lat;
        break;
    case 2:
        zonal = 2.0 * sin_lon * sin_lon * sin_2lat;
        meridional = 2.0 * sin(2.0 * p.lon) * p.cos_lat;
        break;
    case 3:
        zonal = -half * sin_2lat * c2;
        meridional = 0.5 * sin_lon * p.cos_lat * c2;
        break;
    default:
        turning_term(m, &p, &zonal, &meridional);
    }
    swe_place_vector(&p, scale_of(c) * zonal, scale_of(c) * meridional, u);
}

/* NaN for flow 3, which has divergence. */
static double stream(const swe_case *c, int m, const double r[3])
{
    const swe_place p = swe_place_in(&c->frame, r);
    const double c2 = p.cos_lat * p.cos_lat, sin_lon = sin(p.lon);
    const double scale = c->physics.radius * scale_of(c);
    switch (c->initial.mode) {
    case 1:
        return scale * 1.2 * (1.0 - cos(p.lon)) * c2;
    case 2:
        return scale * 2.0 * sin_lon * sin_lon * c2;
    case 3:
        return NAN;
    default:
        return scale * (m == 0   ? -cos(2.0 * p.lon) * c2
                        : m == 1 ? -sin(2.0 * p.lon) * c2
                        : m == 2 ? c2
                                 : -0.4 * SWE_PI * p.sin_lat);
    }
}

const swe_case_kind swe_case_deformation = {.name = "deformation",
                                            .keys = "mode, period",
                                            .equations = SWE_FOR_PRESCRIBED,
                                            .reference = swe_reference_exact,
                                            .height = swe_constant_depth,
                                            .wind = wind,
                                            .wind_term = wind_term,
                                            .stream = stream};
