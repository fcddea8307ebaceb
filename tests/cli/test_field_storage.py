"""Storage of numbers in field files: areas of points, compression, single precision, texts."""
import os

import h5py
import netCDF4
import numpy as np
import pytest

from program import assert_same_bits, field_files, final_fields, read_csv, write_case

CONFIG, N, RADIUS = 78, 13, 2.5
SPHERE = 4 * np.pi * RADIUS ** 2
LARGE = {"kind": "gaussian", "lon": 40, "lat": 30, "amplitude": 0.3}


def case_of(run, model="linear", n=N, order=4, **sections):
    depth = {"linear": {}, "nonlinear": {"depth": 3}}[model]
    initial = LARGE if model == "linear" else {"kind": "williamson2", "period": 20}
    return write_case(run.folder / "case.yaml", grid={"n": n, "order": order}, initial=initial,
                      physics={"radius": RADIUS, "model": model, **depth}, **sections)


# ---- areas ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("model", ["linear", "nonlinear"])
def test_areas_weigh_the_height_as_the_mass_does(run, model):
    out = run.solve(case_of(run, model), "out")
    fields = final_fields(out)
    mass = read_csv(out / "diagnostics.csv")[-1]["mass"]
    assert np.sum(fields["area"] * fields["h"]) == pytest.approx(mass, rel=1e-14)
    assert fields["area"].shape == (6, N + 1, N + 1) and fields["area"].min() > 0


@pytest.mark.parametrize("order, error, rate", [(2, 1e-3, 1.9), (4, 1e-5, 3.8), (6, 1e-7, 3.5)])
def test_areas_sum_to_the_sphere(run, order, error, rate):
    """The sum is over all stored points, to the accuracy of the scheme's quadrature."""
    errors = []
    for n in (13, 26):
        fields = final_fields(run.solve(case_of(run, n=n, order=order, time={"end": 1e-3, "dt": 1e-3}), f"out{n}"))
        errors.append(abs(fields["area"].sum() / SPHERE - 1))
    assert errors[1] < error and np.log2(errors[0] / errors[1]) > rate, errors


def test_fields_name_their_areas(run):
    out = run.solve(case_of(run, "nonlinear"), "out", "--set",
                    "output.fields=[h, wind, native, vorticity, divergence, surface, potential_vorticity]")
    with netCDF4.Dataset(field_files(out)[-1]) as file:
        assert (file["area"].units, file["area"].standard_name) == ("m2", "cell_area")
        for name in ("h", "u", "v", "vorticity", "divergence", "surface", "bottom", "potential_vorticity"):
            assert file[name].cell_measures == "area: area"
        assert not {"cell_measures"} & set(file["v1"].ncattrs())


@pytest.mark.parametrize("grid, points", [("latlon", (2 * N, 4 * N)), ("ugrid", (6 * N ** 2 + 2,))])
def test_converted_areas_weigh_likewise(run, grid, points):
    """A node has the areas of all its copies; cells of a regular grid have their own areas."""
    path = field_files(run.solve(case_of(run), "out"))[-1]
    assert run("convert", path, "--to", grid, "--output", "out.nc", "--fields", "h,u,v").code == 0
    expected = final_fields(run.folder / "out")
    with netCDF4.Dataset(run.folder / "out.nc") as file:
        area, h = np.asarray(file["area"][:]), np.asarray(file["h"][0])
        assert area.shape == points and {file[name].cell_measures for name in ("h", "u", "v")} == {"area: area"}
    exact = {"latlon": SPHERE, "ugrid": expected["area"].sum()}[grid]
    assert area.sum() == pytest.approx(exact, rel=1e-13)
    mass = np.sum(expected["area"] * expected["h"])
    assert np.sum(area * h) == pytest.approx(mass, rel={"latlon": 1e-3, "ugrid": 1e-13}[grid])


# ---- compression ---------------------------------------------------------------------------------

def storage_of(path):
    with h5py.File(path) as file:
        return {name: (item.compression, item.compression_opts, item.shuffle, item.chunks)
                for name, item in file.items() if item.ndim > 2}


def test_files_are_compressed_without_loss(run):
    """Every level is tested and the default; level 0 means no compression; chunks hold at most 1 MiB."""
    n, case = 24, case_of(run, n=24)
    default, strong, plain = (run.solve(case, f"out{k}", *arguments) for k, arguments in
                              enumerate([[], ["--set", "output.compression=9"], ["--set", "output.compression=0"]]))
    for name, (compression, level, shuffle, chunks) in storage_of(field_files(default)[-1]).items():
        assert (compression, shuffle) == ("gzip", True) and level >= 1, name
        assert 8 * np.prod(chunks) <= 1 << 20 and chunks[-3:] == (6, *chunks[-2:])
    assert {found[:2] for found in storage_of(field_files(strong)[-1]).values()} == {("gzip", 9)}
    assert {found[0] for found in storage_of(field_files(plain)[-1]).values()} == {None}
    for out in (default, strong):
        assert_same_bits(final_fields(out), final_fields(plain))
        assert field_files(out)[-1].stat().st_size < 0.75 * field_files(plain)[-1].stat().st_size
    assert final_fields(plain)["h"].shape == (6, n + 1, n + 1)


