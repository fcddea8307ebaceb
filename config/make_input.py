#!/usr/bin/env python3
"""Write the fields of a case on a latitude-longitude grid, and the case that reads them.

    /usr/bin/python3 config/make_input.py FOLDER [--case mountain|gyre] [--spacing DEGREES]
    cubeswe run FOLDER/case.yaml

mountain    FOLDER/initial.nc (h, u, v) and bottom.nc: case 5 of Williamson et al. (1992) over a smooth mountain, a zonal
            wind of 20 m/s whose surface is in balance
gyre        FOLDER/initial.nc, bottom.nc and wind.nc (tau_u, tau_v): an ocean at rest that a zonal wind stress drives; a ridge from pole
            to pole, of four fifths of the depth, blocks it, and currents form along its eastern side

It needs NumPy and xarray (tools/install-dependencies test). Replace the formulas by your own fields; the program also
reads files of other grids and names (config/README.md).
"""
import argparse
from pathlib import Path

import numpy as np
import xarray

GRAVITY, RADIUS, ROTATION = 9.80616, 6371220.0, 7.292e-5  # m s-2, m, s-1
DEPTH, SPEED = 5960.0, 20.0                               # of the surface at the equator [m], of the wind [m s-1]
SUMMIT, WIDTH, LON, LAT = 2000.0, 20.0, 270.0, 30.0       # of the mountain [m], [degree]

OCEAN, RIDGE, RIDGE_WIDTH, STRESS = 1000.0, 800.0, 8.0, 0.1  # [m], [m], [degree], [N m-2]

MOUNTAIN = f"""\
# Zonal flow over a smooth mountain, from files on a latitude-longitude grid.
grid: {{n: 48, order: 4}}
physics: {{model: nonlinear, gravity: {GRAVITY}, depth: {DEPTH}, radius: {RADIUS}, rotation: {ROTATION}}}
initial: {{kind: file, path: initial.nc}}
bottom: {{path: bottom.nc}}
time: {{end: 432000.0, courant: 0.4}}
output: {{fields: [h, wind, native, surface]}}
"""

GYRE = f"""\
# An ocean that a wind drives, over a ridge from pole to pole, from files on a latitude-longitude grid. 200 days.
grid: {{n: 48, order: 4}}
physics: {{model: nonlinear, gravity: {GRAVITY}, depth: {OCEAN}, radius: {RADIUS}, rotation: {ROTATION}}}
initial: {{kind: file, path: initial.nc}}
bottom: {{path: bottom.nc}}
forcing:
  path: wind.nc
  wind_stress: {{u: tau_u, v: tau_v, density: 1000.0}}
  drag: {{rate: 1.0e-6}}
  viscosity: {{coefficient: 1.0e+4}}
time: {{end: 200d, courant: 0.4}}
output: {{fields: [h, wind, surface], interval: 50d}}
diagnostics: {{interval: 1d}}
"""


def field(values, units, **attributes):
    """A variable on the grid, with the attributes that the program looks at."""
    return ("lat", "lon"), values, {"units": units, **attributes}


def mountain(lon, lat):
    """The files of a zonal flow over a mountain: {name: variables}."""
    cos_distance = np.sin(lat) * np.sin(np.radians(LAT)) + np.cos(lat) * np.cos(np.radians(LAT)) * np.cos(lon - np.radians(LON))
    distance = np.degrees(np.arccos(np.clip(cos_distance, -1, 1)))
    bottom = SUMMIT * np.exp(-(distance / WIDTH) ** 2)
    surface = DEPTH - SPEED * (RADIUS * ROTATION + SPEED / 2) / GRAVITY * np.sin(lat) ** 2
    return {"initial": {"h": field(surface - bottom, "m", long_name="depth of the fluid"),
                        "u": field(SPEED * np.cos(lat), "m s-1", standard_name="eastward_wind"),
                        "v": field(0 * lat, "m s-1", standard_name="northward_wind")},
            "bottom": {"bottom": field(bottom, "m", standard_name="surface_altitude")}}


def gyre(lon, lat):
    """The files of an ocean under trade winds and westerlies."""
    ridge = RIDGE * np.exp(-(np.degrees(lon - np.pi) * np.cos(lat) / RIDGE_WIDTH) ** 2) * np.cos(lat) ** 2
    stress = -STRESS * np.cos(3 * lat) * np.cos(lat) ** 2
    return {"initial": {"h": field(OCEAN - ridge, "m", long_name="depth of the fluid"),
                        "u": field(0 * lat, "m s-1", standard_name="eastward_wind"),
                        "v": field(0 * lat, "m s-1", standard_name="northward_wind")},
            "bottom": {"bottom": field(ridge, "m", standard_name="surface_altitude")},
            "wind": {"tau_u": field(stress, "N m-2", long_name="zonal stress"),
                     "tau_v": field(0 * lat, "N m-2", long_name="meridional stress")}}


def main():
    cases = {"mountain": (mountain, MOUNTAIN), "gyre": (gyre, GYRE)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--case", choices=cases, default="mountain", help="which fields (default: mountain)")
    parser.add_argument("--spacing", type=float, default=1.0, help="of the grid [degree]; it divides 180 (default: 1)")
    options = parser.parse_args()

    rows = round(180 / options.spacing)
    axes = {"lat": ("lat", (np.arange(rows) + 0.5) * 180 / rows - 90, {"units": "degrees_north"}),
            "lon": ("lon", np.arange(2 * rows) * 180 / rows, {"units": "degrees_east"})}
    lon, lat = np.meshgrid(np.radians(axes["lon"][1]), np.radians(axes["lat"][1]))
    files, case = cases[options.case]
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, variables in files(lon, lat).items():
        xarray.Dataset(variables, axes).to_netcdf(options.folder / f"{name}.nc")
    (options.folder / "case.yaml").write_text(case)


if __name__ == "__main__":
    main()
