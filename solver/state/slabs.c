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

static swe_range widen(swe_range rows, int n, int margin)
{
    return (swe_range){within(0, rows.first - margin, count_rows(n)),
                       within(0, rows.last + margin, count_rows(n))};
}

swe_range swe_slab_rows_of_panel(int n, swe_range rows, int panel)
{
    const int start = panel * (n + 1);
    return (swe_range){within(0, rows.first - start, n + 1), within(0, rows.last - start, n + 1)};
}

/* ---- between blocks and slabs ---------------------------------------------------------------- */

/* Values of a field that go from blocks to slabs, or back. A message has what the blocks of one
 * rank and the slab of another have in common, block after block, row after row. */
typedef struct transfer {
    const swe_decomposition *d;
    double *field; /* blocks */
    const swe_slab *slab;
    int margin;                    /* of all slabs */
    swe_ranks_lists blocks, slabs; /* messages of this rank's blocks, and of its slab */
    double *values;                /* of both, owned */
    int *numbers;                  /* likewise */
} transfer;

typedef enum action { COUNT, TO_MESSAGE, FROM_MESSAGE } action;

/* Rows of its panel that block k has in common with a slab. */
static swe_range common_rows(const swe_decomposition *d, int k, swe_range slab)
{
    const swe_block *b = &d->block[k];
    const swe_range of_panel = swe_slab_rows_of_panel(d->layout.n, slab, b->panel);
    return (swe_range){within(b->j.first, of_panel.first, b->j.last),
                       within(b->j.first, of_panel.last, b->j.last)};
}

/* Append rows of block k, which lie `here`, to the message of a rank; or take them from it. */
static void pass_rows(const transfer *t, int k, int rows, block_rows here,
                      const swe_ranks_lists *lists, int rank, action action)
{
    const int columns = t->d->block[k].i.last - t->d->block[k].i.first;
    block_rows in_message = {NULL, columns};
    if (action != COUNT)
        in_message.first = lists->values + lists->first[rank] + lists->count[rank];
    if (action == TO_MESSAGE)
        host_fields_copy_rows(rows, columns, here, in_message);
    else if (action == FROM_MESSAGE)
        host_fields_copy_rows(rows, columns, in_message, here);
    lists->count[rank] += rows * columns;
}

/* This rank's blocks, and the slabs of all ranks. */
static void pass_blocks(const transfer *t, action action)
{
    const swe_decomposition *d = t->d;
    for (int rank = 0; rank < swe_ranks_count(); rank++) {
        const swe_range slab = widen(swe_slab_rows(d->layout.n, rank), d->layout.n, t->margin);
        t->blocks.count[rank] = 0;
        for (int k = d->own.first; k < d->own.last; k++) {
            const swe_range rows = common_rows(d, k, slab);
            const ptrdiff_t at = swe_decomposition_at(d, k, rows.first, d->block[k].i.first);
            if (rows.first < rows.last)
                pass_rows(t, k, rows.last - rows.first,
                          (block_rows){t->field + at, d->layout.pitch}, &t->blocks, rank, action);
        }
    }
}

/* This rank's slab, and the blocks of all ranks. */
static void pass_slab(const transfer *t, action action)
{
    const swe_decomposition *d = t->d;
    const swe_range slab = widen(t->slab->own, d->layout.n, t->margin);
    for (int rank = 0; rank < swe_ranks_count(); rank++)
        t->slabs.count[rank] = 0;
    for (int k = 0; k < d->count; k++) {
        const swe_block *b = &d->block[k];
        const swe_range rows = common_rows(d, k, slab);
        if (rows.first < rows.last)
            pass_rows(t, k, rows.last - rows.first,
                      (block_rows){swe_slab_row(t->slab, b->panel, rows.first) + b->i.first,
                                   t->slab->pitch},
                      &t->slabs, swe_decomposition_rank(d, k), action);
    }
}

/* Place the messages of some lists one after the other; returns their values. */
static size_t place(const swe_ranks_lists *lists)
{
    int next = 0;
    for (int rank = 0; rank < swe_ranks_count(); rank++) {
        lists->first[rank] = next;
        next += lists->count[rank];
    }
    return (size_t)next;
}

