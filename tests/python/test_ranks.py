"""Models on several ranks: the same bits, results and exceptions on all."""
import os
import pickle
import re
import subprocess
import sys

import cubeswe as cs
import numpy as np
import pytest
import xarray as xr

import on_ranks
from conftest import OPEN_MPI, REPOSITORY

RANKS = 3
pytestmark = pytest.mark.skipif(not os.environ.get("MPIRUN"), reason="this build has no MPI (-DCUBESWE_MPI=ON)")


def run(*script):
    """Run a script on ranks; what it prints."""
    pytest.importorskip("mpi4py")
    environment = {**os.environ, **OPEN_MPI, "PYTHONPATH": str(REPOSITORY / "solver/python"), "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([os.environ["MPIRUN"], "-n", str(RANKS), sys.executable, *map(str, script)], env=environment,
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    run(on_ranks.__file__, folder)
    return folder


@pytest.fixture(scope="module")
def of_ranks(folder):
    return [pickle.loads((folder / f"rank_{rank}").read_bytes()) for rank in range(RANKS)]


def test_an_ensemble_is_shared_among_ranks(folder, of_ranks):
    whole = on_ranks.perturbed(None)[1]
    for statistics, before, *_ in of_ranks:
        np.testing.assert_allclose(statistics["mean"], whole["mean"], rtol=1e-14)
        np.testing.assert_allclose(statistics["spread"], whole["spread"], rtol=1e-9)
        assert before == ("InputError", "ranks begin before models: release the 1 that exist")
    for rank in range(RANKS):  # files of models and of the program, which a launcher's process starts
        last = cs.Run(folder / f"members/member_{rank}").to_xarray().h[-1]
        assert np.array_equal(last, xr.open_dataset(folder / f"member_{rank}.nc").h[0])
    assert cs.Run(folder / "program").summary["steps"] > 0
    with pytest.raises(cs.InputError, match="fewer than the 2 ranks"):
        cs.Ensemble("galewsky", members=1, perturb={}, comm=type("Two", (), {"Get_rank": lambda _: 0, "Get_size": lambda _: 2})())


def test_all_ranks_have_the_bits_of_one(folder, of_ranks, tmp_path):
    one, times = on_ranks.states(tmp_path, None)
    for _, _, arrays, times_of_rank, _ in of_ranks:
        assert arrays.keys() == one.keys()
        for name, values in one.items():
            assert np.array_equal(arrays[name], values), name
    assert [times_of_rank for *_, times_of_rank, _ in of_ranks] == [times, [], []]  # rank 0 alone calls functions
    files = [xr.open_dataset(path / "state.nc") for path in (folder, tmp_path)]
    for name in ("h", "v1", "v2"):
        assert np.array_equal(*(file[name] for file in files)), name


def test_all_ranks_have_the_same_errors(of_ranks):
    sentences = {"view": "has no views", "name": "did you mean 'vorticity'", "program": "mpirun -n 4 cubeswe", "profile": "mpirun -n 4 cubeswe",
                 "model": "give every model the same", "case": "no ready case of this name", "key": "grid.n", "function": "division by zero",
                 "comm": "give every model the same", "local": None, "other": None, "class": "a", "mixed": None, "thread": None,
                 "word": "comm is a communicator of mpi4py"}
    times = [errors.pop("times") for *_, errors in of_ranks]
    assert [time[:2] for time in times] == [times[0][:2]] * RANKS
    assert times[0][0] == pytest.approx(3) and times[0][1] == pytest.approx(13587.43) and times[0][2] <= 1  # steps of the second model; models to be released
    for rank, (*_, errors) in enumerate(of_ranks):
        assert errors.pop("time") == pytest.approx(8187.43)
        assert errors.keys() == sentences.keys()
        for name, sentence in sentences.items():
            assert sentence is None or sentence in errors[name][1], name
        assert errors["function"][0] == "ZeroDivisionError" and errors["name"][0] == "InputError"
        assert errors["local"][0] == ("KeyError" if rank == 0 else "Error")
        for name, called in (("other", "Model.step of its model number 4, and rank 0 Model.tendency of number 4"),
                             ("mixed", "Model.step of its model number 5, and rank 0 Model.step of number 4")):
            assert errors[name] == (None if rank == 0 else ("InputError", f"rank {rank} calls {called}: all ranks call the same")), name
        assert errors["class"][0] == ("Special" if rank == 0 else "Error")
        assert errors["thread"] == (("RuntimeError", "on ranks one thread at a time calls models") if rank == 0 else None)


def test_the_script_of_the_page_runs():
    page = (REPOSITORY / "solver/python/notebooks/ranks.md").read_text()
    time, most = map(float, run("-c", *re.findall(r"^```py\n(.*?)^```", page, re.S | re.M)).split())
    assert time == 21600 and 1e-5 < most < 1e-3
