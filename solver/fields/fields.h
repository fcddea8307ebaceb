/* THE FIELDS, declared once: the prognostic fields of a state, and the work arrays that pass data
 * between the stages of a step.
 *
 * A state holds its prognostic fields one after the other, in the order of their set and in the
 * layout of grid/layout.h: h, v1 and v2 of the flow, then the fields that the flow advects. Their
 * number is known when a model is created. Allocation, projection, the check for finite values,
 * integrals, checkpoints, field files and the estimate of memory loop over the set. */
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

/* The quantity that a state holds of a field. */
typedef enum swe_field_kind {
    SWE_OF_FLOW, /* the field itself */
    SWE_ADVECTED /* q = h c of a concentration c, at vertices. Files and diagnostics contain c;
                    units and long name describe c */
} swe_field_kind;

enum { SWE_FIELD_NAME = 32, SWE_FIELD_LONG_NAME = 80 };

typedef struct swe_field {
    char name[SWE_FIELD_NAME], long_name[SWE_FIELD_LONG_NAME];
    const char *units; /* static */
    swe_location location;
    swe_field_kind kind;
    double least, greatest; /* bounds of the concentration of an advected field, for the limiter */
    double decay, source;   /* of it: dc/dt = ... - decay c + source [s-1] */
} swe_field;

/* Prognostic fields: the fields of the flow, then advected fields. The configuration or model that
 * holds a set owns its array; the array of swe_flow_fields is static. */
typedef struct swe_field_set {
    int count;
    const swe_field *field;
} swe_field_set;

/* The fields of the flow: h, v1, v2. */
enum { SWE_FIELD_H, SWE_FIELD_V1, SWE_FIELD_V2, SWE_FLOW_FIELDS };
extern const swe_field_set swe_flow_fields;

/* THE GROUPS of prognostic fields, in the order of a state. A configuration decides the fields of a
 * group, checks their keys and defines their initial values (config/field_groups.h). */
#define SWE_FIELD_GROUPS(GROUP)                                                                    \
    GROUP(flow)                                                                                    \
    GROUP(tracers)

/* Number of rows (j) and columns (i) of a panel of a field at vertices, U1 or U2. */
int swe_field_rows(const swe_field *field, int n);
int swe_field_columns(const swe_field *field, int n);

/* Number of values of an array at the points of `location`, with padding. */
size_t swe_location_values(swe_location location, int n);

/* Number of values of a state with these fields, with padding. */
size_t swe_state_values(const swe_field_set *fields, int n);

/* Bits for the flows that use an array or a stage. */
enum {
    SWE_IN_NONROTATING = 1 << SWE_FLOW_NONROTATING,
    SWE_IN_ROTATING = 1 << SWE_FLOW_ROTATING,
    SWE_IN_NONLINEAR = 1 << SWE_FLOW_NONLINEAR,
    SWE_IN_LINEAR = SWE_IN_NONROTATING | SWE_IN_ROTATING,
    SWE_IN_ROTATIONAL = SWE_IN_ROTATING | SWE_IN_NONLINEAR,
    SWE_IN_ALL_FLOWS = SWE_IN_NONROTATING | SWE_IN_ROTATIONAL
};

/*  WORK(name, long name, units, location, flows, stages)
 *
 *  A model has a work array if its flow is one of `flows` and its steps call one of `stages`
 *  (SWE_BY, time/plan.h). F1, F2, cross1, cross2 and edge have the unit m3 s-1 in the nonlinear
 *  equations.
 *
 *  W is the potential-vorticity flux -(zeta + f) k x u, in the linear equations -f k x u;
 *  W_k = W . a_k are its covariant components. Stages reuse cross1 and cross2:
 *
 *  - contravariant: J g^12 Pcv_k v_k, nonlinear times h; cross1 is a term of F2, cross2 of F1,
 *  - vorticity: the mean Pcv_k v_k [m2 s-1],
 *  - coriolis: W_k [m2 s-2],
 *  - tracer: F_k times the mean of a concentration, at the points of F_k.
 *
 *  Viscosity writes the fluxes and gradients of Cartesian velocities to F, cross, edge and slope,
 *  with units of its own, and its force to velocity_x and velocity_y; likewise of a scalar, which
 *  is in velocity_x. */
