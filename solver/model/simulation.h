/* A run from its configuration to its results: initial state, time loop, diagnostics, output. */
#ifndef SWE_MODEL_SIMULATION_H
#define SWE_MODEL_SIMULATION_H

#include <stdbool.h>
#include <stdio.h>

#include "checkpoint/checkpoints.h"
#include "checkpoint/restart.h"
#include "diagnostics/integrals.h"
#include "diagnostics/comparison.h"
#include "input/input.h"
#include "model/config.h"
#include "output/field_writer.h"
#include "samples.h"

/* Where a run stands, told to whoever watches. */
typedef struct swe_progress {
    long step, steps;
    double time;    /* model time [s] */
    double seconds; /* wall time of the time loop so far [s] */
    double courant;
    double mass_drift, energy_drift; /* as last measured */
    int threads;                     /* of the CPU, that compute now */
    double waiting; /* share of their time that they waited for one another, lately */
} swe_progress;

typedef struct swe_simulation_options {
    const char *backend;
    int threads; /* of the CPU; 0: as many as pay off, chosen anew while the run goes on */
    void (*watch)(void *watcher, const swe_progress *progress); /* NULL: nobody */
    void *watcher;
    prof_profiler *profiler;    /* NULL: off. Outlives the simulation */
    bool all_arrays;            /* of the model, whatever its pipeline */
    const swe_restart *restart; /* where it goes on from; NULL: from its initial state */
    /* Called once what is due before the first step is written; its error ends the run. NULL:
     * nobody is. */
    swe_status (*begun)(swe_context *ctx, void *beginner);
    void *beginner;
    /* Asked before every stride, with the seconds of the last one (0: there was none): why the run
     * must end now, with a checkpoint if it writes any; NULL: it goes on. NULL: nobody is asked. */
    const char *(*stop)(void *stopper, double stride);
    void *stopper;
} swe_simulation_options;

typedef struct swe_results {
    int order, n;
    double dt;
    long steps;
    double courant;
    swe_reference reference; /* what the errors are against; NONE: there are none */
    swe_errors errors;
    swe_velocity_errors velocity_errors; /* NaN if the velocity is not known */
    double max_rms, max_linf_abs;        /* over the samples and the end */
    double mass_drift;                   /* |M - M0| / int |h0| dA, largest seen */
    double energy_drift;                 /* (E - E0) / E0 at the end */
    double circulation_drift;            /* |C - C0| / shear, largest seen */
    swe_integrals first, last;
    double seconds;                /* of the time loop, without diagnostics and output */
    swe_field_writer_times output; /* of the snapshots */
    prof_quartiles step_seconds;   /* per step */
} swe_results;

typedef struct swe_simulation swe_simulation;

/* Build everything a run needs; nothing is written. Errors: those of swe_model_create, SWE_NO_INPUT
 * and SWE_DATA (initial file). */
swe_status swe_simulation_create(swe_context *ctx, const swe_config *config,
                                 const swe_simulation_options *options, swe_simulation **out);
void swe_simulation_destroy(swe_simulation **simulation);

/* Files of a run; NULL members are not written. */
typedef struct swe_run_files {
    const char *fields_directory; /* of fields_<step>.nc, the snapshots of a run */
    const char *final_path;       /* of the final height beside the exact one and the error */
    FILE *diagnostics;            /* CSV, in append mode */
    long diagnostics_size;        /* that it has already [bytes]; its heading is among them */
    swe_checkpoints *checkpoints; /* NULL: a run that is stopped leaves nothing to go on from */
} swe_run_files;

/* Run to the end. Snapshots are written in the background (output/field_writer.h): a file that
 * cannot be written ends the run at the next snapshot, or at the end; the first is waited for. What
 * was begun is written when this returns, whatever it returns.
 * Errors: SWE_INTERNAL (a device failed, the state is not finite; it is set aside then),
 * SWE_NO_MEMORY, SWE_CANNOT_CREATE, SWE_IO, SWE_STOPPED (after a checkpoint, if it
 * writes any). */
swe_status swe_simulation_run(swe_context *ctx, swe_simulation *simulation,
                              const swe_run_files *files, swe_results *results);

/* Its model, one line that names the device, and a note on the initial file; all live as long as
 * the simulation. */
swe_model *swe_simulation_model(swe_simulation *simulation);
const swe_input_note *swe_simulation_note(const swe_simulation *simulation);
const char *swe_simulation_device(const swe_simulation *simulation);

#endif
