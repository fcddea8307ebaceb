"""Profiles of runs on several ranks: one window for all of them."""
import json
import os
import re
import signal
from functools import lru_cache

import jsonschema
import pytest

import mpi
from program import REPOSITORY, Program, read_json, wait_for, write_case

SCHEMA = json.loads((REPOSITORY / "profiling/window/summary/summary.schema.json").read_text())
CASE = {"grid": {"n": 24, "order": 4}, "physics": {"model": "nonlinear", "rotation": 7.292e-5, "radius": 6.37122e6,
                                                   "gravity": 9.80616, "depth": 5960.0},
        "initial": {"kind": "williamson5"}, "time": {"end": 4000.0, "dt": 200.0}}
WINDOW = ["--profile", "--set", "profile.start_step=4", "--set", "profile.duration=3"]
SHARED_GPU = "cuda:0"
CUPTI, NVML, NCCL = (os.environ.get(name, "") for name in ("CUPTI_STAND_IN", "NVML_STAND_IN", "NCCL_STAND_IN"))
STAND_INS = {"CUBESWE_CUPTI_LIBRARY": CUPTI, "CUBESWE_NVML_LIBRARY": NVML, "CUDA_EMULATION_PCI": "0000:65:00.0",
             "CUBESWE_NCCL_LIBRARY": NCCL}
STOPPED = 75
pytestmark = mpi.needs_mpi


def window_of(folder):
    """The summary of the only window."""
    window, = folder.glob("profile/step_*")
    summary = read_json(window / "summary.json")
    jsonschema.validate(summary, SCHEMA)
    return window, summary


def assert_is_planned(run, case, ranks, summary):
    """A step has the exchanges, messages and bytes that `info` tells, and all that is sent is received."""
    plan = run("info", case, "--ranks", ranks).out
    each = summary["ranks"]["each"]
    assert [rank["rank"] for rank in each] == list(range(ranks))
    assert sum(stage["exchanges"] for stage in summary["ranks"]["stages"]) == int(
        re.search(r"^# exchanges +(\d+) a step", plan, re.MULTILINE).group(1))
    assert max(rank["received_bytes"] for rank in each) / 2**20 == pytest.approx(
        float(re.search(r"a step receives ([0-9.]+) MiB", plan).group(1)), abs=5e-4)
    assert sum(rank["received_bytes"] for rank in each) == pytest.approx(sum(rank["sent_bytes"] for rank in each))
    assert sum(rank["share"] for rank in each) == pytest.approx(1)


@pytest.fixture(scope="module")
def profiled(tmp_path_factory):
    """The program of a run on ranks with a window, in the folder of the run, whose results are in out; one run for all tests."""
    @lru_cache(maxsize=None)
    def of(ranks, pipeline):
        program = Program("CUBESWE", tmp_path_factory.mktemp("profiled"))
        case = write_case(program.folder / "case.yaml", **CASE, scheme={"pipeline": pipeline}).name
        mpi.solve(program, ranks, case, "out", "--threads", "1", *WINDOW)
        return program
    return of


@pytest.mark.parametrize("ranks,pipeline", [(3, "fused"), (8, "fused"), (4, "staged")])
def test_a_window_has_all_ranks(profiled, ranks, pipeline):
    run = profiled(ranks, pipeline)
    window, summary = window_of(run.folder / "out")
    assert_is_planned(run, "case.yaml", ranks, summary)
    assert summary["ranks"]["count"] == ranks and summary["window"]["steps"] == 3
    for rank in summary["ranks"]["each"]:
        assert rank["step_ns"] > 0 and rank["work_ns"] > 0 and rank["exposed_ns"] > 0
        assert (rank["threads"], rank["dropped"]) == (1, 0)
        assert abs(rank["clock_difference_ns"]) <= rank["clock_uncertainty_ns"]  # one machine
    assert len({rank["process"] for rank in summary["ranks"]["each"]}) == ranks
    assert len(list(window.glob("plugins/profile/*/*_rank_*.xplane.pb"))) == ranks
    # rank 0 also records its own waits in each of three steps; their median is the median of the ranks
    waits, = (region for region in summary["regions"] if region["kind"] == "wait")
    assert waits["name"] == "messages" and waits["host_ns"]["total"] >= summary["ranks"]["each"][0]["exposed_ns"]
    assert run("report", "out").code == 0


def test_costs_are_those_of_a_share(profiled):
    flops = {}
    for ranks in (1, 3):
        _, summary = window_of(profiled(ranks, "fused").folder / "out")
        flops[ranks] = {cost["stage"]: cost["flops"] for cost in summary["costs"]}
    assert summary["ranks"]["each"][0]["share"] == pytest.approx(1 / 3)
    assert flops[3] == {stage: pytest.approx(value / 3) for stage, value in flops[1].items()}


