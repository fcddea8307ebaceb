#include "window/fields.h"
#include "window/rows.h"

static const char *const grades[] = {"good", "warning", "bad", "unknown"};
static const char *const bounds[] = {NULL, "memory", "compute", "latency"};

const char *prof_grade_name(prof_grade grade)
{
    return grades[grade];
}

#define OF prof_spread
#define STATISTICS(type)                                                                           \
    IS(COUNT, "count", count), WHOLE(type, "total", total), WHOLE(type, "mean", mean),             \
        WHOLE(type, "median", median), WHOLE(type, "lower_quartile", low),                         \
        WHOLE(type, "upper_quartile", high), WHOLE(type, "min", min), WHOLE(type, "max", max),     \
        WHOLE(type, "deviation", deviation), FIELD_END
static const field spread[] = {STATISTICS(NUMBER)};
static const field delays[] = {STATISTICS(SIGNED)};
#undef OF

#define OF prof_report_quantity
static const field quantity[] = {IS(COUNT, "count", count), IS(SIGNED, "mean", mean),
                                 IS(SIGNED, "min", min), IS(SIGNED, "max", max), FIELD_END};
#undef OF

#define OF prof_device_info
static const field device[] = {IS(TEXT, "name", name),
                               NOTED(TEXT, "vendor", vendor),
                               IS(FLAG, "is_gpu", is_gpu),
                               NOTED(INTEGER, "index", index),
                               IS(NATURAL, "threads", threads),
                               IS(TEXT, "compute_capability", compute_capability),
                               IS(NATURAL, "multiprocessors", multiprocessors),
                               NOTED(NATURAL, "warps_per_multiprocessor", warps_per_multiprocessor),
                               IS(POSITIVE, "clock_hz", clock),
                               IS(POSITIVE, "memory_bandwidth_bytes_per_s", memory_bandwidth),
                               IS(POSITIVE, "memory_bytes", memory_size),
                               IS(POSITIVE, "peak_fp64_flops", peak_flops),
                               FIELD_END};
#undef OF

#define OF prof_cache
static const field cache[] = {IS(TEXT, "name", name), IS(NUMBER, "bytes", bytes),
                              IS(POSITIVE, "bandwidth_bytes_per_s", bandwidth), FIELD_END};
#undef OF

#define OF prof_report_peaks
const field prof_peaks_fields[] = {
    IS(POSITIVE, "copy_bandwidth_bytes_per_s", bandwidth), IS(POSITIVE, "fp64_flops_per_s", fp64),
    IS(POSITIVE, "fp32_flops_per_s", fp32), LIST(cache, "caches", caches, cache_count), FIELD_END};
static const field peaks[] = {IS(KNOWN, "bandwidth_bytes_per_s", bandwidth),
                              IS(KNOWN, "flops_per_s", flops),
                              IS(TEXT, "flops_of", flops_of),
                              LIST(cache, "caches", caches, cache_count),
                              IS(FLAG, "bandwidth_is_measured", bandwidth_is_measured),
                              IS(FLAG, "flops_are_measured", flops_are_measured),
                              IS(DERIVED, "ridge", ridge),
                              FIELD_END};
#undef OF

#define OF prof_phase_time
const field prof_phase_fields[] = {IS(TEXT, "name", name), WHOLE(NUMBER, "total_ns", total),
                                   IS(COUNT, "count", count), IS(DERIVED, "share", share),
                                   FIELD_END};
#undef OF

#define OF prof_report_step
static const field step[] = {IS(COUNT, "step", step), WHOLE(KNOWN, "host_ns", host),
                             WHOLE(KNOWN, "gpu_ns", gpu), IS(COUNT, "gpu_ops", gpu_ops), FIELD_END};
#undef OF

#define OF prof_report_region
static const field region[] = {IS(STAGE, "name", name),
                               IS(TEXT, "kind", kind),
                               IF(spread, "host_ns", host),
                               IS(KNOWN, "share_of_steps", share),
                               IF(spread, "gpu_ns", gpu),
                               IS(COUNT, "gpu_ops", gpu_ops),
                               FIELD_END};
