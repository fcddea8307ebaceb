#include "outputs/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool prof_folder_create(const char *path)
{
    char prefix[PROF_PATH_SIZE];
    const size_t length = strlen(path);
    errno = length == 0 ? ENOENT : ENAMETOOLONG;
    if (length == 0 || length >= sizeof prefix)
        return false;
    memcpy(prefix, path, length + 1);
    for (size_t k = 1; k <= length; k++) {
        if (prefix[k] != '/' && prefix[k] != '\0')
            continue;
        const char end = prefix[k];
        prefix[k] = '\0';
        if (mkdir(prefix, 0777) != 0 && errno != EEXIST)
            return false;
        prefix[k] = end;
    }
    return true;
}
