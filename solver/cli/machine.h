/* The machine of a command: its device, its description in results, and its processes. */
#ifndef SWE_CLI_MACHINE_H
#define SWE_CLI_MACHINE_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "backend/peaks.h"
#include "cli/cli.h"

/* The backend of the options. `auto` is resolved once; afterwards the options name the result.
 * Errors: as in swe_backend_find. */
swe_status cli_backend_decide(swe_context *ctx, cli_options *options, const swe_backend **out);

/* The device of --backend and --threads, without a model. */
typedef struct cli_device {
    const swe_backend *backend;
    swe_device *device; /* owned */
    swe_execution execution;
    char name[256];
    int threads; /* of the CPU; 0: a GPU computes */
} cli_device;

/* Open a device, close it, and measure its peak rates. Errors of cli_device_open: as of
 * swe_backend_find and of the backend. Errors of cli_device_peaks: as of swe_peaks_measure. */
swe_status cli_device_open(swe_context *ctx, const cli_options *options, cli_device *out);
void cli_device_close(cli_device *device);
swe_status cli_device_peaks(swe_context *ctx, const cli_device *device, swe_peaks *out);

/* Host, processor, cores, memory, system, GPU driver and tuning, as in the "machine" object of
 * results. The caller owns it. NULL: out of memory. */
json_t *cli_json_machine(void);

/* A process of this host, from /proc/PID/stat. */
typedef struct cli_process {
    bool is_gone;    /* no process has this number, or it is a zombie */
    bool is_known;   /* the following are known */
    long long start; /* start time [clock ticks since boot]; number and start identify a process */
    double cpu_seconds;    /* of all its threads since its start */
    double resident_bytes; /* memory in use */
} cli_process;

cli_process cli_process_read(pid_t pid);

#endif
