"""`cubeswe info --kernels`: the static cost of the stages, and the resources of the kernels."""
import json

import pytest

from pipelines import CALLS, KERNELS, STAGES, within
from program import contents, read_json

USAGE, CONFIG = 64, 78
STAGE_OF = {kernel: stage for stage, kernels in KERNELS.items() for kernel in kernels}


def told(program, *arguments):
    done = program("info", "--kernels", "--json", *arguments)
    assert done.code == 0 and done.err == ""
    return json.loads(done.out)


def bytes_of(row, access):
    return {buffer["name"]: buffer["bytes"] for buffer in row["buffers"]
            if buffer["access"] == access}


def cells(text, first):
    """Cells of the table's row that begins with a name."""
    row = next(line for line in text.splitlines() if line.startswith(f"| {first} "))
    return [cell.strip() for cell in row.split("|")[1:]]


def test_without_a_case_it_is_the_main_job(run):
    table = told(run)
    assert (table["n"], table["order"], table["precision"]) == (384, 4, "fp64")
    assert [row["stage"] for row in table["stages"]] == STAGES
    assert {row["stage"]: row["calls_per_step"] for row in table["stages"]} == {
        stage: {pipeline: calls.get(stage, 0) for pipeline, calls in CALLS.items()}
        for stage in STAGES}
    assert {row["kernel"]: row["stage"] for row in table["kernels"]} == STAGE_OF
    gradient = table["stages"][1]
    assert bytes_of(gradient, "read") == {"h": 8 * 6 * 385 ** 2}
    assert bytes_of(gradient, "write") == dict.fromkeys(["dv1", "dv2"], 8 * 6 * 385 * 384)


def test_totals_are_sums(run):
    table = told(run)
    for row in table["stages"] + table["kernels"]:
        assert row["read_bytes"] == sum(bytes_of(row, "read").values())
        assert row["written_bytes"] == sum(bytes_of(row, "write").values())
        assert row["flops"] == sum(row["operations"].values()) > 0
        assert row["flops_per_byte"] == pytest.approx(
            row["flops"] / (row["read_bytes"] + row["written_bytes"]))
    assert table["step"].keys() == CALLS.keys()
    for pipeline, step in table["step"].items():
        for key in ("flops", "read_bytes", "written_bytes"):
            assert step[key] == sum(row["calls_per_step"][pipeline] * row[key]
                                    for row in table["stages"])
        assert step["flops_per_byte"] == pytest.approx(
            step["flops"] / (step["read_bytes"] + step["written_bytes"]))
    for stage in table["stages"]:
        assert stage["flops"] == sum(row["flops"] for row in table["kernels"]
                                     if row["stage"] == stage["stage"])


def test_a_case_gives_size_and_order(run, case, tmp_path):
    name = case(grid={"n": 12, "order": 2})
    before = contents(tmp_path)
    table = told(run, name)
    assert (table["n"], table["order"]) == (12, 2)
    larger = told(run, name, "--set", "grid.order=6", "--set", "grid.n=13")
    assert (larger["n"], larger["order"]) == (13, 6)
    for pipeline in CALLS:
        assert larger["step"][pipeline]["flops"] > 2 * table["step"][pipeline]["flops"]
    assert contents(tmp_path) == before


def test_the_text_tells_the_same(run):
    text, table = run("info", "--kernels").out, told(run)
    assert "n = 384, order 4" in text
    for row in table["stages"]:
        expected = [row["stage"], *(str(row["calls_per_step"][name]) for name in CALLS),
                    *(f"{1e-6 * row[key]:.3f}" for key in ("read_bytes", "written_bytes", "flops")),
                    f"{row['flops_per_byte']:.3f}", row["computes"]]
        assert cells(text, row["stage"]) == expected
    for k, (name, calls) in enumerate(CALLS.items()):
        step = cells(text, f"a {name} step")
        assert step[1 + k] == str(sum(calls.values())) and step[2 - k] == ""
        assert step[5] == f"{1e-6 * table['step'][name]['flops']:.3f}"
    for row in table["kernels"]:
        assert cells(text, row["kernel"])[:3] == [row["kernel"], row["stage"],
                                                  str(row["block_threads"])]


def test_compiled_kernels_have_resources(run):
    """In a build with CUDA; in any other it says that there are none."""
    table, text = told(run), run("info", "--kernels").out
    backends = [backend["name"] for backend in json.loads(run("info", "--json").out)["backends"]]
    if "cuda" not in backends:
        assert "no compiled CUDA kernels" in table["note"] and table["note"] in text
        assert all(row["compiled"] == [] for row in table["kernels"])
        return
    assert table["note"] == "" and "no compiled" not in text
    architectures = {built["architecture"] for built in table["kernels"][0]["compiled"]}
    assert architectures
    for row in table["kernels"]:
        assert {built["architecture"] for built in row["compiled"]} == architectures
        assert len(row["compiled"]) == len(architectures)
        for built in row["compiled"]:
            assert 8 <= built["registers"] <= 255
            assert built["occupancy_percent"] is None or 0 < built["occupancy_percent"] <= 100
            assert built["architecture"] in text


def test_emulated_kernels_are_not_compiled_ones(run_emulated):
    table = told(run_emulated)
    assert "no compiled CUDA kernels" in table["note"]
    assert {row["kernel"] for row in table["kernels"]} == set(STAGE_OF)


def test_a_profile_has_the_same_costs(run, case, pipeline):
    name = case(**within(pipeline, {"grid": {"n": 12, "order": 4}, "time": {"end": 0.1, "dt": 0.0025}}))
    out = run.solve(name, "out", "--profile=summary", "--set", "profile.start_step=2")
    costs = read_json(out / "profile" / "step_00000002" / "summary.json")["costs"]
    keys = ("stage", "flops", "read_bytes", "written_bytes", "buffers")
    expected = [{key: row[key] for key in keys} for row in told(run, name)["stages"]]
    projection = expected[STAGES.index("projection")]
    if pipeline == "fused":  # half of a staged step's calls are those of a tendency
        projection["buffers"] = [{"name": "h", "bytes": projection[f"{access[0]}_bytes"],
                                  "access": access[1]}
                                 for access in (("read", "read"), ("written", "write"))]
    assert costs == expected


@pytest.mark.parametrize("code, words, arguments", [
    (USAGE, ["--set", "case"], ["--set", "grid.n=12"]),
    (USAGE, ["--keys", "--kernels"], ["--keys"]),
    (USAGE, ["--overwrite"], ["--overwrite"]),
    (CONFIG, ["--set", "grid.n"], ["case.yaml", "--set", "grid.n=3"])],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value))
def test_what_it_cannot_take_is_refused(case, refuses, code, words, arguments):
    case()
    refuses(code, words, "info", "--kernels", *arguments)
