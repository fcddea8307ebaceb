/* Files that all ranks write and read at once. In an array [panel][row][column] the own rows of a
 * rank within a panel follow one another (state/slabs.h): a rank writes them by one call, or a few.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "state/host_fields_internal.h"
#include "state/model_ranks.h"
#include "state/shared_file.h"
#include "state/slabs.h"

/* The values that the root broadcasts. */
typedef struct given {
    swe_shared_file file;
    swe_precision precision;
    swe_file_access access;
    int count;
} given;

/* A visit of this rank to the file. */
typedef struct visit {
    swe_context *ctx;
    swe_host_fields *fields;
    given given;
    long long *first; /* owned */
    int file;         /* descriptor; -1: not open */
    double *values;   /* a piece, as it is in memory, without padding; owned */
    char *bytes;      /* as it is in the file */
} visit;

enum { PIECE = 1 << 17 /* values; a row has fewer */ };

static size_t size_of(const visit *v)
{
    return swe_precision_bytes(v->given.precision);
}

/* ---- a piece of a field ---------------------------------------------------------------------- */

/* Rows of a panel, and their place in the file. */
typedef struct piece {
    int k, panel, j, rows, columns;
    off_t at;
} piece;

static size_t values_of(const piece *p)
{
    return (size_t)p->rows * (size_t)p->columns;
}

static void encode(const visit *v, size_t count)
{
    if (v->given.precision == SWE_PRECISION_DOUBLE)
        memcpy(v->bytes, v->values, count * sizeof(double));
    for (size_t k = 0; k < count && v->given.precision == SWE_PRECISION_SINGLE; k++)
        ((float *)(void *)v->bytes)[k] = (float)v->values[k];
}

static void decode(const visit *v, size_t count)
{
    if (v->given.precision == SWE_PRECISION_DOUBLE)
        memcpy(v->values, v->bytes, count * sizeof(double));
    for (size_t k = 0; k < count && v->given.precision == SWE_PRECISION_SINGLE; k++)
        v->values[k] = (double)((const float *)(const void *)v->bytes)[k];
}

/* Read the bytes of a piece. */
static swe_status read_piece(const visit *v, const piece *p)
{
    const bool is_restart = v->given.access == SWE_FILE_READ;
    if (swe_shared_file_read(v->file, v->bytes, values_of(p) * size_of(v), p->at))
        return SWE_OK;
    return swe_fail(v->ctx, is_restart ? SWE_DATA : SWE_IO, "%s: cannot be read: %s",
                    v->given.file.name, errno == 0 ? "it ends too early" : strerror(errno));
}

static swe_status check_finite(const visit *v, const piece *p)
{
    for (size_t k = 0; k < values_of(p); k++)
        if (!isfinite(v->values[k]))
            return swe_fail(v->ctx, SWE_DATA,
                            "%s: dataset '%s' is not finite at panel %d, j %d, i %d",
                            v->given.file.name, v->fields->model->fields.field[p->k].name, p->panel,
                            p->j + (int)(k / (size_t)p->columns), (int)(k % (size_t)p->columns));
    return SWE_OK;
}

/* Compare the values, in the representation of the file, with the file's bytes. */
static swe_status compare_piece(const visit *v, const piece *p)
{
    double *room = v->values + PIECE;
    SWE_TRY(read_piece(v, p));
    memcpy(room, v->bytes, values_of(p) * size_of(v));
    encode(v, values_of(p));
    if (memcmp(room, v->bytes, values_of(p) * size_of(v)) == 0)
        return SWE_OK;
    return swe_fail(v->ctx, SWE_IO, "%s: the data read back differ from those written",
                    v->given.file.name);
}

/* Copy the values of a piece between the slab and v->values. */
static void copy_piece(const visit *v, const piece *p, const swe_slab *slab, bool is_set)
{
    const block_rows in_slab = {swe_slab_row(slab, p->panel, p->j), slab->pitch},
                     packed = {v->values, p->columns};
    if (is_set)
        host_fields_copy_rows(p->rows, p->columns, packed, in_slab);
    else
        host_fields_copy_rows(p->rows, p->columns, in_slab, packed);
}

static swe_status access_piece(const visit *v, const piece *p, const swe_slab *slab)
{
    if (v->given.access == SWE_FILE_READ) {
        SWE_TRY(read_piece(v, p));
        decode(v, values_of(p));
        SWE_TRY(check_finite(v, p));
        copy_piece(v, p, slab, true);
        return SWE_OK;
    }
    copy_piece(v, p, slab, false);
    if (v->given.access == SWE_FILE_COMPARE)
        return compare_piece(v, p);
    encode(v, values_of(p));
    if (swe_shared_file_write(v->file, v->bytes, values_of(p) * size_of(v), p->at))
        return SWE_OK;
    return swe_fail(v->ctx, SWE_IO, "%s: cannot be written: %s", v->given.file.name,
                    strerror(errno));
}

