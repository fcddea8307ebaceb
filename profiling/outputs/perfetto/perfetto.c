/* trace.perfetto-trace: Perfetto's track events, packet by packet.
 *
 * Times are of CLOCK_REALTIME. Viewers assume CLOCK_BOOTTIME, and drop events on a clock that they
 * cannot convert. The first packet is therefore a snapshot that declares CLOCK_REALTIME the primary
 * clock of the trace, so that no conversion is necessary. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "outputs/output.h"
#include "outputs/perfetto/tracks.h"
#include "perfetto_trace.pb-c.h"

static const char file_name[] = "trace.perfetto-trace";

enum { SEQUENCE = 1 };

typedef struct writer {
    FILE *file;
    prof_texts names; /* stored once, then referred to by number */
    int error;        /* errno of the first failure; 0: none */
} writer;

/* Append a packet. The file is one Trace message, which is the concatenation of its fields. */
static void write_packet(writer *w, Perfetto__TracePacket *packet)
{
    Perfetto__Trace piece = PERFETTO__TRACE__INIT;
    piece.n_packet = 1;
    piece.packet = &packet;
    packet->has_trusted_packet_sequence_id = true;
    packet->trusted_packet_sequence_id = SEQUENCE;
    packet->has_sequence_flags = true;
    if (packet->clock_snapshot == NULL)
        packet->sequence_flags =
            PERFETTO__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_NEEDS_INCREMENTAL_STATE;
    else
        packet->sequence_flags =
            PERFETTO__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_INCREMENTAL_STATE_CLEARED;
    if (w->error != 0)
        return;
    errno = 0;
    prof_file_pack(w->file, &piece.base);
    if (ferror(w->file) != 0)
        w->error = errno != 0 ? errno : EIO;
}

static void write_clock(writer *w, int64_t time)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
    Perfetto__ClockSnapshot__Clock clock = PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT;
    Perfetto__ClockSnapshot__Clock *clocks[] = {&clock};
    clock.has_clock_id = clock.has_timestamp = true;
    clock.clock_id = PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME;
    clock.timestamp = (uint64_t)time;
    snapshot.n_clocks = 1;
    snapshot.clocks = clocks;
    snapshot.has_primary_trace_clock = true;
    snapshot.primary_trace_clock = PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME;
    packet.clock_snapshot = &snapshot;
    write_packet(w, &packet);
}

/* The root track: viewers order processes and threads by their ranks. */
static void write_root(writer *w)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__TrackDescriptor root = PERFETTO__TRACK_DESCRIPTOR__INIT;
    root.has_uuid = true;
    root.uuid = 0;
    root.has_child_ordering = true;
    root.child_ordering = PERFETTO__TRACK_DESCRIPTOR__CHILD_TRACKS_ORDERING__EXPLICIT;
    root.has_process_ordering = true;
    root.process_ordering = PERFETTO__TRACK_DESCRIPTOR__PROCESS_ORDERING__PROCESS_ORDERING_EXPLICIT;
    root.has_thread_ordering = true;
    root.thread_ordering = PERFETTO__TRACK_DESCRIPTOR__THREAD_ORDERING__THREAD_ORDERING_EXPLICIT;
    packet.track_descriptor = &root;
    write_packet(w, &packet);
}

static void write_track(void *self, const prof_track *track)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__TrackDescriptor descriptor = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
    Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
    Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
    descriptor.has_uuid = descriptor.has_sibling_order_rank = descriptor.has_child_ordering = true;
    descriptor.uuid = (uint64_t)track->id;
    descriptor.has_parent_uuid = track->parent != 0;
    descriptor.parent_uuid = (uint64_t)track->parent;
    descriptor.sibling_order_rank = track->id;
    descriptor.child_ordering = PERFETTO__TRACK_DESCRIPTOR__CHILD_TRACKS_ORDERING__EXPLICIT;
    process.has_pid = thread.has_pid = thread.has_tid = true;
    process.pid = thread.pid = track->process;
    thread.tid = track->thread;
    switch (track->kind) {
    case PROF_TRACK_PROCESS:
        process.process_name = (char *)track->name;
        descriptor.process = &process;
        break;
    case PROF_TRACK_THREAD:
        thread.thread_name = (char *)track->name;
        descriptor.thread = &thread;
        break;
    case PROF_TRACK_COUNTER:
        counter.has_unit = strcmp(track->unit, "B") == 0;
        counter.unit = PERFETTO__COUNTER_DESCRIPTOR__UNIT__UNIT_SIZE_BYTES;
        counter.unit_name = counter.has_unit ? NULL : (char *)track->unit;
        descriptor.counter = &counter;
        descriptor.name = (char *)track->name;
        break;
    case PROF_TRACK_GPU:
    case PROF_TRACK_ROW:
        descriptor.name = (char *)track->name;
        break;
    }
    packet.track_descriptor = &descriptor;
    write_packet(self, &packet);
}

