/* A program whose ranks are of different builds. */
#include <stdio.h>

#include "ranks/launcher.h"
#include "ranks/ranks.h"

const char swe_version[] = "0"; /* as of base/version.h */
char swe_build[32];

int main(void)
{
    swe_context ctx = {""};
    snprintf(swe_build, sizeof swe_build, "program %d", swe_launcher_rank());
    const swe_status status = swe_ranks_start(&ctx);
    if (status != SWE_OK && swe_ranks_prints())
        fprintf(stderr, "cubeswe: %s\n", ctx.message);
    swe_ranks_end();
    return swe_status_exit_code(status);
}
