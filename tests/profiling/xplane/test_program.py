"""XProf reads a step as a program: its views of HLO show stages, buffers and costs of the window."""
import json
import os
import shutil
import subprocess

import pytest
from xprof.convert import raw_to_tool_data

from reader import Sample, rows, tool

VIEWS = {"hlo_stats", "op_profile", "roofline_model", "memory_viewer", "graph_viewer"}


def near(value):
    return pytest.approx(value, rel=1e-6, abs=2)


def programs_of(paths):
    """Names with numbers of the programs of a session: listing its tools, as TensorBoard does first, stores them."""
    raw_to_tool_data.xspace_to_tool_names([str(path) for path in paths])
    return sorted(path.name.removesuffix(".hlo_proto.pb") for path in paths[0].parent.glob("*.hlo_proto.pb"))


def program_of(sample):
    program, = programs_of([sample.path])
    return program


def buffers_of(sample):
    """The rows of the memory viewer."""
    return tool(sample, "memory_viewer", module_name=program_of(sample))["maxHeap"]


def text_of(sample):
    """The module as text, by XProf's printer, which checks its shapes."""
    program = program_of(sample)
    data, _ = raw_to_tool_data.xspace_to_tool_data(
        [str(sample.path)], "graph_viewer",
        {"use_saved_result": False, "graph_viewer_options": {"module_name": program, "type": "short_txt"}})
    return data if isinstance(data, str) else data.decode()


def stage_of(instruction):
    """An instruction is a kernel; it has a number if its stage has several."""
    return instruction.split(".")[0]


def profiled(sample):
    """Flops and time [ns] of each stage in the op profile, and its launches."""
    profile = tool(sample, "op_profile")["byProgram"]
    program, = (child for child in profile["children"] if child["name"] == program_of(sample))
    shown = {}
    for op in (op for category in program["children"] for op in category["children"]):
        sums = shown.setdefault(stage_of(op["name"]), [0, 0, 0])
        for k, value in enumerate([op["metrics"]["rawFlops"], op["metrics"]["rawTime"] / 1e3, op["metrics"]["occurrences"]]):
            sums[k] += value
    return shown


def rated(sample, name, operation):
    """Flops, bytes and time [ns] of each stage, from the rates of a view's rows."""
    table, shown = tool(sample, name), {}
    table = rows(table[0] if isinstance(table, list) else table)
    for row in {(row.get("step", "Total"), row[operation]): row for row in table}.values():  # the roofline has each twice
        if row.get("step", "Total") == "Total" and row["category"] == "custom-call":
            sums, us = shown.setdefault(stage_of(row[operation]), [0, 0, 0]), row["total_time"]
            rate = row.get("model_flop_rate", row.get("measured_flop_rate"))
            for k, value in enumerate([rate * us * 1e3, row["hbm_bw"] * 2**30 * us * 1e-6, us * 1e3]):
                sums[k] += value
    return shown


def work_of(sample):
    """Flops, bytes and time [ns] of each stage with a cost, of the sample trace. Of rk4 only the bytes were counted, and
    they differ from its formula."""
    counted = {"rk4": 1e6 / 4}
    work = {}
    for cost in sample.trace["costs"]:
        ops = [op for op in sample.trace["ops"] if op["stage"] == cost["stage"]]
        calls = len([span for span in sample.trace["spans"] if span["name"] == cost["stage"]
                     and span["kind"] == 3 and span["step"] >= 0])
        size = counted.get(cost["stage"], sum(a["bytes"] for a in cost["accesses"]))
        work[cost["stage"]] = (calls * cost["flops"], calls * size,
                               sum(op["end"] - op["start"] for op in ops))
    return work


def test_every_view_is_there(gpu, cpu):
    assert VIEWS <= set(raw_to_tool_data.xspace_to_tool_names([str(gpu.path)]))
    assert "graph_viewer" not in raw_to_tool_data.xspace_to_tool_names([str(cpu.path)])


def test_the_op_profile_has_the_work_of_every_stage(gpu):
    shown = profiled(gpu)
    assert {name: (flops, ns) for name, (flops, ns, _) in shown.items()} == \
        {name: (near(flops), near(ns)) for name, (flops, _, ns) in work_of(gpu).items()}


def test_statistics_and_roofline_have_the_rates(gpu):
    work = {name: [near(value) for value in values] for name, values in work_of(gpu).items()}
    assert rated(gpu, "hlo_stats", "hlo_op_name") == work
    assert rated(gpu, "roofline_model", "operation") == work
    stats = {row["hlo_op_name"]: row for row in rows(tool(gpu, "hlo_stats"))}
    assert "solver/stages/gradient/gradient_cuda.cu:6" in stats["gradient"]["source_info"]


