"""A field file: its fields at vertices, and where and when they are."""
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from cubeswe.sampling import directions, panel_angles

DATA, NO_INPUT = 65, 66
PANELS = 6
COORDINATES = {"lons", "lats"}


class Refused(Exception):
    """A failure: one line, and its exit code."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


@dataclass
class Field:
    """Values at vertices (6, n + 1, n + 1)."""
    name: str
    values: np.ndarray
    label: str
    units: str


def text_of(attributes, name, default=""):
    value = attributes.get(name, default)
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def is_at_vertices(item, m=None):
    """Whether a dataset is (1, 6, m, m) or (6, m, m) of floating-point numbers."""
    if not isinstance(item, h5py.Dataset) or item.dtype.kind != "f" or item.ndim not in (3, 4):
        return False
    panels, rows, columns = item.shape[-3:]
    return (item.ndim == 3 or item.shape[0] == 1) and panels == PANELS and rows == columns and rows == (m or rows)


class Snapshot:
    """An open field file."""

    def __init__(self, path):
        self.path = path
        if not Path(path).exists():
            raise Refused(NO_INPUT, f"{path}: no such file")
        if not Path(path).is_file():  # opening a FIFO would wait for ever
            raise Refused(NO_INPUT, f"{path}: not a regular file")
        try:
            self.file = h5py.File(path)
        except OSError as error:
            raise Refused(DATA, f"{path}: not an HDF5 file that can be opened") from error
        lons = self.item("lons")
        if not is_at_vertices(lons) or lons.ndim != 3 or lons.shape[-1] < 5:
            raise Refused(DATA, f"{path}: has no longitudes 'lons' of shape (6, n + 1, n + 1): not a field file")
        self.n = lons.shape[-1] - 1
        self.angles = self.vertex_angles(lons)
        time = self.item("time")
        if not isinstance(time, h5py.Dataset) or time.shape != (1,) or time.dtype.kind != "f":
            raise Refused(DATA, f"{path}: has no dataset 'time' of one time")
        self.time = float(time[0])
        self.title = text_of(self.file.attrs, "title", Path(path).stem)
        self.order = self.file.attrs.get("order")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def item(self, name):
        """An entry of the file; None: there is none."""
        item = self.file.get(name)
        if item is None and name in self.file:
            raise Refused(DATA, f"{self.path}: '{name}' cannot be opened: the file is damaged, or has a link that leads nowhere")
        return item

    def vertex_angles(self, lons):
        """Angles (n + 1) of the vertices along a panel, in radians: longitudes of panel 0, whose centre is at 0."""
        try:
            angles = np.radians(panel_angles(lons))
        except OSError as error:
            raise Refused(DATA, f"{self.path}: dataset 'lons' cannot be read") from error
        if not np.all(np.diff(angles) > 0):
            raise Refused(DATA, f"{self.path}: longitudes 'lons' of the first panel do not ascend around 0 degrees")
        return angles

    def names(self):
        """Names of the fields at vertices."""
        return [name for name in self.file
                if name not in COORDINATES and is_at_vertices(self.item(name), self.n + 1)]

    def values(self, name):
        """Values (6, n + 1, n + 1) of a dataset at vertices."""
        item = self.item(name)
        if not is_at_vertices(item, self.n + 1):
            raise Refused(DATA, f"{self.path}: has no field '{name}' at vertices, but {', '.join(self.names()) or 'none'}")
        try:
            return np.asarray(item[()], dtype=float).reshape(PANELS, self.n + 1, self.n + 1)
        except OSError as error:
            raise Refused(DATA, f"{self.path}: dataset '{name}' cannot be read") from error

    def field(self, name):
        values, attributes = self.values(name), self.file[name].attrs
        return Field(name, values, text_of(attributes, "long_name", name), text_of(attributes, "units"))

    def velocity(self):
        """The wind as Cartesian vectors (6, n + 1, n + 1, 3), and its unit."""
        east, north = directions(self.values("lons"), self.values("lats"))
        zonal = self.field("u")
        return zonal.values[..., None] * east + self.values("v")[..., None] * north, zonal.units

    def describe(self):
        """The line above a picture."""
        order = f", order {self.order}" if self.order is not None else ""
        return f"{self.title}, n = {self.n}{order}, t = {duration(self.time)}"


def duration(seconds):
    """A time with its unit, in its shortest form."""
    if abs(seconds) < 7200:
        return f"{seconds:.4g} s"
    if abs(seconds) < 2 * 86400:
        return f"{seconds / 3600:.4g} h"
    return f"{seconds / 86400:.5g} d"
