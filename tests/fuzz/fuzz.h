/* Shared by the fuzz targets: libFuzzer's entry, a folder in memory for the files that are read,
 * and checks that end the program, so that libFuzzer detects a failure. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* End the program unless a condition holds. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The path of a file in a folder of this process, which is removed at its end. */
void fuzz_path(const char *name, char out[256]);

void fuzz_write(const char *path, const void *bytes, size_t size);

#endif
