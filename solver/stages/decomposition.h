/* THE DECOMPOSITION: each panel is cut into blocks, rectangles of vertices, blocks_1 along xi1
 * times blocks_2 along xi2. Cell k of a line belongs to the block of vertex k.
 *
 * A side of a block is a side of its panel, or a cut. A cut is no interface of the scheme: beyond
 * it a block has ghosts, the points of its neighbours that operators read at its own points, so
 * that results do not depend on the cuts. Closures, shared points and projection are at sides of
 * panels alone.
 *
 * Stages compute at a block's own points, by the indices (j, i) of its panel, and end with an
 * exchange of what they have written (exchange.h). After it a block has its ghosts and, for each
 * shared point that it owns or has as a ghost, the foreign copies: the values of that point on the
 * other panels. Foreign copies lie behind the blocks in the memory of a field. Projection therefore
 * reads and writes the memory of one block, and gives the same mean in every block that has the
 * point.
 *
 * Cuts along xi1 lie at multiples of a cache line, so that no SIMD vector crosses one.
 *
 * RANKS (ranks/ranks.h) own whole blocks: rank r of R owns the blocks from count r/R to count (r +
 * 1)/R - 1 (rounded down), in the order [panel][part_j][part_i]. A rank has the points of its own
 * blocks in memory. The values that its blocks read of another rank's blocks arrive in one message
 * from that rank: ghosts, then foreign copies. */
#ifndef SWE_STAGES_DECOMPOSITION_H
#define SWE_STAGES_DECOMPOSITION_H

#include <stdbool.h>

#include "base/context.h"
#include "fields/fields.h"
#include "grid/layout.h"
#include "grid/topology.h"
#include "operators/sbp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How panels are cut, and which of `ranks` ranks (0 is 1) this one is. */
typedef struct swe_cut {
    int n, order;
    swe_closure closure;
    int blocks_1, blocks_2; /* of a panel along xi1 and xi2 */
    int line;               /* values of a cache line */
    int rank, ranks;
} swe_cut;

/* A block. Its vertex (j, i) is at `at` + j pitch + i of a field, and at `metric` + j pitch + i of
 * a metric term, if this rank owns the block; both may be negative, as only own points and ghosts
 * are in memory. */
typedef struct swe_block {
    int panel;
    swe_range j, i; /* own vertices */
    ptrdiff_t at, metric;
    int first_panel; /* first panel of this rank's blocks that share these metric terms */
} swe_block;

/* The blocks of this rank that are the same part of several panels: they share metric terms. */
typedef struct swe_part {
    int number; /* [part_j][part_i] */
    swe_range panels;
} swe_part;

/* Cache lines of a row before the ghosts of a block that is cut at its west side. SIMD rows read
 * three lines before a tile's first column (simd_cpu.h: the neighbours of its first vector); one of
 * the three holds ghosts. */
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

/* Values that this rank sends to another one, or receives from it: their places in a field, ghosts
 * of the receiver first, then its foreign copies. */
typedef struct swe_values {
    int ghost_count, count;
    ptrdiff_t *at;
    void *buffer; /* for SWE_MOST_EXCHANGED fields in double precision */
} swe_values;

typedef struct swe_neighbour {
    int rank;
    swe_values sent, received;
} swe_neighbour;

enum { SWE_MOST_EXCHANGED = 6 }; /* fields of an exchange */

