"""Counters of the GPU by stage, end to end: the emulated backend with the stand-in for CUPTI.

In the stand-in, the k-th metric counts k for each thread of a kernel, so that the expected count of a stage follows
from the sizes of its launches, which a profile of the same case has.
"""
import json
import os
import pathlib
import re

import jsonschema
import pytest

from pipelines import CALLS, within
from program import assert_same_bits, drawn_by, final_fields, read_json

CUPTI, NVML = (os.environ.get(name, "") for name in ("CUPTI_STAND_IN", "NVML_STAND_IN"))
needs_cupti = pytest.mark.skipif(not (CUPTI and NVML), reason="the build has no CUPTI (cupti.h)")
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "profiling/window/summary/summary.schema.json").read_text())
METRICS = ["time_ns", "dram_read_bytes", "dram_written_bytes", "l2_bytes", "l1_bytes", "fp64_adds", "fp64_multiplies", "fp64_fmas"]
CASE = {"grid": {"n": 12, "order": 4}, "time": {"end": 0.05, "dt": 0.0025}}  # 20 steps
WINDOW = ["--set", "profile.start_step=5", "--set", "profile.duration=3"]
PLACE = {"CUBESWE_CUPTI_LIBRARY": CUPTI, "CUBESWE_NVML_LIBRARY": NVML, "CUDA_EMULATION_PCI": "0000:65:00.0"}


@pytest.fixture
def profiled(solved, pipeline, tmp_path):
    """Profile a run; returns the summary of its window and its output."""
    def check(mode, *arguments, command="run", window="step_00000005", **env):
        done = solved("CUBESWE_EMULATED", within(pipeline, CASE), command, "--backend", "cuda", "--output", mode,
                      f"--profile={mode}", *arguments, **{**PLACE, **env})
        summary = read_json(tmp_path / mode / "profile" / window / "summary.json")
        jsonschema.Draft202012Validator(SCHEMA).validate(summary)
        return summary, done
    return check


@pytest.fixture
def plain(solved, pipeline, tmp_path):
    """The last fields of the same run without a profile."""
    solved("CUBESWE_EMULATED", within(pipeline, CASE), "run", "--backend", "cuda", "--output", "plain")
    return final_fields(tmp_path / "plain")


# of tests of code that does not depend on the pipeline
one_pipeline = pytest.mark.parametrize("pipeline", ["fused"])


def launched(summary, steps):
    """Launches and threads of a step, by stage and kernel."""
    found = {}
    for kernel in summary["kernels"]:
        threads = 1
        for size in kernel["grid"] + kernel["block"]:
            threads *= size
        count = kernel["time_ns"]["count"] // steps
        launches, before = found.setdefault(kernel["stage"], {}).get(kernel["name"], (0, 0))
        found[kernel["stage"]][kernel["name"]] = (launches + count, before + count * threads)
    return found


@needs_cupti
def test_every_stage_has_the_counts_of_its_kernels(profiled, pipeline):
    traced, _ = profiled("summary", *WINDOW)
    summary, done = profiled("counters", *WINDOW)
    assert done.err == "" and summary["warnings"] == []
    expected, counters = launched(traced, steps=3), summary["counters"]
    assert (counters["chip"], counters["passes"], counters["first_step"]) == ("GH100", 2, 5)
    assert {row["stage"]: row["calls"] for row in counters["stages"]} == CALLS[pipeline]
    assert sorted(expected) == sorted(CALLS[pipeline])
    for row in counters["stages"]:
        kernels = expected[row["stage"]]
        assert {k["name"]: k["launches"] for k in row["kernels"]} == {name: launches for name, (launches, _) in kernels.items()}
        threads = sum(threads for _, threads in kernels.values())
        assert [row[name] for name in METRICS] == [pytest.approx((k + 1) * threads, rel=1e-12) for k in range(len(METRICS))]
        assert row["fp64_flops"] == pytest.approx((6 + 7 + 2 * 8) * threads, rel=1e-12)


@needs_cupti
def test_a_window_of_counters_has_no_trace(profiled, plain, pipeline, tmp_path):
    """And it changes no bit of the run."""
    summary, _ = profiled("counters", *WINDOW)
    assert_same_bits(final_fields(tmp_path / "counters"), plain)
    window = tmp_path / "counters" / "profile" / "step_00000005"
    assert summary["mode"] == "counters" and summary["gpu"] is None
    assert summary["kernels"] == summary["stages"] == summary["calls"] == []
    assert not list(window.rglob("*.pb")) and not list(window.glob("trace*"))
    assert not (window.parent / "gpu_log.csv").exists()
    regions = {row["name"]: row["host_ns"]["count"] for row in summary["regions"]}
    assert regions["step"] == 3
    assert not [stage for stage, count in CALLS[pipeline].items() if regions[stage] != 3 * count]


