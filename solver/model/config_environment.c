#include "model/config_environment.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/config_keys.h"

/* What the process was given; POSIX declares it in no header. */
extern char **environ;

static const char prefix[] = "CUBESWE_PROFILE", enabled[] = "CUBESWE_PROFILE_ENABLED";

/* The keys of the section, and whether they take a list. */
static const struct {
    const char *name;
    bool is_list;
} keys[] = {
#define SINGLE(section, name, ...) {#name, false},
#define LIST(section, name, ...)   {#name, true},
    SWE_CONFIG_profile(SINGLE, SINGLE, SINGLE, SINGLE, LIST, LIST)
#undef SINGLE
#undef LIST
};

/* `variable` is a name, whatever follows it after "=". */
static swe_status apply(swe_context *ctx, swe_document *document, const char *variable,
                        const char *key, bool is_list, const char *value)
{
    char assignment[4096], name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(variable, "="), variable);
    if (is_list && strpbrk(value, "[]{}#") != NULL) /* they would end the list early */
        return swe_fail(ctx, SWE_CONFIG, "%s: '%.100s' is not a list such as a,b", name, value);
    if (snprintf(assignment, sizeof assignment, is_list ? "profile.%s=[%s]" : "profile.%s=%s", key,
                 value) >= (int)sizeof assignment)
        return swe_fail(ctx, SWE_CONFIG, "%s: the value is too long", name);
    return swe_document_set(ctx, document, name, assignment, is_list);
}

/* "_START_STEP=..." is of the key start_step. */
static bool is_of(const char *rest, const char *key)
{
    if (*rest++ != '_')
        return false;
    for (; *key != '\0' && *rest == toupper((unsigned char)*key); key++)
        rest++;
    return *key == '\0' && *rest == '=';
}

/* A variable whose name begins with the prefix, `rest` being what follows that. */
static swe_status apply_variable(swe_context *ctx, swe_document *document, const char *variable,
                                 const char *rest)
{
    const char *value = strchr(rest, '=') + 1;
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (is_of(rest, keys[k].name))
            return *value == '\0'
                       ? SWE_OK
                       : apply(ctx, document, variable, keys[k].name, keys[k].is_list, value);
    if (is_of(rest, "enabled"))
        return SWE_OK; /* after all others */
    return swe_fail(ctx, SWE_CONFIG,
                    "%.*s: no such variable (%s_ENABLED, or _ and a key of section profile)",
                    (int)strcspn(variable, "="), variable, prefix);
}

static swe_status apply_enabled(swe_context *ctx, swe_document *document, const char *value)
{
    if (strcmp(value, "0") == 0)
        return apply(ctx, document, enabled, "mode", false, "off");
    if (strcmp(value, "1") != 0)
        return swe_fail(ctx, SWE_CONFIG, "%s: '%.100s' is not 0 or 1", enabled, value);
    const char *mode = swe_document_value(document, "profile", "mode");
    if (mode != NULL && strcmp(mode, "off") != 0)
        return SWE_OK;
    return apply(ctx, document, enabled, "mode", false, "trace");
}

swe_status swe_environment_apply(swe_context *ctx, swe_document *document)
{
    const size_t length = strlen(prefix);
    for (char **variable = environ; *variable != NULL; variable++) {
        const char *rest = *variable + length;
        if (strncmp(*variable, prefix, length) == 0 && (*rest == '_' || *rest == '='))
            SWE_TRY(apply_variable(ctx, document, *variable, rest));
    }
    const char *value = getenv(enabled);
    return value != NULL && *value != '\0' ? apply_enabled(ctx, document, value) : SWE_OK;
}
