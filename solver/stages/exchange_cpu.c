#include "stages/exchange_cpu.h"

#include "stages/threads_cpu.h"

/* Copy the values `first` to `last` - 1 of the plan. */
static void exchange(const swe_execution *execution, const swe_params *params, int first, int last,
                     int count, real *const fields[])
{
    const swe_exchanged *exchanged = params->decomposition->exchanged;
    const rows_range share = threads_share(last - first);
    thread_begin(execution);
    for (int field = 0; field < count; field++)
        for (int k = first + share.first; k < first + share.last; k++)
            fields[field][exchanged[k].to] = fields[field][exchanged[k].from];
    thread_end(execution);
    threads_wait(execution);
}

void swe_exchange_cpu(const swe_execution *execution, const swe_params *params, int count,
                      real *const fields[])
{
    const swe_decomposition *d = params->decomposition;
    threads_wait(execution);
    if (d != NULL)
        exchange(execution, params, 0, d->exchanged_count, count, fields);
}

void swe_exchange_foreign_cpu(const swe_execution *execution, const swe_params *params, int count,
                              real *const fields[])
{
    const swe_decomposition *d = params->decomposition;
    threads_wait(execution);
    if (d != NULL)
        exchange(execution, params, d->ghost_count, d->exchanged_count, count, fields);
}
