#include <hdf5.h>
#include <math.h>
#include <stdbool.h>

#include "output/field_file.h"
#include "output/hdf5_open.h"

/* Check a dataset's type and shape against (6, rows, columns), before anything is read. */
static bool has_shape(hid_t dataset, hsize_t rows, hsize_t columns, hid_t *space)
{
    hsize_t lengths[4] = {0};
    const hid_t type = H5Dget_type(dataset);
    const bool is_real = type >= 0 && H5Tget_class(type) == H5T_FLOAT;
    H5Tclose(type);
    *space = H5Dget_space(dataset);
    const int rank = *space >= 0 ? H5Sget_simple_extent_ndims(*space) : -1;
    if (!is_real || (rank != 3 && rank != 4) ||
        H5Sget_simple_extent_dims(*space, lengths, NULL) != rank)
        return false;
    const hsize_t *shape = lengths + (rank - 3);
    return (rank == 3 || lengths[0] == 1) && shape[0] == SWE_PANELS && shape[1] == rows &&
           shape[2] == columns;
}

static swe_status check_finite(swe_context *ctx, const char *path, const char *name,
                               const swe_layout *layout, hsize_t rows, hsize_t columns,
                               const double *values)
{
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j < (int)rows; j++)
            for (int i = 0; i < (int)columns; i++)
                if (!isfinite(values[swe_at(layout, p, j, i)]))
                    return swe_fail(ctx, SWE_DATA,
                                    "%s: dataset '%s' is not finite at panel %d, j %d, i %d", path,
                                    name, p, j, i);
    return SWE_OK;
}

static swe_status read_field(swe_context *ctx, const char *path, hid_t file, const char *name,
                             const swe_layout *layout, hsize_t rows, hsize_t columns, double *out)
{
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0)
        return swe_fail(ctx, SWE_DATA, "%s: has no dataset '%s'", path, name);
    hid_t space = H5I_INVALID_HID;
    swe_status status = SWE_OK;
    if (has_shape(dataset, rows, columns, &space)) {
        const hsize_t whole[3] = {SWE_PANELS, (hsize_t)(layout->panel / layout->pitch),
                                  (hsize_t)layout->pitch};
        const hsize_t start[3] = {0, 0, 0}, count[3] = {SWE_PANELS, rows, columns};
        const hid_t memory = H5Screate_simple(3, whole, NULL);
        H5Sselect_hyperslab(memory, H5S_SELECT_SET, start, NULL, count, NULL);
        if (H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) < 0)
            status = swe_fail(ctx, SWE_DATA, "%s: dataset '%s' cannot be read", path, name);
        else
            status = check_finite(ctx, path, name, layout, rows, columns, out);
        H5Sclose(memory);
    } else {
        status =
            swe_fail(ctx, SWE_DATA,
                     "%s: dataset '%s' is not of floating-point numbers of shape "
                     "(6, %llu, %llu), as grid.n = %d needs",
                     path, name, (unsigned long long)rows, (unsigned long long)columns, layout->n);
    }
    H5Sclose(space);
    H5Dclose(dataset);
    return status;
}

static swe_status read_all(swe_context *ctx, const char *path, hid_t file, const swe_layout *layout,
                           double *state)
{
    const hsize_t vertices = (hsize_t)layout->n + 1, cells = (hsize_t)layout->n;
    double *v1 = state + layout->field, *v2 = v1 + layout->field;
    SWE_TRY(read_field(ctx, path, file, "h", layout, vertices, vertices, state));
    SWE_TRY(read_field(ctx, path, file, "v1", layout, vertices, cells, v1));
    return read_field(ctx, path, file, "v2", layout, cells, vertices, v2);
}

swe_status swe_field_file_read(swe_context *ctx, const char *path, const swe_layout *layout,
                               double *state)
{
    hid_t file;
    SWE_TRY(hdf5_open(ctx, path, &file));
    const swe_status status = read_all(ctx, path, file, layout, state);
    H5Fclose(file);
    return status;
}
