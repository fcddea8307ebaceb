/* Properties of the one-dimensional operators, as dense matrices obtained by applying them to unit
 * vectors. */
#include "support/check.h"

#include <stdbool.h>

#include "operators/sbp_point.h"
#include "support/random.h"

enum { MOST = 40 }; /* points of a line */

/* A matrix (rows, columns). */
typedef struct dense {
    int rows, columns;
    double at[MOST][MOST];
} dense;

typedef struct operators {
    const swe_sbp *sbp;
    const swe_points *points;
    int order, degree; /* degree: p, exactness at the boundary */
    int n;
    swe_closure closure;
    dense dcv, dvc, pcv, pvc, weak, spread, low, high; /* low, high: extrapolation, one row each */
    double hv[MOST], hc[MOST];
} operators;

typedef enum operation { DCV, DVC, PCV, PVC, WEAK, SPREAD, LOW, HIGH } operation;

/* One value of an operator; `order` and `where` are constants of the caller. */
SWE_POINT double apply_of_order(int order, int degree, sbp_region where, operation what,
                                const swe_sbp *sbp, int n, int row, const double *f)
{
    switch (what) {
    case DCV:
        return sbp_dcv(order, where, sbp, n, row, f + row, 1);
    case DVC:
        return sbp_dvc(order, where, sbp, n, row, f + row, 1);
    case PCV:
        return sbp_pcv(order, where, sbp, n, row, f + row, 1);
    case PVC:
        return sbp_pvc(order, where, sbp, n, row, f + row, 1);
    case WEAK:
        return sbp_weak(order, where, sbp, n, row, f + row, 1);
    case SPREAD:
        return sbp_spread(order, degree, where, sbp, n, row, f + row, 1);
    case LOW:
        return sbp_edge_low(order, sbp, f, 1);
    default:
        return sbp_edge_high(order, sbp, n, f, 1);
    }
}

static double apply(operation what, const operators *o, int row, const double *f)
{
    double value = 0.0;
    SBP_WITH_DEGREE(
        o->sbp, value = apply_of_order(ORDER, DEGREE, SBP_ANYWHERE, what, o->sbp, o->n, row, f));
    return value;
}

static double apply_interior(operation what, const operators *o, int row, const double *f)
{
    double value = 0.0;
    SBP_WITH_DEGREE(
        o->sbp, value = apply_of_order(ORDER, DEGREE, SBP_INTERIOR, what, o->sbp, o->n, row, f));
    return value;
}

/* Whether there is a row, and a column, for each vertex; else for each cell. */
static int is_at_vertices(operation what)
{
    return what == DCV || what == PCV || what == WEAK || what == SPREAD;
}

static int is_from_vertices(operation what)
{
    return what == DVC || what == PVC || what == SPREAD;
}

/* Points at each end whose rows are not the interior stencil. */
static int closure_rows(operation what, const operators *o)
{
    if (what == SPREAD)
        return sbp_spread_rows(o->order, o->sbp->degree);
    return is_at_vertices(what) ? sbp_closed_vertices(o->order, o->sbp)
                                : sbp_closed_cells(o->order, o->sbp);
}

/* The dissipation needs more cells than the other operators. */
static bool has_room(operation what, const operators *o)
{
    return what != SPREAD || o->n >= o->sbp->smallest_spread_n;
}

static void find_matrix(operation what, const operators *o, int rows, int columns, dense *out)
{
    out->rows = rows;
    out->columns = columns;
    for (int c = 0; c < columns && has_room(what, o); c++) {
        double unit[MOST] = {0.0};
        unit[c] = 1.0;
        for (int r = 0; r < rows; r++)
            out->at[r][c] = apply(what, o, r, unit);
    }
}

