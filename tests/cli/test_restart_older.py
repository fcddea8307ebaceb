"""Restarts from a checkpoint that is not the newest of its folder; numbers of checkpoints."""
import h5py
import pytest

from checkpoints import assert_same_run, checkpoint_at, checkpoints, noise_case, reseal, step_of
from program import HANGS, contents, read_csv, read_json, wait_for
from test_restart import is_running, start
from test_restart_longer import without

DATA, CANNOT_CREATE = 65, 73

EVERY = ["--set", "checkpoint.every=8", "--set", "checkpoint.keep=9"]


@pytest.fixture(name="noise")
def fixture_noise(case, tmp_path):
    return noise_case(tmp_path, case, diagnostics={"every": 1})


def kill_before_a_checkpoint(run, noise, tmp_path, checkpoint, steps):
    """Restart with a distant time.end, and kill the run before a checkpoint is due."""
    (tmp_path / "out/progress.json").unlink()
    with start(run, noise, "--backend", "cpu", "--threads", "1", "--quiet", "--restart", checkpoint, "--set",
               "time.end=9999", "--set", "diagnostics.every=2", "--set", "checkpoint.every=0") as process:
        wait_for(lambda: is_running(tmp_path, steps=step_of(checkpoint) + steps))
        process.kill()
        process.communicate(timeout=HANGS)


@pytest.mark.parametrize("steps", [1, 30])
def test_a_restart_from_an_older_checkpoint_may_be_killed(run, noise, tmp_path, steps):
    """It has no checkpoint of its own: the rows of the newest one are restored, also if it wrote more rows itself."""
    plain = run.solve(noise, "plain")
    out = run.solve(noise, "out", *EVERY)
    newest = step_of(checkpoints(out / "checkpoints")[-1])
    kill_before_a_checkpoint(run, noise, tmp_path, checkpoint_at(out / "checkpoints", 8), steps)
    assert len((out / "diagnostics.csv").read_bytes()) > len((plain / "diagnostics.csv").read_bytes()) or steps == 1
    again = run("run", noise, "--backend", "cpu", "--output", "out", "--restart", "out", "--strict", "--quiet")
    assert (again.code, again.err) == (0, "")
    assert read_json(out / "summary.json")["restarted_at"] == newest
    assert_same_run(out, plain)


def test_a_restart_from_the_newest_checkpoint_repeats_none(run, noise):
    out = run.solve(noise, "out", *EVERY)
    before = checkpoints(out / "checkpoints")
    run.solve(noise, "out", "--restart", "out", "--set", "checkpoint.final=no")
    assert checkpoints(out / "checkpoints") == before


def test_rows_of_another_restart_are_no_rows_of_a_checkpoint(run, noise, refuses):
    """There are enough bytes, but of other rows."""
    out = run.solve(noise, "out", *EVERY)
    first, second = (checkpoint_at(out / "checkpoints", step) for step in (8, 16))
    run.solve(noise, "out", "--restart", first, "--set", "diagnostics.every=3", "--set", "checkpoint.final=no")
    assert [row["step"] for row in read_csv(out / "diagnostics.csv")][8:] == [8, 9, 12, 15, 18, 21]
    rows = (out / "diagnostics.csv").read_text()
    (out / "diagnostics.csv").write_text(rows + "21" + rows)
    refuses(DATA, ["diagnostics.csv: lacks rows"], "run", noise, "--backend", "cpu", "--output", "out",
            "--restart", second)


