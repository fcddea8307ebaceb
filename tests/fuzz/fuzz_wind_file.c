/* An initial file with h and a wind, on latitudes and longitudes or at vertices, with unexpected
 * content. */
#include "hostile_state.h"

enum { N = HOSTILE_N, NLAT = 6, NLON = 8 };

static void write_fields(hostile *bytes, hid_t file, const hsize_t shape[3])
{
    static const char *const names[] = {"h", "u", "v"};
    for (int k = 0; k < 3; k++)
        hostile_array(bytes, file, names[k], H5T_IEEE_F64LE, shape, false);
}

/* References to the coordinates of h, as in netCDF-4; or to other objects, or of another type. */
static void write_references(hostile *bytes, hid_t file)
{
    static const char *const targets[] = {"lat", "lon", "/", "h", "u"};
    hobj_ref_t references[3] = {0, 0, 0};
    hvl_t lists[3];
    const unsigned way = hostile_take(bytes, 4);
    const hsize_t count = 3 - hostile_take(bytes, 2);
    const hid_t h = way > 0 ? H5Dopen2(file, "h", H5P_DEFAULT) : H5I_INVALID_HID;
    for (unsigned k = 0; k < 3; k++) {
        const unsigned target = hostile_take(bytes, 7);
        references[k] = target * 77; /* nowhere, if it is not replaced */
        if (target < 5)
            H5Rcreate(&references[k], file, targets[target], H5R_OBJECT, -1);
        lists[k] = (hvl_t){hostile_take(bytes, 2), &references[k]};
    }
    if (h < 0)
        return;
    const hid_t type = H5Tvlen_create(way == 1   ? H5T_STD_REF_OBJ
                                      : way == 2 ? H5T_NATIVE_LONG
                                                 : H5T_NATIVE_CHAR);
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t attribute = H5Acreate2(h, "DIMENSION_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, lists);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(h);
}

static void fill(hostile *bytes, hid_t file)
{
    const hsize_t vertices[3] = {6, N + 1, N + 1}, latlon[3] = {1, NLAT, NLON};
    const bool is_cubed = bytes->size > 0 && bytes->data[0] % 2 == 1;
    if (bytes->size > 0) {
        bytes->data++;
        bytes->size--;
    }
    write_fields(bytes, file, is_cubed ? vertices : latlon);
    if (!is_cubed) {
        hostile_axis(bytes, file, "lat", "degrees_north", NLAT, -75.0, 30.0);
        hostile_axis(bytes, file, "lon", "degrees_east", NLON, 0.0, 45.0);
    }
    hostile_extras(bytes, file);
    write_references(bytes, file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hostile_state(data, size, fill);
    return 0;
}
