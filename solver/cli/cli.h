/* The command line: the table of each command, and its options.
 *
 * cli_commands lists the commands. A command's table is the source of its parser, its help and its
 * manual page. Functions return SWE_OK or a status whose message is in the context; main prints the
 * message and exits with the code of the status (base/context.h). */
#ifndef SWE_CLI_CLI_H
#define SWE_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "backend/peaks.h"
#include "base/input_file.h"
#include "base/log.h"
#include "run/simulation.h"

enum { CLI_MOST_SET = 128, CLI_MOST_LIST = 32 };

/* A comma-separated list of numbers. */
typedef struct cli_list {
    int value[CLI_MOST_LIST];
    int count;
} cli_list;

/* Values of the options of all commands. Texts belong to argv. */
typedef struct cli_options {
    const char *case_file;    /* case file or folder of results; NULL: not given */
    char found_case[4096];    /* path of a ready case, set by cli_find_case */
    const char *other;        /* second operand; NULL: not given */
    const char *const *files; /* all operands */
    int file_count;
    char *const *command_line; /* the command and its arguments, in the given order; NULL last */
    const char *set[CLI_MOST_SET]; /* "section.key=value" */
    int set_count;
    const char *backend;
    int threads;
    const char *output; /* NULL: the default of the command */
    cli_list n, order;
    double error;                   /* that converge is to reach; 0: none */
    int repeats;                    /* samples of each size of a bench */
    bool pipeline[SWE_PIPELINES];   /* chosen pipelines; none: the case's */
    bool precision[SWE_PRECISIONS]; /* chosen precisions; none: the case's */
    double interval;                /* [s] */
    const char *html;               /* page to write; NULL: none */
    const char *restart;            /* checkpoint, folder of checkpoints, or "auto"; NULL: none */
    double max_walltime;            /* [s]; 0: no limit */
    const char *to, *fields;        /* of convert; NULL: not given */
    int lon, lat;                   /* of convert; 0: not given */
    int ranks;                      /* of info; 0: not given */
    const char *manual;             /* command of info --man; "": the program; NULL: not given */
    double limit_percent;           /* of compare --fail-above */
    bool has_limit;
    bool overwrite, dry_run, quiet, json, keys, peaks, kernels, plan, once, wait, anyway, strict;
    bool help, version;
} cli_options;

enum { CLI_MOST_OPTIONS = 16 };

/* One option of a command. */
typedef struct cli_option {
    const char *name;
    const char *text, *value; /* NULL: as in the list in options.c */
} cli_option;

/* The option rows that every command that computes a case shares. */
#define CLI_CASE_OPTIONS                                                                           \
    {.name = "set"}, {.name = "backend"},                                                          \
    {                                                                                              \
        .name = "threads"                                                                          \
    }

typedef struct cli_command {
    const char *name;
    const char *operands; /* in the usage line; one form per line */
    const char *summary;  /* one line, in the list of commands */
    const char *text;     /* paragraphs of the help; those after \v follow the options */
    int least_operands, most_operands;
    const char *needs;      /* required operands, for the error message */
    bool accepts_case_name; /* the operand may be the name of a ready case */
    swe_status (*run)(swe_context *ctx, const cli_options *options);
    cli_option options[CLI_MOST_OPTIONS]; /* in the order of the help */
} cli_command;

extern const cli_command cli_run, cli_converge, cli_profile, cli_bench, cli_report, cli_compare,
    cli_convert, cli_info, cli_top;

/* All commands; NULL after the last one. */
extern const cli_command *const cli_commands[];

/* The command of a name. Errors: SWE_USAGE; the message suggests similar names. */
swe_status cli_find_command(swe_context *ctx, const char *name, const cli_command **out);

/* Parse the arguments of a command; argv[0] is the name of the command. argv is reordered: options
 * come first. Errors: SWE_USAGE, SWE_NO_MEMORY; as of cli_find_case. */
swe_status cli_parse(swe_context *ctx, int argc, char **argv, const cli_command *command,
                     cli_options *out);

/* Refuse a list whose numbers do not ascend. Errors: SWE_USAGE. */
swe_status cli_check_ascends(swe_context *ctx, const char *option, const cli_list *list);

/* Print the help, or the manual page (roff), of a command; NULL: of the program. */
void cli_help(const cli_command *command);
void cli_manual(const cli_command *command);

/* Replace the name of a ready case, such as gaussian_seed, by its path: NAME.yaml in the current
 * folder, in its config/, or in the installed config/. Prints the path to standard error. An
 * existing file or folder of exactly that name has priority.
 * Errors: SWE_NO_INPUT; the message suggests similar names. */
swe_status cli_find_case(swe_context *ctx, cli_options *options);

/* Load the case of the options with other settings: `settings` are at most two "section.key=value",
 * NULL-terminated, or NULL; order 0 and n 0 keep the case's. The caller owns the configuration.
 * Errors: as in swe_config_load. */
swe_status cli_load_sized(swe_context *ctx, const cli_options *options, const char *const *settings,
                          int order, int n, swe_config **out);

/* Create the model of a case in its initial state. Destroy it with swe_model_destroy. Errors: of
 * swe_model_create, swe_case_create and swe_start_model. */
swe_status cli_start_model(swe_context *ctx, const swe_config *config,
                           const swe_model_options *options, swe_model **out);

/* Destroy a configuration that a command cannot use. Returns SWE_CONFIG; the message names the
 * file and `why`. */
swe_status cli_refuse_case(swe_context *ctx, const cli_options *options, const char *why,
                           swe_config **config);

/* The status of a profile that cannot be loaded, never SWE_OK; the message is the log's last line.
 */
swe_status cli_load_fails(swe_context *ctx, swe_load load, const swe_log *log);

/* The folder of the profiles, or of the checkpoints, that a run set elsewhere, by the folder of its
 * results; any other path, or if that folder does not exist, `path`. */
const char *cli_folder_of_run(const char *path, bool of_profiles, char out[SWE_PATH_SIZE]);

/* Print the lines of a log as warnings; those that begin with "note: " as notes. */
void cli_print_warnings(const swe_log *log);

/* Write RESULTS/report.html from a folder of profiles and print its path. Failures are warnings. */
void cli_report_write(const char *profiles, const char *results, bool quiet);

/* Flush standard output. A closed pipe is no error: then `is_read` is false, and a command that
 * only prints can end. Errors: SWE_IO (any other failed write since the start). */
swe_status cli_output_flush(swe_context *ctx, bool *is_read);

#endif
