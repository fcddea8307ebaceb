/* Whether the files of a profile could be read. */
#ifndef PROFILING_LOADED_H
#define PROFILING_LOADED_H

typedef enum prof_load {
    PROF_LOADED,
    PROF_LOAD_MISSING, /* there is no profile, or it cannot be opened */
    PROF_LOAD_BAD,     /* a file is not what it should be */
    PROF_LOAD_NO_MEMORY
} prof_load;

#endif
