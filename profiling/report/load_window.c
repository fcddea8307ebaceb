/* Loads summary.json of a window: the run and the host (load_*.c: the rest). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "report/internal.h"

static void load_facts(reader *r, const node *summary, prof_report *report)
{
    const node run = read_object(r, summary, "run", false);
    const char *key;
    json_t *value;
    report->facts = pool_array(r->pool, json_object_size(run.value), sizeof *report->facts);
    json_object_foreach(run.value, key, value)
    {
        const char *text = reader_text(r, value);
        if (strcmp(key, "closure") == 0)
            text = reader_current(r, SWE_NAMED_CLOSURE, text);
        if (report->facts != NULL)
            report->facts[report->fact_count++] =
                (prof_report_fact){pool_text(r->pool, "%s", key), text};
    }
}

static const char *fact(const prof_report *report, const char *name)
{
    for (int k = 0; k < report->fact_count; k++)
        if (strcmp(report->facts[k].name, name) == 0)
            return report->facts[k].text;
    return "";
}

/* A fact that is a number; NAN or -1 if it is none. */
static double number_fact(const prof_report *report, const char *name)
{
    const char *text = fact(report, name);
    char *end = NULL;
    const double value = strtod(text, &end);
    return end != text && *end == '\0' && fabs(value) < 1e15 ? value : NAN;
}

static int64_t integer_fact(const prof_report *report, const char *name)
{
    const double value = number_fact(report, name);
    return isnan(value) ? -1 : (int64_t)value;
}

static void describe_run(prof_report *report)
{
    report->backend = report->device.is_gpu ? "cuda" : "cpu";
    report->build = fact(report, "build");
    report->closure = fact(report, "closure");
    report->precision = fact(report, "precision");
    report->n = integer_fact(report, "n");
    report->order = integer_fact(report, "order");
    report->run_steps = integer_fact(report, "steps");
    report->unknowns = number_fact(report, "unknowns");
    report->dt = number_fact(report, "dt");
}

static const char *format_date(pool *pool, double ns)
{
    const time_t seconds = fabs(ns) < 1e20 ? (time_t)(ns / 1e9) : -1;
    struct tm utc;
    char text[32];
    if (seconds < 0 || gmtime_r(&seconds, &utc) == NULL ||
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc) == 0)
        return "";
    return pool_text(pool, "%s", text);
}

static int larger_site_first(const void *a, const void *b)
{
    const double x = ((const prof_report_site *)a)->after.bytes;
    const double y = ((const prof_report_site *)b)->after.bytes;
    return (x < y) - (x > y);
}

/* Entries are found by these keys, so that each must be unique. */
static void check_unique_keys(reader *r, const node *summary)
{
    static const struct {
        const char *list, *keys[4];
    } named[] = {{"phases", {"name"}},        {"regions", {"name", "kind"}},
                 {"stages", {"stage"}},       {"copies", {"operation"}},
                 {"calls", {"name", "kind"}}, {"threads", {"stage", "thread", "thread_id"}},
                 {"costs", {"stage"}},        {"parts", {"stage", "part"}}};
    for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
        const node list = read_array(r, summary, named[k].list);
        refuse_duplicates(r, &list, named[k].keys);
    }
    const node steps = read_object(r, summary, "steps", false);
    const node each = read_array(r, &steps, "each");
    refuse_duplicates(r, &each, UNIQUE("step"));
}

/* Set members that an object lacks; releases them. */
static void add_missing(json_t *object, json_t *members)
{
    json_object_update_missing(object, members);
    json_decref(members);
}

/* Add the members that profiles of earlier versions lack. */
static void complete(json_t *summary)
{
    json_t *row;
    size_t k;
    json_array_foreach(json_object_get(summary, "stages"), k, row)
        add_missing(row, json_pack("{s:n}", "calls_ns"));
    json_array_foreach(json_object_get(summary, "costs"), k, row)
        add_missing(row, json_pack("{s:n}", "reach_bytes"));
    add_missing(summary,
                json_pack("{s:[], s:n, s:{s:n, s:i, s:n, s:i, s:n, s:n, s:n, s:i, s:i, s:n}}",
                          "parts", "ranks", "tracing", "launch", "launched_steps", 0,
                          "untraced_step_ns", "untraced_strides", 0, "traced_step_ns", "ratio",
                          "later_step_ns", "discarded_steps", 0, "early_ops", 0,
                          "clock_difference_ns"));
    add_missing(json_object_get(summary, "ceilings"),
                json_pack("{s:n, s:[]}", "fp32_flops_per_s", "caches"));
    add_missing(json_object_get(summary, "tracing"), json_pack("{s:n}", "core_wait_share"));
}

void load_summary(reader *r, const node *summary, prof_report *report, prof_report_window *w)
{
    if (!reader_expect(r, summary, "cubeswe-profile", 1))
        return;
    complete(summary->value);
    prof_summary read = {.run = *report, .window = *w};
    read_table(r, summary, prof_summary_fields, &read);
    if (r->status != SWE_LOADED)
        return;
    *report = read.run;
    *w = read.window;
    load_facts(r, summary, report);
    describe_run(report);
    check_unique_keys(r, summary);
    w->duration *= 1e9; /* of seconds */
    if (strcmp(w->mode, "counters") == 0)
        w->tracing.ratio = NAN; /* its stages run one by one */
    w->date = report->date = format_date(r->pool, (double)w->start);
    double phases = 0.0;
    for (int k = 0; k < w->phase_count; k++)
        phases += w->phases[k].total;
    for (int k = 0; k < w->phase_count; k++)
        w->phases[k].share = phases > 0.0 ? w->phases[k].total / phases : NAN;
    if (w->memory.site_count > 0)
        qsort(w->memory.sites, (size_t)w->memory.site_count, sizeof *w->memory.sites,
              larger_site_first);
    refuse_launches(r, summary, w);
    derive_kernels_and_copies(w);
    load_stages(r, report->device.is_gpu, w);
    load_counters(r, summary, w);
    load_ranks(r, summary, w);
}

/* Give stages their names of today. */
static void rename_stages(reader *r, const json_t *names)
{
    json_t *name;
    size_t k;
    json_array_foreach(names, k, name)
    {
        if (json_is_string(name))
            json_string_set(name, reader_current(r, SWE_NAMED_STAGE, json_string_value(name)));
    }
}

swe_load load_timeline(const char *folder, swe_log *log, pool *pool, json_t **timeline)
{
    const char *file = pool_text(pool, "%s/timeline.json", folder);
    reader r = {.log = log, .pool = pool};
    node root;
    struct stat info;
    if (stat(file, &info) != 0)
        return SWE_LOADED;
    if (reader_open(&r, file, &root) && reader_expect(&r, &root, "cubeswe-timeline", 1)) {
        rename_stages(&r, json_object_get(root.value, "names"));
        *timeline = json_incref(root.value);
    }
    reader_close(&r);
    return r.status;
}

swe_load load_window(const char *folder, swe_log *log, pool *pool, prof_report *report,
                     prof_report_window *w)
{
    reader r = {.log = log, .pool = pool};
    node summary;
    json_t *timeline = NULL;
    w->folder = pool_text(pool, "%s", folder);
    if (reader_open(&r, pool_text(pool, "%s/summary.json", folder), &summary))
        load_summary(&r, &summary, report, w);
    reader_close(&r);
    if (r.status == SWE_LOADED)
        r.status = load_timeline(folder, log, pool, &timeline);
    json_decref(timeline);
    return r.status;
}