static void find_operators(int order, swe_closure closure, int n, operators *o)
{
    swe_context ctx = {""};
    o->order = order;
    o->degree = order / 2;
    o->n = n;
    o->closure = closure;
    o->points = swe_sbp_points(order, closure);
    CHECK_OK(&ctx, swe_sbp_find(&ctx, order, closure, n, &o->sbp));
    find_matrix(DCV, o, n + 1, n, &o->dcv);
    find_matrix(DVC, o, n, n + 1, &o->dvc);
    find_matrix(PCV, o, n + 1, n, &o->pcv);
    find_matrix(PVC, o, n, n + 1, &o->pvc);
    find_matrix(WEAK, o, n + 1, n, &o->weak);
    find_matrix(SPREAD, o, n + 1, n + 1, &o->spread);
    find_matrix(LOW, o, 1, n, &o->low);
    find_matrix(HIGH, o, 1, n, &o->high);
    for (int v = 0; v <= n; v++)
        o->hv[v] = swe_sbp_vertex_norm(o->sbp, n, v);
    for (int c = 0; c < n; c++)
        o->hc[c] = swe_sbp_cell_norm(o->sbp, n, c);
}

static int smallest_n(int order, swe_closure closure)
{
    swe_context ctx = {""};
    const swe_sbp *sbp = NULL;
    CHECK_OK(&ctx, swe_sbp_find(&ctx, order, closure, 1000, &sbp));
    return sbp->smallest_n;
}

/* Every closure on short, even, odd and long lines. */
static void for_all_operators(void (*check)(const operators *))
{
    static const struct {
        int order;
        swe_closure closure;
    } closures[] = {{2, SWE_CLOSURE_MOVED},      {4, SWE_CLOSURE_MOVED},
                    {6, SWE_CLOSURE_MOVED},      {4, SWE_CLOSURE_EQUISPACED},
                    {6, SWE_CLOSURE_EQUISPACED}, {4, SWE_CLOSURE_PUBLISHED}};
    static operators o;
    for (int k = 0; k < 6; k++) {
        const int smallest = smallest_n(closures[k].order, closures[k].closure);
        const int sizes[] = {smallest, smallest + 1, 16, 24, 37};
        for (int s = 0; s < 5; s++) {
            find_operators(closures[k].order, closures[k].closure, sizes[s], &o);
            check(&o);
        }
    }
}

static void check_summation_by_parts(const operators *o)
{
    for (int v = 0; v <= o->n; v++)
        for (int c = 0; c < o->n; c++) {
            const double boundary = v == 0 ? -o->low.at[0][c] : v == o->n ? o->high.at[0][c] : 0.0;
            CHECK_CLOSE(o->hv[v] * o->dcv.at[v][c] + o->hc[c] * o->dvc.at[c][v], boundary, 1e-13);
        }
}

static void derivatives_sum_by_parts(void **state)
{
    (void)state;
    for_all_operators(check_summation_by_parts);
}

static void check_weak_derivative(const operators *o)
{
    for (int v = 0; v <= o->n; v++)
        for (int c = 0; c < o->n; c++)
            CHECK_CLOSE(o->weak.at[v][c], -o->hc[c] * o->dvc.at[c][v] / o->hv[v], 1e-13);
}

static void weak_derivative_is_the_negative_adjoint_of_the_other(void **state)
{
    (void)state;
    for_all_operators(check_weak_derivative);
}

static void check_adjoint(const operators *o)
{
    for (int v = 0; v <= o->n; v++)
        for (int c = 0; c < o->n; c++)
            CHECK_CLOSE(o->hc[c] * o->pvc.at[c][v], o->hv[v] * o->pcv.at[v][c], 1e-13);
}

static void interpolations_are_adjoint(void **state)
{
    (void)state;
    for_all_operators(check_adjoint);
}

/* Coordinates from the low end, inner spacing 1. */

static double length(const operators *o)
{
    return swe_points_length(o->points, o->n);
}

static double vertex_at(const operators *o, int v)
{
    return 2 * v <= o->n ? swe_points_vertex(o->points, v)
                         : length(o) - swe_points_vertex(o->points, o->n - v);
}

static double cell_at(const operators *o, int c)
{
    return 2 * c < o->n ? swe_points_cell(o->points, c)
                        : length(o) - swe_points_cell(o->points, o->n - 1 - c);
}

/* The p-th divided differences of a line of n + 1 values times p!; a row whose weights have a
 * larger sum of squares than the binomials is scaled to theirs. */
