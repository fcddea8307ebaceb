#include "stages/regions.h"

const prof_region swe_regions[SWE_REGION_COUNT] = {
#define SWE_REGION_OF_STAGE(name, what, arguments) {#name, PROF_STAGE},
    SWE_STAGE_LIST(SWE_REGION_OF_STAGE)
#undef SWE_REGION_OF_STAGE
#define SWE_REGION_ROW(name, text, kind) {text, kind},
        SWE_REGION_LIST(SWE_REGION_ROW)
#undef SWE_REGION_ROW
};
