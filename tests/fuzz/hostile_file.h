/* HDF5 files that are well formed and hold something else than was promised, made from the bytes of
 * a fuzzer: HDF5 itself is not what is tested, but the checks of what it says is there. No bytes,
 * and bytes of 0, give a file as it should be. */
#ifndef FUZZ_HOSTILE_FILE_H
#define FUZZ_HOSTILE_FILE_H

#include <hdf5.h>
#include <stdbool.h>

#include "fuzz.h"

/* The bytes that are left. */
typedef struct hostile {
    const uint8_t *data;
    size_t size;
    bool is_changed; /* the file is not as it should be */
} hostile;

/* One of `count` alternatives; 0 if there are no bytes left. */
unsigned hostile_take(hostile *bytes, unsigned count);

/* A dataset of shape (6, rows, columns) that should be of a type, in chunks under Fletcher32 if so
 * asked; something else if the bytes say so. */
void hostile_dataset(hostile *bytes, hid_t file, const char *name, hid_t type, hsize_t rows,
                     hsize_t columns, bool is_chunked);
/* The same of any shape. */
void hostile_array(hostile *bytes, hid_t file, const char *name, hid_t type, const hsize_t shape[3],
                   bool is_chunked);

/* A coordinate with its units: equally spaced numbers; something else if the bytes say so. */
void hostile_axis(hostile *bytes, hid_t file, const char *name, const char *units, hsize_t count,
                  double first, double step);

/* An attribute of the file, likewise; the text is NULL for a number. */
void hostile_integer(hostile *bytes, hid_t file, const char *name, long value);
void hostile_real(hostile *bytes, hid_t file, const char *name, double value);
void hostile_text(hostile *bytes, hid_t file, const char *name, const char *text);

/* Objects that nobody asked for. */
void hostile_extras(hostile *bytes, hid_t file);

/* Identifiers that are open: none may stay. */
long hostile_identifiers(void);

#endif
