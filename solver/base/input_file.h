/* INPUT FILES: opens and reads regular files.
 *
 * A folder of results may hold anything, a pipe or a device included: only regular files of a
 * limited size are opened, and opening never blocks. A function that fails returns NULL or false
 * and reports the status or the reason. */
#ifndef SWE_BASE_INPUT_FILE_H
#define SWE_BASE_INPUT_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Result of reading a file or a folder of files. */
typedef enum swe_load {
    SWE_LOADED,
    SWE_LOAD_MISSING, /* it does not exist or cannot be opened */
    SWE_LOAD_BAD,     /* a file does not have the expected format */
    SWE_LOAD_NO_MEMORY
} swe_load;

enum {
    SWE_WHY_SIZE = 256,
    SWE_LINE_SIZE = 4096,
    SWE_CONFIG_MOST =
        16 << 20 /* bytes of a configuration, in a file of its own or in another one */
};

/* Bytes: above the size of every JSON file that this program writes. */
static const size_t swe_input_most = (size_t)256 << 20;

/* Open a regular file of at most `most` bytes; the caller closes it. NULL sets `status` and
 * `why`. */
FILE *swe_input_open(const char *path, size_t most, swe_load *status, char why[SWE_WHY_SIZE]);

/* Read the next complete line with its line feed. False at the end of the file, with `why` NULL, or
 * on an error, with a static text in `why`: the line is longer than SWE_LINE_SIZE, it contains a
 * NUL byte, or the read failed. A last line without line feed counts as still being written. */
bool swe_input_line(FILE *file, char line[SWE_LINE_SIZE], const char **why);

/* Parse a JSON file of at most `most` bytes; duplicate keys are an error. The caller owns the
 * result. NULL sets `status` and `why`. */
json_t *swe_input_json(const char *path, size_t most, swe_load *status, char why[SWE_WHY_SIZE]);

#endif
