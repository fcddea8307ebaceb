/* The exchange of a stage on the CPU: what blocks read of each other (decomposition.h), those of
 * other ranks in messages. */
#ifndef SWE_STAGES_EXCHANGE_CPU_H
#define SWE_STAGES_EXCHANGE_CPU_H

#include "stages/execution.h"
#include "stages/params.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A field to exchange: its ghosts, which operators read, its foreign copies, which are averaged, or
 * both. */
enum { SWE_GHOSTS = 1, SWE_FOREIGN = 2 };

typedef struct swe_exchanged_field {
    real *values;
    int what;
} swe_exchanged_field;

/* Wait for the team's other threads; then fill the ghosts and the foreign copies of `count` fields
 * from the own points of their blocks. Without a decomposition only wait. All threads of a team
 * call it. */
void swe_exchange_cpu(const swe_execution *execution, const swe_params *params, int count,
                      const swe_exchanged_field fields[]) REAL_SYMBOL(swe_exchange_cpu);

/* The same for a list: EXCHANGE(execution, params, EXCHANGE_BOTH(h), EXCHANGE_GHOSTS(v1)). */
#define EXCHANGE_BOTH(field)                                                                       \
    {                                                                                              \
        field, SWE_GHOSTS | SWE_FOREIGN                                                            \
    }
#define EXCHANGE_GHOSTS(field)                                                                     \
    {                                                                                              \
        field, SWE_GHOSTS                                                                          \
    }
#define EXCHANGE_FOREIGN(field)                                                                    \
    {                                                                                              \
        field, SWE_FOREIGN                                                                         \
    }
#define EXCHANGE(execution, params, ...)                                                           \
    do {                                                                                           \
        const swe_exchanged_field to_exchange[] = {__VA_ARGS__};                                   \
        enum { EXCHANGED = sizeof to_exchange / sizeof *to_exchange };                             \
        swe_exchange_cpu(execution, params, EXCHANGED, to_exchange);                               \
        typedef char at_most[(int)EXCHANGED <= (int)SWE_MOST_EXCHANGED ? 1 : -1];                  \
        (void)sizeof(at_most);                                                                     \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
