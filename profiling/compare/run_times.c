#include "compare/run_times.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/internal.h"

/* ---- the lists of a run ---- */

/* Grow a list by one item; its capacity is a power of two. NULL without memory. */
static void *grow_list(void *list, int count, size_t size)
{
    const bool is_full = (count & (count - 1)) == 0;
    return is_full ? realloc(list, size * (count == 0 ? 1 : 2 * (size_t)count)) : list;
}

void prof_run_times_destroy(prof_run_times **measured)
{
    prof_run_times *m = *measured;
    *measured = NULL;
    if (m == NULL)
        return;
    for (int k = 0; k < m->region_count; k++)
        free(m->regions[k].medians.median);
    free(m->regions);
    free(m->properties);
    free(m);
}

const prof_timed_region *prof_run_times_find(const prof_run_times *measured, const char *name,
                                             prof_kind kind, bool on_gpu)
{
    for (int k = 0; k < measured->region_count; k++) {
        const prof_timed_region *q = &measured->regions[k];
        if (q->kind == kind && q->on_gpu == on_gpu && strcmp(q->name, name) == 0)
            return q;
    }
    return NULL;
}

static bool add_property(prof_run_times *measured, const char *name, const char *text, bool is_task)
{
    prof_run_property *list =
        grow_list(measured->properties, measured->property_count, sizeof *measured->properties);
    if (list == NULL)
        return false;
    measured->properties = list;
    prof_run_property *c = &list[measured->property_count++];
    *c = (prof_run_property){.is_task = is_task};
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(c->text, sizeof c->text, "%s", text);
    return true;
}

/* Find a region, and add it if it is new; NULL without memory. */
static prof_timed_region *find_or_add_region(prof_run_times *measured,
                                             const prof_timed_region *named)
{
    const prof_timed_region *found =
        prof_run_times_find(measured, named->name, named->kind, named->on_gpu);
    if (found != NULL)
        return &measured->regions[found - measured->regions];
    prof_timed_region *list =
        grow_list(measured->regions, measured->region_count, sizeof *measured->regions);
    if (list == NULL)
        return NULL;
    measured->regions = list;
    prof_timed_region *q = &list[measured->region_count++];
    *q = *named;
    q->share = 0.0;
    q->medians = (prof_medians){0};
    return q;
}

/* Time of a region in one window. */
typedef struct measurement {
    double median_us, low_us, high_us; /* quartiles */
    long samples;
} measurement;

/* Times below the resolution of the clocks are measured as 0. */
static double resolved(double us)
{
    return fmax(us, 1e-3);
}

static bool add_median(prof_run_times *measured, const prof_timed_region *named, measurement value)
{
    prof_timed_region *q = find_or_add_region(measured, named);
    if (q == NULL)
        return false;
    prof_medians *s = &q->medians;
    double *medians = grow_list(s->median, s->count, sizeof *medians);
    if (medians == NULL)
        return false;
    s->median = medians;
    s->median[s->count] = resolved(value.median_us);
    /* The standard deviation of logarithms whose quartiles these are, were they normal. */
    const double spread = fmax(log(resolved(value.high_us) / resolved(value.low_us)) / 1.349, 0.0);
    s->spread += (spread - s->spread) / (s->count + 1);
    s->samples = s->count == 0 || value.samples < s->samples ? value.samples : s->samples;
    q->share += (named->share - q->share) / ++s->count;
    return true;
}

/* ---- profile.json: components, each timed alone ---- */

typedef struct component {
    const char *name;
    double median_us, low_us, high_us, share;
    int64_t samples;
} component;

/* Kind of a component, by its name: the file does not contain it. */
static prof_kind kind_of(const char *name)
{
    static const char *const steps[] = {"step", "loop", "captured", "other step", "other loop"};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        if (strcmp(name, steps[k]) == 0)
            return PROF_STEP;
    return strcmp(name, "rhs") == 0 ? PROF_SUBSTEP : PROF_STAGE;
}

static bool add_study_properties(reader *r, const node *study, prof_run_times *measured)
{
    static const struct {
        const char *key;
        bool is_task;
    } keys[] = {{"case", true},      {"n", true},          {"order", true},      {"version", false},
                {"build", false},    {"backend", false},   {"device", false},    {"threads", false},
                {"pipeline", false}, {"precision", false}, {"loop_steps", false}};
    bool added = add_property(measured, "measured", "components, timed alone", true);
    for (size_t k = 0; added && k < sizeof keys / sizeof *keys; k++)
        added = add_property(measured, keys[k].key,
                             reader_text(r, json_object_get(study->value, keys[k].key)),
                             keys[k].is_task);
    return added;
}

