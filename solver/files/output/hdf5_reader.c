#define _DEFAULT_SOURCE /* flock */
#define ZLIB_CONST      /* const next_in */
#include "files/output/hdf5_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"

/* ---- files and datasets ---------------------------------------------------------------------- */

enum { HDF5_PATH_SIZE = 1024 };

/* errno of a lock on a file; EWOULDBLOCK: another program has locked it; 0: none, or no file. */
static int lock_error(const char *path)
{
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const int error = file >= 0 && flock(file, LOCK_SH | LOCK_NB) != 0 ? errno : 0;
    if (file >= 0)
        close(file);
    return error;
}

/* HDF5 refuses to lock a file where the file system supports no locks. */
static hid_t open_file(const char *path)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5I_INVALID_HID;
    const int error = lock_error(path);
    if (access >= 0 && H5Pset_file_locking(access, error == 0 || error == EWOULDBLOCK, true) >= 0)
        file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

/* Why HDF5 cannot open a file, by its first bytes, and the remedy; "": not known. */
static const char *reason(const char *path)
{
    static const struct {
        const char *first, *text;
    } kinds[] = {
        {"CDF", ": it is netCDF-3, which `nccopy -k nc4 in.nc out.nc` makes netCDF-4"},
        {"\037\213", ": it is compressed by gzip, which `gunzip < in > out.nc` undoes"},
        {"GRIB", ": it is GRIB, which `cdo -f nc4 copy in out.nc` makes netCDF-4"},
        {"version https://git-lfs",
         ": it is a pointer of Git LFS, and `git lfs pull` gets the file"},
        {"{", ": it is JSON, such as a profile, a summary or a manifest"},
        {"<", ": it is HTML or XML, such as the page of an error: download the file again"},
        {"\211HDF", ": it is HDF5 that is truncated or damaged: copy it again"}};
    char first[32] = "";
    FILE *file = fopen(path, "rb");
    const size_t size = file != NULL ? fread(first, 1, sizeof first - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (memcmp(first, kinds[k].first, strlen(kinds[k].first)) == 0)
            return kinds[k].text;
    return file != NULL && size == 0 ? ": it is empty" : "";
}

swe_status hdf5_open(swe_context *ctx, const char *path, hid_t *out)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* no messages of HDF5 */
    *out = H5I_INVALID_HID;
    SWE_TRY(swe_file_check(ctx, path)); /* HDF5 does not report the reason */
    *out = open_file(path);
    if (*out >= 0)
        return SWE_OK;
    if (lock_error(path) == EWOULDBLOCK)
        return swe_fail(ctx, SWE_DATA,
                        "%s: another program has locked it: wait until it is written", path);
    return swe_fail(ctx, SWE_DATA, "%s: not an HDF5 file that can be opened%s", path, reason(path));
}

static swe_status fail_opening(swe_context *ctx, const char *path, const char *name)
{
    return swe_fail(ctx, SWE_DATA,
                    "%s: '%s' cannot be opened: the file is damaged, replace it by a good copy",
                    path, name);
}

/* The type of a link, H5L_TYPE_MAX if there is none, H5L_TYPE_ERROR if it cannot be read. */
static H5L_type_t type_of_link(hid_t file, const char *name)
{
    H5L_info_t link = {.type = H5L_TYPE_ERROR};
    const htri_t found = H5Lexists(file, name, H5P_DEFAULT);
    if (found > 0 && H5Lget_info(file, name, &link, H5P_DEFAULT) < 0)
        link.type = H5L_TYPE_ERROR;
    return found == 0 ? H5L_TYPE_MAX : link.type;
}

