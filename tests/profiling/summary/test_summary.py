"""summary.json satisfies its schema, and its numbers equal those recomputed from the trace."""
import json
import pathlib
import sys

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/profiling/tables"))
from recompute import (CALL_KINDS, COUNTERS, DRIVER, PHASE, REGION_KINDS, RUNTIME, STEP,
                       TRACES, Trace, call_name, group, order_by_total, statistics, time)

SCHEMA = json.loads((ROOT / "profiling/window/summary/summary.schema.json").read_text())


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


@pytest.fixture(scope="module", params=TRACES)
def trace(request, tmp_path_factory):
    return Trace("summary", request.param, str(tmp_path_factory.mktemp(request.param)))


@pytest.fixture(scope="module")
def summary(trace):
    text = (trace.folder / "summary.json").read_bytes()
    assert text.endswith(b"}\n")
    return json.loads(text.decode("utf-8"), parse_constant=refuse)


def check_statistics(found, values):
    """Integers: exact ones, and those that are rounded to the nearest."""
    expected = statistics(values)
    assert sorted(found) == sorted(expected)
    for name, value in found.items():
        assert isinstance(value, int)
        tolerance = 0 if name in ("count", "total", "min", "max") else 0.5000001
        assert abs(value - expected[name]) <= tolerance, name


def objects_of(schema, path=""):
    """Every part of the schema that describes an object."""
    if isinstance(schema, dict):
        if "properties" in schema and isinstance(schema.get("type"), (str, list)):
            yield path, schema
        for key, value in schema.items():
            yield from objects_of(value, f"{path}/{key}")


def test_the_schema_describes_every_property():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    objects = dict(objects_of(SCHEMA))
    assert len(objects) > 15
    for path, part in objects.items():
        assert part["additionalProperties"] is False, path
        assert part["required"] == list(part["properties"]), path
        for name, value in part["properties"].items():
            assert value["description"], f"{path}/{name}"
            if name.endswith("_ns"):
                assert value["description"].endswith(", ns") or "ns since" in value["description"]


def test_the_summary_holds_to_its_schema(summary):
    jsonschema.Draft202012Validator(SCHEMA).validate(summary)


def test_the_schema_refuses_unknown_properties(summary):
    for part in (summary, summary["window"], summary["memory"]["before"]):
        part["more"] = 1
        assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(summary)
        del part["more"]
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(summary)


def test_the_run_and_its_window(trace, summary):
    assert (summary["schema"], summary["schema_version"]) == ("cubeswe-profile", 1)
    assert summary["case"] == trace.case == 'gaussian "<&>" é'
    assert summary["version"] == ("0.1 ?" if trace.kind == "varied" else "0.1.0")
    assert (summary["host"], summary["process"]) == (trace.host, trace.process)
    assert summary["mode"] == "trace"
    assert summary["run"] == trace.facts == {"n": 384.0, "build": '0123abcd, "Release"'}
    window = summary["window"]
    assert (window["first_step"], window["steps"]) == (trace.first_step, trace.steps)
    assert window["start_ns"] == trace.start
    assert window["seconds"] == pytest.approx(1e-9 * time(trace.__dict__), rel=1e-12)
    assert summary["phases"] == [{"name": "setup", "total_ns": 1234567890, "count": 1},
                                 {"name": "warm-up", "total_ns": 98765432, "count": 1}]
    assert summary["drops"] == {"spans": 1, "ops": 2, "records": 3, "rejected": 4, "unknown": 5}
    assert summary["warnings"] == ['3 records were dropped, "full" buffers']


GPU = {"name": "NVIDIA Sample GPU", "vendor": "NVIDIA", "is_gpu": True, "index": 0, "threads": 2,
       "compute_capability": "9.0", "multiprocessors": 132, "warps_per_multiprocessor": 64,
       "clock_hz": 1.98e9, "memory_bandwidth_bytes_per_s": 4.8e12, "memory_bytes": 1.5e11,
       "peak_fp64_flops": 3.35e13}
DEVICES = {
    "gpu": GPU,
    "cpu": dict.fromkeys(GPU) | {"name": "Sample CPU", "is_gpu": False, "index": 0, "threads": 2},
    "varied": GPU | dict.fromkeys(["name", "index", "compute_capability", "clock_hz",
                                   "peak_fp64_flops"]),
}


