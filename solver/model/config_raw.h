/* What libcyaml reads: every key optional, hence pointers, exactly as written in the file. */
#ifndef SWE_MODEL_CONFIG_RAW_H
#define SWE_MODEL_CONFIG_RAW_H

#include <stdint.h>

#include "model/config_document.h"
#include "model/config_keys.h"

#define SWE_RAW_REAL(section, name, ...)    double *name;
#define SWE_RAW_INTEGER(section, name, ...) int64_t *name;
#define SWE_RAW_CHOICE(section, name, ...)  char *name;
#define SWE_RAW_TEXT(section, name, ...)    char *name;
#define SWE_RAW_REALS(section, name, ...)                                                          \
    double *name;                                                                                  \
    unsigned name##_count;
#define SWE_RAW_WORDS(section, name, ...)                                                          \
    char **name;                                                                                   \
    unsigned name##_count;

#define SWE_RAW_SECTION(section)                                                                   \
    typedef struct swe_raw_##section {                                                             \
        SWE_CONFIG_##section(SWE_RAW_REAL, SWE_RAW_INTEGER, SWE_RAW_CHOICE, SWE_RAW_TEXT,          \
                             SWE_RAW_REALS, SWE_RAW_WORDS)                                         \
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