def test_a_changed_row_is_no_row_of_a_checkpoint(run, noise, refuses):
    """One flipped bit of an old row. Checkpoints of earlier programs have no digest: the row is accepted."""
    out = run.solve(noise, "out", *EVERY)
    rows = bytearray((out / "diagnostics.csv").read_bytes())
    rows[len(rows) // 4] ^= 1
    (out / "diagnostics.csv").write_bytes(rows)
    for restart in ("out", "auto"):
        refuses(DATA, ["diagnostics.csv: lacks rows", "or has others", "another --output"], "run", noise, "--backend",
                "cpu", "--output", "out", "--restart", restart, "--set", "time.end=0.42")
    for path in checkpoints(out / "checkpoints"):
        with h5py.File(path, "r+") as file:
            del file.attrs["diagnostics_sha256"], file.attrs["maxima_since"]
        reseal(path)
    run.solve(noise, "out", "--restart", "out", "--set", "time.end=0.42")
    assert (out / "diagnostics.csv").read_bytes().startswith(rows[:-1])


def test_rows_of_many_tracers_continue(run, case, tmp_path):
    """A row is longer than a kibibyte, and numbers within it look like steps."""
    name = case(grid={"n": 13, "order": 4}, physics={"model": "nonlinear"}, initial={"kind": "lake_at_rest"},
                time={"end": 0.02, "dt": 0.001}, diagnostics={"every": 1}, tracers=[
                    {"name": f"t{k}", "initial": {"kind": "constant", "amplitude": 2.0 ** 39}} for k in range(60)])
    plain = run.solve(name, "plain")
    run.solve(name, "out", "--set", "time.end=0.01")
    assert_same_run(without(run.solve(name, "out", "--restart", "out"), 10), plain)


@pytest.mark.parametrize("setting", ["diagnostics.sample_interval=0.02", "diagnostics.sample_times=[0.02]",
                                     "diagnostics.every=1", "diagnostics.interval=0.01"])
def test_maxima_state_from_when_they_count(run, case, setting):
    """The earlier run had no row and no sample: its maxima differ from a run that has both from the start."""
    name = case(time={"end": 0.1, "dt": 0.01})
    run.solve(name, "out", "--set", "time.end=0.06")
    longer = run("run", name, "--backend", "cpu", "--output", "out", "--restart", "out", "--set", setting, "--set",
                 "time.end=0.08")
    assert longer.code == 0 and "maxima       up to t = 0.06 s" in longer.out, longer.err
    again = run.solve(name, "out", "--restart", "out", "--set", setting)
    plain = run.solve(name, "plain", "--set", setting)
    assert [read_json(out / "summary.json")["maxima_since"] for out in (again, plain)] == [0.06, 0.0]


# ---- numbers -------------------------------------------------------------------------------------

@pytest.mark.parametrize("digits, ending", [(18, ".json"), (18, ".h5"), (13, ".failed"), (12, ".h5")])
def test_a_number_that_leaves_none_for_later_checkpoints_is_refused(run, noise, digits, ending):
    """The refusal comes before the first step: the program could not read the names of later checkpoints."""
    out = run.solve(noise, "out", *EVERY)
    name = f"checkpoint_{digits * '9'}_step_0000000016{ending}"
    (out / "checkpoints" / name).write_text("{}")
    before = contents(out)
    done = run("run", noise, "--backend", "cpu", "--output", "out", "--restart", "out", "--quiet")
    assert done.code == CANNOT_CREATE and name in done.lines[-1] and "move this file" in done.lines[-1], done.err
    assert contents(out) == before
    run.solve(noise, "other", "--restart", "out")
    (out / "checkpoints" / name).unlink()
    run.solve(noise, "out", "--restart", "out", "--strict")


def test_checkpoints_after_a_great_number_are_read(run, noise):
    plain = run.solve(noise, "plain")
    out = run.solve(noise, "out", *EVERY)
    (out / "checkpoints" / f"checkpoint_{11 * '9'}8_step_0000000016.h5").write_text("")
    first = checkpoint_at(out / "checkpoints", 8)
    run.solve(noise, "out", "--restart", first, *EVERY)
    found = {int(path.name.split("_")[1]): step_of(path) for path in checkpoints(out / "checkpoints")}
    assert found == {1: 8, 2: 16, 3: 21, 10 ** 12 - 1: 16, 10 ** 12: 21}
    again = run.solve(noise, "again", "--restart", "out", "--strict")
    assert read_json(again / "summary.json")["restarted_at"] == 21
    assert_same_run(out, plain)


def test_a_number_beyond_all_is_no_checkpoint(run, noise):
    out = run.solve(noise, "out", *EVERY)
    (out / "checkpoints" / f"checkpoint_{10 ** 19}_step_0000000016.json").write_text("{}")
    run.solve(noise, "out", "--restart", "out", "--strict")
