"""Overlaps of the cells of a cubed sphere with the cells of a regular grid of longitudes and latitudes, exact to rounding."""
from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from .sampling import FRAMES

GRID = {"xc": "degrees", "yc": "degrees", "xv": "degrees", "yv": "degrees", "area": "square radians", "mask": "unitless", "frac": "unitless"}


def running(areas: Any) -> Any:
    """Sums (..., n + 1) up to each end of cells (..., n), from the middle on."""
    sums = np.cumsum(np.insert(areas, 0, 0, axis=-1), axis=-1)
    return sums - sums[..., -1:] / 2


def corners(area: Any) -> Any:
    """Corners (n, n, 4, 3), counterclockwise, of cells of a panel whose areas are proportional to `area` (n, n).

    The panel is cut into strips, and each strip into cells, both by great circles at an angle a or b, with sines of at most
    sqrt(1/2). The rectangle between the angles 0 and a, 0 and b has the area asin(sin a sin b).
    """
    part = running(area * (2 * np.pi / 3 / area.sum()))
    strips = np.sqrt(2) * np.sin(running(2 * part[:, -1]) / 2)
    south, north = strips[:-1, None], strips[1:, None]
    ends = np.sin(part) / np.sqrt((north - south) ** 2 + 4 * north * south * np.sin(part / 2) ** 2)
    a = np.stack([ends[:, :-1], ends[:, 1:], ends[:, 1:], ends[:, :-1]], -1)
    b = np.stack([south, south, north, north], -1) + 0 * a
    out, along, across = np.sqrt((1 - a * a) * (1 - b * b)), a * np.sqrt(1 - b * b), b * np.sqrt(1 - a * a)
    return np.stack([out, along, across], -1) / np.sqrt(1 - (a * b) ** 2)[..., None]


def integers(first: Any, stop: Any) -> tuple[Any, Any]:
    """All pairs (k, j) with first[k] <= j < stop[k]."""
    k = np.repeat(np.arange(first.size), stop - first)
    return k, np.arange(k.size) + (stop - np.cumsum(stop - first))[k]


def pieces(a: Any, ahead: Any, length: Any, nlon: int, mu: Any) -> tuple[Any, Any, Any]:
    """Edge, middle and length [rad] of the pieces of edges, a cos(s) + ahead sin(s), between meridians and parallels."""
    lon, end = (np.arctan2(r[1], r[0]) * nlon / (2 * np.pi) + 0.5 for r in (a, a * np.cos(length) + ahead * np.sin(length)))
    end = lon + (end - lon + nlon / 2) % nlon - nlon / 2
    edge, meridian = integers(*(np.ceil(f(lon, end)).astype(int) for f in (np.minimum, np.maximum)))
    x, y = np.cos((meridian - 0.5) * 2 * np.pi / nlon), np.sin((meridian - 0.5) * 2 * np.pi / nlon)
    across = np.arctan2(y * a[0, edge] - x * a[1, edge], x * ahead[1, edge] - y * ahead[0, edge]) % np.pi
    top, most = np.arctan2(ahead[2], a[2]), np.hypot(ahead[2], a[2])  # sin(lat) is most cos(s - top)
    turn = np.clip(np.where(top > 0, top, top + np.pi), 0, length)
    z = most * np.cos([top, length - top, turn - top])
    k, parallel = integers(*(1 + np.searchsorted(mu[1:-1], f(z, axis=0)) for f in (np.min, np.max)))
    away = np.arccos(np.clip(mu[parallel] / most[k], -1, 1))
    edge = np.concatenate([*[np.arange(length.size)] * 3, edge, k, k])
    s = [0 * length, length, turn, across, *((top[k] + side + 1) % (2 * np.pi) - 1 for side in (away, -away))]
    s = np.clip(np.concatenate(s), 0, length[edge])
    order = np.lexsort((s, edge))
    edge, s = edge[order], s[order]
    inside = (edge[1:] == edge[:-1]) & (s[1:] > s[:-1])
    return edge[1:][inside], (s[1:] + s[:-1])[inside] / 2, np.diff(s)[inside]


