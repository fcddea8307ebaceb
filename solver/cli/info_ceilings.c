#include "cli/cli.h"
#include "cli/report.h"

static swe_status print_json(swe_context *ctx, const cli_device *on, const swe_ceilings *found)
{
    json_t *all = json_pack(
        "{s:s, s:s, s:o, s:f, s:f, s:f}", "backend", on->backend->name, "device", on->name,
        "threads", on->threads > 0 ? json_integer(on->threads) : json_null(),
        "copy_bandwidth_bytes_per_s", found->copy_bandwidth, "fp64_flops_per_s",
        found->flops[SWE_PRECISION_DOUBLE], "fp32_flops_per_s", found->flops[SWE_PRECISION_SINGLE]);
    const bool is_printed = all != NULL && json_dumpf(all, stdout, JSON_INDENT(1)) == 0;
    json_decref(all);
    return is_printed ? SWE_OK
                      : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the ceilings' description");
}

static void print_text(const cli_device *on, const swe_ceilings *found)
{
    const double giga = 1e9;
    printf("device       %s: %s", on->backend->name, on->name);
    if (on->threads > 0)
        printf(", %d thread%s", on->threads, on->threads > 1 ? "s" : "");
    printf("\ncopy         %.1f GB/s, read and written together\n", found->copy_bandwidth / giga);
    printf("multiply-add %.1f GFLOP/s, FP64\n", found->flops[SWE_PRECISION_DOUBLE] / giga);
    printf("multiply-add %.1f GFLOP/s, FP32\n", found->flops[SWE_PRECISION_SINGLE] / giga);
}

swe_status cli_info_ceilings(swe_context *ctx, const cli_options *options)
{
    cli_device on;
    swe_ceilings found;
    if (options->case_file != NULL)
        return swe_fail(ctx, SWE_USAGE, "--ceilings describes a device: give it no case file");
    SWE_TRY(cli_device_open(ctx, options, &on));
    const swe_status status = cli_device_ceilings(ctx, &on, &found);
    cli_device_close(&on);
    SWE_TRY(status);
    if (options->json)
        return print_json(ctx, &on, &found);
    print_text(&on, &found);
    return SWE_OK;
}
