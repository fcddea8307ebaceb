#include "files/output/hdf5_pieces.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "grid/layout.h"

static size_t size_of_value(const hdf5_pieces *p)
{
    return p->is_single ? sizeof(float) : sizeof(double);
}

static int pieces_of_panel(const hdf5_pieces *p)
{
    return (p->rows + p->most - 1) / p->most;
}

hdf5_pieces hdf5_pieces_of(int rows, int columns, int deflate, bool is_single)
{
    hdf5_pieces p = {.rows = rows, .columns = columns, .deflate = deflate, .is_single = is_single};
    const hsize_t lengths[] = {SWE_PANELS, (hsize_t)rows, (hsize_t)columns};
    hsize_t chunk[3];
    hdf5_choose_chunk(3, lengths, size_of_value(&p), chunk);
    p.panels = (int)chunk[0];
    p.most = (int)chunk[1];
    p.count = SWE_PANELS / p.panels * pieces_of_panel(&p);
    return p;
}

hdf5_piece hdf5_piece_at(const hdf5_pieces *p, int k)
{
    const int of_panel = pieces_of_panel(p), row = k % of_panel * p->most;
    return (hdf5_piece){.panel = k / of_panel * p->panels,
                        .panels = p->panels,
                        .row = row,
                        .rows = p->rows - row < p->most ? p->rows - row : p->most};
}

size_t hdf5_piece_values(const hdf5_pieces *p)
{
    return (size_t)p->panels * (size_t)p->most * (size_t)p->columns;
}

/* zlib's bound of incompressible data. */
size_t hdf5_packed_most(const hdf5_pieces *p)
{
    const size_t bytes = hdf5_piece_values(p) * size_of_value(p);
    return p->deflate > 0 ? compressBound(bytes) : bytes;
}

/* ---- packing --------------------------------------------------------------------------------- */

/* Convert values to the type of the file. A piece with fewer values than the longest piece is
 * padded with zeros, as HDF5 pads chunks. */
static void store(const hdf5_pieces *p, size_t count, const double *values, void *out)
{
    const size_t all = hdf5_piece_values(p);
    if (p->is_single)
        for (size_t at = 0; at < count; at++)
            ((float *)out)[at] = (float)values[at];
    else
        memcpy(out, values, count * sizeof *values);
    memset((char *)out + count * size_of_value(p), 0, (all - count) * size_of_value(p));
}

static hdf5_packed deflate_stored(const hdf5_pieces *p, const void *stored)
{
    const size_t count = hdf5_piece_values(p), value = size_of_value(p), bytes = count * value;
    const unsigned char *from = stored;
    unsigned char *shuffled = malloc(bytes), *packed = malloc(hdf5_packed_most(p));
    uLongf size = hdf5_packed_most(p);
    bool is_packed = shuffled != NULL && packed != NULL;
    if (is_packed) {
        /* HDF5's filter: the first bytes of all values, the second ones, and so on */
        for (size_t byte = 0; byte < value; byte++)
            for (size_t at = 0; at < count; at++)
                shuffled[byte * count + at] = from[at * value + byte];
        is_packed = compress2(packed, &size, shuffled, bytes, p->deflate) == Z_OK;
    }
    free(shuffled);
    if (!is_packed) {
        free(packed);
        return (hdf5_packed){NULL, 0};
    }
    void *shorter = realloc(packed, size);
    return (hdf5_packed){shorter != NULL ? shorter : packed, size};
}

hdf5_packed hdf5_pack(const hdf5_pieces *p, const hdf5_piece *piece, const double *values)
{
    const size_t count = (size_t)piece->panels * (size_t)piece->rows * (size_t)p->columns;
    void *stored = malloc(hdf5_piece_values(p) * size_of_value(p));
    if (stored == NULL)
        return (hdf5_packed){NULL, 0};
    store(p, count, values, stored);
    if (p->deflate == 0)
        return (hdf5_packed){stored, count * size_of_value(p)};
    const hdf5_packed packed = deflate_stored(p, stored);
    free(stored);
    return packed;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* A dataset has its panels, rows and columns last. */
static bool write_rows(hid_t dataset, const hdf5_pieces *p, const hdf5_piece *piece,
                       const hsize_t *start, int rank, const void *values)
{
    hsize_t lengths[HDF5_MAX_RANK] = {1};
    lengths[rank - 3] = (hsize_t)piece->panels;
    lengths[rank - 2] = (hsize_t)piece->rows;
    lengths[rank - 1] = (hsize_t)p->columns;
    const hid_t type = p->is_single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    const hid_t file = H5Dget_space(dataset), memory = H5Screate_simple(rank, lengths, NULL);
    const bool is_written =
        H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, lengths, NULL) >= 0 &&
        H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, values) >= 0;
    H5Sclose(memory);
    H5Sclose(file);
    return is_written;
}

void hdf5_write_packed(hdf5_writer *writer, hid_t dataset, const hdf5_pieces *pieces, int k,
                       hdf5_packed packed)
{
    if (!writer->ok)
        return;
    const hdf5_piece piece = hdf5_piece_at(pieces, k);
    const hid_t space = H5Dget_space(dataset);
    const int rank = H5Sget_simple_extent_ndims(space);
    H5Sclose(space);
    hsize_t start[HDF5_MAX_RANK] = {0};
    writer->ok = rank >= 3;
    if (!writer->ok)
        return;
    start[rank - 3] = (hsize_t)piece.panel;
    start[rank - 2] = (hsize_t)piece.row;
    writer->ok =
        pieces->deflate > 0
            ? H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, start, packed.size, packed.bytes) >= 0
            : write_rows(dataset, pieces, &piece, start, rank, packed.bytes);
}