@needs_cupti
@one_pipeline
def test_windows_count_one_after_the_other(profiled, tmp_path):
    profiled("counters", *WINDOW, "--set", "profile.interval=5")
    found = [read_json(path)["counters"]
             for path in sorted(tmp_path.glob("counters/profile/step_*/summary.json"))]
    assert [counters["first_step"] for counters in found] == [5, 10, 15]
    assert found[0]["stages"] == found[1]["stages"] == found[2]["stages"]


@needs_cupti
@pytest.mark.parametrize("pipeline", ["staged"])
def test_the_command_profile_counts_a_step_too(profiled, pipeline):
    summary, done = profiled("counters", "--set", "grid.n=12", command="profile", window="step_00000012")
    assert done.err == ""
    assert {row["stage"]: row["calls"] for row in summary["counters"]["stages"]} == CALLS[pipeline]


@needs_cupti
@one_pipeline
@pytest.mark.parametrize("words, environment", [
    (["another profiler is attached"], {"CUPTI_EMULATION_SUBSCRIBE": "39"}),
    (["ERR_NVGPUCTRPERM"], {"CUPTI_EMULATION_REFUSED_CALL": "cuptiRangeProfilerEnable:35"}),
    (["MIG"], {"CUPTI_EMULATION_REFUSED_CALL": "cuptiRangeProfilerEnable:43"}),
    (["virtualised"], {"CUPTI_EMULATION_UNSUPPORTED": "vgpu"}),
    (["confidential"], {"CUPTI_EMULATION_UNSUPPORTED": "confidential"}),
    (["libcupti"], {"CUBESWE_CUPTI_LIBRARY": "/nowhere/libcupti.so"})])
def test_what_cannot_be_counted_is_one_warning(profiled, plain, tmp_path, words, environment):
    summary, done = profiled("counters", *WINDOW, **environment)
    assert len(done.lines) == 1, done.err
    assert not [word for word in ["warning: no counters: ", *words] if word not in done.err]
    assert summary["counters"] is None
    assert summary["warnings"] == [done.lines[0].removeprefix("cubeswe: warning: ")]
    assert_same_bits(final_fields(tmp_path / "counters"), plain)


@needs_cupti
@one_pipeline
def test_a_window_that_is_too_short_says_so(profiled):
    summary, done = profiled("counters", *WINDOW[:2], "--set", "profile.duration=1")
    assert len(done.lines) == 1 and "they need 2 steps" in done.err
    assert summary["counters"] is None


FULL = ["--set", "profile.start_step=10", "--set", "profile.duration=3", "--set", "profile.interval=5"]


@needs_cupti
def test_a_full_profile_has_trace_and_counters(profiled, plain, tmp_path):
    """The first steps are counted; a window equals a window of a trace; every window has the counts. No bit of the run changes."""
    traced, _ = profiled("trace", *FULL, window="step_00000010")
    counted, _ = profiled("counters", *WINDOW)
    summary, done = profiled("full", *FULL, window="step_00000010")
    assert done.err == "" and summary["mode"] == "full" and summary["warnings"] == []
    assert_same_bits(final_fields(tmp_path / "full"), plain)
    assert summary["counters"] == {**counted["counters"], "first_step": 1}
    assert read_json(tmp_path / "full/profile/step_00000015/summary.json")["counters"] == summary["counters"]
    count = {name: [(row["name"], row["time_ns"]["count"]) for row in sorted(found["kernels"], key=lambda row: row["name"])]
             for name, found in [("trace", traced), ("full", summary)]}
    assert count["full"] == count["trace"] != []
    assert summary["gpu"]["ops"] == traced["gpu"]["ops"] and summary["tracing"]["launch"] == "graph"
    window = tmp_path / "full/profile/step_00000010"
    assert list(window.glob("plugins/profile/*/*.xplane.pb")) and (window / "trace.perfetto-trace").exists()


@needs_cupti
@one_pipeline
def test_a_full_profile_of_the_command_profile(profiled, pipeline):
    summary, done = profiled("full", "--set", "grid.n=12", command="profile", window="step_00000080")
    assert done.err == ""
    assert {row["stage"]: row["calls"] for row in summary["counters"]["stages"]} == CALLS[pipeline]


