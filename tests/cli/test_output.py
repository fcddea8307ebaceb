"""Field files: layout, metadata, geometry, wind, and states read from files."""
import os
import shutil
import subprocess
import sys

import h5py
import numpy as np
import pytest

import sphere
from program import (HANGS, REPOSITORY, assert_same_bits, final_fields, field_files, read_fields,
                     write_case, write_state)

sys.path.insert(0, str(REPOSITORY / "tests/reference"))
import reference  # noqa: E402

DATA, NO_INPUT, INTERNAL, CANNOT_CREATE = 65, 66, 70, 73

N = 12
SIZES = {"time": 1, "nf": 6, "Ydim": N + 1, "Xdim": N + 1, "YCdim": N + 2, "XCdim": N + 2,
         "Ycell": N, "Xcell": N}
AT_VERTICES = ("time", "nf", "Ydim", "Xdim")
VARIABLES = {
    "h": (AT_VERTICES, "m", None),
    "u": (AT_VERTICES, "m s-1", "eastward_wind"),
    "v": (AT_VERTICES, "m s-1", "northward_wind"),
    "v1": (("time", "nf", "Ydim", "Xcell"), "m2 s-1", None),
    "v2": (("time", "nf", "Ycell", "Xdim"), "m2 s-1", None),
    "area": (("nf", "Ydim", "Xdim"), "m2", "cell_area"),
    "lons": (("nf", "Ydim", "Xdim"), "degrees_east", "longitude"),
    "lats": (("nf", "Ydim", "Xdim"), "degrees_north", "latitude"),
    "corner_lons": (("nf", "YCdim", "XCdim"), "degrees_east", None),
    "corner_lats": (("nf", "YCdim", "XCdim"), "degrees_north", None)}


@pytest.fixture
def fields_path(run, case):
    """The field file of a short run."""
    return field_files(run.solve(case(), "out"))[-1]


@pytest.fixture
def fields(fields_path):
    return read_fields(fields_path)


# ---- other programs read the files ---------------------------------------------------------------