static void read_study(reader *r, const node *study, prof_run_times *measured)
{
    static const field fields[] = {{"name", FIELD_STAGE, offsetof(component, name)},
                                   {"median_us", FIELD_NUMBER, offsetof(component, median_us)},
                                   {"low_quartile_us", FIELD_NUMBER, offsetof(component, low_us)},
                                   {"high_quartile_us", FIELD_NUMBER, offsetof(component, high_us)},
                                   {"samples", FIELD_COUNT, offsetof(component, samples)},
                                   {"share", FIELD_KNOWN, offsetof(component, share)},
                                   FIELD_END};
    int count = 0;
    const node list = read_array(r, study, "components");
    refuse_duplicates(r, &list, UNIQUE("name"));
    const component *components =
        read_list(r, study, "components", fields, sizeof *components, &count);
    if (read_size(&list) == 0)
        reader_refuse(r, &list, "is a profile without components");
    bool added = r->status != SWE_LOADED || add_study_properties(r, study, measured);
    for (int k = 0; added && k < count; k++) {
        const component *c = &components[k];
        const measurement value = {c->median_us, c->low_us, c->high_us, (long)c->samples};
        prof_timed_region named = {.kind = kind_of(c->name),
                                   .share = isnan(c->share) ? 0.0 : c->share};
        snprintf(named.name, sizeof named.name, "%s", c->name);
        added = add_median(measured, &named, value);
    }
    if (!added)
        r->status = SWE_LOAD_NO_MEMORY;
}

/* ---- a window of a run ---- */

static bool find_kind(reader *r, const char *name, prof_kind *out)
{
    for (int k = 0; k < PROF_KINDS; k++)
        if (k != PROF_THREAD && strcmp(name, prof_kind_names[k]) == 0) {
            *out = (prof_kind)k;
            return true;
        }
    swe_warn(r->log, "%s: regions: a region of kind '%.40s'", r->file, name);
    r->status = SWE_LOAD_BAD;
    return false;
}

static void add(reader *r, prof_run_times *measured, const prof_timed_region *named,
                const prof_spread *time)
{
    const measurement value = {1e-3 * time->median, 1e-3 * time->low, 1e-3 * time->high,
                               (long)time->count};
    if (!add_median(measured, named, value))
        r->status = SWE_LOAD_NO_MEMORY;
}

static void add_gpu(reader *r, const prof_report_window *w, prof_timed_region named,
                    const prof_spread *time, prof_run_times *measured)
{
    if (time->count == 0)
        return;
    named.on_gpu = true;
    named.share = w->step_gpu.total > 0.0 ? time->total / w->step_gpu.total : 0.0;
    add(r, measured, &named, time);
}

/* Whether the profile has the times of the stages' calls on the GPU, those in graphs too. */
static bool has_calls(const prof_report_window *w)
{
    bool found = false;
    for (int k = 0; k < w->stage_count; k++)
        found |= w->stages[k].calls.count > 0;
    return found;
}

/* Add the times of a region on the host and, if it launched operations, on the GPU. add_phase adds
 * phases, and add_calls the GPU's times of steps and stages. */
static void add_region(reader *r, const prof_report_window *w, const prof_report_region *region,
                       prof_run_times *measured)
{
    prof_timed_region named = {.share = isnan(region->share) ? 0.0 : region->share};
    if (!find_kind(r, region->kind, &named.kind) || named.kind == PROF_PHASE ||
        named.kind == PROF_LAUNCH)
        return;
    snprintf(named.name, sizeof named.name, "%s", region->name);
    if (region->host.count > 0)
        add(r, measured, &named, &region->host);
    if (named.kind == PROF_SUBSTEP || !has_calls(w))
        add_gpu(r, w, named, &region->gpu, measured);
}

/* Add the times of steps and of calls of stages on the GPU. */
static void add_calls(reader *r, const prof_report_window *w, prof_run_times *measured)
{
    if (!has_calls(w))
        return;
    add_gpu(r, w, (prof_timed_region){.name = "step", .kind = PROF_STEP}, &w->step_gpu, measured);
    for (int k = 0; k < w->stage_count; k++) {
        prof_timed_region named = {.kind = PROF_STAGE};
        snprintf(named.name, sizeof named.name, "%s", w->stages[k].name);
        add_gpu(r, w, named, &w->stages[k].calls, measured);
    }
}

