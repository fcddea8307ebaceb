#include "cli/top.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/former_names.h"
#include "base/input_file.h"
#include "base/text.h"

swe_status top_json_read(swe_context *ctx, const char *path, size_t most, json_t **out)
{
    swe_load status;
    char why[SWE_WHY_SIZE];
    *out = swe_input_json(path, most, &status, why);
    if (*out != NULL)
        return SWE_OK;
    return swe_fail(ctx, status == SWE_LOAD_MISSING ? SWE_NO_INPUT : SWE_DATA, "%s: %s", path, why);
}

double top_number(json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Join a path of progress.json, relative to the folder of the results or absolute, with a file
 * name. False: too long. */
static bool join_path(const char *directory, const char *name, const char *last, char *out,
                      size_t size)
{
    const bool is_whole = name[0] == '/';
    return snprintf(out, size, "%s%s%s/%s", is_whole ? "" : directory, is_whole ? "" : "/", name,
                    last) < (int)size;
}

/* The page has no room for notes: a stage of an earlier program gets today's name without one. */
static void add_stage(top_window *window, json_t *name, double share)
{
    const char *note = NULL;
    if (window->stage_count == TOP_STAGES || !json_is_string(name) || !(share >= 0.0))
        return;
    int rank = window->stage_count++;
    for (; rank > 0 && window->stage[rank - 1].share < share; rank--)
        window->stage[rank] = window->stage[rank - 1];
    swe_copy_printable(window->stage[rank].name, sizeof window->stage[rank].name,
                       swe_current_name(SWE_NAMED_STAGE, json_string_value(name), &note));
    window->stage[rank].share = share;
}

/* The total of a statistics member of a row. */
static double total_of(json_t *row, const char *name)
{
    return json_number_value(json_object_get(json_object_get(row, name), "total"));
}

/* Stages of a GPU, by their share in its busy time. */
static void read_gpu_stages(json_t *stages, top_window *window)
{
    double sum = 0.0;
    size_t k;
    json_t *row;
    json_array_foreach(stages, k, row) sum += total_of(row, "time_ns");
    json_array_foreach(stages, k, row)
        add_stage(window, json_object_get(row, "stage"), total_of(row, "time_ns") / sum);
}

/* Stages of a CPU, by their share in the steps. */
static void read_cpu_stages(json_t *regions, top_window *window)
{
    size_t k;
    json_t *row;
    json_array_foreach(regions, k, row)
    {
        const char *kind = json_string_value(json_object_get(row, "kind"));
        json_t *share = json_object_get(row, "share_of_steps");
        if (kind != NULL && strcmp(kind, "stage") == 0 && json_is_number(share))
            add_stage(window, json_object_get(row, "name"), json_number_value(share));
    }
}

static void parse_window(json_t *summary, top_window *window)
{
    json_t *steps = json_object_get(summary, "steps"), *stages = json_object_get(summary, "stages"),
           *ranks = json_object_get(summary, "ranks");
    window->steps =
        json_integer_value(json_object_get(json_object_get(summary, "window"), "steps"));
    window->is_gpu = json_array_size(stages) > 0;
    /* on a GPU the host only launches a step; a launched graph has no time of its steps on the GPU
     */
    json_t *step = json_object_get(steps, "gpu_ns");
    if (!window->is_gpu || !json_is_object(step))
        step = json_object_get(steps, "host_ns");
    window->step_seconds = 1e-9 * json_number_value(json_object_get(step, "median"));
    if (window->is_gpu)
        read_gpu_stages(stages, window);
    else
        read_cpu_stages(json_object_get(summary, "regions"), window);
    window->ranks = json_integer_value(json_object_get(ranks, "count"));
    window->imbalance = top_number(ranks, "imbalance");
    window->exposed_share = top_number(ranks, "exposed_share");
}

/* A window never changes, so it is read once. */
static void read_window(const char *directory, const char *name, top_window *window)
{
    swe_context unused = {""};
    char path[8400];
    json_t *summary = NULL;
    if (strcmp(name, window->path) == 0)
        return;
    *window = (top_window){.path = ""};
    if (!join_path(directory, name, "summary.json", path, sizeof path) ||
        top_json_read(&unused, path, swe_input_most, &summary) != SWE_OK)
        return;
    parse_window(summary, window);
    snprintf(window->path, sizeof window->path, "%s", name);
    json_decref(summary);
}

/* The next field of a line; NaN: "-". */
static double next_value(char **rest)
{
    char *field = strtok_r(NULL, ",", rest), *end = field;
    const double value = field != NULL ? strtod(field, &end) : 0.0;
    return end != field ? value : NAN;
}

/* Parse a line of the log: date, time, GPU, power [W], temperature [C], use of multiprocessors [%]
 * and memory [%], clock rates of memory and multiprocessors [MHz], memory in use [MiB]. */
static void parse_line(char *line, top_gpu *gpu)
{
    char *rest = NULL;
    if (line[0] == '#' || strtok_r(line, ",", &rest) == NULL || strtok_r(NULL, ",", &rest) == NULL)
        return;
    next_value(&rest);
    gpu->has_line = true;
    gpu->watts = next_value(&rest);
    gpu->celsius = next_value(&rest);
    gpu->sm_percent = next_value(&rest);
    gpu->memory_percent = next_value(&rest);
    next_value(&rest);
    gpu->clock_mhz = next_value(&rest);
    gpu->used_bytes = next_value(&rest) * 1024.0 * 1024.0;
}

/* Read the last complete line of the log. */
static void read_gpu_log(const char *path, top_gpu *gpu)
{
    char tail[1024];
    *gpu = (top_gpu){.has_line = false};
    const int file = open(path, O_RDONLY | O_NONBLOCK);
    if (file < 0)
        return;
    const off_t size = lseek(file, 0, SEEK_END), room = sizeof tail - 1;
    const ssize_t got = pread(file, tail, sizeof tail - 1, size > room ? size - room : 0);
    close(file);
    tail[got > 0 ? got : 0] = '\0';
    char *end = strrchr(tail, '\n');
    if (end == NULL)
        return;
    *end = '\0';
    char *line = strrchr(tail, '\n');
    if (line != NULL || size <= room) /* otherwise it is longer than any line of the log */
        parse_line(line != NULL ? line + 1 : tail, gpu);
}

void top_profile_read(const char *directory, json_t *progress, top_profile *profile)
{
    char path[8400];
    const char *folder = json_string_value(json_object_get(progress, "profiles"));
    const char *window = json_string_value(json_object_get(progress, "window"));
    profile->is_recording = folder != NULL;
    if (window != NULL)
        read_window(directory, window, &profile->window);
    if (folder != NULL && join_path(directory, folder, "gpu_log.csv", path, sizeof path))
        read_gpu_log(path, &profile->gpu);
}
