"""Conservative means over cells of longitude and latitude: `ds.cs.to_latlon(..., "conservative")` and `ds.cs.weights`."""
import cubeswe as cs
import netCDF4
import numpy as np
import pytest
import xarray as xr
from cubeswe.remapping import corners, overlaps
from cubeswe.sampling import FRAMES, directions, unit_vectors
from scipy.sparse import coo_array


def model(n, order=4, case="galewsky", **options):
    return cs.Model(case, n=n, order=order, device="cpu", threads=2, **options)


def areas_of(n, order=4):
    """Areas [sr] of the points of a panel, with the sum 2 pi / 3."""
    area = model(n, order).to_xarray("h")["area"].values[0]
    return area * (2 * np.pi / 3 / area.sum())


def boxes(nlon, nlat):
    """Areas [sr] of the cells of a grid."""
    return np.repeat(np.diff(np.sin(np.radians(np.linspace(-90, 90, nlat + 1)))) * 2 * np.pi / nlon, nlon)


def matrix(area, nlon, nlat):
    row, column, value = overlaps(area, nlon, nlat)
    return coo_array((value, (row, column)), shape=(nlon * nlat, 6 * area.size)).toarray()


def mean_over(grid, name):
    """Mean over the sphere of a variable on a grid."""
    nlat, nlon = grid[name].shape[-2:]
    return grid[name].values.reshape(-1, nlon * nlat) @ boxes(nlon, nlat) / (4 * np.pi)


# Odd and even numbers of points; meridians through panel edges, parallels that touch them and lie along edges of cells.
@pytest.mark.parametrize("n, order, nlon, nlat", [(24, 4, 72, 36), (25, 4, 72, 36), (13, 4, 8, 4), (14, 4, 8, 4), (13, 2, 7, 5), (25, 6, 4, 2),
                                                  (24, 6, 1, 1), (13, 4, 2, 90), (14, 4, 3, 900), (14, 4, 121, 75), (96, 4, 360, 180)])
def test_overlaps_tile_both_grids(n, order, nlon, nlat):
    area = areas_of(n, order)
    row, column, value = overlaps(area, nlon, nlat)
    assert value.min() > 0 and len(np.unique(row * 6 * area.size + column)) == row.size
    of_boxes, of_cells = np.bincount(row, value, nlon * nlat), np.bincount(column, value, 6 * area.size)
    assert np.abs(of_boxes - boxes(nlon, nlat)).max() < 1e-15 + 1e-12 * boxes(nlon, nlat).max()
    assert np.abs(of_cells / np.tile(area.ravel(), 6) - 1).max() < 1e-11
    assert value.sum() == pytest.approx(4 * np.pi, rel=1e-14)


@pytest.mark.parametrize("closure, most", [("moved", 1.8), ("equispaced", 2.06)])
def test_cells_are_not_those_of_the_corners(closure, most):
    """Cells of points are as large as `area`, and have their points inside; cells between the corners of field files are not."""
    for n in (24, 48):
        ds = model(n, 6, "williamson2", grid={"closure": closure}).to_xarray("h")
        area, vertex = ds.area.values[0] * (2 * np.pi / 3 / ds.area.values[0].sum()), np.tan(np.radians(ds.Xdim.values))
        sine = np.sin(np.radians(ds.XCdim.values))
        ratio = np.diff(np.diff(np.arcsin(np.outer(sine, sine)), axis=0), axis=1) / area
        assert 0.58 < ratio.min() < 0.7 and most - 0.05 < ratio.max() < most + 0.05
        assert np.abs(ratio[10:-10, 10:-10] - 1).max() < 0.004
        box = corners(area)
        a, b = box[..., 1] / box[..., 0], box[..., 2] / box[..., 0]
        for low, place, high in ((a[..., 0], vertex, a[..., 1]), (b[..., 0], vertex[:, None], b[..., 2])):
            assert np.all(low < place + 1e-14) and np.all(place < high + 1e-14)


@pytest.mark.parametrize("n, nlon, nlat", [(13, 8, 4), (14, 7, 5), (16, 12, 6)])
def test_overlaps_are_sums_of_finer_overlaps(n, nlon, nlat):
    area = areas_of(n)
    fine = matrix(area, 3 * nlon, 3 * nlat).reshape(nlat, 3, 3 * nlon, -1).sum(1)
    fine = np.roll(fine, 1, axis=1).reshape(nlat, nlon, 3, -1).sum(2)  # around the same meridians
    assert np.abs(fine.reshape(nlon * nlat, -1) - matrix(area, nlon, nlat)).max() < 1e-15


