"""trace.json.gz, read as Chrome's trace events."""

import gzip
import json
import re
from decimal import Decimal

import pytest

import checks
import expected
from timeline import Slice, Timeline, Track


class Reader:
    """Events, one after the other. Threads that are none are rows, processes that are none GPUs."""

    def __init__(self, document, process):
        assert document["displayTimeUnit"] == "ns"
        assert document["otherData"]["clock"] == "CLOCK_REALTIME"
        self.timeline = Timeline()
        self.origin = int(document["otherData"]["origin_ns"])
        self.process, self.groups, self.rows, self.counters = process, {}, {}, {}
        self.last = None
        for event in document["traceEvents"]:
            self.event(event, event["pid"], event["tid"])

    def nanoseconds(self, microseconds):
        whole = Decimal(microseconds) * 1000
        assert whole == int(whole) >= 0
        return int(whole)

    def time(self, event):
        return self.origin + self.nanoseconds(event["ts"])

    def add(self, tracks, key, track):
        assert key not in tracks
        tracks[key] = track
        self.timeline.tracks.append(track)

    def metadata(self, name, args, pid, tid):
        if name == "process_name":
            kind = "process" if pid == self.process else "gpu"
            self.add(self.groups, pid, Track(kind, args["name"], process=pid))
        elif name == "thread_name":
            kind = "thread" if tid < 10000000 else "row"
            track = Track(kind, args["name"], self.groups[pid], process=pid, thread=tid)
            self.add(self.rows, (pid, tid), track)
        else:
            track = self.groups[pid] if name == "process_sort_index" else self.rows[pid, tid]
            track.rank = args["sort_index"]

    def counter(self, event, pid):
        [(unit, value)] = event["args"].items()
        key = pid, event["name"]
        if key not in self.counters:
            self.add(self.counters, key, Track("counter", event["name"], self.groups[pid], unit=unit))
        self.timeline.points[self.counters[key]].append((self.time(event), value))

    def event(self, event, pid, tid):
        phase = event["ph"]
        if phase == "M":
            self.metadata(event["name"], event["args"], pid, tid)
        elif phase == "C":
            self.counter(event, pid)
        elif phase == "X":
            start = self.time(event)
            end = start + self.nanoseconds(event["dur"])
            self.last = Slice(self.rows[pid, tid], event["name"], event["cat"], start, end, event["args"])
            self.timeline.slices.append(self.last)
        elif phase == "i":
            assert event["s"] == "p"
            time = self.time(event)
            self.timeline.notes.append(Slice(self.groups[pid], event["name"], event["cat"], time,
                                             time, event["args"]))
        else:
            # a flow belongs to the slice that was begun last on its thread
            assert phase in "sf" and event["bp"] == "e" and event["name"] == event["cat"] == "launch"
            assert self.rows[pid, tid] is self.last.track and self.time(event) == self.last.start
            (self.last.flows_out if phase == "s" else self.last.flows_in).append(event["id"])


def add_parents(timeline):
    for track in timeline.tracks:
        stack = []
        for s in timeline.on(track):
            while stack and stack[-1].end <= s.start:
                stack.pop()
            s.parent = stack[-1] if stack else None
            stack.append(s)


def read(folder):
    text = gzip.decompress((folder / "trace.json.gz").read_bytes()).decode()
    sample = json.loads((folder / "sample.json").read_text())
    times = re.findall(r'"(?:ts|dur)":([^,}]*)', text)
    assert times and all(re.fullmatch(r"\d+\.\d{3}", t) for t in times)
    assert all(round(float(t) * 1000) == Decimal(t) * 1000 for t in times)  # as viewers read them
    document = json.loads(text, parse_float=lambda t: t if re.fullmatch(r"\d+\.\d{3}", t) else float(t))
    timeline = Reader(document, sample["process"]).timeline
    add_parents(timeline)
    return timeline, sample


@pytest.mark.parametrize("kind", ["gpu", "cpu"])
def test_sample(kind, tmp_path):
    checks.write("WRITE_SAMPLE", "json", kind, tmp_path)
    timeline, sample = read(tmp_path)
    expected.check_sample(timeline, sample, kind == "gpu")


def test_crossed(tmp_path):
    checks.write("WRITE_CROSSED", "json", tmp_path)
    timeline, sample = read(tmp_path)
    expected.check_crossed(timeline, sample, main=checks.process_name(sample))


def test_ranks(tmp_path):
    """Rows are ranked in the order in which they are to be shown, the main thread first."""
    checks.write("WRITE_SAMPLE", "json", "gpu", tmp_path)
    timeline, _ = read(tmp_path)
    ranks = [t.rank for t in timeline.tracks if t.kind != "counter"]
    assert ranks == sorted(set(ranks))
    assert [t.name for t in timeline.tracks if t.kind == "thread"] == ["main", "worker 1"]


def test_failures(tmp_path):
    expected.check_failures("json", "trace.json.gz", tmp_path)