static void write_event(writer *w, const prof_track *track, int64_t time,
                        Perfetto__TrackEvent *event, Perfetto__InternedData *interned)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    packet.has_timestamp = packet.has_timestamp_clock_id = true;
    packet.timestamp = (uint64_t)time;
    packet.timestamp_clock_id = PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME;
    event->has_type = event->has_track_uuid = true;
    event->track_uuid = (uint64_t)track->id;
    packet.track_event = event;
    packet.interned_data = interned;
    write_packet(w, &packet);
}

static void annotate(Perfetto__DebugAnnotation *annotation, const prof_argument *argument)
{
    perfetto__debug_annotation__init(annotation);
    annotation->name = (char *)argument->name;
    switch (argument->kind) {
    case PROF_ARGUMENT_COUNT:
        annotation->value_case = PERFETTO__DEBUG_ANNOTATION__VALUE_UINT_VALUE;
        annotation->uint_value = argument->value.count;
        break;
    case PROF_ARGUMENT_REAL:
        annotation->value_case = PERFETTO__DEBUG_ANNOTATION__VALUE_DOUBLE_VALUE;
        annotation->double_value = argument->value.real;
        break;
    case PROF_ARGUMENT_TEXT:
        annotation->value_case = PERFETTO__DEBUG_ANNOTATION__VALUE_STRING_VALUE;
        annotation->string_value = (char *)argument->value.text;
        break;
    }
}

/* Append an event with a name; a new name is stored in the same packet. */
static void write_named(writer *w, const prof_track *track, const prof_slice *slice,
                        Perfetto__TrackEvent__Type type)
{
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
    Perfetto__InternedData interned = PERFETTO__INTERNED_DATA__INIT;
    Perfetto__EventName name = PERFETTO__EVENT_NAME__INIT;
    Perfetto__EventName *names[] = {&name};
    Perfetto__DebugAnnotation annotation[PROF_ARGUMENTS_MOST];
    Perfetto__DebugAnnotation *annotations[PROF_ARGUMENTS_MOST];
    char *categories[] = {(char *)slice->category};
    const int64_t known = w->names.count;
    const prof_text *interned_name = prof_texts_find(&w->names, slice->name);
    event.type = type;
    name.has_iid = event.has_name_iid = true;
    name.iid = event.name_iid = interned_name != NULL ? (uint64_t)interned_name->number : 0;
    name.name = (char *)slice->name;
    interned.n_event_names = 1;
    interned.event_names = names;
    for (int k = 0; k < slice->arguments; k++) {
        annotations[k] = &annotation[k];
        annotate(&annotation[k], &slice->argument[k]);
    }
    event.n_debug_annotations = (size_t)slice->arguments;
    event.debug_annotations = annotations;
    event.n_categories = 1;
    event.categories = categories;
    event.n_flow_ids = (size_t)slice->flow_count;
    event.flow_ids = (uint64_t *)slice->flows_out;
    event.n_terminating_flow_ids = (size_t)slice->flow_in_count;
    event.terminating_flow_ids = (uint64_t *)slice->flows_in;
    if (name.iid == 0)
        w->error = ENOMEM;
    write_event(w, track, slice->start, &event, w->names.count > known ? &interned : NULL);
}

static void write_begin(void *self, const prof_track *track, const prof_slice *slice)
{
    write_named(self, track, slice, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN);
}

static void write_note(void *self, const prof_track *track, const prof_slice *note)
{
    write_named(self, track, note, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT);
}

static void write_end(void *self, const prof_track *track, int64_t time)
{
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
    event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END;
    write_event(self, track, time, &event, NULL);
}

static void write_point(void *self, const prof_track *counter, int64_t time, double value)
{
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
    event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER;
    event.has_double_counter_value = true;
    event.double_counter_value = value;
    write_event(self, counter, time, &event, NULL);
}

bool prof_write_perfetto(const prof_trace *trace, const char *directory, swe_log *log)
{
    writer w = {.file = prof_file_open(directory, file_name, log)};
    if (w.file == NULL)
        return false;
    const prof_sink sink = {&w, write_track, write_begin, write_end, write_note, write_point};
    write_clock(&w, trace->start);
    write_root(&w);
    if (!prof_tracks_emit(trace, &sink))
        w.error = ENOMEM;
    prof_texts_destroy(&w.names);
    if (w.error == 0)
        return prof_file_close(w.file, directory, file_name, log);
    fclose(w.file);
    swe_warn(log, "%s/%s: cannot be written: %s", directory, file_name, strerror(w.error));
    return false;
}
