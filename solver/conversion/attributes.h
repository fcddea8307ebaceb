/* Attributes of files that are not trusted. */
#ifndef SWE_CONVERSION_ATTRIBUTES_H
#define SWE_CONVERSION_ATTRIBUTES_H

#include "output/hdf5_writer.h"

/* Read a text; false, and `text` is empty, if there is none that fits. */
bool swe_attribute_text(hid_t object, const char *name, char *text, size_t size);

/* Read a number; false if there is none. */
bool swe_attribute_real(hid_t object, const char *name, double *number);

/* Copy what describes an object: texts and single numbers, but not what belongs to a grid, to
 * netCDF-4's own account or to one file of a run. */
void swe_attributes_copy(hid_t from, hdf5_writer *writer, hid_t to);

#endif