#undef OF

#define OF prof_gpu_time
static const field gpu_time[] = {IS(STAGE, "stage", stage), IF(spread, "time_ns", time),
                                 IF(spread, "calls_ns", calls), FIELD_END};
#undef OF

#define OF prof_report_buffer
static const field buffer[] = {IS(ARRAY, "name", name), IS(DERIVED, "bytes", bytes),
                               IS(FLAG, "writes", writes), FIELD_END};
static const field access[] = {IS(TEXT, "name", name), IS(NUMBER, "bytes", bytes),
                               IS(TEXT, "access", access), FIELD_END};
#undef OF

#define OF prof_report_cost
static const field cost[] = {IS(STAGE, "stage", stage),
                             IS(NUMBER, "flops", flops),
                             IS(NUMBER, "read_bytes", read_bytes),
                             IS(NUMBER, "written_bytes", written_bytes),
                             IS(POSITIVE, "reach_bytes", reach),
                             LIST(access, "buffers", buffers, buffer_count),
                             FIELD_END};
#undef OF

#define OF prof_report_stage
static const field stage[] = {IS(TEXT, "name", name),
                              IS(DERIVED, "calls_per_step", calls_per_step),
                              IF(spread, "host_ns", host),
                              IF(spread, "gpu_ns", gpu),
                              IF(spread, "calls_ns", calls),
                              IS(DERIVED, "total_ns", total),
                              IS(DERIVED, "share", share),
                              IS(DERIVED, "call_ns", call),
                              IS(DERIVED, "read_bytes", read_bytes),
                              IS(DERIVED, "written_bytes", written_bytes),
                              IS(DERIVED, "bytes", bytes),
                              IS(DERIVED, "flops", flops),
                              IS(DERIVED, "reach_bytes", reach),
                              LIST(buffer, "buffers", buffers, buffer_count),
                              IS(TEXT, "served_by", served_by),
                              IS(DERIVED, "serving_bytes_per_s", serving),
                              IS(DERIVED, "bandwidth_bytes_per_s", bandwidth),
                              IS(DERIVED, "flops_per_s", flop_rate),
                              IS(DERIVED, "intensity", intensity),
                              ONE_OF(bounds, "bound", bound),
                              IS(DERIVED, "attainable_flops_per_s", attainable),
                              IS(DERIVED, "fraction", fraction),
                              FIELD_END};
#undef OF

#define OF prof_report_kernel
static const field kernel[] = {IS(TEXT, "name", name),
                               IS(STAGE, "stage", stage),
                               IF(spread, "time_ns", time),
                               IS(DERIVED, "share", share),
                               IS(SIZES, "grid", grid),
                               IS(SIZES, "block", block),
                               IS(INTEGER, "registers", registers),
                               IS(INTEGER, "static_shared_bytes", static_shared),
                               IS(INTEGER, "dynamic_shared_bytes", dynamic_shared),
                               IS(INTEGER, "local_bytes", local),
                               IS(AMOUNT, "occupancy_percent", occupancy),
                               FIELD_END};
#undef OF

#define OF prof_report_copy
static const field copy[] = {IS(TEXT, "operation", operation), IF(spread, "time_ns", time),
                             IF(spread, "bytes", bytes),
                             IS(DERIVED, "bandwidth_bytes_per_s", bandwidth), FIELD_END};
#undef OF

#define OF prof_report_call
static const field call[] = {IS(TEXT, "name", name), IS(TEXT, "kind", kind),
                             IF(spread, "time_ns", time), IS(COUNT, "failed", failed), FIELD_END};
#undef OF

