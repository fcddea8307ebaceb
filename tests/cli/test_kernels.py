"""`cubeswe info --kernels`: the static cost of the stages, and the resources of the kernels."""
import json

import pytest

from pipelines import (ALL_STAGES, CALLS, END, FLOW_CALLS, KERNELS, STAGES, stages_of,
                       within)
from program import contents, read_json

USAGE, CONFIG = 64, 78
STAGE_OF = {kernel: stage for stage, kernels in KERNELS.items() for kernel in kernels}


def info(program, *arguments):
    done = program("info", "--kernels", "--json", *arguments)
    assert done.code == 0 and done.err == ""
    return json.loads(done.out)


def bytes_of(row, access):
    return {buffer["name"]: buffer["bytes"] for buffer in row["buffers"]
            if buffer["access"] == access}


def stage_of(flow, name):
    return next(row for row in flow["stages"] if row["stage"] == name)


def cells(text, first):
    """Cells of the row of the table that begins with a name."""
    row = next(line for line in text.splitlines() if line.startswith(f"| {first} "))
    return [cell.strip() for cell in row.split("|")[1:]]


def test_without_a_case_it_is_the_main_job(run):
    table = info(run)
    assert (table["n"], table["order"], table["precision"]) == (384, 4, "fp64")
    assert list(table["flows"]) == list(FLOW_CALLS)
    for name, flow in table["flows"].items():
        assert [row["stage"] for row in flow["stages"]] == stages_of(name)
        for row in flow["stages"]:
            assert row["calls_per_step"] == {pipeline: calls.get(row["stage"], 0) for
                                             pipeline, calls in FLOW_CALLS[name].items()}
        assert [row["kernel"] for row in flow["kernels"]] == [
            kernel for stage in stages_of(name) for kernel in KERNELS[stage]
            if kernel not in ("field_integrals_kernel", "viscous_scalar_kernel", "viscous_add_scalar_kernel")]  # which this job has not
    assert {row["kernel"]: row["stage"] for row in table["kernels"]} == STAGE_OF
    for name, head in (("non-rotating", "h"), ("rotating", "h"), ("nonlinear", "head")):
        gradient = stage_of(table["flows"][name], "gradient")
        assert bytes_of(gradient, "read") == {head: 8 * 6 * 385 ** 2}
        assert bytes_of(gradient, "write") == dict.fromkeys(["dv1", "dv2"], 8 * 6 * 385 * 384)


def test_tracers_have_their_calls(run, case):
    names = [{"name": name, "initial": {"kind": "constant"}} for name in ("a", "b")]
    flows = info(run, case(grid={"n": 13}, physics={"model": "nonlinear"}, tracers=names))["flows"]
    assert "tracer" not in [row["stage"] for row in flows["rotating"]["stages"]]
    expected = {"tracer": {"fused": 8, "staged": 8}, "contravariant": {"fused": 4, "staged": 4},
                "projection": {"fused": 8, "staged": 24}}
    for stage, calls in expected.items():
        assert stage_of(flows["nonlinear"], stage)["calls_per_step"] == calls
    tracer = stage_of(flows["nonlinear"], "tracer")
    assert bytes_of(tracer, "read").keys() > {"F1", "F2", "h", "q"} and bytes_of(tracer, "write")["q"] > 0


@pytest.mark.parametrize("flow", FLOW_CALLS)
def test_totals_are_sums(run, flow):
    table = info(run)["flows"][flow]
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


def test_steps_end_as_the_case_says(run, case):
    name = case(grid={"n": 12}, scheme={"edge_damping": 0.1})
    for flow, ends in info(run, name)["flows"].items():
        calls = {row["stage"]: row["calls_per_step"]["fused"] for row in ends["stages"]}
        assert [calls[stage] for stage in END] == [1, flow == "nonlinear"]


def test_a_case_gives_size_and_order(run, case, tmp_path):
    name = case(grid={"n": 12, "order": 2})
    before = contents(tmp_path)
    table = info(run, name)
    assert (table["n"], table["order"]) == (12, 2)
    larger = info(run, name, "--set", "grid.order=6", "--set", "grid.n=13")
    assert (larger["n"], larger["order"]) == (13, 6)
    for flow, pipelines in FLOW_CALLS.items():
        for pipeline in pipelines:
            small, large = (one["flows"][flow]["step"][pipeline] for one in (table, larger))
            assert large["flops"] > 2 * small["flops"]
    assert contents(tmp_path) == before


def test_stages_are_those_of_a_gpu_or_of_a_cpu(run, refuses):
    """On a CPU transport computes most of v, and less of head and W moves."""
    gpu, cpu = info(run), info(run, "--backend", "cpu")
    assert (gpu["stages_of"], cpu["stages_of"]) == ("cuda", "cpu")
    assert info(run, "--backend", "cuda") == gpu and gpu["kernels"] == cpu["kernels"]
    for name, flow in gpu["flows"].items():
        other = cpu["flows"][name]
        assert flow["kernels"] == other["kernels"]
        differ = [row["stage"] for row in flow["stages"] if row not in other["stages"]]
        assert differ == ([] if name == "non-rotating" else ["transport", "momentum"])
        assert flow["step"]["staged"] == other["step"]["staged"]
        assert flow["step"]["fused"]["flops"] == other["step"]["fused"]["flops"]
    flops = [stage_of(table["flows"]["nonlinear"], "momentum")["flops"] for table in (gpu, cpu)]
    moved = [sum(table["flows"]["nonlinear"]["step"]["fused"][key] for key in ("read_bytes", "written_bytes"))
             for table in (gpu, cpu)]
    assert flops[1] < 0.05 * flops[0] and moved[1] < 0.75 * moved[0]
    refuses(USAGE, ["no backend 'abacus'"], "info", "--kernels", "--backend", "abacus")


