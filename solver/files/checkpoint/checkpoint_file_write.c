#include <stdlib.h>

#include "base/memory.h"
#include "base/version.h"
#include "files/checkpoint/checkpoint_file.h"
#include "files/checkpoint/internal.h"
#include "files/output/hdf5_reader.h"
#include "files/output/hdf5_writer.h"

/* Create the dataset of field number k; returns its place. If `room` (a panel) is not NULL, also
 * write the field. */
static long long write_field(hdf5_writer *w, const swe_checkpoint *c, int k, double *room)
{
    if (!w->ok)
        return 0;
    const checkpoint_field field = checkpoint_field_of(&c->fields->field[k], c->layout.n);
    /* storage that has its place in the file from the beginning, and no values before they are
     * written */
    const hid_t creation = hdf5_dataset_creation();
    H5Pset_layout(creation, H5D_CONTIGUOUS);
    H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    const hid_t space = H5Screate_simple(CHECKPOINT_RANK, field.shape, NULL);
    const hid_t dataset = H5Dcreate2(w->file, field.name, checkpoint_type(c->precision), space,
                                     H5P_DEFAULT, creation, H5P_DEFAULT);
    const bool is_advected = c->fields->field[k].kind == SWE_ADVECTED;
    const haddr_t place = dataset >= 0 ? H5Dget_offset(dataset) : HADDR_UNDEF;
    w->ok = place != HADDR_UNDEF;
    hdf5_attribute_text(w, dataset, "units", is_advected ? "m" : c->fields->field[k].units);
    hdf5_attribute_text(w, dataset, "long_name",
                        is_advected ? "depth of the fluid times the concentration of a tracer"
                                    : c->fields->field[k].long_name);
    for (int panel = 0; panel < SWE_PANELS && w->ok && room != NULL; panel++)
        w->ok = hdf5_copy_panel(dataset, &c->layout, 0, panel,
                                swe_panels_get(c->state, k, panel, room), NULL);
    hdf5_close(w, dataset);
    H5Sclose(space);
    H5Pclose(creation);
    return (long long)place;
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
    if (c->diagnostics_sha256[0] != '\0')
        hdf5_attribute_text(w, w->file, "diagnostics_sha256", c->diagnostics_sha256);
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

/* Write everything; if `room` is NULL, omit the values of fields. `first`: places of fields. */
static swe_status write_file(swe_context *ctx, const swe_output_file *out, const char *run,
                             const swe_checkpoint *checkpoint, double *room, long long *first)
{
    hdf5_writer w;
    hdf5_writer_open(&w, out->file);
    if (w.ok)
        write_head(&w, run, checkpoint);
    for (int k = 0; k < checkpoint->fields->count; k++)
        first[k] = write_field(&w, checkpoint, k, room);
    return hdf5_writer_close(&w) ? SWE_OK : hdf5_writer_fail(ctx, &w, out->path);
}

swe_status swe_checkpoint_file_write(swe_context *ctx, const swe_output_file *out, const char *run,
                                     const swe_checkpoint *checkpoint, bool by_all)
{
    double *room = NULL;
    long long *first = calloc((size_t)checkpoint->fields->count, sizeof *first);
    if (first == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the places of fields");
    swe_status status =
        by_all ? SWE_OK : swe_memory_doubles(ctx, (size_t)checkpoint->layout.panel, &room);
    if (status == SWE_OK)
        status = write_file(ctx, out, run, checkpoint, room, first);
    if (status == SWE_OK && by_all)
        status = checkpoint->state->access(ctx, checkpoint->state->fields,
                                           &(swe_field_places){out->temporary, out->path,
                                                               checkpoint->precision,
                                                               checkpoint->fields->count, first},
                                           SWE_FILE_WRITE);
    free(room);
    free(first);
    return status;
}
