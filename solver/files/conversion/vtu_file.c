/* A converted file in the unstructured grid format of VTK: XML, followed by raw binary values. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "files/conversion/internal.h"
#include "grid/geographic.h"

enum { QUADRILATERAL = 9 }; /* cell type of VTK */

typedef struct vtu_file {
    FILE *file;
    uint64_t offset; /* of the next array in the binary section [byte] */
} vtu_file;

/* ---- XML ------------------------------------------------------------------------------------- */

/* Declare the next array, of `bytes` bytes. Names are untrusted: replace characters outside
 * printable ASCII and characters with a meaning in XML. */
static void declare(vtu_file *vtu, const char *type, const char *name, int components,
                    uint64_t bytes)
{
    fprintf(vtu->file, "        <DataArray type=\"%s\" Name=\"", type);
    for (; *name != '\0'; name++)
        if (*name < ' ' || *name > '~' || strchr("<>&\"'", *name) != NULL)
            fputc('_', vtu->file);
        else
            fputc(*name, vtu->file);
    fprintf(vtu->file,
            "\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%" PRIu64 "\"/>\n",
            components, vtu->offset);
    vtu->offset += sizeof(uint64_t) + bytes;
}

static void declare_field(vtu_file *vtu, const swe_vertex_field *field, const char *name,
                          int components, int nodes)
{
    const uint64_t size = field->is_single ? sizeof(float) : sizeof(double);
    declare(vtu, field->is_single ? "Float32" : "Float64", name, components,
            size * (uint64_t)components * (uint64_t)nodes);
}

/* Index of the northward component of the vector whose eastward component is `field`; -1: `field`
 * is not eastward, or the other component is missing. */
static int find_northward(const converter *c, int field, const char **vector)
{
    bool is_eastward = false;
    *vector = converter_vector(&c->fields[field], &is_eastward);
    return is_eastward ? converter_other_component(c->fields, c->field_count, field) : -1;
}

static void write_head(const converter *c, vtu_file *vtu)
{
    const swe_mesh *mesh = c->mesh;
    const uint64_t nodes = (uint64_t)mesh->node_count, faces = (uint64_t)mesh->face_count;
    const char *vector,
        *order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian";
    fprintf(vtu->file,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
            "header_type=\"UInt64\">\n"
            "  <UnstructuredGrid>\n"
            "    <FieldData>\n"
            "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
            "format=\"ascii\">%.17g</DataArray>\n"
            "    </FieldData>\n"
            "    <Piece NumberOfPoints=\"%" PRIu64 "\" NumberOfCells=\"%" PRIu64 "\">\n"
            "      <PointData>\n",
            order, c->times[0], nodes, faces);
    for (int f = 0; f < c->field_count; f++)
        declare_field(vtu, &c->fields[f], c->fields[f].name, 1, mesh->node_count);
    for (int f = 0; f < c->field_count; f++)
        if (find_northward(c, f, &vector) >= 0)
            declare_field(vtu, &c->fields[f], vector, 3, mesh->node_count);
    fputs("      </PointData>\n      <Points>\n", vtu->file);
    declare(vtu, "Float64", "points", 3, 3 * sizeof(double) * nodes);
    fputs("      </Points>\n      <Cells>\n", vtu->file);
    declare(vtu, "Int64", "connectivity", 1, MESH_FACE_NODES * sizeof(int64_t) * faces);
    declare(vtu, "Int64", "offsets", 1, sizeof(int64_t) * faces);
    declare(vtu, "UInt8", "types", 1, faces);
    fputs("      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n"
          "  <AppendedData encoding=\"raw\">\n_",
          vtu->file);
}

/* ---- values, in the order of the XML --------------------------------------------------------- */

static void write_bytes(vtu_file *vtu, const void *value, size_t size)
{
    fwrite(value, size, 1, vtu->file); /* the stream records errors */
}

static void write_length(vtu_file *vtu, uint64_t bytes)
{
    write_bytes(vtu, &bytes, sizeof bytes);
}

