/* Internal to the library: a model.
 *
 *     model.c        creation, facts, steps, diagnostics
 *     variables.c    variables: reading, setting, views, field files
 *     forcing.c      steps with forcing of the caller's own
 *     checkpoints.c  checkpoints
 *     ranks.c        several ranks */
#ifndef SWE_LIBRARY_INTERNAL_H
#define SWE_LIBRARY_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "files/output/field_variables.h"
#include "library/cubeswe.h"
#include "run/simulation_internal.h"

struct cubeswe_model {
    pthread_mutex_t lock;   /* of each call, of the calls that advance for each stride; recursive */
    atomic_int waiting;     /* calls that wait for it */
    pthread_t advancing_by; /* the thread that advances the model, if it is advancing */
    bool is_advancing;
    swe_config *config;
    swe_simulation *simulation;
    swe_model *model;                      /* of the simulation */
    swe_host_fields *fields;               /* a state and its derivatives */
    int count;                             /* of the variables */
    field_variable *variable;              /* names, shapes and meanings, owned */
    int (*force)(void *data, double time); /* forcing of the caller's own; NULL: none */
    void *force_data;
    bool is_in_step;     /* within a call of `force` */
    bool has_own_bottom; /* set by the caller */
    bool has_own_start;  /* the state at step 0 is not the initial state of the case */
    long steps;          /* since t = 0 */
    long changed;        /* steps after which forcing has changed */
    double dt;           /* of the steps after base_steps, at the time `base` [s] */
    double base;
    long base_steps;
};

/* The knobs of the environment, read once. Errors: SWE_USAGE. */
swe_status library_load_tuning(swe_context *ctx);

/* Count the models that exist; on ranks other than the root there are none. Errors: SWE_USAGE. */
swe_status library_count_model(swe_context *ctx);
void library_uncount_model(void);

/* Pass a status on, and the message of a failure. */
cubeswe_status library_end(swe_status status, const swe_context *ctx, cubeswe_error *error);

/* Begin and end a call that uses a model. Calls that change it (`changes`) are refused while
 * another thread advances it: SWE_USAGE, and library_leave is called all the same. */
swe_status library_enter(swe_context *ctx, const cubeswe_model *model, bool changes);
void library_leave(const cubeswe_model *model);

/* The body of a public function: a call of the model `m` that may fail, within its lock. */
#define LIBRARY_CALL(m, changes, error, call)                                                      \
    swe_context ctx = {""};                                                                        \
    swe_status library_status = library_enter(&ctx, m, changes);                                   \
    if (library_status == SWE_OK)                                                                  \
        library_status = (call);                                                                   \
    library_leave(m);                                                                              \
    return library_end(library_status, &ctx, error)

/* Only one thread uses HDF5. The end passes a status on. */
void library_begin_files(void);
swe_status library_end_files(swe_status status);

/* LIBRARY_CALL of a function that reads or writes files. */
#define LIBRARY_CALL_OF_FILES(m, changes, error, call)                                             \
    LIBRARY_CALL(m, changes, error, (library_begin_files(), library_end_files(call)))

/* Call the caller's forcing, if there is one. Errors: SWE_STOPPED (by it). */
swe_status library_force(swe_context *ctx, cubeswe_model *model, double time);

/* A step of m->dt with the caller's forcing. Errors: SWE_STOPPED (by it, before the step), and of
 * the backend. */
swe_status library_step_forced(swe_context *ctx, cubeswe_model *model);

/* Refuse what the caller's forcing may not call. Errors: SWE_USAGE. */
swe_status library_check_between_steps(swe_context *ctx, const cubeswe_model *model);

/* Set field number k of host fields to values, times field number `factor` (-1: none). Errors:
 * SWE_NO_MEMORY. */
swe_status library_set_field(swe_context *ctx, const cubeswe_model *model,
                             const swe_host_fields *fields, int k, int factor, int rows,
                             int columns, const double *values);

/* Covariant components of a wind at a point of a panel, of tangents x and y. */
void library_covariants(const cubeswe_model *model, int panel, double x, double y, double zonal,
                        double meridional, double out[2]);

/* List the variables. Errors: SWE_NO_MEMORY. */
swe_status library_list_variables(swe_context *ctx, cubeswe_model *model);

#endif
