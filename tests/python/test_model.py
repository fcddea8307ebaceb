"""cubeswe.Model."""
import copy
import gc
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta

import cubeswe as cs
import numpy as np
import pytest
import xarray as xr
from cubeswe._program import call_program

from conftest import REPOSITORY

EARTH = {"physics": {"model": "nonlinear", "gravity": 9.80616, "radius": 6371220, "rotation": 7.292e-5, "depth": 3000}}
ROTATION = {**EARTH, "initial": {"kind": "williamson2"}, "time": {"end": "1d"}}
SPEED = 2 * np.pi * 6371220 / 1036800  # of the wind of williamson2


def model(case="galewsky", **options):
    return cs.Model(case, **{"n": 24, "device": "cpu", "threads": 2, **options})


def state(of):
    return {name: of[name] for name in ("h", "v1", "v2")}


def assert_same(a, b):
    for name in ("h", "v1", "v2"):
        assert np.array_equal(a[name], b[name]), name


# ---- cases and errors ----


def test_a_ready_case_says_what_it_is():
    m = model()
    text = repr(m)
    for part in ("galewsky", "nonlinear flow, n = 24, order 4", "3458 points", "MiB", "double precision on cpu", "2 threads",
                 "Courant number", "time 0 s"):
        assert part in text
    assert "galewsky" in cs.cases() and m.name == "galewsky" and m.order == 4
    assert {"h", "u", "v", "vorticity", "v1", "area"} <= set(m.variables)
    assert "kind: galewsky" in m.configuration


def test_a_case_without_an_end_has_the_step_of_its_courant_number():
    short, long = model({**EARTH, "initial": {"kind": "williamson6"}}), model({**EARTH, "initial": {"kind": "williamson6"},
                                                                               "time": {"end": "10d"}})
    assert short.time_step == pytest.approx(long.time_step, rel=1e-2) and short.time_step > 100


def test_a_dictionary_is_a_case(tmp_path, monkeypatch):
    a, b = model({**ROTATION, "grid": {"order": 6}}), model("williamson2", order=6)
    assert a.order == b.order == 6
    m = model({**EARTH, "initial": {"kind": "galewsky"}, "physics": {**EARTH["physics"], "depth": 1e4},
               "tracers": [{"name": "dust"}]})
    assert m.tracers == ("dust",)
    m["dust"] = 0.5
    m.step(2)
    assert np.allclose(m["dust"], 0.5, atol=1e-13)
    a.write(tmp_path / "state.nc", ["h", "native"])
    monkeypatch.chdir(tmp_path)  # a relative path starts here
    assert_same(model({**EARTH, "grid": {"order": 6}, "initial": {"kind": "file", "path": "state.nc"}}), a)


@pytest.mark.parametrize("arguments, status, sentence", [
    ({"case": "galewsk"}, 66, "no ready case of this name: .*galewsky"),
    ({"case": "nowhere/case.yaml"}, 66, "nowhere/case.yaml"),
    ({"case": "galewsky", "grid": {"nn": 3}}, 78, "grid.nn: unknown key"),
    ({"case": "galewsky", "n": 3}, 78, "grid.n"),
    ({"case": "galewsky", "device": "tpu"}, 64, "tpu"),
    ({"case": "galewsky", "tracers": [{"name": "dust"}]}, 64, "in the case file"),
])
def test_a_wrong_case_is_an_input_error(arguments, status, sentence, capfd):
    with pytest.raises(cs.InputError, match=sentence) as error:
        cs.Model(**arguments)
    assert error.value.status == status and isinstance(error.value, ValueError) and isinstance(error.value, cs.Error)
    assert capfd.readouterr() == ("", "")


def test_wrong_variables_are_refused():
    m = model()
    with pytest.raises(cs.InputError, match="did you mean 'vorticity'"):
        m["vortcity"]
    with pytest.raises(cs.InputError, match="follows from the state"):
        m["vorticity"] = 0
    for wrong in (np.zeros((6, 3, 3)), np.ones((25, 25)), 1j + m["h"], "deep"):
        with pytest.raises(cs.InputError, match="where it has"):
            m["h"] = wrong
    with pytest.raises(cs.InputError, match="needs a depth"):
        m["h"] = -1.0
    for arguments in ({"u": 1}, {"wind": 10}, {"dataset": {"h": 1}}):
        with pytest.raises(cs.InputError, match="wind|Dataset"):
            m.set(**arguments)
    with pytest.raises(cs.InputError, match="not finite"):
        m["h"] = np.nan
    assert_same(m, model())


