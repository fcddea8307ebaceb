/* cubeswe, a shallow-water solver on the cubed sphere, as a library.
 *
 *     cubeswe_model *model = NULL;
 *     cubeswe_error error;
 *     if (cubeswe_create(&(cubeswe_options){.case_file = "galewsky.yaml"}, &model, &error) ||
 *         cubeswe_advance(model, 86400.0, NULL, NULL, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *     cubeswe_destroy(&model);
 *
 * A MODEL is a case, its state and its arrays on a device. Models share no data: each may be used
 * in a thread of its own. While cubeswe_advance runs, other threads may read its model, and do so
 * between two strides of steps; calls that change it are refused (USAGE). Functions that read or
 * write files wait for one another, because HDF5 runs in one thread.
 *
 * ERRORS. A function that can fail returns a status, and CUBESWE_OK is 0. `error` (NULL: not
 * wanted) then has one line that names cause and remedy. A function that fails leaves the state of
 * the model as it was, unless its description says otherwise.
 *
 * ARRAYS are in host memory of the caller: doubles [panel][row][column], 6 panels, rows along xi2,
 * columns along xi1, without padding; `count` is their number of values. Values are in SI units,
 * longitudes and latitudes in degrees.
 *
 * The library never ends the process, installs no signal handler and prints nothing. It has the
 * arithmetic of the program: a model that advances by the steps of `cubeswe run` has its bits.
 *
 * The declarations need no other header than stddef.h, and no macro. */
#ifndef CUBESWE_H
#define CUBESWE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are the exit codes of the program. */
typedef enum cubeswe_status {
    CUBESWE_OK = 0,
    CUBESWE_USAGE = 64,         /* a wrong argument */
    CUBESWE_DATA = 65,          /* bad data in an input file */
    CUBESWE_NO_INPUT = 66,      /* an input file cannot be read */
    CUBESWE_UNAVAILABLE = 69,   /* no such backend or device */
    CUBESWE_INTERNAL = 70,      /* a device failed, or the flow is unstable */
    CUBESWE_NO_MEMORY = 71,     /* out of memory */
    CUBESWE_CANNOT_CREATE = 73, /* an output cannot be created */
    CUBESWE_IO = 74,            /* an input or output failed */
    CUBESWE_STOPPED = 75,       /* the caller asked to stop */
    CUBESWE_CONFIG = 78         /* a bad configuration; the message names file, line and key */
} cubeswe_status;

typedef struct cubeswe_error {
    cubeswe_status status;
    char message[1024];
} cubeswe_error;

typedef struct cubeswe_model cubeswe_model;

/* "0.1.0"; a static string. */
const char *cubeswe_version(void);

/* Pass each warning, one line, to a function, which any thread may call; NULL (at first): to
 * nobody. Holds for the process. */
void cubeswe_warn_to(void (*warn)(const char *line));

/* ---- several ranks --------------------------------------------------------------------------- */

/* A library that is built with MPI (CUBESWE_MPI) cuts models among the ranks of a communicator.
 * Rank 0 has the models. The other ranks serve it while it calls functions of models, from
 * cubeswe_create to cubeswe_destroy:
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
 *     cubeswe_ranks_begin(MPI_Comm_c2f(MPI_COMM_WORLD), &error);
 *     if (rank == 0) {
 *         ... models ...
 *         cubeswe_ranks_dismiss();
 *     } else
 *         cubeswe_ranks_serve();
 *
 * Results have the bits of one rank. All calls come from the thread that initialized MPI. An error
 * of MPI ends all ranks. */

/* All ranks, once, before the first model: use a communicator, by its Fortran handle. The caller
 * has initialized MPI, and finalizes it after the models. Errors, on all ranks where one has one:
 * UNAVAILABLE (a build without MPI, or with another MPI library; MPI without threads), USAGE (a
 * model exists; a second call; the ranks are not of the same build, or their processors compute
 * other bits). After an error each process is one rank. */
cubeswe_status cubeswe_ranks_begin(int communicator, cubeswe_error *error);

/* The other ranks: work for rank 0 until it calls cubeswe_ranks_dismiss; both may be called again.
 * Their share of a model stays until rank 0 destroys it. Elsewhere both do nothing. */
void cubeswe_ranks_serve(void);
void cubeswe_ranks_dismiss(void);

/* ---- a model --------------------------------------------------------------------------------- */

/* The sources of a model. Members that are 0 have defaults. */
typedef struct cubeswe_options {
    const char *case_file;       /* path of a case (config/README.md); NULL: defaults */
    const char *const *settings; /* "section.key=value", over the keys of the file */
    size_t setting_count;        /* number of settings */
    const char *backend;         /* "auto" (default), "cpu", "cuda" or "cuda:1" */
    int threads;                 /* CPU threads; 0: by the size of the model */
    int has_own_forcing; /* 1: for cubeswe_set_forcing; not beside stirring and fields of a file */
} cubeswe_options;

/* Create a model at t = 0 with the initial state of its case. After an error *out is NULL. Release
 * it with cubeswe_destroy. Errors: CONFIG, NO_INPUT, DATA, UNAVAILABLE, USAGE (backend; a rank
 * that serves), NO_MEMORY. */
