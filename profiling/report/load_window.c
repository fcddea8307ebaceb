/* summary.json of a window: the run, the host, memory; gpu, stages and counters have files of their
 * own. */
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
        if (report->facts != NULL)
            report->facts[report->fact_count++] =
                (prof_report_fact){pool_text(r->pool, "%s", key), reader_text(r, value)};
    }
}

static const char *fact(const prof_report *report, const char *name)
{
    for (int k = 0; k < report->fact_count; k++)
        if (strcmp(report->facts[k].name, name) == 0)
            return report->facts[k].text;
    return "";
}

/* A fact that is a number, and one that can be. */
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

static void load_device(reader *r, const node *summary, prof_report_device *device)
{
    static const field fields[] = {
        {"name", FIELD_TEXT, offsetof(prof_report_device, name)},
        {"is_gpu", FIELD_FLAG, offsetof(prof_report_device, is_gpu)},
        {"threads", FIELD_INTEGER, offsetof(prof_report_device, threads)},
        {"compute_capability", FIELD_TEXT, offsetof(prof_report_device, compute_capability)},
        {"multiprocessors", FIELD_INTEGER, offsetof(prof_report_device, multiprocessors)},
        {"clock_hz", FIELD_KNOWN, offsetof(prof_report_device, clock)},
        {"memory_bandwidth_bytes_per_s", FIELD_KNOWN,
         offsetof(prof_report_device, memory_bandwidth)},
        {"memory_bytes", FIELD_KNOWN, offsetof(prof_report_device, memory_size)},
        {"peak_fp64_flops", FIELD_KNOWN, offsetof(prof_report_device, peak_flops)}};
    const node object = read_object(r, summary, "device", false);
    read_fields(r, &object, FIELDS(fields), device);
}

