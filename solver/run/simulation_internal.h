/* Internal to a simulation: its data, and the actions that may be due after a step.
 *
 *     simulation.c         creation: model, case, initial state
 *     simulation_run.c     the time loop
 *     simulation_events.c  the actions: diagnostics, errors, checks, checkpoints
 *     simulation_output.c  field files */
#ifndef SWE_RUN_SIMULATION_INTERNAL_H
#define SWE_RUN_SIMULATION_INTERNAL_H

#include "run/checkpointing.h"
#include "run/schedule.h"
#include "run/simulation.h"
#include "run/thread_count.h"
#include "state/host_fields.h"

struct swe_simulation {
    const swe_config *config;
    swe_simulation_options options;
    swe_model *model;
    swe_case *test_case; /* NULL: the initial fields come from a file */
    swe_reference reference;
    swe_schedule schedule;
    swe_host_fields *host; /* the state as last fetched, after step host_step */
    long host_step;
    swe_field_writer *writer; /* of snapshots; NULL: none are written, or there are several ranks */
    swe_field_writer_times output; /* of several ranks */
    swe_host_fields *snapshot; /* fields of snapshots: a copy of the state, and its derivatives */
    swe_host_fields *bottom;   /* [m], written with the surface; NULL: not written */
    long first_step;           /* step of the checkpoint that the run starts from; 0: none */
    long checkpoint_step;      /* step of the last written checkpoint; -1: none */
    swe_results resumed;       /* results of the checkpoint; only the tallies are set */
    swe_results before_last;   /* results before the output of the last step */
    long rows_size;            /* present size of diagnostics.csv [bytes] */
    long rows_before_last;     /* its size before the output of the last step [bytes] */
    bool is_unstable;          /* a check of the state failed */
    swe_input_note note;       /* on the initial file */
    char *configuration;       /* resolved, as text */
    char device[256];
    swe_samples step_seconds;
    swe_thread_count thread_count; /* of the CPU */
};

/* The configuration as text, without output folders, blocks and writers, so that equal runs write
 * equal files wherever, and by however many blocks, they run; with this start.state. The caller
 * frees. Errors: SWE_NO_MEMORY. */
swe_status swe_simulation_describe(swe_context *ctx, const swe_simulation *s, char *state,
                                   char **out);

/* Copy the state after a step to `host` unless it is there. Errors: of the backend. */
swe_status swe_simulation_fetch_state(swe_context *ctx, swe_simulation *s, long step);

/* Whether rows of diagnostics have the rates of a term (diagnostics/integrals.h): in forced flows.
 */
bool swe_simulation_has_rates(const swe_physics *physics, swe_term term);

/* Compute the integrals and write a row of diagnostics; compare the state with the reference; check
 * the state between rows (a row checks it, too). Errors: SWE_INTERNAL (diagnostics/limits.h; `host`
 * then has the state), the errors of the backend, SWE_IO. */
swe_status swe_simulation_diagnose(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                                   long step, swe_results *r);
swe_status swe_simulation_sample_errors(swe_context *ctx, swe_simulation *s, long step,
                                        swe_results *r);
swe_status swe_simulation_check_state(swe_context *ctx, swe_simulation *s, long step);

/* Copy the present state, and the derivatives that words of fields/outputs.h need, to `fields`, and
 * describe them as the snapshot after a step. Errors: of the backend. */
swe_status swe_simulation_take_snapshot(swe_context *ctx, swe_simulation *s,
                                        swe_host_fields *fields, unsigned chosen, long step,
                                        swe_snapshot *out);

/* Write a snapshot into a field file; compute one of its variables, as field_variable_compute. */
swe_status swe_simulation_write_fields(swe_context *ctx, const swe_simulation *s, const char *path,
                                       const swe_snapshot *snapshot);
swe_status swe_simulation_compute(swe_context *ctx, const swe_simulation *s,
                                  const swe_snapshot *snapshot, const char *variable,
                                  double *values);

/* Write the fields, on one rank in the background after the previous file; wait for the file in
 * progress; write the final h, the exact h and the error. Errors: of writing this file, and
 * of the previous file. */
swe_status swe_simulation_write_snapshot(swe_context *ctx, swe_simulation *s, const char *directory,
                                         long step);
swe_status swe_simulation_wait_for_output(swe_context *ctx, swe_simulation *s);
swe_status swe_simulation_write_final(swe_context *ctx, swe_simulation *s, const char *path);

/* Write a checkpoint unless this step has one. */
swe_status swe_simulation_write_checkpoint(swe_context *ctx, swe_simulation *s,
                                           const swe_run_files *files, long step, swe_results *r);
/* The checkpoint of the state in `host` after a step, without numbers. */
swe_checkpoint swe_simulation_checkpoint(const swe_simulation *s, long step);

#endif