static void write_real(vtu_file *vtu, double value, bool is_single)
{
    const float single = (float)value;
    if (is_single)
        write_bytes(vtu, &single, sizeof single);
    else
        write_bytes(vtu, &value, sizeof value);
}

/* Write a horizontal vector in Cartesian components. */
static swe_status write_vector(swe_context *ctx, converter *c, vtu_file *vtu,
                               const swe_vertex_field *eastward_field,
                               const swe_vertex_field *northward_field)
{
    const bool is_single = eastward_field->is_single;
    const swe_mesh *mesh = c->mesh;
    double *values = NULL;
    SWE_TRY(converter_regrid(ctx, c, northward_field->name, &values));
    memcpy(c->out[1], values, c->points * sizeof *values);
    SWE_TRY(converter_regrid(ctx, c, eastward_field->name, &values));
    write_length(vtu, 3 * (is_single ? sizeof(float) : sizeof(double)) * c->points);
    for (int node = 0; node < mesh->node_count; node++) {
        double up[3], east[3], north[3];
        geographic_frame(mesh->lon[node], mesh->lat[node], up, east, north);
        for (int m = 0; m < 3; m++)
            write_real(vtu, values[node] * east[m] + c->out[1][node] * north[m], is_single);
    }
    return SWE_OK;
}

/* Write the nodes on the sphere of the file's radius, or on the unit sphere. */
static void write_points(const converter *c, vtu_file *vtu)
{
    const swe_mesh *mesh = c->mesh;
    const double radius = c->reader.radius > 0.0 ? c->reader.radius : 1.0;
    write_length(vtu, 3 * sizeof(double) * (uint64_t)mesh->node_count);
    for (int node = 0; node < mesh->node_count; node++) {
        double up[3], east[3], north[3];
        geographic_frame(mesh->lon[node], mesh->lat[node], up, east, north);
        for (int m = 0; m < 3; m++)
            write_real(vtu, radius * up[m], false);
    }
}

static void write_cells(const swe_mesh *mesh, vtu_file *vtu)
{
    const int64_t faces = mesh->face_count, corners = MESH_FACE_NODES * faces;
    write_length(vtu, sizeof(int64_t) * (uint64_t)corners);
    for (int64_t k = 0; k < corners; k++) {
        const int64_t node = mesh->face_nodes[k];
        write_bytes(vtu, &node, sizeof node);
    }
    write_length(vtu, sizeof(int64_t) * (uint64_t)faces);
    for (int64_t end = MESH_FACE_NODES; end <= corners; end += MESH_FACE_NODES)
        write_bytes(vtu, &end, sizeof end);
    write_length(vtu, (uint64_t)faces);
    for (int64_t face = 0; face < faces; face++)
        fputc(QUADRILATERAL, vtu->file);
}

static swe_status write_all(swe_context *ctx, converter *c, vtu_file *vtu)
{
    write_head(c, vtu);
    for (int f = 0; f < c->field_count; f++) {
        double *values = NULL;
        const bool is_single = c->fields[f].is_single;
        SWE_TRY(converter_regrid(ctx, c, c->fields[f].name, &values));
        write_length(vtu, (is_single ? sizeof(float) : sizeof(double)) * c->points);
        for (size_t node = 0; node < c->points; node++)
            write_real(vtu, values[node], is_single);
    }
    for (int f = 0; f < c->field_count; f++) {
        const char *vector;
        const int northward = find_northward(c, f, &vector);
        if (northward >= 0)
            SWE_TRY(write_vector(ctx, c, vtu, &c->fields[f], &c->fields[northward]));
    }
    write_points(c, vtu);
    write_cells(c->mesh, vtu);
    fputs("\n  </AppendedData>\n</VTKFile>\n", vtu->file);
    return SWE_OK;
}

swe_status converter_write_vtu(swe_context *ctx, converter *c, swe_output_file *out)
{
    vtu_file vtu = {.file = swe_output_stream(out)};
    if (vtu.file != NULL)
        return write_all(ctx, c, &vtu); /* the stream records errors */
    return swe_fail(ctx, SWE_IO, "%s: cannot be written: %s", out->path, strerror(errno));
}
