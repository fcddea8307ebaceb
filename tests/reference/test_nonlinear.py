"""Self-checks of the nonlinear reference: conservation, damping, dissipation, cases."""
import numpy as np
import pytest

import nonlinear as nl
import reference as ref

ROUNDING = 1e-13
SCHEMES = [(2, "moved"), (4, "moved"), (4, "equispaced"), (6, "moved"), (6, "equispaced")]


def make(case, n, order, closure="moved", damped=False, **options):
    strengths = nl.default_strengths(order, closure) if damped else {}
    return nl.Nonlinear(n, order, closure, **strengths, **case.model, **options)


def run(model, state, days, dt):
    steps = round(days * nl.DAY / dt)
    return model.run_n_steps(*state, days * nl.DAY / steps, steps)


@pytest.fixture(scope="module", params=SCHEMES, ids=lambda s: f"{s[0]}-{s[1]}")
def scheme(request):
    """Order and closure."""
    return request.param


@pytest.fixture(scope="module")
def model(scheme):
    """Rotation about a tilted axis and a mountain."""
    return nl.Nonlinear(15, *scheme, axis=(0.48, 0.6, 0.64), topography=nl.mountain, depth=5000.0)


@pytest.fixture(scope="module")
def state(model):
    """Rough random state: h single-valued and positive, tangential velocity single-valued."""
    rng = np.random.default_rng(3)
    h, v1, v2 = (rng.uniform(-1, 1, at.r.shape[:-1]) for at in (model.at_h, model.at_v1, model.at_v2))
    return (model.project(5000 + 2000 * h), *model.join(3e8 * v1, 3e8 * v2))


def single_valued(model, h, v1, v2):
    joined = model.join(v1, v2)
    return (np.abs(model.project(h) - h).max() <= ROUNDING * np.abs(h).max() and
            all(np.abs(x - y).max() <= ROUNDING * np.abs(y).max() for x, y in zip(joined, (v1, v2))))


def divided_differences(x, values, degree):
    """Along the last axis, by recursion."""
    for k in range(1, degree + 1):
        values = np.diff(values) / (x[k:] - x[:-k])
    return values


def differences(model, values):
    """The differences that dissipation squares: at inner points and equispaced ones np.diff."""
    x, d = model.op.xv / model.op.spacing, model.degree
    if np.allclose(np.diff(x), 1):
        return np.diff(values, d)
    factor = np.prod(np.arange(1, d + 1))
    norms = factor * np.linalg.norm(divided_differences(x, np.eye(len(x)), d), axis=0)
    inner = np.linalg.norm(np.diff(np.eye(d + 1), d))
    return factor * divided_differences(x, values, d) * np.minimum(1, inner / norms)


def circulation_rate(model, v1, v2):
    terms = np.outer(model.op.hc, model.op.hc) * model.vorticity(v1, v2)
    return abs(terms.sum()) / np.abs(terms).sum()


def test_mass_energy_and_circulation_are_conserved(model, state):
    tendency = model.rhs(*state)
    rate, size = model.energy_rate(state, tendency)
    assert abs(rate) < ROUNDING * size
    assert abs(model.mass(tendency[0])) < ROUNDING * model.mass(np.abs(tendency[0]))
    assert circulation_rate(model, *tendency[1:]) < ROUNDING
    assert single_valued(model, *tendency)


def test_the_energy_rate_is_the_derivative_of_the_energy(model, state):
    h, v1, v2 = state
    direction = (model.project(h * np.sin(1e-3 * h)), np.cos(v1) * 1e8, np.sin(v2) * 1e8)
    step = 1e-4
    ends = [model.energy(*(x + sign * step * d for x, d in zip(state, direction))) for sign in (1, -1)]
    rate, size = model.energy_rate(state, direction)
    assert abs((ends[0] - ends[1]) / (2 * step) - rate) < 1e-6 * size


def test_edge_damping_removes_half_the_squared_jump(model, state):
    model.edge_damping = 0.5
    f1, f2 = model.fluxes(*state)
    damping = model.damp_edges(state[0], f1, f2)
    model.edge_damping = 0.0
    rate, _ = model.energy_rate(state, (0 * state[0], *damping))
    side = model.side_fluxes(f1, f2)
    jump = (side + side.ravel()[model.partner])[:, 1:-1]
    at = model.side_vertices[:, 1:-1]
    metric = np.stack([model.at_h.Jg[k, k].ravel()[at[s]] for s, (_, k, _) in enumerate(ref.SIDES)])
    # both sides of an edge count it
    squares = model.op.hv[1:-1] * jump ** 2 / (metric * state[0].ravel()[at])
    expected = -0.5 * 0.5 * model.wave_speed / model.radius * 0.5 * squares.sum()
    assert rate == pytest.approx(expected, rel=1e-11) and rate < 0
    assert single_valued(model, state[0], *damping)


