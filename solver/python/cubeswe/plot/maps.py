"""Maps: which point of the sphere is seen where, and what stands around it."""
import numpy as np
from matplotlib.patches import Circle
from matplotlib.ticker import FuncFormatter, MultipleLocator

from cubeswe.sampling import FRAMES, unit_vectors

GRID_LINES = {"color": "0.4", "linewidth": 0.4, "alpha": 0.6}
# Values at the edges are seen in the gaps; grey is seen on dark and on light colours.
PANEL_LINES = {"color": "0.5", "linewidth": 1.0, "linestyle": (0, (1.5, 4.5))}


def panel_edges():
    """The 12 edges of the panels, each as points (200, 3) of the unit sphere."""
    t = np.tan(np.linspace(-np.pi / 4, np.pi / 4, 200))[:, None]
    for frame in FRAMES[:4]:  # around the equator
        for along, across, side in ((2, 1, 1), (1, 2, -1), (1, 2, 1)):
            r = frame[0] + t * frame[along] + side * frame[across]
            yield r / np.linalg.norm(r, axis=1, keepdims=True)


def degrees_text(value, positive, negative):
    value = round(value, 6)
    return f"{abs(value):g}°" + ("" if value in (0, 180, -180) else positive if value > 0 else negative)


class LatLon:
    """Longitudes around a middle one, and a range of latitudes; a degree is as long along both."""

    def __init__(self, center, lat_range):
        self.middle, (self.south, self.north) = center[0], lat_range
        height = self.north - self.south
        inches = 7.3 * height / 360
        self.size, self.bar = (9.0, inches + 0.7), (1.015, 0.0, 0.018, 1.0)
        self.box = (0.6 / 9, 0.3 / self.size[1], 7.3 / 9, inches / self.size[1])
        self.longest_arrow = 1 / 40
        self.key, self.key_side = (0.755, 1 - 0.27 / self.size[1]), "E"
        rows = max(int(1440 * height / 360), 120)
        self.x = self.middle - 180 + (np.arange(1440) + 0.5) / 4
        self.y = self.south + (np.arange(rows) + 0.5) * height / rows
        self.extent = (self.middle - 180, self.middle + 180, self.south, self.north)
        self.points = unit_vectors(*np.meshgrid(self.x, self.y))

    def frame(self, axes):
        """Set up axes; nothing needs to be cut off."""
        axes.set(xlim=self.extent[:2], ylim=self.extent[2:], aspect="equal")
        axes.xaxis.set_major_locator(MultipleLocator(60))
        axes.yaxis.set_major_locator(MultipleLocator(30 if self.north - self.south > 100 else 10))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: degrees_text((x + 180) % 360 - 180, "E", "W")))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: degrees_text(y, "N", "S")))
        axes.tick_params(labelsize=8)
        axes.grid(**GRID_LINES)

    def draw_panels(self, axes):
        for r in panel_edges():
            lon = np.degrees(np.arctan2(r[:, 1], r[:, 0]))
            x = (lon - self.middle + 180) % 360 - 180 + self.middle
            y = np.degrees(np.arcsin(r[:, 2]))
            x[1:][np.abs(np.diff(x)) > 180] = np.nan
            axes.plot(x, y, **PANEL_LINES)

    def arrow_places(self):
        """Where arrows stand (x, y), the points there, and the directions right and up of the map."""
        step = 360 / 36
        x = self.middle - 180 + step * (np.arange(36) + 0.5)
        rows = max(int((self.north - self.south) / step), 3)
        y = self.south + (np.arange(rows) + 0.5) * (self.north - self.south) / rows
        x, y = np.meshgrid(x, y)
        lon, lat = np.radians(x), np.radians(y)
        right = np.stack([-np.sin(lon), np.cos(lon), 0 * lon], -1)
        up = np.stack([-np.sin(lat) * np.cos(lon), -np.sin(lat) * np.sin(lon), np.cos(lat)], -1)
        return x, y, unit_vectors(x, y), right, up


class Sphere:
    """The half of the sphere that is seen from far above a point."""

    def __init__(self, center):
        lon, lat = np.radians(center)
        self.out = unit_vectors(*center)
        self.right = np.array([-np.sin(lon), np.cos(lon), 0])
        self.up = np.array([-np.sin(lat) * np.cos(lon), -np.sin(lat) * np.sin(lon), np.cos(lat)])
        self.size, self.bar = (6.2, 5.3), (1.03, 0.1, 0.03, 0.8)
        self.box = (0.01, 0.01, 0.79, 0.92)
        self.longest_arrow = 1 / 24
        self.key, self.key_side = (0.1, 0.025), "N"  # a corner beside the limb
        count = 900
        self.x = self.y = (np.arange(count) + 0.5) * 2 / count - 1
        self.extent = (-1, 1, -1, 1)
        x, y = np.meshgrid(self.x, self.y)
        distance = np.maximum(np.hypot(x, y), 1.0)  # beyond the limb, what is on it: the limb cuts it off
        self.points = self.at(x / distance, y / distance)

    def at(self, x, y):
        z = np.sqrt(np.maximum(1 - x ** 2 - y ** 2, 0))
        return x[..., None] * self.right + y[..., None] * self.up + z[..., None] * self.out

    def frame(self, axes):
        """Set up axes; the patch that cuts off what is beyond the limb."""
        axes.set(xlim=(-1.02, 1.02), ylim=(-1.02, 1.02), aspect="equal")
        axes.axis("off")
        for lat in range(-60, 90, 30):
            self.draw_line(axes, unit_vectors(np.linspace(0, 360, 361), np.full(361, lat)), **GRID_LINES)
        for lon in range(0, 360, 30):
            self.draw_line(axes, unit_vectors(np.full(181, lon), np.linspace(-90, 90, 181)), **GRID_LINES)
        limb = Circle((0, 0), 1, fill=False, color="k", linewidth=0.8, zorder=5)
        return axes.add_patch(limb)

    def draw_line(self, axes, r, **style):
        seen = r @ self.out >= 0
        axes.plot(np.where(seen, r @ self.right, np.nan), np.where(seen, r @ self.up, np.nan), **style)

    def draw_panels(self, axes):
        for r in panel_edges():
            self.draw_line(axes, r, **PANEL_LINES)

    def arrow_places(self):
        grid = np.linspace(-0.95, 0.95, 20)
        x, y = np.meshgrid(grid, grid)
        inside = np.hypot(x, y) < 0.97
        x, y = x[inside], y[inside]
        return x, y, self.at(x, y), np.broadcast_to(self.right, (x.size, 3)), np.broadcast_to(self.up, (x.size, 3))
