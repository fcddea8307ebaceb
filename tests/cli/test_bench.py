"""`cubeswe bench`: every number of its files follows from the raw samples. No test here depends on speed."""
import json
import re
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest

import sphere
from pipelines import CALLS, STAGES
from program import (REPOSITORY, Program, contents, drawn_by, read_csv, read_json, write_case,
                     write_state)

USAGE, UNAVAILABLE, NO_MEMORY, CANNOT_CREATE, CONFIG = 64, 69, 71, 73, 78
SCHEMA = read_json(REPOSITORY / "solver/cli/bench.schema.json")
FILES = ["bench.csv", "bench.html", "bench.json", "bench.md", "bench.svg", "run.lock"]
PHYSICS = {"gravity": 9.8, "depth": 3.0, "radius": 2.0}
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module", params=[
    ("cpu", "CUBESWE", tuple(CALLS), (4,), (12, 17, 24)), ("cuda", "CUBESWE_EMULATED", ("fused",), (2, 4), (12, 14))],
    ids=["cpu", "emulated cuda"])
def study(request, tmp_path_factory):
    """A bench: its program, folder, JSON, pipelines, orders and sizes. On a GPU the host is timed, too. Rows of all pipelines
    and orders have the same code; three sizes have a fit that deviates from its rows.
    """
    backend, variable, pipelines, orders, sizes = request.param
    folder = tmp_path_factory.mktemp("bench")
    write_case(folder / "a&b.yaml", physics=PHYSICS)
    program = Program(variable, folder)
    out = program.solve("a&b.yaml", "out", "--pipeline", ",".join(pipelines), "--n",
                        ",".join(map(str, sizes)), "--order", ",".join(map(str, orders)), "--repeats", "31", "--threads", "2",
                        command="bench", backend=backend)
    return {"program": program, "folder": out, "json": read_json(out / "bench.json"),
            "backend": backend, "pipelines": pipelines, "orders": orders, "sizes": sizes}


def lines_of(study):
    """The variant and order of a fit, or of a line of the plot."""
    return [(pipeline, order) for pipeline in study["pipelines"] for order in study["orders"]]


def rows_of(bench, pipeline, order):
    return [row for row in bench["rows"] if (row["pipeline"], row["order"]) == (pipeline, order)]


def quartiles(seconds, steps):
    low, median, high = np.percentile(1e6 * np.array(seconds) / steps, [25, 50, 75])
    return {"median": median, "low_quartile": low, "high_quartile": high, "samples": len(seconds)}


def step_cost(program, row):
    """Bytes and FLOPs of a step, from the costs of its stages, with an independent list of the stages."""
    calls = CALLS[row["pipeline"]]
    done = program("info", "--kernels", "--json", "--backend", "cpu", "a&b.yaml", "--set", f"grid.n={row['n']}", "--set",
                   f"grid.order={row['order']}")
    stages = json.loads(done.out)["flows"]["non-rotating"]["stages"]
    assert [stage["stage"] for stage in stages] == STAGES
    called = [(calls.get(stage["stage"], 0), stage) for stage in stages]
    return (sum(count * (s["read_bytes"] + s["written_bytes"]) for count, s in called),
            sum(count * s["flops"] for count, s in called))


def expected_rates(program, bench, row):
    """The numbers that follow from the samples of a row."""
    n, ceilings = row["n"], bench["ceilings"]
    dof = sum(np.zeros((6, *shape)).size for shape in ((n + 1, n + 1), (n + 1, n), (n, n + 1)))
    seconds = np.median(row["seconds"]) / row["steps_per_sample"]
    size, flops = step_cost(program, row)
    known = 1 if row["not_reliable_because"] is ceilings["not_reliable_because"] is None else None
    return {"dof": dof, "ns_per_dof_and_stage": 1e9 * seconds / dof / 4,
            "gdof_per_s": dof / seconds / 1e9, "bytes_per_step": size, "flops_per_step": flops,
            "words": size / dof / 8, "bandwidth_bytes_per_s": size / seconds,
            "bandwidth_share": known and size / seconds / ceilings["copy_bandwidth_bytes_per_s"],
            "flops_per_s": flops / seconds,
            "flops_share": known and flops / seconds / ceilings["fp64_flops_per_s"]}


def test_json_follows_its_schema(study):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(study["json"], SCHEMA)
    assert sorted(path.name for path in study["folder"].iterdir()) == FILES
    assert drawn_by(study["folder"] / "bench.html") == study["json"]