@pytest.mark.skipif(not (CUPTI and NVML), reason="the build has no CUPTI (cupti.h)")
@pytest.mark.parametrize("transport", ["mpi", "nccl", "ipc"])
def test_a_window_has_all_gpus(run_emulated, transport):
    ranks, case = 3, write_case(run_emulated.folder / "case.yaml", **CASE).name
    folder = mpi.solve(run_emulated, ranks, case, "out", *WINDOW, "--set", f"parallel.transport={transport}", backend=SHARED_GPU,
                       env=STAND_INS)
    _, summary = window_of(folder)
    assert_is_planned(run_emulated, case, ranks, summary)
    assert summary["warnings"] == [] and summary["tracing"]["launch"] == "eager"
    is_unknown = transport == "nccl"  # its kernels wait, not the host
    for rank in summary["ranks"]["each"]:
        assert rank["step_ns"] > 0
        assert (rank["work_ns"] is None) == (rank["exposed_ns"] is None) == is_unknown
    assert (summary["ranks"]["exposed_share"] is None) == (summary["ranks"]["imbalance"] is None) == is_unknown
    assert {path.name for path in (folder / "profile").iterdir()} == {"gpu_log.csv", "step_00000004"}


@pytest.mark.parametrize("mode", ["counters", "full", "nsys", "summary"])
@pytest.mark.skipif(not (CUPTI and NVML), reason="the build has no CUPTI (cupti.h)")
def test_ranks_end_in_every_mode(run_emulated, mode):
    """A run also stops while it counts, in the modes that count; the other modes do nothing before their window."""
    case = write_case(run_emulated.folder / "case.yaml", **CASE).name
    stops = [("stopped", ["--max-walltime", "0.001"])] if mode in ("counters", "full") else []
    for output, words in [("whole", []), *stops]:
        done = mpi.call(run_emulated, 2, "run", case, "--output", output, "--backend", SHARED_GPU, "--quiet", f"--profile={mode}",
                        "--set", "profile.start_step=12", "--set", "profile.duration=4", *words, env=STAND_INS)
        assert done.code == (STOPPED if words else 0), done.err
    windows = list((run_emulated.folder / "whole/profile").glob("step_*/summary.json"))
    assert len(windows) == (mode != "nsys")
    for path in windows:
        summary = read_json(path)
        jsonschema.validate(summary, SCHEMA)
        assert summary["ranks"]["count"] == 2


def test_gpus_without_a_trace_have_no_times(run_emulated):
    ranks, case = 2, write_case(run_emulated.folder / "case.yaml", **CASE).name
    _, summary = window_of(mpi.solve(run_emulated, ranks, case, "out", *WINDOW, backend=SHARED_GPU))
    assert_is_planned(run_emulated, case, ranks, summary)
    assert summary["ranks"]["step_ns"] is summary["ranks"]["imbalance"] is summary["ranks"]["exposed_share"] is None
    for stage in summary["ranks"]["stages"]:
        assert stage["work_ns"] is stage["slowest"] is None
    assert len([line for line in summary["warnings"] if "no GPU trace" in line]) == 1


def test_a_profile_of_components_has_all_ranks(run):
    """The linear flow has the fewest stages and exchanges: ranks that share a busy core wait long for each."""
    case = write_case(run.folder / "case.yaml").name
    done = mpi.call(run, 2, "profile", case, "--backend", "cpu", "--output", "out", "--profile", "--set", "grid.n=24",
                    "--set", "profile.duration=3")
    assert done.code == 0, done.err
    _, summary = window_of(run.folder / "out")
    assert summary["ranks"]["count"] == 2 and summary["window"]["steps"] == 3


def test_windows_go_on_after_a_restart(run):
    """The first run measures peak rates, which its ranks do at the same time."""
    case = write_case(run.folder / "case.yaml", **CASE, checkpoint={"every": 5}).name
    windows = ["--profile=summary", "--set", "profile.start_step=2", "--set", "profile.duration=2", "--set", "profile.interval=8"]
    mpi.solve(run, 2, case, "out", *windows, "--set", "time.end=1000.0", env={"CUBESWE_TUNING": None})
    mpi.solve(run, 3, case, "out", *windows, "--restart", "auto")
    counts = {path.parent.name: read_json(path)["ranks"]["count"] for path in (run.folder / "out").glob("profile/*/summary.json")}
    assert counts == {"step_00000002": 2, "step_00000010": 3, "step_00000018": 3}


def test_a_signal_within_a_window_ends_it_on_all_ranks(run):
    case = write_case(run.folder / "case.yaml", **{**CASE, "time": {"end": 2e8, "dt": 200.0}}, checkpoint={"every": 20}).name
    launcher = mpi.start(run, 3, "run", case, "--backend", "cpu", "--quiet", "--threads", "1", "--output",
                         run.folder / "out", "--profile=summary", "--set", "profile.start_step=4", "--set", "profile.duration=500000")
    wait_for(lambda: list((run.folder / "out/checkpoints").glob("*.json")))
    os.kill(mpi.ranks_of(run)[1], signal.SIGTERM)
    _, err = launcher.communicate(timeout=mpi.HANGS)
    assert launcher.returncode == STOPPED, err
    _, summary = window_of(run.folder / "out")
    assert summary["ranks"]["count"] == 3 and 0 < summary["window"]["steps"] < 500000
    assert "the run ended" in summary["warnings"][0]
