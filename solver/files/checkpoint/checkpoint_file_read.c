#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/memory.h"
#include "files/checkpoint/checkpoint_file.h"
#include "files/checkpoint/internal.h"
#include "files/output/hdf5_reader.h"

/* ---- attributes ------------------------------------------------------------------------------ */

/* Open an attribute that is one value of a class and of at most `max_size` bytes; otherwise returns
 * an invalid identifier. */
static hid_t open_attribute(hid_t file, const char *name, H5T_class_t kind, size_t max_size,
                            size_t *size)
{
    if (H5Aexists(file, name) <= 0)
        return H5I_INVALID_HID;
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    const hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
    *size = type >= 0 ? H5Tget_size(type) : 0;
    const bool is_one = space >= 0 && H5Sget_simple_extent_type(space) == H5S_SCALAR;
    const bool is_kind = type >= 0 && H5Tget_class(type) == kind &&
                         (kind != H5T_STRING || H5Tis_variable_str(type) == 0);
    H5Tclose(type);
    H5Sclose(space);
    if (is_one && is_kind && *size > 0 && *size <= max_size)
        return attribute;
    H5Aclose(attribute);
    return H5I_INVALID_HID;
}

static swe_status fail_missing(swe_context *ctx, const char *path, const char *name)
{
    return swe_fail(ctx, SWE_DATA, "%s: attribute '%s' is missing or has another type", path, name);
}

static swe_status read_value(swe_context *ctx, const char *path, hid_t file, const char *name,
                             H5T_class_t kind, hid_t type, void *out)
{
    size_t size = 0;
    const hid_t attribute = open_attribute(file, name, kind, sizeof(double), &size);
    const bool is_read = attribute >= 0 && H5Aread(attribute, type, out) >= 0;
    H5Aclose(attribute);
    return is_read ? SWE_OK : fail_missing(ctx, path, name);
}

static swe_status read_integer(swe_context *ctx, const char *path, hid_t file, const char *name,
                               long *out)
{
    return read_value(ctx, path, file, name, H5T_INTEGER, H5T_NATIVE_LONG, out);
}

static swe_status read_real(swe_context *ctx, const char *path, hid_t file, const char *name,
                            double *out)
{
    return read_value(ctx, path, file, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, out);
}

/* Read a text, which the caller frees. */
static swe_status read_text(swe_context *ctx, const char *path, hid_t file, const char *name,
                            char **out)
{
    size_t size = 0;
    const hid_t attribute = open_attribute(file, name, H5T_STRING, SWE_CONFIG_MOST, &size);
    *out = attribute >= 0 ? calloc(size + 1, 1) : NULL;
    if (attribute >= 0 && *out == NULL) {
        H5Aclose(attribute);
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the head of a checkpoint");
    }
    const hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    const bool is_read = type >= 0 && H5Aread(attribute, type, *out) >= 0;
    H5Tclose(type);
    H5Aclose(attribute);
    return is_read ? SWE_OK : fail_missing(ctx, path, name);
}

/* Read a text of `size` - 1 characters. */
static swe_status read_word(swe_context *ctx, const char *path, hid_t file, const char *name,
                            char *out, size_t size)
{
    char *text = NULL;
    swe_status status = read_text(ctx, path, file, name, &text);
    if (status == SWE_OK && (text == NULL || strlen(text) != size - 1))
        status = fail_missing(ctx, path, name);
    if (status == SWE_OK && text != NULL)
        memcpy(out, text, size);
    free(text);
    return status;
}

static swe_status read_format(swe_context *ctx, const char *path, hid_t file, long *out)
{
    SWE_TRY(read_integer(ctx, path, file, "format", out));
    if (*out >= SWE_CHECKPOINT_CHUNKED && *out <= SWE_CHECKPOINT_FORMAT)
        return SWE_OK;
    return swe_fail(ctx, SWE_DATA, "%s: is of format %ld, and this program reads formats %d to %d",
                    path, *out, SWE_CHECKPOINT_CHUNKED, SWE_CHECKPOINT_FORMAT);
}