def header(program, package, *arguments):
    """Output of a tool that must succeed without a message."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed (Debian package {package})")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True,
                          timeout=HANGS)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


def test_h5dump_opens_it(fields_path):
    text = header("h5dump", "hdf5-tools", "-H", fields_path)
    assert all(f'DATASET "{name}"' in text for name in (*VARIABLES, *SIZES))


def test_ncdump_opens_it(fields_path):
    text = header("ncdump", "netcdf-bin", "-h", fields_path)
    assert all(f"\t{name} = {size} ;\n" in text for name, size in SIZES.items())
    for name, (dimensions, units, _) in VARIABLES.items():
        assert f"double {name}({', '.join(dimensions)}) ;" in text
        assert f'\t{name}:units = "{units}" ;' in text


@pytest.mark.filterwarnings("ignore:numpy.ndarray size changed")
def test_xarray_opens_it(fields_path, fields):
    xarray = pytest.importorskip("xarray", reason="Debian packages python3-xarray, python3-netcdf4")
    with xarray.open_dataset(fields_path, engine="netcdf4", decode_times=False) as data:
        assert dict(data.sizes) == SIZES
        for name, (dimensions, units, standard_name) in VARIABLES.items():
            variable = data[name]
            assert variable.dims == dimensions
            assert variable.attrs["units"] == units and variable.attrs["long_name"]
            assert variable.attrs.get("standard_name") == standard_name
            found = variable.values[0] if dimensions[0] == "time" else variable.values
            assert found.tobytes() == fields[name].tobytes()
        for name in ("h", "u", "v"):
            assert {"lons", "lats", "area"} <= set(data[name].coords)
            assert data[name].attrs["grid_mapping"] == "cubed_sphere"
        assert data["cubed_sphere"].attrs["grid_mapping_name"] == "gnomonic cubed-sphere"
        assert data["time"].values == [0.1]
        for name in ("Xdim", "Ydim"):
            np.testing.assert_allclose(data[name], np.degrees(sphere.points(N)[0]), atol=1e-12)
    with xarray.open_dataset(fields_path, engine="netcdf4") as data:
        assert data["time"].attrs["standard_name"] == "time" and {"corner_lons", "corner_lats"} <= set(data.coords)
        assert data["time"].values[0] == np.datetime64("2000-01-01T00:00:00.100")


def test_files_of_converge_open_too(run, case):
    out = run.solve(case(), "study", "--n", "9", command="converge")
    text = header("ncdump", "netcdf-bin", "-h", out / "fields_order4_n0009.nc")
    assert all(f"double {name}(time, nf, Ydim, Xdim)" in text
               for name in ("h", "h_exact", "h_error"))


def test_chosen_fields_only(run, case):
    chosen = {"h": {"h"}, "wind": {"u", "v"}, "native": {"v1", "v2"}, "vorticity": {"vorticity"},
              "divergence": {"divergence"}, "surface": {"surface", "bottom"}, "kinetic_energy": {"kinetic_energy"}}
    for name, expected in chosen.items():
        found = final_fields(run.solve(case(), name, "--set", f"output.fields=[{name}]"))
        assert set().union(*chosen.values()) & found.keys() == expected


def test_provenance(run, case, fields_path):
    with h5py.File(fields_path) as file:
        attributes = {name: x.decode() if isinstance(x, bytes) else x
                      for name, x in file.attrs.items()}
    version = run("--version").out.split()[1]
    expected = {"Conventions": "CF-1.8", "title": "case", "source": f"cubeswe {version}",
                "backend": "cpu", "radius": 1.0, "model_time": 0.1, "step": 4, "order": 4}
    assert {name: attributes[name] for name in expected} == expected
    assert attributes["build"] in run("info").out and attributes["device"]
    assert attributes["configuration"] == (fields_path.parent / "configuration.yaml").read_text()


# ---- geometry ------------------------------------------------------------------------------------

def test_vertices_lie_where_the_geometry_says(fields):
    expected = sphere.positions(sphere.vertices(N), sphere.vertices(N))
    found = sphere.unit_vectors(fields["lons"], fields["lats"])[0]
    assert np.abs(found - expected).max() < 1e-15 * 4
    assert fields["lons"].min() >= 0 and fields["lons"].max() < 360
    assert np.abs(fields["lats"]).max() <= 90


def corners_of(fields):
    """The four corners of every vertex's dual cell, counterclockwise (6, j, i, 4, 3)."""
    r = sphere.unit_vectors(fields["corner_lons"], fields["corner_lats"])[0]
    return np.stack([r[:, :-1, :-1], r[:, :-1, 1:], r[:, 1:, 1:], r[:, 1:, :-1]], axis=3)


def test_corners_lie_where_the_geometry_says(fields):
    corners = sphere.dual_corners(N)
    found = sphere.unit_vectors(fields["corner_lons"], fields["corner_lats"])[0]
    assert np.abs(found - sphere.positions(corners, corners)).max() < 1e-15 * 4


def test_corners_surround_their_vertices(fields):
    r, corners = sphere.positions(sphere.vertices(N), sphere.vertices(N)), corners_of(fields)
    sides = np.cross(corners, np.roll(corners, -1, axis=3))
    inside = np.einsum("pjikd,pjid->pjik", sides, r)  # > 0 left of a side, 0 on it
    assert inside.min() > -1e-15
    assert inside[:, 1:-1, 1:-1].min() > 0.01 / N


def spherical_area(a, b, c):
    """Area of spherical triangles with unit corners."""
    triple = np.einsum("...d,...d->...", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("...d,...d->...", x, y) for x, y in ((a, b), (b, c), (c, a)))
    return 2 * np.arctan2(triple, 1 + ab + bc + ca)


def test_dual_cells_cover_the_sphere_once(fields):
    a, b, c, d = np.moveaxis(corners_of(fields), 3, 0)
    areas = spherical_area(a, b, c) + spherical_area(a, c, d)
    assert areas.min() > 0
    assert areas.sum() == pytest.approx(4 * np.pi, rel=1e-13)


