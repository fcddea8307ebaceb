/* Internal to the library: a model.
 *
 *     model.c      creation, facts, steps, diagnostics
 *     variables.c  variables: reading, setting, views, field files */
#ifndef SWE_LIBRARY_INTERNAL_H
#define SWE_LIBRARY_INTERNAL_H

#include "library/cubeswe.h"
#include "run/simulation_internal.h"

struct cubeswe_model {
    swe_config *config;
    swe_simulation *simulation;
    swe_model *model;         /* of the simulation */
    swe_host_fields *fields;  /* a state and its derivatives */
    int count;                /* of the variables */
    field_variable *variable; /* names, shapes and meanings, owned */
    long steps;               /* since t = 0 */
    double dt;                /* of the steps after base_steps, at the time `base` [s] */
    double base;
    long base_steps;
};

/* Pass a status on, and the message of a failure. */
cubeswe_status library_end(swe_status status, const swe_context *ctx, cubeswe_error *error);

/* Only one thread uses HDF5. */
void library_begin_files(void);
void library_end_files(void);

/* List the variables. Errors: SWE_NO_MEMORY. */
swe_status library_list_variables(swe_context *ctx, cubeswe_model *model);

#endif
