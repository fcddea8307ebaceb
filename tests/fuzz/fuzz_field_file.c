/* An initial file with unexpected content. */
#include "hostile_state.h"

enum { N = HOSTILE_N };

static void fill(hostile *bytes, hid_t file)
{
    hostile_dataset(bytes, file, "h", H5T_IEEE_F64LE, N + 1, N + 1, false);
    hostile_dataset(bytes, file, "v1", H5T_IEEE_F64LE, N + 1, N, false);
    hostile_dataset(bytes, file, "v2", H5T_IEEE_F64LE, N, N + 1, false);
    hostile_extras(bytes, file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hostile_state(data, size, fill);
    return 0;
}
