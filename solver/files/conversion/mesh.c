#include "files/conversion/mesh.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "files/conversion/interpolation.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"

/* Number the vertices in the order of the layout; all copies of a vertex get the same number. */
static void number_nodes(const swe_grid *grid, swe_mesh *mesh)
{
    const swe_layout *layout = &mesh->layout;
    const int shared = swe_shared_count(grid);
    ptrdiff_t at[3];
    for (int s = 0; s < shared; s++)
        for (int c = swe_shared_copies(grid, s, at) - 1; c > 0; c--)
            mesh->node[at[c]] = -1;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                int *node = &mesh->node[swe_at(layout, p, j, i)];
                if (*node == 0)
                    *node = mesh->node_count++;
            }
    for (int s = 0; s < shared; s++)
        for (int c = swe_shared_copies(grid, s, at) - 1; c > 0; c--)
            mesh->node[at[c]] = mesh->node[at[0]];
}

static void fill_faces(const swe_grid *grid, swe_mesh *mesh)
{
    static const int up[MESH_FACE_NODES] = {0, 0, 1, 1}, along[MESH_FACE_NODES] = {0, 1, 1, 0};
    const swe_layout *layout = &mesh->layout;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j < layout->n; j++)
            for (int i = 0; i < layout->n; i++) {
                const int face = mesh->face_count++;
                double r[3];
                for (int k = 0; k < MESH_FACE_NODES; k++)
                    mesh->face_nodes[(ptrdiff_t)MESH_FACE_NODES * face + k] =
                        mesh->node[swe_at(layout, p, j + up[k], i + along[k])];
                geometry_position(p, grid->tan_cell[i], grid->tan_cell[j], r);
                geographic_of(r, &mesh->face_lon[face], &mesh->face_lat[face]);
            }
}

/* Direction from a node to the centre of a face [rad], counterclockwise from east. */
static double direction(const swe_mesh *mesh, int node, int face)
{
    double up[3], east[3], north[3], centre[3], unused[2][3], x = 0.0, y = 0.0;
    geographic_frame(mesh->lon[node], mesh->lat[node], up, east, north);
    geographic_frame(mesh->face_lon[face], mesh->face_lat[face], centre, unused[0], unused[1]);
    for (int m = 0; m < 3; m++) {
        x += centre[m] * east[m];
        y += centre[m] * north[m];
    }
    return atan2(y, x);
}

/* Sort the three or four faces around a node counterclockwise. */
static void order_faces(const swe_mesh *mesh, int node, int *faces)
{
    const int count = faces[MESH_FACE_NODES - 1] < 0 ? 3 : MESH_FACE_NODES;
    double angle[MESH_FACE_NODES];
    for (int k = 0; k < count; k++) {
        const int face = faces[k];
        const double a = direction(mesh, node, face);
        int rank = k;
        for (; rank > 0 && angle[rank - 1] > a; rank--) {
            angle[rank] = angle[rank - 1];
            faces[rank] = faces[rank - 1];
        }
        angle[rank] = a;
        faces[rank] = face;
    }
    if (count == 3)
        faces[3] = faces[2];
}

static void fill_node_faces(swe_mesh *mesh)
{
    const ptrdiff_t count = (ptrdiff_t)MESH_FACE_NODES * mesh->node_count;
    for (ptrdiff_t k = 0; k < count; k++)
        mesh->node_faces[k] = -1;
    for (int face = 0; face < mesh->face_count; face++)
        for (int k = 0; k < MESH_FACE_NODES; k++) {
            const int node = mesh->face_nodes[(ptrdiff_t)MESH_FACE_NODES * face + k];
            int *next = &mesh->node_faces[(ptrdiff_t)MESH_FACE_NODES * node];
            while (*next >= 0)
                next++;
            *next = face;
        }
    for (int node = 0; node < mesh->node_count; node++)
        order_faces(mesh, node, &mesh->node_faces[(ptrdiff_t)MESH_FACE_NODES * node]);
}

/* Allocate the arrays of a mesh of n cells per panel side. */
static swe_status allocate(swe_context *ctx, swe_mesh *mesh)
{
    const size_t n = (size_t)mesh->layout.n, faces = SWE_PANELS * n * n, nodes = faces + 2;
    const size_t each = MESH_FACE_NODES * sizeof(int);
    SWE_TRY(swe_memory_zero(ctx, (size_t)mesh->layout.field, sizeof(int), &mesh->node));
    SWE_TRY(swe_memory_untouched(ctx, faces, each, &mesh->face_nodes));
    SWE_TRY(swe_memory_untouched(ctx, nodes, each, &mesh->node_faces));
    SWE_TRY(swe_memory_doubles(ctx, nodes, &mesh->lon));
    SWE_TRY(swe_memory_doubles(ctx, nodes, &mesh->lat));
    SWE_TRY(swe_memory_doubles(ctx, faces, &mesh->face_lon));
    return swe_memory_doubles(ctx, faces, &mesh->face_lat);
}

