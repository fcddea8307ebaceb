#include "hostile_file.h"

#include <math.h>
#include <string.h>

enum { MOST_RANK = 5, MOST_VALUES = 6 * 64 * 64 };

unsigned hostile_take(hostile *bytes, unsigned count)
{
    if (bytes->size == 0)
        return 0;
    const unsigned taken = bytes->data[0] % count;
    bytes->data++;
    bytes->size--;
    bytes->is_changed |= taken != 0;
    return taken;
}

long hostile_identifiers(void)
{
    static const H5I_type_t kinds[] = {H5I_FILE,    H5I_GROUP, H5I_DATATYPE,   H5I_DATASPACE,
                                       H5I_DATASET, H5I_ATTR,  H5I_GENPROP_LST};
    long count = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        hsize_t members = 0;
        if (H5Inmembers(kinds[k], &members) >= 0)
            count += (long)members;
    }
    return count;
}

/* ---- types ----------------------------------------------------------------------------------- */

static hid_t resized(hid_t copy, size_t size)
{
    H5Tset_size(copy, size);
    return copy;
}

static hid_t compound(void)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "i", 8, H5T_NATIVE_DOUBLE);
    return type;
}

static hid_t enumeration(void)
{
    const int one = 1;
    const hid_t type = H5Tenum_create(H5T_NATIVE_INT);
    H5Tenum_insert(type, "one", &one);
    return type;
}

static hid_t odd_float(hostile *b)
{
    const hid_t type = H5Tcopy(H5T_IEEE_F64LE);
    H5Tset_ebias(type, 1 + hostile_take(b, 255));
    return type;
}

static hid_t array_type(void)
{
    const hsize_t length = 3;
    return H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &length);
}

/* The expected type, or another; the caller closes it. */
static hid_t some_type(hostile *b, hid_t expected)
{
    switch (hostile_take(b, 16)) {
    case 1:
        return H5Tcopy(H5T_IEEE_F32LE);
    case 2:
        return H5Tcopy(H5T_IEEE_F64BE);
    case 3:
        return H5Tcopy(H5T_STD_I64LE);
    case 4:
        return H5Tcopy(H5T_STD_U8BE);
    case 5:
        return resized(H5Tcopy(H5T_C_S1), 1 + hostile_take(b, 255));
    case 6:
        return resized(H5Tcopy(H5T_C_S1), H5T_VARIABLE);
    case 7:
        return compound();
    case 8:
        return H5Tvlen_create(H5T_NATIVE_DOUBLE);
    case 9:
        return H5Tcreate(H5T_OPAQUE, 1 + hostile_take(b, 64));
    case 10:
        return enumeration();
    case 11:
        return array_type();
    case 12:
        return H5Tcopy(H5T_STD_B64LE);
    case 13:
        return H5Tcopy(H5T_STD_REF_OBJ);
    case 14:
        return odd_float(b);
    case 15:
        return H5Tcopy(H5T_IEEE_F64LE);
    default:
        return H5Tcopy(expected);
    }
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static hsize_t some_length(hostile *b, hsize_t expected)
{
    switch (hostile_take(b, 8)) {
    case 1:
        return expected + 1;
    case 2:
        return expected - 1;
    case 3:
        return 1;
    case 4:
        return 7;
    case 5:
        return (hsize_t)1 << 20;
    case 6:
        return (hsize_t)1 << 40;
    case 7:
        return 2 * expected;
    default:
        return expected;
    }
}

/* A shape and its dataspace; the rank, -1 for a space without one. */
static int some_shape(hostile *b, const hsize_t expected[3], hsize_t shape[MOST_RANK], hid_t *space)
{
    const unsigned way = hostile_take(b, 8);
    int rank = 3;
    if (way == 1 || way == 2) {
        *space = H5Screate(way == 1 ? H5S_SCALAR : H5S_NULL);
        return -1;
    }
    if (way == 3)
        rank = 1 + (int)hostile_take(b, MOST_RANK);
    for (int k = 0; k < rank; k++)
        shape[k] = some_length(b, k < 3 ? expected[k] : 1);
    if (way == 4 && rank == 3) { /* with a leading dimension, as in field files */
        memmove(shape + 1, shape, 3 * sizeof shape[0]);
        shape[0] = 1 + hostile_take(b, 3);
        rank = 4;
    }
    *space = H5Screate_simple(rank, shape, NULL);
    return rank;
}

/* ---- storage of values ----------------------------------------------------------------------- */

static void set_chunks(hostile *b, hid_t creation, int rank, const hsize_t *shape)
{
    hsize_t chunk[MOST_RANK];
    for (int k = 0; k < rank; k++) {
        chunk[k] = some_length(b, shape[k]);
        if (chunk[k] == 0 || chunk[k] > 4096)
            chunk[k] = 1;
    }
    H5Pset_chunk(creation, rank, chunk);
}

static void set_filters(hostile *b, hid_t creation, bool is_expected)
{
    const unsigned way = hostile_take(b, 6);
    if (way == 1 || way == 2)
        H5Pset_shuffle(creation);
    if (way == 2 || way == 3)
        H5Pset_deflate(creation, 1);
    if (way == 4)
        H5Pset_scaleoffset(creation, H5Z_SO_FLOAT_DSCALE, 2);
    if (is_expected && way != 5)
        H5Pset_fletcher32(creation);
}

/* A property list of a dataset of a rank. */
static hid_t some_creation(hostile *b, int rank, const hsize_t *shape, bool is_chunked)
{
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const double fill = NAN;
    const unsigned way = hostile_take(b, 8);
    if (way == 1)
        H5Pset_layout(creation, H5D_COMPACT);
    else if (way == 2)
        H5Pset_external(creation, "/etc/passwd", 0, H5F_UNLIMITED);
    else if (way == 3)
        H5Pset_layout(creation, H5D_CONTIGUOUS);
    else if (rank > 0 && is_chunked != (way == 4)) {
        set_chunks(b, creation, rank, shape);
        set_filters(b, creation, is_chunked);
    }
    if (way == 5)
        H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &fill);
    if (way == 6)
        H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED);
    return creation;
}

