#include <omp.h>

#include "backend/ceilings.h"
#include "cli/cli.h"
#include "cli/report.h"

/* What was measured, on what. */
typedef struct measured {
    const char *backend;
    char device[256];
    int threads; /* of the CPU; 0: a GPU computed */
    prof_ceilings ceilings;
} measured;

static swe_status measure(swe_context *ctx, const cli_options *options, measured *out)
{
    const swe_backend *backend = NULL;
    swe_device *device = NULL;
    swe_view view = {.threads = 0}; /* of no model */
    int index = 0;
    const int threads = options->threads > 0 ? options->threads : omp_get_max_threads();
    SWE_TRY(swe_backend_find(ctx, options->backend, &backend, &index));
    SWE_TRY(backend->open(ctx, index, threads, &device));
    backend->bind(device, &view);
    out->backend = backend->name;
    out->threads = view.queue == NULL ? view.threads : 0;
    backend->describe(index, out->device, sizeof out->device);
    const swe_status status = swe_ceilings_measure(ctx, backend, device, &view, &out->ceilings);
    backend->close(&device);
    return status;
}

static swe_status print_json(swe_context *ctx, const measured *m)
{
    json_t *all = json_pack("{s:s, s:s, s:o, s:f, s:f}", "backend", m->backend, "device", m->device,
                            "threads", m->threads > 0 ? json_integer(m->threads) : json_null(),
                            "copy_bandwidth_bytes_per_s", m->ceilings.copy_bandwidth,
                            "fp64_flops_per_s", m->ceilings.flops);
    const bool is_printed = all != NULL && json_dumpf(all, stdout, JSON_INDENT(1)) == 0;
    json_decref(all);
    return is_printed ? SWE_OK
                      : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the ceilings' description");
}

static void print_text(const measured *m)
{
    const double giga = 1e9;
    printf("device       %s: %s", m->backend, m->device);
    if (m->threads > 0)
        printf(", %d thread%s", m->threads, m->threads > 1 ? "s" : "");
    printf("\ncopy         %.1f GB/s, read and written together\n",
           m->ceilings.copy_bandwidth / giga);
    printf("multiply-add %.1f GFLOP/s, FP64\n", m->ceilings.flops / giga);
}

swe_status cli_info_ceilings(swe_context *ctx, const cli_options *options)
{
    measured m = {.backend = NULL};
    if (options->case_file != NULL)
        return swe_fail(ctx, SWE_USAGE, "--ceilings describes a device: give it no case file");
    SWE_TRY(measure(ctx, options, &m));
    if (options->json)
        return print_json(ctx, &m);
    print_text(&m);
    return SWE_OK;
}
