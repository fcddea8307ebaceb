/* The report as JSON (report.schema.json). */
#include <math.h>

#include "page/page.h"
#include "report/diagnosis.h"
#include "report/internal.h"

/* A line has at most this many points. A point of a longer log is the mean of neighbours. */
enum { LINE_POINTS = 500 };

/* The mean of the values that are known, at `offset` of each sample; null if none is. */
static json_t *mean_of(const prof_gpu_sample *samples, int64_t count, size_t offset)
{
    double sum = 0.0, known = 0.0;
    for (int64_t k = 0; k < count; k++) {
        const double value = *(const double *)((const char *)&samples[k] + offset);
        sum += isfinite(value) ? value : 0.0;
        known += isfinite(value);
    }
    return known > 0.0 ? swe_json_real(sum / known) : json_null();
}

static json_t *line_of(const prof_gpu_sample *samples, int64_t count)
{
    static const struct {
        const char *key;
        size_t offset;
    } values[] = {{"sm_percent", offsetof(prof_gpu_sample, sm)},
                  {"memory_percent", offsetof(prof_gpu_sample, memory)},
                  {"power_watts", offsetof(prof_gpu_sample, power)},
                  {"sm_clock_mhz", offsetof(prof_gpu_sample, sm_clock)},
                  {"memory_clock_mhz", offsetof(prof_gpu_sample, memory_clock)}};
    enum { VALUES = sizeof values / sizeof *values };
    const int64_t points = count < LINE_POINTS ? count : LINE_POINTS;
    json_t *times = json_array(), *lines[VALUES], *all = json_object();
    for (size_t v = 0; v < VALUES; v++)
        lines[v] = json_array();
    for (int64_t p = 0; p < points; p++) {
        const prof_gpu_sample *first = &samples[p * count / points];
        const prof_gpu_sample *next = &samples[(p + 1) * count / points];
        const double middle = 0.5 * ((double)first->time + (double)next[-1].time);
        swe_json_append(&times, swe_json_real(middle));
        for (size_t v = 0; v < VALUES; v++)
            swe_json_append(&lines[v], mean_of(first, next - first, values[v].offset));
    }
    swe_json_set(&all, "time_ns", times);
    for (size_t v = 0; v < VALUES; v++)
        swe_json_set(&all, values[v].key, lines[v]);
    return all;
}

static json_t *log_of(const prof_report_log *log)
{
    json_t *all = swe_json_object(prof_log_state_fields, log);
    const int64_t duration = log->samples[log->count - 1].time;
    swe_json_set(&all, "duration_ns", json_integer(duration));
    swe_json_set(&all, "line", line_of(log->samples, log->count));
    return all;
}

static json_t *shown_window(const prof_report *report, const prof_report_window *w)
{
    const diagnosis c = {.report = report, .window = w};
    char verdict[COUNTERS_VERDICT_SIZE] = "";
    if (w->counters.stage_count > 0)
        counters_verdict(w, verdict);
    json_t *all = swe_json_object(prof_window_fields, w);
    swe_json_set(
        &all, "counters_verdict",
        swe_json_text(w->counters.stage_count > 0 ? verdict : counters_missing_reason(report, w)));
    swe_json_set(&all, "bandwidth_bytes_per_s", swe_json_real(measure_byte_rate(&c)));
    swe_json_set(&all, "serving_bytes_per_s", swe_json_real(measure_serving(&c)));
    swe_json_set(&all, "bandwidth_share", swe_json_real(measure_bandwidth(&c)));
    swe_json_set(&all, "ranks",
                 w->ranks.count > 0 ? swe_json_object(prof_ranks_fields, &w->ranks) : json_null());
    json_t *gpu = w->has_gpu ? swe_json_object(prof_gpu_fields, &w->gpu) : json_object();
    swe_json_set(&gpu, "state", swe_json_object(prof_gpu_state_fields, &w->gpu));
    swe_json_set(&gpu, "sampled", swe_json_object(prof_sampled_fields, &w->gpu.sampled));
    swe_json_set(&all, "gpu", gpu);
    swe_json_set(&all, "timeline",
                 report->timeline != NULL ? json_incref(report->timeline) : json_null());
    return all;
}

json_t *prof_report_json(const prof_report *report)
{
    json_t *all = json_pack("{s:s, s:i}", "schema", "cubeswe-report", "schema_version", 3);
    swe_json_extend(&all, swe_json_object(prof_report_fields, report));
    swe_json_set(&all, "shown", json_integer(report->shown));
    swe_json_set(&all, "log", report->log.count > 0 ? log_of(&report->log) : json_null());
    swe_json_set(&all, "window", shown_window(report, &report->windows[report->shown]));
    return all;
}

bool prof_report_write(const prof_report *report, const char *path, swe_log *log)
{
    json_t *document = prof_report_json(report);
    const bool written =
        prof_page_write(path, document, log) && prof_page_write_document(path, document, log);
    json_decref(document);
    return written;
}
