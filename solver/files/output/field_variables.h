/* THE VARIABLES of a field file: the geography, the outputs that a snapshot has chosen
 * (fields/outputs.h), the exact h and the tracers; their values row by row from the fields of a
 * snapshot. */
#ifndef SWE_FILES_OUTPUT_FIELD_VARIABLES_H
#define SWE_FILES_OUTPUT_FIELD_VARIABLES_H

#include <stdbool.h>

#include "files/output/field_file.h"
#include "state/slabs.h"

/* The sources of rows. */
typedef struct field_rows {
    const swe_snapshot *snapshot;
    swe_slab in[2];        /* turned to the inputs of the variable */
    const double *corners; /* (n + 2) tangents of the corners of dual cells along a direction */
} field_rows;

/* A field that rows depend on, in the same rows or those beside them. */
typedef struct field_input {
    const swe_host_fields *fields; /* NULL: none */
    int k;
} field_input;

/* Fields are at the time and place of the snapshot, which the geography of the grid does not depend
 * on. `standard_name` may be NULL. */
typedef struct field_variable {
    const char *name, *dimensions, *units, *meaning, *standard_name;
    bool has_location;
    int rows, columns; /* of a panel */
    field_row *row;
    field_input in[2];
} field_variable;

/* Rows beside a row that it depends on, at most. */
enum { FIELD_ROWS_MARGIN = SBP_COLUMNS };

/* The tangents of field_rows, n + 2 of them. */
void field_corners(const swe_grid *grid, double *tangents);

/* List the variables of a snapshot; the caller frees. Errors: SWE_NO_MEMORY. */
swe_status field_variables_list(swe_context *ctx, const swe_snapshot *snapshot, int *count,
                                field_variable **out);

/* ALL RANKS: compute a variable of a snapshot: 6 x rows x columns values, of which the root has
 * `values`. Errors: SWE_NO_MEMORY. */
swe_status field_variable_compute(swe_context *ctx, const swe_snapshot *snapshot,
                                  const field_variable *variable, double *values);

#endif
