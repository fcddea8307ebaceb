/* A program that reports a different identity on each rank, as ranks of different programs do. */
#include <stdio.h>

#include "ranks/launcher.h"
#include "ranks/ranks.h"

int main(void)
{
    swe_context ctx = {""};
    char identity[32];
    snprintf(identity, sizeof identity, "program %d", swe_launcher_rank());
    const swe_status status = swe_ranks_start(&ctx, identity);
    if (status != SWE_OK && swe_ranks_is_root())
        fprintf(stderr, "cubeswe: %s\n", ctx.message);
    swe_ranks_end();
    return swe_status_exit_code(status);
}
