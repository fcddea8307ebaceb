#include "diagnostics/errors.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "base/memory.h"
#include "diagnostics/areas.h"
#include "fields/fields.h"
#include "grid/geometry_point.h"
#include "operators/sbp_point.h"
#include "ranks/ranks.h"
#include "state/slabs.h"

/* ---- the norms ------------------------------------------------------------------------------- */

enum {
    SQUARES,
    ERROR1,
    ERROR2,
    EXACT1,
    EXACT2,
    ROW_SUMS,
    ERROR_MOST = ROW_SUMS,
    EXACT_MOST,
    ROW = SWE_ERROR_ROW
};

/* The larger magnitude; NaN if either is. */
static double larger(double found, double value)
{
    const double size = fabs(value);
    return size <= found || isnan(found) ? found : size;
}

void swe_errors_sum_row(int points, const double *areas, const double *error, const double *exact,
                        double out[SWE_ERROR_ROW])
{
    swe_sum sums[ROW_SUMS] = {{0.0, 0.0}};
    out[ERROR_MOST] = out[EXACT_MOST] = 0.0;
    for (int i = 0; i < points; i++) {
        const double e = error[i], x = exact[i], area = areas[i];
        swe_sum_add(&sums[SQUARES], e * e);
        swe_sum_add(&sums[ERROR1], area * fabs(e));
        swe_sum_add(&sums[ERROR2], area * (e * e));
        swe_sum_add(&sums[EXACT1], area * fabs(x));
        swe_sum_add(&sums[EXACT2], area * (x * x));
        out[ERROR_MOST] = larger(out[ERROR_MOST], e);
        out[EXACT_MOST] = larger(out[EXACT_MOST], x);
    }
    for (int k = 0; k < ROW_SUMS; k++)
        out[k] = swe_sum_total(sums[k]);
}

void swe_errors_add_row(const double row[SWE_ERROR_ROW], swe_error_sums *sums)
{
    swe_sum *const totals[ROW_SUMS] = {&sums->squares, &sums->error1, &sums->error2, &sums->exact1,
                                       &sums->exact2};
    for (int k = 0; k < ROW_SUMS; k++)
        swe_sum_add(totals[k], row[k]);
    sums->error_most = larger(sums->error_most, row[ERROR_MOST]);
    sums->exact_most = larger(sums->exact_most, row[EXACT_MOST]);
}

swe_errors swe_errors_of(const swe_error_sums *sums, int n)
{
    const double points = SWE_PANELS * (n + 1.0) * (n + 1.0);
    const double l2_abs = sqrt(swe_sum_total(sums->error2));
    return (swe_errors){.l1 = swe_sum_total(sums->error1) / swe_sum_total(sums->exact1),
                        .l2 = l2_abs / sqrt(swe_sum_total(sums->exact2)),
                        .linf = sums->error_most / sums->exact_most,
                        .l2_abs = l2_abs,
                        .linf_abs = sums->error_most,
                        .rms = sqrt(swe_sum_total(sums->squares) / points)};
}

swe_velocity_errors swe_velocity_errors_of(const swe_error_sums *sums)
{
    if (sums->exact_most == 0.0)
        return (swe_velocity_errors){NAN, NAN, NAN, sums->error_most};
    return (swe_velocity_errors){
        .l1 = swe_sum_total(sums->error1) / swe_sum_total(sums->exact1),
        .l2 = sqrt(swe_sum_total(sums->error2) / swe_sum_total(sums->exact2)),
        .linf = sums->error_most / sums->exact_most,
        .linf_abs = sums->error_most};
}

