#!/usr/bin/env python3
"""Which dissipation the nonlinear model needs: growth rates, errors, long runs, with the matrix reference.

    study.py growth | errors | unsteady | long | rossby      (numpy and scipy; minutes each on one core)
"""
import sys
from pathlib import Path

import numpy as np
import scipy.linalg

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/reference"))
import nonlinear as nl                                                  # noqa: E402

DEFAULTS = {2: dict(edge_damping=0.1, dissipation=0.1), 4: dict(edge_damping=0.1, dissipation=0.5),
            6: dict(edge_damping=0.1, dissipation=2.0)}


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


def spectrum(model, state):
    """Eigenvalues (s-1) of the tendencies linearised about a state."""
    expand, shrink = unknowns(model)
    x = shrink(*state)
    is_depth = shrink(np.ones_like(state[0]), 0 * state[1], 0 * state[2]) > 0.5
    unit = np.where(is_depth, 1.0, model.radius * np.sqrt(model.gravity / model.depth))
    matrix = np.empty((x.size, x.size))
    for k in range(x.size):
        step = np.zeros(x.size)
        step[k] = 0.1 * unit[k]
        matrix[:, k] = (shrink(*model.rhs(*expand(x + step))) - shrink(*model.rhs(*expand(x - step)))) / unit
    return scipy.linalg.eigvals(matrix / 0.2)


def largest_step(eigenvalues):
    """Largest dt at which RK4 lets no mode grow that does not grow by itself."""
    steps = np.linspace(0.05, 4, 800) / np.abs(eigenvalues).max()
    z = steps[:, None] * (np.minimum(eigenvalues.real, 0) + 1j * eigenvalues.imag)
    gain = np.abs(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24).max(axis=1)
    return steps[gain < 1 + 1e-4].max()


def growth(n=12):
    case = nl.williamson2(45.0)
    off = dict(edge_damping=0.0, dissipation=0.0)

    def row(kind, order, **options):
        model = kind(n, order, **case.model, **options)
        values = spectrum(model, model.state(case.depth, case.velocity))
        grid = model.radius * model.spacing / np.sqrt(2.94e4)
        text = ", ".join(f"{k} {v:g}" for k, v in options.items() if v)
        print(f"| {order} | {kind.__name__} | {text or 'undamped'} | {values.real.max() * nl.DAY:.3f} | "
              f"{values.real.min() * grid:.2f} | {largest_step(values) / grid:.2f} |", flush=True)

    print("| order | class | options | growth, 1/day | leftmost, c/(aD) | c dt/(aD) of RK4 |\n|---|---|---|---|---|---|")
    for order in (2, 4, 6):
        default = DEFAULTS[order]
        row(nl.Nonlinear, order, **off)
        for damping in (0.1, 0.5):
            row(nl.Nonlinear, order, edge_damping=damping)
        for kind in (Longitudinal, DivergenceDamping, Anticipated):
            row(kind, order, edge_damping=0.1)
        for factor in (0.5, 1.0, 2.0):
            row(nl.Nonlinear, order, **{**default, "dissipation": factor * default["dissipation"]})
        row(nl.Nonlinear, order, **{**default, "edge_damping": 0.0})


# ---- runs ----------------------------------------------------------------------------------------

def start(case, n, order, **options):
    model = nl.Nonlinear(n, order, **case.model, **{**DEFAULTS[order], **options})
    return model, model.state(case.depth, case.velocity)


def advance(model, state, case, days, courant=0.4):
    speed = np.linalg.norm(case.velocity(model.at_h.r), axis=-1).max()
    fastest = speed + np.sqrt(model.gravity * state[0].max())
    steps = int(np.ceil(days * nl.DAY * fastest / (courant * model.radius * model.spacing)))
    return model.run_n_steps(*state, days * nl.DAY / steps, steps)


def rates(sizes, errors):
    return " ".join(f"{np.log(a / b) / np.log(n / m):.2f}" for a, b, m, n in
                    zip(errors, errors[1:], sizes, sizes[1:]))


def convergence(case, exact, sizes, variants):
    print("| order | options | " + " | ".join(f"N = {n}" for n in sizes) + " | orders |\n|" + "---|" * (3 + len(sizes)))
    for order, options in variants:
        errors = []
        for n in sizes:
            model, state = start(case, n, order, **options)
            end = advance(model, state, case, 5)
            errors.append(model.error(end[0], exact(model.at_h.r)))
        print(f"| {order} | {options or 'defaults'} | " + " | ".join(f"{e:.2e}" for e in errors)
              + f" | {rates(sizes, errors)} |", flush=True)


VARIANTS = [(2, {}), (4, {}), (6, {}), (4, dict(dissipation=0.0, edge_damping=0.5)), (6, dict(dissipation=0.5, degree=3))]


def errors():
    case = nl.williamson2(45.0)
    convergence(case, case.depth, (16, 24, 32, 48), VARIANTS)


def unsteady():
    case = nl.laeuter()
    convergence(case, lambda r: case.depth(r, 5 * nl.DAY), (16, 24, 32, 48), VARIANTS[:3] + VARIANTS[4:])


def long(n=24, days=50):
    print("| case | order | l2(h) against the start | energy | potential enstrophy | mass |\n|---|---|---|---|---|---|")
    for name, case in (("Williamson 2", nl.williamson2(45.0)), ("Williamson 6", nl.williamson6())):
        for order in (2, 4, 6):
            model, first = start(case, n, order)
            last = advance(model, first, case, days, courant=0.5)
            change = [f(*last) / f(*first) - 1 for f in (model.energy, model.potential_enstrophy)]
            mass = model.mass(last[0]) / model.mass(first[0]) - 1
            print(f"| {name} | {order} | {model.error(last[0], first[0]):.2e} | {change[0]:.1e} | "
                  f"{change[1]:.1e} | {mass:.0e} |", flush=True)


def main():
    {f.__name__: f for f in (growth, errors, unsteady, long, rossby)}[sys.argv[1]]()


def rossby(n=24):
    """Wavenumbers of Williamson 6 along 45 degrees north; the pole tilted so that no grid symmetry helps."""
    tilt = nl.turned(nl.williamson6(), 35.0, 20.0)
    print("| order | day | m = 4 / start | other m not 0 mod 4 / (m = 4) |\n|---|---|---|---|")
    for order in (2, 4, 6):
        model, state = start(tilt, n, order)
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
    x = np.linspace(-np.pi / 4, np.pi / 4, model.n + 1)
    panel = np.argmax(r @ FRAMES[:, 0].T, axis=1)
    out = np.empty(points)
    for p in range(6):
        e = r[panel == p] @ FRAMES[p].T
        out[panel == p] = RectBivariateSpline(x, x, h[p], kx=5, ky=5).ev(
            np.arctan2(e[:, 2], e[:, 0]), np.arctan2(e[:, 1], e[:, 0]))
    return out


if __name__ == "__main__":
    main()
