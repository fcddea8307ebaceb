/* A window, as the report reads it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/reading.h"
#include "report/parts.h"

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

void measured_read_window(reader *r, const node *summary, prof_measured *measured)
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