void swe_errors_length_row(const swe_comparison *comparison, int panel, int j, const double *d1,
                           const double *d2, double *length)
{
    const swe_grid *grid = comparison->grid;
    const swe_sbp *sbp = comparison->sbp;
    const int n = grid->layout.n, order = sbp->order;
    for (int i = 0; i <= n; i++) {
        const double c1 = sbp_pcv(order, SBP_ANYWHERE, sbp, n, i, d1 + i, 1);
        const double c2 = sbp_pcv(order, SBP_ANYWHERE, sbp, n, j, d2 + i, grid->layout.pitch);
        double u[3];
        geometry_velocity(grid->radius, panel, grid->tan_vertex[i], grid->tan_vertex[j], c1, c2, u);
        length[i] = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
}

/* ---- the reference of a case ----------------------------------------------------------------- */

enum {
    LINES = 3,           /* of a thread: areas, errors and exact values of a row */
    MARGIN = SBP_COLUMNS /* rows before and after a row that its lengths may depend on */
};

/* A comparison at work on this rank's own rows. */
typedef struct measurement {
    const swe_comparison *c;
    double t;
    swe_range own;
    double *heights, *velocities; /* sums of the own rows */
    double *all;                  /* the root: of all rows */
    double *lines;                /* LINES of each thread */
    double *d1, *d2;              /* v1 and v2 minus the reference, rows of a panel */
} measurement;

static swe_status make_room(swe_context *ctx, measurement *m)
{
    const swe_layout *layout = &m->c->grid->layout;
    const size_t pitch = (size_t)layout->pitch, own = (size_t)(m->own.last - m->own.first) * ROW;
    const size_t of_lines = (size_t)m->c->threads * LINES * pitch;
    const size_t of_all =
        swe_ranks_is_root() ? (size_t)SWE_PANELS * (size_t)(layout->n + 1) * ROW : 0;
    const int count = m->own.last - m->own.first + 2 * MARGIN; /* rows of a part, at most a panel */
    const size_t rows = (size_t)(count < layout->n + 1 ? count : layout->n + 1);
    const size_t of_velocity = m->c->has_velocity ? rows * pitch : 0;
    SWE_TRY(swe_memory_doubles(ctx, 2 * own + of_all + of_lines + 2 * of_velocity, &m->heights));
    m->velocities = m->heights + own;
    m->all = m->velocities + own;
    m->lines = m->all + of_all;
    m->d1 = m->lines + of_lines;
    m->d2 = m->d1 + of_velocity;
    return SWE_OK;
}

/* The sums of row j of a panel. */
static double *sums_of_row(const measurement *m, double *sums, int panel, int j)
{
    return sums + (panel * (m->c->grid->layout.n + 1) + j - m->own.first) * (ptrdiff_t)ROW;
}

/* A line of this thread. */
static double *line(const measurement *m, int k)
{
    return m->lines + (omp_get_thread_num() * LINES + k) * m->c->grid->layout.pitch;
}

static void sum_heights_of_row(const measurement *m, int panel, int j, const double *h)
{
    const swe_comparison *c = m->c;
    const int side = c->grid->layout.n + 1;
    double *areas = line(m, 0), *error = line(m, 1), *exact = line(m, 2);
    swe_areas_row(c->grid, c->sbp, j, areas);
    swe_case_height_row(c->test_case, c->grid, m->t, panel, j, exact);
    for (int i = 0; i < side; i++)
        error[i] = h[i] - exact[i];
    swe_errors_sum_row(side, areas, error, exact, sums_of_row(m, m->heights, panel, j));
}

static swe_status sum_heights(swe_context *ctx, const measurement *m, const swe_host_fields *state)
{
    swe_slab h;
    SWE_TRY(swe_slab_create(ctx, state, (swe_margin){0, 0}, &h));
    swe_slab_get(state, SWE_FIELD_H, &h);
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const swe_range rows = swe_slab_rows_of_panel(h.n, m->own, panel);
#pragma omp parallel for schedule(static) num_threads(m->c->threads)
        for (int j = rows.first; j < rows.last; j++)
            sum_heights_of_row(m, panel, j, swe_slab_row(&h, panel, j));
    }
    swe_slab_release(&h);
    return SWE_OK;
}

/* out = v - out. */
static void subtract(int count, const double *v, double *out)
{
    for (int i = 0; i < count; i++)
        out[i] = v[i] - out[i];
}

