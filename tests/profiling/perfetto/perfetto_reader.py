"""trace.perfetto-trace as a timeline, decoded by Perfetto's own description of its format."""
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

from timeline import Slice, Timeline, Track

REALTIME = schema.BUILTIN_CLOCK_REALTIME
ORDERED = schema.TrackDescriptor.EXPLICIT


def value_of(annotation):
    """A text that is not UTF-8 is kept as it is; Python then gives its bytes."""
    value = getattr(annotation, annotation.WhichOneof("value"))
    return value.decode(errors="replace") if isinstance(value, bytes) else value


class Reader:
    """Packets, one after the other, as a viewer reads them."""

    def __init__(self):
        self.timeline = Timeline()
        self.tracks, self.names, self.open, self.last = {}, {}, {}, {}

    def packet(self, packet):
        assert packet.trusted_packet_sequence_id == 1
        for name in packet.interned_data.event_names:
            assert name.iid not in self.names and name.name not in self.names.values()
            self.names[name.iid] = name.name
        if packet.HasField("track_descriptor"):
            self.descriptor(packet.track_descriptor)
        elif packet.HasField("track_event"):
            assert packet.timestamp_clock_id == REALTIME
            self.event(packet.timestamp, packet.track_event)
        else:
            assert packet.HasField("clock_snapshot")

    def descriptor(self, d):
        assert d.HasField("uuid") and d.uuid not in self.tracks and d.child_ordering == ORDERED
        parent = self.tracks[d.parent_uuid] if d.parent_uuid else None
        if d.uuid == 0:
            assert d.process_ordering == schema.TrackDescriptor.PROCESS_ORDERING_EXPLICIT
            assert d.thread_ordering == schema.TrackDescriptor.THREAD_ORDERING_EXPLICIT
            return
        if d.HasField("process"):
            track = Track("process", d.process.process_name, process=d.process.pid)
        elif d.HasField("thread"):
            track = Track("thread", d.thread.thread_name, process=d.thread.pid, thread=d.thread.tid)
        elif d.HasField("counter"):
            bytes_ = d.counter.unit == schema.CounterDescriptor.UNIT_SIZE_BYTES
            track = Track("counter", d.name, unit="B" if bytes_ else d.counter.unit_name)
        else:
            track = Track("row" if parent else "gpu", d.name)
        track.parent, track.rank = parent, d.sibling_order_rank
        self.tracks[d.uuid] = track
        self.timeline.tracks.append(track)

    def named(self, time, event, track):
        [category] = event.categories
        args = {a.name: value_of(a) for a in event.debug_annotations}
        assert len(args) == len(event.debug_annotations)
        return Slice(track, self.names[event.name_iid], category, time, time, args,
                     flows_out=list(event.flow_ids), flows_in=list(event.terminating_flow_ids))

    def event(self, time, event):
        track = self.tracks[event.track_uuid]
        assert time >= self.last.get(track, time), "a track goes back in time"
        self.last[track] = time
        stack = self.open.setdefault(track, [])
        if event.type == event.TYPE_SLICE_BEGIN:
            begun = self.named(time, event, track)
            begun.parent = stack[-1] if stack else None
            stack.append(begun)
            self.timeline.slices.append(begun)
        elif event.type == event.TYPE_SLICE_END:
            stack.pop().end = time
        elif event.type == event.TYPE_INSTANT:
            self.timeline.notes.append(self.named(time, event, track))
        else:
            assert event.type == event.TYPE_COUNTER and track.kind == "counter"
            self.timeline.points[track].append((time, event.double_counter_value))


def assert_known(message):
    """No field that Perfetto does not have, at any depth."""
    assert len(UnknownFieldSet(message)) == 0, message
    for descriptor, value in message.ListFields():
        if descriptor.type == descriptor.TYPE_MESSAGE:
            for part in value if descriptor.is_repeated else [value]:
                assert_known(part)


def read_trace(folder):
    """The message and the timeline of the file in a folder."""
    data = (folder / "trace.perfetto-trace").read_bytes()
    trace = schema.Trace.FromString(data)
    assert_known(trace)
    assert trace.SerializeToString() == data
    reader = Reader()
    for packet in trace.packet:
        reader.packet(packet)
    assert not any(reader.open.values()), "slices without an end"
    return trace, reader.timeline