/* ---- a field --------------------------------------------------------------------------------- */

static swe_status access_rows(const visit *v, int k, const swe_slab *slab, int panel)
{
    const swe_field *field = &v->fields->model->fields.field[k];
    const int rows = swe_field_rows(field, slab->n), columns = swe_field_columns(field, slab->n);
    const swe_range own = swe_slab_own_rows(slab, field, panel);
    const int most = PIECE / columns;
    for (int j = own.first; j < own.last; j += most) {
        const size_t before = ((size_t)panel * (size_t)rows + (size_t)j) * (size_t)columns;
        const piece piece = {.k = k,
                             .panel = panel,
                             .j = j,
                             .rows = own.last - j < most ? own.last - j : most,
                             .columns = columns,
                             .at = (off_t)v->first[k] + (off_t)(before * size_of(v))};
        SWE_TRY(access_piece(v, &piece, slab));
    }
    return SWE_OK;
}

static swe_status access_field(const visit *v, int k, swe_slab *slab)
{
    const bool is_read = v->given.access == SWE_FILE_READ;
    if (is_read)
        swe_slab_turn(v->fields, k, slab);
    else
        swe_slab_get(v->fields, k, slab);
    swe_status status = SWE_OK;
    for (int panel = 0; panel < SWE_PANELS && status == SWE_OK; panel++)
        status = access_rows(v, k, slab, panel);
    status = swe_ranks_agree(v->ctx, status);
    if (status == SWE_OK && is_read)
        swe_slab_set(v->fields, k, slab);
    return status;
}

static swe_status access_all(const visit *v)
{
    swe_slab slab;
    SWE_TRY(swe_slab_create(v->ctx, v->fields, (swe_margin){0, 0}, &slab));
    swe_status status = SWE_OK;
    for (int k = 0; k < v->given.count && status == SWE_OK; k++)
        status = access_field(v, k, &slab);
    swe_slab_release(&slab);
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

static swe_status make_room(visit *v)
{
    v->first = calloc((size_t)v->given.count, sizeof *v->first);
    if (v->first == NULL)
        return swe_fail(v->ctx, SWE_NO_MEMORY, "out of memory for the places of fields");
    SWE_TRY(swe_memory_doubles(v->ctx, 3 * PIECE, &v->values)); /* values, compared ones, bytes */
    v->bytes = (char *)(v->values + 2 * PIECE);
    return SWE_OK;
}

/* Each rank syncs what it wrote, which may wait on its machine. */
static swe_status close_file(visit *v, swe_status status)
{
    const bool is_synced =
        status != SWE_OK || v->given.access != SWE_FILE_WRITE || fsync(v->file) == 0;
    const int error = errno;
    const bool is_closed = v->file < 0 || close(v->file) == 0;
    if (!is_synced || (!is_closed && status == SWE_OK))
        status = swe_fail(v->ctx, SWE_IO, "%s: cannot be written: %s", v->given.file.name,
                          strerror(is_synced ? errno : error));
    return swe_ranks_agree(v->ctx, status);
}

static swe_status access_fields(visit *v, const swe_field_places *places)
{
    SWE_TRY(swe_ranks_agree(v->ctx, make_room(v)));
    if (swe_ranks_is_root())
        memcpy(v->first, places->first, (size_t)v->given.count * sizeof *v->first);
    swe_ranks_broadcast(v->first, (size_t)v->given.count * sizeof *v->first);
    /* a file has its size and time once it is written */
    const bool is_written = v->given.access == SWE_FILE_WRITE;
    swe_status status =
        swe_ranks_agree(v->ctx, swe_shared_file_open(v->ctx, &v->given.file,
                                                     is_written ? O_WRONLY | O_NOFOLLOW : O_RDONLY,
                                                     v->given.access == SWE_FILE_READ, &v->file));
    if (status == SWE_OK)
        status = access_all(v);
    return close_file(v, status);
}

swe_status host_fields_access_file(swe_context *ctx, void *fields, const swe_field_places *places,
                                   swe_file_access access)
{
    visit v = {.ctx = ctx, .fields = fields, .file = -1};
    model_ask(MODEL_ACCESS_FILE,
              (model_request){.model = v.fields->model, .host = v.fields->number});
    if (swe_ranks_is_root()) {
        struct stat info = {.st_size = 0}; /* swe_shared_file_open finds that a file is missing */
        stat(places->path, &info);
        v.given.file = swe_shared_file_of(places->path, places->name, &info);
        v.given.precision = places->precision;
        v.given.access = access;
        v.given.count = places->count;
    }
    swe_ranks_broadcast(&v.given, sizeof v.given);
    const swe_status status = access_fields(&v, places);
    free(v.values);
    free(v.first);
    return status;
}
