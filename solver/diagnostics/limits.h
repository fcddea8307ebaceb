/* Conditions that abort a run: a state that is not finite; with the nonlinear equations also a
 * depth that is not positive, and a flow that is too fast for the time step. */
#ifndef SWE_DIAGNOSTICS_LIMITS_H
#define SWE_DIAGNOSTICS_LIMITS_H

#include <stdbool.h>

#include "diagnostics/integrals.h"
#include "fields/fields.h"
#include "fields/panels.h"

/* Largest Courant number of a nonlinear flow, (|u| + sqrt(g h)) dt / (a D). */
double swe_limits_flow_courant(const swe_model *model, const swe_integrals *integrals, double dt);

/* Check the integrals of a model, measured after step number `step` of dt [s]. Errors: SWE_INTERNAL
 * (a condition above; the message names step, panel and point). */
swe_status swe_limits_check(swe_context *ctx, const swe_model *model,
                            const swe_integrals *integrals, double dt, long step);

typedef struct swe_not_finite {
    const char *field; /* name of the field */
    int panel, j, i;
} swe_not_finite;

/* Find the first value of a state that is not finite; false if all are finite. `room`: a panel. */
bool swe_find_not_finite(const swe_layout *layout, const swe_field_set *fields,
                         const swe_panels *state, double *room, swe_not_finite *out);

#endif
