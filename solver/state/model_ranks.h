/* Internal to state/: requests of the root to the other ranks. Each function of model.h that needs
 * the other ranks, and swe_digest_pieces, begins with a request; the other ranks then call the same
 * function (swe_model_serve). */
#ifndef SWE_STATE_MODEL_RANKS_H
#define SWE_STATE_MODEL_RANKS_H

#include "state/model.h"

/* REQUEST(name, call): the call that the other ranks make, with the request r, its model and its
 * host fields. A failure of such a call is returned on all ranks: the root reports it. */
#define MODEL_REQUESTS(REQUEST)                                                                    \
    REQUEST(CREATE, swe_model_create(&quiet, &(swe_model_options){.n = 0}, model))                 \
    REQUEST(DESTROY, swe_model_destroy(model))                                                     \
    REQUEST(CREATE_HOST_FIELDS, swe_host_fields_create(&quiet, *model, r->count, &created))        \
    REQUEST(DESTROY_HOST_FIELDS, swe_host_fields_destroy(&host))                                   \
    REQUEST(SET_STATE, swe_host_fields_set_state(&quiet, host, r->dt))                             \
    REQUEST(GET_STATE, swe_host_fields_get_state(&quiet, host, r->as_it_steps ? &lag : NULL))      \
    REQUEST(SET_CONSTANT, swe_host_fields_set_constant(&quiet, host, (swe_constant)r->field))      \
    REQUEST(DERIVE, swe_host_fields_derive(&quiet, host, r->field, r->derivative))                 \
    REQUEST(GET_TENDENCY, swe_host_fields_get_tendency(&quiet, host))                              \
    REQUEST(GET_PANEL, swe_panels_get(swe_host_fields_panels(host), r->field, r->panel, NULL))     \
    REQUEST(SET_PANEL, swe_panels_set(swe_host_fields_panels(host), r->field, r->panel, NULL))     \
    REQUEST(ACCESS_FILE, access_file(&quiet, swe_host_fields_panels(host)))                        \
    REQUEST(DIGEST_FILE, swe_digest_pieces(&quiet, NULL, true, NULL, NULL))                        \
    REQUEST(TASK, state.task(&quiet, *model, r->count))                                            \
    REQUEST(GET_INTEGRALS,                                                                         \
            swe_model_get_integrals(&quiet, *model, (swe_term)r->field, r->dt, &rows))             \
    REQUEST(START, model_start(&quiet, *model, r->dt, r->steps, r->graph_steps))                   \
    REQUEST(WAIT, swe_model_wait(&quiet, *model))                                                  \
    REQUEST(SUBSTEP, swe_model_substep(&quiet, *model, r->dt, r->count))                           \
    REQUEST(START_CALLS, swe_model_start_calls(*model, &r->calls))                                 \
    REQUEST(GET_TRAFFIC, swe_model_get_traffic(&quiet, *model, &traffic))                          \
    REQUEST(RECORD_PEAKS, swe_model_record_peaks(*model))                                          \
    REQUEST(MEASURE_MESSAGES, swe_ranks_measure())                                                 \
    REQUEST(PROFILE_STEP, prof_at_step(state.profiler, r->steps))                                  \
    REQUEST(PROFILE_FINISH, prof_finish(state.profiler))                                           \
    REQUEST(DISMISS, (void)r)

typedef enum model_asked {
#define MODEL_ASKED(name, ...) MODEL_##name,
    MODEL_REQUESTS(MODEL_ASKED)
#undef MODEL_ASKED
} model_asked;

/* Number of models at a time on several ranks. The root names a model by its number. */
enum { MODEL_MOST = 4096 };

/* Send a request, with the clock of its model. `model` is NULL if the request has no model.
 * MODEL_START uses `dt`, `steps` and `graph_steps`, MODEL_PROFILE_STEP the step in `steps`,
 * MODEL_START_CALLS `calls`. Does nothing on ranks other than the root.
 *
 * MODEL_GET_STATE uses `as_it_steps`, MODEL_SET_STATE the lag in `dt`. `host` is the number of the
 * host fields in the model. `count`: in MODEL_CREATE_HOST_FIELDS the number of fields, in
 * MODEL_TASK the number of the task, in MODEL_SUBSTEP the number of the substep. */
typedef struct model_request {
    const swe_model *model;
    double dt;
    long steps;
    long graph_steps;
    swe_clock clock;
    swe_model_calls calls;
    int host, count, field, panel;
    swe_derivative derivative;
    int as_it_steps;
} model_request;
void model_ask(model_asked asked, model_request request);

/* The root chooses the number of a new model, and gives it back. Errors: SWE_INTERNAL. */
swe_status model_number_take(swe_context *ctx, int *number);
void model_number_give_back(int number);

/* Replace the options of a new model by the root's options on all ranks. `room` owns the data that
 * the options point to. */
typedef struct model_options_room {
    swe_field_set fields;
    swe_field *field;
    char backend[64];
} model_options_room;
swe_status model_options_share(swe_context *ctx, swe_model_options *options,
                               model_options_room *room);

/* Complete v of the state, if v lags behind h. The reader needs v at the time of h, or
 * (`as_it_steps`) the state from which steps continue. All ranks call it. */
void model_complete(swe_model *model, bool as_it_steps);

/* The status of the first rank that failed: work on a device may fail on any. All ranks call it. */
swe_status model_agree(swe_context *ctx, const swe_model *model, swe_status status);

/* Each rank, before it releases a model. */
void model_release_host_fields(swe_model *model);

/* swe_model_start on each rank, after the request. The root sets `graph_steps`, the length of the
 * longer graph; 0: launch no graph, for example because its profiler needs the stages one by
 * one. */
swe_status model_start(swe_context *ctx, swe_model *model, double dt, long steps, long graph_steps);

/* The traffic of this rank since `before`. */
swe_ranks_traffic model_traffic_since(const swe_ranks_traffic *before);

/* All ranks, after steps: the root receives the signals of the other ranks. */
void model_share_signal(void);

#endif
