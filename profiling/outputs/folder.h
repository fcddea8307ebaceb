/* Folders of results. */
#ifndef PROFILING_OUTPUTS_FOLDER_H
#define PROFILING_OUTPUTS_FOLDER_H

#include <stdbool.h>

enum { PROF_PATH_SIZE = 4200 };

/* Make a folder and those above it; one that is there is fine. False with errno. */
bool prof_folder_make(const char *path);

#endif
