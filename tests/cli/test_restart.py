"""Checkpoints and restarts: a continued run equals the run that never stopped; conditions that end a run early."""
import os
import shutil
import signal
import subprocess
import time

import pytest

from checkpoints import (assert_same_rows_after, assert_same_run, assert_same_summary,
                         checkpoint_at, checkpoints, noise_case, step_of)
from program import (HANGS, Program, assert_same_bits, environment, field_files, final_fields, read_csv,
                     read_fields, read_json, wait_for, write_state)
import sphere

USAGE, NO_INPUT, CANNOT_CREATE, STOPPED, CONFIG, INTERNAL = 64, 66, 73, 75, 78, 70

EVERY = ["--set", "checkpoint.every=8", "--set", "checkpoint.keep=9"]
STOP = ["--max-walltime", "0.001"]  # after the first stride


# ---- the same bits -------------------------------------------------------------------------------

@pytest.mark.parametrize("backend", ["cpu", "cuda"])
@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("order", [2, 4, 6])
def test_a_restart_ends_in_the_same_bits(run, run_emulated, case, pipeline, tmp_path, order,
                                         precision, backend):
    program = run if backend == "cpu" else run_emulated
    noise = noise_case(tmp_path, case, grid={"n": 13, "order": order},
                       scheme={"pipeline": pipeline, "precision": precision},
                       diagnostics={"every": 3})
    plain = program.solve(noise, "plain", "--threads", 2, backend=backend)
    whole = program.solve(noise, "whole", "--threads", 2, *EVERY, backend=backend)
    assert_same_bits(final_fields(whole), final_fields(plain))
    for step, threads in ((8, 1), (16, 3)):
        again = program.solve(noise, f"from{step}", "--threads", threads, "--restart",
                              checkpoint_at(whole / "checkpoints", step), backend=backend)
        assert_same_bits(final_fields(again), final_fields(plain))
        assert_same_summary(again, plain)
        assert_same_rows_after(step, again, plain)
        assert read_json(again / "summary.json")["restarted_at"] == step


def test_a_run_continues_in_its_folder(run, case):
    """Stopped, killed and restarted, it leaves the same files as the run that never stopped."""
    pulse = case(time={"end": 1.0, "courant": 0.2}, output={"every": 10},
                 diagnostics={"every": 7, "sample_interval": 0.1})
    plain = run.solve(pulse, "plain")
    stopped = run("run", pulse, "--backend", "cpu", "--output", "out", "--quiet", *STOP)
    assert stopped.code == STOPPED and not (plain.parent / "out/summary.json").exists()
    # one that is killed has written more than its last checkpoint knows of
    rows = (plain.parent / "out/diagnostics.csv")
    rows.write_text(rows.read_text() + "1,of a step that comes again\n")
    for arguments in (["--set", "checkpoint.every=5", *STOP], []):
        done = run("run", pulse, "--backend", "cpu", "--output", "out", "--quiet", "--restart",
                   "out", *arguments)
        assert done.code == (STOPPED if arguments else 0), done.err
    assert_same_run(plain.parent / "out", plain)
    assert read_json(plain.parent / "out/progress.json")["state"] == "finished"


def test_the_largest_errors_continue(run, case):
    pulse = case(time={"end": 0.5, "dt": 0.01}, diagnostics={"sample_times": [0.1, 0.2, 0.3]})
    plain = run.solve(pulse, "plain")
    whole = run.solve(pulse, "whole", "--set", "checkpoint.every=25")
    again = run.solve(pulse, "again", "--restart", whole)
    assert_same_summary(again, plain)
    assert_same_bits(final_fields(again), final_fields(plain))
    assert read_json(again / "summary.json")["restarted_at"] == 50
    again = run.solve(pulse, "earlier", "--restart", checkpoint_at(whole / "checkpoints", 25))
    assert_same_summary(again, plain)


