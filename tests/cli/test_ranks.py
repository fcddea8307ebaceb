"""Runs on several ranks write the files of one rank, continue with other numbers of ranks, and end together."""
import json
import os
import re
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

import mpi
from checkpoints import checkpoints
from program import Program, assert_same_bits, field_files, final_fields, read_fields, read_json, wait_for, write_case
from rank_cases import CASES, EARTH, FILES, assert_same_files, write

CONFIG, UNAVAILABLE, USAGE, STOPPED, DATA, IO, INTERNAL = 78, 69, 64, 75, 65, 74, 70
SHARED_GPU = "cuda:0"
pytestmark = mpi.needs_mpi


@pytest.mark.parametrize("name,order,pipeline,precision,layouts", [
    ("wave", 4, "fused", "double", [2, 7, 12]),
    ("wave", 2, "staged", "single", [24]),
    ("rotating", 6, "fused", "single", [5]),
    ("rotating", 4, "staged", "double", [10]),
    ("mountain", 4, "fused", "double", [3, 8]),
    ("mountain", 2, "staged", "single", [6]),
    ("mountain", 6, "staged", "double", [4]),
    ("deformation", 4, "fused", "double", [3, 8]),
])
def test_the_files_are_those_of_one_rank(run, name, order, pipeline, precision, layouts):
    """Each number of ranks has a layout of its own. A layout has no code for a flow, an order or a precision."""
    case = write(run, name, order=order, scheme={"pipeline": pipeline, "precision": precision})
    one = run.solve(case, "one")
    for count in layouts:
        assert_same_files(mpi.solve(run, count, case, f"out{count}", "--threads", 1 + count % 2), one)


@pytest.mark.parametrize("name,n,order,pipeline,precision,counts", [
    ("wave", 48, 4, "fused", "double", [7]),
    ("wave", 24, 6, "staged", "single", [4]),
    ("rotating", 24, 2, "fused", "single", [5]),
    ("mountain", 24, 4, "fused", "double", [3, 8]),
    ("mountain", 24, 6, "staged", "double", [2]),
])
def test_the_files_of_gpus_are_those_of_one(run, run_emulated, name, n, order, pipeline, precision, counts):
    case = write(run, name, n=n, order=order, scheme={"pipeline": pipeline, "precision": precision})
    one = run_emulated.solve(case, "one", "--backend", SHARED_GPU)
    for count in counts:
        assert_same_files(mpi.solve(run_emulated, count, case, f"out{count}", backend=SHARED_GPU), one)


def test_leapfrog_on_ranks(run):
    """Its checkpoints hold v of the middle of a step: runs go on from them on any ranks to the same bits."""
    case = write(run, "wave", scheme={"time": "leapfrog4"})
    one = run.solve(case, "one")
    for count in (2, 7):
        assert_same_files(mpi.solve(run, count, case, f"out{count}"), one)
    middle = checkpoints(run.folder / "out7/checkpoints")[0]
    again = mpi.solve(run, 3, case, "again", "--restart", middle)
    assert_same_bits(final_fields(again), final_fields(one))


def test_errors_are_those_of_one_rank(run):
    """The reference moves, so that the velocity has an error, too; it is sampled five times."""
    case = write_case(run.folder / "exact.yaml", grid={"n": 48}, physics={**EARTH, "depth": 13632.349461970842},
                      initial={"kind": "laeuter", "angle": 40.0, "period": 1036800.0}, time={"end": 4000.0, "dt": 200.0},
                      diagnostics={"sample_interval": 800.0})
    errors = [read_json(folder / "summary.json")["errors"] for folder in
              (run.solve(case.name, "one"), *(mpi.solve(run, count, case.name, f"out{count}") for count in (2, 5, 24)))]
    assert errors[0]["l2"] > 0.0 and errors[0]["velocity_l2"] > 0.0
    assert errors[1:] == errors[:1] * 3


