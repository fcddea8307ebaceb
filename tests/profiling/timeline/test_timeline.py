"""timeline.json satisfies its schema and holds the spans and operations of its window."""
import json
import os
import pathlib
import subprocess

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCHEMA = json.loads((ROOT / "profiling/window/timeline/timeline.schema.json").read_text())
SPAN_KINDS = ["phase", "step", "part", "stage", "thread", "launch", "wait"]
OP_KINDS = ["kernel", "copy", "fill"]


def check(timeline):
    jsonschema.Draft202012Validator(SCHEMA).validate(timeline)
    rows = timeline["spans"] + timeline["ops"] + [[op[1]] for op in timeline["ops"] if op[1] is not None]
    assert {row[0] for row in rows} == set(range(len(timeline["names"])))


@pytest.fixture(scope="module", params=["gpu", "cpu"])
def written(request, tmp_path_factory):
    """The sample trace, and the timeline of it."""
    folder = tmp_path_factory.mktemp(request.param)
    subprocess.run([os.environ["WRITE_SAMPLE"], "timeline", request.param, folder], check=True)
    timeline = json.loads((folder / "timeline.json").read_text())
    check(timeline)
    return json.loads((folder / "sample.json").read_text()), timeline


def test_spans(written):
    trace, timeline = written
    assert timeline["spans"] == [
        [timeline["names"].index(span["name"]), SPAN_KINDS[span["kind"]],
         span["start"] - trace["start"], span["end"] - span["start"], span["step"], span["depth"],
         span["thread"]] for span in trace["spans"]]
    assert timeline["threads"] == ["main", "worker 1"]


def test_operations(written):
    trace, timeline = written
    names = timeline["names"]
    assert timeline["ops"] == [
        [names.index(op["name"]), names.index(op["stage"]) if op["stage"] else None,
         OP_KINDS[op["kind"]], op["start"] - trace["start"], op["end"] - op["start"],
         op["stream"], op["bytes"]] for op in trace["ops"]]


def test_window_memory_and_samples(written):
    trace, timeline = written
    assert timeline["start_ns"] == trace["start"]
    assert timeline["duration_ns"] == trace["end"] - trace["start"]
    assert timeline["memory"] == [
        [0, trace["before"]["in_use"]],
        *([event["time"] - trace["start"], event["in_use"]] for event in trace["memory_events"]),
        [trace["end"] - trace["start"], trace["after"]["in_use"]]]
    quantities = ["sm", "memory", "memory_used", "sm_clock", "power", "temperature"]
    assert timeline["samples"] == [
        [sample["time"] - trace["start"],
         *(sample[name] if sample[name] >= 0 else None for name in quantities)]
        for sample in trace["samples"]]
    assert timeline["sampled"] == [
        [sample["start"] - trace["start"], sample["end"] - sample["start"],
         *(value if value >= 0 else None for value in sample["values"])]
        for sample in trace["sampled"]]
    assert bool(timeline["sampled"]) == trace["is_gpu"]
    assert timeline["omitted"] == {"spans": 0, "ops": 0}


def test_entries_beyond_the_limit_are_omitted(tmp_path):
    subprocess.run([os.environ["WRITE_LONG_TIMELINE"], tmp_path], check=True)
    timeline = json.loads((tmp_path / "timeline.json").read_text())
    check(timeline)
    assert timeline["omitted"] == {"spans": 10000, "ops": 7}
    assert [op[3] for op in timeline["ops"]] == list(range(20000))
    kept = sorted(span[2] for span in timeline["spans"])
    assert kept == sorted(10 * k + thread for k in range(10000) for thread in range(3))[:20000]
    assert {span[6] for span in timeline["spans"]} == {0, 1, 2}
