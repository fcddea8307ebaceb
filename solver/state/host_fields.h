/* FIELDS IN HOST MEMORY of a model. They are spread over the ranks as the model is: each rank has
 * the points of its own blocks. The root reads and writes the fields by panels, all ranks by slabs
 * (state/slabs.h). The root calls these functions; the other ranks, in swe_model_serve, then call
 * them, too.
 *
 * One process without blocks has the fields one after the other, in grid->layout. */
#ifndef SWE_STATE_HOST_FIELDS_H
#define SWE_STATE_HOST_FIELDS_H

#include "fields/panels.h"
#include "state/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Make room for `count` fields, which are 0. The model owns it: release it with
 * swe_host_fields_destroy, before the model or not at all. Errors: SWE_NO_MEMORY, SWE_INTERNAL (a
 * model has SWE_MODEL_HOST_FIELDS of them). */
swe_status swe_host_fields_create(swe_context *ctx, swe_model *model, int count,
                                  swe_host_fields **out);
void swe_host_fields_destroy(swe_host_fields **fields);

/* The number of the list in the model: model->host[number], on all ranks. */
int swe_host_fields_number(const swe_host_fields *fields);

/* Read and write the fields by panels; NULL: no fields. They own the result. */
const swe_panels *swe_host_fields_panels(const swe_host_fields *fields);

/* Copy the state of the model from and to the first fields, which are at least as many. set_state
 * also projects the fields at vertices, so that all copies of a shared point agree. `lag`: lag of v
 * behind h [s] in the state from which steps continue with the same bits; get_state with NULL and
 * set_state with 0: v is at the time of h. Errors: SWE_INTERNAL. */
swe_status swe_host_fields_get_state(swe_context *ctx, swe_host_fields *fields, double *lag);
swe_status swe_host_fields_set_state(swe_context *ctx, const swe_host_fields *fields, double lag);

/* Set a field of the model that stays to the first field, source and stirring to the first three,
 * and project what lies at vertices; it is 0 before. Errors: SWE_INTERNAL (the flow has none). */
swe_status swe_host_fields_set_constant(swe_context *ctx, const swe_host_fields *fields,
                                        swe_constant which);

/* Compute the vorticity, or the divergence, of the model's state into field number k. Errors:
 * SWE_INTERNAL. */
swe_status swe_host_fields_derive(swe_context *ctx, swe_host_fields *fields, int k,
                                  swe_derivative derivative);

/* Compute the tendency of the model's state, per second, into the first fields, which are as many
 * as a state has: forcing and viscosity are part of it, damping and dissipation, which act after a
 * step, are not. Errors: SWE_INTERNAL. */
swe_status swe_host_fields_get_tendency(swe_context *ctx, swe_host_fields *fields);

#ifdef __cplusplus
}
#endif
#endif