def test_a_flow_over_the_bottom_of_a_file(run):
    """Each rank subtracts its part of the bottom from the surface; the root reads it."""
    solved = run.solve(write(run, "mountain", output={"every": 10, "fields": ["h", "surface"]}), "five")
    bottom = {"path": f"five/{field_files(solved)[0].name}"}
    case = write(run, "mountain", initial={"kind": "williamson2", "period": 2e6}, bottom=bottom)
    one = run.solve(case, "one")
    for count in (2, 7):
        assert_same_files(mpi.solve(run, count, case, f"out{count}"), one)


def test_fields_of_files_are_those_of_one_rank(run):
    """They are on other grids, so that all ranks interpolate them; the wind in several pieces."""
    of_vertices = run.solve(write(run, "mountain", n=48, output={"every": 20, "fields": ["h", "wind", "surface"]}), "vertices")
    cubed = str(field_files(of_vertices)[0].relative_to(run.folder))
    converted = run("convert", cubed, "--to", "latlon", "--lon", 2000, "--output", "regular.nc")
    assert converted.code == 0, converted.err
    for name, place in (("cubed", cubed), ("regular", "regular.nc")):
        case = write(run, "mountain", initial={"kind": "file", "path": place}, bottom={"path": place},
                     tracers=[{"name": "bell", "initial": {"kind": "file", "path": place}}])
        one = run.solve(case, name)
        for count in (2, 7):
            assert_same_files(mpi.solve(run, count, case, f"{name}{count}", "--threads", 1 + count % 2), one)


def test_the_lowest_point_is_that_of_one_rank(run):
    """Two panels share it: the message has the first of both, and other ranks may have them."""
    case = write_case(run.folder / "dry.yaml", grid={"n": 48}, physics={**EARTH, "depth": 1.5},
                      initial={"kind": "gaussian", "lon": 45, "lat": 0, "amplitude": -2}, time={"end": 4000.0, "dt": 200.0}).name
    one = run("run", case, "--output", "one")
    for count in (2, 5, 8):
        found = mpi.call(run, count, "run", case, "--output", f"out{count}", "--backend", "cpu")
        assert (found.code, found.lines) == (CONFIG, [one.err.strip()])


def peak_memory_of_ranks(run, count, case):
    """Of each rank [MiB]: a program between the launcher and the rank writes it to a file."""
    code = ("import os, resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=open(f'peak_{os.getpid()}', 'w')); sys.exit(code)")
    program = SimpleNamespace(path=sys.executable, folder=run.folder)
    done = mpi.call(program, count, "-c", code, run.path, "run", case, "--output", "out", "--backend", "cpu", "--quiet",
                    "--threads", 1, env={"ASAN_OPTIONS": f"{mpi.SETTINGS['ASAN_OPTIONS']}:quarantine_size_mb=1"})
    assert done.code == 0, done.err
    return [int(path.read_text()) / 1024 for path in run.folder.glob("peak_*")]


@pytest.mark.parametrize("name,n", [("wave", 480), ("exact", 384)])
def test_no_rank_has_room_for_the_sphere(run, name, n):
    """One has some panels more than the others, which it reads and writes, and HDF5."""
    exact = {"physics": {**EARTH, "depth": 2998.1}, "initial": {"kind": "williamson2"}, "output": {"every": 2, "fields": ["h", "wind"]},
             "diagnostics": {"every": 2}, "checkpoint": {"every": 2}}
    sections = {"wave": {**FILES, **CASES["wave"]}, "exact": exact}[name]
    case = write_case(run.folder / "case.yaml", **{**sections, "grid": {"n": n, "order": 4}, "time": {"end": 40.0, "dt": 10.0}}).name
    peaks = sorted(peak_memory_of_ranks(run, 6, case))
    panel = 8 * (n + 1) * (n + 8) / 2**20
    assert len(peaks) == 6 and peaks[-1] - peaks[0] < 20 * panel + 16, (peaks, panel)


NCCL = {"CUBESWE_NCCL_LIBRARY": os.environ.get("NCCL_STAND_IN", "/nowhere")}
NO_NCCL = {"CUBESWE_NCCL_LIBRARY": "/nowhere/libnccl.so"}
NO_IPC = {"CUDA_EMULATION_IPC": "0"}


