/* THE ROWS of the integrals: a row of a panel crosses blocks, which ranks share. Its blocks are
 * added in their order, rank after rank: the state of a row goes from each rank to the next. */
#ifndef SWE_STAGES_INTEGRALS_ROWS_H
#define SWE_STAGES_INTEGRALS_ROWS_H

#include "stages/integrals/integrals_point.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of values of params->scratch for rows that cross blocks of several ranks. */
size_t integrals_scratch_size(const swe_params *params) REAL_SYMBOL(integrals_scratch_size);

/* The partial sums of a row after some of its blocks: its lanes, and v2 at its west end. */
typedef struct row_state {
    integrals_lanes lanes;
    real v2_west;
} row_state;

/* Number of states of a row: one for the flow, then one for each advected field. */
SWE_POINT int row_states(const swe_params *params)
{
    return 1 + params->fields - SWE_FLOW_FIELDS;
}

/* Bytes of the states of all rows of a block. */
static inline size_t row_states_bytes(const swe_params *params, swe_range rows)
{
    return (size_t)(rows.last - rows.first) * (size_t)row_states(params) * sizeof(row_state);
}

/* Number of blocks that a row of a panel crosses, and that a column does. */

static inline int row_blocks_across(const swe_params *params)
{
    return params->decomposition != NULL ? params->decomposition->cut.blocks_1 : 1;
}

static inline int row_blocks_along(const swe_params *params)
{
    return params->decomposition != NULL ? params->decomposition->cut.blocks_2 : 1;
}

/* The blocks of this rank that some rows of a panel cross: block row `along` along xi2, blocks
 * first to last - 1 along xi1. `number`: number of the block at 0 along xi1. */
typedef struct row_blocks {
    int panel, along, number, first, last;
} row_blocks;

static inline row_blocks row_blocks_of(const swe_params *params, int panel, int along)
{
    const swe_decomposition *d = params->decomposition;
    const int across = row_blocks_across(params);
    row_blocks blocks = {panel, along, (panel * row_blocks_along(params) + along) * across, 0,
                         across};
    if (d != NULL) {
        const int first = d->own.first - blocks.number, last = d->own.last - blocks.number;
        blocks.first = first < 0 ? 0 : first < across ? first : across;
        blocks.last = last < 0 ? 0 : last < across ? last : across;
    }
    return blocks;
}

/* Where rows begin and end: within this rank, or in another rank. */
typedef enum row_ends { WITHIN_RANK, INTO_NEXT_RANK, FROM_RANK_BEFORE } row_ends;

static inline row_ends row_ends_of(const swe_params *params, row_blocks blocks)
{
    return blocks.first > 0                          ? FROM_RANK_BEFORE
           : blocks.last < row_blocks_across(params) ? INTO_NEXT_RANK
                                                     : WITHIN_RANK;
}

#ifdef __cplusplus
}
#endif
#endif