cubeswe_status cubeswe_create(const cubeswe_options *options, cubeswe_model **out,
                              cubeswe_error *error);

/* Release a model and set the pointer to NULL; accepts NULL. */
void cubeswe_destroy(cubeswe_model **model);

/* Facts about a model that do not change. It owns the texts. */
typedef struct cubeswe_info {
    const char *name;                        /* of the case */
    const char *equations;                   /* "linear", "nonlinear" or "prescribed" */
    const char *backend;                     /* "cpu" or "cuda" */
    const char *device;                      /* one line */
    const char *configuration;               /* all keys, YAML */
    const char *note;                        /* a remark on the initial file; "": none */
    int n, order;                            /* cells along a panel side, order of the operators */
    int threads;                             /* CPU threads */
    int is_single;                           /* 1: the state is in single precision */
    double time_step;                        /* [s] */
    int needs_whole_steps;                   /* 1: it reaches multiples of time_step alone, as
                                                forcing.interval and stirring need */
    double courant;                          /* Courant number of gravity waves, or of a prescribed
                                                velocity */
    double end;                              /* time.end of the case, at least a step [s] */
    double radius, gravity, depth, rotation; /* [m], [m s-2], mean depth [m], [s-1];
                                                gravity 0: prescribed velocity */
    size_t bytes;                            /* memory on the device */
} cubeswe_info;
void cubeswe_get_info(const cubeswe_model *model, cubeswe_info *out);

/* ---- time ------------------------------------------------------------------------------------ */

/* Model time [s], and the steps since t = 0. */
double cubeswe_time(const cubeswe_model *model);
long cubeswe_steps(const cubeswe_model *model);

/* Advance by `count` steps. The state is not checked. Errors: USAGE, INTERNAL, NO_MEMORY. */
cubeswe_status cubeswe_step(cubeswe_model *model, long count, cubeswe_error *error);

/* Advance to a time [s] by equal steps: by steps of the model's length if a whole number of them
 * reaches the time, and by the longest that are shorter if not. The state is checked at the start,
 * about every second, and at the end. `poll` (NULL: none) is called with `data` before the first
 * step, then about every 0.05 s; a value other than 0 ends the call after a whole step, with
 * STOPPED. Errors: USAGE (a time that is past, or no whole number of steps where forcing.stirring
 * needs one), STOPPED, NO_MEMORY, INTERNAL (also: the state is not finite, or a nonlinear flow is
 * too fast or has no depth); the state has then advanced. */
cubeswe_status cubeswe_advance(cubeswe_model *model, double time, int (*poll)(void *data),
                               void *data, cubeswe_error *error);

/* ---- variables ------------------------------------------------------------------------------- */

/* A variable of field files: geography, the state, and what follows from it. */
typedef struct cubeswe_variable {
    const char *name, *units, *meaning, *standard_name; /* standard_name: NULL: none */
    const char *dimensions;                             /* as in field files: "nf Ydim Xdim" */
    int rows, columns;                                  /* of a panel */
    int can_be_set;                                     /* 1: by cubeswe_set */
} cubeswe_variable;

/* Variable number k = 0, 1, ...; returns 0 if there is none. The model owns the texts. */
int cubeswe_get_variable(const cubeswe_model *model, int k, cubeswe_variable *out);

/* Copy a variable of the present state. Errors: USAGE (unknown name, other count), NO_MEMORY,
 * INTERNAL. */
cubeswe_status cubeswe_get(cubeswe_model *model, const char *name, double *values, size_t count,
                           cubeswe_error *error);

/* Set h, v1, v2, the concentration of a tracer, or the bottom (of which h, as the depth, does not
 * change). Concentrations stay when h changes. Copies of h, of a tracer and of the bottom at a
 * point of several panels become their mean. Errors: as above, and USAGE (a value that is not
 * finite, a depth of a nonlinear flow that is not positive, another variable, within a forcing
 * function). */
cubeswe_status cubeswe_set(cubeswe_model *model, const char *name, const double *values,
                           size_t count, cubeswe_error *error);

/* Longitudes and latitudes [degree] of the points of a variable. Errors: USAGE. */
cubeswe_status cubeswe_get_points(const cubeswe_model *model, const char *name, double *lon,
                                  double *lat, size_t count, cubeswe_error *error);

/* Set v1, or v2, from zonal and meridional wind [m s-1] at the points of that variable. Errors: as
 * in cubeswe_set. */
cubeswe_status cubeswe_set_wind(cubeswe_model *model, const char *name, const double *zonal,
                                const double *meridional, size_t count, cubeswe_error *error);

/* A variable of the state in the memory of the device: h, v1 or v2. It is valid as long as the
 * model, and for reading alone; each call completes it for the present time, and later steps change
 * it: on a GPU the reader waits for its own work before the next step. */
typedef struct cubeswe_view {
    const void *values; /* value (panel, row, column) is number panel panel_stride + row row_stride
                           + column */
    int rows, columns;
    size_t panel_stride, row_stride;
    int is_single; /* 1: floats, 0: doubles */
    int is_on_gpu; /* 1: memory of a GPU */
} cubeswe_view;

