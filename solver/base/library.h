/* Functions of libraries that are loaded at run time. */
#ifndef SWE_BASE_LIBRARY_H
#define SWE_BASE_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Store the address of a function of a library, a handle of dlopen, in the pointer at `function`.
 * False: there is none, and the pointer is NULL. The address is copied: POSIX allows a data pointer
 * for it, and C has no cast. */
static inline bool swe_library_find(void *library, const char *name, void *function)
{
    void *const address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

#endif
