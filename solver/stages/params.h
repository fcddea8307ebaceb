/* THE PARAMETERS of the kernels: all that a stage reads besides its fields. Layout, operators,
 * metric and constants stand here by value, so that a CUDA kernel takes them as one argument;
 * arrays are in the backend's memory. Threads, streams and the profiler are not here: execution.h
 * has them. */
#ifndef SWE_STAGES_PARAMS_H
#define SWE_STAGES_PARAMS_H

#include "base/physics.h"
#include "grid/layout.h"
#include "grid/topology.h"
#include "operators/sbp.h"
#include "base/real.h"

typedef struct swe_params {
    swe_layout layout;
    swe_sbp sbp;
    swe_topology topology;
    real inverse_spacing; /* 1/D [rad-1] */
    real radius;          /* a [m] */
    real gravity;         /* g [m s-2] */
    real inverse_gravity; /* 1/g [s2 m-1] */
    real depth;           /* H0 [m] of the linear equations, 1 where fluxes carry h */
    swe_equations equations;
    int rotational;    /* 1: there is vorticity, relative or the sphere's, to turn the flow */
    int exceeds_cache; /* 1: the state is more than a CPU's caches keep (stages.h) */
    int swaps_buffers; /* 1: a step leaves its result in the place of Y1 (time/step.h) */
    int fields;        /* prognostic fields of a state (fields/fields.h) */
    ptrdiff_t next;    /* from Y1 to Y2, and from there to Y3: a state, forth or back */
    const double *norm_vertex;    /* (n + 1) norm weights Hv D [rad]; double in both precisions */
    const double *norm_cell;      /* (n)     norm weights Hc D [rad] */
    const real *tan_vertex;       /* (n + 1) */
    const real *inverse_jacobian; /* (n + 1, n + 1) at vertices [m-2] */
    const real *metric11;         /* (n + 1, n)     J g^11 at (c,v) */
    const real *metric12;         /* (n + 1, n + 1) J g^12 at vertices */
    const real *metric22;         /* (n, n + 1)     J g^22 at (v,c) */
    real damping;                 /* sigma c/(a D) [s-1], c = sqrt(g H0); 0: none */
    real dissipation;             /* eps c/(a D) [s-1] */
    const real *bottom;           /* (6, n + 1, n + 1) b at vertices [m]; nonlinear */
    const real *coriolis; /* (6, n + 1, n + 1) f at vertices [s-1]; where the flow rotational */
    real *scratch;        /* working memory of the stages, if they ask for some */
    int tile_columns;     /* of a tile on a CPU, at most (tiles_cpu.h) */
} swe_params;

#endif