def test_the_device_and_its_unknown_properties(trace, summary):
    assert summary["device"] == DEVICES[trace.kind]


def test_steps(trace, summary):
    steps = {k: span for k, span in enumerate(trace.spans) if span["kind"] == STEP}
    assert [step["step"] for step in summary["steps"]["each"]] == [10, 11]
    projected = []
    for found, (index, span) in zip(summary["steps"]["each"], steps.items()):
        start, end, ops = trace.projection(index) or (0, 0, 0)
        assert found["host_ns"] == time(span)
        assert found["gpu_ns"] == (end - start if ops else None)
        assert found["gpu_ops"] == ops
        projected += [end - start] * (ops > 0)
    check_statistics(summary["steps"]["host_ns"], [time(span) for span in steps.values()])
    assert (summary["steps"]["gpu_ns"] is None) == (trace.kind == "cpu")
    if projected:
        check_statistics(summary["steps"]["gpu_ns"], projected)


def test_regions(trace, summary):
    steps = sum(time(span) for span in trace.spans if span["kind"] == STEP)
    groups = group(trace.regions(), "name", lambda span: REGION_KINDS[span["kind"]])
    assert sorted((r["name"], r["kind"]) for r in summary["regions"]) == sorted(groups)
    totals = [region["host_ns"]["total"] for region in summary["regions"]]
    assert totals == sorted(totals, reverse=True)
    for region in summary["regions"]:
        spans = groups[region["name"], region["kind"]]
        check_statistics(region["host_ns"], list(map(time, spans)))
        within = sum(time(span) for span in spans if span["step"] >= 0)
        if spans[0]["kind"] == PHASE:
            assert region["share_of_steps"] is None
        else:
            assert region["share_of_steps"] == pytest.approx(within / steps, rel=1e-12)
        projections = [trace.projection(trace.spans.index(span)) for span in spans]
        projections = [p for p in projections if p is not None]
        assert region["gpu_ops"] == sum(ops for _, _, ops in projections)
        if projections:
            check_statistics(region["gpu_ns"], [end - start for start, end, _ in projections])
        else:
            assert region["gpu_ns"] is None


def test_stages(trace, summary):
    groups = group(trace.ops, "stage")
    assert sorted((s["stage"],) for s in summary["stages"]) == sorted(groups)
    for stage in summary["stages"]:
        check_statistics(stage["time_ns"], list(map(time, groups[stage["stage"],])))


def test_kernels(trace, summary):
    keys = ["name", "stage", "registers"]
    groups = group(trace.kernels(), *keys, lambda op: tuple(op["grid"]),
                   lambda op: tuple(op["block"]))
    found = {(*(k[key] for key in keys), tuple(k["grid"]), tuple(k["block"])): k
             for k in summary["kernels"]}
    assert len(found) == len(summary["kernels"]) and sorted(found) == sorted(groups)
    totals = [kernel["time_ns"]["total"] for kernel in summary["kernels"]]
    assert totals == sorted(totals, reverse=True)
    for key, kernel in found.items():
        first = groups[key][0]
        check_statistics(kernel["time_ns"], list(map(time, groups[key])))
        assert kernel["static_shared_bytes"] == first["static_shared"]
        assert kernel["dynamic_shared_bytes"] == first["dynamic_shared"]
        assert kernel["local_bytes"] == (16 if kernel["stage"] == "sat" else 0)
        assert kernel["occupancy_percent"] == (62.5 if first["occupancy"] >= 0 else None)


def test_copies(trace, summary):
    groups = group(trace.copies(), "name")
    assert [(c["operation"],) for c in summary["copies"]] == order_by_total(groups)
    for copy in summary["copies"]:
        ops = groups[copy["operation"],]
        check_statistics(copy["time_ns"], list(map(time, ops)))
        check_statistics(copy["bytes"], [op["bytes"] for op in ops])


def test_calls(trace, summary):
    groups = group(trace.calls, call_name, lambda call: CALL_KINDS[call["kind"]])
    assert sorted((c["name"], c["kind"]) for c in summary["calls"]) == sorted(groups)
    for call in summary["calls"]:
        check_statistics(call["time_ns"], list(map(time, groups[call["name"], call["kind"]])))
    assert sum(call["failed"] for call in summary["calls"]) == (trace.kind == "varied")


