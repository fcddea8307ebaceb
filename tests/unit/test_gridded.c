/* Values of a file on its own grid are interpolated piece by piece. One piece gives each point,
 * with the same bits as the whole file. (Accuracy: tests/cli/test_input.py.) */
#include "support/check.h"

#include "base/memory.h"
#include "files/input/gridded.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 9, NLAT = 13, NLON = 21, FIELDS = 3 };

/* Three fields of random values, and the grid of the run with two lists of its fields h, v1, v2. */
typedef struct bench {
    swe_gridded whole;
    double *values, *lat, *found, *expected;
    swe_grid *grid;
} bench;

/* With unevenly spaced vertices. */
static swe_gridded_points cubed_sphere(int n, double *place)
{
    for (int v = 0; v <= n; v++)
        place[v] = v + 0.2 * sin(3.14159265358979323846 * 2 * v / n);
    place[n] = n;
    return (swe_gridded_points){.n = n, .place = place};
}

/* Without a point at the south pole, with one at the north pole. */
static swe_gridded_points regular(double *lat)
{
    for (int j = 0; j < NLAT; j++)
        lat[j] = -85.0 + 175.0 * j / (NLAT - 1);
    return (swe_gridded_points){
        .regular = {
            .nlat = NLAT, .nlon = NLON, .file_nlon = NLON, .lat = lat, .has_north_pole = true}};
}

static void make_bench(bench *t, swe_gridded_points points)
{
    swe_context ctx = {""};
    random_source random = {7};
    t->whole = (swe_gridded){points, {0, swe_gridded_rows(&points)}, FIELDS, {NULL}};
    const size_t size = swe_gridded_size(&t->whole);
    assert_int_equal(size, swe_gridded_rows(&points) * swe_gridded_pitch(&points));
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, FIELDS * size, &t->values));
    random_fill(&random, (int)(FIELDS * size), t->values);
    for (int m = 0; m < FIELDS; m++)
        t->whole.values[m] = t->values + (size_t)m * size;
    CHECK_OK(&ctx, swe_grid_create_lines(&ctx, N, &swe_points_equispaced, 2.0, &t->grid));
    const size_t all = FIELDS * (size_t)t->grid->layout.field;
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, all, &t->found));
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, all, &t->expected));
}

static void free_bench(bench *t)
{
    free(t->values);
    free(t->found);
    free(t->expected);
    swe_grid_destroy(&t->grid);
}

/* h of the first field, v1 and v2 of all three. */
static void interpolate(const bench *t, const swe_gridded *piece, double *out)
{
    const swe_layout *layout = &t->grid->layout;
    swe_gridded scalar = *piece;
    scalar.count = 1;
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= N; j++) {
            double *row = out + swe_at(layout, panel, j, 0);
            swe_gridded_scalar_row(&scalar, t->grid, panel, j, row);
            swe_gridded_v1_row(piece, t->grid, panel, j, row + layout->field);
            if (j < N)
                swe_gridded_v2_row(piece, t->grid, panel, j, row + 2 * layout->field);
        }
}

/* A copy of a piece has no values before or behind its own values, so the address sanitizer reports
 * reads of other values. */
static void interpolate_copy(const bench *t, swe_range rows)
{
    swe_context ctx = {""};
    swe_gridded piece = swe_gridded_piece(&t->whole, rows);
    const size_t size = swe_gridded_size(&piece);
    double *copies[FIELDS];
    for (int m = 0; m < FIELDS; m++) {
        CHECK_OK(&ctx, swe_memory_doubles(&ctx, size, &copies[m]));
        memcpy(copies[m], piece.values[m], size * sizeof(double));
        piece.values[m] = copies[m];
    }
    interpolate(t, &piece, t->found);
    for (int m = 0; m < FIELDS; m++)
        free(copies[m]);
}

