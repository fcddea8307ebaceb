#define ZLIB_CONST /* zlib reads what it inflates */
#include "output/hdf5_chunks.h"

#include <stdlib.h>
#include <zlib.h>

enum { MOST_RANK = 4, MOST_FILTERS = 3, CHECKSUM = 4 }; /* bytes of Fletcher's checksum */

static const double room = 64 << 20; /* [byte] that any dataset may have in chunks */
static const double most = 4e9;      /* [byte] of a chunk in HDF5 1.10 */
static const double ratio = 1100.0;  /* deflate reaches 1032 */

/* One dataset in chunks: shape, chunk and filters in the order of writing. */
typedef struct chunked {
    hid_t dataset;
    int rank, filters;
    hsize_t lengths[MOST_RANK], edges[MOST_RANK];
    H5Z_filter_t filter[MOST_FILTERS];
    size_t bytes;  /* of a chunk without its filters */
    size_t stored; /* of a chunk with all filters; 0: deflate is one of them */
} chunked;

/* The known filters of a dataset, each at most once; -1: there are others. */
static int known_filters(hid_t creation, H5Z_filter_t filter[MOST_FILTERS])
{
    const int count = H5Pget_nfilters(creation);
    for (int k = 0; k < count && count <= MOST_FILTERS; k++) {
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
    return count <= MOST_FILTERS ? count : -1;
}

static bool chunks_are_bounded(hid_t creation, int rank, const hsize_t *lengths, size_t element,
                               double bytes)
{
    hsize_t edges[MOST_RANK] = {0};
    double chunk = (double)element, chunks = 1.0;
    unsigned options = 0;
    if (H5Pget_chunk(creation, MOST_RANK, edges) != rank ||
        H5Pget_chunk_opts(creation, &options) < 0 || options != 0)
        return false;
    for (int k = 0; k < rank; k++) {
        if (edges[k] == 0)
            return false;
        chunk *= (double)edges[k];
        const hsize_t along = (lengths[k] + edges[k] - 1) / edges[k];
        chunks *= (double)along;
    }
    return chunk <= (bytes > room ? bytes : room) && chunk <= most &&
           chunks * chunk <= 16.0 * bytes + room;
}

/* Whether the bytes of a dataset can come from what its file stores. */
static bool bytes_are_stored(hid_t dataset, double bytes)
{
    const double stored = (double)H5Dget_storage_size(dataset);
    const hid_t file = H5Iget_file_id(dataset);
    hsize_t size = 0;
    const bool is_known = H5Fget_filesize(file, &size) >= 0;
    H5Fclose(file);
    return is_known && stored <= (double)size && bytes <= room + ratio * stored;
}

bool hdf5_storage_is_plain(hid_t dataset, hid_t creation, int rank, const hsize_t *lengths,
                           size_t element)
{
    H5Z_filter_t filter[MOST_FILTERS];
    const H5D_layout_t layout = H5Pget_layout(creation);
    double bytes = (double)element;
    if (rank < 1 || rank > MOST_RANK || H5Pget_external_count(creation) != 0)
        return false;
    for (int k = 0; k < rank; k++)
        bytes *= (double)lengths[k];
    if (layout == H5D_CHUNKED && (known_filters(creation, filter) < 0 ||
                                  !chunks_are_bounded(creation, rank, lengths, element, bytes)))
        return false;
    return (layout == H5D_CHUNKED || layout == H5D_CONTIGUOUS || layout == H5D_COMPACT) &&
           bytes_are_stored(dataset, bytes);
}

/* ---- one chunk ------------------------------------------------------------------------------- */

/* Inflate; true: to exactly `wanted` bytes. */
static bool inflates_to(const unsigned char *data, size_t size, unsigned char *out, size_t wanted)
{
    z_stream stream = {
        .next_in = data, .avail_in = (uInt)size, .next_out = out, .avail_out = (uInt)wanted};
    if (inflateInit(&stream) != Z_OK)
        return false;
    const int end = inflate(&stream, Z_FINISH);
    const bool is_whole = end == Z_STREAM_END && stream.total_out == wanted;
    inflateEnd(&stream);
    return is_whole;
}

/* Whether stored bytes become a whole chunk; `mask` names the filters that it was spared. */
static bool is_whole(const chunked *c, unsigned mask, const unsigned char *data, size_t size,
                     unsigned char *out)
{
    size_t inner = c->bytes; /* before deflate, then of all */
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
    if (size == 0 || size == c->stored) /* never written: the fill value */
        return true;
    return H5Dread_chunk(c->dataset, H5P_DEFAULT, start, &mask, data) >= 0 &&
           is_whole(c, mask, data, (size_t)size, out);
}

/* ---- all chunks ------------------------------------------------------------------------------ */

/* The next chunk, the last dimension first; false after the last one. */
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
    hsize_t start[MOST_RANK] = {0};
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
    if (!hdf5_storage_is_plain(c->dataset, creation, c->rank, c->lengths, element))
        return false;
    if (layout != H5D_CHUNKED) {
        const hsize_t stored = H5Dget_storage_size(c->dataset);
        for (int k = 0; k < c->rank; k++)
            bytes *= c->lengths[k];
        return stored == bytes || (stored == 0 && layout == H5D_CONTIGUOUS);
    }
    c->filters = known_filters(creation, c->filter);
    c->bytes = element;
    H5Pget_chunk(creation, MOST_RANK, c->edges);
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
    const bool is_good = creation >= 0 && type >= 0 && c.rank >= 1 && c.rank <= MOST_RANK &&
                         H5Sget_simple_extent_dims(space, c.lengths, NULL) == c.rank &&
                         check_dataset(&c, creation, H5Tget_size(type));
    H5Sclose(space);
    H5Tclose(type);
    H5Pclose(creation);
    return is_good;
}