def test_models_and_errors_in_python():
    m = model()
    assert "h" in m and 3 not in m and list(m) == list(m.variables)
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="is not copied"):
            copied(m)
    error = pickle.loads(pickle.dumps(cs.InputError("a sentence", 64)))
    assert (str(error), error.status) == ("a sentence", 64)


def test_an_unstable_flow_is_an_error():
    m = model()
    m["h"] = m["h"] * np.random.default_rng(1).uniform(0.01, 100, m["h"].shape)
    with pytest.raises(cs.Error, match="step") as error:
        m.run("1d")
    assert error.value.status == 70


# ---- time ----


def test_times_have_units():
    assert [cs.seconds(t) for t in ("6d", "12h", "1d12h", "30min", "90s", "1e3", 5, timedelta(hours=1),
                                       np.timedelta64(2, "m"))] == [518400, 43200, 129600, 1800, 90, 1000, 5, 3600, 120]
    for wrong in ("soon", "inf", "6 days", "d", ""):
        with pytest.raises(cs.InputError, match="is not a time"):
            cs.seconds(wrong)


def test_a_run_has_the_bits_of_the_program(tmp_path):
    m = model(time={"end": "12h"})
    m.run()
    run = cs.run("galewsky", tmp_path / "run", n=24, end="12h", device="cpu", threads=2,
                 output={"fields": ["h", "native", "vorticity"]})
    last = xr.open_dataset(run.files[-1])
    for name in ("h", "v1", "v2", "vorticity", "lons", "area"):
        assert np.array_equal(last[name].values.squeeze(), m[name]), name
    row = run.diagnostics.iloc[-1]
    assert (row.mass, row.energy, row.potential_enstrophy) == tuple(m.diagnostics[k] for k in
                                                                    ("mass", "energy", "potential_enstrophy"))


def test_a_wind_changes_between_records_as_in_the_program(tmp_path):
    lat, lon = np.arange(-88.0, 90, 4), np.arange(0.0, 360, 4)
    of_record = np.array([0.1, -0.2, 0.3])[:, None, None] * np.cos(np.radians(lat))[:, None] + 0 * lon
    xr.Dataset({"tau_u": (("time", "lat", "lon"), of_record, {"units": "N m-2"}), "tau_v": (("time", "lat", "lon"), 0 * of_record, {"units": "N m-2"})},
               {"lat": ("lat", lat, {"units": "degrees_north"}), "lon": ("lon", lon, {"units": "degrees_east"}),
                "time": ("time", [0, 2, 4], {"units": "hours since 2000-01-01"})}).to_netcdf(tmp_path / "wind.nc")
    forcing = {"path": str(tmp_path / "wind.nc"), "interval": "2h", "wind_stress": {"u": "tau_u", "v": "tau_v"}}
    m = model(time={"end": "5h"}, forcing=forcing)
    m.step(7)
    with pytest.raises(cs.InputError, match="forcing.interval needs a whole number of steps"):
        m.run(until=m.time + 1)
    m.run(until="5h")
    run = cs.run("galewsky", tmp_path / "run", n=24, end="5h", device="cpu", threads=2, forcing=forcing, output={"fields": ["native"]})
    last = xr.open_dataset(run.files[-1])
    assert np.array_equal(last["v1"].values.squeeze(), m["v1"])

    of_wind, away = tmp_path / "wind.nc", tmp_path / "away.nc"
    m = model(time={"end": "5h"}, forcing=forcing)
    of_wind.rename(away)
    for _ in range(2):  # no step without its record
        with pytest.raises(cs.InputError, match="wind.nc"):
            m.run(until="5h")
        assert m.time == pytest.approx(7200)
    away.rename(of_wind)
    assert np.array_equal(m.run(until="5h")["v1"], last["v1"].values.squeeze())

    calm, m = model(), model(time={"end": "5h"}, forcing=forcing)
    part = []
    for hour in (1, 2, 3):  # of the factors -0.05, -0.2, 0.05
        m.run(until=3600 * hour)
        for name in ("h", "v1", "v2"):
            calm[name] = m[name]
        part.append((m.tendency()["v1"] - calm.tendency()["v1"]) * m["h"][:, :, :-1])
    assert [np.vdot(x, part[1]) / np.vdot(part[1], part[1]) for x in part] == pytest.approx([0.25, 1, -0.25], abs=1e-3)


