/* What every stage reads besides its fields: layout, operators, metric and constants, by value, so
 * that a CUDA kernel takes it as one argument. Its arrays are in the backend's memory. */
#ifndef SWE_STAGES_VIEW_H
#define SWE_STAGES_VIEW_H

#include "grid/layout.h"
#include "grid/topology.h"
#include "operators/sbp.h"
#include "profiler.h"

typedef struct swe_view {
    swe_layout layout;
    swe_sbp sbp;
    swe_topology topology;
    double inverse_spacing;         /* 1/D [rad-1] */
    double radius;                  /* a [m] */
    double gravity;                 /* g [m s-2] */
    double depth;                   /* H0 [m] */
    const double *tan_vertex;       /* (n + 1) */
    const double *inverse_jacobian; /* (n + 1, n + 1) at vertices [m-2] */
    const double *metric11;         /* (n + 1, n)     J g^11 at (c,v) */
    const double *metric12;         /* (n + 1, n + 1) J g^12 at vertices */
    const double *metric22;         /* (n, n + 1)     J g^22 at (v,c) */
    int threads;                    /* CPU threads that share a stage */
    double *scratch;                /* working memory of the stages, if they ask for some */
    void *queue;                    /* CUDA stream that a stage is put on; NULL on the CPU */
    prof_profiler *profiler;        /* told of every stage; NULL: off. In host memory */
} swe_view;

#endif
