/* A run from its configuration to its results: initial state, time loop, diagnostics, output.
 *
 * The time loop runs in strides: the steps up to the next event (output, diagnostics, checkpoint,
 * edge of a profiling window), or fewer, so that a stride takes about 0.05 s; where a GPU launches
 * graphs, at least swe_model_least_stride, if no event comes first. */
#ifndef SWE_RUN_SIMULATION_H
#define SWE_RUN_SIMULATION_H

#include <stdbool.h>
#include <stdio.h>

#include "files/checkpoint/checkpoints.h"
#include "files/checkpoint/restart.h"
#include "diagnostics/integrals.h"
#include "diagnostics/errors.h"
#include "files/input/input.h"
#include "config/config.h"
#include "files/output/field_writer.h"
#include "base/samples.h"

/* Progress of a run, passed to `watch` after each stride. */
typedef struct swe_progress {
    long step, steps; /* done and in all, from the initial state on, also after a restart */
    double time;      /* model time [s] */
    double seconds;   /* as in swe_results, so far */
    double courant;   /* as in swe_results */
    double mass_drift, energy_drift; /* as in swe_results, of the rows of diagnostics so far */
    int threads;                     /* active CPU threads */
    double waiting; /* recent share of their time that threads waited for one another */
} swe_progress;

typedef struct swe_simulation_options {
    const char *backend;
    int threads; /* CPU threads; 0: the size of the model decides, and the run adapts it */
    void (*watch)(void *watcher, const swe_progress *progress); /* NULL: none */
    void *watcher;
    prof_profiler *profiler; /* NULL: off. Must outlive the simulation */
    bool all_arrays;         /* allocate the arrays of both pipelines (scheme.pipeline), so that
                                stages of either can be timed (run/components.h) */
    bool keeps_bottom;       /* also where no field file contains it */
    bool has_own_forcing;    /* a source of h and an acceleration of v, 0 at first, which the caller
                                sets between substeps; steps have four of them, at states of RK4 */
    const swe_restart *restart; /* checkpoint to start from; NULL: the initial state */
    /* Called once before the first step, after any output of the state that the run starts from. An
     * error ends the run. NULL: none. */
    swe_status (*begun)(swe_context *ctx, void *beginner);
    void *beginner;
    /* Called before each stride, with the seconds of the previous one (0: first). Returns NULL to
     * continue, or the reason to end the run, a text that is copied; a run with checkpoints writes
     * one first. NULL: none. */
    const char *(*stop)(void *stopper, double stride);
    void *stopper;
} swe_simulation_options;

typedef struct swe_results {
    int order, n;
    double dt;
    long steps;
    double courant;          /* c dt/(a D) of the gravity wave at rest, c = sqrt(g H0); constant */
    swe_reference reference; /* kind of reference of the errors; NONE: no errors */
    swe_errors errors;
    swe_velocity_errors velocity_errors; /* NaN if the reference has no velocity */
    /* maxima of the errors rms and linf_abs of h [m] over the samples (diagnostics.sample_interval,
     * sample_times) and the end */
    double max_rms, max_linf_abs;
    double mass_drift;             /* maximum of |M - M0| / int |h0| dA */
    double energy_drift;           /* (E - E0) / E0 at the end */
    double circulation_drift;      /* maximum of |C - C0| / S, S the `shear` with C (integrals.h) */
    double maxima_since;           /* time from which all rows and samples of this configuration
                                      count in the maxima; 0: of the whole run [s] */
    double v_lag;                  /* leapfrog: lag of v behind h in the last checkpoint [s] */
    swe_integrals first, last;     /* of the initial state, and of the last row of diagnostics */
    double seconds;                /* wall time of the steps, without diagnostics and output [s] */
    swe_field_writer_times output; /* times of field files */
    swe_quartiles step_seconds;    /* wall time of a step */
} swe_results;

typedef struct swe_simulation swe_simulation;

/* Create everything that a run needs; nothing is written. `options` is copied; `config` and
 * options->restart must outlive the simulation. Errors: as in swe_model_create, SWE_NO_INPUT and
 * SWE_DATA (initial file). */
swe_status swe_simulation_create(swe_context *ctx, const swe_config *config,
                                 const swe_simulation_options *options, swe_simulation **out);
void swe_simulation_destroy(swe_simulation **simulation);

/* Files of a run; NULL members are not written. */
typedef struct swe_run_files {
    const char *fields_directory; /* folder of the snapshots fields_<step>.nc */
    const char *final_path;       /* file of the final h, the exact h and the error */
    FILE *diagnostics;            /* CSV, in append mode */
    long diagnostics_size;        /* its present size [bytes]; 0: the run writes the heading.
                                     Checkpoints store its size, to which a restart cuts it */
    swe_checkpoints *checkpoints; /* NULL: a stopped run cannot be restarted */
} swe_run_files;

/* Run to the end. The run waits until the first snapshot is written; on several ranks it waits for
 * every snapshot. On one rank later snapshots are written in the background while the run steps
 * (files/output/field_writer.h), and a write error ends the run at the next snapshot or at the end.
 * All files that were begun are complete when this returns, also after an error. Errors:
 * SWE_INTERNAL (a device failed, or the state is not finite and is saved for inspection),
 * SWE_NO_MEMORY, SWE_CANNOT_CREATE, SWE_IO, SWE_STOPPED (`stop` gave a reason; a run with
 * checkpoints has written one). */
swe_status swe_simulation_run(swe_context *ctx, swe_simulation *simulation,
                              const swe_run_files *files, swe_results *results);

/* Owned by the simulation: the model; one line about interpolation and missing variables of the
 * initial file, with an empty text if there is none (files/input/input.h); one line that names the
 * device. None is NULL. */
swe_model *swe_simulation_model(swe_simulation *simulation);
const swe_input_note *swe_simulation_note(const swe_simulation *simulation);
const char *swe_simulation_device(const swe_simulation *simulation);

#endif
