"""`cubeswe converge`: observed orders, and the same values in every file."""
import csv
import json
import re
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest

import sphere
from program import (REPOSITORY, Program, contents, drawn_by, final_fields, read_csv, read_fields, read_json, write_case,
                     write_state)

USAGE, UNAVAILABLE, CANNOT_CREATE, CONFIG = 64, 69, 73, 78

ORDERS, SIZES = (2, 4, 6), (24, 48)
LEAST_RATE = {2: 1.95, 4: 3.8, 6: 4.4}
ROW = ("order n dt steps l1 l2 linf l2_abs linf_abs rms max_rms max_linf_abs velocity_l1 velocity_l2 "
       "velocity_linf velocity_linf_abs rate_l2 rate_linf rate_velocity_l2 rate_velocity_linf "
       "mass_drift energy_drift circulation_drift evaluations seconds").split()

# A pulse crosses the sphere's radius once; one case has units other than the sphere's own.
UNIT_TIME = {"end": 1.0, "dt_times_n": 1 / 3}
PHYSICS = {"gravity": 9.8, "depth": 3.0, "radius": 2.0}
CROSSING = 2.0 / np.sqrt(9.8 * 3.0)
PULSE = {"kind": "gaussian", "amplitude": 0.01, "width": 0.18}
CASES = {
    "panel_centre": {"initial": {**PULSE, "lon": 90, "lat": 0}, "time": UNIT_TIME},
    "edge": {"initial": {**PULSE, "lon": 0, "lat": 45}, "time": UNIT_TIME},
    "cube_vertex": {"initial": {**PULSE, "lon": 45, "lat": np.degrees(np.arcsin(3 ** -0.5))},
                    "time": UNIT_TIME},
    "generic_point": {"initial": {**PULSE, "lon": 20, "lat": 33}, "physics": PHYSICS,
                      "time": {"end": CROSSING, "dt_times_n": CROSSING / 3}},
    "standing_wave": {"initial": {"kind": "standing_wave", "lon": 20, "lat": 33, "degree": 4,
                                  "angle": 10}, "time": UNIT_TIME}}


def converge(folder, name, *arguments):
    """A study of a case at all orders and sizes; returns the folder of its results."""
    program = Program("CUBESWE", folder)
    return program.solve(f"{name}.yaml", "study", "--n", ",".join(map(str, SIZES)), "--order",
                         ",".join(map(str, ORDERS)), *arguments, command="converge")


@pytest.fixture(scope="module", params=CASES)
def study(request, tmp_path_factory):
    """Results of a case: its folder, name, radius and rows."""
    folder, name = tmp_path_factory.mktemp("converge"), request.param
    write_case(folder / f"{name}.yaml", **CASES[name])
    directory = converge(folder, name)
    return {"directory": directory, "name": name, "rows": rows_of(directory),
            "radius": CASES[name].get("physics", {"radius": 1.0})["radius"]}


def rows_of(directory):
    return read_json(directory / "convergence.json")["rows"]


def by_order(rows):
    """Pairs (coarse row, fine row) by order."""
    return {order: [row for row in rows if row["order"] == order] for order in ORDERS}


def observed(coarse, fine, error):
    return np.log(coarse[error] / fine[error]) / np.log(fine["n"] / coarse["n"])


# ---- accuracy ------------------------------------------------------------------------------------

def test_orders_are_as_expected(study):
    rates = {order: fine["rate_l2"] for order, (_, fine) in by_order(study["rows"]).items()}
    assert all(rates[order] > LEAST_RATE[order] for order in ORDERS), rates


def test_a_higher_order_is_more_accurate(study):
    errors = [fine["l2"] for _, fine in by_order(study["rows"]).values()]
    assert errors == sorted(errors, reverse=True)


def test_mass_is_conserved_and_energy_falls(study):
    for row in study["rows"]:
        assert row["mass_drift"] < 1e-14
        assert -1e-6 < row["energy_drift"] < 0


# ---- files ---------------------------------------------------------------------------------------

def test_all_files_are_there(study):
    assert sorted(path.name for path in study["directory"].iterdir()) == sorted(
        ["run.lock"] + [f"convergence.{kind}" for kind in ("json", "csv", "md", "svg", "html")] +
        [f"fields_order{order}_n{n:04d}.nc" for order in ORDERS for n in SIZES])


def test_json_follows_its_schema_and_stands_in_the_page(study):
    schema = read_json(REPOSITORY / "solver/cli/convergence.schema.json")
    jsonschema.Draft202012Validator(schema).validate(read_json(study["directory"] / "convergence.json"))
    assert drawn_by(study["directory"] / "convergence.html") == read_json(study["directory"] / "convergence.json")


