"""Runs that are extended: a checkpoint of their end is kept, and time.end is raised."""
import json
import shutil

import h5py
import numpy as np
import pytest

from checkpoints import assert_same_run, assert_same_summary, checkpoints, noise_case, reseal, step_of
from program import assert_same_bits, contents, field_files, final_fields, read_csv, read_fields, read_json

CONFIG = 78


@pytest.fixture(name="pulse")
def fixture_pulse(case):
    """Its errors have a maximum that only the last of 30 steps would raise; 3 * 0.1 is not 0.3."""
    def pulse(**sections):
        return case(**{"time": {"end": 0.3, "dt": 0.01}, "diagnostics": {"every": 7, "sample_interval": 0.08},
                       "output": {"every": 7}, **sections})
    return pulse


def raise_end(run, name, end, *arguments):
    return run.solve(name, "out", "--restart", "out", "--set", f"time.end={end}", *arguments)


def without(directory, *steps):
    """The folder without the field files of earlier ends."""
    for step in steps:
        (directory / f"fields_{step:08d}.nc").unlink()
    return directory


def test_a_run_keeps_a_checkpoint_of_its_end(run, pulse, tmp_path):
    out = run.solve(pulse(), "out")
    assert [step_of(path) for path in checkpoints(out / "checkpoints")] == [30]
    assert read_json(out / "summary.json")["checkpoints"]["written"] == 1
    out = run.solve(pulse(), "none", "--set", "checkpoint.final=no")
    assert not (out / "checkpoints").exists()


@pytest.mark.parametrize("sections", [
    {}, {"output": {"every": 10}, "diagnostics": {"every": 10, "sample_interval": 0.1}},
    {"output": {"interval": 0.1}, "diagnostics": {"interval": 0.1}},
    {"time": {"end": 0.3, "courant": 0.2}, "output": {"interval": 0.1}},
    {"checkpoint": {"every": 15}}],
    ids=["not due", "due", "interval", "courant", "checkpoints"])
def test_a_longer_run_is_the_run_straight_to_its_end(run, pulse, tmp_path, sections):
    """The last step of a run has a row and a file: the row is removed unless it is due, the file stays; a due one
    has the bits of the run without a restart, its model time included.
    """
    name = pulse(**sections)
    straight = run.solve(name, "straight", "--set", "time.end=0.9")
    run.solve(name, "out")
    last = field_files(tmp_path / "out")[-1]
    raise_end(run, name, 0.6)
    out = raise_end(run, name, 0.9)
    former = [int(path.stem.split("_")[1]) for path in field_files(out)
              if not (straight / path.name).exists()]
    assert last.exists() and (straight / last.name).exists() == (not former)
    assert_same_run(without(out, *former), straight)


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_noise_may_be_made_longer(run, run_emulated, case, tmp_path, backend):
    program = run if backend == "cpu" else run_emulated
    noise = noise_case(tmp_path, case, time={"end": 0.07, "dt": 0.01}, diagnostics={"every": 5})
    longer = ["--set", "time.end=0.21"]
    straight = program.solve(noise, "straight", *longer, backend=backend)
    program.solve(noise, "out", backend=backend)
    out = program.solve(noise, "out", "--restart", "out", *longer, backend=backend)
    assert_same_run(without(out, 7), straight)


def test_a_longer_run_in_another_folder(run, pulse, tmp_path):
    straight = run.solve(pulse(), "straight", "--set", "time.end=0.6")
    run.solve(pulse(), "out")
    before = contents(tmp_path / "out")
    again = run.solve(pulse(), "again", "--restart", "out", "--set", "time.end=0.6")
    assert contents(tmp_path / "out") == before
    assert_same_summary(again, straight)
    assert read_csv(again / "diagnostics.csv") == \
        [row for row in read_csv(straight / "diagnostics.csv") if row["step"] > 30]
    assert_same_bits(final_fields(again), final_fields(straight))


def test_a_restart_from_the_end_ends_in_the_same_results(run, pulse, tmp_path):
    out = run.solve(pulse(), "out")
    shutil.copytree(out, tmp_path / "before")
    assert_same_run(run.solve(pulse(), "out", "--restart", "out"), tmp_path / "before")
    again = run.solve(pulse(), "again", "--restart", "out")
    assert_same_summary(again, out)
    assert_same_bits(read_fields(field_files(again)[-1]), final_fields(out))


