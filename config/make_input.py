#!/usr/bin/env python3
"""Write an initial state and a bottom on a latitude-longitude grid, and the case that reads them.

    /usr/bin/python3 config/make_input.py FOLDER [--spacing DEGREES]

leaves FOLDER/initial.nc (h, u, v), FOLDER/bottom.nc (bottom) and FOLDER/case.yaml; then

    cubeswe run FOLDER/case.yaml

The flow is the one of case 5 of Williamson et al. (1992) over a smooth mountain: a zonal wind of 20 m/s whose
surface is in balance. It needs NumPy and xarray (tools/install-dependencies test). Replace the formulas by your
own fields; the program also reads files of other grids and names (config/README.md).
"""
import argparse
from pathlib import Path

import numpy as np
import xarray

GRAVITY, RADIUS, ROTATION = 9.80616, 6371220.0, 7.292e-5  # m s-2, m, s-1
DEPTH, SPEED = 5960.0, 20.0                               # of the surface at the equator [m], of the wind [m s-1]
SUMMIT, WIDTH, LON, LAT = 2000.0, 20.0, 270.0, 30.0       # of the mountain [m], [degree]

CASE = f"""\
# Zonal flow over a smooth mountain, from files on a latitude-longitude grid.
grid: {{n: 48, order: 4}}
physics: {{model: nonlinear, gravity: {GRAVITY}, depth: {DEPTH}, radius: {RADIUS}, rotation: {ROTATION}}}
initial: {{kind: file, path: initial.nc}}
bottom: {{path: bottom.nc}}
time: {{end: 432000.0, courant: 0.4}}
output: {{fields: [h, wind, native, surface]}}
"""


def field(values, units, **attributes):
    """A variable on the grid, with the attributes that the program looks at."""
    return ("lat", "lon"), values, {"units": units, **attributes}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--spacing", type=float, default=1.0, help="of the grid [degree]; it divides 180 (default: 1)")
    options = parser.parse_args()

    rows = round(180 / options.spacing)
    axes = {"lat": ("lat", (np.arange(rows) + 0.5) * 180 / rows - 90, {"units": "degrees_north"}),
            "lon": ("lon", np.arange(2 * rows) * 180 / rows, {"units": "degrees_east"})}
    lon, lat = np.meshgrid(np.radians(axes["lon"][1]), np.radians(axes["lat"][1]))

    cos_distance = np.sin(lat) * np.sin(np.radians(LAT)) + np.cos(lat) * np.cos(np.radians(LAT)) * np.cos(lon - np.radians(LON))
    distance = np.degrees(np.arccos(np.clip(cos_distance, -1, 1)))
    bottom = SUMMIT * np.exp(-(distance / WIDTH) ** 2)
    surface = DEPTH - SPEED * (RADIUS * ROTATION + SPEED / 2) / GRAVITY * np.sin(lat) ** 2

    options.folder.mkdir(parents=True, exist_ok=True)
    xarray.Dataset({"h": field(surface - bottom, "m", long_name="depth of the fluid"),
                    "u": field(SPEED * np.cos(lat), "m s-1", standard_name="eastward_wind"),
                    "v": field(0 * lat, "m s-1", standard_name="northward_wind")},
                   axes).to_netcdf(options.folder / "initial.nc")
    xarray.Dataset({"bottom": field(bottom, "m", standard_name="surface_altitude")},
                   axes).to_netcdf(options.folder / "bottom.nc")
    (options.folder / "case.yaml").write_text(CASE)


main()