def test_json_has_every_row_and_its_rates(study):
    table, rows = read_json(study["directory"] / "convergence.json"), study["rows"]
    assert table["case"] == study["name"] and table["backend"] == "cpu"
    assert [(row["order"], row["n"]) for row in rows] == [(o, n) for o in ORDERS for n in SIZES]
    for row in rows:
        assert set(ROW) <= row.keys()
        assert row["steps"] == 3 * row["n"]
        assert row["max_rms"] == row["rms"] and row["max_linf_abs"] == row["linf_abs"]
    for order, (coarse, fine) in by_order(rows).items():
        assert coarse["rate_l2"] is coarse["rate_linf"] is None
        for error in ("l2", "linf"):
            assert fine[f"rate_{error}"] == pytest.approx(observed(coarse, fine, error), abs=1e-12)
    fits = {fit["order"]: fit for fit in table["fits"]}
    for order, (coarse, fine) in by_order(rows).items():
        for error in ("l2", "linf", "max_rms", "max_linf_abs"):
            assert fits[order][error] == pytest.approx(observed(coarse, fine, error), abs=1e-9)


def test_csv_agrees_with_json(study):
    table = read_csv(study["directory"] / "convergence.csv")
    assert list(table[0]) == ROW and len(table) == len(study["rows"])
    tolerance = {"rate_l2": 1e-4, "rate_linf": 1e-4, "mass_drift": 1e-3, "energy_drift": 1e-3}
    for found, row in zip(table, study["rows"]):
        assert row["velocity_l2"] is None  # of waves that start at rest, only h is known later
        for key in ROW[:-1]:
            assert found[key] == pytest.approx(row[key], rel=tolerance.get(key, 1e-9)), key
        assert found["seconds"] == pytest.approx(row["seconds"], abs=1e-3)


def table_of(text):
    """Cells of the first table in a Markdown text, as dictionaries."""
    lines = re.search(r"(^\|.*\|\n)+", text, re.MULTILINE).group().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert all(set(cell) <= set("-:") for cell in cells[1])
    return [dict(zip(cells[0], row)) for row in cells[2:]]


def test_markdown_agrees_with_json(study):
    text = (study["directory"] / "convergence.md").read_text()
    assert text.startswith(f"# Convergence of {study['name']}\n")
    table = table_of(text)
    assert len(table) == len(study["rows"])
    for found, row in zip(table, study["rows"]):
        for key in ("order", "n", "steps", "l1", "l2", "linf"):
            assert float(found[key]) == pytest.approx(row[key], rel=1e-3), key
        for key in ("l2", "linf"):
            rate = found[f"rate {key}"]
            assert rate == ("" if row["n"] == SIZES[0] else f"{row[f'rate_{key}']:.2f}")
        assert float(found["mass drift"]) == pytest.approx(row["mass_drift"], rel=0.06)
        assert float(found["energy drift"]) == pytest.approx(row["energy_drift"], rel=0.06)


def test_svg_shows_one_line_an_order(study):
    root = ElementTree.parse(study["directory"] / "convergence.svg").getroot()
    lines = root.findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == len(ORDERS)
    drops, falls = [], []
    for line, (coarse, fine) in zip(lines, by_order(study["rows"]).values()):
        (x0, y0), (x1, y1) = (map(float, point.split(",")) for point in line.get("points").split())
        assert x0 < x1 and 0 < y0 < y1 < 420
        drops.append(y1 - y0)
        falls.append(np.log10(coarse["l2"] / fine["l2"]))
    np.testing.assert_allclose(drops, drops[0] / falls[0] * np.array(falls), atol=0.3)


EARTH = {"model": "nonlinear", "gravity": 9.80616, "radius": 6371220.0, "rotation": 7.292e-5}


@pytest.mark.parametrize("sections, of_h, of_u, slope", [
    ({}, 3.5, None, "3.5"),
    ({"physics": {"rotation": 0.5}, "initial": {"kind": "geostrophic", "period": 20.0}}, 3.5, 2.5, "3.5"),
    ({"physics": {**EARTH, "depth": 2998.0}, "initial": {"kind": "williamson2"}, "time": {"end": 3600}}, 2.5, 2.5, "2.5"),
    ({"physics": {**EARTH, "depth": 5960.0}, "initial": {"kind": "lake_at_rest"}, "time": {"end": 3600}}, None, None, None)],
    ids=["linear", "rotating", "nonlinear", "to rounding"])
