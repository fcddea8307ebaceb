#include <errno.h>
#include <string.h>

#include "base/hint.h"
#include "cli/options.h"

/* State of argp while it reads the arguments of a command. */
typedef struct reading {
    swe_context *ctx;
    const cli_command *command;
    cli_options *out;
    cli_table table;
    swe_status status;
} reading;

static swe_status refuse(const reading *r, const char *argument, const char *problem,
                         const char *more)
{
    return swe_fail(r->ctx, SWE_USAGE, "%.200s: %s%s (see cubeswe %s --help)", argument, problem,
                    more, r->command->name);
}

/* Refuse an unknown option, and suggest similar options of the command. */
static swe_status refuse_unknown(const reading *r, const char *argument)
{
    swe_hint hint;
    char word[SWE_HINT_WORD], name[SWE_HINT_WORD];
    const char *start = argument + strspn(argument, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(start, "="), start);
    swe_hint_start(&hint, word);
    for (int k = 0; k < r->table.count; k++) {
        snprintf(name, sizeof name, "--%s", r->table.row[k].name);
        swe_hint_offer(&hint, r->table.row[k].name, name);
    }
    return refuse(r, argument, "no such option", swe_hint_text(&hint));
}

static swe_status refuse_foreign(const reading *r, const cli_option_spec *option)
{
    return swe_fail(r->ctx, SWE_USAGE, "%s does not have the option --%s (see --help)",
                    r->command->name, option->name);
}

/* Whether "-xyz" has an unknown letter before the first letter with a value, which would end the
 * group. */
static bool is_bad_cluster(const reading *r, const char *argument)
{
    if (argument[0] != '-' || argument[1] == '-')
        return false;
    for (const char *letter = argument + 1; *letter != '\0'; letter++) {
        const struct argp_option *row = NULL;
        for (int k = 0; k < r->table.count && row == NULL; k++)
            if (r->table.row[k].key == *letter)
                row = &r->table.row[k];
        if (row == NULL || row->arg != NULL)
            return row == NULL;
    }
    return false;
}

/* Refuse "--name", "--name=value", or an abbreviation of a name. */
static swe_status refuse_long(const reading *r, const char *argument)
{
    const int length = (int)strcspn(argument + 2, "=");
    char name[SWE_HINT_WORD], similar[256] = "";
    bool is_exact = false;
    int count = 0;
    snprintf(name, sizeof name, "%.*s", length, argument + 2);
    for (int k = 0; k < r->table.count; k++) {
        const char *known_name = r->table.row[k].name;
        is_exact = is_exact || strcmp(known_name, name) == 0;
        if (strncmp(known_name, argument + 2, (size_t)length) != 0)
            continue;
        count++;
        const size_t end = strlen(similar);
        snprintf(similar + end, sizeof similar - end, " --%s", known_name);
    }
    if (count == 0 && cli_option_find(name) != NULL)
        return refuse_foreign(r, cli_option_find(name));
    if (count == 0)
        return refuse_unknown(r, argument);
    if (count > 1 && !is_exact)
        return refuse(r, argument, "may be any of", similar);
    return refuse(r, argument, argument[2 + length] == '=' ? "takes no value" : "needs a value",
                  "");
}

/* Refuse the argument at which getopt stopped: the last one it read, or a group of letters that it
 * has not finished. */
static swe_status refuse_stop(const reading *r, const struct argp_state *state)
{
    const int next = state->next;
    const bool is_cluster = next < state->argc && is_bad_cluster(r, state->argv[next]);
    const char *argument = state->argv[is_cluster ? next : next - 1];
    if (argument[1] == '-')
        return refuse_long(r, argument);
    if (!is_bad_cluster(r, argument))
        return refuse(r, argument, "needs a value", "");
    const cli_option_spec *option = argument[2] == '\0' ? cli_option_of_letter(argument[1]) : NULL;
    return option != NULL ? refuse_foreign(r, option) : refuse_unknown(r, argument);
}

static swe_status store_value(const reading *r, const cli_option_spec *option, const char *text,
                              const struct argp_state *state)
{
    const char *argument = state->argv[state->next - 1];
    /* getopt reads "-overwrite" as -o verwrite */
    if (option->letter != 0 && text == argument + 2 && cli_option_find(argument + 1) != NULL)
        return refuse_unknown(r, argument);
    if (option->parse(option, text, r->out))
        return SWE_OK;
    const bool is_joined = strncmp(argument, "--", 2) == 0 && text != argument;
    return swe_fail(r->ctx, SWE_USAGE, "--%s%c%.200s: expected %s", option->name,
                    is_joined ? '=' : ' ', text != NULL ? text : "", option->expected);
}

static error_t read_argument(int key, char *text, struct argp_state *state)
{
    reading *r = state->input;
    const cli_option_spec *option = cli_option_of_key(key);
    if (key == ARGP_KEY_ARGS) { /* called once: operands follow the options */
        r->out->files = (const char *const *)state->argv + state->next;
        r->out->file_count = state->argc - state->next;
        return 0;
    }
    if (key == ARGP_KEY_ERROR && r->status == SWE_OK)
        r->status = refuse_stop(r, state);
    if (option == NULL)
        return ARGP_ERR_UNKNOWN;
    r->status = store_value(r, option, text, state);
    return r->status == SWE_OK ? 0 : EINVAL;
}

static swe_status check_operands(swe_context *ctx, const cli_command *command, cli_options *out)
{
    const char *const *file = out->files;
    const int most = command->most_operands;
    if (out->file_count < command->least_operands)
        return swe_fail(ctx, SWE_USAGE, "%s needs %s (see cubeswe %s --help)", command->name,
                        command->needs, command->name);
    if (out->file_count > most && most > 1)
        return swe_fail(ctx, SWE_USAGE, "%s: two runs at a time, not also %s", command->name,
                        file[most]);
    if (out->file_count > most)
        return swe_fail(ctx, SWE_USAGE, "%s: one case file or folder at a time, not also %s%s",
                        command->name, file[1],
                        cli_mode_setting(file[0]) != NULL || cli_mode_setting(file[1]) != NULL
                            ? " (a mode is given as --profile=MODE)"
                            : "");
    out->case_file = out->file_count > 0 ? file[0] : NULL;
    out->other = out->file_count > 1 ? file[1] : NULL;
    return command->accepts_case_name ? cli_find_case(ctx, out) : SWE_OK;
}

swe_status cli_parse(swe_context *ctx, int argc, char **argv, const cli_command *command,
                     cli_options *out)
{
    reading r = {.ctx = ctx, .command = command, .out = out};
    *out = (cli_options){.backend = "auto", .interval = 1.0, .repeats = 30};
    cli_table_fill(&r.table, command);
    const struct argp argp = {.options = r.table.row, .parser = read_argument};
    const error_t error = argp_parse(&argp, argc, argv, ARGP_SILENT, NULL, &r);
    if (error == ENOMEM)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the arguments");
    SWE_TRY(r.status);
    return out->help || out->version ? SWE_OK : check_operands(ctx, command, out);
}

swe_status cli_check_ascends(swe_context *ctx, const char *option, const cli_list *list)
{
    for (int k = 1; k < list->count; k++)
        if (list->value[k] <= list->value[k - 1])
            return swe_fail(ctx, SWE_USAGE, "%s: the list must ascend", option);
    return SWE_OK;
}
