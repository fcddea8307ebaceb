/* A mesh in a netCDF-4 file: UGRID 1.0, and the bounds that CDO needs of an unstructured grid. */
#ifndef SWE_CONVERSION_UGRID_H
#define SWE_CONVERSION_UGRID_H

#include "conversion/mesh.h"
#include "output/hdf5_writer.h"

/* Dimensions nNodes, nFaces and four; the mesh, its coordinates and bounds. `room` has 4 values a
 * node. */
void swe_ugrid_write_mesh(const swe_mesh *mesh, hdf5_writer *writer, double *room);

#endif
