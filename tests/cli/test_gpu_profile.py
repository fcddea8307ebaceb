"""Profiles of GPU runs, end to end: the emulated backend, with stand-ins for CUPTI and NVML.

CUPTI_STAND_IN and NVML_STAND_IN name the stand-ins; they are empty without the header of CUPTI.
"""
import csv
import os
import re

import pytest

from pipelines import CALLS, LAUNCHES, LAUNCHES_OF_MARCHES, within
from program import assert_same_bits, final_fields, read_json

CUPTI, NVML = (os.environ.get(name, "") for name in ("CUPTI_STAND_IN", "NVML_STAND_IN"))
pytestmark = pytest.mark.skipif(not (CUPTI and NVML), reason="the build has no CUPTI (cupti.h)")
PCI = "0000:65:00.0"

CASE = {"grid": {"n": 12, "order": 4}, "time": {"end": 0.05, "dt": 0.0025}}  # 20 steps
EAGER = ["--set", "profile.launch=eager"]
WINDOW = ["--set", "profile.start_step=5", "--set", "profile.duration=3", *EAGER]


@pytest.fixture
def profiled(solved, pipeline, tmp_path):
    """Profile a run; returns the folder of its window and its output."""
    def check(*arguments, command="run", window="step_00000005", **env):
        done = solved("CUBESWE_EMULATED", within(pipeline, CASE), command, "--backend", "cuda", "--output", "out", *arguments,
                      **{"CUBESWE_CUPTI_LIBRARY": CUPTI, "CUBESWE_NVML_LIBRARY": NVML, "CUDA_EMULATION_PCI": PCI, **env})
        return tmp_path / "out" / "profile" / window, done
    return check


# of tests of code that does not depend on the pipeline
one_pipeline = pytest.mark.parametrize("pipeline", ["fused"])


@pytest.fixture
def launches(pipeline):
    """Kernels that each stage launches in a step."""
    return LAUNCHES[pipeline]