def test_a_state_goes_from_one_backend_to_the_other(run, run_emulated, case, tmp_path):
    """Their results differ by rounding; tests/invariance has the build in which they do not."""
    noise = noise_case(tmp_path, case)
    plain = final_fields(run.solve(noise, "plain"))
    run.solve(noise, "cpu", *EVERY)
    first = checkpoint_at(tmp_path / "cpu/checkpoints", 8)
    run_emulated.solve(noise, "cuda", "--restart", first, *EVERY, backend="cuda")
    second = checkpoint_at(tmp_path / "cuda/checkpoints", 16)
    again = final_fields(run.solve(noise, "again", "--restart", second))
    for name, values in plain.items():
        assert abs(again[name] - values).max() <= 1e-13 * abs(values).max(), name


def test_a_run_may_be_made_longer(run, case, tmp_path):
    noise = noise_case(tmp_path, case)
    plain = run.solve(noise, "plain", "--set", "time.end=0.42")
    run.solve(noise, "out", "--set", "checkpoint.every=7")
    longer = run.solve(noise, "out", "--restart", "out", "--set", "time.end=0.42")
    assert_same_bits(final_fields(longer), final_fields(plain))


def test_a_restart_reads_no_initial_file(run, case, tmp_path):
    noise = noise_case(tmp_path, case)
    whole = run.solve(noise, "whole", *EVERY)
    (tmp_path / "noise.h5").unlink()
    again = run.solve(noise, "again", "--restart", whole)
    assert_same_bits(final_fields(again), final_fields(whole))


def test_a_dry_run_finds_the_checkpoint_and_writes_nothing(run, case, tmp_path):
    noise = noise_case(tmp_path, case)
    run.solve(noise, "out", *EVERY)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    done = run("run", noise, "--dry-run", "--backend", "cpu", "--output", "out", "--restart", "out")
    assert done.code == 0 and "dry run" in done.out, done.err
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


# ---- which are there -----------------------------------------------------------------------------

@pytest.mark.parametrize("keep", [2, 3])
def test_older_checkpoints_go(run, case, tmp_path, keep):
    noise = noise_case(tmp_path, case)
    out = run.solve(noise, "out", "--set", "checkpoint.every=4", "--set", f"checkpoint.keep={keep}")
    found = checkpoints(out / "checkpoints")
    assert [step_of(path) for path in found] == [16, 20, 21][-keep:]  # the checkpoint of the end is one of them
    assert len(list((out / "checkpoints").iterdir())) == 2 * keep


def test_checkpoints_go_where_they_should(run, case, tmp_path):
    noise = noise_case(tmp_path, case)
    run.solve(noise, "out", *EVERY, "--set", "checkpoint.dir=far/away")
    assert len(checkpoints(tmp_path / "far/away")) == 3 and not (tmp_path / "out/checkpoints").exists()
    again = run.solve(noise, "again", "--restart", "far/away")
    assert_same_bits(final_fields(again), final_fields(tmp_path / "out"))
    # by the folder of the results, in any folder
    (tmp_path / "below").mkdir()
    again = Program("CUBESWE", tmp_path / "below").solve(f"../{noise}", "again", "--restart", "../out")
    assert read_json(again / "summary.json")["restarted_at"] == 21
    # once moved there, those within the results
    shutil.move(tmp_path / "far/away", tmp_path / "out/checkpoints")
    run.solve(noise, "third", "--restart", "out")


def test_two_folders_that_differ_in_a_comment_are_two(run, case, tmp_path):
    for name in ("run #1", "run #2", "a: b"):
        run.solve(case(), name, "--set", f"checkpoint.dir=far {name}")
        assert len(checkpoints(tmp_path / f"far {name}")) == 1
        run.solve(case(), name, "--restart", name, "--set", f"checkpoint.dir=far {name}")
    assert sorted(path.name for path in tmp_path.glob("far*")) == ["far a: b", "far run #1", "far run #2"]