#define OF                           prof_report_thread
#define COUNTER(name, unit, meaning) IS(INTEGER, #name, counters[PROF_COUNTER_##name]),
static const field thread_counters[] = {PROF_COUNTER_LIST(COUNTER) FIELD_END};
static const field thread[] = {IS(STAGE, "stage", stage),
                               IS(TEXT, "thread", thread),
                               IS(INTEGER, "thread_id", id),
                               IF(spread, "time_ns", time),
                               IS(KNOWN, "share_of_stage", share_of_stage),
                               IS(NUMBER, "imbalance", imbalance),
                               PART(thread_counters, "counters"),
                               IS(POSITIVE, "instructions_per_cycle", instructions_per_cycle),
                               FIELD_END};
#undef COUNTER
#undef OF

#define OF prof_report_use
static const field use[] = {WHOLE(NUMBER, "bytes", bytes), IS(COUNT, "blocks", blocks), FIELD_END};
#undef OF

#define OF prof_report_site
static const field site[] = {IS(ARRAY, "label", label),
                             IS(TEXT, "function", function),
                             IS(TEXT, "file", file),
                             IS(INTEGER, "line", line),
                             IN(use, "before", before),
                             IN(use, "after", after),
                             FIELD_END};
#undef OF

#define OF prof_report_memory
static const field opening[] = {WHOLE(NUMBER, "in_use_bytes", before),
                                NOTED(NUMBER, "peak_bytes", peak_before),
                                NOTED(COUNT, "blocks", blocks_before), FIELD_END};
static const field closing[] = {WHOLE(NUMBER, "in_use_bytes", after),
                                WHOLE(NUMBER, "peak_bytes", peak),
                                NOTED(COUNT, "blocks", blocks_after), FIELD_END};
#define USES                                                                                       \
    IN(use, "allocated", allocated), IN(use, "released", released),                                \
        IN(use, "untracked", untracked), LIST(site, "sites", sites, site_count), FIELD_END
static const field memory_of_window[] = {PART(opening, "before"), PART(closing, "after"), USES};
static const field memory[] = {IS(DERIVED, "before_bytes", before),
                               IS(DERIVED, "after_bytes", after), IS(DERIVED, "peak_bytes", peak),
                               USES};
#undef OF

#define OF                                  prof_report_sampled
#define SAMPLED(name, title, unit, meaning) IF(quantity, #name, value[PROF_SAMPLED_##name]),
const field prof_sampled_fields[] = {NOTED(TEXT, "chip", chip), NOTED(COUNT, "period_ns", period),
                                     NOTED(COUNT, "count", count),
                                     PROF_SAMPLED_LIST(SAMPLED) FIELD_END};
#undef OF

/* Members that gpu and log share by name. */
#define STATE(key, name, title, unit) IF(quantity, #key, name),
#define OF                            prof_report_gpu
#define USE                                                                                        \
    IS(COUNT, "ops", ops), WHOLE(NUMBER, "busy_ns", busy), IS(KNOWN, "idle_share", idle_share),    \
        IF(delays, "launch_latency_ns", launch_latency), IF(spread, "queue_ns", queue)
const field prof_gpu_fields[] = {USE, FIELD_END};
const field prof_gpu_state_fields[] = {PROF_STATE_LIST(STATE) FIELD_END};
static const field gpu[] = {USE, PART(prof_gpu_state_fields, "samples"),
                            OPTIONAL(prof_sampled_fields, "sampled", sampled, sampled.is_known),
                            FIELD_END};
#undef OF

#define OF prof_report_log
const field prof_log_state_fields[] = {IS(DERIVED, "start_ns", start), IS(COUNT, "count", count),
                                       PROF_STATE_LIST(STATE) FIELD_END};
#undef OF

#define OF prof_cost_check
static const field pair[] = {IS(DERIVED, "formula", formula), IS(DERIVED, "counted", counted),
                             IS(DERIVED, "ratio", ratio), FIELD_END};
#undef OF

#define OF prof_counted_kernel
static const field counted_kernel[] = {IS(TEXT, "name", name), IS(COUNT, "launches", launches),
                                       FIELD_END};
static const field launches[] = {IS(TEXT, "kernel", name), IS(COUNT, "launches", launches),
                                 FIELD_END};
#undef OF

