#include "state/model_ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks.h"
#include "stages/regions.h"
#include "state/file_digest.h"
#include "state/host_fields.h"

/* A request as the ranks send it. */
typedef struct message {
    model_asked asked;
    int number; /* of the model */
    model_request request;
} message;
_Static_assert(sizeof(message) == 8 * sizeof(int) + sizeof(void *) + sizeof(double) +
                                      2 * sizeof(long) + sizeof(swe_clock) +
                                      sizeof(swe_model_calls),
               "a message has bytes between its members, which no request initializes");

/* State of this process: it is the root, which sends requests, or a rank that serves the root. */
static struct {
    bool is_taken[MODEL_MOST];             /* the root: numbers of models */
    swe_model *served[MODEL_MOST];         /* the others: models by number */
    swe_model_task *task;                  /* the others */
    prof_profiler *profiler;               /* the others: while the root profiles; NULL: off */
    const volatile sig_atomic_t *received; /* the others: signal of this rank */
    int signal;                            /* the root: of any rank */
} state;

static bool has_others(void)
{
    return swe_ranks_count() > 1;
}

/* ---- the root -------------------------------------------------------------------------------- */

void model_ask(model_asked asked, model_request request)
{
    if (!has_others() || !swe_ranks_is_root())
        return;
    message sent = {asked, request.model != NULL ? request.model->number : 0, request};
    if (request.model != NULL)
        sent.request.clock = request.model->clock;
    sent.request.model = NULL;
    swe_ranks_broadcast(&sent, sizeof sent);
}

swe_status model_number_take(swe_context *ctx, int *number)
{
    *number = 0;
    if (!has_others())
        return SWE_OK;
    for (; *number < MODEL_MOST; (*number)++)
        if (!state.is_taken[*number]) {
            state.is_taken[*number] = true;
            return SWE_OK;
        }
    return swe_fail(ctx, SWE_INTERNAL, "more than %d models at a time", MODEL_MOST);
}

void model_number_give_back(int number)
{
    state.is_taken[number] = false;
}

void swe_model_ask_task(const swe_model *model, int number)
{
    model_ask(MODEL_TASK, (model_request){.model = model, .count = number});
}

swe_ranks_speed swe_model_measure_messages(void)
{
    model_ask(MODEL_MEASURE_MESSAGES, (model_request){.model = NULL});
    return swe_ranks_measure();
}

static void ask_step(int64_t step)
{
    model_ask(MODEL_PROFILE_STEP, (model_request){.steps = (long)step});
}

static void ask_finish(void)
{
    model_ask(MODEL_PROFILE_FINISH, (model_request){.model = NULL});
}

const prof_ranks *swe_model_profiled_ranks(void)
{
    static prof_ranks ranks;
    ranks = (prof_ranks){.own = swe_ranks_rank(),
                         .count = swe_ranks_count(),
                         .send = swe_ranks_send,
                         .receive = swe_ranks_receive,
                         .at_step = ask_step,
                         .finish = ask_finish};
    return has_others() ? &ranks : NULL;
}

void swe_model_dismiss(void)
{
    model_ask(MODEL_DISMISS, (model_request){.model = NULL});
}

int swe_model_signal(void)
{
    return state.signal;
}

/* ---- all ranks ------------------------------------------------------------------------------- */

void model_share_signal(void)
{
    if (has_others())
        state.signal = swe_ranks_max(state.received != NULL ? (int)*state.received : 0);
}

/* Replace "auto" by the backend that the root chooses, so that one rank decides and warns. A name
 * with a device ("cuda:1") stays, otherwise each rank chooses its device (model.c). An unknown name
 * stays and fails on all ranks. */
static void name_backend(const char *name, char *out, size_t size)
{
    swe_context quiet = {""};
    const swe_backend *backend = NULL;
    int device = 0;
    const bool is_found = swe_backend_find(&quiet, name, &backend, &device) == SWE_OK;
    snprintf(out, size, "%s", is_found && strchr(name, ':') == NULL ? backend->name : name);
}

/* Create the profilers of the other ranks, by the options of the root's; one for all models. */
static void share_profiler(prof_profiler *of_root, prof_profiler **out)
{
    prof_options options;
    *out = of_root;
    if (swe_ranks_is_root())
        options = *prof_get_options(of_root);
    swe_ranks_broadcast(&options, sizeof options);
    if (!swe_ranks_is_root() && state.profiler == NULL) {
        options.directory = options.case_name = options.version = NULL;
        options.fact_count = options.cost_count = options.buffer_count = 0;
        options.regions = swe_regions;
        options.parts = options.parts != NULL ? swe_parts : NULL;
        options.kernels = swe_profiled_kernels;
        options.ranks = swe_model_profiled_ranks();
        options.warn = NULL;
        state.profiler = prof_create(&options);
    }
    if (!swe_ranks_is_root())
        *out = state.profiler;
    const bool is_missing = *out == NULL && options.mode != PROF_OFF;
    if (swe_ranks_max(is_missing) == 0)
        return;
    if (swe_ranks_is_root())
        prof_leave_ranks(of_root);
    prof_destroy(&state.profiler);
    *out = of_root;
}

