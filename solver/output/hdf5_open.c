#include "output/hdf5_open.h"

#include <sys/stat.h>

swe_status hdf5_open(swe_context *ctx, const char *path, hid_t *out)
{
    struct stat info;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* our messages are enough */
    *out = H5I_INVALID_HID;
    if (stat(path, &info) != 0)
        return swe_fail(ctx, SWE_NO_INPUT, "%s: no such file", path);
    if (!S_ISREG(info.st_mode)) /* opening a FIFO would wait for ever */
        return swe_fail(ctx, SWE_NO_INPUT, "%s: not a regular file", path);
    *out = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return *out >= 0 ? SWE_OK
                     : swe_fail(ctx, SWE_DATA, "%s: not an HDF5 file that can be opened", path);
}
