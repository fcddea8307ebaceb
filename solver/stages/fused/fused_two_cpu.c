/* fused_two_rows.h for what all is compiled for. */
#define TWO_ROWS swe_two_rows_base
#include "stages/fused/fused_two_rows.h"
