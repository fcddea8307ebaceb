/* transport_lanes_rows.h for what all is compiled for. */
#define TRANSPORT_LANES swe_transport_lanes_base
#include "stages/transport/transport_lanes_rows.h"
