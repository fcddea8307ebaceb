/* Tuning knobs: numbers that change the time of a step, not its result, without a rebuild.
 *
 * The environment variable CUBESWE_TUNING sets them: "march_blocks=1,graph_steps=32". */
#ifndef SWE_BASE_TUNING_H
#define SWE_BASE_TUNING_H

#include <stddef.h>
#include <stdio.h>

#include "base/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/*  KNOB(name, default, least, most, meaning) */
#define SWE_TUNING_LIST(KNOB)                                                                      \
    KNOB(march_blocks, 2, 0, 32,                                                                   \
         "blocks a multiprocessor that a march of the fused stage is cut for; 0: as many as fit")  \
    KNOB(graph_steps, SWE_RECORDED_STEPS, 0, 1024,                                                 \
         "steps that a CUDA graph has, an even number; 0: no graphs")                              \
    KNOB(exchange_delay, 0, 0, 100000,                                                             \
         "microseconds that messages between ranks take at least: a slower network")               \
    KNOB(peaks, 1, 0, 1,                                                                           \
         "1: runs with a profile measure peak rates, which takes seconds; 0: they have none")      \
    KNOB(patience, 100, 1, 1000,                                                                   \
         "percent of the time for which bench, profile and peak rates measure")

/* Steps of a CUDA graph by default: some hundred kernels. */
enum { SWE_RECORDED_STEPS = 16 };

enum {
#define SWE_TUNING_ENUM(name, standard, least, most, meaning) SWE_TUNING_##name,
    SWE_TUNING_LIST(SWE_TUNING_ENUM)
#undef SWE_TUNING_ENUM
        SWE_TUNING_COUNT
};

typedef struct swe_knob {
    const char *name;
    int standard, least, most;
    const char *meaning;
} swe_knob;

extern const swe_knob swe_knobs[SWE_TUNING_COUNT];

/* Value of the knob SWE_TUNING_<name>; the default before swe_tuning_load. */
int swe_tuning(int knob);

/* Time of a measurement that takes `seconds` by default: the knob patience. */
double swe_tuning_patience(double seconds);

/* Set the knobs that CUBESWE_TUNING names, and the others to their defaults. Call before threads
 * start. Errors: SWE_CONFIG; all knobs then have their defaults. */
swe_status swe_tuning_load(swe_context *ctx);

/* Knobs that differ from their defaults, in the syntax of CUBESWE_TUNING; "" if none does. */
void swe_tuning_text(char *text, size_t size);

/* Write a Markdown table of all knobs. */
void swe_tuning_write_reference(FILE *file);

#ifdef __cplusplus
}
#endif
#endif
