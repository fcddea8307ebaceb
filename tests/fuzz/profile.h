/* Helpers of the targets that read the profiler's files. */
#ifndef FUZZ_PROFILE_H
#define FUZZ_PROFILE_H

#include "fuzz.h"

/* Copy a file of the corpora to the folder. */
void fuzz_copy(const char *from, const char *name);

/* Report the window of the folder: print it and write its page, or log one line with the reason. */
void fuzz_report(void);

/* A stream whose text is discarded. */
FILE *fuzz_nowhere(void);

#endif
