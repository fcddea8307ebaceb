#include "model/config_raw.h"

#include <cyaml/cyaml.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hint.h"

static const cyaml_schema_value_t entry = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};

#define FIELD_VALUE(section, name, ...)                                                            \
    CYAML_FIELD_STRING_PTR(#name, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, swe_raw_##section,     \
                           name, 0, CYAML_UNLIMITED),
#define FIELD_LIST(section, name, least)                                                           \
    CYAML_FIELD_SEQUENCE(#name, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, swe_raw_##section, name, \
                         &entry, least, CYAML_UNLIMITED),
#define FIELD_REALS(section, name, ...) FIELD_LIST(section, name, 0)
#define FIELD_WORDS(section, name, ...) FIELD_LIST(section, name, 1)

#define SECTION_SCHEMA(section)                                                                    \
    static const cyaml_schema_field_t section##_fields[] = {                                       \
        SWE_CONFIG_##section(FIELD_VALUE, FIELD_VALUE, FIELD_VALUE, FIELD_VALUE, FIELD_REALS,      \
                             FIELD_WORDS) CYAML_FIELD_END};
SWE_CONFIG_SECTIONS(SECTION_SCHEMA)

static const cyaml_schema_field_t root_fields[] = {
#define SECTION_FIELD(section)                                                                     \
    CYAML_FIELD_MAPPING_PTR(#section, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, swe_raw, section,  \
                            section##_fields),
    SWE_CONFIG_SECTIONS(SECTION_FIELD) CYAML_FIELD_END};

static const cyaml_schema_value_t root_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, swe_raw, root_fields)};

/* What libcyaml says of a failure: the problem first, then where, innermost first. */
typedef struct failure {
    char problem[256];
    char path[128];
    swe_hint hint; /* of an unknown key */
} failure;

static void prepend(failure *found, const char *name)
{
    char joined[sizeof found->path];
    const int length = snprintf(joined, sizeof joined, "%s%s%s", name,
                                found->path[0] != '\0' ? "." : "", found->path);
    if (length < (int)sizeof joined)
        memcpy(found->path, joined, (size_t)length + 1);
}

static void on_log(cyaml_log_t level, void *context, const char *format, va_list arguments)
{
    (void)level;
    failure *found = context;
    char line[256], name[96];
    vsnprintf(line, sizeof line, format, arguments);
    const size_t length = strlen(line);
    if (length > 0 && line[length - 1] == '\n')
        line[length - 1] = '\0';
    const char *text = strncmp(line, "Load: ", 6) == 0 ? line + 6 : line;
    if (sscanf(text, " in mapping field '%95[^']'", name) == 1)
        prepend(found, name);
    else if (found->problem[0] == '\0' && strstr(text, "Backtrace") == NULL)
        snprintf(found->problem, sizeof found->problem, "%s", text);
}

/* What libcyaml says, and what users would. */
static const struct {
    const char *problem, *words;
} rewordings[] = {
    {"Mapping field already seen: ", "key given twice"},
    {"Expecting MAPPING", "expected keys below it, as 'key: value' with a space after the colon"},
    {"Expecting SEQUENCE", "expected a list such as [a, b]"},
    {"Expecting STRING", "expected a single value"},
    {"Insufficient entries", "the list must not be empty"},
};

/* Every section, and every key of the schema: of the same section, or of the same name in another
 * one. */
static void offer_keys(swe_hint *hint, const char *section, const char *name)
{
#define OFFER_KEY(in, key, ...)                                                                    \
    if (strcmp(section, #in) == 0 || strcmp(name, #key) == 0)                                      \
        swe_hint_offer(hint, #key, #in "." #key);
#define OFFER_SECTION(in)                                                                          \
    if (section[0] == '\0')                                                                        \
        swe_hint_offer(hint, #in, NULL);                                                           \
    SWE_CONFIG_##in(OFFER_KEY, OFFER_KEY, OFFER_KEY, OFFER_KEY, OFFER_KEY, OFFER_KEY)
    swe_hint_start(hint, name);
    SWE_CONFIG_SECTIONS(OFFER_SECTION)
}

/* Say what users say; an unknown key is named in the problem, not in the backtrace. */
static void reword(failure *found)
{
    static const char unknown[] = "Unexpected key: ";
    for (size_t k = 0; k < sizeof rewordings / sizeof rewordings[0]; k++)
        if (strncmp(found->problem, rewordings[k].problem, strlen(rewordings[k].problem)) == 0)
            snprintf(found->problem, sizeof found->problem, "%s", rewordings[k].words);
    if (strncmp(found->problem, unknown, sizeof unknown - 1) != 0)
        return;
    const char *name = found->problem + sizeof unknown - 1;
    const size_t path = strlen(found->path);
    offer_keys(&found->hint, found->path, name);
    snprintf(found->path + path, sizeof found->path - path, "%s%.95s", path > 0 ? "." : "", name);
    snprintf(found->problem, sizeof found->problem, "unknown key");
}

static swe_status explain(swe_context *ctx, swe_document *document, failure *found)
{
    char where[512];
    reword(found);
    swe_document_locate(document, found->path, where, sizeof where);
    return swe_fail(ctx, SWE_CONFIG, "%s: %s%s%s%s", where, found->path,
                    found->path[0] != '\0' ? ": " : "",
                    found->problem[0] != '\0' ? found->problem : "does not fit the schema",
                    swe_hint_text(&found->hint));
}

static cyaml_config_t cyaml_settings(failure *found)
{
    return (cyaml_config_t){.log_fn = on_log,
                            .log_ctx = found,
                            .mem_fn = cyaml_mem,
                            .log_level = CYAML_LOG_ERROR,
                            .flags = CYAML_CFG_DEFAULT};
}

swe_status swe_raw_load(swe_context *ctx, swe_document *document, swe_raw **out)
{
    char *text = NULL;
    size_t length = 0;
    failure found = {.problem = ""};
    const cyaml_config_t settings = cyaml_settings(&found);
    *out = NULL;
    SWE_TRY(swe_document_text(ctx, document, &text, &length));
    const cyaml_err_t error = cyaml_load_data((const uint8_t *)text, length, &settings,
                                              &root_schema, (cyaml_data_t **)out, NULL);
    free(text);
    return error == CYAML_OK ? SWE_OK : explain(ctx, document, &found);
}

void swe_raw_destroy(swe_raw **raw)
{
    failure ignored = {.problem = ""};
    const cyaml_config_t settings = cyaml_settings(&ignored);
    if (*raw != NULL)
        cyaml_free(&settings, &root_schema, *raw, 0);
    *raw = NULL;
}
