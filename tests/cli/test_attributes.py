"""Attributes that change the meaning of a variable are applied or refused, by runs and by `convert`."""
import fcntl
import gzip

import h5py
import netCDF4
import numpy as np
import pytest

import sphere
from checkpoints import checkpoints
from program import field_files, read_fields, write_case, write_state

CONFIG, DATA = 78, 65
N = 13
PHYSICS = {"model": "nonlinear", "gravity": 9.80616, "depth": 3000.0, "radius": 6371220.0}
LAT, LON = (np.arange(12) + 0.5) * 15 - 90, np.arange(24) * 15.0


def state(lons, lats):
    """h, the zonal and the meridional wind of a rotation about a tilted axis, a bottom and a concentration."""
    r, east, north = sphere.unit_vectors(lons, lats)
    wind = 20 * np.cross([0.6, -0.48, 0.64], r)
    return {"h": 3000 + 100 * r[..., 2], "u": np.sum(wind * east, -1), "v": np.sum(wind * north, -1),
            "bottom": 200 + 100 * r[..., 0], "c": 0.5 + 0.1 * r[..., 1]}


def latlon():
    return {"lat": LAT, "lon": LON, **state(*np.meshgrid(LON, LAT))}


def write(path, fields, **attributes):
    """A file of the fields, some with attributes."""
    write_state(path, **fields)
    with h5py.File(path, "a") as file:
        for name, values in attributes.items():
            file[name].attrs.update(values)
    return path


def case_of(path="state.nc", n=N, **changes):
    return {"grid": {"n": n}, "physics": PHYSICS, "initial": {"kind": "file", "path": path},
            "time": {"end": 60.0, "dt": 60.0}, "output": {"every": 1}, **changes}


OVER = {"bottom": {"path": "state.nc"}}
TRACED = {"tracers": [{"name": "c", "initial": {"kind": "file", "path": "state.nc"}}]}
FIELDS = ["--set", "output.fields=[h, native, surface]"]


@pytest.fixture(name="start")
def fixture_start(run, case, tmp_path):
    """The first fields of a run from these fields, and what it prints."""
    def start(fields, attributes, arguments=(), **changes):
        write(tmp_path / "state.nc", fields, **attributes)
        output = FIELDS if changes.get("physics", PHYSICS)["model"] == "nonlinear" else []
        done = run("run", case(**case_of(**changes)), "--output", "out", "--overwrite", *output, *arguments)
        assert done.code == 0, done.err
        return read_fields(field_files(tmp_path / "out")[0]), done.err
    return start


# ---- variables ----------------------------------------------------------------------------------------------------

# A stored variable, how its values are stored, and the attributes that say so.
APPLIED = {
    "kilometres": ("h", lambda x: x / 1000, {"h": {"units": "km"}}),
    "centimetres a second": ("u", lambda x: x * 100, {"u": {"units": "cm/s"}}),
    "kilometres an hour": ("v", lambda x: x * 3.6, {"v": {"units": "km h-1"}}),
    "metres per second": ("u", lambda x: x, {"u": {"units": "meters per second"}}),
    "packed by 1 and 0": ("h", lambda x: x, {"h": {"scale_factor": 1.0, "add_offset": np.float32(0)}}),
    "a depth": ("bottom", lambda x: -x, {"bottom": {"positive": "down"}}),
    "a depth by its name": ("bottom", lambda x: -x, {"bottom": {"standard_name": "sea_floor_depth_below_geoid"}}),
    "an altitude": ("bottom", lambda x: x, {"bottom": {"positive": "up", "standard_name": "surface_altitude"}}),
    "per cent": ("c", lambda x: x * 100, {"c": {"units": "%"}}),
    "radians north": ("lat", np.radians, {"lat": {"units": "radians"}}),
    "radians east": ("lon", np.radians, {"lon": {"units": "radian"}}),
    "valid": ("h", lambda x: x, {"h": {"valid_range": [2000.0, 4000.0], "valid_min": 1.0}})}


@pytest.mark.parametrize("way", APPLIED)
def test_an_attribute_is_applied(start, way):
    name, change, attributes = APPLIED[way]
    fields = latlon()
    expected = start(fields, {}, **OVER, **TRACED)[0]
    found = start({**fields, name: change(fields[name])}, attributes, **OVER, **TRACED)[0]
    for k in ("h", "v1", "v2", "bottom", "c"):
        np.testing.assert_allclose(found[k], expected[k], rtol=0, atol=1e-12 * np.abs(expected[k]).max(), err_msg=k)


