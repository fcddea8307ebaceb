"""A bottom from a file under a flow from a formula or a file, and the example that writes both files."""
import hashlib
import shutil
import subprocess

import h5py
import numpy as np
import pytest

import sphere
from checkpoints import checkpoint_at
from program import (REPOSITORY, assert_same_bits, field_files, final_fields, read_csv, read_fields, read_json,
                     write_case, write_state)

CONFIG, DATA, NO_INPUT, CANNOT_CREATE = 78, 65, 66, 73
N = 13
PHYSICS = {"model": "nonlinear", "gravity": 9.80616, "depth": 5960.0, "radius": 6371220.0, "rotation": 7.292e-5}
ZONAL = {"kind": "williamson2", "period": 2 * np.pi * PHYSICS["radius"] / 20}
REST = {"kind": "gaussian", "amplitude": 0.0}


def case_over(path, bottom, initial=None, n=N, **sections):
    """A case over a bottom from a file; the default is the flow of case 5 of Williamson et al."""
    return write_case(path, grid={"n": n}, physics=PHYSICS, initial=initial or ZONAL, bottom=bottom,
                      **{"time": {"end": 36000.0, "dt": 1200.0}, **sections})


def mountain(lon, lat):
    """A smooth mountain, 2000 m high."""
    up, summit = sphere.unit_vectors(lon, lat)[0], sphere.unit_vectors(-90.0, 30.0)[0]
    return 2000 * np.exp(-np.arccos(np.clip(up @ summit, -1, 1)) ** 2 / 0.1)


