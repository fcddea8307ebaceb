/* The configuration of a run, read, checked and complete. keys.c lists the keys, internal.h
 * describes the sources. */
#ifndef SWE_CONFIG_CONFIG_H
#define SWE_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/context.h"
#include "cases/case.h"
#include "fields/outputs.h"
#include "state/model.h"

typedef struct swe_words {
    unsigned chosen; /* bit k: word k of the key's list */
} swe_words;

typedef struct swe_reals {
    double *value;
    unsigned count;
} swe_reals;

/* CHOICE values are numbered in the order of the key's list. */
enum { SWE_YES, SWE_NO };
enum { SWE_LAUNCH_GRAPH, SWE_LAUNCH_EAGER };

/* An entry of section `tracers`. */
struct swe_config_tracers {
    char *name;
    double least, greatest, decay, source;
    struct swe_config_tracers_initial {
        int kind;
        double lon, lat, apart_lon, apart_lat, radius, amplitude, background;
        char *path, *variable, *time;
    } initial;
};

/* The words of physics.model: swe_equations, and a prescribed velocity. */
enum { SWE_MODEL_PRESCRIBED = SWE_EQUATIONS };

/* One struct per section, one member per key (keys.c). */
typedef struct swe_config {
    struct {
        long n, order;
        int closure;
    } grid;
    struct {
        int pipeline, time, precision, limiter;
        double edge_damping, dissipation;
    } scheme;
    struct {
        int model;
        double gravity, depth, radius, rotation, axis_lon, axis_lat;
    } physics;
    struct swe_config_forcing {
        char *path, *time, *sha256;
        double interval;
        int periodic;
        struct {
            double rate, coefficient;
            char *factor;
        } drag;
        struct {
            double coefficient;
            long order;
            int h, tracers;
        } viscosity;
        struct {
            double time;
            char *to;
        } relaxation;
        struct {
            char *source;
        } mass;
        struct {
            char *u, *v;
            double density;
        } wind_stress;
        struct {
            double rate, interval;
            long least_degree, greatest_degree, seed;
        } stirring;
    } forcing;
    struct swe_config_initial {
        int kind, wave, perturbation;
        double lon, lat, amplitude, width, angle, period;
        long degree, wavenumber, mode;
        char *path, *variable_h, *variable_u, *variable_v, *time;
    } initial;
    struct swe_config_bottom {
        char *path, *variable, *time, *sha256;
    } bottom;
    struct {
        char *state;
    } start;
    struct {
        double end, dt, dt_times_n, courant;
    } time;
    struct {
        long blocks_1, blocks_2;
        int transport;
    } parallel;
    struct {
        long every, compression;
        double interval;
        int precision;
        swe_words fields;
    } output;
    struct {
        long every, check_every;
        double interval, sample_interval;
        swe_reals sample_times;
    } diagnostics;
    struct {
        long every, keep;
        double interval;
        int final, writers;
        char *dir;
    } checkpoint;
    struct {
        int mode, launch, counters, parts;
        long start_step, duration, interval, max_events, sampling;
        char *dir;
        swe_words traces;
    } profile;
    struct {
        unsigned count;
        struct swe_config_tracers *item;
    } tracers;
    swe_field_set fields;  /* of a state, which follow from the keys (config/field_groups.h) */
    char *case_name;       /* name of the file without folder and ending */
    char *case_file;       /* path of the file; "": none */
    bool has_closure;      /* grid.closure was given; else the restarted checkpoint decides */
    double continued_step; /* time step of the checkpoint that the run continues [s]; 0: none */
} swe_config;

/* Read a case file (NULL: none, all defaults), apply the environment (CUBESWE_PROFILE_*) and then
 * `set_count` overrides "section.key=value", and check everything that does not need the grid.
 * Release it with swe_config_destroy. Errors: SWE_NO_INPUT, SWE_CONFIG, SWE_NO_MEMORY; messages
 * name file, line and key. */
swe_status swe_config_load(swe_context *ctx, const char *path, const char *const *set,
                           int set_count, swe_config **out);
/* The same; the case may need more memory than this machine has. */
swe_status swe_config_plan(swe_context *ctx, const char *path, const char *const *set,
                           int set_count, swe_config **out);
/* Read the configuration that an earlier run wrote, from a file or from a text (NULL: the file)
 * that `path` names in messages: keys that the run did not know have their defaults, and only the
 * type and range of each key are checked. Errors: as above. */
swe_status swe_config_load_of_run(swe_context *ctx, const char *path, const char *text,
                                  swe_config **out);
void swe_config_destroy(swe_config **config);

/* Compare every key of grid, scheme, physics, forcing, initial, bottom, start and tracers, except
 * - scheme.pipeline, which changes results by rounding only;
 * - the path, time and variable names of an initial file, which a restart does not read;
 * - the path of the bottom's file, whose content bottom.sha256 identifies;
 * - keys that neither initial.kind reads.
 * `out` gets "grid.n is 24 there and 12 here; ..." until it is full; returns the number of
 * differences until then. */
int swe_config_differences(const swe_config *earlier, const swe_config *new, char *out,
                           size_t size);

/* A key whose value differs: its path, such as "tracers[0].name", and the values as in a case file,
 * cut at the size. */