/* ---- datasets -------------------------------------------------------------------------------- */

/* Replace the first chunk by bytes that no filter produced, most often too few. */
static void write_odd_chunk(hostile *b, hid_t dataset)
{
    const hsize_t start[MOST_RANK] = {0};
    unsigned char bytes[64];
    const unsigned size = 1 + hostile_take(b, sizeof bytes), mask = hostile_take(b, 8);
    for (unsigned k = 0; k < size; k++)
        bytes[k] = (unsigned char)hostile_take(b, 256);
    H5Dwrite_chunk(dataset, H5P_DEFAULT, mask, start, size, bytes);
}

static bool has_filters(hid_t dataset)
{
    const hid_t creation = H5Dget_create_plist(dataset);
    const bool has = H5Pget_layout(creation) == H5D_CHUNKED && H5Pget_nfilters(creation) > 0;
    H5Pclose(creation);
    return has;
}

static void fill(hostile *b, hid_t dataset, hid_t space)
{
    static double values[MOST_VALUES];
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const hid_t type = H5Dget_type(dataset);
    const bool is_number = H5Tget_class(type) == H5T_FLOAT || H5Tget_class(type) == H5T_INTEGER;
    H5Tclose(type);
    if (!is_number || count <= 0 || count > MOST_VALUES)
        return;
    for (hssize_t k = 0; k < count; k++)
        values[k] = 1.0 / (double)(k + 1);
    const unsigned way = hostile_take(b, 6);
    const size_t place = (size_t)hostile_take(b, 255) * (size_t)count / 255;
    if (way == 4)
        return; /* never written */
    if (way > 0 && way < 4)
        values[place] = way == 1 ? (double)NAN : way == 2 ? (double)INFINITY : 1e308;
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (way == 5 && has_filters(dataset))
        write_odd_chunk(b, dataset);
}