static swe_status read_head(swe_context *ctx, const char *path, hid_t file, swe_checkpoint_head *h)
{
    long format = 0;
    SWE_TRY(read_format(ctx, path, file, &format));
    SWE_TRY(read_integer(ctx, path, file, "step", &h->step));
    SWE_TRY(read_integer(ctx, path, file, "steps", &h->steps));
    SWE_TRY(read_integer(ctx, path, file, "diagnostics_size", &h->diagnostics_size));
    SWE_TRY(read_real(ctx, path, file, "dt", &h->dt));
    /* Checkpoints written before checkpoint.final existed lack it; they follow the output. */
    long before_output = 0;
    if (H5Aexists(file, "before_output") != 0)
        SWE_TRY(read_integer(ctx, path, file, "before_output", &before_output));
    h->is_before_output = before_output != 0;
    SWE_TRY(read_word(ctx, path, file, "run", h->run, sizeof h->run));
    if (H5Aexists(file, "diagnostics_sha256") != 0)
        SWE_TRY(read_word(ctx, path, file, "diagnostics_sha256", h->diagnostics_sha256,
                          sizeof h->diagnostics_sha256));
    SWE_TRY(read_text(ctx, path, file, "configuration", &h->configuration));
    if (h->step >= 0 && h->diagnostics_size >= 0 && h->dt > 0.0 && isfinite(h->dt))
        return SWE_OK;
    return swe_fail(ctx, SWE_DATA, "%s: its step or time step is out of range", path);
}

swe_status swe_checkpoint_head_read(swe_context *ctx, const char *path, swe_checkpoint_head *out)
{
    *out = (swe_checkpoint_head){.step = 0};
    hid_t file;
    SWE_TRY(hdf5_open(ctx, path, &file));
    const swe_status status = read_head(ctx, path, file, out);
    H5Fclose(file);
    if (status != SWE_OK)
        swe_checkpoint_head_release(out);
    return status;
}