/* Add the median step time of the ranks and their waits for messages: the median wait of a rank in
 * a step, averaged over the ranks; NAN: unknown. The relative quartiles of the step time are copied
 * from rank 0. */
static void add_ranks(reader *r, const prof_report_window *w, bool on_gpu, prof_run_times *measured)
{
    const prof_spread *of_rank0 = on_gpu ? &w->step_gpu : &w->step_host;
    double waited = 0.0;
    for (int k = 0; k < w->ranks.each_count; k++)
        waited += w->ranks.each[k].exposed;
    const double step = w->ranks.step.median, wait = waited / (double)w->ranks.count;
    const double ratio = step / of_rank0->median;
    if (w->ranks.count == 0 || !(ratio > 0.0) || !isfinite(ratio))
        return;
    const prof_spread steps = {.count = of_rank0->count,
                               .median = step,
                               .low = ratio * of_rank0->low,
                               .high = ratio * of_rank0->high};
    const prof_spread waits = {.count = 1, .median = wait, .low = wait, .high = wait};
    add(r, measured, &(prof_timed_region){"ranks: step", PROF_STEP, on_gpu, 1.0, {0}}, &steps);
    if (isfinite(wait) && r->status == SWE_LOADED)
        add(r, measured, &(prof_timed_region){"ranks: waits", PROF_WAIT, on_gpu, wait / step, {0}},
            &waits);
}

/* Set the time of a phase until the end of this window. It replaces the time until the end of an
 * earlier window. */
static void add_phase(reader *r, const prof_phase_time *phase, prof_run_times *measured)
{
    prof_timed_region named = {.kind = PROF_PHASE};
    const double total = 1e-3 * phase->total;
    snprintf(named.name, sizeof named.name, "%s", phase->name);
    const prof_timed_region *earlier =
        prof_run_times_find(measured, named.name, named.kind, named.on_gpu);
    if (earlier != NULL)
        earlier->medians.median[0] = resolved(total);
    else if (!add_median(measured, &named, (measurement){total, total, total, 1}))
        r->status = SWE_LOAD_NO_MEMORY;
}

/* Whether counters of threads were measured, which costs time. */
static bool has_counters(const prof_report_window *w)
{
    for (int k = 0; k < w->thread_count; k++)
        for (int c = 0; c < PROF_COUNTER_COUNT; c++)
            if (w->threads[k].counters[c] >= 0)
                return true;
    return false;
}

static bool add_run_facts(const prof_report *run, prof_run_times *measured)
{
    static const char *const task[] = {"n", "order", "closure", "unknowns"};
    for (int f = 0; f < run->fact_count; f++) {
        bool is_task = false;
        for (size_t k = 0; k < sizeof task / sizeof *task; k++)
            is_task |= strcmp(run->facts[f].name, task[k]) == 0;
        if (!add_property(measured, run->facts[f].name, run->facts[f].text, is_task))
            return false;
    }
    return true;
}

static bool add_properties(pool *pool, const prof_report *run, const prof_report_window *w,
                           prof_run_times *measured)
{
    const char *threads =
        run->device.threads >= 0 ? pool_text(pool, "%lld", (long long)run->device.threads) : "";
    const char *ranks =
        pool_text(pool, "%lld", w->ranks.count > 0 ? (long long)w->ranks.count : 1LL);
    const char *first = pool_text(pool, "%lld", (long long)w->first_step);
    return add_property(measured, "measured", "windows of a run", true) &&
           add_property(measured, "case", run->case_name, true) && add_run_facts(run, measured) &&
           add_property(measured, "version", run->version, false) &&
           add_property(measured, "device", run->device.name, false) &&
           add_property(measured, "threads", threads, false) &&
           add_property(measured, "ranks", ranks, false) &&
           add_property(measured, "host", run->host, false) &&
           add_property(measured, "mode", w->mode, false) &&
           add_property(measured, "launch", w->tracing.launch, false) &&
           add_property(measured, "threads counted", has_counters(w) ? "yes" : "no", false) &&
           add_property(measured, "first step", first, false);
}

