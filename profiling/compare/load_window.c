/* summary.json of one window. */
#include "compare/loading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    prof_kind kind;
} kinds[] = {
    {"phase", PROF_PHASE}, {"step", PROF_STEP}, {"part", PROF_PART}, {"stage", PROF_STAGE}};

static bool read_kind(const loading *file, const json_t *region, prof_kind *out)
{
    const char *kind = loading_text(file, region, "kind");
    for (size_t k = 0; kind != NULL && k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kind, kinds[k].name) == 0) {
            *out = kinds[k].kind;
            return true;
        }
    if (kind != NULL)
        loading_fails(file, PROF_LOAD_BAD, "a region of kind '%.40s'", kind);
    return false;
}

static bool read_statistics(const loading *file, const json_t *statistics, measured_value *out,
                            double *total)
{
    double median = 0.0, low = 0.0, high = 0.0, count = 0.0;
    if (!loading_number(file, statistics, "median", &median) ||
        !loading_number(file, statistics, "lower_quartile", &low) ||
        !loading_number(file, statistics, "upper_quartile", &high) ||
        !loading_number(file, statistics, "count", &count) ||
        !loading_number(file, statistics, "total", total))
        return false;
    *out = (measured_value){1e-3 * median, 1e-3 * low, 1e-3 * high, (long)count};
    return true;
}

/* Time of all steps on the GPU [ns]; 0 where there is none. */
static double gpu_time_of_steps(const json_t *summary)
{
    const json_t *gpu = json_object_get(json_object_get(summary, "steps"), "gpu_ns");
    return json_number_value(json_object_get(gpu, "total"));
}

/* A region's time on the host and, where it launched something, on the GPU. Phases are told for the
 * whole run elsewhere. */
static prof_load read_region(const loading *file, const json_t *summary, const json_t *region,
                             prof_measured *measured)
{
    const json_t *on_gpu = json_object_get(region, "gpu_ns");
    const double gpu_steps = gpu_time_of_steps(summary);
    prof_quantity named = {0};
    measured_value value;
    double total = 0.0;
    const char *name = loading_text(file, region, "name");
    if (name == NULL || !read_kind(file, region, &named.kind))
        return PROF_LOAD_BAD;
    if (named.kind == PROF_PHASE)
        return PROF_LOADED;
    snprintf(named.name, sizeof named.name, "%s", name);
    if (!read_statistics(file, json_object_get(region, "host_ns"), &value, &total))
        return PROF_LOAD_BAD;
    named.share = json_number_value(json_object_get(region, "share_of_steps"));
    if (!measured_add(measured, &named, value))
        return PROF_LOAD_NO_MEMORY;
    if (!json_is_object(on_gpu))
        return PROF_LOADED;
    if (!read_statistics(file, on_gpu, &value, &total))
        return PROF_LOAD_BAD;
    named.on_gpu = true;
    named.share = gpu_steps > 0.0 ? total / gpu_steps : 0.0;
    return measured_add(measured, &named, value) ? PROF_LOADED : PROF_LOAD_NO_MEMORY;
}

/* Phases up to the end of this window, in place of what an earlier window told of them. */
static prof_load read_phases(const loading *file, const json_t *summary, prof_measured *measured)
{
    size_t k;
    json_t *phase;
    json_array_foreach(json_object_get(summary, "phases"), k, phase)
    {
        prof_quantity named = {.kind = PROF_PHASE};
        double total = 0.0;
        const char *name = loading_text(file, phase, "name");
        if (name == NULL || !loading_number(file, phase, "total_ns", &total))
            return PROF_LOAD_BAD;
        snprintf(named.name, sizeof named.name, "%s", name);
        const measured_value value = {1e-3 * total, 1e-3 * total, 1e-3 * total, 1};
        const prof_quantity *earlier = prof_measured_find(measured, named.name, PROF_PHASE, false);
        if (earlier != NULL)
            earlier->sampled.median[0] = value.median_us;
        else if (!measured_add(measured, &named, value))
            return PROF_LOAD_NO_MEMORY;
    }
    return PROF_LOADED;
}

