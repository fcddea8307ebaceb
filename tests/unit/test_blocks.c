/* Blocks: each vertex has one owner; an exchange gives every ghost and every foreign copy the value
 * of its owner; and a model cut into blocks has the bits of a model of whole panels, for every
 * flow, order, pipeline and precision, with any number of threads. */
#include "support/outcome.h"

#include "stages/decomposition.h"
#include "stages/kernels.h"
#include "time/plan.h"

/* All orders have the same races. */
enum { ORDERS = CHECKS_RACES ? 1 : 3 };

static const int orders[] = {4, 2, 6};

/* ---- the plan -------------------------------------------------------------------------------- */

/* A value that only this point of the panels has. */
static double value_of(int n, int panel, int j, int i)
{
    return 1.0 + i + (n + 1.0) * (j + (n + 1.0) * panel);
}

static bool is_own(const swe_block *b, int j, int i)
{
    return j >= b->j.first && j < b->j.last && i >= b->i.first && i < b->i.last;
}

/* The own points of a rank's blocks; NaN elsewhere. */
static double *own_points(const swe_decomposition *d)
{
    double *field = malloc((size_t)d->layout.field * sizeof *field);
    assert_non_null(field);
    for (ptrdiff_t k = 0; k < d->layout.field; k++)
        field[k] = NAN;
    int count = 0;
    for (int k = d->own.first; k < d->own.last; k++) {
        const swe_block *b = &d->block[k];
        for (int j = b->j.first; j < b->j.last; j++)
            for (int i = b->i.first; i < b->i.last; i++, count++)
                field[b->at + j * d->layout.pitch + i] = value_of(d->layout.n, b->panel, j, i);
    }
    if (d->cut.ranks == 1)
        assert_int_equal(count, SWE_PANELS * (d->layout.n + 1) * (d->layout.n + 1));
    return field;
}

static void check_ghosts(const swe_decomposition *d, const double *field)
{
    for (int k = d->own.first; k < d->own.last; k++) {
        const swe_block *b = &d->block[k];
        const swe_range j_read = swe_decomposition_reach(&d->cut, b->j),
                        i_read = swe_decomposition_reach(&d->cut, b->i);
        for (int j = j_read.first; j < j_read.last; j++)
            for (int i = i_read.first; i < i_read.last; i++)
                CHECK_CLOSE(field[b->at + j * d->layout.pitch + i],
                            value_of(d->layout.n, b->panel, j, i), 0.0);
    }
}

/* Each block has all of its shared points, ghosts included, once, with the values of all copies. */
static void check_shared(const swe_decomposition *d, const double *field)
{
    const int n = d->layout.n;
    int expected = 0;
    for (int k = d->own.first; k < d->own.last; k++)
        for (int j = d->stored_j[k].first; j < d->stored_j[k].last; j++)
            for (int i = d->stored_i[k].first; i < d->stored_i[k].last; i++)
                expected += topology_is_shared(n, j, i);
    assert_int_equal(d->shared_count, expected);
    for (int p = 0; p < d->shared_count; p++) {
        const swe_shared_point *s = &d->shared[p];
        const topology_copies *c = &s->copies;
        const swe_block *b = &d->block[s->block];
        assert_int_equal(c->count, p < d->shared_on_edges ? 2 : 3);
        assert_int_equal(c->panel[s->own], b->panel);
        assert_int_equal(s->is_ghost, !is_own(b, c->j[s->own], c->i[s->own]));
        assert_true(c->at[s->own] == b->at + c->j[s->own] * d->layout.pitch + c->i[s->own]);
        for (int m = 0; m < c->count; m++)
            CHECK_CLOSE(field[c->at[m]], value_of(n, c->panel[m], c->j[m], c->i[m]), 0.0);
    }
}

/* Other blocks read no more of a block than the strips along its sides, which a GPU computes before
 * an exchange: LAUNCH_STRIP vertices wide, of the fused stage LAUNCH_FUSED_STRIP. */
