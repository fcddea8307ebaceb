"""`cubeswe convert`: fields on a regular grid and as a mesh, opened by other programs."""
import os
import subprocess
from xml.etree import ElementTree

import h5py
import netCDF4
import numpy as np
import pytest
import xarray

import sphere
from program import HANGS, OF_DAMAGE, damage, field_files, write_state

USAGE, DATA, NO_INPUT, CANNOT_CREATE = 64, 65, 66, 73
N = 12
AXIS = np.array([0.6, -0.48, 0.64])  # of a rotation, a unit vector


def smooth(r):
    """A polynomial on the sphere."""
    x, y, z = np.moveaxis(r, -1, 0)
    return 0.3 + x * y - 0.7 * z ** 3 + 0.4 * x * z ** 4 + 0.1 * y ** 5


def geographic(r):
    """Longitude in [0, 360) and latitude, as the program writes them."""
    lon = np.degrees(np.arctan2(r[..., 1], r[..., 0]))
    return np.where(lon < 0, lon + 360, lon), np.degrees(np.arctan2(r[..., 2], np.hypot(r[..., 0], r[..., 1])))


def write_fields(path, n=N, time=0.0, fields=None, closure="moved"):
    """A field file of n cells a side: a smooth field, a constant and a tilted rotation; and `fields`."""
    r = sphere.positions(*[sphere.vertices(n, closure=closure)] * 2)
    lons, lats = geographic(r)
    _, east, north = sphere.unit_vectors(lons, lats)
    velocity = np.cross(AXIS, r)
    values = {"h": smooth(r), "one": np.full(lons.shape, 0.1), "u": np.sum(velocity * east, -1),
              "v": np.sum(velocity * north, -1), **(fields or {})}
    with h5py.File(path, "w", track_order=True) as file:
        file.attrs.update({"title": np.bytes_("smooth"), "radius": 2.5, "Conventions": "CF-1.0", "step": 3})
        file["lons"], file["lats"], file["time"] = lons, lats, [time]
        file["time"].attrs["units"] = "seconds since 2000-01-01 00:00:00"
        for name, x in values.items():
            file[name] = x[None]
            file[name].attrs.update({"units": "m s-1" if name in "uv" else "m", "long_name": f"the {name}"})
        file["u"].attrs["standard_name"] = "eastward_wind"
        file["v"].attrs["standard_name"] = np.bytes_("northward_wind")
        file["v1"] = np.zeros((1, 6, n + 1, n))
        file["mountain"] = r[..., 2]
        file["corner_lons"] = np.zeros((6, n + 2, n + 2))
    return path


def convert(run, *arguments):
    done = run("convert", *arguments, "--quiet")
    assert (done.code, done.out, done.err) == (0, "", ""), done.err


def opened(path):
    with xarray.open_dataset(path, engine="netcdf4") as data:
        return data.load()


def points_of(data):
    """Unit vectors (lat, lon, 3) of a regular grid."""
    lons, lats = np.meshgrid(data.lon, data.lat)
    return sphere.unit_vectors(lons, lats)


# ---- a regular grid ------------------------------------------------------------------------------

def latlon_errors(run, tmp_path, n):
    """Largest errors of the smooth field and of the wind, on a grid that is the same for all n."""
    convert(run, write_fields(tmp_path / f"in{n}.nc", n), "--to", "latlon", "--lon", 720, "--lat", 361, "--output",
            f"out{n}.nc")
    data = opened(tmp_path / f"out{n}.nc")
    r, east, north = points_of(data)
    velocity = np.cross(AXIS, r)
    wind = max(np.abs(data.u[0] - np.sum(velocity * east, -1)).max(), np.abs(data.v[0] - np.sum(velocity * north, -1)).max())
    return float(np.abs(data.h[0] - smooth(r)).max()), float(wind)


def test_a_regular_grid_converges_at_order_six(run, tmp_path):
    """The outermost of 361 latitudes are a quarter degree from the poles: the wind is as accurate there."""
    coarse, fine = (np.array(latlon_errors(run, tmp_path, n)) for n in (32, 64))
    assert (np.log2(coarse / fine) > 5.5).all() and (fine < 1e-8).all(), (coarse, fine)


