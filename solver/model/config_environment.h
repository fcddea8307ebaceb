/* The environment's part of a configuration: the variables CUBESWE_PROFILE_*. */
#ifndef SWE_MODEL_CONFIG_ENVIRONMENT_H
#define SWE_MODEL_CONFIG_ENVIRONMENT_H

#include "model/config_document.h"

/* Apply to the file's keys, before the command line's:
 *     CUBESWE_PROFILE_<KEY>       sets profile.<key>; of a list, words with commas between them
 *     CUBESWE_PROFILE_ENABLED=1   mode trace, unless the file or _MODE has another than off
 *     CUBESWE_PROFILE_ENABLED=0   mode off
 * An empty variable is none. Errors: SWE_CONFIG, also for a variable of no key. */
swe_status swe_environment_apply(swe_context *ctx, swe_document *document);

#endif
