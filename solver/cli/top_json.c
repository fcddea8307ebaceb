#include "cli/report.h"
#include "cli/top_page.h"

enum { VERSION = 1 };

static json_t *process_json(const top_job *job)
{
    if (!job->process.is_known)
        return json_null();
    return json_pack("{s:o, s:f}", "cores", cli_json_real(job->cores), "resident_bytes",
                     job->process.resident_bytes);
}

static json_t *window_json(const top_window *window)
{
    if (window->path[0] == '\0')
        return json_null();
    json_t *stages = json_array();
    for (int k = 0; k < window->stage_count; k++)
        json_array_append_new(stages, json_pack("{s:s, s:f}", "stage", window->stage[k].name,
                                                "share", window->stage[k].share));
    return json_pack("{s:s, s:b, s:I, s:f, s:o}", "path", window->path, "is_gpu", window->is_gpu,
                     "steps", (json_int_t)window->steps, "step_seconds", window->step_seconds,
                     "stages", stages);
}

static json_t *gpu_json(const top_gpu *gpu)
{
    if (!gpu->is_there)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "sm_percent", cli_json_real(gpu->sm_percent),
                     "memory_percent", cli_json_real(gpu->memory_percent), "clock_mhz",
                     cli_json_real(gpu->clock_mhz), "power_watts", cli_json_real(gpu->watts),
                     "temperature_celsius", cli_json_real(gpu->celsius), "memory_used_bytes",
                     cli_json_real(gpu->used_bytes));
}

json_t *top_json(const top_job *job)
{
    static const char *const words[] = {"setup",    "running", "stalled", "gone",
                                        "finished", "failed",  "stopped"};
    return json_pack("{s:s, s:i, s:s, s:f, s:O, s:o, s:o, s:o}", "schema", "cubeswe-top",
                     "schema_version", VERSION, "condition", words[job->condition], "age_seconds",
                     job->age, "progress", job->progress, "process", process_json(job), "window",
                     window_json(&job->profile.window), "gpu", gpu_json(&job->profile.gpu));
}