def test_functions_are_called_at_their_times():
    m, times = model(), []
    m.step(3)
    start = m.time
    m.run("2h", every={"30min": lambda m: times.append(m.time - start), 3600: lambda m: times.append(-1)})
    assert times == pytest.approx([1800, 3600, -1, 5400, 7200, -1])
    assert m.time == pytest.approx(start + 7200)
    m.run(until="1d")
    assert m.time == 86400
    with pytest.raises(cs.InputError, match="the model is at"):
        m.run(until="1h")
    with pytest.raises(ZeroDivisionError):
        m.run("1h", every={"30min": lambda m: 1 / 0})
    assert m.time == 86400 + 1800
    with pytest.raises(cs.InputError, match="has advanced the model"):
        m.run("2h", every={"1h": lambda m: m.run("2h")})
    for k in range(1, 50):  # times that differ from the model's by rounding
        m.run(until=m.time + 250 / 3)
        m.run(until=(m.time / 3 + 100) * 3 - 300)


def test_an_interrupt_leaves_a_whole_step():
    m, end = model(), 1e9
    main = threading.get_ident()
    threading.Timer(0.5, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        m.run(until=end)
    assert 0 < m.steps and m.time < end
    other = model()
    other["h"], other["v1"], other["v2"] = m["h"], m["v1"], m["v2"]
    m.step(2), other.step(2)
    assert_same(m, other)


def test_other_threads_go_on_while_steps_run():
    m, counted, done = model(n=48), [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    m.step(200)
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 3


def test_a_model_that_runs_can_be_read_and_not_changed():
    m, same, refused = model(n=32), model(n=32), []
    thread = threading.Thread(target=lambda: m.run("3d"))
    thread.start()
    while thread.is_alive():
        assert np.isfinite(m["vorticity"]).all() and m.diagnostics["mass"] > 0
        for change in (m.step, lambda: m.set(h=5000)):
            try:
                change() if not refused and 0 < m.time < 2e4 and thread.is_alive() else None
            except cs.InputError as error:
                refused.append(str(error))
    same.run("3d")
    assert_same(m, same)
    assert all("another thread" in text for text in refused)


def test_two_models_in_two_threads():
    models, expected = [model(), model()], model()
    threads = [threading.Thread(target=lambda m=m: m.run("6h")) for m in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected.run("6h")
    for m in models:
        assert_same(m, expected)


# ---- the state ----


def test_functions_of_longitude_and_latitude_set_the_state():
    expected = model(ROTATION)
    m = model({**ROTATION, "initial": {"kind": "lake_at_rest"}})
    m.set(h=lambda lon, lat: 3000 - (6371220 * 7.292e-5 * SPEED + SPEED**2 / 2) * np.sin(np.radians(lat))**2 / 9.80616,
          wind=(lambda lon, lat: SPEED * np.cos(np.radians(lat)), lambda lon, lat: 0 * lat))
    for name in ("v1", "v2"):
        assert np.allclose(m[name], expected[name], rtol=0, atol=1e-12 * SPEED * 6371220)
    assert np.ptp(m["h"] - expected["h"]) < 2000  # the mean depths differ
    with pytest.raises(cs.InputError, match="both components"):
        m.set(wind=(lambda lon, lat: lat, 0))
    m.set(h=5000, wind=(0, 0), bottom=lambda lon, lat: 100 * np.cos(np.radians(lat)))
    assert m["h"].min() == m["h"].max() == 5000 and not m["u"].any() and m["bottom"].max() > 99


def test_arrays_on_other_grids_set_the_state(tmp_path):
    expected = model(ROTATION, n=32)
    lat, lon = np.linspace(-90, 90, 181), np.arange(360.0)
    on_lines = {"lat": ("lat", lat, {"units": "degrees_north"}), "lon": ("lon", lon, {"units": "degrees_east"})}
    zonal = xr.DataArray(SPEED * np.cos(np.radians(lat))[:, None] + 0 * lon, dims=("lat", "lon"), coords=on_lines,
                         attrs={"units": "m s-1"})
    m = model({**ROTATION, "initial": {"kind": "lake_at_rest"}}, n=32)
    m.set(h=expected["h"], wind=(zonal, 0 * zonal))
    assert np.allclose(m["v1"], expected["v1"], atol=1e-6 * SPEED * 6371220)
    m.set(wind=(expected["u"], expected["v"]))  # arrays at vertices, interpolated
    assert np.allclose(m["v1"], expected["v1"], atol=1e-4 * SPEED * 6371220)
    assert np.array_equal(m["h"], expected["h"])
    expected.write(tmp_path / "fields.nc", ["h", "native"])
    assert_same(m.set(tmp_path / "fields.nc"), expected)
    h = xr.DataArray(3000 + 10 * np.cos(np.radians(lat))[:, None] + 0 * lon, dims=("lat", "lon"), coords=on_lines,
                     attrs={"units": "m"})
    m.set(h=h)
    assert np.allclose(m["h"], 3000 + 10 * np.cos(np.radians(m["lats"])), atol=1e-6)
    with pytest.raises(cs.InputError, match="nowhere.nc"):
        m.set("nowhere.nc")


def test_views_are_the_memory_of_the_model():
    m = model()
    h, address = m.h, m.h.__array_interface__["data"][0]
    assert h.shape == (6, 25, 25) and np.array_equal(h, m["h"]) and not h.flags.writeable
    before = h.copy()
    m.step()
    assert not np.array_equal(h, before) and np.array_equal(m.h, m["h"])
    assert m.h.__array_interface__["data"][0] == address
    assert np.array_equal(np.from_dlpack(m.v1), m["v1"])
    del m
    gc.collect()
    assert np.isfinite(h).all()  # the view keeps the model
    assert model(scheme={"precision": "single"}).h.dtype == np.float32


def test_the_tendency_is_the_limit_of_steps():
    off = {"scheme": {"edge_damping": 0, "dissipation": 0}}
    errors = []
    for dt in (20.0, 10.0):
        m = model("williamson6", time={"dt": dt}, **off)
        k, before = m.tendency()["h"], m["h"]
        m.step()
        errors.append(np.abs((m["h"] - before) / dt - k).max())
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.05)


@pytest.mark.parametrize("order, rate", [(2, 1.0), (4, 2.2), (6, 3.2)])
def test_quadratic_drag_converges_to_its_formula(order, rate):
    """Of a solid rotation, whose speed and depth are known: -c |u| v/h, in the largest norm, as Pcv at panel edges."""
    errors = []
    for n in (17, 34, 68):
        m, free = (model("williamson2", n=n, order=order, physics={"axis_lat": 90}, forcing={"drag": {"coefficient": c}})
                   for c in (2e-3, 0))
        lat = np.radians(m.points("h")[1])
        speed = float((m["u"] * np.cos(lat)).sum() / (np.cos(lat)**2).sum())
        highest, slope = np.polynomial.polynomial.polyfit(np.sin(lat.ravel())**2, m["h"].ravel(), 1)
        error = scale = 0.0
        for name in ("v1", "v2"):
            lat = np.radians(m.points(name)[1])
            expected = -2e-3 * speed * np.cos(lat) * m[name] / (highest + slope * np.sin(lat)**2)
            error = max(error, np.abs(m.tendency()[name] - free.tendency()[name] - expected).max())
            scale = max(scale, np.abs(expected).max())
        errors.append(error / scale)
    assert np.log2(errors[0] / errors[1]) > rate < np.log2(errors[1] / errors[2]), errors


def test_quadratic_drag_is_of_nonlinear_flows():
    with pytest.raises(cs.InputError, match="forcing.drag.coefficient: quadratic drag needs physics.model nonlinear"):
        model("gaussian_seed", n=24, forcing={"drag": {"coefficient": 2e-3}})


def test_diagnostics_are_integrals():
    m = model()
    assert m.mass == pytest.approx((m["h"] * m["area"]).sum(), rel=1e-14)
    assert m.diagnostics["least_h"] == m["h"].min() and m.energy == m.diagnostics["energy"]


def test_concentrations_stay_when_h_changes():
    m = model({**EARTH, "initial": {"kind": "williamson2"}, "tracers": [{"name": "dust"}]})
    m.set(dust=0.5, h=lambda lon, lat: 3000 + 100 * np.cos(np.radians(lat)))
    assert np.allclose(m["dust"], 0.5, atol=1e-14)


def test_what_datasets_give_can_be_set():
    m = model("williamson5", n=24)
    ds, other = m.to_xarray(["h", "u", "v", "bottom"]), model("williamson5", n=24)
    other["h"] = 5000.0
    other.set(h=ds.h.transpose("Xdim", ..., "nf"), bottom=ds.bottom, wind=(ds.u, ds.v))
    assert np.array_equal(other["h"], m["h"]) and np.array_equal(other["bottom"], m["bottom"])
    assert np.allclose(other["v1"], m["v1"], atol=1e-3 * np.abs(m["v1"]).max())
    on_latlon = ds.cs.to_latlon(90, 45)
    other.set(wind=(0, 0)).set(wind=(on_latlon.u, on_latlon.v))
    assert np.array_equal(other["h"], m["h"]) and np.allclose(other["v1"], m["v1"], atol=1e-2 * np.abs(m["v1"]).max())
    random = np.random.default_rng(1).uniform(0, 100, m["h"].shape)
    m["bottom"] = random
    assert 0 < (m["bottom"] != random).sum() < 6 * 4 * 25  # means at edges alone
    assert np.allclose(m["surface"], m["h"] + m["bottom"], atol=1e-9)


# ---- forcing by functions ----


def test_a_function_forces_as_the_keys_do():
    own = model("williamson6", own_forcing=True)
    keys = model("williamson6", forcing={"relaxation": {"time": "3h"}, "drag": {"rate": 1e-5}})
    h0 = own["h"]
    own.forcing["relaxation"] = lambda t, h, u, v, lon, lat: (h0 - h) / 10800
    own.forcing["drag"] = lambda t, h, u, v, lon, lat: (None, -1e-5 * u, -1e-5 * v)
    for m in (own, keys):
        m.run("1d")
    assert np.abs(own["h"] - keys["h"]).max() < 1e-3 * np.abs(keys["h"] - h0).max()
    own.forcing["source"] = lambda t, h, u, v, lon, lat: 1e-3 + 0 * h
    area = own["area"] / own["area"].sum()
    assert (own.tendency()["h"] * area).sum() > 5e-4
    own.step()
    own.forcing.clear()
    assert abs((own.tendency()["h"] * area).sum()) < 1e-12
    mass = own.mass
    own.run("6h")
    assert own.mass == pytest.approx(mass, rel=1e-14)


def test_a_function_of_time_has_the_order_of_the_step():
    errors = []
    for dt in (1800.0, 900.0):
        m = model({**EARTH, "initial": {"kind": "lake_at_rest", "amplitude": 0}, "time": {"dt": dt, "end": "12h"}}, n=16, own_forcing=True)
        h = m["h"].mean()
        m.forcing["tide"] = lambda t, h, u, v, lon, lat: 1e-3 * np.cos(t / 3600) + 0 * h
        m.run("12h")
        errors.append(m["h"].mean() - h - 3.6 * np.sin(12))
    assert 12 < errors[0] / errors[1] < 20


def test_a_function_that_raises_leaves_a_whole_step():
    m, same = model(own_forcing=True), model(own_forcing=True)
    same.forcing["none"] = lambda t, *state: None
    m.forcing["late"] = lambda t, *state: 1 / 0 if t > 1200 else None
    with pytest.raises(ZeroDivisionError):
        m.step(5)
    assert 0 < m.steps < 5
    same.step(m.steps)
    assert_same(m, same)
    m.forcing["late"] = lambda t, h, *state: (h * np.nan, None, None)
    with pytest.raises(cs.InputError, match="not finite"):
        m.step()
    m.forcing["late"] = lambda t, h, u, v, lon, lat: (u, v)
    with pytest.raises(cs.InputError, match="'late': returns dh/dt, or three parts"):
        m.step()

    def steps_within(t, h, *state):
        with pytest.raises(cs.InputError, match="alone"):
            m.step()
        with pytest.raises(ValueError, match="read-only"):
            h[...] = 0

    m.forcing["late"] = steps_within
    m.step()
    plain = model()
    plain.forcing["any"] = lambda t, *state: None
    with pytest.raises(cs.InputError, match="own_forcing=True"):
        plain.step()


# ---- ensembles, runs, studies, profiles ----


def test_members_of_an_ensemble_follow_from_its_seed():
    options = {"case": "galewsky", "members": 3, "perturb": {"h": 1e-3}, "n": 24, "device": "cpu", "threads": 1}
    a, b, c = (cs.Ensemble(**options, seed=seed).run("1h") for seed in (1, 1, 2))
    assert np.array_equal(a["h"], b["h"]) and not np.array_equal(a["h"], c["h"])
    assert a.mean().shape == (6, 25, 25) and 0 < a.spread().max() < 50
    assert not np.array_equal(a["h"][0], a["h"][1]) and len(a) == 3
    start = cs.Ensemble(**{**options, "members": 1}, seed=3)
    relative = start["h"][0] / model()["h"] - 1
    edge, inside = relative[:, 0, 1:-1].std(), relative[:, 1:-1, 1:-1].std()
    assert edge == pytest.approx(1e-3, rel=0.3) and inside == pytest.approx(1e-3, rel=0.1)
    with pytest.raises(cs.InputError, match="at least one member"):
        cs.Ensemble("galewsky", members=0, perturb={"h": 1e-3})


def test_an_ensemble_gives_a_dataset_and_folders(tmp_path):
    ensemble = cs.Ensemble("galewsky", members=2, perturb={"h": 1e-3}, n=24, device="cpu", threads=1)
    ensemble.run("1h", out=tmp_path / "runs", save="1h")
    ds = ensemble.to_xarray(["h", "u", "v"])
    assert ds.h.dims == ("member", "time", "nf", "Ydim", "Xdim") and list(ds.member) == [0, 1]
    assert "member" not in ds.area.dims and np.allclose(ds.h.mean("member").squeeze(), ensemble.mean("h"), rtol=1e-15)
    assert ds.cs.integral("h").shape == (2, 1) and ds.cs.to_latlon(36, 18).u.shape == (2, 1, 18, 36)
    for k in range(2):
        last = cs.Run(tmp_path / f"runs/member_{k}").to_xarray().h[-1]
        assert np.array_equal(last, ds.h.sel(member=k).squeeze())


def fields_of(run):
    """The state of each field file, by name."""
    return {path.name: {name: xr.open_dataset(path)[name].values for name in ("time", "h", "v1", "v2")} for path in run.files}


def same_fields(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[file][name], b[file][name]) for file in a for name in a[file])


def test_a_model_runs_in_a_folder_as_the_program(tmp_path):
    """Of the initial state and of a state in between: files, rows and bits of one run; the model goes on from the end."""
    options = {"n": 24, "device": "cpu", "threads": 1, "time": {"dt": 450}, "output": {"fields": ["h", "native"]}}
    whole = cs.run("galewsky", tmp_path / "whole", end="12h", save="3h", **options)
    m = cs.Model("galewsky", **options)
    run = m.run("12h", out=tmp_path / "run", save="3h")
    assert same_fields(fields_of(run), fields_of(whole)) and run.diagnostics.equals(whole.diagnostics)
    assert m.time == 43200.0 and np.array_equal(m["v1"], whole.to_xarray().v1[-1])
    later = cs.Model("galewsky", **options).run("6h").run("6h", out=tmp_path / "later", save="3h")
    with pytest.raises(cs.InputError, match="start.state is"):  # it lacks the first half
        cs.run("galewsky", later.folder, end="12h", save="3h", **options)
    expected = {name: fields for name, fields in fields_of(whole).items() if name >= "fields_00000048.nc"}
    assert len(expected) == 3 and same_fields(fields_of(later), expected)


def test_a_run_in_a_folder_continues_if_its_state_is_the_same(tmp_path):
    options = {"out": tmp_path / "run", "save": "6h"}

    def model(depth=0.0):
        m = cs.Model("galewsky", n=24, device="cpu", threads=1)
        return m.set(h=m["h"] + depth)

    first = model(1.0).run("12h", **options)
    written = first.files[-1].stat().st_mtime_ns
    m = model(1.0)
    assert m.run("12h", **options).files[-1].stat().st_mtime_ns == written and m.time == 43200.0
    assert len(model(1.0).run("18h", **options).files) == 4 and first.files[0].exists()
    assert json.loads((first.folder / "summary.json").read_text())["restarted_at"] is not None
    with pytest.raises(cs.Error, match="start.state is '[0-9a-f]{64}' there and '[0-9a-f]{64}' here"):
        model(2.0).run("12h", **options)
    assert len(first.files) == 4 and np.array_equal(xr.open_dataset(first.files[0])["h"].squeeze(), model(1.0)["h"])
    with pytest.raises(cs.Error, match="start.state is '[0-9a-f]{64}' there and '' here"):
        cs.run("galewsky", tmp_path / "run", n=24, end="18h", save="6h", device="cpu", threads=1)
    model(2.0).run("6h", overwrite=True, **options)
    assert len(first.files) == 2 and np.array_equal(xr.open_dataset(first.files[0])["h"].squeeze(), model(2.0)["h"])


def test_results_of_another_state_are_never_read(tmp_path, monkeypatch):
    """Not after a run that failed to begin, nor after one that replaced the results of a model."""
    def model(depth):
        m = cs.Model("galewsky", n=24, device="cpu", threads=1)
        return m.set(h=m["h"] + depth)

    monkeypatch.setenv("CUBESWE_PROGRAM", os.environ["CUBESWE"])
    folder = tmp_path / "run"
    model(1.0).run("1h", out=folder)
    monkeypatch.setenv("CUBESWE", str(tmp_path / "limited"))  # as on a full disk: after it has locked the folder
    (tmp_path / "limited").write_text(f'#!/bin/sh\nulimit -f 100\nexec {os.environ["CUBESWE_PROGRAM"]} "$@"\n')
    (tmp_path / "limited").chmod(0o755)
    with pytest.raises(cs.Error, match="cannot be|too large"):
        model(2.0).run("1h", out=folder, save="30min", overwrite=True)
    monkeypatch.setenv("CUBESWE", os.environ["CUBESWE_PROGRAM"])
    with pytest.raises(cs.Error, match="start.state is"):
        model(2.0).run("1h", out=folder)
    cs.run("galewsky", folder, n=24, end="1h", device="cpu", threads=1, overwrite=True)
    with pytest.raises(cs.Error, match="start.state is"):
        model(1.0).run("1h", out=folder)
    model(1.0).run("1h", out=folder, overwrite=True)
    (folder / "summary.json").unlink()
    checkpoint, = (folder / "checkpoints").glob("*.h5")
    data = bytearray(checkpoint.read_bytes())
    data[len(data) // 2] ^= 1
    checkpoint.write_bytes(data)
    with pytest.raises(cs.Error, match="checkpoint_"):
        model(1.0).run("1h", out=folder)
    for path in (checkpoint, checkpoint.with_suffix(".json")):  # as of a run that was killed early
        path.unlink()
    m = model(1.0)
    m.run("1h", out=folder)
    assert m.mass == pytest.approx(model(1.0).mass, rel=1e-12)
    plain = cs.run("galewsky", tmp_path / "plain", n=24, end="1h", device="cpu", threads=1)
    shutil.rmtree(folder / "checkpoints")
    shutil.copytree(plain.folder / "checkpoints", folder / "checkpoints")
    with pytest.raises(cs.InputError, match="is of a run from another state"):  # as if another run came between
        model(1.0).run("1h", out=folder)
    with pytest.raises(cs.InputError, match="start.state: .*--restart"):
        call_program("run", str(REPOSITORY / "config/galewsky.yaml"), "--set", f"start.state={64 * 'a'}", "--output", str(tmp_path / "other"))
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("arguments, words", [
    ({"out": "other", "every": {"1h": print}}, "every"), ({"save": "1h"}, "give `out`"), ({"until": 0, "out": "other"}, "already")])
def test_runs_that_cannot_be(tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(cs.InputError, match=words):
        model().run(*(() if "until" in arguments else ("1h",)), **arguments)
    m = cs.Model("galewsky", n=24, device="cpu", own_forcing=True)
    m.forcing["none"] = lambda t, h, u, v, lon, lat: 0
    with pytest.raises(cs.InputError, match="forcing"):
        m.run("1h", out="other")
    assert not os.path.exists("other")


def test_a_model_is_at_the_end_of_its_run(tmp_path):
    """Also after a last step that is shorter, and beyond the end of the case; where the forcing cannot end, nothing runs."""
    m = model()
    m.run("1h", out=tmp_path / "hour")
    assert m.time == 3600.0
    m = model(forcing={"stirring": {"rate": 1e-6, "interval": "1h"}})
    with pytest.raises(cs.InputError, match="whole number of steps"):
        m.run("90min", out=tmp_path / "stirred")
    assert not (tmp_path / "stirred").exists() and m.run("2h", out=tmp_path / "stirred").files and m.time == 7200.0
    m = model(time={"dt": 450, "end": 900})
    run = m.run("1000s", out=tmp_path / "run")
    assert m.time == 1000.0 and run.diagnostics.time.iloc[-1] == 1000.0
    assert np.array_equal(m["h"], xr.open_dataset(run.files[-1])["h"].squeeze())
    m = model(time={"dt": 450, "end": 900})
    m.step(3)
    m.checkpoint(tmp_path / "past")
    assert model(time={"dt": 450, "end": 900}).restore(tmp_path / "past").time == 1350.0


@pytest.mark.parametrize("sections", [
    {"scheme": {"pipeline": "staged"}, "forcing": {"stirring": {"rate": 1e-6, "interval": "1h"}}},
    {"scheme": {"precision": "single"}}, {"case": "deformation"}], ids=["stirred", "single", "prescribed"])
def test_a_checkpoint_goes_on_to_the_same_bits(tmp_path, sections):
    case = {"case": "galewsky", **sections}.pop("case")
    sections = {name: values for name, values in sections.items() if name != "case"}

    def model(**more):
        return cs.Model(case, n=24, device="cpu", threads=1, **{**sections, **more})

    m = model()
    m.step(17)
    m.checkpoint(tmp_path / "here")
    again = model().restore(tmp_path / "here")
    assert (again.time, again.steps) == (m.time, m.steps)
    again.step(40)
    m.step(40)
    for name in ("v2", *m.tracers):
        assert np.array_equal(again[name], m[name])
    if case == "deformation":
        return
    with pytest.raises(cs.InputError, match="another case: .*depth"):
        model(physics={"depth": 9e3}).restore(tmp_path / "here")
    state = again["h"]
    for path, reason in ((tmp_path, "no checkpoint"), (tmp_path / "none", "No such file")):
        with pytest.raises(cs.InputError, match=reason):
            again.restore(path)
    assert np.array_equal(again["h"], state)
    if "forcing" not in sections:
        again.run(again.time_step / 2)
        with pytest.raises(cs.InputError, match="counts steps"):
            again.checkpoint(tmp_path / "here")
    again = model()
    again.set(bottom=1.0)
    for refused in (again.checkpoint, again.restore):
        with pytest.raises(cs.InputError, match="bottom.path"):
            refused(tmp_path / "here")
    run = cs.run(case, tmp_path / "run", n=24, end="1h", device="cpu", threads=1, **sections)
    before = sorted((run.folder / "checkpoints").iterdir())
    for folder in (run.folder, run.folder / "checkpoints"):
        with pytest.raises(cs.InputError, match="name another folder"):
            model().checkpoint(folder)
    assert sorted((run.folder / "checkpoints").iterdir()) == before


def test_a_run_continues_and_is_read_again(tmp_path):
    options = {"out": tmp_path / "run", "n": 24, "device": "cpu", "threads": 1, "save": "6h", "overwrite": False}
    first = cs.run("galewsky", end="12h", **options)
    written = first.files[-1].stat().st_mtime_ns
    assert cs.run("galewsky", end="12h", **options).files[-1].stat().st_mtime_ns == written
    assert first.summary["order"] == 4
    series = first.to_xarray()
    assert list((series.time - series.time[0]).values / np.timedelta64(1, "h")) == [0, 6, 12]
    assert np.ptp(series.cs.integral("h").values) < 1e-12 * float(series.cs.integral("h")[0])
    with pytest.raises(cs.InputError, match="physics.depth is 10000 there and 9000 here"):
        cs.run("galewsky", end="12h", physics={"depth": 9e3}, **options)


def test_an_interrupt_of_python_ends_the_program(tmp_path):
    threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        cs.run("galewsky", tmp_path / "run", n=48, end="60d", device="cpu", threads=1)
    assert time.monotonic() - start < 60
    assert list((tmp_path / "run/checkpoints").glob("*.h5")) and "Run" in repr(cs.Run(tmp_path / "run"))


def test_a_study_has_rates():
    study = cs.study("williamson2", n=[13, 26], order=[2, 4], device="cpu", threads=1, time={"end": "6h"})
    table = study.table
    assert list(table.order) == [2, 2, 4, 4] and table.rate_l2.dropna().gt(1.5).all()
    precise = study.work_precision()
    assert precise.l2.is_monotonic_decreasing and (precise.evaluations > 0).all()


def test_a_profile_has_the_stages():
    profile = model(threads=1).profile()
    assert profile.stages.loc["momentum"].median_us > 0 and "transport" in profile.stages.index
    assert "momentum" in profile.compare(profile)


# ---- the process ----


@pytest.mark.parametrize("order", ["h5py netCDF4 cubeswe", "cubeswe h5py netCDF4", "netCDF4 cubeswe h5py"])
def test_libraries_of_hdf5_live_in_one_process(tmp_path, order):
    program = f"""
import sys; sys.path.insert(0, {str(REPOSITORY / "solver/python")!r})
{chr(10).join("import " + name for name in order.split())}
m = cubeswe.Model("galewsky", n=24, device="cpu")
for k in range(3):
    m.write("a.nc", ["h"])
    with h5py.File("a.nc") as a, h5py.File("b.h5", "w") as b:
        b["h"] = a["h"][()]
    with netCDF4.Dataset("a.nc") as a:
        assert a["h"][:].shape == (1, 6, 25, 25)
    m.step()
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_types_are_right():
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--follow-imports=silent",
                           *map(str, sorted((REPOSITORY / "solver/python/cubeswe").glob("_*.py")))],
                          capture_output=True, text=True, timeout=600, cwd=REPOSITORY / "solver/python")
    assert done.returncode == 0, done.stdout


def test_only_tracers_of_a_prescribed_flow_can_be_set():
    model = cs.Model("williamson1", n=16, scheme={"limiter": "monotone"}, time={"courant": 0.3})
    model.run("1d")
    assert np.all(model["h"] == 1000.0) and -1e-9 < model["bell"].min() and model["bell"].max() < 1000.0
    model.set(bell=lambda lon, lat: 1.0 + 0.0 * lon)
    model.run("2d")
    np.testing.assert_allclose(model["bell"], 1.0, rtol=0, atol=1e-12)
    for refused in (lambda: model.set(h=lambda lon, lat: 900.0 + 0.0 * lon), model.tendency):
        with pytest.raises(cs.Error, match="prescribed"):
            refused()