def test_it_names_the_device_and_its_rates(study):
    bench, info = study["json"], json.loads(study["program"]("info", "--json").out)
    assert [(row["pipeline"], row["order"], row["n"]) for row in bench["rows"]] == [
        (pipeline, order, n) for pipeline, order in lines_of(study) for n in study["sizes"]]
    assert {row["precision"] for row in bench["rows"]} == {"double"}
    devices = {backend["name"]: backend["devices"] for backend in info["backends"]}
    assert bench["device"] in devices[study["backend"]] and bench["backend"] == study["backend"]
    assert (bench["version"], bench["build"]) == (info["version"], info["build"])
    assert bench["case"] == "a&b" and "radius: 2\n" in bench["configuration"]
    assert bench["command"].startswith("CUBESWE_TUNING=peaks=0,patience=5 cubeswe bench a&b.yaml --output out --backend")
    assert bench["stopped"] is None
    on_cpu = study["backend"] == "cpu"
    assert bench["ceilings"]["threads"] == (2 if on_cpu else None)
    assert {row["threads"] for row in bench["rows"]} == {2 if on_cpu else None}


def test_steps_are_those_of_the_case(study):
    for row in study["json"]["rows"]:
        spacing = PHYSICS["radius"] * sphere.points(row["n"], row["order"])[2]
        courant = np.sqrt(PHYSICS["gravity"] * PHYSICS["depth"]) * row["dt"] / spacing
        assert row["courant"] == pytest.approx(courant, rel=1e-12) and 0.15 < courant <= 0.2
        assert 0 < row["max_h"] < 0.01
        timed = len(row["seconds"]) * row["steps_per_sample"]
        assert row["steps"] > timed + len(row["seconds"]) * (row["host_steps"] or 0)


def test_a_peak_is_the_better_of_two(study):
    ceilings = study["json"]["ceilings"]
    for name in ("copy_bandwidth_bytes_per_s", "fp64_flops_per_s"):
        assert ceilings[name] == max(ceilings["before"][name], ceilings["after"][name])


def test_rows_follow_from_their_samples(study):
    bench = study["json"]
    for row in bench["rows"]:
        assert len(row["seconds"]) == bench["repeats"] == 31
        assert row["us_per_step"] == pytest.approx(
            quartiles(row["seconds"], row["steps_per_sample"]), rel=1e-12)
        expected = expected_rates(study["program"], bench, row)
        assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-12)


def test_the_host_is_timed_where_it_does_not_compute(study):
    for row in study["json"]["rows"]:
        if study["backend"] == "cpu":
            assert row["host_steps"] is row["host_seconds"] is row["host_share"] is None
            continue
        assert len(row["host_seconds"]) == 31
        assert row["host_us_per_step"] == pytest.approx(
            quartiles(row["host_seconds"], row["host_steps"]), rel=1e-12)
        assert row["host_share"] == (None if row["not_reliable_because"] else pytest.approx(
            row["host_us_per_step"]["median"] / row["us_per_step"]["median"], rel=1e-12))


