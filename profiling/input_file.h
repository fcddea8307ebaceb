/* FILES THAT ARE READ: what stands in a folder of results may be anything, a pipe too. */
#ifndef PROFILING_INPUT_FILE_H
#define PROFILING_INPUT_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "loaded.h"

enum { PROF_WHY_SIZE = 256, PROF_LINE_SIZE = 4096 };
static const size_t prof_file_most = (size_t)256 << 20; /* bytes: no JSON of ours has more */

/* Open a regular file of at most `most` bytes; what is none is not waited for. NULL with the status
 * and the reason. */
FILE *prof_input_open(const char *path, size_t most, prof_load *status, char why[PROF_WHY_SIZE]);

/* The next whole line, with its line feed; false at the end, or with a reason: a line that is
 * longer, a byte of 0, a failure. A line without its end is being written: it is none. */
bool prof_input_line(FILE *file, char line[PROF_LINE_SIZE], const char **why);

/* The JSON of such a file, keys not twice; likewise. */
json_t *prof_input_json(const char *path, size_t most, prof_load *status, char why[PROF_WHY_SIZE]);

#endif
