#!/usr/bin/env python3
"""Matrix reference for the nonlinear rotating shallow water equations on the cubed sphere.

The vector-invariant equations with the staggered summation-by-parts operators of reference.py:

    d v_1/dt = +q (J h u^2) - d_1 (K + g(h+b))    d v_2/dt = -q (J h u^1) - d_2 (K + g(h+b))
    J dh/dt = -d_i (J h u^i),    q = (zeta + f)/h

h is the whole depth (m), single-valued at shared vertices; v_k = u . a_k (m2 s-1), single-valued along
panel edges; both stay so.  Every one-dimensional operator is a dense matrix.
"""
from math import comb, factorial
from types import SimpleNamespace

import numpy as np

import reference as ref

EARTH = SimpleNamespace(gravity=9.80616, radius=6.37122e6, omega=7.292e-5)
DAY = 86400.0


def default_strengths(order, closure="moved"):
    """Edge damping and dissipation of the nonlinear model by default."""
    moved = {4: 2.0, 6: 3.75} if closure == "moved" else {}
    return dict(edge_damping=0.1, dissipation=moved.get(order, {2: 0.1, 4: 0.5, 6: 2.0}[order]))


def differences(x, degree):
    """Matrix of the divided differences of a degree at points x, times factorial(degree).

    At points of distance 1 these are the undivided differences, whose weights are binomials. Rows
    whose norm exceeds the norm of the binomials are scaled down to it.
    """
    rows = np.zeros((len(x) - degree, len(x)))
    for first in range(len(rows)):
        points = x[first:first + degree + 1]
        gaps = points[:, None] - points + np.eye(degree + 1)
        rows[first, first:first + degree + 1] = factorial(degree) / gaps.prod(axis=1)
    most = np.sqrt(sum(comb(degree, k) ** 2 for k in range(degree + 1)))
    return rows * np.minimum(1.0, most / np.linalg.norm(rows, axis=1))[:, None]


