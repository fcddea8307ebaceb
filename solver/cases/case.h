/* The cases: initial state, bottom, and reference solution of a run.
 *
 * A file of this folder states the formulas of a case, its source and the published constants.
 * Coordinates are relative to the axis of rotation (physics.axis_lon, axis_lat), so that every case
 * can be rotated relative to the grid. A case is a set of functions of a point of the sphere
 * (kind.h). Panels evaluate a shared point from the same Cartesian vector, so that its copies agree
 * to the last bit. */
#ifndef SWE_CASES_CASE_H
#define SWE_CASES_CASE_H

#include <stdbool.h>

#include "base/context.h"
#include "base/physics.h"
#include "grid/grid.h"

/* CASE(NAME, name) in the order of the words of initial.kind; each has a swe_case_<name>. */
#define SWE_CASE_LIST(CASE)                                                                        \
    CASE(GAUSSIAN, gaussian)                                                                       \
    CASE(STANDING_WAVE, standing_wave)                                                             \
    CASE(GEOSTROPHIC, geostrophic)                                                                 \
    CASE(HOUGH, hough)                                                                             \
    CASE(MATSUNO, matsuno)                                                                         \
    CASE(WILLIAMSON2, williamson2)                                                                 \
    CASE(WILLIAMSON5, williamson5)                                                                 \
    CASE(WILLIAMSON6, williamson6)                                                                 \
    CASE(GALEWSKY, galewsky)                                                                       \
    CASE(LAEUTER, laeuter)                                                                         \
    CASE(LAKE_AT_REST, lake_at_rest)                                                               \
    CASE(WILLIAMSON1, williamson1)                                                                 \
    CASE(DEFORMATION, deformation)

typedef enum swe_initial_kind {
#define SWE_CASE_ENUM(NAME, name) SWE_INITIAL_##NAME,
    SWE_CASE_LIST(SWE_CASE_ENUM)
#undef SWE_CASE_ENUM
        SWE_INITIAL_FILE, /* fields of a file: not a case */
    SWE_INITIAL_KINDS
} swe_initial_kind;

/* In the order of the words of initial.wave. */
typedef enum swe_wave_type {
    SWE_WAVE_ROSSBY,   /* westward, slow: balanced */
    SWE_WAVE_EASTWARD, /* inertia-gravity waves */
    SWE_WAVE_WESTWARD
} swe_wave_type;

/* Values of section `initial` of the configuration. A case reads the values that its `keys`
 * name. */
typedef struct swe_initial {
    swe_initial_kind kind;
    double lon, lat;  /* centre of the pulse or mountain, axis of the standing wave [degree] */
    double amplitude; /* of the wave, pulse or mountain [m]; of matsuno [m s-1] */
    double width;     /* of the pulse or mountain [rad2] */
    int degree;       /* l of the standing wave */
    double angle;     /* orientation of the standing wave; alpha of laeuter [degree] */
    double period;    /* of the flow around the sphere [s] */
    int wavenumber;   /* zonal */
    int mode;         /* meridional; of deformation, the flow */
    swe_wave_type wave;
    bool perturbed;        /* galewsky: the jet has a perturbation */
    bool bottom_from_file; /* a file holds the bottom; the case defines the surface over it */
} swe_initial;

/* Word of initial.kind for a kind. Keys of section `initial`, besides kind, that a kind reads, such
 * as "lon, lat"; NULL for an unknown word. */
const char *swe_initial_name(swe_initial_kind kind);
const char *swe_initial_keys(const char *name);
/* Whether a kind reads a key; true for an unknown word. */
bool swe_initial_reads(const char *name, const char *key);

/* Knowledge of the solution at t > 0. */
typedef enum swe_reference {
    SWE_REFERENCE_NONE,
    SWE_REFERENCE_APPROXIMATE, /* solution of simplified equations: errors do not converge to 0 */
    SWE_REFERENCE_EXACT
} swe_reference;

swe_reference swe_case_reference(const swe_initial *initial, const swe_physics *physics);

/* Advice for convergence studies: why errors against the reference do not measure convergence, and
 * an alternative. If the reference is exact: what else the errors measure, or NULL. */
const char *swe_case_convergence(const swe_initial *initial, const swe_physics *physics);

/* Least n, at order 4, with which a run shows the flow and not the imprint of the grid; 0: unknown.
 */
int swe_case_resolved_n(const swe_initial *initial, const swe_physics *physics);

/* The terms in time of the prescribed velocity of a case; none if it has no such velocity. */
swe_wind swe_case_wind(const swe_initial *initial, const swe_physics *physics);

/* Whether the velocity is known at t > 0; at t = 0 it is always known. */
bool swe_case_has_velocity(const swe_initial *initial);

/* Check that a case fits the physics. Errors: SWE_CONFIG; `*key` is then the configuration key at
 * fault ("physics.model"). */
swe_status swe_case_check(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                          const char **key);

typedef struct swe_case swe_case;

/* Create a case; release it with swe_case_destroy. Errors: as in swe_case_check, SWE_NO_MEMORY,
 * SWE_INTERNAL (kind `file`). */
swe_status swe_case_create(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                           swe_case **out);
void swe_case_destroy(swe_case **test_case);

/* Let the velocity be term m of the prescribed velocity, at any t. */
void swe_case_select_term(swe_case *test_case, int m);

/* The selected term's streamfunction psi at a point [m2 s-1], u = r x grad psi; NaN if the velocity
 * has divergence. */
double swe_case_stream_at(const swe_case *test_case, const double r[3]);

/* Whether the case has a bottom that is not flat. */
bool swe_case_has_bottom(const swe_case *test_case);

/* Fields at time t [s] in row j of a panel. h [m] at vertices: linear equations, the height above
 * the layer at rest; nonlinear, the depth of the fluid. v1 at (c,v), v2 at (v,c) [m2 s-1] and the
 * speed at vertices [m s-1]: NaN at t > 0 unless swe_case_has_velocity. The height of the bottom
 * [m] at vertices, 0 if flat. A row has n + 1 values, a row of v1 n values; v2 has rows
 * 0 to n - 1. */
void swe_case_height_row(const swe_case *test_case, const swe_grid *grid, double t, int panel,
                         int j, double *h);
void swe_case_v1_row(const swe_case *test_case, const swe_grid *grid, double t, int panel, int j,
                     double *v1);
void swe_case_v2_row(const swe_case *test_case, const swe_grid *grid, double t, int panel, int j,
                     double *v2);
void swe_case_speed_row(const swe_case *test_case, const swe_grid *grid, double t, int panel, int j,
                        double *speed);
void swe_case_bottom_row(const swe_case *test_case, const swe_grid *grid, int panel, int j,
                         double *b);

/* The same at one point, a Cartesian unit vector r. The velocity u is Cartesian [m s-1]. */
double swe_case_height_at(const swe_case *test_case, double t, const double r[3]);
void swe_case_velocity_at(const swe_case *test_case, double t, const double r[3], double u[3]);
double swe_case_bottom_at(const swe_case *test_case, const double r[3]);

/* Frequency omega [s-1] of a wave with phase k lon - omega t; NaN if the case is not such a wave.
 */
double swe_case_frequency(const swe_case *test_case);

#endif
