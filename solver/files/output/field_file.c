#include "files/output/field_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/version.h"
#include "grid/geographic.h"
#include "files/output/field_variables.h"
#include "files/output/hdf5_pieces.h"
#include "ranks/ranks.h"

/* ---- attributes and dimensions --------------------------------------------------------------- */

static void write_provenance(hdf5_writer *w, const swe_snapshot *s)
{
    char source[64];
    snprintf(source, sizeof source, "cubeswe %s", swe_version);
    hdf5_attribute_text(w, w->file, "Conventions", "CF-1.8");
    /* to xarray; no axes of CF */
    hdf5_attribute_text(w, w->file, "coordinates", "area corner_lons corner_lats");
    hdf5_attribute_text(w, w->file, "title", s->provenance.case_name);
    hdf5_attribute_text(w, w->file, "source", source);
    hdf5_attribute_text(w, w->file, "build", swe_build);
    hdf5_attribute_text(w, w->file, "backend", s->provenance.backend);
    hdf5_attribute_text(w, w->file, "device", s->provenance.device);
    hdf5_attribute_text(w, w->file, "configuration", s->provenance.configuration);
    hdf5_attribute_real(w, w->file, "radius", s->grid->radius);
    hdf5_attribute_real(w, w->file, "model_time", s->time);
    hdf5_attribute_integer(w, w->file, "step", s->step);
    hdf5_attribute_integer(w, w->file, "order", s->sbp->order);
}

/* Coordinates of one direction [degree]: vertices, corners of dual cells, cells. `scratch` has
 * n + 2 values. */
static void write_direction(hdf5_writer *w, const swe_grid *grid, const char *vertices,
                            const char *corners, const char *cells, double *scratch)
{
    const int n = grid->layout.n;
    for (int v = 0; v <= n; v++)
        scratch[v] = atan(grid->tan_vertex[v]) * geographic_degrees;
    hdf5_dimension_write(w, vertices, scratch, (hsize_t)n + 1, "degrees",
                         "panel angle of vertices");
    field_corners(grid, scratch);
    for (int c = 0; c <= n + 1; c++)
        scratch[c] = atan(scratch[c]) * geographic_degrees;
    hdf5_dimension_write(w, corners, scratch, (hsize_t)n + 2, "degrees",
                         "panel angle of the corners of dual cells");
    hdf5_dimension_write(w, cells, scratch + 1, (hsize_t)n, "degrees", "panel angle of cells");
}

static hid_t create_variable(hdf5_writer *w, const field_variable *v)
{
    const hid_t dataset = hdf5_variable_create(w, v->name, v->dimensions);
    hdf5_attribute_text(w, dataset, "units", v->units);
    hdf5_attribute_text(w, dataset, "long_name", v->meaning);
    if (v->has_location) {
        hdf5_attribute_text(w, dataset, "coordinates", "lons lats");
        hdf5_attribute_text(w, dataset, "grid_mapping", "cubed_sphere");
        hdf5_attribute_text(w, dataset, "cell_measures", "area: area");
    }
    if (v->standard_name != NULL)
        hdf5_attribute_text(w, dataset, "standard_name", v->standard_name);
    return dataset;
}

/* ---- pieces of a variable -------------------------------------------------------------------- */

/* A file at work. Each rank computes and packs its own pieces; the root has the file. */
typedef struct work {
    swe_context *ctx;
    const char *path;
    field_rows from;
    field_input input[2]; /* the fields that the slabs of `from` have */
    double *line;         /* corners of `from` */
    hdf5_writer writer;
} work;

/* A variable, and the pieces of it. */
typedef struct shown {
    const field_variable *v;
    hdf5_pieces pieces;
} shown;

static hdf5_pieces pieces_of(const swe_snapshot *s, int rows, int columns)
{
    return hdf5_pieces_of(rows, columns, s->compression, s->is_single != 0);
}

/* The pieces whose first rows are a rank's own (state/slabs.h), from number `first` on, where those
 * of the rank before end. */
static swe_range pieces_of_rank(const work *w, const shown *of, int first, int rank)
{
    const int n = w->from.snapshot->grid->layout.n, end = swe_slab_rows(n, rank).last;
    swe_range own = {first, first};
    for (; own.last < of->pieces.count; own.last++) {
        const hdf5_piece piece = hdf5_piece_at(&of->pieces, own.last);
        if (piece.panel * (n + 1) + (piece.row < n ? piece.row : n) >= end)
            break;
    }
    return own;
}

static swe_range own_pieces(const work *w, const shown *of)
{
    swe_range own = {0, 0};
    for (int rank = 0; rank <= swe_ranks_rank(); rank++)
        own = pieces_of_rank(w, of, own.last, rank);
    return own;
}

