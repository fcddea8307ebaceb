/* The cases: what a run starts from, the bottom that it flows over, and, where there is one, the
 * solution that it is compared with.
 *
 * Each case is a file of this folder: formulas, source, constants as published. All are laid out
 * about the axis of rotation (physics.axis_lon, axis_lat), so each can be turned against the grid.
 * A case is a set of functions of a point of the sphere; what is shared by panels is evaluated from
 * the same Cartesian point by all of them and agrees to the last bit. */
#ifndef SWE_CASES_CASE_H
#define SWE_CASES_CASE_H

#include <stdbool.h>

#include "base/context.h"
#include "base/physics.h"
#include "grid/grid.h"

/* In the order of the words of initial.kind. */
typedef enum swe_initial_kind {
    SWE_INITIAL_GAUSSIAN,
    SWE_INITIAL_STANDING_WAVE,
    SWE_INITIAL_GEOSTROPHIC,
    SWE_INITIAL_HOUGH,
    SWE_INITIAL_MATSUNO,
    SWE_INITIAL_WILLIAMSON2,
    SWE_INITIAL_WILLIAMSON5,
    SWE_INITIAL_WILLIAMSON6,
    SWE_INITIAL_GALEWSKY,
    SWE_INITIAL_LAEUTER,
    SWE_INITIAL_LAKE_AT_REST,
    SWE_INITIAL_FILE, /* fields of a file: not a case */
    SWE_INITIAL_KINDS
} swe_initial_kind;

/* In the order of the words of initial.wave. */
typedef enum swe_wave_type {
    SWE_WAVE_ROSSBY,   /* westward, slow: balanced */
    SWE_WAVE_EASTWARD, /* inertia-gravity waves */
    SWE_WAVE_WESTWARD
} swe_wave_type;

/* The keys of section `initial`, each of those cases that say so. */
typedef struct swe_initial {
    swe_initial_kind kind;
    double lon, lat;  /* centre of the pulse or mountain, axis of the standing wave [degree] */
    double amplitude; /* of the wave, pulse or mountain [m]; of matsuno [m s-1] */
    double width;     /* of the pulse or mountain [rad2] */
    int degree;       /* l of the standing wave */
    double angle;     /* turns the standing wave; alpha of laeuter [degree] */
    double period;    /* in which the flow goes around the sphere [s] */
    int wavenumber;   /* zonal */
    int mode;         /* meridional */
    swe_wave_type wave;
    bool perturbed;        /* the jet of galewsky */
    bool bottom_from_file; /* the surface of the case lies over a bottom that a file holds */
} swe_initial;

/* The word of initial.kind, and the keys of section `initial` besides kind that a kind reads, as in
 * "lon, lat"; NULL for a word that is no kind. */
const char *swe_initial_name(swe_initial_kind kind);
const char *swe_initial_keys(const char *name);
/* Whether it reads a key. A word that is no kind may read any. */
bool swe_initial_reads(const char *name, const char *key);

/* What is known of a case at t > 0. */
typedef enum swe_reference {
    SWE_REFERENCE_NONE,
    SWE_REFERENCE_APPROXIMATE, /* a solution of simpler equations: errors do not converge to 0 */
    SWE_REFERENCE_EXACT
} swe_reference;

swe_reference swe_case_reference(const swe_initial *initial, const swe_physics *physics);

/* Why errors against the reference do not measure convergence, and what to do instead. If the
 * reference is exact: what the errors measure besides; NULL: nothing. */
const char *swe_case_convergence(const swe_initial *initial, const swe_physics *physics);

/* Least n, at order 4, at which a run shows the flow and not the imprint of the grid; 0: not known.
 */
int swe_case_resolved_n(const swe_initial *initial, const swe_physics *physics);

/* Whether the velocity of the reference is known, too; that at t = 0 always is. */
bool swe_case_has_velocity(const swe_initial *initial);

/* Whether a case fits the physics. Errors: SWE_CONFIG, the message being what is wrong and `key`
 * the one that says so ("physics.model"). */
swe_status swe_case_check(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                          const char **key);

typedef struct swe_case swe_case;

/* Errors: those of swe_case_check, SWE_NO_MEMORY, SWE_INTERNAL (kind `file`). */
swe_status swe_case_create(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                           swe_case **out);
void swe_case_destroy(swe_case **test_case);

/* Fields at time t [s] in the grid's layout, host memory. h [m] at vertices: of the linear
 * equations the height above the layer at rest, of the nonlinear ones the depth of the fluid. v1 at
 * (c,v), v2 at (v,c) [m2 s-1], speed at vertices [m s-1]: at t = 0, and later if
 * swe_case_has_velocity. */
void swe_case_height(const swe_case *test_case, const swe_grid *grid, int threads, double t,
                     double *h);
void swe_case_velocity(const swe_case *test_case, const swe_grid *grid, int threads, double t,
                       double *v1, double *v2);
void swe_case_speed(const swe_case *test_case, const swe_grid *grid, int threads, double t,
                    double *speed);

/* Whether there is a bottom that is not flat, and its height b [m] at vertices, 0 where it is flat.
 */
bool swe_case_has_bottom(const swe_case *test_case);
void swe_case_bottom(const swe_case *test_case, const swe_grid *grid, int threads, double *b);

/* The same at one point, a Cartesian unit vector; the velocity is Cartesian [m s-1]. */
double swe_case_height_at(const swe_case *test_case, double t, const double r[3]);
void swe_case_velocity_at(const swe_case *test_case, double t, const double r[3], double u[3]);
double swe_case_bottom_at(const swe_case *test_case, const double r[3]);

/* Frequency omega of a wave that goes around the axis [s-1], its phase being k lon - omega t; NaN
 * of other cases. */
double swe_case_frequency(const swe_case *test_case);

#endif
