/* The points of a line of n cells, in units of the inner spacing, from its low end (0) to its high
 * end (`length`). The high end mirrors the low end. */
#ifndef SWE_GRID_POINTS_H
#define SWE_GRID_POINTS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { SWE_MOVED_VERTICES = 4, SWE_MOVED_CELLS = 3 };

/* The first points. The vertices after them follow at distance 1, and the cells half-way between
 * vertices. Equispaced: the only first point is vertex 0, at 0. */
typedef struct swe_points {
    int vertices, cells;
    double vertex[SWE_MOVED_VERTICES], cell[SWE_MOVED_CELLS];
} swe_points;

extern const swe_points swe_points_equispaced;

/* Length of the line. */
double swe_points_length(const swe_points *points, int n);

/* Coordinate of vertex v = 0..n in the lower half, 2 v <= n, and of cell c = 0..n-1, 2 c < n. */
double swe_points_vertex(const swe_points *points, int v);
double swe_points_cell(const swe_points *points, int c);

/* Spacing D of the inner points of a panel side, pi/2 divided by its length [rad]. */
double swe_points_spacing(const swe_points *points, int n);

#ifdef __cplusplus
}
#endif
#endif