@pytest.mark.parametrize("name,pipeline,count", [("wave", "fused", 4), ("mountain", "staged", 3), ("rotating", "fused", 6)])
def test_all_transports_carry_the_same_messages(run, run_emulated, name, pipeline, count):
    case = write(run, name, n=24, scheme={"pipeline": pipeline})
    by = {}
    for transport in ("mpi", "nccl", "ipc"):
        by[transport] = run.folder / transport
        done = mpi.call(run_emulated, count, "run", case, "--output", transport, "--backend", SHARED_GPU, "--quiet", "--set",
                        f"parallel.transport={transport}", env={**NCCL, "CUDA_EMULATION_TELL_REPLAYS": "1"})
        assert done.code == 0, done.err
        launches = done.err.count("a graph is launched")
        assert launches % count == 0 and (launches > 0) == (transport == "nccl")  # for whose messages the host does not wait
    counts = {transport: read_json(folder / "summary.json")["ranks"] for transport, folder in by.items()}
    for transport in ("nccl", "ipc"):
        assert_same_files(by[transport], by["mpi"])
        assert counts[transport]["transport"] == transport
        for kind in ("exchanges", "messages", "bytes"):
            assert counts[transport][kind] == counts["mpi"][kind] > 0


@pytest.mark.parametrize("env,expected", [(NCCL, ("mpi", "nccl", "ipc")), (NO_NCCL, ("mpi", "ipc")),
                                          ({**NO_NCCL, **NO_IPC}, ("mpi",)),
                                          ({**NCCL, **NO_IPC, "NCCL_STAND_IN_FAILS": "CommInitRank"}, ("mpi",))])
def test_the_transport_is_one_that_works(run, run_emulated, env, expected):
    folder = mpi.solve(run_emulated, 3, write(run, "wave", n=24), "out", backend=SHARED_GPU, env=env)
    assert read_json(folder / "summary.json")["ranks"]["transport"] in expected


@pytest.mark.parametrize("transport,env,line", [
    ("nccl", NO_NCCL, "cubeswe: NCCL: /nowhere/libnccl.so: cannot open shared object file: No such file or directory"),
    ("nccl", {**NCCL, "NCCL_STAND_IN_FAILS": "CommInitRank"}, "cubeswe: NCCL: no connection: the stand-in fails"),
    ("nccl", {**NCCL, "NCCL_STAND_IN_FAILS": "GetVersion"}, "cubeswe: NCCL: no version: the stand-in fails"),
    ("ipc", NO_IPC, "cubeswe: CUDA: CUDA IPC: memory for other processes: operation not supported")])
def test_a_transport_is_refused_where_it_does_not_work(run, run_emulated, transport, env, line):
    refused = mpi.call(run_emulated, 3, "run", write(run, "wave", n=24), "--backend", SHARED_GPU, "--output", "out", "--set",
                       f"parallel.transport={transport}", env=env)
    assert (refused.code, refused.lines) == (UNAVAILABLE, [line])


def test_an_error_of_nccl_ends_all_ranks(run, run_emulated):
    done = mpi.call(run_emulated, 3, "run", write(run, "wave", n=24), "--backend", SHARED_GPU, "--output", "out", "--set",
                    "parallel.transport=nccl", env={**NCCL, "NCCL_STAND_IN_FAILS": "GroupStart"})
    assert done.code != 0
    assert "cubeswe: rank 2: NCCL: a group of messages does not start: the stand-in fails" in done.lines


