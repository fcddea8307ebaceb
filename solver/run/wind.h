/* The terms of a prescribed flow (cases/kind.h): their velocities and volume fluxes H0 J u^k, which
 * the stage wind sums. */
#ifndef SWE_RUN_WIND_H
#define SWE_RUN_WIND_H

#include "config/config.h"

/* Set the terms of a model whose physics has them. Errors: SWE_NO_MEMORY. */
swe_status swe_start_wind(swe_context *ctx, const swe_config *config, swe_model *model);

#endif
