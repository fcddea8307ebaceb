/* What the stages must do, and what the device can. */
#include "outputs/summary/parts.h"
#include "outputs/summary/values.h"

static json_t *buffers_of(const prof_cost *cost)
{
    json_t *all = json_array();
    for (int k = 0; k < cost->access_count; k++) {
        const prof_access *access = &cost->accesses[k];
        summary_append(&all, json_pack("{s:o, s:o, s:s}", "name", summary_text(access->buffer),
                                       "bytes", summary_real(access->bytes), "access",
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
    for (int32_t k = 0; k < trace->cost_count; k++) {
        const prof_cost *cost = &trace->costs[k];
        summary_append(&all,
                       json_pack("{s:o, s:o, s:o, s:o, s:o}", "stage", summary_text(cost->stage),
                                 "flops", summary_real(cost->flops), "read_bytes",
                                 summary_real(bytes_of(cost, false)), "written_bytes",
                                 summary_real(bytes_of(cost, true)), "buffers", buffers_of(cost)));
    }
    return all;
}

json_t *summary_ceilings(const prof_trace *trace)
{
    return json_pack("{s:o, s:o}", "copy_bandwidth_bytes_per_s",
                     summary_known(trace->ceilings.copy_bandwidth), "fp64_flops_per_s",
                     summary_known(trace->ceilings.flops));
}