@pytest.mark.parametrize("n", [13, 14])
def test_overlaps_are_numbers_of_points(n):
    """Points of equal areas, each in the cell that has it on the left of all its edges."""
    area, nlon, nlat, points = areas_of(n), 8, 6, 60000
    box = corners(area).reshape(-1, 4, 3)
    normals = np.cross(box, np.roll(box, -1, axis=1))
    lon, lat = np.arange(points) * 180 * (np.sqrt(5) - 1) % 360, np.degrees(np.arcsin((np.arange(points) + 0.5) * 2 / points - 1))
    r, cell = unit_vectors(lon, lat), np.zeros(points, int)
    panel = np.argmax(r @ FRAMES[:, 0].T, axis=1)
    for k, frame in enumerate(FRAMES):
        cell[panel == k] = k * len(box) + np.argmax((normals @ frame @ r[panel == k].T).min(1), axis=0)
    row = np.floor((lat + 90) * nlat / 180).astype(int) * nlon + np.floor(lon * nlon / 360 + 0.5).astype(int) % nlon
    number = coo_array((np.full(points, 4 * np.pi / points), (row, cell)), shape=(nlon * nlat, 6 * len(box))).toarray()
    assert np.abs(number - matrix(area, nlon, nlat)).max() < 0.1 * area.max()


@pytest.mark.parametrize("n, order", [(25, 2), (24, 4), (32, 6)])
def test_constants_means_and_ranges_are_kept(n, order):
    m = model(n, order)
    first = m.to_xarray(["h", "vorticity"])
    ds = xr.concat([first, m.run("12h").to_xarray(["h", "vorticity"])], "time")
    ds["one"] = 3.7 + 0 * ds.h
    ds["sign"] = xr.where(np.cos(np.radians(5 * ds.lons)) * ds.lats > 0, 1.0, -1.0).expand_dims(time=ds.time)
    for nlon, nlat in ((72, 36), (31, 17), (5, 2), (180, 91)):
        grid = ds.cs.to_latlon(nlon, nlat, method="conservative")
        assert grid.h.dims == ("time", "lat", "lon") and grid.h.shape == (2, nlat, nlon)
        assert np.abs(grid.one / 3.7 - 1).max() < 1e-13
        assert np.abs(grid.sign).max() < 1 + 1e-14 and np.abs(grid.sign).min() < 0.9
        for name in ("h", "vorticity", "sign"):
            scale = np.abs(ds[name]).max().item()
            assert np.abs(mean_over(grid, name) - ds.cs.mean(name).values).max() < 2e-14 * scale, (name, nlon, nlat)
            assert ds[name].min() - 1e-14 * scale <= grid[name].min() and grid[name].max() <= ds[name].max() + 1e-14 * scale
        assert np.array_equal(grid.isel(time=[0]).h, first.cs.to_latlon(nlon, nlat, "conservative").h)


def test_the_grid_is_the_grid_of_the_interpolation():
    ds = model(24).to_xarray()
    means, cubic = ds.cs.to_latlon(30, 20, "conservative"), ds.cs.to_latlon(30, 20)
    assert means.coords.to_dataset().identical(cubic.coords.to_dataset()) and means.attrs == cubic.attrs
    for name in cubic:
        assert means[name].attrs == {**cubic[name].attrs, "cell_methods": "area: mean"} and means[name].dims == cubic[name].dims
    assert ds.cs.to_latlon(30, 20, "cubic").identical(cubic)
    with pytest.raises(TypeError, match="no method 'bilinear': cubic, conservative"):
        ds.cs.to_latlon(30, 20, "bilinear")


def smooth(lon, lat):
    x, y, z = np.moveaxis(unit_vectors(lon, lat), -1, 0)
    return x * y + np.sin(2 * z) + x**3 * z


def rotation(r):
    return np.cross([0.6, 0.0, 0.8], r)


def errors_of(n, nlon, nlat):
    """Root mean square error of means of a function and of the wind of a rotation about a tilted axis."""
    ds = model(n).to_xarray()
    r, winds = unit_vectors(ds.lons.values, ds.lats.values), directions(ds.lons.values, ds.lats.values)
    ds["h"] = ds.h.dims, smooth(ds.lons.values, ds.lats.values)[None]
    for name, e in zip(("u", "v"), winds):
        ds[name] = ds.h.dims, (rotation(r) * e).sum(-1)[None]
    grid = ds.cs.to_latlon(nlon, nlat, "conservative")
    place, weight = np.polynomial.legendre.leggauss(4)
    edges, exact = np.sin(np.radians(np.linspace(-90, 90, nlat + 1))), 0
    for s, a in zip(place, weight):
        mu = (edges[1:] + edges[:-1] + s * np.diff(edges)) / 2
        for t, b in zip(place, weight):
            exact = exact + a * b / 4 * smooth(*np.meshgrid(grid.lon + t * 180 / nlon, np.degrees(np.arcsin(mu))))
    share, lonlat = boxes(nlon, nlat) / (4 * np.pi), np.meshgrid(grid.lon, grid.lat)
    difference = [grid.h.values[0] - exact, *((grid[name].values[0] - (rotation(unit_vectors(*lonlat)) * e).sum(-1))
                                              for name, e in zip(("u", "v"), directions(*lonlat)))]
    return np.sqrt([share @ x.ravel()**2 for x in difference]), np.max(np.abs(difference), axis=(1, 2))


