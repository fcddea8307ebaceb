/* summary.json: what later commands need of a window (report, roofline, diagnosis, comparison). Its
 * contract is summary.schema.json; a change that readers notice raises schema_version. */
#include <stdlib.h>

#include "outputs/output.h"
#include "outputs/summary/parts.h"
#include "outputs/summary/values.h"

static const char file_name[] = "summary.json";
static const int schema_version = 1;

static json_t *identity_of(const prof_trace *trace)
{
    static const char *const modes[] = {"off", "trace", "summary", "nsys", "counters"};
    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:i, s:s}", "schema", "cubeswe-profile",
                     "schema_version", schema_version, "case", summary_text(trace->case_name),
                     "version", summary_text(trace->version), "host", summary_text(trace->host),
                     "process", trace->process, "mode", modes[trace->mode]);
}

static json_t *run_of(const prof_trace *trace)
{
    json_t *run = json_object();
    for (int32_t k = 0; k < trace->fact_count; k++) {
        const prof_fact *fact = &trace->facts[k];
        json_t *value = fact->text != NULL ? summary_text(fact->text) : summary_real(fact->number);
        if (json_object_set_new(run, fact->name, value) != 0) {
            json_decref(run);
            return NULL;
        }
    }
    return run;
}

static json_t *window_of(const prof_trace *trace)
{
    return json_pack("{s:I, s:I, s:I, s:o}", "first_step", (json_int_t)trace->first_step, "steps",
                     (json_int_t)trace->steps, "start_ns", (json_int_t)trace->start, "seconds",
                     summary_real(1e-9 * (double)(trace->end - trace->start)));
}

static json_t *known_text(const char *text)
{
    return summary_text(text[0] != '\0' ? text : NULL);
}

static json_t *device_of(const prof_device_info *d)
{
    return json_pack(
        "{s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", known_text(d->name),
        "vendor", known_text(d->vendor), "is_gpu", d->is_gpu, "index",
        d->index >= 0 ? json_integer(d->index) : json_null(), "threads",
        summary_known_integer(d->threads), "compute_capability",
        d->compute_major > 0 ? json_sprintf("%d.%d", d->compute_major, d->compute_minor)
                             : json_null(),
        "multiprocessors", summary_known_integer(d->multiprocessors), "warps_per_multiprocessor",
        summary_known_integer(d->warps_per_multiprocessor), "clock_hz", summary_known(d->clock),
        "memory_bandwidth_bytes_per_s", summary_known(d->memory_bandwidth), "memory_bytes",
        summary_known(d->memory_size), "peak_fp64_flops", summary_known(d->peak_flops));
}

static json_t *phases_of(const prof_trace *trace)
{
    json_t *all = json_array();
    for (int32_t k = 0; k < trace->phase_count; k++) {
        const prof_phase_time *phase = &trace->phases[k];
        summary_append(&all,
                       json_pack("{s:o, s:I, s:I}", "name", summary_text(phase->name), "total_ns",
                                 (json_int_t)phase->total, "count", (json_int_t)phase->count));
    }
    return all;
}

static json_t *drops_of(const prof_drops *d)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "spans", (json_int_t)d->spans, "ops",
                     (json_int_t)d->ops, "records", (json_int_t)d->records, "rejected",
                     (json_int_t)d->rejected, "unknown", (json_int_t)d->unknown);
}

static json_t *warnings_of(const prof_trace *trace)
{
    json_t *all = json_array();
    for (int32_t k = 0; k < trace->warning_count; k++)
        summary_append(&all, summary_text(trace->warnings[k]));
    return all;
}

/* The whole; NULL if there is no memory. */
static json_t *summary_of(const prof_trace *trace)
{
    prof_projection *projections = prof_project(trace);
    if (projections == NULL)
        return NULL;
    json_t *summary = identity_of(trace);
    json_t *rest = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o}",
        "run", run_of(trace), "window", window_of(trace), "device", device_of(&trace->device),
        "phases", phases_of(trace), "steps", summary_steps(trace, projections), "regions",
        summary_regions(trace, projections), "stages", summary_stages(trace), "kernels",
        summary_kernels(trace), "copies", summary_copies(trace), "calls", summary_calls(trace),
        "gpu", summary_gpu(trace), "threads", summary_threads(trace), "memory",
        summary_memory(trace), "costs", summary_costs(trace), "ceilings", summary_ceilings(trace),
        "counters", summary_counters(trace), "drops", drops_of(&trace->drops), "warnings",
        warnings_of(trace));
    free(projections);
    if (rest == NULL || json_object_update(summary, rest) != 0) {
        json_decref(summary);
        summary = NULL;
    }
    json_decref(rest);
    return summary;
}

bool prof_write_summary(const prof_trace *trace, const char *directory, prof_log *log)
{
    FILE *file = prof_file_open(directory, file_name, log);
    if (file == NULL)
        return false;
    json_t *summary = summary_of(trace);
    const bool complete = summary != NULL && json_dumpf(summary, file, JSON_INDENT(1)) == 0;
    json_decref(summary);
    putc('\n', file);
    if (!complete && ferror(file) == 0)
        prof_warn(log, "%s/%s: out of memory", directory, file_name);
    return prof_file_close(file, directory, file_name, log) && complete;
}
