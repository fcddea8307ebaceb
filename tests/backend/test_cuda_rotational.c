/* Flows that turn, linear and nonlinear, over a bottom and with an end to every step, by the CUDA
 * backend and by the CPU's: the right-hand side with all that its stages leave, the sweeps of the
 * fused pipeline, damping and dissipation, integrals, steps. Built four times, as
 * test_cuda_against_cpu.c. */
#include "support/pair.h"

#include "operators/sbp_point.h"

static const struct test_case cases[] = {{4, 2, SWE_CLOSURE_MOVED},  {13, 2, SWE_CLOSURE_MOVED},
                                         {13, 4, SWE_CLOSURE_MOVED}, {31, 4, SWE_CLOSURE_MOVED},
                                         {15, 6, SWE_CLOSURE_MOVED}, {40, 6, SWE_CLOSURE_MOVED},
                                         {51, 6, SWE_CLOSURE_MOVED}};

/* Tiles without closures. */
static const struct test_case large[] = {
    {67, 2, SWE_CLOSURE_MOVED}, {66, 4, SWE_CLOSURE_MOVED}, {80, 6, SWE_CLOSURE_MOVED}};

static void for_all_cases(pair_check *check)
{
    for (int flow = SWE_FLOW_ROTATING; flow < SWE_FLOWS; flow++)
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            pair p = pair_create(&cases[k], (swe_flow)flow);
            check(&p);
            pair_destroy(&p);
        }
}

static bool is_nonlinear(const swe_model *m)
{
    return m->physics.equations == SWE_NONLINEAR;
}

/* Compare a field at vertices. */
static void compare_vertices(pair *p, const char *what, const real *on_cpu, const real *on_cuda)
{
    const int side = p->cpu->grid->layout.n + 1;
    compare(p, what, on_cpu, on_cuda, side, side);
}

/* The right-hand side, and what its stages leave. */
static void check_stages(pair *p)
{
    const int n = p->cpu->grid->layout.n;
    const swe_work cpu = p->cpu->stepper->fields.work, cuda = p->cuda->stepper->fields.work;
    check_rhs(p);
    compare(p, "F1", cpu.f1, cuda.f1, n + 1, n);
    compare(p, "F2", cpu.f2, cuda.f2, n, n + 1);
    if (is_nonlinear(p->cpu)) {
        compare_vertices(p, "head", cpu.head, cuda.head);
        compare_vertices(p, "vorticity", cpu.vorticity, cuda.vorticity);
    }
    compare_vertices(p, "W1", cpu.cross1, cuda.cross1);
    compare_vertices(p, "W2", cpu.cross2, cuda.cross2);
}

/* The first substep of a step. */

static real *head_of(const swe_model *m)
{
    return is_nonlinear(m) ? m->stepper->fields.work.head : m->stepper->fields.y.h;
}

static void run_transport(swe_model *m)
{
    const swe_step_fields f = m->stepper->fields;
    m->stepper->stages->transport(&m->stepper->execution, &m->stepper->params, 0, (real)step_of(m),
                                  f.y.h, f.next.h, head_of(m), f.work.pv_flux1, f.work.pv_flux2,
                                  f.work.edge_vorticity);
}

static void run_flux_projection(swe_model *m)
{
    const swe_step_fields f = m->stepper->fields;
    m->stepper->stages->flux_projection(&m->stepper->execution, &m->stepper->params, 0, f.y.h,
                                        f.next.h, head_of(m), f.work.pv_flux1, f.work.pv_flux2,
                                        f.work.edge_vorticity);
}

static void run_momentum(swe_model *m)
{
    const swe_step_fields f = m->stepper->fields;
    m->stepper->stages->momentum(&m->stepper->execution, &m->stepper->params, 0, (real)step_of(m),
                                 head_of(m), f.work.pv_flux1, f.work.pv_flux2, f.y.h, f.next.h);
}

/* On the CPU only the ends of head and of the fluxes remain: boundary operators read them. */
static void compare_sweep(pair *p)
{
    const swe_step_fields cpu = p->cpu->stepper->fields, cuda = p->cuda->stepper->fields;
    const int side = p->cpu->grid->layout.n + 1;
    const int columns = sbp_columns(p->cpu->stepper->params.sbp.order);
    compare_vertices(p, "h of a substep", cpu.next.h, cuda.next.h);
    compare_ends(p, "its head", head_of(p->cpu), head_of(p->cuda), side, side, columns, columns);
    compare_ends(p, "its pv_flux1", cpu.work.pv_flux1, cuda.work.pv_flux1, side, side, 1, columns);
    compare_ends(p, "its pv_flux2", cpu.work.pv_flux2, cuda.work.pv_flux2, side, side, columns, 1);
}

static void check_sweeps(pair *p)
{
    on_both(p, run_transport);
    compare_sweep(p);
    on_both(p, run_flux_projection);
    compare_sweep(p);
    on_both(p, run_momentum);
    compare_state(p, "a substep", p->cpu->stepper->fields.next, p->cuda->stepper->fields.next);
}

static void run_damping(swe_model *m)
{
    const swe_step_fields f = m->stepper->fields;
    m->stepper->stages->damping(&m->stepper->execution, &m->stepper->params, (real)0.01, f.y.h,
                                f.y.v1, f.y.v2, f.next.h);
}

static void run_dissipation(swe_model *m)
{
    const swe_step_fields f = m->stepper->fields;
    m->stepper->stages->dissipation(&m->stepper->execution, &m->stepper->params, (real)0.01, f.y.h,
                                    f.y.v1, f.y.v2, f.next.h);
}

/* One after the other. */
static void check_ends(pair *p)
{
    on_both(p, run_damping);
    compare_state(p, "damping", p->cpu->stepper->fields.y, p->cuda->stepper->fields.y);
    on_both(p, run_dissipation);
    compare_state(p, "dissipation", p->cpu->stepper->fields.y, p->cuda->stepper->fields.y);
}

#define CASE_TEST(what)                                                                            \
    static void what##_agree_with_the_cpu(void **unused)                                           \
    {                                                                                              \
        (void)unused;                                                                              \
        for_all_cases(check_##what);                                                               \
    }
CASE_TEST(stages)
CASE_TEST(sweeps)
CASE_TEST(ends)
CASE_TEST(integrals)
CASE_TEST(steps)

static void check_all(pair *p)
{
    check_stages(p);
    check_sweeps(p);
    check_integrals(p);
    check_pipelines(p);
    check_captured_steps(p);
}

static void large_grids_agree_with_the_cpu(void **unused)
{
    (void)unused;
    for (int flow = SWE_FLOW_ROTATING; flow < SWE_FLOWS; flow++)
        for (size_t k = 0; k < sizeof large / sizeof large[0]; k++) {
            pair p = pair_create(&large[k], (swe_flow)flow);
            if (CHECKS_ADDRESSES) /* steps have these accesses */
                check_sweeps(&p);
            else
                check_all(&p);
            pair_destroy(&p);
        }
}

int main(void)
{
    if (!pair_device_is_there())
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_agree_with_the_cpu),
        cmocka_unit_test(sweeps_agree_with_the_cpu),
        cmocka_unit_test(ends_agree_with_the_cpu),
        cmocka_unit_test(integrals_agree_with_the_cpu),
        cmocka_unit_test(steps_agree_with_the_cpu),
        cmocka_unit_test(large_grids_agree_with_the_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
