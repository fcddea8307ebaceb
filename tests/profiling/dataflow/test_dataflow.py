"""dataflow.json and dataflow.dot of small pipelines: numbers recomputed from the trace, and the graph
as graphviz reads and draws it."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

import jsonschema
import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/profiling/tables"))
from recompute import COPY, STAGE, STEP, Trace, time

SCHEMA = json.loads((ROOT / "profiling/outputs/dataflow/dataflow.schema.json").read_text())
VARIANTS = ["gpu", "cpu", "blind", "shapeless", "bare", "no_ops", "late"]
ORDER = ["projection", "gradient", "divergence", "rk4"]
# class of each stage of the pipeline by construction, on both devices
CLASSES = {"projection": "latency-bound", "gradient": "memory-bound",
           "divergence": "compute-bound", "rk4": "memory-bound", "sat": None}
DIRECTIONS = {"[CUDA memcpy Host-to-Device]": "host_to_device",
              "[CUDA memcpy Device-to-Host]": "device_to_host",
              "[CUDA memcpy Device-to-Device]": "device_to_device"}
LIMITS = [0, 1 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 26, None]


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def read(folder):
    text = (pathlib.Path(folder) / "dataflow.json").read_bytes()
    assert text.endswith(b"}\n")
    return json.loads(text.decode("utf-8"), parse_constant=refuse)


@pytest.fixture(scope="module", params=VARIANTS)
def trace(request, tmp_path_factory):
    return Trace("dataflow", request.param, str(tmp_path_factory.mktemp(request.param)))


@pytest.fixture(scope="module")
def flow(trace):
    return read(trace.folder)


def near(value):
    return None if value is None else pytest.approx(value, rel=1e-12)


def ratio(a, b):
    return near(a / b) if a is not None and b else None


def times(trace, spans):
    """Known times of spans: on a GPU those of the launched operations."""
    if not trace.is_gpu:
        return [time(trace.spans[k]) for k in spans]
    projections = filter(None, map(trace.projection, spans))
    return [end - start for start, end, _ in projections]


def calls_of(trace, stage):
    return [k for k, span in enumerate(trace.spans)
            if (span["kind"], span["name"]) == (STAGE, stage) and span["step"] >= 0]


def steps_of(trace):
    return [k for k, span in enumerate(trace.spans) if span["kind"] == STEP]


def step_time(trace):
    known = times(trace, steps_of(trace))
    return numpy.mean(known) if known else None


def costs_of(trace):
    return {cost["stage"]: cost for cost in trace.costs}


def moved(cost, *ways):
    return sum(a["bytes"] for a in cost["accesses"] if a["writes"] in ways)


def test_the_schema_describes_every_property():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    parts = [part for part in SCHEMA["$defs"].values() if "properties" in part]
    assert len(parts) > 10
    for part in parts:
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])
        assert all(value["description"] for value in part["properties"].values())


def test_the_file_holds_to_its_schema(flow):
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.validate(flow)
    for part in (flow, flow["stages"][0], flow["transfers"][0]["sizes"][0]):
        part["more"] = 1
        assert not validator.is_valid(flow)
        del part["more"]


def test_the_window(trace, flow):
    assert flow["case"] == trace.case
    assert (flow["first_step"], flow["steps"]) == (10, 2)
    assert flow["clock"] == ("gpu" if trace.is_gpu else "host")
    assert flow["step_ns"] == near(step_time(trace))
    assert (flow["step_ns"] is None) == (trace.kind == "no_ops")


def test_stages_come_in_the_order_of_their_first_call_in_a_step(trace, flow):
    expected = ORDER[1:] + ORDER[:1] if trace.kind == "late" else list(ORDER)
    expected += ["sat"] if trace.kind != "bare" else []
    assert [stage["name"] for stage in flow["stages"]] == expected


def test_costs_of_stages(trace, flow):
    costs = costs_of(trace)
    for stage in flow["stages"]:
        calls = len(calls_of(trace, stage["name"]))
        assert stage["calls"] == calls == (
            0 if stage["name"] == "sat" else 3 if (trace.kind, stage["name"]) ==
            ("late", "projection") else 4)
        assert stage["calls_per_step"] == calls / 2
        if trace.kind == "bare":
            for name in ("read_bytes", "written_bytes", "flops", "intensity_flops_per_byte",
                         "on_chip", "bandwidth_bytes_per_s", "flops_per_s", "roofline_ns", "class"):
                assert stage[name] is None
            continue
        cost = costs[stage["name"]]
        assert stage["read_bytes"] == near(moved(cost, False))
        assert stage["written_bytes"] == near(moved(cost, True))
        assert stage["flops"] == cost["flops"]
        assert stage["intensity_flops_per_byte"] == near(cost["flops"] / moved(cost, False, True))


def test_times_of_stages(trace, flow):
    for stage in flow["stages"]:
        known = times(trace, calls_of(trace, stage["name"]))
        median = numpy.median(known) if known else None
        mean = numpy.mean(known) if known else None
        in_step = mean and mean * stage["calls_per_step"]
        assert stage["time_ns"] == near(median)
        assert stage["time_per_step_ns"] == near(in_step)
        assert stage["share_of_step"] == ratio(in_step, step_time(trace))
        assert bool(known) == (trace.kind != "no_ops" and stage["name"] != "sat")
        if trace.kind != "bare":
            cost = costs_of(trace)[stage["name"]]
            assert stage["bandwidth_bytes_per_s"] == ratio(1e9 * moved(cost, False, True), mean)
            assert stage["flops_per_s"] == ratio(1e9 * cost["flops"], mean)


def mean_time(stage):
    return stage["time_per_step_ns"] and stage["time_per_step_ns"] / stage["calls_per_step"]


SHAPES = {"sum": 3 * 6 * 385 * 385 * 8, "y.h": 6 * 385 * 385 * 8}
CACHES = [("L1", 65536, 9e12), ("L2", 3e7, 4.8e12)]


def size(cost, buffer):
    """Bytes of a buffer that a call touches: all that it reads and writes, at most the buffer; without a shape the larger."""
    parts = [a["bytes"] for a in cost["accesses"] if a["buffer"] == buffer]
    return min(sum(parts), SHAPES[buffer]) if buffer in SHAPES else max(parts, default=0)


def reach(trace, stage):
    """Bytes between two accesses of the data of a stage: half of its bytes have at most this; None if no step calls it."""
    calls = [costs_of(trace)[span["name"]] for span in trace.spans
             if span["kind"] == STAGE and span["step"] == min(s["step"] for s in trace.spans if s["step"] >= 0)]

    def held(some):
        names = {a["buffer"] for call in some for a in call["accesses"]}
        return sum(max(size(call, name) for call in some) for name in names)

    portions = []
    for at, call in enumerate(calls):
        for access in call["accesses"] if call["stage"] == stage else []:
            name = access["buffer"]
            before = next(b for b in range(1, len(calls) + 1) if size(calls[at - b], name) >= size(call, name) / 4)
            chain = [calls[at - b] for b in range(before + 1)]
            portions.append(((held(chain[:-1]) + held(chain[1:])) / 2, access["bytes"]))
    portions.sort()
    total, below = sum(size for _, size in portions), 0
    for value, part in portions:
        below += part
        if below >= total / 2:
            return value
    return None


def serving(trace, stage):
    """Name and bandwidth of the memory that serves a stage."""
    found = reach(trace, stage)
    memory = trace.ceilings["copy_bandwidth"]
    for name, capacity, bandwidth in CACHES if trace.kind in ("gpu", "late") else []:
        if found is not None and found <= capacity:
            return name, bandwidth
    return "memory" if found is not None and memory else None, memory


def at_peaks(trace, stage):
    """Nanoseconds to move the bytes and to do the operations of a call; None if not known."""
    cost, (bandwidth, flops) = costs_of(trace).get(stage), trace.ceilings.values()
    if not (cost and bandwidth and flops):
        return None
    return 1e9 * moved(cost, False, True) / serving(trace, stage)[1], 1e9 * cost["flops"] / flops


def test_every_stage_has_the_memory_that_serves_it(trace, flow):
    for stage in flow["stages"]:
        if trace.kind == "bare":
            assert stage["reach_bytes"] is stage["served_by"] is None
            continue
        assert stage["reach_bytes"] == near(reach(trace, stage["name"]))
        assert stage["served_by"] == serving(trace, stage["name"])[0]
    if trace.kind == "gpu":
        assert {stage["served_by"] for stage in flow["stages"]} == {"L2", "memory", None}


def test_classes_of_stages(trace, flow):
    known = trace.kind not in ("blind", "bare", "no_ops")
    for stage in flow["stages"]:
        assert stage["class"] == (CLASSES[stage["name"]] if known else None)
        parts = at_peaks(trace, stage["name"])
        assert stage["roofline_ns"] == near(parts and max(parts))
        assert stage["roofline_share"] == ratio(stage["roofline_ns"], mean_time(stage))
    bandwidth, flops = trace.ceilings.values()
    assert flow["ceilings"] == {"copy_bandwidth_bytes_per_s": bandwidth or None,
                                "fp64_flops_per_s": flops or None, "fp32_flops_per_s": None,
                                "caches": [{"name": name, "bytes": size, "bandwidth_bytes_per_s": rate}
                                           for name, size, rate in CACHES] if trace.kind in ("gpu", "late") else [],
                                "ridge_flops_per_byte": ratio(flops, bandwidth)}


def test_memory_bound_stages_by_their_savings(trace, flow):
    candidates = {}
    for stage in flow["stages"]:
        if stage["class"] == "memory-bound":
            moving, computing = at_peaks(trace, stage["name"])
            least = min(moving, mean_time(stage)) - computing
            candidates[stage["name"]] = (stage["calls_per_step"] * least, stage["calls_per_step"] *
                                         (mean_time(stage) - computing))
    if trace.kind in ("blind", "bare", "no_ops"):
        assert flow["offload"] == []
        return
    assert [row["stage"] for row in flow["offload"]] == sorted(
        candidates, key=lambda name: -candidates[name][0]) == ["rk4", "gradient"]
    for row in flow["offload"]:
        least, most = candidates[row["stage"]]
        assert (row["least_saving_ns"], row["most_saving_ns"]) == (near(least), near(most))
        assert row["least_saving_share_of_step"] == near(least / step_time(trace))
    if trace.is_gpu:  # rk4 moves more than a copy could: its buffers are in a cache
        assert flow["offload"][0]["least_saving_ns"] == flow["offload"][0]["most_saving_ns"]


def test_buffers_and_what_goes_to_and_from_them(trace, flow):
    costs, per_step = costs_of(trace), {s["name"]: s["calls_per_step"] for s in flow["stages"]}
    expected = [(stage["name"], a["buffer"], a["writes"], a["bytes"])
                for stage in flow["stages"] if stage["name"] in costs
                for a in costs[stage["name"]]["accesses"]]
    assert [(e["stage"], e["buffer"], e["access"] == "write", e["per_call_bytes"])
            for e in flow["edges"]] == expected
    for edge in flow["edges"]:
        assert edge["per_step_bytes"] == near(per_step[edge["stage"]] * edge["per_call_bytes"])
    assert [b["name"] for b in flow["buffers"]] == list(dict.fromkeys(e[1] for e in expected))
    for buffer in flow["buffers"]:
        of = [e for e in flow["edges"] if e["buffer"] == buffer["name"]]
        assert buffer["bytes"] == max(e["per_call_bytes"] for e in of)
        for access, key in (("read", "read_per_step_bytes"), ("write", "written_per_step_bytes")):
            assert buffer[key] == near(sum(e["per_step_bytes"] for e in of
                                           if e["access"] == access))
    assert len(flow["buffers"]) == (0 if trace.kind == "bare" else 7)


def held(cost, of_read, of_written):
    """Bytes that hold these fractions of the read and written data."""
    most = {}
    for a in cost["accesses"]:
        part = a["bytes"] * (of_written if a["writes"] else of_read)
        most[a["buffer"]] = max(most.get(a["buffer"], 0), part)
    return sum(most.values())


def test_on_chip_memory(trace, flow):
    known = trace.kind != "shapeless"
    assert flow["assumed"] == {"panels": 6, "rows_of_a_panel": 385 if known else None,
                               "halo_rows": 2 if known else None, "latency_ns": 5000,
                               "latency_roofline_share": 0.5}
    for stage in flow["stages"] if trace.kind != "bare" else []:
        cost, found = costs_of(trace)[stage["name"]], stage["on_chip"]
        assert found["whole_bytes"] == near(held(cost, 1, 1))
        assert found["panel_bytes"] == (near(held(cost, 1 / 6, 1 / 6)) if known else None)
        assert [b["rows"] for b in found["row_blocks"]] == ([1, 4, 16, 64] if known else [])
        for block in found["row_blocks"]:
            rows, row = block["rows"], 1 / (6 * 385)
            assert block["bytes"] == near(held(cost, (rows + 4) * row, rows * row))
            assert block["bytes_without_halo"] == near(held(cost, rows * row, rows * row))


def check_transfer(found, copies):
    spent = sum(map(time, copies))
    size = sum(copy["bytes"] for copy in copies)
    assert (found["count"], found["bytes"], found["time_ns"]) == (len(copies), size, spent)
    assert found["bandwidth_bytes_per_s"] == ratio(1e9 * size, spent)


def test_transfers_by_direction_and_size(trace, flow):
    copies = [op for op in trace.ops if op["kind"] == COPY]
    assert [t["direction"] for t in flow["transfers"]] == [*DIRECTIONS.values(), "other"]
    for transfer in flow["transfers"]:
        own = [c for c in copies if DIRECTIONS.get(c["name"], "other") == transfer["direction"]]
        assert bool(own) == (trace.is_gpu and trace.kind != "no_ops")
        check_transfer(transfer["all"], own)
        for found, low, high in zip(transfer["sizes"], LIMITS[:-1], LIMITS[1:],
                                    strict=True):
            assert (found["from_bytes"], found["below_bytes"]) == (low, high)
            check_transfer(found, [c for c in own if low <= c["bytes"] < (high or 1 << 62)])
    if trace.kind == "gpu":
        assert all(size["count"] for size in flow["transfers"][0]["sizes"])


@pytest.fixture(scope="module")
def graphviz():
    """Run dot; any message of it is a failure."""
    if shutil.which("dot") is None:
        pytest.skip("no dot: graphviz is needed to read the graph")

    def run(layout, path):
        done = subprocess.run(["dot", f"-T{layout}", str(path)], capture_output=True, text=True,
                              timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout
    return run


def parse(graphviz, folder):
    """Nodes by their names, visible edges as (tail, head, attributes) and the graph itself, as
    graphviz lays them out."""
    graph = json.loads(graphviz("json", pathlib.Path(folder) / "dataflow.dot"))
    nodes = {node["_gvid"]: node for node in graph.get("objects", [])}
    edges = [(nodes[e["tail"]], nodes[e["head"]], e) for e in graph.get("edges", [])
             if e.get("style") != "invis"]
    return {node["name"]: node for node in nodes.values()}, edges, graph


def title(node):
    return node["label"].split("\\n")[0]


def drawn(flow):
    """The stages of the picture, its edges as (stage, buffers, access) with their bytes of a step, and the bytes of its
    groups of buffers: those that one called stage writes and another reads, and that are accessed alike."""
    stages = {s["name"]: s for s in flow["stages"] if s["calls"] > 0}
    accesses = [e for e in flow["edges"] if e["stage"] in stages]
    of = {b["name"]: {(e["stage"], e["access"]) for e in accesses if e["buffer"] == b["name"]} for b in flow["buffers"]}
    groups = {}
    for buffer, ways in of.items():
        if any(a != b and {(a, "write"), (b, "read")} <= ways for a in stages for b in stages):
            groups.setdefault(frozenset(ways), []).append(buffer)
    edges = {}
    for e in accesses:
        group = groups.get(frozenset(of[e["buffer"]]))
        if group and e["buffer"] in group:
            key = (e["stage"], ", ".join(group), e["access"])
            edges[key] = edges.get(key, 0) + e["per_step_bytes"]
    largest = {stage: max((size for key, size in edges.items() if key[0] == stage), default=0) for stage in stages}
    every = sum(e["per_step_bytes"] for e in flow["edges"])
    edges = {key: size for key, size in edges.items() if size >= 0.01 * every or size == largest[key[0]]}
    shown = {", ".join(group): sum(b["bytes"] for b in flow["buffers"] if b["name"] in group) for group in groups.values()}
    return stages, edges, {name: size for name, size in shown.items() if any(key[1] == name for key in edges)}


def test_the_graph_has_stages_of_a_step_with_what_moves_between_them(flow, trace, graphviz):
    stages, of_stages, buffers = drawn(flow)
    assert "sat" not in stages and len(stages) == 4
    if trace.kind == "gpu":
        assert list(buffers) == ["y.h", "dy.v1, dy.v2", "y.v1", "dy.h"]  # y.v2 and sum move between no stages
        assert len(of_stages) == 11
    nodes, edges, graph = parse(graphviz, trace.folder)
    boxes = [n for n in nodes.values() if n["shape"] == "box"]
    ellipses = [n for n in nodes.values() if n["shape"] == "ellipse"]
    assert len(boxes) + len(ellipses) == len(nodes)
    assert [title(n) for n in boxes] == list(stages)
    assert [title(n) for n in ellipses] == list(buffers)
    expected = [(stage, group) if access == "write" else (group, stage) for stage, group, access in of_stages]
    # graphviz groups edges by their tails
    assert sorted((title(a), title(b)) for a, b, _ in edges) == sorted(expected)
    places = [float(n["pos"].split(",")[0]) for n in boxes]
    assert places == sorted(set(places)) and graph["rankdir"] == "LR"
    every = sum(e["per_step_bytes"] for e in flow["edges"])
    assert not every or f"{100 * sum(of_stages.values()) / every:.0f} % of the bytes are drawn" in graph["label"]


def test_the_picture_fits_a_page(trace, graphviz):
    size = xml.fromstring(graphviz("svg", trace.folder / "dataflow.dot"))
    assert float(size.get("width").removesuffix("pt")) <= 11 * 72 + 1
    assert float(size.get("height").removesuffix("pt")) <= 7.5 * 72 + 1


def test_buffers_stand_where_they_are_first_needed(flow, trace, graphviz):
    nodes, _, _ = parse(graphviz, trace.folder)
    place = {title(n): float(n["pos"].split(",")[0]) for n in nodes.values()}
    _, of_stages, buffers = drawn(flow)
    for name in buffers:
        of = [e for e in flow["edges"] if e["buffer"] == name.split(", ")[0]]
        first = of[0]["stage"]
        is_read = any(e["access"] == "read" for e in of if e["stage"] == first)
        assert (place[name] < place[first]) == is_read, name


def test_the_width_of_an_edge_grows_with_its_bytes(flow, trace, graphviz):
    _, edges, _ = parse(graphviz, trace.folder)
    _, of_stages, _ = drawn(flow)
    most = max(of_stages.values(), default=0)
    expected = sorted(0.5 + 5.5 * size / most for size in of_stages.values())
    assert sorted(float(e["penwidth"]) for *_, e in edges) == pytest.approx(expected, abs=0.006)


UNITS = {"n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1, "k": 1e3, "M": 1e6, "G": 1e9}


def value(text, unit):
    number, prefix = text.split(" ")
    assert prefix.endswith(unit)
    return float(number) * UNITS[prefix.removesuffix(unit)]


def test_labels_show_times_shares_and_sizes(flow, trace, graphviz):
    nodes, edges, _ = parse(graphviz, trace.folder)
    labels = {title(n): n["label"].split("\\n")[1:] for n in nodes.values()}
    stages, of_stages, buffers = drawn(flow)
    for name, size in buffers.items():
        assert value(labels[name][0], "B") == pytest.approx(size, rel=6e-3)
    for stage in stages.values():
        lines = labels[stage["name"]]
        calls, _, spent = lines[0].partition(" a step")
        assert float(calls) == stage["calls_per_step"]
        if stage["time_ns"]:
            assert value(spent.removeprefix(" of "), "s") == pytest.approx(
                1e-9 * stage["time_ns"], rel=6e-3)
            assert lines[1] == f"{100 * stage['share_of_step']:.1f} % of the step"
        else:
            assert spent == ""
        assert (lines[-1] == stage["class"]) == (stage["class"] is not None)
    width = {(title(a), title(b), value(e["label"], "B")) for a, b, e in edges}
    assert len(width) == len(of_stages)


def test_the_graph_is_drawn(flow, trace, graphviz):
    picture = xml.fromstring(graphviz("svg", trace.folder / "dataflow.dot"))
    texts = {"".join(t.itertext()) for t in picture.iter("{http://www.w3.org/2000/svg}text")}
    stages, _, buffers = drawn(flow)
    assert {*stages, *buffers, trace.case} <= texts and "sat" not in texts


def test_awkward_texts_are_escaped(tmp_path, graphviz):
    Trace("dataflow", "awkward", str(tmp_path))
    flow = read(tmp_path)
    assert flow["stages"][3]["name"] == 'rk4 "&lt;b&gt;" \\n <i> ?'
    assert flow["case"] == 'a "case" \\ & ?? ?'
    assert flow["edges"][8]["buffer"] == '"];\n}\x01\\'
    picture = xml.fromstring(graphviz("svg", tmp_path / "dataflow.dot"))
    texts = {"".join(t.itertext()) for t in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {'rk4 "&lt;b&gt;" \\n <i> ?', 'a "case" \\ & é ?', '"]; } \\'} <= texts


def test_an_empty_window(tmp_path, graphviz):
    """The same as bare, without spans."""
    done = subprocess.run([os.environ["WRITE_SAMPLE"], "dataflow", "empty", tmp_path])
    assert done.returncode == 0
    flow = read(tmp_path)
    jsonschema.Draft202012Validator(SCHEMA).validate(flow)
    assert (flow["stages"], flow["buffers"], flow["edges"], flow["offload"]) == ([], [], [], [])
    assert (flow["steps"], flow["step_ns"], flow["case"]) == (0, None, None)
    assert all(t["all"]["count"] == 0 for t in flow["transfers"])
    assert parse(graphviz, tmp_path)[:2] == ({}, [])
