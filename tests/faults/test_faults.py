"""Each call of a run fails in turn: the run ends with the right code and one line, and can be continued.

These tests sample the calls; validation/faults/study covers every one.
"""
import errno
import gzip
import json
import os
import subprocess
import sys
import time

import pytest

from faults import (CANNOT_CREATE, ERRORS, INTERNAL, IO, NO_MEMORY, REPLACING, SKIPPED, UNAVAILABLE,
                    Faults)
from program import (Program, assert_same_bits, environment, field_files, final_fields, path_of, read_json,
                     write_case)

# Number of calls of each kind that fail, spread over the run; all allocations of the program itself.
TRIALS = {"write": 20, "read": 8, "fsync": 8, "rename": 8, "open": 20, "close": 12, "truncate": 8,
          "memory": 10 ** 6}


# Errors of the emulated CUDA runtime: a permanent one, and one that does not repeat.
CUDA_TRIALS = {"cuda 700": 16, "cuda 2": 8}


@pytest.fixture(scope="module")
def cuda_faults(tmp_path_factory):
    return Faults(path_of("CUBESWE_EMULATED"), "", tmp_path_factory.mktemp("cuda"), backend="cuda")


@pytest.fixture(scope="module")
def faults(tmp_path_factory):
    return Faults(path_of("CUBESWE"), os.environ["FAULTS"], tmp_path_factory.mktemp("faults"))


