/* A simulation from within: what it has, and what may be due after a step. */
#ifndef SWE_MODEL_SIMULATION_PARTS_H
#define SWE_MODEL_SIMULATION_PARTS_H

#include "model/checkpointing.h"
#include "model/schedule.h"
#include "model/simulation.h"
#include "model/thread_count.h"

struct swe_simulation {
    const swe_config *config;
    swe_simulation_options options;
    swe_model *model;
    swe_quadrature quadrature;
    swe_case *test_case; /* NULL: fields of a file */
    swe_reference reference;
    swe_comparison comparison; /* empty where there is no reference */
    swe_schedule schedule;
    double *host_state; /* the state as last fetched, after step host_step */
    long host_step;
    swe_field_writer *writer; /* of snapshots; NULL: none are written */
    double *snapshot_state;   /* what it writes; host memory of the backend's */
    double *bottom;           /* [m], written with the surface; NULL: it is not */
    long first_step;          /* that it goes on from */
    long checkpoint_step;     /* of the last checkpoint written; -1: none was */
    swe_results resumed;      /* of which only the tallies are known */
    swe_results before_last;  /* before the output of the last step */
    long rows_size;           /* of diagnostics.csv, as far as it is written [bytes] */
    long rows_before_last;    /* likewise before the output of the last step */
    bool is_unstable;         /* its state was found to be no good */
    swe_input_note note;      /* on the initial file */
    char *configuration;      /* resolved, as text */
    char device[256];
    prof_samples step_seconds;
    swe_thread_count thread_count; /* of a CPU */
};

/* Measure the integrals and write a row of diagnostics; compare the state with the reference; look
 * at the state between such rows, which look at it, too. Errors: SWE_INTERNAL: the state is no
 * good, host_state holds it; those of the backend; SWE_IO. */
swe_status swe_simulation_diagnose(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                                   long step, swe_results *r);
swe_status swe_simulation_sample_errors(swe_context *ctx, swe_simulation *s, long step,
                                        swe_results *r);
swe_status swe_simulation_check_state(swe_context *ctx, swe_simulation *s, long step);

/* Have the fields written, after those before; wait for them; write the final height beside the
 * exact one and the error. Errors: those of the file, also of the one before. */
swe_status swe_simulation_write_snapshot(swe_context *ctx, swe_simulation *s, const char *directory,
                                         long step);
swe_status swe_simulation_wait_for_output(swe_context *ctx, swe_simulation *s);
swe_status swe_simulation_write_final(swe_context *ctx, swe_simulation *s, const char *path);

/* Write a checkpoint, if there is none of this step. */
swe_status swe_simulation_write_checkpoint(swe_context *ctx, swe_simulation *s,
                                           const swe_run_files *files, long step, swe_results *r);
swe_checkpoint_source swe_simulation_checkpoint_source(const swe_simulation *s,
                                                       const swe_run_files *files, long step);

#endif
