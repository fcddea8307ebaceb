/* PIECES of a variable over panels, rows and columns: the chunks of its dataset, or as many rows
 * where it is not compressed. Any thread or process computes the values of a piece and packs them;
 * the one that has the file writes them. */
#ifndef SWE_FILES_OUTPUT_HDF5_PIECES_H
#define SWE_FILES_OUTPUT_HDF5_PIECES_H

#include "files/output/hdf5_writer.h"

/* A piece has all rows of `panels` panels, or at most `most` rows of one. */
typedef struct hdf5_pieces {
    int rows, columns; /* of a panel */
    int panels, most, count;
    int deflate; /* as in hdf5_writer */
    bool is_single;
} hdf5_pieces;

hdf5_pieces hdf5_pieces_of(int rows, int columns, int deflate, bool is_single);

/* Piece number k: the first panel and row, and the number of panels and rows. Pieces are in the
 * order of their first rows. */
typedef struct hdf5_piece {
    int panel, panels, row, rows;
} hdf5_piece;
hdf5_piece hdf5_piece_at(const hdf5_pieces *pieces, int k);

/* Values of a piece at most, and bytes of a packed one. */
size_t hdf5_piece_values(const hdf5_pieces *pieces);
size_t hdf5_packed_most(const hdf5_pieces *pieces);

/* Pack values (panel, row, column) of a piece as the file stores them: rounded, shuffled, deflated.
 * The caller frees the bytes. Errors: NULL (out of memory, or zlib's). */
typedef struct hdf5_packed {
    void *bytes;
    size_t size;
} hdf5_packed;
hdf5_packed hdf5_pack(const hdf5_pieces *pieces, const hdf5_piece *piece, const double *values);

/* Write a packed piece of a dataset, which hdf5_variable_create made. */
void hdf5_write_packed(hdf5_writer *writer, hid_t dataset, const hdf5_pieces *pieces, int k,
                       hdf5_packed packed);

#endif
