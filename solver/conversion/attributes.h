/* Attributes of untrusted HDF5 files: reading single values, copying descriptions. */
#ifndef SWE_CONVERSION_ATTRIBUTES_H
#define SWE_CONVERSION_ATTRIBUTES_H

#include "output/hdf5_writer.h"

/* Read a text. False, with `text` empty: no such text, or it does not fit. */
bool swe_attribute_text(hid_t object, const char *name, char *text, size_t size);

/* Read a floating-point number. False: no such number. */
bool swe_attribute_real(hid_t object, const char *name, double *number);

/* Copy texts and single numbers of an object, except attributes of netCDF-4 itself, of a grid, or
 * of one time. */
void swe_attributes_copy(hid_t from, hdf5_writer *writer, hid_t to);

#endif
