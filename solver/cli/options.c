#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hint.h"
#include "cli/cli.h"

static const struct option long_options[] = {
    {"set", required_argument, NULL, 's'},
    {"backend", required_argument, NULL, 'b'},
    {"threads", required_argument, NULL, 't'},
    {"output", required_argument, NULL, 'o'},
    {"n", required_argument, NULL, 'n'},
    {"order", required_argument, NULL, 'r'},
    {"profile", optional_argument, NULL, 'p'},
    {"overwrite", no_argument, NULL, 'w'},
    {"dry-run", no_argument, NULL, 'd'},
    {"quiet", no_argument, NULL, 'q'},
    {"json", no_argument, NULL, 'j'},
    {"keys", no_argument, NULL, 'k'},
    {"ceilings", no_argument, NULL, 'C'},
    {"kernels", no_argument, NULL, 'K'},
    {"interval", required_argument, NULL, 'i'},
    {"once", no_argument, NULL, 'c'},
    {"wait", no_argument, NULL, 'a'},
    {"fail-above", required_argument, NULL, 'f'},
    {"html", required_argument, NULL, 'H'},
    {"anyway", no_argument, NULL, 'A'},
    {"repeats", required_argument, NULL, 'R'},
    {"pipeline", required_argument, NULL, 'P'},
    {"precision", required_argument, NULL, 'S'},
    {"restart", required_argument, NULL, 'e'},
    {"strict", no_argument, NULL, 'x'},
    {"max-walltime", required_argument, NULL, 'm'},
    {"to", required_argument, NULL, 'T'},
    {"lon", required_argument, NULL, 'L'},
    {"lat", required_argument, NULL, 'l'},
    {"fields", required_argument, NULL, 'F'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* A whole number in [least, most]. */
static bool parse_number(const char *text, int least, int most, int *out)
{
    char *end = NULL;
    const long value = strtol(text, &end, 10);
    *out = (int)value;
    return end != text && *end == '\0' && value >= least && value <= most;
}

/* Seconds in [least, most]. */
static bool parse_seconds(const char *text, double least, double most, double *out)
{
    char *end = NULL;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= least && *out <= most;
}

/* Digits up to a mark, which is passed; false without them. */
static bool take_digits(const char **text, char mark, size_t most, double *out)
{
    const size_t digits = strspn(*text, "0123456789");
    if (digits == 0 || digits > most || (*text)[digits] != mark)
        return false;
    *out = strtod(*text, NULL);
    *text += digits + (mark != '\0');
    return true;
}

/* SECONDS, or H:MM:SS as schedulers have it. */
static bool parse_walltime(const char *text, double *out)
{
    double hours = 0.0, minutes = 0.0, seconds = 0.0;
    if (strchr(text, ':') == NULL)
        return parse_seconds(text, 1e-3, 1e9, out);
    if (!take_digits(&text, ':', 6, &hours) || !take_digits(&text, ':', 2, &minutes) ||
        !take_digits(&text, '\0', 2, &seconds) || minutes >= 60.0 || seconds >= 60.0)
        return false;
    *out = 3600.0 * hours + 60.0 * minutes + seconds;
    return *out > 0.0;
}

static bool parse_list(const char *text, cli_list *out)
{
    char item[16];
    out->count = 0;
    for (;;) {
        const size_t length = strcspn(text, ",");
        if (length == 0 || length >= sizeof item || out->count == CLI_MOST_LIST)
            return false;
        memcpy(item, text, length);
        item[length] = '\0';
        if (!parse_number(item, 1, 1 << 20, &out->value[out->count++]))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

/* A list of some of `count` words, which `chosen` gets. */
static bool parse_words(const char *text, const char *const *words, int count, bool *chosen)
{
    for (;;) {
        const size_t length = strcspn(text, ",");
        int k = 0;
        while (k < count && (strlen(words[k]) != length || strncmp(text, words[k], length) != 0))
            k++;
        if (k == count)
            return false;
        chosen[k] = true;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

static swe_status take_pipelines(swe_context *ctx, const char *text, cli_options *out)
{
    const char *words[SWE_PIPELINES];
    for (int k = 0; k < SWE_PIPELINES; k++)
        words[k] = swe_pipeline_name((swe_pipeline)k);
    return parse_words(text, words, SWE_PIPELINES, out->pipeline)
               ? SWE_OK
               : swe_fail(ctx, SWE_USAGE,
                          "--pipeline %s: expected fused, staged or both, as in fused,staged",
                          text);
}

static swe_status take_precisions(swe_context *ctx, const char *text, cli_options *out)
{
    const char *words[SWE_PRECISIONS];
    for (int k = 0; k < SWE_PRECISIONS; k++)
        words[k] = swe_precision_name((swe_precision)k);
    return parse_words(text, words, SWE_PRECISIONS, out->precision)
               ? SWE_OK
               : swe_fail(ctx, SWE_USAGE,
                          "--precision %s: expected double, single or both, as in double,single",
                          text);
}

static swe_status take_set(swe_context *ctx, const char *assignment, cli_options *out)
{
    if (out->set_count == CLI_MOST_SET)
        return swe_fail(ctx, SWE_USAGE, "more than %d --set", CLI_MOST_SET);
    out->set[out->set_count++] = assignment;
    return SWE_OK;
}

/* Modes that --profile takes. */
static const char *const profile_modes[] = {"trace", "summary", "nsys", "counters", "off"};
static const char *const profile_settings[] = {"profile.mode=trace", "profile.mode=summary",
                                               "profile.mode=nsys", "profile.mode=counters",
                                               "profile.mode=off"};
enum { PROFILE_MODES = sizeof profile_modes / sizeof profile_modes[0] };

static bool is_profile_mode(const char *word)
{
    for (int k = 0; k < PROFILE_MODES; k++)
        if (strcmp(word, profile_modes[k]) == 0)
            return true;
    return false;
}

/* --profile[=MODE] is short for --set profile.mode=MODE. */
static swe_status take_profile(swe_context *ctx, const char *mode, cli_options *out)
{
    for (int k = 0; k < PROFILE_MODES; k++)
        if (strcmp(mode, profile_modes[k]) == 0)
            return take_set(ctx, profile_settings[k], out);
    return swe_fail(ctx, SWE_USAGE, "--profile=%s: expected trace, summary, nsys, counters or off",
                    mode);
}

/* A percentage, with its sign or without. */
static swe_status take_limit(swe_context *ctx, const char *text, cli_options *out)
{
    char *end = NULL;
    out->limit_percent = strtod(text, &end);
    out->has_limit = true;
    if (end != text && strcmp(*end == '%' ? end + 1 : end, "") == 0 &&
        isfinite(out->limit_percent) && out->limit_percent >= 0.0)
        return SWE_OK;
    return swe_fail(ctx, SWE_USAGE, "--fail-above %s: expected a percentage such as 5%%", text);
}

/* A path; a shell leaves the ~ of --output=~/there as it is. */
static swe_status take_path(swe_context *ctx, const char *option, const char *path,
                            const char **out)
{
    *out = path;
    return swe_config_is_home(path)
               ? swe_fail(ctx, SWE_USAGE,
                          "--%s=%.200s: ~ is no name of a folder here: name it in full", option,
                          path)
               : SWE_OK;
}

static swe_status take(swe_context *ctx, int letter, const char *value, cli_options *out)
{
    switch (letter) {
    case 's':
        return take_set(ctx, value, out);
    case 'p':
        return take_profile(ctx, value != NULL ? value : "trace", out);
    case 'b':
        out->backend = value;
        return SWE_OK;
    case 't':
        if (strcmp(value, "auto") == 0) {
            out->threads = 0;
            return SWE_OK;
        }
        return parse_number(value, 1, 4096, &out->threads)
                   ? SWE_OK
                   : swe_fail(ctx, SWE_USAGE, "--threads %s: expected 1 to 4096, or auto", value);
    case 'o':
        return take_path(ctx, "output", value, &out->output);
    case 'n':
        return parse_list(value, &out->n)
                   ? SWE_OK
                   : swe_fail(ctx, SWE_USAGE, "--n %s: expected a list such as 24,48,96", value);
    case 'r':
        return parse_list(value, &out->order)
                   ? SWE_OK
                   : swe_fail(ctx, SWE_USAGE, "--order %s: expected a list such as 2,4,6", value);
    case 'R':
        return parse_number(value, 30, 1000, &out->repeats)
                   ? SWE_OK
                   : swe_fail(ctx, SWE_USAGE, "--repeats %s: expected 30 to 1000", value);
    case 'P':
        return take_pipelines(ctx, value, out);
    case 'S':
        return take_precisions(ctx, value, out);
    case 'i':
        return parse_seconds(value, 0.1, 3600.0, &out->interval)
                   ? SWE_OK
                   : swe_fail(ctx, SWE_USAGE, "--interval %s: expected 0.1 to 3600 seconds", value);
    case 'w':
        out->overwrite = true;
        return SWE_OK;
    case 'd':
        out->dry_run = true;
        return SWE_OK;
    case 'q':
        out->quiet = true;
        return SWE_OK;
    case 'j':
        out->json = true;
        return SWE_OK;
    case 'k':
        out->keys = true;
        return SWE_OK;
    case 'c':
        out->once = true;
        return SWE_OK;
    case 'a':
        out->wait = true;
        return SWE_OK;
    case 'C':
        out->ceilings = true;
        return SWE_OK;
    case 'K':
        out->kernels = true;
        return SWE_OK;
    case 'f':
        return take_limit(ctx, value, out);
    case 'H':
        return take_path(ctx, "html", value, &out->html);
    case 'A':
        out->anyway = true;
        return SWE_OK;
    case 'e':
        return take_path(ctx, "restart", value, &out->restart);
    case 'x':
        out->strict = true;
        return SWE_OK;
    case 'm':
        return parse_walltime(value, &out->max_walltime)
                   ? SWE_OK
                   : swe_fail(ctx, SWE_USAGE, "--max-walltime %s: expected seconds, or H:MM:SS",
                              value);
    case 'T':
        out->to = value;
        return SWE_OK;
    case 'L':
        return parse_number(value, 4, 65536, &out->lon)
                   ? SWE_OK
                   : swe_fail(ctx, SWE_USAGE, "--lon %s: expected 4 to 65536", value);
    case 'l':
        return parse_number(value, 2, 32768, &out->lat)
                   ? SWE_OK
                   : swe_fail(ctx, SWE_USAGE, "--lat %s: expected 2 to 32768", value);
    case 'F':
        out->fields = value;
        return SWE_OK;
    default:
        out->help = true;
        return SWE_OK;
    }
}

static const char *name_of(int letter)
{
    int k = 0;
    while (long_options[k].val != letter)
        k++;
    return long_options[k].name;
}

/* Whether a command takes an option; all take --help. */
static bool is_accepted(int letter, const char *accepted)
{
    return letter == 'h' || strchr(accepted, letter) != NULL;
}

/* The argument that getopt could not take. It keeps one letter of several ("-fast"). */
static const char *refused_argument(int argc, char **argv)
{
    for (int k = 1; optopt != 0 && k < argc; k++)
        if (argv[k][0] == '-' && argv[k][1] != '-' && strchr(argv[k], optopt) != NULL)
            return argv[k];
    return argv[optind - 1];
}

/* An argument that is no option, and the options of the command that are like it. */
static swe_status refuse_unknown(swe_context *ctx, const char *command, const char *argument,
                                 const char *accepted)
{
    swe_hint hint;
    char word[SWE_HINT_WORD], name[SWE_HINT_WORD];
    if (optopt != 0 && argument[1] == '-')
        return swe_fail(ctx, SWE_USAGE, "%.200s: takes no value (see cubeswe %s --help)", argument,
                        command);
    const char *start = argument + strspn(argument, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(start, "="), start);
    swe_hint_start(&hint, word);
    for (int k = 0; long_options[k].name != NULL; k++) {
        snprintf(name, sizeof name, "--%s", long_options[k].name);
        if (is_accepted(long_options[k].val, accepted))
            swe_hint_offer(&hint, long_options[k].name, name);
    }
    swe_hint_offer(&hint, "version", "--version");
    return swe_fail(ctx, SWE_USAGE, "%.200s: no such option%s (see cubeswe %s --help)", argument,
                    swe_hint_text(&hint), command);
}

/* "-overwrite" would read as -o verwrite. */
static bool is_misspelt_long_option(const char *argument)
{
    for (int k = 0; argument[0] == '-' && argument[1] != '-' && long_options[k].name != NULL; k++)
        if (strcmp(argument + 1, long_options[k].name) == 0)
            return true;
    return false;
}

swe_status cli_parse(swe_context *ctx, int argc, char **argv, const char *accepted,
                     cli_options *out)
{
    *out = (cli_options){.backend = "auto", .interval = 1.0, .repeats = 30};
    optind = 1;
    opterr = 0;
    int letter;
    while ((letter = getopt_long(argc, argv, ":ho:", long_options, NULL)) != -1) {
        if (letter == ':')
            return swe_fail(ctx, SWE_USAGE, "%s: needs a value (see cubeswe %s --help)",
                            argv[optind - 1], argv[0]);
        if (letter == '?')
            return refuse_unknown(ctx, argv[0], refused_argument(argc, argv), accepted);
        if (letter == 'o' && is_misspelt_long_option(argv[optind - 1]))
            return refuse_unknown(ctx, argv[0], argv[optind - 1], accepted);
        if (!is_accepted(letter, accepted))
            return swe_fail(ctx, SWE_USAGE, "%s does not take the option --%s (see --help)",
                            argv[0], name_of(letter));
        SWE_TRY(take(ctx, letter, optarg, out));
    }
    out->files = (const char *const *)argv + optind;
    out->file_count = argc - optind;
    if (strchr(accepted, '*') != NULL)
        return SWE_OK;
    const bool takes_two = strchr(accepted, '2') != NULL;
    if (takes_two && argc - optind > 2)
        return swe_fail(ctx, SWE_USAGE, "%s: two runs at a time, not also %s", argv[0],
                        argv[optind + 2]);
    if (!takes_two && argc - optind > 1)
        return swe_fail(ctx, SWE_USAGE, "%s: one case file or folder at a time, not also %s%s",
                        argv[0], argv[optind + 1],
                        is_profile_mode(argv[optind]) || is_profile_mode(argv[optind + 1])
                            ? " (a mode is given as --profile=MODE)"
                            : "");
    out->case_file = optind < argc ? argv[optind] : NULL;
    out->other = optind + 1 < argc ? argv[optind + 1] : NULL;
    const bool takes_case = strchr(accepted, 's') != NULL;
    return takes_case && !out->help ? cli_find_case(ctx, out) : SWE_OK;
}