def test_a_graph_that_one_rank_cannot_capture_ends_all(run, run_emulated):
    """At most one of two calls in a row is NCCL's, whose failure ends its rank."""
    words = ["run", write(run, "wave", n=24, output={"every": 0}, diagnostics={"every": 20}, checkpoint={}), "--backend", SHARED_GPU,
             "--quiet", "--set", "parallel.transport=nccl"]
    whole = mpi.call(run_emulated, 2, *words, "--output", "whole", env={**NCCL, "CUDA_EMULATION_TELL_CALLS": "1"})
    assert whole.code == 0, whole.err
    half = max(map(int, re.findall(r"cuda emulation: (\d+) calls", whole.err))) // 2
    found = []
    for place in (half, half + 1):
        fault = "export " + " ".join(f"{name}={value}" for name, value in {
            "CUDA_EMULATION_FAIL_AT": place, "CUDA_EMULATION_FAIL_WITH": 209}.items())
        done = mpi.call_with_other(run_emulated, 2, fault, *words, "--output", f"out{place}", env=NCCL)
        found.append((done.code, done.lines))
    assert (INTERNAL, ["cubeswe: CUDA: stages cannot be captured as a graph: no kernel image for this device"]) in found, found
    assert all(code != 0 for code, _ in found)


@pytest.mark.parametrize("graph_steps", [0, 4])
def test_the_root_chooses_the_length_of_graphs(run, run_emulated, graph_steps):
    """The last rank has another knob."""
    case = write(run, "wave", n=24)
    words = ["run", case, "--backend", SHARED_GPU, "--quiet", "--set", "parallel.transport=nccl", "--output"]
    env = {**NCCL, "CUDA_EMULATION_TELL_REPLAYS": "1"}
    launches = []
    for tuning in ("", f"graph_steps={graph_steps}"):
        done = mpi.call_with_other(run_emulated, 3, f"export CUBESWE_TUNING={tuning}", *words, f"out{tuning}", env=env)
        assert done.code == 0, done.err
        launches.append(done.err.count("a graph is launched"))
    assert launches[0] == launches[1] and launches[0] > 0 and launches[0] % 3 == 0
    assert_same_files(run.folder / f"out{tuning}", run_emulated.solve(case, "one", "--backend", SHARED_GPU))


def test_graphs_of_ranks_can_be_turned_off(run, run_emulated):
    env = {**NCCL, "CUBESWE_TUNING": "graph_steps=0", "CUDA_EMULATION_TELL_REPLAYS": "1"}
    done = mpi.call(run_emulated, 2, "run", write(run, "wave", n=24), "--backend", SHARED_GPU, "--set", "parallel.transport=nccl",
                    "--output", "out", env=env)
    assert done.code == 0 and "a graph is launched" not in done.err, done.err


def test_an_old_nccl_of_one_rank_is_refused(run, run_emulated):
    refused = mpi.call_with_other(run_emulated, 2, "export NCCL_STAND_IN_VERSION=21212", "run", write(run, "wave", n=24), "--backend",
                                  SHARED_GPU, "--output", "out", "--set", "parallel.transport=nccl", env=NCCL)
    assert (refused.code, refused.lines) == (UNAVAILABLE, ["cubeswe: NCCL: version 2.12.12 is older than 2.13"])


def test_a_bench_of_ranks_launches_graphs(run, run_emulated):
    """It goes on with samples of eight steps: on a busy machine its own may be too short for graphs."""
    def bench(repeats, **env):
        done = mpi.call(run_emulated, 2, "bench", case, "--n", "24", "--repeats", repeats, "--backend", SHARED_GPU, "--output", "out",
                        "--set", "parallel.transport=nccl", env={**NCCL, **env})
        assert done.code == 0, done.err
        return done.err

    case, record = write(run, "wave"), run.folder / "out/bench.json"
    bench("30")
    found = json.loads(record.read_text())
    found["rows"][0].update(steps_per_sample=8, host_steps=8)
    record.write_text(json.dumps(found))
    assert "a graph is launched" in bench("31", CUDA_EMULATION_TELL_REPLAYS="1")


@pytest.mark.parametrize("transport", ["mpi", "nccl"])
def test_gpus_go_on_with_other_numbers_of_ranks(run, run_emulated, transport):
    case = write(run, "mountain", n=24)
    whole = run_emulated.solve(case, "whole", "--backend", SHARED_GPU)
    by = {"backend": SHARED_GPU, "env": NCCL}
    mpi.solve(run_emulated, 3, case, "chain", "--set", "time.end=1000.0", "--set", f"parallel.transport={transport}", **by)
    mpi.solve(run_emulated, 8, case, "chain", "--restart", "auto", "--set", "time.end=2400.0", "--set",
              f"parallel.transport={transport}", **by)
    chain = run_emulated.solve(case, "chain", "--restart", "auto", "--backend", SHARED_GPU)
    assert_same_bits(final_fields(chain), final_fields(whole))


