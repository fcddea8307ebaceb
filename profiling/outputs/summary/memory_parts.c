/* Device memory. */
#include <stdlib.h>

#include "outputs/summary/parts.h"
#include "outputs/summary/values.h"

/* Blocks of one allocation site at one moment. */
typedef struct site_use {
    int64_t bytes, blocks;
} site_use;

/* Of every site; to be freed. NULL if there is no memory. */
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

static json_t *use_of(const site_use *use)
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
        summary_append(&all, json_pack("{s:o, s:o, s:o, s:i, s:o, s:o}", "label",
                                       summary_text(site->label), "function",
                                       summary_text(site->function), "file",
                                       summary_text(site->file), "line", site->line, "before",
                                       use_of(&before[k]), "after", use_of(&after[k])));
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
    return use_of(&sum);
}

json_t *summary_memory(const prof_trace *trace)
{
    const site_use untracked = {trace->untracked_bytes, trace->untracked_blocks};
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "before", moment_of(&trace->before), "after",
                     moment_of(&trace->after), "allocated", changes_of(trace, 1), "released",
                     changes_of(trace, -1), "untracked", use_of(&untracked), "sites",
                     sites_of(trace));
}
