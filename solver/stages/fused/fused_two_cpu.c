/* fused_two_rows.h for the baseline instruction set. */
#define TWO_ROWS swe_two_rows_base
#include "stages/fused/fused_two_rows.h"