def places(count, most):
    """At most `most` places of 1 to count, with the first and the last."""
    most = min(count, most)
    return sorted({1 + (count - 1) * k // max(most - 1, 1) for k in range(most)})


@pytest.mark.parametrize("call", TRIALS)
def test_a_call_that_fails(faults, call):
    """The exit code reports it, with one line, and the newest complete checkpoint restarts to the same bits."""
    count = faults.count(call, "restart")
    if count is None:
        pytest.skip("this machine does not allow filters of calls (seccomp)")
    assert count > 5
    trials = [(call, "restart", place, then) for place in places(count, TRIALS[call])
              for then in (["once"] if call == "memory" else ["once", "always"])]
    outcomes = faults.fail_all(trials, workers=2)
    assert [o for o in outcomes if o.wrong] == []
    assert sum(o.failed > 0 for o in outcomes) >= 0.9 * len(outcomes)
    assert sum(o.code != 0 for o in outcomes) >= 1


@pytest.mark.parametrize("scenario", REPLACING)
@pytest.mark.parametrize("call", ["write", "open", "rename", "fsync", "truncate"])
def test_a_command_that_replaces(faults, call, scenario):
    """The new results exist, or the earlier ones: a failed call loses neither. The errors take turns."""
    count = faults.count(call, scenario)
    if count is None:
        pytest.skip("this machine does not allow filters of calls (seccomp)")
    most = 3 if scenario == "component profile" else 8  # a profile takes seconds
    trials = [(call, scenario, place, "once", list(ERRORS)[k % len(ERRORS)])
              for k, place in enumerate(places(count, most), list(TRIALS).index(call))]
    outcomes = faults.fail_all(trials, workers=2)
    assert [o for o in outcomes if o.wrong] == []
    assert count == 0 or sum(o.failed > 0 for o in outcomes) >= 0.8 * len(outcomes)


@pytest.mark.parametrize("call", CUDA_TRIALS)
def test_a_cuda_call_that_fails(cuda_faults, call):
    """The same holds; no state of a failed device becomes a checkpoint."""
    count = cuda_faults.count(call, "restart")
    assert count > 100
    outcomes = cuda_faults.fail_all([(call, "restart", place, "once")
                                     for place in places(count, CUDA_TRIALS[call])], workers=2)
    assert [o for o in outcomes if o.wrong] == []
    assert sum(o.code != 0 for o in outcomes) >= 0.8 * len(outcomes)


@pytest.mark.parametrize("call", ["read", "write", "fsync", "truncate"])
def test_the_lock_cannot_be_used(faults, call):
    """A run that has lost its identity must not write a checkpoint under another one, or without one."""
    count = faults.count(f"lock {call}", "restart")
    if count is None:
        pytest.skip("this machine does not allow filters of calls (seccomp)")
    assert count >= 1
    outcomes = faults.fail_all([(f"lock {call}", "restart", place, "once")
                                for place in range(1, count + 1)], workers=2)
    assert [o for o in outcomes if o.wrong] == []
    assert {o.code for o in outcomes} <= {IO, CANNOT_CREATE}


@pytest.mark.parametrize("error", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_file_system_without_locks(run, tmp_path, error):
    """Neither the program's locks nor HDF5's locks stop a command; each folder gives one warning."""
    case = write_case(tmp_path / "case.yaml", checkpoint={"every": 2}).name
    plain = run.solve(case, "plain")
    faults = {"LD_PRELOAD": os.environ["FAULTS"], "FAULTS_CALL": "flock", "FAULTS_AT": "1",
              "FAULTS_THEN": "always", "FAULTS_ERRNO": str(error)}
    for more in ([], ["--restart", "out"]):
        done = run("run", case, "--output", "out", "--backend", "cpu", "--quiet", *more, env=faults)
        if done.code == SKIPPED:
            pytest.skip("this machine does not allow filters of calls (seccomp)")
        assert done.code == 0 and len(done.lines) == 2, done.err
        assert all("this file system has no locks" in line for line in done.lines)
        assert_same_bits(final_fields(tmp_path / "out"), final_fields(plain))
    path = field_files(plain)[-1]
    assert run("convert", path, "--to", "latlon", "--output", "grid.nc", env=faults).code == 0
    case = write_case(tmp_path / "file.yaml", initial={"kind": "file", "path": str(path)}).name
    assert run("run", case, "--output", "from", "--backend", "cpu", "--quiet", env=faults).code == 0


# ---- other failures around a run -----------------------------------------------------------------

@pytest.fixture
def run(tmp_path):
    return Program("CUBESWE", tmp_path)


@pytest.fixture
def run_emulated(tmp_path):
    return Program("CUBESWE_EMULATED", tmp_path)


def test_the_library_fills_memory():
    """Otherwise tests/invariance/test_invariance.py test_memory_filled_with_nan would prove nothing."""
    code = ("import ctypes; c = ctypes.CDLL(None); c.malloc.restype = ctypes.c_void_p; "
            "print(set(ctypes.string_at(c.malloc(100000), 100000)))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env=environment(LD_PRELOAD=os.environ["FAULTS"], FAULTS_FILL="nan"))
    assert done.stdout == "{255}\n"


def test_a_clock_that_jumps_changes_nothing(run, tmp_path):
    """Steps, limits and strides are timed by a clock that cannot be set."""
    case = write_case(tmp_path / "case.yaml").name
    plain = run.solve(case, "plain")
    jumping = run.solve(case, "jumping", "--max-walltime", "1:00:00", "--profile", "--set",
                        "profile.start_step=1", "--set", "profile.traces=[json]",
                        env={"LD_PRELOAD": os.environ["FAULTS"], "FAULTS_CLOCK": "1"})
    assert_same_bits(final_fields(jumping), final_fields(plain))
    day = 24 * 3600  # the clock jumps by more than 300 of them; a busy machine may take minutes
    assert 0 < read_json(jumping / "summary.json")["seconds"] < day
    progress = read_json(jumping / "progress.json")
    assert abs(progress["written_ns"] / 1e9 - time.time()) > 300 * day, "the clock did not jump"
    assert progress["state"] == "finished" and 0 < progress["wall_seconds"] < day
    window = jumping / "profile/step_00000001"
    assert run("report", "jumping").code == 0
    events = json.loads(gzip.decompress((window / "trace.json.gz").read_bytes()))["traceEvents"]
    lasting = [event for event in events if event["ph"] == "X"]
    assert lasting and all(0 <= event["dur"] < 1e6 * day and 0 <= event["ts"] < 1e6 * day for event in lasting)
    assert 0 < read_json(window / "summary.json")["window"]["seconds"] < day


@pytest.mark.parametrize("error, words", [(35, "driver too old for the runtime"), (3, "initialization error"),
                                          (100, "no CUDA-capable device"), (999, "unknown error")])
def test_a_driver_that_does_not_work(run_emulated, tmp_path, error, words):
    """A requested GPU is refused with the reason; `auto` uses the CPU."""
    case = write_case(tmp_path / "case.yaml").name
    fault = {"CUDA_EMULATION_FAIL_AT": "1", "CUDA_EMULATION_FAIL_WITH": str(error)}
    done = run_emulated("run", case, "--backend", "cuda", "--output", "out", env=fault)
    assert done.code == UNAVAILABLE and done.lines == [f"cubeswe: CUDA: {words}"]
    assert not (tmp_path / "out").exists()
    out = run_emulated.solve(case, "auto", backend="auto", env=fault)
    assert read_json(out / "summary.json")["backend"] == "cpu"


def test_a_kernel_that_the_device_cannot_run(run_emulated, tmp_path):
    """A GPU that is too old for the build is detected before the first step, whichever call reports it."""
    case = write_case(tmp_path / "case.yaml").name
    codes = []
    for place in range(1, 12):
        done = run_emulated("run", case, "--backend", "cuda", "--quiet", "--output", f"out{place}",
                            env={"CUDA_EMULATION_FAIL_AT": str(place), "CUDA_EMULATION_FAIL_WITH": "209"})
        codes.append(done.code)
        assert done.code == 0 or len(done.lines) == 1 and "CUDA" in done.err, done.err
        assert (tmp_path / f"out{place}").exists() == (done.code == 0)
    assert UNAVAILABLE in codes and set(codes) <= {0, UNAVAILABLE, INTERNAL, NO_MEMORY}
