/* The cost of the kernels of the right-hand side (rhs.c). */
#include "stages/cost_accesses.h"

/* Of the staged pipeline as many calls are those of each field. */
void swe_count_projection(const cost_sizes *s, swe_cost *cost)
{
    static const char *const buffers[] = {"h", "dh", "head", "vorticity"};
    const bool is_staged = s->pipeline == SWE_PIPELINE_STAGED;
    const int kinds = !is_staged ? 1 : cost_is_nonlinear(s) ? 4 : 2;
    for (int k = 0; k < kinds; k++)
        changes(cost, buffers[k], s->margin / kinds);
    cost_of_projection(s, cost);
}

void swe_count_cross(const cost_sizes *s, swe_cost *cost)
{
    if (cost_is_nonlinear(s))
        reads(cost, "h", s->vertices);
    reads_v(s, cost, "v1", "v2");
    reads_metric_of_h(s, cost, "J g^12");
    writes_two(s, cost, "cross1", "cross2");
    cost_of_cross(s, cost);
}

void swe_count_flux(const cost_sizes *s, swe_cost *cost)
{
    if (cost_is_nonlinear(s))
        reads(cost, "h", s->vertices);
    reads_v(s, cost, "v1", "v2");
    reads_metric_of_v(s, cost);
    reads_two(s, cost, "cross1", "cross2");
    writes_v(s, cost, "F1", "F2");
    cost_of_flux(s, cost);
}

void swe_count_bernoulli(const cost_sizes *s, swe_cost *cost)
{
    reads_two(s, cost, "h", "b");
    reads_v(s, cost, "v1", "v2");
    reads_metric_of_v(s, cost);
    reads_metric_of_h(s, cost, "J g^12");
    reads_metric_of_h(s, cost, "1/J");
    writes(cost, "head", s->vertices);
    cost_of_means(s, cost);
    cost_of_head(s, cost);
}

void swe_count_mean(const cost_sizes *s, swe_cost *cost)
{
    reads_v(s, cost, "v1", "v2");
    writes_two(s, cost, "mean1", "mean2");
    cost_of_means(s, cost);
}

void swe_count_shear(const cost_sizes *s, swe_cost *cost)
{
    reads_two(s, cost, "mean1", "mean2");
    writes_v(s, cost, "shear1", "shear2");
    cost_of_shears(s, cost);
}

void swe_count_vorticity(const cost_sizes *s, swe_cost *cost)
{
    reads_v(s, cost, "shear1", "shear2");
    reads_metric_of_h(s, cost, "1/J");
    writes(cost, "vorticity", s->vertices);
    cost_of_vorticity(s, cost);
}

void swe_count_gradient(const cost_sizes *s, swe_cost *cost)
{
    reads(cost, head_of(s), s->vertices);
    writes_v(s, cost, "dv1", "dv2");
    cost_of_gradient(s, cost);
}

void swe_count_turn(const cost_sizes *s, swe_cost *cost)
{
    reads_q(s, cost, s->vertices);
    reads_v(s, cost, "F1", "F2");
    writes_two(s, cost, "W1", "W2");
    cost_of_turn(s, cost);
}

void swe_count_unite(const cost_sizes *s, swe_cost *cost)
{
    reads_q(s, cost, s->shared);
    reads(cost, "tangents", s->places);
    changes(cost, "W1", s->margin);
    changes(cost, "W2", s->margin);
    cost_of_unite(s, cost);
}

void swe_count_accelerate(const cost_sizes *s, swe_cost *cost)
{
    adds_averages(s, cost, "W1", "W2");
    changes(cost, "dv1", s->cells);
    changes(cost, "dv2", s->cells);
}

void swe_count_divergence(const cost_sizes *s, swe_cost *cost)
{
    reads_v(s, cost, "F1", "F2");
    reads_metric_of_h(s, cost, "1/J");
    writes(cost, "dh", s->vertices);
    cost_of_divergence(s, cost);
}

/* Of each panel the first and the last cells of every line across its edges, and the two lines
 * along them, which share the cells at their ends; h of the first panels of the edges, which are
 * four and have all their corners. */
void swe_count_consensus(const cost_sizes *s, swe_cost *cost)
{
    const double strips = SWE_PANELS * (2.0 * s->edge * (s->places - 2.0) + 2.0 * s->n);
    if (cost_is_nonlinear(s))
        reads(cost, "h", SWE_EDGES * (s->n - 1.0) + 4.0 * 4.0);
    reads(cost, "v1", strips);
    reads(cost, "v2", strips);
    reads(cost, "tangents", s->places);
    writes(cost, "edge", SWE_EDGES * s->places);
    cost_of_consensus(s, cost);
}

void swe_count_exchange(const cost_sizes *s, swe_cost *cost)
{
    const double strips = SWE_PANELS * 2.0 * s->edge * s->places;
    reads(cost, "F1", strips);
    reads(cost, "F2", strips);
    reads(cost, "edge", SWE_EDGES * s->places);
    reads(cost, "1/J", s->margin / SWE_PANELS);
    changes(cost, "dh", s->margin);
    cost_of_exchange(s, cost);
}
