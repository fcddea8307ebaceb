/* What the profiler of a job has measured so far: its newest window, and the log of the GPU. */
#ifndef SWE_CLI_TOP_PROFILE_H
#define SWE_CLI_TOP_PROFILE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/context.h"

enum { TOP_STAGES = 32 };

typedef struct top_stage {
    char name[64];
    double share; /* of the time of steps; of what ran on the GPU where one computes */
} top_stage;

typedef struct top_window {
    char path[1024]; /* as the job names it; "" if there is none */
    bool is_gpu;
    long long steps;
    double step_seconds;         /* median on the host */
    top_stage stage[TOP_STAGES]; /* the largest first */
    int stage_count;
} top_window;

/* The last line of the log; NaN where it has no number. */
typedef struct top_gpu {
    bool is_there;
    double watts, celsius, sm_percent, memory_percent, clock_mhz, used_bytes;
} top_gpu;

typedef struct top_profile {
    bool is_asked; /* the job records windows */
    top_window window;
    top_gpu gpu;
} top_profile;

/* Take from the job's folder what its progress.json names. A window that cannot be read is none. */
void top_profile_read(const char *directory, json_t *progress, top_profile *profile);

/* A JSON file of at most `most` bytes; NULL with one line in the context if it is none. Errors:
 * SWE_NO_INPUT, SWE_DATA. */
swe_status top_json_read(swe_context *ctx, const char *path, size_t most, json_t **out);

#endif
