"""Datasets on the cubed sphere: `Model.to_xarray` and `ds.cs`."""
import os
import subprocess
import sys
import warnings

import cubeswe as cs
import numpy as np
import pytest
import xarray as xr

from conftest import REPOSITORY

EARTH_RADIUS = 6371220.0


def dataset(names, case="galewsky", until=None, **options):
    m = cs.Model(case, **{"n": 24, "device": "cpu", "threads": 2, **options})
    if until:
        m.run(until)
    return m, m.to_xarray(names)


def test_a_dataset_is_the_field_file(tmp_path):
    m, ds = dataset(["h", "u", "v", "v1", "v2", "vorticity", "kinetic_energy"], until="6h")
    m.write(tmp_path / "fields.nc", ["h", "wind", "native", "vorticity", "kinetic_energy"])
    file = xr.open_dataset(tmp_path / "fields.nc")
    for name in ds.variables:
        assert ds[name].dims == file[name].dims, name
        if name[1:] in ("dim", "Cdim"):
            assert np.allclose(ds[name], file[name], atol=1e-12)
        else:
            assert np.array_equal(ds[name], file[name]), name
        for key, value in ds[name].attrs.items():
            assert file[name].attrs[key] == value, (name, key)
    for key, value in ds.attrs.items():
        assert file.attrs[key] == value, key
    assert set(m.to_xarray()) == {"h", "u", "v"}


def test_field_files_have_the_accessor(tmp_path):
    """In a process that has not called to_xarray."""
    m, _ = dataset(["h"])
    m.write(tmp_path / "fields.nc", "h")
    program = "import sys, cubeswe, xarray as xr; print(float(xr.open_dataset(sys.argv[1]).cs.mean('h')[0]))"
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "fields.nc"], capture_output=True, text=True, timeout=100,
                          env={**os.environ, "PYTHONPATH": str(REPOSITORY / "solver/python")})
    assert float(done.stdout) == pytest.approx(m.mass / (4 * np.pi * EARTH_RADIUS**2), rel=1e-5), done.stderr


def test_integrals_are_of_the_scheme():
    m, ds = dataset(["h"])
    assert float(ds.cs.integral("h")[0]) == pytest.approx(m.mass, rel=1e-13)
    assert ds.cs.integral("h").attrs["units"] == "m m2" and ds.cs.mean("h").attrs["units"] == "m"
    with pytest.raises(ValueError, match="has no divergence, vorticity"):
        ds.cs.energy_spectrum()
    assert float(ds.cs.mean("h")[0]) == pytest.approx(m.mass / (4 * np.pi * EARTH_RADIUS**2), rel=1e-6)


def test_a_rotation_is_one_on_other_grids():
    """Zonal and meridional wind of a rotation about an axis off the pole, also across panels and near the poles."""
    m = cs.Model("williamson2", n=32, device="cpu")
    tilt = np.radians(30)

    def zonal(lon, lat):
        lon, lat = np.radians(lon), np.radians(lat)
        return 40 * (np.cos(lat) * np.cos(tilt) + np.cos(lon) * np.sin(lat) * np.sin(tilt))

    def meridional(lon, lat):
        return -40 * np.sin(np.radians(lon)) * np.sin(tilt) + 0 * lat

    m.set(wind=(zonal, meridional))
    ds = m.to_xarray(["u", "v", "h"])
    for grid in (ds.cs.to_latlon(72, 36), ds.cs.to_gaussian(32)):
        lon, lat = np.meshgrid(grid.lon, grid.lat)
        assert np.abs(grid.u[0] - zonal(lon, lat)).max() < 2e-3
        assert np.abs(grid.v[0] - meridional(lon, lat)).max() < 2e-3
        assert grid.u.dims == ("time", "lat", "lon") and grid.u.attrs["units"] == "m s-1"
    assert float(ds.cs.to_gaussian(32).weight.sum()) == pytest.approx(2, rel=1e-14)
    assert np.abs(ds.cs.zonal_mean().u[0] - 40 * np.cos(tilt) * np.cos(np.radians(ds.cs.zonal_mean().lat))).max() < 2e-3


def test_a_harmonic_has_one_degree():
    """A standing wave of degree 5: all variance at degree 5, but for the interpolation, of order 4."""
    outside = []
    for n in (16, 32):
        _, ds = dataset(["h"], "standing_wave", n=n, initial={"degree": 5, "lon": 20, "lat": 35})
        spectrum = ds.cs.spectrum("h")[0]
        square = float(((ds.h**2 * ds.area).sum() / ds.area.sum()))
        assert float(spectrum.sum()) == pytest.approx(square, rel=1e-3) and spectrum.sizes["degree"] == 2 * n + 1
        outside.append(1 - float(spectrum[5] / spectrum.sum()))
    assert outside[1] < 1e-8 and outside[0] / outside[1] > 2**6


def test_the_energy_spectrum_is_the_kinetic_energy():
    _, ds = dataset(["u", "v", "vorticity", "divergence"], n=48, order=6, until="1d")
    energy = float(((ds.u**2 + ds.v**2) / 2 * ds.area).sum() / ds.area.sum())
    spectrum = ds.cs.energy_spectrum()
    assert float(spectrum.sum()) == pytest.approx(energy, rel=2e-3)
    assert float(spectrum.sel(degree=slice(1, 20)).sum()) > 0.97 * energy


def test_uxarray_reads_field_files(tmp_path):
    ux = pytest.importorskip("uxarray")
    m, ds = dataset(["h"])
    m.write(tmp_path / "fields.nc", ["h"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mesh = ux.open_dataset(str(tmp_path / "fields.nc"), str(tmp_path / "fields.nc"))
        areas = mesh.uxgrid.face_areas.values
        other = ds.cs.to_uxarray()
    assert mesh.h.sizes["n_face"] == 6 * 25**2 and areas.sum() == pytest.approx(4 * np.pi, rel=1e-9)
    integral = (mesh.h.values[0] * areas).sum() * EARTH_RADIUS**2
    assert integral == pytest.approx(m.mass, rel=1e-4)
    assert np.array_equal(other.h, mesh.h)


@pytest.mark.parametrize("projection", ["latlon", "sphere", "north"])
def test_pictures_are_drawn(tmp_path, projection):
    from matplotlib.image import imread

    _, ds = dataset(["h", "u", "v", "vorticity"])
    figure = ds.cs.plot("vorticity", projection=projection, path=tmp_path / "x.png", wind=True, levels=8)
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert len(np.unique(imread(tmp_path / "x.png").reshape(-1, 4), axis=0)) > 20
    assert "galewsky, n = 24, order 4, t = 0 s" in figure.axes[0].get_title()
    halves = figure.__class__(figsize=(12, 4)).subfigures(1, 2)
    for half in halves:
        assert ds.cs.plot("h", projection=projection, figure=half, wind=True) is half and len(half.axes) >= 1
    with pytest.raises(TypeError, match="no such option: colour"):
        ds.cs.plot(colour="red")
    with pytest.raises(TypeError, match="no projection 'mercator'"):
        ds.cs.plot(projection="mercator")
