/* Text of a JSON file that is compressed by gzip as it is written. */
#ifndef PROFILING_OUTPUTS_PERFETTO_JSON_TEXT_H
#define PROFILING_OUTPUTS_PERFETTO_JSON_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

typedef struct prof_json {
    gzFile file;
    int error; /* errno of the first failure; 0: none */
} prof_json;

void prof_json_put(prof_json *json, const char *text);
/* As by printf; of 256 bytes at most. */
void prof_json_format(prof_json *json, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A string with its quotes; what is not UTF-8 becomes U+FFFD. */
void prof_json_string(prof_json *json, const char *text);
/* Nanoseconds as microseconds, to the last digit. */
void prof_json_microseconds(prof_json *json, int64_t nanoseconds);

#endif