/* Whether threads were counted: that costs time. */
static bool has_counters(const json_t *summary)
{
    size_t k;
    const char *name;
    json_t *thread, *count;
    json_array_foreach(json_object_get(summary, "threads"), k, thread) json_object_foreach(
        json_object_get(thread, "counters"), name, count) if (!json_is_null(count)) return true;
    return false;
}

static bool note_run(const json_t *summary, prof_measured *measured)
{
    static const char *const task[] = {"n", "order", "closure", "unknowns"};
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(summary, "run"), name, value)
    {
        bool is_task = false;
        for (size_t k = 0; k < sizeof task / sizeof *task; k++)
            is_task |= strcmp(name, task[k]) == 0;
        if (!measured_note(measured, name, value, is_task))
            return false;
    }
    return true;
}

static bool note_circumstances(const json_t *summary, prof_measured *measured)
{
    const json_t *device = json_object_get(summary, "device");
    const json_t *window = json_object_get(summary, "window");
    json_t *kind = json_string("windows of a run");
    const bool noted =
        kind != NULL && measured_note(measured, "measured", kind, true) &&
        measured_note(measured, "case", json_object_get(summary, "case"), true) &&
        note_run(summary, measured) &&
        measured_note(measured, "version", json_object_get(summary, "version"), false) &&
        measured_note(measured, "device", json_object_get(device, "name"), false) &&
        measured_note(measured, "threads", json_object_get(device, "threads"), false) &&
        measured_note(measured, "host", json_object_get(summary, "host"), false) &&
        measured_note(measured, "mode", json_object_get(summary, "mode"), false) &&
        measured_note(measured, "threads counted",
                      has_counters(summary) ? json_true() : json_false(), false) &&
        measured_note(measured, "first step", json_object_get(window, "first_step"), false);
    json_decref(kind);
    return noted;
}

/* The windows of a folder are of one run. */
static prof_load check_same_run(const loading *file, const json_t *summary,
                                const prof_measured *measured)
{
    prof_measured *now = calloc(1, sizeof *now);
    prof_load status = PROF_LOADED;
    if (now == NULL || !note_circumstances(summary, now))
        status = PROF_LOAD_NO_MEMORY;
    for (int k = 0; status == PROF_LOADED && k < now->circumstance_count; k++) {
        const prof_circumstance *c = &now->circumstances[k], *first = &measured->circumstances[k];
        if (strcmp(c->name, "first step") != 0 &&
            (k >= measured->circumstance_count || strcmp(c->name, first->name) != 0 ||
             strcmp(c->text, first->text) != 0))
            status =
                loading_fails(file, PROF_LOAD_BAD,
                              "is not of the run of the windows before it: %s differs", c->name);
    }
    prof_measured_destroy(&now);
    return status;
}

static void read_warnings(const json_t *summary, prof_measured *measured)
{
    const json_t *warnings = json_object_get(summary, "warnings");
    if (measured->warnings == 0 && json_array_size(warnings) > 0)
        snprintf(measured->warning, sizeof measured->warning, "%s",
                 json_string_value(json_array_get(warnings, 0)));
    measured->warnings += (int)json_array_size(warnings);
}

prof_load measured_read_window(const loading *file, const json_t *summary, prof_measured *measured)
{
    const json_t *window = json_object_get(summary, "window");
    double first = 0.0, steps = 0.0;
    size_t k;
    json_t *region;
    if (json_integer_value(json_object_get(summary, "schema_version")) != 1)
        return loading_fails(file, PROF_LOAD_BAD, "schema_version is not 1, which is known here");
    if (!loading_number(file, window, "first_step", &first) ||
        !loading_number(file, window, "steps", &steps))
        return PROF_LOAD_BAD;
    prof_load status = PROF_LOADED;
    if (measured->windows > 0)
        status = check_same_run(file, summary, measured);
    else if (!note_circumstances(summary, measured))
        status = PROF_LOAD_NO_MEMORY;
    json_array_foreach(json_object_get(summary, "regions"), k, region)
    {
        if (status == PROF_LOADED)
            status = read_region(file, summary, region, measured);
    }
    if (status == PROF_LOADED)
        status = read_phases(file, summary, measured);
    read_warnings(summary, measured);
    measured->windows++;
    measured->last_step = (long long)first + (long long)steps;
    return status;
}