#define OF prof_stage_counters
static const field counted[] = {IS(STAGE, "stage", stage),
                                IS(COUNT, "calls", calls),
                                LIST(launches, "kernels", kernels, kernel_count),
                                IS(DERIVED, "time_ns", time),
                                IS(DERIVED, "read_bytes", read_bytes),
                                IS(DERIVED, "written_bytes", written_bytes),
                                IS(DERIVED, "l2_bytes", l2_bytes),
                                IS(DERIVED, "l1_bytes", l1_bytes),
                                IN(pair, "bytes", bytes),
                                IN(pair, "flops", flops),
                                IS(DERIVED, "intensity", intensity),
                                IS(DERIVED, "flops_per_s", flop_rate),
                                IS(DERIVED, "bandwidth_bytes_per_s", bandwidth),
                                ONE_OF(bounds, "bound", bound),
                                IS(DERIVED, "fraction", fraction),
                                FIELD_END};
#undef OF

#define OF                               prof_counted_row
#define METRIC(name, cupti, unit, means) IS(AMOUNT, #name, sums.value[PROF_METRIC_##name]),
static const field counted_row[] = {IS(STAGE, "stage", sums.stage), IS(COUNT, "calls", sums.calls),
                                    LIST(counted_kernel, "kernels", kernels, kernel_count),
                                    PROF_METRIC_LIST(METRIC) IS(AMOUNT, "fp64_flops", flops),
                                    FIELD_END};
#undef METRIC
#undef OF

#define OF prof_report_counters
#define COUNTED                                                                                    \
    IS(TEXT, "chip", chip), IS(COUNT, "passes", passes), IS(COUNT, "first_step", first_step)
static const field counters_of_rows[] = {COUNTED, LIST(counted_row, "stages", rows, row_count),
                                         FIELD_END};
static const field counters[] = {COUNTED, LIST(counted, "stages", stages, stage_count), FIELD_END};
#undef OF

#define OF prof_report_part
static const field part[] = {IS(STAGE, "stage", stage),           IS(TEXT, "part", name),
                             IS(COUNT, "samples", samples),       WHOLE(NUMBER, "time_ns", time),
                             IS(NUMBER, "share_of_stage", share), FIELD_END};
#undef OF

#define OF prof_drops
const field prof_drops_fields[] = {IS(COUNT, "spans", spans),     IS(COUNT, "ops", ops),
                                   IS(COUNT, "records", records), IS(COUNT, "rejected", rejected),
                                   IS(COUNT, "unknown", unknown), FIELD_END};
#undef OF

#define OF prof_tracing
const field prof_tracing_fields[] = {IS(TEXT, "launch", launch),
                                     IS(COUNT, "launched_steps", launched_steps),
                                     IS(POSITIVE, "untraced_step_ns", untraced),
                                     IS(COUNT, "untraced_strides", untraced_strides),
                                     IS(POSITIVE, "traced_step_ns", traced),
                                     IS(POSITIVE, "ratio", ratio),
                                     IS(POSITIVE, "later_step_ns", later),
                                     IS(KNOWN, "core_wait_share", waited),
                                     IS(COUNT, "discarded_steps", discarded_steps),
                                     IS(COUNT, "early_ops", early_ops),
                                     WHOLE(KNOWN, "clock_difference_ns", clock_difference),
                                     FIELD_END};
#undef OF

#define OF prof_over_ranks
static const field over_ranks[] = {IS(SIGNED, "least", least), IS(SIGNED, "median", median),
                                   IS(SIGNED, "greatest", greatest), FIELD_END};
#undef OF