static void make_dataset(hostile *b, hid_t file, const char *name, hid_t type,
                         const hsize_t expected[3], bool is_chunked)
{
    hsize_t shape[MOST_RANK] = {0};
    hid_t space = H5I_INVALID_HID;
    const hid_t chosen = some_type(b, type);
    const int rank = some_shape(b, expected, shape, &space);
    const hid_t creation = some_creation(b, rank, shape, is_chunked);
    const hid_t dataset = H5Dcreate2(file, name, chosen, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (dataset >= 0) {
        fill(b, dataset, space);
        H5Dclose(dataset);
    } else {
        b->is_changed = true;
    }
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(chosen);
}

static void make_virtual(hid_t file, const char *name, const hsize_t shape[3])
{
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, shape, NULL);
    H5Pset_virtual(creation, space, ".", "/elsewhere", space);
    H5Dclose(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(creation);
}

void hostile_array(hostile *b, hid_t file, const char *name, hid_t type, const hsize_t shape[3],
                   bool is_chunked)
{
    switch (hostile_take(b, 12)) {
    case 1: /* no object */
        break;
    case 2:
        H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        break;
    case 3:
        make_dataset(b, file, "elsewhere", type, shape, is_chunked);
        H5Lcreate_soft("/elsewhere", file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 4:
        H5Lcreate_soft(name, file, name, H5P_DEFAULT, H5P_DEFAULT); /* to itself */
        break;
    case 5:
        H5Lcreate_external("/dev/zero", "/h", file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 6:
        make_virtual(file, name, shape);
        break;
    case 7: {
        const hid_t named = some_type(b, type);
        H5Tcommit2(file, name, named, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Tclose(named);
        break;
    }
    default:
        make_dataset(b, file, name, type, shape, is_chunked);
    }
}

void hostile_dataset(hostile *b, hid_t file, const char *name, hid_t type, hsize_t rows,
                     hsize_t columns, bool is_chunked)
{
    const hsize_t shape[3] = {6, rows, columns};
    hostile_array(b, file, name, type, shape, is_chunked);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* An attribute with bytes of its own, in a scalar space or another one. */
static void write_attribute(hostile *b, hid_t file, const char *name, hid_t type, const void *value)
{
    const hsize_t expected[3] = {2, 2, 2};
    hsize_t shape[MOST_RANK];
    hid_t space = H5I_INVALID_HID;
    bool is_scalar = hostile_take(b, 4) != 1;
    if (is_scalar)
        space = H5Screate(H5S_SCALAR);
    else
        some_shape(b, expected, shape, &space);
    if (H5Sget_simple_extent_npoints(space) > MOST_VALUES) { /* more than HDF5 writes here */
        H5Sclose(space);
        return;
    }
    const hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0 && is_scalar && value != NULL)
        H5Awrite(attribute, type, value);
    H5Aclose(attribute);
    H5Sclose(space);
}

/* Create an unexpected attribute, or none; false: the expected one is due. */
static bool spoil(hostile *b, hid_t file, const char *name, hid_t type)
{
    const unsigned way = hostile_take(b, 5);
    if (way == 2 || way == 3) {
        const hid_t other = some_type(b, type);
        write_attribute(b, file, name, other, NULL);
        H5Tclose(other);
    }
    return way >= 1 && way <= 3;
}

void hostile_integer(hostile *b, hid_t file, const char *name, long value)
{
    static const long values[] = {0, -1, 1, 2, 1L << 31, 1L << 62, -(1L << 62)};
    if (spoil(b, file, name, H5T_NATIVE_LONG))
        return;
    const unsigned way = hostile_take(b, 8);
    const long other = way > 0 ? values[way - 1] : value;
    write_attribute(b, file, name, H5T_NATIVE_LONG, &other);
}

void hostile_real(hostile *b, hid_t file, const char *name, double value)
{
    const double values[] = {0.0, -1.0, NAN, INFINITY, 1e-308, 1e308};
    if (spoil(b, file, name, H5T_NATIVE_DOUBLE))
        return;
    const unsigned way = hostile_take(b, 7);
    const double other = way > 0 ? values[way - 1] : value;
    write_attribute(b, file, name, H5T_NATIVE_DOUBLE, &other);
}

void hostile_text(hostile *b, hid_t file, const char *name, const char *text)
{
    static const char long_text[1 << 15] = {0};
    const hid_t type = resized(H5Tcopy(H5T_C_S1), strlen(text) + 1);
    if (!spoil(b, file, name, type)) {
        const unsigned way = hostile_take(b, 4);
        if (way == 1)
            H5Tset_size(type, sizeof long_text);
        if (way == 2)
            H5Tset_size(type, strlen(text) > 0 ? strlen(text) : 1); /* without its end */
        if (way == 3)
            H5Tset_strpad(type, H5T_STR_SPACEPAD);
        write_attribute(b, file, name, type, way == 1 ? long_text : text);
    }
    H5Tclose(type);
}

void hostile_extras(hostile *b, hid_t file)
{
    const unsigned way = hostile_take(b, 4);
    if (way == 1)
        H5Gclose(H5Gcreate2(file, "more", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    if (way == 2)
        hostile_dataset(b, file, "more", H5T_IEEE_F64LE, 3, 4, false);
    if (way == 3)
        H5Lcreate_hard(file, "/", file, "loop", H5P_DEFAULT, H5P_DEFAULT);
}

void hostile_axis(hostile *b, hid_t file, const char *name, const char *units, hsize_t count,
                  double first, double step)
{
    enum { MOST_COUNT = 16 };
    double values[2 * MOST_COUNT];
    hsize_t length = some_length(b, count);
    if (length == 0 || length > 2 * MOST_COUNT)
        return; /* no object */
    for (hsize_t k = 0; k < length; k++)
        values[k] = first + (double)k * step;
    const unsigned way = hostile_take(b, 7), place = hostile_take(b, (unsigned)length);
    const double others[] = {0.0, NAN, INFINITY, -1e300, 360.0, first};
    if (way > 0)
        values[place] = others[way - 1];
    const hid_t type = some_type(b, H5T_IEEE_F64LE), space = H5Screate_simple(1, &length, NULL);
    const hid_t dataset =
        H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    hostile_text(b, dataset, "units", units);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Tclose(type);
}