static void check_strips(const swe_decomposition *d, int order, const double *field)
{
    const int fused = LAUNCH_FUSED_STRIP(order),
              strip = fused < LAUNCH_STRIP ? fused : LAUNCH_STRIP;
    for (int k = 0; k < d->exchanged_count; k++) {
        const long long side = d->layout.n + 1, vertex = (long long)field[d->exchanged[k].from] - 1;
        const int i = (int)(vertex % side), j = (int)(vertex / side % side);
        bool is_in_strip = false;
        for (int b = d->own.first; b < d->own.last; b++) {
            const swe_block *block = &d->block[b];
            is_in_strip = is_in_strip ||
                          (block->panel == (int)(vertex / side / side) && is_own(block, j, i) &&
                           (j < block->j.first + strip || j >= block->j.last - strip ||
                            i < block->i.first + strip || i >= block->i.last - strip));
        }
        assert_true(is_in_strip);
    }
}

static void check_plan(int n, int order, int blocks_1, int blocks_2, int line)
{
    swe_context ctx = {""};
    swe_decomposition *d = NULL;
    const swe_cut cut = {n, order, SWE_CLOSURE_MOVED, blocks_1, blocks_2, line, 0, 1};
    CHECK_OK(&ctx, swe_decomposition_create(&ctx, &cut, &d));
    double *field = own_points(d);
    for (int k = 0; k < d->exchanged_count; k++) {
        assert_true(isnan(field[d->exchanged[k].to])); /* once */
        field[d->exchanged[k].to] = field[d->exchanged[k].from];
    }
    check_ghosts(d, field);
    check_strips(d, order, field);
    check_shared(d, field);
    free(field);
    swe_decomposition_destroy(&d);
    assert_null(d);
}

static void an_exchange_brings_what_blocks_read(void **state)
{
    (void)state;
    static const int sizes[] = {33, 40, 96};
    for (int order = 0; order < ORDERS; order++)
        for (int size = 0; size < 3; size++)
            for (int blocks_2 = 1; blocks_2 <= 3; blocks_2++)
                for (int blocks_1 = 1; blocks_1 <= 2; blocks_1++)
                    check_plan(sizes[size], orders[order], blocks_1, blocks_2, 8);
    for (int blocks_1 = 3; blocks_1 <= 5; blocks_1++)
        check_plan(96, 6, blocks_1, 2, 8);
    check_plan(104, 4, 3, 3, 16);
}

