/* Internal to decomposition.c, which cuts panels, and decomposition_lists.c. */
#ifndef SWE_STAGES_DECOMPOSITION_INTERNAL_H
#define SWE_STAGES_DECOMPOSITION_INTERNAL_H

#include "stages/decomposition.h"

/* A caller wants sizes, the lists of a rank, or to exchange. */
typedef enum wanted_lists { NO_LISTS, LISTS_ALONE, CONNECTED_LISTS } wanted_lists;

/* A rank that fails to connect must not leave the others waiting: the status of the first that
 * failed. */
swe_status decomposition_agree(swe_context *ctx, const swe_decomposition *d, wanted_lists wanted,
                               swe_status status);

/* The most values that the lists can have, and the memory of a field, which they determine. Errors:
 * SWE_CONFIG (more than an int counts). */
swe_status decomposition_count_exchanged(swe_context *ctx, swe_decomposition *d);

/* Make the lists. Errors: SWE_CONFIG (a message of more bytes than an int counts), SWE_NO_MEMORY.
 */
swe_status decomposition_list(swe_context *ctx, wanted_lists wanted, swe_decomposition *d);

/* The part that has a vertex of a line of n + 1, whose cuts lie at multiples of `unit`; the block
 * that owns a vertex. */
int decomposition_part_with(int n, int unit, int parts, int vertex);
int decomposition_block_with(const swe_decomposition *d, int panel, int j, int i);

static inline int decomposition_ranks(const swe_cut *cut)
{
    return cut->ranks > 1 ? cut->ranks : 1;
}

static inline int decomposition_length(swe_range range)
{
    return range.last - range.first;
}

static inline bool decomposition_has(swe_range range, int point)
{
    return point >= range.first && point < range.last;
}

#endif