@needs_cupti
def test_a_full_profile_is_reported_as_one(profiled, run):
    profiled("full", *FULL, window="step_00000010")
    text = run("report", "full").out
    assert "\nKernels\n" in text and "\nCounters\none call of each stage: counters of GH100" in text
    assert "was not checked against counters" not in text


@needs_cupti
@one_pipeline
@pytest.mark.parametrize("words, start, environment", [
    (["must start 10 steps or more after step 0", "starts after step 9"], 9, {}),
    (["MIG"], 10, {"CUPTI_EMULATION_REFUSED_CALL": "cuptiRangeProfilerEnable:43"})])
def test_a_full_profile_without_counters_is_a_trace(profiled, words, start, environment):
    summary, done = profiled("full", "--set", f"profile.start_step={start}", "--set", "profile.duration=3",
                             window=f"step_{start:08}", **environment)
    assert len(done.lines) == 1 and "warning: no counters: " in done.err, done.err
    assert not [word for word in words if word not in done.err], done.err
    assert summary["counters"] is None and summary["gpu"]["ops"] > 0


def test_a_full_profile_of_the_cpu_counts_its_threads(run, case):
    out = run.solve(case(**CASE), "out", "--profile=full", *WINDOW)
    summary = read_json(out / "profile/step_00000005/summary.json")
    assert summary["mode"] == "full" and summary["counters"] is None
    clocks = [row["counters"]["task_clock"] for row in summary["threads"]]
    assert clocks and (all(clocks) or any("CPU counters" in line for line in summary["warnings"]))
    assert (out / "profile/step_00000005/trace.perfetto-trace").exists()


def test_the_cpu_has_counters_of_another_kind(run, case):
    done = run("run", case(**CASE), "--output", "out", "--backend", "cpu", "--quiet", "--profile=counters", *WINDOW)
    assert done.code == 0
    assert len(done.lines) == 1 and "mode counters is for GPUs" in done.err
    assert "profile.counters" in done.err
    summary = read_json(run.folder / "out" / "profile" / "step_00000005" / "summary.json")
    assert summary["counters"] is None and summary["mode"] == "counters"
    assert any("for GPUs" in line for line in summary["warnings"])


@needs_cupti
def test_a_report_says_what_was_counted_and_what_is_not_known(profiled, run, tmp_path):
    """A window of counters has no times of the GPU; its counts are shown beside the formulas."""
    summary, _ = profiled("counters", *WINDOW)
    window = drawn_by(tmp_path / "counters/report.html")["window"]
    done = run("report", "counters")
    assert done.code == 0, done.err
    assert "nan" not in done.out and "was not recorded" in done.out
    table = done.out.split("\nCounters\n")[1].split("\n\n")[0]
    costs = {row["stage"]: row["read_bytes"] + row["written_bytes"] for row in summary["costs"]}
    for row in summary["counters"]["stages"]:
        counted = (row["dram_read_bytes"] + row["dram_written_bytes"]) / row["calls"]
        cells = next(line.split() for line in table.splitlines()
                     if line.startswith(row["stage"] + " "))
        assert cells[1] == str(row["calls"])
        assert cells[3:5] == [f"{1e-6 * counted:.3f}", f"{1e-6 * costs[row['stage']]:.3f}"]
        assert float(cells[5].rstrip("!")) == pytest.approx(counted / costs[row["stage"]], abs=0.01)
        for kernel in row["kernels"]:
            assert f" {kernel['launches']} x {kernel['name'][:60]}" in table
    assert "differs from the counters by more than 10 %" in " ".join(table.split())
    # the stand-in counts threads: its traffic and operations differ from the formulas
    assert re.search(r"(More|Less) memory traffic than the static cost", done.out)
    assert [row["stage"] for row in window["counters"]["stages"]] == [row["stage"] for row in summary["counters"]["stages"]]
    assert any(row["intensity"] and row["flops_per_s"] for row in window["counters"]["stages"])


@needs_cupti
@one_pipeline
def test_without_counters_the_report_says_how_to_get_them(profiled, run):
    profiled("summary", *WINDOW)
    assert "was not checked against counters in this run. To count" in " ".join(run("report", "summary").out.split())
    profiled("counters", *WINDOW, CUPTI_EMULATION_UNSUPPORTED="vgpu")
    assert "no counter could be read; the warnings give the reason" in " ".join(run("report", "counters").out.split())