# ---- field files ---------------------------------------------------------------------------------

@pytest.mark.parametrize("precision,compression,layouts", [
    ("double", 1, [(240, 2), (400, 8)]), ("single", 1, [(400, 5)]), ("double", 0, [(240, 5), (400, 3)])])
def test_files_of_many_chunks_are_those_of_one_rank(run, precision, compression, layouts):
    """Variables have 2 to 12 chunks, of panels and of rows, which ranks share; some have none."""
    output = {"every": 2, "fields": ["h", "wind", "native", "potential_vorticity"], "precision": precision,
              "compression": compression}
    one = {}
    for n, count in layouts:
        case = write(run, "mountain", n=n, time={"end": 20.0, "dt": 10.0}, output=output, checkpoint={"every": 0}, diagnostics={"every": 2})
        if n not in one:
            one[n] = run.solve(case, f"one{n}")
        found = mpi.solve(run, count, case, f"out{n}_{count}", "--threads", 1 + count % 2)
        assert len(field_files(found)) == 2
        for a, b in zip(field_files(found), field_files(one[n])):
            assert a.read_bytes() == b.read_bytes(), a.name
        assert read_json(found / "summary.json")["output"]["files"] == 2


def test_a_field_file_that_cannot_be_written_ends_all(run):
    """Not compressed, a variable has 11 MB: the limits are in the first piece, of rank 0, and in one of another."""
    case = write(run, "mountain", n=240, checkpoint={"every": 0}, output={"every": 2, "compression": 0}, time={"end": 20.0, "dt": 10.0})
    limited = SimpleNamespace(path="/bin/sh", folder=run.folder)
    for limit in (200, 18000):
        done = mpi.call(limited, 3, "-c", f"ulimit -f {limit}; exec {run.path} run {case} --backend cpu --quiet --output out{limit}")
        line, = done.lines
        assert done.code == IO and line.endswith("/fields_00000000.nc: cannot be written: File too large"), line
        assert not field_files(run.folder / f"out{limit}") and not list((run.folder / f"out{limit}").glob("*.tmp"))


def test_the_last_file_of_a_study_has_the_exact_height(run):
    """Each rank evaluates it in its chunks."""
    case = write(run, "wave", initial={"kind": "gaussian", "lon": 45.0})
    words = ["converge", case, "--n", "240", "--order", "4", "--set", "time.end=100.0", "--set", "time.dt=20", "--backend", "cpu", "--output"]
    for count in (1, 5):
        done = mpi.call(run, count, *words, f"study{count}")
        assert done.code == 0, done.err
    one, five = (field_files(run.folder / f"study{count}")[0] for count in (1, 5))
    assert {"h_exact", "h_error"} <= set(read_fields(one)) and one.read_bytes() == five.read_bytes()


# ---- layouts -------------------------------------------------------------------------------------

def test_layouts_that_the_user_chooses(run):
    case = write(run, "mountain", n=56)
    one = run.solve(case, "one")
    for count, blocks_1, blocks_2 in ((4, 3, 1), (5, 2, 3)):
        cut = ["--set", f"parallel.blocks_1={blocks_1}", "--set", f"parallel.blocks_2={blocks_2}"]
        assert_same_files(mpi.solve(run, count, case, f"out{count}", *cut), one)


def test_a_run_goes_on_with_other_ranks(run):
    case = write(run, "mountain")
    whole = run.solve(case, "whole")
    mpi.solve(run, 3, case, "chain", "--set", "time.end=1000.0")
    mpi.solve(run, 8, case, "chain", "--restart", "auto", "--set", "time.end=2400.0")
    chain = run.solve(case, "chain", "--restart", "auto")
    assert_same_bits(final_fields(chain), final_fields(whole))


