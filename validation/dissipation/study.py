#!/usr/bin/env python3
"""Which dissipation the nonlinear model needs: growth rates, errors, long runs, with the matrix reference.

    study.py growth | errors | unsteady | jet | long | rossby [moved | equispaced]
    study.py bounds | split

numpy and scipy; minutes each on one core. The second word is the closure, `moved` if it is missing.
"""
import sys
from pathlib import Path

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigs
from scipy.spatial import cKDTree

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/reference"))
import nonlinear as nl                                                  # noqa: E402


# ---- the candidates that lost --------------------------------------------------------------------

def squares(size, degree, norm):
    """H^-1 D^T D of undivided differences, 1 for two grid lengths."""
    rows = np.diff(np.eye(size), degree, axis=0) / 2.0 ** degree
    return rows.T @ rows / norm[:, None]


class Longitudinal(nl.Nonlinear):
    """dv_k = -P s H^-1 D^T D s P F^k along xi_k: upwinding of the normal flux by rows."""

    def __init__(self, *arguments, along=0.5, **options):
        super().__init__(*arguments, **options)
        self.along = along
        self.matrix = squares(self.n, self.degree, self.op.hc / self.spacing)

    def rhs(self, h, v1, v2):
        dh, dv1, dv2 = super().rhs(h, v1, v2)
        f1, f2 = self.join(*self.fluxes(h, v1, v2))
        s1 = (self.along1(self.op.pvc, h) * self.at_v1.Jg[0, 0]) ** -0.5
        s2 = (self.along2(self.op.pvc, h) * self.at_v2.Jg[1, 1]) ** -0.5
        rate = self.along * self.wave_speed / (self.radius * self.spacing)
        e1, e2 = self.join(s1 * self.along1(self.matrix, s1 * f1), s2 * self.along2(self.matrix, s2 * f2))
        return dh, dv1 - rate * e1, dv2 - rate * e2


class DivergenceDamping(nl.Nonlinear):
    """Phi gains nu L dh/dt, with L = D^T D by rows and columns: a hyperdiffusion of the divergence."""

    def __init__(self, *arguments, along=0.1, **options):
        super().__init__(*arguments, **options)
        self.along = along

    def rhs(self, h, v1, v2):
        dh, dv1, dv2 = super().rhs(h, v1, v2)
        root = np.sqrt(self.at_h.J)
        x = root * dh
        y = self.project((self.along1(self.roughness, x) + self.along2(self.roughness, x)) / root)
        nu = self.along * self.gravity * self.radius * self.spacing / self.wave_speed
        return dh, dv1 - nu * self.along1(self.op.dvc, y), dv2 - nu * self.along2(self.op.dvc, y)


class Anticipated(nl.Nonlinear):
    """Anticipated potential vorticity: q - tau u . grad q in the rotation term; takes no energy."""

    def __init__(self, *arguments, ahead=0.5, **options):
        super().__init__(*arguments, **options)
        self.ahead = ahead

    def rhs(self, h, v1, v2):
        dh, dv1, dv2 = super().rhs(h, v1, v2)
        f1, f2 = self.fluxes(h, v1, v2)
        q = self.absolute_vorticity(v1, v2) / h
        slope = (self.along1(self.op.pcv, f1 * self.along1(self.op.dvc, q)) +
                 self.along2(self.op.pcv, f2 * self.along2(self.op.dvc, q))) / self.at_h.J
        tau = self.ahead * self.radius * self.spacing / self.wave_speed
        change = -tau * self.project(slope) / h
        e1, e2 = self.from_vector(np.cross(self.mass_flux_vector(f1, f2), self.normal, axis=0) * change)
        return dh, dv1 + e1, dv2 + e2


# ---- linear stability ----------------------------------------------------------------------------

