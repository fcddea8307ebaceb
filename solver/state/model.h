/* A model: grid, operators and state on a backend, ready to step. It owns all of them.
 *
 * RANKS (ranks/ranks.h): a model is spread over all ranks; each rank has its blocks of the model
 * (stages/decomposition.h). The root calls functions marked ALL RANKS; the other ranks, which are
 * in swe_model_serve, then run them, too. Other functions act on this rank alone. */
#ifndef SWE_STATE_MODEL_H
#define SWE_STATE_MODEL_H

#include <signal.h>
#include <stdbool.h>

#include "base/tuning.h"
#include "ranks/ranks.h"
#include "state/stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct swe_model_options {
    int n;
    int order;
    swe_closure closure;
    const swe_field_set *fields; /* of a state; the model copies them. NULL: h, v1, v2 */
    swe_physics physics;
    swe_pipeline pipeline;   /* of a step */
    swe_precision precision; /* of the state and of every step */
    bool all_arrays;         /* allocate the arrays of both pipelines */
    int blocks_1, blocks_2;  /* of a panel along xi1 and xi2; 0 is 1 (stages/decomposition.h) */
    swe_transport transport; /* of messages between GPUs */
    const char *backend;     /* name as in swe_backend_find */
    int threads;             /* CPU threads; 0: the model chooses by its size */
    prof_profiler *profiler; /* of stages and memory; NULL: off. Must outlive the model */
} swe_model_options;

typedef struct swe_host_fields swe_host_fields; /* state/host_fields.h */

/* A captured graph of steps; `traffic`: messages that this rank receives in one launch. */
typedef struct swe_model_graph {
    swe_graph *graph; /* NULL: none */
    long steps;
    swe_ranks_traffic traffic;
} swe_model_graph;

enum { SWE_MODEL_HOST_FIELDS = 8 };

typedef struct swe_model {
    swe_grid *grid;
    const swe_sbp *sbp;
    const swe_backend *backend;
    int device_index;
    swe_device *device;
    swe_field_set fields; /* of a state; owned */
    swe_physics physics;
    swe_closure closure;
    swe_pipeline pipeline;
    swe_precision precision;
    swe_execution execution;
    const swe_stepper_functions *functions;       /* of the model's precision */
    swe_stepper *stepper;                         /* the state and all other device arrays */
    double *integrals;                            /* integrals of each row, host memory */
    swe_host_fields *host[SWE_MODEL_HOST_FIELDS]; /* by number, owned; NULL: free */
    swe_model_graph captured[2]; /* steps of captured_dt: `graph_steps` (knob) of them, and two */
    double captured_dt;
    swe_pipeline captured_pipeline;
    swe_clock clock;          /* of the next step; the caller of swe_model_start sets it */
    double lag;               /* dt of the step by which v lags behind h (time/step.h); 0: none */
    int number;               /* number of the model in requests to the other ranks */
    swe_ranks_traffic before; /* traffic of this rank when the model had been created */
} swe_model;

/* ALL RANKS: create a model whose state is zero. Release it with swe_model_destroy.
 * Errors: SWE_CONFIG (n, order, closure, blocks), SWE_UNAVAILABLE, SWE_USAGE (backend),
 * SWE_NO_MEMORY. */
swe_status swe_model_create(swe_context *ctx, const swe_model_options *options, swe_model **out);

/* ALL RANKS: release a model and null the pointer; NULL is fine. */
void swe_model_destroy(swe_model **model);

/* Whether steps of a model can be captured as graphs. Steps with messages by MPI or CUDA IPC
 * cannot, nor steps that depend on the time. */
bool swe_model_has_graphs(const swe_model *model);

/* ALL RANKS: compute the integrals of each row of the state, or of the state plus `weight` [s]
 * times the tendency of a term other than SWE_TERMS (swe_stepper_functions.get_integrals). `*rows`
 * points to host memory of the model, valid until the next call. Errors: SWE_INTERNAL. */
swe_status swe_model_get_integrals(swe_context *ctx, swe_model *model, swe_term term, double weight,
                                   const double **rows);

/* The state of this rank in the memory of its device, in grid->layout; NULL if the panels are cut.
 * Work on the device has ended. It is valid for the present state, as long as the model; do not
 * change it. Errors: SWE_INTERNAL. */
swe_status swe_model_view(swe_context *ctx, swe_model *model, const void **out);

/* Record the steps that start later with another profiler; NULL: none. Allocations stay with the
 * profiler of the model's creation. */
void swe_model_set_profiler(swe_model *model, prof_profiler *profiler);

/* ALL RANKS, at the same time: measure the peaks of the devices for the profiler, if it records
 * them (backend/peaks.h). */
void swe_model_record_peaks(const swe_model *model);

