#include "sources/cupti/cupti_buffers.h"

#include <stdlib.h>
#include <string.h>

/* An operation's record has 216 bytes at most, a call and the record that ties it to a region 64.
 * Every thread that calls CUDA fills a buffer of its own. */
enum { EVENT_BYTES = 216, THREADS = 8, MOST = 4096 };

bool prof_cupti_buffers_create(prof_cupti_buffers *buffers, int64_t events)
{
    const int64_t full = events / (PROF_CUPTI_BUFFER_BYTES / EVENT_BYTES) + THREADS;
    const int count = full < MOST ? (int)full : MOST;
    /* zeroed memory of this size takes no room before it is written */
    *buffers = (prof_cupti_buffers){.memory = calloc((size_t)count, PROF_CUPTI_BUFFER_BYTES),
                                    .count = count,
                                    .buffer = calloc((size_t)count, sizeof *buffers->buffer)};
    if (buffers->memory != NULL && buffers->buffer != NULL &&
        pthread_mutex_init(&buffers->lock, NULL) == 0)
        return true;
    free(buffers->memory);
    free(buffers->buffer);
    return false;
}

void prof_cupti_buffers_destroy(prof_cupti_buffers *buffers)
{
    pthread_mutex_destroy(&buffers->lock);
    free(buffers->memory);
    free(buffers->buffer);
}

static uint8_t *memory_of(const prof_cupti_buffers *buffers, int k)
{
    return buffers->memory + (size_t)k * PROF_CUPTI_BUFFER_BYTES;
}

uint8_t *prof_cupti_buffers_acquire(prof_cupti_buffers *buffers)
{
    pthread_mutex_lock(&buffers->lock);
    int k = 0;
    while (k < buffers->count && buffers->buffer[k].state != PROF_CUPTI_EMPTY)
        k++;
    if (k < buffers->count)
        buffers->buffer[k].state = PROF_CUPTI_IN_USE;
    pthread_mutex_unlock(&buffers->lock);
    return k < buffers->count ? memory_of(buffers, k) : NULL;
}

void prof_cupti_buffers_release(prof_cupti_buffers *buffers, const uint8_t *memory, size_t valid)
{
    const size_t k = (size_t)(memory - buffers->memory) / PROF_CUPTI_BUFFER_BYTES;
    pthread_mutex_lock(&buffers->lock);
    buffers->buffer[k] = (prof_cupti_buffer){PROF_CUPTI_FULL, valid};
    pthread_mutex_unlock(&buffers->lock);
}

uint8_t *prof_cupti_buffers_records(prof_cupti_buffers *buffers, int k, size_t *valid)
{
    pthread_mutex_lock(&buffers->lock);
    const prof_cupti_buffer found = buffers->buffer[k];
    pthread_mutex_unlock(&buffers->lock);
    *valid = found.valid;
    return found.state == PROF_CUPTI_FULL && found.valid > 0 ? memory_of(buffers, k) : NULL;
}

int prof_cupti_buffers_reset(prof_cupti_buffers *buffers)
{
    int missing = 0;
    pthread_mutex_lock(&buffers->lock);
    for (int k = 0; k < buffers->count; k++) {
        missing += buffers->buffer[k].state == PROF_CUPTI_IN_USE;
        if (buffers->buffer[k].state != PROF_CUPTI_FULL)
            continue;
        memset(memory_of(buffers, k), 0, PROF_CUPTI_BUFFER_BYTES);
        buffers->buffer[k] = (prof_cupti_buffer){PROF_CUPTI_EMPTY, 0};
    }
    pthread_mutex_unlock(&buffers->lock);
    return missing;
}