def test_the_memory_is_that_of_the_model(study):
    """In fields of whole cache lines: three of the state and five of scratch in two sweeps, four states and seven
    more fields (and edges) for the stages of the right-hand side. Then the metric of a panel and tangents; norms, and
    17 integrals of every row.
    """
    for row in study["json"]["rows"]:
        n, staged = row["n"], row["pipeline"] == "staged"
        panel = (n + 1) * -(-(n + 1) // 8) * 8
        assert row["memory_bytes"] == 8 * ((8 + 11 * staged) * 6 * panel + 4 * panel
                                           + 12 * (n + 1) * staged + n + 1
                                           + 2 * n + 1 + 6 * 17 * (n + 1))


def test_fits_are_least_squares_of_relative_deviations(study):
    bench = study["json"]
    assert [(fit["pipeline"], fit["order"]) for fit in bench["fits"]] == lines_of(study)
    for fit in bench["fits"]:
        rows = rows_of(bench, fit["pipeline"], fit["order"])
        times = np.array([row["us_per_step"]["median"] for row in rows])
        volumes = np.array([row["dof"] for row in rows])
        columns = np.stack([1 / times, volumes / times], axis=1)
        (a, c), *_ = np.linalg.lstsq(columns, np.ones(len(rows)), rcond=None)
        assert fit["rows"] == len(rows)
        assert fit["latency_us"] == pytest.approx(a, rel=1e-6, abs=1e-6 * times.max())
        assert fit["throughput_gdof_per_s"] == pytest.approx(1e-3 / c, rel=1e-6)
        assert fit["worst_deviation"] == pytest.approx(
            np.abs(1 - a / times - c * volumes / times).max(), abs=1e-6)


def flat(row):
    """The cells of a row in bench.csv, except for its texts."""
    us, host = row["us_per_step"], row["host_us_per_step"] or {"median": None}
    return {"order": row["order"], "n": row["n"], "threads": row["threads"], "dof": row["dof"],
            "dt": row["dt"], "steps_per_sample": row["steps_per_sample"],
            "samples": us["samples"], "us_median": us["median"], "us_low": us["low_quartile"],
            "us_high": us["high_quartile"], "host_us_median": host["median"],
            **{name: row[name] for name in (
                "ns_per_dof_and_stage", "gdof_per_s", "words", "bytes_per_step", "flops_per_step",
                "bandwidth_bytes_per_s", "bandwidth_share", "flops_per_s", "flops_share",
                "host_share", "memory_bytes")}}


def test_csv_agrees_with_json(study):
    text = (study["folder"] / "bench.csv").read_text()
    assert text.startswith("pipeline,precision,order,n,threads,")
    numbers = study["folder"].parent / "numbers.csv"
    numbers.write_text(re.sub(r"^(pipeline|fused|staged),(precision|double),", "", text, flags=re.M))
    assert read_csv(numbers) == [flat(row) for row in study["json"]["rows"]]


def table_of(text):
    """Cells of the first table in a Markdown text, as dictionaries."""
    lines = re.search(r"(^\|.*\|\n)+", text, re.MULTILINE).group().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert all(set(cell) <= set("-:") for cell in cells[1])
    assert {len(row) for row in cells} == {len(cells[0])}
    return [dict(zip(cells[0], row)) for row in cells[2:]]


def percent(share):
    return "" if share is None else f"{100 * share:.1f} %"


def test_markdown_agrees_with_json(study):
    bench, text = study["json"], (study["folder"] / "bench.md").read_text()
    assert bench["device"] in text and bench["started"] in text and f"`{bench['command']}`" in text
    table = table_of(text)
    assert len(table) == len(bench["rows"])
    for found, row in zip(table, bench["rows"]):
        us = row["us_per_step"]
        assert found == {
            "pipeline": row["pipeline"], "precision": "double", "order": str(row["order"]),
            "n": str(row["n"]), "threads": str(row["threads"] or ""),
            "us/step, median": f"{us['median']:.1f}",
            "quartiles": f"{us['low_quartile']:.1f} to {us['high_quartile']:.1f}",
            "ns a DoF and stage": f"{row['ns_per_dof_and_stage']:.3f}",
            "GDoF/s": f"{row['gdof_per_s']:.3f}", "words": f"{row['words']:.1f}",
            "GB/s": f"{row['bandwidth_bytes_per_s'] / 1e9:.1f}",
            "of copy": percent(row["bandwidth_share"]),
            "GFLOP/s": f"{row['flops_per_s'] / 1e9:.2f}", "of peak": percent(row["flops_share"]),
            "host": percent(row["host_share"]), "MiB": f"{row['memory_bytes'] / 2 ** 20:.1f}"}
    for fit in bench["fits"]:
        assert (f"{fit['pipeline']}, double, order {fit['order']}: T = a + V/b with a = {fit['latency_us']:.2f} us, b = "
                f"{fit['throughput_gdof_per_s']:.3f} GDoF/s") in text


def test_the_plot_shows_rates_and_peaks(study):
    root = ElementTree.parse(study["folder"] / "bench.svg").getroot()
    assert "a&b" in "".join(root.itertext())
    lines = root.findall(f"{SVG}polyline")
    guides = {line.get("stroke"): line for line in root.findall(f"{SVG}line") if line.get("stroke-dasharray")}
    bench = study["json"]
    assert len(lines) == len(lines_of(study))
    ceilings, places, values, limits = bench["ceilings"], [], [], {}
    for (pipeline, order), line in zip(lines_of(study), lines):
        rows = rows_of(bench, pipeline, order)
        points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
        places += [y for _, y in points]
        values += [row["gdof_per_s"] for row in rows]
        if not ceilings["not_reliable_because"]:
            limits[line.get("stroke")] = [row["gdof_per_s"] / row["bandwidth_bytes_per_s"] * ceilings["copy_bandwidth_bytes_per_s"]
                                          for row in (rows[0], rows[-1])]
        assert [x for x, _ in points] == sorted(x for x, _ in points)
    heights = np.log10(values)
    slope, offset = np.polyfit(heights, places, 1)
    assert slope < 0 and np.abs(slope * heights + offset - places).max() < 0.2
    assert set(guides) <= set(limits)
    for stroke, ends in limits.items():  # clipped to the axes, and not drawn beyond them
        expected = slope * np.log10(ends) + offset
        assert (stroke in guides) == bool(expected.min() < 360 and expected.max() > 40)
        found = [float(guides[stroke].get(y)) for y in ("y1", "y2")] if stroke in guides else []
        assert found == pytest.approx(np.clip(expected, 40, 360)[:len(found)], abs=2)


# ---- options and input ---------------------------------------------------------------------------

def test_sizes_end_where_memory_does(run_emulated, case):
    """The device has memory for n = 24, but not for n = 48."""
    memory = {"CUDA_EMULATION_MEMORY": str(1 << 20)}
    done = run_emulated("bench", case(), "--backend", "cuda", "--output", "out", env=memory)
    # the ceilings need more than such a device has: found out before anything is measured
    assert done.code == NO_MEMORY and "free memory" in done.err
    assert "up to n = 24: n = 48 needs more memory than is available" in done.out


def test_a_size_beyond_the_memory_is_refused(run_emulated, refuses, case):
    refuses(NO_MEMORY, ["n = 48", "GiB"], "bench", case(), "--n", "24,48", "--backend", "cuda",
            "--output", "out", program=run_emulated,
            env={"CUDA_EMULATION_MEMORY": str(1 << 20)})


def test_no_case_is_the_default_one(run):
    done = run("bench", "--n", "9", "--set", "physics.depth=2", "--backend", "cpu", "--set",
               "grid.order=2")
    assert done.code == 0 and done.err == ""
    bench = read_json(run.folder / "output/defaults_bench/bench.json")
    assert bench["case"] == "defaults" and "depth: 2\n" in bench["configuration"]
    row, = bench["rows"]
    assert (row["order"], row["n"]) == (2, 9)
    fit, = bench["fits"]
    assert (fit["rows"], fit["latency_us"], fit["throughput_gdof_per_s"]) == (1, None, None)
    assert table_of(done.out) == table_of(
        (run.folder / "output/defaults_bench/bench.md").read_text())
    assert re.search(r"^fused, double, order 2, n = 9: about .+ us/step, 30 samples of \d+ steps",
                     done.out)


@pytest.mark.parametrize("arguments, code, words", [
    (["--n", "24,12"], USAGE, ["--n", "ascend"]),
    (["--order", "4,2", "--n", "12"], USAGE, ["--order", "ascend"]),
    (["--n", "12", "--order", "3"], CONFIG, ["grid.order"]),
    (["--n", "12", "--repeats", "29"], USAGE, ["--repeats 29"]),
    (["--n", "12", "--repeats", "many"], USAGE, ["--repeats many"]),
    (["--n", "6"], CONFIG, ["grid.n", "order 4"]),
    (["--n", "12,4000", "--set", "time.dt=0.01"], CONFIG, ["time.dt", "unstable"]),
    (["--n", "12", "--set", "initial.kind=file", "--set", "initial.path=state.nc"], CONFIG,
     ["initial.kind"]),
    (["--n", "12", "--dry-run"], USAGE, ["--dry-run"]),
    (["--n", "12", "--backend", "cuda"], UNAVAILABLE, ["CUDA"]),
    (["--backend", "cuda"], UNAVAILABLE, ["CUDA"])], ids=lambda x: str(x)[:50])
def test_wrong_calls_are_refused(refuses, case, arguments, code, words):
    refuses(code, words, "bench", case(), *arguments)


def test_results_are_replaced_only_on_request(run, refuses, case):
    out = run.solve(case(), "out", "--n", "9", "--set", "grid.order=2", command="bench")
    before = contents(out)
    again = ("bench", case(), "--n", "10", "--set", "grid.order=2", "--output", "out")
    refuses(CANNOT_CREATE, ["out", "--overwrite"], *again)
    refuses(UNAVAILABLE, ["CUDA"], *again, "--overwrite", "--backend", "cuda")
    assert contents(out) == before
    assert run(*again, "--overwrite", "--quiet", "--backend", "cpu").out == ""
    assert read_json(out / "bench.json")["rows"][0]["n"] == 10


@pytest.mark.parametrize("flow, physics", [
    ("rotating", {"rotation": 0.5}), ("nonlinear", {"model": "nonlinear"})])
def test_the_cost_of_a_step_is_that_of_the_cases_flow(run, case, flow, physics):
    name = case(physics={**PHYSICS, **physics}, time={"end": 1e-9, "dt": 1e-12})  # stays as it is
    out = run.solve(name, "out", "--n", "13", "--order", "4", "--pipeline", "fused,staged",
                    "--repeats", "30", "--threads", "1", command="bench")
    info = json.loads(run("info", "--kernels", "--json", "--backend", "cpu", name, "--set",
                          "grid.n=13").out)
    for row in read_json(out / "bench.json")["rows"]:
        step = info["flows"][flow]["step"][row["pipeline"]]
        assert row["flops_per_step"] == step["flops"]
        assert row["bytes_per_step"] == step["read_bytes"] + step["written_bytes"]
