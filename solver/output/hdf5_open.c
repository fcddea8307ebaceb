#define _DEFAULT_SOURCE /* flock */
#include "output/hdf5_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "output/hdf5_chunks.h"

enum { HDF5_PATH_SIZE = 1024 };

/* Whether the file system of a file knows locks. HDF5 refuses the file where it does not. */
static bool has_locks(const char *path)
{
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool has = file < 0 || flock(file, LOCK_SH | LOCK_NB) == 0 || errno == EWOULDBLOCK;
    if (file >= 0)
        close(file);
    return has;
}

static hid_t open_file(const char *path)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5I_INVALID_HID;
    if (access >= 0 && H5Pset_file_locking(access, has_locks(path), true) >= 0)
        file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

swe_status hdf5_open(swe_context *ctx, const char *path, hid_t *out)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* our messages are enough */
    *out = H5I_INVALID_HID;
    SWE_TRY(swe_file_check(ctx, path)); /* HDF5 does not say why a file cannot be opened */
    *out = open_file(path);
    return *out >= 0 ? SWE_OK
                     : swe_fail(ctx, SWE_DATA, "%s: not an HDF5 file that can be opened", path);
}

/* Whether a name is a hard link; other links may lead to other files. */
static bool is_hard_link(hid_t file, const char *name)
{
    H5L_info_t link;
    return H5Lget_info(file, name, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD;
}

hid_t hdf5_open_dataset(hid_t file, const char *name)
{
    char group[HDF5_PATH_SIZE];
    const size_t length = strlen(name);
    if (length >= sizeof group)
        return H5I_INVALID_HID;
    for (size_t k = 1; k < length; k++)
        if (name[k] == '/') {
            memcpy(group, name, k);
            group[k] = '\0';
            if (!is_hard_link(file, group))
                return H5I_INVALID_HID;
        }
    return is_hard_link(file, name) ? H5Dopen2(file, name, H5P_DEFAULT) : H5I_INVALID_HID;
}

/* The lengths of a dataset; 0: its values are not in this file, or not as plain storage. The layout
 * comes first: HDF5 opens the sources of a virtual dataset to find its lengths. */
static int shape_of(hid_t dataset, bool integers, hsize_t lengths[4])
{
    const hid_t creation = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
    const bool is_virtual = creation < 0 || H5Pget_layout(creation) == H5D_VIRTUAL;
    const hid_t space = is_virtual ? H5I_INVALID_HID : H5Dget_space(dataset);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    if ((class != H5T_FLOAT && !(integers && class == H5T_INTEGER)) || rank < 1 || rank > 4 ||
        H5Sget_simple_extent_dims(space, lengths, NULL) != rank ||
        !hdf5_storage_is_plain(dataset, creation, rank, lengths, H5Tget_size(type)))
        rank = 0;
    H5Sclose(space);
    H5Tclose(type);
    H5Pclose(creation);
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

bool hdf5_read(hid_t dataset, hid_t memory, double *values)
{
    return hdf5_storage_is_whole(dataset) &&
           H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, H5S_ALL, H5P_DEFAULT, values) >= 0;
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