REFUSED = {
    "packed": ({"h": {"scale_factor": 0.1}}, ["'h' is packed", "ncpdq -U"]),
    "a packed axis": ({"lat": {"add_offset": 1.0}}, ["'lat' is packed"]),
    "a packed bottom": ({"bottom": {"scale_factor": 2}}, ["'bottom' is packed"]),
    "a packed tracer": ({"c": {"scale_factor": 2}}, ["'c' is packed"]),
    "another component": ({"u": {"standard_name": "northward_wind"}}, ["'u'", "'northward_wind'", "zonal wind"]),
    "a component of a rotated grid": ({"v": {"standard_name": "y_wind"}}, ["'v'", "'y_wind'"]),
    "a temperature for h": ({"h": {"standard_name": "air_temperature"}}, ["'h'", "'air_temperature'"]),
    "a wind for the bottom": ({"bottom": {"standard_name": "eastward_wind"}}, ["'bottom'", "'eastward_wind'"]),
    "latitude of a rotated pole": ({"lat": {"standard_name": "grid_latitude", "units": "degrees_north"}}, ["(12, 24)", "latitude"]),
    "the other axis": ({"lat": {"units": "degrees_east"}}, ["'lat'", "'degrees_east'", "'degrees_north'"]),
    "minutes": ({"lon": {"units": "minutes"}}, ["'lon'", "'minutes'", "'degrees_east'"]),
    "h downwards": ({"h": {"positive": "down"}}, ["'h'", "positive 'down'"]),
    "a depth upwards": ({"bottom": {"standard_name": "sea_floor_depth_below_geoid", "positive": "up"}},
                        ["'bottom'", "positive 'up'"]),
    "sideways": ({"bottom": {"positive": "left"}}, ["'bottom'", "'left'"]),
    "beyond valid_range": ({"h": {"valid_range": [0.0, 3050.0]}}, ["'h' is missing at latitude"]),
    "below valid_min": ({"u": {"valid_min": 0.0}}, ["'u' is missing at latitude"]),
    "above valid_max": ({"c": {"valid_max": 0.55}}, ["'c' is missing at latitude"]),
    "a missing latitude": ({"lat": {"missing_value": LAT[3]}}, ["'lat'", "not finite"]),
    "one end of a range": ({"h": {"valid_range": 1.0}}, ["valid_range", "'h'"]),
    "feet a second": ({"u": {"units": "ft/s"}}, ["'u'", "'ft/s'", "needs 'm s-1'"])}


@pytest.mark.parametrize("flaw", REFUSED)
def test_an_attribute_that_contradicts_is_refused(refuses, case, tmp_path, flaw):
    attributes, words = REFUSED[flaw]
    write(tmp_path / "state.nc", latlon(), **attributes)
    refuses(DATA, ["state.nc", *words], "run", case(**case_of(**OVER, **TRACED)))


def test_packed_integers_are_named(refuses, case, tmp_path):
    fields = latlon()
    fields["h"] = fields["h"].astype("i2")
    write(tmp_path / "state.nc", fields, h={"scale_factor": 0.5})
    refuses(DATA, ["'h' is packed"], "run", case(**case_of()))


def test_latitudes_may_end_beyond_the_poles_by_rounding(start):
    lat = np.cumsum(np.r_[-90, np.full(540, np.float32(1 / 3))].astype("f4"), dtype="f4")
    assert lat[-1] > 90
    found, _ = start({"lat": lat, "lon": LON, **state(*np.meshgrid(LON, lat.astype(float)))}, {})
    expected = state(found["lons"], found["lats"])
    assert np.abs(found["h"] - expected["h"]).max() < 1e-3


# ---- points of a cubed sphere -----------------------------------------------------------------------------------------


def on_cube(x):
    """Fields at the points of a cubed sphere with these panel angles."""
    r = sphere.positions(np.tan(np.radians(x)), np.tan(np.radians(x)))
    lons, lats = np.degrees(np.arctan2(r[..., 1], r[..., 0])), np.degrees(np.arcsin(r[..., 2]))
    return {"lons": lons, "lats": lats, "Xdim": x, "Ydim": x, **state(lons, lats)}


