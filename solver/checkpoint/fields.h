/* The datasets of a checkpoint, as they are written and as they must be when they are read. */
#ifndef SWE_CHECKPOINT_FIELDS_H
#define SWE_CHECKPOINT_FIELDS_H

#include <hdf5.h>

#include "base/precision.h"
#include "grid/layout.h"

enum { CHECKPOINT_FIELDS = 3, CHECKPOINT_RANK = 3 };

typedef struct checkpoint_field {
    const char *name;
    hsize_t shape[CHECKPOINT_RANK]; /* panels, rows, columns */
} checkpoint_field;

/* The k-th: h, v1, v2, as a state has them one after the other. */
static inline checkpoint_field checkpoint_field_at(const swe_layout *layout, int k)
{
    const hsize_t vertices = (hsize_t)layout->n + 1, cells = (hsize_t)layout->n;
    const checkpoint_field fields[CHECKPOINT_FIELDS] = {{"h", {SWE_PANELS, vertices, vertices}},
                                                        {"v1", {SWE_PANELS, vertices, cells}},
                                                        {"v2", {SWE_PANELS, cells, vertices}}};
    return fields[k];
}

/* Of a value in the file: a run in single precision has floats, which are doubles in memory. */
static inline hid_t checkpoint_type(swe_precision precision)
{
    return precision == SWE_PRECISION_SINGLE ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
}

#endif
