/* Names that changed. Files of earlier versions contain the former ones: readers accept them, use
 * today's, and print a note. This is the only table; a reader looks up in it the names that it
 * reads.
 */
#ifndef SWE_BASE_FORMER_NAMES_H
#define SWE_BASE_FORMER_NAMES_H

/* Kind of a name: the same word may be a stage and an array. */
typedef enum swe_named { SWE_NAMED_STAGE, SWE_NAMED_ARRAY, SWE_NAMED_CLOSURE } swe_named;

/* Today's name of a stage or an array of a file: `name` itself unless it is in the table. `note`
 * receives one line for the user, or NULL if the name has not changed. The result is static, or
 * `name` itself. */
const char *swe_current_name(swe_named what, const char *name, const char **note);

#endif
