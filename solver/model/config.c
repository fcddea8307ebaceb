#include "model/config.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/version.h"
#include "model/config_environment.h"
#include "model/config_raw.h"
#include "stages/regions.h"

/* A key being checked, and where to complain about it. */
typedef struct checker {
    swe_context *ctx;
    swe_document *document;
} checker;

static swe_status complain(const checker *c, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static swe_status complain(const checker *c, const char *path, const char *format, ...)
{
    char where[512], text[384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    swe_document_locate(c->document, path, where, sizeof where);
    return swe_fail(c->ctx, SWE_CONFIG, "%s: %s: %s", where, path, text);
}

/* Whether `end`, where reading a number stopped, is the end of a decimal number and nothing more.
 */
static bool is_number(const char *raw, const char *end)
{
    return end != raw && *end == '\0' && !isspace((unsigned char)*raw) &&
           strpbrk(raw, "xX") == NULL;
}

static swe_status take_real(const checker *c, const char *path, const char *raw, double fallback,
                            double least, double most, double *out)
{
    *out = fallback;
    if (raw == NULL)
        return SWE_OK;
    char *end = NULL;
    *out = strtod(raw, &end);
    if (!is_number(raw, end))
        return complain(c, path, "'%.100s' is not a number", raw);
    if (!(*out >= least && *out <= most))
        return complain(c, path, "%.100s is not in [%g, %g]", raw, least, most);
    return SWE_OK;
}

static swe_status take_integer(const checker *c, const char *path, const char *raw, long fallback,
                               long least, long most, long *out)
{
    *out = fallback;
    if (raw == NULL)
        return SWE_OK;
    char *end = NULL;
    *out = strtol(raw, &end, 10);
    if (!is_number(raw, end))
        return complain(c, path, "'%.100s' is not an integer", raw);
    if (*out < least || *out > most)
        return complain(c, path, "%.100s is not in [%ld, %ld]", raw, least, most);
    return SWE_OK;
}

/* Place of a word in "a|b|c"; -1 if it is not there. */
static int place_of(const char *word, const char *choices)
{
    const size_t length = strlen(word);
    int place = 0;
    for (const char *start = choices;; place++) {
        const size_t this_length = strcspn(start, "|");
        if (this_length == length && strncmp(start, word, length) == 0)
            return place;
        if (start[this_length] == '\0')
            return -1;
        start += this_length + 1;
    }
}

static swe_status take_choice(const checker *c, const char *path, const char *raw,
                              const char *fallback, const char *choices, int *out)
{
    const char *word = raw != NULL ? raw : fallback;
    const int place = place_of(word, choices);
    if (place < 0)
        return complain(c, path, "'%.100s' is not one of %s", word, choices);
    *out = place;
    return SWE_OK;
}

static swe_status take_text(const checker *c, const char *path, const char *raw,
                            const char *fallback, char **out)
{
    *out = strdup(raw != NULL ? raw : fallback);
    return *out != NULL ? SWE_OK : swe_fail(c->ctx, SWE_NO_MEMORY, "out of memory for %s", path);
}

static swe_status take_reals(const checker *c, const char *path, char *const *raw, unsigned count,
                             double least, double most, swe_reals *out)
{
    out->count = raw != NULL ? count : 0;
    out->value = calloc(out->count + 1, sizeof(double));
    if (out->value == NULL)
        return swe_fail(c->ctx, SWE_NO_MEMORY, "out of memory for %s", path);
    for (unsigned k = 0; k < out->count; k++)
        SWE_TRY(take_real(c, path, raw[k], 0.0, least, most, &out->value[k]));
    return SWE_OK;
}

/* Bits of the words of "a|b" among "a|b|c". */
static unsigned bits_of(const char *words, const char *choices)
{
    unsigned bits = 0;
    for (;;) {
        char word[64];
        const size_t length = strcspn(words, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        const int place = place_of(word, choices);
        bits |= place >= 0 ? 1u << place : 0u;
        if (words[length] == '\0')
            return bits;
        words += length + 1;
    }
}

static swe_status take_words(const checker *c, const char *path, char *const *raw, unsigned count,
                             const char *fallback, const char *choices, swe_words *out)
{
    out->chosen = raw != NULL ? 0u : bits_of(fallback, choices);
    for (unsigned k = 0; raw != NULL && k < count; k++) {
        int place = 0;
        SWE_TRY(take_choice(c, path, raw[k], "", choices, &place));
        out->chosen |= 1u << place;
    }
    return SWE_OK;
}

#define RAW(section, name)   (raw->section != NULL ? raw->section->name : NULL)
#define COUNT(section, name) (raw->section != NULL ? raw->section->name##_count : 0)
#define TAKE_REAL(section, name, fallback, least, most, ...)                                       \
    SWE_TRY(take_real(c, #section "." #name, RAW(section, name), fallback, least, most,            \
                      &out->section.name));
#define TAKE_INTEGER(section, name, fallback, least, most, ...)                                    \
    SWE_TRY(take_integer(c, #section "." #name, RAW(section, name), fallback, least, most,         \
                         &out->section.name));
#define TAKE_CHOICE(section, name, fallback, choices, ...)                                         \
    SWE_TRY(take_choice(c, #section "." #name, RAW(section, name), fallback, choices,              \
                        &out->section.name));
#define TAKE_TEXT(section, name, fallback, ...)                                                    \
    SWE_TRY(take_text(c, #section "." #name, RAW(section, name), fallback, &out->section.name));
#define TAKE_REALS(section, name, least, most, ...)                                                \
    SWE_TRY(take_reals(c, #section "." #name, RAW(section, name), COUNT(section, name), least,     \
                       most, &out->section.name));
#define TAKE_WORDS(section, name, fallback, choices, ...)                                          \
    SWE_TRY(take_words(c, #section "." #name, RAW(section, name), COUNT(section, name), fallback,  \
                       choices, &out->section.name));
#define TAKE_SECTION(section)                                                                      \
    SWE_CONFIG_##section(TAKE_REAL, TAKE_INTEGER, TAKE_CHOICE, TAKE_TEXT, TAKE_REALS, TAKE_WORDS)

static swe_status take_all(const checker *c, const swe_raw *raw, swe_config *out)
{
    SWE_CONFIG_SECTIONS(TAKE_SECTION)
    return SWE_OK;
}

/* What single keys cannot tell. */

static swe_status check_grid(const checker *c, const swe_config *config)
{
    const swe_sbp *sbp = NULL;
    swe_context quiet = {""};
    const int n = (int)config->grid.n, order = (int)config->grid.order;
    if (order % 2 != 0)
        return complain(c, "grid.order", "%d is not one of 2, 4, 6", order);
    if (swe_sbp_find(&quiet, order, (swe_closure)config->grid.closure, n, &sbp) == SWE_OK)
        return SWE_OK;
    return complain(c, sbp != NULL ? "grid.n" : "grid.closure", "%s", quiet.message);
}

static double machine_bytes(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* A run that cannot fit must not start: the kernel would kill it later without a word. */
static swe_status check_memory(const checker *c, const swe_config *config)
{
    const double gib = 1024.0 * 1024.0 * 1024.0;
    if (swe_config_fits(config))
        return SWE_OK;
    return complain(c, "grid.n", "%ld needs %.1f GiB of memory, this machine has %.1f",
                    config->grid.n, (double)swe_config_bytes(config) / gib, machine_bytes() / gib);
}

static swe_status check_time(const checker *c, const swe_config *config)
{
    static const char *const names[] = {"time.dt", "time.dt_times_n", "time.courant"};
    const double rules[] = {config->time.dt, config->time.dt_times_n, config->time.courant};
    const char *used = "time.end";
    int given = 0;
    for (int i = 0; i < 3; i++)
        if (rules[i] > 0.0) {
            used = names[i];
            if (++given > 1)
                return complain(c, used, "set one of time.dt, time.dt_times_n and time.courant");
        }
    double dt = 0.0;
    long steps = 0;
    swe_config_schedule(config, &dt, &steps);
    if (!(config->time.end / dt <= 1e12))
        return complain(c, used, "more than 1e12 steps");
    const swe_physics physics = swe_config_physics(config);
    const double courant = swe_model_courant(&physics, (int)config->grid.n, dt);
    const double limit =
        swe_sbp_courant_limit((int)config->grid.order, (swe_closure)config->grid.closure);
    if (courant > limit * (1.0 + 1e-6)) /* whole steps may lengthen dt by that much */
        return complain(c, used,
                        "dt = %.6g s is unstable: Courant number %.3f, order %ld allows %.2f", dt,
                        courant, config->grid.order, limit);
    return SWE_OK;
}

static swe_status check_initial(const checker *c, const swe_config *config)
{
    if (config->initial.kind == SWE_INITIAL_FILE && config->initial.path[0] == '\0')
        return complain(c, "initial.path", "kind 'file' needs a path");
    if (config->initial.kind != SWE_INITIAL_FILE && config->initial.path[0] != '\0')
        return complain(c, "initial.path", "only kind 'file' has a path");
    return SWE_OK;
}

static swe_status check_samples(const checker *c, const swe_config *config)
{
    for (unsigned k = 0; k < config->diagnostics.sample_times.count; k++)
        if (config->diagnostics.sample_times.value[k] > config->time.end)
            return complain(c, "diagnostics.sample_times", "%g is after time.end",
                            config->diagnostics.sample_times.value[k]);
    return SWE_OK;
}

static swe_status check_profile(const checker *c, const swe_config *config)
{
    if (config->profile.mode != PROF_OFF && config->profile.interval > 0 &&
        config->profile.interval < config->profile.duration)
        return complain(c, "profile.interval",
                        "%ld is less than profile.duration, %ld: windows overlap",
                        config->profile.interval, config->profile.duration);
    return SWE_OK;
}

static swe_status check_all(const checker *c, const swe_config *config)
{
    SWE_TRY(check_grid(c, config));
    SWE_TRY(check_memory(c, config));
    SWE_TRY(check_initial(c, config));
    SWE_TRY(check_time(c, config));
    SWE_TRY(check_profile(c, config));
    return check_samples(c, config);
}

/* Whether a name can stand in JSON and attributes: UTF-8 without control characters. */
static bool is_text(const char *name)
{
    json_t *value = json_string(name); /* NULL if it is not UTF-8 */
    const bool is_utf8 = value != NULL;
    json_decref(value);
    for (; *name != '\0'; name++)
        if (iscntrl((unsigned char)*name))
            return false;
    return is_utf8;
}

/* "config/pulse.yaml" -> "pulse"; without a file "defaults". */
static swe_status name_case(swe_context *ctx, const char *path, swe_config *config)
{
    const char *file = path != NULL ? path : "";
    if (!is_text(file))
        return swe_fail(ctx, SWE_CONFIG, "%s: the name is not UTF-8 text", file);
    const char *slash = strrchr(file, '/');
    const char *name = path == NULL ? "defaults" : slash != NULL ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    config->case_file = strdup(file);
    config->case_name =
        dot != NULL && dot > name ? strndup(name, (size_t)(dot - name)) : strdup(name);
    if (config->case_file == NULL || config->case_name == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the name of the case");
    return SWE_OK;
}

/* Make the path of an initial file, which is relative to the case file's folder, absolute: the
 * configuration that a run writes can then lie anywhere. */
static swe_status resolve_path(swe_context *ctx, swe_config *config)
{
    char **path = &config->initial.path, joined[8192], cwd[4096] = "";
    if ((*path)[0] == '\0' || (*path)[0] == '/')
        return SWE_OK;
    const char *slash = strrchr(config->case_file, '/');
    const int folder = slash != NULL ? (int)(slash - config->case_file) + 1 : 0;
    if (config->case_file[0] != '/' && getcwd(cwd, sizeof cwd) == NULL)
        return swe_fail(ctx, SWE_NO_INPUT, "the current folder cannot be found");
    const int length = snprintf(joined, sizeof joined, "%s%s%.*s%s", cwd, cwd[0] != '\0' ? "/" : "",
                                folder, config->case_file, *path);
    char *absolute = length < (int)sizeof joined ? strdup(joined) : NULL;
    if (absolute == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for initial.path");
    free(*path);
    *path = absolute;
    return SWE_OK;
}

static swe_status resolve(const checker *c, const char *path, const char *const *set, int set_count,
                          swe_config *config)
{
    SWE_TRY(swe_environment_apply(c->ctx, c->document));
    for (int i = 0; i < set_count; i++)
        SWE_TRY(swe_document_set(c->ctx, c->document, "--set", set[i], true));
    swe_raw *raw = NULL;
    SWE_TRY(name_case(c->ctx, path, config));
    SWE_TRY(swe_raw_load(c->ctx, c->document, &raw));
    const swe_status status = take_all(c, raw, config);
    swe_raw_destroy(&raw);
    SWE_TRY(status);
    SWE_TRY(check_all(c, config));
    return resolve_path(c->ctx, config);
}

swe_status swe_config_load(swe_context *ctx, const char *path, const char *const *set,
                           int set_count, swe_config **out)
{
    *out = NULL;
    checker c = {ctx, NULL};
    SWE_TRY(swe_document_load(ctx, path, &c.document));
    swe_config *config = calloc(1, sizeof *config);
    swe_status status = config != NULL ? resolve(&c, path, set, set_count, config)
                                       : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for a case");
    swe_document_destroy(&c.document);
    if (status != SWE_OK)
        swe_config_destroy(&config);
    *out = config;
    return status;
}

#define FREE_NOTHING(...)
#define FREE_TEXT(section, name, ...)  free((*config)->section.name);
#define FREE_REALS(section, name, ...) free((*config)->section.name.value);
#define FREE_SECTION(section)                                                                      \
    SWE_CONFIG_##section(FREE_NOTHING, FREE_NOTHING, FREE_NOTHING, FREE_TEXT, FREE_REALS,          \
                         FREE_NOTHING)

void swe_config_destroy(swe_config **config)
{
    if (*config == NULL)
        return;
    SWE_CONFIG_SECTIONS(FREE_SECTION)
    free((*config)->case_name);
    free((*config)->case_file);
    free(*config);
    *config = NULL;
}

void swe_config_schedule(const swe_config *config, double *dt, long *steps)
{
    const double default_courant = 0.2;
    double rule = config->time.dt;
    if (config->time.dt_times_n > 0.0)
        rule = config->time.dt_times_n / (double)config->grid.n;
    if (rule <= 0.0) {
        const swe_physics physics = swe_config_physics(config);
        const double courant = config->time.courant > 0.0 ? config->time.courant : default_courant;
        rule = courant / swe_model_courant(&physics, (int)config->grid.n, 1.0);
    }
    /* 0.3333333 for 1/3 must not cost a step: round up only what is more than rounding */
    const double exact = config->time.end / rule;
    const double nearest = floor(exact + 0.5);
    const double whole = fabs(exact - nearest) <= 1e-6 * exact ? nearest : ceil(exact);
    *steps = whole < 1.0 ? 1 : whole < 1e18 ? (long)whole : 1000000000000000000L;
    *dt = config->time.end / (double)*steps;
}

size_t swe_config_bytes(const swe_config *config)
{
    const swe_layout layout = swe_layout_of((int)config->grid.n);
    const size_t host_fields = 3 + 2 + 2; /* state, errors, room of the writer */
    return swe_model_bytes(layout.n, (swe_pipeline)config->scheme.pipeline,
                           (swe_precision)config->scheme.precision) +
           sizeof(double) * (host_fields * (size_t)layout.field + 4 * (size_t)layout.panel);
}

bool swe_config_fits(const swe_config *config)
{
    return (double)swe_config_bytes(config) <= 0.9 * machine_bytes();
}

swe_model_options swe_config_model(const swe_config *config, const char *backend, int threads,
                                   prof_profiler *profiler)
{
    return (swe_model_options){(int)config->grid.n,
                               (int)config->grid.order,
                               (swe_closure)config->grid.closure,
                               swe_config_physics(config),
                               (swe_pipeline)config->scheme.pipeline,
                               (swe_precision)config->scheme.precision,
                               false,
                               backend,
                               threads,
                               profiler};
}

swe_physics swe_config_physics(const swe_config *config)
{
    return (swe_physics){config->physics.gravity, config->physics.depth, config->physics.radius};
}

swe_initial swe_config_initial(const swe_config *config)
{
    return (swe_initial){(swe_initial_kind)config->initial.kind,
                         config->initial.lon,
                         config->initial.lat,
                         config->initial.amplitude,
                         config->initial.width,
                         (int)config->initial.degree,
                         config->initial.angle};
}

/* Words of the keys and numbers of the profiler are in one order. */
prof_options swe_config_profile(const swe_config *config)
{
    double dt = 0.0;
    long steps = 0;
    swe_config_schedule(config, &dt, &steps);
    return (prof_options){.mode = (prof_mode)config->profile.mode,
                          .directory = config->profile.dir,
                          .start_step = config->profile.start_step,
                          .duration = config->profile.duration,
                          .interval = config->profile.interval,
                          .last_step = steps,
                          .max_events = config->profile.max_events,
                          .files = config->profile.traces.chosen,
                          .counters = (prof_counters)config->profile.counters,
                          .sampling = 1000 * (int64_t)config->profile.sampling,
                          .case_name = config->case_name,
                          .version = swe_version,
                          .regions = swe_regions,
                          .region_count = SWE_REGION_COUNT};
}
