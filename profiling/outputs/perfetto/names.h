/* Names that a trace file writes once and then refers to by a number. */
#ifndef PROFILING_OUTPUTS_PERFETTO_NAMES_H
#define PROFILING_OUTPUTS_PERFETTO_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* A hash table of texts, which are not copied; begin with zeros. */
typedef struct prof_names {
    struct prof_name *name;
    size_t size, count;
} prof_names;

/* The number of a text: 1, 2, ..., the next one if it is new; 0 if there is no memory. */
uint64_t prof_names_number(prof_names *names, const char *text);
void prof_names_destroy(prof_names *names);

#endif
