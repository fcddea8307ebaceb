"""Peak rates of a device: on request, and in every profiled run. No test here depends on their values."""
import json
import re

import pytest

from program import ENVIRONMENT, IS_BUSY, assert_same_bits, final_fields, read_json

# 20 steps
CASE = {"grid": {"n": 12, "order": 4}, "time": {"end": 0.05, "dt": 0.0025}}
WINDOWS = ["--set", "profile.start_step=5", "--set", "profile.duration=3", "--set",
           "profile.interval=5"]


@pytest.fixture(autouse=True)
def with_peaks(monkeypatch):
    monkeypatch.setitem(ENVIRONMENT, "CUBESWE_TUNING", "patience=5")


@pytest.fixture(params=["cpu", "cuda"])
def on(request, run, run_emulated):
    """The name of a backend and the program that has it."""
    return request.param, run if request.param == "cpu" else run_emulated


def summaries(folder):
    return [read_json(path) for path in sorted(folder.glob("profile/step_*/summary.json"))]


NO_PEAKS = {"copy_bandwidth_bytes_per_s": None, "fp64_flops_per_s": None, "fp32_flops_per_s": None, "caches": []}


def check(folder, precision="fp64"):
    """The first window has peaks, in order; or none, and the reason why they are not reliable."""
    summary = json.loads(next(iter(sorted(folder.glob("profile/step_*/summary.json")))).read_text())
    ceilings = summary["ceilings"]
    other, = {"fp32", "fp64"} - {precision}
    if any(IS_BUSY in line for line in summary["warnings"]):
        assert ceilings == NO_PEAKS
        return
    rates = [cache["bandwidth_bytes_per_s"] for cache in ceilings["caches"]] + [ceilings["copy_bandwidth_bytes_per_s"]]
    assert all(rate >= 0.9 * beyond for rate, beyond in zip(rates, rates[1:]))
    assert ceilings["copy_bandwidth_bytes_per_s"] > 0 and ceilings[f"{precision}_flops_per_s"] > 0
    assert ceilings[f"{other}_flops_per_s"] is None
    sizes = [cache["bytes"] for cache in ceilings["caches"]]
    assert sizes == sorted(sizes) and all(cache["bandwidth_bytes_per_s"] > 0 for cache in ceilings["caches"])


def test_info_prints_them(on):
    backend, program = on
    done = program("info", "--ceilings", "--backend", backend, "--threads", "2")
    assert done.code == 0 and done.err == ""
    found = re.fullmatch(
        rf"device +{backend}: .+{', 2 threads' if backend == 'cpu' else ''}\n"
        r"copy +(\d+\.\d) GB/s, .+\n(?:copy in L\d +\d+\.\d GB/s, cache of \d+ KiB\n)*multiply-add +(\d+\.\d) GFLOP/s, FP64\n"
        r"multiply-add +(\d+\.\d) GFLOP/s, FP32\n(not reliable, because [a-z ]+\n)?", done.out).groups()
    assert all(float(value) > 0 for value in found[:-1])
    rates = [float(rate) for rate in re.findall(r"copy in L\d +(\S+)", done.out)] + [float(found[0])]
    assert found[-1] or all(rate >= 0.89 * beyond for rate, beyond in zip(rates, rates[1:]))


def test_info_prints_them_as_json(on):
    backend, program = on
    done = program("info", "--ceilings", "--json", "--backend", backend, "--threads", "1")
    found = json.loads(done.out)
    assert set(found) == {"backend", "device", "threads", "copy_bandwidth_bytes_per_s",
                          "fp64_flops_per_s", "fp32_flops_per_s", "caches", "not_reliable_because", "messages"}
    assert found["messages"] is None  # one rank
    assert (found["backend"], found["threads"]) == (backend, 1 if backend == "cpu" else None)
    assert all(found[name] > 0 for name in found if name.endswith("_per_s"))


def test_a_case_is_refused(case, refuses):
    refuses(64, ["--ceilings", "no case file"], "info", case(), "--ceilings")


def test_a_profiled_run_has_them(on, case):
    backend, program = on
    out = program.solve(case(**CASE), "out", "--profile=summary", *WINDOWS, backend=backend)
    windows = summaries(out)
    assert len(windows) == 3
    check(out)
    for window in windows:
        assert window["ceilings"] == windows[0]["ceilings"]
        phases = {row["name"]: row for row in window["phases"]}
        assert phases["ceilings"]["count"] == 1 and phases["ceilings"]["total_ns"] > 0
        assert not [row for row in window["regions"] if row["name"] == "ceilings"]


def test_a_run_in_single_precision_has_its_own(on, case):
    backend, program = on
    out = program.solve(case(**CASE, scheme={"precision": "single"}), "out", "--profile=summary", *WINDOWS,
                        backend=backend)
    check(out, "fp32")


def test_the_memory_that_they_took_is_no_peak(on, case):
    """The arrays of the benchmarks are larger than this model; the reported peak memory is the model's memory."""
    backend, program = on
    out = program.solve(case(**CASE), "out", "--profile=summary", *WINDOWS, backend=backend)
    memory = summaries(out)[0]["memory"]
    assert memory["after"]["peak_bytes"] == memory["after"]["in_use_bytes"] > 0


def test_a_profiled_study_has_them(on, case):
    backend, program = on
    out = program.solve(case(**CASE), "out", "--set", "grid.n=12", "--profile=summary",
                        command="profile", backend=backend)
    check(out)


def test_without_memory_for_them_there_is_a_warning(run_emulated, case):
    """The model fits into a small device, arrays larger than its cache do not; the run continues."""
    name = case(**CASE)
    small = {"CUDA_EMULATION_MEMORY": str(16 << 20), "CUDA_EMULATION_CACHE": str(4 << 20)}
    done = run_emulated("run", name, "--output", "out", "--backend", "cuda", "--quiet",
                        "--profile=summary", *WINDOWS, env=small)
    assert done.code == 0
    warnings = [line for line in done.lines if "peak rates could not be measured" in line]
    assert len(warnings) == 1 and "free memory" in warnings[0]
    for window in summaries(run_emulated.folder / "out"):
        assert window["ceilings"] == NO_PEAKS
        assert len([line for line in window["warnings"] if "peak rates" in line]) == 1
    plain = run_emulated.solve(name, "plain", backend="cuda")
    assert_same_bits(final_fields(run_emulated.folder / "out"), final_fields(plain))
    done = run_emulated("info", "--ceilings", "--backend", "cuda", env=small)
    assert done.code == 71 and len(done.lines) == 1 and "free memory" in done.err


def test_time_left_is_by_the_steps_not_by_the_setup(endless_run):
    """The setup measures peak rates, which takes much longer than the first steps."""
    _, out = endless_run("--profile=summary", "--set", "profile.start_step=90000000")
    progress = read_json(out / "progress.json")
    left = progress["steps"] - progress["step"]
    assert progress["step"] > 0
    assert progress["seconds_left"] < 0.8 * left / progress["steps_per_second"]["overall"]
