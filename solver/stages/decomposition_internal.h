/* Internal to decomposition.c, which cuts panels, and decomposition_lists.c. */
#ifndef SWE_STAGES_DECOMPOSITION_INTERNAL_H
#define SWE_STAGES_DECOMPOSITION_INTERNAL_H

#include "stages/decomposition.h"

/* Data that a caller needs: sizes, the lists of a rank, or connected ranks that can exchange. To
 * connect, all ranks call together; all return the same error. */
typedef enum decomposition_wanted {
    DECOMPOSITION_SIZES,
    DECOMPOSITION_LISTS,
    DECOMPOSITION_CONNECTED
} decomposition_wanted;

/* If ranks connect, return on all ranks the status of the first rank that failed, so that no rank
 * waits for it. Otherwise return `status`. */
swe_status decomposition_agree(swe_context *ctx, const swe_decomposition *d,
                               decomposition_wanted wanted, swe_status status);

/* Set shared_count, the most values that exchanged_count may become, and layout.field. Errors:
 * SWE_CONFIG (more than an int counts). */
swe_status decomposition_size_lists(swe_context *ctx, swe_decomposition *d);

/* Make the lists. They belong to `d`; swe_decomposition_destroy frees them, also after an error.
 * Errors: SWE_CONFIG (a message of more bytes than an int counts), SWE_NO_MEMORY. */
swe_status decomposition_list(swe_context *ctx, decomposition_wanted wanted, swe_decomposition *d);

/* The part that contains a vertex of a line of n + 1 vertices, with cuts at multiples of `unit`;
 * the block that owns a vertex. */
int decomposition_part_with(int n, int unit, int parts, int vertex);
int decomposition_block_with(const swe_decomposition *d, int panel, int j, int i);

static inline int decomposition_ranks(const swe_cut *cut)
{
    return cut->ranks > 1 ? cut->ranks : 1;
}

/* Vertices of a range; whether one is in it. */
static inline int range_length(swe_range range)
{
    return range.last - range.first;
}

static inline bool range_has(swe_range range, int point)
{
    return point >= range.first && point < range.last;
}

#endif
