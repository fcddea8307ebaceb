/* Fields of forcing: their values at the start, and their changes between steps. Stirring changes
 * after each of its intervals. Fields of a file that have records change linearly between two of
 * them, the even and the odd one; after an interval the next record takes the place of the earlier
 * one. */
#ifndef SWE_RUN_FORCING_H
#define SWE_RUN_FORCING_H

#include "run/schedule.h"
#include "run/start.h"

/* Set the fields of forcing, after `step` steps: of a file, of the case at t = 0 over the bottom,
 * of stirring, or the velocity of a prescribed flow. Errors: as in swe_input_scalar and
 * swe_start_state. */
swe_status swe_forcing_start(swe_context *ctx, const swe_start *start, long step);

/* Set the fields that change after a step. Errors: as above. */
swe_status swe_forcing_change(swe_context *ctx, const swe_schedule *schedule, swe_model *model,
                              long step);

/* Steps from `step` to the next change, at most `most`. */
long swe_forcing_steps(const swe_schedule *schedule, long step, long most);

#endif