def test_the_memory_viewer_has_the_buffers_by_name(gpu):
    shown = buffers_of(gpu)
    accesses = {a["buffer"]: a["bytes"] for cost in gpu.trace["costs"] for a in cost["accesses"]}
    assert {row["instructionName"]: row["logicalBufferSizeMib"] * 2**20 for row in shown} == \
        {name: near(size) for name, size in accesses.items()}
    assert [row["shapeString"] for row in shown if row["instructionName"] == "h"] == ["f64[889350]{0}"]


def test_the_program_is_whole_and_says_what_it_is(gpu):
    text = text_of(gpu)
    assert text.startswith("HloModule cubeswe_step")
    assert "gradient = (f64[887040]{0}, f64[887040]{0}) custom-call(h), custom_call_target=" in text
    assert "ROOT state = (f64[889350]{0}) tuple(h)" in text
    assert text.count("native CUDA, not XLA; bytes and FP64 as the GPU counted them") == text.count("custom-call(")


needs_cupti = pytest.mark.skipif(not os.environ.get("CUPTI_STAND_IN"), reason="the build has no CUPTI (cupti.h)")


def window_of(folder, pipeline, launch="graph", mode="trace"):
    """The window of a run over the stand-in for CUPTI."""
    case = folder / "case.yaml"
    case.write_text("grid: {n: 12, order: 4}\ntime: {end: 0.15, dt: 0.0025}\n")
    subprocess.run([os.environ["CUBESWE_EMULATED"], "run", case, "--output", folder / pipeline, "--backend", "cuda",
                    "--quiet", f"--profile={mode}", "--set", "profile.start_step=30", "--set", "profile.duration=19", "--set",
                    f"profile.launch={launch}", "--set", f"scheme.pipeline={pipeline}"],
                   check=True, env={**os.environ, "CUBESWE_TUNING": "peaks=0", "CUBESWE_CUPTI_LIBRARY": os.environ["CUPTI_STAND_IN"]})
    return folder / pipeline / "profile/step_00000030"


@needs_cupti
def test_a_session_of_both_pipelines_has_both_programs(tmp_path):
    """Their files in one folder are hosts of one session."""
    session = tmp_path / "plugins/profile/both"
    session.mkdir(parents=True)
    stages = set()
    for pipeline in ("fused", "staged"):
        window = window_of(tmp_path, pipeline)
        shutil.copy(Sample(window).path, session / f"{pipeline}.xplane.pb")
        stages |= {row["stage"] for row in json.loads((window / "summary.json").read_text())["stages"]}
    paths = sorted(session.glob("*.xplane.pb"))
    assert [name.split("(")[0] for name in programs_of(paths)] == ["cubeswe_fused_step", "cubeswe_staged_step"]
    data, _ = raw_to_tool_data.xspace_to_tool_data([str(path) for path in paths], "hlo_stats", {"use_saved_result": False})
    table = json.loads(data)
    shown = {stage_of(row["hlo_op_name"]) for row in rows(table[0] if isinstance(table, list) else table)}
    assert stages <= shown


@needs_cupti
@pytest.mark.parametrize("pipeline", ["fused", "staged"])
@pytest.mark.parametrize("launch, mode", [("graph", "trace"), ("eager", "trace"), ("graph", "full")])
def test_a_window_of_a_run_gives_the_numbers_of_its_summary(tmp_path, pipeline, launch, mode):
    window = window_of(tmp_path, pipeline, launch, mode)
    summary = json.loads((window / "summary.json").read_text())
    if mode == "full":  # as counted; otherwise the formulas
        per_call = {row["stage"]: [value / row["calls"] for value in
                                   (row["fp64_flops"], row["dram_read_bytes"] + row["dram_written_bytes"])]
                    for row in summary["counters"]["stages"]}
    else:
        per_call = {cost["stage"]: [cost["flops"], cost["read_bytes"] + cost["written_bytes"]] for cost in summary["costs"]}
    work = {row["stage"]: [*(near(row["calls_ns"]["count"] * value) for value in per_call[row["stage"]]),
                           near(row["time_ns"]["total"])] for row in summary["stages"]}
    assert len(work) == (1 if pipeline == "fused" else 6)
    sample = Sample(window)
    assert rated(sample, "hlo_stats", "hlo_op_name") == work
    assert {name: [flops, ns, launches] for name, (flops, ns, launches) in profiled(sample).items()} == \
        {row["stage"]: [work[row["stage"]][0], work[row["stage"]][2], row["time_ns"]["count"]] for row in summary["stages"]}
    sizes = {row.get("instructionName") for row in buffers_of(sample)}
    assert {"h", "v1", "v2"} <= sizes
    assert {"trace": "costs by the formulas", "full": "bytes and FP64 as the GPU counted them"}[mode] in text_of(sample)
    assert text_of(sample).count("custom-call(") == len({row["name"] for row in summary["kernels"]})
