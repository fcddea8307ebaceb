#include "base/threads.h"

#include <ctype.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of an OpenMP size ("512", "512 k", "1G"; the default unit is k); 0 if it is invalid. */
static size_t parse_size(const char *text)
{
    static const char units[] = "bkmg";
    char *end = NULL;
    const unsigned long long number = strtoull(text, &end, 10);
    if (end == text || strchr(text, '-') != NULL)
        return 0;
    end += strspn(end, " \t");
    const char *unit = *end != '\0' ? strchr(units, tolower((unsigned char)*end)) : units + 1;
    if (unit == NULL || (*end != '\0' && end[1 + strspn(end + 1, " \t")] != '\0'))
        return 0;
    const int shift = 10 * (int)(unit - units);
    return number <= SIZE_MAX >> shift ? (size_t)number << shift : 0;
}

/* Stack size of the runtime's threads [bytes]; 0: the system's default. */
static size_t stack_size(void)
{
    static const char *const names[] = {"OMP_STACKSIZE", "GOMP_STACKSIZE"};
    for (int k = 0; k < 2; k++) {
        const char *text = getenv(names[k]);
        if (text != NULL && parse_size(text) > 0)
            return parse_size(text);
    }
    return 0;
}

/* Keeps a thread alive until all have started. */
static void *wait_for_all(void *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

/* Start threads and end them again: the number that started, and the error of the first failure. */
static int try_threads(int count, pthread_t *threads, int *error)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t attributes;
    int started = 0;
    pthread_attr_init(&attributes);
    const size_t stack = stack_size();
    if (stack > 0)
        pthread_attr_setstacksize(&attributes, stack); /* an invalid size leaves the default */
    pthread_mutex_lock(&mutex);
    for (*error = 0; started < count && *error == 0; started += *error == 0)
        *error = pthread_create(&threads[started], &attributes, wait_for_all, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int k = 0; k < started; k++)
        pthread_join(threads[k], NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

swe_status swe_threads_check(swe_context *ctx, int count)
{
    static int started_before = 1; /* the runtime keeps threads for the next region */
    if (count <= started_before)
        return SWE_OK;
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    if (threads == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %d threads", count);
    int error = 0;
    const int started = 1 + try_threads(count - 1, threads, &error);
    free(threads);
    if (started < count)
        return swe_fail(ctx, SWE_NO_MEMORY,
                        "%d of %d threads can be started: %s (use fewer --threads; each needs a "
                        "stack of OMP_STACKSIZE)",
                        started, count, strerror(error));
    started_before = count;
    return SWE_OK;
}
