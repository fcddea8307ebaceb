/* The equations of a model and their physical constants. */
#ifndef SWE_BASE_PHYSICS_H
#define SWE_BASE_PHYSICS_H

#include <math.h>
#include <stdbool.h>

#define SWE_PI 3.14159265358979323846

typedef enum swe_equations {
    SWE_LINEAR,    /* about a layer at rest of depth H0; h is the height above it */
    SWE_NONLINEAR, /* vector-invariant form; h is the depth of the fluid */
    SWE_EQUATIONS
} swe_equations;

/* Classical Runge-Kutta, or leapfrog of order 4 (sweeps/fused/fused_point.h). */
typedef enum swe_time_scheme { SWE_TIME_RK4, SWE_TIME_LEAPFROG4 } swe_time_scheme;

/* A prescribed velocity: the sum of terms, each a factor that depends on time alone
 * (swe_wind_factors_at) times a field of the case (cases/kind.h). */
enum { SWE_WIND_TERMS = 4 };
typedef struct swe_wind {
    int terms;          /* 1 or 4; 0: no velocity is prescribed */
    double swing, turn; /* of the factors [s-1] */
    double speed;       /* the greatest in time and space [m s-1] */
    bool diverges;
} swe_wind;

/* The bounds of advected fields: none, the values of neighbours before the step, or a range of
 * each field. */
typedef enum swe_limiter { SWE_LIMITER_NONE, SWE_LIMITER_MONOTONE, SWE_LIMITER_BOUNDS } swe_limiter;

typedef struct swe_physics {
    double gravity; /* g [m s-2]; 0 where the velocity is prescribed: there are no waves */
    double depth;   /* H0 [m]. Nonlinear: a typical depth; sqrt(g H0) is the wave speed of Courant
                       numbers and of damping */
    double radius;  /* a [m] */
    swe_equations equations;
    double rotation;     /* Omega [s-1] */
    double axis_lon;     /* longitude of the axis of rotation [degree] */
    double axis_lat;     /* its latitude [degree] */
    double edge_damping; /* sigma: damps jumps of the normal flux at panel edges; 0: none */
    double dissipation;  /* epsilon: damps the shortest waves within panels; 0: none */
    swe_time_scheme time;
    bool is_prescribed; /* the velocity, by `wind`: a flow of SWE_NONLINEAR that advects tracers,
                           and whose h stays */
    swe_wind wind;
    swe_limiter limiter;     /* of advected fields (stages/limiter) */
    double drag;             /* r of the drag -r v [s-1]; 0: none */
    double drag_of_field;    /* likewise, times a field (stages/forcing) */
    double drag_coefficient; /* c of the drag -c |u| v/h of nonlinear flows; 0: none */
    double relaxation;       /* rate at which h moves towards a field [s-1]; 0: none */
    bool has_source;         /* h has a source, v a stress (stages/forcing) */
    double records;          /* interval between records of the source, the stress and the field to
                                which h relaxes, which change linearly [s]; 0: they stay */
    double density;          /* of the fluid, for the stress [kg m-3] */
    bool has_stirring;       /* v has an acceleration that changes between steps (run/stirring.h) */
    double viscosity;        /* nu [m2 s-1], or of order 4 [m4 s-1]; 0: none (stages/viscosity) */
    int viscosity_order;     /* 2 or 4 */
    bool viscosity_of_h, viscosity_of_tracers;
} swe_physics;

/* Defaults of damping and dissipation: nonlinear flows need them, by order, to stay smooth
 * (validation/dissipation); linear flows need none. */
static inline double swe_physics_edge_damping(swe_equations equations)
{
    return equations == SWE_NONLINEAR ? 0.1 : 0.0;
}

static inline double swe_physics_dissipation(swe_equations equations, int order, bool is_moved)
{
    const double equispaced = order == 2 ? 0.1 : order == 4 ? 0.5 : 2.0;
    return equations != SWE_NONLINEAR ? 0.0
           : is_moved && order > 2    ? (order == 4 ? 2.0 : 3.75)
                                      : equispaced;
}

/* The largest dt r, or dt/T, with which RK4 is stable at every Courant number that it allows
 * without them; of r of v and 1/T of h together, the larger rate plus twice the smaller one. */
