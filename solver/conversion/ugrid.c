#include "conversion/ugrid.h"

static void write_topology(hdf5_writer *w)
{
    const hid_t mesh = hdf5_scalar_write(w, "mesh");
    hdf5_attribute_text(w, mesh, "cf_role", "mesh_topology");
    hdf5_attribute_text(w, mesh, "long_name", "cubed sphere, vertices as nodes");
    hdf5_attribute_int(w, mesh, "topology_dimension", 2);
    hdf5_attribute_text(w, mesh, "node_coordinates", "lon lat");
    hdf5_attribute_text(w, mesh, "face_node_connectivity", "face_nodes");
    hdf5_attribute_text(w, mesh, "face_dimension", "nFaces");
    hdf5_attribute_text(w, mesh, "face_coordinates", "face_lon face_lat");
    hdf5_close(w, mesh);
}

static void write_face_nodes(const swe_mesh *mesh, hdf5_writer *w)
{
    const hid_t dataset = hdf5_array_create(w, "face_nodes", "nFaces four", H5T_NATIVE_INT);
    hdf5_array_write(w, dataset, H5T_NATIVE_INT, mesh->face_nodes);
    hdf5_attribute_text(w, dataset, "cf_role", "face_node_connectivity");
    hdf5_attribute_text(w, dataset, "long_name", "nodes of every face, counterclockwise");
    hdf5_attribute_int(w, dataset, "start_index", 0);
    /* no face has fewer than four nodes, but VTK reads no such connectivity without a fill value */
    hdf5_attribute_int(w, dataset, "_FillValue", -1);
    /* so CDO takes it for no field, and remaps what is one */
    hdf5_attribute_text(w, dataset, "coordinates", "face_lon face_lat");
    hdf5_close(w, dataset);
}

/* One coordinate; `bounds` NULL: none. */
static void write_coordinate(hdf5_writer *w, const char *name, const char *dimension, bool is_lon,
                             const char *bounds, const double *values)
{
    const hid_t dataset = hdf5_array_create(w, name, dimension, H5T_NATIVE_DOUBLE);
    hdf5_array_write(w, dataset, H5T_NATIVE_DOUBLE, values);
    hdf5_attribute_text(w, dataset, "units", is_lon ? "degrees_east" : "degrees_north");
    hdf5_attribute_text(w, dataset, "standard_name", is_lon ? "longitude" : "latitude");
    if (bounds != NULL)
        hdf5_attribute_text(w, dataset, "bounds", bounds);
    hdf5_close(w, dataset);
}

/* A longitude within half a turn of another one. */
static double near(double lon, double other)
{
    return lon - other > 180.0 ? lon - 360.0 : other - lon > 180.0 ? lon + 360.0 : lon;
}

/* Corners of dual cells; longitudes go on across 0 so that a cell is no band around the sphere. */
static void write_bounds(const swe_mesh *mesh, hdf5_writer *w, const char *name, bool is_lon,
                         double *room)
{
    for (int node = 0; node < mesh->node_count; node++)
        for (int k = 0; k < MESH_FACE_NODES; k++) {
            const ptrdiff_t at = (ptrdiff_t)MESH_FACE_NODES * node + k;
            const int face = mesh->node_faces[at];
            room[at] = is_lon ? near(mesh->face_lon[face], mesh->lon[node]) : mesh->face_lat[face];
        }
    const hid_t dataset = hdf5_array_create(w, name, "nNodes four", H5T_NATIVE_DOUBLE);
    hdf5_array_write(w, dataset, H5T_NATIVE_DOUBLE, room);
    hdf5_close(w, dataset);
}

void swe_ugrid_write_mesh(const swe_mesh *mesh, hdf5_writer *w, double *room)
{
    hdf5_dimension_without_scale(w, "nNodes", (hsize_t)mesh->node_count);
    hdf5_dimension_without_scale(w, "nFaces", (hsize_t)mesh->face_count);
    hdf5_dimension_without_scale(w, "four", MESH_FACE_NODES);
    write_topology(w);
    write_coordinate(w, "lon", "nNodes", true, "lon_bnds", mesh->lon);
    write_coordinate(w, "lat", "nNodes", false, "lat_bnds", mesh->lat);
    write_bounds(mesh, w, "lon_bnds", true, room);
    write_bounds(mesh, w, "lat_bnds", false, room);
    write_face_nodes(mesh, w);
    write_coordinate(w, "face_lon", "nFaces", true, NULL, mesh->face_lon);
    write_coordinate(w, "face_lat", "nFaces", false, NULL, mesh->face_lat);
}
