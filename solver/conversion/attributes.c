#include "conversion/attributes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 1 << 16 };

/* Attributes that the converted file defines itself, or that do not hold for it. */
static const char *const excluded[] = {
    "CLASS",         "NAME",          "DIMENSION_LIST",      "REFERENCE_LIST",
    "_Netcdf4Dimid", "_NCProperties", "_Netcdf4Coordinates", "_FillValue",
    "coordinates",   "grid_mapping",  "_nc3_strict",         "Conventions",
    "model_time",    "step",          "DIMENSION_LABELS",    "history",
    "cell_measures",
};

static bool is_excluded(const char *name)
{
    for (size_t k = 0; k < sizeof excluded / sizeof excluded[0]; k++)
        if (strcmp(name, excluded[k]) == 0)
            return true;
    return false;
}

/* A text of variable length; the caller frees. */
static char *read_variable_text(hid_t attribute, hid_t type)
{
    char *found = NULL, *text = NULL;
    const hid_t memory = H5Tcopy(H5T_C_S1), space = H5Aget_space(attribute);
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(type));
    if (H5Aread(attribute, memory, (void *)&found) >= 0 && found != NULL) {
        if (strlen(found) < MAX_TEXT)
            text = strdup(found);
        H5Dvlen_reclaim(memory, space, H5P_DEFAULT, (void *)&found);
    }
    H5Sclose(space);
    H5Tclose(memory);
    return text;
}

static char *read_fixed_text(hid_t attribute, hid_t type)
{
    const size_t size = H5Tget_size(type);
    char *text = size < MAX_TEXT ? calloc(size + 1, 1) : NULL;
    if (text != NULL && H5Aread(attribute, type, text) < 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* A single text shorter than MAX_TEXT, which the caller frees; otherwise NULL. */
static char *read_text(hid_t attribute)
{
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    char *text = NULL;
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1)
        text = H5Tis_variable_str(type) > 0 ? read_variable_text(attribute, type)
                                            : read_fixed_text(attribute, type);
    H5Sclose(space);
    H5Tclose(type);
    return text;
}

bool swe_attribute_text(hid_t object, const char *name, char *text, size_t size)
{
    text[0] = '\0';
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    char *found = read_text(attribute);
    H5Aclose(attribute);
    const bool fits = found != NULL && found[0] != '\0' && strlen(found) < size;
    if (fits)
        memcpy(text, found, strlen(found) + 1);
    free(found);
    return fits;
}

bool swe_attribute_real(hid_t object, const char *name, double *number)
{
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const bool is_read = H5Sget_simple_extent_npoints(space) == 1 &&
                         H5Tget_class(type) == H5T_FLOAT &&
                         H5Aread(attribute, H5T_NATIVE_DOUBLE, number) >= 0;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return is_read;
}

static void copy_number(hid_t attribute, const char *name, hdf5_writer *writer, hid_t to)
{
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const H5T_class_t class = H5Tget_class(type);
    double number = 0.0;
    long whole = 0;
    if (H5Sget_simple_extent_npoints(space) != 1)
        ; /* not a single number */
    else if (class == H5T_FLOAT && H5Aread(attribute, H5T_NATIVE_DOUBLE, &number) >= 0)
        hdf5_attribute_real(writer, to, name, number);
    else if (class == H5T_INTEGER && H5Aread(attribute, H5T_NATIVE_LONG, &whole) >= 0)
        hdf5_attribute_integer(writer, to, name, whole);
    H5Sclose(space);
    H5Tclose(type);
}

static void copy_attribute(hid_t attribute, hdf5_writer *writer, hid_t to)
{
    char name[256];
    const ssize_t length = H5Aget_name(attribute, sizeof name, name);
    if (length <= 0 || length >= (ssize_t)sizeof name || is_excluded(name))
        return;
    char *text = read_text(attribute);
    if (text != NULL)
        hdf5_attribute_text(writer, to, name, text);
    else
        copy_number(attribute, name, writer, to);
    free(text);
}

void swe_attributes_copy(hid_t from, hdf5_writer *writer, hid_t to)
{
    for (hsize_t k = 0;; k++) {
        const hid_t attribute =
            H5Aopen_by_idx(from, ".", H5_INDEX_NAME, H5_ITER_INC, k, H5P_DEFAULT, H5P_DEFAULT);
        if (attribute < 0)
            return;
        copy_attribute(attribute, writer, to);
        H5Aclose(attribute);
    }
}
