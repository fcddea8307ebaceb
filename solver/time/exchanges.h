/* THE EXCHANGES of a step (stages/decomposition.h): the number of exchanges of its stages, and the
 * number of exchanged fields. An exchange sends at most one message to each neighbouring rank. */
#ifndef SWE_TIME_EXCHANGES_H
#define SWE_TIME_EXCHANGES_H

#include "time/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct swe_exchanges {
    int count; /* exchanges */
    int both, ghosts,
        foreign; /* fields with ghosts and foreign copies, ghosts only, foreign copies only */
} swe_exchanges;

/* The exchanges of a step of a plan, without the exchange of v in swe_complete (step.h). */
swe_exchanges swe_exchanges_of_step(const swe_step_plan *plan);

/* Bytes that the exchanges bring to a rank with this decomposition, of values of `size` bytes. */
double swe_exchanges_bytes(const swe_exchanges *exchanges, const swe_decomposition *decomposition,
                           int size);

#ifdef __cplusplus
}
#endif
#endif
