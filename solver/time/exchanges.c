#include "time/exchanges.h"

enum { MOST_EXCHANGES = 6 };

/* The exchanges of a call of a stage, in their order: number of fields of which both, only ghosts,
 * or only foreign copies are exchanged. A stage without a line exchanges nothing. */
static const struct {
    int both, ghosts, foreign;
} exchanged[SWE_STAGE_COUNT][MOST_EXCHANGES] = {
    [SWE_STAGE_contravariant] = {{0, 1, 0}, {0, 2, 0}},        /* a cross term; F1, F2 */
    [SWE_STAGE_bernoulli] = {{1, 0, 0}},                       /* head */
    [SWE_STAGE_vorticity] = {{0, 1, 0}, {0, 2, 0}, {1, 0, 0}}, /* a mean; shears; vorticity */
    [SWE_STAGE_coriolis] = {{2, 0, 0}},                        /* W1, W2 */
    [SWE_STAGE_sat] = {{0, 0, 6}, {1, 0, 0}},                  /* velocities at sides; dh */
    [SWE_STAGE_rk4] = {{1, 2, 0}},                             /* h, v1, v2 */
    [SWE_STAGE_forcing] = {{1, 2, 0}},                         /* h, v1, v2 */
    [SWE_STAGE_wind] = {{1, 2, 0}},                            /* h, F1, F2; see below */
    [SWE_STAGE_viscosity] = {{3, 0, 0}, {0, 2, 0}, {0, 2, 0}}, /* U; force; v1, v2; see below */
    [SWE_STAGE_fused] = {{2, 0, 0}},                           /* h1, h2; h, mean; see below */
    [SWE_STAGE_transport] = {{3, 0, 0}},                       /* h, W1, W2; see below */
    [SWE_STAGE_momentum] = {{0, 2, 0}},                        /* v1, v2 */
    [SWE_STAGE_tracer] = {{0, 1, 0}, {0, 4, 0}, {1, 0, 0}},    /* c; g_k, e_k; q */
    [SWE_STAGE_limiter] = {{0, 1, 0}, {0, 2, 0}, {1, 0, 0}, {0, 2, 0}, {0, 2, 0}, {1, 0, 0}}, /* c;
                                                             fluxes; q; parts; fluxes; q */
    [SWE_STAGE_damping] = {{0, 0, 1}, {0, 2, 0}},                 /* fluxes out of sides; v1, v2 */
    [SWE_STAGE_dissipation] = {{3, 0, 0}, {2, 0, 0}, {0, 2, 0}}}; /* s U; Z . a_k; v1, v2 */
enum { OF_NONLINEAR_TRANSPORT = 2 };                              /* head and edge_vorticity, too */

static void add_calls(swe_exchanges *out, int stage, int calls)
{
    for (int k = 0; k < MOST_EXCHANGES; k++) {
        const int both = exchanged[stage][k].both, ghosts = exchanged[stage][k].ghosts,
                  foreign = exchanged[stage][k].foreign;
        out->count += both + ghosts + foreign > 0 ? calls : 0;
        out->both += calls * both;
        out->ghosts += calls * ghosts;
        out->foreign += calls * foreign;
    }
}

/* Viscosity calls contravariant for v, and for each power of the Laplacian the stages of three
 * components and of the scalars. It exchanges the gradient of each itself, at order 4 also Z; a
 * scalar before each power, and its field. */
static void add_viscosity(swe_exchanges *out, const swe_step_plan *plan, int calls)
{
    const int laplacians = plan->viscous, scalars = plan->viscous_scalars * calls,
              components = (3 * calls + scalars) * laplacians;
    add_calls(out, SWE_STAGE_contravariant, calls + components);
    add_calls(out, SWE_STAGE_sat, components);
    out->count += components + (laplacians - 1) * calls + (laplacians + 1) * scalars;
    out->ghosts += 2 * components + 3 * (laplacians - 1) * calls + laplacians * scalars;
    out->both += scalars;
}

static void add_stage(swe_exchanges *out, const swe_step_plan *plan, int stage)
{
    const int calls = swe_plan_calls(plan, stage);
    add_calls(out, stage, calls);
    if (stage == SWE_STAGE_forcing && plan->drags)
        add_calls(out, SWE_STAGE_bernoulli, calls);
    if (stage == SWE_STAGE_viscosity && calls > 0)
        add_viscosity(out, plan, calls);
    if (stage == SWE_STAGE_fused && plan->leaps) /* mean; h */
        out->both -= calls;
    if (stage == SWE_STAGE_fused && calls > 0 && (plan->damps || plan->dissipates)) { /* v */
        out->count++;
        out->ghosts += 2;
    }
    if (stage == SWE_STAGE_wind && calls > 0) { /* v1, v2 at the end of the step */
        out->count++;
        out->ghosts += 2;
    }
    if (stage == SWE_STAGE_transport && plan->flow == SWE_FLOW_NONLINEAR)
        out->both += calls * OF_NONLINEAR_TRANSPORT;
}

swe_exchanges swe_exchanges_of_step(const swe_step_plan *plan)
{
    swe_exchanges all = {0, 0, 0, 0};
    for (int stage = 0; stage < SWE_STAGE_COUNT; stage++)
        add_stage(&all, plan, stage);
    return all;
}

double swe_exchanges_bytes(const swe_exchanges *exchanges, const swe_decomposition *decomposition,
                           int size)
{
    double values = 0.0;
    for (int m = 0; m < decomposition->neighbour_count; m++) {
        const swe_values *received = &decomposition->neighbour[m].received;
        const double ghosts = received->ghost_count, foreign = received->count - ghosts;
        values += (exchanges->both + exchanges->ghosts) * ghosts +
                  (exchanges->both + exchanges->foreign) * foreign;
    }
    return values * size;
}
