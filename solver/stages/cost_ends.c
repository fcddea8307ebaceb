/* The cost of the kernels at the end of a step, and of diagnostics. */
#include <math.h>

#include "stages/budgets/budgets.h"
#include "stages/cost_accesses.h"

/* Of each panel the vertices that closures take across its edges, but its corners; the cells of
 * lines among them along an edge, and of the others those that the extrapolation takes. */
void swe_count_change(const cost_sizes *s, swe_cost *cost)
{
    const double lines = fmin(2.0 * s->columns, s->places), inner = s->places - lines;
    const double frame = s->places * s->places - inner * inner - 4.0;
    const double cells = SWE_PANELS * (lines * s->n + inner * 2.0 * s->edge);
    if (cost_is_nonlinear(s))
        reads(cost, "h", SWE_PANELS * frame);
    reads(cost, "v1", cells);
    reads(cost, "v2", cells);
    reads(cost, "J g^11", 2.0 * s->edge * (s->n - 1.0));
    reads(cost, "J g^22", 2.0 * s->edge * (s->n - 1.0));
    reads(cost, "J g^12", frame);
    reads(cost, "tangents", s->n - 1.0);
    writes(cost, "changes", SWE_EDGES * (s->n - 1.0));
    cost_of_change(s, cost);
}

void swe_count_damping(const cost_sizes *s, swe_cost *cost)
{
    const double strips = SWE_PANELS * 2.0 * s->edge * (s->n - 1.0);
    reads(cost, "changes", SWE_EDGES * (s->n - 1.0));
    changes(cost, "v1", strips);
    changes(cost, "v2", strips);
    cost_of_damping(s, cost);
}

static const char *const components_of_x[] = {"x1", "x2", "x3"};

/* What x and Z are made of besides. */
static void reads_scale(const cost_sizes *s, swe_cost *cost)
{
    if (cost_is_nonlinear(s))
        reads(cost, "h", s->vertices);
    reads_metric_of_h(s, cost, "1/J");
    reads(cost, "tangents", s->places);
}

void swe_count_flow(const cost_sizes *s, swe_cost *cost)
{
    reads_scale(s, cost);
    reads_v(s, cost, "v1", "v2");
    reads_metric_of_v(s, cost);
    reads_metric_of_h(s, cost, "J g^12");
    for (int k = 0; k < 3; k++)
        writes(cost, components_of_x[k], s->vertices);
    cost_of_cross(s, cost);
    cost_of_flux(s, cost);
    cost_of_flow(s, cost);
}

void swe_count_join_flow(const cost_sizes *s, swe_cost *cost)
{
    for (int k = 0; k < 3; k++)
        changes(cost, components_of_x[k], s->margin);
    cost_of_joined_flow(s, cost);
}

void swe_count_force(const cost_sizes *s, swe_cost *cost)
{
    reads_scale(s, cost);
    for (int k = 0; k < 3; k++)
        reads(cost, components_of_x[k], s->vertices);
    writes_two(s, cost, "z1", "z2");
    cost_of_force(s, cost);
}

void swe_count_join_force(const cost_sizes *s, swe_cost *cost)
{
    reads(cost, "tangents", s->places);
    changes(cost, "z1", s->margin);
    changes(cost, "z2", s->margin);
    cost_of_joined_force(s, cost);
}

void swe_count_slow(const cost_sizes *s, swe_cost *cost)
{
    adds_averages(s, cost, "z1", "z2");
    changes(cost, "v1", s->cells);
    changes(cost, "v2", s->cells);
}

void swe_count_budgets(const cost_sizes *s, swe_cost *cost)
{
    reads(cost, "h", s->vertices);
    reads_v(s, cost, "v1", "v2");
    reads_metric_of_v(s, cost);
    reads_metric_of_h(s, cost, "J g^12");
    reads_metric_of_h(s, cost, "1/J");
    reads(cost, "norms", s->wide * (s->places + s->n));
    if (cost_is_nonlinear(s)) {
        reads_two(s, cost, "b", "f");
        reads(cost, "vorticity", s->vertices);
        reads(cost, "tangents", s->places);
    }
    writes(cost, "budgets", s->wide * s->lines * BUDGETS_VALUES);
    cost_of_budgets(s, cost);
}