class Nonlinear(ref.Model):
    """Nonlinear shallow water: rotation (2 omega axis . r), topography b(r), damping, dissipation.

    depth is the mean depth; it sets only the wave speed c of edge damping and dissipation.
    """

    def __init__(self, n, order=4, closure="moved", gravity=EARTH.gravity, depth=1.0,
                 radius=EARTH.radius, omega=EARTH.omega, axis=(0.0, 0.0, 1.0), topography=None,
                 edge_damping=0.0, dissipation=0.0, degree=None, path=ref.OPERATORS_FILE):
        super().__init__(n, order, closure, gravity, depth, radius, path)
        self.coriolis = 2 * omega * (self.at_h.r @ np.asarray(axis, dtype=float))
        self.b = np.zeros_like(self.coriolis) if topography is None else topography(self.at_h.r)
        self.edge_damping, self.strength = edge_damping, dissipation
        self.wave_speed = np.sqrt(gravity * depth)
        op = self.op
        self.degree = degree or op.degree
        self.weak = -(op.hc[:, None] * op.dvc).T / op.hv[:, None]      # cells to vertices
        self.basis = np.moveaxis(self.at_h.a, -1, 1)                   # (2, 3, 6, j, i)
        self.normal = np.moveaxis(self.at_h.r, -1, 0)                  # (3, 6, j, i)
        self.spacing = op.spacing
        rows = differences(op.xv / op.spacing, self.degree) / 2.0 ** self.degree
        self.roughness = rows.T @ rows / (op.hv / self.spacing)[:, None]
        self._connect()

    def _connect(self):
        """Index tables of the shared vertices, the shared tangential points and the edge vertices."""
        n = self.n
        vertex = np.arange(6 * (n + 1) ** 2).reshape(6, n + 1, n + 1)
        v1 = np.arange(6 * n * (n + 1)).reshape(6, n + 1, n)
        v2 = v1.size + np.arange(v1.size).reshape(6, n, n + 1)
        pairs, tangential, signs = [], [], []
        self.partner = np.zeros((24, n + 1), dtype=int)
        for s, t, step in self.edges:
            inner = slice(1, -1)
            pairs.append((vertex[ref.side_index(s, inner)], vertex[ref.side_index(t, inner)][::step]))
            along = [(v2 if side[1] == 0 else v1)[ref.side_index(side)] for side in (s, t)]
            tangential.append((along[0], along[1][::step]))
            signs.append(np.full(n, step))
            rows = [ref.SIDES.index(side) for side in (s, t)]
            place = np.arange(n + 1)[::step]
            self.partner[rows[0]] = rows[1] * (n + 1) + place
            self.partner[rows[1]] = rows[0] * (n + 1) + place
        self.pairs = np.concatenate(pairs, axis=1)
        self.tangential, self.signs = np.concatenate(tangential, axis=1), np.concatenate(signs)
        self.triples = np.array([[vertex[c] for c in zip(*copies)] for copies in self.corners]).T
        self.side_vertices = np.array([vertex[ref.side_index(s)] for s in ref.SIDES])
        w = self.weight_h.ravel()
        self.pair_weights = w[self.pairs] / w[self.pairs].sum(0)
        self.triple_weights = w[self.triples] / w[self.triples].sum(0)

    def along1(self, matrix, field):
        """Apply a dense operator along xi1, the last axis."""
        return (field.reshape(-1, field.shape[-1]) @ matrix.T).reshape(*field.shape[:-1], -1)

    def along2(self, matrix, field):
        """Apply a dense operator along xi2, the axis before the last."""
        return matrix @ field

    def project(self, field):
        """Mean over the copies of each shared vertex with weights J Hv Hv; leading axes are free."""
        flat = field.reshape(*field.shape[:-3], -1).copy()
        for index, weight in ((self.pairs, self.pair_weights), (self.triples, self.triple_weights)):
            flat[..., index] = (weight * flat[..., index]).sum(-2)[..., None, :]
        return flat.reshape(field.shape)

    def join(self, v1, v2):
        """Mean over the two copies of each tangential component on a panel edge."""
        flat = np.concatenate([v1.ravel(), v2.ravel()])
        s, t = self.tangential
        flat[s] = 0.5 * (flat[s] + self.signs * flat[t])
        flat[t] = self.signs * flat[s]
        return flat[:v1.size].reshape(v1.shape), flat[v1.size:].reshape(v2.shape)

    # ---- terms ---------------------------------------------------------------------------------

    def fluxes(self, h, v1, v2):
        """F^k = h J u^k at velocity points, the derivative of the energy by v_k."""
        pvc, pcv, cross = self.op.pvc, self.op.pcv, h * self.at_h.Jg[0, 1]
        f1 = self.along1(pvc, h) * self.at_v1.Jg[0, 0] * v1
        f2 = self.along2(pvc, h) * self.at_v2.Jg[1, 1] * v2
        return (f1 + self.along1(pvc, cross * self.along2(pcv, v2)),
                f2 + self.along2(pvc, cross * self.along1(pcv, v1)))

    def bernoulli(self, h, v1, v2):
        """K + g(h + b) at vertices, the derivative of the energy by h, single-valued."""
        pcv, Jg = self.op.pcv, self.at_h.Jg[0, 1]
        kinetic = 0.5 * self.along1(pcv, self.at_v1.Jg[0, 0] * v1 * v1)
        kinetic += 0.5 * self.along2(pcv, self.at_v2.Jg[1, 1] * v2 * v2)
        kinetic += Jg * self.along1(pcv, v1) * self.along2(pcv, v2)
        return self.project(kinetic / self.at_h.J) + self.gravity * (h + self.b)

    def vorticity(self, v1, v2):
        """J zeta at cells."""
        return self.along1(self.op.dvc, v2) - self.along2(self.op.dvc, v1)

    def absolute_vorticity(self, v1, v2):
        """zeta + f at vertices, single-valued."""
        at_cells = self.vorticity(v1, v2)
        zeta = self.along1(self.op.pcv, self.along2(self.op.pcv, at_cells))
        return self.project(zeta / self.at_h.J) + self.coriolis

    def mass_flux_vector(self, f1, f2):
        """U = h u at vertices, Cartesian (3, 6, j, i), single-valued."""
        p1, p2 = self.along1(self.op.pcv, f1), self.along2(self.op.pcv, f2)
        return self.project((p1 * self.basis[0] + p2 * self.basis[1]) / self.at_h.J)

    def from_vector(self, w):
        """Covariant components at velocity points of a Cartesian vector at vertices."""
        return (self.along1(self.op.pvc, (w * self.basis[0]).sum(0)),
                self.along2(self.op.pvc, (w * self.basis[1]).sum(0)))

    def divergence_weak(self, f1, f2):
        """Single-valued divergence: the adjoint of the gradient, projected."""
        return self.project((self.along1(self.weak, f1) + self.along2(self.weak, f2)) / self.at_h.J)

    def side_fluxes(self, f1, f2):
        """Outward normal flux of each side, extrapolated to its vertices (24, N+1)."""
        l, r = self.op.l, self.op.r
        return np.stack([-(f1 @ l), f1 @ r, -(l @ f2), r @ f2], axis=1).reshape(24, -1)

    def damp_edges(self, h, f1, f2):
        """Edge damping: lowers the energy by the squared jump of the normal flux.

        The two corner vertices of a side are left out: their rows are tangential to other sides.
        """
        own = self.side_fluxes(f1, f2)
        jump = 0.5 * (own + own.ravel()[self.partner])                 # F - F*, both outward
        jump[:, [0, -1]] = 0.0
        h, metric = h.ravel()[self.side_vertices], self.at_h.Jg.reshape(2, 2, -1)
        metric = np.where(np.arange(24)[:, None] % 4 < 2, metric[0, 0][self.side_vertices],
                          metric[1, 1][self.side_vertices])            # J g^nn
        rate = self.edge_damping * self.wave_speed / self.radius
        pull = (rate * jump / (h * metric)).reshape(6, 4, -1)
        l, r = self.op.l / self.op.hc, self.op.r / self.op.hc
        dv1 = pull[:, 0, :, None] * l - pull[:, 1, :, None] * r
        dv2 = l[:, None] * pull[:, 2, None] - r[:, None] * pull[:, 3, None]
        return dv1, dv2

    def dissipate(self, h, u):
        """Dissipation of the mass flux vector u at vertices, Cartesian (m s-2), single-valued.

        Differences of the given degree along rows and columns, which end at the panel edges: two grid
        lengths decay at the rate strength c / (grid length).
        """
        scale = np.sqrt(self.at_h.J / h)
        rate = self.strength * self.wave_speed / (self.radius * self.spacing)
        x = scale * u
        rough = self.along1(self.roughness, x) + self.along2(self.roughness, x)
        return -rate * self.project(scale / self.at_h.J * rough)

    def rhs(self, h, v1, v2):
        """Tendencies (dh, dv1, dv2)."""
        f1, f2 = self.fluxes(h, v1, v2)
        u = self.mass_flux_vector(f1, f2)
        w = np.cross(u, self.normal, axis=0) * (self.absolute_vorticity(v1, v2) / h)
        if self.strength:
            w = w + self.dissipate(h, u)
        dv1, dv2 = self.from_vector(w)
        phi = self.bernoulli(h, v1, v2)
        dv1 = dv1 - self.along1(self.op.dvc, phi)
        dv2 = dv2 - self.along2(self.op.dvc, phi)
        if self.edge_damping:
            d1, d2 = self.damp_edges(h, f1, f2)
            dv1, dv2 = dv1 + d1, dv2 + d2
        return -self.divergence_weak(f1, f2), dv1, dv2

    # ---- diagnostics ---------------------------------------------------------------------------

    def energy(self, h, v1, v2):
        f1, f2 = self.fluxes(h, v1, v2)
        potential = self.gravity * np.sum(self.weight_h * h * (0.5 * h + self.b))
        return potential + 0.5 * (np.sum(self.weight_v1 * f1 * v1) + np.sum(self.weight_v2 * f2 * v2))

    def energy_rate(self, state, tendency):
        """dE/dt along a tendency, and the sum of the magnitudes of its terms."""
        h, v1, v2 = state
        f1, f2 = self.fluxes(h, v1, v2)
        terms = (self.weight_h * self.bernoulli(h, v1, v2) * tendency[0],
                 self.weight_v1 * f1 * tendency[1], self.weight_v2 * f2 * tendency[2])
        return sum(np.sum(t) for t in terms), sum(np.sum(np.abs(t)) for t in terms)

    def circulation(self, v1, v2):
        """Integral of the vorticity over the sphere (m2 s-1)."""
        return np.sum(np.outer(self.op.hc, self.op.hc) * self.vorticity(v1, v2))

    def potential_enstrophy(self, h, v1, v2):
        return 0.5 * np.sum(self.weight_h * self.absolute_vorticity(v1, v2) ** 2 / h)

    def state(self, depth, velocity):
        """State from functions of position: depth(r) and Cartesian velocity(r)."""
        h = depth(self.at_h.r)
        v = [(velocity(at.r) * at.a[k]).sum(-1) for k, at in enumerate((self.at_v1, self.at_v2))]
        return (self.project(h), *self.join(*v))

    def error(self, h, exact):
        """Relative l2 error of a vertex field."""
        return np.sqrt(np.sum(self.weight_h * (h - exact) ** 2) / np.sum(self.weight_h * exact ** 2))


