#include "files/output/field_writer.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { LONGEST_PATH = 4096 };

struct swe_field_writer {
    pthread_t thread;
    pthread_mutex_t
        mutex; /* guards the rest; while busy, path, snapshot and context are the thread's */
    pthread_cond_t changed; /* of busy or stopping */
    char path[LONGEST_PATH];
    swe_snapshot snapshot;
    swe_context context; /* message of the failed file */
    bool busy, stopping;
    swe_status status; /* of the last file */
    swe_field_writer_times times;
};

/* ---- the thread ------------------------------------------------------------------------------ */

/* Write the pending file. The caller holds the mutex; it is released meanwhile. */
static void write_file(swe_field_writer *w)
{
    pthread_mutex_unlock(&w->mutex);
    const double start = swe_clock_seconds();
    const swe_status status = swe_field_file_write(&w->context, w->path, &w->snapshot);
    const double seconds = swe_clock_seconds() - start;
    pthread_mutex_lock(&w->mutex);
    w->status = status;
    w->times.files += status == SWE_OK;
    w->times.writing += seconds;
    w->busy = false;
    pthread_cond_broadcast(&w->changed);
}

static void *write_files(void *writer)
{
    swe_field_writer *w = writer;
    pthread_mutex_lock(&w->mutex);
    while (w->busy || !w->stopping)
        if (w->busy)
            write_file(w);
        else
            pthread_cond_wait(&w->changed, &w->mutex);
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

/* ---- the caller ------------------------------------------------------------------------------ */

/* Returns an errno, and then nothing remains initialized; 0: the thread runs. */
static int start(swe_field_writer *w)
{
    int error = pthread_mutex_init(&w->mutex, NULL);
    if (error != 0)
        return error;
    error = pthread_cond_init(&w->changed, NULL);
    if (error == 0) {
        sigset_t all, before; /* the thread blocks all signals: the main thread handles them */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        error = pthread_create(&w->thread, NULL, write_files, w);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (error == 0)
            return 0;
        pthread_cond_destroy(&w->changed);
    }
    pthread_mutex_destroy(&w->mutex);
    return error;
}

swe_status swe_field_writer_create(swe_context *ctx, swe_field_writer **out)
{
    *out = NULL;
    swe_field_writer *w = calloc(1, sizeof *w);
    if (w == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the writer of field files");
    const int error = start(w);
    if (error != 0) {
        free(w);
        return swe_fail(ctx, SWE_NO_MEMORY, "no thread can be started to write field files: %s",
                        strerror(error));
    }
    *out = w;
    return SWE_OK;
}

/* The caller holds the mutex. */
static void finish_file(swe_field_writer *w)
{
    while (w->busy)
        pthread_cond_wait(&w->changed, &w->mutex);
}

void swe_field_writer_destroy(swe_field_writer **pointer)
{
    swe_field_writer *w = *pointer;
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->mutex);
    finish_file(w);
    w->stopping = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->mutex);
    free(w);
    *pointer = NULL;
}

void swe_field_writer_start(swe_field_writer *w, const char *path, const swe_snapshot *snapshot)
{
    pthread_mutex_lock(&w->mutex);
    snprintf(w->path, sizeof w->path, "%s", path);
    w->snapshot = *snapshot;
    w->busy = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
}

swe_status swe_field_writer_drain(swe_context *ctx, swe_field_writer *w)
{
    if (w == NULL)
        return SWE_OK;
    const double start = swe_clock_seconds();
    pthread_mutex_lock(&w->mutex);
    finish_file(w);
    w->times.waiting += swe_clock_seconds() - start;
    const swe_status status = w->status;
    pthread_mutex_unlock(&w->mutex);
    return status == SWE_OK ? SWE_OK : swe_fail(ctx, status, "%s", w->context.message);
}

swe_field_writer_times swe_field_writer_get_times(const swe_field_writer *w)
{
    return w->times;
}
