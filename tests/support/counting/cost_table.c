/* The table of static costs: the counts of the stages, as polynomials in n.
 *
 *     cost_table               print solver/stages/cost_table.inc
 *     cost_table --check FILE  compare the file with what is counted; exit status 1: they differ
 *
 * Every stage is counted at some n of each order. Operations are fitted from the smallest n on,
 * while one tile holds a panel: values between two tiles are computed for both tiles, but count
 * once. Accesses are fitted from the n on at which no column is in two closures; for smaller n the
 * table has separate rows where the accesses differ. A fit that does not hold at the other n ends
 * the program.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operators/sbp_point.h"
#include "stages/kernels.h"
#include "support/counting/counted_step.h"
#include "time/plan.h"

enum { MOST_ROWS = 16384, MOST_POINTS = 8, DEGREES = 3, TILE_CELLS = 15 };
enum { KINDS = COUNTED_OPERATIONS + 2 }; /* operations, read, written */
enum { GPU, CPU, BACKENDS };
enum { LEAPFROG = SWE_FLOWS, FLOWS_AND_LEAPFROG };

static const char *const kind_names[] = {"ADDITIONS",
                                         "MULTIPLICATIONS",
                                         "DIVISIONS",
                                         "ROOTS",
                                         "REPEATED_ADDITIONS",
                                         "REPEATED_MULTIPLICATIONS",
                                         "REPEATED_DIVISIONS",
                                         "REPEATED_ROOTS",
                                         "READ",
                                         "WRITTEN"};

/* Where a row applies, a bit for each possibility: flows, orders, backends, pipelines. */
enum { DIMENSIONS = 4 };
static const struct {
    int count;
    const char *names[FLOWS_AND_LEAPFROG];
} dimensions[DIMENSIONS] = {
    {FLOWS_AND_LEAPFROG, {"NONROTATING", "ROTATING", "NONLINEAR", "LEAPFROG"}},
    {3, {"ORDER2", "ORDER4", "ORDER6"}},
    {BACKENDS, {"GPU", "CPU"}},
    {SWE_PIPELINES, {"FUSED", "STAGED"}}};

typedef struct table_row {
    int kernel, kind, buffer; /* the buffer's place in the order of a model's arrays */
    const char *name;
    bool is_double;
    unsigned places[DIMENSIONS];
    int first, last;
    double c[DEGREES];
} table_row;

static table_row rows[MOST_ROWS];
static int row_count;

/* A kernel, or all of a stage, at some n of an order. */
typedef struct samples {
    int kernel, calls, order, count, n[MOST_POINTS];
    int first_wide; /* of the points: from it on no column is in two closures */
    unsigned places[DIMENSIONS];
    counted_step steps[MOST_POINTS];
} samples;

static void fail(const samples *s, const char *kind, const char *what)
{
    fprintf(stderr, "cost_table: %s, order %d: %s %s\n", swe_kernels[s->kernel].name, s->order,
            kind, what);
    exit(1);
}

static double at(const double c[DEGREES], double n)
{
    return c[0] + n * (c[1] + n * c[2]);
}

/* The polynomial through up to three values at n, n + 1, n + 2. */
static void fit(int count, double n, const double *y, double c[DEGREES])
{
    const double slope = count > 1 ? y[1] - y[0] : 0.0,
                 bend = count > 2 ? 0.5 * (y[2] - 2.0 * y[1] + y[0]) : 0.0;
    c[2] = bend;
    c[1] = slope - bend * (2.0 * n + 1.0);
    c[0] = y[0] - n * (c[1] + n * c[2]);
}

static void add_row(const samples *s, int kind, int buffer, int first, int last,
                    const double c[DEGREES])
{
    if (row_count == MOST_ROWS)
        fail(s, "", "no room for a row");
    table_row *row = &rows[row_count++];
    *row = (table_row){.kernel = s->kernel, .kind = kind, .buffer = buffer};
    if (kind >= COUNTED_OPERATIONS) {
        row->name = s->steps[0].buffers[buffer].name;
        row->is_double = s->steps[0].buffers[buffer].is_double;
    }
    memcpy(row->places, s->places, sizeof row->places);
    row->first = first;
    row->last = last;
    memcpy(row->c, c, sizeof row->c);
}

