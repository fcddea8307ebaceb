#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/tuning.h"
#include "cli/report.h"

/* The version of NVIDIA's driver as it tells it; null without one. */
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
