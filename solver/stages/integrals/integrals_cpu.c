#include "ranks/ranks.h"
#include "stages/integrals/integrals_rows.h"
#include "stages/contravariant/contravariant_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* Rows are processed in sections, whose terms stay in the first-level cache. The last section of a
 * row is longer by less than INTEGRALS_LANES points, so that none cuts the high closure. */
enum { SECTION = 8 * INTEGRALS_LANES, LONGEST_SECTION = SECTION + INTEGRALS_LANES };

/* A section of row j from index `first` on: `vertices` and `cells` points of it. Fields point at
 * the first; `in_panel` is its offset in metric terms. */
typedef struct row_section {
    int j, first, vertices, cells;
    ptrdiff_t in_panel;
    const real *h, *v1, *v2, *vorticity, *bottom,
        *coriolis; /* the last three only in nonlinear equations */
} row_section;

static void begin_lanes(integrals_lanes *lanes)
{
    for (int lane = 0; lane < INTEGRALS_LANES; lane++) {
        for (int sum = 0; sum < INTEGRALS_SUMS; sum++)
            lanes->value[sum][lane] = lanes->lost[sum][lane] = 0.0;
        for (int extreme = 0; extreme < INTEGRALS_EXTREMES; extreme++) {
            lanes->max[extreme][lane] = integrals_least(extreme);
            lanes->max_i[extreme][lane] = 0.0;
        }
    }
}

/* Execute `work` for the points k = 0..count-1 of a section that begins at index `first` of its
 * row; `lane` is the lane of each. The lane of a point depends on its index alone, so that blocks
 * add up the same sums. */
#define FOR_SIMD(first, count, work)                                                               \
    do {                                                                                           \
        int line = 0;                                                                              \
        for (int lane = (first) % INTEGRALS_LANES;                                                 \
             lane > 0 && lane < INTEGRALS_LANES && line < (count); lane++, line++) {               \
            const int k = line;                                                                    \
            work;                                                                                  \
        }                                                                                          \
        for (; line + INTEGRALS_LANES <= (count); line += INTEGRALS_LANES) {                       \
            _Pragma("omp simd") for (int lane = 0; lane < INTEGRALS_LANES; lane++)                 \
            {                                                                                      \
                const int k = line + lane;                                                         \
                work;                                                                              \
            }                                                                                      \
        }                                                                                          \
        for (int lane = 0; line + lane < (count); lane++) {                                        \
            const int k = line + lane;                                                             \
            work;                                                                                  \
        }                                                                                          \
    } while (0)

SWE_POINT void add_term(integrals_lanes *lanes, int sum, int lane, double term)
{
    swe_sum s = {lanes->value[sum][lane], lanes->lost[sum][lane]};
    swe_sum_add(&s, term);
    lanes->value[sum][lane] = s.value;
    lanes->lost[sum][lane] = s.lost;
}

SWE_POINT void add_extreme(integrals_lanes *lanes, int extreme, int lane, double value, int i)
{
    integrals_max_point(value, i, &lanes->max[extreme][lane], &lanes->max_i[extreme][lane]);
}

SWE_CLONES
static void add_heights(const swe_params *params, row_section p, integrals_lanes *lanes)
{
    const double *norm = params->norm_vertex + p.first;
    const real *inverse_jacobian = params->inverse_jacobian + p.in_panel;
    double mass[LONGEST_SECTION];
#pragma omp simd
    for (int k = 0; k < p.vertices; k++)
        mass[k] = integrals_mass_point(norm[k], inverse_jacobian[k], p.h[k]);
    FOR_SIMD(p.first, p.vertices, add_term(lanes, INTEGRALS_MASS, lane, mass[k]));
    FOR_SIMD(p.first, p.vertices, add_term(lanes, INTEGRALS_MASS_SCALE, lane, fabs(mass[k])));
    FOR_SIMD(p.first, p.vertices,
             add_term(lanes, INTEGRALS_HEIGHT, lane, mass[k] * (double)p.h[k]));
    FOR_SIMD(p.first, p.vertices,
             add_extreme(lanes, INTEGRALS_HIGHEST, lane, fabs((double)p.h[k]), p.first + k));
    FOR_SIMD(p.first, p.vertices,
             add_extreme(lanes, INTEGRALS_LOWEST, lane, -(double)p.h[k], p.first + k));
    if (params->physics.equations == SWE_LINEAR)
        return;
    FOR_SIMD(p.first, p.vertices,
             add_term(lanes, INTEGRALS_BOTTOM, lane, mass[k] * (double)p.bottom[k]));
    FOR_SIMD(p.first, p.vertices,
             add_term(lanes, INTEGRALS_ENSTROPHY, lane,
                      integrals_enstrophy_point(mass[k], p.vorticity[k], p.coriolis[k], p.h[k])));
}

