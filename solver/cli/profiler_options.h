/* The profiler of a command: its options, and the report that follows its windows. */
#ifndef SWE_CLI_PROFILER_OPTIONS_H
#define SWE_CLI_PROFILER_OPTIONS_H

#include "cli/progress.h"
#include "stages/cost.h"

enum { CLI_FACTS = 8 };

/* The folder of a run's profiles, with the facts and static costs that the profiler records. */
typedef struct cli_profile_folder {
    char path[4200];
    prof_fact facts[CLI_FACTS];
    swe_costs costs;
} cli_profile_folder;

/* Profiler options of a configuration. The folder is profile.dir, by default RESULTS/profile.
 * `progress` is cleared before a warning; NULL: none. The returned options point into `folder`,
 * which must outlive the profiler at the same address. */
prof_options cli_profiler_options(const swe_config *config, const swe_backend *backend,
                                  const char *results, cli_progress *progress,
                                  cli_profile_folder *folder);

/* Options of a profiler that only samples the parts of stages, when it is told to. */
prof_options cli_sampler_options(const swe_config *config);

/* Destroy the profiler; if it recorded windows, write RESULTS/report.html and print its path.
 * Failures are warnings. */
void cli_profiler_end(prof_profiler **profiler, const cli_profile_folder *folder,
                      const char *results, bool quiet);

#endif