def test_dissipation_removes_the_squares_of_the_differences(model, state):
    model.strength = 0.7
    h, u = state[0], model.mass_flux_vector(*model.fluxes(*state))
    w = model.dissipate(h, u)
    model.strength = 0.0
    dv = model.from_vector(w)
    rate, _ = model.energy_rate(state, (0 * h, *dv))
    x, d = np.sqrt(model.at_h.J / h) * u, model.degree
    squares = (model.op.hv[:, None] * differences(model, x) ** 2).sum()
    squares += (model.op.hv[:, None] * differences(model, np.swapaxes(x, -1, -2)) ** 2).sum()
    expected = -0.7 * model.wave_speed / model.radius * squares / 4.0 ** d
    assert rate == pytest.approx(expected, rel=1e-11) and rate < 0
    assert single_valued(model, h, *dv)
    assert circulation_rate(model, *dv) < ROUNDING


def test_differences_of_moved_points_find_no_polynomial(scheme):
    """Polynomials below the degree vanish; the middle row has binomials, and no row is larger."""
    op = ref.load_operators(16, *scheme)
    x = op.xv / op.spacing
    rows = nl.differences(x, op.degree)
    for k in range(op.degree):
        assert np.abs(rows @ x ** k).max() < 1e-10 * np.abs(x ** k).max()
    middle = len(rows) // 2
    binomials = np.diff(np.eye(op.degree + 1), op.degree, axis=0)[0]
    np.testing.assert_allclose(rows[middle, middle:middle + op.degree + 1], binomials, rtol=1e-13)
    norms = np.linalg.norm(rows, axis=1)
    assert (norms <= norms[middle] * (1 + 1e-14)).all()


def test_a_lake_stays_at_rest(scheme):
    case = nl.lake_at_rest()
    model = make(case, 15, *scheme, damped=True)
    start = model.state(case.depth, case.velocity)
    h, v1, v2 = model.run_n_steps(*start, 300.0, 50)
    speed = max(np.abs(v1).max(), np.abs(v2).max()) / model.radius
    assert speed < 1e-12 * model.wave_speed
    assert np.abs(h - start[0]).max() < 1e-12 * 5960


def test_williamson_2_at_45_degrees_converges(scheme):
    case, errors, order = nl.williamson2(45.0), [], scheme[0]
    coarse = 15 if scheme == (6, "moved") else 13 if scheme == (4, "moved") else 12
    for n in (coarse, 2 * coarse):
        model = make(case, n, *scheme, damped=True)
        start = model.state(case.depth, case.velocity)
        errors.append(model.error(run(model, start, 1, 14400.0 / n)[0], start[0]))
    assert np.log2(errors[0] / errors[1]) > {2: 1.8, 4: 3.0, 6: 3.5}[order]
    assert errors[1] < {2: 5e-3, 4: 1e-4, 6: 5e-5}[order]


@pytest.mark.parametrize("name", ["williamson5", "williamson6", "galewsky"])
def test_cases_start_smooth_and_keep_mass(name):
    case = getattr(nl, name)()
    model = make(case, 20, 4, damped=True)
    start = model.state(case.depth, case.velocity)
    end = run(model, start, 0.25, 300.0)
    assert abs(model.mass(end[0]) / model.mass(start[0]) - 1) < ROUNDING
    change = model.energy(*end) / model.energy(*start) - 1
    assert -1e-4 < change < 0


def test_laeuter_follows_the_exact_solution():
    case, days = nl.laeuter(), 0.5
    model = make(case, 24, 4, damped=True)
    start = model.state(case.depth, case.velocity)
    end = run(model, start, days, 400.0)
    exact = case.depth(model.at_h.r, days * nl.DAY)
    assert model.error(end[0], exact) < 1e-3 * model.error(start[0], exact)


def test_the_jet_of_galewsky_is_balanced():
    """Without the perturbation the tendency is the error of the scheme; the mean depth is 10 km."""
    case, left = nl.galewsky(perturbed=False), []
    for n in (32, 64):
        model = make(case, n, 4)
        start = model.state(case.depth, case.velocity)
        left.append(np.sqrt(np.mean(model.rhs(*start)[1] ** 2)))
    assert left[1] < left[0] / 4
    assert model.mass(start[0]) / model.mass(1.0) == pytest.approx(10000.0, abs=0.1)
