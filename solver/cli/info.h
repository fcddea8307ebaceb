/* `cubeswe info`: a function for each thing that it describes. They print to standard output. */
#ifndef SWE_CLI_INFO_H
#define SWE_CLI_INFO_H

#include "cli/cli.h"

/* Print the configuration, points and memory of a case, and its needs on many ranks (--ranks). The
 * time is estimated from about two seconds of steps. Errors: as of the functions that load the
 * case, create its model and run its steps. */
swe_status cli_info_case(swe_context *ctx, const cli_options *options);

/* Measure and print the peak rates of the device and the messages between ranks (--ceilings).
 * Errors: SWE_USAGE; as of cli_device_open and cli_device_peaks. */
swe_status cli_info_peaks(swe_context *ctx, const cli_options *options);

/* Print the version, backends, devices and libraries of the build. Errors: SWE_NO_MEMORY. */
swe_status cli_info_build(swe_context *ctx, const cli_options *options);

/* Print the calls of a step of the case, each with its arguments (--plan). Errors: as of
 * swe_config_plan. */
swe_status cli_info_plan(swe_context *ctx, const cli_options *options);

/* Print the static costs of the stages of every flow, and the compiler's report of the kernels
 * (--kernels). Errors: SWE_USAGE, SWE_NO_MEMORY; as of loading the case. */
swe_status cli_info_kernels(swe_context *ctx, const cli_options *options);

#endif