static int find_differences(int p, const operators *o, dense *out)
{
    memset(out, 0, sizeof *out);
    for (int row = 0; row <= o->n - p; row++) {
        double squares = 0.0, most = 0.0, binomial = 1.0;
        for (int k = 0; k <= p; k++) {
            double weight = tgamma(p + 1.0);
            for (int m = 0; m <= p; m++)
                if (m != k)
                    weight /= vertex_at(o, row + k) - vertex_at(o, row + m);
            out->at[row][row + k] = weight;
            squares += weight * weight;
            most += binomial * binomial;
            binomial *= (double)(p - k) / (k + 1);
        }
        for (int k = 0; k <= p; k++)
            out->at[row][row + k] *= fmin(1.0, sqrt(most / squares));
    }
    return o->n + 1 - p;
}

/* Hence spread dissipates energy: a sum of squares of differences. */
static void check_spread(const operators *o)
{
    static dense d;
    const int p = o->sbp->degree, rows = find_differences(p, o, &d);
    if (!has_room(SPREAD, o))
        return;
    for (int v = 0; v <= o->n; v++)
        for (int w = 0; w <= o->n; w++) {
            double squares = 0.0;
            for (int row = 0; row < rows; row++)
                squares += d.at[row][v] * d.at[row][w];
            CHECK_CLOSE(o->hv[v] * o->spread.at[v][w], squares / (1 << 2 * p), 1e-13);
        }
}

static void spread_is_a_sum_of_squares_of_differences(void **state)
{
    (void)state;
    for_all_operators(check_spread);
}

static void check_norms(const operators *o)
{
    double vertices = 0.0, cells = 0.0;
    for (int v = 0; v <= o->n; v++) {
        CHECK_WITHIN(o->hv[v], 0.1, 2.0);
        vertices += o->hv[v];
    }
    for (int c = 0; c < o->n; c++) {
        CHECK_WITHIN(o->hc[c], 0.1, 2.0);
        cells += o->hc[c];
    }
    CHECK_CLOSE(vertices, length(o), 1e-13 * o->n);
    CHECK_CLOSE(cells, length(o), 1e-13 * o->n);
}

static void norms_are_positive_and_measure_the_line(void **state)
{
    (void)state;
    for_all_operators(check_norms);
}

/* Coordinates range from -1 to 1: powers of large ones would hide errors in rounding. */
static double coordinate(const operators *o, bool is_vertex, int index)
{
    return 2.0 * (is_vertex ? vertex_at(o, index) : cell_at(o, index)) / length(o) - 1.0;
}

static double power(double x, int exponent)
{
    double value = 1.0;
    for (int k = 0; k < exponent; k++)
        value *= x;
    return value;
}

/* Error of a row for x^exponent: of the derivative or of the value at its point. */
static double row_error(operation what, const operators *o, const dense *matrix, int row,
                        int exponent)
{
    const int from_cells = what != DVC && what != PVC;
    const int is_derivative = what == DCV || what == DVC;
    double sum = 0.0;
    for (int c = 0; c < matrix->columns; c++)
        sum += matrix->at[row][c] * power(coordinate(o, !from_cells, c), exponent);
    const double x = what == LOW    ? -1.0
                     : what == HIGH ? 1.0
                                    : coordinate(o, matrix->rows != o->n, row);
    const double step = 2.0 / length(o);
    const double slope = exponent == 0 ? 0.0 : step * exponent * power(x, exponent - 1);
    return sum - (is_derivative ? slope : power(x, exponent));
}

static void check_degree(operation what, const operators *o, const dense *matrix, int degree,
                         int edge_vorticity)
{
    for (int exponent = 0; exponent <= degree; exponent++)
        for (int row = edge_vorticity; row < matrix->rows - edge_vorticity; row++)
            CHECK_CLOSE(row_error(what, o, matrix, row, exponent), 0.0, 2e-14);
}

static void check_exactness(const operators *o)
{
    const int p = o->degree;
    check_degree(DCV, o, &o->dcv, p, 0);
    check_degree(DVC, o, &o->dvc, p, 0);
    check_degree(LOW, o, &o->low, p, 0);
    check_degree(HIGH, o, &o->high, p, 0);
    check_degree(PCV, o, &o->pcv, p - 1, 0);
    check_degree(PVC, o, &o->pvc, p - 1, 0);
}