def busy_time(trace):
    """Nanoseconds of the window in which an operation ran, one by one."""
    busy = bytearray(time(trace.__dict__))
    for op in trace.ops:
        start, end = (min(max(op[edge] - trace.start, 0), len(busy)) for edge in ("start", "end"))
        busy[start:end] = b"\1" * (end - start)
    return sum(busy)


def test_the_activity_of_the_gpu(trace, summary):
    gpu = summary["gpu"]
    if trace.kind == "cpu":
        assert gpu is None
        return
    assert gpu["ops"] == len(trace.ops)
    assert gpu["busy_ns"] == busy_time(trace)
    assert gpu["idle_share"] == pytest.approx(1 - busy_time(trace) / time(trace.__dict__))
    calls = group([c for c in trace.calls if c["kind"] in (RUNTIME, DRIVER)], "correlation")
    latency, queue = [], []
    for key, ops in group(trace.ops, "correlation").items():
        if key in calls:
            call = min(calls[key], key=lambda call: call["start"])
            start = min(op["start"] for op in ops)
            latency.append(start - call["start"])
            queue.append(max(start - call["end"], 0))
    assert 10 < len(latency) < len(trace.ops)
    check_statistics(gpu["launch_latency_ns"], latency)
    check_statistics(gpu["queue_ns"], queue)


def check_quantity(found, values):
    known = [value for value in values if value >= 0]
    if not known:
        assert found is None
        return
    assert (found["count"], found["min"], found["max"]) == (len(known), min(known), max(known))
    assert found["mean"] == pytest.approx(sum(known) / len(known), rel=1e-12)


def test_counters_of_the_gpu_over_time(trace, summary):
    if trace.kind == "cpu":
        return
    sampled = dict(summary["gpu"]["sampled"])
    assert (sampled.pop("chip"), sampled.pop("period_ns"), sampled.pop("count")) == (
        "GA100", 2000, 8)
    for k, quantity in enumerate(sampled.values()):
        check_quantity(quantity, [sample["values"][k] for sample in trace.sampled])
    assert sampled["fp64_active_percent"]["count"] == 7 and sampled["l2_hit_percent"] is None


def test_samples_of_the_gpu(trace, summary):
    if trace.kind == "cpu":
        return
    names = {"sm": "sm_percent", "memory": "memory_percent", "memory_used": "memory_used_bytes",
             "sm_clock": "sm_clock_mhz", "memory_clock": "memory_clock_mhz",
             "power": "power_watts", "temperature": "temperature_celsius"}
    assert sorted(summary["gpu"]["samples"]) == sorted(names.values())
    for name, quantity in names.items():
        check_quantity(summary["gpu"]["samples"][quantity],
                       [sample[name] for sample in trace.samples])
    assert (summary["gpu"]["samples"]["temperature_celsius"] is None) == (trace.kind == "varied")


def test_threads(trace, summary):
    groups = group(trace.parts(), "name", lambda part: trace.threads[part["thread"]]["name"])
    stages = group(trace.regions(), "name")
    assert [(t["stage"], t["thread"]) for t in summary["threads"]] == sorted(groups)
    for thread in summary["threads"]:
        parts = groups[thread["stage"], thread["thread"]]
        totals = [sum(map(time, p)) for (stage, _), p in groups.items() if stage == thread["stage"]]
        check_statistics(thread["time_ns"], list(map(time, parts)))
        assert thread["thread_id"] == trace.threads[parts[0]["thread"]]["id"]
        assert thread["share_of_stage"] == pytest.approx(
            sum(map(time, parts)) / sum(map(time, stages[thread["stage"],])), rel=1e-12)
        assert thread["imbalance"] == pytest.approx(max(totals) * len(totals) / sum(totals))
        for name in COUNTERS:
            measured = [p["counts"][name] for p in parts if p["counts"][name] >= 0]
            assert thread["counters"][name] == (sum(measured) if measured else None)
        both = [p["counts"] for p in parts
                if p["counts"]["instructions"] >= 0 and p["counts"]["cycles"] >= 0]
        assert thread["instructions_per_cycle"] == (pytest.approx(
            sum(c["instructions"] for c in both) / sum(c["cycles"] for c in both)) if both else None)


