/* Topology: exactly the points that panels share geometrically are known as shared. */
#include "support/check.h"

#include "grid/geometry_point.h"
#include "grid/grid.h"

static void for_all_grids(void (*check)(const swe_grid *))
{
    static const int sizes[] = {4, 5, 7, 16, 33};
    swe_context ctx = {""};
    for (int k = 0; k < 5; k++) {
        swe_grid *grid = NULL;
        CHECK_OK(&ctx, swe_grid_create(&ctx, sizes[k], &swe_points_equispaced, 1.7, &grid));
        check(grid);
        swe_grid_destroy(&grid);
    }
}

/* Vertex (j, i) of point k of a side, independent of topology_side_at. */
static void place_of_side(int n, int side, int k, int *j, int *i)
{
    *i = side == SWE_WEST ? 0 : side == SWE_EAST ? n : k;
    *j = side == SWE_SOUTH ? 0 : side == SWE_NORTH ? n : k;
}

static void position_of_side(const swe_grid *grid, int panel, int side, int k, double r[3])
{
    int i = 0, j = 0;
    place_of_side(grid->layout.n, side, k, &j, &i);
    geometry_position(panel, grid->tan_vertex[i], grid->tan_vertex[j], r);
}

static void check_same_point(const double a[3], const double b[3])
{
    for (int m = 0; m < 3; m++)
        CHECK_CLOSE(a[m], b[m], 1e-15);
}

static void check_offsets(const swe_grid *grid)
{
    const int n = grid->layout.n;
    for (int side = 0; side < SWE_SIDES; side++)
        for (int k = 0; k <= n; k++) {
            int i = 0, j = 0;
            place_of_side(n, side, k, &j, &i);
            assert_int_equal(topology_side_at(&grid->layout, side, k),
                             swe_at(&grid->layout, 0, j, i));
        }
}

static void sides_match_their_names(void **state)
{
    (void)state;
    for_all_grids(check_offsets);
}

static void check_edge_positions(const swe_grid *grid)
{
    const int n = grid->layout.n;
    for (int e = 0; e < SWE_EDGES; e++) {
        const swe_edge edge = grid->topology.edges[e];
        for (int k = 0; k <= n; k++) {
            double a[3], b[3];
            position_of_side(grid, edge.panel_a, edge.side_a, k, a);
            position_of_side(grid, edge.panel_b, edge.side_b, edge.reversed ? n - k : k, b);
            check_same_point(a, b);
        }
    }
}

static void both_sides_of_an_edge_are_the_same_points(void **state)
{
    (void)state;
    for_all_grids(check_edge_positions);
}

static void corner_position(const swe_grid *grid, const swe_corner *corner, int copy, double r[3])
{
    const int n = grid->layout.n;
    geometry_position(corner->panel[copy], grid->tan_vertex[corner->high_i[copy] ? n : 0],
                      grid->tan_vertex[corner->high_j[copy] ? n : 0], r);
}

static void check_corner_positions(const swe_grid *grid)
{
    for (int c = 0; c < SWE_CORNERS; c++) {
        const swe_corner *corner = &grid->topology.corners[c];
        double first[3], other[3];
        corner_position(grid, corner, 0, first);
        for (int m = 0; m < 3; m++)
            CHECK_CLOSE(fabs(first[m]), sqrt(1.0 / 3.0), 1e-15);
        for (int copy = 1; copy < 3; copy++) {
            corner_position(grid, corner, copy, other);
            check_same_point(first, other);
            assert_int_not_equal(corner->panel[copy], corner->panel[copy - 1]);
        }
        assert_int_not_equal(corner->panel[0], corner->panel[2]);
    }
}

static void three_copies_of_a_corner_are_the_same_point(void **state)
{
    (void)state;
    for_all_grids(check_corner_positions);
}

/* J enters the weights of the projection, so the copies of a point must have the same bits.
 */
static void check_jacobians(const swe_grid *grid)
{
    const int n = grid->layout.n;
    const double *inverse = grid->inverse_jacobian;
    for (int e = 0; e < SWE_EDGES; e++) {
        const swe_edge edge = grid->topology.edges[e];
        for (int k = 0; k <= n; k++)
            CHECK_SAME_BITS(
                &inverse[topology_side_at(&grid->layout, edge.side_a, k)],
                &inverse[topology_side_at(&grid->layout, edge.side_b, edge.reversed ? n - k : k)],
                1);
    }
}

static void both_sides_of_an_edge_have_the_same_jacobian(void **state)
{
    (void)state;
    for_all_grids(check_jacobians);
}

enum { MOST = 40 };

/* Count each inner point of an edge, and each copy of a corner, once. */
static void count_copies(const swe_grid *grid, int count[SWE_PANELS][MOST][MOST])
{
    const int n = grid->layout.n;
    int i = 0, j = 0;
    for (int e = 0; e < SWE_EDGES; e++)
        for (int k = 1; k < n; k++) {
            const swe_edge edge = grid->topology.edges[e];
            place_of_side(n, edge.side_a, k, &j, &i);
            count[edge.panel_a][j][i]++;
            place_of_side(n, edge.side_b, edge.reversed ? n - k : k, &j, &i);
            count[edge.panel_b][j][i]++;
        }
    for (int c = 0; c < SWE_CORNERS; c++)
        for (int copy = 0; copy < 3; copy++) {
            const swe_corner *corner = &grid->topology.corners[c];
            count[corner->panel[copy]][corner->high_j[copy] ? n : 0]
                 [corner->high_i[copy] ? n : 0]++;
        }
}

static void check_cover(const swe_grid *grid)
{
    const int n = grid->layout.n;
    static int count[SWE_PANELS][MOST][MOST];
    memset(count, 0, sizeof count);
    count_copies(grid, count);
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++)
                assert_int_equal(count[panel][j][i], i == 0 || i == n || j == 0 || j == n);
}

static void every_boundary_vertex_is_shared_once_and_no_other(void **state)
{
    (void)state;
    for_all_grids(check_cover);
}

static void check_side(const swe_topology *topology, int panel, int side)
{
    const swe_side s = topology->sides[panel][side];
    assert_in_range(s.edge, 0, SWE_EDGES - 1);
    const swe_edge edge = topology->edges[(int)s.edge];
    assert_int_equal(s.is_b ? edge.panel_b : edge.panel_a, panel);
    assert_int_equal(s.is_b ? edge.side_b : edge.side_a, side);
    /* points of an edge count along side_a */
    assert_int_equal(s.reversed, s.is_b ? edge.reversed : 0);
}

static void sides_and_edges_agree(void **state)
{
    (void)state;
    swe_topology topology;
    swe_topology_create(&topology);
    int reversed = 0;
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int side = 0; side < SWE_SIDES; side++)
            check_side(&topology, panel, side);
    for (int e = 0; e < SWE_EDGES; e++) {
        assert_int_not_equal(topology.edges[e].panel_a, topology.edges[e].panel_b);
        reversed += topology.edges[e].reversed;
    }
    /* both kinds of edges occur; otherwise the tests above prove little */
    assert_in_range(reversed, 1, SWE_EDGES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_match_their_names),
        cmocka_unit_test(both_sides_of_an_edge_are_the_same_points),
        cmocka_unit_test(three_copies_of_a_corner_are_the_same_point),
        cmocka_unit_test(both_sides_of_an_edge_have_the_same_jacobian),
        cmocka_unit_test(every_boundary_vertex_is_shared_once_and_no_other),
        cmocka_unit_test(sides_and_edges_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
