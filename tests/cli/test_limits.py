"""Nonlinear runs: their additional diagnostics, and the conditions that stop them."""
import re

import numpy as np
import pytest

from program import read_csv, write_state

DATA, INTERNAL, CONFIG = 65, 70, 78
N = 14
NONLINEAR = {"grid": {"n": N, "order": 4}, "physics": {"model": "nonlinear", "depth": 2.0, "rotation": 0.5},
             "initial": {"kind": "file", "path": "state.h5"}, "time": {"end": 0.2, "dt": 0.01},
             "diagnostics": {"every": 5}}
COLUMNS = ["potential_enstrophy", "min_h", "flow_courant"]


@pytest.fixture(name="start")
def fixture_start(tmp_path, case):
    """Write a state at rest, with h and v1 at one point; the name of its case."""
    def start(h=2.0, v1=0.0):
        fields = {"h": np.full((6, N + 1, N + 1), 2.0), "v1": np.zeros((6, N + 1, N)),
                  "v2": np.zeros((6, N, N + 1))}
        fields["h"][3, 7, 5] = h
        fields["v1"][3, 7, 5] = v1
        write_state(tmp_path / "state.h5", **fields)
        return case(**NONLINEAR)
    return start


def test_nonlinear_diagnostics_end_with_columns_of_their_own(run, start):
    rows = read_csv(run.solve(start(h=2.1), "out") / "diagnostics.csv")
    assert list(rows[0])[-3:] == COLUMNS and len(rows) == 5
    first, last = rows[0], rows[-1]
    # at rest: q = f/h, f = 2 Omega sin(latitude), so that the integral is 1/2 4 Omega^2 (4 pi/3)/h
    assert first["potential_enstrophy"] == pytest.approx(0.5 * 4 * 0.25 * 4 * np.pi / 3 / 2, rel=1e-2)
    assert last["potential_enstrophy"] == pytest.approx(first["potential_enstrophy"], rel=1e-2)
    assert first["min_h"] == 2 and 1.9 < last["min_h"] < 2.0
    assert first["flow_courant"] == pytest.approx(first["courant"] * np.sqrt(2.1 / 2))


def test_linear_diagnostics_have_none_of_them(run, case):
    rows = read_csv(run.solve(case(grid={"n": N}, time={"end": 0.1}), "out") / "diagnostics.csv")
    assert not set(COLUMNS) & set(rows[0])


@pytest.mark.parametrize("initial", [{"kind": "file", "path": "state.h5"},
                                     {"kind": "williamson2", "period": 9.0}], ids=["file", "formula"])
def test_a_flow_too_fast_for_the_time_step_is_refused_with_the_step_to_set(run, refuses, case, start, initial):
    """sqrt(g H0) alone is slow enough."""
    start(v1=2.5)
    name = case(**{**NONLINEAR, "initial": initial, "time": {"end": 0.2, "courant": 0.6}})
    words = ["case.yaml: time.courant: dt = 0.0", "initial flow has the Courant number ", "set time.dt="]
    for command in (["run"], ["run", "--dry-run"], ["profile", "--set", "grid.n=14"]):
        refuses(CONFIG, words, *command, name, "--backend", "cpu")
    done = run("info", name, "--dry-run", "--backend", "cpu")
    assert done.code == 0 and not [word for word in [*words, "run will refuse"] if word not in done.err], done.err
    stable = re.search(r"set time.dt=(\S+) or less", done.err)[1]
    done = run("info", name, "--dry-run", "--backend", "cpu", "--set", f"time.dt={stable}")
    courant = float(re.search("# flow Courant +(\\S+) at the start", done.out)[1])
    assert done.err == "" and 0.42 < courant <= 0.52
    out = run.solve(name, "out", "--set", f"time.dt={stable}", "--set", "time.end=1e-6")
    assert read_csv(out / "diagnostics.csv")[0]["flow_courant"] > 0


@pytest.mark.parametrize("h", [-0.25, 0.0])
def test_a_file_with_a_depth_that_is_not_positive_is_refused(refuses, start, h):
    name = start(h=h)
    for command in (["run"], ["run", "--dry-run"], ["profile", "--set", "grid.n=14"]):
        refuses(DATA, ["state.h5: ", f"the depth is {h:g} m at longitude 257.09, latitude 0.00 (panel 3, j 7, i 5)",
                       "before the first step"], *command, name, "--backend", "cpu")


@pytest.mark.parametrize("initial, depth, words", [
    ({"kind": "gaussian", "lon": 0, "lat": 0, "amplitude": -2}, 1.5,
     ["the depth is -0.5 m at longitude 0.00, latitude 0.00 (panel 0, j 7, i 7)",
      "a larger physics.depth or an initial.amplitude closer to 0"]),
    ({"kind": "lake_at_rest", "lon": 0, "lat": 0, "amplitude": 2}, 1.5,
     ["the depth is -0.5 m at longitude 0.00, latitude 0.00"]),
    ({"kind": "williamson2", "period": 1.0}, 1.5, ["a larger physics.depth or a longer initial.period"])])
def test_a_case_with_a_depth_that_is_not_positive_is_refused(refuses, case, initial, depth, words):
    name = case(grid={"n": N}, physics={"model": "nonlinear", "depth": depth}, initial=initial,
                time={"end": 0.1, "dt": 0.01})
    for command in (["run"], ["bench", "--n", "14"]):
        refuses(CONFIG, ["case.yaml: physics.depth: ", *words], *command, name, "--backend", "cpu")


def test_the_height_of_the_linear_model_may_be_negative(run, case):
    run.solve(case(grid={"n": N}, initial={"kind": "gaussian", "amplitude": -2}, time={"end": 0.1}), "out")


def test_a_run_is_stopped_at_the_next_check(run, start):
    """The velocity empties a point soon, and is slow enough for the time step until then."""
    done = run("run", start(h=0.01, v1=2.0), "--output", "out", "--set", "diagnostics.every=1",
               "--set", "scheme.edge_damping=0", "--set", "scheme.dissipation=0")
    assert done.code == INTERNAL and "the depth is -" in done.err
    assert "at step 0" not in done.err and "(panel " in done.err