def unknowns(model):
    """Functions between states and vectors that hold each shared value once."""
    n = model.n
    vertices, points = 6 * (n + 1) ** 2, 12 * n * (n + 1)
    copy_of = np.arange(vertices)
    copy_of[model.pairs[1]] = model.pairs[0]
    copy_of[model.triples[1:]] = model.triples[0]
    own_h = np.flatnonzero(copy_of == np.arange(vertices))
    s, t = model.tangential
    own_v = np.setdiff1d(np.arange(points), t)

    def expand(x):
        h, v = np.zeros(vertices), np.zeros(points)
        h[own_h], v[own_v] = x[:own_h.size], x[own_h.size:]
        v[t] = model.signs * v[s]
        half = points // 2
        return (h[copy_of].reshape(6, n + 1, n + 1), v[:half].reshape(6, n + 1, n),
                v[half:].reshape(6, n, n + 1))

    def shrink(h, v1, v2):
        return np.concatenate([h.ravel()[own_h], np.concatenate([v1.ravel(), v2.ravel()])[own_v]])

    return expand, shrink


# Symmetries of Williamson 2 at 45 degrees on the cube: half a turn about its axis (-1, 0, 1), and the reflection at the
# equator, which exchanges x and z.
HALF_TURN = np.array([[0, 0, -1], [0, -1, 0], [-1, 0, 0]], dtype=float)
REFLECTION = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]], dtype=float)


def image(model, shrink, matrix):
    """Matrix that moves vectors of unknowns by a symmetry of the cube: one entry, 1 or -1, in each column."""
    at_h, at_v1, at_v2 = model.at_h, model.at_v1, model.at_v2
    place, basis = (np.stack([shrink(*(x[..., d] for x in fields)) for d in range(3)], axis=-1)
                    for fields in ((at_h.r, at_v1.r, at_v2.r), (0 * at_h.r, at_v1.a[0], at_v2.a[1])))
    is_depth = ~basis.any(axis=1)
    distance, to = cKDTree(np.column_stack([place, is_depth])).query(np.column_stack([place @ matrix.T, is_depth]))
    assert distance.max() < 1e-9
    signs = np.where(is_depth, 1.0, np.sign(np.sum(basis[to] * (basis @ matrix.T), axis=1)))
    return sparse.csc_matrix((signs, (to, np.arange(len(to)))))


def sectors(model, shrink):
    """Orthonormal bases of vectors, one for each pair of signs that the two symmetries give them."""
    turn, reflection = (image(model, shrink, matrix) for matrix in (HALF_TURN, REFLECTION))
    one = sparse.identity(turn.shape[0], format="csc")
    orbits = abs((one + turn) @ (one + reflection)).toarray() > 0
    first = orbits.argmax(axis=0) == np.arange(len(orbits))            # one unknown of each orbit
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        columns = ((one + signs[0] * turn) @ (one + signs[1] * reflection))[:, first].toarray()
        norms = np.linalg.norm(columns, axis=0)
        yield columns[:, norms > 0.5] / norms[norms > 0.5]


def spectrum(model, state):
    """Eigenvalues (s-1) of the tendencies linearised about Williamson 2 at 45 degrees, one sector after another."""
    expand, shrink = unknowns(model)
    x = shrink(*state)
    is_depth = shrink(np.ones_like(state[0]), 0 * state[1], 0 * state[2]) > 0.5
    unit = np.where(is_depth, 1.0, model.radius * np.sqrt(model.gravity / model.depth))
    values = []
    for basis in sectors(model, shrink):
        matrix = np.empty((basis.shape[1],) * 2)
        for k, direction in enumerate(basis.T):
            step = 0.1 * unit * direction
            change = (shrink(*model.rhs(*expand(x + step))) - shrink(*model.rhs(*expand(x - step)))) / (0.2 * unit)
            matrix[:, k] = basis.T @ change
        values.append(scipy.linalg.eigvals(matrix))
    return np.concatenate(values)


def largest_step(eigenvalues):
    """Largest dt at which RK4 lets no mode grow that does not grow by itself."""
    steps = np.linspace(0.05, 4, 800) / np.abs(eigenvalues).max()
    z = steps[:, None] * (np.minimum(eigenvalues.real, 0) + 1j * eigenvalues.imag)
    gain = np.abs(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24).max(axis=1)
    return steps[gain < 1 + 1e-4].max()