def test_the_expected_slope_is_of_the_equations_and_the_variable(run, case, sections, of_h, of_u, slope):
    out = run.solve(case(**sections), "out", "--n", "13,16", "--order", "2,4", command="converge")
    study, text = read_json(out / "convergence.json"), (out / "convergence.svg").read_text()
    jsonschema.validate(study, read_json(REPOSITORY / "solver/cli/convergence.schema.json"))
    fit = study["fits"][1]
    assert (fit["expected_rate"], fit["expected_velocity_rate"]) == (of_h, of_u)
    assert re.findall(r"order 4(?: \(dashed: slope (\S+)\))?<", text) == [slope or ""]
    assert len(set(re.findall("<path d='(.*?)'", text))) == 2 and "clip-path" not in text  # a marker for each order
    for end in re.findall(r"y[12]='([\d.-]+)'[^>]*dasharray", text) + re.findall(r"y2='([\d.-]+)'[^>]*dasharray", text):
        assert 40 <= float(end) <= 360


def test_error_fields_give_the_table(study):
    for row in study["rows"]:
        n, order = row["n"], row["order"]
        fields = read_fields(study["directory"] / f"fields_order{order}_n{n:04d}.nc")
        h, exact, error = (fields[name] for name in ("h", "h_exact", "h_error"))
        assert (h - exact == error).all()
        weights = sphere.quadrature(n, order, study["radius"])
        l2, l2_exact = (np.sqrt(np.sum(weights * x ** 2)) for x in (error, exact))
        l1, l1_exact = (np.sum(weights * np.abs(x)) for x in (error, exact))
        largest = np.abs(error).max()
        expected = {"l1": l1 / l1_exact, "l2": l2 / l2_exact, "l2_abs": l2,
                    "linf": largest / np.abs(exact).max(), "linf_abs": largest,
                    "rms": np.sqrt(np.mean(error ** 2))}
        for name, value in expected.items():
            assert row[name] == pytest.approx(value, rel=1e-10), name


# ---- samples, backends, agreement with `run` -----------------------------------------------------

# A standing wave whose errors are larger at time 0.2 than at the end.
SAMPLED = {"initial": CASES["standing_wave"]["initial"], "time": {"end": 0.4, "dt": 0.02}}


def errors_at(run, case, time, dt):
    """Errors at a time, from `cubeswe run`."""
    out = run.solve(case, f"run_{time}", "--set", f"time.end={time}", "--set", f"time.dt={dt}")
    return read_json(out / "summary.json")["errors"]


def test_run_and_converge_measure_the_same(run, case):
    name = case(**SAMPLED, grid={"n": 16, "order": 6})
    row, = rows_of(run.solve(name, "study", "--n", "16", command="converge"))
    errors = errors_at(run, name, 0.4, 0.02)
    assert row["order"] == 6 and errors == {key: row[key] for key in errors}


@pytest.mark.parametrize("samples", [["sample_times=[0.2, 0.3]"], ["sample_interval=0.2"],
                                     ["sample_interval=0.3", "sample_times=[0.2]"]], ids=str)
def test_samples_give_the_largest_errors(run, case, samples):
    name = case(**SAMPLED, grid={"n": 16})
    options = [word for text in samples for word in ("--set", f"diagnostics.{text}")]
    row, = rows_of(run.solve(name, "study", "--n", "16", *options, command="converge"))
    errors = [errors_at(run, name, time, 0.02) for time in (0.2, 0.3, 0.4)]
    assert row["max_rms"] > row["rms"] and row["max_linf_abs"] > row["linf_abs"]
    assert row["rms"] == pytest.approx(errors[-1]["rms"], rel=1e-12)
    for key, largest in (("rms", "max_rms"), ("linf_abs", "max_linf_abs")):
        assert row[largest] == pytest.approx(max(e[key] for e in errors), rel=1e-10)


def test_the_emulated_backend_agrees(run, run_emulated, case):
    name = case(**SAMPLED)
    arguments = ("--n", "9,12", "--set", "time.end=0.1")
    expected = rows_of(run.solve(name, "cpu", *arguments, command="converge"))
    found = rows_of(run_emulated.solve(name, "cuda", *arguments, command="converge",
                                       backend="cuda"))
    for row, other in zip(expected, found):
        for key in ("l1", "l2", "linf", "rms"):
            assert other[key] == pytest.approx(row[key], rel=1e-9)


# ---- command line --------------------------------------------------------------------------------

