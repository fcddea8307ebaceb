/* The command line: one function a subcommand, and what they share. */
#ifndef SWE_CLI_CLI_H
#define SWE_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "backend/ceilings.h"
#include "base/durable.h"
#include "base/folder_lock.h"
#include "input_file.h"
#include "record/log.h"
#include "model/simulation.h"
#include "stages/cost.h"

enum { CLI_MOST_SET = 128, CLI_MOST_LIST = 32 };

/* A comma-separated list of numbers. */
typedef struct cli_list {
    int value[CLI_MOST_LIST];
    int count;
} cli_list;

/* The values of the options of all commands. */
typedef struct cli_options {
    const char *case_file;    /* or the folder, for a command that reads results; NULL: not given */
    char found_case[4096];    /* path of a ready case that was given by its name: cli_find_case */
    const char *other;        /* the second operand, of a command that accepts two; likewise */
    const char *const *files; /* all operands */
    int file_count;
    char *const *words; /* the command and its arguments as they were given; NULL after the last */
    const char *set[CLI_MOST_SET];
    int set_count;
    const char *backend;
    int threads;
    const char *output; /* NULL: the default of the command */
    cli_list n, order;
    int repeats;                    /* samples of a bench */
    bool pipeline[SWE_PIPELINES];   /* chosen; none: that of the case */
    bool precision[SWE_PRECISIONS]; /* likewise */
    double interval;                /* [s] */
    const char *html;               /* NULL: no page */
    const char *restart;            /* checkpoint, or folder of them; NULL: none */
    double max_walltime;            /* [s]; 0: any */
    const char *to, *fields;        /* of convert; NULL: not given */
    int lon, lat;                   /* likewise; 0: not given */
    const char *manual;             /* command of info --man; "": the program; NULL: not given */
    double limit_percent;
    bool has_limit;
    bool overwrite, dry_run, quiet, json, keys, ceilings, kernels, once, wait, anyway, strict;
    bool help, version;
} cli_options;

enum { CLI_MOST_OPTIONS = 16 };

/* An option that a command accepts. */
typedef struct cli_option {
    const char *name;
    const char *text, *value; /* NULL: those of the list in options.c */
} cli_option;

/* A command. Its help and its manual page come from here. */
typedef struct cli_command {
    const char *name;
    const char *operands; /* as the help shows them; one form a line */
    const char *summary;  /* a line of the list of commands */
    const char *text;     /* paragraphs; those after \v follow the options */
    int least_operands, most_operands;
    const char *needs; /* the operands that must be there, in words */
    bool is_of_case;   /* the operand may be the name of a ready case */
    swe_status (*run)(swe_context *ctx, const cli_options *options);
    cli_option options[CLI_MOST_OPTIONS]; /* in the order of the help */
} cli_command;

extern const cli_command cli_run, cli_converge, cli_profile, cli_bench, cli_report, cli_compare,
    cli_convert, cli_info, cli_top;

/* All commands; NULL after the last one. */
extern const cli_command *const cli_commands[];

/* The command of this name. Errors: SWE_USAGE (the message has similar names). */
swe_status cli_find_command(swe_context *ctx, const char *name, const cli_command **out);

/* Read the arguments that follow the name of a command, argv[0]; sorts argv: options come first.
 * Errors: SWE_USAGE, those of cli_find_case, SWE_NO_MEMORY. */
swe_status cli_parse(swe_context *ctx, int argc, char **argv, const cli_command *command,
                     cli_options *out);

/* Print the help, or the manual page (roff), of a command; NULL: of the program. */
void cli_help(const cli_command *command);
void cli_manual(const cli_command *command);

/* Find a ready case that is given by its name, as gaussian_seed: NAME.yaml here, in config/ here,
 * or among the program's own; a line on standard error has its path. A file or folder of exactly
 * that name comes first. Errors: SWE_NO_INPUT (nothing is found; the message has similar names). */
