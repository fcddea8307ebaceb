/* A kind of case as functions of a point. Internal to solver/cases, and for tests of single points.
 */
#ifndef SWE_CASES_KIND_H
#define SWE_CASES_KIND_H

#include "cases/case.h"

enum { SWE_FOR_LINEAR = 1 << SWE_LINEAR, SWE_FOR_NONLINEAR = 1 << SWE_NONLINEAR };

/* `create` allocates `own`, one block that free() releases. A NULL function means that the case
 * lacks the property. Points r are Cartesian unit vectors, t is in s. */
typedef struct swe_case_kind {
    const char *name;
    const char *keys;    /* keys of section `initial`, besides kind, that it reads: "lon, lat" */
    int equations;       /* bits SWE_FOR_* */
    bool needs_rotation; /* requires Omega > 0 */
    int resolved_n;      /* least n, at order 4, that shows the flow and not the grid; 0: any */
    const char *why_inexact; /* why the reference is not exact, and what to converge instead */
    const char *caution;     /* exact reference: what else its errors measure; NULL: nothing */
    bool above_rest;         /* `height` is relative to a layer at rest, with either equations */
    swe_reference (*reference)(const swe_initial *initial, const swe_physics *physics);
    swe_status (*create)(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                         void **own);
    double (*height)(const void *own, double t, const double r[3]); /* [m] */
    /* Height at many points at once, in place of `height`. */
    void (*heights)(const void *own, double t, int count, const double (*r)[3], double *h);
    /* Cartesian velocity [m s-1]. NULL: at rest at t = 0, unknown later. */
    void (*velocity)(const void *own, double t, const double r[3], double u[3]);
    double (*bottom)(const void *own, const double r[3]); /* [m]; NULL: flat */
    double (*frequency)(const void *own);                 /* [s-1]; NULL: no travelling wave */
} swe_case_kind;

#define SWE_ONLY_LINEAR_AT_REST                                                                    \
    "its solution is known in the linear equations without rotation (physics.model=linear, "       \
    "physics.rotation=0); of other equations converge williamson2, laeuter or linear_geostrophic"
#define SWE_NO_CLOSED_FORM                                                                         \
    "no solution of this flow is known in closed form; converge williamson2 or laeuter, and "      \
    "compare this flow between grids: run it at several grid.n, then convert --to latlon"

extern const swe_case_kind swe_case_gaussian, swe_case_standing_wave, swe_case_geostrophic,
    swe_case_hough, swe_case_matsuno, swe_case_williamson2, swe_case_williamson5,
    swe_case_williamson6, swe_case_galewsky, swe_case_laeuter, swe_case_lake_at_rest;

/* Functions for `reference`: always exact, and never known. */
swe_reference swe_reference_exact(const swe_initial *initial, const swe_physics *physics);
swe_reference swe_reference_none(const swe_initial *initial, const swe_physics *physics);
/* Exact with the linear equations without rotation, otherwise unknown. */
swe_reference swe_reference_at_rest(const swe_initial *initial, const swe_physics *physics);

/* Allocate `size` bytes for `own`, all zero. Errors: SWE_NO_MEMORY. */
swe_status swe_case_memory(swe_context *ctx, size_t size, void **own);

/* Create a case of a kind that is not in the list (tests). It takes ownership of `own`, also after
 * an error. Errors: SWE_NO_MEMORY. */
swe_status swe_case_of_kind(swe_context *ctx, const swe_case_kind *kind, void *own, swe_case **out);

#endif