def test_the_table_is_printed_and_the_folder_named_after_the_case(run, case, tmp_path):
    done = run("converge", case("my.pulse"), "--n", "9,12", "--backend", "cpu")
    assert done.code == 0 and "results in output/my.pulse_convergence\n" in done.out
    directory = tmp_path / "output/my.pulse_convergence"
    assert table_of(done.out) == table_of((directory / "convergence.md").read_text())


def test_any_name_of_a_case_gives_a_valid_plot(run, case, tmp_path):
    out = run.solve(case("a < b & c"), "out", "--n", "9,12", command="converge")
    text = "".join(ElementTree.parse(out / "convergence.svg").getroot().itertext())
    assert "a < b & c" in text


def test_one_size_has_no_rates(run, case):
    out = run.solve(case(), "out", "--n", "12", command="converge")
    assert rows_of(out)[0]["rate_l2"] is None
    assert len(ElementTree.parse(out / "convergence.svg").getroot().findall(
        "{http://www.w3.org/2000/svg}polyline")) == 1


def test_an_exact_result_has_no_rates(run, case):
    out = run.solve(case(initial={"amplitude": 0}), "out", "--n", "9,12", command="converge")
    assert [row["rms"] for row in rows_of(out)] == [0, 0]
    assert [row["rate_l2"] for row in rows_of(out)] == [None, None]
    ElementTree.parse(out / "convergence.svg")
    with open(out / "convergence.csv", newline="") as file:
        assert not {"nan", "-nan", "inf", "-inf"} & {c for row in csv.reader(file) for c in row}
    for name in ("convergence.svg", "convergence.md"):
        assert not re.search(r"\b(nan|inf)\b|2147483648", (out / name).read_text())


@pytest.mark.parametrize("arguments, code, words", [
    ([], USAGE, ["--n"]),
    (["--n", "24,12"], USAGE, ["--n", "ascend"]),
    (["--n", "12,12"], USAGE, ["--n", "ascend"]),
    (["--n", "12,"], USAGE, ["--n 12,"]),
    (["--n", "12;24"], USAGE, ["--n"]),
    (["--n", "-12"], USAGE, ["--n"]),
    (["--n", ",".join(map(str, range(12, 48)))], USAGE, ["--n"]),
    (["--n", "12", "--order", "4,"], USAGE, ["--order 4,"]),
    (["--n", "12,24", "--order", "4,4"], USAGE, ["--order"]),
    (["--n", "12,24", "--order", "4,2,4"], USAGE, ["--order"]),
    (["--n", "12", "--dry-run"], USAGE, ["--dry-run"]),
    (["--n", "12", "--order", "3"], USAGE, ["order", "3"]),
    (["--n", "6,12"], CONFIG, ["n = 6", "order 4"]),
    (["--n", "12,24", "--set", "time.courant=0", "--set", "time.dt=0.05"], CONFIG,
     ["time.dt", "unstable"]),
    (["--n", "12", "--backend", "cuda"], UNAVAILABLE, ["CUDA"])], ids=lambda x: str(x)[:50])
def test_wrong_calls_are_refused(refuses, case, arguments, code, words):
    refuses(code, words, "converge", case(), *arguments)


def test_a_case_without_exact_solution_is_refused(refuses, case, tmp_path):
    write_state(tmp_path / "state.nc", **sphere.rotation_state(12, [0, 0, 1]))
    name = case(initial={"kind": "file", "path": "state.nc"})
    refuses(CONFIG, ["case.yaml", "initial.kind"], "converge", name, "--n", "12")


def test_results_are_replaced_only_on_request(run, refuses, case, tmp_path):
    arguments = (case(), "out", "--n", "9,12")
    out = run.solve(*arguments, command="converge")
    (out / "notes.txt").write_text("mine")
    before = contents(out)
    refuses(CANNOT_CREATE, ["out", "--overwrite"], "converge", case(), "--n", "9", "--output",
            "out")
    refuses(UNAVAILABLE, ["CUDA"], "converge", case(), "--n", "9", "--output", "out", "--overwrite",
            "--backend", "cuda")
    assert contents(out) == before
    run.solve(case(), "out", "--n", "9", "--overwrite", command="converge")
    assert (out / "notes.txt").exists() and not (out / "fields_order4_n0012.nc").exists()
    assert final_fields(out)["h"].shape == (6, 10, 10)