static void load_run(reader *r, const node *summary, prof_report *report)
{
    static const field fields[] = {{"case", FIELD_TEXT, offsetof(prof_report, case_name)},
                                   {"version", FIELD_TEXT, offsetof(prof_report, version)},
                                   {"host", FIELD_TEXT, offsetof(prof_report, host)},
                                   {"process", FIELD_COUNT, offsetof(prof_report, process)}};
    read_fields(r, summary, FIELDS(fields), report);
    load_device(r, summary, &report->device);
    load_facts(r, summary, report);
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

static void load_times(reader *r, const node *summary, prof_report_window *w)
{
    static const field window_fields[] = {
        {"first_step", FIELD_COUNT, offsetof(prof_report_window, first_step)},
        {"steps", FIELD_COUNT, offsetof(prof_report_window, steps)},
        {"start_ns", FIELD_MOMENT, offsetof(prof_report_window, start)},
        {"seconds", FIELD_NUMBER, offsetof(prof_report_window, duration)}};
    static const field step_fields[] = {
        {"host_ns", FIELD_SPREAD, offsetof(prof_report_window, step_host)},
        {"gpu_ns", FIELD_SPREAD, offsetof(prof_report_window, step_gpu)}};
    static const field each_fields[] = {
        {"step", FIELD_COUNT, offsetof(prof_report_step, step)},
        {"host_ns", FIELD_NUMBER, offsetof(prof_report_step, host)},
        {"gpu_ns", FIELD_KNOWN, offsetof(prof_report_step, gpu)},
        {"gpu_ops", FIELD_COUNT, offsetof(prof_report_step, gpu_ops)}};
    const node window = read_object(r, summary, "window", false);
    read_fields(r, &window, FIELDS(window_fields), w);
    w->duration *= 1e9;
    w->date = format_date(r->pool, w->start);
    const node steps = read_object(r, summary, "steps", false);
    int count = 0;
    read_fields(r, &steps, FIELDS(step_fields), w);
    w->each = read_list(r, &steps, "each", FIELDS(each_fields), sizeof *w->each, &count);
    w->step_count = count;
}

static void load_phases(reader *r, const node *summary, prof_report_window *w)
{
    static const field fields[] = {{"name", FIELD_TEXT, offsetof(prof_report_phase, name)},
                                   {"total_ns", FIELD_NUMBER, offsetof(prof_report_phase, total)},
                                   {"count", FIELD_COUNT, offsetof(prof_report_phase, count)}};
    double total = 0.0;
    w->phases = read_list(r, summary, "phases", FIELDS(fields), sizeof *w->phases, &w->phase_count);
    for (int k = 0; k < w->phase_count; k++)
        total += w->phases[k].total;
    for (int k = 0; k < w->phase_count; k++)
        w->phases[k].share = total > 0.0 ? w->phases[k].total / total : NAN;
}

static void load_regions(reader *r, const node *summary, prof_report_window *w)
{
    static const field fields[] = {
        {"name", FIELD_STAGE, offsetof(prof_report_region, name)},
        {"kind", FIELD_TEXT, offsetof(prof_report_region, kind)},
        {"host_ns", FIELD_SPREAD, offsetof(prof_report_region, host)},
        {"gpu_ns", FIELD_SPREAD, offsetof(prof_report_region, gpu)},
        {"share_of_steps", FIELD_KNOWN, offsetof(prof_report_region, share)},
        {"gpu_ops", FIELD_COUNT, offsetof(prof_report_region, gpu_ops)}};
    w->regions =
        read_list(r, summary, "regions", FIELDS(fields), sizeof *w->regions, &w->region_count);
}

static void load_threads(reader *r, const node *summary, prof_report_window *w)
{
    static const field fields[] = {
        {"stage", FIELD_STAGE, offsetof(prof_report_thread, stage)},
        {"thread", FIELD_TEXT, offsetof(prof_report_thread, thread)},
        {"thread_id", FIELD_INTEGER, offsetof(prof_report_thread, id)},
        {"time_ns", FIELD_SPREAD, offsetof(prof_report_thread, time)},
        {"share_of_stage", FIELD_KNOWN, offsetof(prof_report_thread, share_of_stage)},
        {"imbalance", FIELD_NUMBER, offsetof(prof_report_thread, imbalance)},
        {"instructions_per_cycle", FIELD_KNOWN,
         offsetof(prof_report_thread, instructions_per_cycle)}};
    w->threads =
        read_list(r, summary, "threads", FIELDS(fields), sizeof *w->threads, &w->thread_count);
    const node array = read_array(r, summary, "threads");
    for (int k = 0; k < w->thread_count && r->status == SWE_LOADED; k++) {
        const node item = read_item(&array, (size_t)k);
        const node counters = read_object(r, &item, "counters", false);
        for (int c = 0; c < PROF_COUNTER_COUNT; c++) {
            const field one = {prof_counter_name(c), FIELD_INTEGER, 0};
            read_fields(r, &counters, &one, 1, &w->threads[k].counters[c]);
        }
    }
}

static const field use_fields[] = {{"bytes", FIELD_NUMBER, offsetof(prof_report_use, bytes)},
                                   {"blocks", FIELD_COUNT, offsetof(prof_report_use, blocks)}};

static prof_report_use use_of(reader *r, const node *parent, const char *key)
{
    prof_report_use use = {NAN, 0};
    const node object = read_object(r, parent, key, false);
    read_fields(r, &object, FIELDS(use_fields), &use);
    return use;
}

static int larger_site_first(const void *a, const void *b)
{
    const double x = ((const prof_report_site *)a)->after.bytes;
    const double y = ((const prof_report_site *)b)->after.bytes;
    return (x < y) - (x > y);
}

static void load_sites(reader *r, const node *memory, prof_report_memory *m)
{
    static const field fields[] = {{"label", FIELD_ARRAY, offsetof(prof_report_site, label)},
                                   {"function", FIELD_TEXT, offsetof(prof_report_site, function)},
                                   {"file", FIELD_TEXT, offsetof(prof_report_site, file)},
                                   {"line", FIELD_INTEGER, offsetof(prof_report_site, line)}};
    m->sites = read_list(r, memory, "sites", FIELDS(fields), sizeof *m->sites, &m->site_count);
    const node array = read_array(r, memory, "sites");
    for (int k = 0; k < m->site_count && r->status == SWE_LOADED; k++) {
        const node item = read_item(&array, (size_t)k);
        m->sites[k].before = use_of(r, &item, "before");
        m->sites[k].after = use_of(r, &item, "after");
    }
    if (m->site_count > 0)
        qsort(m->sites, (size_t)m->site_count, sizeof *m->sites, larger_site_first);
}

static void load_memory(reader *r, const node *summary, prof_report_memory *m)
{
    static const field in_use = {"in_use_bytes", FIELD_NUMBER, 0};
    static const field peak = {"peak_bytes", FIELD_NUMBER, 0};
    const node memory = read_object(r, summary, "memory", false);
    const node before = read_object(r, &memory, "before", false);
    const node after = read_object(r, &memory, "after", false);
    read_fields(r, &before, &in_use, 1, &m->before);
    read_fields(r, &after, &in_use, 1, &m->after);
    read_fields(r, &after, &peak, 1, &m->peak);
    m->allocated = use_of(r, &memory, "allocated");
    m->released = use_of(r, &memory, "released");
    m->untracked = use_of(r, &memory, "untracked");
    load_sites(r, &memory, m);
}

static void load_drops_and_warnings(reader *r, const node *summary, prof_report_window *w)
{
    static const field fields[] = {{"spans", FIELD_COUNT, offsetof(prof_drops, spans)},
                                   {"ops", FIELD_COUNT, offsetof(prof_drops, ops)},
                                   {"records", FIELD_COUNT, offsetof(prof_drops, records)},
                                   {"rejected", FIELD_COUNT, offsetof(prof_drops, rejected)},
                                   {"unknown", FIELD_COUNT, offsetof(prof_drops, unknown)}};
    const node drops = read_object(r, summary, "drops", false);
    const node warnings = read_array(r, summary, "warnings");
    const size_t count = read_size(&warnings);
    read_fields(r, &drops, FIELDS(fields), &w->drops);
    w->warnings = pool_array(r->pool, count, sizeof *w->warnings);
    for (size_t k = 0; k < count && w->warnings != NULL; k++)
        w->warnings[w->warning_count++] = pool_text(r->pool, "%s", row_text(r, &warnings, k));
}

static void load_peaks(reader *r, const node *summary, prof_report_peaks *c)
{
    static const field fields[] = {
        {"copy_bandwidth_bytes_per_s", FIELD_KNOWN, offsetof(prof_report_peaks, bandwidth)},
        {"fp64_flops_per_s", FIELD_KNOWN, offsetof(prof_report_peaks, flops)}};
    const node object = read_object(r, summary, "ceilings", false);
    read_fields(r, &object, FIELDS(fields), c);
}

/* Entries are found by these keys: two of the same would be counted as one, or one as two. */
static void check_unique_keys(reader *r, const node *summary)
{
    static const struct {
        const char *list, *keys[4];
    } named[] = {{"phases", {"name"}},        {"regions", {"name", "kind"}},
                 {"stages", {"stage"}},       {"copies", {"operation"}},
                 {"calls", {"name", "kind"}}, {"threads", {"stage", "thread", "thread_id"}},
                 {"costs", {"stage"}}};
    for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
        const node list = read_array(r, summary, named[k].list);
        refuse_duplicates(r, &list, named[k].keys);
    }
    const node steps = read_object(r, summary, "steps", false);
    const node each = read_array(r, &steps, "each");
    refuse_duplicates(r, &each, UNIQUE("step"));
}

