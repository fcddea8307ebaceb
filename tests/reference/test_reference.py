"""Self-checks of the dense reference: operators, geometry, conservation, convergence, JAX mode."""
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import reference as ref

OPERATORS = Path(__file__).with_name("operators.json")
CLOSURES = [(2, "moved"), (4, "moved"), (4, "equispaced"), (4, "published"), (6, "moved"), (6, "equispaced")]
VERTEX_LAT = np.degrees(np.arcsin(3 ** -0.5))
CENTRES = {"panel centre": (0, 90), "edge": (0, 45), "cube vertex": (45, VERTEX_LAT)}
ROUNDING = 1e-13


@pytest.fixture(scope="module", params=CLOSURES, ids=lambda c: f"{c[0]}-{c[1]}")
def model(request):
    """A model with gravity, depth and radius that expose a forgotten factor."""
    return ref.Model(14, *request.param, gravity=9.8, depth=3.0, radius=2.0)


@pytest.fixture(params=["rough", "smooth"])
def state(model, request):
    """Random state with single-valued h."""
    h, v1, v2 = ref.random_state(model, seed=1, smooth=request.param == "smooth")
    return model.project(h), v1, v2


def outward(side):
    """Sign of the outward normal along the side's coordinate."""
    return 1 if side[2] == -1 else -1


def error_of(model, exact, time=1.0):
    """Relative l2 error of h at `time` for a state released at rest, dt = 1/(3n)."""
    n, r = model.n, model.at_h.r
    h = model.run_n_steps(*ref.at_rest(exact(r, 0.0)), 1 / (3 * n), round(3 * n * time))[0]
    norm = [np.sqrt(np.sum(model.weight_h * x ** 2)) for x in (h - exact(r, time), exact(r, time))]
    return norm[0] / norm[1]


WRONG = [(closure, *place) for closure in ("moved", "equispaced")
         for place in (("Q", 0), ("Pvc", 1), ("Hv", None), ("l", None))]


@pytest.mark.parametrize("closure, block, row", [*WRONG, ("moved", "vertices", None), ("moved", "cells", None)])
def test_a_wrong_operator_table_is_refused(tmp_path, closure, block, row):
    tables = json.loads(ref.OPERATORS_FILE.read_text())
    table = tables["4-moved" if closure == "moved" else "4"]
    entry = table[block] if row is None else table[block][row]
    entry[0] = str(ref.Fraction(entry[0]) + ref.Fraction(1, 10 ** 9))
    path = tmp_path / "operators.json"
    path.write_text(json.dumps(tables))
    with pytest.raises(AssertionError):
        ref.load_operators(16, 4, closure, path=path)


@pytest.mark.parametrize("order, closure, n", [(2, "moved", 4), (4, "moved", 13), (4, "equispaced", 7),
                                               (6, "moved", 15), (6, "equispaced", 11)])