static void boundary_rows_are_exact_to_their_degree(void **state)
{
    (void)state;
    for_all_operators(check_exactness);
}

static void check_interior_exactness(const operators *o)
{
    check_degree(DCV, o, &o->dcv, o->order, closure_rows(DCV, o));
    check_degree(DVC, o, &o->dvc, o->order, closure_rows(DVC, o));
    check_degree(PCV, o, &o->pcv, o->order - 1, closure_rows(PCV, o));
    check_degree(PVC, o, &o->pvc, o->order - 1, closure_rows(PVC, o));
}

static void interior_rows_are_exact_to_the_full_order(void **state)
{
    (void)state;
    for_all_operators(check_interior_exactness);
}

/* Largest eigenvalue of a symmetric matrix by Jacobi rotations, which overwrite it. */
static double largest_eigenvalue(dense *a)
{
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < a->rows; p++)
            for (int q = p + 1; q < a->rows; q++) {
                if (a->at[p][q] == 0.0)
                    continue;
                const double ratio = (a->at[q][q] - a->at[p][p]) / (2.0 * a->at[p][q]);
                const double t = copysign(1.0, ratio) / (fabs(ratio) + hypot(1.0, ratio));
                const double c = 1.0 / hypot(1.0, t), s = t * c;
                for (int k = 0; k < a->rows; k++) {
                    const double kp = a->at[k][p], kq = a->at[k][q];
                    a->at[k][p] = c * kp - s * kq;
                    a->at[k][q] = s * kp + c * kq;
                }
                for (int k = 0; k < a->rows; k++) {
                    const double pk = a->at[p][k], qk = a->at[q][k];
                    a->at[p][k] = c * pk - s * qk;
                    a->at[q][k] = s * pk + c * qk;
                }
            }
    double largest = a->at[0][0];
    for (int k = 1; k < a->rows; k++)
        largest = fmax(largest, a->at[k][k]);
    return largest;
}

/* ||Pvc||, from the norm Hv to the norm Hc. */
static double interpolation_norm(const operators *o)
{
    static dense gram;
    gram.rows = gram.columns = o->n + 1;
    for (int a = 0; a <= o->n; a++)
        for (int b = 0; b <= o->n; b++) {
            double sum = 0.0;
            for (int c = 0; c < o->n; c++)
                sum += o->hc[c] * o->pvc.at[c][a] * o->pvc.at[c][b];
            gram.at[a][b] = sum / sqrt(o->hv[a] * o->hv[b]);
        }
    return sqrt(largest_eigenvalue(&gram));
}

static void check_interpolation_norm(const operators *o)
{
    if (o->closure == SWE_CLOSURE_PUBLISHED)
        CHECK_WITHIN(interpolation_norm(o), 1.05, 1.5);
    else /* a constant keeps its norm, so 1 is the least possible */
        CHECK_CLOSE(interpolation_norm(o), 1.0, 1e-13);
}

static void interpolation_has_norm_one_and_the_published_does_not(void **state)
{
    (void)state;
    for_all_operators(check_interpolation_norm);
}

static void check_interior_region(const operators *o)
{
    random_source random = {(uint64_t)(o->order * 100 + o->n)};
    double line[MOST];
    random_fill(&random, MOST, line);
    for (operation what = DCV; what <= SPREAD; what++) {
        const int rows = !has_room(what, o) ? 0 : is_at_vertices(what) ? o->n + 1 : o->n;
        const int edge_vorticity = closure_rows(what, o);
        for (int row = edge_vorticity; row < rows - edge_vorticity; row++) {
            const double anywhere = apply(what, o, row, line);
            const double interior = apply_interior(what, o, row, line);
            CHECK_SAME_BITS(&interior, &anywhere, 1);
        }
    }
}

static void interior_region_gives_the_same_bits(void **state)
{
    (void)state;
    for_all_operators(check_interior_region);
}