def test_studies(run):
    case = write(run, "wave")
    cut = ["--n", "12,24", "--order", "4", "--set", "time.end=4000.0", "--backend", "cpu"]
    texts = []
    for count in (1, 2):
        done = mpi.call(run, count, "converge", case, *cut, "--output", f"study{count}")
        assert done.code == 0, done.err
        texts.append([[cell for key, cell in row.items() if "seconds" not in key and "us" not in key and key != "core_wait_share"]
                      for row in read_json(run.folder / f"study{count}/convergence.json")["rows"]])
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name,pipeline,backend", [
    ("wave", "fused", "cpu"), ("rotating", "fused", "cpu"), ("mountain", "fused", "cpu"), ("wave", "staged", "cpu"),
    ("mountain", "staged", "cpu"), ("wave", "fused", SHARED_GPU), ("mountain", "staged", SHARED_GPU)])
def test_a_step_receives_what_info_says(run, run_emulated, name, pipeline, backend):
    """The counts of two runs differ by their difference in steps times what info prints for a step."""
    ranks, steps = 8, 10
    case = write(run, name, n=24, scheme={"pipeline": pipeline}, output={"every": 0}, diagnostics={"every": 1000}, checkpoint={})
    plan = run("info", case, "--ranks", ranks).out
    received = float(re.search(r"a step receives ([0-9.]+) MiB", plan).group(1))
    exchanges = int(re.search(r"^# exchanges +(\d+) a step", plan, re.MULTILINE).group(1))
    messages = int(re.search(r"of at most (\d+) messages", plan).group(1))
    counts = []
    for factor in (1, 2):
        folder = mpi.solve(run if backend == "cpu" else run_emulated, ranks, case, f"out{factor}", "--set",
                           f"time.end={steps * factor * 200.0}", "--set", "time.dt=200.0", backend=backend)
        counts.append(read_json(folder / "summary.json")["ranks"])
    assert counts[1]["exchanges"] - counts[0]["exchanges"] == exchanges * steps
    assert (counts[1]["bytes"] - counts[0]["bytes"]) / steps / 2**20 == pytest.approx(received, abs=5e-4)
    assert 0 < counts[1]["messages"] - counts[0]["messages"] <= exchanges * steps * messages


@pytest.mark.skipif(not os.environ.get("STEP_WATCH_LIBRARY"), reason="no library that watches steps in this build")
@pytest.mark.parametrize("name,exchanges", [("wave", 2), ("rotating", 8)])
def test_nothing_but_exchanges_within_steps(run, name, exchanges):
    """Between strides there are two collectives, the root's request and the signals; within none, and no memory is allocated."""
    steps, ranks = 300, 2
    case = write(run, name, output={"every": 0}, diagnostics={"every": 10000, "check_every": 10000}, checkpoint={})
    watched = SimpleNamespace(path="/bin/sh", folder=run.folder)
    done = mpi.call(watched, ranks, "-c", f"export LD_PRELOAD={os.environ['STEP_WATCH_LIBRARY']} STEP_WATCH=calls_of_; exec {run.path} run {case}"
                    f" --backend cpu --quiet --threads 2 --output out --set time.end={steps * 20.0} --set time.dt=20.0")
    assert done.code == 0, done.err
    for rank in range(ranks):
        calls = (run.folder / f"calls_of_{rank}").read_text()
        calls = calls[calls.index("www") + 3:]  # for h, v1 and v2 of the initial state
        strides = [stride for stride in re.finditer(r"w+", calls) if stride.end() - stride.start() >= exchanges]
        lengths = [stride.end() - stride.start() for stride in strides]
        assert sum(lengths) == steps * exchanges and len(strides) > 1 and all(length % exchanges == 0 for length in lengths)
        between = [calls[a.end():b.start()] for a, b in zip(strides, strides[1:])]
        assert all(text.replace("a", "" if rank == 0 else "a") == "cc" for text in between), between


