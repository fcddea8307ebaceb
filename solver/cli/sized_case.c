#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

swe_status cli_load_sized(swe_context *ctx, const cli_options *options, const char *const *settings,
                          int order, int n, swe_config **out)
{
    const char *set[CLI_MOST_SET + 4];
    char set_n[32], set_order[32];
    int count = options->set_count;
    memcpy(set, options->set, (size_t)count * sizeof set[0]);
    for (int k = 0; settings != NULL && settings[k] != NULL; k++)
        set[count++] = settings[k];
    snprintf(set_n, sizeof set_n, "grid.n=%d", n);
    snprintf(set_order, sizeof set_order, "grid.order=%d", order);
    if (n > 0)
        set[count++] = set_n;
    if (order > 0)
        set[count++] = set_order;
    return swe_config_load(ctx, options->case_file, set, count, out);
}

swe_status cli_refuse_case(swe_context *ctx, const cli_options *options, const char *why,
                           swe_config **config)
{
    swe_config_destroy(config);
    return swe_fail(ctx, SWE_CONFIG, "%s: initial.kind: %s",
                    options->case_file != NULL ? options->case_file : "--set", why);
}