typedef struct swe_decomposition {
    swe_cut cut;
    int unit_i; /* cuts along xi1 lie at its multiples: a line, or 1 where there are none */
    int count;  /* blocks of all ranks: 6 blocks_1 blocks_2, ordered [panel][part_j][part_i] */
    swe_block *block;               /* (count) */
    swe_range *stored_j, *stored_i; /* (count) vertices of a block, ghosts and own ones */
    swe_range own;                  /* numbers of this rank's blocks */
    int largest_j, largest_i;       /* most own vertices of a block along each direction */
    int part_count;
    swe_part *part;        /* (part_count) parts of the own blocks */
    swe_layout layout;     /* of a field; layout.panel is the distance of two blocks */
    ptrdiff_t metric_size; /* values of a metric term: part_count blocks, which panels share */
    int ghost_count;       /* ghosts come first in `exchanged`, then foreign copies */
    int exchanged_count;   /* values that own blocks read of other blocks of this rank */
    int received_count;    /* values that own blocks read of other ranks' blocks */
    swe_exchanged *exchanged;
    int shared_count;    /* shared points of own blocks, ghosts included; cube vertices come last */
    int shared_on_edges; /* shared points before the cube vertices; they have two copies */
    swe_shared_point *shared;
    int neighbour_count;
    swe_neighbour *neighbour;     /* the other ranks, in order, that this one has messages with */
    struct swe_message *messages; /* room for the messages of an exchange; NULL: one rank */
} swe_decomposition;

/* The share of all vertices that this rank owns. */
double swe_decomposition_share(const swe_decomposition *d);

/* The vertices of a line that a substep, or dissipation, reads at its vertices `own`, directly or
 * through fluxes. */
swe_range swe_decomposition_reach(const swe_cut *cut, swe_range own);

/* The direction, 1 or 2, along which panels cannot be cut in this way; ctx->message reports why. 0:
 * none. A block must have room for a closure, and along xi1 for two cache lines. */
int swe_decomposition_misfit(swe_context *ctx, const swe_cut *cut);

/* Choose blocks_1 and blocks_2 for cut->ranks, unless the caller has cut the panels: R/gcd(R, 6)
 * blocks a panel, so that all ranks own the same number of blocks, and of all such cuts the one
 * with the shortest sides. Errors: SWE_CONFIG (too many ranks). */
swe_status swe_decomposition_choose(swe_context *ctx, swe_cut *cut);

/* Cut each panel. With several ranks all of them call it. Release it with
 * swe_decomposition_destroy. Errors: SWE_CONFIG (swe_decomposition_misfit; fewer blocks than ranks;
 * more ghosts than an int counts), SWE_NO_MEMORY. */
swe_status swe_decomposition_create(swe_context *ctx, const swe_cut *cut, swe_decomposition **out);

/* The same for any rank, by one process. create_lists makes all lists except the lists of sent
 * values; they describe the exchanges of the rank. create_sizes does not make `exchanged`, `shared`
 * and `neighbour`. */
swe_status swe_decomposition_create_lists(swe_context *ctx, const swe_cut *cut,
                                          swe_decomposition **out);
swe_status swe_decomposition_create_sizes(swe_context *ctx, const swe_cut *cut,
                                          swe_decomposition **out);

/* Number of values of an array at the points of `location`. Blocks have fields instead of arrays on
 * edges and sides, and exchange the foreign copies of these fields: six fields on edges
 * (sat/sat_sides.h), one on sides.
 */
size_t swe_decomposition_values(const swe_decomposition *decomposition, swe_location location);

/* Release a decomposition and null the pointer; NULL is fine. */
void swe_decomposition_destroy(swe_decomposition **decomposition);

/* Whether this rank owns a block. */
static inline bool swe_decomposition_owns(const swe_decomposition *d, int block)
{
    return block >= d->own.first && block < d->own.last;
}

/* The rank that owns a block. */
int swe_decomposition_rank(const swe_decomposition *d, int block);

/* Execute a statement for the vertices (j, i) of block k, ghosts included. */
#define FOR_STORED(d, k, j, i, ...)                                                                \
    for (int j = (d)->stored_j[k].first; j < (d)->stored_j[k].last; j++)                           \
        for (int i = (d)->stored_i[k].first; i < (d)->stored_i[k].last; i++)                       \
    __VA_ARGS__

/* Place of a vertex in a field. */
static inline ptrdiff_t swe_decomposition_at(const swe_decomposition *d, int k, int j, int i)
{
    return d->block[k].at + j * d->layout.pitch + i;
}

#ifdef __cplusplus
}
#endif
#endif