#define OF prof_rank
static const field rank[] = {IS(COUNT, "rank", rank),
                             IS(TEXT, "host", host),
                             IS(INTEGER, "process", process),
                             IS(TEXT, "device", device),
                             IS(NATURAL, "threads", threads),
                             IS(NUMBER, "share", share),
                             WHOLE(SIGNED, "clock_difference_ns", clock_difference),
                             WHOLE(NUMBER, "clock_uncertainty_ns", clock_uncertainty),
                             IS(POSITIVE, "step_ns", step),
                             IS(POSITIVE, "work_ns", work),
                             IS(KNOWN, "exposed_ns", exposed),
                             IS(NUMBER, "messages", messages),
                             IS(NUMBER, "received_bytes", received),
                             IS(NUMBER, "sent_bytes", sent),
                             WHOLE(NUMBER, "memory_peak_bytes", memory_peak),
                             IS(COUNT, "dropped", dropped),
                             FIELD_END};
#undef OF

#define OF prof_report_rank_stage
static const field rank_stage[] = {IS(STAGE, "stage", stage),
                                   IF(over_ranks, "time_ns", time),
                                   IF(over_ranks, "work_ns", work),
                                   IF(over_ranks, "exposed_ns", exposed),
                                   IS(KNOWN, "rank_0_exposed_ns", rank_0_exposed),
                                   IS(POSITIVE, "imbalance", imbalance),
                                   IS(INTEGER, "slowest", slowest),
                                   IS(NUMBER, "exchanges", exchanges),
                                   IS(NUMBER, "messages", messages),
                                   IS(NUMBER, "received_bytes", received),
                                   FIELD_END};
#undef OF

#define OF prof_report_ranks
const field prof_ranks_fields[] = {IS(COUNT, "count", count),
                                   IS(COUNT, "traced", traced),
                                   IF(over_ranks, "step_ns", step),
                                   IS(POSITIVE, "imbalance", imbalance),
                                   IS(KNOWN, "exposed_share", exposed_share),
                                   LIST(rank, "each", each, each_count),
                                   LIST(rank_stage, "stages", stages, stage_count),
                                   FIELD_END};
#undef OF

#define OF prof_indicator
static const field indicator[] = {IS(TEXT, "name", name),
                                  IS(DERIVED, "value", value),
                                  IS(TEXT, "unit", unit),
                                  ONE_OF(grades, "grade", grade),
                                  IS(TEXT, "good", good),
                                  IS(TEXT, "warning", warning),
                                  IS(TEXT, "bad", bad),
                                  IS(TEXT, "meaning", meaning),
                                  IS(TEXT, "why_unknown", why_unknown),
                                  FIELD_END};
#undef OF

#define OF prof_finding
static const field finding[] = {
    IS(TEXT, "pattern", pattern),   ONE_OF(grades, "severity", severity),
    IS(TEXT, "evidence", evidence), IS(TEXT, "cause", cause),
    IS(TEXT, "advice", advice),     FIELD_END};
#undef OF

#define OF prof_check
static const field check[] = {IS(TEXT, "group", group), IS(TEXT, "question", question),
                              IS(TEXT, "answer", answer), ONE_OF(grades, "grade", grade),
                              FIELD_END};
#undef OF

#define OF prof_report_window
/* Members of every window, and the further ones of the window that is shown in full. */
#define OUTLINE                                                                                    \
    IS(TEXT, "folder", folder), IS(TEXT, "date", date), IS(TEXT, "mode", mode),                    \
        IS(COUNT, "first_step", first_step), IS(COUNT, "steps", steps),                            \
        IS(MOMENT, "start_ns", start), IS(DERIVED, "duration_ns", duration),                       \
        IS(DERIVED, "step_ns", step), IF(spread, "step_host_ns", step_host),                       \
        IF(spread, "step_gpu_ns", step_gpu)