void load_summary(reader *r, const node *summary, prof_report *report, prof_report_window *w)
{
    static const field mode = {"mode", FIELD_TEXT, offsetof(prof_report_window, mode)};
    if (!reader_expect(r, summary, "cubeswe-profile", 1))
        return;
    load_run(r, summary, report);
    check_unique_keys(r, summary);
    read_fields(r, summary, &mode, 1, w);
    load_times(r, summary, w);
    load_phases(r, summary, w);
    load_regions(r, summary, w);
    load_threads(r, summary, w);
    load_memory(r, summary, &w->memory);
    load_drops_and_warnings(r, summary, w);
    load_peaks(r, summary, &w->peaks);
    load_gpu(r, summary, w);
    load_stages(r, summary, report->device.is_gpu, w);
    load_counters(r, summary, w);
    report->date = w->date;
}

swe_load load_window(const char *folder, prof_log *log, pool *pool, prof_report *report,
                     prof_report_window *w)
{
    const char *timeline = pool_text(pool, "%s/timeline.json", folder);
    reader r = {.log = log, .pool = pool};
    node summary;
    struct stat info;
    w->folder = pool_text(pool, "%s", folder);
    if (reader_open(&r, pool_text(pool, "%s/summary.json", folder), &summary))
        load_summary(&r, &summary, report, w);
    reader_close(&r);
    if (r.status != SWE_LOADED || stat(timeline, &info) != 0)
        return r.status;
    return load_timeline(timeline, log, pool, &w->timeline);
}
