/* Tiles of the CPU backend, of panels of any size, in this precision: every vertex is in one tile,
 * a thread's tiles are its rows, no tile cuts a closure, and the buffers of a tile hold all values
 * that the operators read of a row. */
#include "support/check.h"

#include "base/real.h"
#include "stages/tiles_cpu.h"
#include "sweeps/transport/transport_row_cpu.h"

enum { LARGEST = 2 * CPU_TILE_I, HEIGHT = TRANSPORT_STRIP_J, THREADS = 3 };

/* A panel as one block. */
static swe_block panel_of(int n)
{
    const swe_range all = {0, n + 1};
    const swe_block block = {0, all, all, 0, 0, 0};
    return block;
}

static cpu_tile tile_of(const tiles_cut *cut, int k)
{
    const swe_block panel = panel_of(cut->i.last - 1);
    return tiles_at(cut, &panel, k);
}

static int n_of(const tiles_cut *cut)
{
    return cut->i.last - 1;
}

/* Tiles of one column meet along j; tiles along i are cut at cache lines. */
static void check_covers(tiles_cut cut)
{
    int next = 0;
    for (int row = 0; row < cut.rows; row++) {
        const cpu_tile t = tile_of(&cut, row * cut.columns);
        assert_int_equal(t.j.first, next);
        assert_true(t.j.last - t.j.first <= HEIGHT);
        next = t.j.last;
    }
    assert_int_equal(next, n_of(&cut) + 1);
    next = 0;
    for (int column = 0; column < cut.columns; column++) {
        const cpu_tile t = tile_of(&cut, column);
        assert_int_equal(t.i.first, next);
        assert_int_equal(t.i.first % ROWS_LINE, 0);
        next = t.i.last;
    }
    assert_int_equal(next, n_of(&cut) + 1);
}

static void check_threads(tiles_cut cut)
{
    assert_int_equal(cut.rows % THREADS, 0);
    for (int thread = 0; thread < THREADS; thread++) {
        const rows_range share = rows_share(n_of(&cut) + 1, thread, THREADS);
        const rows_range strips = rows_share(cut.rows, thread, THREADS);
        assert_int_equal(rows_share(n_of(&cut) + 1, strips.first, cut.rows).first, share.first);
        assert_int_equal(rows_share(n_of(&cut) + 1, strips.last - 1, cut.rows).last, share.last);
    }
}

/* A range of a line has all points of a closure or none: ROWS_ALONG computes whole closures. */
static void check_range(rows_range range, rows_interior interior)
{
    const int end = interior.last + interior.first; /* both closures have interior.first points */
    assert_true(range.first <= 0 || range.first >= interior.first);
    assert_true(range.first <= interior.last);
    assert_true(range.last >= end || range.last <= interior.last);
    assert_true(range.last >= interior.first);
}

/* Parameters that the rows of a tile depend on: n, and the moved closure of the order. */
static const swe_params *params_of(int order, int n)
{
    static swe_params params;
    params.layout = swe_layout_of(n);
    params.sbp.order = order;
    params.sbp.degree = swe_sbp_degree(order, SWE_CLOSURE_MOVED);
    params.sbp.vertex_rows = sbp_vertex_rows(order);
    params.sbp.cell_rows = sbp_cell_rows(order);
    return &params;
}

static void check_closures(rows_range vertices, int order, int n)
{
    const swe_params *params = params_of(order, n);
    const int rows = sbp_spread_rows(order, params->sbp.degree);
    const rows_range all_cells = {0, n};
    const rows_interior spread = {rows, n + 1 - rows};
    const rows_range cells = tiles_cells(order, params, vertices);
    check_range(vertices, rows_vertices(order, params));
    check_range(vertices, spread);
    check_range(rows_within(vertices, all_cells), rows_cells(order, params));
    check_range(cells, rows_cells(order, params));
    check_range(tiles_vertices(order, params, cells), rows_vertices(order, params));
}

static void check_buffers(tiles_cut cut, int width, int pitch, int order)
{
    const int n = n_of(&cut);
    const swe_params *params = params_of(order, n);
    for (int column = 0; column < cut.columns; column++) {
        const rows_range vertices = tile_of(&cut, column).i;
        const rows_range cells = tiles_cells(order, params, vertices);
        const rows_range read = tiles_vertices(order, params, cells);
        assert_true(vertices.last - vertices.first <= width);
        assert_true(cells.last - cells.first <= pitch);
        assert_true(read.last - read.first <= pitch);
        assert_true(vertices.first - read.first <= TRANSPORT_LINE_BEFORE);
        check_closures(vertices, order, n);
    }
}

/* Tiles of at most `width` columns, whose row buffers have rows of `pitch`. */
static void check_tiles(int width, int pitch)
{
    for (int n = 4; n <= LARGEST; n++) {
        const swe_block panel = panel_of(n);
        tiles_cut cut = {{0, 0}, {0, 0}, 0, 0};
#pragma omp parallel num_threads(THREADS)
#pragma omp single
        cut = tiles_cut_of(&panel, width, HEIGHT);
        check_covers(cut);
        check_threads(cut);
        for (int order = 2; order <= 6; order += 2)
            if (n >= 2 * sbp_columns(order))
                check_buffers(cut, width, pitch, order);
    }
}

static void tiles_cover_a_panel_and_buffers_hold_them(void **state)
{
    (void)state;
    check_tiles(CPU_TILE_NARROW, TRANSPORT_PITCH);
    check_tiles(CPU_TILE_I_SMALL, CPU_TILE_I_SMALL + 2 * ROWS_LINE);
    check_tiles(CPU_TILE_I, CPU_TILE_PITCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_cover_a_panel_and_buffers_hold_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
