/* The report as JSON (report.schema.json): tables name the members of its structures. */
#include "page/members.h"
#include "page/page.h"
#include "report/internal.h"
#include "report/measures.h"
#include "report/timeline_json.h"

static const char *const grades[] = {[PROF_GRADE_GOOD] = "good",
                                     [PROF_GRADE_WARNING] = "warning",
                                     [PROF_GRADE_BAD] = "bad",
                                     [PROF_GRADE_UNKNOWN] = "unknown"};
static const char *const bounds[] = {NULL, "memory", "compute", "latency"};

#define OF prof_spread
static const member spread[] = {IS(COUNT, "count", count),
                                IS(REAL, "total", total),
                                IS(REAL, "mean", mean),
                                IS(REAL, "median", median),
                                IS(REAL, "lower_quartile", low),
                                IS(REAL, "upper_quartile", high),
                                IS(REAL, "min", min),
                                IS(REAL, "max", max),
                                IS(REAL, "deviation", deviation),
                                END};
#undef OF

#define OF prof_report_quantity
static const member quantity[] = {IS(COUNT, "count", count), IS(REAL, "mean", mean),
                                  IS(REAL, "min", min), IS(REAL, "max", max), END};
#undef OF

#define OF prof_report_device
static const member device[] = {IS(TEXT, "name", name),
                                IS(FLAG, "is_gpu", is_gpu),
                                IS(COUNT, "threads", threads),
                                IS(TEXT, "compute_capability", compute_capability),
                                IS(COUNT, "multiprocessors", multiprocessors),
                                IS(REAL, "clock_hz", clock),
                                IS(REAL, "memory_bandwidth_bytes_per_s", memory_bandwidth),
                                IS(REAL, "memory_bytes", memory_size),
                                IS(REAL, "peak_fp64_flops", peak_flops),
                                END};
#undef OF

#define OF prof_report_peaks
static const member peaks[] = {IS(REAL, "bandwidth_bytes_per_s", bandwidth),
                               IS(REAL, "fp64_flops_per_s", flops),
                               IS(FLAG, "bandwidth_is_measured", bandwidth_is_measured),
                               IS(FLAG, "flops_are_measured", flops_are_measured),
                               IS(REAL, "ridge", ridge),
                               END};
#undef OF

#define OF prof_report_phase
static const member phase[] = {IS(TEXT, "name", name), IS(REAL, "total_ns", total),
                               IS(COUNT, "count", count), IS(REAL, "share", share), END};
#undef OF

#define OF prof_report_step
static const member step[] = {IS(COUNT, "step", step), IS(REAL, "host_ns", host),
                              IS(REAL, "gpu_ns", gpu), IS(COUNT, "gpu_ops", gpu_ops), END};
#undef OF

#define OF prof_report_buffer
static const member buffer[] = {IS(TEXT, "name", name), IS(REAL, "bytes", bytes),
                                IS(FLAG, "writes", writes), END};
#undef OF

#define OF prof_report_stage
static const member stage[] = {IS(TEXT, "name", name),
                               IS(REAL, "calls_per_step", calls_per_step),
                               IF("host_ns", host, spread),
                               IF("gpu_ns", gpu, spread),
                               IS(REAL, "total_ns", total),
                               IS(REAL, "share", share),
                               IS(REAL, "call_ns", call),
                               IS(REAL, "read_bytes", read_bytes),
                               IS(REAL, "written_bytes", written_bytes),
                               IS(REAL, "bytes", bytes),
                               IS(REAL, "flops", flops),
                               ALL(LIST, "buffers", buffers, buffer_count, buffer),
                               IS(REAL, "bandwidth_bytes_per_s", bandwidth),
                               IS(REAL, "flops_per_s", flop_rate),
                               IS(REAL, "intensity", intensity),
                               ONE_OF(bounds, "bound", bound),
                               IS(REAL, "attainable_flops_per_s", attainable),
                               IS(REAL, "fraction", fraction),
                               END};
#undef OF