/* The operations of a call at a point. */
static double value_of(const samples *s, int point, int kind, int buffer)
{
    const counted_step *step = &s->steps[point];
    if (kind < COUNTED_OPERATIONS)
        return step->operations[kind] / s->calls;
    const counting_buffer *b = &step->buffers[buffer];
    return (double)(kind == COUNTED_OPERATIONS ? b->read : b->written) / s->calls;
}

/* Fit y at the points from `first` to `last`, and compare all of them. */
static void fit_points(const samples *s, int first, int last, const double *y, const char *what,
                       double c[DEGREES])
{
    const int count = last - first;
    fit(count < DEGREES ? count : DEGREES, s->n[first], y + first, c);
    for (int k = first; k < last; k++)
        if (at(c, s->n[k]) != y[k])
            fail(s, what, "is no polynomial of degree 2 in n");
}

static void fit_operations(const samples *s, int kind, double c[DEGREES])
{
    double y[MOST_POINTS];
    int count = 0;
    for (; count < s->count && s->n[count] <= TILE_CELLS; count++)
        y[count] = value_of(s, count, kind, 0);
    fit_points(s, 0, count, y, kind_names[kind], c);
}

static void fit_accesses(const samples *s, int kind, int buffer)
{
    double y[MOST_POINTS], wide[DEGREES], narrow[DEGREES];
    bool differs = false, is_there = false;
    for (int k = 0; k < s->count; k++) {
        y[k] = value_of(s, k, kind, buffer);
        is_there = is_there || y[k] != 0.0;
    }
    if (!is_there)
        return;
    fit_points(s, s->first_wide, s->count, y, s->steps[0].buffers[buffer].name, wide);
    for (int k = 0; k < s->first_wide; k++)
        differs = differs || at(wide, s->n[k]) != y[k];
    if (differs) {
        fit_points(s, 0, s->first_wide, y, s->steps[0].buffers[buffer].name, narrow);
        add_row(s, kind, buffer, 0, s->n[s->first_wide] - 1, narrow);
    }
    add_row(s, kind, buffer, differs ? s->n[s->first_wide] : 0, INT_MAX, wide);
}

static void add_operations(const samples *s, int kind, const double c[DEGREES])
{
    if (c[0] != 0.0 || c[1] != 0.0 || c[2] != 0.0)
        add_row(s, kind, 0, 0, INT_MAX, c);
}

static void fit_all_accesses(const samples *s)
{
    for (int kind = COUNTED_OPERATIONS; kind < KINDS; kind++)
        for (int b = 0; b < COUNTING_BUFFERS && s->steps[0].buffers[b].name != NULL; b++)
            fit_accesses(s, kind, b);
}

static void fit_kernel(const samples *s)
{
    for (int kind = 0; kind < COUNTED_OPERATIONS; kind++) {
        double c[DEGREES];
        fit_operations(s, kind, c);
        add_operations(s, kind, c);
    }
    fit_all_accesses(s);
}

/* ---- what is counted ------------------------------------------------------------------------- */

static int kernel_named(const char *name)
{
    for (int k = 0; k < SWE_KERNEL_COUNT; k++)
        if (strcmp(swe_kernels[k].name, name) == 0)
            return k;
    fprintf(stderr, "cost_table: %s is not among the kernels\n", name);
    exit(1);
}

/* From the smallest n on, up to the third at which no column is in two closures. */
static void choose_points(samples *s)
{
    const int least = s->order == 2 ? 4 : s->order == 4 ? 9 : 13;
    s->first_wide = 2 * sbp_columns(s->order) - 1 - least;
    s->count = s->first_wide + DEGREES;
    for (int k = 0; k < s->count; k++)
        s->n[k] = least + k;
}