static hdf5_packed pack_piece(const work *w, const shown *of, int k)
{
    const hdf5_piece piece = hdf5_piece_at(&of->pieces, k);
    double *values = malloc(hdf5_piece_values(&of->pieces) * sizeof *values), *next = values;
    if (values == NULL)
        return (hdf5_packed){NULL, 0};
    for (int panel = piece.panel; panel < piece.panel + piece.panels; panel++)
        for (int j = piece.row; j < piece.row + piece.rows; j++, next += of->v->columns)
            of->v->row(&w->from, panel, j, next);
    const hdf5_packed packed = hdf5_pack(&of->pieces, &piece, values);
    free(values);
    return packed;
}

static swe_status pack(const work *w, const shown *of, swe_range pieces, hdf5_packed *packed)
{
    bool is_packed = true;
#pragma omp parallel for schedule(dynamic) num_threads(w->from.snapshot->threads)
    for (int k = pieces.first; k < pieces.last; k++)
        packed[k - pieces.first] = pack_piece(w, of, k);
    for (int k = pieces.first; k < pieces.last; k++)
        is_packed = is_packed && packed[k - pieces.first].bytes != NULL;
    return is_packed ? SWE_OK
                     : swe_fail(w->ctx, SWE_NO_MEMORY, "%s: out of memory for '%s'", w->path,
                                of->v->name);
}

static void release(int count, hdf5_packed *packed)
{
    for (int k = 0; k < count; k++)
        free(packed[k].bytes);
    memset(packed, 0, (size_t)count * sizeof *packed);
}

/* The root packs and writes its own pieces, as many at a time as it has threads. */
static swe_status write_own(work *w, const shown *of, hid_t dataset, hdf5_packed *packed)
{
    const int most = w->from.snapshot->threads;
    const swe_range own = own_pieces(w, of);
    swe_status status = SWE_OK;
    for (int first = own.first; first < own.last && status == SWE_OK; first += most) {
        const int last = first + most < own.last ? first + most : own.last;
        status = pack(w, of, (swe_range){first, last}, packed);
        for (int k = first; k < last && status == SWE_OK; k++)
            hdf5_write_packed(&w->writer, dataset, &of->pieces, k, packed[k - first]);
        release(last - first, packed);
        if (status == SWE_OK && !w->writer.ok)
            status = hdf5_writer_fail(w->ctx, &w->writer, w->path);
    }
    return status;
}

/* The root writes the pieces of the others, which send them in their order. */
static void write_others(work *w, const shown *of, hid_t dataset, void *room)
{
    swe_range of_rank = own_pieces(w, of);
    for (int rank = 1; rank < swe_ranks_count(); rank++) {
        of_rank = pieces_of_rank(w, of, of_rank.last, rank);
        for (int k = of_rank.first; k < of_rank.last; k++) {
            hdf5_packed packed = {.bytes = room};
            swe_ranks_receive(rank, &packed.size, sizeof packed.size);
            swe_ranks_receive(rank, packed.bytes, packed.size);
            hdf5_write_packed(&w->writer, dataset, &of->pieces, k, packed);
        }
    }
}

static swe_status write_as_root(work *w, const shown *of, hdf5_packed *packed)
{
    void *room = swe_ranks_count() > 1 ? malloc(hdf5_packed_most(&of->pieces)) : NULL;
    const hid_t dataset = create_variable(&w->writer, of->v);
    swe_status status = SWE_OK;
    if (!w->writer.ok)
        status = hdf5_writer_fail(w->ctx, &w->writer, w->path);
    else if (room == NULL && swe_ranks_count() > 1)
        status = swe_fail(w->ctx, SWE_NO_MEMORY, "%s: out of memory for a piece", w->path);
    if (status == SWE_OK)
        status = write_own(w, of, dataset, packed);
    status = swe_ranks_agree(w->ctx, status);
    if (status == SWE_OK)
        write_others(w, of, dataset, room);
    hdf5_close(&w->writer, dataset);
    free(room);
    return status;
}

static swe_status write_as_other(work *w, const shown *of, hdf5_packed *packed)
{
    const swe_range own = own_pieces(w, of);
    const swe_status status = swe_ranks_agree(w->ctx, pack(w, of, own, packed));
    for (int k = 0; k < own.last - own.first && status == SWE_OK; k++) {
        swe_ranks_send(0, &packed[k].size, sizeof packed[k].size);
        swe_ranks_send(0, packed[k].bytes, packed[k].size);
    }
    release(own.last - own.first, packed);
    return status;
}

/* The slabs get the inputs of a variable, unless they have them from the one before. */
static void get_inputs(work *w, const field_variable *v)
{
    for (int k = 0; k < 2; k++) {
        const field_input *in = &v->in[k], *has = &w->input[k];
        if (in->fields == NULL || (in->fields == has->fields && in->k == has->k))
            continue;
        swe_slab_get(in->fields, in->k, &w->from.in[k]);
        w->input[k] = *in;
    }
}

