/* Tiles of the CPU backend: every vertex is in one tile, and what lives while a tile is worked on
 * has room for all that the operators take of a row. Of any panel, in this precision. */
#include "support/check.h"

#include "base/real.h"
#include "stages/tiles_cpu.h"

enum { LARGEST = 2100, HEIGHT = 32, THREADS = 3 };

/* Tiles along j, one column of them, meet; those along i are cut at cache lines. */
static void check_covers(const swe_view *view)
{
    const tiles_cut cut = tiles_cut_of(view, HEIGHT);
    assert_int_equal(cut.rows % THREADS, 0);
    int next = 0;
    for (int row = 0; row < cut.rows; row++) {
        const cpu_tile t = tiles_at(cut, 0, row * cut.columns);
        assert_int_equal(t.j.first, next);
        assert_true(t.j.last - t.j.first <= HEIGHT);
        next = t.j.last;
    }
    assert_int_equal(next, cut.n + 1);
    next = 0;
    for (int column = 0; column < cut.columns; column++) {
        const cpu_tile t = tiles_at(cut, 0, column);
        assert_int_equal(t.i.first, next);
        assert_int_equal(t.i.first % ROWS_LINE, 0);
        next = t.i.last;
    }
    assert_int_equal(next, cut.n + 1);
}

static void check_room(const swe_view *view, int order)
{
    const int n = view->layout.n;
    const tiles_cut cut = tiles_cut_of(view, HEIGHT);
    for (int column = 0; column < cut.columns; column++) {
        const rows_range vertices = tiles_at(cut, 0, column).i;
        const rows_range cells = tiles_cells(order, n, vertices);
        const rows_range taken = tiles_vertices(order, n, cells);
        assert_true(vertices.last - vertices.first <= CPU_TILE_I);
        assert_true(cells.last - cells.first <= CPU_TILE_PITCH);
        assert_true(taken.last - taken.first <= CPU_TILE_PITCH);
    }
}

static void tiles_cover_a_panel_and_have_room(void **state)
{
    (void)state;
    swe_view view = {.workers = {.threads = THREADS}};
    for (int n = 4; n <= LARGEST; n++) {
        view.layout.n = n;
        check_covers(&view);
        for (int order = 2; order <= 6; order += 2)
            if (n >= 2 * sbp_columns(order))
                check_room(&view, order);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles_cover_a_panel_and_have_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
