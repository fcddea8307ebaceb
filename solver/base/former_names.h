/* Names that changed. Files of earlier versions contain former names. Readers replace these names
 * and print a note. There is one table (former_names.c): readers pass the names that they read to
 * swe_current_name. */
#ifndef SWE_BASE_FORMER_NAMES_H
#define SWE_BASE_FORMER_NAMES_H

/* Kind of a name. A stage and an array may share a name. */
typedef enum swe_named { SWE_NAMED_STAGE, SWE_NAMED_ARRAY, SWE_NAMED_CLOSURE } swe_named;

/* Return today's name of a stage, an array or a closure: static text, or `name` itself if the table
 * lacks it. `note` receives one line for the user, or NULL if the name has not changed. */
const char *swe_current_name(swe_named what, const char *name, const char **note);

#endif
