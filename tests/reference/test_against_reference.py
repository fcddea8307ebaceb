"""The solver against the dense reference: same states after five steps, to rounding."""
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import reference as ref

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from program import (Program, field_files, final_fields, read_fields, write_case,  # noqa: E402
                     write_state)

PHYSICS = {"gravity": 9.8, "depth": 3.0, "radius": 2.0}
SCHEMES = [(2, "default", 4), (4, "default", 7), (4, "published", 7), (6, "default", 11)]
GRIDS = [(order, closure, n) for order, closure, least in SCHEMES for n in (least, 12, 16)]
STEPS, NAMES, ROUNDING = 5, ("h", "v1", "v2"), 1e-12
PULSE = {"lon": 20.0, "lat": 33.0, "amplitude": 0.01, "width": 0.18}
WAVE = {"lon": 20.0, "lat": 33.0, "amplitude": 0.5, "degree": 4}


@lru_cache(maxsize=None)
def model_of(order, closure, n):
    return ref.Model(n, order, closure, **PHYSICS)


def end_of(n):
    """Model time of five steps at Courant number 0.3."""
    crossing = PHYSICS["radius"] / np.sqrt(PHYSICS["gravity"] * PHYSICS["depth"])
    return STEPS * 0.3 * crossing * np.pi / 2 / n


@lru_cache(maxsize=None)
def start_of(kind, *scheme):
    """Initial state: noise in every value or a pulse, with one height per point."""
    model = model_of(*scheme)
    if kind == "noise":
        h, v1, v2 = ref.random_state(model, seed=scheme[-1])
    elif kind == "pulse":
        h, v1, v2 = ref.at_rest(ref.gaussian(model.at_h.r, **PULSE))
    else:
        h, v1, v2 = ref.at_rest(ref.exact_standing(model.at_h.r, 0.0, **WAVE))
    return model.project(h), v1, v2


@lru_cache(maxsize=None)
def expected_of(kind, *scheme):
    """State of the reference after five steps."""
    n = scheme[-1]
    return model_of(*scheme).run_n_steps(*start_of(kind, *scheme), end_of(n) / STEPS, STEPS)


def write_scheme(path, order, closure, n, **sections):
    end = end_of(n)
    return write_case(path, grid={"n": n, "order": order, "closure": closure}, physics=PHYSICS,
                      time={"end": end, "dt": end / STEPS}, **sections)


def assert_close(found, expected):
    for name, values in zip(NAMES, expected):
        assert found[name].shape == values.shape
        error, largest = np.abs(found[name] - values).max(), np.abs(values).max()
        assert error <= ROUNDING * largest, (name, error, largest)


@pytest.mark.parametrize("variable, backend", [("CUBESWE", "cpu"), ("CUBESWE_EMULATED", "cuda")],
                         ids=["cpu", "emulated cuda"])
@pytest.mark.parametrize("kind", ["noise", "pulse"])
@pytest.mark.parametrize("scheme", GRIDS, ids=lambda s: f"{s[0]}-{s[1]}-n{s[2]}")
def test_states_from_files(tmp_path, scheme, kind, variable, backend):
    start = start_of(kind, *scheme)
    write_state(tmp_path / "start.h5", **dict(zip(NAMES, start)))
    write_scheme(tmp_path / "case.yaml", *scheme, output={"every": STEPS},
                 initial={"kind": "file", "path": "start.h5"})
    out = Program(variable, tmp_path).solve("case.yaml", "out", backend=backend)
    first, last = field_files(out)
    assert last.name == f"fields_{STEPS:08d}.nc"
    assert_close(read_fields(first), start)
    assert_close(read_fields(last), expected_of(kind, *scheme))


@pytest.mark.parametrize("kind, initial", [
    ("pulse", {"kind": "gaussian", **PULSE}), ("wave", {"kind": "standing_wave", **WAVE})],
    ids=["pulse", "wave"])
@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: f"{s[0]}-{s[1]}")
def test_states_of_the_program_itself(tmp_path, scheme, kind, initial):
    scheme = (*scheme[:2], 16)
    write_scheme(tmp_path / "case.yaml", *scheme, initial=initial)
    out = Program("CUBESWE", tmp_path).solve("case.yaml", "out")
    assert_close(final_fields(out), expected_of(kind, *scheme))


@pytest.mark.parametrize("kind", ["gaussian", "standing_wave"])
def test_exact_solutions(tmp_path, kind):
    """h_exact of an error field file; the reference's series of a pulse carries some rounding."""
    initial = {"gaussian": PULSE, "standing_wave": WAVE}[kind]
    write_scheme(tmp_path / "case.yaml", 4, "default", 16, initial={"kind": kind, **initial})
    out = Program("CUBESWE", tmp_path).solve("case.yaml", "out", "--n", "16", "--set", "time.end=1",
                                             "--set", "time.courant=0.3", command="converge")
    exact = {"gaussian": ref.exact_gaussian, "standing_wave": ref.exact_standing}[kind]
    expected = exact(model_of(4, "default", 16).at_h.r, 1.0, **initial, **PHYSICS)
    error = np.abs(final_fields(out)["h_exact"] - expected).max()
    assert error < (1e-11 if kind == "gaussian" else ROUNDING) * initial["amplitude"]