enum { SWE_VALUE_PATH = 80, SWE_VALUE_TEXT = 320 };
typedef struct swe_difference {
    char path[SWE_VALUE_PATH], there[SWE_VALUE_TEXT], here[SWE_VALUE_TEXT];
} swe_difference;

/* Find the first key with different values, other than ignored ones; false: none. `key` is its path
 * in the table ("tracers[].name"), `of` an argument of the function. */
bool swe_config_find_difference(const swe_config *earlier, const swe_config *new,
                                bool (*is_ignored)(const void *of, const char *key), const void *of,
                                swe_difference *out);

/* Whether both have the same value of a key that is not of a list, such as "time.end". */
bool swe_config_agrees(const swe_config *a, const swe_config *b, const char *path);

/* Set bottom.sha256 to the digest of the file at bottom.path, if the key is set, so that the
 * configuration of a run identifies its bottom. Errors: SWE_NO_INPUT, SWE_DATA (bottom.sha256
 * differs), SWE_IO, SWE_NO_MEMORY. */
swe_status swe_config_pin_files(swe_context *ctx, swe_config *config);

/* Write the resolved configuration as YAML, to a file or to a text that the caller frees: all keys,
 * with damping, dissipation and time.dt as they run, and the time step to the last bit as a
 * comment. swe_config_write_reference writes the Markdown table of config/README.md. Errors:
 * SWE_NO_MEMORY.
 */
void swe_config_write(const swe_config *config, FILE *file);
void swe_config_write_keys(const swe_config *config, FILE *file);
void swe_config_write_step(const swe_config *config, FILE *file);
swe_status swe_config_text(swe_context *ctx, const swe_config *config, char **out);
void swe_config_write_reference(FILE *file);

/* Path number k of the files that the configuration reads: the case file, then the paths of all
 * keys `path`; "": not set; NULL: no more. */
const char *swe_config_input(const swe_config *config, int k);

/* Whether a path begins with ~, which only shells replace by a home folder. */
bool swe_config_is_home(const char *path);

/* Whether a run writes checkpoints other than the checkpoint of a signal. */
bool swe_config_has_checkpoints(const swe_config *config);

/* Time step [s], and the number of steps (NULL: not wanted). A time.dt and the step of a checkpoint
 * are used exactly: the last step is shorter where time.end needs it. Any other step is shortened
 * until it divides time.end and all intervals. */
double swe_config_schedule(const swe_config *config, long *steps);

/* Number of steps of the run with the time step of a checkpoint; 0: the step is longer than the
 * step of the rule, or does not divide an interval. */
long swe_config_steps_with(const swe_config *config, double dt);

/* Spacing D of the inner points [rad]. */
double swe_config_spacing(const swe_config *config);

/* The largest stable Courant number of waves, and with forcing, viscosity and decay. Frequencies
 * times dt are at most sqrt(8) with RK4, sqrt(12) with leapfrog4. */
double swe_config_waves_limit(const swe_config *config);
double swe_config_courant_limit(const swe_config *config);

/* Courant number (|u| + sqrt(g h)) dt / (a D) of a nonlinear flow of the largest `speed` [m s-1],
 * and its check. Errors: SWE_CONFIG; the message has the time step to set. */
double swe_config_flow_courant(const swe_config *config, double speed);
swe_status swe_config_check_flow(swe_context *ctx, const swe_config *config, double speed);

/* How a case's blocks cut the panels, for one rank. */
swe_cut swe_config_cut(const swe_config *config);

/* Bytes of device memory of this rank's share of the model (swe_model_bytes). */
size_t swe_config_model_bytes(const swe_config *config);

/* The fields of a snapshot with these words of fields/outputs.h: the fields of the state, then the
 * derivatives that a variable needs. vorticity, divergence: the numbers of these fields; 0: none.
 */
typedef struct swe_snapshot_fields {
    int count, vorticity, divergence;
} swe_snapshot_fields;
swe_snapshot_fields swe_config_snapshot_fields(const swe_config *config, unsigned chosen);

/* Host memory of a run besides the model. `fields`: fields spread over the ranks: the state,
 * written fields, and slabs of a model with blocks. `bytes`: further bytes of each rank. `panels`:
 * panels on the root: files, and on one rank the metric. Variables of initial files that are
 * interpolated do not count. `blocks`: the blocks of a rank; NULL: whole panels. */
typedef struct swe_host_needs {
    int fields, panels;
    size_t bytes;
} swe_host_needs;
swe_host_needs swe_config_host_needs(const swe_config *config, const swe_decomposition *blocks);

/* Memory of a run on this machine with all its ranks, host and device together, and memory of the
 * machine [bytes]; whether the run fits. */
size_t swe_config_bytes(const swe_config *config);
double swe_config_machine_bytes(void);
bool swe_config_fits(const swe_config *config);

/* Options of the model, the case and the profiler. They point into the configuration. */
swe_model_options swe_config_model(const swe_config *config, const char *backend, int threads,
                                   prof_profiler *profiler);
swe_physics swe_config_physics(const swe_config *config);
swe_initial swe_config_initial(const swe_config *config);
/* A start_step of -1 and a duration of 0 are left to the caller, who knows the device. */
prof_options swe_config_profile(const swe_config *config);

#endif