#define OF prof_report_kernel
static const member kernel[] = {IS(TEXT, "name", name),
                                IS(TEXT, "stage", stage),
                                IF("time_ns", time, spread),
                                IS(REAL, "share", share),
                                IS(SIZES, "grid", grid),
                                IS(SIZES, "block", block),
                                IS(COUNT, "registers", registers),
                                IS(COUNT, "static_shared_bytes", static_shared),
                                IS(COUNT, "dynamic_shared_bytes", dynamic_shared),
                                IS(COUNT, "local_bytes", local),
                                IS(REAL, "occupancy_percent", occupancy),
                                END};
#undef OF

#define OF prof_report_copy
static const member copy[] = {IS(TEXT, "operation", operation), IF("time_ns", time, spread),
                              IF("bytes", bytes, spread),
                              IS(REAL, "bandwidth_bytes_per_s", bandwidth), END};
#undef OF

#define OF prof_report_call
static const member call[] = {IS(TEXT, "name", name), IS(TEXT, "kind", kind),
                              IF("time_ns", time, spread), IS(COUNT, "failed", failed), END};
#undef OF

#define OF                           prof_report_thread
#define COUNTER(name, unit, meaning) IS(COUNT, #name, counters[PROF_COUNTER_##name]),
static const member thread[] = {IS(TEXT, "stage", stage),
                                IS(TEXT, "thread", thread),
                                IS(COUNT, "thread_id", id),
                                IF("time_ns", time, spread),
                                IS(REAL, "share_of_stage", share_of_stage),
                                IS(REAL, "imbalance", imbalance),
                                PROF_COUNTER_LIST(COUNTER)
                                    IS(REAL, "instructions_per_cycle", instructions_per_cycle),
                                END};
#undef COUNTER
#undef OF

#define OF prof_report_use
static const member use[] = {IS(REAL, "bytes", bytes), IS(COUNT, "blocks", blocks), END};
#undef OF

#define OF prof_report_site
static const member site[] = {IS(TEXT, "label", label),
                              IS(TEXT, "function", function),
                              IS(TEXT, "file", file),
                              IS(COUNT, "line", line),
                              IN("before", before, use),
                              IN("after", after, use),
                              END};
#undef OF

#define OF prof_report_memory
static const member memory[] = {IS(REAL, "before_bytes", before),
                                IS(REAL, "after_bytes", after),
                                IS(REAL, "peak_bytes", peak),
                                IN("allocated", allocated, use),
                                IN("released", released, use),
                                IN("untracked", untracked, use),
                                ALL(LIST, "sites", sites, site_count, site),
                                END};
#undef OF

#define OF                                  prof_report_gpu
#define SAMPLED(name, title, unit, meaning) IF(#name, sampled[PROF_SAMPLED_##name], quantity),
static const member gpu[] = {IS(COUNT, "ops", ops),
                             IS(REAL, "busy_ns", busy),
                             IS(REAL, "idle_share", idle_share),
                             IF("launch_latency_ns", launch_latency, spread),
                             IF("queue_ns", queue, spread),
                             END};
static const member gpu_sampled[] = {PROF_SAMPLED_LIST(SAMPLED) END};
#undef SAMPLED
/* Members that gpu and log share by name. */
#define STATE                                                                                      \
    IF("sm_percent", sm, quantity), IF("memory_percent", memory, quantity),                        \
        IF("memory_used_bytes", memory_used, quantity), IF("sm_clock_mhz", sm_clock, quantity),    \
        IF("memory_clock_mhz", memory_clock, quantity), IF("power_watts", power, quantity),        \
        IF("temperature_celsius", temperature, quantity)
static const member gpu_state[] = {STATE, END};
#undef OF

#define OF prof_report_log
static const member log_state[] = {IS(REAL, "start_ns", start), IS(COUNT, "count", count), STATE,
                                   END};
#undef OF

#define OF prof_cost_check
static const member pair[] = {IS(REAL, "formula", formula), IS(REAL, "counted", counted),
                              IS(REAL, "ratio", ratio), END};
#undef OF

#define OF prof_report_launches
static const member launches[] = {IS(TEXT, "kernel", kernel), IS(COUNT, "launches", launches), END};
#undef OF

