"""Runs under the thread sanitizer, which ends a program with a data race with exit code 66 and a report."""
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import mpi  # noqa: E402
from program import Program, environment, field_files, write_case  # noqa: E402

STOPPED = 75
CASE = {"grid": {"n": 14, "order": 4}, "initial": {"kind": "gaussian"}, "time": {"end": 0.4, "dt": 0.01},
        "output": {"every": 2}, "diagnostics": {"every": 3, "sample_interval": 0.1},
        "checkpoint": {"every": 7}}


@pytest.fixture
def run(tmp_path):
    return Program("CUBESWE", tmp_path)


@pytest.mark.parametrize("pipeline, precision, threads", [
    ("fused", "double", 2), ("fused", "single", 3), ("staged", "double", 3), ("staged", "single", 2)])
def test_no_race(run, tmp_path, pipeline, precision, threads):
    """Steps, diagnostics, field files written by a thread, checkpoints between them, a profile, a restart."""
    case = write_case(tmp_path / "case.yaml", scheme={"pipeline": pipeline, "precision": precision}, **CASE)
    words = ["--threads", threads, "--profile", "--set", "profile.start_step=5"]
    peaks = {"CUBESWE_TUNING": "patience=5"} if (pipeline, threads) == ("fused", 2) else {}  # measured by threads, too
    out = run.solve(case.name, "out", *words, timeout=120, env=peaks)
    assert len(field_files(out)) == 21
    run.solve(case.name, "again", "--restart", out, *words, timeout=120)


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=mpi.needs_mpi)])
def test_no_race_where_threads_share_a_file(run, tmp_path, ranks):
    """Variables of two and three chunks, which threads compute and compress."""
    case = write_case(tmp_path / "case.yaml", **{**CASE, "grid": {"n": 200, "order": 4}, "time": {"end": 0.004, "dt": 0.001}})
    done = mpi.call(run, ranks, "run", case.name, "--output", "out", "--backend", "cpu", "--threads", 2, "--quiet")
    assert done.code == 0, done.err
    assert len(field_files(tmp_path / "out")) == 3


@pytest.mark.parametrize("name", ["SIGUSR1", "SIGTERM"])
def test_no_race_with_a_signal(run, tmp_path, name):
    """The signal arrives while files are written."""
    write_case(tmp_path / "case.yaml", **{**CASE, "time": {"end": 1e6, "dt": 0.01}})
    with subprocess.Popen([run.path, "run", "case.yaml", "--backend", "cpu", "--threads", "2", "--quiet",
                           "--output", "out"], cwd=tmp_path, env=environment(), text=True,
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        for _ in range(6000):
            if len(field_files(tmp_path / "out")) > 3:
                break
            time.sleep(0.01)
        process.send_signal(getattr(signal, name))
        err = process.communicate(timeout=60)[1]
    assert process.returncode == STOPPED and err.startswith(f"cubeswe: {name}"), err


@mpi.needs_mpi
@pytest.mark.parametrize("flow, pipeline", [("linear", "fused"), ("rotating", "fused"), ("rotating", "staged")])
def test_no_race_on_ranks(run, tmp_path, pipeline, flow):
    """Exchanges on all threads, diagnostics, files and checkpoints of four ranks, a profile of all, a restart."""
    physics = {"rotation": 0.5} if flow == "rotating" else {}
    case = write_case(tmp_path / "case.yaml", scheme={"pipeline": pipeline}, physics=physics, **{**CASE, "time": {"end": 0.2, "dt": 0.01}})
    words = ["--threads", "2", "--profile", "--set", "profile.start_step=5"]
    out = mpi.solve(run, 4, case.name, "out", *words)
    assert len(field_files(out)) == 11
    mpi.solve(run, 4, case.name, "again", "--restart", out, *words)
