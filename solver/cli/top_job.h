/* What `cubeswe top` knows of a job: its progress.json, its process, its newest window, its GPU. */
#ifndef SWE_CLI_TOP_JOB_H
#define SWE_CLI_TOP_JOB_H

#include <jansson.h>

#include "base/context.h"
#include "cli/process.h"
#include "cli/top_profile.h"

typedef enum top_condition {
    TOP_SETS_UP,
    TOP_RUNS,
    TOP_STALLS, /* it has told nothing for a while */
    TOP_GONE,   /* its process is not there any more, and it had not ended */
    TOP_FINISHED,
    TOP_FAILED,
    TOP_STOPPED /* with a checkpoint */
} top_condition;

enum { TOP_HISTORY = 24 };

/* Texts are printable. A number that is not known is NaN. */
typedef struct top_job {
    json_t *progress; /* the file */
    char case_name[256], state[32], message[1024], host[256], backend[64], device[256];
    long long pid, process_start, threads, n, order;
    long long step, steps, written_ns;
    long long first_step; /* that its process began with; 0: it was not restarted */
    double time, end, courant;
    double wall_seconds, stepping_seconds, seconds_left, recent, overall; /* [s], [1/s] */
    double waiting; /* share of their time that threads wait for one another; NaN: not told */
    double seconds_before; /* that steps took before the restart [s] */
    double mass_drift, energy_drift, memory_bytes;
    double history[TOP_HISTORY]; /* recent rates of the last updates, oldest first */
    int history_count;
    double changed; /* clock when the file was seen to change [s] */
    double age;     /* seconds since it told something */
    bool is_here;   /* its process is one of this host */
    cli_process process;
    double looked; /* clock at the last look at the process [s] */
    double cores;  /* that it keeps busy */
    top_condition condition;
    top_profile profile;
} top_job;

/* Whether DIR/progress.json is there. */
bool top_job_is_there(const char *directory);

/* Read anew; a job that was read before is told from its change. The first time it is all zeros.
 * Errors: SWE_NO_INPUT (no folder, a file that cannot be read), SWE_DATA (no results of a run). */
swe_status top_job_read(swe_context *ctx, const char *directory, top_job *job);
void top_job_release(top_job *job);

static inline bool top_job_has_ended(const top_job *job)
{
    return job->condition >= TOP_GONE;
}

#endif
