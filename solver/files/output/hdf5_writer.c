#include "files/output/hdf5_writer.h"

#include <errno.h>
#include <hdf5_hl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

/* HDF5 gives errno only in the text of its error. The variable errno may come from a later call, or
 * from a call whose failure did not matter. */
static herr_t find_error(unsigned level, const H5E_error2_t *entry, void *error)
{
    const char *text = strstr(entry->desc != NULL ? entry->desc : "", "errno = ");
    (void)level;
    if (text != NULL)
        *(int *)error = atoi(text + strlen("errno = "));
    return 0;
}

/* Callback of HDF5 for a failed call: keep the first errno. */
static herr_t note_failure(hid_t stack, void *writer)
{
    hdf5_writer *w = writer;
    return w->error == 0 ? H5Ewalk2(stack, H5E_WALK_DOWNWARD, find_error, &w->error) : 0;
}

void hdf5_writer_watch(hdf5_writer *writer)
{
    H5Eset_auto2(H5E_DEFAULT, note_failure, writer);
}

/* HDF5 opens files by name only. The name in /proc/self/fd refers to the open descriptor: HDF5 does
 * not follow a link that replaces the file. The caller holds a lock on the file (output_file.h):
 * HDF5's own lock would conflict with it. */
void hdf5_writer_open(hdf5_writer *writer, int file)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    *writer = (hdf5_writer){.file = H5I_INVALID_HID, .ok = true};
    hdf5_writer_watch(writer);
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED; /* netCDF-4 needs both */
    writer->ok = creation >= 0 && access >= 0 && H5Pset_obj_track_times(creation, false) >= 0 &&
                 H5Pset_link_creation_order(creation, order) >= 0 &&
                 H5Pset_attr_creation_order(creation, order) >= 0 &&
                 H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
                 H5Pset_file_locking(access, false, true) >= 0;
    if (writer->ok)
        writer->file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    writer->ok = writer->ok && writer->file >= 0;
    H5Pclose(creation);
    H5Pclose(access);
}