static void a_decomposition_into_small_blocks_is_refused(void **state)
{
    (void)state;
    swe_context ctx = {""};
    swe_decomposition *d = NULL;
    assert_int_equal(
        swe_decomposition_create(&ctx, &(swe_cut){33, 6, SWE_CLOSURE_MOVED, 1, 5, 8, 0, 1}, &d),
        SWE_CONFIG);
    assert_string_equal(ctx.message,
                        "5 blocks along xi2 are too small for n = 33, order 6; at most "
                        "3");
    assert_null(d);
    assert_int_equal(
        swe_decomposition_create(&ctx, &(swe_cut){33, 2, SWE_CLOSURE_MOVED, 3, 1, 8, 0, 1}, &d),
        SWE_CONFIG);
    assert_string_equal(ctx.message,
                        "3 blocks along xi1 are too small for n = 33, order 2; at most "
                        "2");
    CHECK_OK(&ctx, swe_decomposition_create(
                       &ctx, &(swe_cut){33, 6, SWE_CLOSURE_MOVED, 2, 3, 8, 0, 1}, &d));
    swe_decomposition_destroy(&d);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* The ranks together own all blocks. Each value that a rank reads is its own or arrives once from
 * the rank that owns it. */
static void check_ranks(int n, int order, int ranks)
{
    swe_context ctx = {""};
    swe_cut cut = {.n = n, .order = order, .line = 8, .ranks = ranks};
    CHECK_OK(&ctx, swe_decomposition_choose(&ctx, &cut));
    int owned = 0;
    for (cut.rank = 0; cut.rank < ranks; cut.rank++) {
        swe_decomposition *d = NULL;
        CHECK_OK(&ctx, swe_decomposition_create_lists(&ctx, &cut, &d));
        assert_int_equal(d->own.first, owned);
        assert_int_equal(d->own.last - d->own.first, d->count / ranks);
        owned = d->own.last;
        double *field = own_points(d);
        for (int k = 0; k < d->exchanged_count; k++)
            field[d->exchanged[k].to] = field[d->exchanged[k].from];
        int received = 0;
        for (int m = 0; m < d->neighbour_count; m++) {
            const swe_values *values = &d->neighbour[m].received;
            const long long *vertex = values->buffer;
            for (int k = 0; k < values->count; k++, received++) {
                const int side = n + 1, i = (int)(vertex[k] % side);
                const int j = (int)(vertex[k] / side % side),
                          panel = (int)(vertex[k] / side / side);
                assert_true(isnan(field[values->at[k]])); /* once */
                field[values->at[k]] = value_of(n, panel, j, i);
            }
        }
        assert_int_equal(received, d->received_count);
        check_ghosts(d, field);
        check_shared(d, field);
        free(field);
        swe_decomposition_destroy(&d);
    }
    assert_int_equal(owned, SWE_PANELS * cut.blocks_2 * cut.blocks_1);
}

static void a_rank_receives_what_its_blocks_read(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 24};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        for (int order = 0; order < ORDERS; order++)
            check_ranks(96, orders[order], counts[k]);
    check_ranks(96, 4, 96); /* inner blocks, which have no shared points */
}

static void too_many_ranks_are_refused(void **state)
{
    (void)state;
    swe_context ctx = {""};
    swe_cut cut = {.n = 24, .order = 4, .line = 8, .ranks = 100};
    assert_int_equal(swe_decomposition_choose(&ctx, &cut), SWE_CONFIG);
    assert_string_equal(ctx.message, "100 ranks are too many for n = 24, order 4; at most 24");
}

/* ---- models ---------------------------------------------------------------------------------- */

enum { STEPS = 2 };

/* Layouts, and numbers of threads, that the combinations of flow, order, pipeline and precision use
 * in turn. Blocks of single precision have at least 32 columns. */
static const struct {
    int blocks_1, blocks_2, threads;
} layouts[] = {{1, 2, 1}, {2, 1, 2}, {2, 2, 3}, {1, 3, 2}, {2, 3, 1}};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

/* A model with `count` layouts. */
static void check_model(swe_model_options options, int count, int number)
{
    outcome whole = outcome_of(&options, STEPS);
    for (int k = 0; k < count; k++) {
        const int layout = (number + k) % LAYOUTS;
        if (CHECKS_RACES && layouts[layout].threads == 1)
            continue;
        check_cut(options, layouts[layout].blocks_1, layouts[layout].blocks_2,
                  layouts[layout].threads, STEPS, &whole);
    }
    outcome_destroy(&whole);
}

/* Models of one size of each precision: sweeps prefetch from n = 144 on in double precision, from
 * 208 on in single. */
static void check_models(int n_double, int n_single, int count)
{
    int number = 0;
    for (int flow = 0; flow < OUTCOME_FLOWS; flow++)
        for (int order = 0; order < ORDERS; order++)
            for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++)
                for (int precision = 0; precision < SWE_PRECISIONS; precision++) {
                    const bool is_double = precision == SWE_PRECISION_DOUBLE;
                    if (CHECKS_ADDRESSES && !is_double)
                        continue; /* its stages are compiled without a sanitizer */
                    const swe_model_options options = {
                        .n = is_double ? n_double : n_single,
                        .order = orders[order],
                        .fields = outcome_flows[flow].equations == SWE_NONLINEAR
                                      ? fields_with_a_tracer()
                                      : NULL,
                        .physics = viscous_by_order(outcome_flows[flow], orders[order]),
                        .pipeline = (swe_pipeline)pipeline,
                        .precision = (swe_precision)precision,
                        .backend = "cpu",
                        .threads = 1};
                    check_model(options, count, number++);
                }
}

