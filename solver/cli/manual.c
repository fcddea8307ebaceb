#include <stdlib.h>
#include <string.h>

#include "base/hint.h"
#include "base/version.h"
#include "cli/options.h"

const cli_command *const cli_commands[] = {&cli_run,    &cli_converge, &cli_profile, &cli_bench,
                                           &cli_report, &cli_compare,  &cli_convert, &cli_info,
                                           &cli_top,    NULL};

/* The program, as a command without a name. */
static const cli_command program = {
    .name = "",
    .operands = "COMMAND [ARGUMENT...]\nhelp [COMMAND]",
    .summary = "shallow water on the cubed sphere",
    .text =
        "Shallow water on the cubed sphere, with a profiler."
        "\v"
        "CASE.yaml is a file or the name of a ready case, such as gaussian_seed "
        "(config/README.md). cubeswe help COMMAND describes a command.\n"
        "\n"
        "Exit codes: 0 success, 1 slower than allowed, 2 inconclusive, 64 usage, "
        "65 bad data, 66 no input, 69 backend not available, 70 internal error or unstable run, "
        "71 out of memory, 73 cannot create an output, 74 failed input or output, 75 stopped "
        "and continues when started again, 78 configuration.",
};

swe_status cli_find_command(swe_context *ctx, const char *name, const cli_command **out)
{
    swe_hint hint;
    swe_hint_start(&hint, name);
    for (int k = 0; cli_commands[k] != NULL; k++) {
        *out = cli_commands[k];
        if (strcmp(name, cli_commands[k]->name) == 0)
            return SWE_OK;
        swe_hint_offer(&hint, cli_commands[k]->name, NULL);
    }
    swe_hint_offer(&hint, "help", NULL);
    swe_hint_offer(&hint, "version", NULL);
    return swe_fail(ctx, SWE_USAGE, "no command '%.200s'%s (see cubeswe --help)", name,
                    swe_hint_text(&hint));
}

enum { NAME = 48 };

/* Rows of the options, and for the program also of its commands. */
typedef struct page {
    cli_table table;
    char name[CLI_MOST_OPTIONS][NAME];
    char title[NAME], file[NAME]; /* "cubeswe run" and "cubeswe-run" */
} page;

/* Fill the page of a command, or of the program. */
static void start_page(page *p, const cli_command *command)
{
    snprintf(p->title, sizeof p->title, "cubeswe%s%s", command == &program ? "" : " ",
             command->name);
    snprintf(p->file, sizeof p->file, "cubeswe%s%s", command == &program ? "" : "-", command->name);
    cli_table_fill(&p->table, command);
    for (int k = 0; command == &program && cli_commands[k] != NULL; k++) {
        const char *operands = cli_commands[k]->operands;
        snprintf(p->name[k], NAME, "%s %.*s", cli_commands[k]->name, (int)strcspn(operands, "\n"),
                 operands);
        p->table.row[p->table.count++] = (struct argp_option){.name = p->name[k],
                                                              .flags = OPTION_DOC,
                                                              .doc = cli_commands[k]->summary,
                                                              .group = p->table.count + 1};
    }
}

void cli_help(const cli_command *command)
{
    page p;
    const cli_command *shown = command != NULL ? command : &program;
    start_page(&p, shown);
    const struct argp argp = {
        .options = p.table.row, .args_doc = shown->operands, .doc = shown->text};
    argp_help(&argp, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, p.title);
}

/* Print text with roff's special characters escaped; an empty line starts a paragraph. */
static void print_roff(const char *text, size_t length)
{
    bool is_start = true;
    for (const char *c = text; c < text + length; c++) {
        const bool is_paragraph = strncmp(c, "\n\n", 2) == 0;
        if (is_start && (*c == '.' || *c == '\''))
            fputs("\\&", stdout);
        is_start = *c == '\n';
        if (*c == '-' || *c == '\\')
            fputs(*c == '-' ? "\\-" : "\\e", stdout);
        else if (is_start)
            fputs(is_paragraph ? "\n.PP\n" : "\n.br\n", stdout);
        else
            putchar(*c);
        c += is_paragraph;
    }
}

static void print_words(const char *before, const char *text, const char *after)
{
    fputs(before, stdout);
    print_roff(text, strlen(text));
    fputs(after, stdout);
}

static void print_section(const char *title, const char *text, size_t length)
{
    printf(".SH %s\n", title);
    print_roff(text, length);
    putchar('\n');
}

static void print_row(const struct argp_option *row)
{
    const bool is_command = (row->flags & OPTION_DOC) != 0;
    const bool is_optional = (row->flags & OPTION_ARG_OPTIONAL) != 0;
    fputs(".TP\n", stdout);
    if (!is_command && row->key < 256)
        printf("\\fB\\-%c\\fR, ", row->key);
    print_words(is_command ? "\\fB" : "\\fB\\-\\-", row->name, "\\fR");
    if (row->arg != NULL)
        printf("%s=\\fI%s\\fR%s", is_optional ? "[" : "", row->arg, is_optional ? "]" : "");
    print_words("\n", row->doc, "\n");
}

static void print_synopsis(const page *p, const char *operands)
{
    const char *form = operands;
    fputs(".SH SYNOPSIS\n", stdout);
    do {
        const size_t length = strcspn(form, "\n");
        printf("%s\\fB%s\\fR [\\fIOPTION\\fR...] ", form == operands ? "" : ".br\n", p->title);
        print_roff(form, length);
        putchar('\n');
        form += length;
    } while (*form++ == '\n');
}

static void print_related(const cli_command *command)
{
    fputs(".SH SEE ALSO\n", stdout);
    if (command != &program)
        fputs(".BR cubeswe (1)\n", stdout);
    for (int k = 0; command == &program && cli_commands[k] != NULL; k++)
        printf("%s.BR cubeswe\\-%s (1)", k > 0 ? ",\n" : "", cli_commands[k]->name);
    if (command == &program)
        putchar('\n');
}

void cli_manual(const cli_command *command)
{
    page p;
    const cli_command *shown = command != NULL ? command : &program;
    const size_t before = strcspn(shown->text, "\v");
    start_page(&p, shown);
    print_words(".TH \"", p.file, "\" 1 \"\" ");
    printf("\"cubeswe %s\" \"User Commands\"\n", swe_version);
    print_words(".SH NAME\n", p.file, "");
    print_words(" \\- ", shown->summary, "\n");
    print_synopsis(&p, shown->operands);
    print_section("DESCRIPTION", shown->text, before);
    fputs(".SH OPTIONS\n", stdout);
    for (int k = 0; k < p.table.count; k++)
        if ((p.table.row[k].flags & OPTION_DOC) == 0)
            print_row(&p.table.row[k]);
    if (command == NULL)
        fputs(".SH COMMANDS\n", stdout);
    for (int k = 0; k < p.table.count; k++)
        if ((p.table.row[k].flags & OPTION_DOC) != 0)
            print_row(&p.table.row[k]);
    if (shown->text[before] != '\0')
        print_section("NOTES", shown->text + before + 1, strlen(shown->text) - before - 1);
    print_related(shown);
}
