/* The exchange of a stage on the CPU: what blocks read of each other (decomposition.h), those of
 * other ranks in messages. */
#ifndef SWE_STAGES_EXCHANGE_CPU_H
#define SWE_STAGES_EXCHANGE_CPU_H

#include "stages/execution.h"
#include "stages/params.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Wait for the team's other threads; then fill the ghosts and the foreign copies of `count` fields
 * from the own points of their blocks. Without a decomposition only wait. All threads of a team
 * call it. */
void swe_exchange_cpu(const swe_execution *execution, const swe_params *params, int count,
                      real *const fields[]) REAL_SYMBOL(swe_exchange_cpu);

/* The same for foreign copies alone, of fields that no operator reads at a distance. */
void swe_exchange_foreign_cpu(const swe_execution *execution, const swe_params *params, int count,
                              real *const fields[]) REAL_SYMBOL(swe_exchange_foreign_cpu);

/* Both for a list of fields. */
#define EXCHANGE_BY(exchange, execution, params, ...)                                              \
    do {                                                                                           \
        real *const to_exchange[] = {__VA_ARGS__};                                                 \
        enum { EXCHANGED = sizeof to_exchange / sizeof *to_exchange };                             \
        exchange(execution, params, EXCHANGED, to_exchange);                                       \
        typedef char at_most[(int)EXCHANGED <= (int)SWE_MOST_EXCHANGED ? 1 : -1];                  \
        (void)sizeof(at_most);                                                                     \
    } while (0)
#define EXCHANGE(execution, params, ...)                                                           \
    EXCHANGE_BY(swe_exchange_cpu, execution, params, __VA_ARGS__)
#define EXCHANGE_FOREIGN(execution, params, ...)                                                   \
    EXCHANGE_BY(swe_exchange_foreign_cpu, execution, params, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
