/* Run a fuzz target once on every file of the given folders, so that inputs that once failed are
 * tested in builds without libFuzzer, too. */
#include <dirent.h>
#include <string.h>

#include "fuzz.h"

static void replay(const char *path)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file != NULL);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    uint8_t *exact = malloc(size > 0 ? size : 1); /* a sanitizer detects reads beyond it */
    FUZZ_CHECK(exact != NULL);
    memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int argc, char **argv)
{
    int count = 0;
    char path[4400];
    for (int k = 1; k < argc; k++) {
        DIR *folder = opendir(argv[k]);
        FUZZ_CHECK(folder != NULL);
        for (struct dirent *item; (item = readdir(folder)) != NULL;) {
            if (item->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[k], item->d_name);
            fprintf(stderr, "%s\n", path); /* the last is the one that fails */
            replay(path);
            count++;
        }
        closedir(folder);
    }
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