def test_the_estimate_of_memory_adds_the_shares_of_ranks(run):
    """Of larger grids: slabs of small ones have most of a field."""
    case = write(run, "mountain", n=768, time={"end": 20.0, "dt": 10.0}, output={"every": 2})

    def mebibytes(count):
        done = mpi.call(run, count, "info", case, "--dry-run")
        assert done.code == 0, done.err
        return float(re.search(r"^# memory +(\S+) MiB", done.out, re.MULTILINE).group(1))
    assert mebibytes(1) < mebibytes(6) < 1.3 * mebibytes(1)


def test_the_expected_time_has_computing_and_messages(run):
    case = write(run, "wave")
    for started in (1, 2):
        done = mpi.call(run, started, "info", case, "--ranks", 8, "--backend", "cpu")
        assert done.code == 0, done.err
        whole = float(re.search(r"\((\S+) us/step on", done.out).group(1))
        expected = re.search(r"^# on 8 ranks +(\S+) us/step(.*)", done.out, re.MULTILINE)
        if started == 1:
            assert "(mpirun -n 2)" in expected.group(2)
            assert float(expected.group(1)) == pytest.approx(whole / 8, abs=0.11)
            continue
        computing, messages, latency, bandwidth = map(float, re.search(
            r": (\S+) us computing, (\S+) us messages of (\S+) us and (\S+) GB/s", expected.group(2)).groups())
        received = float(re.search(r"a step receives (\S+) MiB", done.out).group(1)) * 2**20
        assert computing == pytest.approx(whole * 2 / 8, abs=0.11)
        wanted, rounding = 2 * latency + received / bandwidth * 1e-3, 0.5e-3 * 2**20 / bandwidth * 1e-3  # of `received`
        assert messages == pytest.approx(wanted, abs=0.11 + 0.02 * wanted + rounding)
        assert float(expected.group(1)) == pytest.approx(computing + messages, abs=0.11)


def test_messages_are_measured(run):
    done = mpi.call(run, 3, "info", "--ceilings", "--json", "--backend", "cpu", "--threads", "1")
    assert done.code == 0, done.err
    messages = json.loads(done.out)["messages"]
    assert messages["ranks"] == 3 and messages["latency_s"] > 0 and messages["bandwidth_bytes_per_s"] > 0


# ---- what is refused ----------------------------------------------------------------------------

def test_too_many_ranks_are_refused(run):
    case = write(run, "wave", n=13)
    refused = mpi.call(run, 14, "run", case, "--output", "out")
    assert (refused.code, refused.lines) == (CONFIG, ["cubeswe: 14 ranks are too many for n = 13, order 4; at most 12"])
    assert not (run.folder / "out").exists()


def test_fewer_blocks_than_ranks_are_refused(run):
    case = write(run, "wave")
    refused = mpi.call(run, 13, "run", case, "--output", "out", "--set", "parallel.blocks_2=2")
    assert refused.code == CONFIG
    assert refused.lines == ["cubeswe: parallel.blocks_1 and blocks_2: 12 blocks are too few for 13 ranks"]


def test_bad_cases_have_one_message(run):
    refused = mpi.call(run, 3, "run", "nowhere.yaml")
    assert len(refused.lines) == 1 and refused.code != 0


def test_ranks_that_share_a_gpu_are_refused_unless_they_name_it(run, run_emulated):
    case = write(run, "wave")
    refused = mpi.call(run_emulated, 2, "run", case, "--backend", "cuda", "--output", "out")
    assert (refused.code, refused.lines) == (UNAVAILABLE, [
        "cubeswe: 2 ranks of a machine have one GPU: start a rank for each GPU, or name the GPU that they share "
        "(--backend cuda:0)"])
    assert not (run.folder / "out").exists()


def test_a_build_without_mpi_refuses_ranks(run, tmp_path):
    case = write(run, "wave")
    refused = mpi.call(Program("CUBESWE_WITHOUT_MPI", tmp_path), 2, "run", case, "--output", "out")
    assert refused.code == UNAVAILABLE
    assert len(refused.lines) == 1 and "started as 2 ranks, and this program is built without MPI" in refused.lines[0]
    assert not (run.folder / "out").exists()