def test_seconds_beside_other_work_are_left_out(run, case):
    """From a record, so that the load of the machine does not matter; earlier ones do not know of it."""
    arguments = ["converge", case(**CASES["panel_centre"]), "--n", "12,16", "--output", "out", "--backend", "cpu"]
    assert run(*arguments, "--quiet").code == 0
    file = run.folder / "out/convergence.json"
    record = read_json(file)
    for row, waited in zip(record["rows"], [0.2, None]):
        row.update(core_wait_share=waited)
    del record["rows"][1]["core_wait_share"]
    file.write_text(json.dumps(record))
    done = run(*arguments)
    last = [line.split("|")[-2].strip() for line in done.out.splitlines() if line.startswith("| ")][1:3]
    assert last[0] == "" and float(last[1]) >= 0
    assert "Seconds of order 4, n = 12: not reliable, because threads waited for cores" in done.out and done.out.count("not reliable") == 1


# ---- an error to reach ---------------------------------------------------------------------------

def test_an_error_is_reached_by_the_cheapest_order(run, case):
    """Order 6 needs fewer cells for a small error, and the rows say so; the same call adds nothing."""
    name = case(**CASES["generic_point"])
    command = ("converge", name, "--error", "1e-6", "--output", "out", "--backend", "cpu")
    assert run(*command).code == 0
    file = run.folder / "out/convergence.json"
    record = read_json(file)  # with times that do not depend on the load of the machine
    record["finished"] = False
    record["rows"] = [{**row, "seconds": (row["n"] / 24) ** 3} for row in record["rows"] if row["n"] in (24, 48)]
    file.write_text(json.dumps(record))
    done = run(*command)
    assert done.code == 0, done.err
    rows = rows_of(run.folder / "out")
    chosen, = [row for row in rows if row["l2"] <= 1e-6]
    assert chosen["order"] == 6 and chosen["n"] > 48 and chosen["l2"] > 2e-7
    assert "by leapfrog" in done.out
    assert [(row["order"], row["n"]) for row in rows] == [(4, 24), (4, 48), (6, 24), (6, 48), (6, chosen["n"])]
    assert f"order 6, n = {chosen['n']}, {chosen['steps']} steps" in done.out and "Order 4: rate " in done.out
    again = run(*command)
    assert again.code == 0 and rows_of(run.folder / "out") == rows and again.out.endswith(done.out.split("\nFor ")[1])
    other = run("converge", name, "--error", "1e-5", "--output", "out", "--backend", "cpu")
    assert other.code == CANNOT_CREATE and "1 row of them not requested" in other.err


def test_the_time_step_is_shortened_where_it_makes_the_error(run, case):
    """At order 6 a Courant number of 0.4 leaves an error in time, which half the step divides by 16."""
    name = case(**CASES["standing_wave"])
    done = run("converge", name, "--error", "1e-8", "--order", "6", "--output", "out", "--backend", "cpu")
    assert done.code == 0, done.err
    coarse, *_, chosen = rows_of(run.folder / "out")
    change = abs(coarse["l2"] - coarse["half_step_l2"])
    assert chosen["l2"] <= 1e-8 and 0 < change < coarse["l2"]
    assert chosen["dt"] * chosen["n"] <= 1.02 * coarse["dt"] * coarse["n"]
    needs_less = 16 / 15 * change * (coarse["n"] / chosen["n"]) ** 4 > 0.25e-8
    assert (chosen["dt"] * chosen["n"] < 0.98 * coarse["dt"] * coarse["n"]) == needs_less


def test_leapfrog_is_left_out_where_set_says_so(run, case):
    name = case(**CASES["generic_point"])
    done = run("converge", name, "--error", "1e-5", "--order", 4, "--set", "scheme.time=rk4", "--output", "out", "--backend", "cpu")
    assert done.code == 0, done.err
    assert "by RK4" in done.out


def test_leapfrog_on_a_gpu_is_refused_and_not_chosen(run_emulated, case, refuses):
    name = case(**CASES["generic_point"])
    refuses(CONFIG, ["scheme.time", "--backend cpu"], "run", name, "--set", "scheme.time=leapfrog4", "--set", "grid.n=15",
            "--backend", "cuda", "--output", "out", program=run_emulated)
    done = run_emulated("converge", name, "--error", "1e-3", "--order", 4, "--n", "12,18", "--output", "study", "--backend", "cuda")
    assert done.code == 0 and "by RK4" in done.out, done.err


@pytest.mark.parametrize("arguments", [("--error", "0"), ("--error", "nan"), ("--error", "1"), ("--error", "1e-7x"),
                                       ("--error", "1e-7", "--n", "24")])
def test_errors_that_cannot_be_reached_are_refused(case, refuses, arguments):
    refuses(USAGE, ["--error"], "converge", case(**CASES["edge"]), *arguments)