def growth_at(kind, order, closure, sizes, options):
    """A row: the growth at each n, then the leftmost eigenvalue and the smallest of the largest time steps."""
    case, grown, left, steps = nl.williamson2(45.0), [], [], []
    for n in sizes:
        model = kind(n, order, closure, **case.model, **options)
        values = spectrum(model, model.state(case.depth, case.velocity))
        grid = model.radius * model.spacing / model.wave_speed
        grown.append(max(values.real.max() * nl.DAY, 0.0))
        left.append(values.real.min() * grid)
        steps.append(largest_step(values) / grid)
    text = ", ".join(f"{k} {v:g}" for k, v in options.items() if v)
    print(f"| {order} | {kind.__name__} | {text or 'undamped'} | " + " | ".join(f"{g:.3f}" for g in grown)
          + f" | {min(left):.2f} | {min(steps):.2f} |", flush=True)


def growth(closure):
    sizes = (13, 16) if closure == "moved" else (12,)
    print("| order | class | options | " + " | ".join(f"growth, 1/day, N = {n}" for n in sizes)
          + " | leftmost, c/(aD) | c dt/(aD) of RK4 |\n" + "|---" * (5 + len(sizes)) + "|")
    for order in (4, 6) if closure == "moved" else (2, 4, 6):
        default = nl.default_strengths(order, closure)
        rows = [(nl.Nonlinear, {}), (nl.Nonlinear, dict(edge_damping=0.1))]
        if closure == "moved":
            rows += [(nl.Nonlinear, {**default, "edge_damping": sigma}) for sigma in (0.05, 0.2)]
            rows += [(nl.Nonlinear, dict(edge_damping=0.1, dissipation=e, degree=degree)) for degree, e in DEGREES[order]]
        else:
            rows += [(nl.Nonlinear, dict(edge_damping=0.5))]
            rows += [(kind, dict(edge_damping=0.1)) for kind in (Longitudinal, DivergenceDamping, Anticipated)]
        rows += [(nl.Nonlinear, {**default, "dissipation": factor * default["dissipation"]})
                 for factor in (0.5, 1.0, 2.0)]
        rows += [(nl.Nonlinear, {**default, "edge_damping": 0.0})]
        for kind, options in rows:
            growth_at(kind, order, closure, sizes, options)


# Degrees other than the default of moved points, and their strengths.
DEGREES = {4: [(3, 0.12), (4, 0.5)], 6: [(3, 0.5), (4, 1.0), (4, 2.0)]}


def largest_rate(model):
    """Largest rate of decay by edge damping and dissipation at constant depth, in c/(a D)."""
    expand, shrink = unknowns(model)
    h, none = np.full_like(model.at_h.J, model.depth), [0 * at.J for at in (model.at_v1, model.at_v2)]
    is_velocity = shrink(h, *none) == 0

    def decay(v):
        x = np.zeros(is_velocity.size)
        x[is_velocity] = v
        fluxes = model.fluxes(h, *expand(x)[1:])
        force = model.from_vector(model.dissipate(h, model.mass_flux_vector(*fluxes)))
        return -shrink(0 * h, *(a + b for a, b in zip(force, model.damp_edges(h, *fluxes))))[is_velocity]

    size = np.count_nonzero(is_velocity)
    start = np.random.default_rng(0).standard_normal(size)
    value = eigs(LinearOperator((size, size), decay, dtype=float), 1, which="LM", v0=start, tol=1e-5,
                 return_eigenvectors=False)[0]
    return value.real * model.radius * model.spacing / model.wave_speed


def bounds():
    """Largest rates of edge damping alone by sigma, and of dissipation alone by eps."""
    print("| order | closure | N | edge damping | p = 2 | p = 3 | p = 4 | p = 5 | both, defaults |\n" + "|---" * 9 + "|")
    for order, closure, smallest in ((2, "equispaced", 6), (4, "equispaced", 7), (4, "moved", 13),
                                     (6, "equispaced", 11), (6, "moved", 15)):
        for n in (smallest, 16, 32, 64):
            default = nl.default_strengths(order, closure)
            variants = [dict(edge_damping=1.0), *(dict(dissipation=1.0, degree=p) for p in (2, 3, 4, 5)), default]
            found = [largest_rate(nl.Nonlinear(n, order, closure, depth=1000.0, **v)) for v in variants]
            print(f"| {order} | {closure} | {n} | " + " | ".join(f"{rate:.2f}" for rate in found) + " |", flush=True)