# ---- cases ---------------------------------------------------------------------------------------
# Each is a namespace: model (options of Nonlinear), depth(r), velocity(r).

def longitude_latitude(r):
    return np.arctan2(r[..., 1], r[..., 0]), np.arcsin(np.clip(r[..., 2], -1, 1))


def zonal_meridional(r, u, v):
    """Cartesian velocity from its eastward and northward components."""
    lon, lat = longitude_latitude(r)
    east = np.stack([-np.sin(lon), np.cos(lon), 0 * lon], axis=-1)
    north = np.stack([-np.sin(lat) * np.cos(lon), -np.sin(lat) * np.sin(lon), np.cos(lat)], axis=-1)
    return u[..., None] * east + v[..., None] * north


def solid_body(angle, top, speed, topography=None):
    """Balanced solid-body rotation whose axis (and the Earth's) is tilted by angle (degrees)."""
    tilt = np.radians(angle)
    axis = np.array([-np.sin(tilt), 0.0, np.cos(tilt)])
    drop = (EARTH.radius * EARTH.omega * speed + 0.5 * speed ** 2) / EARTH.gravity

    def depth(r):
        surface = top - drop * (r @ axis) ** 2
        return surface if topography is None else surface - topography(r)

    return SimpleNamespace(model=dict(axis=axis, topography=topography, depth=top - drop / 3),
                           depth=depth, velocity=lambda r: speed * np.cross(axis, r))


