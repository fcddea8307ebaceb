#!/usr/bin/env python3
"""Dense-matrix reference for the linear shallow water equations on the cubed sphere.

Solves d v_k/dt = -g d_k h,  J dh/dt = -H0 d_i (J u^i)  with staggered summation-by-parts operators
and Cartesian SAT coupling, straight from the formulas: every operator is a dense matrix, the metric
comes from basis vectors, and the panels find their neighbours by comparing coordinates.

Arrays are (panel, j, i) with i along xi1: h (6, N+1, N+1) at vertices, v1 (6, N+1, N) and
v2 (6, N, N+1) at edge midpoints.  h is in m, covariant velocities v_k = u . a_k in m2 s-1 (a_k in
m), time in s; with gravity = depth = radius = 1 everything is dimensionless.

    reference.py --n 12 --order 4 --case gaussian --steps 5 --dt 0.01 --output out.npz [--jax]
"""
import argparse
import json
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from numpy.polynomial import legendre

OPERATORS_FILE = Path(__file__).with_name("operators.json")

# Rows e0 (panel centre), e1 (along xi1), e2 (along xi2) of each panel; right-handed.
FRAMES = np.array([
    [[+1, 0, 0], [0, +1, 0], [0, 0, +1]],
    [[0, +1, 0], [-1, 0, 0], [0, 0, +1]],
    [[-1, 0, 0], [0, -1, 0], [0, 0, +1]],
    [[0, -1, 0], [+1, 0, 0], [0, 0, +1]],
    [[0, 0, +1], [0, +1, 0], [-1, 0, 0]],
    [[0, 0, -1], [0, +1, 0], [+1, 0, 0]]], dtype=float)


# ---- operators -----------------------------------------------------------------------------------

def fractions(values):
    """Array of exact rationals from nested lists of strings such as "-9/8"."""
    return np.vectorize(Fraction, otypes=[object])(np.array(values, dtype=object))


def dense(n, half, parity, block):
    """Exact (n+1, n) matrix: interior stencil, `block` in the first corner, mirrored in the last.

    `half` is the stencil at distances 1/2, 3/2, ... to the right; the left half is parity * half.
    """
    matrix = np.full((n + 1, n), Fraction(0), dtype=object)
    for distance, weight in enumerate(half):
        k = np.arange(n - distance)
        matrix[k, k + distance] = weight
        matrix[k + 1 + distance, k] = parity * weight
    rows, columns = block.shape
    matrix[:rows, :columns] = block
    matrix[-rows:, -columns:] = parity * block[::-1, ::-1]
    return matrix


def exact_points(table, n):
    """Exact coordinates of the n+1 vertices and the n cells of a line; it begins at 0.

    The table has the first points. Vertices follow at distance 1, cells half-way between them. The
    other end mirrors this one.
    """
    first = fractions(table.get("vertices", ["0"])), fractions(table.get("cells", []))
    moved = first[0][-1] - (len(first[0]) - 1)             # what the first points add to the others
    xv = np.array([Fraction(v) + moved for v in range(n + 1)], dtype=object)
    xc = xv[:-1] + Fraction(1, 2)
    length = n + 2 * moved
    for x, closure in zip((xv, xc), first):
        x[:len(closure)] = closure
        x[len(x) - len(closure):] = length - closure[::-1]
    return xv, xc