def write_mountain(path, nlon=90, name="bottom", scale=1.0, units="m"):
    lat, lon = (np.arange(nlon // 2) + 0.5) * 360 / nlon - 90, np.arange(nlon) * 360 / nlon
    write_state(path, lat=lat, lon=lon, **{name: scale * mountain(*np.meshgrid(lon, lat))})
    with h5py.File(path, "a") as file:
        file[name].attrs["units"] = units
    return path


def surface_fields(run, case, out, *arguments):
    return final_fields(run.solve(case, out, "--set", "output.fields=[h, native, surface]", *arguments))


def test_a_flow_over_the_mountain_of_a_file_is_case_5(run, tmp_path):
    """The mountain is in a field file of case 5; case 2 keeps its surface over it."""
    write_case(tmp_path / "five.yaml", grid={"n": N}, physics=PHYSICS, initial={"kind": "williamson5"},
               time={"end": 36000.0, "dt": 1200.0})
    expected = surface_fields(run, "five.yaml", "five")
    (path,) = field_files(tmp_path / "five")
    case_over(tmp_path / "two.yaml", {"path": f"five/{path.name}"})
    found = surface_fields(run, "two.yaml", "two")
    assert found["bottom"].tobytes() == expected["bottom"].tobytes() and np.ptp(expected["bottom"]) > 1500
    for name in ("h", "v1", "v2"):
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-10 * np.abs(expected[name]).max())


def test_a_bottom_is_interpolated_in_order_6(run, tmp_path):
    errors = []
    for nlon in (48, 96):
        write_mountain(tmp_path / "mountain.nc", nlon)
        case_over(tmp_path / "case.yaml", {"path": "mountain.nc"}, time={"end": 1200.0, "dt": 1200.0})
        found = surface_fields(run, "case.yaml", f"out{nlon}")
        errors.append(np.abs(found["bottom"] - mountain(found["lons"], found["lats"])).max())
    assert errors[1] < 0.1 and np.log2(errors[0] / errors[1]) > 5, errors


@pytest.mark.parametrize("pipeline", ["fused", "staged"])
def test_water_over_the_bottom_of_a_file_rests(run, tmp_path, pipeline):
    write_mountain(tmp_path / "mountain.nc")
    case_over(tmp_path / "case.yaml", {"path": "mountain.nc"}, REST)
    found = surface_fields(run, "case.yaml", "out", "--set", f"scheme.pipeline={pipeline}", "--set", "output.fields=[h, wind, surface]")
    assert np.ptp(found["surface"]) < 1e-8 and np.ptp(found["h"]) > 1500
    assert np.abs(found["u"]).max() < 1e-9


def test_a_case_over_another_bottom_has_no_exact_solution(run, refuses, tmp_path):
    write_mountain(tmp_path / "mountain.nc")
    case_over(tmp_path / "case.yaml", {"path": "mountain.nc"})
    assert read_json(run.solve("case.yaml", "out") / "summary.json")["reference"] is None
    refuses(CONFIG, ["no exact solution"], "converge", "case.yaml", "--n", "13")


def test_a_bench_runs_over_a_bottom(run, tmp_path):
    write_mountain(tmp_path / "mountain.nc")
    case_over(tmp_path / "case.yaml", {"path": "mountain.nc"})
    done = run("bench", "case.yaml", "--n", "13", "--repeats", "30", "--backend", "cpu")
    assert done.code == 0, done.err


def test_a_bottom_lies_beside_its_case(run, tmp_path):
    (tmp_path / "far").mkdir()
    write_mountain(tmp_path / "far/mountain.nc")
    case_over(tmp_path / "far/case.yaml", {"path": "mountain.nc"})
    assert np.ptp(surface_fields(run, "far/case.yaml", "out")["bottom"]) > 1500


def test_names_of_a_bottom(run, tmp_path):
    """The bottom has a usual name, the requested name, or a standard name."""
    found = []
    for name, key in (("topography", ""), ("z", "z"), ("other", "")):
        write_mountain(tmp_path / f"{name}.nc", name=name)
        with h5py.File(tmp_path / f"{name}.nc", "a") as file:
            file[name].attrs["standard_name"] = "surface_altitude"
        case_over(tmp_path / f"{name}.yaml", {"path": f"{name}.nc", "variable": key})
        found.append(surface_fields(run, f"{name}.yaml", name))
    assert_same_bits(found[1], found[0])
    assert_same_bits(found[2], found[0])


# ---- restarts ---------------------------------------------------------------------------------------------------


def test_a_restart_needs_the_same_bottom(run, refuses, tmp_path):
    """The content decides, not the path; another content is refused with both digests."""
    write_mountain(tmp_path / "mountain.nc")
    case_over(tmp_path / "case.yaml", {"path": "mountain.nc"})
    expected = surface_fields(run, "case.yaml", "out", "--set", "checkpoint.every=10")
    checkpoint = checkpoint_at(tmp_path / "out/checkpoints", 20)
    (tmp_path / "far").mkdir()
    shutil.copy(tmp_path / "mountain.nc", tmp_path / "far/moved.nc")
    case_over(tmp_path / "moved.yaml", {"path": "far/moved.nc"})
    found = surface_fields(run, "moved.yaml", "moved", "--restart", checkpoint)
    assert_same_bits(found, expected)
    write_mountain(tmp_path / "mountain.nc", scale=1.01)
    refuses(CONFIG, ["another case", "bottom.sha256"], "run", "case.yaml", "--restart", checkpoint, "--output", "again")
    case_over(tmp_path / "flat.yaml", {"path": ""})
    refuses(CONFIG, ["another case", "bottom.sha256"], "run", "flat.yaml", "--restart", checkpoint, "--output", "again")


def test_the_configuration_of_a_run_pins_its_bottom(run, refuses, tmp_path):
    write_mountain(tmp_path / "mountain.nc")
    case_over(tmp_path / "case.yaml", {"path": "mountain.nc"})
    expected = surface_fields(run, "case.yaml", "out")
    (tmp_path / "configuration.yaml").write_text((tmp_path / "out/configuration.yaml").read_text())
    digest = hashlib.sha256((tmp_path / "mountain.nc").read_bytes()).hexdigest()
    assert f"sha256: '{digest}'" in (tmp_path / "configuration.yaml").read_text()
    assert_same_bits(surface_fields(run, "configuration.yaml", "again"), expected)
    write_mountain(tmp_path / "mountain.nc", scale=1.01)
    refuses(DATA, ["mountain.nc", "bottom.sha256"], "run", "configuration.yaml", "--output", "third")


def test_overwrite_never_removes_the_bottom(run, refuses, tmp_path):
    write_case(tmp_path / "five.yaml", grid={"n": N}, physics=PHYSICS, initial={"kind": "williamson5"},
               time={"end": 1200.0, "dt": 1200.0})
    surface_fields(run, "five.yaml", "out")
    (path,) = field_files(tmp_path / "out")
    case_over(tmp_path / "case.yaml", {"path": f"out/{path.name}"})
    refuses(CANNOT_CREATE, [path.name], "run", "case.yaml", "--output", "out", "--overwrite")


# ---- refusals ---------------------------------------------------------------------------------------------------


def test_cases_that_have_no_other_bottom_refuse_it(refuses, case, tmp_path):
    write_mountain(tmp_path / "mountain.nc")
    case_over(tmp_path / "own.yaml", {"path": "mountain.nc"}, {"kind": "williamson5"})
    refuses(CONFIG, ["own.yaml", "bottom.path", "williamson5", "its own bottom"], "run", "own.yaml")
    refuses(CONFIG, ["bottom.path", "linear equations have no bottom"], "run", case(bottom={"path": "mountain.nc"}))


def test_a_bottom_that_is_not_there_is_reported(refuses, tmp_path):
    case_over(tmp_path / "case.yaml", {"path": "missing.nc"})
    refuses(NO_INPUT, ["missing.nc"], "run", "case.yaml")


@pytest.mark.parametrize("options, words", [
    ({"name": "z"}, ["no dataset 'bottom'", "in m"]), ({"units": "feet"}, ["'bottom'", "'feet'", "needs 'm'"]),
    ({"scale": np.nan}, ["'bottom'", "not finite at latitude"]),
    ({"scale": 3.5}, ["depth over this bottom is -", "(panel ", "latitude"])])
def test_a_bad_bottom_is_refused(refuses, tmp_path, options, words):
    write_mountain(tmp_path / "bad.nc", **options)
    case_over(tmp_path / "case.yaml", {"path": "bad.nc"})
    refuses(DATA, ["bad.nc", *words], "run", "case.yaml")


# ---- the example ------------------------------------------------------------------------------------------------


def test_the_example_writes_files_that_a_run_accepts(run, tmp_path):
    """Over its mountain the flow keeps its mass and runs for two days without noise."""
    subprocess.run(["/usr/bin/python3", REPOSITORY / "config/make_input.py", tmp_path / "mine", "--spacing", "3"], check=True)
    done = run("run", "mine/case.yaml", "--backend", "cpu", "--output", "out", "--set", "grid.n=16", "--set", "time.end=172800")
    assert done.code == 0, done.err
    assert "60 latitudes and 120 longitudes" in done.err
    fields, rows = read_fields(field_files(tmp_path / "out")[-1]), read_csv(tmp_path / "out/diagnostics.csv")
    assert np.ptp(fields["bottom"]) > 1900 and 3000 < fields["h"].min() < fields["h"].max() < 6200
    assert abs(rows[-1]["mass"] / rows[0]["mass"] - 1) < 1e-13 and np.abs(fields["u"]).max() < 45


def test_the_example_of_a_gyre_gives_energy_by_its_wind(run, tmp_path):
    subprocess.run(["/usr/bin/python3", REPOSITORY / "config/make_input.py", tmp_path / "ocean", "--case", "gyre", "--spacing", "3"], check=True)
    done = run("run", "ocean/case.yaml", "--backend", "cpu", "--output", "out", "--set", "grid.n=16", "--set", "time.end=5d")
    assert done.code == 0, done.err
    rows = read_csv(tmp_path / "out/diagnostics.csv")
    assert rows[-1]["energy_by_stress"] > 0 > rows[-1]["energy_by_drag"] and rows[0]["energy_by_drag"] == 0
    assert abs(rows[-1]["mass"] / rows[0]["mass"] - 1) < 1e-13