SWE_CLONES
static void add_sides(const swe_params *params, row_section p, integrals_lanes *lanes)
{
    const double *cell = params->norm_cell + p.first;
    if (integrals_is_side1(params, p.j))
        FOR_SIMD(p.first, p.cells,
                 add_term(lanes, INTEGRALS_SIDES1, lane, integrals_side1_point(cell[k], p.v1[k])));
}

SWE_CLONES
static void add_velocities(const swe_params *params, row_section p, integrals_lanes *lanes)
{
    const double *vertex = params->norm_vertex + p.first, *cell = params->norm_cell + p.first;
    const real *metric11 = params->metric11 + p.in_panel, *metric22 = params->metric22 + p.in_panel;
    FOR_SIMD(p.first, p.cells,
             add_term(lanes, INTEGRALS_VELOCITY1, lane,
                      integrals_velocity_point(cell[k], metric11[k], p.v1[k])));
    if (p.j < params->layout.n)
        FOR_SIMD(p.first, p.vertices,
                 add_term(lanes, INTEGRALS_VELOCITY2, lane,
                          integrals_velocity_point(vertex[k], metric22[k], p.v2[k])));
}

/* The same with h. */
SWE_POINT void add_momenta_of(int order, const swe_params *params, row_section p,
                              integrals_lanes *lanes)
{
    const int n = params->layout.n;
    const double *vertex = params->norm_vertex + p.first, *cell = params->norm_cell + p.first;
    const real *metric11 = params->metric11 + p.in_panel, *metric22 = params->metric22 + p.in_panel;
    const rows_range cells = {p.first, p.first + p.cells};
    double terms[LONGEST_SECTION];
    ROWS_ALONG(cells, rows_cells(order, params),
               terms[k] = integrals_momentum_point(order, where, params, 1, i, cell[k], metric11[k],
                                                   p.v1[k], p.h + k));
    FOR_SIMD(p.first, p.cells, add_term(lanes, INTEGRALS_VELOCITY1, lane, terms[k]));
    if (p.j == n)
        return;
    for (int k = 0; k < p.vertices; k++)
        terms[k] = integrals_momentum_point(order, SBP_ANYWHERE, params, 2, p.j, vertex[k],
                                            metric22[k], p.v2[k], p.h + k);
    FOR_SIMD(p.first, p.vertices, add_term(lanes, INTEGRALS_VELOCITY2, lane, terms[k]));
}

SWE_CLONES
static void add_momenta(const swe_params *params, row_section p, integrals_lanes *lanes)
{
    SWE_WITH_ORDER(params->sbp.order, add_momenta_of(ORDER, params, p, lanes));
}

/* Pcv_2 v2. */
SWE_POINT void means2(int order, sbp_region where, const swe_params *params, row_section p,
                      real *SWE_RESTRICT out)
{
#pragma omp simd
    for (int k = 0; k < p.vertices; k++)
        out[k] = sbp_pcv(order, where, &params->sbp, params->layout.n, p.j, p.v2 + k,
                         params->layout.pitch);
}

