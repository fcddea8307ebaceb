/* From the texts of a case file to a configuration that can be run: key after key, then what single
 * keys cannot tell. */
#ifndef SWE_MODEL_CONFIG_CHECKER_H
#define SWE_MODEL_CONFIG_CHECKER_H

#include "model/config.h"
#include "model/config_document.h"

/* What is checked, and where to complain about it. */
typedef struct swe_checker {
    swe_context *ctx;
    swe_document *document;
    bool is_plan; /* the case need not fit in this machine's memory */
} swe_checker;

/* Fail with SWE_CONFIG: file, line and key, then why. */
swe_status swe_config_complain(const swe_checker *c, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Place of a word in "a|b|c"; -1 if it is not there. */
int swe_config_place(const char *word, const char *choices);

/* Sections and keys of the document: each known and given once, a value or a list as the schema
 * (config_keys.h) wants it. Errors: SWE_CONFIG. */
swe_status swe_config_check_structure(const swe_checker *c);

/* Every key of every section, in its range, or its default. Errors: SWE_CONFIG, SWE_NO_MEMORY. */
swe_status swe_config_take(const swe_checker *c, swe_config *out);

/* Keys against each other and the machine. Errors: SWE_CONFIG. */
swe_status swe_config_check(const swe_checker *c, const swe_config *config);

#endif
