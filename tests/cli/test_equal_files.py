"""Equal runs write files of equal bytes, at any time and in any folder."""
import shutil
import time

import h5py
import numpy as np
import pytest

from checkpoints import checkpoints, step_of
from program import field_files


@pytest.fixture(name="pulse")
def fixture_pulse(case):
    return case(time={"end": 0.1, "dt": 0.01}, output={"every": 3, "fields": ["h", "wind", "native", "vorticity"]},
                diagnostics={"every": 4}, checkpoint={"every": 2, "keep": 9})


def next_second():
    """HDF5 can store times of creation, in seconds."""
    now = int(time.time())
    while int(time.time()) == now:
        time.sleep(0.01)


def of_the_run(folder, to):
    """Content of the checkpoints of a folder, without the identity of the run and the times of its steps."""
    shutil.copytree(folder, to)
    for path in checkpoints(to):
        with h5py.File(path, "r+") as file:
            file.attrs.modify("run", np.bytes_(32 * "0"))
            file.attrs.modify("seconds", 0.0)
    return {path.name: path.read_bytes() for path in checkpoints(to)}


def test_files_of_equal_runs_are_equal(run, pulse, tmp_path):
    first = run.solve(pulse, "first")
    next_second()
    second = run.solve(pulse, "second", "--set", "checkpoint.dir=far", "--set", "profile.dir=farther")
    assert len(field_files(first)) == 5
    for a, b in zip(field_files(first), field_files(second), strict=True):
        assert a.read_bytes() == b.read_bytes(), a.name
    assert (first / "diagnostics.csv").read_bytes() == (second / "diagnostics.csv").read_bytes()
    found = of_the_run(first / "checkpoints", tmp_path / "a")
    assert len(found) == 5 and found == of_the_run(tmp_path / "far", tmp_path / "b")


def test_files_of_a_restart_are_those_of_the_whole_run(run, pulse, tmp_path):
    whole = run.solve(pulse, "whole")
    next_second()
    stopped = run("run", pulse, "--backend", "cpu", "--output", "parts", "--quiet", "--max-walltime", "0.001")
    assert stopped.code == 75
    next_second()
    parts = run.solve(pulse, "parts", "--restart", "auto")
    for a, b in zip(field_files(whole), field_files(parts), strict=True):
        assert a.read_bytes() == b.read_bytes(), a.name
    a, b = (of_the_run(folder / "checkpoints", tmp_path / f"of_{folder.name}") for folder in (whole, parts))
    of_steps = [{step_of(name): data for name, data in files.items()} for files in (a, b)]
    assert of_steps[0].items() <= of_steps[1].items()


@pytest.mark.parametrize("grid, ending", [("latlon", "nc"), ("ugrid", "nc"), ("vtu", "vtu")])
def test_converted_files_are_equal(run, pulse, grid, ending):
    first = run.solve(pulse, "first")
    next_second()
    second = run.solve(pulse, "second")
    converted = []
    for folder in (first, second):
        done = run("convert", *field_files(folder)[-2:], "--to", grid, "--quiet")
        assert done.code == 0, done.err
        converted.append([path.read_bytes() for path in sorted((folder / grid).glob(f"*.{ending}"))])
    assert len(converted[0]) == 2 and converted[0] == converted[1]