SWE_POINT void add_cross_terms_of(swe_equations equations, int order, const swe_params *params,
                                  row_section p, integrals_lanes *lanes)
{
    const int n = params->layout.n;
    const double *norm = params->norm_vertex + p.first;
    const real *metric12 = params->metric12 + p.in_panel;
    const real *inverse_jacobian = params->inverse_jacobian + p.in_panel;
    const rows_range vertices = {p.first, p.first + p.vertices};
    real mean1[LONGEST_SECTION], mean2[LONGEST_SECTION];
    ROWS_AT_VERTEX(order, params, p.j, means2(order, (sbp_region)REGION, params, p, mean2));
    ROWS_ALONG(vertices, rows_vertices(order, params),
               mean1[k] = sbp_pcv(order, where, &params->sbp, n, i, p.v1 + k, 1));
    FOR_SIMD(p.first, p.vertices, {
        const real cross2 = contravariant_cross(equations, metric12[k], p.h + k, mean2[k]);
        add_term(lanes, INTEGRALS_CROSS, lane, integrals_cross_point(norm[k], cross2, mean1[k]));
    });
    if (equations == SWE_NONLINEAR)
        FOR_SIMD(p.first, p.vertices, {
            const double speed =
                integrals_speed_point(params, p.j, p.first + k, inverse_jacobian[k], metric12[k],
                                      p.h[k], mean1[k], mean2[k]);
            add_extreme(lanes, INTEGRALS_FASTEST, lane, speed, p.first + k);
        });
}

SWE_CLONES
static void add_cross_terms(const swe_params *params, row_section p, integrals_lanes *lanes)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->physics.equations,
                                      add_cross_terms_of(EQUATIONS, ORDER, params, p, lanes)));
}

/* Differences of v1 along xi2. */
SWE_POINT void differences2(int order, sbp_region where, const swe_params *params, row_section p,
                            real *SWE_RESTRICT out)
{
#pragma omp simd
    for (int k = 0; k < p.cells; k++)
        out[k] = sbp_dvc(order, where, &params->sbp, params->layout.n, p.j, p.v1 + k,
                         params->layout.pitch);
}

SWE_POINT void add_shear_of(int order, const swe_params *params, row_section p,
                            integrals_lanes *lanes)
{
    const int n = params->layout.n;
    const double *norm = params->norm_cell + p.first;
    const rows_range cells = {p.first, p.first + p.cells};
    real d1_v2[LONGEST_SECTION], d2_v1[LONGEST_SECTION];
    ROWS_ALONG(cells, rows_cells(order, params),
               d1_v2[k] = sbp_dvc(order, where, &params->sbp, n, i, p.v2 + k, 1));
    ROWS_AT_CELL(order, params, p.j, differences2(order, (sbp_region)REGION, params, p, d2_v1));
    FOR_SIMD(
        p.first, p.cells,
        add_term(lanes, INTEGRALS_SHEAR, lane, integrals_shear_point(norm[k], d1_v2[k], d2_v1[k])));
}

SWE_CLONES
static void add_shear(const swe_params *params, row_section p, integrals_lanes *lanes)
{
    SWE_WITH_ORDER(params->sbp.order, add_shear_of(ORDER, params, p, lanes));
}

/* From index `first` of row j of a block on. */
static row_section section_of(const swe_params *params, const swe_block *block, int j, int first,
                              const real *h, const real *v1, const real *v2, const real *vorticity)
{
    const int is_linear = params->physics.equations == SWE_LINEAR;
    const int left = block->i.last - first, is_last = left < LONGEST_SECTION;
    const ptrdiff_t in_row = j * params->layout.pitch + first, at = block->at + in_row;
    const int vertices = is_last ? left : SECTION;
    const row_section p = {j,
                           first,
                           vertices,
                           first + vertices > params->layout.n ? vertices - 1 : vertices,
                           block->metric + in_row,
                           h + at,
                           v1 + at,
                           v2 + at,
                           is_linear ? NULL : vorticity + at,
                           is_linear ? NULL : params->bottom + at,
                           is_linear ? NULL : params->coriolis + at};
    return p;
}

static void add_row(const swe_params *params, const swe_block *block, int j, const real *h,
                    const real *v1, const real *v2, const real *vorticity, integrals_lanes *lanes)
{
    for (int first = block->i.first, count; first < block->i.last; first += count) {
        const row_section p = section_of(params, block, j, first, h, v1, v2, vorticity);
        count = p.vertices;
        add_heights(params, p, lanes);
        add_sides(params, p, lanes);
        if (params->physics.equations == SWE_LINEAR)
            add_velocities(params, p, lanes);
        else
            add_momenta(params, p, lanes);
        add_cross_terms(params, p, lanes);
        if (p.j < params->layout.n)
            add_shear(params, p, lanes);
    }
}

