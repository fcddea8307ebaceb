"""Parts of stages on a GPU, end to end: the emulated backend with the stand-in for CUPTI, which samples program counters
that a variable names, of a program that tests/profiling/code/cubin.py builds.
"""
import csv
import json
import os
import pathlib
import re
import sys

import jsonschema
import pytest

from program import assert_same_bits, final_fields, read_json

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/profiling/code"))
import cubin  # noqa: E402

CUPTI, NVML = (os.environ.get(name, "") for name in ("CUPTI_STAND_IN", "NVML_STAND_IN"))
pytestmark = pytest.mark.skipif(not (CUPTI and NVML), reason="the build has no CUPTI (cupti.h)")
SCHEMA = json.loads((ROOT / "profiling/window/summary/summary.schema.json").read_text())
CASE = {"grid": {"n": 12, "order": 4}, "time": {"end": 0.05, "dt": 0.0025}}  # 20 steps
WINDOW = ["--set", "profile.start_step=4", "--set", "profile.duration=4"]
STRIP, SWEEP = cubin.STRIP, cubin.SWEEP
# two counters of the divergence, one of a line that both kernels have, one of a kernel that is no stage's
COUNTERS = f"{STRIP}:0x40:5 {SWEEP}:0x20:30 {SWEEP}:0x28:20 {SWEEP}:0x18:10 {SWEEP}:0:40 _Z11copy_kernelv:0:7"


@pytest.fixture
def sampled(run_emulated, case, tmp_path):
    """A run whose GPU's code is sampled: its window's folder, summary, and the run."""
    def check(*arguments, mode="trace", **env):
        program = tmp_path / "program.cubin"
        program.write_bytes(cubin.build())
        done = run_emulated("run", case(**CASE), "--output", "out", "--backend", "cuda", "--quiet", f"--profile={mode}",
                            "--set", "profile.parts=on", *WINDOW, *arguments,
                            env={"CUBESWE_CUPTI_LIBRARY": CUPTI, "CUBESWE_NVML_LIBRARY": NVML,
                                 "CUDA_EMULATION_PCI": "0000:65:00.0", "CUPTI_EMULATION_PROGRAM": str(program),
                                 "CUPTI_EMULATION_COUNTERS": COUNTERS, **env})
        assert done.code == 0, done.err
        window = tmp_path / "out" / "profile" / "step_00000004"
        summary = read_json(window / "summary.json")
        jsonschema.Draft202012Validator(SCHEMA).validate(summary)
        return window, summary, done
    return check


def samples(summary):
    return {(row["stage"], row["part"]): row["samples"] for row in summary["parts"]}


def test_samples_are_counted_by_part(sampled):
    _, summary, done = sampled()
    assert done.err == "" and summary["warnings"] == []
    assert samples(summary) == {("fused", "boundary rows"): 5, ("fused", "divergence"): 60, ("fused", None): 40}
    assert sum(row["share_of_stage"] for row in summary["parts"]) == pytest.approx(1)


def test_their_time_is_by_the_clock_of_the_window(sampled):
    """A sample stands for 4096 cycles of a multiprocessor."""
    _, summary, _ = sampled()
    clock = summary["gpu"]["samples"]["sm_clock_mhz"]["mean"]
    for row in summary["parts"]:
        assert row["time_ns"] / row["samples"] == pytest.approx(4096e3 / clock, rel=0.01)


def test_without_a_clock_they_have_no_time(sampled):
    _, summary, _ = sampled(CUBESWE_NVML_LIBRARY="/absent")
    assert samples(summary)[("fused", "divergence")] == 60
    assert all(row["time_ns"] is None for row in summary["parts"])


def test_lines_are_a_table_most_samples_first(sampled):
    window, _, _ = sampled()
    with open(window / "code_lines.csv", newline="") as file:
        rows = [tuple(row.values()) for row in csv.DictReader(file)]
    assert rows == [("fused", "divergence", "march_kernel", "sbp_point.h", "79", "50"),
                    ("fused", "", "march_kernel", "fused_cuda.cu", "90", "40"),
                    ("fused", "divergence", "march_kernel", "divergence_point.h", "30", "10"),
                    ("fused", "boundary rows", "fused_kernel", "fused_cuda.cu", "40", "5")]


def test_every_window_has_its_samples(sampled, tmp_path):
    _, first, _ = sampled("--set", "profile.interval=8")
    second = read_json(tmp_path / "out/profile/step_00000012/summary.json")
    assert samples(first) == samples(second) != {}


def test_steps_run_as_without_and_kernels_are_not_traced(sampled, run_emulated, case, tmp_path):
    _, summary, _ = sampled()
    plain = run_emulated.solve(case(**CASE), "plain", backend="cuda")
    assert_same_bits(final_fields(tmp_path / "out"), final_fields(plain))
    assert summary["tracing"]["launch"] == "graph" and summary["kernels"] == []


def test_report_shows_the_parts(sampled, run_emulated):
    sampled()
    text = run_emulated("report", "out").out
    assert re.search(r"divergence +57\.1 .* 60\n", text) and "\n105 samples\n" in text, text


@pytest.mark.parametrize("arguments, mode", [((), "counters"), (("--set", "profile.sampling=20"), "trace")])
def test_counters_exclude_samples(sampled, arguments, mode):
    _, summary, done = sampled(*arguments, mode=mode)
    assert summary["parts"] == [] and "no parts of stages: counters of the GPU exclude them" in done.err


@pytest.mark.parametrize("call", ["cuptiPCSamplingEnable", "cuptiPCSamplingStart", "cuptiPCSamplingGetData"])
def test_a_refusal_is_one_warning(sampled, call):
    _, summary, done = sampled(CUPTI_EMULATION_REFUSED_CALL=f"{call}:35")
    assert summary["parts"] == [] and done.err.count("\n") == 1
    assert "no parts of stages: CUPTI cannot sample code: not permitted" in done.err


def test_a_program_without_line_tables_has_no_parts(sampled):
    _, summary, done = sampled(CUPTI_EMULATION_PROGRAM="/dev/null")
    assert summary["parts"] == [] and "no sample is in code of a stage" in done.err
