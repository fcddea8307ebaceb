#include "output/field_writer.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

enum { LONGEST_PATH = 4096 };

/* A panel that the thread waits for. */
typedef struct wanted_panel {
    const swe_panels *from; /* NULL: none */
    int field, panel;
    double *room;
    const double *values; /* once it is read */
} wanted_panel;

struct swe_field_writer {
    pthread_t thread;
    pthread_mutex_t
        mutex; /* guards the rest; while busy, path, snapshot and context are the thread's */
    pthread_cond_t changed; /* of busy, stopping or wanted */
    char path[LONGEST_PATH];
    swe_snapshot snapshot;
    bool caller_reads;
    wanted_panel wanted;
    double idle;         /* the thread has waited for panels of this file [s] */
    swe_context context; /* message of the failed file */
    bool busy, stopping;
    swe_status status; /* of the last file */
    swe_field_writer_times times;
};

/* ---- the thread ------------------------------------------------------------------------------ */

static const double *want(swe_field_writer *w, const swe_panels *from, int k, int panel,
                          double *room)
{
    const double start = swe_clock_seconds();
    pthread_mutex_lock(&w->mutex);
    w->wanted = (wanted_panel){from, k, panel, room, NULL};
    pthread_cond_broadcast(&w->changed);
    while (w->wanted.from != NULL)
        pthread_cond_wait(&w->changed, &w->mutex);
    w->idle += swe_clock_seconds() - start;
    const double *values = w->wanted.values;
    pthread_mutex_unlock(&w->mutex);
    return values;
}

static const double *want_field(void *writer, int k, int panel, double *room)
{
    swe_field_writer *w = writer;
    return want(w, &w->snapshot.panels, k, panel, room);
}

static const double *want_bottom(void *writer, int k, int panel, double *room)
{
    swe_field_writer *w = writer;
    return want(w, w->snapshot.bottom, k, panel, room);
}

static swe_status write_snapshot(swe_field_writer *w)
{
    swe_snapshot snapshot = w->snapshot;
    const swe_panels bottom = {.fields = w, .get = want_bottom};
    if (w->caller_reads)
        snapshot.panels = (swe_panels){.fields = w, .get = want_field};
    if (w->caller_reads && snapshot.bottom != NULL)
        snapshot.bottom = &bottom;
    return swe_field_file_write(&w->context, w->path, &snapshot);
}

/* Write the pending file. The caller holds the mutex; it is released meanwhile. */
static void write_file(swe_field_writer *w)
{
    pthread_mutex_unlock(&w->mutex);
    const double start = swe_clock_seconds();
    const swe_status status = write_snapshot(w);
    const double seconds = swe_clock_seconds() - start;
    pthread_mutex_lock(&w->mutex);
    w->status = status;
    w->times.files += status == SWE_OK;
    w->times.writing += seconds - w->idle;
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

/* Start the thread with all signals blocked: the main thread handles them. */
static bool start_thread(swe_field_writer *w)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&w->thread, NULL, write_files, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* False: nothing remains initialized. */
static bool start(swe_field_writer *w)
{
    if (pthread_mutex_init(&w->mutex, NULL) != 0)
        return false;
    if (pthread_cond_init(&w->changed, NULL) == 0) {
        if (start_thread(w))
            return true;
        pthread_cond_destroy(&w->changed);
    }
    pthread_mutex_destroy(&w->mutex);
    return false;
}

swe_status swe_field_writer_create(swe_context *ctx, bool caller_reads, swe_field_writer **out)
{
    *out = NULL;
    swe_field_writer *w = calloc(1, sizeof *w);
    if (w == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the writer of field files");
    w->caller_reads = caller_reads;
    if (!start(w)) {
        free(w);
        return swe_fail(ctx, SWE_INTERNAL, "no thread can be started to write field files");
    }
    *out = w;
    return SWE_OK;
}

/* Read the panel that the thread waits for. The caller holds the mutex; it is released meanwhile.
 */
static void read_wanted(swe_field_writer *w)
{
    const wanted_panel wanted = w->wanted;
    pthread_mutex_unlock(&w->mutex);
    const double *values = swe_panels_get(wanted.from, wanted.field, wanted.panel, wanted.room);
    pthread_mutex_lock(&w->mutex);
    w->wanted = (wanted_panel){.from = NULL, .values = values};
    pthread_cond_broadcast(&w->changed);
}

/* The caller holds the mutex. */
static void finish_file(swe_field_writer *w)
{
    while (w->busy)
        if (w->wanted.from != NULL)
            read_wanted(w);
        else
            pthread_cond_wait(&w->changed, &w->mutex);
}

bool swe_field_writer_needs_caller(swe_field_writer *w)
{
    if (w == NULL || !w->caller_reads)
        return false;
    pthread_mutex_lock(&w->mutex);
    const bool needs = w->busy;
    pthread_mutex_unlock(&w->mutex);
    return needs;
}

void swe_field_writer_read(swe_field_writer *w)
{
    pthread_mutex_lock(&w->mutex);
    if (w->wanted.from != NULL)
        read_wanted(w);
    pthread_mutex_unlock(&w->mutex);
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
    w->idle = 0.0;
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
