"""Closures with moved points: the points of files, readers of them, restarts and refusals."""

import h5py
import numpy as np
import pytest

import sphere
from program import assert_same_bits, field_files, final_fields, read_json, write_state

CONFIG = 78
STATE = ("h", "v1", "v2")
WILLIAMSON2 = {"physics": {"model": "nonlinear", "gravity": 9.80616, "depth": 2998.1154702758267, "radius": 6371220.0,
                           "rotation": 7.292e-5, "axis_lon": 180.0, "axis_lat": 45.0},
               "initial": {"kind": "williamson2", "period": 1036800.0}, "time": {"end": 43200.0, "courant": 0.35}}


def angles(n, order):
    """Those of the vertices of a moved line [degree], from the exact table."""
    return np.degrees(sphere.points(n, order, "moved")[0])


def pulse(case, n=24, order=4, **sections):
    return case(grid={"n": n, "order": order, "closure": "moved"}, time={"end": 0.5, "courant": 0.2}, **sections)


@pytest.mark.parametrize("order, n", [(4, 13), (4, 24), (6, 15), (6, 24)])
def test_files_have_the_moved_points_and_their_areas(run, case, order, n):
    with h5py.File(field_files(run.solve(pulse(case, n, order), "out"))[-1]) as file:
        np.testing.assert_allclose(file["Xdim"], angles(n, order), atol=1e-12)
        np.testing.assert_allclose(file["Ydim"], angles(n, order), atol=1e-12)
        np.testing.assert_allclose(file["lons"][0, n // 3], angles(n, order) % 360, atol=1e-12)
        radius = file.attrs["radius"]
        assert abs(np.sum(file["area"]) / (4 * np.pi * radius**2) - 1) < 1e-6


@pytest.mark.parametrize("order, gain", [(4, 3), (6, 5)])
def test_errors_of_flows_are_several_times_smaller(run, case, order, gain):
    errors = [read_json(run.solve(case(grid={"n": 24, "order": order}, **WILLIAMSON2), name, "--set",
                                  f"grid.closure={name}") / "summary.json")["errors"]["l2"]
              for name in ("equispaced", "moved")]
    assert errors[0] / errors[1] > gain


def test_the_former_name_of_equispaced_has_its_bits(run, case):
    one, other = (run.solve(case(grid={"n": 13, "closure": word}), word) for word in ("default", "equispaced"))
    assert_same_bits(final_fields(one), final_fields(other))
    assert "  closure: equispaced\n" in (one / "configuration.yaml").read_text()


def test_a_state_starts_a_run_at_the_same_points_without_interpolation(run, case):
    out = run.solve(pulse(case), "out")
    name = pulse(case, initial={"kind": "file", "path": f"out/{field_files(out)[-1].name}"})
    begun = run.solve(name, "begun", "--set", "output.every=1", "--set", "time.end=0.02")
    with h5py.File(field_files(begun)[0]) as first, h5py.File(field_files(out)[-1]) as file:
        assert all(np.array_equal(first[field][()], file[field][()]) for field in STATE)


@pytest.mark.parametrize("given, asked", [("moved", "equispaced"), ("equispaced", "moved")])
def test_a_state_of_other_points_is_interpolated(run, case, given, asked):
    """A flow that is steady except for the errors of a few seconds."""
    steady = {**WILLIAMSON2, "time": {"end": 20.0, "courant": 0.35}}
    out = run.solve(case(grid={"n": 24, "order": 6, "closure": given}, **steady), "out")
    name = case(grid={"n": 24, "order": 6, "closure": asked}, **{
        **steady, "initial": {"kind": "file", "path": f"out/{field_files(out)[-1].name}"}})
    done = run("run", name, "--output", "begun", "--backend", "cpu")
    assert done.code == 0 and "interpolated in order 6 from a cubed sphere of n = 24" in done.err, done.err
    with h5py.File(field_files(run.folder / "begun")[0]) as file:
        h, lons, lats = (file[field][()] for field in ("h", "lons", "lats"))
    up, _, _ = sphere.unit_vectors(lons, lats)
    axis, radius, gravity, rotation = np.array([-1, 0, 1]) / np.sqrt(2), 6371220.0, 9.80616, 7.292e-5
    speed = 2 * np.pi * radius / 1036800.0
    exact = 2998.1154702758267 - (radius * rotation * speed + speed**2 / 2) * (up @ axis) ** 2 / gravity
    assert np.abs(h - exact).max() / exact.max() < 1e-5


@pytest.mark.parametrize("order", [4, 6])
def test_converted_fields_are_interpolated_at_order_6_next_to_edges_too(run, tmp_path, order):
    """A file with nothing but the moved points; errors fall 64-fold where n doubles."""
    errors = []
    for n in (16, 32):
        tangents = np.tan(np.radians(angles(n, order)))
        r = sphere.positions(tangents, tangents)
        with h5py.File(tmp_path / f"{n}.nc", "w") as file:
            file["lons"] = np.degrees(np.arctan2(r[..., 1], r[..., 0]))
            file["lats"] = np.degrees(np.arcsin(r[..., 2]))
            file["Xdim"] = file["Ydim"] = angles(n, order)
            file["time"] = [0.0]
            file["time"].attrs["units"] = "seconds since 2000-01-01 00:00:00"
            file["h"] = np.exp(r[..., 0] - 0.5 * r[..., 1] * r[..., 2])[None]
        done = run("convert", f"{n}.nc", "--to", "latlon", "--output", f"{n}_latlon.nc", "--lon", "180", "--lat", "90", "--quiet")
        assert done.code == 0, done.err
        with h5py.File(tmp_path / f"{n}_latlon.nc") as file:
            up, _, _ = sphere.unit_vectors(*np.meshgrid(file["lon"][()], file["lat"][()]))
            errors.append(np.abs(file["h"][0] - np.exp(up[..., 0] - 0.5 * up[..., 1] * up[..., 2])).max())
    assert errors[1] < 1e-6 and errors[0] / errors[1] > 35


def test_velocities_at_other_points_without_a_wind_are_refused(run, case, refuses):
    out = run.solve(case("given", grid={"n": 13, "closure": "equispaced"}, time={"end": 0.1, "dt": 0.01},
                         output={"fields": ["h", "native"]}), "out")
    name = case(grid={"n": 13}, initial={"kind": "file", "path": f"out/{field_files(out)[-1].name}"})
    refuses(65, ["v1 and v2 are at the points of another grid.closure"], "run", name, "--output", "new")
    run.solve(name, "new", "--set", "grid.closure=equispaced")


def test_velocities_of_unknown_points_are_taken_at_the_points_of_the_run(run, case, tmp_path):
    state = sphere.rotation_state(13, [0, 0, 1])
    write_state(tmp_path / "bare.nc", **{name: state[name] for name in STATE})
    name = case(grid={"n": 13}, initial={"kind": "file", "path": "bare.nc"}, time={"end": 0.02, "dt": 0.01}, output={"every": 1})
    done = run("run", name, "--output", "out", "--backend", "cpu")
    assert done.code == 0 and "warning: bare.nc: it has no Xdim and Ydim: v1 and v2 are taken at the points of the run" in done.err.replace(f"{tmp_path}/", "")
    with h5py.File(field_files(tmp_path / "out")[0]) as file:
        assert all(np.array_equal(np.squeeze(file[name][()]), state[name]) for name in ("v1", "v2"))


def test_files_of_different_points_are_not_joined(run, case, refuses):
    for word in ("moved", "equispaced"):
        run.solve(case(word, grid={"n": 13, "closure": word}, time={"end": 0.1 if word == "moved" else 0.2, "dt": 0.01}), word)
    refuses(65, ["its vertices are not of the previous file"], "convert", *(field_files(run.folder / word)[-1] for word in ("moved", "equispaced")),
            "--to", "latlon", "--output", "joined.nc")


def test_a_restart_keeps_the_closure_of_its_checkpoint(run, case):
    sections = {"time": {"end": 0.2, "dt": 0.01}}
    run.solve(case("equispaced", grid={"n": 13, "closure": "equispaced"}, **sections), "out")
    straight = run.solve("equispaced.yaml", "straight", "--set", "time.end=0.4")
    done = run("run", case("open", grid={"n": 13}, **sections), "--restart", "out", "--output", "out", "--backend", "cpu",
               "--set", "time.end=0.4")
    assert done.code == 0 and "grid.closure is equispaced, as in the checkpoint" in done.err, done.err
    assert_same_bits(final_fields(run.folder / "out"), final_fields(straight))


def test_a_restart_with_another_closure_is_refused(run, case):
    sections = {"time": {"end": 0.2, "dt": 0.01}}
    run.solve(case("moved", grid={"n": 13, "closure": "moved"}, **sections), "out")
    done = run("run", case("other", grid={"n": 13, "closure": "equispaced"}, **sections), "--restart", "out", "--output", "new",
               "--backend", "cpu", "--set", "time.end=0.4")
    assert done.code == CONFIG and "grid.closure is moved there and equispaced here" in done.err


@pytest.mark.parametrize("order, least, with_dissipation, equispaced", [(4, 9, 13, 7), (6, 13, 15, 11)])
def test_panels_too_small_for_moved_points_are_refused(refuses, case, order, least, with_dissipation, equispaced):
    grid, other = {"order": order, "closure": "moved"}, f"(closure moved; equispaced: {equispaced})"
    refuses(CONFIG, [f"grid.n: n = {least - 1} is too small: order {order} needs n >= {least} {other}"],
            "run", case(grid={**grid, "n": least - 1}), "--output", "out")
    refuses(CONFIG, [f"order {order} needs n >= {with_dissipation} with dissipation {other}"],
            "run", case("nonlinear", grid={**grid, "n": with_dissipation - 1}, **WILLIAMSON2), "--output", "out")


def test_blocks_and_threads_change_no_bit(run, case):
    name = case(grid={"n": 40, "order": 6, "closure": "moved"}, **{**WILLIAMSON2, "time": {"end": 3600.0, "courant": 0.35}})
    one = final_fields(run.solve(name, "one", "--threads", "1"))
    for words in (["--threads", "3"], ["--set", "parallel.blocks_1=2", "--set", "parallel.blocks_2=3"]):
        assert_same_bits(final_fields(run.solve(name, words[1].replace("=", "_"), *words)), one)
