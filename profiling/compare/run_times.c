#include "compare/run_times.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/internal.h"

/* ---- the lists of a run ---- */

/* Room for one more item of a list, which grows at powers of two; NULL if there is no memory. */
static void *one_more(void *list, int count, size_t size)
{
    const bool is_full = (count & (count - 1)) == 0;
    return is_full ? realloc(list, size * (count == 0 ? 1 : 2 * (size_t)count)) : list;
}

void prof_measured_destroy(prof_measured **measured)
{
    prof_measured *m = *measured;
    *measured = NULL;
    if (m == NULL)
        return;
    for (int k = 0; k < m->quantity_count; k++)
        free(m->quantities[k].sampled.median);
    free(m->quantities);
    free(m->circumstances);
    free(m);
}

const prof_quantity *prof_measured_find(const prof_measured *measured, const char *name,
                                        prof_kind kind, bool on_gpu)
{
    for (int k = 0; k < measured->quantity_count; k++) {
        const prof_quantity *q = &measured->quantities[k];
        if (q->kind == kind && q->on_gpu == on_gpu && strcmp(q->name, name) == 0)
            return q;
    }
    return NULL;
}

static bool measured_note(prof_measured *measured, const char *name, const char *text, bool is_task)
{
    prof_circumstance *list = one_more(measured->circumstances, measured->circumstance_count,
                                       sizeof *measured->circumstances);
    if (list == NULL)
        return false;
    measured->circumstances = list;
    prof_circumstance *c = &list[measured->circumstance_count++];
    *c = (prof_circumstance){.is_task = is_task};
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(c->text, sizeof c->text, "%s", text);
    return true;
}

/* The quantity that is named, made if it is not there; NULL if there is no memory. */
static prof_quantity *quantity_at(prof_measured *measured, const prof_quantity *named)
{
    const prof_quantity *found =
        prof_measured_find(measured, named->name, named->kind, named->on_gpu);
    if (found != NULL)
        return &measured->quantities[found - measured->quantities];
    prof_quantity *list =
        one_more(measured->quantities, measured->quantity_count, sizeof *measured->quantities);
    if (list == NULL)
        return NULL;
    measured->quantities = list;
    prof_quantity *q = &list[measured->quantity_count++];
    *q = *named;
    q->share = 0.0;
    q->sampled = (prof_medians){0};
    return q;
}

/* One more median of a quantity, which is made at its first. */
typedef struct measured_value {
    double median_us, low_us, high_us; /* quartiles */
    long samples;
} measured_value;

/* What is shorter than the clocks resolve was seen as 0. */
static double resolved(double us)
{
    return fmax(us, 1e-3);
}

/* Standard deviation of logarithms whose quartiles these are, were they normal. */
static double spread_of(measured_value value)
{
    return fmax(log(resolved(value.high_us) / resolved(value.low_us)) / 1.349, 0.0);
}

static bool measured_add(prof_measured *measured, const prof_quantity *named, measured_value value)
{
    prof_quantity *q = quantity_at(measured, named);
    if (q == NULL)
        return false;
    prof_medians *s = &q->sampled;
    double *medians = one_more(s->median, s->count, sizeof *medians);
    if (medians == NULL)
        return false;
    s->median = medians;
    s->median[s->count] = resolved(value.median_us);
    s->spread += (spread_of(value) - s->spread) / (s->count + 1);
    s->samples = s->count == 0 || value.samples < s->samples ? value.samples : s->samples;
    q->share += (named->share - q->share) / ++s->count;
    return true;
}

static bool measured_set(prof_measured *measured, const prof_quantity *named, measured_value value)
{
    const prof_quantity *earlier =
        prof_measured_find(measured, named->name, named->kind, named->on_gpu);
    if (earlier == NULL)
        return measured_add(measured, named, value);
    earlier->sampled.median[0] = resolved(value.median_us);
    return true;
}

/* ---- profile.json: components, each timed alone ---- */

typedef struct component {
    const char *name;
    double median_us, low_us, high_us, share;
    int64_t samples;
} component;

/* What a component is: the file does not say, but a step and what holds several have these names.
 */
static prof_kind kind_of(const char *name)
{
    static const char *const steps[] = {"step", "loop", "captured", "other step", "other loop"};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        if (strcmp(name, steps[k]) == 0)
            return PROF_STEP;
    return strcmp(name, "rhs") == 0 ? PROF_PART : PROF_STAGE;
}

static bool add_component(const component *c, prof_measured *measured)
{
    prof_quantity named = {.kind = kind_of(c->name), .share = c->share};
    snprintf(named.name, sizeof named.name, "%s", c->name);
    const measured_value value = {c->median_us, c->low_us, c->high_us, (long)c->samples};
    return measured_add(measured, &named, value);
}

