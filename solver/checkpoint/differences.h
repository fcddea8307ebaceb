/* What two configurations, as swe_config_write writes them, say of the same run in different ways.
 */
#ifndef SWE_CHECKPOINT_DIFFERENCES_H
#define SWE_CHECKPOINT_DIFFERENCES_H

#include <stdbool.h>
#include <stddef.h>

/* Compare every key of the grid, the scheme, the physics, the initial state and the bottom. Not
 * compared: the pipeline, which computes the same numbers but for rounding, as a backend does; the
 * path and the names of an initial file, which is not read again; the path of the bottom's file, of
 * which bottom.sha256 tells the content; keys that initial.kind does not read. `out` gets "grid.n
 * is 24 there and 12 here; ..."; returns how many there are. A key that one of them does not have
 * is a difference, unless it is an empty text in the other. */
int swe_configuration_differences(const char *there, const char *here, char *out, size_t size);

/* Whether both have the same text for a key, such as "time.end". */
bool swe_configuration_agrees(const char *there, const char *here, const char *path);

#endif
