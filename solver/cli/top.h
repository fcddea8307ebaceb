/* `cubeswe top`: the state of the job that it watches, its display, and the terminal. */
#ifndef SWE_CLI_TOP_H
#define SWE_CLI_TOP_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

#include "base/context.h"
#include "cli/machine.h"

/* ---- measurements of the profiler: newest window, log of the GPU ----------------------------- */

enum { TOP_STAGES = 32 };

typedef struct top_stage {
    char name[64];
    double share; /* of the time of steps; if a GPU computes, of its busy time */
} top_stage;

typedef struct top_window {
    char path[1024]; /* as in progress.json; "": none */
    bool is_gpu;
    long long steps;
    double step_seconds;         /* median [s] */
    top_stage stage[TOP_STAGES]; /* largest share first */
    int stage_count;
    long long ranks;                 /* 0: one, or unknown */
    double imbalance, exposed_share; /* of the ranks; NaN: unknown */
} top_window;

/* The last line of gpu_log.csv; NaN where it has no number. */
typedef struct top_gpu {
    bool has_line;
    double watts, celsius, sm_percent, memory_percent, clock_mhz, used_bytes;
} top_gpu;

typedef struct top_profile {
    bool is_recording; /* the job records windows */
    top_window window;
    top_gpu gpu;
} top_profile;

/* Read the window and the log that progress.json names. A window that cannot be read is left out.
 */
void top_profile_read(const char *directory, json_t *progress, top_profile *profile);

/* Read a JSON file of at most `most` bytes; the caller owns it. Errors: SWE_NO_INPUT, SWE_DATA. */
swe_status top_json_read(swe_context *ctx, const char *path, size_t most, json_t **out);

/* ---- the job: progress.json, process, newest window, GPU ------------------------------------- */

typedef enum top_condition {
    TOP_SETS_UP,
    TOP_RUNS,
    TOP_STALLS, /* no update for a while */
    TOP_GONE,   /* its process has ended without a last update */
    TOP_FINISHED,
    TOP_FAILED,
    TOP_STOPPED /* with a checkpoint */
} top_condition;

enum { TOP_HISTORY = 24 };

/* Texts are printable. Unknown numbers are NaN. */
typedef struct top_job {
    json_t *progress; /* progress.json; owned */
    char case_name[256], state[32], message[1024], host[256], backend[64], device[256];
    long long pid, process_start, threads, n, order;
    long long step, steps, written_ns;
    double written_clock; /* of its machine, which cannot be set; NaN: an earlier program [s] */
    long long first_step; /* of its process; 0: not restarted */
    double time, end, courant;
    double wall_seconds, stepping_seconds, seconds_left, recent, overall; /* [s], [1/s] */
    double waiting;        /* share of the time that threads wait for each other */
    double seconds_before; /* of the steps before the restart [s] */
    double mass_drift, energy_drift, memory_bytes;
    double history[TOP_HISTORY]; /* `recent` of the last updates, oldest first [1/s] */
    int history_count;
    double changed; /* clock when the file was seen to change [s] */
    double age;     /* since the last update [s] */
    bool is_here;   /* its process is on this host */
    cli_process process;
    double read_at; /* clock when the process was read [s] */
    double cores;   /* cores that the process keeps busy */
    top_condition condition;
    top_profile profile;
} top_job;

/* A number of an object; NaN: null or missing. */
double top_number(json_t *object, const char *name);

/* Whether DIR/progress.json exists. */
bool top_job_exists(const char *directory);

/* Read the state. `job` is all zeros the first time; later its last state gives the rates of
 * change. Release it with top_job_release. Errors: SWE_NO_INPUT (no folder, a file that cannot be
 * read), SWE_DATA (not the results of a run). */
swe_status top_job_read(swe_context *ctx, const char *directory, top_job *job);
void top_job_release(top_job *job);

static inline bool top_job_has_ended(const top_job *job)
{
    return job->condition >= TOP_GONE;
}

/* ---- its display: a page, one line or JSON --------------------------------------------------- */

/* Capabilities of the output. */
typedef struct top_style {
    int columns;
    bool is_unicode;
} top_style;

void top_page_write(FILE *out, const char *directory, const top_job *job, top_style style);
void top_line_write(FILE *out, const top_job *job);
/* The state as JSON (schema cubeswe-top), which the caller owns; NULL: out of memory. */
json_t *top_json(const top_job *job);

/* A bar of a share in [0, 1], `width` columns wide. */
void top_bar_write(FILE *out, double share, int width, bool is_unicode);
/* One character per rate, its height from 0 to the largest rate. */
void top_history_write(FILE *out, const double *rates, int count, bool is_unicode);
/* "12.3 s", "5 min 03 s", "2 h 07 min". */
void top_duration_write(FILE *out, double seconds);

/* ---- a terminal on which a page is redrawn in place and which is restored afterwards --------- */

typedef enum top_event {
    TOP_TICK, /* draw the next page */
    TOP_QUIT  /* the user quits, or the terminal is gone */
} top_event;

typedef struct top_terminal {
    bool has_keys; /* standard input is a terminal, too */
    struct termios saved_modes;
    sigset_t saved_mask;
    int signals;     /* signalfd */
    int last_signal; /* to raise after close: a request to quit other than Ctrl-C; 0: none */
} top_terminal;

/* Whether standard output is a terminal that can be redrawn. */
bool top_terminal_exists(void);
int top_terminal_columns(void); /* 80 if unknown */

/* Open; false with errno on failure. Close restores the terminal and raises last_signal. */
bool top_terminal_open(top_terminal *terminal);
void top_terminal_close(top_terminal *terminal);

/* Redraw the page, cut off at the present size. False if it cannot be written. */
bool top_terminal_draw(const char *page);

/* Wait until the time has passed, a key is pressed or the size changes. */
top_event top_terminal_wait(top_terminal *terminal, double seconds);

#endif
