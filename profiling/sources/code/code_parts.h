/* Samples of code counted by the parts of the stages (prof_part). */
#ifndef PROFILING_SOURCES_CODE_CODE_PARTS_H
#define PROFILING_SOURCES_CODE_CODE_PARTS_H

#include <stddef.h>

#include "profiler.h"

/* Append the name of a function to a list of names, separated by blanks; one that does not fit is
 * left out. */
void code_append_name(const char *name, char *names, size_t size);

/* Room for a row for each part, and behind the parts of a stage one for the rest of it. False
 * without memory. */
bool code_parts_open(const prof_part *parts, int count, prof_parts *out);

/* Count samples of a stage's code; `around` has the names of the functions around it, separated by
 * blanks. Samples of a stage that has no parts are not counted. Returns the name of the part; NULL:
 * it is in none. */
const char *code_parts_add(const prof_part *parts, int count, const char *stage, const char *around,
                           int64_t samples, prof_parts *out);

/* Remove the rows without samples. Returns the number of the others. */
int code_parts_close(prof_parts *out);

#endif
