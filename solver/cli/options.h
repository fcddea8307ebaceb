/* The list of all options, and the options of a command in the form of argp. */
#ifndef SWE_CLI_OPTIONS_H
#define SWE_CLI_OPTIONS_H

#include <argp.h>

#include "cli/cli.h"

/* An option, its parser and the member of cli_options that receives its value. */
typedef struct cli_option_spec {
    const char *name;
    const char *value; /* name of the value in the help; in brackets: optional; NULL: a flag */
    bool (*parse)(const struct cli_option_spec *option, const char *text, cli_options *out);
    size_t at; /* offset of the member in cli_options */
    const char *text;
    const char *expected; /* end of the message "--n x: expected ..." if `parse` returns false */
    double least, most;
    char letter; /* short form; 0: none */
} cli_option_spec;

/* The option of a name, a letter or a key of argp; NULL: none. */
const cli_option_spec *cli_option_find(const char *name);
const cli_option_spec *cli_option_of_letter(int letter);
const cli_option_spec *cli_option_of_key(int key);

/* The setting "profile.mode=MODE" of a mode of --profile; NULL: not a mode. */
const char *cli_mode_setting(const char *word);

/* The rows of argp. Each has its own group, which keeps their order in the help. */
typedef struct cli_table {
    struct argp_option row[CLI_MOST_OPTIONS + 3]; /* a zero row after the last */
    char value[CLI_MOST_OPTIONS + 3][24];         /* names of values, without brackets */
    int count;
} cli_table;

/* Fill `table`. Its rows point into table->value: do not copy the table. */
void cli_table_fill(cli_table *table, const cli_command *command);

#endif
