/* A case: its text, and settings of --set after bytes of 0. An accepted case is written, and the
 * written case is accepted again and equal. */
#include <string.h>

#include "backend/backend.h"
#include "fuzz.h"
#include "config/config.h"

enum { MOST_SET = 8, MOST_BYTES = 1 << 14 };

/* The text of a configuration; the caller frees. */
static char *text_of(const swe_config *config, size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    FUZZ_CHECK(stream != NULL);
    swe_config_write(config, stream);
    FUZZ_CHECK(fclose(stream) == 0);
    return text;
}

/* `initial.path` is written as it is given, so a relative path then refers to another folder. */
static void check_round_trip(const swe_config *config)
{
    char path[256];
    size_t length = 0, again_length = 0;
    char *text = text_of(config, &length);
    swe_context ctx = {""};
    swe_config *again = NULL;
    fuzz_path("again.yaml", path);
    fuzz_write(path, text, length);
    const swe_status status = swe_config_load(&ctx, path, NULL, 0, &again);
    if (status != SWE_OK)
        fprintf(stderr, "%s\n%s\n", ctx.message, text);
    FUZZ_CHECK(status == SWE_OK);
    char *again_text = text_of(again, &again_length);
    FUZZ_CHECK(length == again_length && memcmp(text, again_text, length) == 0);
    char differences[700];
    FUZZ_CHECK(swe_config_differences(config, again, differences, sizeof differences) == 0);
    swe_config_destroy(&again);
    free(text);
    free(again_text);
}

/* As the configuration of an earlier run it may pass where a case does not; it is written again. */
static void check_of_run(const char *path, bool is_accepted)
{
    size_t length = 0;
    swe_context ctx = {""};
    swe_config *config = NULL;
    const swe_status status = swe_config_load_of_run(&ctx, path, NULL, &config);
    FUZZ_CHECK(status == SWE_OK || (!is_accepted && ctx.message[0] != '\0'));
    if (status == SWE_OK) {
        char out[700];
        swe_config *defaults = NULL;
        free(text_of(config, &length));
        FUZZ_CHECK(swe_config_load(&ctx, NULL, NULL, 0, &defaults) == SWE_OK);
        const int count = swe_config_differences(config, defaults, out, sizeof out);
        FUZZ_CHECK(strlen(out) < sizeof out && (count > 0) == (out[0] != '\0'));
        swe_config_destroy(&defaults);
    }
    swe_config_destroy(&config);
}

static void check_schedule(const swe_config *config)
{
    long steps = 0;
    const double dt = swe_config_schedule(config, &steps);
    FUZZ_CHECK(dt > 0.0 && steps > 0);
    FUZZ_CHECK(swe_config_bytes(config) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[256], room[MOST_BYTES + 1];
    const char *set[MOST_SET];
    int set_count = 0;
    swe_context ctx = {""};
    swe_config *config = NULL;
    /* a reference to the list of backends makes the linker include it, as the models need */
    FUZZ_CHECK(swe_backend_at(0) != NULL);
    if (size > MOST_BYTES)
        return -1;
    memcpy(room, data, size);
    room[size] = '\0';
    const size_t length = strlen(room);
    for (size_t k = length + 1; k < size && set_count < MOST_SET; k += strlen(room + k) + 1)
        set[set_count++] = room + k;
    if (path[0] == '\0')
        fuzz_path("case.yaml", path);
    fuzz_write(path, room, length);
    const swe_status status = swe_config_load(&ctx, path, set, set_count, &config);
    FUZZ_CHECK((status == SWE_OK) == (config != NULL));
    if (status == SWE_OK) {
        check_schedule(config);
        check_round_trip(config);
    } else {
        FUZZ_CHECK(status == SWE_CONFIG && ctx.message[0] != '\0');
    }
    check_of_run(path, status == SWE_OK && set_count == 0);
    swe_config_destroy(&config);
    return 0;
}
