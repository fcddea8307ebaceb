"""step.mlir: MLIR reads it, XLA converts it, and it is the program of dataflow.json."""
import json
import os
import re
import subprocess

import pytest
from jax.interpreters import mlir
from jaxlib import _jax
from jaxlib.mlir import ir

TYPES = {4: "f32", 8: "f64"}


def tensor(kind):
    return f"{kind.element_type}[{','.join(map(str, kind.shape))}]"


def program_of(module):
    """Parameters (types), calls and results of a module in StableHLO. An operand is the number of a parameter, or the number of
    a call and of its result."""
    function, = module.body.operations
    block = function.regions[0].blocks[0]
    parameters = [tensor(argument.type) for argument in block.arguments]
    values, calls = {argument: k for k, argument in enumerate(block.arguments)}, []
    *operations, end = block.operations
    for operation in operations:
        assert operation.operation.name == "stablehlo.custom_call"
        attributes = operation.operation.attributes
        aliases = attributes["output_operand_aliases"] if "output_operand_aliases" in attributes else []
        pairs = [tuple(map(int, re.findall(r"= \[?(\d+)", re.sub(r"indices = \[\], op", "indices = [0], op", str(alias)))))
                 for alias in aliases]
        costs = attributes["mhlo.frontend_attributes"]
        calls.append((attributes["call_target_name"].value, [values[operand] for operand in operation.operands],
                      [tensor(result.type) for result in operation.results], pairs,
                      {item.name: float(item.attr.value) for item in costs}))
        values.update({result: (len(calls) - 1, k) for k, result in enumerate(operation.results)})
    return parameters, calls, [values[operand] for operand in end.operands]


def read(window):
    """The program that MLIR reads. XLA converts it, too."""
    text = (window / "step.mlir").read_text()
    assert re.search(r"^module @cubeswe_((fused|staged)_)?step \{$", text, re.MULTILINE)
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        assert module.operation.verify()
        converted = _jax.mlir.mlir_module_to_xla_computation(str(module), use_tuple_args=False, return_tuple=True)
        program = program_of(module)
    live = converted.as_hlo_text().count("custom-call(")  # the conversion leaves out calls whose results nobody needs
    assert len(program[1]) - 2 <= live <= len(program[1])
    return program


def expected(flow, value=8):
    """The program by dataflow.json."""
    stages = {stage["name"]: stage for stage in flow["stages"]}
    sizes = {b["name"]: (b["shape"] or [int(b["bytes"] // value)], b["value_bytes"] or value) for b in flow["buffers"]}
    parameters, calls, current = [], [], {}

    def whole(edge):
        shape, size = sizes[edge["buffer"]]
        for dimension in shape:
            size *= dimension
        return edge["per_call_bytes"] >= size

    def kind(buffer):
        shape, size = sizes[buffer]
        return f"{TYPES[size]}[{','.join(map(str, shape))}]"

    for number, name in enumerate(flow["calls"]):
        edges = [edge for edge in flow["edges"] if edge["stage"] == name]
        writes = dict.fromkeys(e["buffer"] for e in edges if e["access"] == "write")
        needs = list(dict.fromkeys(e["buffer"] for e in edges if e["access"] == "read" or not whole(e)))
        for buffer in needs:
            if buffer not in current:
                current[buffer] = len(parameters)
                parameters.append(buffer)
        stage = stages[name]
        costs = {key: stage[key] for key in ("flops", "read_bytes", "written_bytes") if stage[key] is not None}
        calls.append((name, [current[buffer] for buffer in needs], [kind(buffer) for buffer in writes],
                      [(k, needs.index(buffer)) for k, buffer in enumerate(writes) if buffer in needs], costs))
        for k, buffer in enumerate(writes):
            current[buffer] = (number, k)
    results = [current[buffer] for k, buffer in enumerate(parameters) if current[buffer] != k]
    return [kind(buffer) for buffer in parameters], calls, results


def check(window, value=8):
    flow = json.loads((window / "dataflow.json").read_text())
    assert read(window) == expected(flow, value)
    return flow


@pytest.mark.parametrize("variant", ["gpu", "cpu", "bare", "late"])
def test_readers_find_the_program_of_the_dataflow(tmp_path, variant):
    subprocess.run([os.environ["WRITE_FLOWS"], "dataflow", variant, tmp_path], check=True)
    flow = check(tmp_path)
    assert len(flow["calls"]) == 8 - (variant == "late")
    assert [b["shape"] for b in flow["buffers"] if b["name"] == "sum"] == ([[3, 6, 385, 385]] if variant != "bare" else [])


def test_awkward_names_and_an_empty_window(tmp_path):
    for variant in ("awkward", "empty"):
        (tmp_path / variant).mkdir()
        subprocess.run([os.environ["WRITE_FLOWS"], "dataflow", variant, tmp_path / variant], check=True)
    _, calls, _ = read(tmp_path / "awkward")
    assert len({call[0] for call in calls}) == 4
    assert (calls[3][0], len(calls)) == ('rk4 "&lt;b&gt;" \\n <i> ?', 8)
    assert read(tmp_path / "empty") == ([], [], [])


def profile(folder, program, case, *settings, backend="cpu", environment=()):
    subprocess.run([os.environ[program], "run", case, "--output", folder, "--backend", backend, "--threads", "1", "--quiet",
                    "--profile", *(word for setting in settings for word in ("--set", setting))],
                   check=True, env={**os.environ, "CUBESWE_TUNING": "peaks=0", **dict(environment)})
    window, = (folder / "profile").glob("step_*")
    return window


@pytest.mark.parametrize("pipeline", ["fused", "staged"])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_the_program_of_a_run(tmp_path, pipeline, precision):
    case = tmp_path / "case.yaml"
    case.write_text("grid: {n: 12, order: 4}\ntime: {end: 0.15, dt: 0.0025}\n")
    flow = check(profile(tmp_path / "out", "CUBESWE", case, f"scheme.pipeline={pipeline}", f"scheme.precision={precision}"))
    shapes = {buffer["name"]: buffer["shape"] for buffer in flow["buffers"]}
    assert (shapes["h"], shapes["v1"], shapes["v2"]) == ([4, 6, 13, 13], [4, 6, 13, 12], [4, 6, 12, 13])
    assert {buffer["value_bytes"] for buffer in flow["buffers"]} == {8 if precision == "double" else 4} | \
        ({8} if "norms" in shapes else set())
    substep = ["projection", "contravariant", "gradient", "divergence", "sat", "projection", "rk4"]
    assert sorted(flow["calls"]) == (["fused"] * 2 if pipeline == "fused" else sorted(4 * substep))


@pytest.mark.skipif(not os.environ.get("CUPTI_STAND_IN"), reason="the build has no CUPTI (cupti.h)")
def test_a_graph_gives_the_calls_of_its_stages(tmp_path):
    """In the order of the calls on the host, though a GPU may run some side by side."""
    case = tmp_path / "case.yaml"
    case.write_text("grid: {n: 12, order: 4}\ntime: {end: 0.15, dt: 0.0025}\nscheme: {pipeline: staged}\n")
    calls = {launch: check(profile(tmp_path / launch, "CUBESWE_EMULATED", case, "profile.start_step=30", "profile.duration=19",
                                   f"profile.launch={launch}", backend="cuda",
                                   environment={"CUBESWE_CUPTI_LIBRARY": os.environ["CUPTI_STAND_IN"]}.items()))["calls"]
             for launch in ("graph", "eager")}
    assert calls["graph"] == calls["eager"] and len(calls["graph"]) == 28