/* Count a stage at the points of an order; returns how many kernels it has. */
static int count_stage(int backend, counting_case what, unsigned pipelines,
                       samples out[COUNTING_TALLIES])
{
    int kernels = 0;
    for (int k = 0; k < COUNTING_TALLIES; k++) {
        out[k] = (samples){.order = what.order,
                           .calls = counted_step_calls(what.stage),
                           .places = {1U << (what.leaps ? LEAPFROG : (int)what.flow),
                                      1U << (what.order / 2 - 1), 1U << backend, pipelines}};
        choose_points(&out[k]);
    }
    for (int point = 0; point < out[0].count; point++) {
        static counted_step steps[COUNTING_TALLIES];
        what.n = out[0].n[point];
        kernels = counted_step_run(backend == GPU, what, steps);
        for (int k = 0; k <= kernels; k++) {
            out[k].steps[point] = steps[k];
            out[k].kernel = k > 0 ? kernel_named(steps[k].kernel) : 0;
        }
    }
    return kernels;
}

static samples of_kernels[COUNTING_TALLIES];

static void fit_cpu(counting_case what, unsigned pipelines, int kernel)
{
    count_stage(CPU, what, pipelines, of_kernels);
    of_kernels[0].kernel = kernel;
    fit_kernel(&of_kernels[0]);
}

/* A CPU's stage that is one kernel of a GPU is counted; others have the costs of their kernels. */
static void fit_stage(counting_case what, unsigned pipelines)
{
    const int kernels = count_stage(GPU, what, pipelines, of_kernels);
    const bool is_one = kernels == 1;
    for (int k = 1; k <= kernels; k++) {
        of_kernels[k].places[2] = is_one ? 1U << GPU : (1U << BACKENDS) - 1U;
        fit_kernel(&of_kernels[k]);
    }
    if (is_one)
        fit_cpu(what, pipelines, of_kernels[1].kernel);
}

