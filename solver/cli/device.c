#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/threads.h"
#include "cli/cli.h"

swe_status cli_backend_decide(swe_context *ctx, cli_options *options, const swe_backend **out)
{
    int device = 0;
    SWE_TRY(swe_backend_find(ctx, options->backend, out, &device));
    if (strcmp(options->backend, "auto") != 0)
        return SWE_OK;
    static char decided[32]; /* the one that auto has found */
    snprintf(decided, sizeof decided, device > 0 ? "%s:%d" : "%s", (*out)->name, device);
    options->backend = decided;
    return SWE_OK;
}

swe_status cli_device_open(swe_context *ctx, const cli_options *options, cli_device *out)
{
    const swe_layout no_fields = {.n = 0};
    int index = 0;
    const int threads = options->threads > 0 ? options->threads : omp_get_max_threads();
    *out = (cli_device){.backend = NULL};
    SWE_TRY(swe_backend_find(ctx, options->backend, &out->backend, &index));
    SWE_TRY(out->backend->open(ctx, index, threads, &out->device));
    out->backend->bind(out->device, &no_fields, &out->execution);
    const swe_status status = swe_threads_check(ctx, out->execution.threads);
    if (status != SWE_OK) {
        cli_device_close(out);
        return status;
    }
    out->threads = out->execution.queue == NULL ? out->execution.threads : 0;
    out->backend->describe(index, out->name, sizeof out->name);
    return SWE_OK;
}

void cli_device_close(cli_device *device)
{
    device->backend->close(&device->device);
}

swe_status cli_device_ceilings(swe_context *ctx, const cli_device *device, swe_ceilings *out)
{
    return swe_ceilings_measure(ctx, device->backend, device->device, &device->execution, out);
}