def test_the_end_may_be_raised_by_any_time(run, pulse, tmp_path):
    """A time step that depends on the end stays the step of the checkpoint, and the last step is shorter."""
    name, step = pulse(time={"end": 0.3, "courant": 0.25}), 0.029999999999999999
    run.solve(name, "out")
    raise_end(run, name, 0.5)
    out = raise_end(run, name, 0.7, "--set", "checkpoint.every=5")
    assert [step_of(path) for path in checkpoints(out / "checkpoints")] == [20, 23]
    assert f"# time step      {step} s, 24 steps" in (out / "configuration.yaml").read_text()
    straight = run.solve(name, "straight", "--set", "time.end=0.7", "--set", f"time.dt={step}")
    assert_same_run(without(out, 10, 17), straight)
    before = contents(out)
    done = run("run", name, "--output", "out", "--restart", "auto", "--backend", "cpu", "--set", "time.end=0.7")
    assert done.code == 0 and "at step 24" in done.out and contents(out) == before
    again = run.solve(name, "again", "--restart", checkpoints(out / "checkpoints")[0], "--set", "time.end=0.9")
    whole = run.solve(name, "whole", "--set", "time.end=0.9", "--set", f"time.dt={step}")
    assert_same_bits(final_fields(again), final_fields(whole))


@pytest.mark.parametrize("end", [604800, 691200], ids=["7 days", "8 days"])
def test_a_ready_case_is_made_longer_by_days(run, tmp_path, end):
    """Six days of steps of 66 s: none of them divides the seventh."""
    words = ["--set", "grid.n=13", "--set", "time.dt_times_n=4000"]
    run.solve("galewsky", "out", *words)
    out = run.solve("galewsky", "out", *words, "--restart", "out", "--set", f"time.end={end}")
    assert read_csv(out / "diagnostics.csv")[-1]["time"] == end


def test_a_step_that_an_interval_does_not_fit_is_refused(run, pulse, refuses):
    name = pulse(time={"end": 0.3, "courant": 0.25})
    run.solve(name, "out")
    refuses(CONFIG, ["the time step is 0.029999999999999999 s there and 0.025", "set time.dt=0.029999999999999999"],
            "run", name, "--backend", "cpu", "--output", "out", "--restart", "out", "--set", "time.end=0.7", "--set",
            "checkpoint.interval=0.1")


def without_keys(path, *keys):
    """Remove lines from the configuration of a checkpoint, as a program wrote it that did not know these keys."""
    with h5py.File(path, "r+") as file:
        lines = file.attrs["configuration"].decode().splitlines(True)
        kept = [line for line in lines if not line.lstrip(" -").startswith(keys)]
        assert len(kept) <= len(lines) - len(keys)
        file.attrs["configuration"] = np.bytes_("".join(kept))
    reseal(path)


def test_a_key_that_a_checkpoint_does_not_have_equals_its_default(run, case, tmp_path, refuses):
    """Also of an entry of a list; a later program has more keys."""
    tracers = [{"name": name, "initial": {"kind": "gaussian", "lon": 20.0}} for name in ("a", "b")]
    name = case(grid={"n": 13}, physics={"model": "nonlinear"}, initial={"kind": "lake_at_rest"}, tracers=tracers)
    plain = run.solve(name, "plain")
    out = run.solve(name, "out")
    (path,) = checkpoints(out / "checkpoints")
    without_keys(path, "axis_lat:", "closure:", "edge_damping:", "lat:", "background:", "sha256:", "check_every:")
    arguments = ["run", name, "--backend", "cpu", "--output", "out", "--restart", "out"]
    refuses(CONFIG, ["physics.axis_lat is 90 there and 80 here"], *arguments, "--set", "physics.axis_lat=80")
    tracers[1]["initial"]["background"] = 0.5
    refuses(CONFIG, ["tracers[1].initial.background is 0 there and 0.5 here"], *arguments, "--set",
            f"tracers={json.dumps(tracers)}")
    again = run.solve(name, "out", "--restart", "out")
    assert_same_run(again, plain)


def test_a_key_that_only_a_later_program_has_is_reported(run, case, refuses):
    (path,) = checkpoints(run.solve(case(), "out") / "checkpoints")
    with h5py.File(path, "r+") as file:
        text = file.attrs["configuration"].decode().replace("  axis_lat: 90\n", "  axis_lat: 90\n  swirl: 2\n")
        file.attrs["configuration"] = np.bytes_(text)
    reseal(path)
    refuses(CONFIG, ["is of another case: its configuration:", "physics.swirl: unknown key"], "run", case(), "--backend",
            "cpu", "--output", "out", "--restart", "out")


def test_a_checkpoint_of_an_earlier_program_continues(run, case, tmp_path):
    """It has none of the new keys, and its time step is time.end divided by the number of steps."""
    dt = 0.33 / 11
    assert dt != 0.03
    name = noise_case(tmp_path, case, time={"end": 0.33, "dt": 0.03}, diagnostics={"every": 4})
    plain = run.solve(name, "plain", "--set", f"time.dt={dt!r}")
    out = run.solve(name, "out", "--set", f"time.dt={dt!r}", "--set", "checkpoint.every=3", "--set",
                    "checkpoint.final=no")
    for path in checkpoints(out / "checkpoints"):
        with h5py.File(path, "r+") as file:
            del file.attrs["before_output"]
        without_keys(path, "interval: 0\n", "final: ")
    again = run.solve(name, "out", "--restart", "out")
    assert read_json(again / "summary.json")["restarted_at"] == 9
    assert_same_run(again, plain)
