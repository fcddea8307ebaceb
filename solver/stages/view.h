/* What every stage reads besides its fields: layout, operators, metric and constants, by value, so
 * that a CUDA kernel takes it as one argument. Its arrays are in the backend's memory. */
#ifndef SWE_STAGES_VIEW_H
#define SWE_STAGES_VIEW_H

#include "grid/layout.h"
#include "grid/topology.h"
#include "operators/sbp.h"
#include "stages/workers.h"

typedef struct swe_view {
    swe_layout layout;
    swe_sbp sbp;
    swe_topology topology;
    real inverse_spacing;         /* 1/D [rad-1] */
    real radius;                  /* a [m] */
    real gravity;                 /* g [m s-2] */
    real depth;                   /* H0 [m] */
    const double *norm_vertex;    /* (n + 1) norm weights Hv D [rad]; double in both precisions */
    const double *norm_cell;      /* (n)     norm weights Hc D [rad] */
    const real *tan_vertex;       /* (n + 1) */
    const real *inverse_jacobian; /* (n + 1, n + 1) at vertices [m-2] */
    const real *metric11;         /* (n + 1, n)     J g^11 at (c,v) */
    const real *metric12;         /* (n + 1, n + 1) J g^12 at vertices */
    const real *metric22;         /* (n, n + 1)     J g^22 at (v,c) */
    real *scratch;                /* working memory of the stages, if they ask for some */
    swe_workers workers;
} swe_view;

#endif