def test_fields_are_single_valued_on_panel_edges(run, case):
    """Copies of a point on several panels hold the same value; there are 6 n^2 + 2 points."""
    out = run.solve(case(initial={"kind": "gaussian", "lon": 40, "lat": 30}), "out")
    h = final_fields(out)["h"].ravel()
    r = sphere.positions(sphere.vertices(N), sphere.vertices(N)).reshape(-1, 3)
    points, index = np.unique(np.round(r, 9) + 0.0, axis=0, return_inverse=True)
    assert len(points) == 6 * N ** 2 + 2
    largest, least = np.full((2, len(points)), [[-np.inf], [np.inf]])
    np.maximum.at(largest, index, h)
    np.minimum.at(least, index, h)
    assert (largest == least).all()


# ---- wind ----------------------------------------------------------------------------------------

AXIS = np.array([0.6, -0.48, 0.64])  # of a rotation, a unit vector


def wind_error(run, n, order, axis, radius=1.0):
    """Largest error of the zonal and meridional wind of a solid-body rotation."""
    folder = run.folder
    write_state(folder / f"rotation{n}.nc", **sphere.rotation_state(n, axis, radius, order))
    write_case(folder / f"rotation{n}.yaml", grid={"n": n, "order": order},
               physics={"radius": radius}, time={"end": 1e-3, "dt": 1e-3}, output={"every": 1},
               initial={"kind": "file", "path": f"rotation{n}.nc"})
    out = run.solve(f"rotation{n}.yaml", f"out{n}")
    fields = read_fields(field_files(out)[0])
    up, east, north = sphere.unit_vectors(fields["lons"], fields["lats"])
    velocity = np.cross(axis, up)
    return max(np.abs(fields["u"] - np.sum(velocity * east, axis=-1)).max(),
               np.abs(fields["v"] - np.sum(velocity * north, axis=-1)).max())


@pytest.mark.parametrize("axis", [[0, 0, 1], AXIS], ids=["polar axis", "any axis"])
@pytest.mark.parametrize("order, rate, bound", [(2, 0.9, 0.02), (4, 1.8, 1e-3), (6, 2.4, 1e-4)])
def test_wind_of_a_rotation(run, order, rate, bound, axis):
    """Closures of order 2p are exact to degree p - 1 at vertices: errors fall like n^-p there."""
    coarse, fine = (wind_error(run, n, order, axis, radius=2.5) for n in (16, 32))
    assert fine < bound and np.log2(coarse / fine) > rate, (coarse, fine)


def test_wind_away_from_panel_edges_has_the_full_order(run):
    path = run.folder / "out32/fields_00000000.nc"
    wind_error(run, 32, 6, AXIS)
    fields, inner = read_fields(path), (slice(None), slice(8, -8), slice(8, -8))
    up, east, _ = sphere.unit_vectors(fields["lons"], fields["lats"])
    exact = np.sum(np.cross(AXIS, up) * east, axis=-1)
    assert np.abs(fields["u"] - exact)[inner].max() < 1e-7


# ---- states from files ---------------------------------------------------------------------------

@pytest.mark.parametrize("order", [2, 4, 6])
def test_a_run_continues_from_its_own_file(run, case, order):
    grid, dt = {"n": 13, "order": order}, 0.01
    first = run.solve(case("first", grid=grid, time={"end": 7 * dt, "dt": dt}), "first")
    whole = run.solve(case("whole", grid=grid, time={"end": 16 * dt, "dt": dt}), "whole")
    path = os.path.relpath(field_files(first)[-1], run.folder)
    second = run.solve(case("second", grid=grid, time={"end": 9 * dt, "dt": dt},
                            initial={"kind": "file", "path": path}), "second")
    found, expected = final_fields(second), final_fields(whole)
    for name in ("h", "v1", "v2"):
        difference = np.abs(found[name] - expected[name]).max()
        assert difference < 1e-12 * np.abs(expected[name]).max(), name


def good_state():
    rng = np.random.default_rng(1)
    return {"h": rng.standard_normal((6, N + 1, N + 1)),
            "v1": rng.standard_normal((6, N + 1, N)), "v2": rng.standard_normal((6, N, N + 1))}


def from_file(path, **sections):
    return {"initial": {"kind": "file", "path": path}, "time": {"end": 0.01, "dt": 0.01},
            **sections}


