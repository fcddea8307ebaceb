"""Optional fields of a case: vorticity, divergence, the surface and the bottom."""
import os

import netCDF4
import numpy as np
import pytest
import xarray

import sphere
from program import field_files, final_fields, read_csv, read_fields, write_case, write_state

N = 13
AXIS = np.array([0.6, -0.48, 0.64])  # of a rotation, a unit vector
FLOW = {"vorticity": "atmosphere_upward_relative_vorticity", "divergence": "divergence_of_wind"}
EVERYTHING = "[h, wind, native, vorticity, divergence, surface]"


def rotation(run, n, model="linear", order=4, radius=2.5, fields=EVERYTHING):
    """A solid-body rotation as the start of a case; returns its folder of results."""
    write_state(run.folder / f"rotation{n}.nc", **sphere.rotation_state(n, AXIS, radius, order))
    write_case(run.folder / f"rotation{n}.yaml", grid={"n": n, "order": order}, time={"end": 1e-3, "dt": 1e-3},
               physics={"radius": radius, "model": model}, initial={"kind": "file", "path": f"rotation{n}.nc"})
    out = f"{model}_{order}_{n}_{len(fields)}"
    return run.solve(f"rotation{n}.yaml", out, "--set", "output.every=1", "--set", f"output.fields={fields}")


def start_of(out):
    return read_fields(field_files(out)[0])


def weights(fields):
    """Areas of dual cells up to a factor: each copy of a shared point has its own part."""
    half = np.ones(fields["lons"].shape[-1])
    half[[0, -1]] = 0.5
    t = np.tan(np.linspace(-np.pi / 4, np.pi / 4, half.size))
    x, y = np.meshgrid(t, t)
    return half * half[:, None] * (1 + x ** 2) * (1 + y ** 2) / (1 + x ** 2 + y ** 2) ** 1.5


def rms(fields, values):
    w = weights(fields)
    return np.sqrt(np.sum(w * values ** 2) / (6 * np.sum(w)))


@pytest.mark.parametrize("model", ["linear", "nonlinear"])
@pytest.mark.parametrize("order, rate, bound", [(2, 1.3, 0.02), (4, 2.2, 2e-3), (6, 3.0, 3e-4)])
def test_vorticity_of_a_rotation(run, model, order, rate, bound):
    """The vorticity is twice the angular velocity along the vertical, the divergence 0. The speed is 1, the
    radius 2.5.
    """
    errors = []
    for n in (16, 32):
        fields = start_of(rotation(run, n, model, order))
        up = sphere.unit_vectors(fields["lons"], fields["lats"])[0]
        errors.append(rms(fields, fields["vorticity"] - 2 / 2.5 * up @ AXIS))
    assert rms(fields, fields["divergence"]) < 10 * bound
    assert errors[1] < bound and np.log2(errors[0] / errors[1]) > rate, errors


def test_the_kinetic_energy_is_that_of_the_wind(run):
    fields = start_of(rotation(run, N, fields="[wind, kinetic_energy]"))
    speed = fields["u"] ** 2 + fields["v"] ** 2
    np.testing.assert_allclose(fields["kinetic_energy"], speed / 2, rtol=0, atol=1e-14 * speed.max())
    assert speed.max() > 0.9


def test_the_mean_vorticity_is_nothing(run):
    """The mean is 0 to rounding, by the norms of the scheme, which are of order 2 here."""
    fields = start_of(rotation(run, N, order=2))
    w = weights(fields)
    for name in FLOW:
        assert abs(np.sum(w * fields[name])) < 1e-13 * np.sum(w * np.abs(fields[name])), name


def test_shared_points_have_one_value(run):
    fields = start_of(rotation(run, N))
    r = sphere.positions(sphere.vertices(N), sphere.vertices(N)).reshape(-1, 3)
    _, index = np.unique(np.round(r, 9) + 0.0, axis=0, return_inverse=True)
    for name in FLOW:
        values = fields[name].ravel()
        largest, least = np.full(index.max() + 1, -np.inf), np.full(index.max() + 1, np.inf)
        np.maximum.at(largest, index, values)
        np.minimum.at(least, index, values)
        assert (largest == least).all(), name


@pytest.mark.filterwarnings("ignore:numpy.ndarray size changed")
def test_other_programs_read_them(run):
    path = field_files(rotation(run, N))[0]
    fields = read_fields(path)
    with xarray.open_dataset(path, engine="netcdf4", decode_times=False) as data:
        for name, standard_name in FLOW.items():
            assert data[name].dims == ("time", "nf", "Ydim", "Xdim")
            assert (data[name].units, data[name].standard_name) == ("s-1", standard_name)
            assert {"lons", "lats"} <= set(data[name].coords) and data[name].grid_mapping == "cubed_sphere"
            assert data[name].values[0].tobytes() == fields[name].tobytes()


def test_they_are_left_out_unless_requested(run, case):
    found = final_fields(run.solve(case(), "out"))
    assert not {*FLOW, "surface", "bottom"} & found.keys()