/* Errors: USAGE (another variable; a model of blocks, parallel.blocks_1 or blocks_2, or of several
 * ranks). */
cubeswe_status cubeswe_get_view(cubeswe_model *model, const char *name, cubeswe_view *out,
                                cubeswe_error *error);

/* ---- forcing of your own --------------------------------------------------------------------- */

/* Call `force` in each substep of all later steps, with `data` and the time [s] of the substep;
 * NULL: no more. Within it cubeswe_get returns h, u, v, v1, v2 and tracers of the substep's state,
 * and cubeswe_force sets the forcing. A value other than 0 ends the call of cubeswe_step or
 * cubeswe_advance with STOPPED, before the step. On a GPU each substep copies the state. Errors:
 * USAGE (a model without has_own_forcing). */
cubeswe_status cubeswe_set_forcing(cubeswe_model *model, int (*force)(void *data, double time),
                                   void *data, cubeswe_error *error);

/* Set what the substep adds to dh/dt [m s-1], and to the zonal and meridional wind [m s-2], at the
 * points of h; NULL: nothing. It holds until the next call. Accelerations are interpolated to v1
 * and v2 in the order of the scheme. Errors: as in cubeswe_set. */
cubeswe_status cubeswe_force(cubeswe_model *model, const double *h, const double *zonal,
                             const double *meridional, size_t count, cubeswe_error *error);

/* ---- files ----------------------------------------------------------------------------------- */

/* Set the state from a file that initial.path may name: h and wind on this cubed sphere, another
 * one, or a regular grid; without a wind it is at rest. Time and concentrations stay. `note` (NULL:
 * not wanted) gets a remark or "". Errors: NO_INPUT, DATA, NO_MEMORY, INTERNAL. */
cubeswe_status cubeswe_read(cubeswe_model *model, const char *path, char note[1024],
                            cubeswe_error *error);

/* Write a field file (HDF5 that is netCDF-4) of the present state. `words` are words of
 * output.fields, or names of their variables, "h wind vorticity"; NULL: output.fields of the case.
 * Errors: USAGE, CANNOT_CREATE, IO, NO_MEMORY, INTERNAL. */
cubeswe_status cubeswe_write(cubeswe_model *model, const char *path, const char *words,
                             cubeswe_error *error);

/* Write a checkpoint into a folder, which is created: cubeswe_read_checkpoint and `cubeswe run
 * --restart` go on from it to the same bits, without forcing of the caller's own. The newest
 * checkpoint.keep of a folder stay. `state` (NULL: not wanted) gets the key start.state of these
 * runs: "" of the initial state of the case, otherwise the name of the state. Errors: USAGE
 * (within a forcing function; the time is no multiple of the model's step; a bottom was set; a
 * folder with results or checkpoints of a run), CANNOT_CREATE, IO, NO_MEMORY, INTERNAL (also: the
 * state is not finite). */
cubeswe_status cubeswe_write_checkpoint(cubeswe_model *model, const char *directory, char state[65],
                                        cubeswe_error *error);

/* Set state, time and forcing from a checkpoint of the same case: its file, the newest of a folder
 * of checkpoints, or of a folder of results. Its steps may have had another length; where
 * forcing.interval or stirring is set, whole steps of the model must reach its time. `state` (NULL:
 * any) is the start.state that it must have. Errors: USAGE (within a forcing function; a bottom was
 * set), CONFIG (another case, or start.state), NO_INPUT, DATA (damaged), NO_MEMORY, INTERNAL. */
cubeswe_status cubeswe_read_checkpoint(cubeswe_model *model, const char *path, const char *state,
                                       cubeswe_error *error);

/* ---- diagnostics ----------------------------------------------------------------------------- */

typedef struct cubeswe_diagnostics {
    double mass;                /* integral of h [m3] */
    double energy;              /* [m5 s-2] */
    double circulation;         /* sum of the vorticity over all cells [m2 s-1] */
    double potential_enstrophy; /* nonlinear flow [m s-2]; otherwise 0 */
    double least_h, greatest_h; /* least h, greatest |h| [m] */
    double fastest;             /* nonlinear flow: greatest |u| + sqrt(g h) [m s-1]; otherwise 0 */
    double courant;             /* Courant number of this speed; linear flow: of gravity waves */
} cubeswe_diagnostics;

/* Errors: INTERNAL (also: the state is not finite, as in cubeswe_advance). */
cubeswe_status cubeswe_diagnose(cubeswe_model *model, cubeswe_diagnostics *out,
                                cubeswe_error *error);

/* Compute the tendency of h, v1, v2 or a tracer (then of h times its concentration), per second.
 * Forcing, also of the caller's own, and viscosity are part of it; damping and dissipation, which
 * act after a step, are not. Errors: as in cubeswe_get, and USAGE (a variable that is not of the
 * state, a prescribed velocity). */
cubeswe_status cubeswe_tendency(cubeswe_model *model, const char *name, double *values,
                                size_t count, cubeswe_error *error);

#ifdef __cplusplus
}
#endif
#endif
