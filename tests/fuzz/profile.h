/* Helpers of the targets that read the profiler's files. */
#ifndef FUZZ_PROFILE_H
#define FUZZ_PROFILE_H

#include "fuzz.h"

/* Copy a file of the corpora to the folder. */
void fuzz_copy(const char *from, const char *name);

/* The report of the window in the folder: one line says why there is none, or it is printed and its
 * page written. */
void fuzz_report(void);

/* A stream whose text nobody reads. */
FILE *fuzz_nowhere(void);

#endif