swe_status model_options_share(swe_context *ctx, swe_model_options *options,
                               model_options_room *room)
{
    *room = (model_options_room){.field = NULL};
    if (!has_others())
        return SWE_OK;
    swe_model_options shared = *options;
    if (swe_ranks_is_root()) {
        name_backend(options->backend, room->backend, sizeof room->backend);
        room->fields = *(options->fields != NULL ? options->fields : &swe_flow_fields);
    }
    swe_ranks_broadcast(&shared, sizeof shared);
    swe_ranks_broadcast(room->backend, sizeof room->backend);
    swe_ranks_broadcast(&room->fields.count, sizeof room->fields.count);
    room->field = calloc((size_t)room->fields.count, sizeof *room->field);
    SWE_TRY(swe_ranks_agree(
        ctx, room->field != NULL
                 ? SWE_OK
                 : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the list of fields")));
    if (swe_ranks_is_root())
        memcpy(room->field, room->fields.field, (size_t)room->fields.count * sizeof *room->field);
    swe_ranks_broadcast(room->field, (size_t)room->fields.count * sizeof *room->field);
    for (int k = 0; k < room->fields.count && !swe_ranks_is_root(); k++)
        room->field[k].units = ""; /* units are for files, which the root writes */
    room->fields.field = room->field;
    shared.fields = &room->fields;
    shared.backend = room->backend;
    if (shared.profiler != NULL) /* the root's */
        share_profiler(options->profiler, &shared.profiler);
    *options = shared;
    return SWE_OK;
}

swe_ranks_traffic model_traffic_since(const swe_ranks_traffic *before)
{
    swe_ranks_traffic now = swe_ranks_get_traffic();
    now.exchanges -= before->exchanges;
    now.messages -= before->messages;
    now.bytes -= before->bytes;
    now.waited -= before->waited;
    return now;
}

swe_status swe_model_get_traffic(swe_context *ctx, const swe_model *model, swe_model_traffic *out)
{
    const int ranks = swe_ranks_count();
    const swe_ranks_traffic own = model_traffic_since(&model->before);
    swe_ranks_traffic *all = swe_ranks_is_root() ? calloc((size_t)ranks, sizeof *all) : NULL;
    if (swe_ranks_is_root() && all == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the traffic of %d ranks", ranks);
    model_ask(MODEL_GET_TRAFFIC, (model_request){.model = model});
    swe_ranks_gather(&own, sizeof own, all);
    *out = (swe_model_traffic){.ranks = ranks, .least_waited = HUGE_VAL};
    const swe_decomposition *d = model->functions->blocks(model->stepper);
    out->blocks_1 = d != NULL ? d->cut.blocks_1 : 1;
    out->blocks_2 = d != NULL ? d->cut.blocks_2 : 1;
    out->transport = model->functions->transport(model->stepper);
    for (int rank = 0; rank < ranks && all != NULL; rank++) {
        const swe_ranks_traffic *of = &all[rank];
        out->exchanges = of->exchanges > out->exchanges ? of->exchanges : out->exchanges;
        out->messages = of->messages > out->messages ? of->messages : out->messages;
        out->bytes = fmax(out->bytes, of->bytes);
        out->least_waited = fmin(out->least_waited, of->waited);
        out->most_waited = fmax(out->most_waited, of->waited);
    }
    free(all);
    return SWE_OK;
}

/* ---- the others ------------------------------------------------------------------------------ */

static void access_file(swe_context *ctx, const swe_panels *panels)
{
    panels->access(ctx, panels->fields, NULL, SWE_FILE_READ);
}

static void serve(const message *m)
{
    swe_context quiet = {""};
    swe_model **model = &state.served[m->number];
    const model_request *r = &m->request;
    swe_host_fields *created = NULL, *host = *model != NULL ? (*model)->host[r->host] : NULL;
    const double *rows = NULL;
    double lag = 0.0;
    swe_model_traffic traffic;
    if (*model != NULL)
        (*model)->clock = r->clock;
    switch (m->asked) {
#define SERVE(name, ...)                                                                           \
    case MODEL_##name:                                                                             \
        __VA_ARGS__;                                                                               \
        break;
        MODEL_REQUESTS(SERVE)
#undef SERVE
    }
}

void swe_model_serve(swe_model_task *task, const volatile sig_atomic_t *signal)
{
    message received;
    state.task = task;
    state.received = signal;
    do {
        swe_ranks_broadcast(&received, sizeof received);
        serve(&received);
    } while (received.asked != MODEL_DISMISS);
}

void swe_model_release_served(void)
{
    for (int number = 0; number < MODEL_MOST; number++)
        swe_model_destroy(&state.served[number]);
    prof_destroy(&state.profiler);
}
