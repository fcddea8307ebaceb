/* THE FIELDS, declared once: the prognostic fields of a state, and the work arrays that pass data
 * between the stages of a step.
 *
 * Allocation, the Runge-Kutta update, the check for finite values, checkpoints, field files and the
 * estimate of memory loop over these lists. A state holds its prognostic fields one after the
 * other, in the order of the list and in the layout of grid/layout.h. */
#ifndef SWE_FIELDS_FIELDS_H
#define SWE_FIELDS_FIELDS_H

#include <stdbool.h>

#include "base/physics.h"
#include "base/real.h"
#include "grid/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Points at which a field has values, and the shape of its array. */
typedef enum swe_location {
    SWE_AT_VERTICES, /* (6, n+1, n+1) */
    SWE_AT_U1,       /* (6, n+1, n)   of v1 and F1: cell along xi1, vertex along xi2 */
    SWE_AT_U2,       /* (6, n, n+1)   of v2 and F2: vertex along xi1, cell along xi2 */
    SWE_ON_EDGES,    /* (12, n+1)     points of the edges of the cube */
    SWE_ON_SIDES     /* (6, 4, n+1)   points of the sides of each panel */
} swe_location;

typedef struct swe_field {
    const char *name, *long_name, *units;
    swe_location location;
} swe_field;

typedef struct swe_field_set {
    int count;
    const swe_field *field;
} swe_field_set;

/* The prognostic fields: h, v1, v2. */
enum { SWE_FIELD_H, SWE_FIELD_V1, SWE_FIELD_V2, SWE_FIELD_COUNT };
extern const swe_field_set swe_prognostic;

/* Number of rows (j) and columns (i) of a panel of a field at vertices, U1 or U2. */
int swe_field_rows(const swe_field *field, int n);
int swe_field_columns(const swe_field *field, int n);

/* Number of values of an array at such points, with padding. */
size_t swe_location_values(swe_location location, int n);

/* Number of values of a state with these fields, with padding. */
size_t swe_state_values(const swe_field_set *fields, int n);

/* Bits for the flows and pipelines that use an array or a stage. */
enum {
    SWE_IN_NONROTATING = 1 << SWE_FLOW_NONROTATING,
    SWE_IN_ROTATING = 1 << SWE_FLOW_ROTATING,
    SWE_IN_NONLINEAR = 1 << SWE_FLOW_NONLINEAR,
    SWE_IN_ROTATIONAL = SWE_IN_ROTATING | SWE_IN_NONLINEAR,
    SWE_IN_ALL_FLOWS = SWE_IN_NONROTATING | SWE_IN_ROTATIONAL
};
enum { SWE_IN_FUSED = 1, SWE_IN_STAGED = 2 };

/*  WORK(name, long name, units, location, flows, pipelines)
 *
 *  W is the potential-vorticity flux -q k x (h u), q = (zeta + f)/h; in the linear equations
 *  -f k x u. */
#define SWE_WORK_LIST(WORK)                                                                        \
    WORK(cross1, "cross term of F1, then a mean or W1", "m2 s-1", SWE_AT_VERTICES,                 \
         SWE_IN_ALL_FLOWS, SWE_IN_STAGED)                                                          \
    WORK(cross2, "cross term of F2, then a mean or W2", "m2 s-1", SWE_AT_VERTICES,                 \
         SWE_IN_ALL_FLOWS, SWE_IN_STAGED)                                                          \
    WORK(f1, "contravariant flux J u^1; nonlinear: times h", "m2 s-1", SWE_AT_U1,                  \
         SWE_IN_ALL_FLOWS, SWE_IN_STAGED)                                                          \
    WORK(f2, "contravariant flux J u^2; nonlinear: times h", "m2 s-1", SWE_AT_U2,                  \
         SWE_IN_ALL_FLOWS, SWE_IN_STAGED)                                                          \
    WORK(edge, "consensus flux out of side a of each edge", "m2 s-1", SWE_ON_EDGES,                \
         SWE_IN_ALL_FLOWS, SWE_IN_STAGED)                                                          \
    WORK(vorticity, "relative vorticity", "s-1", SWE_AT_VERTICES, SWE_IN_NONLINEAR, SWE_IN_STAGED) \
    WORK(head, "Bernoulli head h + b + K/g", "m", SWE_AT_VERTICES, SWE_IN_NONLINEAR,               \
         SWE_IN_STAGED | SWE_IN_FUSED)                                                             \
    WORK(pv_flux1, "W1", "m2 s-2", SWE_AT_VERTICES, SWE_IN_ROTATIONAL, SWE_IN_FUSED)               \
    WORK(pv_flux2, "W2", "m2 s-2", SWE_AT_VERTICES, SWE_IN_ROTATIONAL, SWE_IN_FUSED)               \
    WORK(edge_vorticity, "vorticity of each panel at its sides", "s-1", SWE_ON_SIDES,              \
         SWE_IN_ROTATIONAL, SWE_IN_FUSED)

enum {
#define SWE_WORK_ENUM(name, long_name, units, location, flows, pipelines) SWE_WORK_##name,
    SWE_WORK_LIST(SWE_WORK_ENUM)
#undef SWE_WORK_ENUM
        SWE_WORK_COUNT
};

extern const swe_field swe_work_fields[SWE_WORK_COUNT];

/* Whether steps of a flow by these pipelines (bits) use a work array. */
bool swe_work_is_needed(int work, swe_flow flow, int pipelines);

/* ---- arrays in the backend's memory, in one precision (base/real.h) -------------------------- */

/* A state or a tendency: h, v1, v2 one after the other. */
typedef struct swe_fields {
    real *h, *v1, *v2;
} swe_fields;

/* h, v1, v2 of a state that starts at `base`. */
SWE_POINT swe_fields swe_fields_at(const swe_layout *layout, real *base)
{
    const swe_fields fields = {base, base + layout->field, base + 2 * layout->field};
    return fields;
}

/* Work arrays; NULL if neither the flow nor a pipeline of the model uses them. */
typedef struct swe_work {
#define SWE_WORK_MEMBER(name, long_name, units, location, flows, pipelines) real *name;
    SWE_WORK_LIST(SWE_WORK_MEMBER)
#undef SWE_WORK_MEMBER
} swe_work;

/* All arrays of a time step. */
typedef struct swe_step_fields {
    swe_fields y;    /* the state */
    swe_fields next; /* Y1, the first of the states Y1 to Y3, params->next values apart */
    swe_fields k;    /* a tendency; NULL if only the fused pipeline runs */
    swe_work work;
} swe_step_fields;

#ifdef __cplusplus
}
#endif
#endif
