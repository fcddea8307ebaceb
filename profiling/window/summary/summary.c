/* summary.json: the statistics of a window that report, roofline, diagnosis and comparison read.
 * summary.schema.json is the contract; an incompatible change raises schema_version. */
#include <stdlib.h>

#include "base/json.h"
#include "outputs/output.h"
#include "window/summary/internal.h"
#include "window/fields.h"

static const int schema_version = 1;

static json_t *facts_of(const prof_trace *trace)
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

/* Members that the trace has as they are written. */
static prof_summary begin(const prof_trace *trace)
{
    static const char *const modes[] = {"off", "trace", "summary", "nsys", "counters", "full"};
    return (prof_summary){.run = {.case_name = trace->case_name,
                                  .version = trace->version,
                                  .host = trace->host,
                                  .process = trace->process,
                                  .device = trace->device},
                          .window = {.mode = modes[trace->mode],
                                     .first_step = trace->first_step,
                                     .steps = trace->steps,
                                     .start = trace->start,
                                     .duration = 1e-9 * (double)(trace->end - trace->start),
                                     .tracing = trace->tracing,
                                     .phases = trace->phases,
                                     .phase_count = trace->phase_count,
                                     .peaks = prof_peaks_of(trace),
                                     .drops = trace->drops,
                                     .warnings = trace->warnings,
                                     .warning_count = trace->warning_count}};
}

/* The document; NULL: out of memory. */
static json_t *summary_of(const prof_trace *trace, pool *pool)
{
    prof_projection *projections = prof_project(trace);
    if (projections == NULL)
        return NULL;
    prof_summary summary = begin(trace);
    prof_report_window *w = &summary.window;
    summary_steps(trace, projections, pool, w);
    summary_regions(trace, projections, pool, w);
    summary_stages(trace, projections, pool, w);
    free(projections);
    summary_kernels(trace, pool, w);
    summary_copies(trace, pool, w);
    summary_calls(trace, pool, w);
    summary_gpu(trace, pool, w);
    summary_threads(trace, pool, w);
    summary_parts(trace, pool, w);
    summary_memory(trace, pool, w);
    summary_costs(trace, pool, w);
    summary_counters(trace, pool, w);
    summary_ranks(trace, pool, w);
    if (pool->failed)
        return NULL;
    json_t *all =
        json_pack("{s:s, s:i}", "schema", "cubeswe-profile", "schema_version", schema_version);
    swe_json_extend(&all, swe_json_record(prof_summary_fields, &summary));
    swe_json_set(&all, "run", facts_of(trace)); /* replaces an empty object */
    return all;
}

bool prof_write_summary(const prof_trace *trace, const char *directory, swe_log *log)
{
    pool *pool = pool_create();
    json_t *summary = pool != NULL ? summary_of(trace, pool) : NULL;
    pool_destroy(&pool);
    return prof_json_write(summary, JSON_INDENT(1), directory, "summary.json", log);
}
