/* Differences between two configurations, texts of swe_config_write, that make them different
 * cases.
 */
#ifndef SWE_CHECKPOINT_CONFIG_DIFFERENCES_H
#define SWE_CHECKPOINT_CONFIG_DIFFERENCES_H

#include <stdbool.h>
#include <stddef.h>

/* A key in the text of a configuration, as slices of the text. Starts with `next` at the text. */
typedef struct swe_config_key {
    const char *next; /* the next line */
    const char *section, *name, *value;
    int section_length, name_length, value_length;
} swe_config_key;

/* Advance to the next key; false: no more keys. */
bool swe_config_key_next(swe_config_key *key);
/* Whether two keys have the same value. */
bool swe_config_key_agrees(const swe_config_key *a, const swe_config_key *b);

/* Compare every key of grid, scheme, physics, initial and bottom, except
 * - scheme.pipeline, which changes results by rounding only;
 * - the path and variable names of an initial file, which a restart does not read;
 * - the path of the bottom's file, whose content bottom.sha256 identifies;
 * - keys that initial.kind does not read.
 * A key that one text lacks is a difference unless it is an empty text in the other. `out` gets
 * "grid.n is 24 there and 12 here; ..."; returns the number of differences. */
int swe_config_differences(const char *there, const char *here, char *out, size_t size);

/* Whether both texts have the same value of a key, such as "time.end". */
bool swe_config_agrees(const char *there, const char *here, const char *path);

#endif
