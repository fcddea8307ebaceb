/* The report as JSON (report.schema.json). */
#include "page/page.h"
#include "report/diagnosis.h"
#include "report/internal.h"

static json_t *gpu_of(const prof_report_window *w)
{
    json_t *all = w->has_gpu ? swe_json_object(prof_gpu_fields, &w->gpu) : json_object();
    json_t *state = swe_json_object(prof_gpu_state_fields, &w->gpu);
    swe_json_set(&state, "count", json_integer(w->timeline.sample_count));
    swe_json_set(&state, "line", samples_json(w->timeline.samples, w->timeline.sample_count));
    swe_json_set(&all, "state", state);
    json_t *sampled = swe_json_object(prof_sampled_fields, &w->gpu.sampled);
    swe_json_set(&sampled, "count", json_integer(w->timeline.sampled_count));
    swe_json_set(&sampled, "line", sampled_json(&w->timeline));
    swe_json_set(&all, "sampled", sampled);
    return all;
}

static json_t *log_of(const prof_report_log *log)
{
    json_t *all = swe_json_object(prof_log_state_fields, log);
    const int64_t duration = log->samples[log->count - 1].time;
    swe_json_set(&all, "duration_ns", json_integer(duration));
    swe_json_set(&all, "line", samples_json(log->samples, log->count));
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
    swe_json_set(&all, "gpu", gpu_of(w));
    swe_json_set(&all, "memory_line", memory_json(&w->timeline));
    swe_json_set(&all, "gaps", gaps_json(&w->timeline));
    swe_json_set(&all, "timeline", timeline_json(&w->timeline));
    return all;
}

json_t *prof_report_json(const prof_report *report)
{
    json_t *all = json_pack("{s:s, s:i}", "schema", "cubeswe-report", "schema_version", 2);
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