static void sum_velocities_of_row(const measurement *m, int panel, int j, const double *d1,
                                  const double *d2)
{
    const swe_comparison *c = m->c;
    double *areas = line(m, 0), *error = line(m, 1), *exact = line(m, 2);
    swe_areas_row(c->grid, c->sbp, j, areas);
    swe_case_speed_row(c->test_case, c->grid, m->t, panel, j, exact);
    swe_errors_length_row(c, panel, j, d1, d2, error);
    swe_errors_sum_row(c->grid->layout.n + 1, areas, error, exact,
                       sums_of_row(m, m->velocities, panel, j));
}

/* Rows of a panel: compute first the differences, for v2 also in the neighbouring rows, then the
 * sums. */
static void sum_velocities_of_panel(const measurement *m, int panel, swe_range rows,
                                    const swe_slab *v1, const swe_slab *v2)
{
    const swe_comparison *c = m->c;
    const int n = c->grid->layout.n;
    const ptrdiff_t pitch = c->grid->layout.pitch;
    const int first = rows.first > MARGIN ? rows.first - MARGIN : 0;
    const int last = rows.last + MARGIN < n ? rows.last + MARGIN : n; /* of v2 */
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int j = first; j < last; j++) {
        double *d2 = m->d2 + (j - first) * pitch;
        swe_case_v2_row(c->test_case, c->grid, m->t, panel, j, d2);
        subtract(n + 1, swe_slab_row(v2, panel, j), d2);
    }
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int j = rows.first; j < rows.last; j++) {
        double *d1 = m->d1 + (j - first) * pitch;
        swe_case_v1_row(c->test_case, c->grid, m->t, panel, j, d1);
        subtract(n, swe_slab_row(v1, panel, j), d1);
        sum_velocities_of_row(m, panel, j, d1, m->d2 + (j - first) * pitch);
    }
}

static swe_status sum_velocities(swe_context *ctx, const measurement *m,
                                 const swe_host_fields *state)
{
    swe_slab v1, v2 = {.room = NULL};
    SWE_TRY(swe_slab_create(ctx, state, (swe_margin){0, 0}, &v1));
    const swe_status status = swe_slab_create(ctx, state, (swe_margin){MARGIN, MARGIN}, &v2);
    if (status == SWE_OK) {
        swe_slab_get(state, SWE_FIELD_V1, &v1);
        swe_slab_get(state, SWE_FIELD_V2, &v2);
    }
    for (int panel = 0; panel < SWE_PANELS && status == SWE_OK; panel++) {
        const swe_range rows = swe_slab_rows_of_panel(v1.n, m->own, panel);
        if (rows.first < rows.last)
            sum_velocities_of_panel(m, panel, rows, &v1, &v2);
    }
    swe_slab_release(&v2);
    swe_slab_release(&v1);
    return status;
}

/* The root adds the sums of all rows in their order. */
static swe_error_sums add_rows(const measurement *m, const double *own)
{
    const int n = m->c->grid->layout.n;
    swe_error_sums sums = {.error_most = 0.0};
    swe_slab_gather(n, ROW, own, m->all);
    for (int row = 0; row < SWE_PANELS * (n + 1) && swe_ranks_is_root(); row++)
        swe_errors_add_row(m->all + (ptrdiff_t)row * ROW, &sums);
    return sums;
}

swe_status swe_comparison_measure(swe_context *ctx, const swe_comparison *comparison, double t,
                                  const swe_host_fields *state, swe_errors *errors,
                                  swe_velocity_errors *velocity)
{
    const int n = comparison->grid->layout.n;
    measurement m = {.c = comparison, .t = t, .own = swe_slab_rows(n, swe_ranks_rank())};
    *velocity = (swe_velocity_errors){NAN, NAN, NAN, NAN};
    swe_status status = swe_ranks_agree(ctx, make_room(ctx, &m));
    if (status == SWE_OK)
        status = sum_heights(ctx, &m, state);
    if (status == SWE_OK) {
        const swe_error_sums sums = add_rows(&m, m.heights);
        *errors = swe_errors_of(&sums, n);
    }
    if (status == SWE_OK && comparison->has_velocity)
        status = sum_velocities(ctx, &m, state);
    if (status == SWE_OK && comparison->has_velocity) {
        const swe_error_sums sums = add_rows(&m, m.velocities);
        *velocity = swe_velocity_errors_of(&sums);
    }
    free(m.heights);
    return status;
}
