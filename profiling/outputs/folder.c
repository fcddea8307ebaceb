#include "outputs/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool prof_folder_make(const char *path)
{
    char part[PROF_PATH_SIZE];
    const size_t length = strlen(path);
    errno = length == 0 ? ENOENT : ENAMETOOLONG;
    if (length == 0 || length >= sizeof part)
        return false;
    memcpy(part, path, length + 1);
    for (size_t k = 1; k <= length; k++) {
        if (part[k] != '/' && part[k] != '\0')
            continue;
        const char end = part[k];
        part[k] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return false;
        part[k] = end;
    }
    return true;
}