swe_status hdf5_find_dataset(swe_context *ctx, const char *path, hid_t file, const char *name,
                             hid_t *out)
{
    char part[HDF5_PATH_SIZE];
    const size_t length = strlen(name);
    H5L_type_t link = length < sizeof part ? H5L_TYPE_HARD : H5L_TYPE_MAX;
    *out = H5I_INVALID_HID;
    for (size_t k = 1; link == H5L_TYPE_HARD && k <= length; k++)
        if (name[k] == '/' || name[k] == '\0') {
            memcpy(part, name, k);
            part[k] = '\0';
            link = type_of_link(file, part);
        }
    if (link == H5L_TYPE_MAX)
        return SWE_OK;
    if (link != H5L_TYPE_HARD && link != H5L_TYPE_ERROR) /* it can lead to another file */
        return swe_fail(ctx, SWE_DATA,
                        "%s: dataset '%s' is reached by a link, which is not followed: store it in "
                        "place of the link",
                        path, name);
    const hid_t object = link == H5L_TYPE_HARD ? H5Oopen(file, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (object < 0)
        return fail_opening(ctx, path, name);
    if (H5Iget_type(object) == H5I_DATASET)
        *out = object;
    else
        H5Oclose(object);
    return SWE_OK;
}

swe_status hdf5_find_entry(swe_context *ctx, const char *path, hid_t file, hsize_t k,
                           char name[HDF5_NAME_SIZE], hid_t *out)
{
    H5G_info_t entries = {.nlinks = 0};
    name[0] = '\0';
    *out = H5I_INVALID_HID;
    if (H5Gget_info(file, &entries) >= 0 && k >= entries.nlinks)
        return SWE_OK;
    const bool is_ordered =
        H5Lget_name_by_idx(file, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, 0, NULL, 0, H5P_DEFAULT) > 0;
    const ssize_t length =
        H5Lget_name_by_idx(file, ".", is_ordered ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_INC,
                           k, name, HDF5_NAME_SIZE, H5P_DEFAULT);
    if (length <= 0)
        return fail_opening(ctx, path, "/");
    if (length >= HDF5_NAME_SIZE)
        return swe_fail(ctx, SWE_DATA, "%s: the name '%s...' has more than %d characters", path,
                        name, HDF5_NAME_SIZE - 1);
    return hdf5_find_dataset(ctx, path, file, name, out);
}

/* ---- storage --------------------------------------------------------------------------------- */

enum { MAX_RANK = 4, MAX_FILTERS = 3, CHECKSUM = 4 /* bytes of Fletcher32 */ };

static const double allowance = 64 << 20;   /* [byte] granted to every dataset */
static const double max_chunk = 4e9;        /* [byte], limit of HDF5 1.10 */
static const double deflate_ratio = 1100.0; /* above the limit of deflate, 1032 */

/* A dataset in chunks: shape, chunk shape, and filters in the order of writing. */
typedef struct chunked {
    hid_t dataset;
    int rank, filters;
    hsize_t lengths[MAX_RANK], edges[MAX_RANK];
    H5Z_filter_t filter[MAX_FILTERS];
    size_t bytes;  /* of an unfiltered chunk */
    size_t stored; /* bytes of a chunk after all filters; 0: varies, by deflate */
} chunked;

/* The filters of a dataset and their number; -1: an unknown filter, or one twice. */
static int known_filters(hid_t creation, H5Z_filter_t filter[MAX_FILTERS])
{
    const int count = H5Pget_nfilters(creation);
    for (int k = 0; k < count && count <= MAX_FILTERS; k++) {
        unsigned flags = 0, config = 0;
        size_t parameters = 0;
        filter[k] =
            H5Pget_filter2(creation, (unsigned)k, &flags, &parameters, NULL, 0, NULL, &config);
        bool is_known = filter[k] == H5Z_FILTER_SHUFFLE || filter[k] == H5Z_FILTER_DEFLATE ||
                        filter[k] == H5Z_FILTER_FLETCHER32;
        for (int m = 0; m < k; m++)
            is_known = is_known && filter[m] != filter[k];
        if (!is_known)
            return -1;
    }
    return count <= MAX_FILTERS ? count : -1;
}

static bool chunks_are_bounded(hid_t creation, int rank, const hsize_t *lengths, size_t element,
                               double bytes)
{
    hsize_t edges[MAX_RANK] = {0};
    double chunk = (double)element, chunks = 1.0;
    unsigned options = 0;
    if (H5Pget_chunk(creation, MAX_RANK, edges) != rank ||
        H5Pget_chunk_opts(creation, &options) < 0 || options != 0)
        return false;
    for (int k = 0; k < rank; k++) {
        if (edges[k] == 0)
            return false;
        chunk *= (double)edges[k];
        const hsize_t along = (lengths[k] + edges[k] - 1) / edges[k];
        chunks *= (double)along;
    }
    return chunk <= (bytes > allowance ? bytes : allowance) && chunk <= max_chunk &&
           chunks * chunk <= 16.0 * bytes + allowance;
}

/* `creation`: property list of the dataset; `element`: size of an element [byte]. */
static bool storage_is_plain(hid_t dataset, hid_t creation, int rank, const hsize_t *lengths,
                             size_t element)
{
    H5Z_filter_t filter[MAX_FILTERS];
    const H5D_layout_t layout = H5Pget_layout(creation);
    double bytes = (double)element;
    if (rank < 1 || rank > MAX_RANK || H5Pget_external_count(creation) != 0)
        return false;
    for (int k = 0; k < rank; k++)
        bytes *= (double)lengths[k];
    if (layout == H5D_CHUNKED && (known_filters(creation, filter) < 0 ||
                                  !chunks_are_bounded(creation, rank, lengths, element, bytes)))
        return false;
    if (layout != H5D_CHUNKED && layout != H5D_CONTIGUOUS && layout != H5D_COMPACT)
        return false;
    /* the stored bytes can inflate to the bytes of the dataset */
    const double stored = (double)H5Dget_storage_size(dataset);
    const hid_t file = H5Iget_file_id(dataset);
    hsize_t size = 0;
    const bool is_known = H5Fget_filesize(file, &size) >= 0;
    H5Fclose(file);
    return is_known && stored <= (double)size && bytes <= allowance + deflate_ratio * stored;
}

/* Whether the data inflate to exactly `expected` bytes. */
static bool inflates_to(const unsigned char *data, size_t size, unsigned char *out, size_t expected)
{
    z_stream stream = {
        .next_in = data, .avail_in = (uInt)size, .next_out = out, .avail_out = (uInt)expected};
    if (inflateInit(&stream) != Z_OK)
        return false;
    const int end = inflate(&stream, Z_FINISH);
    const bool is_whole = end == Z_STREAM_END && stream.total_out == expected;
    inflateEnd(&stream);
    return is_whole;
}

/* Whether stored bytes become a whole chunk; bit k of `mask`: filter k was not applied. */
static bool is_whole(const chunked *c, unsigned mask, const unsigned char *data, size_t size,
                     unsigned char *out)
{
    size_t inner = c->bytes; /* bytes of the chunk before deflate */
    bool is_deflated = false;
    for (int k = 0; k < c->filters; k++) {
        if ((mask & (1u << k)) != 0)
            continue;
        if (c->filter[k] == H5Z_FILTER_DEFLATE)
            is_deflated = true;
        else if (c->filter[k] == H5Z_FILTER_FLETCHER32 && !is_deflated)
            inner += CHECKSUM;
        else if (c->filter[k] == H5Z_FILTER_FLETCHER32)
            size -= size < CHECKSUM ? size : CHECKSUM;
    }
    return is_deflated ? inflates_to(data, size, out, inner) : size == inner;
}

static bool check_chunk(const chunked *c, const hsize_t *start, unsigned char *data,
                        size_t capacity, unsigned char *out)
{
    hsize_t size = 0;
    uint32_t mask = 0;
    if (H5Dget_chunk_storage_size(c->dataset, start, &size) < 0 || size > capacity)
        return false;
    if (size == 0 || size == c->stored) /* 0: never written, reads as the fill value */
        return true;
    return H5Dread_chunk(c->dataset, H5P_DEFAULT, start, &mask, data) >= 0 &&
           is_whole(c, mask, data, (size_t)size, out);
}

/* Advance to the next chunk, the last dimension fastest; false after the last chunk. */
static bool next_chunk(const chunked *c, hsize_t *start)
{
    for (int k = c->rank - 1; k >= 0; k--) {
        start[k] += c->edges[k];
        if (start[k] < c->lengths[k])
            return true;
        start[k] = 0;
    }
    return false;
}

static bool check_chunks(const chunked *c)
{
    hsize_t start[MAX_RANK] = {0};
    const size_t capacity = compressBound(c->bytes + CHECKSUM) + CHECKSUM;
    unsigned char *data = malloc(capacity), *out = malloc(c->bytes + CHECKSUM);
    bool is_good = data != NULL && out != NULL;
    bool is_more = is_good;
    for (int k = 0; k < c->rank; k++)
        is_more = is_more && c->lengths[k] > 0;
    while (is_good && is_more) {
        is_good = check_chunk(c, start, data, capacity, out);
        is_more = next_chunk(c, start);
    }
    free(out);
    free(data);
    return is_good;
}

static bool check_dataset(chunked *c, hid_t creation, size_t element)
{
    const H5D_layout_t layout = H5Pget_layout(creation);
    hsize_t bytes = element;
    if (!storage_is_plain(c->dataset, creation, c->rank, c->lengths, element))
        return false;
    if (layout != H5D_CHUNKED) {
        const hsize_t stored = H5Dget_storage_size(c->dataset);
        for (int k = 0; k < c->rank; k++)
            bytes *= c->lengths[k];
        return stored == bytes || (stored == 0 && layout == H5D_CONTIGUOUS);
    }
    c->filters = known_filters(creation, c->filter);
    c->bytes = element;
    H5Pget_chunk(creation, MAX_RANK, c->edges);
    for (int k = 0; k < c->rank; k++)
        c->bytes *= c->edges[k];
    bool is_deflated = false;
    c->stored = c->bytes;
    for (int k = 0; k < c->filters; k++) {
        c->stored += c->filter[k] == H5Z_FILTER_FLETCHER32 ? CHECKSUM : 0;
        is_deflated = is_deflated || c->filter[k] == H5Z_FILTER_DEFLATE;
    }
    c->stored = is_deflated ? 0 : c->stored;
    return c->filters == 0 || check_chunks(c);
}

bool hdf5_storage_is_whole(hid_t dataset)
{
    chunked c = {.dataset = dataset};
    const hid_t creation = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
    const hid_t space = H5Dget_space(dataset);
    c.rank = H5Sget_simple_extent_ndims(space);
    const bool is_good = creation >= 0 && type >= 0 && c.rank >= 1 && c.rank <= MAX_RANK &&
                         H5Sget_simple_extent_dims(space, c.lengths, NULL) == c.rank &&
                         check_dataset(&c, creation, H5Tget_size(type));
    H5Sclose(space);
    H5Tclose(type);
    H5Pclose(creation);
    return is_good;
}

/* ---- shapes and values ----------------------------------------------------------------------- */

/* The layout is checked first: HDF5 opens the
 * source files of a virtual dataset to find its lengths. */
int hdf5_shape(hid_t dataset, bool accepts_integers, hsize_t lengths[4])
{
    const hid_t creation = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
    const bool is_virtual = creation < 0 || H5Pget_layout(creation) == H5D_VIRTUAL;
    const hid_t space = is_virtual ? H5I_INVALID_HID : H5Dget_space(dataset);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    const bool is_number = class == H5T_FLOAT || (accepts_integers && class == H5T_INTEGER);
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    if (!is_number || (!is_virtual && (rank < 1 || rank > 4 ||
                                       H5Sget_simple_extent_dims(space, lengths, NULL) != rank)))
        rank = 0;
    else if (!is_virtual && !storage_is_plain(dataset, creation, rank, lengths, H5Tget_size(type)))
        rank = -rank;
    H5Sclose(space);
    H5Tclose(type);
    H5Pclose(creation);
    return rank;
}

bool hdf5_read(hid_t dataset, hid_t memory, double *values)
{
    return hdf5_storage_is_whole(dataset) &&
           H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, H5S_ALL, H5P_DEFAULT, values) >= 0;
}