def overlaps(area: Any, nlon: int, nlat: int) -> tuple[Any, Any, Any]:
    """Destination cells, source cells and areas [sr] of all overlaps, of source cells with the areas (n, n) on each panel.

    A piece of an edge that runs east bounds overlaps from the south: with a part of the cell of the grid it lies in, and with
    all cells north of it in the same column. A piece that runs west takes them away. Panel 5 is mirrored at the equator.
    """
    corner, cells = corners(area).reshape(-1, 4, 3), area.size
    following = np.roll(corner, -1, axis=1)
    normal = np.cross(corner, following)
    sine = np.linalg.norm(normal, axis=-1, keepdims=True)
    length, aheads = np.arctan2(sine[..., 0], (corner * following).sum(-1)).ravel(), np.cross(normal / sine, corner)
    mu, found = np.sin(np.radians(np.linspace(-90, 90, nlat + 1))), []
    for panel, frame in enumerate(FRAMES):
        hand = -1 if panel == 5 else 1
        a, ahead = ((r.reshape(-1, 3) @ (frame * [1, 1, hand])).T for r in (corner, aheads))
        k, s, step = pieces(a, ahead, length, nlon, mu)
        (x0, y0, z0), (x, y, z), (x1, y1, z1) = (a[:, k] * np.cos(t) + ahead[:, k] * np.sin(t)
                                                 for t in (s - step / 2, s, s + step / 2))
        i = np.floor(np.arctan2(y, x) * nlon / (2 * np.pi) + 0.5).astype(int) % nlon
        j = np.searchsorted(mu[1:-1], z)
        sine = (a[0] * ahead[1] - a[1] * ahead[0])[k] * np.sin(step)
        dlon = np.arctan2(sine, x0 * x1 + y0 * y1)
        value = 2 * np.arctan2(sine, 1 + z0 + z1 + np.cos(step)) - (1 - mu[j + 1]) * dlon
        cell, highest = k // 4, np.zeros(cells, int)
        np.maximum.at(highest, cell, j)
        highest[cells // 2 if panel > 3 else []] = nlat - 1  # the cell around the pole
        k, north = integers(j + 1, highest[cell] + 1)
        i, j, cell = (np.concatenate(pair) for pair in ((i, i[k]), (j, north), (cell, cell[k])))
        row = (j if hand > 0 else nlat - 1 - j) * nlon + i
        found.append((row * 6 * cells + panel * cells + cell, hand * np.concatenate([value, np.diff(mu)[north] * dlon[k]])))
    key, at = np.unique(np.concatenate([f[0] for f in found]), return_inverse=True)
    value = np.bincount(at, np.concatenate([f[1] for f in found]))
    return *np.divmod(key[value > 1e-15], 6 * cells), value[value > 1e-15]  # smaller ones are of rounding


def esmf_weights(source: xr.Dataset, nlon: int, nlat: int) -> xr.Dataset:
    """Weights of means over cells of a grid of longitudes and latitudes, as in files of ESMF_RegridWeightGen."""
    area, dlon, dlat = source["area"].values.astype(float), 360 / nlon, 180 / nlat
    row, col, overlap = overlaps(area[0], nlon, nlat)
    links = {"S": overlap / np.bincount(row, overlap)[row], "row": (row + 1).astype(np.int32), "col": (col + 1).astype(np.int32)}
    out = xr.Dataset({key: ("n_s", values) for key, values in links.items()}, attrs={
        "normalization": "destarea", "map_method": "Conservative remapping", "ESMF_regrid_method": "First-order Conservative"})
    r = (corners(area[0]).reshape(-1, 4, 3) @ FRAMES[:, None]).reshape(-1, 4, 3)
    lon, lat = (x.ravel() for x in np.meshgrid(np.arange(nlon) * dlon, (np.arange(nlat) + 0.5) * dlat - 90))
    points = (source["lons"].values.ravel(), source["lats"].values.ravel(), np.degrees(np.arctan2(r[..., 1], r[..., 0])) % 360,
              np.degrees(np.arcsin(r[..., 2])), area.ravel() * (4 * np.pi / area.sum()))
    boxes = (lon, lat, lon[:, None] + np.array([-1, 1, 1, -1]) * dlon / 2, lat[:, None] + np.array([-1, -1, 1, 1]) * dlat / 2,
             2 * np.radians(dlon) * np.cos(np.radians(lat)) * np.sin(np.radians(dlat / 2)))
    for side, name, shape, arrays in (("a", "src", (len(area[0]), 6 * len(area[0])), points), ("b", "dst", (nlon, nlat), boxes)):
        for (key, unit), values in zip(GRID.items(), (*arrays, np.ones(arrays[0].size, np.int32), np.ones(arrays[0].size))):
            out[f"{key}_{side}"] = ((f"n_{side}", f"nv_{side}")[:values.ndim], values, {"units": unit})
        out[f"{name}_grid_dims"] = (f"{name}_grid_rank", np.array(shape, np.int32))
    return out