def exact_operators(table, n):
    """Exact dense operators on n cells, for spacing 1 between inner points.

    dvc, pvc (n, n+1) map vertices to cells, dcv, pcv (n+1, n) cells to vertices; hv, hc are the
    diagonal norms; l, r extrapolate cells to the end vertices; boundary = e_N r^T - e_0 l^T; xv, xc
    are the points.
    """
    keys = ("Hv", "Hc", "l", "Q", "Pvc", "derivative", "interpolation")
    hv, hc, left, q_block, pvc_block, derivative, interpolation = map(
        fractions, map(table.get, keys))
    vertices, cells = np.minimum(q_block.shape, pvc_block.T.shape)
    assert len(hv) <= vertices and len(hc) <= cells, "norms reach beyond the closure blocks"
    assert 2 * max(*q_block.shape, *pvc_block.shape) <= n + 1, f"closures overlap with n = {n}"
    ones, zero = np.full(n + 1, Fraction(1), dtype=object), Fraction(0)
    op = SimpleNamespace(hv=ones, hc=ones[1:].copy(), l=zero * ones[1:])
    for norm, closure in ((op.hv, hv), (op.hc, hc)):
        norm[:len(closure)], norm[-len(closure):] = closure, closure[::-1]
    op.xv, op.xc = exact_points(table, n)
    op.l[:len(left)] = left
    op.r = op.l[::-1]
    op.boundary = np.full((n + 1, n), zero, dtype=object)
    op.boundary[0], op.boundary[-1] = -op.l, op.r
    q = dense(n, derivative, -1, q_block)                                          # Hv Dcv
    m = dense(n, interpolation, +1, (op.hc[:len(pvc_block), None] * pvc_block).T)  # Hv Pcv
    op.dcv, op.pcv = q / op.hv[:, None], m / op.hv[:, None]
    op.dvc, op.pvc = (op.boundary - q).T / op.hc[:, None], m.T / op.hc[:, None]
    return op


