#include "conversion/latlon.h"

#include <stdlib.h>

#include "base/memory.h"
#include "grid/geographic.h"

static double longitude(const swe_latlon *latlon, double i)
{
    return 360.0 * i / latlon->nlon;
}

/* Latitude of the middle of band j; j - 1/2 and j + 1/2 are its sides. */
static double latitude(const swe_latlon *latlon, double j)
{
    return 180.0 * (j + 0.5) / latlon->nlat - 90.0;
}

swe_status swe_latlon_create(swe_context *ctx, const swe_layout *layout, int nlon, int nlat,
                             swe_latlon **out)
{
    void *memory = NULL, *stencils = NULL;
    SWE_TRY(swe_memory_zero(ctx, 1, sizeof(swe_latlon), &memory));
    swe_latlon *latlon = memory;
    *latlon = (swe_latlon){.nlon = nlon, .nlat = nlat, .layout = *layout};
    const swe_status status =
        swe_memory_untouched(ctx, (size_t)nlon * (size_t)nlat, sizeof(swe_stencil), &stencils);
    if (status != SWE_OK) {
        free(latlon);
        return status;
    }
    latlon->stencils = stencils;
    for (int j = 0; j < nlat; j++)
        for (int i = 0; i < nlon; i++) {
            double up[3], east[3], north[3];
            geographic_frame(longitude(latlon, i), latitude(latlon, j), up, east, north);
            latlon->stencils[(ptrdiff_t)j * nlon + i] = swe_stencil_at(layout, up);
        }
    *out = latlon;
    return SWE_OK;
}

void swe_latlon_destroy(swe_latlon **latlon)
{
    if (*latlon != NULL)
        free((*latlon)->stencils);
    free(*latlon);
    *latlon = NULL;
}

static void write_bounds(const swe_latlon *latlon, hdf5_writer *w, const char *name,
                         const char *dimensions, double (*side)(const swe_latlon *, double),
                         int count, double *scratch)
{
    for (int k = 0; k < count; k++) {
        scratch[2 * k] = side(latlon, k - 0.5);
        scratch[2 * k + 1] = side(latlon, k + 0.5);
    }
    const hid_t dataset = hdf5_array_create(w, name, dimensions, H5T_NATIVE_DOUBLE);
    hdf5_array_write(w, dataset, H5T_NATIVE_DOUBLE, scratch);
    hdf5_close(w, dataset);
}

void swe_latlon_write_grid(const swe_latlon *latlon, hdf5_writer *w, double *scratch)
{
    for (int j = 0; j < latlon->nlat; j++)
        scratch[j] = latitude(latlon, j);
    const hid_t lat =
        hdf5_dimension_write(w, "lat", scratch, (hsize_t)latlon->nlat, "degrees_north", "latitude");
    hdf5_attribute_text(w, lat, "standard_name", "latitude");
    hdf5_attribute_text(w, lat, "axis", "Y");
    hdf5_attribute_text(w, lat, "bounds", "lat_bnds");
    for (int i = 0; i < latlon->nlon; i++)
        scratch[i] = longitude(latlon, i);
    const hid_t lon =
        hdf5_dimension_write(w, "lon", scratch, (hsize_t)latlon->nlon, "degrees_east", "longitude");
    hdf5_attribute_text(w, lon, "standard_name", "longitude");
    hdf5_attribute_text(w, lon, "axis", "X");
    hdf5_attribute_text(w, lon, "bounds", "lon_bnds");
    hdf5_dimension_without_scale(w, "bnds", 2);
    write_bounds(latlon, w, "lat_bnds", "lat bnds", latitude, latlon->nlat, scratch);
    write_bounds(latlon, w, "lon_bnds", "lon bnds", longitude, latlon->nlon, scratch);
}

void swe_latlon_areas(const swe_latlon *latlon, double radius, double *out)
{
    const double cell = radius * radius * (longitude(latlon, 1.0) / geographic_degrees);
    for (int j = 0; j < latlon->nlat; j++) {
        const double north = sin(latitude(latlon, j + 0.5) / geographic_degrees);
        const double south = sin(latitude(latlon, j - 0.5) / geographic_degrees);
        for (int i = 0; i < latlon->nlon; i++)
            out[(ptrdiff_t)j * latlon->nlon + i] = cell * (north - south);
    }
}

void swe_latlon_values(const swe_latlon *latlon, const double *field, double *out)
{
    const ptrdiff_t count = (ptrdiff_t)latlon->nlat * latlon->nlon;
    for (ptrdiff_t k = 0; k < count; k++)
        out[k] = swe_stencil_value(&latlon->layout, &latlon->stencils[k], field);
}

/* Convert eastward and northward components, in field[0..1], to Cartesian components. */
static void to_cartesian(const swe_layout *layout, const double *lons, const double *lats,
                         double *field[3])
{
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                const ptrdiff_t at = swe_at(layout, p, j, i);
                const double eastward = field[0][at], northward = field[1][at];
                double up[3], east[3], north[3];
                geographic_frame(lons[at], lats[at], up, east, north);
                for (int m = 0; m < 3; m++)
                    field[m][at] = eastward * east[m] + northward * north[m];
            }
}

void swe_latlon_vector(const swe_latlon *latlon, const double *lons, const double *lats,
                       double *field[3], double *eastward, double *northward)
{
    to_cartesian(&latlon->layout, lons, lats, field);
    for (int j = 0; j < latlon->nlat; j++)
        for (int i = 0; i < latlon->nlon; i++) {
            const ptrdiff_t k = (ptrdiff_t)j * latlon->nlon + i;
            double up[3], east[3], north[3];
            geographic_frame(longitude(latlon, i), latitude(latlon, j), up, east, north);
            eastward[k] = northward[k] = 0.0;
            for (int m = 0; m < 3; m++) {
                const double value =
                    swe_stencil_value(&latlon->layout, &latlon->stencils[k], field[m]);
                eastward[k] += value * east[m];
                northward[k] += value * north[m];
            }
        }
}
