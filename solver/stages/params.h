/* KERNEL PARAMETERS: everything that a stage reads besides its fields. Layout, operators and
 * constants are held by value, so that a CUDA kernel gets them as one argument; arrays are in the
 * backend's memory. Threads, streams and the profiler are in execution.h, which kernels never
 * see. */
#ifndef SWE_STAGES_PARAMS_H
#define SWE_STAGES_PARAMS_H

#include "base/physics.h"
#include "grid/layout.h"
#include "grid/topology.h"
#include "operators/sbp.h"
#include "base/real.h"
#include "stages/decomposition.h"

/* The factors of the terms of a prescribed velocity at a time. */
typedef struct swe_wind_factors {
    real of[SWE_WIND_TERMS];
} swe_wind_factors;

/* Bounds of the concentration of an advected field. */
typedef struct swe_bounds {
    real least, greatest;
} swe_bounds;

/* Decay and source of an advected field [s-1] (tracer/tracer_point.h). */
typedef struct swe_growth {
    bool is_any; /* whether one is not 0 */
    real decay, source;
} swe_growth;

typedef struct swe_params {
    swe_physics physics;
    swe_layout layout;
    swe_sbp sbp;
    swe_topology topology;
    real inverse_spacing; /* 1/D [rad-1] */
    real radius;          /* a [m] */
    real gravity;         /* g [m s-2] */
    real inverse_gravity; /* 1/g [s2 m-1] */
    real depth;        /* H0 [m] in linear equations; 1 in nonlinear ones, whose fluxes contain h */
    int exceeds_cache; /* 1: the state exceeds the CPU's caches (stages.h) */
    int marches;       /* 1: a GPU marches over the points inside the strips (stages.h) */
    int fields;        /* prognostic fields of a state, advected ones too (fields/fields.h) */
    ptrdiff_t next;    /* values from Y1 to Y2 and from Y2 to Y3 */
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
/* the fields of forcing; NULL: none. odd_<name>: the odd one of two records; NULL: one record */
#define FORCING_MEMBERS(name, NAME, count, has, varies, of) const real *name, *odd_##name;
    SWE_FORCING_LIST(FORCING_MEMBERS)
#undef FORCING_MEMBERS
    const real *wind;     /* v1, v2 [m2 s-1] and H0 J u^1, H0 J u^2 [m3 s-1] of each term of a
                             prescribed flow; NULL: none */
    const real *coriolis; /* (6, n + 1, n + 1) f at vertices [s-1]; rotational flows */
    real *scratch;        /* scratch that all stages share */
    int tile_columns;     /* most columns of a tile on a CPU (tiles_cpu.h) */
    const swe_decomposition *decomposition; /* of the panels into blocks, in host memory; NULL: each
                                               panel is a block, and metric terms have one panel */
    const swe_block *blocks; /* of the decomposition, and its shared points, in device memory; NULL
                                without one, and on the CPU */
    const swe_shared_point *shared;
    int first_block, shared_count; /* first of this rank's blocks; number of shared points */
} swe_params;

#endif
