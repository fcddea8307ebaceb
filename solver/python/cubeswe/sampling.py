"""Values of fields anywhere on the sphere: products of cubic polynomials within a panel, so that nothing
jumps or is missing at panel edges and poles."""
from __future__ import annotations

from typing import Any

import numpy as np

X, Y, Z = np.eye(3)

# Frames (e0, e1, e2) of the panels.
FRAMES = np.array([(X, Y, Z), (Y, -X, Z), (-X, -Y, Z), (-Y, X, Z), (Z, Y, -X), (-Z, Y, X)])
POINTS = 4


def unit_vectors(lons: Any, lats: Any) -> Any:
    """Unit vectors (..., 3) at longitudes and latitudes in degrees."""
    lon, lat = np.radians(lons), np.radians(lats)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat) + 0 * lon], -1)


def directions(lons: Any, lats: Any) -> tuple[Any, Any]:
    """Unit vectors eastward and northward (..., 3) at longitudes and latitudes in degrees."""
    lon, lat = np.radians(lons), np.radians(lats)
    return (np.stack([-np.sin(lon), np.cos(lon), 0 * lon], -1),
            np.stack([-np.sin(lat) * np.cos(lon), -np.sin(lat) * np.sin(lon), np.cos(lat)], -1))


def panel_angles(lons: Any) -> Any:
    """Angles along a panel, in degrees, of longitudes (6, rows, columns): panel 0 is centred at longitude 0."""
    return (np.asarray(lons[0, 0], dtype=float) + 180) % 360 - 180


def polynomials(s: Any, first: Any, places: Any) -> Any:
    """Weights (points, 4) at places s of four vertices from `first` on."""
    node = [places[first + k] for k in range(POINTS)]
    weights = np.ones((s.size, POINTS))
    for m in range(POINTS):
        for k in range(POINTS):
            if k != m:
                weights[:, m] *= (s - node[k]) / (node[m] - node[k])
    return weights


class Sampler:
    """Where points (..., 3) of the unit sphere lie among vertices at angles (n + 1) of a panel, in radians."""

    def __init__(self, points: Any, angles: Any) -> None:
        self.shape, self.pitch = points.shape[:-1], angles.size
        r = points.reshape(-1, 3)
        panel = np.argmax(r @ FRAMES[:, 0].T, axis=1)
        out, along, across = np.moveaxis(np.einsum("pmd,pd->pm", FRAMES[panel], r), 1, 0)
        s, t = (np.clip(np.arctan2(x, out), angles[0], angles[-1]) for x in (along, across))
        i, j = (np.clip(np.searchsorted(angles, x, "right") - 2, 0, angles.size - POINTS) for x in (s, t))
        self.along, self.across = polynomials(s, i, angles), polynomials(t, j, angles)
        self.at = (panel * self.pitch + j) * self.pitch + i

    def __call__(self, values: Any) -> Any:
        """Values at the points, of a field (6, n + 1, n + 1)."""
        flat, total = values.ravel(), np.zeros(self.at.size)
        for m in range(POINTS):
            for k in range(POINTS):
                total += self.across[:, m] * self.along[:, k] * flat[self.at + m * self.pitch + k]
        return total.reshape(self.shape)