def test_chunks_of_large_panels_are_even(run):
    """385^2 values of 8 bytes are 1.13 MiB: each panel has two chunks of whole rows."""
    out = run.solve(case_of(run, n=384, order=2, time={"end": 1e-6, "dt": 1e-6}), "out", "--set", "output.fields=[h]")
    chunks = {name: found[3] for name, found in storage_of(field_files(out)[-1]).items()}
    assert chunks["h"] == (1, 1, 193, 385) and chunks["area"] == (1, 193, 385)


def test_checkpoints_are_not_compressed(run):
    out = run.solve(case_of(run, checkpoint={"every": 1}), "out", "--set", "output.precision=single")
    path = max((out / "checkpoints").glob("*.h5"))
    with h5py.File(path) as file:
        assert {file[name].compression for name in ("h", "v1", "v2")} == {None}
        assert {file[name].dtype for name in ("h", "v1", "v2")} == {np.dtype("<f8")}


# ---- single precision ----------------------------------------------------------------------------

def test_single_precision_rounds_and_halves(run):
    """Numbers at points are rounded to nearest; time and coordinates along panels keep double precision."""
    case = case_of(run, n=24)
    double = run.solve(case, "double", "--set", "output.compression=0")
    single = run.solve(case, "single", "--set", "output.compression=0", "--set", "output.precision=single")
    expected, found = final_fields(double), final_fields(single)
    for name, values in expected.items():
        wanted = values if values.ndim == 1 else values.astype(np.float32)
        assert found[name].tobytes() == wanted.tobytes(), name
    assert field_files(single)[-1].stat().st_size < 0.6 * field_files(double)[-1].stat().st_size
    assert (single / "diagnostics.csv").read_bytes() == (double / "diagnostics.csv").read_bytes()


@pytest.mark.parametrize("grid", ["latlon", "ugrid"])
def test_single_files_are_converted_to_single(run, grid):
    case = case_of(run)
    for precision in ("double", "single"):
        out = run.solve(case, precision, "--set", f"output.precision={precision}")
        done = run("convert", field_files(out)[-1], "--to", grid, "--output", f"{precision}.nc")
        assert done.code == 0, done.err
    with netCDF4.Dataset(run.folder / "single.nc") as single, netCDF4.Dataset(run.folder / "double.nc") as double:
        for name in ("h", "u", "v"):
            assert single[name].dtype == np.float32 and double[name].dtype == np.float64
            np.testing.assert_allclose(single[name][:], double[name][:], rtol=0, atol=1e-6)


def test_a_run_starts_from_a_single_file(run):
    """The run equals one from the same rounded numbers in double precision."""
    out = run.solve(case_of(run), "out", "--set", "output.precision=single")
    path = os.path.relpath(field_files(out)[-1], run.folder)
    with h5py.File(path if os.path.isabs(path) else run.folder / path) as file, h5py.File(run.folder / "double.nc", "w") as copy:
        for name in ("h", "v1", "v2"):
            assert file[name].dtype == np.float32 and file[name].compression == "gzip"
            copy[name] = file[name][()].astype(float)
    for name, source in (("single", path), ("double", "double.nc")):
        write_case(run.folder / f"{name}.yaml", grid={"n": N}, physics={"radius": RADIUS}, initial={"kind": "file", "path": source})
    assert_same_bits(final_fields(run.solve("single.yaml", "from_single")), final_fields(run.solve("double.yaml", "from_double")))


@pytest.mark.parametrize("key, value", [("compression", 10), ("compression", -1), ("precision", "half")])
def test_storage_that_is_not_there_is_refused(refuses, run, key, value):
    refuses(CONFIG, [f"output.{key}", str(value)], "run", case_of(run), "--set", f"output.{key}={value}")


# ---- texts ---------------------------------------------------------------------------------------

def test_texts_are_characters_of_their_length(run):
    """A text is NC_CHAR without a terminating zero, which readers would count as a part of it."""
    path = field_files(run.solve(case_of(run), "out"))[-1]
    with h5py.File(path) as file:
        for item in (file, file["h"], file["lons"], file["cubed_sphere"]):
            names = [name for name in item.attrs if isinstance(item.attrs[name], (bytes, np.bytes_, str))
                     and name not in ("CLASS", "NAME")]
            assert names
            for name in names:
                kind, text = item.attrs.get_id(name).get_type(), item.attrs[name]
                assert not kind.is_variable_str() and kind.get_size() == len(text), name
