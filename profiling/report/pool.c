#include "report/pool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

pool *pool_create(void)
{
    return calloc(1, sizeof(pool));
}

void pool_destroy(pool **pointer)
{
    pool *p = *pointer;
    if (p == NULL)
        return;
    for (size_t k = 0; k < p->count; k++)
        free(p->block[k]);
    free(p->block);
    free(p);
    *pointer = NULL;
}

/* Room to remember one more block. */
static bool grow(pool *p)
{
    if (p->count < p->size)
        return true;
    const size_t size = p->size > 0 ? 2 * p->size : 64;
    void **block = realloc(p->block, size * sizeof *block);
    if (block == NULL)
        return false;
    p->block = block;
    p->size = size;
    return true;
}

void *pool_array(pool *p, size_t count, size_t size)
{
    if (count == 0)
        return NULL;
    void *block = grow(p) ? calloc(count, size) : NULL;
    if (block == NULL)
        p->failed = true;
    else
        p->block[p->count++] = block;
    return block;
}

const char *pool_text(pool *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length >= 0 ? pool_array(p, (size_t)length + 1, 1) : NULL;
    if (text == NULL)
        return "";
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}