static bool note_study(reader *r, const node *study, prof_measured *measured)
{
    static const struct {
        const char *key;
        bool is_task;
    } keys[] = {{"case", true},      {"n", true},          {"order", true},      {"version", false},
                {"build", false},    {"backend", false},   {"device", false},    {"threads", false},
                {"pipeline", false}, {"precision", false}, {"loop_steps", false}};
    bool noted = measured_note(measured, "measured", "components, timed alone", true);
    for (size_t k = 0; noted && k < sizeof keys / sizeof *keys; k++)
        noted = measured_note(measured, keys[k].key,
                              reader_text(r, json_object_get(study->value, keys[k].key)),
                              keys[k].is_task);
    return noted;
}

static void measured_read_study(reader *r, const node *study, prof_measured *measured)
{
    static const field fields[] = {{"name", FIELD_TEXT, offsetof(component, name)},
                                   {"median_us", FIELD_NUMBER, offsetof(component, median_us)},
                                   {"low_quartile_us", FIELD_NUMBER, offsetof(component, low_us)},
                                   {"high_quartile_us", FIELD_NUMBER, offsetof(component, high_us)},
                                   {"samples", FIELD_COUNT, offsetof(component, samples)},
                                   {"share", FIELD_NUMBER, offsetof(component, share)}};
    int count = 0;
    const node list = read_array(r, study, "components");
    read_unique(r, &list, UNIQUE("name"));
    const component *components =
        read_list(r, study, "components", FIELDS(fields), sizeof *components, &count);
    if (read_size(&list) == 0)
        reader_refuse(r, &list, "is a profile without components");
    bool noted = r->status != PROF_LOADED || note_study(r, study, measured);
    for (int k = 0; noted && k < count; k++)
        noted = add_component(&components[k], measured);
    if (!noted)
        r->status = PROF_LOAD_NO_MEMORY;
}

/* ---- a window of a run ---- */

static const struct {
    const char *name;
    prof_kind kind;
} kinds[] = {
    {"phase", PROF_PHASE}, {"step", PROF_STEP}, {"part", PROF_PART}, {"stage", PROF_STAGE}};

static bool find_kind(reader *r, const char *name, prof_kind *out)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(name, kinds[k].name) == 0) {
            *out = kinds[k].kind;
            return true;
        }
    prof_warn(r->log, "%s: regions: a region of kind '%.40s'", r->file, name);
    r->status = PROF_LOAD_BAD;
    return false;
}

static void add(reader *r, prof_measured *measured, const prof_quantity *named,
                const prof_spread *time)
{
    const measured_value value = {1e-3 * time->median, 1e-3 * time->low, 1e-3 * time->high,
                                  (long)time->count};
    if (!measured_add(measured, named, value))
        r->status = PROF_LOAD_NO_MEMORY;
}

/* A region's time on the host and, where it launched something, on the GPU. Phases are told for the
 * whole run elsewhere. */
static void add_region(reader *r, const prof_report_window *w, const prof_report_region *region,
                       prof_measured *measured)
{
    prof_quantity named = {.share = isnan(region->share) ? 0.0 : region->share};
    if (!find_kind(r, region->kind, &named.kind) || named.kind == PROF_PHASE)
        return;
    snprintf(named.name, sizeof named.name, "%s", region->name);
    if (region->host.count > 0)
        add(r, measured, &named, &region->host);
    if (region->gpu.count == 0)
        return;
    named.on_gpu = true;
    named.share = w->step_gpu.total > 0.0 ? region->gpu.total / w->step_gpu.total : 0.0;
    add(r, measured, &named, &region->gpu);
}

/* A phase up to the end of this window, in place of what an earlier window told of it. */
static void add_phase(reader *r, const prof_report_phase *phase, prof_measured *measured)
{
    prof_quantity named = {.kind = PROF_PHASE};
    const double total = 1e-3 * phase->total;
    snprintf(named.name, sizeof named.name, "%s", phase->name);
    if (!measured_set(measured, &named, (measured_value){total, total, total, 1}))
        r->status = PROF_LOAD_NO_MEMORY;
}

/* Whether threads were counted: that costs time. */
static bool has_counters(const prof_report_window *w)
{
    for (int k = 0; k < w->thread_count; k++)
        for (int c = 0; c < PROF_COUNTER_COUNT; c++)
            if (w->threads[k].counters[c] >= 0)
                return true;
    return false;
}

static bool note_run(const prof_report *run, prof_measured *measured)
{
    static const char *const task[] = {"n", "order", "closure", "unknowns"};
    for (int f = 0; f < run->fact_count; f++) {
        bool is_task = false;
        for (size_t k = 0; k < sizeof task / sizeof *task; k++)
            is_task |= strcmp(run->facts[f].name, task[k]) == 0;
        if (!measured_note(measured, run->facts[f].name, run->facts[f].text, is_task))
            return false;
    }
    return true;
}

static bool note_circumstances(pool *pool, const prof_report *run, const prof_report_window *w,
                               prof_measured *measured)
{
    const char *threads =
        run->device.threads >= 0 ? pool_text(pool, "%lld", (long long)run->device.threads) : "";
    const char *first = pool_text(pool, "%lld", (long long)w->first_step);
    return measured_note(measured, "measured", "windows of a run", true) &&
           measured_note(measured, "case", run->case_name, true) && note_run(run, measured) &&
           measured_note(measured, "version", run->version, false) &&
           measured_note(measured, "device", run->device.name, false) &&
           measured_note(measured, "threads", threads, false) &&
           measured_note(measured, "host", run->host, false) &&
           measured_note(measured, "mode", w->mode, false) &&
           measured_note(measured, "threads counted", has_counters(w) ? "yes" : "no", false) &&
           measured_note(measured, "first step", first, false);
}

