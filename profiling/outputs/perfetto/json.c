/* trace.json.gz: Chrome's trace events.
 *
 * Times are microseconds as JSON numbers, which hold no more than 53 bits: they count from the
 * trace's first moment, which `otherData` tells in nanoseconds since the epoch. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "outputs/output.h"
#include "outputs/perfetto/json_text.h"
#include "outputs/perfetto/timeline.h"

static const char file_name[] = "trace.json.gz";

/* The format knows processes and threads only. GPUs, and rows that are no threads, get numbers that
 * the system gives to none. */
enum { NOT_OF_THE_SYSTEM = 10000000 };

typedef struct writer {
    prof_json json;
    int64_t origin;
    int32_t group, process; /* number of our process among the tracks, and in the system */
    bool follows;           /* an event was written before */
} writer;

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The earliest time of a timeline: no time is negative from there. */
static int64_t origin_of(const prof_trace *t)
{
    int64_t first = t->start;
    for (int64_t k = 0; k < t->span_count; k++)
        first = earlier(first, t->spans[k].start);
    for (int64_t k = 0; k < t->op_count; k++)
        first = earlier(first, t->ops[k].start);
    for (int64_t k = 0; k < t->call_count; k++)
        first = earlier(first, t->calls[k].start);
    for (int64_t k = 0; k < t->sample_count; k++)
        first = earlier(first, t->samples[k].time);
    for (int64_t k = 0; k < t->memory_event_count; k++)
        first = earlier(first, t->memory_events[k].time);
    return t->before.time > 0 ? earlier(first, t->before.time) : first;
}

static int32_t process_of(const writer *w, const prof_track *track)
{
    return track->group == w->group ? w->process : NOT_OF_THE_SYSTEM + track->group;
}

static int32_t thread_of(const writer *w, const prof_track *track)
{
    switch (track->kind) {
    case PROF_TRACK_THREAD:
        return track->thread;
    case PROF_TRACK_ROW:
        return NOT_OF_THE_SYSTEM + track->id;
    default:
        return process_of(w, track);
    }
}

/* Begin an event; its further members and its closing brace follow. */
static void open_event(writer *w, const char *phase, const prof_track *track)
{
    prof_json_put(&w->json, w->follows ? ",\n" : "\n");
    w->follows = true;
    prof_json_format(&w->json, "{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d", phase, process_of(w, track),
                     thread_of(w, track));
}

static void put_time(writer *w, int64_t time)
{
    prof_json_put(&w->json, ",\"ts\":");
    prof_json_microseconds(&w->json, time - w->origin);
}

static void put_text(writer *w, const char *member, const char *text)
{
    prof_json_format(&w->json, ",\"%s\":", member);
    prof_json_string(&w->json, text);
}

static void put_name(writer *w, const prof_track *track, const char *kind)
{
    open_event(w, "M", track);
    prof_json_format(&w->json, ",\"name\":\"%s_name\",\"args\":{\"name\":", kind);
    prof_json_string(&w->json, track->name);
    prof_json_put(&w->json, "}}");
    open_event(w, "M", track);
    prof_json_format(&w->json, ",\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%d}}", kind,
                     track->id);
}

static void put_track(void *self, const prof_track *track)
{
    writer *w = self;
    if (track->kind == PROF_TRACK_PROCESS) {
        w->group = track->group;
        w->process = track->process;
    }
    if (track->kind == PROF_TRACK_PROCESS || track->kind == PROF_TRACK_GPU)
        put_name(w, track, "process");
    else if (track->kind != PROF_TRACK_COUNTER)
        put_name(w, track, "thread");
}

static void put_arguments(writer *w, const prof_slice *slice)
{
    prof_json_put(&w->json, ",\"args\":{");
    for (int k = 0; k < slice->arguments; k++) {
        const prof_argument *argument = &slice->argument[k];
        prof_json_format(&w->json, "%s\"%s\":", k > 0 ? "," : "", argument->name);
        switch (argument->kind) {
        case PROF_ARGUMENT_COUNT:
            prof_json_format(&w->json, "%" PRIu64, argument->value.count);
            break;
        case PROF_ARGUMENT_REAL:
            prof_json_format(&w->json, "%.17g", argument->value.real);
            break;
        case PROF_ARGUMENT_TEXT:
            prof_json_string(&w->json, argument->value.text);
            break;
        }
    }
    prof_json_put(&w->json, "}");
}

static void put_named(writer *w, const prof_slice *slice)
{
    put_time(w, slice->start);
    put_text(w, "name", slice->name);
    put_text(w, "cat", slice->category);
    put_arguments(w, slice);
    prof_json_put(&w->json, "}");
}

/* One end of a flow: "s" or "f", which belong to the slice that begins at this time. */
static void put_flow(writer *w, const prof_track *track, const prof_slice *slice, const char *phase,
                     uint64_t flow)
{
    open_event(w, phase, track);
    put_time(w, slice->start);
    prof_json_format(&w->json,
                     ",\"name\":\"launch\",\"cat\":\"launch\",\"bp\":\"e\",\"id\":%" PRIu64, flow);
    prof_json_put(&w->json, "}");
}

static void put_slice(void *self, const prof_track *track, const prof_slice *slice)
{
    writer *w = self;
    open_event(w, "X", track);
    prof_json_put(&w->json, ",\"dur\":");
    prof_json_microseconds(&w->json, slice->end - slice->start);
    put_named(w, slice);
    if (slice->flow_in != 0)
        put_flow(w, track, slice, "f", slice->flow_in);
    for (int64_t k = 0; k < slice->flow_count; k++)
        put_flow(w, track, slice, "s", slice->flows_out[k]);
}

/* A slice is one event, which has its end. */
static void put_end(void *self, const prof_track *track, int64_t time)
{
    (void)self;
    (void)track;
    (void)time;
}

static void put_note(void *self, const prof_track *track, const prof_slice *note)
{
    writer *w = self;
    open_event(w, "i", track);
    prof_json_put(&w->json, ",\"s\":\"p\"");
    put_named(w, note);
}

static void put_point(void *self, const prof_track *counter, int64_t time, double value)
{
    writer *w = self;
    open_event(w, "C", counter);
    put_time(w, time);
    put_text(w, "name", counter->name);
    prof_json_format(&w->json, ",\"args\":{\"%s\":%.17g}}", counter->unit, value);
}

static bool put_all(writer *w, const prof_trace *trace)
{
    const prof_sink sink = {w, put_track, put_slice, put_end, put_note, put_point};
    prof_json_format(&w->json,
                     "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock\":\"CLOCK_REALTIME\","
                     "\"origin_ns\":\"%" PRId64 "\"},\"traceEvents\":[",
                     w->origin);
    const bool told = prof_timeline_tell(trace, &sink);
    prof_json_put(&w->json, "\n]}\n");
    return told;
}

bool prof_write_json(const prof_trace *trace, const char *directory, prof_log *log)
{
    writer w = {.origin = origin_of(trace)};
    FILE *file = prof_file_open(directory, file_name, log);
    if (file == NULL)
        return false;
    w.json.file = prof_gzip_open(file);
    if (w.json.file == NULL || !put_all(&w, trace))
        w.json.error = ENOMEM;
    errno = 0;
    if (w.json.file != NULL && gzclose(w.json.file) != Z_OK && w.json.error == 0)
        w.json.error = errno != 0 ? errno : EIO;
    if (w.json.error == 0)
        return prof_file_close(file, directory, file_name, log);
    fclose(file);
    prof_warn(log, "%s/%s: cannot be written: %s", directory, file_name, strerror(w.json.error));
    return false;
}