def euler(model, state, dt, **strengths):
    """A step of edge damping or dissipation alone."""
    h, v1, v2 = state
    model.edge_damping, model.strength = (strengths.get(k, 0.0) for k in ("edge_damping", "dissipation"))
    fluxes = model.fluxes(*state)
    d1, d2 = model.damp_edges(h, *fluxes)
    e1, e2 = model.from_vector(model.dissipate(h, model.mass_flux_vector(*fluxes)))
    model.edge_damping = model.strength = 0.0
    return h, v1 + dt * (d1 + e1), v2 + dt * (d2 + e2)


def split(order=6, steps=300):
    """Noise on a flow at rest after steps as the solver's: Runge-Kutta, edge damping, dissipation."""
    print("| N | c dt/(aD) | largest noise after 100 steps | after 300 |\n|---|---|---|---|")
    default = nl.default_strengths(order, "moved")
    for n, courants in ((16, (0.46, 0.5, 0.54)), (64, (0.43, 0.46))):
        for courant in courants:
            model = nl.Nonlinear(n, order, "moved", depth=1000.0)
            noise = [np.random.default_rng(k).uniform(-1, 1, at.J.shape) for k, at in
                     enumerate((model.at_h, model.at_v1, model.at_v2))]
            state = (model.project(1000.0 + 1e-3 * noise[0]), *model.join(100 * noise[1], 100 * noise[2]))
            dt, found = courant * model.radius * model.spacing / model.wave_speed, {}
            for k in range(1, steps + 1):
                state = euler(model, model.step(*state, dt), dt, edge_damping=default["edge_damping"])
                state = euler(model, state, dt, dissipation=default["dissipation"])
                found[k] = np.abs(state[0] - 1000.0).max()
                if not found[k] < 100.0:
                    break
            text = f"{found[steps]:.1e}" if steps in found else f"blows up at step {k}"
            print(f"| {n} | {courant} | {found.get(100, np.inf):.1e} | {text} |", flush=True)


# ---- runs ----------------------------------------------------------------------------------------

def start(case, n, order, closure, **options):
    strengths = {**nl.default_strengths(order, closure), **options}
    model = nl.Nonlinear(n, order, closure, **case.model, **strengths)
    return model, model.state(case.depth, case.velocity)


def advance(model, state, case, days, courant=0.4):
    speed = np.linalg.norm(case.velocity(model.at_h.r), axis=-1).max()
    fastest = speed + np.sqrt(model.gravity * state[0].max())
    steps = int(np.ceil(days * nl.DAY * fastest / (courant * model.radius * model.spacing)))
    return model.run_n_steps(*state, days * nl.DAY / steps, steps)


def rates(sizes, errors):
    return " ".join(f"{np.log(a / b) / np.log(n / m):.2f}" for a, b, m, n in
                    zip(errors, errors[1:], sizes, sizes[1:]))


def convergence(closure, case, exact, sizes, variants, days=5):
    print("| order | options | " + " | ".join(f"N = {n}" for n in sizes) + " | orders |\n|" + "---|" * (3 + len(sizes)))
    for order, options in variants:
        errors = []
        for n in sizes:
            model, state = start(case, n, order, closure, **options)
            end = advance(model, state, case, days)
            errors.append(model.error(end[0], exact(model.at_h.r)))
        text = ", ".join(f"{k} {v:g}" for k, v in options.items())
        print(f"| {order} | {text or 'defaults'} | " + " | ".join(f"{e:.2e}" for e in errors)
              + f" | {rates(sizes, errors)} |", flush=True)


