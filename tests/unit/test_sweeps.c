/* The stages of a substep of a rotational flow, on the CPU, by teams of any size: each value of v
 * is computed once, by transport or by momentum; no value is read before it is computed; no other
 * value changes; and the results have the same bits. */
#include "support/rotational.h"

enum { SUBSTEPS = 4, MOST_THREADS = 9 };

static const swe_physics rotating = {.gravity = 9.8,
                                     .depth = 2.0,
                                     .radius = 2.5,
                                     .rotation = 1.7,
                                     .axis_lon = 40.0,
                                     .axis_lat = 35.0};

/* A substep of a step: its state, its result, and copies of the result. */
typedef struct sweep {
    bench *t;
    int team, substep;
    double weight;
    double *in, *out, *head;
    double *before, *between; /* the result before transport, and before momentum */
} sweep;

static size_t state_size(const sweep *s)
{
    return 3 * (size_t)s->t->layout->field;
}

static void set_nan(double *values, size_t count)
{
    for (size_t k = 0; k < count; k++)
        values[k] = NAN;
}

/* Work arrays and scratch: every substep computes them again. */
static void invalidate(const sweep *s)
{
    const swe_work work = s->t->fields.work;
    const size_t field = (size_t)s->t->layout->field;
    if (work.head != NULL) /* nonlinear */
        set_nan(work.head, field);
    set_nan(work.pv_flux1, field);
    set_nan(work.pv_flux2, field);
    set_nan(s->t->params->scratch, s->t->stages->scratch(s->t->execution, s->t->params));
}

static void run_transport(const sweep *s)
{
    const swe_step_fields f = s->t->fields;
    s->t->stages->transport(s->t->execution, s->t->params, s->substep, s->weight, f.y.h, f.next.h,
                            s->head, f.work.pv_flux1, f.work.pv_flux2, f.work.edge_vorticity);
}

static void run_flux_projection(const sweep *s)
{
    const swe_step_fields f = s->t->fields;
    s->t->stages->flux_projection(s->t->execution, s->t->params, s->substep, f.y.h, f.next.h,
                                  s->head, f.work.pv_flux1, f.work.pv_flux2, f.work.edge_vorticity);
}

static void run_momentum(const sweep *s)
{
    const swe_step_fields f = s->t->fields;
    s->t->stages->momentum(s->t->execution, s->t->params, s->substep, s->weight, s->head,
                           f.work.pv_flux1, f.work.pv_flux2, f.y.h, f.next.h);
}

/* The team may be smaller than in `execution`: a system may give fewer threads than requested. */
static void run_by_team(const sweep *s, void (*stage)(const sweep *))
{
#pragma omp parallel num_threads(s->team)
    stage(s);
}

static bool is_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* v_k at (panel, j, i), or a value of the rows' padding. */
static void check_computed_once(const sweep *s, int k, int panel, int j, int i)
{
    const int n = s->t->layout->n;
    const ptrdiff_t at = k * s->t->layout->field + swe_at(s->t->layout, panel, j, i);
    const bool is_value = k == 1 ? i < n : i <= n && j < n;
    const bool first = !is_same(s->before[at], s->between[at]),
               second = !is_same(s->between[at], s->out[at]);
    if (first + second != is_value || (is_value && isnan(s->out[at])))
        fail_msg(
            "v%d of panel %d at (%d, %d), substep %d, n %d, order %d, %d threads of %d: %g%s%s", k,
            panel, j, i, s->substep, n, s->t->params->sbp.order, s->team, s->t->execution->threads,
            s->out[at], first ? ", computed by transport" : "",
            second ? ", computed by momentum" : "");
}

static void check_velocities(const sweep *s)
{
    const swe_layout *layout = s->t->layout;
    for (int k = 1; k <= 2; k++)
        for (int panel = 0; panel < SWE_PANELS; panel++)
            for (int j = 0; j <= layout->n; j++)
                for (int i = 0; i < layout->pitch; i++)
                    check_computed_once(s, k, panel, j, i);
}

static void check_substep(sweep *s)
{
    const size_t size = state_size(s), field = (size_t)s->t->layout->field;
    double *in = bench_fields(s->t, 3);
    invalidate(s);
    memcpy(in, s->in, size * sizeof *in);
    memcpy(s->before, s->out, size * sizeof *in);
    run_by_team(s, run_transport);
    memcpy(s->between, s->out, size * sizeof *in);
    run_by_team(s, run_flux_projection);
    CHECK_SAME_BITS(s->out + field, s->between + field, 2 * field);
    memcpy(s->between, s->out, size * sizeof *in);
    run_by_team(s, run_momentum);
    CHECK_SAME_BITS(s->out, s->between, field);
    CHECK_SAME_BITS(s->in, in, size);
    check_velocities(s);
    free(in);
}

/* Run a step by a team of `team` threads. Returns the state after the step; release it with
 * free(). */
static double *step(int order, int n, int threads, int team, const swe_physics *physics)
{
    bench t = bench_of_physics(order, SWE_CLOSURE_MOVED, n, threads, physics);
    sweep s = {
        .t = &t, .team = team, .before = bench_fields(&t, 3), .between = bench_fields(&t, 3)};
    swe_context ctx = {""};
    const size_t size = state_size(&s);
    const double dt = 0.1 / swe_model_courant(t.model, 1.0);
    double *state = rotational_state(&t);
    if (is_nonlinear(&t))
        rotational_set_bottom(&t);
    CHECK_OK(&ctx, model_set_state(&ctx, t.model, state));
    set_nan(t.fields.next.h, 3 * size);
    for (s.substep = 0; s.substep < SUBSTEPS; s.substep++) {
        s.weight = s.substep == 3 ? dt / 6.0 : s.substep == 2 ? dt : dt / 2.0;
        s.in = s.substep == 0 ? t.fields.y.h : t.fields.next.h + (size_t)(s.substep - 1) * size;
        s.out = s.substep == 3 ? t.fields.y.h : t.fields.next.h + (size_t)s.substep * size;
        s.head = is_nonlinear(&t) ? t.fields.work.head : s.in;
        check_substep(&s);
    }
    memcpy(state, t.fields.y.h, size * sizeof *state);
    free(s.before);
    free(s.between);
    bench_destroy(&t);
    return state;
}

static void check_teams(int order, int n, const swe_physics *physics)
{
    const swe_layout layout = swe_layout_of(n);
    double *alone = step(order, n, 1, 1, physics);
    const int most = n > 100 ? 3 : MOST_THREADS; /* other sizes have all cuts along j */
    for (int threads = 2; threads <= most; threads += threads < 4 ? 1 : 5) {
        const int team = threads == 3 ? 2 : threads;
        double *together = step(order, n, threads, team, physics);
        CHECK_SAME_BITS(together, alone, 3 * (size_t)layout.field);
        free(together);
    }
    free(alone);
}

/* The smallest panels; panels of one or two strips; panels of more than one column of tiles. */
static void check_flow(const swe_physics *physics)
{
    static const int sizes[] = {0, 15, 24, 39, 40, 41, 83, 209};
    for (int order = 2; order <= 6; order += 2)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            check_teams(order, k == 0 ? rotational_sizes[order / 2 - 1][0] : sizes[k], physics);
}

static void each_value_of_a_linear_flow_is_computed_once(void **state)
{
    (void)state;
    check_flow(&rotating);
}

static void each_value_of_a_nonlinear_flow_is_computed_once(void **state)
{
    (void)state;
    check_flow(&rotational_physics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_value_of_a_linear_flow_is_computed_once),
        cmocka_unit_test(each_value_of_a_nonlinear_flow_is_computed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
