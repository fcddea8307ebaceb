#include "cli/options.h"

#include <argp.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hint.h"
#include "base/text.h"

static void *value_of(const cli_option_spec *option, cli_options *out)
{
    return (char *)out + option->at;
}

static bool parse_flag(const cli_option_spec *option, const char *text, cli_options *out)
{
    *(bool *)value_of(option, out) = true;
    return text == NULL;
}

static bool parse_text(const cli_option_spec *option, const char *text, cli_options *out)
{
    *(const char **)value_of(option, out) = text != NULL ? text : ""; /* without its value */
    return true;
}

/* A path. A leading ~ is refused: a shell does not expand it in --output=~/results. */
static bool parse_path(const cli_option_spec *option, const char *text, cli_options *out)
{
    return parse_text(option, text, out) && !swe_config_is_home(text);
}

/* An integer in [least, most]. */
static bool parse_whole(const char *text, double least, double most, int *out)
{
    char *end = NULL;
    const long value = strtol(text, &end, 10);
    *out = (int)value;
    return end != text && *end == '\0' && (double)value >= least && (double)value <= most;
}

static bool parse_number(const cli_option_spec *option, const char *text, cli_options *out)
{
    return parse_whole(text, option->least, option->most, value_of(option, out));
}

static bool parse_threads(const cli_option_spec *option, const char *text, cli_options *out)
{
    out->threads = 0;
    return strcmp(text, "auto") == 0 || parse_number(option, text, out);
}

static bool parse_time(const cli_option_spec *option, const char *text, cli_options *out)
{
    double *value = value_of(option, out);
    return swe_text_time(text, value) && *value >= option->least && *value <= option->most;
}