@pytest.mark.parametrize("lacking", [("lons", "lats"), ("Xdim", "Ydim"), ("lons", "lats", "Xdim")])
def test_centres_of_cells_are_no_vertices(refuses, case, tmp_path, lacking):
    fields = on_cube((np.arange(N + 1) + 0.5) * 90 / (N + 1) - 45)
    write(tmp_path / "state.nc", {name: x for name, x in fields.items() if name not in lacking})
    refuses(DATA, ["state.nc", "vertices", "cell centres"], "run", case(**case_of()))


def test_vertices_with_their_axes_are_read(start):
    fields = on_cube(np.linspace(-45, 45, N + 1))
    expected = start({name: x for name, x in fields.items() if name not in ("Xdim", "Ydim")}, {})[0]
    assert start(fields, {})[0]["h"].tobytes() == expected["h"].tobytes()
    in_radians = {**fields, "lons": np.radians(fields["lons"])}
    assert start(in_radians, {"lons": {"units": "radians"}})[0]["h"].tobytes() == expected["h"].tobytes()


# ---- times ------------------------------------------------------------------------------------------------------------


def write_times(path, named="time"):
    """Two times, with coordinates attached to the dimensions; the second state differs by its factor 1.01."""
    with netCDF4.Dataset(path, "w") as file:
        for name, values in ((named, [0.0, 6.25]), ("lat", LAT), ("lon", LON)):
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,))[:] = values
        file[named].units = "hours since 2000-01-01"
        for name, x in state(*np.meshgrid(LON, LAT)).items():
            file.createVariable(name, "f8", (named, "lat", "lon"))[:] = np.stack([x, 1.01 * x])


def test_one_of_several_times_is_read(run, case, tmp_path):
    write_times(tmp_path / "state.nc", "t")
    at = {name: {"time": time} for name, time in (("first", "0"), ("last", "6.25"))}
    found = {}
    for name, key in at.items():
        tracers = [{"name": "c", "initial": {"kind": "file", "path": "state.nc", **key}}]
        changes = case_of(bottom={"path": "state.nc", **key}, tracers=tracers)
        changes["initial"].update(key)
        found[name] = read_fields(field_files(run.solve(case(**changes), name, *FIELDS))[0])
    for k in ("h", "v1", "v2", "bottom", "c"):
        np.testing.assert_allclose(found["last"][k], 1.01 * found["first"][k], rtol=1e-10, atol=1e-9, err_msg=k)


def test_one_of_several_times_of_vertices_is_read(start):
    """Of native fields and of winds; the time is not attached to a dimension."""
    fields = on_cube(np.linspace(-45, 45, N + 1))
    native = {"h": fields["h"], "v1": np.ones((6, N + 1, N)), "v2": np.ones((6, N, N + 1))}
    for one in (native, {name: fields[name] for name in "huv"}):
        two = {name: np.stack([x, 1.5 * x]) for name, x in one.items()}
        for time, factor in (("0", 1.0), ("6", 1.5)):
            expected = start({name: factor * x for name, x in one.items()}, {})[0]
            found = start({"time": [0, 6], **two}, {}, ["--set", f"initial.time={time}"])[0]
            for name in ("h", "v1", "v2"):
                assert found[name].tobytes() == expected[name].tobytes(), (time, name)


@pytest.mark.parametrize("changes, code, words", [
    ({}, DATA, ["'h' has 2 times, from 0 to 6.25 [hours since 2000-01-01]", "initial.time"]),
    ({"initial": {"kind": "file", "path": "state.nc", "time": 3}}, DATA, ["initial.time", "and is 3"]),
    ({"initial": {"kind": "file", "path": "state.nc", "time": "noon"}}, CONFIG, ["case.yaml:", "initial.time", "'noon'"]),
    ({"initial": {"kind": "file", "path": "one.nc", "time": 0}}, DATA, ["one.nc", "'h' has no time", "initial.time"]),
    ({"initial": {"kind": "file", "path": "one.nc"}, **OVER}, DATA, ["'bottom' has 2 times", "bottom.time"]),
    ({"initial": {"kind": "file", "path": "one.nc"}, **TRACED}, DATA, ["'c' has 2 times", "initial.time"]),
    ({"bottom": {"time": 1}}, CONFIG, ["bottom.time", "bottom.path"])])
