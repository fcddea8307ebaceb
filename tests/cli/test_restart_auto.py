"""--restart auto: one command for every submission, whatever the folder of results holds."""
import os
import shutil

import pytest

from checkpoints import assert_same_run, checkpoints, noise_case, step_of
from program import HANGS, contents, read_json, wait_for
from test_restart import LONG, is_running, start

USAGE, DATA, CANNOT_CREATE, STOPPED, CONFIG = 64, 65, 73, 75, 78

EVERY = ["--set", "checkpoint.every=8", "--set", "checkpoint.keep=9"]
STOP = ["--max-walltime", "0.001"]  # after the first stride
NO_FINAL = ["--set", "checkpoint.final=no"]


@pytest.fixture(name="noise")
def fixture_noise(case, tmp_path):
    return noise_case(tmp_path, case, output={"every": 5}, diagnostics={"every": 4})


@pytest.fixture(name="submit")
def fixture_submit(run, noise):
    """The command that a batch script runs each time."""
    def submit(*arguments, output="out"):
        return run("run", noise, "--backend", "cpu", "--output", output, "--restart", "auto", *arguments)
    return submit


@pytest.fixture(name="plain")
def fixture_plain(run, noise):
    return run.solve(noise, "plain")


def unfinished(run, noise, *arguments):
    """A folder as a killed run leaves it: results and no summary."""
    out = run.solve(noise, "out", *arguments)
    (out / "summary.json").unlink()
    return out


