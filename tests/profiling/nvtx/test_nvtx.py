"""Nested regions as a tool attached by NVTX's injection receives them, and runs without a tool.

NESTED_REGIONS names the program, NVTX_INJECTION the tool (tests/support/nvtx_injection).
"""
import csv
import os
import subprocess

import pytest

REGIONS = ["setup", "steps", "step", "right-hand side", "gradient", "divergence"]
KINDS = ["phase", "step", "part", "stage", "thread", "launch", "wait"]

ONE_STEP = [("push", "right-hand side", "part"),
            ("push", "gradient", "stage"), ("pop",), ("push", "divergence", "stage"),
            ("push", "messages", "wait"), ("pop",), ("pop",), ("pop",), ("pop",)]
SEQUENCE = [("push", "setup", "phase"), ("pop",),
            ("push", "steps", "phase"),
            ("push", "window", "-", "40"),
            ("push", "step", "step", "40"), *ONE_STEP,
            ("push", "step", "step", "41"), *ONE_STEP,
            ("push", "graph", "launch"), ("pop",),
            ("pop",),
            ("push", "divergence", "thread"), ("pop",),
            ("pop",)]


def run(**changes):
    """Run the program with changes of the environment; its output."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("NVTX_INJECTION")} | changes
    done = subprocess.run([os.environ["NESTED_REGIONS"]], env=environment, timeout=60,
                          capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture(name="events")
def fixture_events(tmp_path):
    """The events that the tool wrote down, as dictionaries."""
    log = tmp_path / "nvtx.log"
    tool = os.environ["NVTX_INJECTION"]
    assert run(NVTX_INJECTION64_PATH=tool, NVTX_LOG=str(log)) == "attached\n"
    with open(log, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def ranges(events):
    return [event for event in events if event["event"] in ("push", "pop")]


def test_without_a_tool_there_is_no_domain():
    assert run() == "no tool\n"


def test_a_tool_that_does_not_attach_is_none(tmp_path):
    nowhere = str(tmp_path / "no" / "folder")
    assert run(NVTX_INJECTION64_PATH=os.environ["NVTX_INJECTION"], NVTX_LOG=nowhere) == "no tool\n"


def test_everything_is_in_one_domain(events):
    assert [(e["event"], e["text"]) for e in events if e["event"] == "domain"] == \
        [("domain", "cubeswe")]
    assert {event["domain"] for event in events} == {"cubeswe"}
    assert events[0]["event"] == "domain" and events[-1]["event"] == "destroy"


def test_names_are_registered_before_any_range(events):
    registered = [event["text"] for event in events if event["event"] == "string"]
    assert registered == [*REGIONS, "divergence", "graph", "messages", "window"]
    first_range = events.index(ranges(events)[0])
    assert not [e for e in events[first_range:] if e["event"] in ("string", "category")]
    assert not [event for event in events if event["text"].startswith("!")]


def test_a_category_for_every_kind(events):
    assert {event["category"]: event["text"] for event in events
            if event["event"] == "category"} == {str(k + 1): kind for k, kind in enumerate(KINDS)}


def test_the_ranges_are_the_regions_in_order(events):
    names = {event["category"]: event["text"] for event in events if event["event"] == "category"}
    found = [("pop",) if event["event"] == "pop" else
             ("push", event["text"], names.get(event["category"], "-"), event["payload"])
             for event in ranges(events)]
    assert found == [(*expected, "-") if len(expected) == 3 else expected for expected in SEQUENCE]


def test_ranges_nest_on_every_thread(events):
    depth = {}
    for event in ranges(events):
        depth[event["thread"]] = depth.get(event["thread"], 0) + (
            1 if event["event"] == "push" else -1)
        assert depth[event["thread"]] >= 0
    assert len(depth) == 2 and set(depth.values()) == {0}


def test_the_second_thread_has_ranges_of_its_own(events):
    threads = [event["thread"] for event in ranges(events)]
    other = [event for event in ranges(events) if event["thread"] != threads[0]]
    assert [(event["event"], event["category"]) for event in other] == [
        ("push", str(KINDS.index("thread") + 1)), ("pop", "-")]


def test_a_colour_for_every_kind(events):
    colours = {event["category"]: event["colour"] for event in ranges(events)
               if event["event"] == "push"}
    assert len(colours) == len(set(colours.values())) == len(KINDS) + 1 # and that of the window
    assert all(colour.startswith("ff") for colour in colours.values())


def test_time_does_not_go_back(events):
    times = [int(event["time"]) for event in events]
    assert times == sorted(times)
