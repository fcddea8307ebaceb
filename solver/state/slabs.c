#include "state/slabs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ranks/ranks.h"
#include "state/host_fields_internal.h"

/* ---- rows ------------------------------------------------------------------------------------ */

static int count_rows(int n)
{
    return SWE_PANELS * (n + 1);
}

static int first_row(int n, int rank)
{
    return (int)((long)count_rows(n) * rank / swe_ranks_count());
}

swe_range swe_slab_rows(int n, int rank)
{
    return (swe_range){first_row(n, rank), first_row(n, rank + 1)};
}

static int within(int least, int value, int most)
{
    return value < least ? least : value > most ? most : value;
}

static swe_range widen(swe_range rows, int n, swe_margin margin)
{
    return (swe_range){within(0, rows.first - margin.before, count_rows(n)),
                       within(0, rows.last + margin.behind, count_rows(n))};
}

swe_range swe_slab_rows_of_panel(int n, swe_range rows, int panel)
{
    const int start = panel * (n + 1);
    return (swe_range){within(0, rows.first - start, n + 1), within(0, rows.last - start, n + 1)};
}

swe_range swe_slab_own_rows(const swe_slab *slab, const swe_field *field, int panel)
{
    const int rows = swe_field_rows(field, slab->n);
    const swe_range own = swe_slab_rows_of_panel(slab->n, slab->own, panel);
    return (swe_range){own.first, own.last < rows ? own.last : rows};
}

/* ---- between blocks and slabs ---------------------------------------------------------------- */

/* Values are copied between the blocks of each rank and the slab of each rank. A message holds the
 * rows that the blocks of one rank and the slab of another rank have in common, block after block,
 * row after row. Rows that the blocks and the slab of the same rank have in common are copied
 * without a message. */
struct swe_slab_room {
    const swe_decomposition *d;
    swe_margin margin;             /* of all slabs */
    double *values;                /* of the slab, and of the messages behind it; owned */
    int *numbers;                  /* of the lists, owned */
    swe_ranks_lists blocks, slabs; /* messages of this rank's blocks, and of its slab */
};
typedef struct swe_slab_room room;

typedef enum action { COUNT, TO_MESSAGE, FROM_MESSAGE } action;

/* Rows of its panel that block k has in common with a slab. */
static swe_range common_rows(const swe_decomposition *d, int k, swe_range slab)
{
    const swe_block *b = &d->block[k];
    const swe_range of_panel = swe_slab_rows_of_panel(d->layout.n, slab, b->panel);
    return (swe_range){within(b->j.first, of_panel.first, b->j.last),
                       within(b->j.first, of_panel.last, b->j.last)};
}

static int columns_of(const room *r, int k)
{
    return r->d->block[k].i.last - r->d->block[k].i.first;
}

/* Row j of block k: in a field of blocks, and in the slab. NULL while messages are only counted. */

static block_rows in_block(const room *r, double *field, int k, int j)
{
    const ptrdiff_t at = swe_decomposition_at(r->d, k, j, r->d->block[k].i.first);
    return (block_rows){field != NULL ? field + at : NULL, r->d->layout.pitch};
}

static block_rows in_slab(const room *r, const swe_slab *slab, int k, int j)
{
    const swe_block *b = &r->d->block[k];
    double *row = slab->values != NULL ? swe_slab_row(slab, b->panel, j) + b->i.first : NULL;
    return (block_rows){row, slab->pitch};
}

/* Append rows of block k, stored at `here`, to the message of a rank, or copy them from the
 * message. */
static void pass_part(const room *r, int k, int rows, block_rows here, const swe_ranks_lists *lists,
                      int rank, action action)
{
    const int columns = columns_of(r, k);
    block_rows in_message = {NULL, columns};
    if (action != COUNT)
        in_message.first = lists->values + lists->first[rank] + lists->count[rank];
    if (action == TO_MESSAGE)
        host_fields_copy_rows(rows, columns, here, in_message);
    else if (action == FROM_MESSAGE)
        host_fields_copy_rows(rows, columns, in_message, here);
    lists->count[rank] += rows * columns;
}

/* Pass rows between this rank's blocks and the slabs of the other ranks. */
static void pass_blocks(const room *r, double *field, action action)
{
    const int n = r->d->layout.n;
    for (int rank = 0; rank < swe_ranks_count(); rank++) {
        const swe_range slab = widen(swe_slab_rows(n, rank), n, r->margin);
        r->blocks.count[rank] = 0;
        for (int k = r->d->own.first; k < r->d->own.last && rank != swe_ranks_rank(); k++) {
            const swe_range rows = common_rows(r->d, k, slab);
            if (rows.first < rows.last)
                pass_part(r, k, rows.last - rows.first, in_block(r, field, k, rows.first),
                          &r->blocks, rank, action);
        }
    }
}

/* Pass rows between this rank's slab and the blocks of the other ranks. */
static void pass_slab(const room *r, const swe_slab *slab, action action)
{
    for (int rank = 0; rank < swe_ranks_count(); rank++)
        r->slabs.count[rank] = 0;
    for (int k = 0; k < r->d->count; k++) {
        const swe_range rows = common_rows(r->d, k, slab->rows);
        if (rows.first < rows.last && !swe_decomposition_owns(r->d, k))
            pass_part(r, k, rows.last - rows.first, in_slab(r, slab, k, rows.first), &r->slabs,
                      swe_decomposition_rank(r->d, k), action);
    }
}

