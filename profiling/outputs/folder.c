#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "outputs/folder.h"

bool prof_folder_make(const char *path, prof_log *log)
{
    char part[PROF_PATH_SIZE];
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof part) {
        prof_warn(log, "'%.200s': not the name of a folder", path);
        return false;
    }
    memcpy(part, path, length + 1);
    for (size_t k = 1; k <= length; k++) {
        if (part[k] != '/' && part[k] != '\0')
            continue;
        const char end = part[k];
        part[k] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            prof_warn(log, "%s: cannot be created: %s", part, strerror(errno));
            return false;
        }
        part[k] = end;
    }
    return true;
}