#define SWE_DRAG_LIMIT 1.7

/* The largest Courant number of a prescribed velocity, with which RK4 is stable. At a cube vertex
 * |u^1| + |u^2| is 3/sqrt(2) times the speed, and the greatest frequency inside a panel 1, 1.40,
 * 1.62 times that over the spacing: limits are 1.33, 0.95, 0.82 (validation/deformation). */
static inline double swe_wind_limit(int order)
{
    return order == 2 ? 1.2 : order == 4 ? 0.85 : 0.7;
}

/* Likewise with which the limiter keeps bounds: in a step nothing leaves a vertex that was not
 * there. At a cube vertex, whose three copies have the norm weight 1/4, 0.35 is too much. */
#define SWE_LIMITER_COURANT 0.3

/* The largest dt r with which RK4 is stable, r the rate of a decay: of a tracer, or by viscosity
 * nu lambda^k, lambda the largest eigenvalue of the Laplacian, k = order/2. Waves of frequency
 * sqrt(lambda g H0) reach their limit sqrt(8)/dt at the largest Courant number. With other terms
 * the reciprocals of the limits add up: RK4 is stable between -2.785 and each point at which it is
 * stable. */
#define SWE_DECAY_LIMIT 2.785
static inline double swe_physics_viscosity_limit(const swe_physics *physics, double spacing,
                                                 double courant_limit)
{
    const double least = physics->radius * spacing * courant_limit / sqrt(8.0);
    return SWE_DECAY_LIMIT * pow(least, physics->viscosity_order) / physics->viscosity;
}

/* The largest Courant number of a flow of any speed, `waves` without viscosity. Viscosity of h
 * damps the shortest waves, which viscosity of v leaves. */
static inline double swe_physics_flow_limit(const swe_physics *physics, double spacing,
                                            double waves, double dt)
{
    const bool is_of_scalars = physics->viscosity_of_h || physics->viscosity_of_tracers;
    const double viscous = dt / swe_physics_viscosity_limit(physics, spacing, waves);
    return is_of_scalars ? waves * fmax(1.0 - viscous, 0.0) : waves;
}

/* Courant number c dt / (a D), c = sqrt(g H0), of spacing D [rad]; c is the bound of a prescribed
 * velocity. */
static inline double swe_physics_courant(const swe_physics *physics, double spacing, double dt)
{
    const double speed =
        physics->is_prescribed ? physics->wind.speed : sqrt(physics->gravity * physics->depth);
    return speed * dt / (physics->radius * spacing);
}

/* The factors of the terms of a prescribed velocity at time t [s]: p = cos(swing t); of four terms
 * p cos(turn t), p sin(turn t), p and 1. */
static inline void swe_wind_factors_at(const swe_wind *wind, double t, double out[SWE_WIND_TERMS])
{
    const double p = cos(wind->swing * t);
    const bool turns = wind->terms > 1;
    out[0] = turns ? p * cos(wind->turn * t) : p;
    out[1] = turns ? p * sin(wind->turn * t) : 0.0;
    out[2] = turns ? p : 0.0;
    out[3] = turns ? 1.0 : 0.0;
}

/* Kind of flow, which decides the stages of a step. */
typedef enum swe_flow {
    SWE_FLOW_NONROTATING, /* linear, without rotation */
    SWE_FLOW_ROTATING,    /* linear, with the Coriolis force f k x u or with forcing */
    SWE_FLOW_NONLINEAR,   /* with the vorticity force (zeta + f) k x u */
    SWE_FLOWS
} swe_flow;

/* THE FIELDS OF FORCING, which the stage forcing reads (forcing_point.h): FIELD(name, NAME, count,
 * has, varies, of): 1, at vertices, or 3, as h, v1 and v2 of a state; whether a physics has it, and
 * whether then records in time, if it has any; whether it belongs to a term (SWE_TERM_LIST).
 *   - target: h towards which h relaxes [m]
 *   - drag: factor of the drag
 *   - source: the source of h [m s-1], and the covariant stress [kg s-2]
 *   - stirring: the covariant acceleration [m2 s-2]; 0 for h */
