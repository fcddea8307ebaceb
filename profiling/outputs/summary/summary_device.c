/* Device memory and costs of the stages in summary.json. */
#include <stdlib.h>

#include "base/json.h"
#include "outputs/summary/internal.h"
#include "trace/reach.h"

/* Memory of one allocation site at one moment. */
typedef struct site_use {
    int64_t bytes, blocks;
} site_use;

/* The use of every site; free() it. NULL: out of memory. */
static site_use *uses_of(const prof_trace *trace, const prof_blocks *blocks)
{
    site_use *uses = calloc((size_t)trace->site_count + 1, sizeof *uses);
    if (uses == NULL)
        return NULL;
    for (int32_t k = 0; k < blocks->count; k++) {
        const prof_block *block = &blocks->block[k];
        uses[block->site].bytes += block->bytes;
        uses[block->site].blocks++;
    }
    return uses;
}

static json_t *use_json(const site_use *use)
{
    return json_pack("{s:I, s:I}", "bytes", (json_int_t)use->bytes, "blocks",
                     (json_int_t)use->blocks);
}

static json_t *sites_of(const prof_trace *trace)
{
    site_use *before = uses_of(trace, &trace->before), *after = uses_of(trace, &trace->after);
    json_t *all = before != NULL && after != NULL ? json_array() : NULL;
    for (int32_t k = 0; all != NULL && k < trace->site_count; k++) {
        const prof_place *site = &trace->sites[k];
        swe_json_append(&all,
                        json_pack("{s:o, s:o, s:o, s:i, s:o, s:o}", "label",
                                  swe_json_text_or_null(site->label), "function",
                                  swe_json_text_or_null(site->function), "file",
                                  swe_json_text_or_null(site->file), "line", site->line, "before",
                                  use_json(&before[k]), "after", use_json(&after[k])));
    }
    free(before);
    free(after);
    return all;
}

static json_t *moment_of(const prof_blocks *blocks)
{
    return json_pack("{s:I, s:I, s:i}", "in_use_bytes", (json_int_t)blocks->in_use, "peak_bytes",
                     (json_int_t)blocks->peak, "blocks", blocks->count);
}

/* Allocations (sign 1) or releases (-1) within the window. */
static json_t *changes_of(const prof_trace *trace, int sign)
{
    site_use sum = {0, 0};
    for (int64_t k = 0; k < trace->memory_event_count; k++) {
        const int64_t bytes = sign * trace->memory_events[k].bytes;
        if (bytes > 0) {
            sum.bytes += bytes;
            sum.blocks++;
        }
    }
    return use_json(&sum);
}

json_t *summary_memory(const prof_trace *trace)
{
    const site_use untracked = {trace->untracked_bytes, trace->untracked_blocks};
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "before", moment_of(&trace->before), "after",
                     moment_of(&trace->after), "allocated", changes_of(trace, 1), "released",
                     changes_of(trace, -1), "untracked", use_json(&untracked), "sites",
                     sites_of(trace));
}

static json_t *buffers_of(const prof_cost *cost)
{
    json_t *all = json_array();
    for (int k = 0; k < cost->access_count; k++) {
        const prof_access *access = &cost->accesses[k];
        swe_json_append(&all,
                        json_pack("{s:o, s:o, s:s}", "name", swe_json_text_or_null(access->buffer),
                                  "bytes", swe_json_real(access->bytes), "access",
                                  access->writes ? "write" : "read"));
    }
    return all;
}

static double bytes_of(const prof_cost *cost, bool writes)
{
    double bytes = 0.0;
    for (int k = 0; k < cost->access_count; k++)
        bytes += cost->accesses[k].writes == writes ? cost->accesses[k].bytes : 0.0;
    return bytes;
}

json_t *summary_costs(const prof_trace *trace)
{
    json_t *all = json_array();
    double *reaches = prof_reaches(trace);
    if (reaches == NULL) {
        json_decref(all);
        return NULL;
    }
    for (int32_t k = 0; k < trace->cost_count; k++) {
        const prof_cost *cost = &trace->costs[k];
        swe_json_append(
            &all, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "stage",
                            swe_json_text_or_null(cost->stage), "flops", swe_json_real(cost->flops),
                            "read_bytes", swe_json_real(bytes_of(cost, false)), "written_bytes",
                            swe_json_real(bytes_of(cost, true)), "reach_bytes",
                            swe_json_positive(reaches[k]), "buffers", buffers_of(cost)));
    }
    free(reaches);
    return all;
}