def test_ranks_that_share_a_core_are_noted(run):
    case = write(run, "wave", n=13)
    core = str(min(os.sched_getaffinity(0)))
    line = ["taskset", "-c", core, *mpi.line_of(run, 2, "run", case, "--backend", "cpu", "--output", "out")]
    alone = {"OMP_NUM_THREADS": None}
    line[line.index("-n"):line.index("-n")] = ["--bind-to", "none"] if "OpenRTE" in version_of_launcher() else []
    done = mpi.call_line(run, line, alone)
    assert done.code == 0 and "note: ranks share cores: 0.5 for each, with 1 thread; " in done.err, done.err
    assert "share cores" not in mpi.call_line(run, [*line, "--quiet", "--overwrite"]).err
    assert "with 2 threads; " in mpi.call_line(run, [*line, "--overwrite"], {"OMP_NUM_THREADS": "2"}).err


def version_of_launcher():
    return subprocess.run([mpi.LAUNCHER, "--version"], capture_output=True, text=True, check=True).stdout


def test_arguments_of_other_ranks_are_not_ignored(run):
    words = [run.path, "run", write(run, "wave", n=13), "--backend", "cpu", "--output"]
    refused = mpi.call_line(run, [mpi.LAUNCHER, "-n", "1", *words, "a", ":", "-n", "1", *words, "b"])
    assert (refused.code, len(refused.lines)) == (USAGE, 1) and "rank 1 has other arguments" in refused.lines[0]
    assert not (run.folder / "a").exists() and not (run.folder / "b").exists()


def test_variables_of_hdf5_change_nothing_on_ranks(run):
    case = write(run, "wave", n=13)
    assert_same_files(mpi.solve(run, 2, case, "ranks", env={"HDF5_USE_FILE_LOCKING": "TRUE"}), run.solve(case, "one"))


def test_different_programs_are_refused(run):
    refused = mpi.call(Program("OTHER_PROGRAM", run.folder), 3)
    assert refused.code == USAGE
    sentence = r"cubeswe: rank 1 runs cubeswe 0 \(program 1\) (.*), and rank 0 cubeswe 0 \(program 0\) \1: all ranks need the same program on " \
               "processors with the same instructions"
    assert len(refused.lines) == 1 and re.fullmatch(sentence, refused.lines[0])


# ---- ranks end together -------------------------------------------------------------------------

@pytest.fixture
def long_run(run):
    """Start a run on 3 ranks that does not end by itself; the launcher, after a checkpoint."""
    def start():
        case = write(run, "mountain", time={"end": 2e8, "dt": 200.0}, checkpoint={"every": 20, "keep": 2},
                     output={"every": 0})
        launcher = mpi.start(run, 3, "run", case, "--backend", "cpu", "--quiet", "--threads", "1", "--output",
                             run.folder / "out")
        wait_for(lambda: list((run.folder / "out/checkpoints").glob("*.json")))
        return launcher
    return start


def assert_goes_on(run):
    """The newest checkpoint is whole."""
    done = run("run", "mountain.yaml", "--backend", "cpu", "--output", run.folder / "out", "--restart", "auto", "--strict",
               "--dry-run")
    assert done.code == 0, done.err


@pytest.mark.parametrize("rank", [0, 2])
def test_a_signal_at_any_rank_ends_all_with_a_checkpoint(run, long_run, rank):
    launcher = long_run()
    os.kill(mpi.ranks_of(run)[rank], signal.SIGTERM)
    _, err = launcher.communicate(timeout=mpi.HANGS)
    assert launcher.returncode == STOPPED, err
    assert len([line for line in err.splitlines() if line.startswith("cubeswe: SIGTERM: stopped after step")]) == 1, err
    assert_goes_on(run)


@pytest.mark.parametrize("rank", [0, 1])
def test_no_rank_survives_another(run, long_run, rank):
    launcher = long_run()
    os.kill(mpi.ranks_of(run)[rank], signal.SIGKILL)
    launcher.communicate(timeout=mpi.HANGS)
    wait_for(lambda: not mpi.processes_of(run))
    assert launcher.returncode != 0
    assert_goes_on(run)
