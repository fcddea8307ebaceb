/* Parts of the sweeps in `cubeswe profile`: samples of a step's code, beside the stages of the
 * staged pipeline that compute the same. */
#ifndef SWE_CLI_PROFILE_PARTS_H
#define SWE_CLI_PROFILE_PARTS_H

#include <stdio.h>

#include "base/json_reader.h"
#include "run/components.h"
#include "config/config.h"

/* Sample the parts in steps of dt [s]; a profiler that cannot is one warning, and leaves none.
 * Errors: SWE_NO_MEMORY, those of swe_components_sample. */
swe_status cli_parts_sample(swe_context *ctx, const swe_config *config, swe_model *model, double dt,
                            const swe_components_keeper *keeper, swe_components *out);

/* `parts` of profile.json: an array, a row for each part that has samples. */
json_t *cli_parts_json(const swe_components *components);

/* Read them back; the reader refuses what is no part. */
void cli_parts_read(reader *reader, const node *record, swe_components *out);

/* The table in Markdown, with what fusing saves, or leapfrog in its place; nothing without
 * samples. */
void cli_parts_print(FILE *file, const swe_components *components, bool leaps);

#endif
