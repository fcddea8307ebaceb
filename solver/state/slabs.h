/* SLABS: how all ranks share work on fields in host memory. The rows of the sphere are numbered
 * panel after panel: row j of panel p has number p (n + 1) + j. The rows are divided among the
 * ranks; the numbers of own rows of two ranks differ by at most one. A slab holds whole rows, so
 * that results computed from a row do not depend on blocks and ranks.
 *
 * All ranks call these functions together, in a task (run/tasks.h). If there is one rank, any
 * thread may call them. */
#ifndef SWE_STATE_SLABS_H
#define SWE_STATE_SLABS_H

#include "state/host_fields.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rows of a rank: numbers first to last - 1. */
swe_range swe_slab_rows(int n, int rank);

/* The rows of `rows` that lie in a panel, counted from the panel's first row; none: first = last.
 */
swe_range swe_slab_rows_of_panel(int n, swe_range rows, int panel);

/* Rows before and behind the own rows. */
typedef struct swe_margin {
    int before, behind;
} swe_margin;

/* Values of a field in a rank's own rows and in the rows of a margin. */
typedef struct swe_slab {
    int n;
    swe_range own, rows; /* rows: with the margin */
    ptrdiff_t pitch;
    double *values;             /* of `rows`, host memory */
    struct swe_slab_room *room; /* owned; NULL: `values` points into the field */
} swe_slab;

/* The values of row j of a panel, which is one of slab->rows. */
static inline double *swe_slab_row(const swe_slab *slab, int panel, int j)
{
    return slab->values + (panel * (slab->n + 1) + j - slab->rows.first) * slab->pitch;
}

/* The own rows of a panel that a field has, counted from the panel's first row. */
swe_range swe_slab_own_rows(const swe_slab *slab, const swe_field *field, int panel);

/* Make room for a slab, which has one field after another. Release it with swe_slab_release.
 * Errors: SWE_NO_MEMORY, on all ranks alike. */
swe_status swe_slab_create(swe_context *ctx, const swe_host_fields *fields, swe_margin margin,
                           swe_slab *out);
void swe_slab_release(swe_slab *slab);

/* swe_slab_get fills a slab with the values of field number k. To write field k: call
 * swe_slab_turn, set the values of all own rows, then call swe_slab_set, which copies them to the
 * field. The slab must have no margin. */
void swe_slab_get(const swe_host_fields *fields, int k, swe_slab *slab);
void swe_slab_turn(const swe_host_fields *fields, int k, swe_slab *slab);
void swe_slab_set(const swe_host_fields *fields, int k, const swe_slab *slab);

/* Copy `count` doubles of each row to the root: row number g to all[g count]. Only the root writes
 * `all`. */
void swe_slab_gather(int n, int count, const double *own, double *all);

#ifdef __cplusplus
}
#endif
#endif
