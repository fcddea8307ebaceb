/* The C library's allocator under its own names: it fails when it should, and fills allocated and
 * freed memory with bytes of 255, which are NaN in doubles and floats. */
#define _GNU_SOURCE
#include "faults.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static bool fails(const void *caller)
{
    int error = 0;
    if (!faults_is_due(FAULTS_MEMORY, &error, caller))
        return false;
    errno = error;
    return true;
}

static void *filled(void *memory, size_t from)
{
    if (memory != NULL && faults_fills() && malloc_usable_size(memory) > from)
        memset((char *)memory + from, 255, malloc_usable_size(memory) - from);
    return memory;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : filled(__libc_malloc(size), 0);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    const size_t before = memory != NULL ? malloc_usable_size(memory) : 0;
    return fails(__builtin_return_address(0)) ? NULL : filled(__libc_realloc(memory, size), before);
}

void *memalign(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : filled(__libc_memalign(alignment, size), 0);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : filled(__libc_memalign(alignment, size), 0);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *memory =
        fails(__builtin_return_address(0)) ? NULL : filled(__libc_memalign(alignment, size), 0);
    if (memory == NULL)
        return ENOMEM;
    *out = memory;
    return 0;
}

void free(void *memory)
{
    filled(memory, 0);
    __libc_free(memory);
}