swe_status swe_mesh_create(swe_context *ctx, const swe_grid *grid, const double *lons,
                           const double *lats, swe_mesh **out)
{
    swe_mesh *mesh = NULL;
    SWE_TRY(swe_memory_zero(ctx, 1, sizeof *mesh, &mesh));
    mesh->layout = grid->layout;
    *out = mesh; /* the caller destroys it, also after an error */
    SWE_TRY(allocate(ctx, mesh));
    number_nodes(grid, mesh);
    swe_mesh_values(mesh, lons, mesh->lon);
    swe_mesh_values(mesh, lats, mesh->lat);
    fill_faces(grid, mesh);
    fill_node_faces(mesh);
    return SWE_OK;
}

void swe_mesh_destroy(swe_mesh **mesh)
{
    if (*mesh != NULL) {
        free((*mesh)->node);
        free((*mesh)->face_nodes);
        free((*mesh)->node_faces);
        free((*mesh)->lon);
        free((*mesh)->lat);
        free((*mesh)->face_lon);
        free((*mesh)->face_lat);
    }
    free(*mesh);
    *mesh = NULL;
}

void swe_mesh_values(const swe_mesh *mesh, const double *field, double *out)
{
    const swe_layout *layout = &mesh->layout;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                const ptrdiff_t at = swe_at(layout, p, j, i);
                out[mesh->node[at]] = field[at];
            }
}

void swe_mesh_sums(const swe_mesh *mesh, const double *field, double *out)
{
    const swe_layout *layout = &mesh->layout;
    memset(out, 0, (size_t)mesh->node_count * sizeof *out);
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                const ptrdiff_t at = swe_at(layout, p, j, i);
                out[mesh->node[at]] += field[at];
            }
}

/* ---- UGRID ----------------------------------------------------------------------------------- */

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
    /* every face has four nodes, but VTK requires a fill value */
    hdf5_attribute_int(w, dataset, "_FillValue", -1);
    /* CDO then does not treat it as a field */
    hdf5_attribute_text(w, dataset, "coordinates", "face_lon face_lat");
    hdf5_close(w, dataset);
}

/* Write one coordinate; `bounds` may be NULL. */
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

/* Shift a longitude by 360 degrees to within 180 degrees of another. */
static double near(double lon, double other)
{
    return lon - other > 180.0 ? lon - 360.0 : other - lon > 180.0 ? lon + 360.0 : lon;
}

/* Write the corners of dual cells. Longitudes continue across 0, so that no cell spans the sphere.
 */
static void write_bounds(const swe_mesh *mesh, hdf5_writer *w, const char *name, bool is_lon,
                         double *scratch)
{
    for (int node = 0; node < mesh->node_count; node++)
        for (int k = 0; k < MESH_FACE_NODES; k++) {
            const ptrdiff_t at = (ptrdiff_t)MESH_FACE_NODES * node + k;
            const int face = mesh->node_faces[at];
            scratch[at] =
                is_lon ? near(mesh->face_lon[face], mesh->lon[node]) : mesh->face_lat[face];
        }
    const hid_t dataset = hdf5_array_create(w, name, "nNodes four", H5T_NATIVE_DOUBLE);
    hdf5_array_write(w, dataset, H5T_NATIVE_DOUBLE, scratch);
    hdf5_close(w, dataset);
}

void swe_mesh_write_grid(const swe_mesh *mesh, hdf5_writer *w, double *scratch)
{
    hdf5_dimension_without_scale(w, "nNodes", (hsize_t)mesh->node_count);
    hdf5_dimension_without_scale(w, "nFaces", (hsize_t)mesh->face_count);
    hdf5_dimension_without_scale(w, "four", MESH_FACE_NODES);
    write_topology(w);
    write_coordinate(w, "lon", "nNodes", true, "lon_bnds", mesh->lon);
    write_coordinate(w, "lat", "nNodes", false, "lat_bnds", mesh->lat);
    write_bounds(mesh, w, "lon_bnds", true, scratch);
    write_bounds(mesh, w, "lat_bnds", false, scratch);
    write_face_nodes(mesh, w);
    write_coordinate(w, "face_lon", "nFaces", true, NULL, mesh->face_lon);
    write_coordinate(w, "face_lat", "nFaces", false, NULL, mesh->face_lat);
}