static bool parse_list(const cli_option_spec *option, const char *text, cli_options *out)
{
    char item[16];
    cli_list *list = value_of(option, out);
    list->count = 0;
    for (;;) {
        const size_t length = strcspn(text, ",");
        if (length == 0 || length >= sizeof item || list->count == CLI_MOST_LIST)
            return false;
        memcpy(item, text, length);
        item[length] = '\0';
        if (!parse_whole(item, 1, 1 << 20, &list->value[list->count++]))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

/* A list of some of `count` words; sets their elements of `chosen`. */
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

static bool parse_pipelines(const cli_option_spec *option, const char *text, cli_options *out)
{
    const char *words[SWE_PIPELINES];
    for (int k = 0; k < SWE_PIPELINES; k++)
        words[k] = swe_pipeline_name((swe_pipeline)k);
    return parse_words(text, words, SWE_PIPELINES, value_of(option, out));
}

static bool parse_precisions(const cli_option_spec *option, const char *text, cli_options *out)
{
    const char *words[SWE_PRECISIONS];
    for (int k = 0; k < SWE_PRECISIONS; k++)
        words[k] = swe_precision_name((swe_precision)k);
    return parse_words(text, words, SWE_PRECISIONS, value_of(option, out));
}

static bool parse_set(const cli_option_spec *option, const char *text, cli_options *out)
{
    if (out->set_count == CLI_MOST_SET)
        return false;
    ((const char **)value_of(option, out))[out->set_count++] = text;
    return true;
}

/* Settings that the modes of --profile stand for. */
static const char *const mode_settings[] = {"profile.mode=trace", "profile.mode=summary",
                                            "profile.mode=nsys",  "profile.mode=counters",
                                            "profile.mode=full",  "profile.mode=off"};
enum { MODES = sizeof mode_settings / sizeof mode_settings[0], MODE = sizeof "profile.mode=" - 1 };

const char *cli_mode_setting(const char *word)
{
    for (int k = 0; k < MODES; k++)
        if (strcmp(word, mode_settings[k] + MODE) == 0)
            return mode_settings[k];
    return NULL;
}

static bool parse_profile(const cli_option_spec *option, const char *text, cli_options *out)
{
    const char *setting = cli_mode_setting(text != NULL ? text : "trace");
    return setting != NULL && parse_set(option, setting, out);
}

/* A relative error. */
static bool parse_error(const cli_option_spec *option, const char *text, cli_options *out)
{
    char *end = NULL;
    double *value = value_of(option, out);
    *value = strtod(text, &end);
    return end != text && *end == '\0' && *value > 0.0 && *value < 1.0;
}

/* A percentage, with or without %. */
static bool parse_percentage(const cli_option_spec *option, const char *text, cli_options *out)
{
    char *end = NULL;
    double *value = value_of(option, out);
    *value = strtod(text, &end);
    out->has_limit = true;
    return end != text && strcmp(*end == '%' ? end + 1 : end, "") == 0 && isfinite(*value) &&
           *value >= 0.0;
}

static const char full_path[] = "a path without ~: name it in full";

#define AT(member) offsetof(cli_options, member)

static const cli_option_spec options[] = {
    {"n", "LIST", parse_list, .at = AT(n), .text = "cells along a panel side, ascending",
     .expected = "a list such as 24,48,96"},
    {"order", "LIST", parse_list, .at = AT(order),
     .text = "orders of accuracy (default: the order of the case)",
     .expected = "a list such as 2,4,6"},
    {"error", "E", parse_error, .at = AT(error), .expected = "a relative error such as 1e-7"},
    {"pipeline", "LIST", parse_pipelines, .at = AT(pipeline),
     .text = "fused, staged or fused,staged (default: the pipeline of the case)",
     .expected = "fused, staged or both, as in fused,staged"},
    {"precision", "LIST", parse_precisions, .at = AT(precision),
     .text = "double, single or double,single (default: the precision of the case)",
     .expected = "double, single or both, as in double,single"},
    {"repeats", "R", parse_number, .at = AT(repeats), .least = 30, .most = 1000,
     .text = "samples of each size, 30 to 1000 (default: 30)", .expected = "30 to 1000"},
    {"set", "KEY=VALUE", parse_set, .at = AT(set),
     .text = "override a key of the case, section.key (config/README.md); may be repeated",
     .expected = "at most 128 settings"},
    {"backend", "NAME", parse_text, .at = AT(backend),
     .text = "cpu, cuda, cuda:DEVICE or auto (default): a GPU if one works"},
    {"threads", "T", parse_threads, .at = AT(threads), .least = 1, .most = 4096,
     .text =
         "number of CPU threads; auto (default): as many as pay off, fewer while other programs "
         "use the cores; the results do not depend on it",
     .expected = "1 to 4096, or auto"},
    {"output", "DIR", parse_path, .at = AT(output), .expected = full_path, .letter = 'o'},
    {"profile", "[MODE]", parse_profile, .at = AT(set),
     .expected = "trace, summary, full, nsys, counters or off"},
    {"overwrite", NULL, parse_flag, .at = AT(overwrite), .text = "replace existing results"},
    {"restart", "DIR|FILE", parse_path, .at = AT(restart), .expected = full_path},
    {"strict", NULL, parse_flag, .at = AT(strict)},
    {"max-walltime", "TIME", parse_time, .at = AT(max_walltime), .least = 1e-3, .most = 1e9,
     .expected = "a time such as 5400, 90min or 1:30:00"},
    {"dry-run", NULL, parse_flag, .at = AT(dry_run)},
    {"fail-above", "P%", parse_percentage, .at = AT(limit_percent),
     .expected = "a percentage such as 5%"},
    {"html", "FILE", parse_path, .at = AT(html), .expected = full_path},
    {"anyway", NULL, parse_flag, .at = AT(anyway)},
    {"to", "FORMAT", parse_text, .at = AT(to)},
    {"ranks", "R", parse_number, .at = AT(ranks), .least = 1, .most = 65536,
     .expected = "1 to 65536"},
    {"lon", "N", parse_number, .at = AT(lon), .least = 4, .most = 65536, .expected = "4 to 65536"},
    {"lat", "N", parse_number, .at = AT(lat), .least = 2, .most = 32768, .expected = "2 to 32768"},
    {"fields", "LIST", parse_text, .at = AT(fields)},
    {"kernels", NULL, parse_flag, .at = AT(kernels)},
    {"plan", NULL, parse_flag, .at = AT(plan)},
    {"keys", NULL, parse_flag, .at = AT(keys)},
    {"ceilings", NULL, parse_flag, .at = AT(peaks)},
    {"man", "[COMMAND]", parse_text, .at = AT(manual)},
    {"interval", "S", parse_time, .at = AT(interval), .least = 0.1, .most = 3600.0,
     .expected = "0.1 to 3600 seconds"},
    {"once", NULL, parse_flag, .at = AT(once)},
    {"wait", NULL, parse_flag, .at = AT(wait)},
    {"json", NULL, parse_flag, .at = AT(json)},
    {"quiet", NULL, parse_flag, .at = AT(quiet), .text = "print nothing"},
    {"help", NULL, parse_flag, .at = AT(help), .text = "print this help", .letter = 'h'},
    {"version", NULL, parse_flag, .at = AT(version), .text = "print the version", .letter = 'V'},
};

enum { OPTIONS = sizeof options / sizeof options[0], FIRST_KEY = 256 };

/* Options of every command. */
static const cli_option common[] = {{.name = "help"}, {.name = "version"}, {.name = NULL}};

const cli_option_spec *cli_option_find(const char *name)
{
    int k = 0;
    while (k < OPTIONS && strcmp(options[k].name, name) != 0)
        k++;
    return k < OPTIONS ? &options[k] : NULL;
}

const cli_option_spec *cli_option_of_letter(int letter)
{
    int k = 0;
    while (k < OPTIONS && (options[k].letter == 0 || options[k].letter != letter))
        k++;
    return k < OPTIONS ? &options[k] : NULL;
}

const cli_option_spec *cli_option_of_key(int key)
{
    return key < FIRST_KEY             ? cli_option_of_letter(key)
           : key < FIRST_KEY + OPTIONS ? &options[key - FIRST_KEY]
                                       : NULL;
}

static void add_options(cli_table *table, const cli_option *list)
{
    for (; list->name != NULL; list++) {
        const cli_option_spec *option = cli_option_find(list->name);
        const char *value = list->value != NULL ? list->value : option->value;
        const bool is_optional = value != NULL && value[0] == '[';
        char *shown = table->value[table->count];
        if (value != NULL)
            snprintf(shown, sizeof table->value[0], "%.*s", (int)strlen(value) - 2 * is_optional,
                     value + is_optional);
        table->row[table->count] = (struct argp_option){
            .name = option->name,
            .key = option->letter != 0 ? option->letter : FIRST_KEY + (int)(option - options),
            .arg = value != NULL ? shown : NULL,
            .flags = is_optional ? OPTION_ARG_OPTIONAL : 0,
            .doc = list->text != NULL ? list->text : option->text,
            .group = table->count + 1};
        table->count++;
    }
}

void cli_table_fill(cli_table *table, const cli_command *command)
{
    *table = (cli_table){.count = 0};
    add_options(table, command->options);
    add_options(table, common);
}