/* Some of these models runs every stage of a step: a stage that exchanges too little changes bits.
 * The outcomes have the integrals. */
static void models_of_blocks_run_every_stage(void **state)
{
    (void)state;
    for (int stage = 0; stage < SWE_STAGE_integrals; stage++) {
        int calls = 0;
        for (int flow = 0; flow < OUTCOME_FLOWS; flow++)
            for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++) {
                const swe_step_plan plan = swe_step_plan_of(
                    &outcome_flows[flow], fields_with_a_tracer(), (swe_pipeline)pipeline);
                calls += swe_plan_calls(&plan, stage);
            }
        if (calls == 0)
            fail_msg("no flow of support/outcome.h runs %s", swe_stage_name(stage));
    }
}

static void models_of_blocks_have_the_bits_of_whole_panels(void **state)
{
    (void)state;
    check_models(33, 70, 2);
}

static void blocks_of_large_states_have_these_bits(void **state)
{
    (void)state;
    if (CHECKS_ADDRESSES || CHECKS_RACES)
        skip(); /* prefetching is no access */
    check_models(149, 214, 1);
}

/* The narrowest blocks, with more threads than a block has rows: blocks that are cut at both sides,
 * and last blocks whose closure is next to a cut. */
static void narrow_blocks_have_these_bits(void **state)
{
    (void)state;
    static const struct {
        int n, order, precision, blocks_1, blocks_2, threads;
    } narrow[] = {{31, 6, SWE_PRECISION_DOUBLE, 2, 1, 1},  {47, 6, SWE_PRECISION_DOUBLE, 3, 2, 2},
                  {40, 4, SWE_PRECISION_DOUBLE, 2, 4, 9},  {144, 2, SWE_PRECISION_DOUBLE, 9, 1, 1},
                  {145, 4, SWE_PRECISION_DOUBLE, 8, 2, 2}, {152, 4, SWE_PRECISION_DOUBLE, 7, 1, 1},
                  {159, 6, SWE_PRECISION_DOUBLE, 9, 3, 3}, {63, 6, SWE_PRECISION_SINGLE, 2, 1, 1},
                  {208, 2, SWE_PRECISION_SINGLE, 6, 1, 1}, {223, 6, SWE_PRECISION_SINGLE, 7, 2, 2}};
    for (size_t k = 0; k < sizeof narrow / sizeof narrow[0]; k++)
        for (int flow = 0; flow < OUTCOME_FLOWS; flow++) {
            if ((CHECKS_RACES && (narrow[k].threads == 1 || narrow[k].n > 100)) ||
                (CHECKS_ADDRESSES && narrow[k].precision == SWE_PRECISION_SINGLE))
                continue;
            const swe_model_options options = {
                .n = narrow[k].n,
                .order = narrow[k].order,
                .physics = viscous_by_order(outcome_flows[flow], narrow[k].order),
                .precision = (swe_precision)narrow[k].precision,
                .backend = "cpu",
                .threads = 1};
            outcome whole = outcome_of(&options, STEPS);
            check_cut(options, narrow[k].blocks_1, narrow[k].blocks_2, narrow[k].threads, STEPS,
                      &whole);
            outcome_destroy(&whole);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exchange_brings_what_blocks_read),
        cmocka_unit_test(a_decomposition_into_small_blocks_is_refused),
        cmocka_unit_test(a_rank_receives_what_its_blocks_read),
        cmocka_unit_test(too_many_ranks_are_refused),
        cmocka_unit_test(models_of_blocks_run_every_stage),
        cmocka_unit_test(models_of_blocks_have_the_bits_of_whole_panels),
        cmocka_unit_test(blocks_of_large_states_have_these_bits),
        cmocka_unit_test(narrow_blocks_have_these_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
