/* The keys of a configuration: one table (keys.c). Reading, checks, hints, writing, the
 * comparison of cases and the table of config/README.md are loops over its rows. */
#ifndef SWE_CONFIG_KEYS_H
#define SWE_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"

/* Type of a key's member of swe_config: double, long, int, char *, swe_reals, swe_words. */
typedef enum swe_key_type {
    SWE_KEY_REAL,
    SWE_KEY_INTEGER,
    SWE_KEY_CHOICE,
    SWE_KEY_TEXT,
    SWE_KEY_REALS,
    SWE_KEY_WORDS
} swe_key_type;

typedef struct swe_key {
    const char *path; /* "grid.n"; of the entries of a list "tracers[].initial.lon" */
    swe_key_type type;
    size_t offset;        /* of the member in swe_config, or in an entry of the list */
    const char *fallback; /* default, as in a file; words as "a|b" */
    const char *range;    /* "least to most", or the words "a|b|c" */
    double least, most;
    const char *unit; /* "s": a number is a time, which may have units */
    const char *meaning;
} swe_key;

/* All keys, in the order of their sections; a row without a path ends them. */
extern const swe_key swe_keys[];

/* The name of a key, which is the last part of its path. */
const char *swe_key_name(const swe_key *key);
/* Whether a key is of entries of a list. */
bool swe_key_is_of_list(const swe_key *key);
/* Whether a text is the path of a file or folder. */
bool swe_key_is_path(const swe_key *key);

/* Word number k of "a|b|c" and its length; NULL: no more words. */
const char *swe_key_word(const char *words, int k, int *length);

/* A value of a configuration. Starts with zeros. */
typedef struct swe_value {
    const swe_key *key;
    unsigned entry; /* of a list */
    void *at;       /* the member of the configuration */
} swe_value;

/* Advance to the next value, in the order of the table; each entry of a list has all keys of the
 * list. false: no more values. */
bool swe_value_next(const swe_config *config, swe_value *value);

/* The value of a key, in an entry of its list. */
swe_value swe_value_of(const swe_config *config, const swe_key *key, unsigned entry);

/* Write a value as in a case file. */
void swe_config_write_value(FILE *file, const swe_value *value);

/* Path of a value in a document, such as "grid.n" or "tracers[0].initial.lon". */
const char *swe_value_path(const swe_value *value, char path[SWE_VALUE_PATH]);

#endif