def test_parts(trace, summary):
    assert [list(row.values()) for row in summary["parts"]] == ([] if trace.is_gpu else [
        ["gradient", "stencil", 60, 60 * 997000, 0.75], ["gradient", None, 20, 20 * 997000, 0.25],
        ["rk4", "update", 7, 7 * 997000, 1.0]])


def blocks_by_site(blocks):
    return {label: {"bytes": sum(b["bytes"] for b in of), "blocks": len(of)}
            for (label,), of in group(blocks, "label").items()}


def test_costs_and_peaks(trace, summary):
    gradient, rk4 = summary["costs"]
    assert gradient == {"stage": "gradient", "flops": 12345678.0, "read_bytes": 7114800.0,
                        "written_bytes": 2 * 7096320.0, "reach_bytes": 21307440.0,
                        "buffers": [{"name": "h", "bytes": 7114800.0, "access": "read"},
                                    {"name": "dv1", "bytes": 7096320.0, "access": "write"},
                                    {"name": "dv2", "bytes": 7096320.0, "access": "write"}]}
    assert rk4 == {"stage": "rk4", "flops": 4e6, "read_bytes": 0, "written_bytes": 0, "reach_bytes": None, "buffers": []}
    assert summary["ceilings"] == {
        "copy_bandwidth_bytes_per_s": 2.5e10 if trace.kind == "cpu" else 4.3e12,
        "fp64_flops_per_s": None, "fp32_flops_per_s": None, "caches": []}


def test_counters(trace, summary):
    if trace.kind == "cpu":
        assert summary["counters"] is None
        return
    assert summary["counters"] == {"chip": "GH100", "passes": 2, "first_step": 10, "stages": [
        {"stage": "gradient", "calls": 4,
         "kernels": [{"name": "void gradient_kernel<(int)4>(params)", "launches": 4},
                     {"name": "edge_kernel(params)", "launches": 8}],
         "time_ns": 4000.0, "dram_read_bytes": 28459200.0, "dram_written_bytes": 56770560.0,
         "l2_bytes": 9e7, "l1_bytes": None, "fp64_adds": 4e6, "fp64_multiplies": 2e6,
         "fp64_fmas": 21691356.0, "fp64_flops": 4e6 + 2e6 + 2 * 21691356.0},
        {"stage": "rk4", "calls": 4, "kernels": [], "time_ns": 1500.5, "dram_read_bytes": 0.0,
         "dram_written_bytes": 1e6, "l2_bytes": 2e6, "l1_bytes": None, "fp64_adds": None,
         "fp64_multiplies": 3.0, "fp64_fmas": 4.0, "fp64_flops": None}]}


def test_device_memory(trace, summary):
    memory = summary["memory"]
    nothing = {"bytes": 0, "blocks": 0}
    for moment, blocks in (("before", trace.before), ("after", trace.after)):
        assert memory[moment] == {"in_use_bytes": blocks["in_use"], "peak_bytes": blocks["peak"],
                                  "blocks": len(blocks["blocks"])}
        of = blocks_by_site(blocks["blocks"])
        assert {site["label"]: site[moment] for site in memory["sites"]} == {
            site["label"]: of.get(site["label"], nothing) for site in memory["sites"]}
        assert sum(site[moment]["bytes"] for site in memory["sites"]) == blocks["in_use"]
    assert [(s["label"], s["function"], s["file"], s["line"]) for s in memory["sites"]] == [
        ("state y", "allocate_state", "solver/state/model.c", 44),
        ("metric", "place", "solver/state/model.c", 60),
        ("scratch", "probe", "solver/backend/cuda.cu", 48)]
    changes = [event["bytes"] for event in trace.memory_events]
    assert memory["allocated"] == {"bytes": sum(b for b in changes if b > 0),
                                   "blocks": sum(b > 0 for b in changes)}
    assert memory["released"] == {"bytes": -sum(b for b in changes if b < 0),
                                  "blocks": sum(b < 0 for b in changes)}
    assert memory["untracked"] == ({"bytes": 6144, "blocks": 2} if trace.kind != "cpu" else nothing)
