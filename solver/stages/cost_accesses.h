/* What kernels read and write, in values, as they are added to a cost. */
#ifndef SWE_STAGES_COST_ACCESSES_H
#define SWE_STAGES_COST_ACCESSES_H

#include "stages/cost_kernels.h"

static inline void reads(swe_cost *cost, const char *buffer, double values)
{
    cost_append(cost, (prof_access){buffer, values, false});
}

static inline void writes(swe_cost *cost, const char *buffer, double values)
{
    cost_append(cost, (prof_access){buffer, values, true});
}

static inline void changes(swe_cost *cost, const char *buffer, double values)
{
    reads(cost, buffer, values);
    writes(cost, buffer, values);
}

/* Terms of the metric, which all panels share. */
static inline void reads_metric_of_v(const cost_sizes *s, swe_cost *cost)
{
    reads(cost, "J g^11", s->cells / SWE_PANELS);
    reads(cost, "J g^22", s->cells / SWE_PANELS);
}

static inline void reads_metric_of_h(const cost_sizes *s, swe_cost *cost, const char *term)
{
    reads(cost, term, s->vertices / SWE_PANELS);
}

/* Two fields at (c,v) and (v,c), and of vertices. */
static inline void reads_v(const cost_sizes *s, swe_cost *cost, const char *first,
                           const char *second)
{
    reads(cost, first, s->cells);
    reads(cost, second, s->cells);
}

static inline void writes_v(const cost_sizes *s, swe_cost *cost, const char *first,
                            const char *second)
{
    writes(cost, first, s->cells);
    writes(cost, second, s->cells);
}

static inline void reads_two(const cost_sizes *s, swe_cost *cost, const char *first,
                             const char *second)
{
    reads(cost, first, s->vertices);
    reads(cost, second, s->vertices);
}

static inline void writes_two(const cost_sizes *s, swe_cost *cost, const char *first,
                              const char *second)
{
    writes(cost, first, s->vertices);
    writes(cost, second, s->vertices);
}

/* What drives the velocity. */
static inline const char *head_of(const cost_sizes *s)
{
    return cost_is_nonlinear(s) ? "head" : "h";
}

/* What q is made of, at so many vertices. */
static inline void reads_q(const cost_sizes *s, swe_cost *cost, double vertices)
{
    reads(cost, "f", vertices);
    if (!cost_is_nonlinear(s))
        return;
    reads(cost, "h", vertices);
    reads(cost, "vorticity", vertices);
}

/* Pvc_k of two fields at vertices, added to two at cells. */
static inline void adds_averages(const cost_sizes *s, swe_cost *cost, const char *of1,
                                 const char *of2)
{
    reads_two(s, cost, of1, of2);
    cost_of_averages(s, cost);
    cost_add_each(&cost->formula, 2.0 * s->cells, 1.0, 0.0, 0.0, 0.0);
}

#endif
