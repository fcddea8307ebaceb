"""Samples of the GPU's counters, end to end: the emulated backend with the stand-in for CUPTI.

In the stand-in, sample k since the start of sampling has of the n-th metric 10 n + k % 10.
"""
import json
import os
import pathlib

import jsonschema
import pytest

from program import assert_same_bits, drawn_by, final_fields, read_json

CUPTI, NVML = (os.environ.get(name, "") for name in ("CUPTI_STAND_IN", "NVML_STAND_IN"))
needs_cupti = pytest.mark.skipif(not (CUPTI and NVML), reason="the build has no CUPTI (cupti.h)")
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = {name: json.loads((ROOT / f"profiling/window/{name}/{name}.schema.json").read_text())
           for name in ("summary", "timeline")}
CASE = {"grid": {"n": 12, "order": 4}, "time": {"end": 0.05, "dt": 0.0025}}  # 20 steps
WINDOW = ["--set", "profile.start_step=5", "--set", "profile.duration=3"]
SAMPLING = ["--set", "profile.sampling=20"]  # us
PLACE = {"CUBESWE_CUPTI_LIBRARY": CUPTI, "CUBESWE_NVML_LIBRARY": NVML,
         "CUDA_EMULATION_PCI": "0000:65:00.0"}
# by the places of their metrics in the stand-in's list
QUANTITIES = {"sm_active_percent": 1, "warps_active_percent": 2, "fp64_active_percent": 5,
              "dram_read_bytes_per_s": 3, "dram_written_bytes_per_s": 4, "l2_hit_percent": 8}


@pytest.fixture
def profiled(solved, tmp_path):
    """Profile a run; returns the summary and the timeline of its window and its output."""
    def check(*arguments, mode="trace", **env):
        done = solved("CUBESWE_EMULATED", CASE, "run", "--backend", "cuda", "--output", "out", f"--profile={mode}", *WINDOW,
                      *arguments, **{**PLACE, **env})
        window = tmp_path / "out" / "profile" / "step_00000005"
        found = {name: read_json(window / f"{name}.json") for name in SCHEMAS}
        for name, schema in SCHEMAS.items():
            jsonschema.Draft202012Validator(schema).validate(found[name])
        return found["summary"], found["timeline"], done
    return check


@needs_cupti
def test_a_window_has_the_samples_of_its_time(profiled):
    summary, timeline, done = profiled(*SAMPLING)
    assert done.err == "" and summary["warnings"] == []
    sampled, rows = summary["gpu"]["sampled"], timeline["sampled"]
    assert (sampled["chip"], sampled["period_ns"]) == ("GH100", 20000)
    assert len(rows) == min(sampled["count"], 20000) and len(rows) > 5
    first = round(rows[0][2] - 10)
    for k, (start, length, *values) in enumerate(rows):
        assert start >= 0 and start + length <= timeline["duration_ns"] and length == 20000
        assert values == [10 * place + (first + k) % 10 for place in QUANTITIES.values()]
    for name, place in QUANTITIES.items():
        assert sampled[name]["count"] == sampled["count"]
        assert 10 * place <= sampled[name]["min"] <= sampled[name]["max"] <= 10 * place + 9
    assert summary["gpu"]["ops"] > 0 and summary["gpu"]["samples"]["sm_clock_mhz"]


@needs_cupti
def test_samples_are_off_unless_requested(profiled):
    summary, timeline, done = profiled()
    assert done.err == "" and summary["gpu"]["sampled"] is None and timeline["sampled"] == []
    summary, _, _ = profiled(mode="summary", CUBESWE_PROFILE_SAMPLING="50")
    assert summary["gpu"]["sampled"]["period_ns"] == 50000


@needs_cupti
@pytest.mark.parametrize("words, environment", [
    (["ERR_NVGPUCTRPERM"],
     {"CUPTI_EMULATION_REFUSED_CALL": "cuptiPmSamplingGetCounterAvailability:35"}),
    (["ERR_NVGPUCTRPERM"], {"CUPTI_EMULATION_REFUSED_CALL": "cuptiPmSamplingEnable:35"}),
    (["MIG"], {"CUPTI_EMULATION_REFUSED_CALL": "cuptiPmSamplingEnable:43"}),
    (["virtualised"], {"CUPTI_EMULATION_UNSUPPORTED": "vgpu"}),
    (["compute capability 7.5"], {"CUPTI_EMULATION_UNSUPPORTED": "architecture"}),
])
def test_what_cannot_be_sampled_is_one_warning_and_the_rest_is_there(profiled, words, environment):
    summary, timeline, done = profiled(*SAMPLING, **environment)
    assert len(done.lines) == 1, done.err
    assert not [word for word in ["warning: no counter samples: ", *words] if word not in done.err]
    assert summary["gpu"]["sampled"] is None and timeline["sampled"] == []
    assert summary["warnings"] == [done.lines[0].removeprefix("cubeswe: warning: ")]
    assert summary["gpu"]["ops"] > 0 and summary["stages"]


@needs_cupti
def test_a_full_buffer_is_reported(profiled):
    summary, _, done = profiled(*SAMPLING, CUPTI_EMULATION_SAMPLES_MOST="3")
    assert len(done.lines) == 1 and "buffer of 512 MiB was full" in done.err
    assert summary["gpu"]["ops"] > 0


@needs_cupti
def test_sampling_changes_no_bit(profiled, run_emulated, case, tmp_path):
    profiled(*SAMPLING)
    plain = run_emulated.solve(case(**CASE), "plain", backend="cuda")
    assert_same_bits(final_fields(tmp_path / "out"), final_fields(plain))


@needs_cupti
def test_mode_counters_has_no_room_for_samples(profiled):
    summary, timeline, done = profiled(*SAMPLING, mode="counters")
    assert len(done.lines) == 1 and "mode counters uses all of the GPU's counters" in done.err
    assert summary["counters"]["passes"] == 2 and timeline["sampled"] == []


@needs_cupti
def test_a_report_shows_them(profiled, run, tmp_path):
    _, timeline, _ = profiled(*SAMPLING)
    done = run("report", "out")
    assert done.code == 0, done.err
    window = drawn_by(tmp_path / "out" / "report.html")["window"]
    assert window["gpu"]["sampled"]["fp64_active_percent"]["count"] > 0
    assert window["timeline"] == timeline and len(timeline["sampled"]) > 1


def test_the_cpu_has_none(run, case):
    done = run("run", case(**CASE), "--output", "out", "--backend", "cpu", "--quiet", "--profile",
               *WINDOW, *SAMPLING)
    assert done.code == 0
    assert len(done.lines) == 1 and "profile.sampling is for GPUs" in done.err