void swe_checkpoint_head_release(swe_checkpoint_head *head)
{
    free(head->configuration);
    head->configuration = NULL;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Whether no chunk exceeds the dataset: HDF5 allocates a whole chunk. */
static bool has_fitting_chunks(hid_t creation, const checkpoint_field *field)
{
    hsize_t chunk[CHECKPOINT_RANK] = {0};
    bool fits = H5Pget_chunk(creation, CHECKPOINT_RANK, chunk) == CHECKPOINT_RANK;
    for (int k = 0; k < CHECKPOINT_RANK; k++)
        fits = fits && chunk[k] >= 1 && chunk[k] <= field->shape[k];
    return fits;
}

/* Whether the only filter is Fletcher32. */
static bool has_checksums_only(hid_t creation)
{
    unsigned flags = 0, config = 0;
    size_t count = 0;
    return H5Pget_nfilters(creation) == 1 && H5Pget_filter2(creation, 0, &flags, &count, NULL, 0,
                                                            NULL, &config) == H5Z_FILTER_FLETCHER32;
}

/* Whether the values lie in the file itself, stored as in a format. */
static bool is_plain(hid_t dataset, const checkpoint_field *field, long format)
{
    const hid_t creation = H5Dget_create_plist(dataset);
    const H5D_layout_t layout = creation >= 0 ? H5Pget_layout(creation) : H5D_LAYOUT_ERROR;
    const bool is_stored = format == SWE_CHECKPOINT_CHUNKED
                               ? layout == H5D_CHUNKED && has_fitting_chunks(creation, field) &&
                                     has_checksums_only(creation)
                               : layout == H5D_CONTIGUOUS;
    const bool is_plain = is_stored && H5Pget_external_count(creation) == 0;
    H5Pclose(creation);
    return is_plain;
}

/* Whether contiguous values have a place within the file; `first`: their first byte. */
static bool find_place(hid_t file, hid_t dataset, const checkpoint_field *field,
                       swe_precision precision, long long *first)
{
    hsize_t size = 0, before = 0, bytes = swe_precision_bytes(precision);
    const hid_t creation = H5Fget_create_plist(file);
    const haddr_t place = H5Dget_offset(dataset);
    const bool is_known = H5Fget_filesize(file, &size) >= 0 && creation >= 0 &&
                          H5Pget_userblock(creation, &before) >= 0 && before == 0;
    for (int k = 0; k < CHECKPOINT_RANK; k++)
        bytes *= field->shape[k];
    H5Pclose(creation);
    *first = (long long)place;
    return is_known && place != HADDR_UNDEF && place <= size && bytes <= size - place;
}

static bool has_type(hid_t dataset, swe_precision precision)
{
    const hid_t type = H5Dget_type(dataset);
    const bool is_same = type >= 0 && H5Tequal(type, checkpoint_type(precision)) > 0;
    H5Tclose(type);
    return is_same;
}

static bool has_shape(hid_t dataset, const checkpoint_field *field)
{
    hsize_t shape[CHECKPOINT_RANK] = {0};
    const hid_t space = H5Dget_space(dataset);
    const bool is_same = space >= 0 && H5Sget_simple_extent_ndims(space) == CHECKPOINT_RANK &&
                         H5Sget_simple_extent_dims(space, shape, NULL) == CHECKPOINT_RANK &&
                         memcmp(shape, field->shape, sizeof shape) == 0;
    H5Sclose(space);
    return is_same;
}

/* Reads fields panel by panel through `room`, to set the fields of a state, or to compare them with
 * `expected`. If `room` is NULL, it only checks shape, type and storage of the fields, and finds
 * their places. */
typedef struct panel_reader {
    swe_context *ctx;
    const char *path;
    long format;
    const swe_layout *layout;
    swe_precision precision;
    const swe_field_set *fields;
    const swe_panels *state, *expected;
    double *room;     /* two panels */
    long long *first; /* places of all fields */
} panel_reader;

/* Open a dataset of the required shape, type and storage; otherwise sets the error and returns an
 * invalid identifier. `first`: the place of its values; format 1 has none. */
static hid_t open_field(const panel_reader *r, hid_t file, const checkpoint_field *field,
                        long long *first)
{
    hid_t dataset;
    if (hdf5_find_dataset(r->ctx, r->path, file, field->name, &dataset) != SWE_OK)
        return H5I_INVALID_HID;
    if (dataset < 0) {
        swe_fail(r->ctx, SWE_DATA, "%s: has no dataset '%s'", r->path, field->name);
        return H5I_INVALID_HID;
    }
    if (has_type(dataset, r->precision) && has_shape(dataset, field) &&
        is_plain(dataset, field, r->format) && hdf5_storage_is_whole(dataset) &&
        (r->format == SWE_CHECKPOINT_CHUNKED ||
         find_place(file, dataset, field, r->precision, first)))
        return dataset;
    swe_fail(r->ctx, SWE_DATA, "%s: dataset '%s' is not %s of shape (%llu, %llu, %llu), %s",
             r->path, field->name, swe_precision_name(r->precision),
             (unsigned long long)field->shape[0], (unsigned long long)field->shape[1],
             (unsigned long long)field->shape[2],
             r->format == SWE_CHECKPOINT_CHUNKED ? "with Fletcher32 only"
                                                 : "contiguous within the file");
    H5Dclose(dataset);
    return H5I_INVALID_HID;
}

static swe_status check_finite(const panel_reader *r, const checkpoint_field *field, int panel,
                               const double *values)
{
    for (int j = 0; j < (int)field->shape[1]; j++)
        for (int i = 0; i < (int)field->shape[2]; i++)
            if (!isfinite(values[swe_at(r->layout, 0, j, i)]))
                return swe_fail(r->ctx, SWE_DATA,
                                "%s: dataset '%s' is not finite at panel %d, j %d, i %d", r->path,
                                field->name, panel, j, i);
    return SWE_OK;
}

static swe_status check_same(const panel_reader *r, const checkpoint_field *field,
                             const double *expected)
{
    for (int j = 0; j < (int)field->shape[1]; j++) {
        const ptrdiff_t row = swe_at(r->layout, 0, j, 0);
        if (memcmp(r->room + row, expected + row, field->shape[2] * sizeof(double)) != 0)
            return swe_fail(r->ctx, SWE_IO, "%s: the data read back differ from those written",
                            r->path);
    }
    return SWE_OK;
}

static swe_status read_checked_panel(const panel_reader *r, hid_t dataset,
                                     const checkpoint_field *field, int k, int panel)
{
    if (!hdf5_copy_panel(dataset, r->layout, 0, panel, NULL, r->room))
        return swe_fail(r->ctx, SWE_DATA, "%s: dataset '%s' cannot be read", r->path, field->name);
    if (r->expected != NULL)
        return check_same(r, field,
                          swe_panels_get(r->expected, k, panel, r->room + r->layout->panel));
    SWE_TRY(check_finite(r, field, panel, r->room));
    swe_panels_set(r->state, k, panel, r->room);
    return SWE_OK;
}

static swe_status read_all(const panel_reader *r, hid_t file)
{
    for (int k = 0; k < r->fields->count; k++) {
        const checkpoint_field field = checkpoint_field_of(&r->fields->field[k], r->layout->n);
        const hid_t dataset = open_field(r, file, &field, &r->first[k]);
        swe_status status = dataset >= 0 ? SWE_OK : SWE_DATA;
        const int panels = r->room != NULL ? SWE_PANELS : 0;
        for (int panel = 0; panel < panels && status == SWE_OK; panel++)
            status = read_checked_panel(r, dataset, &field, k, panel);
        H5Dclose(dataset);
        SWE_TRY(status);
    }
    return SWE_OK;
}

/* Check all fields before any is read. */
static swe_status read_checked(const panel_reader *r, hid_t file, bool by_all)
{
    const swe_panels *panels = r->expected != NULL ? r->expected : r->state;
    SWE_TRY(read_all(r, file));
    if (panels == NULL)
        return SWE_OK;
    if (by_all && panels->access != NULL && r->format != SWE_CHECKPOINT_CHUNKED) {
        const swe_field_places places = {r->path, r->path, r->precision, r->fields->count,
                                         r->first};
        const swe_status status =
            panels->access(r->ctx, panels->fields, &places,
                           r->expected != NULL ? SWE_FILE_COMPARE : SWE_FILE_READ);
        if (status != SWE_UNAVAILABLE)
            return status;
        swe_warn_once("%s; rank 0 reads checkpoints alone", r->ctx->message);
    }
    panel_reader with_room = *r;
    SWE_TRY(swe_memory_doubles(r->ctx, 2 * (size_t)r->layout->panel, &with_room.room));
    const swe_status status = read_all(&with_room, file);
    free(with_room.room);
    return status;
}

static swe_status read_fields(panel_reader r, hid_t file, bool by_all)
{
    SWE_TRY(read_format(r.ctx, r.path, file, &r.format));
    r.first = calloc((size_t)r.fields->count, sizeof *r.first);
    if (r.first == NULL)
        return swe_fail(r.ctx, SWE_NO_MEMORY, "out of memory for the places of fields");
    const swe_status status = read_checked(&r, file, by_all);
    free(r.first);
    return status;
}

/* Compare the head and the numbers of a file with the written values. */
static swe_status verify_head(swe_context *ctx, const char *path, hid_t file, const char *run,
                              const swe_checkpoint *c)
{
    swe_checkpoint_head head = {.step = 0};
    double number = 0.0;
    swe_status status = read_head(ctx, path, file, &head);
    bool is_same = status == SWE_OK && head.step == c->step && head.steps == c->steps &&
                   head.dt == c->dt && head.diagnostics_size == c->diagnostics_size &&
                   head.is_before_output == c->is_before_output && strcmp(head.run, run) == 0 &&
                   strcmp(head.diagnostics_sha256, c->diagnostics_sha256) == 0 &&
                   head.configuration != NULL && strcmp(head.configuration, c->configuration) == 0;
    swe_checkpoint_head_release(&head);
    for (int k = 0; k < c->number_count && status == SWE_OK; k++) {
        status = read_real(ctx, path, file, c->numbers[k].name, &number);
        const double written = *c->numbers[k].value;
        is_same = is_same && (written == number || (isnan(written) && isnan(number)));
    }
    if (status != SWE_OK || is_same)
        return status;
    return swe_fail(ctx, SWE_IO, "%s: the data read back differ from those written", path);
}

swe_status swe_checkpoint_file_verify(swe_context *ctx, const char *path, const char *run,
                                      const swe_checkpoint *checkpoint, bool by_all)
{
    const panel_reader r = {.ctx = ctx,
                            .path = path,
                            .layout = &checkpoint->layout,
                            .precision = checkpoint->precision,
                            .fields = checkpoint->fields,
                            .expected = checkpoint->state};
    hid_t file;
    swe_status status = SWE_OK;
    if (hdf5_open(ctx, path, &file) != SWE_OK)
        status = swe_fail(ctx, SWE_IO, "%s: the file just written cannot be opened", path);
    if (status == SWE_OK)
        status = verify_head(ctx, path, file, run, checkpoint);
    if (status == SWE_OK)
        status = read_fields(r, file, by_all);
    H5Fclose(file);
    return status == SWE_DATA ? SWE_IO : status;
}

/* ---- a restart ------------------------------------------------------------------------------- */

static swe_status read_numbers(swe_context *ctx, const char *path, hid_t file,
                               const swe_checkpoint_content *content)
{
    for (int k = 0; k < content->number_count; k++) {
        const swe_checkpoint_number *number = &content->numbers[k];
        *number->value = 0.0;
        if (!number->is_optional || H5Aexists(file, number->name) != 0)
            SWE_TRY(read_real(ctx, path, file, number->name, number->value));
    }
    return SWE_OK;
}

swe_status swe_checkpoint_file_read(swe_context *ctx, const char *path,
                                    const swe_checkpoint_content *content, const swe_panels *state)
{
    const panel_reader r = {.ctx = ctx,
                            .path = path,
                            .layout = &content->layout,
                            .precision = content->precision,
                            .fields = content->fields,
                            .state = state};
    hid_t file;
    SWE_TRY(hdf5_open(ctx, path, &file));
    swe_status status = read_numbers(ctx, path, file, content);
    if (status == SWE_OK)
        status = read_fields(r, file, true);
    H5Fclose(file);
    return status;
}

swe_status swe_checkpoint_file_check(swe_context *ctx, const char *path,
                                     const swe_checkpoint_content *content)
{
    return swe_checkpoint_file_read(ctx, path, content, NULL);
}
