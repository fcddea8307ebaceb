/* Buffers for CUPTI's activity records: allocated in advance, each used once per window.
 *
 * Thread-safe: CUPTI requests and returns buffers on its own threads. */
#ifndef PROFILING_SOURCES_CUPTI_CUPTI_BUFFERS_H
#define PROFILING_SOURCES_CUPTI_CUPTI_BUFFERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROF_CUPTI_BUFFER_BYTES = 2 << 20 };

typedef struct prof_cupti_buffer {
    enum { PROF_CUPTI_EMPTY, PROF_CUPTI_IN_USE, PROF_CUPTI_FULL } state;
    size_t valid; /* bytes of records, set when CUPTI returns it */
} prof_cupti_buffer;

typedef struct prof_cupti_buffers {
    uint8_t *memory; /* (buffer, byte) */
    int count;
    pthread_mutex_t lock; /* guards `buffer`; no CUPTI function is called while it is held */
    prof_cupti_buffer *buffer;
} prof_cupti_buffers;

/* Allocate buffers for `events` records; false without memory. */
bool prof_cupti_buffers_create(prof_cupti_buffers *buffers, int64_t events);
void prof_cupti_buffers_destroy(prof_cupti_buffers *buffers);

/* Get an empty, zeroed buffer; NULL if all are in use. */
uint8_t *prof_cupti_buffers_acquire(prof_cupti_buffers *buffers);
/* Return a buffer with `valid` bytes of records. */
void prof_cupti_buffers_release(prof_cupti_buffers *buffers, const uint8_t *memory, size_t valid);

/* Records of buffer `k`; NULL if it has none. */
uint8_t *prof_cupti_buffers_records(prof_cupti_buffers *buffers, int k, size_t *valid);

/* Clear the returned buffers. Returns the number of buffers that CUPTI still holds. */
int prof_cupti_buffers_reset(prof_cupti_buffers *buffers);

#endif
