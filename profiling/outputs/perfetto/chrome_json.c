/* trace.json.gz: Chrome's trace events.
 *
 * Times are microseconds as JSON numbers, which have 53 bits. They therefore count from the first
 * moment of the trace, which `otherData` holds in nanoseconds since the epoch. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "outputs/output.h"
#include "outputs/perfetto/tracks.h"
#include "base/text.h"

static const char file_name[] = "trace.json.gz";

/* The format has only processes and threads. Ids of GPUs and of other rows start above every id of
 * the operating system. */
enum { FIRST_ARTIFICIAL_ID = PROF_MOST_TRACED * PROF_IDS_OF_MACHINE };

/* The text of the file, compressed as it is written. */
typedef struct writer {
    gzFile file;
    int error; /* errno of the first failure; 0: none */
    int64_t origin;
    int32_t group, process; /* id of the program's process track; its process id */
    bool follows;           /* whether an event was written before */
} writer;

static void write_bytes(writer *w, const char *bytes, size_t size)
{
    if (w->error != 0 || size == 0)
        return;
    errno = 0;
    if (gzwrite(w->file, bytes, (unsigned)size) != (int)size)
        w->error = errno != 0 ? errno : EIO;
}

static void write_text(writer *w, const char *text)
{
    write_bytes(w, text, strlen(text));
}

/* As printf; at most 255 bytes. */
__attribute__((format(printf, 2, 3))) static void write_format(writer *w, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_text(w, text);
}

