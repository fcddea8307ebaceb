/* What the readers of profiles share. */
#ifndef PROFILING_COMPARE_LOADING_H
#define PROFILING_COMPARE_LOADING_H

#include <jansson.h>

#include "compare/measured.h"

/* A file that is being read. */
typedef struct loading {
    const char *path;
    char *reason; /* [PROF_REASON_SIZE] */
} loading;

/* Say why a file cannot be used. */
prof_load loading_fails(const loading *file, prof_load status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A number of an object that is not negative. False, with the reason, if it is none. */
bool loading_number(const loading *file, const json_t *object, const char *key, double *out);
/* A text of an object; NULL, with the reason, if it is none. */
const char *loading_text(const loading *file, const json_t *object, const char *key);

/* Add a circumstance; a value of JSON as text. False if there is no memory. */
bool measured_note(prof_measured *measured, const char *name, const json_t *value, bool is_task);

/* One more median of a quantity, which is made at its first. */
typedef struct measured_value {
    double median_us, low_us, high_us; /* quartiles */
    long samples;
} measured_value;
bool measured_add(prof_measured *measured, const prof_quantity *named, measured_value value);

/* A window of summary.json; a study of profile.json. */
prof_load measured_read_window(const loading *file, const json_t *summary, prof_measured *measured);
prof_load measured_read_study(const loading *file, const json_t *study, prof_measured *measured);

#endif
