/* The list of all options, and the options of a command as argp reads them. */
#ifndef SWE_CLI_OPTIONS_H
#define SWE_CLI_OPTIONS_H

#include <argp.h>

#include "cli/cli.h"

/* An option that some command accepts, and where its value goes. */
typedef struct cli_known {
    const char *name;
    const char *value; /* its name in the help; in brackets: may be left out; NULL: has none */
    bool (*parse)(const struct cli_known *option, const char *text, cli_options *out);
    size_t at; /* of the value: offset in cli_options */
    const char *text;
    const char *expected; /* of a value that `parse` refuses: "--n x: expected ..." */
    double least, most;
    char letter; /* short form; 0: none */
} cli_known;

/* The option of a name, a letter or a key of argp; NULL: there is none. */
const cli_known *cli_known_find(const char *name);
const cli_known *cli_known_letter(int letter);
const cli_known *cli_known_key(int key);

/* The setting that a mode of --profile is short for; NULL: it is no mode. */
const char *cli_mode_setting(const char *word);

/* A group for each option keeps their order in the help. */
typedef struct cli_table {
    struct argp_option row[CLI_MOST_OPTIONS + 3]; /* a zero row after the last */
    char value[CLI_MOST_OPTIONS + 3][24];         /* names of values */
    int count;
} cli_table;

void cli_table_fill(cli_table *table, const cli_command *command);

#endif
