/* The buffers that CUPTI writes its records to: all set aside beforehand, each used once in a
 * window. CUPTI takes and returns them from threads of its own. */
#ifndef PROFILING_SOURCES_CUPTI_CUPTI_BUFFERS_H
#define PROFILING_SOURCES_CUPTI_CUPTI_BUFFERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROF_CUPTI_BUFFER_BYTES = 2 << 20 };

typedef struct prof_cupti_buffer {
    enum { PROF_CUPTI_EMPTY, PROF_CUPTI_TAKEN, PROF_CUPTI_FULL } state;
    size_t valid; /* bytes of records, once it came back */
} prof_cupti_buffer;

typedef struct prof_cupti_buffers {
    uint8_t *memory; /* (buffer, byte) */
    int count;
    pthread_mutex_t lock; /* of `buffer`; nothing of CUPTI is called under it */
    prof_cupti_buffer *buffer;
} prof_cupti_buffers;

/* Room for `events` records; false if there is no memory. */
bool prof_cupti_buffers_create(prof_cupti_buffers *buffers, int64_t events);
void prof_cupti_buffers_destroy(prof_cupti_buffers *buffers);

/* An empty buffer, all zero; NULL if there is none left. */
uint8_t *prof_cupti_buffers_take(prof_cupti_buffers *buffers);
/* A buffer comes back with `valid` bytes of records. */
void prof_cupti_buffers_give(prof_cupti_buffers *buffers, const uint8_t *memory, size_t valid);

/* The records of buffer `k`; NULL if it holds none. */
uint8_t *prof_cupti_buffers_records(prof_cupti_buffers *buffers, int k, size_t *valid);

/* Empty the buffers that came back; the number of those that did not, which stay taken. */
int prof_cupti_buffers_reset(prof_cupti_buffers *buffers);

#endif