/* Copy rows between this rank's blocks and its slab. */
static void copy_own(const room *r, double *field, const swe_slab *slab, bool is_set)
{
    for (int k = r->d->own.first; k < r->d->own.last; k++) {
        const swe_range rows = common_rows(r->d, k, slab->rows);
        if (rows.first == rows.last)
            continue;
        const block_rows a = in_block(r, field, k, rows.first), b = in_slab(r, slab, k, rows.first);
        host_fields_copy_rows(rows.last - rows.first, columns_of(r, k), is_set ? b : a,
                              is_set ? a : b);
    }
}

/* ---- slabs ----------------------------------------------------------------------------------- */

/* Place the messages of some lists one after the other. Returns the number of their values. */
static size_t place(const swe_ranks_lists *lists)
{
    int next = 0;
    for (int rank = 0; rank < swe_ranks_count(); rank++) {
        lists->first[rank] = next;
        next += lists->count[rank];
    }
    return (size_t)next;
}

/* Count the values of all messages, and make room for them and the slab. */
static swe_status create_room(swe_context *ctx, const swe_decomposition *d, swe_margin margin,
                              swe_slab *slab)
{
    const size_t ranks = (size_t)swe_ranks_count();
    const size_t own = (size_t)(slab->rows.last - slab->rows.first) * (size_t)slab->pitch;
    room *r = slab->room = calloc(1, sizeof *r);
    int *numbers = calloc(4 * ranks, sizeof *numbers);
    if (r == NULL || numbers == NULL) {
        free(numbers);
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for messages to %zu ranks", ranks);
    }
    *r = (room){.d = d, .margin = margin, .numbers = numbers};
    r->blocks = (swe_ranks_lists){NULL, numbers, numbers + ranks};
    r->slabs = (swe_ranks_lists){NULL, numbers + 2 * ranks, numbers + 3 * ranks};
    pass_blocks(r, NULL, COUNT);
    pass_slab(r, slab, COUNT);
    const size_t of_blocks = place(&r->blocks), of_slab = place(&r->slabs);
    SWE_TRY(swe_memory_doubles(ctx, own + of_blocks + of_slab, &r->values));
    slab->values = r->values;
    r->blocks.values = r->values + own;
    r->slabs.values = r->blocks.values + of_blocks;
    return SWE_OK;
}

/* One process without blocks has whole fields in the layout of slabs. */
swe_status swe_slab_create(swe_context *ctx, const swe_host_fields *fields, swe_margin margin,
                           swe_slab *out)
{
    const swe_decomposition *d = host_fields_blocks(fields);
    const swe_layout *layout = &fields->model->grid->layout;
    const swe_range own = swe_slab_rows(layout->n, swe_ranks_rank());
    *out = (swe_slab){
        .n = layout->n, .own = own, .rows = widen(own, layout->n, margin), .pitch = layout->pitch};
    if (d == NULL)
        return SWE_OK;
    const swe_status status = swe_ranks_agree(ctx, create_room(ctx, d, margin, out));
    if (status != SWE_OK)
        swe_slab_release(out);
    return status;
}

void swe_slab_release(swe_slab *slab)
{
    if (slab->room != NULL) {
        free(slab->room->values);
        free(slab->room->numbers);
    }
    free(slab->room);
    *slab = (swe_slab){.room = NULL};
}

static double *field_of(const swe_host_fields *f, int k)
{
    return f->values + (size_t)k * f->field;
}

void swe_slab_turn(const swe_host_fields *fields, int k, swe_slab *slab)
{
    if (slab->room == NULL)
        slab->values = field_of(fields, k);
}

void swe_slab_get(const swe_host_fields *fields, int k, swe_slab *slab)
{
    const room *r = slab->room;
    swe_slab_turn(fields, k, slab);
    if (r == NULL)
        return;
    pass_blocks(r, field_of(fields, k), TO_MESSAGE);
    swe_ranks_all_to_all_lists(&r->blocks, &r->slabs);
    pass_slab(r, slab, FROM_MESSAGE);
    copy_own(r, field_of(fields, k), slab, false);
}

void swe_slab_set(const swe_host_fields *fields, int k, const swe_slab *slab)
{
    const room *r = slab->room;
    if (r == NULL)
        return;
    pass_slab(r, slab, TO_MESSAGE);
    swe_ranks_all_to_all_lists(&r->slabs, &r->blocks);
    pass_blocks(r, field_of(fields, k), FROM_MESSAGE);
    copy_own(r, field_of(fields, k), slab, true);
}

void swe_slab_gather(int n, int count, const double *own, double *all)
{
    const size_t row = (size_t)count * sizeof *own;
    for (int rank = 0; rank < swe_ranks_count(); rank++) {
        const swe_range rows = swe_slab_rows(n, rank);
        const size_t bytes = (size_t)(rows.last - rows.first) * row;
        const bool is_own = rank == swe_ranks_rank();
        if (swe_ranks_is_root() && is_own)
            memcpy(all + (ptrdiff_t)rows.first * count, own, bytes);
        else if (swe_ranks_is_root())
            swe_ranks_receive(rank, all + (ptrdiff_t)rows.first * count, bytes);
        else if (is_own)
            swe_ranks_send(0, own, bytes);
    }
}
