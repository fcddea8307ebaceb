/* What libcyaml reads: the structure of the file, every key optional. Values stay as they are
 * written, since libcyaml takes "1,5" for the number 1; config_take.c reads them strictly. */
#ifndef SWE_MODEL_CONFIG_RAW_H
#define SWE_MODEL_CONFIG_RAW_H

#include "model/config_document.h"
#include "model/config_keys.h"

#define SWE_RAW_VALUE(section, name, ...) char *name;
#define SWE_RAW_LIST(section, name, ...)                                                           \
    char **name;                                                                                   \
    unsigned name##_count;

#define SWE_RAW_SECTION(section)                                                                   \
    typedef struct swe_raw_##section {                                                             \
        SWE_CONFIG_##section(SWE_RAW_VALUE, SWE_RAW_VALUE, SWE_RAW_VALUE, SWE_RAW_VALUE,           \
                             SWE_RAW_LIST, SWE_RAW_LIST)                                           \
    } swe_raw_##section;
SWE_CONFIG_SECTIONS(SWE_RAW_SECTION)

typedef struct swe_raw {
#define SWE_RAW_MEMBER(section) swe_raw_##section *section;
    SWE_CONFIG_SECTIONS(SWE_RAW_MEMBER)
} swe_raw;

/* Read a document against the schema. Errors: SWE_CONFIG naming file, line and key. */
swe_status swe_raw_load(swe_context *ctx, swe_document *document, swe_raw **out);
void swe_raw_destroy(swe_raw **raw);

#endif