swe_status cli_find_case(swe_context *ctx, cli_options *options);

/* A profile that cannot be read: the last line of the log says why. Never SWE_OK. */
swe_status cli_load_fails(swe_context *ctx, prof_load load, const prof_log *log);

/* The page of a folder of profiles, RESULTS/report.html; one line tells where it is. What goes
 * wrong is a warning. */
void cli_report_write(const char *profiles, const char *results, bool quiet);

/* The case as `settings` (at most two, NULL after the last; or NULL), an order (0: its own) and n
 * (0: its own) make it. Errors: those of swe_config_load. */
swe_status cli_load_sized(swe_context *ctx, const cli_options *options, const char *const *settings,
                          int order, int n, swe_config **out);

/* Give a case back that a command has no use for. Answers SWE_CONFIG, the message naming the file.
 */
swe_status cli_refuse_case(swe_context *ctx, const cli_options *options, const char *why,
                           swe_config **config);

/* The device that a command asks for, without a model. */
typedef struct cli_device {
    const swe_backend *backend;
    swe_device *device;
    swe_execution execution;
    char name[256];
    int threads; /* of the CPU; 0: a GPU computes */
} cli_device;

/* Errors of open: those of swe_backend_find and of the backend; of ceilings those of
 * swe_ceilings_measure. */
swe_status cli_device_open(swe_context *ctx, const cli_options *options, cli_device *out);
void cli_device_close(cli_device *device);
swe_status cli_device_ceilings(swe_context *ctx, const cli_device *device, swe_ceilings *out);

/* Measure and print what a device reaches at most: cubeswe info --ceilings. */
swe_status cli_info_ceilings(swe_context *ctx, const cli_options *options);

/* Print a case, its costs and an estimate of its time: cubeswe info CASE. */
swe_status cli_info_case(swe_context *ctx, const cli_options *options);

/* What `info --kernels` tells the costs of. */
typedef struct cli_kernels_size {
    int n, order;
    swe_precision precision;
    bool damps[SWE_FLOWS], dissipates[SWE_FLOWS]; /* steps of such a flow do, at their end */
    bool on_cpu; /* the stages are the CPU's; the kernels are those of a GPU */
} cli_kernels_size;

/* What `info --kernels` prints: the static cost of the stages of every flow and what the compiler
 * made of the kernels. Errors: SWE_NO_MEMORY. */
swe_status cli_kernels_print(swe_context *ctx, const cli_kernels_size *size, bool as_json);

/* A watcher of a run's progress: one line that renews itself on a terminal, otherwise a plain line
 * now and then. */
typedef struct cli_progress {
    const char *label;
    bool quiet, is_terminal;
    bool is_open;    /* the line is not yet ended */
    double last;     /* when something was last written */
    long first_step; /* that the run goes on from, and the seconds that steps took until then: */
    double first_seconds; /* its rate is that of the steps since */
} cli_progress;

void cli_progress_start(cli_progress *progress, const char *label, bool quiet);
void cli_progress_watch(void *watcher, const swe_progress *progress);
/* Take the line back, so that another text can stand there; NULL has none. */
void cli_progress_clear(cli_progress *progress);

/* Write out what standard output holds. A reader that has closed its pipe wants no more, which is
 * no error: `is_read` is false then, and a command that only prints can end. Errors: SWE_IO (any
 * other failure since the start). */
swe_status cli_output_flush(swe_context *ctx, bool *is_read);

/* The directory of results. Check makes and removes nothing. Errors: SWE_CANNOT_CREATE (it cannot
 * be written, holds results already and not `overwrite`, or one of them is the case file or initial
 * file of the configuration). */
swe_status cli_directory_check(swe_context *ctx, const char *path, const swe_config *config,
                               bool overwrite);
/* Move its results aside (cli/aside.h); remove them. Errors: SWE_CANNOT_CREATE, SWE_IO. */
swe_status cli_directory_set_aside(swe_context *ctx, const char *path);
void cli_directory_remove(const char *path, const swe_config *config);

