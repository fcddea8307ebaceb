/* A manifest beside a checkpoint file, and the name of such a file: the text is used as both. */
#include <string.h>

#include "files/checkpoint/checkpoint_file.h"
#include "files/checkpoint/manifest.h"
#include "files/checkpoint/checkpoints.h"
#include "fuzz.h"

static const char name[] = "checkpoint_000001_step_0000000005";
/* The folder of a manifest, and the path of the manifest. */
static void make_folder(char folder[256], char manifest[256])
{
    char file[300], path[256];
    snprintf(file, sizeof file, "%s.h5", name);
    fuzz_path(file, path);
    fuzz_write(path, "abc", 3);
    snprintf(file, sizeof file, "%s.json", name);
    fuzz_path(file, manifest);
    snprintf(folder, 256, "%s", manifest);
    *strrchr(folder, '/') = '\0';
}

/* An accepted manifest has the size and digest of "abc". */
static void check_manifest(const uint8_t *data, size_t size)
{
    static char folder[256], manifest[256];
    swe_context ctx = {""};
    bool is_newer = false;
    if (folder[0] == '\0')
        make_folder(folder, manifest);
    fuzz_write(manifest, data, size);
    const swe_status status = swe_manifest_check(&ctx, folder, name, &is_newer);
    FUZZ_CHECK(status == SWE_OK || (status == SWE_DATA && ctx.message[0] != '\0'));
    FUZZ_CHECK(status != SWE_OK || (!is_newer && size > 100));
}

static void check_name(const char *text)
{
    checkpoint_entry entry;
    char again[CHECKPOINT_NAME_SIZE + 16];
    if (!checkpoint_entry_of(text, &entry))
        return;
    FUZZ_CHECK(entry.number >= 0 && entry.step >= 0);
    snprintf(again, sizeof again, "%s%s", entry.name, entry.ending);
    FUZZ_CHECK(strcmp(again, text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 4096)
        return -1;
    check_manifest(data, size);
    char *text = malloc(size + 1);
    FUZZ_CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    check_name(text);
    free(text);
    return 0;
}