static swe_status make_room(swe_context *ctx, transfer *t)
{
    const size_t ranks = (size_t)swe_ranks_count();
    t->numbers = calloc(4 * ranks, sizeof *t->numbers);
    if (t->numbers == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for messages to %d ranks", (int)ranks);
    t->blocks = (swe_ranks_lists){NULL, t->numbers, t->numbers + ranks};
    t->slabs = (swe_ranks_lists){NULL, t->numbers + 2 * ranks, t->numbers + 3 * ranks};
    pass_blocks(t, COUNT);
    pass_slab(t, COUNT);
    const size_t of_blocks = place(&t->blocks), of_slab = place(&t->slabs);
    SWE_TRY(swe_memory_doubles(ctx, of_blocks + of_slab, &t->values));
    t->blocks.values = t->values;
    t->slabs.values = t->values + of_blocks;
    return SWE_OK;
}

static swe_status pass(swe_context *ctx, const swe_host_fields *f, int k, const swe_slab *slab,
                       int margin, bool is_set)
{
    transfer t = {.d = host_fields_blocks(f),
                  .field = f->values + (size_t)k * f->field,
                  .slab = slab,
                  .margin = margin};
    const swe_status status = swe_ranks_agree(ctx, make_room(ctx, &t));
    if (status == SWE_OK && is_set) {
        pass_slab(&t, TO_MESSAGE);
        swe_ranks_swap_lists(&t.slabs, &t.blocks);
        pass_blocks(&t, FROM_MESSAGE);
    } else if (status == SWE_OK) {
        pass_blocks(&t, TO_MESSAGE);
        swe_ranks_swap_lists(&t.blocks, &t.slabs);
        pass_slab(&t, FROM_MESSAGE);
    }
    free(t.values);
    free(t.numbers);
    return status;
}

/* ---- slabs ----------------------------------------------------------------------------------- */

/* One process without blocks has whole fields in the layout of slabs. */
static swe_status create(swe_context *ctx, const swe_host_fields *f, int k, int margin,
                         swe_slab *out)
{
    const int n = f->model->grid->layout.n;
    const swe_range own = swe_slab_rows(n, swe_ranks_own());
    *out = (swe_slab){
        .n = n, .own = own, .rows = widen(own, n, margin), .pitch = f->model->grid->layout.pitch};
    if (host_fields_blocks(f) == NULL) {
        out->values = f->values + (size_t)k * f->field;
        return SWE_OK;
    }
    const swe_status status = swe_memory_doubles(
        ctx, (size_t)(out->rows.last - out->rows.first) * (size_t)out->pitch, &out->room);
    out->values = out->room;
    return swe_ranks_agree(ctx, status);
}

swe_status swe_slab_create(swe_context *ctx, const swe_host_fields *fields, int k, swe_slab *out)
{
    const swe_status status = create(ctx, fields, k, 0, out);
    if (status != SWE_OK)
        swe_slab_release(out);
    return status;
}

swe_status swe_slab_get(swe_context *ctx, const swe_host_fields *fields, int k, int margin,
                        swe_slab *out)
{
    swe_status status = create(ctx, fields, k, margin, out);
    if (status == SWE_OK && out->room != NULL)
        status = pass(ctx, fields, k, out, margin, false);
    if (status != SWE_OK)
        swe_slab_release(out);
    return status;
}

swe_status swe_slab_set(swe_context *ctx, const swe_host_fields *fields, int k,
                        const swe_slab *slab)
{
    return slab->room != NULL ? pass(ctx, fields, k, slab, 0, true) : SWE_OK;
}

void swe_slab_release(swe_slab *slab)
{
    free(slab->room);
    slab->room = slab->values = NULL;
}

void swe_slab_gather(int n, int count, const double *own, double *all)
{
    const size_t row = (size_t)count * sizeof *own;
    for (int rank = 0; rank < swe_ranks_count(); rank++) {
        const swe_range rows = swe_slab_rows(n, rank);
        const size_t bytes = (size_t)(rows.last - rows.first) * row;
        double *to = swe_ranks_is_root() ? all + (ptrdiff_t)rows.first * count : NULL;
        if (rank == swe_ranks_own() && swe_ranks_is_root())
            memcpy(to, own, bytes);
        else if (rank == swe_ranks_own())
            swe_ranks_send(0, own, bytes);
        else if (swe_ranks_is_root())
            swe_ranks_receive(rank, to, bytes);
    }
}