#define SWE_WORK_LIST(WORK)                                                                        \
    WORK(cross1, "cross term of F2, then a mean or W1", "m2 s-1", SWE_AT_VERTICES,                 \
         SWE_IN_ALL_FLOWS, SWE_BY(contravariant) | SWE_BY(viscosity) | SWE_BY(tracer))             \
    WORK(cross2, "cross term of F1, then a mean or W2", "m2 s-1", SWE_AT_VERTICES,                 \
         SWE_IN_ALL_FLOWS, SWE_BY(contravariant) | SWE_BY(viscosity) | SWE_BY(tracer))             \
    WORK(f1, "contravariant flux J u^1; nonlinear: times h", "m2 s-1", SWE_AT_U1,                  \
         SWE_IN_ALL_FLOWS, SWE_BY(contravariant) | SWE_BY(viscosity) | SWE_BY(wind))               \
    WORK(f2, "contravariant flux J u^2; nonlinear: times h", "m2 s-1", SWE_AT_U2,                  \
         SWE_IN_ALL_FLOWS, SWE_BY(contravariant) | SWE_BY(viscosity) | SWE_BY(wind))               \
    WORK(edge, "consensus flux out of side a of each edge", "m2 s-1", SWE_ON_EDGES,                \
         SWE_IN_ALL_FLOWS, SWE_BY(sat) | SWE_BY(viscosity))                                        \
    WORK(vorticity, "relative vorticity", "s-1", SWE_AT_VERTICES, SWE_IN_NONLINEAR,                \
         SWE_BY(vorticity))                                                                        \
    WORK(head, "Bernoulli head h + b + K/g", "m", SWE_AT_VERTICES, SWE_IN_NONLINEAR,               \
         SWE_BY(bernoulli) | SWE_BY(transport) | SWE_BY(tracer))                                   \
    WORK(pv_flux1, "W1", "m2 s-2", SWE_AT_VERTICES, SWE_IN_ROTATIONAL, SWE_BY(transport))          \
    WORK(pv_flux2, "W2", "m2 s-2", SWE_AT_VERTICES, SWE_IN_ROTATIONAL, SWE_BY(transport))          \
    WORK(edge_vorticity, "vorticity of each panel at its sides", "s-1", SWE_ON_SIDES,              \
         SWE_IN_ROTATIONAL, SWE_BY(transport))                                                     \
    WORK(slope1, "F1 times the difference of a concentration; gradient of a velocity", "m3 s-1",   \
         SWE_AT_U1, SWE_IN_ROTATIONAL, SWE_BY(tracer) | SWE_BY(viscosity))                         \
    WORK(slope2, "F2 times the difference of a concentration; gradient of a velocity", "m3 s-1",   \
         SWE_AT_U2, SWE_IN_ROTATIONAL, SWE_BY(tracer) | SWE_BY(viscosity))                         \
    WORK(velocity_x, "Cartesian velocity, or its Laplacian", "m s-1", SWE_AT_VERTICES,             \
         SWE_IN_ROTATIONAL, SWE_BY(viscosity))                                                     \
    WORK(velocity_y, "Cartesian velocity, or its Laplacian", "m s-1", SWE_AT_VERTICES,             \
         SWE_IN_ROTATIONAL, SWE_BY(viscosity))                                                     \
    WORK(velocity_z, "Cartesian velocity, or its Laplacian", "m s-1", SWE_AT_VERTICES,             \
         SWE_IN_ROTATIONAL, SWE_BY(viscosity))

enum {
#define SWE_WORK_ENUM(name, long_name, units, location, flows, stages) SWE_WORK_##name,
    SWE_WORK_LIST(SWE_WORK_ENUM)
#undef SWE_WORK_ENUM
        SWE_WORK_COUNT
};

extern const swe_field swe_work_fields[SWE_WORK_COUNT];

/* ---- arrays in the backend's memory, in one precision (base/real.h) -------------------------- */

/* The flow's fields of a state or a tendency: h, v1, v2 one after the other. In a state the
 * advected fields follow. */
typedef struct swe_fields {
    real *h, *v1, *v2;
} swe_fields;

/* h, v1, v2 of a state that starts at `base`. */
SWE_POINT swe_fields swe_fields_at(const swe_layout *layout, real *base)
{
    const swe_fields fields = {base, base + layout->field, base + 2 * layout->field};
    return fields;
}

/* Fields that steps do not compute: the bottom b; the fields of forcing (base/physics.h), of
 * records in time the even and the odd one of the two around the present; velocity and volume flux
 * of each term of a prescribed flow, in turn. */
typedef enum swe_constant {
    SWE_BOTTOM,
#define SWE_FORCING_CONSTANTS(name, NAME, count, has, varies, of) SWE_##NAME, SWE_ODD_##NAME,
    SWE_FORCING_LIST(SWE_FORCING_CONSTANTS)
#undef SWE_FORCING_CONSTANTS
        SWE_WIND,
    SWE_CONSTANTS = SWE_WIND + 2 * SWE_WIND_TERMS
} swe_constant;

/* Fields of each limited tracer (stages/limiter/limiter_point.h). */
enum { SWE_LIMITED_FIELDS = 5 };

/* Work arrays; NULL if no step of the model uses them. */
typedef struct swe_work {
#define SWE_WORK_MEMBER(name, long_name, units, location, flows, stages) real *name;
    SWE_WORK_LIST(SWE_WORK_MEMBER)
#undef SWE_WORK_MEMBER
} swe_work;

/* All arrays of a time step. */
typedef struct swe_step_fields {
    swe_fields y;    /* the state */
    swe_fields next; /* Y1; Y2 and Y3 begin params->next and 2 params->next values after it */
    swe_fields k;    /* a tendency; NULL if only the fused pipeline runs */
    swe_work work;
    const swe_field *prognostic; /* fields of a state */
    real *limited; /* SWE_LIMITED_FIELDS fields of each advected field; NULL: none is limited */
    double *rows;  /* integrals of each row (stages/integrals/integrals.h) */
} swe_step_fields;

#ifdef __cplusplus
}
#endif
#endif