/* A quoted string; bytes that are not UTF-8 become U+FFFD. */
static void write_string(writer *w, const char *text)
{
    write_text(w, "\"");
    while (*text != '\0') {
        const int length = swe_utf8_length(text);
        if (length == 0)
            write_text(w, "\\ufffd");
        else if (*text == '"' || *text == '\\')
            write_format(w, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            write_format(w, "\\u%04x", (unsigned)*text);
        else
            write_bytes(w, text, (size_t)length);
        text += length > 0 ? length : 1;
    }
    write_text(w, "\"");
}

/* Nanoseconds as microseconds, exactly. */
static void write_microseconds(writer *w, int64_t nanoseconds)
{
    write_format(w, "%" PRId64 ".%03" PRId64, nanoseconds / 1000, nanoseconds % 1000);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The earliest time of a rank. */
static int64_t earliest_of(const prof_trace *t)
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
    return track->group == w->group ? w->process : FIRST_ARTIFICIAL_ID + track->group;
}

static int32_t thread_of(const writer *w, const prof_track *track)
{
    switch (track->kind) {
    case PROF_TRACK_THREAD:
        return track->thread;
    case PROF_TRACK_ROW:
        return FIRST_ARTIFICIAL_ID + track->id;
    default:
        return process_of(w, track);
    }
}

/* Begin an event; the caller adds further members and the closing brace. */
static void open_event(writer *w, const char *phase, const prof_track *track)
{
    write_text(w, w->follows ? ",\n" : "\n");
    w->follows = true;
    write_format(w, "{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d", phase, process_of(w, track),
                 thread_of(w, track));
}

static void write_time(writer *w, int64_t time)
{
    write_text(w, ",\"ts\":");
    write_microseconds(w, time - w->origin);
}

static void write_member(writer *w, const char *member, const char *text)
{
    write_format(w, ",\"%s\":", member);
    write_string(w, text);
}

static void write_name(writer *w, const prof_track *track, const char *kind)
{
    open_event(w, "M", track);
    write_format(w, ",\"name\":\"%s_name\",\"args\":{\"name\":", kind);
    write_string(w, track->name);
    write_text(w, "}}");
    open_event(w, "M", track);
    write_format(w, ",\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%d}}", kind, track->id);
}

static void write_track(void *self, const prof_track *track)
{
    writer *w = self;
    if (track->kind == PROF_TRACK_PROCESS) {
        w->group = track->group;
        w->process = track->process;
    }
    if (track->kind == PROF_TRACK_PROCESS || track->kind == PROF_TRACK_GPU)
        write_name(w, track, "process");
    else if (track->kind != PROF_TRACK_COUNTER)
        write_name(w, track, "thread");
}

static void write_arguments(writer *w, const prof_slice *slice)
{
    write_text(w, ",\"args\":{");
    for (int k = 0; k < slice->arguments; k++) {
        const prof_argument *argument = &slice->argument[k];
        write_format(w, "%s\"%s\":", k > 0 ? "," : "", argument->name);
        switch (argument->kind) {
        case PROF_ARGUMENT_COUNT:
            write_format(w, "%" PRIu64, argument->value.count);
            break;
        case PROF_ARGUMENT_REAL:
            write_format(w, "%.17g", argument->value.real);
            break;
        case PROF_ARGUMENT_TEXT:
            write_string(w, argument->value.text);
            break;
        }
    }
    write_text(w, "}");
}

static void write_named(writer *w, const prof_slice *slice)
{
    write_time(w, slice->start);
    write_member(w, "name", slice->name);
    write_member(w, "cat", slice->category);
    write_arguments(w, slice);
    write_text(w, "}");
}

/* One end of a flow ("s": start, "f": finish), at the slice that begins at this time. */
static void write_flow(writer *w, const prof_track *track, const prof_slice *slice,
                       const char *phase, uint64_t flow)
{
    open_event(w, phase, track);
    write_time(w, slice->start);
    const char *name = strcmp(slice->category, "message") == 0 ? "message" : "launch";
    write_format(w, ",\"name\":\"%s\",\"cat\":\"%s\",\"bp\":\"e\",\"id\":%" PRIu64, name, name,
                 flow);
    write_text(w, "}");
}

static void write_slice(void *self, const prof_track *track, const prof_slice *slice)
{
    writer *w = self;
    open_event(w, "X", track);
    write_text(w, ",\"dur\":");
    write_microseconds(w, slice->end - slice->start);
    write_named(w, slice);
    for (int64_t k = 0; k < slice->flow_in_count; k++)
        write_flow(w, track, slice, "f", slice->flows_in[k]);
    for (int64_t k = 0; k < slice->flow_count; k++)
        write_flow(w, track, slice, "s", slice->flows_out[k]);
}

static void write_note(void *self, const prof_track *track, const prof_slice *note)
{
    writer *w = self;
    open_event(w, "i", track);
    write_text(w, ",\"s\":\"p\"");
    write_named(w, note);
}

static void write_point(void *self, const prof_track *counter, int64_t time, double value)
{
    writer *w = self;
    open_event(w, "C", counter);
    write_time(w, time);
    write_member(w, "name", counter->name);
    write_format(w, ",\"args\":{\"%s\":%.17g}}", counter->unit, value);
}

static bool write_all(writer *w, const prof_trace *trace)
{
    const prof_sink sink = {w, write_track, write_slice, NULL, write_note, write_point};
    write_format(w,
                 "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock\":\"CLOCK_REALTIME\","
                 "\"origin_ns\":\"%" PRId64 "\"},\"traceEvents\":[",
                 w->origin);
    const bool complete = prof_tracks_emit(trace, &sink);
    write_text(w, "\n]}\n");
    return complete;
}

bool prof_write_json(const prof_trace *trace, const char *directory, swe_log *log)
{
    writer w = {.origin = INT64_MAX};
    for (int32_t rank = 0; rank < prof_trace_shown(trace); rank++)
        w.origin = earlier(w.origin, earliest_of(prof_trace_of_rank(trace, rank)));
    FILE *file = prof_file_open(directory, file_name, log);
    if (file == NULL)
        return false;
    w.file = prof_gzip_open(file);
    if (w.file == NULL || !write_all(&w, trace))
        w.error = ENOMEM;
    errno = 0;
    if (w.file != NULL && gzclose(w.file) != Z_OK && w.error == 0)
        w.error = errno != 0 ? errno : EIO;
    if (w.error == 0)
        return prof_file_close(file, directory, file_name, log);
    fclose(file);
    swe_warn(log, "%s/%s: cannot be written: %s", directory, file_name, strerror(w.error));
    return false;
}
