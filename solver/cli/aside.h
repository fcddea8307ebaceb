/* One folder, and what is aside in it: FOLDER/.replaced, and FOLDER/.replaced.dropped once it is no
 * longer needed. */
#ifndef SWE_CLI_ASIDE_H
#define SWE_CLI_ASIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"

/* Whether FOLDER has something aside, and whether that is no longer needed. */
bool cli_aside_is_there(const char *folder);
bool cli_aside_is_dropped(const char *folder);

/* Make FOLDER/.replaced. Move FOLDER/NAME there, as AS; a file that is not there is fine.
 * Errors: SWE_CANNOT_CREATE, SWE_IO. */
swe_status cli_aside_make(swe_context *ctx, const char *folder);
swe_status cli_aside_move(swe_context *ctx, const char *folder, const char *name, const char *as);

/* The path of an entry that is aside. */
void cli_aside_path(const char *folder, const char *name, char *out, size_t size);

/* Put all of it back, over what has its names. What cannot be put back stays, with a warning. */
void cli_aside_restore(const char *folder);

/* Decide that it is no longer needed, and remove what is not. Errors: SWE_IO. */
swe_status cli_aside_decide(swe_context *ctx, const char *folder);
void cli_aside_remove(const char *folder);

#endif
