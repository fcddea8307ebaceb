/* THE DECOMPOSITION: each panel is cut into parts_j x parts_i blocks, rectangles of vertices. Cell
 * k of a line belongs to the block of vertex k.
 *
 * A side of a block is a side of its panel, or a cut. A cut is no interface of the scheme: beyond
 * it a block has ghosts, the points of its neighbours that operators read at its own points, so
 * that results do not depend on the cuts. Closures, shared points and projection are at sides of
 * panels alone.
 *
 * Stages compute at a block's own points, by the indices (j, i) of its panel, and end with an
 * exchange of what they have written (exchange_cpu.h). After it a block has its ghosts and, for
 * each shared point that it owns or has as a ghost, the foreign copies: the values that the other
 * panels have of that point. They lie behind the blocks in the memory of a field. Projection
 * therefore reads and writes the memory of one block, and gives the same mean in every block that
 * has the point.
 *
 * Cuts along xi1 lie at multiples of a cache line, so that no SIMD vector crosses one. */
#ifndef SWE_STAGES_DECOMPOSITION_H
#define SWE_STAGES_DECOMPOSITION_H

#include <stdbool.h>

#include "base/context.h"
#include "fields/fields.h"
#include "grid/layout.h"
#include "grid/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A block. Its vertex (j, i) is at `at` + j pitch + i of a field, and at `metric` + j pitch + i of
 * a metric term; both may be negative, as only own points and ghosts are in memory. */
typedef struct swe_block {
    int panel;
    swe_range j, i; /* own vertices */
    ptrdiff_t at, metric;
} swe_block;

/* Cache lines of a row before the ghosts of a block that is cut at its west side. SIMD rows read
 * three lines before a tile's first column (simd_cpu.h: the neighbours of its first vector), of
 * which ghosts are one. */
enum { SWE_LINES_BEFORE = 2 };

/* A shared point that a block owns or has as a ghost, and its copies: copy `own` is the block's,
 * the others are foreign copies. copies.at: offsets in a field. */
typedef struct swe_shared_point {
    topology_copies copies;
    int own;
    int block;
    bool is_ghost;
} swe_shared_point;

/* A value to copy, in the memory of a field. */
typedef struct swe_exchanged {
    ptrdiff_t from, to;
} swe_exchanged;

typedef struct swe_decomposition {
    int line;   /* values of a cache line */
    int unit_i; /* cuts along xi1 lie at its multiples: a line, or 1 where there are none */
    int parts_j, parts_i;
    int count;                      /* blocks: 6 parts_j parts_i, ordered [panel][part_j][part_i] */
    swe_block *block;               /* (count) */
    swe_range *ghosts_j, *ghosts_i; /* (count) vertices of a block, ghosts and own ones */
    swe_layout layout;              /* of a field; layout.panel is the distance of two blocks */
    ptrdiff_t
        metric_size; /* values of a metric term: parts_j parts_i blocks, which six panels share */
    int ghost_count; /* ghosts come first in `exchanged`, then foreign copies */
    int exchanged_count;
    swe_exchanged *exchanged;
    int shared_count;    /* shared points of all blocks, ghosts included; cube vertices come last */
    int shared_on_edges; /* those before the cube vertices, which have two copies */
    swe_shared_point *shared;
} swe_decomposition;

/* The vertices of a line that a substep, or dissipation, of this order reads at its vertices `own`,
 * directly or through fluxes. */
swe_range swe_decomposition_reach(int order, int n, swe_range own);

/* The direction, 1 or 2, along which panels of n cells cannot be cut into so many blocks;
 * ctx->message tells why. 0: none. A block has room for a closure, and along xi1 for two cache
 * lines of `line` values. */
int swe_decomposition_misfit(swe_context *ctx, int n, int order, int parts_j, int parts_i,
                             int line);

/* Cut each panel into parts_j x parts_i blocks. `line`: values of a cache line. Release it with
 * swe_decomposition_destroy. Errors: SWE_CONFIG (swe_decomposition_misfit; more ghosts than an int
 * counts), SWE_NO_MEMORY. */
swe_status swe_decomposition_create(swe_context *ctx, int n, int order, int parts_j, int parts_i,
                                    int line, swe_decomposition **out);

/* The same without the lists `exchanged` and `shared`, to know sizes. */
swe_status swe_decomposition_measure(swe_context *ctx, int n, int order, int parts_j, int parts_i,
                                     int line, swe_decomposition **out);

/* Number of values of an array at the points of `location`. In place of arrays on edges and sides
 * blocks have fields, whose foreign copies are exchanged: six on edges (sat_cpu.c), one on sides.
 */
size_t swe_decomposition_values(const swe_decomposition *decomposition, swe_location location);

/* Release a decomposition and null the pointer; NULL is fine. */
void swe_decomposition_destroy(swe_decomposition **decomposition);

/* Copy one field between host memory of whole panels, host->field values, and that of blocks,
 * layout.field values. Scattering fills ghosts, too, but no foreign copies; padding keeps its
 * values. */
void swe_decomposition_scatter(const swe_decomposition *d, const swe_layout *host,
                               const double *from, double *to);
void swe_decomposition_gather(const swe_decomposition *d, const swe_layout *host,
                              const double *from, double *to);

/* Copy a metric term of one panel into the metric term of the blocks, ghosts included. */
void swe_decomposition_scatter_metric(const swe_decomposition *d, const swe_layout *host,
                                      const double *from, double *to);

#ifdef __cplusplus
}
#endif
#endif