bool hdf5_copy_panel(hid_t dataset, const swe_layout *layout, hsize_t record, int panel,
                     const double *from, double *to)
{
    hsize_t counts[MAX_RANK] = {0}, start[MAX_RANK] = {0};
    const hsize_t whole[2] = {(hsize_t)(layout->panel / layout->pitch), (hsize_t)layout->pitch};
    const hid_t file = H5Dget_space(dataset), memory = H5Screate_simple(2, whole, NULL);
    const int rank = H5Sget_simple_extent_ndims(file);
    bool is_copied = rank >= 3 && rank <= MAX_RANK && memory >= 0;
    if (is_copied) {
        H5Sget_simple_extent_dims(file, counts, NULL);
        const hsize_t *rows_and_columns = counts + rank - 2;
        start[0] = record;
        counts[0] = counts[rank - 3] = 1;
        start[rank - 3] = (hsize_t)panel;
        is_copied = H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, counts, NULL) >= 0 &&
                    H5Sselect_hyperslab(memory, H5S_SELECT_SET, start + rank - 2, NULL,
                                        rows_and_columns, NULL) >= 0 &&
                    (from != NULL
                         ? H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, from)
                         : H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, to)) >= 0;
    }
    H5Sclose(memory);
    H5Sclose(file);
    return is_copied;
}