def test_asking_for_them_changes_nothing_else(run):
    """No bit of the state changes, and a run can start from a file that has these fields."""
    with_them, without = (rotation(run, N, "nonlinear", fields=fields) for fields in (EVERYTHING, "[h, wind, native]"))
    for a, b in zip(field_files(with_them), field_files(without)):
        a, b = read_fields(a), read_fields(b)
        assert all(a[name].tobytes() == b[name].tobytes() for name in ("h", "u", "v", "v1", "v2"))
    path = os.path.relpath(field_files(with_them)[-1], run.folder)
    write_case(run.folder / "on.yaml", grid={"n": N}, physics={"radius": 2.5, "model": "nonlinear"},
               initial={"kind": "file", "path": path}, time={"end": 1e-3, "dt": 1e-3}, output={"every": 1})
    assert start_of(run.solve("on.yaml", "on"))["v1"].tobytes() == read_fields(run.folder / path)["v1"].tobytes()


def test_a_device_has_them_likewise(run, run_emulated, case):
    path = case(grid={"n": N}, initial={"kind": "gaussian", "lon": 40, "lat": 30})
    arguments = ["--set", f"output.fields={EVERYTHING}"]
    expected = final_fields(run.solve(path, "cpu", *arguments))
    found = final_fields(run_emulated.solve(path, "cuda", *arguments, backend="cuda"))
    for name in (*FLOW, "surface"):
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-12 * np.abs(expected["divergence"]).max())
    assert np.abs(expected["divergence"]).max() > 1e-3


def test_the_surface_lies_on_the_bottom(run):
    write_case(run.folder / "lake.yaml", grid={"n": N}, physics={"model": "nonlinear", "gravity": 9.8, "depth": 6000, "radius": 6.4e6},
               initial={"kind": "lake_at_rest", "lon": 40, "lat": 30, "amplitude": 2000, "width": 0.1}, time={"end": 600})
    fields = final_fields(run.solve("lake.yaml", "lake", "--set", "output.fields=[h, surface]"))
    assert (fields["surface"] == fields["h"] + fields["bottom"]).all()
    assert np.ptp(fields["surface"]) < 1e-8 and 1500 < np.ptp(fields["bottom"]) <= 2000


@pytest.mark.parametrize("grid, shape", [("latlon", (1, 2 * N, 4 * N)), ("ugrid", (1, 6 * N ** 2 + 2))])
def test_they_are_converted(run, grid, shape):
    path = field_files(rotation(run, N))[0]
    done = run("convert", path, "--to", grid, "--output", "out.nc", "--quiet")
    assert done.code == 0, done.err
    with netCDF4.Dataset(run.folder / "out.nc") as file:
        for name, standard_name in FLOW.items():
            assert file[name].shape == shape
            assert (file[name].units, file[name].standard_name) == ("s-1", standard_name)
        lons, lats = file["lon"][:], file["lat"][:]
        if grid == "latlon":
            lons, lats = np.meshgrid(lons, lats)
        up = sphere.unit_vectors(np.asarray(lons), np.asarray(lats))[0]
        assert np.abs(np.asarray(file["vorticity"][0]) - 0.8 * up @ AXIS).max() < 0.03


def nonlinear_case(path, **output):
    return write_case(path, grid={"n": N}, physics={"model": "nonlinear", "gravity": 9.8, "depth": 5, "radius": 2.5, "rotation": -0.7,
                      "axis_lon": 30, "axis_lat": 40}, initial={"kind": "williamson2", "period": 9}, time={"end": 0.1},
                      output={"fields": ["h", "vorticity", "potential_vorticity"], **output})


def test_potential_vorticity_is_that_of_the_scheme(run):
    """h q - zeta is f, and the integral of h q^2 / 2 is the potential enstrophy of the diagnostics."""
    out = run.solve(nonlinear_case(run.folder / "case.yaml"), "out")
    fields = final_fields(out)
    h, zeta, q = (fields[name] for name in ("h", "vorticity", "potential_vorticity"))
    axis = sphere.unit_vectors(np.array(30.0), np.array(40.0))[0]
    f = 2 * -0.7 * sphere.unit_vectors(fields["lons"], fields["lats"])[0] @ axis
    np.testing.assert_allclose(h * q - zeta, f, rtol=0, atol=1e-13)
    enstrophy = read_csv(out / "diagnostics.csv")[-1]["potential_enstrophy"]
    assert np.sum(fields["area"] * h * q ** 2) / 2 == pytest.approx(enstrophy, rel=1e-13)
    with netCDF4.Dataset(field_files(out)[-1]) as file:
        assert (file["potential_vorticity"].units, file["potential_vorticity"].dimensions[-2:]) == ("m-1 s-1", ("Ydim", "Xdim"))


def test_potential_vorticity_needs_no_vorticity_beside_it(run):
    both = final_fields(run.solve(nonlinear_case(run.folder / "case.yaml"), "both"))
    alone = final_fields(run.solve("case.yaml", "alone", "--set", "output.fields=[potential_vorticity]"))
    assert alone["potential_vorticity"].tobytes() == both["potential_vorticity"].tobytes()
    assert "vorticity" not in alone and "h" not in alone


def test_the_linear_model_has_no_potential_vorticity(refuses, case):
    refuses(78, ["output.fields", "potential_vorticity", "nonlinear"], "run", case(output={"fields": ["h", "potential_vorticity"]}))
