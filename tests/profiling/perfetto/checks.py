"""A timeline against the trace that it was written from (sample.json)."""

import os
import resource
import signal
import subprocess
from collections import Counter

KINDS = ["phase", "step", "part", "stage", "thread", "launch", "wait"]
OPS = ["kernel", "copy", "fill"]
CALLS = ["runtime", "driver", "synchronize", "overhead"]
MEMORIES = ["unknown", "pageable", "pinned", "device", "array", "managed"]
COUNTERS = [("SM utilisation", "%", "sm"), ("memory utilisation", "%", "memory"),
            ("memory used", "B", "memory_used"), ("SM clock", "MHz", "sm_clock"),
            ("memory clock", "MHz", "memory_clock"), ("power", "W", "power"),
            ("temperature", "°C", "temperature")]
SAMPLED = [("SMs active", "%"), ("warps active", "%"), ("FP64 pipe active", "%"),
           ("DRAM read", "B/s"), ("DRAM written", "B/s"), ("L2 hits", "%")]


def run(program, *arguments, **options):
    return subprocess.run([os.environ[program], *map(str, arguments)], capture_output=True, text=True, **options)


def full_disk():
    """In a new process: no file grows."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def write(program, *arguments):
    """Write a trace, without a warning."""
    done = run(program, *arguments)
    assert (done.returncode, done.stderr) == (0, "")


def warning_of(program, *arguments, **options):
    """The one warning of a program that cannot write a trace."""
    done = run(program, *arguments, **options)
    assert done.returncode == 1, done
    [line] = done.stderr.splitlines()
    return line


def process_name(sample):
    return f"{sample['case']} on {sample['host']}"


def span_key(sample, span):
    args = {"step": span["step"]} if KINDS[span["kind"]] == "step" else {}
    if KINDS[span["kind"]] == "thread":
        args = {name: count for name, count in span["counts"].items() if count >= 0}
    return (process_name(sample), sample["threads"][span["thread"]]["name"], span["name"],
            KINDS[span["kind"]], span["start"], span["end"], tuple(sorted(args.items())))


def call_key(sample, call):
    thread = {t["id"]: t["name"] for t in sample["threads"]}.get(call["thread_id"])
    args = {"correlation": call["correlation"]} if call["correlation"] else {}
    if call["result"]:
        args["error"] = call["result"]
    return (process_name(sample), f"CUDA calls ({thread or 'thread %d' % call['thread_id']})",
            call["name"], CALLS[call["kind"]], call["start"], call["end"], tuple(sorted(args.items())))


def op_key(sample, op, gpus):
    args = {"correlation": op["correlation"]}
    if op["stage"]:
        args["stage"] = op["stage"]
    if op["graph"]:
        args |= {"graph": op["graph"], "graph_node": op["graph_node"]}
    if OPS[op["kind"]] == "kernel":
        args |= {"grid": ",".join(map(str, op["grid"])), "block": ",".join(map(str, op["block"])),
                 "registers_per_thread": op["registers"], "static_shared_bytes": op["static_shared"],
                 "dynamic_shared_bytes": op["dynamic_shared"],
                 "local_bytes_per_thread": op["local"]}
        if op["occupancy"] >= 0:
            args["occupancy_percent"] = op["occupancy"]
    else:
        args |= {"bytes": op["bytes"], "to": MEMORIES[op["to"]],
                 "bytes_per_second": 1e9 * op["bytes"] / (op["end"] - op["start"]),
                 "asynchronous": "yes" if op["asynchronous"] else "no"}
        if OPS[op["kind"]] == "copy":
            args["from"] = MEMORIES[op["from"]]
    return (gpus[op["device"]], f"Stream {op['stream']}", op["name"], OPS[op["kind"]], op["start"],
            op["end"], tuple(sorted(args.items())))


def check_slices(timeline, sample, gpus):
    """Each span, call and operation has exactly one slice, and no other slices exist."""
    wanted = Counter(span_key(sample, s) for s in sample["spans"])
    wanted += Counter(call_key(sample, c) for c in sample["calls"])
    wanted += Counter(op_key(sample, o, gpus) for o in sample["ops"])
    found = Counter(s.key for s in timeline.slices)
    assert found - wanted == Counter() and wanted - found == Counter()


def check_nesting(timeline):
    """The slices of a track are disjoint or nested; on streams, disjoint."""
    for track in timeline.tracks:
        stack = []
        for s in sorted(timeline.on(track), key=lambda s: (s.start, -s.end)):
            while stack and stack[-1].end <= s.start:
                stack.pop()
            assert not stack or s.end <= stack[-1].end, (track.name, stack[-1].name, s.name)
            assert not stack or not track.row.startswith("Stream"), (stack[-1].name, s.name)
            stack.append(s)


def check_span_parents(timeline, sample):
    """The parent of a region is its enclosing region; shares of workers have no parent."""
    slices = {s.key: s for s in timeline.slices}
    for span in sample["spans"]:
        found = slices[span_key(sample, span)].parent
        if span["thread"] > 0 or span["parent"] < 0:
            assert found is None
        else:
            assert found.key == span_key(sample, sample["spans"][span["parent"]])


def launcher_of(sample, op):
    """Key of the slice that launched an operation; None if unknown."""
    calls = [c for c in sample["calls"] if CALLS[c["kind"]] in ("runtime", "driver")
             and c["correlation"] == op["correlation"]]
    if calls:
        first = min(calls, key=lambda c: c["start"])
        return call_key(sample, first) if first["start"] <= op["start"] else None
    if op["span"] >= 0 and sample["spans"][op["span"]]["start"] <= op["start"]:
        return span_key(sample, sample["spans"][op["span"]])
    return None


def check_flows(timeline, sample, gpus):
    """A flow has one source, the launch, and one target, the operation."""
    sources, targets = {}, {}
    for s in timeline.slices:
        for flow in s.flows_out:
            assert flow not in sources
            sources[flow] = s
        for flow in s.flows_in:
            assert flow not in targets
            targets[flow] = s
    assert sources.keys() == targets.keys() and 0 not in sources
    found = {targets[flow].key: sources[flow].key for flow in sources}
    assert len(found) == len(sources)
    for op in sample["ops"]:
        assert found.get(op_key(sample, op, gpus)) == launcher_of(sample, op), op["name"]
    return len(found)


def check_counters(timeline, sample, gpus, memory_on):
    wanted = {}
    for device, gpu in gpus.items():
        for name, unit, member in COUNTERS:
            points = [(s["time"], s[member]) for s in sample["samples"]
                      if s["device"] == device and s[member] >= 0]
            if points:
                wanted[gpu, name, unit] = points
    for k, (name, unit) in enumerate(SAMPLED):
        points = [(s["start"], s["values"][k]) for s in sample["sampled"] if s["values"][k] >= 0]
        if points:
            wanted[memory_on, name, unit] = points
    if sample["before"]["time"] > 0:
        wanted[memory_on, "device memory in use", "B"] = [
            (m["time"], m["in_use"])
            for m in [sample["before"], *sample["memory_events"], sample["after"]]]
    found = {(t.parent.name, t.name, t.unit): points for t, points in timeline.points.items()}
    assert found == wanted


def check_notes(timeline, sample, device, version, dropped, warnings):
    window, *others = timeline.notes
    assert all(n.start == n.end == sample["start"] for n in timeline.notes)
    assert all(n.track.kind == "process" for n in timeline.notes)
    assert (window.name, window.args) == ("window", {
        "case": sample["case"], "version": version, "host": sample["host"], "device": device,
        "first_step": sample["first_step"], "steps": sample["steps"]})
    if dropped:
        assert (others[0].name, others[0].args) == ("dropped", dropped)
        others = others[1:]
    assert [n.name for n in others] == warnings
    assert {n.category for n in timeline.notes[1:]} <= {"warning"}
