/* `cubeswe info --ceilings`: peaks of a device, and messages between ranks. */
#include "cli/info.h"
#include "cli/machine.h"
#include "cli/results.h"

static json_t *caches_json(const swe_peaks *found)
{
    json_t *all = json_array();
    for (int k = 0; k < found->cache_count; k++)
        swe_json_append(&all,
                        json_pack("{s:s, s:o, s:o}", "name", found->caches[k].name, "bytes",
                                  swe_json_real(found->caches[k].bytes), "bandwidth_bytes_per_s",
                                  swe_json_real(found->caches[k].bandwidth)));
    return all;
}

static json_t *peaks_json(const cli_device *on, const swe_peaks *found,
                          const swe_ranks_speed *messages)
{
    json_t *shared = json_null(); /* of one rank */
    if (messages->bandwidth > 0.0)
        shared = json_pack("{s:i, s:o, s:o}", "ranks", swe_ranks_count(), "latency_s",
                           swe_json_real(messages->latency), "bandwidth_bytes_per_s",
                           swe_json_real(messages->bandwidth));
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:s?, s:o}", "backend", on->backend->name, "device",
        on->name, "threads", on->threads > 0 ? json_integer(on->threads) : json_null(),
        "copy_bandwidth_bytes_per_s", swe_json_real(found->copy_bandwidth), "fp64_flops_per_s",
        swe_json_real(found->flops[SWE_PRECISION_DOUBLE]), "fp32_flops_per_s",
        swe_json_real(found->flops[SWE_PRECISION_SINGLE]), "caches", caches_json(found),
        "not_reliable_because", found->doubt, "messages", shared);
}

static void print_peaks(const cli_device *on, const swe_peaks *found)
{
    const double giga = 1e9;
    printf("device       %s: %s", on->backend->name, on->name);
    if (on->threads > 0)
        printf(", %d thread%s", on->threads, on->threads > 1 ? "s" : "");
    printf("\ncopy         %.1f GB/s, read and written together\n", found->copy_bandwidth / giga);
    for (int k = 0; k < found->cache_count; k++)
        printf("copy in %-4s %.1f GB/s, cache of %.0f KiB\n", found->caches[k].name,
               found->caches[k].bandwidth / giga, found->caches[k].bytes / 1024.0);
    printf("multiply-add %.1f GFLOP/s, FP64\n", found->flops[SWE_PRECISION_DOUBLE] / giga);
    printf("multiply-add %.1f GFLOP/s, FP32\n", found->flops[SWE_PRECISION_SINGLE] / giga);
    if (found->doubt != NULL)
        printf("not reliable, because %s\n", found->doubt);
}

swe_status cli_info_peaks(swe_context *ctx, const cli_options *options)
{
    cli_device on;
    swe_peaks found;
    if (options->case_file != NULL)
        return swe_fail(ctx, SWE_USAGE, "--ceilings describes a device: give it no case file");
    SWE_TRY(cli_device_open(ctx, options, &on));
    const swe_status status = cli_device_peaks(ctx, &on, &found);
    cli_device_close(&on);
    SWE_TRY(status);
    const swe_ranks_speed messages = swe_model_measure_messages();
    if (options->json)
        return cli_json_print(ctx, peaks_json(&on, &found, &messages), JSON_INDENT(1),
                              "the description of the device");
    print_peaks(&on, &found);
    if (messages.bandwidth > 0.0)
        printf("messages     %.2f us, and %.2f GB/s of 1 MiB, from rank 0 to rank %d\n",
               1e6 * messages.latency, 1e-9 * messages.bandwidth, swe_ranks_count() - 1);
    return SWE_OK;
}
