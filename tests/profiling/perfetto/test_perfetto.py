"""trace.perfetto-trace, decoded by Perfetto's own description of its format."""

import json

import pytest

import checks
import expected
from perfetto_reader import REALTIME, read_trace


def read(folder):
    return *read_trace(folder), json.loads((folder / "sample.json").read_text())


@pytest.mark.parametrize("kind", ["gpu", "cpu"])
def test_sample(kind, tmp_path):
    checks.write("WRITE_SAMPLE", "perfetto", kind, tmp_path)
    _, timeline, sample = read(tmp_path)
    expected.check_sample(timeline, sample, kind == "gpu")


def test_crossed(tmp_path):
    checks.write("WRITE_CROSSED", "perfetto", tmp_path)
    _, timeline, sample = read(tmp_path)
    expected.check_crossed(timeline, sample, main="main")


def test_clock(tmp_path):
    """The first packet begins the sequence and makes the real-time clock the trace's own."""
    checks.write("WRITE_SAMPLE", "perfetto", "gpu", tmp_path)
    trace, _, sample = read(tmp_path)
    first, *others = trace.packet
    [clock] = first.clock_snapshot.clocks
    assert first.clock_snapshot.primary_trace_clock == clock.clock_id == REALTIME
    assert clock.timestamp == sample["start"]
    assert first.sequence_flags == first.SEQ_INCREMENTAL_STATE_CLEARED
    assert {p.sequence_flags for p in others} == {first.SEQ_NEEDS_INCREMENTAL_STATE}


def test_ranks(tmp_path):
    """Siblings are ranked in the order in which they are to be shown, the main thread first."""
    checks.write("WRITE_SAMPLE", "perfetto", "gpu", tmp_path)
    _, timeline, _ = read(tmp_path)
    ranks = [t.rank for t in timeline.tracks]
    assert ranks == sorted(set(ranks))
    assert [t.name for t in timeline.tracks if t.kind == "thread"] == ["main", "worker 1"]


def test_failures(tmp_path):
    expected.check_failures("perfetto", "trace.perfetto-trace", tmp_path)