/* Calls to be timed: of a stage, as in a step of `pipeline` that damps and dissipates; of the
 * right-hand side; or of whole steps. */
enum { SWE_CALL_RHS = SWE_STAGE_COUNT, SWE_CALL_STEP };

typedef struct swe_model_calls {
    int what; /* a stage, SWE_CALL_RHS or SWE_CALL_STEP */
    swe_pipeline pipeline;
    double dt; /* [s] */
    long count;
    swe_clock clock; /* of the first step */
} swe_model_calls;

/* The plan of such a step. */
swe_step_plan swe_model_timed_plan(const swe_model *model, swe_pipeline pipeline);

/* Start calls, within backend->share or while they are captured. */
void swe_model_call(const swe_model *model, const swe_model_calls *calls);

/* ALL RANKS: start calls. On the CPU they have finished when this returns. */
void swe_model_start_calls(swe_model *model, const swe_model_calls *calls);

/* Least number of steps to start at once so that all but the first are one graph; 1 if the model
 * has no graphs. */
long swe_model_least_stride(const swe_model *model);

/* ALL RANKS: start `steps` steps of dt [s]. On the CPU they have finished when this returns. A GPU
 * runs them as captured graphs, where it can (swe_model_has_graphs), unless they are too few, the
 * profiler needs the stages one by one (prof_is_eager) or the knob `graph_steps` is 0. The first
 * step begins at model->clock, which then counts the steps. Errors: SWE_INTERNAL, SWE_NO_MEMORY. */
swe_status swe_model_start(swe_context *ctx, swe_model *model, double dt, long steps);

/* ALL RANKS: one substep of a step of dt [s], with number SWE_SUBSTEPS the end of the step, with -1
 * no more of it (swe_stepper_functions.substep), and wait. For a step of four substeps. Errors:
 * SWE_INTERNAL. */
swe_status swe_model_substep(swe_context *ctx, swe_model *model, double dt, int number);

/* ALL RANKS: wait for the steps that were started. Errors: SWE_INTERNAL. */
swe_status swe_model_wait(swe_context *ctx, swe_model *model);

/* ALL RANKS: start steps and wait for them. Errors: SWE_INTERNAL, SWE_NO_MEMORY. */
swe_status swe_model_advance(swe_context *ctx, swe_model *model, double dt, long steps);

/* Work of all ranks on a model besides the functions of this header; `number` selects it. */
typedef swe_status swe_model_task(swe_context *ctx, swe_model *model, int number);

/* Run the requests of the root until swe_model_dismiss: all ranks except the root call it. A
 * `signal` that is not 0 is a signal that this rank has received; swe_model_signal returns it on
 * the root; NULL: none. The models stay for a later call. */
void swe_model_serve(swe_model_task *task, const volatile sig_atomic_t *signal);

/* The other ranks, after their last call of swe_model_serve: release what they have for the root.
 */
void swe_model_release_served(void);

/* The root: let the other ranks run the task of swe_model_serve. The root then runs the task
 * itself.
 */
void swe_model_ask_task(const swe_model *model, int number);

/* ALL RANKS: measure messages between ranks (swe_ranks_measure). */
swe_ranks_speed swe_model_measure_messages(void);

/* The root: end swe_model_serve of the other ranks. */
void swe_model_dismiss(void);

/* The root: the signal that a rank had received when steps were last started; 0: none. */
int swe_model_signal(void);

/* The ranks of a profiler (prof_options.ranks), whose profilers of stages swe_model_create creates;
 * NULL: there is one. */
const prof_ranks *swe_model_profiled_ranks(void);

/* The messages of exchanges that ranks have received, and their waits. */
typedef struct swe_model_traffic {
    int ranks, blocks_1, blocks_2; /* blocks of a panel along xi1 and xi2 */
    long exchanges;
    long messages;                    /* of the rank that received most */
    double bytes;                     /* likewise */
    double least_waited, most_waited; /* of the ranks, for MPI [s] */
    const char *transport;            /* between GPUs: "mpi", "nccl", "ipc"; NULL: none */
} swe_model_traffic;

/* ALL RANKS: the traffic since the model was created. Errors: SWE_NO_MEMORY. */
swe_status swe_model_get_traffic(swe_context *ctx, const swe_model *model, swe_model_traffic *out);

/* Courant number of a time step [s] (swe_physics_courant). */
double swe_model_courant(const swe_model *model, double dt);

/* Bytes of device memory of a model of n cells a panel side whose steps have this plan, without the
 * scratch of threads. */
size_t swe_model_bytes(int n, const swe_step_plan *plan, swe_precision precision);

/* The same of a model of blocks. */
size_t swe_model_bytes_of_blocks(const swe_decomposition *blocks, const swe_step_plan *plan,
                                 swe_precision precision);

#ifdef __cplusplus
}
#endif
#endif