/* ---- rows of a panel: block after block, and rank after rank ----------------------------------
 */

static swe_block block_of(const swe_params *params, row_blocks blocks, int across)
{
    return params->decomposition != NULL ? params->decomposition->block[blocks.number + across]
                                         : threads_block(params, blocks.panel, 0);
}

/* The states of row j, one of the rows received from the rank before or sent to the next rank. */
static row_state *states_of(const swe_params *params, rows_range rows, int j)
{
    return (row_state *)params->scratch + (j - rows.first) * row_states(params);
}

size_t integrals_scratch_size(const swe_params *params)
{
    const swe_decomposition *d = params->decomposition;
    size_t most = 0;
    if (d == NULL || d->neighbour_count == 0 || row_blocks_across(params) == 1)
        return 0;
    for (int k = d->own.first; k < d->own.last; k++) {
        const size_t bytes = row_states_bytes(params, d->block[k].j);
        most = bytes > most ? bytes : most;
    }
    return (most + sizeof(real) - 1) / sizeof(real);
}

/* Add this rank's blocks to row j; if they include the last block of the row, store the row. */
static void sum_row(const swe_params *params, row_blocks blocks, int j, const real *h,
                    const real *v1, const real *v2, const real *vorticity, row_state *state,
                    double *out)
{
    const ptrdiff_t row = j * params->layout.pitch;
    if (blocks.first == 0) {
        const swe_block west = block_of(params, blocks, 0);
        begin_lanes(&state->lanes);
        if (j < params->layout.n) /* v2 has rows of cells */
            state->v2_west = v2[west.at + row];
    }
    for (int across = blocks.first; across < blocks.last; across++) {
        const swe_block block = block_of(params, blocks, across);
        add_row(params, &block, j, h, v1, v2, vorticity, &state->lanes);
    }
    if (blocks.last < row_blocks_across(params))
        return;
    const swe_block east = block_of(params, blocks, blocks.last - 1);
    for (int sum = 0; sum < INTEGRALS_SUMS; sum++)
        integrals_store_sum(params, j, sum, &state->lanes, out);
    integrals_store_sides2(params, j, &state->v2_west, v2 + east.at + row + params->layout.n, out);
    for (int extreme = 0; extreme < INTEGRALS_EXTREMES; extreme++)
        integrals_store_max(extreme, &state->lanes, out);
}

/* Mass and extremes of c along a block's part of row j of an advected field; h, q and 1/J point at
 * its first vertex. */
SWE_CLONES
static void add_field_row(const swe_params *params, rows_range vertices,
                          const real *inverse_jacobian, const real *h, const real *q,
                          integrals_lanes *lanes)
{
    const int first = vertices.first, count = vertices.last - first;
    const double *norm = params->norm_vertex + first;
    FOR_SIMD(first, count,
             add_term(lanes, INTEGRALS_MASS, lane,
                      integrals_mass_point(norm[k], inverse_jacobian[k], q[k])));
    FOR_SIMD(first, count, {
        const double c = (double)q[k] / (double)h[k];
        add_extreme(lanes, INTEGRALS_HIGHEST, lane, c, first + k);
        add_extreme(lanes, INTEGRALS_LOWEST, lane, -c, first + k);
    });
}

static void begin_field_lanes(integrals_lanes *lanes)
{
    for (int lane = 0; lane < INTEGRALS_LANES; lane++) {
        lanes->value[INTEGRALS_MASS][lane] = lanes->lost[INTEGRALS_MASS][lane] = 0.0;
        lanes->max[INTEGRALS_HIGHEST][lane] = lanes->max[INTEGRALS_LOWEST][lane] = -HUGE_VAL;
        lanes->max_i[INTEGRALS_HIGHEST][lane] = lanes->max_i[INTEGRALS_LOWEST][lane] = 0.0;
    }
}