#define OF prof_stage_counters
static const member counted[] = {IS(TEXT, "stage", stage),
                                 IS(COUNT, "calls", calls),
                                 ALL(LIST, "kernels", kernels, kernel_count, launches),
                                 IS(REAL, "time_ns", time),
                                 IS(REAL, "read_bytes", read_bytes),
                                 IS(REAL, "written_bytes", written_bytes),
                                 IS(REAL, "l2_bytes", l2_bytes),
                                 IS(REAL, "l1_bytes", l1_bytes),
                                 IN("bytes", bytes, pair),
                                 IN("flops", flops, pair),
                                 IS(REAL, "intensity", intensity),
                                 IS(REAL, "flops_per_s", flop_rate),
                                 IS(REAL, "bandwidth_bytes_per_s", bandwidth),
                                 ONE_OF(bounds, "bound", bound),
                                 IS(REAL, "fraction", fraction),
                                 END};
#undef OF

#define OF prof_report_counters
static const member counters[] = {IS(TEXT, "chip", chip), IS(COUNT, "passes", passes),
                                  IS(COUNT, "first_step", first_step),
                                  ALL(LIST, "stages", stages, stage_count, counted), END};
#undef OF

#define OF prof_drops
static const member drops[] = {IS(COUNT, "spans", spans),     IS(COUNT, "ops", ops),
                               IS(COUNT, "records", records), IS(COUNT, "rejected", rejected),
                               IS(COUNT, "unknown", unknown), END};
#undef OF

#define OF prof_indicator
static const member indicator[] = {IS(TEXT, "name", name),
                                   IS(REAL, "value", value),
                                   IS(TEXT, "unit", unit),
                                   ONE_OF(grades, "grade", grade),
                                   IS(TEXT, "good", good),
                                   IS(TEXT, "warning", warning),
                                   IS(TEXT, "bad", bad),
                                   IS(TEXT, "meaning", meaning),
                                   IS(TEXT, "why_unknown", why_unknown),
                                   END};
#undef OF

#define OF prof_finding
static const member finding[] = {
    IS(TEXT, "pattern", pattern),   ONE_OF(grades, "severity", severity),
    IS(TEXT, "evidence", evidence), IS(TEXT, "cause", cause),
    IS(TEXT, "advice", advice),     END};
#undef OF

#define OF prof_check
static const member check[] = {IS(TEXT, "group", group), IS(TEXT, "question", question),
                               IS(TEXT, "answer", answer), ONE_OF(grades, "grade", grade), END};
#undef OF

#define OF prof_report_window
/* Members of every window, and the further ones of the window that is shown in full. */
#define OUTLINE                                                                                    \
    IS(TEXT, "folder", folder), IS(TEXT, "date", date), IS(TEXT, "mode", mode),                    \
        IS(COUNT, "first_step", first_step), IS(COUNT, "steps", steps),                            \
        IS(REAL, "start_ns", start), IS(REAL, "duration_ns", duration), IS(REAL, "step_ns", step), \
        IF("step_host_ns", step_host, spread), IF("step_gpu_ns", step_gpu, spread)
static const member outline[] = {OUTLINE, END};
static const member window_members[] = {
    OUTLINE,
    IS(FLAG, "has_gpu", has_gpu),
    IS(REAL, "other_share", other_share),
    ALL(LONG_LIST, "each", each, step_count, step),
    ALL(LIST, "phases", phases, phase_count, phase),
    ALL(LIST, "stages", stages, stage_count, stage),
    ALL(LIST, "threads", threads, thread_count, thread),
    ALL(LIST, "kernels", kernels, kernel_count, kernel),
    ALL(LIST, "copies", copies, copy_count, copy),
    ALL(LIST, "calls", calls, call_count, call),
    ALL(TEXTS, "warnings", warnings, warning_count, NULL),
    IN("memory", memory, memory),
    IN("counters", counters, counters),
    IN("ceilings", peaks, peaks),
    IN("drops", drops, drops),
    ALL(LIST, "indicators", indicators, indicator_count, indicator),
    ALL(LIST, "findings", findings, finding_count, finding),
    ALL(LIST, "checks", checks, check_count, check),
    END};
#undef OF

