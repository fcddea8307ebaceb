/* Parts of the sweeps in `cubeswe profile`: samples of a step's code, beside the stages of the
 * staged pipeline that compute the same quantities. */
#ifndef SWE_CLI_PROFILE_PARTS_H
#define SWE_CLI_PROFILE_PARTS_H

#include <stdio.h>

#include "base/json_reader.h"
#include "run/components.h"
#include "config/config.h"

/* Sample the parts in steps of dt [s]. If the profiler cannot sample, it prints one warning and
 * `out` has no parts. Errors: SWE_NO_MEMORY; as of swe_components_sample. */
swe_status cli_parts_sample(swe_context *ctx, const swe_config *config, swe_model *model, double dt,
                            const swe_components_keeper *keeper, swe_components *out);

/* Return `parts` of profile.json: an array with a row for each part that has samples. */
json_t *cli_parts_json(const swe_components *components);

/* Read these rows back; the reader refuses a row that names no part. */
void cli_parts_read(reader *reader, const node *record, swe_components *out);

/* Print the table in Markdown, with the time that fusing saves, or leapfrog if `leaps`. Without
 * samples nothing is printed. */
void cli_parts_print(FILE *file, const swe_components *components, bool leaps);

#endif
