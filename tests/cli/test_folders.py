"""Folders that programs share: each has one writer, and a command checks its results at its end."""
import os

import pytest

from live import ENDLESS, STOPPED, end, running, stopped
from program import HANGS, wait_for

IO, CANNOT_CREATE = 74, 73
SHORT = {"time": {"end": 0.1, "dt": 0.01}}


# ---- one writer ----------------------------------------------------------------------------------

SHARED = [("checkpoint.dir=shared", "checkpoint.every=50"), ("profile.dir=shared", "profile.mode=summary"),
          ("checkpoint.dir=out/checkpoints", "checkpoint.every=50"),
          ("profile.dir=out/profile", "profile.mode=summary")]


def options_of(settings):
    return [word for setting in settings for word in ("--set", setting)]


@pytest.mark.parametrize("settings", SHARED)
@pytest.mark.parametrize("more", [[], ["--overwrite"]])
def test_a_folder_that_a_run_writes_is_no_second_run_s(run, case, tmp_path, settings, more):
    """This holds for every kind of folder, whatever the folders of results are."""
    first = [setting for setting in settings if "dir=out" not in setting]
    with running(run, case(**ENDLESS), *options_of(first)) as process:
        done = run("run", case("other", **SHORT), "--backend", "cpu", "--output", "out2",
                   *options_of(settings), *more)
        assert done.code == CANNOT_CREATE, done.err
        assert not more or f"another run writes there (host {os.uname().nodename}, process " \
            f"{process.pid})" in done.err, done.err
        assert not (tmp_path / "out2").exists()
        code, err = end(process)
    assert code == STOPPED, err


def test_a_window_that_another_run_writes_is_its_own(run, case, tmp_path):
    """An unfinished window has no sign of the profiler yet; the lock of its folder says whose it is."""
    with running(run, case(**ENDLESS), *options_of(SHARED[1])) as process:
        window = tmp_path / "shared/.step_00000001.1.partial"
        window.mkdir(parents=True, exist_ok=True)
        (window / "unknown").write_text("")
        done = run("run", case("other", **SHORT), "--backend", "cpu", "--output", "out2", "--overwrite",
                   *options_of(SHARED[1]))
        assert done.code == CANNOT_CREATE and "another run writes there" in done.err, done.err
        end(process)
    done = run("run", case("other", **SHORT), "--backend", "cpu", "--output", "out2", "--overwrite",
               *options_of(SHARED[1]))
    assert done.code == CANNOT_CREATE and "not written by the profiler" in done.err, done.err


COMMANDS = {"run": [], "converge": ["--n", "9"], "profile": ["--set", "grid.n=9"],
            "bench": ["--n", "9", "--repeats", "30"]}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_replaces_the_results_of_a_live_run(run, case, tmp_path, command):
    with running(run, case(**ENDLESS)) as process:
        done = run(command, case("other", **SHORT), "--backend", "cpu", "--output", "out", "--overwrite",
                   *COMMANDS[command])
        assert done.code == CANNOT_CREATE and "another run writes there" in done.err, done.err
        assert (tmp_path / "out" / "diagnostics.csv").exists()
        code, err = end(process)
    assert code == STOPPED, err


def test_one_folder_may_hold_everything_of_one_run(run, case, tmp_path):
    out = run.solve(case(**SHORT), "out", "--profile", "--set", "profile.start_step=1", "--set",
                    "checkpoint.every=5", "--set", "checkpoint.dir=out", "--set", "profile.dir=out")
    assert (out / "run.lock").is_file() and list(out.glob("checkpoint_*.json")) and list(out.glob("step_*"))


def test_locks_are_no_results(run, case, tmp_path):
    """A folder that got no other file is removed."""
    run.solve(case(**SHORT), "out", "--set", "profile.mode=summary", "--set", "profile.start_step=1000",
              "--set", "checkpoint.dir=elsewhere", "--set", "checkpoint.final=no")
    assert not (tmp_path / "out/profile").exists() and not (tmp_path / "elsewhere").exists()


def test_a_lock_that_was_taken_away_protects_nothing_by_itself(run, case, tmp_path):
    """A program that waits at a run.lock which its holder removes locks the new one."""
    with running(run, case(**ENDLESS)) as process:
        with stopped(process):
            (tmp_path / "out/run.lock").unlink()
            (tmp_path / "out/checkpoints/run.lock").unlink()
            done = run("run", case("other", **SHORT), "--backend", "cpu", "--quiet", "--output", "out",
                       "--overwrite")
            assert done.code == 0, done.err
        code, err = end(process)
    assert code == IO and "another program" in err, err


def test_convert_replaces_nothing_of_a_live_run(run, case, tmp_path):
    file = "out/fields_00000000.nc"
    with running(run, case(**ENDLESS, output={"every": 100000})) as process:
        (tmp_path / "copy.nc").write_bytes((tmp_path / file).read_bytes())
        done = run("convert", "copy.nc", "--to", "latlon", "--output", file, "--overwrite")
        assert done.code == CANNOT_CREATE and "another run writes there" in done.err, done.err
        assert run("convert", file, "--to", "latlon", "--output", "out/grid.nc").code == 0
        code, err = end(process)
    assert code == STOPPED, err


# ---- what was promised is there ------------------------------------------------------------------

def cut(path):
    os.truncate(path, 500)


def swap(path):
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


@pytest.mark.parametrize("name", ["diagnostics.csv", "configuration.yaml", "fields_00000000.nc"])
@pytest.mark.parametrize("harm", [os.unlink, cut, swap])
def test_results_that_vanish_in_mid_run_are_reported(run, case, tmp_path, name, harm):
    """Exit codes 0 and 75 mean that the results exist: neither is true then."""
    with running(run, case(**ENDLESS, output={"every": 100000}, diagnostics={"every": 50})) as process:
        path = tmp_path / "out" / name
        wait_for(lambda: path.exists() and path.stat().st_size > 1000)
        harm(path)
        size = path.stat().st_size if path.exists() else 0
        if harm is cut and name == "diagnostics.csv":
            wait_for(lambda: path.stat().st_size > size)
        code, err = end(process)
    assert code == IO and name in err.splitlines()[-1], err
    assert name != "diagnostics.csv" or not path.exists() or b"\0" not in path.read_bytes()


def test_checkpoints_that_vanish_are_reported(run, case, tmp_path):
    with running(run, case(**ENDLESS, checkpoint={"every": 20, "keep": 100000})) as process:
        folder = tmp_path / "out/checkpoints"
        wait_for(lambda: list(folder.glob("*.json")))
        next(folder.glob("*.h5")).unlink()
        code, err = end(process)
    assert code == IO and "checkpoint_" in err, err


def test_a_study_whose_results_vanish_reports_it(run, case, tmp_path):
    process = run.start("converge", case(time={"end": 2.0, "dt": 0.001}), "--backend", "cpu", "--threads", "1",
                        "--output", "out", "--n", "9,96")
    try:
        wait_for((tmp_path / "out/fields_order4_n0009.nc").exists)
        (tmp_path / "out/fields_order4_n0009.nc").unlink()
        _, err = process.communicate(timeout=HANGS)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == IO and "fields_order4_n0009.nc" in err, err
