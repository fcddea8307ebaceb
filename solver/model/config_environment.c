#include "model/config_environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *variable, *key;
} keys[] = {
    {"CUBESWE_PROFILE_MODE", "mode"},
    {"CUBESWE_PROFILE_DIR", "dir"},
    {"CUBESWE_PROFILE_START_STEP", "start_step"},
    {"CUBESWE_PROFILE_DURATION", "duration"},
    {"CUBESWE_PROFILE_INTERVAL", "interval"},
};

static const char enabled[] = "CUBESWE_PROFILE_ENABLED";

/* NULL if it is not set or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static swe_status apply(swe_context *ctx, swe_document *document, const char *name, const char *key,
                        const char *value)
{
    char assignment[4096];
    if (snprintf(assignment, sizeof assignment, "profile.%s=%s", key, value) >=
        (int)sizeof assignment)
        return swe_fail(ctx, SWE_CONFIG, "%s: the value is too long", name);
    return swe_document_set(ctx, document, name, assignment, false);
}

static swe_status apply_enabled(swe_context *ctx, swe_document *document, const char *value)
{
    if (strcmp(value, "0") == 0)
        return apply(ctx, document, enabled, "mode", "off");
    if (strcmp(value, "1") != 0)
        return swe_fail(ctx, SWE_CONFIG, "%s: '%.100s' is not 0 or 1", enabled, value);
    const char *mode = swe_document_value(document, "profile", "mode");
    if (mode != NULL && strcmp(mode, "off") != 0)
        return SWE_OK;
    return apply(ctx, document, enabled, "mode", "trace");
}

swe_status swe_environment_apply(swe_context *ctx, swe_document *document)
{
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        const char *value = variable(keys[k].variable);
        if (value != NULL)
            SWE_TRY(apply(ctx, document, keys[k].variable, keys[k].key, value));
    }
    const char *value = variable(enabled);
    return value != NULL ? apply_enabled(ctx, document, value) : SWE_OK;
}