/* The windows of a folder are of one run. */
static void check_same_run(reader *r, const prof_report *run, const prof_report_window *w,
                           const prof_run_times *measured)
{
    prof_run_times *now = calloc(1, sizeof *now);
    if (now == NULL || !add_properties(r->pool, run, w, now))
        r->status = SWE_LOAD_NO_MEMORY;
    for (int k = 0; r->status == SWE_LOADED && k < now->property_count; k++) {
        const prof_run_property *c = &now->properties[k], *first = &measured->properties[k];
        if (strcmp(c->name, "first step") != 0 &&
            (k >= measured->property_count || strcmp(c->name, first->name) != 0 ||
             strcmp(c->text, first->text) != 0)) {
            swe_warn(r->log, "%s: is not of the run of the windows before it: %s differs", r->file,
                     c->name);
            r->status = SWE_LOAD_BAD;
        }
    }
    prof_run_times_destroy(&now);
}

static void read_window(reader *r, const node *summary, prof_run_times *measured)
{
    prof_report run = {0};
    prof_report_window w = {0};
    load_summary(r, summary, &run, &w);
    if (r->status != SWE_LOADED)
        return;
    if (measured->windows > 0)
        check_same_run(r, &run, &w, measured);
    else if (!add_properties(r->pool, &run, &w, measured))
        r->status = SWE_LOAD_NO_MEMORY;
    for (int k = 0; k < w.region_count && r->status == SWE_LOADED; k++)
        add_region(r, &w, &w.regions[k], measured);
    if (r->status == SWE_LOADED)
        add_calls(r, &w, measured);
    if (r->status == SWE_LOADED)
        add_ranks(r, &w, run.device.is_gpu, measured);
    for (int k = 0; k < w.phase_count && r->status == SWE_LOADED; k++)
        add_phase(r, &w.phases[k], measured);
    if (measured->warnings == 0 && w.warning_count > 0)
        snprintf(measured->warning, sizeof measured->warning, "%s", w.warnings[0]);
    measured->warnings += w.warning_count;
    measured->windows++;
    measured->ranks = (long long)w.ranks.count;
    measured->last_step = (long long)w.first_step + (long long)w.steps;
}

/* ---- files and folders ---- */

/* Read one file: the study of components or a window. */
static swe_load read_file(const char *path, swe_log *log, prof_run_times *measured)
{
    node all;
    reader r = {.log = log, .pool = pool_create()};
    if (r.pool == NULL)
        return SWE_LOAD_NO_MEMORY;
    if (reader_open(&r, path, &all)) {
        if (json_is_array(json_object_get(all.value, "components")))
            read_study(&r, &all, measured);
        else
            read_window(&r, &all, measured);
    }
    if (r.status == SWE_LOADED && r.pool->failed)
        r.status = SWE_LOAD_NO_MEMORY;
    reader_close(&r);
    pool_destroy(&r.pool);
    return r.status;
}

static swe_load read_folder(pool *pool, const char *path, swe_log *log, prof_run_times *measured)
{
    const char *study = pool_text(pool, "%s/profile.json", path);
    struct stat info;
    int count = 0;
    if (stat(study, &info) == 0)
        return read_file(study, log, measured);
    const char **windows = find_windows(pool, path, &count);
    swe_load status = pool->failed ? SWE_LOAD_NO_MEMORY : SWE_LOADED;
    for (int k = 0; k < count && status == SWE_LOADED; k++)
        status = read_file(pool_text(pool, "%s/summary.json", windows[k]), log, measured);
    if (count > 0 || status != SWE_LOADED)
        return status;
    swe_warn(log, "%s: holds no profile (profile.json, or step_*/summary.json here or in profile/)",
             path);
    return SWE_LOAD_MISSING;
}

swe_load prof_run_times_load(const char *path, swe_log *log, prof_run_times **out)
{
    struct stat info;
    *out = NULL;
    if (stat(path, &info) != 0) {
        swe_warn(log, "%s: %s", path, strerror(errno));
        return SWE_LOAD_MISSING;
    }
    prof_run_times *measured = calloc(1, sizeof *measured);
    pool *pool = pool_create();
    swe_load status = SWE_LOAD_NO_MEMORY;
    if (measured != NULL && pool != NULL) {
        snprintf(measured->path, sizeof measured->path, "%s", path);
        status = S_ISDIR(info.st_mode) ? read_folder(pool, path, log, measured)
                                       : read_file(path, log, measured);
    }
    pool_destroy(&pool);
    if (status == SWE_LOAD_NO_MEMORY)
        swe_warn(log, "%s: out of memory", path);
    if (status == SWE_LOADED)
        *out = measured;
    else
        prof_run_times_destroy(&measured);
    return status;
}
