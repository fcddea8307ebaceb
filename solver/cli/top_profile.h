/* Measurements of a running job's profiler: its newest window, and the log of the GPU. */
#ifndef SWE_CLI_TOP_PROFILE_H
#define SWE_CLI_TOP_PROFILE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/context.h"

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
} top_window;

/* The last line of gpu_log.csv; NaN where it has no number. */
typedef struct top_gpu {
    bool is_there;
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

#endif