static const field outline[] = {OUTLINE, FIELD_END};
const field prof_window_fields[] = {OUTLINE,
                                    IS(FLAG, "has_gpu", has_gpu),
                                    IS(DERIVED, "other_share", other_share),
                                    LIST(step, "each", each, step_count),
                                    LIST(stage, "stages", stages, stage_count),
                                    LIST(prof_phase_fields, "phases", phases, phase_count),
                                    LIST(thread, "threads", threads, thread_count),
                                    LIST(part, "parts", parts, part_count),
                                    LIST(kernel, "kernels", kernels, kernel_count),
                                    LIST(copy, "copies", copies, copy_count),
                                    LIST(call, "calls", calls, call_count),
                                    MANY(TEXTS, NULL, "warnings", warnings, warning_count),
                                    IN(prof_tracing_fields, "tracing", tracing),
                                    IN(prof_drops_fields, "drops", drops),
                                    IN(memory, "memory", memory),
                                    IN(counters, "counters", counters),
                                    IN(peaks, "ceilings", peaks),
                                    LIST(indicator, "indicators", indicators, indicator_count),
                                    LIST(finding, "findings", findings, finding_count),
                                    LIST(check, "checks", checks, check_count),
                                    FIELD_END};
#undef OF

#define OF prof_report_fact
static const field fact[] = {IS(TEXT, "name", name), IS(TEXT, "text", text), FIELD_END};
#undef OF

#define OF prof_report
const field prof_report_fields[] = {IS(TEXT, "directory", directory),
                                    IS(TEXT, "case", case_name),
                                    IS(TEXT, "version", version),
                                    IS(TEXT, "host", host),
                                    IS(COUNT, "process", process),
                                    IN(device, "device", device),
                                    IS(TEXT, "build", build),
                                    IS(TEXT, "closure", closure),
                                    IS(TEXT, "precision", precision),
                                    IS(TEXT, "date", date),
                                    IS(TEXT, "backend", backend),
                                    IS(COUNT, "n", n),
                                    IS(COUNT, "order", order),
                                    IS(COUNT, "run_steps", run_steps),
                                    IS(DERIVED, "unknowns", unknowns),
                                    IS(DERIVED, "dt_s", dt),
                                    LIST(fact, "facts", facts, fact_count),
                                    LIST(outline, "windows", windows, window_count),
                                    FIELD_END};
#undef OF

#define OF                               prof_summary
#define LISTED(table, key, name, number) LIST(table, key, window.name, window.number)
static const field times[] = {
    IS(COUNT, "first_step", window.first_step), IS(COUNT, "steps", window.steps),
    IS(MOMENT, "start_ns", window.start), IS(NUMBER, "seconds", window.duration), FIELD_END};
static const field steps[] = {IF(spread, "host_ns", window.step_host),
                              IF(spread, "gpu_ns", window.step_gpu),
                              LISTED(step, "each", each, step_count), FIELD_END};
static const field facts[] = {FIELD_END}; /* their names are not fixed */
const field prof_summary_fields[] = {
    IS(TEXT, "case", run.case_name),
    IS(TEXT, "version", run.version),
    IS(TEXT, "host", run.host),
    IS(COUNT, "process", run.process),
    IS(TEXT, "mode", window.mode),
    PART(facts, "run"),
    PART(times, "window"),
    IN(prof_tracing_fields, "tracing", window.tracing),
    IN(device, "device", run.device),
    LISTED(prof_phase_fields, "phases", phases, phase_count),
    PART(steps, "steps"),
    LISTED(region, "regions", regions, region_count),
    LISTED(gpu_time, "stages", gpu_times, gpu_time_count),
    LISTED(kernel, "kernels", kernels, kernel_count),
    LISTED(copy, "copies", copies, copy_count),
    LISTED(call, "calls", calls, call_count),
    OPTIONAL(gpu, "gpu", window.gpu, window.has_gpu),
    LISTED(thread, "threads", threads, thread_count),
    LISTED(part, "parts", parts, part_count),
    IN(memory_of_window, "memory", window.memory),
    LISTED(cost, "costs", costs, cost_count),
    IN(prof_peaks_fields, "ceilings", window.peaks),
    OPTIONAL(counters_of_rows, "counters", window.counters, window.counters.is_known),
    OPTIONAL(prof_ranks_fields, "ranks", window.ranks, window.ranks.is_known),
    IN(prof_drops_fields, "drops", window.drops),
    MANY(TEXTS, NULL, "warnings", window.warnings, window.warning_count),
    FIELD_END};
#undef OF