#define OF prof_report_fact
static const member fact[] = {IS(TEXT, "name", name), IS(TEXT, "text", text), END};
#undef OF

#define OF prof_report
static const member report_members[] = {IS(TEXT, "directory", directory),
                                        IS(TEXT, "case", case_name),
                                        IS(TEXT, "version", version),
                                        IS(TEXT, "build", build),
                                        IS(TEXT, "host", host),
                                        IS(TEXT, "closure", closure),
                                        IS(TEXT, "precision", precision),
                                        IS(TEXT, "date", date),
                                        IS(TEXT, "backend", backend),
                                        IS(COUNT, "process", process),
                                        IS(COUNT, "n", n),
                                        IS(COUNT, "order", order),
                                        IS(COUNT, "run_steps", run_steps),
                                        IS(REAL, "unknowns", unknowns),
                                        IS(REAL, "dt_s", dt),
                                        IN("device", device, device),
                                        ALL(LIST, "facts", facts, fact_count, fact),
                                        ALL(LIST, "windows", windows, window_count, outline),
                                        END};
#undef OF

/* Counters over time: their statistics, and as a line. */
static json_t *sampled_of(const prof_report_window *w)
{
    json_t *all = prof_json_object(gpu_sampled, &w->gpu);
    prof_json_set(&all, "count", json_integer(w->timeline.sampled_count));
    prof_json_set(&all, "line", sampled_json(&w->timeline));
    return all;
}

static json_t *gpu_of(const prof_report_window *w)
{
    json_t *all = w->has_gpu ? prof_json_object(gpu, &w->gpu) : json_object();
    json_t *state = prof_json_object(gpu_state, &w->gpu);
    prof_json_set(&state, "count", json_integer(w->timeline.sample_count));
    prof_json_set(&state, "line", samples_json(w->timeline.samples, w->timeline.sample_count));
    prof_json_set(&all, "state", state);
    prof_json_set(&all, "sampled", sampled_of(w));
    return all;
}

static json_t *log_of(const prof_report_log *log)
{
    json_t *all = prof_json_object(log_state, log);
    const int64_t duration = log->samples[log->count - 1].time;
    prof_json_set(&all, "duration_ns", json_integer(duration));
    prof_json_set(&all, "line", samples_json(log->samples, log->count));
    return all;
}

static json_t *shown_window(const prof_report *report, const prof_report_window *w)
{
    char verdict[COUNTERS_VERDICT_SIZE] = "";
    if (w->counters.stage_count > 0)
        counters_verdict(w, verdict);
    json_t *all = prof_json_object(window_members, w);
    prof_json_set(
        &all, "counters_verdict",
        prof_json_text(w->counters.stage_count > 0 ? verdict : counters_missing_reason(report, w)));
    prof_json_set(&all, "bandwidth_bytes_per_s", prof_json_real(measure_byte_rate(w)));
    prof_json_set(&all, "bandwidth_share", prof_json_real(measure_bandwidth(w)));
    prof_json_set(&all, "gpu", gpu_of(w));
    prof_json_set(&all, "memory_line", memory_json(&w->timeline));
    prof_json_set(&all, "gaps", gaps_json(&w->timeline));
    prof_json_set(&all, "timeline", timeline_json(&w->timeline));
    return all;
}

json_t *prof_report_json(const prof_report *report)
{
    json_t *all = json_pack("{s:s, s:i}", "schema", "cubeswe-report", "schema_version", 1);
    json_t *members = prof_json_object(report_members, report);
    prof_json_set(&members, "shown", json_integer(report->shown));
    prof_json_set(&members, "log", report->log.count > 0 ? log_of(&report->log) : json_null());
    prof_json_set(&members, "window", shown_window(report, &report->windows[report->shown]));
    if (all == NULL || members == NULL || json_object_update(all, members) != 0) {
        json_decref(all);
        all = NULL;
    }
    json_decref(members);
    return all;
}

bool prof_report_write(const prof_report *report, const char *path, prof_log *log)
{
    json_t *document = prof_report_json(report);
    const bool written =
        prof_page_write(path, document, log) && prof_page_write_document(path, document, log);
    json_decref(document);
    return written;
}
