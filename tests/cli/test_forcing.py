"""Forcing: a source of mass, a relaxation, a wind stress and a drag that files describe, and stirring, change the flow as their
integrals say."""
import functools

import h5py
import numpy as np
import pytest

import mpi
from program import REPOSITORY, assert_same_bits, final_fields, read_csv, read_json, write_case, write_state

DATA, CONFIG = 65, 78
GRAVITY, DEPTH, RADIUS = 9.8, 0.3, 2.5


# ---- fields of a file ----------------------------------------------------------------------------

DENSITY, STRESS, SOURCE, LEVEL = 2.0, 0.3, 0.01, 0.4
UNITS = {"source": "m s-1", "tau_u": "N m-2", "tau_v": "N m-2", "level": "m"}
TERMS = {"mass": {"source": "source"}, "wind_stress": {"u": "tau_u", "v": "tau_v", "density": DENSITY},
         "relaxation": {"time": 0.8, "to": "level"}, "drag": {"coefficient": 0.2}, "viscosity": {"coefficient": 1e-5, "order": 4, "h": "yes"}}


def write_forcing(path, nlon=96):
    """On latitudes and longitudes: a source 1 + sin(lat) cos(lon), a zonal stress cos(lat), a constant level."""
    lat, lon = (np.arange(nlon // 2) + 0.5) * 360 / nlon - 90, np.arange(nlon) * 360 / nlon
    at, along = np.radians(np.meshgrid(lat, lon, indexing="ij"))
    write_state(path, lat=lat, lon=lon, source=SOURCE * (1 + np.sin(at) * np.cos(at) * np.cos(along)),
                tau_u=STRESS * np.cos(at), tau_v=0 * at, level=LEVEL + 0 * at)
    with h5py.File(path, "a") as file:
        for name, units in UNITS.items():
            file[name].attrs["units"] = units


def forced(tmp_path, *terms, name="case", **sections):
    """A state at rest with the terms of a file; quadratic drag is of nonlinear flows."""
    if sections.get("physics", {}).get("model") != "nonlinear":
        terms = [term for term in terms if term != "drag"]
    write_forcing(tmp_path / "forcing.h5")
    return write_case(tmp_path / f"{name}.yaml", **{
        "grid": {"n": 24, "order": 4}, "initial": {"kind": "gaussian", "amplitude": 0.0},
        "physics": {"gravity": GRAVITY, "depth": DEPTH, "radius": RADIUS},
        "forcing": {"path": "forcing.h5", **{term: TERMS[term] for term in terms}},
        "time": {"end": 1.0, "dt": 0.01}, "diagnostics": {"every": 25}, **sections}).name


NONLINEAR = {"model": "nonlinear", "gravity": GRAVITY, "depth": DEPTH, "radius": RADIUS, "rotation": 0.7}


@pytest.mark.parametrize("pipeline", ["fused", "staged"])
@pytest.mark.parametrize("physics", [{}, {"physics": NONLINEAR}], ids=["linear", "nonlinear"])
def test_mass_grows_by_the_integral_of_its_source(run, tmp_path, pipeline, physics):
    run.solve(forced(tmp_path, "mass", scheme={"pipeline": pipeline}, **physics), "out")
    rows = read_csv(tmp_path / "out/diagnostics.csv")
    grown = np.array([row["mass"] - rows[0]["mass"] for row in rows[1:]])
    times = np.array([row["time"] for row in rows[1:]])
    np.testing.assert_allclose(grown / times, grown[-1], rtol=1e-11)
    assert grown[-1] == pytest.approx(SOURCE * 4 * np.pi * RADIUS**2, rel=1e-6)


def test_h_relaxes_exponentially(run, tmp_path):
    """To a level of the file: h = level + (h(0) - level) exp(-t/T), uniform; RK4 has an error of (dt/T)^4/120 or so."""
    out = run.solve(forced(tmp_path, "relaxation"), "out")
    h = final_fields(out)["h"]
    np.testing.assert_allclose(h, LEVEL * (1 - np.exp(-1 / 0.8)), rtol=1e-8)


def test_h_relaxes_to_its_initial_values(run, tmp_path):
    """A steady state stays, and a source is balanced where (h - h*)/T = S."""
    case = forced(tmp_path, "mass", initial={"kind": "gaussian", "amplitude": 0.0}, time={"end": 16.0, "dt": 0.02})
    out = run.solve(case, "out", "--set", "forcing.relaxation.time=0.8")
    mean = read_csv(out / "diagnostics.csv")[-1]["mass"] / (4 * np.pi * RADIUS**2)
    assert mean == pytest.approx(SOURCE * 0.8, rel=1e-6)


def test_a_zonal_stress_turns_a_layer_at_rest(run, tmp_path):
    """tau cos(lat) has no divergence: the wind is tau cos(lat) t/(rho H0), in linear equations exactly."""
    run.solve(forced(tmp_path, "wind_stress"), "out")
    rows = read_csv(tmp_path / "out/diagnostics.csv")
    energy = np.array([row["energy"] for row in rows])
    speed = STRESS * np.array([row["time"] for row in rows]) / (DENSITY * DEPTH)
    np.testing.assert_allclose(energy, 0.5 * DEPTH * speed**2 * 8 * np.pi / 3 * RADIUS**2, rtol=2e-5, atol=1e-12)


ALL = {"physics": NONLINEAR, "checkpoint": {"every": 50}}


@pytest.mark.parametrize("precision", ["double", "single"])
def test_backends_agree(run, run_emulated, tmp_path, precision):
    case = forced(tmp_path, *TERMS, **ALL, scheme={"precision": precision}, time={"end": 0.1, "dt": 0.01})
    cpu = final_fields(run.solve(case, "cpu"))
    cuda = final_fields(run_emulated.solve(case, "cuda", backend="cuda"))
    for name in ("h", "v1", "v2"):
        np.testing.assert_allclose(cuda[name], cpu[name], rtol=0,
                                   atol=np.abs(cpu[name]).max() * {"double": 1e-13, "single": 1e-5}[precision])


@mpi.needs_mpi
def test_ranks_and_restarts_keep_every_bit(run, tmp_path):
    case = forced(tmp_path, *TERMS, **ALL, time={"end": 1.0, "dt": 0.025})
    whole = final_fields(run.solve(case, "whole"))
    assert_same_bits(final_fields(mpi.solve(run, 3, case, "ranks")), whole)
    run.solve(case, "parts", "--set", "time.end=0.5")
    assert run("run", case, "--restart", "parts", "--output", "parts", "--quiet").code == 0
    assert_same_bits(final_fields(tmp_path / "parts"), whole)


def test_a_run_goes_on_with_its_file_alone(run, refuses, tmp_path):
    case = forced(tmp_path, *TERMS, **ALL)
    run.solve(case, "out", "--set", "time.end=0.5")
    with h5py.File(tmp_path / "forcing.h5", "a") as file:
        file["source"][...] *= 2
    refuses(CONFIG, ["forcing.sha256"], "run", case, "--restart", "out", "--output", "out")


def masked(tmp_path, mask, name="case", **sections):
    """A wave with the drag rate 1 times a field of latitude and longitude."""
    lat, lon = np.arange(-87.5, 90, 5), np.arange(0.0, 360, 5)
    write_state(tmp_path / f"{name}.h5", lat=lat, lon=lon, mask=mask(*np.meshgrid(lat, lon, indexing="ij")))
    return write_case(tmp_path / f"{name}.yaml", **{
        "grid": {"n": 24, "order": 4}, "initial": {"kind": "gaussian", "lat": 40, "amplitude": 0.02}, "physics": NONLINEAR,
        "forcing": {"path": f"{name}.h5", "drag": {"rate": 1.0, "factor": "mask"}}, "time": {"end": 0.5, "dt": 0.01}, **sections}).name


@pytest.mark.parametrize("sections", [{}, {"scheme": {"pipeline": "staged"}}, {"physics": {**NONLINEAR, "model": "linear"}}],
                         ids=["nonlinear", "staged", "linear"])
def test_drag_times_a_field(run, run_emulated, tmp_path, sections):
    """A factor of 0.4 is a rate of 0.4; a factor of 1 in the north slows the wave in the north more than one in the south."""
    same = masked(tmp_path, lambda lat, lon: 0.4 + 0 * lat, "same", **sections)
    of_field = final_fields(run.solve(same, "same"))
    cuda = final_fields(run_emulated.solve(same, "cuda", "--set=time.end=0.05", backend="cuda"))
    cpu = final_fields(run.solve(same, "cpu", "--set=time.end=0.05"))
    uniform = run.solve(same, "uniform", "--set=forcing.path=", "--set=forcing.drag.factor=", "--set=forcing.drag.rate=0.4")
    for name in ("h", "v1", "v2"):
        np.testing.assert_allclose(of_field[name], final_fields(uniform)[name], rtol=0, atol=1e-12)
        np.testing.assert_allclose(cuda[name], cpu[name], rtol=0, atol=1e-13)
    rows = [read_csv(tmp_path / folder / "diagnostics.csv")[-1] for folder in ("same", "uniform")]
    assert rows[0]["energy_by_drag"] == pytest.approx(rows[1]["energy_by_drag"], rel=1e-7) and rows[0]["energy_by_drag"] < 0
    north = final_fields(run.solve(masked(tmp_path, lambda lat, lon: 1.0 * (lat > 0), "north", **sections), "north"))
    south = final_fields(run.solve(masked(tmp_path, lambda lat, lon: 1.0 * (lat < 0), "south", **sections), "south"))
    free = final_fields(run.solve(masked(tmp_path, lambda lat, lon: 0 * lat, "free", **sections), "free"))
    assert np.abs(north["v1"] - free["v1"]).max() > 4 * np.abs(south["v1"] - free["v1"]).max() > 0


@pytest.mark.parametrize("pipeline", ["fused", "staged"])
@pytest.mark.parametrize("order", [2, 6])
def test_circulation_stays_with_drag(run, tmp_path, order, pipeline):
    """Quadratic drag changes the tangential velocity of an edge equally on both panels, and takes energy."""
    case = write_case(tmp_path / "case.yaml", grid={"n": 24, "order": order}, physics=NONLINEAR, scheme={"pipeline": pipeline},
                      initial=INITIAL, forcing={"drag": {"coefficient": 0.2}}, time={"end": 0.5, "dt": 0.01}, diagnostics={"every": 1})
    rows = read_csv(run.solve(case, "out") / "diagnostics.csv")
    assert max(row["circulation_drift"] for row in rows) < 1e-14 and all(row["energy_by_drag"] < 0 for row in rows[1:])


def test_quadratic_drag_beside_others(run, tmp_path, refuses):
    """Rates of drags add up; the time step has the limit of drag at the speed of waves; there is no exact solution."""
    case = masked(tmp_path, lambda lat, lon: 0.4 + 0 * lat, time={"end": 0.01, "dt": 0.01}, diagnostics={"every": 1})
    whole = ["--set=forcing.path=", "--set=forcing.drag.factor="]
    rates = []
    for number, keys in enumerate(([], ["coefficient=0.2"], ["rate=0", "coefficient=0.2"], [], ["coefficient=0.2"])):
        of_field = ["--set=forcing.drag.rate=0.5"] if number < 2 else whole
        out = run.solve(case, f"out{number}", *of_field, *(f"--set=forcing.drag.{key}" for key in keys))
        rates.append(read_csv(out / "diagnostics.csv")[1]["energy_by_drag"])
    assert rates[1] - rates[0] == pytest.approx(rates[2], rel=0.05) and rates[4] - rates[3] == pytest.approx(rates[2], rel=0.05)
    refuses(CONFIG, ["unstable", "Courant"], "run", case, *whole, "--set=forcing.drag.rate=0", "--set=forcing.drag.coefficient=40")
    done = run("converge", REPOSITORY / "config/williamson2.yaml", "--n", "13,26", "--output", "study", "--set=forcing.drag.coefficient=1e-3")
    assert done.code == CONFIG and "leave section forcing out" in done.err


@pytest.mark.parametrize("order, model", [(4, "linear"), (6, "linear"), (4, "nonlinear")])
def test_a_mask_takes_energy_always(run, tmp_path, order, model):
    """The factor is between 0 and 1 at the edge of a mask, too, where interpolation exceeds them."""
    case = masked(tmp_path, lambda lat, lon: 1.0 * ((lat > 20) & (lat < 60) & (lon > 40) & (lon < 130)), grid={"n": 24, "order": order},
                  physics={**NONLINEAR, "model": model}, time={"end": 20.0, "dt": 0.01}, diagnostics={"every": 100},
                  scheme={"dissipation": 0, "edge_damping": 0})
    rows = read_csv(run.solve(case, "out", "--set", "forcing.drag.rate=10") / "diagnostics.csv")
    assert all(b["energy"] <= a["energy"] for a, b in zip(rows, rows[1:])) and all(row["energy_by_drag"] <= 0 for row in rows)
    assert rows[-1]["energy"] < rows[0]["energy"]


@pytest.mark.parametrize("code, words, key", [
    (CONFIG, ["forcing.drag.factor", "forcing.drag.rate"], "forcing.drag.rate=0"), (CONFIG, ["forcing.drag.factor", "forcing.path"], "forcing.path="),
    (DATA, ["case.h5", "'mask'", "not between 0 and 1"], "time.end=0.5")], ids=str)
def test_what_a_factor_needs(refuses, tmp_path, code, words, key):
    refuses(code, words, "run", masked(tmp_path, lambda lat, lon: lat / 45), "--output", "out", "--set", key)


# ---- records in time -----------------------------------------------------------------------------

FACTORS = np.array([1.0, 3.0, -2.0])  # of the fields, by record


def write_records(path, factors=FACTORS, units="seconds since 2000-01-01", spacing=0.25):
    """The fields of write_forcing times a factor of each record."""
    write_forcing(path)
    with h5py.File(path, "a") as file:
        file["time"] = spacing * np.arange(len(factors))
        file["time"].attrs["units"] = units
        for name in UNITS:
            values, attributes = file[name][()], dict(file[name].attrs)
            del file[name]
            of_field = abs(factors) if name == "level" else factors  # a depth is positive
            file[name] = of_field[:, np.newaxis, np.newaxis] * values
            file[name].attrs["units"] = attributes["units"]
            for axis, dimension in enumerate(("time", "lat", "lon")):
                file[dimension].make_scale(dimension)
                file[name].dims[axis].attach_scale(file[dimension])


def in_time(tmp_path, *terms, more=None, **sections):
    case = forced(tmp_path, *terms, **{"time": {"end": 1.5, "dt": 0.01}, "diagnostics": {"every": 1}, **sections})
    write_records(tmp_path / "forcing.h5")
    keys = {"interval": 0.25, **(more or {})}
    return case, [f"--set=forcing.{key}={value}" for key, value in keys.items()]


def factor_at(times, periodic):
    records = np.append(np.tile(FACTORS, 3), FACTORS[0]) if periodic else np.append(FACTORS, np.repeat(FACTORS[-1], 7))
    return np.interp(times, 0.25 * np.arange(records.size), records)


@pytest.mark.parametrize("periodic", ["yes", "no"])
@pytest.mark.parametrize("physics", [{}, {"physics": NONLINEAR}], ids=["linear", "nonlinear"])
def test_a_source_changes_linearly_between_records(run, tmp_path, periodic, physics):
    """The mass is the integral of the source, which the step takes exactly."""
    case, keys = in_time(tmp_path, "mass", more={"periodic": periodic}, **physics)
    rows = read_csv(run.solve(case, "out", *keys) / "diagnostics.csv")
    times, mass, rate = (np.array([row[name] for row in rows]) for name in ("time", "mass", "mass_by_source"))
    factor = factor_at(times, periodic == "yes")
    grown = np.append(0, np.cumsum((factor[1:] + factor[:-1]) / 2 * np.diff(times)))
    total = SOURCE * 4 * np.pi * RADIUS**2
    np.testing.assert_allclose(mass - mass[0], grown * (mass[25] - mass[0]) / grown[25], rtol=0, atol=1e-10 * total)
    np.testing.assert_allclose(rate, factor * total, rtol=0, atol=1e-6 * total)
    assert (mass[25] - mass[0]) / grown[25] == pytest.approx(total, rel=1e-6)


def test_a_run_begins_at_a_record(run, tmp_path):
    """Beside a factor of the drag, which has no times."""
    case, keys = in_time(tmp_path, "mass", more={"time": 0.25, "periodic": "yes", "drag.rate": 0.1, "drag.factor": "mask"})
    with h5py.File(tmp_path / "forcing.h5", "a") as file:
        file["mask"] = np.ones(file["source"].shape[1:])
        for axis, dimension in enumerate(("lat", "lon")):
            file["mask"].dims[axis].attach_scale(file[dimension])
    rows = read_csv(run.solve(case, "out", *keys) / "diagnostics.csv")
    total = SOURCE * 4 * np.pi * RADIUS**2
    for k, factor in ((0, 3), (25, -2), (50, 1)):
        assert rows[k]["mass_by_source"] == pytest.approx(factor * total, rel=1e-6)


@pytest.mark.parametrize("sections", [{"physics": {**NONLINEAR, "model": "linear"}}, {"physics": NONLINEAR}], ids=["linear", "nonlinear"])
def test_steps_with_records_converge_at_order_4(run, tmp_path, sections):
    """Steps end where the slope of the terms changes."""
    def end(steps):
        case, keys = in_time(tmp_path, *TERMS, grid={"n": 8, "order": 2}, time={"end": 0.75, "dt": 0.25 / steps}, **sections)
        fields = final_fields(run.solve(case, f"out{steps}", *keys, "--set=scheme.dissipation=0", "--set=scheme.edge_damping=0"))
        return np.concatenate([fields[name].ravel() for name in ("h", "v1", "v2")])
    coarse, fine, exact = end(10), end(20), end(160)
    assert np.log2(abs(coarse - exact).max() / abs(fine - exact).max()) == pytest.approx(4, abs=0.25)


@pytest.mark.parametrize("sections", [ALL, {**ALL, "physics": {**NONLINEAR, "model": "linear"}}], ids=["nonlinear", "linear"])
def test_backends_agree_in_time(run, run_emulated, tmp_path, sections):
    case, keys = in_time(tmp_path, *TERMS, **sections, time={"end": 0.3, "dt": 0.025})
    cpu = final_fields(run.solve(case, "cpu", *keys))
    cuda = final_fields(run_emulated.solve(case, "cuda", *keys, backend="cuda"))
    staged = final_fields(run.solve(case, "staged", *keys, "--set=scheme.pipeline=staged"))
    for name in ("h", "v1", "v2"):
        for other in (cuda, staged):
            np.testing.assert_allclose(other[name], cpu[name], rtol=0, atol=1e-13 * np.abs(cpu[name]).max())


@mpi.needs_mpi
@pytest.mark.parametrize("half", [0.75, 0.85], ids=["at a record", "between records"])
def test_ranks_and_restarts_keep_every_bit_in_time(run, tmp_path, half):
    case, keys = in_time(tmp_path, *TERMS, **ALL, more={"periodic": "yes"}, time={"end": 1.0, "dt": 0.025})
    whole = run.solve(case, "whole", *keys)
    ranks = mpi.solve(run, 3, case, "ranks", *keys)
    run.solve(case, "parts", *keys, "--set", f"time.end={half}")
    assert run("run", case, *keys, "--restart", "parts", "--output", "parts", "--quiet").code == 0
    for other in (ranks, tmp_path / "parts"):
        assert_same_bits(final_fields(other), final_fields(whole))
        assert (other / "diagnostics.csv").read_text() == (whole / "diagnostics.csv").read_text()


@pytest.mark.parametrize("words, key", [
    (["forcing.periodic", "forcing.interval"], "forcing.interval=0"), (["forcing.interval", "0.25", "time.dt"], "time.dt=0.02")], ids=str)
def test_what_records_need(refuses, tmp_path, words, key):
    case, keys = in_time(tmp_path, "mass", more={"periodic": "yes"})
    refuses(CONFIG, words, "run", case, "--output", "out", *keys, "--set", key)


@pytest.mark.parametrize("words, records", [
    (["0.5 s apart", "forcing.interval is 0.25"], {"spacing": 0.5}),
    (["3600 s apart", "forcing.interval is 0.25"], {"spacing": 1, "units": "h since 2000-01-01"}),
    (["21600 s apart", "forcing.interval is 0.25"], {"spacing": 6, "units": "Hours since 2000-01-01"}),
    (["900 s apart", "forcing.interval is 0.25"], {"units": "hours since 2000-01-01"}),
    (["1 times", "forcing.interval"], {"factors": FACTORS[:1]})], ids=str)
def test_a_file_with_other_records(refuses, tmp_path, words, records):
    case, keys = in_time(tmp_path, "mass")
    write_records(tmp_path / "forcing.h5", **records)
    refuses(DATA, ["forcing.h5", *words], "run", case, "--output", "out", *keys)


def test_fields_have_the_same_times(refuses, tmp_path):
    case, keys = in_time(tmp_path, "mass", "relaxation")
    with h5py.File(tmp_path / "forcing.h5", "a") as file:
        file["later"] = file["time"][()] + 0.25
        file["later"].attrs["units"] = "seconds since 2000-01-01"
        file["later"].make_scale("later")
        file["level"].dims[0].detach_scale(file["time"])
        file["level"].dims[0].attach_scale(file["later"])
    refuses(DATA, ["forcing.h5", "forcing.interval needs the same times"], "run", case, "--output", "out", *keys)


def test_a_file_without_records(refuses, tmp_path):
    case, keys = in_time(tmp_path, "mass")
    write_forcing(tmp_path / "forcing.h5")
    refuses(DATA, ["forcing.h5", "'source'", "forcing.interval"], "run", case, "--output", "out", *keys)


DEGREES = (5, 7)


def stirred(tmp_path, rate=0.01, degrees=DEGREES, seed=1, n=24, **sections):
    """A linear layer at rest without rotation and waves, which accelerations without divergence stir every 0.2 s."""
    return write_case(tmp_path / "case.yaml", **{
        "grid": {"n": n, "order": 4}, "initial": {"kind": "gaussian", "amplitude": 0.0},
        "physics": {"gravity": 1e-6, "depth": DEPTH, "radius": RADIUS},
        "forcing": {"stirring": {"rate": rate, "interval": 0.2, "least_degree": degrees[0],
                                 "greatest_degree": degrees[1], "seed": seed}},
        "time": {"end": 40.0, "dt": 0.1}, "diagnostics": {"every": 2}, **sections}).name


def test_stirring_gives_energy_at_its_rate(run, tmp_path):
    """On the average: over 200 intervals 8 waves of random amplitude each have 5 % of scatter or so."""
    rows = read_csv(run.solve(stirred(tmp_path), "out") / "diagnostics.csv")
    given = rows[-1]["energy"] / (0.5 * 2 * DEPTH * 4 * np.pi * RADIUS**2 * rows[-1]["time"])
    assert given == pytest.approx(0.01, rel=0.25)
    other = read_csv(run.solve(stirred(tmp_path, seed=2), "other") / "diagnostics.csv")
    assert other[-1]["energy"] != rows[-1]["energy"]


def test_stirring_has_the_degrees_and_no_divergence(run, tmp_path):
    """Of one degree l: viscosity slows it at nu l (l + 1)/a^2, and h stays at rest."""
    case = stirred(tmp_path, degrees=(6, 6), time={"end": 0.2, "dt": 0.1})
    out = run.solve(case, "out", "--set", "forcing.viscosity.coefficient=1e-6")
    row = read_csv(out / "diagnostics.csv")[-1]
    assert -row["energy_by_viscosity"] / (2 * row["energy"]) == pytest.approx(1e-6 * 42 / RADIUS**2, rel=1e-3)
    fields = final_fields(out)
    speed = np.abs(fields["v1"]).max() / RADIUS
    assert np.abs(fields["h"]).max() < 0.03 * DEPTH * speed * 6 / RADIUS * 0.1  # the operator's error


@mpi.needs_mpi
def test_stirring_does_not_depend_on_ranks_and_restarts(run, tmp_path):
    case = stirred(tmp_path, time={"end": 1.0, "dt": 0.04}, physics=NONLINEAR, checkpoint={"every": 3})
    whole = final_fields(run.solve(case, "whole"))
    assert_same_bits(final_fields(mpi.solve(run, 3, case, "ranks")), whole)
    for end in (0.52, 0.6):  # within an interval, and at its end
        run.solve(case, "parts", "--set", f"time.end={end}", "--overwrite")
        assert run("run", case, "--restart", "parts", "--output", "parts", "--quiet").code == 0
        assert_same_bits(final_fields(tmp_path / "parts"), whole)
        assert read_csv(tmp_path / "parts/diagnostics.csv") == read_csv(tmp_path / "whole/diagnostics.csv")


@pytest.mark.parametrize("words, key", [
    (["forcing.stirring.interval", "together"], "interval=0"), (["greatest_degree", "4"], "greatest_degree=4"),
    (["greatest_degree", "grid.n"], "greatest_degree=25"), (["forcing.stirring.interval", "0.15"], "interval=0.15")])
def test_what_stirring_needs(refuses, tmp_path, words, key):
    refuses(CONFIG, words, "run", stirred(tmp_path), "--output", "out", "--set", f"forcing.stirring.{key}")


BUDGETED = {**ALL, "scheme": {"edge_damping": 0.1, "dissipation": 0.5}}
INITIAL = {"kind": "gaussian", "amplitude": 0.03, "width": 0.3}


def budget(solve, tmp_path, dt, end=0.4, **sections):
    """Changes of energy and mass over a run, and the integrals of their rates by trapezoids, of each term."""
    case = forced(tmp_path, *TERMS, **{**BUDGETED, "initial": INITIAL, **sections}, diagnostics={"every": 1},
                  time={"end": end, "dt": dt})
    more = ("drag.rate=0.5", "viscosity.order=2", "viscosity.coefficient=0.02")
    rows = read_csv(solve(case, "out", *(f"--set=forcing.{key}" for key in more), "--overwrite") / "diagnostics.csv")
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    integral = {name: dt * (column.sum() - (column[0] + column[-1]) / 2) for name, column in columns.items()}
    change = {name: columns[name][-1] - columns[name][0] for name in ("energy", "mass")}
    return change, {name: value for name, value in integral.items() if "_by_" in name}


@pytest.mark.parametrize("sections", [
    {}, {"physics": {**NONLINEAR, "model": "linear"}}, {"scheme": {**BUDGETED["scheme"], "pipeline": "staged"}}],
                         ids=["nonlinear", "linear", "staged"])
def test_energy_and_mass_change_by_the_rates_of_the_terms(run, tmp_path, sections):
    def left(dt):
        change, rates = budget(run.solve, tmp_path, dt, **sections)
        assert set(rates) == {"energy_by_drag", "energy_by_relaxation", "mass_by_relaxation", "energy_by_source",
                              "mass_by_source", "energy_by_stress", "energy_by_viscosity", "energy_by_dissipation"}
        for name in ("drag", "viscosity", "dissipation"):
            assert rates[f"energy_by_{name}"] < 0
        return np.array([change[of] - sum(value for name, value in rates.items() if name.startswith(of))
                         for of in ("energy", "mass")]) / [change["energy"], change["mass"]]
    coarse, fine = left(0.02), left(0.01)
    np.testing.assert_allclose(coarse / fine, 4, atol=0.01)  # of the trapezoids; without their error of order 2:
    np.testing.assert_allclose((4 * fine - coarse) / 3, 0, atol=2e-8)


@mpi.needs_mpi
def test_rates_do_not_depend_on_ranks_and_backend(run, run_emulated, tmp_path):
    whole, ranks = (budget(solve, tmp_path, 0.01) for solve in (run.solve, lambda *words: mpi.solve(run, 3, *words)))
    assert ranks == whole
    cpu = budget(run.solve, tmp_path, 0.01, end=0.03)[1]
    cuda = budget(functools.partial(run_emulated.solve, backend="cuda"), tmp_path, 0.01, end=0.03)[1]
    assert cuda == pytest.approx(cpu, rel=1e-8)


@pytest.mark.parametrize("words, sections", [
    (["forcing.mass.source", "forcing.path"], {"mass": {"source": "a"}}),
    (["forcing.path", "no term"], {"path": "forcing.h5"}),
    (["forcing.wind_stress.v", "both"], {"path": "forcing.h5", "wind_stress": {"u": "tau_u"}}),
    (["forcing.relaxation.to", "forcing.relaxation.time"], {"path": "forcing.h5", "relaxation": {"to": "level"}}),
    (["forcing.time", "forcing.path"], {"time": "3"}),
    (["forcing.interval", "forcing.path"], {"interval": 1}),
    (["forcing.interval", "changes in time"], {"path": "forcing.h5", "interval": 1, "drag": {"rate": 1, "factor": "level"}}),
    (["forcing.relaxation.time", "-1"], {"relaxation": {"time": -1}})], ids=str)
def test_what_terms_need(refuses, tmp_path, words, sections):
    case = forced(tmp_path, "mass", forcing=sections)
    refuses(CONFIG, words, "run", case, "--output", "out")


@pytest.mark.parametrize("words, key", [(["'absent'"], "mass.source=absent"), (["tau_u", "N m-2"], "mass.source=tau_u")])
def test_a_field_that_is_not_there(refuses, tmp_path, words, key):
    refuses(DATA, ["forcing.h5", *words], "run", forced(tmp_path, "mass"), "--output", "out", "--set", f"forcing.{key}")


def test_a_profile_has_the_stage_of_forced_flows(run, tmp_path):
    out = run.solve(forced(tmp_path, *TERMS, **ALL), "out", "--set", "grid.n=13", command="profile")
    rows = {row["name"]: row for row in read_json(out / "profile.json")["components"]}
    for stage in ("forcing", "viscosity"):
        assert rows[stage]["calls_per_step"] == 4 and rows[stage]["median_us"] > 0


def test_a_window_has_the_changes_of_forcing(run, tmp_path):
    out = run.solve(stirred(tmp_path, time={"end": 1.0, "dt": 0.1}), "out", "--profile=summary", "--set", "profile.start_step=3",
                    "--set", "profile.duration=4")
    phases = {row["name"]: row["count"] for row in read_json(out / "profile/step_00000003/summary.json")["phases"]}
    assert phases["forcing change"] == 3  # after steps 2, 4 and 6: phases count from the start