def test_means_converge():
    """At order 1 where the cells of both grids shrink; at order 2, but for the turn of the wind within a cell, on a given grid."""
    (coarse, most), (fine, most_fine) = errors_of(24, 72, 36), errors_of(48, 144, 72)
    assert np.all(fine < coarse / 1.9) and np.all(most_fine < most / 1.7) and np.all(most < 0.2)
    (coarse, _), (fine, _) = errors_of(24, 24, 12), errors_of(96, 24, 12)
    assert fine[0] < coarse[0] / 4**1.7


def test_weights_are_a_file_of_esmf(tmp_path):
    ds = model(25).run("1h").to_xarray(["h"])
    nlon, nlat = 40, 23
    ds.cs.weights(nlon, nlat).to_netcdf(tmp_path / "weights.nc")
    with netCDF4.Dataset(tmp_path / "weights.nc") as file:
        size = {name: len(dimension) for name, dimension in file.dimensions.items()}
        assert (size["n_a"], size["n_b"], size["nv_a"], size["nv_b"]) == (6 * 26**2, nlon * nlat, 4, 4)
        assert {*file["src_grid_dims"][:]} == {26, 6 * 26} and [*file["dst_grid_dims"][:]] == [nlon, nlat]
        assert file["row"].dtype == file["col"].dtype == np.int32 and file["S"].dtype == np.float64
        assert all(file[name].dimensions == ("n_s",) for name in ("S", "row", "col"))
        assert file.normalization == "destarea" and file["xv_a"].dimensions == ("n_a", "nv_a") and file["yc_b"].units == "degrees"
    w = xr.open_dataset(tmp_path / "weights.nc")
    assert w.row.min() == 1 and w.row.max() == nlon * nlat and w.col.min() == 1 and w.col.max() == 6 * 26**2
    weights = coo_array((w.S.values, (w.row.values - 1, w.col.values - 1)), shape=(nlon * nlat, 6 * 26**2))
    grid = ds.cs.to_latlon(nlon, nlat, "conservative")
    assert np.allclose(weights @ ds.h.values.ravel(), grid.h.values.ravel(), rtol=1e-14, atol=0)
    assert np.abs(weights.sum(axis=1) - w.frac_b.values).max() < 1e-13
    assert np.abs(weights.T @ w.area_b.values / w.area_a.values - w.frac_a.values).max() < 1e-11
    assert np.allclose(w.area_a * ds.radius**2, ds.area.values.ravel(), rtol=1e-8)
    assert np.allclose(w.area_b, boxes(nlon, nlat), rtol=1e-12)
    for side, area in (("a", w.area_a), ("b", w.area_b)):  # the centre lies within the corners, which go round counterclockwise
        box = unit_vectors(w[f"xv_{side}"].values, w[f"yv_{side}"].values)
        centre = unit_vectors(w[f"xc_{side}"].values, w[f"yc_{side}"].values)
        inside = np.einsum("cvd,cd->cv", np.cross(box, np.roll(box, -1, axis=1)), centre)
        assert inside.min() > -1e-15, side
    assert np.array_equal(w.xc_a, ds.lons.values.ravel()) and np.array_equal(w.yc_b[::nlon], grid.lat)


def test_runs_are_remapped(tmp_path):
    ds = cs.run("galewsky", tmp_path / "run", n=24, end="2h", save="1h").to_xarray()
    grid = ds.cs.to_latlon(90, 45, "conservative")
    assert grid.h.shape == (3, 45, 90) and {"h", "u", "v"} <= set(grid)
    assert np.allclose(mean_over(grid, "h"), ds.cs.mean("h"), rtol=1e-14)
    assert np.abs(mean_over(grid, "h") * 4 * np.pi * ds.radius**2 / ds.cs.integral("h") - 1).max() < 3e-9  # the error of the sum of area
    assert np.abs(grid.u - ds.cs.to_latlon(90, 45).u).max() < 0.25 * np.abs(ds.u).max()
