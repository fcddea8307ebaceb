/* The datasets of a checkpoint: names, shapes and types that the writer stores and the reader
 * requires. */
#ifndef SWE_FILES_CHECKPOINT_INTERNAL_H
#define SWE_FILES_CHECKPOINT_INTERNAL_H

#include <hdf5.h>

#include "base/precision.h"
#include "fields/fields.h"

enum { CHECKPOINT_RANK = 3 };

typedef struct checkpoint_field {
    const char *name;
    hsize_t shape[CHECKPOINT_RANK]; /* panels, rows, columns */
} checkpoint_field;

static inline checkpoint_field checkpoint_field_of(const swe_field *field, int n)
{
    const checkpoint_field dataset = {
        field->name,
        {SWE_PANELS, (hsize_t)swe_field_rows(field, n), (hsize_t)swe_field_columns(field, n)}};
    return dataset;
}

/* Type of the values in the file. In memory they are doubles in either precision. */
static inline hid_t checkpoint_type(swe_precision precision)
{
    return precision == SWE_PRECISION_SINGLE ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
}

#endif