/* The windows of a folder are of one run. */
static void check_same_run(reader *r, const prof_report *run, const prof_report_window *w,
                           const prof_measured *measured)
{
    prof_measured *now = calloc(1, sizeof *now);
    if (now == NULL || !note_circumstances(r->pool, run, w, now))
        r->status = PROF_LOAD_NO_MEMORY;
    for (int k = 0; r->status == PROF_LOADED && k < now->circumstance_count; k++) {
        const prof_circumstance *c = &now->circumstances[k], *first = &measured->circumstances[k];
        if (strcmp(c->name, "first step") != 0 &&
            (k >= measured->circumstance_count || strcmp(c->name, first->name) != 0 ||
             strcmp(c->text, first->text) != 0)) {
            prof_warn(r->log, "%s: is not of the run of the windows before it: %s differs", r->file,
                      c->name);
            r->status = PROF_LOAD_BAD;
        }
    }
    prof_measured_destroy(&now);
}

static void take_warnings(const prof_report_window *w, prof_measured *measured)
{
    if (measured->warnings == 0 && w->warning_count > 0)
        snprintf(measured->warning, sizeof measured->warning, "%s", w->warnings[0]);
    measured->warnings += w->warning_count;
}

static void measured_read_window(reader *r, const node *summary, prof_measured *measured)
{
    prof_report run = {0};
    prof_report_window w = {0};
    load_summary(r, summary, &run, &w);
    if (r->status != PROF_LOADED)
        return;
    if (measured->windows > 0)
        check_same_run(r, &run, &w, measured);
    else if (!note_circumstances(r->pool, &run, &w, measured))
        r->status = PROF_LOAD_NO_MEMORY;
    for (int k = 0; k < w.region_count && r->status == PROF_LOADED; k++)
        add_region(r, &w, &w.regions[k], measured);
    for (int k = 0; k < w.phase_count && r->status == PROF_LOADED; k++)
        add_phase(r, &w.phases[k], measured);
    take_warnings(&w, measured);
    measured->windows++;
    measured->last_step = (long long)w.first_step + (long long)w.steps;
}

/* ---- files and folders ---- */

/* Read one file, whatever profile it is. */
static prof_load read_file(const char *path, prof_log *log, prof_measured *measured)
{
    node all;
    reader r = {.log = log, .pool = pool_create()};
    if (r.pool == NULL)
        return PROF_LOAD_NO_MEMORY;
    if (reader_open(&r, path, &all)) {
        if (json_is_array(json_object_get(all.value, "components")))
            measured_read_study(&r, &all, measured);
        else
            measured_read_window(&r, &all, measured);
    }
    if (r.status == PROF_LOADED && r.pool->failed)
        r.status = PROF_LOAD_NO_MEMORY;
    reader_close(&r);
    pool_destroy(&r.pool);
    return r.status;
}

static bool is_there(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static prof_load read_folder(pool *pool, const char *path, prof_log *log, prof_measured *measured)
{
    const char *study = pool_text(pool, "%s/profile.json", path);
    int count = 0;
    if (is_there(study))
        return read_file(study, log, measured);
    const char **windows = find_windows(pool, path, &count);
    prof_load status = pool->failed ? PROF_LOAD_NO_MEMORY : PROF_LOADED;
    for (int k = 0; k < count && status == PROF_LOADED; k++)
        status = read_file(pool_text(pool, "%s/summary.json", windows[k]), log, measured);
    if (count > 0 || status != PROF_LOADED)
        return status;
    prof_warn(log,
              "%s: holds no profile (profile.json, or step_*/summary.json here or in profile/)",
              path);
    return PROF_LOAD_MISSING;
}

prof_load prof_measured_load(const char *path, prof_log *log, prof_measured **out)
{
    struct stat info;
    *out = NULL;
    if (stat(path, &info) != 0) {
        prof_warn(log, "%s: %s", path, strerror(errno));
        return PROF_LOAD_MISSING;
    }
    prof_measured *measured = calloc(1, sizeof *measured);
    pool *pool = pool_create();
    prof_load status = PROF_LOAD_NO_MEMORY;
    if (measured != NULL && pool != NULL) {
        snprintf(measured->path, sizeof measured->path, "%s", path);
        status = S_ISDIR(info.st_mode) ? read_folder(pool, path, log, measured)
                                       : read_file(path, log, measured);
    }
    pool_destroy(&pool);
    if (status == PROF_LOAD_NO_MEMORY)
        prof_warn(log, "%s: out of memory", path);
    if (status == PROF_LOADED)
        *out = measured;
    else
        prof_measured_destroy(&measured);
    return status;
}
