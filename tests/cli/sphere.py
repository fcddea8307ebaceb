"""Geometry and quadrature of the cubed sphere, independent of the solver.

Points of a panel are given by X = tan xi1 and Y = tan xi2; arrays are (panel, j, i).
"""
import json
from fractions import Fraction

import numpy as np

from program import REPOSITORY

X, Y, Z = np.eye(3)

# Frames (e0, e1, e2) of the panels.
FRAMES = np.array([(X, Y, Z), (Y, -X, Z), (-X, -Y, Z), (-Y, X, Z), (Z, Y, -X), (-Z, Y, X)])


def table_of(order, closure):
    """The exact table of a closure; order 2 has no moved points."""
    tables = json.loads((REPOSITORY / "tests/reference/operators.json").read_text())
    plain = closure == "equispaced" or (order, closure) == (2, "moved")
    return tables[str(order) if plain else f"{order}-{closure}"]


def points(n, order=4, closure="moved"):
    """Angles of the n + 1 vertices and of the n cells along a panel side, and the distance of inner ones, in radians."""
    table = table_of(order, closure)
    first_v, first_c = ([float(Fraction(x)) for x in table.get(key, default)]
                        for key, default in (("vertices", ["0"]), ("cells", ["1/2"])))
    offset = first_v[-1] - (len(first_v) - 1)
    inner_v, inner_c = np.arange(n + 1) + offset, np.arange(n) + offset + 0.5
    for first, inner in ((first_v, inner_v), (first_c, inner_c)):
        inner[:len(first)] = first
        inner[-len(first):] = n + 2 * offset - np.array(first[::-1])
    spacing = np.pi / 2 / (n + 2 * offset)
    return inner_v * spacing - np.pi / 4, inner_c * spacing - np.pi / 4, spacing


def vertices(n, order=4, closure="moved"):
    """tan of the n + 1 vertices along a panel side."""
    return np.tan(points(n, order, closure)[0])


def cells(n, order=4, closure="moved"):
    """tan of the n cells along a panel side."""
    return np.tan(points(n, order, closure)[1])


def dual_corners(n):
    """tan of the corners of the vertices' dual cells: cell centres and the panel's sides."""
    return np.concatenate([[-1.0], cells(n), [1.0]])


def positions(x, y):
    """Unit vectors (6, len(y), len(x), 3)."""
    e0, e1, e2 = FRAMES[:, None, None].transpose(3, 0, 1, 2, 4)
    r = e0 + x[:, None] * e1 + y[:, None, None] * e2
    return r / np.linalg.norm(r, axis=-1, keepdims=True)


def basis(x, y, radius=1.0):
    """Covariant basis vectors a_1 = dr/dxi1 and a_2 = dr/dxi2."""
    r, delta = positions(x, y), np.sqrt(1 + x ** 2 + y[:, None] ** 2)[..., None]
    e1, e2 = FRAMES[:, None, None, 1], FRAMES[:, None, None, 2]
    stretch1, stretch2 = (1 + x ** 2)[:, None], (1 + y ** 2)[:, None, None]
    a1 = stretch1 * (e1 - x[:, None] * r / delta) / delta
    a2 = stretch2 * (e2 - y[:, None, None] * r / delta) / delta
    return radius * a1, radius * a2


def jacobian(x, y, radius=1.0):
    """Area element, the same on all panels (len(y), len(x))."""
    y = y[:, None]
    return radius ** 2 * (1 + x ** 2) * (1 + y ** 2) / (1 + x ** 2 + y ** 2) ** 1.5


def vertex_norm(n, order=4, closure="moved"):
    """Diagonal of the norm at vertices."""
    head, norm = [float(Fraction(weight)) for weight in table_of(order, closure)["Hv"]], np.ones(n + 1)
    norm[:len(head)], norm[-len(head):] = head, head[::-1]
    return norm * points(n, order, closure)[2]


def quadrature(n, order=4, radius=1.0, closure="moved"):
    """Weights of the vertices (n + 1, n + 1) in an integral over the sphere."""
    norm, v = vertex_norm(n, order, closure), vertices(n, order, closure)
    return jacobian(v, v, radius) * np.outer(norm, norm)


def unit_vectors(lons, lats):
    """Unit vectors up, east and north at longitudes and latitudes in degrees."""
    lon, lat = np.radians(lons), np.radians(lats)
    up = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], -1)
    east = np.stack([-np.sin(lon), np.cos(lon), 0 * lon], -1)
    return up, east, np.cross(up, east)


def rotation_state(n, axis, radius=1.0, order=4):
    """h = 1 and the covariant velocities of the solid-body rotation u = axis x r (unit r), with the points of a run."""
    v, c = vertices(n, order), cells(n, order)
    angles = np.degrees(np.arctan(v))
    v1 = np.sum(np.cross(axis, positions(c, v)) * basis(c, v, radius)[0], axis=-1)
    v2 = np.sum(np.cross(axis, positions(v, c)) * basis(v, c, radius)[1], axis=-1)
    return {"h": np.ones((6, n + 1, n + 1)), "v1": v1, "v2": v2, "Xdim": angles, "Ydim": angles}
