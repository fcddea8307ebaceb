/* A kind of case as functions of a point. Internal to solver/cases, and for tests of single points.
 */
#ifndef SWE_CASES_KIND_H
#define SWE_CASES_KIND_H

#include "cases/case.h"
#include "cases/frame.h"

enum {
    SWE_FOR_LINEAR = 1 << SWE_LINEAR,
    SWE_FOR_NONLINEAR = 1 << SWE_NONLINEAR,
    SWE_FOR_PRESCRIBED = 1 << SWE_EQUATIONS
};

typedef struct swe_case_kind swe_case_kind;

/* A case in host memory; swe_case_destroy releases it. */
struct swe_case {
    const swe_case_kind *kind;
    swe_initial initial;
    swe_physics physics;
    swe_frame frame; /* of the axis of rotation */
    double rest;     /* added to the kind's height: H0 if that is relative to rest, else 0 [m] */
    int term;        /* swe_case_select_term; -1: all */
    void *derived;   /* values that `prepare` derives, kind->derived_size bytes; owned */
};

/* A NULL function means that the case lacks the property. Points r are Cartesian unit vectors, t is
 * in s. */
struct swe_case_kind {
    const char *name;
    const char *keys;    /* keys of section `initial`, besides kind, that it reads: "lon, lat" */
    int equations;       /* bits SWE_FOR_* */
    bool needs_rotation; /* requires Omega > 0 */
    int resolved_n;      /* least n, at order 4, that shows the flow and not the grid; 0: any */
    const char *why_inexact; /* why the reference is not exact, and what to converge instead */
    const char *caution;     /* exact reference: what else its errors measure; NULL: nothing */
    bool above_rest;         /* `height` is relative to a layer at rest, with either equations */
    swe_reference (*reference)(const swe_initial *initial, const swe_physics *physics);
    size_t derived_size; /* of `derived`, zero at first; 0: none */
    /* Fill `derived`; NULL: nothing to derive. Errors: of the kind. */
    swe_status (*prepare)(swe_context *ctx, swe_case *c);
    double (*height)(const swe_case *c, double t, const double r[3]); /* [m] */
    /* Height at many points at once, in place of `height`. */
    void (*heights)(const swe_case *c, double t, int count, const double (*r)[3], double *h);
    /* Cartesian velocity [m s-1]. NULL: at rest at t = 0, unknown later. */
    void (*velocity)(const swe_case *c, double t, const double r[3], double u[3]);
    /* A prescribed velocity, in place of `velocity`: its terms in time (base/physics.h), and the
     * Cartesian velocity of term m [m s-1]. */
    swe_wind (*wind)(const swe_initial *initial, const swe_physics *physics);
    void (*wind_term)(const swe_case *c, int m, const double r[3], double u[3]);
    /* Its streamfunction psi [m2 s-1], u = r x grad psi; NaN: the velocity has
     * divergence. */
    double (*stream)(const swe_case *c, int m, const double r[3]);
    double (*bottom)(const swe_case *c, const double r[3]); /* [m]; NULL: flat */
    double (*frequency)(const swe_case *c);                 /* [s-1]; NULL: no travelling wave */
};

#define SWE_ONLY_LINEAR_AT_REST                                                                    \
    "its solution is known in the linear equations without rotation (physics.model=linear, "       \
    "physics.rotation=0); of other equations converge williamson2, laeuter or linear_geostrophic"
#define SWE_NO_CLOSED_FORM                                                                         \
    "no solution of this flow is known in closed form; converge williamson2 or laeuter, and "      \
    "compare this flow between grids: run it at several grid.n, then convert --to latlon"

#define SWE_CASE_DECLARE(NAME, name) extern const swe_case_kind swe_case_##name;
SWE_CASE_LIST(SWE_CASE_DECLARE)
#undef SWE_CASE_DECLARE

/* Functions for `reference`: always exact, and never known. */
swe_reference swe_reference_exact(const swe_initial *initial, const swe_physics *physics);
swe_reference swe_reference_none(const swe_initial *initial, const swe_physics *physics);
/* Exact with the linear equations without rotation, otherwise unknown. */
swe_reference swe_reference_at_rest(const swe_initial *initial, const swe_physics *physics);

/* A `height` that is physics.depth. */
double swe_constant_depth(const swe_case *c, double t, const double r[3]);

/* Create a case of a kind that is not in the list, without `prepare`. Errors: SWE_NO_MEMORY. */
swe_status swe_case_of_kind(swe_context *ctx, const swe_case_kind *kind, swe_case **out);

/* Slope of the depth in balance with a solid-body rotation of `speed` u0 about the axis of
 * rotation: (a Omega u0 + u0^2 / 2) / g [m]. */
static inline double swe_balanced_slope(const swe_physics *physics, double speed)
{
    return speed * (physics->radius * physics->rotation + 0.5 * speed) / physics->gravity;
}

#endif
