#include "time/exchanges.h"

enum { MOST_EXCHANGES = 4 };

/* What a call of a stage exchanges, in the order of its exchanges: numbers of fields, 0 after the
 * last; of those with a minus sign foreign copies alone. A stage without a line exchanges nothing.
 */
static const int exchanged[SWE_STAGE_COUNT][MOST_EXCHANGES] = {
    [SWE_STAGE_contravariant] = {1, 2}, /* a cross term; F1 and F2 */
    [SWE_STAGE_bernoulli] = {1},        /* head */
    [SWE_STAGE_vorticity] = {1, 2, 1},  /* a mean; both shears; vorticity */
    [SWE_STAGE_coriolis] = {2},         /* W_k */
    [SWE_STAGE_sat] = {-6, 1},          /* velocities at edges; dh */
    [SWE_STAGE_rk4] = {3},              /* h, v1, v2 */
    [SWE_STAGE_fused] = {3},            /* h, v1, v2 */
    [SWE_STAGE_transport] = {3},        /* h, W_k; nonlinear: head and edge_vorticity, too */
    [SWE_STAGE_momentum] = {2},         /* v1, v2 */
    [SWE_STAGE_tracer] = {1, 4, 1},     /* c; g_k and e_k; q */
    [SWE_STAGE_damping] = {-1, 2},      /* fluxes out of sides; v1, v2 */
    [SWE_STAGE_dissipation] = {3, 2, 2} /* s U; Z . a_k; v1, v2 */
};
enum { TRANSPORT_NONLINEAR = 2 }; /* more fields */

static void add_stage(swe_exchanges *out, const swe_step_plan *plan, int stage)
{
    const int calls = swe_plan_calls(plan, stage);
    for (int k = 0; k < MOST_EXCHANGES && exchanged[stage][k] != 0; k++) {
        const int fields = exchanged[stage][k];
        out->count += calls;
        out->fields += fields > 0 ? calls * fields : 0;
        out->foreign_fields += fields < 0 ? calls * -fields : 0;
    }
    if (stage == SWE_STAGE_transport && plan->flow == SWE_FLOW_NONLINEAR)
        out->fields += calls * TRANSPORT_NONLINEAR;
}

swe_exchanges swe_exchanges_of_step(const swe_step_plan *plan)
{
    swe_exchanges all = {0, 0, 0};
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
        values += (double)exchanges->fields * received->count +
                  (double)exchanges->foreign_fields * (received->count - received->ghost_count);
    }
    return values * size;
}