def test_a_run_that_is_started_again_is_told_of_restart_first(run, case, refuses, tmp_path):
    noise = noise_case(tmp_path, case)
    arguments = ["run", noise, "--backend", "cpu", "--output", "out"]
    out = run.solve(noise, "out", *EVERY)
    refuses(73, ["out: holds results already (--overwrite replaces them)"], *arguments)
    (out / "summary.json").unlink()
    refuses(73, ["out: holds results of this case, whose run has not ended (--restart auto continues it, --overwrite"],
            *arguments)
    refuses(73, ["out: holds results already (--overwrite replaces them)"], *arguments, "--set", "physics.depth=0.5")
    assert run(*arguments, "--restart", "auto").code == 0


def test_checkpoints_of_others_are_replaced_unasked(run, case, refuses, tmp_path):
    noise = noise_case(tmp_path, case)
    run.solve(noise, "out", *EVERY)
    for path in (tmp_path / "out").glob("*.*"):
        path.unlink()
    refuses(CANNOT_CREATE, ["out/checkpoints", "--overwrite"], "run", noise, "--backend", "cpu",
            "--output", "out")
    run.solve(noise, "out", "--overwrite")
    assert [path.name for path in checkpoints(tmp_path / "out/checkpoints")] == \
        ["checkpoint_000001_step_0000000021.h5"]


def test_a_restart_into_other_results_needs_a_request(run, case, refuses, tmp_path):
    noise = noise_case(tmp_path, case)
    run.solve(noise, "one", *EVERY)
    run.solve(noise, "two", *EVERY)
    refuses(CANNOT_CREATE, ["two", "--overwrite"], "run", noise, "--backend", "cpu", "--output",
            "two", "--restart", "one")
    run.solve(noise, "two", "--restart", "one", "--overwrite", "--set", "checkpoint.final=no")
    assert not list((tmp_path / "two/checkpoints").glob("*"))
    assert len(checkpoints(tmp_path / "one/checkpoints")) == 3


def test_what_a_killed_run_left_unfinished_goes(run, case, tmp_path):
    noise = noise_case(tmp_path, case)
    run.solve(noise, "out", *EVERY)
    folder = tmp_path / "out/checkpoints"
    for name in ("checkpoint_000003_step_0000000021.h5.tmp", "mine.tmp",
                 "checkpoint_000003_step_0000000021.json.tmp"):
        (folder / name).write_text("half")
    for name in ("configuration.yaml.tmp", "fields_00000099.nc.tmp", "summary.json.tmp", "mine.tmp"):
        (tmp_path / "out" / name).write_text("half")
    run.solve(noise, "out", "--restart", "out", *EVERY)
    assert [path.name for path in folder.glob("*.tmp")] == ["mine.tmp"]
    assert [path.name for path in (tmp_path / "out").glob("*.tmp")] == ["mine.tmp"]


# ---- what ends a run early -----------------------------------------------------------------------

LONG = ["--set", "time.end=1000", "--set", "grid.n=24", "--threads", "1", "--backend", "cpu"]


