/* Folders of results: longest path, creation. */
#ifndef PROFILING_OUTPUTS_FOLDER_H
#define PROFILING_OUTPUTS_FOLDER_H

#include <stdbool.h>

enum { PROF_PATH_SIZE = 4200 };

/* Create a folder and its parents; an existing folder is no error. False with errno. */
bool prof_folder_create(const char *path);

#endif
