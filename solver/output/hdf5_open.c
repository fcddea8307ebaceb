#include "output/hdf5_open.h"

#include <stdbool.h>
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

hid_t hdf5_open_dataset(hid_t file, const char *name)
{
    H5L_info_t link;
    if (H5Lget_info(file, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        return H5I_INVALID_HID;
    return H5Dopen2(file, name, H5P_DEFAULT);
}

/* Whether all values lie in the file: no external files, no virtual dataset. */
static bool holds_its_values(hid_t dataset)
{
    const hid_t creation = H5Dget_create_plist(dataset);
    const bool holds = creation >= 0 && H5Pget_layout(creation) != H5D_VIRTUAL &&
                       H5Pget_external_count(creation) == 0;
    H5Pclose(creation);
    return holds;
}

static int shape_of(hid_t dataset, bool integers, hsize_t lengths[4])
{
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    if ((class != H5T_FLOAT && !(integers && class == H5T_INTEGER)) || rank < 1 || rank > 4 ||
        !holds_its_values(dataset) || H5Sget_simple_extent_dims(space, lengths, NULL) != rank)
        rank = 0;
    H5Sclose(space);
    H5Tclose(type);
    return rank;
}

int hdf5_shape(hid_t dataset, hsize_t lengths[4])
{
    return shape_of(dataset, false, lengths);
}

int hdf5_shape_of_numbers(hid_t dataset, hsize_t lengths[4])
{
    return shape_of(dataset, true, lengths);
}

ssize_t hdf5_name_at(hid_t file, hsize_t k, char *name, size_t size)
{
    ssize_t length =
        H5Lget_name_by_idx(file, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, k, name, size, H5P_DEFAULT);
    if (length < 0)
        length =
            H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, size, H5P_DEFAULT);
    return length;
}
