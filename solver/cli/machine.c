#include "cli/machine.h"

#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/threads.h"
#include "base/tuning.h"
#include "cli/cli.h"
#include "cli/folders.h"
#include "cli/results.h"

swe_status cli_backend_decide(swe_context *ctx, cli_options *options, const swe_backend **out)
{
    int device = 0;
    SWE_TRY(swe_backend_find(ctx, options->backend, out, &device));
    if (strcmp(options->backend, "auto") != 0)
        return SWE_OK;
    static char decided[32]; /* outlives the options, which point to it */
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

swe_status cli_device_peaks(swe_context *ctx, const cli_device *device, swe_peaks *out)
{
    return swe_peaks_measure(ctx, device->backend, device->device, &device->execution,
                             (1 << SWE_PRECISIONS) - 1, false, out);
}

/* The version line of NVIDIA's driver; null without one. */
static json_t *driver_json(void)
{
    char line[256] = "";
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (file == NULL)
        return json_null();
    const char *text = fgets(line, sizeof line, file);
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    json_t *out = text != NULL ? json_string(line) : NULL;
    return out != NULL ? out : json_null();
}

json_t *cli_json_machine(void)
{
    char processor[256], host[256] = "", tuning[256];
    struct utsname system = {.sysname = "unknown"};
    uname(&system);
    gethostname(host, sizeof host - 1);
    swe_tuning_text(tuning, sizeof tuning);
    swe_backend_cpu.describe(0, processor, sizeof processor);
    return json_pack("{s:s, s:s, s:I, s:i, s:I, s:s+++, s:o, s:s}", "host", host, "processor",
                     processor, "cores", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "threads",
                     omp_get_max_threads(), "memory_bytes",
                     (json_int_t)sysconf(_SC_PHYS_PAGES) * (json_int_t)sysconf(_SC_PAGESIZE),
                     "system", system.sysname, " ", system.release, "", "gpu_driver", driver_json(),
                     "tuning", tuning);
}

/* Parse /proc/PID/stat behind the program's name, which may contain any character. */
static bool parse(const char *text, cli_process *out)
{
    char state = '?';
    unsigned long user = 0, kernel = 0;
    long pages = 0;
    const int found = sscanf(text,
                             " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d "
                             "%*d %*d %lld %*u %ld",
                             &state, &user, &kernel, &out->start, &pages);
    out->cpu_seconds = (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
    out->resident_bytes = (double)pages * (double)sysconf(_SC_PAGESIZE);
    out->is_gone = state == 'Z' || state == 'X';
    return found == 5;
}

cli_process cli_process_read(pid_t pid)
{
    cli_process out = {.is_gone = kill(pid, 0) != 0 && errno == ESRCH};
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return out;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *name_end = strrchr(text, ')');
    out.is_known = name_end != NULL && parse(name_end + 1, &out);
    return out;
}