def test_smallest_grids_have_operators(order, closure, n):
    """The closures of both ends fit, and their points are exact to rounding."""
    op = ref.load_operators(n, order, closure)
    for values in (op.xv, op.xc):
        assert (values == -values[::-1]).all() and (np.diff(values) > 0).all()
    assert op.xv[-1] == pytest.approx(np.pi / 4, rel=1e-15)
    inner = np.diff(op.xv)[len(op.xv) // 2 - 1]
    assert inner == pytest.approx(op.spacing, rel=1e-13)
    assert np.allclose(np.diff(op.xv), inner, rtol=1e-13) == (closure == "equispaced" or order == 2)
    table = ref.checked_table(order, closure, ref.OPERATORS_FILE)
    ref.check_operators(ref.exact_operators(table, n), order // 2, inner=False)


@pytest.mark.parametrize("closure", ["moved", "equispaced"])
@pytest.mark.parametrize("order", [2, 4, 6])
def test_default_interpolation_does_not_amplify(order, closure):
    op = ref.load_operators(24, order, closure)
    scaled = np.sqrt(op.hc)[:, None] * op.pvc / np.sqrt(op.hv)
    assert np.linalg.norm(scaled, 2) <= 1 + ROUNDING


def test_metric_matches_the_closed_form(model):
    x, y = np.meshgrid(*[np.tan(model.op.xv)] * 2)
    d2 = 1 + x * x + y * y
    J = model.radius ** 2 * (1 + x * x) * (1 + y * y) / d2 ** 1.5
    np.testing.assert_allclose(model.at_h.J, np.broadcast_to(J, model.at_h.J.shape), rtol=ROUNDING)
    expected = {(0, 0): (1 + y * y) / np.sqrt(d2), (0, 1): +x * y / np.sqrt(d2),
                (1, 1): (1 + x * x) / np.sqrt(d2)}
    for (k, l), value in expected.items():
        assert np.abs(model.at_h.Jg[k, l] - value).max() < ROUNDING
    delta = np.einsum("kpjid,lpjid->klpji", model.at_h.a, model.at_h.b)
    assert np.abs(delta - np.eye(2)[:, :, None, None, None]).max() < ROUNDING


def test_area_of_the_sphere_converges(model):
    assert abs(model.mass(1.0) / (4 * np.pi * model.radius ** 2) - 1) < 1e-2


def test_consensus_flux_is_single_valued(model, state):
    flux = model.consensus_flux(*state[1:])
    scale = max(np.abs(f).max() for f in flux.values())
    for s, t, step in model.edges:
        assert np.abs(outward(s) * flux[s] + outward(t) * flux[t][::step]).max() < ROUNDING * scale


def test_projection_is_orthogonal_and_idempotent(model):
    a, b = (ref.random_state(model, seed)[0] for seed in (2, 3))
    once = model.project(a)
    assert np.abs(model.project(once) - once).max() < ROUNDING
    left, right = np.sum(model.weight_h * once * b), np.sum(model.weight_h * a * model.project(b))
    assert abs(left - right) < ROUNDING * np.sum(model.weight_h * np.abs(once * b))
    for s, t, step in model.edges:
        assert (once[ref.side_index(s)] == once[ref.side_index(t)][::step]).all()


def test_mass_and_energy_tendencies_vanish(model, state):
    tendency = model.rhs(*state)
    exchange = model.gravity * np.sum(model.weight_h * np.abs(state[0] * tendency[0]))
    assert abs(model.inner(state, tendency)) < ROUNDING * exchange
    assert abs(model.mass(tendency[0])) < ROUNDING * model.mass(np.abs(tendency[0]))


def test_any_single_valued_edge_flux_drops_out(model, state):
    """Divergence, SAT and projection together are the projection of the weak divergence."""
    rng, flux = np.random.default_rng(4), {}
    for s, t, step in model.edges:
        flux[s] = rng.standard_normal(model.n + 1)
        flux[t] = -outward(s) * outward(t) * flux[s][::step]
    op, (f1, f2) = model.op, model.contravariant(*state[1:])
    strong = model.cartesian_sat(model.divergence(f1, f2), f1, f2, flux)
    adjoint = -(op.hc[:, None] * op.dvc).T / op.hv[:, None]
    weak = model.along1(adjoint, f1) + model.along2(adjoint, f2)
    strong, weak = (model.project(d / model.at_h.J) for d in (strong, weak))
    assert np.abs(strong - weak).max() < ROUNDING * np.abs(weak).max()


def test_legendre_series_reproduces_the_pulse():
    r, pulse = ref.geometry(*[np.linspace(-0.7, 0.7, 9)] * 2, 1.0).r, (20, 33, 0.01, 0.18)
    error = ref.exact_gaussian(r, 0.0, *pulse) - ref.gaussian(r, *pulse)
    assert np.abs(error).max() < 1e-10 * 0.01


@pytest.mark.parametrize("centre", CENTRES)
def test_published_closure_converges_to_the_exact_pulse(centre):
    def exact(r, time):
        return ref.exact_gaussian(r, time, *CENTRES[centre], 0.01, 0.18)

    coarse, fine = (error_of(ref.Model(n, 4, "published"), exact) for n in (24, 48))
    assert fine < 1e-4 and np.log2(coarse / fine) > 3.9


@pytest.mark.parametrize("closure", ["moved", "equispaced"])
@pytest.mark.parametrize("order, rate", [(2, 1.9), (4, 3.5), (6, 4.5)])
def test_standing_wave_converges(order, rate, closure):
    def exact(r, time):
        return ref.exact_standing(r, time, 20, 33, 1.0, degree=4)

    coarse, fine = (error_of(ref.Model(n, order, closure), exact) for n in (16, 32))
    assert np.log2(coarse / fine) > rate


@pytest.mark.parametrize("order, closure, n", [(4, "moved", 13), (4, "equispaced", 12), (6, "moved", 15)])
def test_jax_mode_agrees(order, closure, n):
    pytest.importorskip("jax", reason="jax is not installed: its mode of the reference is not run")
    arguments = dict(n=n, order=order, closure=closure, gravity=9.8, depth=3.0, radius=2.0)
    model = ref.Model(**arguments)
    state = ref.random_state(model, seed=5)
    expected = model.run_n_steps(*state, 0.005, 5)
    found = ref.JaxModel(**arguments).run_n_steps(*state, 0.005, 5)
    for x, y in zip(found, expected):
        assert np.asarray(x).dtype == np.float64
        assert np.abs(x - y).max() < ROUNDING * np.abs(y).max()


@pytest.mark.parametrize("start", ["--case gaussian", "--case standing --lat 33", "--random-seed 7",
                                   "--random-seed 7 --continuous", "--random-seed 7 --smooth"])
def test_command_line_writes_start_and_end(tmp_path, start):
    output = tmp_path / "run.npz"
    ref.main(["--n", "12", "--order", "4", "--steps", "5", "--output", str(output), *start.split()])
    data = np.load(output)
    shapes = {"h": (6, 13, 13), "v1": (6, 13, 12), "v2": (6, 12, 13)}
    for name, shape in shapes.items():
        assert data[name].shape == data[name + "0"].shape == shape
        assert np.isfinite(data[name]).all() and (data[name] != data[name + "0"]).any()


# Weights of the literature, written out: the tables of the solver and of this reference have the same
# derivation, which could contain the same mistake.
PINNED = {
    "4": {
        "Hv": "7/18 9/8 1 71/72",
        "Hc": "13/12 7/8 25/24",
        "l": "15/8 -5/4 3/8",
        "derivative": "9/8 -1/24",
        "interpolation": "9/16 -1/16",
    },
    "6": {
        "Hv": "96451/276480 338929/276480 132239/138240 126001/138240 297551/276480 271229/276480",
        "Hc": "741/640 3547/5760 527/384 1571/1920 2983/2880",
        "l": "35/16 -35/16 21/16 -5/16",
        "derivative": "75/64 -25/384 3/640",
        "interpolation": "75/128 -25/256 3/256",
    },
}
PINNED_DCV = [["-2", "3", "-1"], ["-1", "1", "0"], ["1/24", "-9/8", "9/8"], ["-1/71", "6/71", "-83/71"]]


@pytest.mark.parametrize("order", PINNED)
def test_norms_and_stencils_are_those_of_the_literature(order):
    found = json.loads(OPERATORS.read_text())[order]
    for name, weights in PINNED[order].items():
        assert [Fraction(w) for w in found[name]] == [Fraction(w) for w in weights.split()], name


def test_order_4_derivative_and_published_interpolation_are_those_of_the_literature():
    found = json.loads(OPERATORS.read_text())
    hv = [Fraction(w) for w in found["4"]["Hv"]]
    rows = [[Fraction(w) / h for w in row] for row, h in zip(found["4"]["Q"], hv)]
    assert rows == [[Fraction(w) for w in row] for row in PINNED_DCV]
    published = found["4-published"]["Pvc"][0]
    assert [float(Fraction(w)) for w in published[2:4]] == [0.1264926207034815, -0.029892648949074313]