def test_a_time_that_is_not_there_is_refused(refuses, case, tmp_path, changes, code, words):
    write_times(tmp_path / "state.nc")
    write(tmp_path / "one.nc", latlon())
    refuses(code, words, "run", case(**case_of(**changes)))


# ---- files of this program --------------------------------------------------------------------------------------------


@pytest.fixture(name="earlier")
def fixture_earlier(run, case, tmp_path):
    """A field file of a linear run on the unit sphere, copied to state.nc, and its folder."""
    out = run.solve(case("earlier", grid={"n": N}, initial={"kind": "gaussian"}, time={"end": 0.1, "dt": 0.01}), "earlier",
                    "--set", "checkpoint.every=1")
    (tmp_path / "state.nc").write_bytes(field_files(out)[-1].read_bytes())
    return out


def linear(**physics):
    return case_of(physics={"model": "linear", "radius": 1.0, **physics}, time={"end": 1e-3, "dt": 1e-3})


def test_a_file_of_other_equations_is_refused(refuses, case, earlier):
    refuses(DATA, ["state.nc", "physics.model", "height above the mean depth"], "run",
            case(**case_of(physics={**PHYSICS, "radius": 1.0}, time={"end": 1e-6, "dt": 1e-6})))


def test_covariant_components_of_another_sphere_are_refused(run, refuses, case, earlier):
    """A wind is the same on every sphere."""
    refuses(DATA, ["state.nc", "'v1' and 'v2'", "radius 1 m", "physics.radius is 2", "initial.variable_u"], "run",
            case(**linear(radius=2.0)))
    found = []
    for radius in (1.0, 2.0):
        changes = linear(radius=radius)
        changes["initial"].update(variable_u="u", variable_v="v")
        found.append(read_fields(field_files(run.solve(case(**changes), f"out{radius:g}"))[0]))
    assert found[1]["v1"].tobytes() == (2 * found[0]["v1"]).tobytes()


def test_other_physics_are_reported(run, case, earlier):
    done = run("run", case(**linear(gravity=2.0, rotation=0.5)), "--quiet", "--output", "out")
    (line,) = done.lines
    assert done.code == 0 and "warning" in line and "another physics.gravity, physics.rotation" in line, line
    assert run("run", case(**linear()), "--quiet", "--output", "same").lines == []


def test_files_of_another_kind_are_named(run, refuses, case, earlier, tmp_path):
    checkpoint = checkpoints(earlier / "checkpoints")[-1].relative_to(tmp_path)
    assert run("convert", "state.nc", "--to", "ugrid", "--output", "mesh.nc").code == 0
    for path, words in ((checkpoint, ["is a checkpoint", "--restart"]), ("mesh.nc", ["is a mesh", "convert"])):
        changes = linear()
        changes["initial"]["path"] = str(path)
        refuses(DATA, [str(path), *words], "run", case(**changes))
        refuses(DATA, [str(path), *words], "run", case(**case_of("other.nc", bottom={"path": str(path)}, initial={"kind": "gaussian"})))
        refuses(DATA, [str(path), *words], "convert", path, "--to", "latlon", "--output", "out.nc")
    assert run("convert", "state.nc", "--to", "latlon", "--output", "regular.nc").code == 0
    refuses(DATA, ["regular.nc", "converted before"], "convert", "regular.nc", "--to", "latlon", "--output", "out.nc")


def test_fields_of_a_checkpoint_have_units(run, case, tmp_path):
    """A tracer is stored times the depth."""
    tracers = [{"name": "dye", "initial": {"kind": "constant"}}]
    out = run.solve(case(**case_of(initial={"kind": "gaussian"}, tracers=tracers)), "out", "--set", "checkpoint.final=yes")
    with h5py.File(checkpoints(out / "checkpoints")[-1]) as file:
        units = {name: file[name].attrs["units"].decode() for name in file}
        assert units == {"h": "m", "v1": "m2 s-1", "v2": "m2 s-1", "dye": "m"}
        assert b"times the concentration" in file["dye"].attrs["long_name"]


