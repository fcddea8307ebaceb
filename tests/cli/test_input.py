"""Initial states and bottoms from files: at the vertices of a cubed sphere, and on latitudes and longitudes."""
import zlib

import h5py
import netCDF4
import numpy as np
import pytest
import xarray

import sphere
from program import OF_DAMAGE, damage, field_files, final_fields, read_fields, write_case, write_state

CONFIG, DATA, NO_INPUT = 78, 65, 66
N = 12
AXIS = np.array([0.6, -0.48, 0.64])
EARTH = {"physics": {"model": "nonlinear", "gravity": 9.80616, "depth": 2998.1154702758267, "radius": 6371220.0,
                     "rotation": 7.292e-5, "axis_lon": 180.0, "axis_lat": 45.0},
         "initial": {"kind": "williamson2", "period": 1036800.0}}  # as in config/williamson2.yaml
UNITS = {"h": "m", "u": "m s-1", "v": "m s-1", "bottom": "m", "lat": "degrees_north", "lon": "degrees_east"}


def height(r):
    """A smooth and positive height without symmetry."""
    return 3.0 + 0.5 * np.exp(r @ AXIS) + 0.3 * r[..., 0] * r[..., 1] ** 3


def wind(r):
    """A rotation that is faster on one side."""
    return np.exp(0.5 * r[..., 1:2]) * np.cross(AXIS, r)


def axes(nlon, poles=False):
    """Latitudes and longitudes, from south to north and from 0 on."""
    nlat = nlon // 2
    lat = np.linspace(-90, 90, nlat + 1) if poles else (np.arange(nlat) + 0.5) * 180 / nlat - 90
    return lat, np.arange(nlon) * 360 / nlon


def fields_at(lons, lats):
    """h, u and v at these points."""
    up, east, north = sphere.unit_vectors(lons, lats)
    return {"h": height(up), "u": np.sum(wind(up) * east, -1), "v": np.sum(wind(up) * north, -1)}


def latlon_state(nlon, poles=False):
    """The axes and the fields."""
    lat, lon = axes(nlon, poles)
    return {"lat": lat, "lon": lon, **fields_at(*np.meshgrid(lon, lat))}


def vertices_of(n):
    """Longitudes and latitudes of the vertices."""
    r = sphere.positions(sphere.vertices(n), sphere.vertices(n))
    return np.degrees(np.arctan2(r[..., 1], r[..., 0])), np.degrees(np.arctan2(r[..., 2], np.hypot(r[..., 0], r[..., 1])))


def cubed_state(n):
    lons, lats = vertices_of(n)
    return {"lons": lons, "lats": lats, **fields_at(lons, lats)}


def native_state(n):
    """The initial state of a run of these fields, from the formulas."""
    v, c = sphere.vertices(n), sphere.cells(n)
    return {"h": height(sphere.positions(v, v)),
            "v1": np.sum(wind(sphere.positions(c, v)) * sphere.basis(c, v)[0], -1),
            "v2": np.sum(wind(sphere.positions(v, c)) * sphere.basis(v, c)[1], -1)}


def write(path, state, units=UNITS):
    """A file of the fields, with their units."""
    write_state(path, **state)
    with h5py.File(path, "a") as file:
        for name in units.keys() & state.keys():
            file[name].attrs["units"] = units[name]


def case_of(path, n=N, **initial):
    return {"grid": {"n": n}, "initial": {"kind": "file", "path": path, **initial},
            "time": {"end": 1e-3, "dt": 1e-3}, "output": {"every": 1}}


@pytest.fixture(name="start")
def fixture_start(run, case, tmp_path):
    """The initial state of a run from a file of these fields, and the note that the run prints."""
    def start(state, n=N, units=UNITS, **initial):
        write(tmp_path / "state.nc", state, units)
        done = run("run", case(**case_of("state.nc", n, **initial)), "--output", "out", "--overwrite")
        assert done.code == 0, done.err
        return read_fields(field_files(tmp_path / "out")[0]), done.err
    return start