static swe_status write_variable(work *w, const field_variable *v)
{
    const shown of = {v, pieces_of(w->from.snapshot, v->rows, v->columns)};
    get_inputs(w, v);
    const int threads = w->from.snapshot->threads;
    const size_t most = (size_t)(of.pieces.count > threads ? of.pieces.count : threads);
    hdf5_packed *packed = calloc(most, sizeof *packed);
    swe_status status = SWE_OK;
    if (packed == NULL)
        status = swe_fail(w->ctx, SWE_NO_MEMORY, "%s: out of memory for '%s'", w->path, v->name);
    status = swe_ranks_agree(w->ctx, status);
    if (status == SWE_OK && packed != NULL)
        status =
            swe_ranks_is_root() ? write_as_root(w, &of, packed) : write_as_other(w, &of, packed);
    free(packed);
    return status;
}

/* ---- a file ---------------------------------------------------------------------------------- */

/* Slabs that have all rows of each piece whose first row is the rank's own. */
static swe_status create_slabs(work *w, int count, const field_variable *variables)
{
    const swe_snapshot *s = w->from.snapshot;
    const int side = s->grid->layout.n + 1;
    int most = 0;
    for (int k = 0; k < count; k++) {
        const hdf5_pieces p = pieces_of(s, variables[k].rows, variables[k].columns);
        const int rows = (p.panels - 1) * side + p.most;
        most = rows > most ? rows : most;
    }
    const swe_margin margin = {FIELD_ROWS_MARGIN, most - 1 + FIELD_ROWS_MARGIN};
    for (int k = 0; k < 2; k++)
        SWE_TRY(swe_slab_create(w->ctx, s->state, margin, &w->from.in[k]));
    return SWE_OK;
}

static swe_status write_variables(work *w)
{
    int count = 0;
    field_variable *variables = NULL;
    swe_status status =
        swe_ranks_agree(w->ctx, field_variables_list(w->ctx, w->from.snapshot, &count, &variables));
    if (status == SWE_OK)
        status = create_slabs(w, count, variables);
    for (int k = 0; k < count && status == SWE_OK; k++)
        status = write_variable(w, &variables[k]);
    for (int k = 0; k < 2; k++)
        swe_slab_release(&w->from.in[k]);
    free(variables);
    return status;
}

static void begin_content(work *w, int file)
{
    static const double faces[SWE_PANELS] = {1, 2, 3, 4, 5, 6};
    const swe_snapshot *s = w->from.snapshot;
    hdf5_writer_open(&w->writer, file);
    w->writer.deflate = s->compression;
    w->writer.is_single = s->is_single != 0;
    if (w->writer.ok) {
        write_provenance(&w->writer, s);
        hdf5_time_write(&w->writer, &s->time, 1, "seconds since 2000-01-01 00:00:00");
        hdf5_dimension_write(&w->writer, "nf", faces, SWE_PANELS, "1", "cubed-sphere face");
        write_direction(&w->writer, s->grid, "Ydim", "YCdim", "Ycell", w->line);
        write_direction(&w->writer, s->grid, "Xdim", "XCdim", "Xcell", w->line);
        const hid_t mapping = hdf5_scalar_write(&w->writer, "cubed_sphere");
        hdf5_attribute_text(&w->writer, mapping, "grid_mapping_name", "gnomonic cubed-sphere");
        hdf5_close(&w->writer, mapping);
    }
}

static swe_status write_content(work *w, int file)
{
    const swe_grid *grid = w->from.snapshot->grid;
    SWE_TRY(
        swe_ranks_agree(w->ctx, swe_memory_doubles(w->ctx, (size_t)grid->layout.n + 2, &w->line)));
    if (swe_ranks_is_root())
        begin_content(w, file);
    field_corners(grid, w->line);
    w->from.corners = w->line;
    const swe_status status = write_variables(w);
    const bool is_written = !swe_ranks_is_root() || hdf5_writer_close(&w->writer);
    return is_written || status != SWE_OK ? status : hdf5_writer_fail(w->ctx, &w->writer, w->path);
}

swe_status swe_field_file_write(swe_context *ctx, const char *path, const swe_snapshot *snapshot)
{
    work w = {.ctx = ctx, .path = path, .from = {.snapshot = snapshot}};
    const bool has_file = swe_ranks_is_root();
    swe_output_file out;
    SWE_TRY(swe_ranks_agree(ctx, has_file ? swe_durable_begin(ctx, path, &out) : SWE_OK));
    swe_status status = write_content(&w, has_file ? out.file : -1);
    free(w.line);
    if (has_file)
        status = swe_durable_end_if(ctx, status, &out);
    return swe_ranks_agree(ctx, status);
}
