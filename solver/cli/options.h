/* All options of the program, and the conversion of a command's options to argp. */
#ifndef SWE_CLI_OPTIONS_H
#define SWE_CLI_OPTIONS_H

#include <argp.h>

#include "cli/cli.h"

/* An option, its parser and the member of cli_options that receives its value. */
typedef struct cli_option_spec {
    const char *name;
    const char *value; /* name of the value in the help; "[NAME]": optional value; NULL: flag */
    /* Set the member from `text`; a member that is a text keeps the pointer. `text` NULL: a flag,
     * or no value. False: invalid. */
    bool (*parse)(const struct cli_option_spec *option, const char *text, cli_options *out);
    size_t at;            /* offset of the member in cli_options */
    const char *text;     /* description in the help; NULL: each command has its own */
    const char *expected; /* end of the message "--n x: expected ..." if `parse` returns false */
    double least, most;   /* inclusive limits of a number or a time */
    char letter;          /* short form; 0: none */
} cli_option_spec;

/* The option with a name (without "--"), a letter or a key of argp; NULL: none. */
const cli_option_spec *cli_option_find(const char *name);
const cli_option_spec *cli_option_of_letter(int letter);
const cli_option_spec *cli_option_of_key(int key);

/* Return the static setting "profile.mode=MODE" for a mode of --profile; NULL: no such mode. */
const char *cli_mode_setting(const char *word);

/* The rows of argp. Each row has its own group, so that the help keeps the order of the rows. */
typedef struct cli_table {
    /* + 3: two options of every command, and a zero row that ends the list */
    struct argp_option row[CLI_MOST_OPTIONS + 3];
    char value[CLI_MOST_OPTIONS + 3][24]; /* names of values, without brackets */
    int count;
} cli_table;

/* Fill `table`. Its rows point into table->value: do not copy the table. */
void cli_table_fill(cli_table *table, const cli_command *command);

#endif
