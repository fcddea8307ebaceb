/* What the readers of profiles share. */
#ifndef PROFILING_COMPARE_READING_H
#define PROFILING_COMPARE_READING_H

#include "compare/measured.h"
#include "report/reader.h"

/* Add a circumstance. False if there is no memory. */
bool measured_note(prof_measured *measured, const char *name, const char *text, bool is_task);

/* One more median of a quantity, which is made at its first. */
typedef struct measured_value {
    double median_us, low_us, high_us; /* quartiles */
    long samples;
} measured_value;
bool measured_add(prof_measured *measured, const prof_quantity *named, measured_value value);
/* The one median of a quantity, in place of the one before. */
bool measured_set(prof_measured *measured, const prof_quantity *named, measured_value value);

/* A window, of summary.json; a study, of profile.json. What is wrong is the reader's status. */
void measured_read_window(reader *reader, const node *summary, prof_measured *measured);
void measured_read_study(reader *reader, const node *study, prof_measured *measured);

#endif