#define SWE_FORCING_LIST(FIELD)                                                                    \
    FIELD(target, TARGET, 1, physics->relaxation != 0.0, true, term == SWE_TERM_relaxation)        \
    FIELD(drag, DRAG, 1, physics->drag_of_field != 0.0, false, term == SWE_TERM_drag)              \
    FIELD(source, SOURCE, 3, physics->has_source, true,                                            \
          term == SWE_TERM_source || term == SWE_TERM_stress)                                      \
    FIELD(stirring, STIRRING, 3, physics->has_stirring, false, term == SWE_TERM_stirring)

/* Number of fields that the stage forcing reads, two records of each that varies. */
static inline int swe_physics_forcing_fields(const swe_physics *physics)
{
    int fields = 0;
#define COUNT_FIELDS(name, NAME, count, has, varies, of)                                           \
    fields += (has) ? (count) * ((varies) && physics->records > 0.0 ? 2 : 1) : 0;
    SWE_FORCING_LIST(COUNT_FIELDS)
#undef COUNT_FIELDS
    return fields;
}

/* Whether a step depends on its time. */
static inline bool swe_physics_is_timed(const swe_physics *physics)
{
    return physics->is_prescribed || physics->records > 0.0;
}

/* The weight of the odd one of two records at time t [s]; `within`, such as the middle of a step,
 * is between the two. */
static inline double swe_physics_odd_record(const swe_physics *physics, double t, double within)
{
    if (physics->records <= 0.0)
        return 0.0;
    const double record = floor(within / physics->records), after = t / physics->records - record;
    return fmod(record, 2.0) == 0.0 ? after : 1.0 - after;
}

/* Whether the flow has a term of section forcing. */
static inline bool swe_physics_is_forced(const swe_physics *physics)
{
    return physics->drag != 0.0 || physics->drag_coefficient != 0.0 || physics->viscosity != 0.0 ||
           swe_physics_forcing_fields(physics) > 0;
}

/* THE TERMS that change energy or mass in addition to the flow's equations: the terms of section
 * forcing; damping and dissipation. TERM(name, whether a physics has it). */
#define SWE_TERM_LIST(TERM)                                                                        \
    TERM(drag, physics->drag != 0.0 || physics->drag_of_field != 0.0 ||                            \
                   physics->drag_coefficient != 0.0)                                               \
    TERM(relaxation, physics->relaxation != 0.0)                                                   \
    TERM(source, physics->has_source)                                                              \
    TERM(stress, physics->has_source)                                                              \
    TERM(stirring, physics->has_stirring)                                                          \
    TERM(viscosity, physics->viscosity != 0.0)                                                     \
    TERM(dissipation, physics->edge_damping > 0.0 || physics->dissipation > 0.0)

typedef enum swe_term {
#define SWE_TERM_ENUM(name, has) SWE_TERM_##name,
    SWE_TERM_LIST(SWE_TERM_ENUM)
#undef SWE_TERM_ENUM
        SWE_TERMS
} swe_term;

static inline bool swe_term_changes_mass(swe_term term)
{
    return term == SWE_TERM_relaxation || term == SWE_TERM_source;
}

static inline swe_flow swe_physics_flow(const swe_physics *physics)
{
    return physics->equations == SWE_NONLINEAR                          ? SWE_FLOW_NONLINEAR
           : physics->rotation != 0.0 || swe_physics_is_forced(physics) ? SWE_FLOW_ROTATING
                                                                        : SWE_FLOW_NONROTATING;
}

static inline const char *swe_flow_name(swe_flow flow)
{
    return flow == SWE_FLOW_NONROTATING ? "non-rotating"
           : flow == SWE_FLOW_ROTATING  ? "rotating"
                                        : "nonlinear";
}

/* Run `call` with EQUATIONS a compile-time constant equal to `equations`. */
#define SWE_WITH_EQUATIONS(equations, call)                                                        \
    do {                                                                                           \
        if ((equations) == SWE_NONLINEAR) {                                                        \
            const swe_equations EQUATIONS = SWE_NONLINEAR;                                         \
            call;                                                                                  \
        } else {                                                                                   \
            const swe_equations EQUATIONS = SWE_LINEAR;                                            \
            call;                                                                                  \
        }                                                                                          \
    } while (0)

#endif