static void sum_field_row(const swe_params *params, row_blocks blocks, int j, const real *h,
                          const real *q, integrals_lanes *lanes, double *out)
{
    if (blocks.first == 0)
        begin_field_lanes(lanes);
    for (int across = blocks.first; across < blocks.last; across++) {
        const swe_block block = block_of(params, blocks, across);
        const ptrdiff_t in_row = j * params->layout.pitch + block.i.first, at = block.at + in_row;
        add_field_row(params, block.i, params->inverse_jacobian + block.metric + in_row, h + at,
                      q + at, lanes);
    }
    if (blocks.last == row_blocks_across(params))
        integrals_store_field(params, j, lanes, out);
}

/* The fields of a state, and where its rows go. */
typedef struct summed {
    const real *h, *v1, *v2, *vorticity;
    double *rows;
} summed;

/* Sum a thread's rows. is_kept: keep the states of the rows, because other ranks own blocks of
 * them. */
static void sum_rows(const swe_params *params, const summed *s, row_blocks blocks, bool is_kept)
{
    const int side = params->layout.n + 1;
    const rows_range all = block_of(params, blocks, blocks.first).j, share = threads_share_of(all);
    for (int j = share.first; j < share.last; j++) {
        const ptrdiff_t row = (ptrdiff_t)blocks.panel * side + j;
        row_state own, *state = is_kept ? states_of(params, all, j) : &own;
        sum_row(params, blocks, j, s->h, s->v1, s->v2, s->vorticity, state,
                s->rows + row * INTEGRALS_VALUES);
        for (int field = SWE_FLOW_FIELDS; field < params->fields; field++) {
            row_state *of_field = is_kept ? state + 1 + field - SWE_FLOW_FIELDS : &own;
            sum_field_row(params, blocks, j, s->h, s->h + field * params->layout.field,
                          &of_field->lanes,
                          s->rows + integrals_of_field(params->layout.n, field) +
                              row * INTEGRALS_FIELD_VALUES);
        }
    }
}

/* Sum rows that cross blocks of several ranks. The states are received from the rank before and
 * sent to the next rank, so that the blocks of a row are added in their order. */
static void sum_rows_of_ranks(const swe_execution *execution, const swe_params *params,
                              const summed *s, row_blocks blocks)
{
    const rows_range rows = block_of(params, blocks, blocks.first).j;
    const size_t bytes = row_states_bytes(params, rows);
    const int rank = params->decomposition->cut.rank;
    const bool is_first = omp_get_thread_num() == 0;
    threads_wait(execution);
    if (blocks.first > 0 && is_first)
        swe_ranks_receive(rank - 1, params->scratch, bytes);
    threads_wait(execution);
    thread_begin(execution);
    sum_rows(params, s, blocks, true);
    thread_end(execution);
    threads_wait(execution);
    if (blocks.last < row_blocks_across(params) && is_first)
        swe_ranks_send(rank + 1, params->scratch, bytes);
    threads_wait(execution);
}

static void sum_all_rows(const swe_execution *execution, const swe_params *params, const summed *s,
                         row_ends ends)
{
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int along = 0; along < row_blocks_along(params); along++) {
            const row_blocks blocks = row_blocks_of(params, panel, along);
            if (blocks.first == blocks.last || row_ends_of(params, blocks) != ends)
                continue;
            if (ends == WITHIN_RANK) {
                thread_begin(execution);
                sum_rows(params, s, blocks, false);
                thread_end(execution);
            } else
                sum_rows_of_ranks(execution, params, s, blocks);
        }
}

/* Compute first the rows that the next rank waits for, and last the rows that need the result of
 * the rank before. */
void swe_integrals_cpu(const swe_execution *execution, const swe_params *params, const real *h,
                       const real *v1, const real *v2, const real *vorticity, double *rows)
{
    const summed s = {h, v1, v2, vorticity, rows};
    sum_all_rows(execution, params, &s, INTO_NEXT_RANK);
    sum_all_rows(execution, params, &s, WITHIN_RANK);
    sum_all_rows(execution, params, &s, FROM_RANK_BEFORE);
    threads_wait(execution);
}