/* Remove result files that a killed run left unfinished. */
void cli_directory_remove_unfinished(const char *path);

/* The case file, initial file or bottom of a configuration that is this file or lies in this
 * folder; NULL: none. Refuse to remove it. */
const char *cli_input_at(const swe_config *config, const char *path);
swe_status cli_refuse_removal(swe_context *ctx, const char *input, const char *folder);

/* Make and lock a folder; a file system without locks is a warning. Errors: those of
 * swe_folder_lock_take. */
swe_status cli_folder_take(swe_context *ctx, const char *folder, swe_folder_lock *out);
void cli_folder_warn(const swe_folder_lock *lock);

/* Whether a directory has no results but the progress.json of a run that wrote nothing else. */
bool cli_directory_is_begun(const char *path, const swe_config *config);

/* The nearest folder of a path that is there. Errors: SWE_CANNOT_CREATE (it cannot be written). */
swe_status cli_nearest_folder(swe_context *ctx, const char *path, char *out, size_t size);

enum { CLI_FACTS = 8 };

/* The folder of a run's profiles, and what they tell of the run and of its stages. */
typedef struct cli_profiles {
    char path[4200];
    prof_fact facts[CLI_FACTS];
    swe_costs costs;
} cli_profiles;

/* Find the backend that options ask for. `auto` is decided here, once: from now on they name it.
 * Errors: those of swe_backend_find. */
swe_status cli_backend_decide(swe_context *ctx, cli_options *options, const swe_backend **out);

/* What a configuration asks of a profiler of a backend's work; its folder, if profile.dir is none,
 * is in that of the results, and its warnings go to standard error, where `progress` may have a
 * line (NULL: none). `profiles` is filled and must outlive it, where it is. */
prof_options cli_profiles_options(const swe_config *config, const swe_backend *backend,
                                  const char *results, cli_progress *progress,
                                  cli_profiles *profiles);

/* The folder of profiles: check, and move aside or remove old ones, if profiles will be written
 * there or it is in the folder of the results. Errors: SWE_CANNOT_CREATE (it cannot be written,
 * holds profiles already and not `overwrite`, or something that no profiler wrote is in one of
 * them). */
swe_status cli_profiles_check(swe_context *ctx, const char *path, const swe_config *config,
                              bool overwrite);
/* Lock it likewise. */
swe_status cli_profiles_lock(swe_context *ctx, const char *path, const swe_config *config,
                             swe_folder_lock *out);
swe_status cli_profiles_set_aside(swe_context *ctx, const char *path, const swe_config *config);
swe_status cli_profiles_remove(swe_context *ctx, const char *path, const swe_config *config);

/* Remove windows that a killed run left unfinished; one that holds anything else stays. */
void cli_profiles_remove_unfinished(const char *path);

/* The profiler of a command ends, after what was profiled: what its windows say comes as
 * RESULTS/report.html, which a line tells. What goes wrong is a warning. */
void cli_profiles_end(prof_profiler **profiler, const cli_profiles *profiles, const char *results,
                      bool quiet);

/* Begin the result DIR/NAME, whose text goes to out->stream; swe_durable_end publishes it. Write a
 * text there; a file that has this text already is not rewritten. Errors: SWE_CANNOT_CREATE,
 * SWE_IO.
 */
swe_status cli_result_open(swe_context *ctx, const char *directory, const char *name,
                           prof_output_file *out);
swe_status cli_result_write(swe_context *ctx, const char *directory, const char *name,
                            const char *text);
/* Whether the result has this text; it counts as published by this process then. */
bool cli_result_has(const char *directory, const char *name, const char *text);

/* Check at the end of a command that the results that it published are there as it left them.
 * Answers `status`, or SWE_IO where it is SWE_OK or SWE_STOPPED and a result is not. */
swe_status cli_check_results(swe_context *ctx, swe_status status);

#endif
