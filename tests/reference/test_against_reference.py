"""The solver against the dense references, linear and nonlinear: same states after some steps, to rounding."""
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import nonlinear as nl
import reference as ref

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from program import (Program, field_files, final_fields, read_fields, write_case,  # noqa: E402
                     write_state)

PHYSICS = {"gravity": 9.8, "depth": 3.0, "radius": 2.0}
SCHEMES = [(2, "moved", 4), (2, "equispaced", 4), (4, "moved", 13), (4, "equispaced", 7), (4, "published", 7),
           (6, "moved", 15), (6, "equispaced", 11)]
GRIDS = [(order, closure, n) for order, closure, least in SCHEMES
         for n in (least, max(12, least + 1), max(16, least + 2))]
STEPS, NAMES, ROUNDING = 5, ("h", "v1", "v2"), 1e-12
PULSE = {"lon": 20.0, "lat": 33.0, "amplitude": 0.01, "width": 0.18}
WAVE = {"lon": 20.0, "lat": 33.0, "amplitude": 0.5, "degree": 4}


@lru_cache(maxsize=None)
def model_of(order, closure, n):
    return ref.Model(n, order, closure, **PHYSICS)


def end_of(*scheme):
    """Model time of five steps at Courant number 0.3."""
    crossing = PHYSICS["radius"] / np.sqrt(PHYSICS["gravity"] * PHYSICS["depth"])
    return STEPS * 0.3 * crossing * model_of(*scheme).op.spacing


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
    return model_of(*scheme).run_n_steps(*start_of(kind, *scheme), end_of(*scheme) / STEPS, STEPS)


def write_scheme(path, order, closure, n, **sections):
    end = end_of(order, closure, n)
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


@pytest.mark.parametrize("closure", ["moved", "equispaced"])
@pytest.mark.parametrize("kind", ["gaussian", "standing_wave"])
def test_exact_solutions(tmp_path, kind, closure):
    """h_exact of an error field file; the reference's series of a pulse carries some rounding."""
    initial = {"gaussian": PULSE, "standing_wave": WAVE}[kind]
    write_scheme(tmp_path / "case.yaml", 4, closure, 16, initial={"kind": kind, **initial})
    out = Program("CUBESWE", tmp_path).solve("case.yaml", "out", "--n", "16", "--set", "time.end=1",
                                             "--set", "time.courant=0.3", command="converge")
    exact = {"gaussian": ref.exact_gaussian, "standing_wave": ref.exact_standing}[kind]
    expected = exact(model_of(4, closure, 16).at_h.r, 1.0, **initial, **PHYSICS)
    error = np.abs(final_fields(out)["h_exact"] - expected).max()
    assert error < (1e-11 if kind == "gaussian" else ROUNDING) * initial["amplitude"]


def rough_flow(model, case):
    """Williamson 2 with noise: h single-valued and positive, tangential velocity single-valued."""
    h, v1, v2 = model.state(case.depth, case.velocity)
    noise = [np.random.default_rng(k).uniform(-1, 1, x.shape) for k, x in enumerate((h, v1, v2))]
    return (model.project(h * (1 + 0.05 * noise[0])),
            *model.join(v1 + 1e7 * noise[1], v2 + 1e7 * noise[2]))


def damped_step(model, state, dt, edge_damping, dissipation):
    """A Runge-Kutta step, then one of Euler for edge damping, then one for dissipation."""
    model.edge_damping = model.strength = 0.0
    h, v1, v2 = model.step(*state, dt)
    model.edge_damping, model.strength = edge_damping, dissipation
    e1, e2 = model.damp_edges(h, *model.fluxes(h, v1, v2))
    v1, v2 = v1 + dt * e1, v2 + dt * e2
    e1, e2 = model.from_vector(model.dissipate(h, model.mass_flux_vector(*model.fluxes(h, v1, v2))))
    return h, v1 + dt * e1, v2 + dt * e2


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: f"{s[0]}-{s[1]}")
def test_nonlinear_states_with_default_damping_and_dissipation(tmp_path, scheme):
    """The axis of rotation is tilted and is not the flow's."""
    order, closure, n = scheme
    axis, case, steps = (0.48, 0.6, 0.64), nl.williamson2(45.0), 3
    model = nl.Nonlinear(n, order, closure, axis=axis, depth=case.model["depth"])
    start = rough_flow(model, case)
    dt = float(0.3 * model.radius * model.spacing / model.wave_speed)
    write_state(tmp_path / "start.h5", **dict(zip(NAMES, start)))
    write_case(tmp_path / "case.yaml", grid={"n": n, "order": order, "closure": closure},
               physics={"model": "nonlinear", "gravity": model.gravity, "radius": model.radius,
                        "depth": float(model.depth), "rotation": nl.EARTH.omega,
                        "axis_lon": float(np.degrees(np.arctan2(axis[1], axis[0]))),
                        "axis_lat": float(np.degrees(np.arcsin(axis[2])))},
               time={"end": steps * dt, "dt": dt}, initial={"kind": "file", "path": "start.h5"})
    out = Program("CUBESWE", tmp_path).solve("case.yaml", "out")
    for _ in range(steps):
        start = damped_step(model, start, dt, **nl.default_strengths(order, closure))
    assert_close(final_fields(out), start)