static void check_pieces(swe_gridded_points points)
{
    static const int lengths[] = {1, 4, 7, 100};
    bench t;
    make_bench(&t, points);
    const ptrdiff_t all = FIELDS * t.grid->layout.field;
    const int rows = swe_gridded_rows(&points);
    interpolate(&t, &t.whole, t.expected);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        memset(t.found, 0, (size_t)all * sizeof(double));
        for (int first = 0; first < rows; first += lengths[k])
            interpolate_copy(&t, (swe_range){first, (int)fmin(first + lengths[k], rows)});
        CHECK_SAME_BITS(t.found, t.expected, all);
    }
    free_bench(&t);
}

static void pieces_of_a_cubed_sphere(void **state)
{
    (void)state;
    double place[N + 1];
    check_pieces(cubed_sphere(4, place)); /* its stencils have five points */
    check_pieces(cubed_sphere(7, place));
    check_pieces(cubed_sphere(N, place)); /* a vertex may have a stencil in another panel */
}

static void pieces_of_a_regular_grid(void **state)
{
    (void)state;
    double lat[NLAT];
    check_pieces(regular(lat));
}

/* A piece of some rows does not change the points of other pieces. */
static void each_point_has_one_piece(void **state)
{
    (void)state;
    double place[2 * N + 1];
    bench t;
    make_bench(&t, cubed_sphere(7, place));
    const ptrdiff_t all = FIELDS * t.grid->layout.field;
    const int rows = swe_gridded_rows(&t.whole.points);
    interpolate(&t, &t.whole, t.expected);
    int *pieces = calloc((size_t)all, sizeof *pieces);
    assert_non_null(pieces);
    for (int first = 0; first < rows; first++) {
        memset(t.found, 0, (size_t)all * sizeof(double));
        interpolate_copy(&t, (swe_range){first, first + 1});
        for (ptrdiff_t at = 0; at < all; at++)
            pieces[at] += t.found[at] != 0.0;
    }
    for (ptrdiff_t at = 0; at < all; at++)
        assert_int_equal(pieces[at], t.expected[at] != 0.0);
    free(pieces);
    free_bench(&t);
}

/* A row of the grid of the run returns where its stencils begin, for every piece. */
static void rows_tell_their_stencils(void **state)
{
    (void)state;
    double place[2 * N + 1];
    bench t;
    make_bench(&t, cubed_sphere(2 * N, place));
    swe_gridded scalar = t.whole;
    scalar.count = 1;
    double row[N + 1];
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= N; j++) {
            const swe_range seen = swe_gridded_scalar_row(&scalar, t.grid, panel, j, row);
            for (int first = 0; first < swe_gridded_rows(&scalar.points); first++) {
                const swe_gridded piece = swe_gridded_piece(&scalar, (swe_range){first, first + 1});
                double found[N + 1] = {0.0};
                const swe_range again = swe_gridded_scalar_row(&piece, t.grid, panel, j, found);
                assert_memory_equal(&again, &seen, sizeof seen);
                for (int i = 0; i <= N; i++)
                    assert_true(found[i] == 0.0 || (first >= seen.first && first < seen.last));
            }
        }
    free_bench(&t);
}

static void a_value_that_is_not_finite_has_a_place(void **state)
{
    (void)state;
    swe_context ctx = {""};
    const double row[] = {1.0, -1e308, INFINITY};
    CHECK_OK(&ctx, swe_gridded_check_row(&ctx, "a.nc: 'h' is", 5, 7, 2, row));
    assert_int_equal(swe_gridded_check_row(&ctx, "a.nc: 'h' is", 5, 7, 3, row), SWE_DATA);
    assert_string_equal(ctx.message, "a.nc: 'h' is not finite at panel 5, j 7, i 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_a_cubed_sphere), cmocka_unit_test(pieces_of_a_regular_grid),
        cmocka_unit_test(each_point_has_one_piece), cmocka_unit_test(rows_tell_their_stencils),
        cmocka_unit_test(a_value_that_is_not_finite_has_a_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