def test_on_vertices_values_are_exact(run, tmp_path):
    """With n odd, the centres of some bands and some longitudes are vertices of the panels at the equator."""
    write_fields(tmp_path / "in.nc", closure="equispaced")
    convert(run, "in.nc", "--to", "latlon", "--lon", 4 * N, "--lat", 1 + 2 * N, "--output", "out.nc")
    data = opened(tmp_path / "out.nc")
    equator = smooth(points_of(data)[0])[N]
    assert data.lat[N] == 0
    np.testing.assert_allclose(data.h[0, N], equator, rtol=0, atol=1e-14)


def test_constants_stay_what_they_are(run, tmp_path):
    write_fields(tmp_path / "in.nc", 7)
    convert(run, "in.nc", "--to", "latlon", "--output", "out.nc")
    assert (opened(tmp_path / "out.nc").one == 0.1).all()


@pytest.mark.parametrize("n", [4, 5, 6])
def test_small_grids_are_read(run, tmp_path, n):
    write_fields(tmp_path / "in.nc", n)
    for grid in ("latlon", "ugrid"):
        convert(run, "in.nc", "--to", grid, "--output", f"{grid}.nc")
    data = opened(tmp_path / "latlon.nc")
    assert np.abs(data.h[0] - smooth(points_of(data)[0])).max() < 0.03


def jump(places, values, edge):
    """The distance at an edge between two lines, each through the nearest two values on one side."""
    k = np.searchsorted(places, edge)
    before, after = slice(k - 3, k - 1), slice(k + 1, k + 3)
    ends = [np.polyval(np.polyfit(places[side], values[side], 1), edge) for side in (before, after)]
    return abs(ends[1] - ends[0])


def test_nothing_jumps_at_panel_edges(run, tmp_path):
    """The field is rough; the paths are a parallel between vertices and meridians to the panels of the poles."""
    n = 7
    rough = np.random.default_rng(3).standard_normal((6, n + 1, n + 1))
    write_fields(tmp_path / "in.nc", n, fields={"rough": rough})
    for lon, lat, name in ((8192, 4, "parallel.nc"), (36, 8192, "meridian.nc")):
        convert(run, "in.nc", "--to", "latlon", "--lon", lon, "--lat", lat, "--output", name, "--fields", "rough")
    data = opened(tmp_path / "parallel.nc")
    jumps = [jump(data.lon.values, data.rough[0, 2].values, lon) for lon in (45, 135, 225, 315)]
    data = opened(tmp_path / "meridian.nc")
    edge = np.degrees(np.arctan(np.cos(np.radians(10))))
    jumps += [jump(data.lat.values, data.rough[0, :, column].values, lat)
              for column in (1, 10, 19, 28) for lat in (-edge, edge)]
    assert max(jumps) < 1e-2 and np.ptp(data.rough.values) > 3, jumps