def variants_of(closure):
    if closure == "equispaced":
        return [(2, {}), (4, {}), (6, {}), (4, dict(dissipation=0.0, edge_damping=0.5)),
                (6, dict(dissipation=0.5, degree=3))]
    half = {order: 0.5 * nl.default_strengths(order, closure)["dissipation"] for order in (4, 6)}
    return [(order, options) for order in (4, 6) for options in (
        {}, dict(edge_damping=0.05), dict(edge_damping=0.2), dict(dissipation=half[order]),
        *(dict(dissipation=e, degree=degree) for degree, e in DEGREES[order] if e != 1.0))]


def of_degrees(closure):
    return [(order, options) for order, options in variants_of(closure) if not options or "degree" in options]


def errors(closure):
    case = nl.williamson2(45.0)
    convergence(closure, case, case.depth, (16, 24, 32, 48), variants_of(closure))


def unsteady(closure):
    case = nl.laeuter()
    convergence(closure, case, lambda r: case.depth(r, 5 * nl.DAY), (16, 24, 32, 48), of_degrees(closure))


def jet(closure):
    """Galewsky's jet without its perturbation, after a day."""
    case = nl.galewsky(perturbed=False)
    convergence(closure, case, case.depth, (48, 96), [v for v in of_degrees(closure) if v[0] > 2], days=1)


def long(closure, days=50):
    print("| case | N | order | l2(h) against the start | energy | potential enstrophy | mass |\n|---|---|---|---|---|---|---|")
    for name, case, n in (("Williamson 2", nl.williamson2(45.0), 16), ("Williamson 2", nl.williamson2(45.0), 24),
                          ("Williamson 6", nl.williamson6(), 24)):
        for order in (2, 4, 6) if closure == "equispaced" else (4, 6):
            model, first = start(case, n, order, closure)
            last = advance(model, first, case, days, courant=0.5)
            change = [f(*last) / f(*first) - 1 for f in (model.energy, model.potential_enstrophy)]
            mass = model.mass(last[0]) / model.mass(first[0]) - 1
            print(f"| {name} | {n} | {order} | {model.error(last[0], first[0]):.2e} | {change[0]:.1e} | "
                  f"{change[1]:.1e} | {mass:.0e} |", flush=True)


def rossby(closure, n=24):
    """Wavenumbers of Williamson 6 along 45 degrees north; the pole tilted so that no grid symmetry helps."""
    tilt = nl.turned(nl.williamson6(), 35.0, 20.0)
    print("| order | day | m = 4 / start | other m not 0 mod 4 / (m = 4) |\n|---|---|---|---|")
    for order in (2, 4, 6) if closure == "equispaced" else (4, 6):
        model, state = start(tilt, n, order, closure)
        day, first = 0, None
        for until in (0, 7, 14, 25):
            state = advance(model, state, tilt, until - day) if until > day else state
            day = until
            wave = np.abs(np.fft.rfft(circle(model, state[0], tilt.turn)))[:17]
            first = first or wave[4]
            others = np.sqrt(sum(wave[m] ** 2 for m in range(1, 17) if m % 4))
            print(f"| {order} | {day} | {wave[4] / first:.3f} | {others / wave[4]:.1e} |", flush=True)


def circle(model, h, turn, latitude=45.0, points=144):
    """h along a circle of latitude of the turned sphere, by splines on the panels."""
    from scipy.interpolate import RectBivariateSpline
    from reference import FRAMES
    lon, lat = 2 * np.pi * np.arange(points) / points, np.radians(latitude)
    r = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat) + 0 * lon], -1) @ turn
    x = model.op.xv
    panel = np.argmax(r @ FRAMES[:, 0].T, axis=1)
    out = np.empty(points)
    for p in range(6):
        e = r[panel == p] @ FRAMES[p].T
        out[panel == p] = RectBivariateSpline(x, x, h[p], kx=5, ky=5).ev(
            np.arctan2(e[:, 2], e[:, 0]), np.arctan2(e[:, 1], e[:, 0]))
    return out


def main():
    study, closure = sys.argv[1], (sys.argv[2:] or ["moved"])[0]
    if study in ("bounds", "split"):
        return {"bounds": bounds, "split": split}[study]()
    return {f.__name__: f for f in (growth, errors, unsteady, jet, long, rossby)}[study](closure)


if __name__ == "__main__":
    main()