def errors(found, n=N):
    expected = native_state(n)
    return np.array([np.abs(found[name] - expected[name]).max() / np.abs(expected[name]).max() for name in expected])


def rate(e):
    """The rate over two doublings: the points with the largest errors change from grid to grid."""
    return np.log2(e[0] / e[2]) / 2


# ---- accuracy ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("poles", [False, True])
def test_latitudes_and_longitudes_are_interpolated_in_order_6(start, poles):
    e = [errors(start(latlon_state(nlon, poles))[0]) for nlon in (24, 48, 96)]
    assert (e[2] < 3e-8).all() and (rate(e) > 5.5).all(), e


def test_wind_at_vertices_is_interpolated_in_order_6(start):
    """The largest errors are next to panel edges, where stencils are one-sided: the rate is reached late."""
    e = [errors(start(cubed_state(n), n)[0], n)[1:] for n in (32, 64)]
    assert (e[1] < 1e-9).all() and (np.log2(e[0] / e[1]) > 5.4).all(), e


def test_a_wind_at_a_pole_belongs_to_the_longitude_of_the_file(start):
    """A pole lies at every longitude; the longitude in the file defines its east."""
    state = cubed_state(N)
    expected, _ = start(state)
    state["lons"][4:, N // 2, N // 2] = [77.0, -150.0]
    found, _ = start({**state, **fields_at(state["lons"], state["lats"])})
    for name in ("v1", "v2"):
        assert np.abs(found[name] - expected[name]).max() < 1e-14 * np.abs(expected[name]).max()


@pytest.mark.parametrize("poles, name", [([0], "the south pole"), ([-1], "the north pole"), ([0, -1], "both poles")])
def test_a_pole_row_that_is_no_vector_is_interpolated(start, poles, name):
    """Components that are repeated over the longitudes of a pole are of no vector."""
    state = latlon_state(96, poles=True)
    assert "no single vector" not in start(state)[1]
    for k in poles:
        state["u"][k], state["v"][k] = state["u"][k, 0], state["v"][k, 0]
    found, line = start(state)
    assert (errors(found) < 3e-8).all() and line.startswith("cubeswe: warning: ") and f"; u and v at {name} are no single vector" in line


def test_h_at_vertices_is_copied(start):
    state = cubed_state(N)
    found, _ = start(state)
    inner = (slice(None), slice(1, -1), slice(1, -1))
    assert (found["h"][inner] == state["h"][inner]).all()


def test_another_cubed_sphere_is_interpolated_in_order_6(start):
    e = [errors(start(cubed_state(n))[0]) for n in (9, 18, 36)]
    assert (e[2] < 3e-7).all() and (rate(e) > 5.0).all(), e


def test_a_uniform_height_stays_so_and_a_pole_is_a_point(start):
    """Constants are exact; at the poles, where east and north turn, the wind is as accurate as elsewhere."""
    state = latlon_state(48)
    state["h"][:] = 0.1
    found, _ = start(state)
    assert (found["h"] == 0.1).all()
    expected = native_state(N)
    middle = (slice(4, 6), slice(N // 2 - 1, N // 2 + 1), slice(N // 2 - 1, N // 2 + 1))
    for name in ("v1", "v2"):
        assert np.abs(found[name][middle] - expected[name][middle]).max() < 2e-5 * np.abs(expected[name]).max()


def flip_latitude(state):
    return {name: x if name == "lon" else x[::-1] for name, x in state.items()}


def flip_longitude(state):
    return {name: x if name == "lat" else x[..., ::-1] for name, x in state.items()}


def roll(state, count):
    """Another first longitude, from -180 to 180."""
    turned = {name: x if name == "lat" else np.roll(x, count, -1) for name, x in state.items()}
    turned["lon"] = (turned["lon"] + 180) % 360 - 180
    return turned


def close(state):
    """The first longitude repeated at the end."""
    closed = {name: x if name == "lat" else np.concatenate([x, x[..., :1]], -1) for name, x in state.items()}
    closed["lon"][-1] += 360
    return closed


def at_a_time(state):
    return {name: x if x.ndim == 1 else x[None] for name, x in state.items()}


def rename(state):
    names = {"lat": "latitude", "lon": "Longitude"}
    return {names.get(name, name): x for name, x in state.items()}


@pytest.mark.parametrize("change", [flip_latitude, flip_longitude, lambda s: flip_latitude(flip_longitude(s)),
                                    lambda s: roll(s, 24), lambda s: roll(s, 7), close,
                                    lambda s: close(flip_longitude(s)), at_a_time, rename])
def test_the_order_of_a_grid_does_not_matter(start, change):
    state = latlon_state(48)
    expected, found = start(state)[0], start(change(state))[0]
    for name in ("h", "v1", "v2"):
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-12, err_msg=name)


def test_coordinates_may_be_single_or_integers(start):
    state = latlon_state(90, poles=True)
    expected = start(state)[0]
    for change in (np.float32, np.int16):
        found = start({**state, "lat": state["lat"].astype(change), "lon": state["lon"].astype(change)})[0]
        for name in ("h", "v1", "v2"):
            np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-5, err_msg=name)


def test_longitudes_may_be_odd_and_latitudes_gaussian(start):
    lon, lat = np.arange(75) * 4.8 + 1.2, np.degrees(np.arcsin(np.polynomial.legendre.leggauss(40)[0]))
    found, _ = start({"lat": lat, "lon": lon, **fields_at(*np.meshgrid(lon, lat))})
    assert (errors(found) < 1e-5).all()


# ---- names and what is missing ------------------------------------------------------------------------------


def test_a_missing_wind_is_rest_and_reported(start):
    for state in (cubed_state(N), latlon_state(24)):
        del state["u"], state["v"]
        found, messages = start(state)
        assert not found["v1"].any() and not found["v2"].any() and np.ptp(found["h"]) > 0.1
        (line,) = [line for line in messages.splitlines() if "warning" in line]
        assert "state.nc" in line and "no wind" in line and "rest" in line


def test_what_is_interpolated_is_reported(start):
    assert "note: " in (messages := start(latlon_state(24))[1]) and "12 latitudes and 24 longitudes" in messages
    assert "n = 10" in start(cubed_state(10))[1]
    assert "note" not in start({**native_state(N), **cubed_state(N)})[1]


def test_variables_have_other_names(start):
    state = cubed_state(N)
    expected, _ = start(state)
    other = {"lons": state["lons"], "lats": state["lats"], "depth": state["h"], "ua": state["u"], "va": state["v"]}
    found, _ = start(other, variable_h="depth", variable_u="ua", variable_v="va")
    assert all(found[name].tobytes() == expected[name].tobytes() for name in ("h", "v1", "v2"))


@pytest.mark.filterwarnings("ignore:numpy.ndarray size changed")
def test_netcdf_records_which_coordinate_belongs_to_a_dimension(run, refuses, tmp_path):
    """The file has two latitudes of one length, and dimensions in the wrong order."""
    state, (lat, lon) = latlon_state(24), axes(24)
    grid = {"lat": ("lat", lat, {"units": "degrees_north"}), "lon": ("lon", lon, {"units": "degrees_east"}),
            "lat_bottom": ("lat_bottom", lat + 1, {"units": "degrees_north"})}
    fields = {name: (("time", "lat", "lon"), state[name][None]) for name in "huv"}
    xarray.Dataset({**fields, "b": ("lat_bottom", lat)}, grid).to_netcdf(tmp_path / "good.nc")
    write_case(tmp_path / "good.yaml", **case_of("good.nc"))
    assert (errors(read_fields(field_files(run.solve("good.yaml", "good"))[0])) < 1e-3).all()
    square = np.linspace(-85, 85, 18)
    fields = {name: (("lon", "lat"), np.ones((18, 18))) for name in "huv"}
    grid = {"lat": ("lat", square, {"units": "degrees_north"}), "lon": ("lon", np.arange(18) * 20.0, {"units": "degrees_east"})}
    xarray.Dataset(fields, grid).to_netcdf(tmp_path / "turned.nc")
    write_case(tmp_path / "turned.yaml", **case_of("turned.nc"))
    refuses(DATA, ["turned.nc", "'h'", "(longitude, latitude)", "transpose"], "run", "turned.yaml")


def test_the_wind_is_found_by_standard_names(run, start, tmp_path):
    state = cubed_state(N)
    expected, _ = start(state)
    v, u = "x" * 100, "y"  # behind more others than a reader may look at
    write(tmp_path / "named.nc", {"lons": state["lons"], "lats": state["lats"], "h": state["h"], v: state["v"], u: state["u"]})
    with h5py.File(tmp_path / "named.nc", "a") as file:
        file[v].attrs["standard_name"], file[u].attrs["standard_name"] = "northward_wind", "eastward_wind"
        for k in range(1100):
            file[f"other{k}"] = 0.0
    write_case(tmp_path / "named.yaml", **case_of("named.nc"))
    found = read_fields(field_files(run.solve("named.yaml", "named"))[0])
    assert all(found[name].tobytes() == expected[name].tobytes() for name in ("h", "v1", "v2"))


@pytest.mark.parametrize("attributes", [{"units": ("degree_N", "degreesE")}, {"axis": ("Y", "X")},
                                        {"standard_name": ("latitude", "longitude")}])
def test_coordinates_are_found_by_attributes(run, tmp_path, attributes):
    state = latlon_state(24)
    names = {"lat": "y", "lon": "x"}
    write_state(tmp_path / "state.nc", **{names.get(name, name): x for name, x in state.items()})
    with h5py.File(tmp_path / "state.nc", "a") as file:
        for key, values in attributes.items():
            file["y"].attrs[key], file["x"].attrs[key] = values
    write_case(tmp_path / "case.yaml", **case_of("state.nc"))
    assert (errors(read_fields(field_files(run.solve("case.yaml", "out"))[0])) < 1e-3).all()


def test_coordinates_of_a_rotated_pole_are_no_latitudes(refuses, case, tmp_path):
    write(tmp_path / "bad.nc", latlon_state(24), {})
    with h5py.File(tmp_path / "bad.nc", "a") as file:
        file["lat"].attrs["standard_name"] = "grid_latitude"
    refuses(DATA, ["bad.nc", "'h'", "latitude"], "run", case(**case_of("bad.nc")))


@pytest.mark.parametrize("unit", ["m/s", "m s**-1"])
def test_units_have_spellings(start, unit):
    start(latlon_state(24), units={"h": "metres", "u": unit, "v": unit})


# ---- refusals -------------------------------------------------------------------------------------------------


def cut(name, where):
    return lambda state: state.update({name: state[name][where]})


LATLON_FLAWS = {
    "no h": (lambda s: s.pop("h"), {}, ["no dataset 'h'", "in m"]),
    "one component": (lambda s: s.pop("v"), {}, ["no dataset 'v'", "meridional wind", "m s-1"]),
    "no latitudes": (lambda s: s.pop("lat"), {}, ["'h'", "(12, 24)", "latitude"]),
    "two latitudes": (lambda s: s.update(latitude=s["lat"]), {}, ["'lat' and 'latitude'"]),
    "another shape": (cut("u", np.s_[:, 1:]), {}, ["'u'", "(12, 23)", "needs (12, 24)"]),
    "half a sphere": (lambda s: s.update(lat=s["lat"] / 2), {}, ["'lat'", "poles"]),
    "latitudes in disorder": (lambda s: s.update(lat=np.roll(s["lat"], 1)), {}, ["'lat'", "are not monotonic"]),
    "half around": (lambda s: s.update(lon=s["lon"] / 2), {}, ["'lon'", "once around"]),
    "uneven longitudes": (lambda s: s["lon"].__setitem__(3, 50.0), {}, ["'lon'", "equally spaced"]),
    "longitudes of NaN": (lambda s: s["lon"].__setitem__(3, np.nan), {}, ["'lon'", "finite"]),
    "NaN": (lambda s: s["u"].__setitem__((3, 5), np.nan), {}, ["'u'", "not finite at latitude -37.5, longitude 75"]),
    "integers": (lambda s: s.update(h=np.ones((12, 24), int)), {}, ["'h'", "floating-point"]),
    "hectometres": (lambda s: None, {"h": "hm"}, ["'h'", "'hm'", "needs 'm'"]),
    "knots": (lambda s: None, {"v": "knots"}, ["'v'", "'knots'", "needs 'm s-1'"]),
    "two times": (lambda s: s.update(h=np.stack([s["h"]] * 2)), {}, ["'h'", "(2, 12, 24)"])}


@pytest.mark.parametrize("flaw", LATLON_FLAWS)
def test_a_bad_grid_is_refused(refuses, case, tmp_path, flaw):
    change, units, words = LATLON_FLAWS[flaw]
    state = latlon_state(24)
    change(state)
    write(tmp_path / "bad.nc", state, units)
    refuses(DATA, ["bad.nc", *words], "run", case(**case_of("bad.nc")))


CUBED_FLAWS = {
    "another sphere": (lambda s: s["lons"].__setitem__((3, 4, 5), 1.0), N, ["panel 3, j 4, i 5", "a cubed sphere"]),
    "another n without coordinates": (lambda s: (s.pop("lons"), s.pop("lats")), 10, ["'lons'"]),
    "infinity": (lambda s: s["v"].__setitem__((1, 2, 3), np.inf), N, ["'v'", "not finite at panel 1, j 2, i 3"]),
    "another shape": (lambda s: s.update(v=np.ones((6, N, N))), N, ["'v'", "(6, 12, 12)", "needs (6, 13, 13)"])}


@pytest.mark.parametrize("flaw", CUBED_FLAWS)
def test_bad_vertices_are_refused(refuses, case, tmp_path, flaw):
    change, n, words = CUBED_FLAWS[flaw]
    state = cubed_state(n)
    change(state)
    write(tmp_path / "bad.nc", state)
    refuses(DATA, ["bad.nc", *words], "run", case(**case_of("bad.nc")))


@pytest.mark.parametrize("kept, names", [("wind", ["h"]), ("wind", ["u", "v"]), ("wind", ["lons"]), ("native", ["v1", "v2"])],
                         ids=str)
def test_a_dataset_that_is_damaged_is_not_an_absent_one(run, refuses, case, tmp_path, kept, names):
    """A run without u, v or v1, v2 would start from rest."""
    path = field_files(run.solve(case("one", output={"every": 1000, "fields": ["h", kept]}), "one"))[0]
    for name in names:
        damage(path, name)
    words = [path.name, f"'{names[0]}' cannot be opened", "damaged"]
    refuses(DATA, words, "run", case("two", **case_of(str(path))), env=OF_DAMAGE)


def test_a_link_is_not_followed(refuses, case, tmp_path):
    state = latlon_state(24)
    write(tmp_path / "other.nc", {"u": state.pop("u")})
    write(tmp_path / "bad.nc", state)
    with h5py.File(tmp_path / "bad.nc", "a") as file:
        file["u"] = h5py.ExternalLink("other.nc", "u")
    refuses(DATA, ["bad.nc", "'u' is reached by a link"], "run", case(**case_of("bad.nc")))


def test_values_that_are_missing_are_reported(refuses, case, tmp_path):
    state = latlon_state(24)
    state["h"][2, 3] = -999.0
    write(tmp_path / "bad.nc", state)
    with h5py.File(tmp_path / "bad.nc", "a") as file:
        file["h"].attrs["_FillValue"] = -999.0
    refuses(DATA, ["bad.nc", "'h' is missing at latitude -52.5, longitude 45"], "run", case(**case_of("bad.nc")))


MARKED = {"f8": (np.float64, -999.0, {"missing_value": -999.0}), "f4": (np.float32, np.float32(-999.9), {"_FillValue": -999.9}),
          "both": (np.float64, -2.0, {"_FillValue": -1.0, "missing_value": -2.0}),
          "integer": (np.float32, -999.0, {"missing_value": np.int32(-999)}),
          "list": (np.float64, -3.0, {"missing_value": [-1.0, -2.0, -3.0]})}


@pytest.mark.parametrize("marked", MARKED)
def test_every_marker_of_missing_values_is_known(refuses, case, tmp_path, marked):
    kind, value, attributes = MARKED[marked]
    state = latlon_state(24)
    state["h"] = state["h"].astype(kind)
    state["h"][2, 3] = value
    native = native_state(N)
    native["v1"][1, 2, 3] = value
    native["v1"] = native["v1"].astype(kind)
    for path, name in (("regular.nc", "h"), ("native.h5", "v1")):
        write(tmp_path / path, state if name == "h" else native)
        with h5py.File(tmp_path / path, "a") as file:
            file[name].attrs.update(attributes)
    refuses(DATA, ["'h' is missing at latitude -52.5, longitude 45"], "run", case("one", **case_of("regular.nc")))
    refuses(DATA, ["'v1' is missing at panel 1, j 2, i 3"], "run", case("two", **case_of("native.h5")))


@pytest.mark.parametrize("marker", ["none", np.zeros(20)])
def test_markers_that_are_no_numbers_are_refused(refuses, case, tmp_path, marker):
    write(tmp_path / "bad.nc", latlon_state(24))
    with h5py.File(tmp_path / "bad.nc", "a") as file:
        file["h"].attrs["missing_value"] = marker
    refuses(DATA, ["bad.nc", "missing_value", "'h'"], "run", case(**case_of("bad.nc")))


def c_grid(lat, lon):
    return {"lat_v": (lat[:-1] + lat[1:]) / 2}, {"v": ("lat_v", "lon")}


def turned_over(lat, lon):
    return {"south_down": lat[::-1]}, {"u": ("south_down", "lon"), "v": ("south_down", "lon")}


def half_a_column_east(lat, lon):
    return {"lon_u": lon + (lon[1] - lon[0]) / 2}, {"u": ("lat", "lon_u")}


def write_on_axes(path, change):
    """h, u and v, some on axes of their own."""
    state = latlon_state(24, poles=True)
    axes, moved = change(state["lat"], state["lon"])
    with netCDF4.Dataset(path, "w") as file:
        for name, values in {"lat": state["lat"], "lon": state["lon"], **axes}.items():
            file.createDimension(name, values.size)
            file.createVariable(name, "f8", (name,))[:] = values
            file[name].units = "degrees_east" if name.startswith("lon") else "degrees_north"
        for name in ("h", "u", "v"):
            dimensions = moved.get(name, ("lat", "lon"))
            file.createVariable(name, "f8", dimensions)[:] = state[name][:file.dimensions[dimensions[0]].size]


@pytest.mark.parametrize("change", [c_grid, turned_over, half_a_column_east])
def test_components_at_other_points_than_h_are_refused(refuses, case, tmp_path, change):
    write_on_axes(tmp_path / "bad.nc", change)
    refuses(DATA, ["bad.nc", "'v'" if change is c_grid else "'u'"], "run", case(**case_of("bad.nc")))


def test_components_on_equal_axes_of_their_own_are_read(run, case, tmp_path):
    write_on_axes(tmp_path / "one.nc", lambda lat, lon: ({}, {}))
    write_on_axes(tmp_path / "two.nc", lambda lat, lon: ({"lat_u": lat}, {"u": ("lat_u", "lon")}))
    one, two = (final_fields(run.solve(case(name, **case_of(f"{name}.nc")), name)) for name in ("one", "two"))
    assert one["h"].tobytes() == two["h"].tobytes()


def test_two_winds_of_one_standard_name_are_refused(refuses, case, tmp_path):
    state = latlon_state(24)
    state["ua"], state["ub"] = state["u"], state.pop("u")
    write(tmp_path / "bad.nc", state)
    with h5py.File(tmp_path / "bad.nc", "a") as file:
        for name in ("ua", "ub"):
            file[name].attrs["standard_name"] = "eastward_wind"
    refuses(DATA, ["bad.nc", "'ua' and 'ub'", "eastward_wind"], "run", case(**case_of("bad.nc")))


@pytest.mark.parametrize("off", [1e-3, 0.1, 0.2, 0.3])
def test_latitudes_near_the_poles_do_not_amplify_noise(run, case, tmp_path, off):
    """The outer latitudes are `off` of a spacing from the poles; values have noise of 1e-6."""
    lat, lon = axes(48, poles=True)
    lat[[0, -1]] += np.array([off, -off]) * (lat[1] - lat[0])
    state = {"lat": lat, "lon": lon, **fields_at(*np.meshgrid(lon, lat))}
    noisy = dict(state, h=state["h"] + 1e-6 * np.random.default_rng(2).uniform(-1, 1, state["h"].shape))
    found = []
    for name, fields in (("smooth", state), ("noisy", noisy)):
        write(tmp_path / f"{name}.nc", fields)
        found.append(read_fields(field_files(run.solve(case(name, **case_of(f"{name}.nc")), name))[0])["h"])
    assert 1e-7 < np.abs(found[1] - found[0]).max() < 3e-6
    assert np.abs(found[0] - native_state(N)["h"]).max() < 1e-5


def test_values_that_were_never_written_are_reported(refuses, case, tmp_path):
    lat, lon = axes(24)
    with netCDF4.Dataset(tmp_path / "bad.nc", "w") as file:
        for name, values in (("lat", lat), ("lon", lon)):
            file.createDimension(name, values.size)
            file.createVariable(name, "f8", (name,))[:] = values
        file.createVariable("h", "f4", ("lat", "lon"))[1:] = 1.0
    refuses(DATA, ["bad.nc", "'h' is missing at latitude -82.5, longitude 0"], "run", case(**case_of("bad.nc")))


def test_packed_values_are_refused(refuses, case, tmp_path):
    write(tmp_path / "bad.nc", latlon_state(24))
    with h5py.File(tmp_path / "bad.nc", "a") as file:
        file["h"].attrs["scale_factor"] = 0.1
    refuses(DATA, ["bad.nc", "'h'", "packed"], "run", case(**case_of("bad.nc")))


@pytest.mark.parametrize("key, why", [
    ("initial.variable_h", "does not read this key"), ("initial.variable_u", "does not read this key"),
    ("bottom.variable", "is not set"), ("bottom.sha256", "is not set")])
def test_a_name_needs_a_file(refuses, case, key, why):
    refuses(CONFIG, [key, why], "run", case(), "--set", f"{key}=x")


def test_a_grid_that_holds_nothing_is_refused(refuses, case, tmp_path):
    """The grid declares terabytes."""
    with h5py.File(tmp_path / "bad.nc", "w") as file:
        file["lat"], file["lon"] = np.linspace(-90, 90, 100_000), np.arange(100_000) * 0.0036
        file.create_dataset("h", (100_000, 100_000), dtype="f8", chunks=(1000, 1000))
    refuses(DATA, ["bad.nc", "'h'", "that this file stores"], "run", case(**case_of("bad.nc")))


def test_a_grid_that_is_too_large_is_refused(refuses, case, tmp_path):
    """The grid has 2 GiB, in chunks that deflate has reduced."""
    n, rows = 16400, 400
    chunk = zlib.compress(bytes(8 * rows * n), 9)
    with h5py.File(tmp_path / "bad.nc", "w") as file:
        file["lat"], file["lon"] = np.linspace(-90, 90, n), np.arange(n) * 360 / n
        h = file.create_dataset("h", (n, n), "f8", chunks=(rows, n), compression="gzip")
        for first in range(0, n, rows):
            h.id.write_direct_chunk((first, 0), chunk)
    refuses(DATA, ["bad.nc", "'h'", "(16400, 16400)"], "run", case(**case_of("bad.nc")))


# ---- whole runs -------------------------------------------------------------------------------------------------


def earth(n, hours, **initial):
    return {"grid": {"n": n}, "physics": EARTH["physics"], "initial": initial,
            "time": {"end": 3600.0 * hours, "courant": 0.4}}


def rms(a):
    return np.sqrt(np.mean(a ** 2))


def from_formula(run, n, hours, name="formula"):
    """A run of the tilted case 2 of Williamson et al.; its fields at the start and at the end."""
    write_case(run.folder / f"{name}.yaml", **earth(n, hours, **EARTH["initial"]), output={"every": 100000})
    return [read_fields(path) for path in field_files(run.solve(f"{name}.yaml", name))]


def test_a_run_from_latitudes_and_longitudes_is_the_run_from_the_formula(run, tmp_path):
    """The difference is less than a hundredth of the error of the run itself."""
    n = 16
    start, end = from_formula(run, n, 24)
    lat, lon = axes(180)
    up, east, north = sphere.unit_vectors(*np.meshgrid(lon, lat))
    axis = sphere.unit_vectors(EARTH["physics"]["axis_lon"], EARTH["physics"]["axis_lat"])[0]
    p, speed = EARTH["physics"], 2 * np.pi * EARTH["physics"]["radius"] / EARTH["initial"]["period"]
    flow = speed * np.cross(axis, up)
    slope = speed * (p["radius"] * p["rotation"] + speed / 2) / p["gravity"]
    write(tmp_path / "latlon.nc", {"lat": lat, "lon": lon, "h": p["depth"] - slope * (up @ axis) ** 2,
                                   "u": np.sum(flow * east, -1), "v": np.sum(flow * north, -1)})
    write_case(tmp_path / "latlon.yaml", **earth(n, 24, kind="file", path="latlon.nc"))
    found = final_fields(run.solve("latlon.yaml", "latlon"))
    for name in ("h", "v1", "v2"):
        own = rms(end[name] - start[name])
        assert rms(found[name] - end[name]) < 0.01 * own, (name, rms(found[name] - end[name]) / own)


def test_a_converted_file_starts_a_run(run, tmp_path):
    """A file that convert writes for other programs can be read again."""
    n = 16
    start, _ = from_formula(run, n, 1)
    first = field_files(tmp_path / "formula")[0]
    assert run("convert", first, "--to", "latlon", "--output", "converted.nc", "--quiet").code == 0
    write_case(tmp_path / "again.yaml", **earth(n, 1, kind="file", path="converted.nc"), output={"every": 100000})
    found = read_fields(field_files(run.solve("again.yaml", "again"))[0])
    for name, most in (("h", 1e-5), ("v1", 1e-3), ("v2", 1e-3)):
        assert rms(found[name] - start[name]) < most * rms(start[name]), name


def test_a_run_without_native_fields_starts_another(run, tmp_path):
    """Its wind is the scheme's interpolation to vertices: of order 4 here, 2 at panel edges."""
    errors_of = []
    for n in (13, 26):
        start, _ = from_formula(run, n, 1, f"formula{n}")
        write_case(tmp_path / f"plain{n}.yaml", **earth(n, 1, **EARTH["initial"]),
                   output={"every": 100000, "fields": ["h", "wind"]})
        first = field_files(run.solve(f"plain{n}.yaml", f"plain{n}"))[0]
        assert not {"v1", "v2"} & read_fields(first).keys()
        write_case(tmp_path / f"again{n}.yaml", **earth(n, 1, kind="file", path=f"plain{n}/{first.name}"),
                   output={"every": 100000})
        found = read_fields(field_files(run.solve(f"again{n}.yaml", f"again{n}"))[0])
        assert found["h"].tobytes() == start["h"].tobytes()
        errors_of.append([rms(found[v] - start[v]) / rms(start[v]) for v in ("v1", "v2")])
    assert max(errors_of[1]) < 1e-3 and (np.log2(np.divide(*errors_of)) > 2).all(), errors_of
