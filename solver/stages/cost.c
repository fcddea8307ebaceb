#include "stages/cost.h"

#include <string.h>

#include "stages/cost_kernels.h"

/* Whether a stage has such an access already. */
static prof_access *find(swe_cost *cost, const prof_access *wanted)
{
    for (int k = 0; k < cost->access_count; k++)
        if (cost->accesses[k].writes == wanted->writes &&
            strcmp(cost->accesses[k].buffer, wanted->buffer) == 0)
            return &cost->accesses[k];
    return NULL;
}

/* What two kernels of a stage read both is the same values; of some of a buffer and all of it,
 * all. But pairs of parts and the parts of their frames have each their own. */
static void add_kernel(swe_cost *stage, const swe_cost *kernel, bool apart)
{
    cost_add(&stage->formula, 1.0, kernel->formula);
    cost_add(&stage->repeated, 1.0, kernel->repeated);
    for (int k = 0; k < kernel->access_count; k++) {
        prof_access *found = find(stage, &kernel->accesses[k]);
        if (found == NULL)
            cost_append(stage, kernel->accesses[k]);
        else if (apart)
            found->bytes += kernel->accesses[k].bytes;
        else if (found->bytes < kernel->accesses[k].bytes)
            found->bytes = kernel->accesses[k].bytes;
    }
}

/* Values to bytes. */
static void scale(swe_cost *cost, double value_bytes)
{
    for (int k = 0; k < cost->access_count; k++)
        cost->accesses[k].bytes *= value_bytes;
}

/* What the profiler takes. */
static void list_stages(swe_flow flow, swe_costs *out)
{
    for (int k = 0; k < SWE_STAGE_COUNT; k++) {
        const swe_cost *cost = &out->stages[k];
        if (swe_stage_serves(k, flow))
            out->profiled[out->profiled_count++] =
                (prof_cost){swe_stage_name(k), swe_cost_flops(cost->formula), cost->accesses,
                            cost->access_count};
    }
}

void swe_costs_count(const swe_cost_case *what, swe_costs *out)
{
    const cost_sizes s = cost_sizes_of(what);
    memset(out, 0, sizeof *out);
    for (int k = 0; k < SWE_KERNEL_COUNT; k++) {
        if (!swe_stage_serves(swe_kernels[k].stage, what->flow))
            continue;
        cost_of_kernels[k](&s, &out->kernels[k]);
        scale(&out->kernels[k], (double)swe_precision_bytes(what->precision));
        add_kernel(&out->stages[swe_kernels[k].stage], &out->kernels[k],
                   k == SWE_KERNEL_pair || k == SWE_KERNEL_last_pair);
    }
    list_stages(what->flow, out);
}

double swe_cost_flops(swe_operations operations)
{
    return operations.additions + operations.multiplications + operations.divisions +
           operations.roots;
}

double swe_cost_bytes(const swe_cost *cost, bool writes)
{
    double bytes = 0.0;
    for (int k = 0; k < cost->access_count; k++)
        bytes += cost->accesses[k].writes == writes ? cost->accesses[k].bytes : 0.0;
    return bytes;
}
