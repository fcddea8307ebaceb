"""Ranges of a run in an NVTX tool: every stage, in order and nested, on both backends.

NVTX_INJECTION names the tool (tests/support/nvtx_injection); it is empty without the headers of NVTX.
"""
import csv
import os

import pytest

from pipelines import STEP, within

TOOL = os.environ.get("NVTX_INJECTION", "")
pytestmark = pytest.mark.skipif(not TOOL, reason="the build has no NVTX (nvtx3/nvToolsExt.h)")

# 6 steps
CASE = {"grid": {"n": 12, "order": 4}, "time": {"end": 0.03, "dt": 0.005}}


def tree(events):
    """Ranges as nested lists: [name, inner ranges...]; asserts that they nest."""
    root = ["run"]
    stack = [root]
    for event in events:
        if event["event"] == "push":
            stack[-1].append([event["text"]])
            stack.append(stack[-1][-1])
        elif event["event"] == "pop":
            stack.pop()
            assert stack, "a range ends that did not begin"
    assert len(stack) == 1, "a range does not end"
    return root


@pytest.fixture(params=["cpu", "cuda"])
def seen(request, run, run_emulated, case, pipeline, tmp_path):
    """Run a case with the tool attached; returns the events that the tool recorded and the output of the run."""
    def check(*arguments, launch="eager"):
        program = run_emulated if request.param == "cuda" else run
        log = tmp_path / "nvtx.log"
        done = program("run", case(**within(pipeline, CASE)), "--backend", request.param, "--output", "out",
                       "--quiet", *arguments, "--set", f"profile.launch={launch}",
                       env={"NVTX_INJECTION64_PATH": TOOL, "NVTX_LOG": str(log),
                            "CUDA_EMULATION_TELL_CAPTURE": "1"})
        assert done.code == 0, done.err
        with open(log, newline="") as file:
            events = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        assert {event["domain"] for event in events} == {"cubeswe"}
        assert not [event for event in events if event["text"].startswith("!")]
        return events, done, request.param
    return check


def test_every_stage_has_its_range(seen, pipeline):
    """The run has no --profile, as under a bare nsys."""
    events, done, _ = seen()
    run = tree(events)
    phases = run[1:]
    assert [phase[0] for phase in phases[:2]] == ["setup", "diagnostics"]
    assert [x[0] for x in phases[0][1:]] == ["projection"]  # of the initial state
    steps = [step for phase in phases if phase[0] == "steps" for step in phase[1:]]
    assert steps == [STEP[pipeline]] * 6
    # the file of the end: nothing to wait for before it, then the file itself, then the last checkpoint
    assert [phase[0] for phase in phases[-6:]] == ["diagnostics", "output wait", "output", "output wait", "output",
                                                   "output wait"]
    numbers = [event["payload"] for event in events if event["text"] == "step"
               and event["event"] == "push"]
    assert numbers == ["0", "1", "2", "3", "4", "5"]
    assert "capture" not in done.err


def test_graphs_run_under_a_tool_as_without_it(seen, pipeline):
    events, _, backend = seen(launch="graph")
    steps = [step for phase in tree(events)[1:] if phase[0] == "steps" for step in phase[1:]]
    one, graph = STEP[pipeline], ["graph"]
    # strides of 6 steps in which the first captures a graph of two, with nothing in its range
    assert steps == ([one, graph, graph, one] if backend == "cuda" else 6 * [one])


@pytest.mark.parametrize("mode", ["nsys", "trace"])
def test_a_window_is_a_range(seen, pipeline, mode):
    events, done, backend = seen(f"--profile={mode}", "--set", "profile.start_step=2", "--set",
                        "profile.duration=3")
    run = tree(events)
    names = [phase[0] for phase in run[1:]]
    assert names.count("window") == 1 and "warm-up" in names
    window = run[1:][names.index("window")]
    steps = [step for phase in window[1:] if phase[0] == "steps" for step in phase[1:]]
    assert steps == [STEP[pipeline]] * 3
    warm_up = [step for phase in run[1:] if phase[0] == "warm-up" for step in phase[1:]]
    assert len(warm_up) == 2
    payload = [event["payload"] for event in events if event["text"] == "window"
               and event["event"] == "push"]
    assert payload == ["2"]
    # on CUDA, tools that capture between cudaProfilerStart and Stop are notified
    captures = [line for line in done.lines if "capture" in line]
    expected = ["cuda emulation: capture starts", "cuda emulation: capture stops"]
    assert captures == (expected if (mode, backend) == ("nsys", "cuda") else [])


def test_a_study_has_its_ranges(run, case, tmp_path):
    log = tmp_path / "nvtx.log"
    done = run("converge", case(**CASE), "--n", "12,16", "--backend", "cpu", "--output", "out",
               "--quiet", env={"NVTX_INJECTION64_PATH": TOOL, "NVTX_LOG": str(log)})
    assert done.code == 0, done.err
    with open(log, newline="") as file:
        events = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    phases = [phase[0] for phase in tree(events)[1:]]
    assert phases.count("setup") == 3 and "steps" in phases  # two rows, and the coarsest with half its step