def rows(window, table):
    with open(window / f"{table}.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_every_kernel_belongs_to_a_stage(profiled, launches):
    window, done = profiled("--profile=summary", *WINDOW)
    assert done.err == ""
    summary = read_json(window / "summary.json")
    stages = {row["stage"]: row["time_ns"]["count"] for row in summary["stages"]}
    assert stages == {name: 3 * count for name, count in launches.items()}
    assert summary["gpu"]["ops"] == 3 * sum(launches.values())
    assert [step["gpu_ops"] for step in summary["steps"]["each"]] == 3 * [sum(launches.values())]
    assert summary["drops"] == dict.fromkeys(summary["drops"], 0)
    assert summary["device"]["is_gpu"] and summary["device"]["multiprocessors"] == 132


@one_pipeline
@pytest.mark.parametrize("launch", ["eager", "graph"])
def test_kernels_of_marches_belong_to_their_stage(profiled, launch):
    """Kernels of a graph run side by side: the march, and the strips beside it."""
    window, done = profiled("--profile", "--set", "grid.n=256", "--set", "time.dt=0.0005", "--set",
                            "time.end=0.0025", "--set", "profile.start_step=1", "--set",
                            "profile.duration=3", "--set", f"profile.launch={launch}", window="step_00000001")
    assert done.err == ""
    summary = read_json(window / "summary.json")
    assert summary["tracing"]["launched_steps"] == (2 if launch == "graph" else 0)
    assert [step["gpu_ops"] for step in summary["steps"]["each"]] == 3 * [sum(LAUNCHES_OF_MARCHES.values())]
    stages = {row["stage"]: row["time_ns"]["count"] for row in summary["stages"]}
    assert stages == {name: 3 * count for name, count in LAUNCHES_OF_MARCHES.items()}
    assert {row["stage"]: row["calls_ns"]["count"] for row in summary["stages"]} == {"fused": 6}
    names = " ".join(row["Name"] for row in rows(window, "cuda_gpu_kern_sum"))
    assert "march_kernel" in names


def test_tables_contain_the_same(profiled, launches):
    window, _ = profiled("--profile=summary", *WINDOW)
    kernels = rows(window, "cuda_gpu_kern_sum")
    assert sum(int(row["Instances"]) for row in kernels) == 3 * sum(launches.values())
    projected = {row["Range"].split(":")[1]: row for row in rows(window, "nvtx_gpu_proj_sum")}
    for stage, count in launches.items():
        assert int(projected[stage]["Total GPU Ops"]) == 3 * count
    total = sum(int(row["Total Time (ns)"]) for row in kernels)
    summary = read_json(window / "summary.json")
    assert total == sum(row["time_ns"]["total"] for row in summary["stages"])
    calls = {row["Name"]: int(row["Num Calls"]) for row in rows(window, "cuda_api_sum")}
    assert calls["cudaLaunchKernel"] == 3 * sum(launches.values())
    trace = rows(window, "cuda_gpu_trace")
    assert len(trace) == 3 * sum(launches.values())


@one_pipeline
def test_copies_of_output_belong_to_it(profiled):
    window, _ = profiled("--profile=summary", *WINDOW, "--set", "output.every=7")
    copies = rows(window, "cuda_gpu_mem_size_sum")
    assert [row["Operation"] for row in copies] == ["[CUDA memcpy Device-to-Host]"]
    projected = {row["Range"].split(":")[1]: row for row in rows(window, "nvtx_gpu_proj_sum")}
    assert int(projected["output"]["Total GPU Ops"]) == 1
    state = 3 * 8 * 6 * 13 * 16  # fields of (6, 13, 16) with their padding
    assert float(copies[0]["Total (MB)"]) == pytest.approx(state / 1e6, abs=1e-3)


@one_pipeline
def test_windows_follow_each_other(profiled, launches, tmp_path):
    profiled("--profile=summary", *WINDOW, "--set", "profile.interval=5")
    found = sorted(tmp_path.glob("out/profile/step_*/summary.json"))
    assert len(found) == 3
    for path in found:
        assert read_json(path)["gpu"]["ops"] == 3 * sum(launches.values())


def test_a_window_launches_the_graphs_of_a_run(profiled, launches, pipeline, run_emulated):
    """Of 19 steps one graph has 16 and another two; the host launches the last one itself."""
    window, done = profiled("--profile", "--set", "time.end=0.15", "--set", "profile.start_step=31",
                            "--set", "profile.duration=19", window="step_00000031")
    assert done.err == ""
    summary = read_json(window / "summary.json")
    steps, kernels, plain = 19, sum(launches.values()), 1
    assert [step["step"] for step in summary["steps"]["each"]] == list(range(31, 31 + steps))
    assert [step["gpu_ops"] for step in summary["steps"]["each"]] == steps * [kernels]
    assert [step["host_ns"] is None for step in summary["steps"]["each"]].count(True) == steps - plain
    assert summary["steps"]["gpu_ns"]["count"] == steps
    assert summary["steps"]["gpu_ns"]["total"] <= summary["gpu"]["busy_ns"] * 1.5
    assert {row["stage"]: row["time_ns"]["count"] for row in summary["stages"]} == \
        {name: steps * count for name, count in launches.items()}
    assert {row["stage"]: row["calls_ns"]["count"] for row in summary["stages"]} == \
        {name: steps * count for name, count in CALLS[pipeline].items() if name in launches}
    calls = {row["Name"]: int(row["Num Calls"]) for row in rows(window, "cuda_api_sum")}
    assert calls["cudaGraphLaunch"] == 2
    assert calls["cudaLaunchKernel"] == plain * kernels
    flow = {row["name"]: row for row in read_json(window / "dataflow.json")["stages"]}
    assert {name: flow[name]["calls_per_step"] for name in launches} == \
        {name: count for name, count in CALLS[pipeline].items() if name in launches}
    plain_run = run_emulated.solve("case.yaml", "plain", "--set", "time.end=0.15", backend="cuda")
    assert_same_bits(final_fields(window.parents[1]), final_fields(plain_run))


@one_pipeline
@pytest.mark.skipif(not os.environ.get("FAULTS"), reason="this build has no faults")
def test_a_wall_clock_that_is_set_within_a_window_moves_no_record(profiled, run_emulated):
    window, done = profiled("--profile", *WINDOW, LD_PRELOAD=os.environ["FAULTS"], FAULTS_CLOCK="100")
    timeline = read_json(window / "timeline.json")
    end = 1e9 * read_json(window / "summary.json")["window"]["seconds"]
    starts = [row[3] for row in timeline["ops"]]
    assert starts and all(0 <= start <= end for start in starts)
    assert run_emulated("report", "out").code == 0


@one_pipeline
def test_a_window_tells_what_tracing_cost(profiled, tmp_path):
    window, done = profiled("--profile=summary", "--set", "time.end=0.25", "--set",
                            "profile.start_step=31", "--set", "profile.duration=18", "--set",
                            "profile.interval=40", window="step_00000031")
    first, second = (read_json(path)["tracing"]
                     for path in sorted(tmp_path.glob("out/profile/step_*/summary.json")))
    assert first["launch"] == second["launch"] == "graph"
    assert min(first["launched_steps"], second["launched_steps"]) >= 16  # strides end where time bids
    assert first["discarded_steps"] == second["discarded_steps"] == 2
    assert first["untraced_strides"] >= 1 and first["clock_difference_ns"] == first["early_ops"] == 0
    assert first["ratio"] == pytest.approx(first["traced_step_ns"] / first["untraced_step_ns"])
    assert first["later_step_ns"] is None and second["later_step_ns"] > 0
    assert second["untraced_step_ns"] == first["untraced_step_ns"]
    summary, step = read_json(window / "summary.json"), first["traced_step_ns"]
    median, seconds = summary["steps"]["gpu_ns"]["median"], summary["window"]["seconds"]
    assert 0.2 * median < step < max(5 * median, 1e9 * seconds / 9)  # a pause of the machine lengthens the window, too


def test_an_eager_window_launches_no_graph(profiled):
    window, _ = profiled("--profile=summary", *WINDOW)
    tracing = read_json(window / "summary.json")["tracing"]
    assert (tracing["launch"], tracing["launched_steps"]) == ("eager", 0)
    assert "cudaGraphLaunch" not in [row["Name"] for row in rows(window, "cuda_api_sum")]


def test_without_cupti_a_window_starts_stages_one_by_one(profiled, pipeline):
    """A graph has no times on the host."""
    window, _ = profiled("--profile=summary", "--set", "profile.start_step=5", "--set", "profile.duration=3",
                         CUPTI_EMULATION_SUBSCRIBE="39")
    summary = read_json(window / "summary.json")
    assert summary["tracing"]["launch"] == "eager"
    regions = {row["name"]: row["host_ns"]["count"] for row in summary["regions"]}
    assert regions["step"] == 3
    assert not [stage for stage, count in CALLS[pipeline].items() if regions[stage] != 3 * count]


@one_pipeline
def test_the_window_has_its_defaults(profiled):
    """20 steps after 50; at most the interval; in mode counters 3."""
    window, _ = profiled("--profile=summary", "--set", "time.end=0.2", window="step_00000050")
    assert read_json(window / "summary.json")["window"]["steps"] == 20


@one_pipeline
def test_a_window_without_graphs_says_so(profiled):
    window, _ = profiled("--profile=summary", "--set", "profile.start_step=5", "--set", "profile.duration=8",
                         CUBESWE_TUNING="graph_steps=0")
    assert read_json(window / "summary.json")["tracing"]["launch"] == "eager"


@pytest.mark.parametrize("pipeline", ["staged"])
def test_the_command_profile_records_graphs(profiled, launches):
    """It times both pipelines, and records the case's own one by the code of a run."""
    window, done = profiled("--set", "grid.n=12", "--profile", "--set", "profile.duration=18",
                            command="profile", window="step_00000072")
    assert done.err == ""
    summary = read_json(window / "summary.json")
    assert {row["stage"]: row["time_ns"]["count"] for row in summary["stages"]} == \
        {name: 18 * count for name, count in launches.items()}
    assert summary["tracing"]["launched_steps"] == 18
    assert summary["tracing"]["untraced_strides"] >= 3


def test_device_memory_is_assigned_to_places(profiled, pipeline):
    window, _ = profiled("--profile=summary", *WINDOW, CUBESWE_TUNING=None)
    memory = read_json(window / "summary.json")["memory"]
    sites = {site["label"]: site for site in memory["sites"]}
    assert {"states", "1/J", "J g^12", "tangents", "norms", "integrals"} <= set(sites)
    assert ("tendency" in sites) == (pipeline == "staged")
    in_use = {label: site["file"] for label, site in sites.items() if site["after"]["blocks"] > 0}
    assert set(in_use.values()) == {"solver/state/stepper_arrays.c"}
    # memory of the peak benchmarks is released before the window
    assert {site["file"] for label, site in sites.items() if label not in in_use} == \
        {"solver/backend/peaks.c"}
    assert memory["before"]["in_use_bytes"] == memory["after"]["in_use_bytes"] > 0


def test_the_gpu_is_logged(profiled):
    window, _ = profiled("--profile=summary", *WINDOW)
    log = (window.parent / "gpu_log.csv").read_text().splitlines()
    assert re.match(r"#Date, Time, gpu, pwr, gtemp, sm, mem", log[0]) and len(log) >= 5
    summary = read_json(window / "summary.json")
    samples = summary["gpu"]["samples"]
    assert samples["sm_clock_mhz"]["count"] >= 2
    for mean in ("sm_percent", "memory_percent", "power_watts"):  # of the last second
        assert (samples[mean] is None) == (summary["window"]["seconds"] < 1)


@one_pipeline
@pytest.mark.parametrize("words, environment", [
    (["no GPU trace", "another profiler is attached"], {"CUPTI_EMULATION_SUBSCRIBE": "39"}),
    (["no GPU trace", "refuses"], {"CUPTI_EMULATION_SUBSCRIBE": "35"}),
    (["no GPU trace", "libcupti"], {"CUBESWE_CUPTI_LIBRARY": "/nowhere/libcupti.so"}),
    (["cannot record kind 10"], {"CUPTI_EMULATION_REFUSED_KIND": "10"}),
    (["no samples of the GPU"], {"CUBESWE_NVML_LIBRARY": "/nowhere/libnvml.so"}),
    (["no samples of the GPU"], {"CUDA_EMULATION_PCI": "0000:ff:00.0"}),
])
def test_what_cannot_be_measured_is_one_warning(profiled, solved, pipeline, words, environment):
    window, done = profiled("--profile", *WINDOW, **environment)
    assert len(done.lines) == 1 and done.err.startswith("cubeswe: warning: "), done.err
    assert not [word for word in words if word not in done.err], done.err
    summary = read_json(window / "summary.json")
    assert summary["warnings"] == [done.lines[0].removeprefix("cubeswe: warning: ")]
    regions = {row["name"]: row["host_ns"]["count"] for row in summary["regions"]}
    assert regions["step"] == 3
    assert not [stage for stage, count in CALLS[pipeline].items() if regions[stage] != 3 * count]
    solved("CUBESWE_EMULATED", within(pipeline, CASE), "run", "--backend", "cuda", "--output", "plain")
    assert_same_bits(final_fields(window.parents[1]), final_fields(window.parents[2] / "plain"))


def test_operations_beyond_the_limit_are_counted(profiled, launches):
    steps = 160
    window, done = profiled("--profile=summary", "--set", f"time.end={0.0025 * steps}", "--set",
                            "profile.start_step=0", "--set", f"profile.duration={steps}", "--set",
                            "profile.max_events=1000", *EAGER, window="step_00000000")
    summary = read_json(window / "summary.json")
    drops = summary["drops"]
    everything = 2 * steps * sum(launches.values())  # kernels and their launches
    assert drops["ops"] + drops["records"] >= everything - 1000 - 10
    assert any("max_events" in line for line in done.lines)
    assert summary["gpu"]["ops"] > 0