static void check_mirror(const operators *o)
{
    random_source random = {(uint64_t)(o->order * 1000 + o->n)};
    double line[MOST], mirror[MOST];
    random_fill(&random, MOST, line);
    for (operation what = DCV; what <= HIGH; what++) {
        const int is_derivative = what == DCV || what == DVC || what == WEAK;
        const int columns = is_from_vertices(what) ? o->n + 1 : o->n;
        const int rows = !has_room(what, o)            ? 0
                         : what == LOW || what == HIGH ? 1
                                                       : o->n + is_at_vertices(what);
        const operation mirrored = what == LOW ? HIGH : what == HIGH ? LOW : what;
        for (int c = 0; c < columns; c++)
            mirror[c] = line[columns - 1 - c];
        for (int row = 0; row < rows; row++) {
            const double value = apply(what, o, row, line);
            const double other = apply(mirrored, o, rows - 1 - row, mirror);
            assert_true(value == (is_derivative ? -other : other));
        }
    }
}

static void mirroring_a_line_changes_no_bit_but_the_sign(void **state)
{
    (void)state;
    for_all_operators(check_mirror);
}

static void check_refused(int order, swe_closure closure, int n, const char *expected)
{
    swe_context ctx = {""};
    const swe_sbp *sbp = NULL;
    assert_int_equal(swe_sbp_find(&ctx, order, closure, n, &sbp), SWE_CONFIG);
    assert_non_null(strstr(ctx.message, expected));
}

static void unknown_operators_are_refused_with_a_message(void **state)
{
    (void)state;
    check_refused(2, SWE_CLOSURE_MOVED, 3, "n = 3");
    check_refused(4, SWE_CLOSURE_MOVED, 8, "needs n >= 9 (closure moved; equispaced: 7)");
    check_refused(6, SWE_CLOSURE_MOVED, 12, "needs n >= 13 (closure moved; equispaced: 11)");
    check_refused(4, SWE_CLOSURE_EQUISPACED, 6, "n = 6");
    check_refused(6, SWE_CLOSURE_EQUISPACED, 10, "n = 10");
    check_refused(4, SWE_CLOSURE_PUBLISHED, 6, "n = 6");
    check_refused(3, SWE_CLOSURE_MOVED, 24, "order 3");
    check_refused(2, SWE_CLOSURE_PUBLISHED, 24, "order 4 only");
    check_refused(6, SWE_CLOSURE_PUBLISHED, 24, "order 4 only");
}

static void dissipation_is_refused_where_it_has_no_room(void **state)
{
    (void)state;
    static const int least[] = {4, 13, 15};
    for (int order = 2; order <= 6; order += 2) {
        swe_context ctx = {""};
        const int n = least[order / 2 - 1];
        CHECK_OK(&ctx, swe_sbp_check_spread(&ctx, order, SWE_CLOSURE_MOVED, n));
        assert_int_equal(swe_sbp_check_spread(&ctx, order, SWE_CLOSURE_MOVED, n - 1), SWE_CONFIG);
        assert_non_null(strstr(ctx.message, order == 2 ? "n = 3" : "dissipation"));
        CHECK_OK(&ctx, swe_sbp_check_spread(&ctx, order, SWE_CLOSURE_EQUISPACED, 11));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_sum_by_parts),
        cmocka_unit_test(weak_derivative_is_the_negative_adjoint_of_the_other),
        cmocka_unit_test(interpolations_are_adjoint),
        cmocka_unit_test(spread_is_a_sum_of_squares_of_differences),
        cmocka_unit_test(norms_are_positive_and_measure_the_line),
        cmocka_unit_test(boundary_rows_are_exact_to_their_degree),
        cmocka_unit_test(interior_rows_are_exact_to_the_full_order),
        cmocka_unit_test(interpolation_has_norm_one_and_the_published_does_not),
        cmocka_unit_test(interior_region_gives_the_same_bits),
        cmocka_unit_test(mirroring_a_line_changes_no_bit_but_the_sign),
        cmocka_unit_test(dissipation_is_refused_where_it_has_no_room),
        cmocka_unit_test(unknown_operators_are_refused_with_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
