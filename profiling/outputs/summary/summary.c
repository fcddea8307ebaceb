/* summary.json: the statistics of a window that report, roofline, diagnosis and comparison read.
 * summary.schema.json is the contract; an incompatible change raises schema_version. */
#include <stdlib.h>

#include "base/json.h"
#include "outputs/output.h"
#include "outputs/summary/internal.h"
#include "window/fields.h"

static const int schema_version = 1;

static json_t *identity_of(const prof_trace *trace)
{
    static const char *const modes[] = {"off", "trace", "summary", "nsys", "counters", "full"};
    return json_pack(
        "{s:s, s:i, s:o, s:o, s:o, s:i, s:s}", "schema", "cubeswe-profile", "schema_version",
        schema_version, "case", swe_json_text_or_null(trace->case_name), "version",
        swe_json_text_or_null(trace->version), "host", swe_json_text_or_null(trace->host),
        "process", trace->process, "mode", modes[trace->mode]);
}

static json_t *run_of(const prof_trace *trace)
{
    json_t *run = json_object();
    for (int32_t k = 0; k < trace->fact_count; k++) {
        const prof_fact *fact = &trace->facts[k];
        swe_json_set(&run, fact->name,
                     fact->text != NULL ? swe_json_text_or_null(fact->text)
                                        : swe_json_real(fact->number));
    }
    return run;
}

static json_t *window_of(const prof_trace *trace)
{
    return json_pack("{s:I, s:I, s:I, s:o}", "first_step", (json_int_t)trace->first_step, "steps",
                     (json_int_t)trace->steps, "start_ns", (json_int_t)trace->start, "seconds",
                     swe_json_real(1e-9 * (double)(trace->end - trace->start)));
}

static json_t *known_text(const char *text)
{
    return swe_json_text_or_null(text[0] != '\0' ? text : NULL);
}

static json_t *device_of(const prof_device_info *d)
{
    return json_pack(
        "{s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", known_text(d->name),
        "vendor", known_text(d->vendor), "is_gpu", d->is_gpu, "index",
        d->index >= 0 ? json_integer(d->index) : json_null(), "threads",
        swe_json_positive_integer(d->threads), "compute_capability",
        d->compute_major > 0 ? json_sprintf("%d.%d", d->compute_major, d->compute_minor)
                             : json_null(),
        "multiprocessors", swe_json_positive_integer(d->multiprocessors),
        "warps_per_multiprocessor", swe_json_positive_integer(d->warps_per_multiprocessor),
        "clock_hz", swe_json_positive(d->clock), "memory_bandwidth_bytes_per_s",
        swe_json_positive(d->memory_bandwidth), "memory_bytes", swe_json_positive(d->memory_size),
        "peak_fp64_flops", swe_json_positive(d->peak_flops));
}

static json_t *phases_of(const prof_trace *trace)
{
    json_t *all = json_array();
    for (int32_t k = 0; k < trace->phase_count; k++)
        swe_json_append(&all, swe_json_record(prof_phase_fields, &trace->phases[k]));
    return all;
}

static json_t *warnings_of(const prof_trace *trace)
{
    json_t *all = json_array();
    for (int32_t k = 0; k < trace->warning_count; k++)
        swe_json_append(&all, swe_json_text_or_null(trace->warnings[k]));
    return all;
}

/* The document; NULL: out of memory. */
static json_t *summary_of(const prof_trace *trace)
{
    prof_projection *projections = prof_project(trace);
    if (projections == NULL)
        return NULL;
    json_t *summary = identity_of(trace);
    swe_json_extend(
        &summary,
        json_pack(
            "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
            "s:o, s:o, s:o, s:o}",
            "run", run_of(trace), "window", window_of(trace), "tracing",
            swe_json_record(prof_tracing_fields, &trace->tracing), "device",
            device_of(&trace->device), "phases", phases_of(trace), "steps",
            summary_steps(trace, projections), "regions", summary_regions(trace, projections),
            "stages", summary_stages(trace, projections), "kernels", summary_kernels(trace),
            "copies", summary_copies(trace), "calls", summary_calls(trace), "gpu",
            summary_gpu(trace), "threads", summary_threads(trace), "parts", summary_parts(trace),
            "memory", summary_memory(trace), "costs", summary_costs(trace), "ceilings",
            prof_json_peaks(trace), "counters", summary_counters(trace), "ranks",
            summary_ranks(trace), "drops", swe_json_record(prof_drops_fields, &trace->drops),
            "warnings", warnings_of(trace)));
    free(projections);
    return summary;
}

bool prof_write_summary(const prof_trace *trace, const char *directory, swe_log *log)
{
    return prof_json_write(summary_of(trace), JSON_INDENT(1), directory, "summary.json", log);
}
