/* The memory of a report: everything in it is released at once. */
#ifndef PROFILING_REPORT_POOL_H
#define PROFILING_REPORT_POOL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct prof_report_memory_pool {
    void **block;
    size_t count, size;
    bool failed; /* there was no memory for something: the report is not whole */
} pool;

pool *pool_create(void);
void pool_destroy(pool **pool);

/* Zeroed room for `count` items; NULL for none, or after a failure. */
void *pool_array(pool *pool, size_t count, size_t size);

/* A text; never NULL. */
const char *pool_text(pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