def start(program, case, *arguments, **options):
    return subprocess.Popen([program.path, "run", case, "--output", "out", *arguments],
                            cwd=program.folder, env=environment(), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def is_running(folder, steps=0):
    """Whether the run has computed at least `steps` steps and continues."""
    path = folder / "out/progress.json"
    if not path.exists():
        return False
    progress = read_json(path)
    return progress["state"] == "running" and progress["step"] >= steps


@pytest.mark.parametrize("name", ["SIGUSR1", "SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU"])
def test_a_signal_ends_a_run_with_a_checkpoint(run, case, tmp_path, name):
    with start(run, case(), *LONG, "--quiet") as process:
        wait_for(lambda: is_running(tmp_path))
        for _ in range(3):  # the second and third harm nothing
            process.send_signal(getattr(signal, name))
        err = process.communicate(timeout=HANGS)[1]
    assert process.returncode == STOPPED, err
    (path,) = checkpoints(tmp_path / "out/checkpoints")
    progress = read_json(tmp_path / "out/progress.json")
    assert progress["state"] == "stopped" and progress["step"] == step_of(path) > 0
    assert err == f"cubeswe: {progress['message']}\n"
    assert err.startswith(f"cubeswe: {name}: stopped after step {step_of(path)} of ")
    assert "--restart out/checkpoints" in err
    top = run("top", "out", "--once")
    assert top.code == 0 and f"stopped: {name}" in top.out


def test_a_run_that_was_stopped_by_a_signal_arrives(run, case, tmp_path):
    """At an end that is chosen when it has stopped."""
    long = case(time={"end": 1e6, "dt": 0.01}, diagnostics={"every": 500})
    with start(run, long, "--backend", "cpu", "--quiet") as process:
        wait_for(lambda: is_running(tmp_path))
        process.send_signal(signal.SIGUSR1)
        err = process.communicate(timeout=HANGS)[1]
    assert process.returncode == STOPPED, err
    later = ["--set", f"time.end={step_of(checkpoints(tmp_path / 'out/checkpoints')[-1]) // 100 + 20}"]
    run.solve(long, "out", "--restart", "out", *later)
    assert_same_run(tmp_path / "out", run.solve(long, "plain", *later))


def test_a_signal_leaves_the_window_that_is_open(run, case, tmp_path):
    with start(run, case(), *LONG, "--quiet", "--profile=summary", "--set", "profile.start_step=2",
               "--set", "profile.duration=1000000", "--set", "profile.max_events=1000") as process:
        wait_for(lambda: is_running(tmp_path, steps=3))
        process.send_signal(signal.SIGTERM)
        err = process.communicate(timeout=HANGS)[1]
    assert process.returncode == STOPPED, err
    assert (tmp_path / "out/profile/step_00000002/summary.json").exists()
    assert (tmp_path / "out/report.html").exists()


@pytest.mark.parametrize("name", ["SIGINT", "SIGHUP"])
def test_an_interrupt_that_is_ignored_stays_so(run, case, tmp_path, name):
    """A shell ignores the keyboard's signal in the background, nohup the end of the terminal."""
    def ignore():
        signal.signal(getattr(signal, name), signal.SIG_IGN)

    with start(run, case(), *LONG, "--quiet", preexec_fn=ignore) as process:
        wait_for(lambda: is_running(tmp_path))
        process.send_signal(getattr(signal, name))
        time.sleep(0.3)
        assert process.poll() is None
        process.send_signal(signal.SIGUSR1)
        assert process.communicate(timeout=HANGS)[1].startswith("cubeswe: SIGUSR1")


@pytest.mark.parametrize("limit", ["4", "0:00:04"])
def test_a_run_ends_before_its_time_is_over(run, case, tmp_path, limit):
    done = run("run", case(), *LONG, "--set", "time.end=1e6", "--quiet", "--output", "out", "--max-walltime", limit)
    assert done.code == STOPPED and "--max-walltime: stopped after step" in done.err
    (path,) = checkpoints(tmp_path / "out/checkpoints")
    assert step_of(path) > 1


def test_a_run_within_its_time_is_not_stopped(run, case, tmp_path):
    out = run.solve(case(), "out", "--max-walltime", "1:00:00")
    (path,) = checkpoints(out / "checkpoints")  # the checkpoint of the end
    assert step_of(path) == read_json(out / "summary.json")["steps"]


@pytest.mark.parametrize("limit", ["", "0", "-1", "nan", "1:2", "1:60:00", "1:00:60", "a:00:00",
                                   "1:00:00:00", "1:00:0x", "0:00:00"])
def test_a_time_that_is_none_is_refused(case, refuses, limit):
    refuses(USAGE, ["--max-walltime"], "run", case(), "--max-walltime", limit)


def test_strict_without_restart_is_refused(case, refuses):
    refuses(USAGE, ["--strict", "--restart"], "run", case(), "--strict")


# ---- a state that is no good ---------------------------------------------------------------------

def unstable_case(folder, write, **sections):
    """A case that is finite at the start and exceeds all floats after a while."""
    n = 12
    state = sphere.rotation_state(n, [0, 0, 1])
    write_state(folder / "huge.h5", h=state["h"] * 0, v1=state["v1"] * 1e37, v2=state["v2"] * 1e37)
    return write(grid={"n": n, "order": 2}, scheme={"precision": "single"},
                 physics={"depth": 1e6, "gravity": 1e-6},
                 initial={"kind": "file", "path": "huge.h5"}, time={"end": 10, "dt": 0.01},
                 **sections)


@pytest.mark.parametrize("every", [1, 4])
def test_a_state_that_is_not_finite_ends_the_run(run, case, tmp_path, every):
    huge = unstable_case(tmp_path, case)
    done = run("run", huge, "--backend", "cpu", "--quiet", "--output", "out", "--set",
               f"diagnostics.check_every={every}")
    assert done.code == INTERNAL and len(done.lines) == 1, done.err
    assert "is not finite at step" in done.err and "panel" in done.err
    assert int(done.err.split("at step ")[1].split()[0]) % every == 0
    (failed,) = (tmp_path / "out/checkpoints").iterdir()
    assert failed.suffix == ".failed" and str(failed.relative_to(tmp_path)) in done.err
    assert not all(abs(x).max() < 1e300 for x in read_fields(failed).values())  # NaN is not


def test_a_bad_state_becomes_no_checkpoint(run, case, refuses, tmp_path):
    huge = unstable_case(tmp_path, case)
    done = run("run", huge, "--backend", "cpu", "--quiet", "--output", "out", "--set",
               "diagnostics.check_every=0", "--set", "checkpoint.every=1")
    assert done.code == INTERNAL, done.err
    found = checkpoints(tmp_path / "out/checkpoints")
    (failed,) = (tmp_path / "out/checkpoints").glob("*.failed")
    assert all(step_of(path) < step_of(failed) for path in found)
    refuses(65, ["not the name of a checkpoint"], "run", huge, "--restart", failed, "--output", "x")


def test_looks_at_the_state_change_no_bit(run, case, tmp_path):
    noise = noise_case(tmp_path, case)
    plain = run.solve(noise, "plain", "--set", "diagnostics.check_every=0")
    often = run.solve(noise, "often", "--set", "diagnostics.check_every=1")
    assert_same_run(often, plain)


# ---- one run in a folder -------------------------------------------------------------------------

def test_a_second_run_in_a_folder_is_refused(run, case, tmp_path):
    with start(run, case(), *LONG, "--quiet") as process:
        wait_for(lambda: is_running(tmp_path))
        second = run("run", case(), "--backend", "cpu", "--quiet", "--output", "out", "--overwrite")
        assert second.code == CANNOT_CREATE and f"process {process.pid}" in second.err
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=HANGS)[1].startswith("cubeswe: SIGTERM")
    assert len(read_csv(tmp_path / "out/diagnostics.csv")) == 1
    third = run("run", case(), *LONG, "--quiet", "--output", "out", "--restart", "out", *STOP)
    assert third.code == STOPPED, third.err


def test_a_lock_of_a_run_that_was_killed_is_none(run, case, tmp_path):
    with start(run, case(), *LONG, "--quiet") as process:
        wait_for(lambda: is_running(tmp_path))
        process.kill()
        process.communicate(timeout=HANGS)
    run.solve(case(), "out", "--overwrite")


@pytest.mark.parametrize("what", ["run.lock is a FIFO", "checkpoints below a file",
                                  "checkpoints in /proc", "results in /proc"])
def test_a_folder_that_cannot_be_written_is_found_before_the_first_step(run, case, tmp_path, what):
    arguments = ["--output", "out"]
    (tmp_path / "out").mkdir()
    if what.startswith("run.lock"):
        os.mkfifo(tmp_path / "out/run.lock")
    elif what.startswith("results"):
        arguments = ["--output", "/proc/none"]
    else:
        folder = "case.yaml/below" if "file" in what else "/proc/none"
        arguments += ["--set", f"checkpoint.dir={folder}", "--set", "checkpoint.every=5"]
    done = run("run", case(), "--backend", "cpu", "--quiet", *arguments)
    assert done.code == CANNOT_CREATE and len(done.lines) == 1, done.err
    assert not list((tmp_path / "out").glob("fields*"))
