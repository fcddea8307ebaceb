#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

static char folder[64];

static void remove_folder(void)
{
    DIR *open_folder = opendir(folder);
    if (open_folder == NULL)
        return;
    for (struct dirent *item; (item = readdir(open_folder)) != NULL;)
        unlinkat(dirfd(open_folder), item->d_name, 0);
    closedir(open_folder);
    rmdir(folder);
}

void fuzz_path(const char *name, char out[256])
{
    if (folder[0] == '\0') {
        const char *root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        snprintf(folder, sizeof folder, "%s/cubeswe-fuzz-XXXXXX", root);
        FUZZ_CHECK(mkdtemp(folder) != NULL && atexit(remove_folder) == 0);
    }
    snprintf(out, 256, "%s/%s", folder, name);
}

void fuzz_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file != NULL);
    FUZZ_CHECK(fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}
