#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/version.h"
#include "checkpoint/checkpoint_file.h"
#include "checkpoint/internal.h"
#include "output/hdf5_writer.h"

static const hsize_t chunk_bytes = (hsize_t)1 << 20; /* the default chunk cache of HDF5 */

/* Chunks of whole rows, each with a checksum. The chunks of a panel have nearly equal sizes, since
 * the file stores whole chunks. */
static hid_t chunked(const checkpoint_field *field, size_t size)
{
    const hsize_t rows = field->shape[1], bytes = rows * field->shape[2] * size;
    const hsize_t needed = (bytes + chunk_bytes - 1) / chunk_bytes;
    const hsize_t count = needed < rows ? needed : rows;
    const hsize_t chunk[CHECKPOINT_RANK] = {1, (rows + count - 1) / count, field->shape[2]};
    const hid_t creation = hdf5_dataset_creation();
    H5Pset_chunk(creation, CHECKPOINT_RANK, chunk);
    H5Pset_fletcher32(creation);
    return creation;
}

/* Write field number k of the state; `room`: a panel. */
static void write_field(hdf5_writer *w, const swe_checkpoint *c, int k, double *room)
{
    if (!w->ok)
        return;
    const checkpoint_field field = checkpoint_field_of(&c->fields->field[k], c->layout.n);
    const hid_t creation = chunked(&field, swe_precision_bytes(c->precision));
    const hid_t space = H5Screate_simple(CHECKPOINT_RANK, field.shape, NULL);
    const hid_t dataset = H5Dcreate2(w->file, field.name, checkpoint_type(c->precision), space,
                                     H5P_DEFAULT, creation, H5P_DEFAULT);
    w->ok = dataset >= 0;
    for (int panel = 0; panel < SWE_PANELS && w->ok; panel++)
        hdf5_write_panel(w, dataset, &c->layout, panel, swe_panels_get(c->state, k, panel, room));
    hdf5_close(w, dataset);
    H5Sclose(space);
    H5Pclose(creation);
}

static void write_head(hdf5_writer *w, const char *run, const swe_checkpoint *c)
{
    hdf5_attribute_text(w, w->file, "schema", "cubeswe-checkpoint");
    hdf5_attribute_integer(w, w->file, "format", SWE_CHECKPOINT_FORMAT);
    hdf5_attribute_text(w, w->file, "run", run);
    hdf5_attribute_integer(w, w->file, "step", c->step);
    hdf5_attribute_integer(w, w->file, "steps", c->steps);
    hdf5_attribute_real(w, w->file, "dt", c->dt);
    hdf5_attribute_real(w, w->file, "time", (double)c->step * c->dt);
    hdf5_attribute_integer(w, w->file, "diagnostics_size", c->diagnostics_size);
    hdf5_attribute_integer(w, w->file, "before_output", c->is_before_output);
    hdf5_attribute_text(w, w->file, "configuration", c->configuration);
    hdf5_attribute_text(w, w->file, "case", c->case_name);
    hdf5_attribute_text(w, w->file, "version", swe_version);
    hdf5_attribute_text(w, w->file, "build", swe_build);
    hdf5_attribute_text(w, w->file, "backend", c->backend);
    hdf5_attribute_text(w, w->file, "device", c->device);
    for (int k = 0; k < c->number_count; k++)
        hdf5_attribute_real(w, w->file, c->numbers[k].name, *c->numbers[k].value);
}

swe_status swe_checkpoint_file_write(swe_context *ctx, const swe_output_file *out, const char *run,
                                     const swe_checkpoint *checkpoint)
{
    hdf5_writer w;
    double *room = NULL;
    SWE_TRY(swe_memory_doubles(ctx, (size_t)checkpoint->layout.panel, &room));
    errno = 0;
    hdf5_writer_open(&w, out->file);
    if (w.ok)
        write_head(&w, run, checkpoint);
    for (int k = 0; k < checkpoint->fields->count; k++)
        write_field(&w, checkpoint, k, room);
    const bool is_written = hdf5_writer_close(&w);
    const int error = errno;
    free(room);
    if (is_written)
        return SWE_OK;
    return swe_fail(ctx, SWE_IO, "%s: cannot be written%s%s", out->path, error != 0 ? ": " : "",
                    error != 0 ? strerror(error) : "");
}
