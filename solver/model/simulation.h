/* A run from its configuration to its results: initial state, time loop, diagnostics, output. */
#ifndef SWE_MODEL_SIMULATION_H
#define SWE_MODEL_SIMULATION_H

#include <stdbool.h>
#include <stdio.h>

#include "checkpoint/checkpoints.h"
#include "checkpoint/restart.h"
#include "diagnostics/integrals.h"
#include "diagnostics/errors.h"
#include "input/input.h"
#include "model/config.h"
#include "output/field_writer.h"
#include "base/samples.h"

/* Progress of a run, passed to `watch` after each stride. */
typedef struct swe_progress {
    long step, steps;
    double time;    /* model time [s] */
    double seconds; /* wall time of the time loop so far [s] */
    double courant;
    double mass_drift, energy_drift; /* as last measured */
    int threads;                     /* active CPU threads */
    double waiting; /* recent share of their time that threads waited for one another */
} swe_progress;

typedef struct swe_simulation_options {
    const char *backend;
    int threads; /* CPU threads; 0: chosen by the size of the model, and adapted during the run */
    void (*watch)(void *watcher, const swe_progress *progress); /* NULL: none */
    void *watcher;
    prof_profiler *profiler;    /* NULL: off. Must outlive the simulation */
    bool all_arrays;            /* allocate the arrays of both pipelines */
    const swe_restart *restart; /* checkpoint to start from; NULL: the initial state */
    /* Called before the first step, after the output that precedes it. An error ends the run. NULL:
     * none. */
    swe_status (*begun)(swe_context *ctx, void *beginner);
    void *beginner;
    /* Called before each stride, with the seconds of the previous one (0: first). Returns the
     * reason to end the run now, with a checkpoint if it writes any, or NULL to continue. NULL:
     * none. */
    const char *(*stop)(void *stopper, double stride);
    void *stopper;
} swe_simulation_options;

typedef struct swe_results {
    int order, n;
    double dt;
    long steps;
    double courant;
    swe_reference reference; /* kind of reference of the errors; NONE: no errors */
    swe_errors errors;
    swe_velocity_errors velocity_errors; /* NaN if the velocity is unknown */
    double max_rms, max_linf_abs;        /* maxima over the samples and the end */
    double mass_drift;                   /* maximum of |M - M0| / int |h0| dA */
    double energy_drift;                 /* (E - E0) / E0 at the end */
    double circulation_drift;            /* maximum of |C - C0| / shear (integrals.h) */
    swe_integrals first, last;
    double seconds;                /* wall time of the time loop without diagnostics and output */
    swe_field_writer_times output; /* times of the field writer */
    swe_quartiles step_seconds;    /* wall time of a step */
} swe_results;

typedef struct swe_simulation swe_simulation;

/* Create everything that a run needs; nothing is written. Errors: those of swe_model_create,
 * SWE_NO_INPUT and SWE_DATA (initial file). */
swe_status swe_simulation_create(swe_context *ctx, const swe_config *config,
                                 const swe_simulation_options *options, swe_simulation **out);
void swe_simulation_destroy(swe_simulation **simulation);

/* Files of a run; NULL members are not written. */
typedef struct swe_run_files {
    const char *fields_directory; /* folder of the snapshots fields_<step>.nc */
    const char *final_path;       /* file of the final h, the exact h and the error */
    FILE *diagnostics;            /* CSV, in append mode */
    long diagnostics_size;        /* its present size, with the heading [bytes] */
    swe_checkpoints *checkpoints; /* NULL: a stopped run cannot be restarted */
} swe_run_files;

/* Run to the end. Snapshots are written in the background (output/field_writer.h): a write error
 * ends the run at the next snapshot or at the end; only the first snapshot is waited for. All files
 * that were begun are complete when this returns, also after an error. Errors: SWE_INTERNAL (a
 * device failed, or the state is not finite and is saved for inspection), SWE_NO_MEMORY,
 * SWE_CANNOT_CREATE, SWE_IO, SWE_STOPPED (after a checkpoint, if the run writes any). */
swe_status swe_simulation_run(swe_context *ctx, swe_simulation *simulation,
                              const swe_run_files *files, swe_results *results);

/* The model, a note on the initial file, and one line that names the device; owned by the
 * simulation. */
swe_model *swe_simulation_model(swe_simulation *simulation);
const swe_input_note *swe_simulation_note(const swe_simulation *simulation);
const char *swe_simulation_device(const swe_simulation *simulation);

#endif