bool hdf5_writer_close(hdf5_writer *writer)
{
    for (int i = 0; i < writer->dimension_count; i++)
        writer->ok = H5Dclose(writer->dimensions[i].scale) >= 0 && writer->ok;
    if (writer->file >= 0) {
        writer->ok = H5Fflush(writer->file, H5F_SCOPE_GLOBAL) >= 0 && writer->ok;
        writer->ok = H5Fclose(writer->file) >= 0 && writer->ok;
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Eclear2(H5E_DEFAULT); /* errors are kept per thread, and this thread may end before HDF5 */
    return writer->ok;
}

swe_status hdf5_writer_fail(swe_context *ctx, const hdf5_writer *writer, const char *path)
{
    return swe_fail(ctx, SWE_IO, "%s: cannot be written%s%s", path, writer->error != 0 ? ": " : "",
                    writer->error != 0 ? strerror(writer->error) : "");
}

swe_status hdf5_writer_check(swe_context *ctx, const char *path)
{
    const double value = 0.0;
    swe_output_file out;
    hdf5_writer w;
    SWE_TRY(swe_durable_begin(ctx, path, &out));
    hdf5_writer_open(&w, out.file);
    if (w.ok)
        hdf5_dimension_write(&w, "x", &value, 1, "1", "a test");
    bool is_written = hdf5_writer_close(&w);
    if (is_written && fsync(out.file) != 0) {
        w.error = errno;
        is_written = false;
    }
    swe_output_discard(&out);
    return is_written ? SWE_OK : hdf5_writer_fail(ctx, &w, path);
}

static void write_attribute(hdf5_writer *writer, hid_t object, const char *name, hid_t type,
                            const void *value)
{
    if (!writer->ok)
        return;
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    writer->ok = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        writer->ok = H5Aclose(attribute) >= 0 && writer->ok;
    H5Sclose(space);
}

void hdf5_attribute_text(hdf5_writer *writer, hid_t object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    const size_t length = strlen(text);
    H5Tset_size(type, length > 0 ? length : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    write_attribute(writer, object, name, type, text);
    H5Tclose(type);
}

void hdf5_attribute_real(hdf5_writer *writer, hid_t object, const char *name, double value)
{
    write_attribute(writer, object, name, H5T_NATIVE_DOUBLE, &value);
}

void hdf5_attribute_integer(hdf5_writer *writer, hid_t object, const char *name, long value)
{
    write_attribute(writer, object, name, H5T_NATIVE_LONG, &value);
}

void hdf5_attribute_int(hdf5_writer *writer, hid_t object, const char *name, int value)
{
    write_attribute(writer, object, name, H5T_NATIVE_INT, &value);
}

hid_t hdf5_dataset_creation(void)
{
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(creation, false);
    return creation;
}

/* An empty dataset that tracks the order of its attributes, as netCDF-4 requires. Without `chunk`
 * (NULL) or without compression it is contiguous. */
static hid_t create_dataset(hdf5_writer *writer, const char *name, hid_t type, hid_t space,
                            const hsize_t *chunk, int rank)
{
    const hid_t creation = hdf5_dataset_creation();
    H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    if (chunk != NULL && writer->deflate > 0)
        writer->ok = H5Pset_chunk(creation, rank, chunk) >= 0 && H5Pset_shuffle(creation) >= 0 &&
                     H5Pset_deflate(creation, (unsigned)writer->deflate) >= 0;
    const hid_t dataset =
        H5Dcreate2(writer->file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    writer->ok = writer->ok && dataset >= 0;
    return dataset;
}

/* Add a dimension with its scale. `coordinates` NULL: the scale has no values. */
static hid_t add_dimension(hdf5_writer *writer, const char *name, hsize_t length,
                           const double *coordinates, const char *scale_name)
{
    writer->ok = writer->ok && writer->dimension_count < HDF5_MAX_DIMENSIONS;
    if (!writer->ok)
        return H5I_INVALID_HID;
    const hid_t type = coordinates != NULL ? H5T_NATIVE_DOUBLE : H5T_IEEE_F32BE; /* as netCDF-4 */
    const hid_t space = H5Screate_simple(1, &length, NULL);
    const hid_t dataset = create_dataset(writer, name, type, space, NULL, 0);
    if (writer->ok && coordinates != NULL)
        writer->ok = H5Dwrite(dataset, type, space, space, H5P_DEFAULT, coordinates) >= 0;
    writer->ok = writer->ok && H5DSset_scale(dataset, scale_name) >= 0;
    H5Sclose(space);
    if (dataset >= 0)
        writer->dimensions[writer->dimension_count++] = (hdf5_dimension){name, length, dataset};
    return dataset;
}

hid_t hdf5_dimension_write(hdf5_writer *writer, const char *name, const double *coordinates,
                           hsize_t length, const char *units, const char *meaning)
{
    const hid_t dataset = add_dimension(writer, name, length, coordinates, name);
    hdf5_attribute_text(writer, dataset, "units", units);
    hdf5_attribute_text(writer, dataset, "long_name", meaning);
    return dataset;
}

void hdf5_time_write(hdf5_writer *writer, const double *times, hsize_t count, const char *units)
{
    const hid_t time = hdf5_dimension_write(writer, "time", times, count, units, "time");
    hdf5_attribute_text(writer, time, "standard_name", "time");
    hdf5_attribute_text(writer, time, "calendar", "standard");
    hdf5_attribute_text(writer, time, "axis", "T");
}

void hdf5_dimension_without_scale(hdf5_writer *writer, const char *name, hsize_t length)
{
    char scale_name[80]; /* text that netCDF-4 requires of such a scale */
    snprintf(scale_name, sizeof scale_name,
             "This is a netCDF dimension but not a netCDF variable.%10llu",
             (unsigned long long)length);
    add_dimension(writer, name, length, NULL, scale_name);
}

static const hdf5_dimension *find_dimension(const hdf5_writer *writer, const char *name,
                                            size_t length)
{
    for (int i = 0; i < writer->dimension_count; i++)
        if (strlen(writer->dimensions[i].name) == length &&
            strncmp(writer->dimensions[i].name, name, length) == 0)
            return &writer->dimensions[i];
    return NULL;
}

/* Find the dimensions named in "a b c". Return their number; 0: one is unknown, or there are too
 * many. */
static int parse_dimensions(const hdf5_writer *writer, const char *names,
                            const hdf5_dimension *out[HDF5_MAX_RANK])
{
    int rank = 0;
    while (*names != '\0') {
        const size_t length = strcspn(names, " ");
        const hdf5_dimension *found = find_dimension(writer, names, length);
        if (found == NULL || rank == HDF5_MAX_RANK)
            return 0;
        out[rank++] = found;
        names += length + (names[length] == ' ');
    }
    return rank;
}

void hdf5_choose_chunk(int rank, const hsize_t *lengths, size_t size, hsize_t *chunk)
{
    hsize_t left = ((hsize_t)1 << 20) / size; /* values in 1 MiB */
    for (int k = rank - 1; k >= 0; k--) {
        const hsize_t pieces = (lengths[k] + left - 1) / left;
        chunk[k] = (lengths[k] + pieces - 1) / pieces;
        left = pieces > 1 ? 1 : left / lengths[k];
    }
}

hid_t hdf5_array_create(hdf5_writer *writer, const char *name, const char *dimensions, hid_t type)
{
    if (!writer->ok)
        return H5I_INVALID_HID;
    const hdf5_dimension *used[HDF5_MAX_RANK] = {NULL};
    hsize_t lengths[HDF5_MAX_RANK] = {0}, chunk[HDF5_MAX_RANK] = {0};
    const int rank = parse_dimensions(writer, dimensions, used);
    writer->ok = rank >= 1;
    if (!writer->ok)
        return H5I_INVALID_HID;
    for (int k = 0; k < rank; k++)
        lengths[k] = strcmp(used[k]->name, "time") == 0 ? 1 : used[k]->length;
    hdf5_choose_chunk(rank, lengths, H5Tget_size(type), chunk);
    for (int k = 0; k < rank; k++)
        lengths[k] = used[k]->length;
    const hid_t space = H5Screate_simple(rank, lengths, NULL);
    const hid_t dataset = create_dataset(writer, name, type, space, chunk, rank);
    for (int k = 0; k < rank && writer->ok; k++)
        writer->ok = H5DSattach_scale(dataset, used[k]->scale, (unsigned)k) >= 0;
    H5Sclose(space);
    return dataset;
}

hid_t hdf5_variable_create(hdf5_writer *writer, const char *name, const char *dimensions)
{
    return hdf5_array_create(writer, name, dimensions,
                             writer->is_single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE);
}

void hdf5_close(hdf5_writer *writer, hid_t dataset)
{
    if (dataset >= 0)
        writer->ok = H5Dclose(dataset) >= 0 && writer->ok;
}

void hdf5_array_write(hdf5_writer *writer, hid_t dataset, hid_t type, const void *values)
{
    if (writer->ok)
        writer->ok = H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
}

void hdf5_array_write_at(hdf5_writer *writer, hid_t dataset, hsize_t index, const double *values)
{
    if (!writer->ok)
        return;
    hsize_t lengths[HDF5_MAX_RANK] = {0}, start[HDF5_MAX_RANK] = {index};
    const hid_t space = H5Dget_space(dataset);
    const int rank = H5Sget_simple_extent_dims(space, lengths, NULL);
    lengths[0] = 1;
    const hid_t memory = H5Screate_simple(rank, lengths, NULL);
    writer->ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, lengths, NULL) >= 0 &&
                 H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
}

hid_t hdf5_scalar_write(hdf5_writer *writer, const char *name)
{
    if (!writer->ok)
        return H5I_INVALID_HID;
    const int zero = 0;
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t dataset = create_dataset(writer, name, H5T_NATIVE_INT, space, NULL, 0);
    writer->ok =
        writer->ok && H5Dwrite(dataset, H5T_NATIVE_INT, space, space, H5P_DEFAULT, &zero) >= 0;
    H5Sclose(space);
    return dataset;
}
