/* What the stages' formulas have of operations, and the sizes that costs are made of (cost.h). */
#ifndef SWE_STAGES_COST_FORMULAS_H
#define SWE_STAGES_COST_FORMULAS_H

#include <stdbool.h>

#include "stages/cost.h"

typedef struct cost_sizes {
    double n, places;       /* cells and vertices of a line */
    double lines;           /* rows, or columns, of vertices on all panels */
    double vertices, cells; /* values of a field at vertices, and of one at (c,v) or (v,c) */
    double margin;          /* vertices on the edges of all panels: copies of shared points */
    double shared;          /* shared points */
    int order;
    swe_operations difference, mean; /* the derivative and the interpolation of the interior */
    swe_operations closure;          /* one row of a closure */
    double columns;                  /* terms of it */
    swe_operations extrapolation;    /* to the end of a line */
    double edge;                     /* cells that it takes */
    double inner_rows, inner_places; /* rows of inner cells on all panels, and cells of one */
    swe_flow flow;
    swe_pipeline pipeline; /* that a step consists of */
    double wide;           /* values that have the bytes of a double */
    bool inner_first;
    bool in_pairs; /* the fused stage takes two parts in a sweep, as a CPU does */
    /* Vertices within frames of all panels, where a GPU does, of the first part and of the second
     * (fused/fused_frame_cuda.h); 0: it does not. */
    double within_first, within_second;
} cost_sizes;

cost_sizes cost_sizes_of(const swe_cost_case *what);

static inline bool cost_is_nonlinear(const cost_sizes *s)
{
    return s->flow == SWE_FLOW_NONLINEAR;
}

/* count x what. */
void cost_add(swe_operations *to, double count, swe_operations what);

/* The same of so many additions, multiplications, divisions and roots each. */
void cost_add_each(swe_operations *to, double count, double additions, double multiplications,
                   double divisions, double roots);

/* Their formulas at all points, named after what they compute. */
void cost_of_projection(const cost_sizes *s, swe_cost *cost); /* of one field */
void cost_of_cross(const cost_sizes *s, swe_cost *cost);
void cost_of_flux(const cost_sizes *s, swe_cost *cost);
void cost_of_means(const cost_sizes *s, swe_cost *cost);       /* Pcv_k of two fields */
void cost_of_shears(const cost_sizes *s, swe_cost *cost);      /* Dvc_k of two fields */
void cost_of_averages(const cost_sizes *s, swe_cost *cost);    /* Pvc_k of two fields */
void cost_of_inner_cells(const cost_sizes *s, swe_cost *cost); /* v of them, a part's */
void cost_of_vorticity(const cost_sizes *s, swe_cost *cost);
void cost_of_head(const cost_sizes *s, swe_cost *cost); /* but for the means */
void cost_of_gradient(const cost_sizes *s, swe_cost *cost);
void cost_of_turn(const cost_sizes *s, swe_cost *cost);
void cost_of_unite(const cost_sizes *s, swe_cost *cost);
void cost_of_divergence(const cost_sizes *s, swe_cost *cost);
void cost_of_consensus(const cost_sizes *s, swe_cost *cost);
void cost_of_exchange(const cost_sizes *s, swe_cost *cost);
void cost_of_rk4(double values, swe_cost *cost);        /* the mean of the four parts */
void cost_of_part(const cost_sizes *s, swe_cost *cost); /* of a flow that is still; */
/* of that a vertex, and cell, of each line off the closures */
void cost_of_interior(const cost_sizes *s, double vertices, swe_cost *cost);
void cost_of_change(const cost_sizes *s, swe_cost *cost);
void cost_of_damping(const cost_sizes *s, swe_cost *cost);
void cost_of_flow(const cost_sizes *s, swe_cost *cost);
void cost_of_joined_flow(const cost_sizes *s, swe_cost *cost);
void cost_of_force(const cost_sizes *s, swe_cost *cost);
void cost_of_joined_force(const cost_sizes *s, swe_cost *cost);
void cost_of_budgets(const cost_sizes *s, swe_cost *cost);

#endif
