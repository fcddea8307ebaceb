/* Well-formed HDF5 files with unexpected content, generated from the bytes of a fuzzer. They test
 * the checks of the content, not HDF5 itself. No bytes, and bytes of 0, give the expected file. */
#ifndef FUZZ_HOSTILE_FILE_H
#define FUZZ_HOSTILE_FILE_H

#include <hdf5.h>
#include <stdbool.h>

#include "fuzz.h"

/* The remaining bytes. */
typedef struct hostile {
    const uint8_t *data;
    size_t size;
    bool is_changed; /* the file has unexpected content */
} hostile;

/* One of `count` alternatives; 0 if no bytes remain. */
unsigned hostile_take(hostile *bytes, unsigned count);

/* A dataset of shape (6, rows, columns) and of a type, in chunks under Fletcher32 if `is_chunked`;
 * the bytes may change any of it. */
void hostile_dataset(hostile *bytes, hid_t file, const char *name, hid_t type, hsize_t rows,
                     hsize_t columns, bool is_chunked);
/* The same of any shape. */
void hostile_array(hostile *bytes, hid_t file, const char *name, hid_t type, const hsize_t shape[3],
                   bool is_chunked);

/* A coordinate with its units, equally spaced; the bytes may change it. */
void hostile_axis(hostile *bytes, hid_t file, const char *name, const char *units, hsize_t count,
                  double first, double step);

/* An attribute of the file, likewise; the text is NULL for a number. */
void hostile_integer(hostile *bytes, hid_t file, const char *name, long value);
void hostile_real(hostile *bytes, hid_t file, const char *name, double value);
void hostile_text(hostile *bytes, hid_t file, const char *name, const char *text);

/* Unexpected objects. */
void hostile_extras(hostile *bytes, hid_t file);

/* Number of open identifiers: none may stay open. */
long hostile_identifiers(void);

#endif
