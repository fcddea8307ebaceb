/* A case as functions of a point; for solver/cases and for readers that have a point's values. */
#ifndef SWE_CASES_KIND_H
#define SWE_CASES_KIND_H

#include "cases/case.h"

enum { SWE_FOR_LINEAR = 1 << SWE_LINEAR, SWE_FOR_NONLINEAR = 1 << SWE_NONLINEAR };

/* `own` is what `create` made, in one piece of memory that free() takes; NULL members are what a
 * case does not have. Points r are Cartesian unit vectors. */
typedef struct swe_case_kind {
    const char *name;
    const char *keys;        /* of section `initial`, besides kind, that it reads: "lon, lat" */
    int equations;           /* bits SWE_FOR_*: those that it is a case of */
    bool needs_rotation;     /* Omega > 0 */
    int resolved_n;          /* least n, at order 4, that shows the flow and not the grid; 0: any */
    const char *why_inexact; /* why a reference is not exact, and what to converge instead */
    const char *caution;     /* what else errors against an exact one measure; NULL: nothing */
    bool above_rest;         /* h is the height above a layer at rest, in either equations */
    swe_reference (*reference)(const swe_initial *initial, const swe_physics *physics);
    swe_status (*create)(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                         void **own);
    double (*height)(const void *own, double t, const double r[3]); /* [m] */
    /* In place of height, where many points at once are faster. */
    void (*heights)(const void *own, double t, int count, const double (*r)[3], double *h);
    /* NULL: at rest at t = 0, later not known. */
    void (*velocity)(const void *own, double t, const double r[3], double u[3]);
    double (*bottom)(const void *own, const double r[3]); /* NULL: flat */
    double (*frequency)(const void *own);                 /* NULL: no travelling wave */
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

/* Answers of `reference` that depend on nothing. */
swe_reference swe_reference_exact(const swe_initial *initial, const swe_physics *physics);
swe_reference swe_reference_none(const swe_initial *initial, const swe_physics *physics);
/* Exact in the linear equations without rotation. */
swe_reference swe_reference_at_rest(const swe_initial *initial, const swe_physics *physics);

/* Memory of `size` bytes for a case, zero. Errors: SWE_NO_MEMORY. */
swe_status swe_case_memory(swe_context *ctx, size_t size, void **own);

/* A case of a kind that is not in the list; it owns `own`, also after an error. Errors:
 * SWE_NO_MEMORY. */
swe_status swe_case_of_kind(swe_context *ctx, const swe_case_kind *kind, void *own, swe_case **out);

#endif