def test_small_panels_have_no_march(run, case):
    name = case(grid={"n": 39})
    gpu, cpu = (info(run, name, "--backend", backend)["flows"]["non-rotating"] for backend in ("cuda", "cpu"))
    assert "fused_kernel" in {row["kernel"] for row in gpu["kernels"]}
    assert "march_kernel" not in {row["kernel"] for row in gpu["kernels"]}
    swept = [stage_of(flow, "fused")["read_bytes"] for flow in (gpu, cpu)]
    assert swept[0] == swept[1]
    assert cells(run("info", "--kernels", name).out, "march_kernel")[3:] == [""] * 7


def of_flows(flows, rows, name, key):
    """The cost of a row by its name in every flow; None in a flow without it."""
    kind = rows[:-1]
    found = ([row for row in flow[rows] if row[kind] == name] for flow in flows.values())
    return [key(row[0]) if row else "" for row in found]


def check_costs(row, flows, rows, name):
    moved = of_flows(flows, rows, name, lambda of: of["read_bytes"] + of["written_bytes"])
    flops = of_flows(flows, rows, name, lambda of: of["flops"])
    assert row[:6] == [value and f"{1e-6 * value:.3f}" for value in moved + flops]


def test_the_text_prints_the_same(run):
    text, table = run("info", "--kernels").out, info(run)
    flows = table["flows"]
    assert "n = 384, order 4" in text
    for stage in ALL_STAGES:
        row = cells(text, stage)
        assert row[1:4] == of_flows(flows, "stages", stage, lambda of: "{fused}, {staged}".format(
            **of["calls_per_step"]))
        check_costs(row[4:], flows, "stages", stage)
    for pipeline in CALLS:
        row = cells(text, f"a {pipeline} step")
        assert row[1:4] == [str(sum(calls[pipeline].values())) for calls in FLOW_CALLS.values()]
        assert row[7:10] == [f"{1e-6 * flow['step'][pipeline]['flops']:.3f}"
                             for flow in flows.values()]
    for kernel in table["kernels"]:
        row = cells(text, kernel["kernel"])
        assert row[:3] == [kernel["kernel"], kernel["stage"], str(kernel["block_threads"])]
        check_costs(row[3:], flows, "kernels", kernel["kernel"])


def test_compiled_kernels_have_resources(run):
    """A build with CUDA prints them; any other build prints that there are none."""
    table, text = info(run), run("info", "--kernels").out
    backends = [backend["name"] for backend in json.loads(run("info", "--json").out)["backends"]]
    if "cuda" not in backends:
        assert "no compiled CUDA kernels" in table["note"] and table["note"] in text
        assert all(row["compiled"] == [] for row in table["kernels"])
        return
    assert table["note"] == "" and "no compiled" not in text
    architectures = {built["architecture"] for built in table["kernels"][0]["compiled"]}
    assert architectures
    for row in table["kernels"]:
        forms = {(built["architecture"], built["equations"]) for built in row["compiled"]}
        equations = {form[1] for form in forms}
        assert equations in ({"both"}, {"linear", "nonlinear"})
        assert len(row["compiled"]) == len(forms) == len(architectures) * len(equations)
        for built in row["compiled"]:
            assert 8 <= built["registers"] <= 255
            assert built["occupancy_percent"] is None or 0 < built["occupancy_percent"] <= 100
            assert built["architecture"] in text


def test_emulated_kernels_are_not_compiled_ones(run_emulated):
    table = info(run_emulated)
    assert "no compiled CUDA kernels" in table["note"]
    assert {row["kernel"] for row in table["kernels"]} == set(STAGE_OF)


def test_a_profile_has_the_same_costs(run, case, pipeline):
    name = case(**within(pipeline, {"grid": {"n": 12, "order": 4}, "time": {"end": 0.1, "dt": 0.0025}}))
    out = run.solve(name, "out", "--profile=summary", "--set", "profile.start_step=2")
    costs = read_json(out / "profile" / "step_00000002" / "summary.json")["costs"]
    keys = ("stage", "flops", "read_bytes", "written_bytes", "buffers")
    flow = info(run, name)["flows"]["non-rotating"]
    expected = [{key: row[key] for key in keys} for row in flow["stages"]]
    projection = expected[STAGES.index("projection")]
    if pipeline == "fused":  # half of the calls in a staged step project a tendency
        projection["buffers"] = [{"name": "h", "bytes": projection[f"{access[0]}_bytes"],
                                  "access": access[1]}
                                 for access in (("read", "read"), ("written", "write"))]
    assert all(row.pop("reach_bytes") > 0 for row in costs if row["stage"] in CALLS[pipeline])
    assert [{key: row[key] for key in keys} for row in costs] == expected


@pytest.mark.parametrize("code, words, arguments", [
    (USAGE, ["--set", "case"], ["--set", "grid.n=12"]),
    (USAGE, ["--keys", "--kernels"], ["--keys"]),
    (USAGE, ["--overwrite"], ["--overwrite"]),
    (CONFIG, ["--set", "grid.n"], ["case.yaml", "--set", "grid.n=3"])],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value))
def test_values_that_it_cannot_use_are_refused(case, refuses, code, words, arguments):
    case()
    refuses(code, words, "info", "--kernels", *arguments)
