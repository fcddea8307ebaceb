/* The equations of a model and their constants. */
#ifndef SWE_BASE_PHYSICS_H
#define SWE_BASE_PHYSICS_H

typedef enum swe_equations {
    SWE_LINEAR,   /* about a layer at rest of depth H0; h is the height above it */
    SWE_NONLINEAR /* vector-invariant; h is the depth of the fluid */
} swe_equations;

typedef struct swe_physics {
    double gravity; /* g [m s-2] */
    double depth;   /* H0 [m]; of the nonlinear equations a typical depth: sqrt(g H0) is the wave
                       speed of Courant numbers and of damping */
    double radius;  /* a [m] */
    swe_equations equations;
    double rotation;     /* Omega [s-1] */
    double axis_lon;     /* where the axis of rotation leaves the sphere [degree] */
    double axis_lat;     /* likewise */
    double edge_damping; /* sigma, of the jump of the normal flux at panel edges; 0: none */
    double dissipation;  /* epsilon, of the shortest waves within panels; 0: none */
} swe_physics;

/* What a step has to do for such physics. */
typedef enum swe_flow {
    SWE_FLOW_NONROTATING, /* linear on a sphere that does not turn: nothing turns the flow */
    SWE_FLOW_ROTATING,    /* linear, turned by the Coriolis parameter */
    SWE_FLOW_NONLINEAR,   /* turned by the absolute vorticity */
    SWE_FLOWS
} swe_flow;

static inline swe_flow swe_physics_flow(const swe_physics *physics)
{
    return physics->equations == SWE_NONLINEAR ? SWE_FLOW_NONLINEAR
           : physics->rotation != 0.0          ? SWE_FLOW_ROTATING
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