KINDS = {"netCDF-3": (b"CDF\2" + bytes(60), "nccopy -k nc4"), "gzip": (gzip.compress(b"x"), "gunzip"),
         "GRIB": (b"GRIB" + bytes(60), "cdo -f nc4"), "LFS": (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
         "HTML": (b"<!DOCTYPE html><html>", "HTML"), "JSON": (b'{"schema": 1}', "JSON"), "empty": (b"", "empty"),
         "cut": (b"\x89HDF\r\n\x1a\n" + bytes(9), "truncated or damaged")}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_hdf5_is_named(refuses, case, tmp_path, kind):
    content, word = KINDS[kind]
    (tmp_path / "state.nc").write_bytes(content)
    refuses(DATA, ["state.nc", "not an HDF5 file", word], "run", case(**case_of()))
    refuses(DATA, ["state.nc", "not an HDF5 file", word], "convert", "state.nc", "--to", "ugrid", "--output", "out.nc")


def test_a_file_that_another_program_has_locked_is_named(refuses, case, tmp_path):
    with open(write(tmp_path / "state.nc", latlon()), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        refuses(DATA, ["state.nc", "another program has locked it"], "run", case(**case_of()),
                env={"HDF5_USE_FILE_LOCKING": None})


# ---- convert ------------------------------------------------------------------------------------------------------------


def field_file(path, at=0.0, **attributes):
    fields = on_cube(np.linspace(-45, 45, N + 1))
    write(path, {**{name: x[None] if name in "huvc" else x for name, x in fields.items()}, "time": [at]}, **attributes)
    with h5py.File(path, "a") as file:
        if "units" not in file["time"].attrs:
            file["time"].attrs["units"] = "seconds since 2000-01-01"
    return path


@pytest.mark.parametrize("attributes, word", [
    ({"h": {"scale_factor": 0.5}}, "'h' is packed"), ({"time": {"add_offset": 5.0}}, "'time' is packed"),
    ({"lons": {"units": "degrees_north"}}, "'lons'"), ({"lats": {"standard_name": "grid_latitude"}}, "'grid_latitude'"),
    ({"Xdim": {"valid_min": 0.0}}, "'Xdim'"), ({"time": {"calendar": "noleap"}}, "'noleap'")])
def test_convert_refuses_attributes(refuses, tmp_path, attributes, word):
    field_file(tmp_path / "bad.nc", **attributes)
    refuses(DATA, ["bad.nc", word], "convert", "bad.nc", "--to", "latlon", "--output", "out.nc")


def test_convert_marks_missing_values(run, tmp_path):
    field_file(tmp_path / "in.nc", h={"valid_max": 3050.0, "missing_value": 3000.0})
    for to in ("latlon", "ugrid"):
        assert run("convert", "in.nc", "--to", to, "--output", f"{to}.nc", "--quiet").code == 0
        h, c = (read_fields(tmp_path / f"{to}.nc")[name] for name in "hc")
        assert 0.1 < np.isnan(h).mean() < 0.9 and np.nanmax(h) < 3051 and not np.isnan(c).any()


def test_files_of_other_units_or_spheres_are_not_joined(refuses, tmp_path):
    field_file(tmp_path / "a.nc", h={"units": "m"})
    field_file(tmp_path / "hours.nc", 1.0, h={"units": "m"}, time={"units": "hours since 2000-01-01"})
    field_file(tmp_path / "km.nc", 1.0, h={"units": "km"})
    with h5py.File(field_file(tmp_path / "sphere.nc", 1.0, h={"units": "m"}), "a") as file:
        file.attrs["radius"] = 2.0
    for other, word in (("hours.nc", "units of its time"), ("sphere.nc", "radius"), ("km.nc", "'h' in the units [m]")):
        refuses(DATA, [other, word], "convert", "a.nc", other, "--to", "ugrid", "--output", "out.nc")


def test_components_of_other_units_are_no_vector(refuses, tmp_path):
    names = {"u": "eastward_wind", "v": "northward_wind"}
    field_file(tmp_path / "in.nc", **{k: {"standard_name": names[k], "units": units} for k, units in (("u", "m s-1"), ("v", "km h-1"))})
    refuses(DATA, ["in.nc", "'u'", "same units"], "convert", "in.nc", "--to", "latlon", "--output", "out.nc")