def williamson2(angle=45.0):
    return solid_body(angle, 2.94e4 / EARTH.gravity, 2 * np.pi * EARTH.radius / (12 * DAY))


def mountain(r):
    """The conical mountain of Williamson 5 (m)."""
    lon, lat = longitude_latitude(r)
    away = np.mod(lon + 0.5 * np.pi + np.pi, 2 * np.pi) - np.pi
    distance = np.sqrt(np.minimum((np.pi / 9) ** 2, away ** 2 + (lat - np.pi / 6) ** 2))
    return 2000.0 * (1 - distance * 9 / np.pi)


def williamson5():
    return solid_body(0.0, 5960.0, 20.0, mountain)


def laeuter(angle=45.0):
    """Unsteady solid-body flow over a centrifugal topography, exact: depth(r, time), velocity(r, time)."""
    speed, turn, g = 2 * np.pi * EARTH.radius / (12 * DAY), EARTH.omega * EARTH.radius, EARTH.gravity
    tilt = np.radians(angle)

    def axis(time):                     # fixed in the inertial frame: moves westward relative to the ground
        phase = EARTH.omega * time
        return np.array([np.sin(tilt) * np.cos(phase), -np.sin(tilt) * np.sin(phase), np.cos(tilt)])

    def topography(r):
        return 0.5 * (turn * r[..., 2]) ** 2 / g

    def depth(r, time=0.0):
        return (133681.0 - 0.5 * (speed * (r @ axis(time)) + turn * r[..., 2]) ** 2) / g

    def velocity(r, time=0.0):
        return speed * np.cross(axis(time), r)

    return SimpleNamespace(model=dict(topography=topography, depth=9000.0), depth=depth, velocity=velocity)


def lake_at_rest():
    """Still water over the mountain."""
    return SimpleNamespace(model=dict(topography=mountain, depth=5960.0),
                           depth=lambda r: 5960.0 - mountain(r), velocity=np.zeros_like)