def check_operators(op, p, inner=True):
    """Assert, in exact arithmetic, every identity that a scheme of order 2p rests on.

    inner: the middle row is of the interior. Closures of small grids leave none.
    """
    n = len(op.hc)
    xv, xc = op.xv, op.xc
    points = np.empty(2 * n + 1, dtype=object)
    points[::2], points[1::2] = xv, xc
    assert points[0] == 0 and (np.diff(points) > 0).all(), "points"
    assert (points + points[::-1] == points[-1]).all(), "symmetry"
    assert (op.hv > 0).all() and (op.hc > 0).all()
    assert (op.hv[:, None] * op.dcv + (op.hc[:, None] * op.dvc).T == op.boundary).all(), "SBP"
    assert (op.hc[:, None] * op.pvc == (op.hv[:, None] * op.pcv).T).all(), "adjointness"
    everywhere, middle = slice(None), slice(n // 2, n // 2 + inner)
    for k in range(2 * p + 1):
        fv, fc, slope_v, slope_c = xv**k, xc**k, k * xv**max(k - 1, 0), k * xc**max(k - 1, 0)
        rows = everywhere if k <= p else middle
        assert (op.dvc @ fv == slope_c)[rows].all() and (op.dcv @ fc == slope_v)[rows].all(), k
        assert k > p or (op.l @ fc == fv[0] and op.r @ fc == fv[-1]), k
        rows = everywhere if k < p else middle if k < 2 * p else slice(0)
        assert (op.pvc @ fv == fc)[rows].all() and (op.pcv @ fc == fv)[rows].all(), k


CLOSURES = ("moved", "equispaced", "published")


@lru_cache(maxsize=None)
def checked_table(order, closure, path):
    """Table of a closure from the file at path; its operators are exact."""
    tables = json.loads(Path(path).read_text())
    plain = closure == "equispaced" or (order, closure) == (2, "moved")
    table = tables[str(order) if plain else f"{order}-{closure}"]
    closure_size = max(*np.shape(table["Q"]), *np.shape(table["Pvc"]))
    check_operators(exact_operators(table, 4 * closure_size + 4), table["p"])
    return table


def load_operators(n, order=4, closure="moved", path=OPERATORS_FILE):
    """Dense floating-point operators on n cells over xi in [-pi/4, pi/4]; checked exactly first.

    Order 2 has no moved points. xv, xc are the angles of the points, spacing the distance of inner
    ones, degree the degree of the differences that dissipation squares.
    """
    table = checked_table(order, closure, path)
    exact = exact_operators(table, n)
    middle = exact.xv[-1] / 2
    exact.xv, exact.xc = exact.xv - middle, exact.xc - middle
    op = SimpleNamespace(**{name: value.astype(float) for name, value in vars(exact).items()})
    op.spacing = 0.25 * np.pi / float(middle)
    op.xv, op.xc = op.xv * op.spacing, op.xc * op.spacing
    op.hv, op.hc = op.hv * op.spacing, op.hc * op.spacing
    op.dvc, op.dcv = op.dvc / op.spacing, op.dcv / op.spacing
    op.degree = table.get("degree", order // 2 + 1)
    return op


# ---- geometry and connectivity -------------------------------------------------------------------

def geometry(xi1, xi2, radius):
    """Map and metric at the points (xi1[i], xi2[j]) of every panel.

    r: unit position (6, j, i, 3); a: covariant basis a_1, a_2 in m (2, 6, j, i, 3); b: likewise the
    contravariant a^1, a^2 in m-1; J: area element in m2 (6, j, i); Jg: J g^{kl} (2, 2, 6, j, i).
    """
    tangents = np.stack(np.meshgrid(np.tan(xi1), np.tan(xi2)))
    cube = FRAMES[:, None, None, 0] + np.einsum("kji,pkd->pjid", tangents, FRAMES[:, 1:])
    length = np.linalg.norm(cube, axis=-1, keepdims=True)
    r = cube / length

    def basis(k):                                          # (1 + tan^2) dr/dtan, tangent to r
        e = FRAMES[:, None, None, k + 1]
        stretch = radius * (1 + tangents[k] ** 2)[..., None]
        return stretch * (e - np.sum(e * r, axis=-1, keepdims=True) * r) / length

    a = np.stack([basis(0), basis(1)])
    metric = np.einsum("kpjid,lpjid->pjikl", a, a)
    J, inverse = np.sqrt(np.linalg.det(metric)), np.linalg.inv(metric)
    return SimpleNamespace(r=r, a=a, b=np.einsum("pjikl,lpjid->kpjid", inverse, a), J=J,
                           Jg=np.einsum("pji,pjikl->klpji", J, inverse))


# The 24 panel sides: (panel, direction of the normal 0/1, end 0/-1).
SIDES = [(panel, normal, end) for panel in range(6) for normal in (0, 1) for end in (0, -1)]


def side_index(side, along=slice(None)):
    """Index of the vertices of a side in a (panel, j, i) vertex array."""
    panel, normal, end = side
    return (panel, along, end) if normal == 0 else (panel, end, along)


def coincide(x, y):
    """Whether unit positions agree."""
    return np.abs(x - y).max() < 1e-9


def find_edges(r):
    """The 12 cube edges as (side, side, step): the second side, read with step, is the first."""
    edges = [(s, t, step) for s, t in combinations(SIDES, 2) for step in (1, -1)
             if coincide(r[side_index(s)], r[side_index(t)][::step])]
    assert len(edges) == 12
    return edges


def find_corners(r):
    """The 8 cube corners, each as an index (panels, j, i) of its three copies."""
    copies = [(panel, j, i) for panel in range(6) for j in (0, -1) for i in (0, -1)]
    triples = {tuple(c for c in copies if coincide(r[c], r[d])) for d in copies}
    assert len(triples) == 8 and all(len(t) == 3 for t in triples)
    return [tuple(np.array(t).T) for t in sorted(triples)]


# ---- the model -----------------------------------------------------------------------------------

class Model:
    """Linear shallow water on the cubed sphere: n cells per panel side, all stages as methods."""

    xp = np

    def __init__(self, n, order=4, closure="moved", gravity=1.0, depth=1.0, radius=1.0,
                 path=OPERATORS_FILE):
        self.n, self.gravity, self.depth, self.radius = n, gravity, depth, radius
        self.op = op = load_operators(n, order, closure, path)
        xv, xc = op.xv, op.xc
        self.at_h = geometry(xv, xv, radius)
        self.at_v1, self.at_v2 = geometry(xc, xv, radius), geometry(xv, xc, radius)
        self.edges, self.corners = find_edges(self.at_h.r), find_corners(self.at_h.r)
        self.weight_h = self.at_h.J * np.outer(op.hv, op.hv)           # J Hv Hv, m2
        self.weight_v1, self.weight_v2 = np.outer(op.hv, op.hc), np.outer(op.hc, op.hv)

    def store(self, array, index, value):
        """array[index] = value (in place here; JAX returns a new array)."""
        array[index] = value
        return array

    def add(self, array, index, value):
        """array[index] += value (in place here; JAX returns a new array)."""
        array[index] += value
        return array

    def along1(self, matrix, field):
        """Apply a dense operator along xi1."""
        return self.xp.einsum("ab,pjb->pja", matrix, field, optimize=True)

    def along2(self, matrix, field):
        """Apply a dense operator along xi2."""
        return self.xp.einsum("ab,pbi->pai", matrix, field, optimize=True)

    def project(self, h):
        """H-orthogonal projection of a vertex field onto continuous fields."""
        h, w = self.xp.array(h), self.weight_h
        for s, t, step in self.edges:
            s, t = side_index(s, slice(1, -1)), side_index(t, slice(1, -1))
            mean = (w[s] * h[s] + (w[t] * h[t])[::step]) / (w[s] + w[t][::step])
            h = self.store(self.store(h, s, mean), t, mean[::step])
        for copies in self.corners:
            h = self.store(h, copies, (w[copies] * h[copies]).sum() / w[copies].sum())
        return h

    def gradient(self, h):
        """-g d_k h at the two velocity points (m2 s-2)."""
        dvc = self.op.dvc
        return -self.gravity * self.along1(dvc, h), -self.gravity * self.along2(dvc, h)

    def contravariant(self, v1, v2):
        """Fluxes F^k = J g^{kl} v_l at velocity points; the cross term passes through vertices."""
        pvc, pcv, cross = self.op.pvc, self.op.pcv, self.at_h.Jg[0, 1]
        f1 = self.at_v1.Jg[0, 0] * v1 + self.along1(pvc, cross * self.along2(pcv, v2))
        f2 = self.at_v2.Jg[1, 1] * v2 + self.along2(pvc, cross * self.along1(pcv, v1))
        return f1, f2

    def divergence(self, f1, f2):
        """J times the divergence, d_1 F1 + d_2 F2, at vertices, each panel by itself."""
        return self.along1(self.op.dcv, f1) + self.along2(self.op.dcv, f2)

    def edge_trace(self, side, f1, f2):
        """Normal component of a velocity-point field extrapolated to the vertices of a side."""
        panel, normal, end = side
        row = self.op.l if end == 0 else self.op.r
        return f1[panel] @ row if normal == 0 else row @ f2[panel]

    def edge_velocity(self, side, v1, v2):
        """Cartesian velocity (N+1, 3) at the vertices of a side, from its own panel (m s-1)."""
        panel, normal, _ = side
        across = self.edge_trace(side, v1, v2)
        tangential = self.op.pcv @ (v2 if normal == 0 else v1)[side_index(side)]
        v = (across, tangential) if normal == 0 else (tangential, across)
        return sum(v[k][:, None] * self.at_h.b[k][side_index(side)] for k in (0, 1))

    def consensus_flux(self, v1, v2):
        """F* = J (V . a^n) by side, {side: (N+1,)}; V is the mean velocity of the two panels."""
        flux = {}
        for s, t, step in self.edges:
            mean = 0.5 * (self.edge_velocity(s, v1, v2) + self.edge_velocity(t, v1, v2)[::step])
            for side, velocity in ((s, mean), (t, mean[::step])):
                index, normal = side_index(side), side[1]
                flux[side] = self.at_h.J[index] * (velocity * self.at_h.b[normal][index]).sum(-1)
        return flux

    def cartesian_sat(self, div, f1, f2, flux):
        """Replace each panel's own extrapolated flux at its boundary by the common flux F*."""
        for side in SIDES:
            end = side[2]
            penalty = (flux[side] - self.edge_trace(side, f1, f2)) / self.op.hv[end]
            div = self.add(div, side_index(side), -penalty if end == 0 else penalty)
        return div

    def rhs(self, h, v1, v2):
        """Tendencies (dh, dv1, dv2), stage by stage."""
        h = self.project(h)
        dv1, dv2 = self.gradient(h)
        f1, f2 = self.contravariant(v1, v2)
        div = self.divergence(f1, f2)
        div = self.cartesian_sat(div, f1, f2, self.consensus_flux(v1, v2))
        return self.project(-self.depth * div / self.at_h.J), dv1, dv2

    def step(self, h, v1, v2, dt):
        """One classical fourth-order Runge-Kutta step of dt seconds."""
        y = (h, v1, v2)

        def advance(k, factor):
            return tuple(a + factor * b for a, b in zip(y, k))

        k1 = self.rhs(*y)
        k2 = self.rhs(*advance(k1, 0.5 * dt))
        k3 = self.rhs(*advance(k2, 0.5 * dt))
        k4 = self.rhs(*advance(k3, dt))
        return tuple(x + dt / 6 * (a + 2 * b + 2 * c + d)
                     for x, a, b, c, d in zip(y, k1, k2, k3, k4))

    def run_n_steps(self, h, v1, v2, dt, steps):
        """State after `steps` Runge-Kutta steps."""
        for _ in range(steps):
            h, v1, v2 = self.step(h, v1, v2, dt)
        return h, v1, v2

    def mass(self, h):
        """Integral of h over the sphere (m3)."""
        return np.sum(self.weight_h * h)

    def inner(self, state, other):
        """Energy inner product of two states (m5 s-2); a state's energy is half its square."""
        (h, v1, v2), (f1, f2) = other, self.contravariant(*state[1:])
        return self.gravity * np.sum(self.weight_h * state[0] * h) + self.depth * (
            np.sum(self.weight_v1 * f1 * v1) + np.sum(self.weight_v2 * f2 * v2))


class JaxModel(Model):
    """The same model compiled by JAX in double precision, scatters as .at[].set and .at[].add."""

    def __init__(self, *arguments, **options):
        import jax
        jax.config.update("jax_enable_x64", True)
        super().__init__(*arguments, **options)
        self.xp, self.lax = jax.numpy, jax.lax
        for group in (self.op, self.at_h, self.at_v1, self.at_v2):
            vars(group).update({name: self.xp.asarray(x) for name, x in vars(group).items()})
        self.weight_h = self.xp.asarray(self.weight_h)
        for name in ("project", "gradient", "contravariant", "divergence", "consensus_flux",
                     "cartesian_sat", "rhs", "step", "run_n_steps"):
            setattr(self, name, jax.jit(getattr(self, name)))

    def store(self, array, index, value):
        return array.at[index].set(value)

    def add(self, array, index, value):
        return array.at[index].add(value)

    def run_n_steps(self, h, v1, v2, dt, steps):
        return self.lax.fori_loop(0, steps, lambda _, y: self.step(*y, dt), (h, v1, v2))


# ---- exact solutions and initial states ----------------------------------------------------------

def local_axes(lon, lat):
    """Right-handed unit vectors (south, east, up) at longitude and latitude in degrees."""
    lon, lat = np.radians(lon), np.radians(lat)
    return np.array([[np.sin(lat) * np.cos(lon), np.sin(lat) * np.sin(lon), -np.cos(lat)],
                     [-np.sin(lon), np.cos(lon), 0.0],
                     [np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)]])


def frequency(degree, gravity, depth, radius):
    """Angular frequency of the spherical harmonics of a degree (s-1)."""
    return np.sqrt(gravity * depth * degree * (degree + 1.0)) / radius


def gaussian(r, lon, lat, amplitude, width):
    """amplitude exp(-theta^2 / width), theta the great-circle angle in radians from (lon, lat)."""
    centre = local_axes(lon, lat)[2]
    theta = np.arctan2(np.linalg.norm(np.cross(r, centre), axis=-1), r @ centre)
    return amplitude * np.exp(-theta ** 2 / width)


def exact_gaussian(r, time, lon, lat, amplitude, width, gravity=1.0, depth=1.0, radius=1.0,
                   degrees=300, points=600):
    """h(t) of a Gaussian pulse released at rest, as a Legendre series (non-rotating sphere)."""
    x, w = legendre.leggauss(points)
    k = np.arange(degrees + 1)
    h0 = amplitude * np.exp(-np.arccos(x) ** 2 / width)
    coefficients = (k + 0.5) * (legendre.legvander(x, degrees).T @ (w * h0))
    phase = frequency(k, gravity, depth, radius) * time
    return legendre.legval(r @ local_axes(lon, lat)[2], coefficients * np.cos(phase))


def exact_standing(r, time, lon, lat, amplitude, degree, gravity=1.0, depth=1.0, radius=1.0):
    """h(t) = amplitude Re((c . r)^degree) cos(omega t), c = south + i east at (lon, lat)."""
    south, east, _ = local_axes(lon, lat)
    wave = ((r @ south + 1j * (r @ east)) ** degree).real
    return amplitude * wave * np.cos(frequency(degree, gravity, depth, radius) * time)


def at_rest(h):
    """State (h, v1, v2) with no motion."""
    n = h.shape[1] - 1
    return h, np.zeros((6, n + 1, n)), np.zeros((6, n, n + 1))


def random_state(model, seed, smooth=False):
    """White noise in every value, or (smooth) a quadratic h with the tangential part of u = A r."""
    rng = np.random.default_rng(seed)
    places = (model.at_h, model.at_v1, model.at_v2)
    if not smooth:
        return tuple(rng.standard_normal(at.r.shape[:-1]) for at in places)
    b, (q, A) = rng.standard_normal(3), rng.standard_normal((2, 3, 3))
    h, v1, v2 = (np.einsum("pjid,de,pjie->pji", x, matrix, at.r) for x, matrix, at in zip(
        (model.at_h.r, model.at_v1.a[0], model.at_v2.a[1]), (q, A, A), places))
    return np.asarray(model.at_h.r) @ b + h, v1, v2


# ---- command line --------------------------------------------------------------------------------

def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(description="Dense-matrix reference run, written to .npz.")
    add = parser.add_argument
    add("--n", type=int, required=True, help="cells per panel side")
    add("--order", type=int, default=4, choices=(2, 4, 6))
    add("--closure", default="moved", choices=CLOSURES)
    add("--operators", type=Path, default=OPERATORS_FILE, help="operator table (JSON)")
    add("--case", default="gaussian", choices=("gaussian", "standing"))
    add("--lon", type=float, default=0.0, help="centre of the pulse, axis of the wave; degrees")
    add("--lat", type=float, default=90.0, help="likewise")
    add("--amplitude", type=float, default=0.01, help="m")
    add("--width", type=float, default=0.18, help="pulse: amplitude exp(-theta^2/width), rad2")
    add("--degree", type=int, default=4, help="standing wave: harmonic degree")
    add("--random-seed", type=int, help="start from white noise instead of a case")
    add("--smooth", action="store_true", help="make the random state smooth")
    add("--continuous", action="store_true", help="project h at the start: one value per point")
    add("--gravity", type=float, default=1.0, help="m s-2")
    add("--depth", type=float, default=1.0, help="m")
    add("--radius", type=float, default=1.0, help="m")
    add("--steps", type=int, default=0)
    add("--dt", type=float, default=0.01, help="s")
    add("--output", type=Path, required=True, help=".npz with h v1 v2 and the start h0 v10 v20")
    add("--jax", action="store_true", help="compute with JAX instead of NumPy")
    return parser.parse_args(arguments)


def main(arguments=None):
    o = parse_arguments(arguments)
    kind = JaxModel if o.jax else Model
    model = kind(o.n, o.order, o.closure, o.gravity, o.depth, o.radius, o.operators)
    r = np.asarray(model.at_h.r)
    if o.random_seed is not None:
        start = random_state(model, o.random_seed, o.smooth)
    elif o.case == "gaussian":
        start = at_rest(gaussian(r, o.lon, o.lat, o.amplitude, o.width))
    else:
        start = at_rest(exact_standing(r, 0.0, o.lon, o.lat, o.amplitude, o.degree))
    if o.continuous:
        start = (model.project(start[0]), *start[1:])
    end = model.run_n_steps(*start, o.dt, o.steps)
    names = ("h", "v1", "v2", "h0", "v10", "v20")
    np.savez(o.output, **{name: np.asarray(x) for name, x in zip(names, (*end, *start))})


if __name__ == "__main__":
    main()