def test_a_regular_grid_is_cf(run, tmp_path):
    write_fields(tmp_path / "in.nc")
    convert(run, "in.nc", "--to", "latlon", "--output", "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert file.Conventions == "CF-1.8" and (file.title, file.radius) == ("smooth", 2.5)
        assert "convert --to latlon: in.nc" in file.history and not hasattr(file, "step")
        assert {name: len(d) for name, d in file.dimensions.items()} == {"time": 1, "lat": 2 * N, "lon": 4 * N, "bnds": 2}
        assert list(file.variables)[-5:] == ["h", "one", "u", "v", "mountain"]
        assert file["mountain"].dimensions == ("lat", "lon") and file["u"].dimensions == ("time", "lat", "lon")
        assert (file["u"].units, file["u"].long_name, file["u"].standard_name) == ("m s-1", "the u", "eastward_wind")
        assert file["v"].standard_name == "northward_wind"
        for name, units, whole in (("lon", "degrees_east", 360), ("lat", "degrees_north", 180)):
            bounds = file[file[name].bounds][:]
            assert file[name].units == units and file[name].standard_name.startswith(name)
            np.testing.assert_allclose(bounds.mean(axis=1), file[name][:], atol=1e-12)
            assert (bounds[1:, 0] == bounds[:-1, 1]).all() and np.ptp(bounds) == whole


def test_the_size_of_a_regular_grid(run, tmp_path):
    write_fields(tmp_path / "in.nc")
    for options, shape in ((["--lon", 36], (18, 36)), (["--lat", 10], (10, 20)), (["--lon", 30, "--lat", 7], (7, 30))):
        convert(run, "in.nc", "--to", "latlon", *options, "--output", "out.nc", "--overwrite")
        assert opened(tmp_path / "out.nc").h.shape == (1, *shape)


# ---- a mesh --------------------------------------------------------------------------------------

@pytest.fixture(name="mesh", params=[8, 9])
def fixture_mesh(run, tmp_path, request):
    """A mesh file, for n even and odd."""
    convert(run, write_fields(tmp_path / "in.nc", request.param), "--to", "ugrid", "--output", "mesh.nc")
    return request.param, opened(tmp_path / "mesh.nc")


def test_every_vertex_is_a_node_once(mesh):
    n, data = mesh
    r, east, north = sphere.unit_vectors(data.lon, data.lat)
    assert len(r) == 6 * n ** 2 + 2 == len(np.unique(np.round(r, 9) + 0.0, axis=0))
    np.testing.assert_allclose(data.h[0], smooth(r), rtol=0, atol=1e-14)
    velocity = np.cross(AXIS, r)
    np.testing.assert_allclose(data.u[0], np.sum(velocity * east, -1), rtol=0, atol=1e-14)
    np.testing.assert_allclose(data.v[0], np.sum(velocity * north, -1), rtol=0, atol=1e-14)
    assert (data.one == 0.1).all()


def spherical_areas(corners):
    """Areas of polygons with unit corners (..., corners, 3), counterclockwise from outside."""
    total = 0
    for k in range(1, corners.shape[-2] - 1):
        a, b, c = corners[..., 0, :], corners[..., k, :], corners[..., k + 1, :]
        triple = np.sum(a * np.cross(b, c), -1)
        total = total + 2 * np.arctan2(triple, 1 + np.sum(a * b, -1) + np.sum(b * c, -1) + np.sum(c * a, -1))
    return total


def test_faces_cover_the_sphere_once(mesh):
    n, data = mesh
    r = sphere.unit_vectors(data.lon, data.lat)[0]
    nodes = data.face_nodes.values.astype(int)  # xarray makes them floating-point, as there is a _FillValue
    assert nodes.shape == (6 * n ** 2, 4) and (np.bincount(nodes.ravel()) >= 3).all()
    areas = spherical_areas(r[nodes])
    assert areas.min() > 0 and areas.sum() == pytest.approx(4 * np.pi, rel=1e-13)
    centres = sphere.unit_vectors(data.face_lon, data.face_lat)[0]
    middle = r[nodes].mean(axis=1)
    assert np.linalg.norm(centres - middle / np.linalg.norm(middle, axis=1)[:, None], axis=1).max() < 0.3 / n


def test_bounds_cover_the_sphere_once(mesh):
    """Dual cells surround their nodes and are triangles at cube vertices; no longitude jumps."""
    _, data = mesh
    areas = spherical_areas(sphere.unit_vectors(data.lon_bnds, data.lat_bnds)[0])
    assert areas.min() > 0 and areas.sum() == pytest.approx(4 * np.pi, rel=1e-13)
    assert np.abs(data.lon_bnds.values - data.lon.values[:, None]).max() <= 180
    triangles = (data.lon_bnds[:, 2] == data.lon_bnds[:, 3]) & (data.lat_bnds[:, 2] == data.lat_bnds[:, 3])
    assert triangles.sum() == 8


def test_a_mesh_is_ugrid(run, tmp_path):
    write_fields(tmp_path / "in.nc")
    convert(run, "in.nc", "--to", "ugrid", "--output", "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        assert file.Conventions == "CF-1.8 UGRID-1.0"
        mesh = file["mesh"]
        assert (mesh.cf_role, mesh.topology_dimension, mesh.node_coordinates) == ("mesh_topology", 2, "lon lat")
        faces = file[mesh.face_node_connectivity]
        assert faces.dimensions[0] == mesh.face_dimension and (faces.start_index, faces.cf_role) == (0, "face_node_connectivity")
        assert faces.start_index.dtype == np.int32 and faces._FillValue == -1  # as VTK reads them
        assert faces.coordinates == "face_lon face_lat"  # otherwise CDO treats it as a field that it cannot remap
        assert faces.dtype == np.int32 and file["lon"].bounds == "lon_bnds" and file["lat"].bounds == "lat_bnds"
        for name in ("h", "u", "mountain"):
            assert (file[name].mesh, file[name].location, file[name].coordinates) == ("mesh", "node", "lon lat")
        assert file["h"].dimensions == ("time", "nNodes") and file["mountain"].dimensions == ("nNodes",)


def test_copies_that_differ_become_their_mean(run, tmp_path):
    """Copies of a wind differ, since every panel computes its own."""
    copies = np.zeros((6, N + 1, N + 1)) + np.arange(6)[:, None, None]
    write_fields(tmp_path / "in.nc", fields={"panel": copies})
    convert(run, "in.nc", "--to", "ugrid", "--output", "out.nc", "--fields", "panel")
    found = opened(tmp_path / "out.nc").panel[0].values
    assert set(np.unique(found)) >= {0.5, 1.5, 2.5} and found.sum() == pytest.approx(2.5 * (6 * N ** 2 + 2))


# ---- VTK (tests/conversion has VTK itself) -------------------------------------------------------

def read_vtu(path):
    """The arrays of a .vtu file by name, from the XML and the raw values behind it."""
    head, raw = path.read_bytes().split(b'<AppendedData encoding="raw">\n_', 1)
    root = ElementTree.fromstring(head + b"</VTKFile>")
    assert root.attrib == {"type": "UnstructuredGrid", "version": "1.0", "byte_order": "LittleEndian", "header_type": "UInt64"}
    arrays = {}
    for item in root.iter("DataArray"):
        if item.get("format") == "ascii":
            arrays[item.get("Name")] = float(item.text)
            continue
        start = int(item.get("offset"))
        size = int.from_bytes(raw[start:start + 8], "little")
        values = np.frombuffer(raw[start + 8:start + 8 + size], item.get("type").lower())
        arrays[item.get("Name")] = values.reshape(-1, int(item.get("NumberOfComponents"))).squeeze()
    assert raw[start + 8 + size:].split() == [b"</AppendedData>", b"</VTKFile>"]
    return arrays


@pytest.mark.parametrize("radius", [2.5, None])
def test_a_vtu_file_is_the_mesh_on_the_sphere(run, tmp_path, radius):
    """The sphere is the unit sphere if the file has no radius; characters that XML does not allow are replaced."""
    with h5py.File(write_fields(tmp_path / "in.nc", time=7.5), "a") as file:
        file['<a & "b">'] = file["h"][()].astype(np.float32)
        if radius is None:
            del file.attrs["radius"]
    convert(run, "in.nc", "--to", "vtu", "--output", "out.vtu")
    convert(run, "in.nc", "--to", "ugrid", "--output", "mesh.nc")
    found, mesh = read_vtu(tmp_path / "out.vtu"), opened(tmp_path / "mesh.nc")
    r, east, north = sphere.unit_vectors(mesh.lon.values, mesh.lat.values)
    np.testing.assert_allclose(found["points"], (radius or 1.0) * r, rtol=0, atol=1e-14)
    assert (found["connectivity"] == mesh.face_nodes.values.ravel()).all() and found["TimeValue"] == 7.5
    assert (found["offsets"] == 4 * np.arange(1, 6 * N ** 2 + 1)).all() and set(found["types"]) == {9}
    for name in ("h", "one", "u", "v", "mountain"):
        assert found[name].tobytes() == mesh[name].values.tobytes(), name
    assert found["_a _ _b__"].dtype == np.float32
    wind = mesh.u[0].values[:, None] * east + mesh.v[0].values[:, None] * north
    np.testing.assert_allclose(found["wind"], wind, rtol=0, atol=1e-14)


# ---- which files go where ------------------------------------------------------------------------

def test_files_of_a_run_are_converted(run, case, tmp_path):
    out = run.solve(case(), "out", "--set", "output.every=2")
    files = sorted(f"out/{path.name}" for path in out.glob("fields_*.nc"))
    done = run("convert", *files, "--to", "latlon")
    assert done.code == 0 and done.err == ""
    assert done.out.split() == [word for name in files for word in ("converted", name.replace("out/", "out/latlon/"))]
    convert(run, *files, "--to", "latlon", "--output", "all/of/them.nc")
    data = opened(tmp_path / "all/of/them.nc")
    assert set(data.data_vars) == {"h", "u", "v", "lat_bnds", "lon_bnds"} and data.h.shape == (3, 24, 48)
    assert set(data.coords) == {"area", "time", "lat", "lon"} and "area" in data.h.coords
    for k, name in enumerate(files):
        one = opened(tmp_path / name.replace("out/", "out/latlon/"))
        assert one.time[0] == data.time[k]
        for field in "huv":
            assert (one[field][0].values == data[field][k].values).all()
    again = run("run", case(), "--output", "out", "--overwrite", "--quiet")
    assert again.code == 0 and (out / "latlon").is_dir()


def test_files_of_converge_are_converted(run, case, tmp_path):
    run.solve(case(), "study", "--n", "9", command="converge")
    convert(run, "study/fields_order4_n0009.nc", "--to", "ugrid", "--output", "there", "--fields", "h_error,h")
    data = opened(tmp_path / "there/fields_order4_n0009.nc")
    assert {"h", "h_error"} <= set(data.data_vars) and "h_exact" not in data


def test_what_is_there_stays_unless_requested(run, refuses, tmp_path):
    write_fields(tmp_path / "in.nc")
    arguments = ("convert", "in.nc", "--to", "latlon", "--output", "out.nc")
    assert run(*arguments).code == 0
    refuses(CANNOT_CREATE, ["out.nc", "--overwrite"], *arguments)
    before = (tmp_path / "out.nc").stat().st_ino
    assert run(*arguments, "--overwrite").code == 0 and (tmp_path / "out.nc").stat().st_ino != before


def test_what_is_read_is_never_replaced(refuses, tmp_path):
    write_fields(tmp_path / "in.nc")
    os.link(tmp_path / "in.nc", tmp_path / "same.nc")
    for output in ("in.nc", "./in.nc", "same.nc", "."):
        refuses(CANNOT_CREATE, ["in.nc" if output == "." else output], "convert", "in.nc", "--to", "ugrid",
                "--output", output, "--overwrite")
    write_fields(tmp_path / "out.nc.tmp")  # the name that the output has while it is written
    refuses(CANNOT_CREATE, ["out.nc"], "convert", "out.nc.tmp", "--to", "ugrid", "--output", "out.nc")


def test_outputs_that_cannot_be_created_are_refused(refuses, tmp_path):
    write_fields(tmp_path / "in.nc")
    os.mkfifo(tmp_path / "fifo.nc")
    (tmp_path / "folder.nc").mkdir()
    for output, word in (("fifo.nc", "fifo.nc"), ("folder.nc", "folder.nc"), ("in.nc/below", "in.nc"), ("", "name")):
        refuses(CANNOT_CREATE, [word], "convert", "in.nc", "--to", "ugrid", "--overwrite", "--output", output)


@pytest.mark.parametrize("arguments, words", [
    ([], ["field files"]),
    (["in.nc"], ["--to"]),
    (["in.nc", "--to", "grib"], ["--to grib"]),
    (["in.nc", "--to", "latlon", "--lon", "3"], ["--lon 3"]),
    (["in.nc", "--to", "latlon", "--lat", "x"], ["--lat x"]),
    (["in.nc", "--to", "ugrid", "--lat", "90"], ["--lat"]),
    (["in.nc", "--to", "vtu", "--lon", "90"], ["--lon"]),
    (["in.nc", "--to", "vtu", "--output", "out.nc"], ["out.nc", ".vtu"]),
    (["in.nc", "--to", "latlon", "--output", "out.vtu"], ["out.vtu", ".nc"]),
    (["in.nc", "a/in.nc", "--to", "vtu", "--output", "out.vtu"], ["out.vtu", "one time"]),
    (["in.nc", "a/in.nc", "--to", "ugrid", "--output", "there"], ["in.nc", "a/in.nc", "there/in.nc"])], ids=" ".join)
def test_wrong_usage_is_refused(refuses, tmp_path, arguments, words):
    (tmp_path / "a").mkdir()
    write_fields(tmp_path / "in.nc")
    write_fields(tmp_path / "a/in.nc")
    refuses(USAGE, words, "convert", *arguments)


@pytest.mark.parametrize("grid", ["latlon", "ugrid", "vtu"])
def test_every_field_is_converted(run, tmp_path, grid):
    """Any number, integers, long names."""
    names = [f"f{k}" for k in range(70)] + ["long" * 50]
    write_fields(tmp_path / "in.nc", 4, fields={**{name: np.full((6, 5, 5), float(k)) for k, name in enumerate(names)},
                                                "whole": np.full((6, 5, 5), 2 ** 30 + 1)})
    convert(run, "in.nc", "--to", grid, "--output", "out.vtu" if grid == "vtu" else "out.nc")
    found = read_vtu(tmp_path / "out.vtu") if grid == "vtu" else opened(tmp_path / "out.nc")
    assert all((found[name] == k).all() for k, name in enumerate(names)) and (found["whole"] == 2 ** 30 + 1).all()


# ---- files that are not as they should be ----------------------------------------------------------

def refuses_change(refuses, tmp_path, words, change, *arguments, code=DATA):
    with h5py.File(write_fields(tmp_path / "bad.nc"), "a") as file:
        change(file)
    for grid in ("latlon", "ugrid"):
        refuses(code, ["bad.nc", *words], "convert", "bad.nc", "--to", grid, "--output", "new/out.nc", *arguments)


def replaced(name, values):
    def change(file):
        file.pop(name, None)
        file[name] = values
    return change


def shifted(file):
    file["lons"][2, 3, 4] += 1


def lons_elsewhere(file):
    """Correct longitudes, stored in other files."""
    lons = file["lons"][()]
    folder = os.path.dirname(file.filename)
    lons.tofile(f"{folder}/other.raw")
    write_state(f"{folder}/other.nc", lons=lons)


def elsewhere(file):
    lons_elsewhere(file)
    del file["lons"]
    file["lons"] = h5py.ExternalLink("other.nc", "lons")


def scattered(file):
    """Values in another file that a dataset names."""
    lons_elsewhere(file)
    del file["lons"]
    file.create_dataset("lons", (6, N + 1, N + 1), dtype="f8", external=[("other.raw", 0, 6 * 8 * (N + 1) ** 2)])


def virtual(file):
    lons_elsewhere(file)
    layout = h5py.VirtualLayout((6, N + 1, N + 1), dtype="f8")
    layout[...] = h5py.VirtualSource("other.nc", "lons", (6, N + 1, N + 1))
    del file["lons"]
    file.create_virtual_dataset("lons", layout)


def huge(file):
    """A dataset that is declared and never written: it has no storage in the file."""
    del file["lons"]
    file.create_dataset("lons", (6, 100_000, 100_000), dtype="f8", chunks=(1, 1000, 1000))


def only_v1(file):
    for name in ("h", "one", "u", "v", "mountain"):
        del file[name]


def soft(file):
    file["other"] = h5py.SoftLink("/h")


def filtered(file):
    file.create_dataset("other", data=np.ones((6, N + 1, N + 1)), chunks=True, compression="lzf")


def virtual_field(file):
    """A field whose values are in another file."""
    lons = file["lons"][()]
    virtual(file)
    file.move("lons", "other")
    file["lons"] = lons


@pytest.mark.parametrize("name", ["h", "area", "time", "lons", "v"])
def test_a_dataset_that_is_damaged_is_not_an_absent_one(run, case, refuses, name):
    path, = field_files(run.solve(case(output={"every": 1000, "fields": ["h", "wind"]}), "out"))[:1]
    damage(path, name)
    for grid in ("latlon", "ugrid"):
        refuses(DATA, [path.name, f"'{name}' cannot be opened", "damaged"], "convert", path, "--to", grid, "--output", "out.nc",
                env=OF_DAMAGE)


@pytest.mark.parametrize("change, word", [
    (soft, "'other' is reached by a link"), (filtered, "'other' is not stored"), (virtual_field, "'other' is not stored"),
    (replaced("x" * 300, 1.0), "has more than 256 characters"),
    (replaced("lons", np.ones((6, 4, 4))), "'lons'"), (replaced("lons", np.ones((6, N + 1, N))), "'lons'"),
    (replaced("lons", np.ones((5, N + 1, N + 1))), "'lons'"), (replaced("lons", "text"), "'lons'"),
    (replaced("lons", np.ones((6, N + 1, N + 1), dtype=int)), "'lons'"), (lambda file: file.pop("lons"), "'lons'"),
    (elsewhere, "'lons'"), (scattered, "'lons'"), (virtual, "'lons'"), (huge, "'lons'"),
    (replaced("lats", np.ones((6, N + 2, N + 1))), "'lats'"), (shifted, "panel 2, j 3, i 4"),
    (replaced("lats", np.full((6, N + 1, N + 1), np.nan)), "panel 0"), (lambda file: file.pop("time"), "'time'"),
    (replaced("time", [1.0]), "'time'"), (replaced("time", [1.0, 2.0]), "'time'"), (replaced("time", 1.0), "'time'"),
    (only_v1, "no field")])
def test_a_bad_file_is_refused(refuses, tmp_path, change, word):
    refuses_change(refuses, tmp_path, [word], change)


def test_a_wind_without_its_other_component_is_refused(refuses, run, tmp_path):
    with h5py.File(write_fields(tmp_path / "bad.nc"), "a") as file:
        del file["v"]
    refuses(DATA, ["bad.nc", "'u'"], "convert", "bad.nc", "--to", "latlon", "--output", "out.nc")
    convert(run, "bad.nc", "--to", "ugrid", "--output", "out.nc")


@pytest.mark.parametrize("grid, name", [
    ("latlon", "lon"), ("latlon", "lat"), ("latlon", "lon_bnds"), ("latlon", "bnds"),
    ("ugrid", "lon"), ("ugrid", "mesh"), ("ugrid", "nNodes"), ("ugrid", "face_nodes")])
def test_a_field_with_the_name_of_a_coordinate_is_refused(run, refuses, tmp_path, grid, name):
    """A mesh for VTK names no coordinates."""
    write_fields(tmp_path / "in.nc", fields={name: np.ones((6, N + 1, N + 1))})
    refuses(DATA, ["in.nc", f"field '{name}'", "--fields"], "convert", "in.nc", "--to", grid, "--output", "out.nc")
    convert(run, "in.nc", "--to", grid, "--fields", "h,u,v", "--output", "out.nc")
    convert(run, "in.nc", "--to", "vtu", "--output", "out.vtu")


def test_fields_that_are_not_there_are_refused(refuses, tmp_path):
    write_fields(tmp_path / "in.nc")
    for chosen in ("w", "h,w", "v1,h", "h,", "", "x" * 500):
        refuses(DATA, ["in.nc", "no field"], "convert", "in.nc", "--to", "ugrid", "--fields", chosen)


def test_files_that_do_not_belong_together_are_refused(refuses, tmp_path):
    write_fields(tmp_path / "a.nc", time=1.0)
    write_fields(tmp_path / "same.nc", time=1.0)
    write_fields(tmp_path / "finer.nc", n=N + 1, time=2.0)
    with h5py.File(write_fields(tmp_path / "less.nc", time=2.0), "a") as file:
        del file["one"]
    for other, word in (("same.nc", "time"), ("finer.nc", "n is 13"), ("less.nc", "'one'")):
        refuses(DATA, [other, word], "convert", "a.nc", other, "--to", "ugrid", "--output", "out.nc")


def test_what_is_no_file_is_refused(refuses, tmp_path):
    os.mkfifo(tmp_path / "fifo.nc")
    (tmp_path / "text.nc").write_text("lons lats\n")
    for path, code in (("fifo.nc", NO_INPUT), ("none.nc", NO_INPUT), (".", NO_INPUT), ("text.nc", DATA)):
        refuses(code, [path], "convert", path, "--to", "ugrid", "--output", "new/out.nc")
    write_state(tmp_path / "state.nc", h=np.ones((6, N + 1, N + 1)))
    refuses(DATA, ["state.nc", "'lons'"], "convert", "state.nc", "--to", "ugrid")


@pytest.mark.parametrize("kept", [100, 0.5, 0.95])
def test_a_truncated_file_is_refused(refuses, tmp_path, kept):
    content = write_fields(tmp_path / "bad.nc").read_bytes()
    (tmp_path / "bad.nc").write_bytes(content[:kept if isinstance(kept, int) else int(kept * len(content))])
    refuses(DATA, ["bad.nc"], "convert", "bad.nc", "--to", "latlon", "--output", "out.nc")


def test_a_full_disk_leaves_nothing(run, tmp_path):
    """A limit on the size of files stands in for a full disk."""
    write_fields(tmp_path / "in.nc")
    command = f'ulimit -f 20; exec "{run.path}" convert in.nc --to latlon --output new/out.nc'
    done = subprocess.run(["/bin/bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=HANGS)
    assert done.returncode == 74 and len(done.stderr.splitlines()) == 1 and "new/out.nc" in done.stderr
    assert not (tmp_path / "new").exists()