def williamson6():
    """Rossby-Haurwitz wave of wavenumber 4."""
    a, g, omega, w, k, top = EARTH.radius, EARTH.gravity, EARTH.omega, 7.848e-6, 7.848e-6, 8000.0

    def depth(r):
        lon, lat = longitude_latitude(r)
        c = np.cos(lat)
        A = 0.5 * w * (2 * omega + w) * c**2 + 0.25 * k**2 * c**8 * (5 * c**2 + 26 - 32 / np.maximum(c, 1e-9)**2)
        B = 2 * (omega + w) * k / 30 * c**4 * (26 - 25 * c**2)
        C = 0.25 * k**2 * c**8 * (5 * c**2 - 6)
        return top + a**2 / g * (A + B * np.cos(4 * lon) + C * np.cos(8 * lon))

    def velocity(r):
        lon, lat = longitude_latitude(r)
        c, s = np.cos(lat), np.sin(lat)
        u = a * w * c + a * k * c**3 * (4 * s**2 - c**2) * np.cos(4 * lon)
        return zonal_meridional(r, u, -4 * a * k * c**3 * s * np.sin(4 * lon))

    return SimpleNamespace(model=dict(depth=9500.0), depth=depth, velocity=velocity)


def galewsky(perturbed=True, mean=10000.0):
    """Mid-latitude jet (80 m/s), its height by quadrature of the balance."""
    south, north, peak = np.pi / 7, 0.5 * np.pi - np.pi / 7, 80.0
    scale = np.exp(-4 / (north - south) ** 2)

    def jet(lat):
        inside = (lat > south) & (lat < north)
        x = np.where(inside, lat, 0.5 * (south + north))
        return np.where(inside, peak / scale * np.exp(1 / ((x - south) * (x - north))), 0.0)

    def slope(lat):
        u = jet(lat)
        return EARTH.radius * u * (2 * EARTH.omega * np.sin(lat) + np.tan(lat) * u / EARTH.radius)

    # Gauss-Legendre in each of many small intervals, then the integral at any latitude by one more.
    x, weight = np.polynomial.legendre.leggauss(20)
    knots = np.linspace(south, north, 401)

    def integral(lo, hi):
        half = 0.5 * (hi - lo)
        return half * (weight * slope(lo[..., None] + half[..., None] * (x + 1))).sum(-1)

    table = np.concatenate([[0.0], np.cumsum(integral(knots[:-1], knots[1:]))])

    def balance(lat):
        y = np.clip(lat, south, north)
        k = np.clip(np.searchsorted(knots, y, side="right") - 1, 0, 399)
        return (table[k] + integral(knots[k], y)) / EARTH.gravity

    s, w = np.polynomial.legendre.leggauss(400)
    top = mean + 0.5 * (w * balance(np.arcsin(s))).sum()

    def depth(r):
        lon, lat = longitude_latitude(r)
        h = top - balance(lat)
        if perturbed:
            h = h + 120.0 * np.cos(lat) * np.exp(-(3 * lon) ** 2 - (15 * (0.25 * np.pi - lat)) ** 2)
        return h

    def velocity(r):
        u = jet(longitude_latitude(r)[1])
        return zonal_meridional(r, u, np.zeros_like(u))

    return SimpleNamespace(model=dict(depth=mean), depth=depth, velocity=velocity)


def turned(case, tilt, about):
    """A case without topography on a sphere whose pole is tilted (degrees), then rotated about z.

    A point r of the grid is turn @ r in the coordinates of the case.
    """
    t, p = np.radians(tilt), np.radians(about)
    back = np.array([[np.cos(t), 0, np.sin(t)], [0, 1, 0], [-np.sin(t), 0, np.cos(t)]])
    spin = np.array([[np.cos(p), -np.sin(p), 0], [np.sin(p), np.cos(p), 0], [0, 0, 1]])
    turn = back @ spin
    return SimpleNamespace(model=dict(case.model, axis=turn[2]), turn=turn,
                           depth=lambda r: case.depth(r @ turn.T),
                           velocity=lambda r: case.velocity(r @ turn.T) @ turn)