def test_the_state_of_a_file_is_taken_as_it_is(run, case, tmp_path):
    state = good_state()
    write_state(tmp_path / "state.h5", **state)
    out = run.solve(case(**from_file("state.h5", output={"every": 1})), "out")
    found = read_fields(field_files(out)[0])
    assert found["v1"].tobytes() == state["v1"].tobytes()
    assert found["v2"].tobytes() == state["v2"].tobytes()
    continuous = reference.Model(N).project(state["h"])
    np.testing.assert_allclose(found["h"], continuous, rtol=0, atol=1e-14)
    inner = (slice(None), slice(1, -1), slice(1, -1))
    assert (found["h"][inner] == state["h"][inner]).all()


def test_files_may_differ_in_what_does_not_matter(run, case, tmp_path):
    """The files differ by a leading dimension of 1, byte order, chunks, further datasets and their folder."""
    state = good_state()
    (tmp_path / "far").mkdir()
    write_state(tmp_path / "plain.h5", **state)
    expected = final_fields(run.solve(case(**from_file("plain.h5")), "plain"))
    with h5py.File(tmp_path / "far/other.h5", "w") as file:
        file.create_dataset("h", data=state["h"][None], dtype=">f8", chunks=True)
        file.create_dataset("v1", data=state["v1"], chunks=(1, 5, 5), compression="gzip")
        file.create_dataset("v2", data=state["v2"][None], fletcher32=True, maxshape=[None] * 4)
        file["h_exact"] = np.arange(3)
    write_case(tmp_path / "far/other.yaml", **from_file("other.h5"))
    write_case(tmp_path / "absolute.yaml", **from_file(str(tmp_path / "far/other.h5")))
    for name in ("far/other.yaml", "absolute.yaml"):
        found = final_fields(run.solve(name, "out_" + name.replace("/", "_")))
        assert_same_bits(found, expected)


def test_single_precision_is_read(run, case, tmp_path):
    state = {name: x.astype(np.float32) for name, x in good_state().items()}
    write_state(tmp_path / "single.h5", **state)
    write_state(tmp_path / "double.h5", **{name: x.astype(float) for name, x in state.items()})
    single, double = (final_fields(run.solve(case(name, **from_file(f"{name}.h5")), name))
                      for name in ("single", "double"))
    assert_same_bits(single, double)


def test_water_at_rest_stays_at_rest(run, case, tmp_path):
    """With no height and no motion, and with a uniform height, the state does not change and no division fails."""
    for height in (0.0, 0.5):
        state = {name: 0 * x for name, x in good_state().items()}
        write_state(tmp_path / "rest.h5", **{**state, "h": state["h"] + height})
        found = final_fields(run.solve(case(**from_file("rest.h5")), f"out{height}"))
        assert np.abs(found["h"] - height).max() < 1e-15
        assert max(np.abs(found[name]).max() for name in ("u", "v")) < 1e-15


def test_motion_without_height_runs(run, case, tmp_path):
    state = sphere.rotation_state(N, AXIS)
    write_state(tmp_path / "wind.h5", **{**state, "h": 0 * state["h"]})
    found = final_fields(run.solve(case(**from_file("wind.h5")), "out"))
    assert np.isfinite(found["h"]).all()


BAD_STATES = {
    "no h": lambda state: state.pop("h"),
    "no v2": lambda state: state.pop("v2"),
    "h of integers": lambda state: state.update(h=np.ones((6, N + 1, N + 1), dtype=int)),
    "h of text": lambda state: state.update(h="high"),
    "h a scalar": lambda state: state.update(h=1.0),
    "h of another n": lambda state: state.update(h=np.ones((6, N + 2, N + 2))),
    "h too small": lambda state: state.update(h=np.ones((6, N, N))),
    "h of five panels": lambda state: state.update(h=np.ones((5, N + 1, N + 1))),
    "h of two times": lambda state: state.update(h=np.ones((2, 6, N + 1, N + 1))),
    "h flat": lambda state: state.update(h=np.ones(6 * (N + 1) ** 2)),
    "h of rank 5": lambda state: state.update(h=np.ones((1, 1, 6, N + 1, N + 1))),
    "h of complex numbers": lambda state: state.update(h=1j * state["h"]),
    "v1 as v2": lambda state: state.update(v1=state["v2"]),
    "v2 transposed": lambda state: state.update(v2=state["v2"].transpose(0, 2, 1)),
    "h with NaN": lambda state: state["h"].__setitem__((3, 5, 7), np.nan),
    "v1 with infinity": lambda state: state["v1"].__setitem__((3, 5, 7), np.inf)}