def test_one_command_serves_every_submission(submit, plain, tmp_path):
    codes = [submit("--quiet", *STOP).code for _ in range(3)]
    assert codes == [STOPPED] * 3
    done = submit("--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert_same_run(tmp_path / "out", plain)
    before = contents(tmp_path / "out")
    done = submit()
    assert done.code == 0 and "finished already, at step 21" in done.out and "out" in done.out, done.err
    assert submit("--quiet").out == submit("--quiet", "--dry-run").err == ""
    assert contents(tmp_path / "out") == before


def test_a_run_killed_before_its_first_checkpoint_starts_anew(run, noise, submit, plain, tmp_path):
    """An incomplete checkpoint does not count."""
    out = unfinished(run, noise, *NO_FINAL)
    (out / "fields_00000003.nc").write_text("of other output")
    (out / "fields_00000021.nc").write_text("half")
    (out / "checkpoints").mkdir(exist_ok=True)
    for name in ("checkpoint_000001_step_0000000003.h5", "checkpoint_000002_step_0000000006.h5.tmp"):
        (out / "checkpoints" / name).write_text("half")
    assert submit("--dry-run").code == 0
    done = submit("--quiet")
    assert (done.code, done.err) == (0, "")
    assert_same_run(out, plain)
    assert [step_of(path) for path in checkpoints(out / "checkpoints")] == [21]
    assert len(list((out / "checkpoints").iterdir())) == 2


def test_a_run_killed_before_its_first_result_starts_anew(submit, plain, tmp_path):
    (tmp_path / "out").mkdir()
    for name in ("progress.json", "progress.json.tmp", "configuration.yaml.tmp", "run.lock"):
        (tmp_path / "out" / name).write_text("half")
    assert submit("--quiet").code == 0
    assert_same_run(tmp_path / "out", plain)
    assert not list((tmp_path / "out").glob("*.tmp"))


def test_a_run_that_is_killed_starts_anew(run, case, tmp_path):
    with start(run, case(), *LONG, "--quiet", "--restart", "auto") as process:
        wait_for(lambda: is_running(tmp_path))
        process.kill()
        process.communicate(timeout=HANGS)
    done = run("run", case(), *LONG, "--quiet", "--output", "out", "--restart", "auto", *STOP)
    assert done.code == STOPPED and len(done.lines) == 1, done.err
    assert len(checkpoints(tmp_path / "out/checkpoints")) == 1


def test_a_summary_that_is_cut_is_none(run, noise, submit, plain):
    out = run.solve(noise, "out")
    (out / "summary.json").write_text((out / "summary.json").read_text()[:-9])
    done = submit("--quiet")
    assert (done.code, done.err) == (0, "")
    assert read_json(out / "summary.json")["restarted_at"] == 21
    assert_same_run(out, plain)


def test_a_summary_that_is_a_pipe_is_not_waited_for(run, noise, submit):
    out = run.solve(noise, "out")
    (out / "summary.json").unlink()
    os.mkfifo(out / "summary.json")
    assert submit("--dry-run").code == 0


def test_a_finished_run_may_be_made_longer(run, noise, submit, refuses):
    straight = run.solve(noise, "straight", "--set", "time.end=0.3")
    out = run.solve(noise, "out")
    assert submit("--set", "time.end=0.3", "--dry-run").out.endswith(
        "# continues from out/checkpoints/checkpoint_000001_step_0000000021.h5\n"
        "# dry run: nothing was run or written\n")
    done = submit("--quiet", "--set", "time.end=0.3")
    assert (done.code, done.err) == (0, "")
    (out / "fields_00000021.nc").unlink()  # the end of before
    assert_same_run(out, straight)
    refuses(CONFIG, ["is of step 30", "ends at step 21"], "run", noise, "--backend", "cpu", "--output", "out",
            "--restart", "auto")


def test_results_that_no_checkpoint_continues_are_refused(run, noise, refuses):
    """The results belong to a run that has ended, to another case, or to another program."""
    arguments = ["run", noise, "--backend", "cpu", "--output", "out", "--restart", "auto"]
    out = run.solve(noise, "out", *NO_FINAL)
    refuses(CANNOT_CREATE, ["ended at step 21", "--overwrite"], *arguments, "--set", "time.end=0.3")
    (out / "summary.json").unlink()
    refuses(CANNOT_CREATE, ["another case", "physics.depth is 1 there and 0.5 here", "the time step is 0.01"],
            *arguments, "--set", "physics.depth=0.5", "--set", "time.dt=0.005")
    (out / "configuration.yaml").unlink()
    refuses(CANNOT_CREATE, ["holds results already"], *arguments)


def test_checkpoints_of_another_case_are_refused(run, noise, refuses):
    run.solve(noise, "out", *EVERY)
    refuses(CONFIG, ["grid.n is 13 there and 16 here"], "run", noise, "--backend", "cpu", "--output", "out",
            "--restart", "auto", "--set", "grid.n=16")


def test_the_state_of_a_run_that_failed_stays(run, noise, refuses):
    out = unfinished(run, noise, *NO_FINAL)
    (out / "checkpoints").mkdir(exist_ok=True)
    (out / "checkpoints/checkpoint_000001_step_0000000003.failed").write_text("")
    refuses(CANNOT_CREATE, ["out/checkpoints", "a run that failed"], "run", noise, "--backend", "cpu",
            "--output", "out", "--restart", "auto")


def test_damaged_checkpoints_are_passed_over(run, noise, submit, plain, tmp_path):
    out = unfinished(run, noise, *EVERY, *NO_FINAL)
    first, second = checkpoints(out / "checkpoints")
    second.write_bytes(second.read_bytes()[:-1])
    assert submit("--strict", "--quiet").code == DATA
    done = submit("--quiet", *NO_FINAL)
    assert done.code == 0 and len(done.lines) == 1 and second.name in done.err
    assert read_json(out / "summary.json")["restarted_at"] == 8
    assert_same_run(out, plain)

    (out / "summary.json").unlink()
    first.write_bytes(b"")
    done = submit("--quiet", *NO_FINAL)
    assert done.code == 0 and len(done.lines) == 3 and "starts from the beginning" in done.lines[-1]
    assert read_json(out / "summary.json")["restarted_at"] is None
    assert_same_run(out, plain)
    assert first.exists() and second.exists()


def test_the_folder_of_checkpoints_may_lie_elsewhere(submit, plain, tmp_path):
    far = ["--set", "checkpoint.dir=far", "--quiet"]
    assert submit(*far, *STOP).code == STOPPED
    (path,) = checkpoints(tmp_path / "far")
    done = submit(*far)
    assert (done.code, done.err) == (0, "")
    assert read_json(tmp_path / "out/summary.json")["restarted_at"] == step_of(path)
    assert_same_run(tmp_path / "out", plain)
    # the results are lost, the checkpoints are not
    shutil.rmtree(tmp_path / "out")
    assert submit(*far).code == 0 and read_json(tmp_path / "out/summary.json")["restarted_at"] == 21


def test_a_folder_of_checkpoints_that_is_not_named_again_is_found(submit, plain, tmp_path):
    assert submit("--quiet", "--set", "checkpoint.dir=far", *STOP).code == STOPPED
    (path,) = checkpoints(tmp_path / "far")
    done = submit("--quiet")
    assert (done.code, done.err) == (0, "")
    assert read_json(tmp_path / "out/summary.json")["restarted_at"] == step_of(path)
    assert_same_run(tmp_path / "out", plain)
    assert len(checkpoints(tmp_path / "out/checkpoints")) == len(checkpoints(tmp_path / "far")) == 1


def test_profiles_elsewhere_are_not_replaced(run, noise, submit, tmp_path):
    """Profiles in the folder of the results are replaced with them."""
    window = ["--profile=summary", "--set", "profile.start_step=2", "--quiet"]
    unfinished(run, noise, *NO_FINAL, *window)
    assert submit(*window).code == 0 and (tmp_path / "out/profile/step_00000002").exists()
    window += ["--set", "profile.dir=shared"]
    out = run.solve(noise, "out", "--overwrite", *NO_FINAL, *window)
    (out / "summary.json").unlink()
    done = submit(*window)
    assert done.code == CANNOT_CREATE and "shared" in done.err


def test_auto_replaces_nothing(submit, tmp_path):
    done = submit("--overwrite")
    assert done.code == USAGE and "--restart auto" in done.err and not (tmp_path / "out").exists()


def test_results_without_their_lock_are_left_alone(run, noise, submit, refuses, tmp_path):
    out = unfinished(run, noise, *EVERY)
    (out / "run.lock").unlink()
    refuses(CANNOT_CREATE, ["run.lock does not name the run", "another --output"], "run", noise, "--backend", "cpu",
            "--output", "out", "--restart", "auto")


def test_a_restart_that_is_refused_removes_nothing(run, noise, refuses):
    out = run.solve(noise, "out", *EVERY)
    (out / "diagnostics.csv").write_text("")
    refuses(DATA, ["diagnostics.csv: lacks rows"], "run", noise, "--backend", "cpu", "--output", "out", "--restart", "auto",
            "--set", "time.end=9")
