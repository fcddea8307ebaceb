/* Internal to fields in host memory: host_fields.c by panels, slabs.c by rows of each rank,
 * host_files.c from and to files. */
#ifndef SWE_STATE_HOST_FIELDS_INTERNAL_H
#define SWE_STATE_HOST_FIELDS_INTERNAL_H

#include "state/host_fields.h"

struct swe_host_fields {
    swe_model *model;
    swe_panels panels;
    int number; /* of the model's */
    int count;
    size_t field; /* values of one */
    double *values;
    double *message; /* room for some rows of a block; NULL: one rank */
};

/* The blocks of the model; NULL: none. */
static inline const swe_decomposition *host_fields_blocks(const swe_host_fields *f)
{
    return f->model->functions->blocks(f->model->stepper);
}

/* Some rows of a block's own points: in a field of blocks, in rows of a panel, or in a message,
 * where they follow one another. */
typedef struct block_rows {
    double *first; /* the first value of the first row */
    ptrdiff_t pitch;
} block_rows;

/* swe_panels.access. */
swe_status host_fields_access_file(swe_context *ctx, void *fields, const swe_field_places *places,
                                   swe_file_access access);

void host_fields_copy_rows(int rows, int columns, block_rows from, block_rows to);

#endif