@pytest.mark.parametrize("flaw", BAD_STATES)
def test_a_bad_state_is_refused(refuses, case, tmp_path, flaw):
    state = good_state()
    BAD_STATES[flaw](state)
    write_state(tmp_path / "bad.h5", **state)
    name = "h" if "h" in flaw.split()[:2] else "v2" if "v2" in flaw.split()[:2] else "v1"
    refuses(DATA, ["bad.h5", f"'{name}'"], "run", case(**from_file("bad.h5")))


def test_a_group_is_no_field(refuses, case, tmp_path):
    with h5py.File(write_state(tmp_path / "bad.h5", **good_state()), "a") as file:
        del file["h"]
        file.create_group("h")
    refuses(DATA, ["bad.h5", "'h'"], "run", case(**from_file("bad.h5")))


@pytest.mark.parametrize("kept", [0, 8, 100, 0.5, 0.95])
def test_a_truncated_file_is_refused(refuses, case, tmp_path, kept):
    path = write_state(tmp_path / "bad.h5", **good_state())
    content = path.read_bytes()
    path.write_bytes(content[:kept if isinstance(kept, int) else int(kept * len(content))])
    refuses(DATA, ["bad.h5"], "run", case(**from_file("bad.h5")))


def test_a_file_of_another_kind_is_refused(refuses, case, tmp_path):
    (tmp_path / "bad.h5").write_text("h v1 v2\n")
    refuses(DATA, ["bad.h5"], "run", case(**from_file("bad.h5")))


def test_a_path_that_is_no_file_is_refused(refuses, case, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    for path in ("fifo", "folder", "missing.h5", "/dev/null", "case.yaml/below"):
        refuses(NO_INPUT, [path], "run", case(**from_file(path)))


def test_a_state_that_grows_without_bound_stops_the_run(run, case, tmp_path):
    """Values are finite but their energy is not: the run is refused or stopped, and the message has the place."""
    state = {name: 1e200 * x for name, x in good_state().items()}
    write_state(tmp_path / "huge.h5", **state, Xdim=np.degrees(sphere.points(N)[0]))
    done = run("run", case(**from_file("huge.h5")), "--backend", "cpu", "--output", "out")
    assert done.code == INTERNAL and len(done.lines) == 1
    assert all(word in done.err for word in ("energy", "not finite", "step 0"))
    assert not field_files(tmp_path / "out")


def test_overwrite_never_removes_what_the_run_starts_from(run, case, tmp_path, refuses):
    run.solve(case(), "out")
    start = max(field_files(tmp_path / "out")).name
    again = case("again", **from_file(f"out/{start}"))
    refuses(CANNOT_CREATE, [start], "run", again, "--output", "out", "--overwrite")
    done = run("run", again, "--output", "other")
    assert done.code == 0, done.err


def test_overwrite_leaves_a_file_whose_name_is_only_like_a_result(run, case, tmp_path):
    write_state(tmp_path / "fields_start.nc", **good_state())
    out = run.solve(case(**from_file("fields_start.nc")), ".", "--overwrite")
    assert (out / "fields_start.nc").is_file()


@pytest.mark.parametrize("command, arguments", [("run", []), ("profile", ["--set", "grid.n=12"]),
                                                ("converge", ["--n", "12"])])
def test_overwrite_never_removes_the_case(run, case, tmp_path, refuses, command, arguments):
    run.solve(case(), "out")
    refuses(CANNOT_CREATE, ["out/configuration.yaml"], command, "out/configuration.yaml",
            "--output", "out", "--overwrite", *arguments)


def test_overwrite_leaves_names_that_only_start_like_results(run, case, tmp_path):
    out = run.solve(case(), "out")
    names = ["fields_00000001_notes.nc", "fields_order4_n0012_paper.nc", "fields_1.nc"]
    for name in names:
        (out / name).write_text("mine")
    run.solve(case(), "out", "--overwrite")
    assert all((out / name).read_text() == "mine" for name in names)
