/* A field file with unexpected content that is converted: a refused file leaves a message and no
 * output. */
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "files/conversion/conversion.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "grid/grid.h"
#include "hostile_file.h"

enum { N = 4, M = N + 1, VERTICES = 6 * M * M };

/* The expected longitudes and latitudes [degree]. */
static void coordinates(double lons[VERTICES], double lats[VERTICES])
{
    swe_context ctx = {""};
    swe_grid *grid = NULL;
    FUZZ_CHECK(swe_grid_create(&ctx, N, &swe_points_equispaced, 1.0, &grid) == SWE_OK);
    for (int k = 0; k < VERTICES; k++) {
        double r[3];
        geometry_position(k / (M * M), grid->tan_vertex[k % M], grid->tan_vertex[k / M % M], r);
        geographic_of(r, &lons[k], &lats[k]);
    }
    swe_grid_destroy(&grid);
}

static void write_coordinate(hostile *bytes, hid_t file, const char *name, const double *values)
{
    const hsize_t shape[3] = {6, M, M};
    if (hostile_take(bytes, 4) > 0) {
        hostile_array(bytes, file, name, H5T_IEEE_F64LE, shape, false);
        return;
    }
    const hid_t space = H5Screate_simple(3, shape, NULL);
    const hid_t dataset =
        H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(dataset);
    H5Sclose(space);
}

static void write_field(hostile *bytes, hid_t file, const char *name, const char *standard_name)
{
    const hsize_t shape[3] = {6, M, M};
    hostile_array(bytes, file, name, H5T_IEEE_F64LE, shape, false);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0)
        return;
    hostile_text(bytes, dataset, "standard_name", standard_name);
    H5Dclose(dataset);
}

static void write_file(hostile *bytes, const char *path)
{
    static double lons[VERTICES], lats[VERTICES];
    if (lats[0] == 0.0)
        coordinates(lons, lats);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    FUZZ_CHECK(file >= 0);
    write_coordinate(bytes, file, "lons", lons);
    write_coordinate(bytes, file, "lats", lats);
    hostile_axis(bytes, file, "time", "seconds since 2000-01-01", 1, 0.5, 1.0);
    hostile_real(bytes, file, "radius", 1.0);
    write_field(bytes, file, "h", "height");
    write_field(bytes, file, "u", "eastward_velocity");
    write_field(bytes, file, "v", "northward_velocity");
    write_field(bytes, file, "area", "cell_area");
    hostile_extras(bytes, file);
    FUZZ_CHECK(H5Fclose(file) >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[256], output[256];
    hostile bytes = {data, size, false};
    swe_context ctx = {""};
    if (path[0] == '\0') {
        fuzz_path("fields.nc", path);
        fuzz_path("converted", output);
    }
    const char *const paths[] = {path};
    swe_conversion conversion = {.to = SWE_TO_LATLON, .nlon = 8};
    if (size > 0) {
        conversion.to = (swe_conversion_format)(data[0] % 3);
        bytes.data++;
        bytes.size--;
    }
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    write_file(&bytes, path);
    const long before = hostile_identifiers();
    const swe_status status = swe_convert(&ctx, &conversion, paths, 1, output);
    FUZZ_CHECK(hostile_identifiers() == before);
    FUZZ_CHECK(status == SWE_OK || ctx.message[0] != '\0');
    FUZZ_CHECK(bytes.is_changed || status == SWE_OK);
    FUZZ_CHECK((access(output, F_OK) == 0) == (status == SWE_OK));
    unlink(output);
    return 0;
}