static void fit_stages(void)
{
    const unsigned both = (1U << SWE_PIPELINES) - 1U;
    for (int stage = 0; stage < SWE_STAGE_COUNT; stage++)
        for (int flow = 0; flow < SWE_FLOWS; flow++)
            for (int order = 2; order <= 6 && swe_stage_is_active(stage, (swe_flow)flow, 1);
                 order += 2) {
                counting_case what = {.stage = stage, .order = order, .flow = (swe_flow)flow};
                if (stage == SWE_STAGE_projection) {
                    fit_stage(what, 1U << SWE_PIPELINE_STAGED);
                    what.projects_h = true;
                    fit_stage(what, 1U << SWE_PIPELINE_FUSED);
                } else {
                    fit_stage(what, both);
                }
                what.leaps = stage == SWE_STAGE_fused;
                if (what.leaps)
                    fit_cpu(what, both, SWE_KERNEL_fused);
            }
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Whether rows differ in one dimension only. */
static bool can_merge(const table_row *a, const table_row *b, int dimension)
{
    for (int d = 0; d < DIMENSIONS; d++)
        if (d != dimension && a->places[d] != b->places[d])
            return false;
    return a->kernel == b->kernel && a->kind == b->kind && a->buffer == b->buffer &&
           a->first == b->first && a->last == b->last && memcmp(a->c, b->c, sizeof a->c) == 0;
}

static void merge(int dimension)
{
    int kept = 0;
    for (int k = 0; k < row_count; k++) {
        int same = 0;
        while (same < kept && !can_merge(&rows[same], &rows[k], dimension))
            same++;
        if (same < kept)
            rows[same].places[dimension] |= rows[k].places[dimension];
        else
            rows[kept++] = rows[k];
    }
    row_count = kept;
}

static int compare(const void *one, const void *other)
{
    const table_row *a = one, *b = other;
    const int keys[][2] = {{a->kernel, b->kernel},
                           {a->kind, b->kind},
                           {a->buffer, b->buffer},
                           {(int)a->places[2], (int)b->places[2]},
                           {(int)a->places[0], (int)b->places[0]},
                           {(int)a->places[1], (int)b->places[1]},
                           {(int)a->places[3], (int)b->places[3]},
                           {a->first, b->first}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (keys[k][0] != keys[k][1])
            return keys[k][0] < keys[k][1] ? -1 : 1;
    return 0;
}

static bool is_active(int stage, int flow)
{
    return flow == LEAPFROG ? stage == SWE_STAGE_fused
                            : swe_stage_is_active(stage, (swe_flow)flow, 1);
}

/* The possibilities of a dimension; a row that has all of those that its stage serves names none.
 */
static void print_places(FILE *out, const table_row *row)
{
    const char *separator = "";
    for (int d = 0; d < DIMENSIONS; d++) {
        unsigned all = 0;
        for (int k = 0; k < dimensions[d].count; k++)
            if (d > 0 || is_active(swe_kernels[row->kernel].stage, k))
                all |= 1U << k;
        for (int k = 0; k < dimensions[d].count && row->places[d] != all; k++)
            if (row->places[d] & 1U << k) {
                fprintf(out, "%s%s", separator, dimensions[d].names[k]);
                separator = "|";
            }
    }
    fputs(*separator == '\0' ? "0" : "", out);
}

static void print_row(FILE *out, const table_row *row)
{
    const char *kernel = swe_kernels[row->kernel].name;
    fprintf(out, "{SWE_KERNEL_%.*s, ", (int)(strlen(kernel) - strlen("_kernel")), kernel);
    print_places(out, row);
    fprintf(out, row->last == INT_MAX ? ", %d, END, " : ", %d, %d, ", row->first, row->last);
    fprintf(out, "%s%s, ", kind_names[row->kind], row->is_double ? "_DOUBLE" : "");
    fprintf(out, row->name != NULL ? "\"%s\"" : "NULL", row->name);
    fprintf(out, ", {%.15g, %.15g, %.15g}},\n", row->c[0] + 0.0, row->c[1] + 0.0, row->c[2] + 0.0);
}

static void print_table(FILE *out)
{
    fputs("/* Counted by tests/support/counting/cost_table.c: `ninja -C build/release "
          "count_costs` writes it anew. */\n",
          out);
    for (int k = 0; k < row_count; k++)
        print_row(out, &rows[k]);
}

/* Whether a file has the text of another one, and where not. */
static bool is_same(FILE *counted, FILE *stated)
{
    char a[512], b[512];
    for (int line = 1;; line++) {
        const char *more_a = fgets(a, sizeof a, counted), *more_b = fgets(b, sizeof b, stated);
        if (more_a == NULL && more_b == NULL)
            return true;
        if (more_a == NULL || more_b == NULL || strcmp(a, b) != 0) {
            fprintf(stderr, "cost_table: line %d is not what is counted:\n%s%s", line,
                    more_b != NULL ? b : "(no more)\n", more_a != NULL ? a : "(no more)\n");
            return false;
        }
    }
}

static bool check(const char *path)
{
    FILE *counted = tmpfile(), *stated = fopen(path, "r");
    if (counted == NULL || stated == NULL) {
        perror(path);
        exit(1);
    }
    print_table(counted);
    rewind(counted);
    const bool same = is_same(counted, stated);
    fclose(counted);
    fclose(stated);
    return same;
}

int main(int argc, char **argv)
{
    const bool checks = argc == 3 && strcmp(argv[1], "--check") == 0;
    if (argc != 1 && !checks) {
        fputs("usage: cost_table [--check FILE]\n", stderr);
        return 64;
    }
    fit_stages();
    for (int dimension = DIMENSIONS - 1; dimension >= 0; dimension--)
        merge(dimension);
    qsort(rows, (size_t)row_count, sizeof *rows, compare);
    if (checks)
        return check(argv[2]) ? 0 : 1;
    print_table(stdout);
    return 0;
}
