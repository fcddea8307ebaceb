"""Pictures of datasets in memory (`ds.cs.plot`)."""
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from cubeswe.plot.maps import LatLon, Sphere
from cubeswe.plot.picture import Picture, finite_range, look_of
from cubeswe.plot.snapshot import Field, Snapshot
from cubeswe.sampling import panel_angles

CENTERS = {"north": (0.0, 90.0), "south": (0.0, -90.0)}
LOOK = {"levels": None, "range": None, "cmap": None, "wind": False, "outline": None, "panels": False, "dpi": None}


class InMemory(Snapshot):
    """A dataset of one time in the place of a field file."""

    def __init__(self, dataset):
        self.dataset, self.n = dataset, dataset.sizes["Xdim"] - 1
        self.angles = np.radians(panel_angles(dataset["lons"].values))
        self.title, self.order = dataset.attrs.get("title", ""), dataset.attrs.get("order")
        start = np.datetime64("2000-01-01", "ns")
        self.time = float((dataset["time"].values - start) / np.timedelta64(1, "s")) if "time" in dataset.coords else 0.0

    def values(self, name):
        return np.asarray(self.dataset[name].values, dtype=float)

    def field(self, name):
        attributes = self.dataset[name].attrs
        return Field(name, self.values(name), attributes.get("long_name", name), attributes.get("units", ""))


class Shown(Figure):
    """A figure that a notebook shows."""

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        self.savefig(file, format="png", bbox_inches="tight", pad_inches=0.08)
        return file.getvalue()


def draw(dataset: Any, name: str, projection: str, center: Any, path: Any, within: Any, look: dict[str, Any]) -> Any:
    """A figure of a variable, or `within`, a figure of the caller; wrong names of the look raise a TypeError."""
    if set(look) - set(LOOK):
        raise TypeError(f"plot: no such option: {', '.join(sorted(set(look) - set(LOOK)))}; there are {', '.join(LOOK)}")
    if projection not in ("latlon", "sphere", *CENTERS):
        raise TypeError(f"plot: no projection '{projection}': latlon, sphere, {', '.join(CENTERS)}")
    snapshot = InMemory(dataset)
    chart = LatLon(list(center), (-90.0, 90.0)) if projection == "latlon" else Sphere(list(CENTERS.get(projection, center)))
    figure = Shown(figsize=chart.size, dpi=look.get("dpi", 160)) if within is None else within
    options = SimpleNamespace(field=name, **{**LOOK, **look})
    Picture(chart, snapshot.angles, name, look_of(options, *finite_range(snapshot.values(name)))).draw(figure, snapshot)
    if path is not None:
        figure.figure.savefig(path, bbox_inches="tight", pad_inches=0.08)
    return figure
