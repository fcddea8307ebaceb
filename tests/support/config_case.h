/* A folder for the case files of a test program, and reading one from text. */
#ifndef SUPPORT_CONFIG_CASE_H
#define SUPPORT_CONFIG_CASE_H

#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/backend.h"
#include "config/config.h"

static char case_folder[] = "/tmp/cubeswe-test-config-XXXXXX";
static char case_path[64], other_path[64]; /* in the folder */

static inline int case_folder_make(void **state)
{
    (void)state;
    /* a reference to the list of backends makes the linker include it, as the models need */
    if (swe_backend_at(0) == NULL || mkdtemp(case_folder) == NULL)
        return -1;
    snprintf(case_path, sizeof case_path, "%s/case.yaml", case_folder);
    snprintf(other_path, sizeof other_path, "%s/other.yaml", case_folder);
    return 0;
}

static inline int case_folder_remove(void **state)
{
    (void)state;
    unlink(case_path);
    unlink(other_path);
    return rmdir(case_folder);
}

static inline void case_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static inline swe_config *case_load(const char *text, const char *const *set, int set_count)
{
    swe_context ctx = {""};
    swe_config *config = NULL;
    case_write(case_path, text);
    CHECK_OK(&ctx, swe_config_load(&ctx, case_path, set, set_count, &config));
    return config;
}

#endif
