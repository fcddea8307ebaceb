/* The state of a job that `cubeswe top` watches: progress.json, process, newest window, GPU. */
#ifndef SWE_CLI_TOP_JOB_H
#define SWE_CLI_TOP_JOB_H

#include <jansson.h>

#include "base/context.h"
#include "cli/machine.h"
#include "cli/top_profile.h"

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
    double looked; /* clock when the process was read [s] */
    double cores;  /* cores that the process keeps busy */
    top_condition condition;
    top_profile profile;
} top_job;

/* Whether DIR/progress.json exists. */
bool top_job_is_there(const char *directory);

/* Read the state. `job` is all zeros the first time; later its last state gives the rates of
 * change. Release it with top_job_release. Errors: SWE_NO_INPUT (no folder, a file that cannot be
 * read), SWE_DATA (not the results of a run). */
swe_status top_job_read(swe_context *ctx, const char *directory, top_job *job);
void top_job_release(top_job *job);

static inline bool top_job_has_ended(const top_job *job)
{
    return job->condition >= TOP_GONE;
}

#endif
