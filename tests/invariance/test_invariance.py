"""Options, machines and histories that must not affect a result change no bit of it."""
import os
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from checkpoints import assert_same_run, checkpoint_at  # noqa: E402
from pipelines import CALLS  # noqa: E402
from program import (Program, assert_same_bits, field_files, final_fields, read_csv,  # noqa: E402
                     read_fields, write_case, write_state)
from sphere import FRAMES, positions, vertices  # noqa: E402

ORDERS = [2, 4, 6]
INITIAL = {"kind": "gaussian", "lon": 40, "lat": 30}



def without_fma(test):
    """A test of the build without fused multiply-adds, which runs no others (tests/CMakeLists.txt)."""
    return pytest.mark.without_fma(pytest.mark.skipif(
        os.environ.get("CUBESWE_REPRODUCIBLE", "OFF") != "ON",
        reason="the build has fused multiply-adds (CMake option CUBESWE_REPRODUCIBLE is off)")(test))


@pytest.fixture
def run(tmp_path):
    return Program("CUBESWE", tmp_path)


@pytest.fixture
def run_emulated(tmp_path):
    return Program("CUBESWE_EMULATED", tmp_path)


@pytest.fixture(params=CALLS)
def pipeline(request):
    return request.param


@pytest.fixture(params=ORDERS, ids=lambda order: f"order {order}")
def case(request, pipeline, tmp_path):
    """A case of 21 steps with noise in every value: nothing cancels by symmetry."""
    n, rng = 17, np.random.default_rng(request.param)
    shapes = {"h": (6, n + 1, n + 1), "v1": (6, n + 1, n), "v2": (6, n, n + 1)}
    write_state(tmp_path / "noise.h5", **{k: rng.standard_normal(s) for k, s in shapes.items()})
    return write_case(tmp_path / "case.yaml", grid={"n": n, "order": request.param},
                      scheme={"pipeline": pipeline}, initial={"kind": "file", "path": "noise.h5"},
                      time={"end": 0.21, "dt": 0.01}).name


FLOWS = {"non-rotating": {}, "rotating": {"rotation": 0.7}, "nonlinear": {"model": "nonlinear", "rotation": 0.7}}


@pytest.fixture(params=FLOWS)
def large_case(request, tmp_path):
    """Five steps with noise on a large panel. Each number of threads cuts tiles at different rows, and the first
    row of a tile has a code path of its own."""
    def of(order, n):
        rng = np.random.default_rng(n)
        shapes = {"h": (6, n + 1, n + 1), "v1": (6, n + 1, n), "v2": (6, n, n + 1)}
        noise = {k: 0.1 * rng.standard_normal(s) for k, s in shapes.items()}
        noise["h"] += 2
        write_state(tmp_path / "noise.h5", **noise)
        return write_case(tmp_path / "case.yaml", grid={"n": n, "order": order},
                          physics={"gravity": 1.0, "depth": 1.0, "radius": 1.0, **FLOWS[request.param]},
                          initial={"kind": "file", "path": "noise.h5"}, time={"end": 0.005, "dt": 0.001}).name
    return of


def assert_same_results(run, case, *variants, plain=(), **options):
    """Variants, each a list of further arguments, end in the same bits as the plain case."""
    expected = final_fields(run.solve(case, "plain", *plain))
    for k, arguments in enumerate(variants):
        found = final_fields(run.solve(case, f"variant{k}", *arguments, **options))
        assert_same_bits(found, expected)


def test_rerun(run, case):
    assert_same_results(run, case, [], [])


@pytest.mark.parametrize("byte", [85, 255])
def test_memory_filled_with_garbage(run, case, byte):
    """The C library fills fresh and freed memory: no value may be used before it is set."""
    assert_same_results(run, case, [], env={"MALLOC_PERTURB_": str(byte)})


@pytest.mark.skipif(not os.environ.get("FAULTS"), reason="the build has no faults library")
@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_memory_filled_with_nan(run, run_emulated, case, backend):
    """Memory from malloc, and memory passed to free, is NaN in double and in single precision."""
    program = run if backend == "cpu" else run_emulated
    poison = {"LD_PRELOAD": os.environ["FAULTS"], "FAULTS_FILL": "nan"}
    for precision in ("double", "single"):
        chosen = ["--set", f"scheme.precision={precision}", "--set", "checkpoint.every=10"]
        expected = final_fields(program.solve(case, f"{precision}-plain", *chosen, backend=backend))
        found = program.solve(case, f"{precision}-nan", *chosen, backend=backend, env=poison)
        assert_same_bits(final_fields(found), expected)
        again = program.solve(case, f"{precision}-again", *chosen, "--restart", found, backend=backend,
                              env=poison)
        assert_same_bits(final_fields(again), expected)


THREADS = [["--threads", threads] for threads in (1, 2, 3)]


def test_threads(run, case):
    assert_same_results(run, case, *THREADS)


@pytest.mark.parametrize("n", [100, 160])
@pytest.mark.parametrize("order", ORDERS)
def test_threads_on_large_panels(run, large_case, order, n):
    assert_same_results(run, large_case(order, n), *THREADS[1:], plain=THREADS[0])


EVERY = ["--set", "checkpoint.every=6", "--set", "checkpoint.keep=9"]
PROFILES = [["--profile", "--set", "profile.start_step=4", "--set", "profile.duration=5"],
            ["--profile=summary", "--set", "profile.start_step=0", "--set", "profile.duration=2", "--set",
             "profile.interval=3"],
            ["--profile=nsys", "--set", "profile.start_step=20"]]


@pytest.mark.parametrize("pipeline, case, backend", [("fused", 2, "cpu"), ("fused", 4, "cuda"), ("staged", 6, "cpu"),
                                                     ("staged", 4, "cuda")], indirect=["case"])
def test_profile(run_emulated, case, pipeline, backend):
    """A window has code for each pipeline and backend, and none for an order; for peak rates of a backend, and none for a pipeline."""
    peaks = {"CUBESWE_TUNING": None} if pipeline == "fused" else {}
    expected = final_fields(run_emulated.solve(case, "plain", backend=backend))
    for k, arguments in enumerate(PROFILES):
        out = run_emulated.solve(case, f"profiled{k}", *arguments, backend=backend, env=peaks)
        assert_same_bits(final_fields(out), expected)
        assert len(list(out.glob("profile/step_*/summary.json"))) == [1, 7, 0][k]


TRACERS = [{"name": "one", "initial": {"kind": "constant"}},
           {"name": "hill", "initial": {"kind": "gaussian", "lon": 40, "lat": 30}},
           {"name": "cylinder", "initial": {"kind": "slotted_cylinder", "lon": 200, "radius": 0.8}}]


@pytest.mark.parametrize("pipeline, order, backend", [
    ("fused", 2, "cpu"), ("staged", 4, "cpu"), ("fused", 6, "cpu"), ("staged", 2, "cuda"), ("fused", 4, "cuda"), ("staged", 6, "cuda")])
def test_tracers(run_emulated, pipeline, order, backend, tmp_path):
    """Threads, profiles and a restart change no bit of tracers either. Tracers have code for each order and backend, which both
    pipelines call.
    """
    case = write_case(tmp_path / "case.yaml", grid={"n": 17, "order": order}, scheme={"pipeline": pipeline},
                      physics={"model": "nonlinear", "rotation": 0.7}, initial={**INITIAL, "amplitude": 0.2},
                      tracers=TRACERS, time={"end": 0.21, "dt": 0.01}).name
    expected = run_emulated.solve(case, "plain", backend=backend)
    fields = final_fields(expected)
    assert {"one", "hill", "cylinder"} < fields.keys() and np.ptp(fields["hill"]) > 0.5
    variants = [["--threads", 1], ["--threads", 3], PROFILES[1], EVERY]
    for k, arguments in enumerate(variants):
        out = run_emulated.solve(case, f"variant{k}", *arguments, backend=backend)
        assert_same_bits(final_fields(out), fields)
        assert (out / "diagnostics.csv").read_bytes() == (expected / "diagnostics.csv").read_bytes()
    again = run_emulated.solve(case, "again", "--threads", 2, "--restart",
                               checkpoint_at(tmp_path / f"variant{len(variants) - 1}/checkpoints", 12), backend=backend)
    assert_same_bits(final_fields(again), fields)


def test_diagnostics_with_threads(run, case):
    rows = [(run.solve(case, f"threads{threads}", "--threads", threads, "--set",
                       "diagnostics.every=7") / "diagnostics.csv").read_bytes()
            for threads in (1, 2, 3)]
    assert rows[0] == rows[1] == rows[2] and rows[0].count(b"\n") == 5


def test_errors_with_threads(run, pipeline, tmp_path):
    write_case(tmp_path / "pulse.yaml", scheme={"pipeline": pipeline}, initial=INITIAL)
    rows = [read_csv(run.solve("pulse.yaml", f"threads{threads}", "--n", "12,16", "--threads",
                               threads, command="converge") / "convergence.csv")
            for threads in (1, 2, 3)]
    for row in [row for table in rows for row in table]:
        del row["seconds"]
    assert rows[0] == rows[1] == rows[2]


def test_output_and_diagnostics(run, case):
    assert_same_results(run, case, *(["--set", f"{section}.every={every}"]
                                     for section in ("output", "diagnostics")
                                     for every in (1, 2, 5, 1000)))


def test_samples(run, pipeline, tmp_path):
    case = write_case(tmp_path / "pulse.yaml", scheme={"pipeline": pipeline}, initial=INITIAL).name
    assert_same_results(run, case, ["--set", "diagnostics.sample_interval=0.03"],
                        ["--set", "diagnostics.sample_times=[0.04, 0.07]"])


def test_snapshots_on_the_way(run, case):
    """A snapshot at a step is the end of a run to that step."""
    out = run.solve(case, "all", "--set", "output.every=7")
    part = run.solve(case, "part", "--set", "time.end=0.07", "--set", "time.dt=0.01")
    assert field_files(out)[1].name == field_files(part)[-1].name == "fields_00000007.nc"
    found, expected = read_fields(field_files(out)[1]), final_fields(part)
    assert_same_bits({k: found[k] for k in ("h", "v1", "v2", "u", "v")},
                     {k: expected[k] for k in ("h", "v1", "v2", "u", "v")})


def test_order_of_emulated_threads(run_emulated, case):
    """Kernels must not depend on the order in which a device runs blocks and threads."""
    results = [final_fields(run_emulated.solve(case, order.replace(":", ""), backend="cuda",
                                               env={"CUDA_EMULATION_ORDER": order}))
               for order in ("forward", "reverse", "shuffle:1", "shuffle:2")]
    for found in results[1:]:
        assert_same_bits(found, results[0])


# ---- graphs of steps -----------------------------------------------------------------------------

TOOL = os.environ.get("NVTX_INJECTION", "")
WINDOW = ["--profile=summary", "--set", "profile.start_step=0", "--set", "profile.duration=100"]
EAGER = ["--set", "profile.launch=eager"]
TOLD_TO = {"NVTX_INJECTION64_PATH": TOOL}
needs_tool = pytest.mark.skipif(not TOOL, reason="the build has no NVTX (nvtx3/nvToolsExt.h)")
# The shortest graph has two steps. Runs that never start three steps at once, or start stages one by one, use none: a
# window does so without CUPTI. A tool sees what a run launches. (tests/cli/test_gpu_profile.py: windows with CUPTI.)
RUNS = {"output": (["--set", "output.every=1"], {}, False), "diagnostics": (["--set", "diagnostics.every=2"], {}, False),
        "eager window": ([*WINDOW, *EAGER], {}, False), "eager tool": (EAGER, TOLD_TO, False),
        "window": (WINDOW, {}, False), "tool": ([], TOLD_TO, True)}


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=needs_tool if "tool" in kind else ()) for kind in RUNS])
def test_recorded_steps(run_emulated, pipeline, tmp_path, kind):
    """Strides of three steps and more launch captured graphs; compared with a run step by step."""
    arguments, env, has_graphs = RUNS[kind]
    name = write_case(tmp_path / "pulse.yaml", grid={"n": 4, "order": 2}, scheme={"pipeline": pipeline},
                      initial=INITIAL, time={"end": 1, "dt": 0.01}).name
    told = {**env, "NVTX_LOG": str(tmp_path / "nvtx.log"), "CUDA_EMULATION_TELL_REPLAYS": "1"}
    runs = {out: run_emulated("run", name, "--backend", "cuda", "--output", out, "--quiet", *more,
                              env=environment)
            for out, more, environment in (
                ("plain", [], {"CUDA_EMULATION_TELL_REPLAYS": "1"}), ("other", arguments, told))}
    assert [done.code for done in runs.values()] == [0, 0]
    replays = {name: done.err.count("a graph is launched") for name, done in runs.items()}
    assert replays["plain"] > 0 and (replays["other"] > 0) == has_graphs
    assert_same_bits(final_fields(tmp_path / "other"), final_fields(tmp_path / "plain"))


@pytest.mark.parametrize("every", [3, 7, 16])
def test_short_strides_are_recorded(run_emulated, pipeline, tmp_path, every):
    """Strides too short for the long graph: one plain step, then graphs of two steps; the same bits."""
    name = write_case(tmp_path / "pulse.yaml", grid={"n": 4, "order": 2}, scheme={"pipeline": pipeline},
                      initial=INITIAL, time={"end": 0.5, "dt": 0.01}).name
    outs = {}
    for out, stride in (("single", 1), ("short", every)):
        done = run_emulated("run", name, "--backend", "cuda", "--output", out, "--quiet", "--set",
                            f"diagnostics.every={stride}", env={"CUDA_EMULATION_TELL_REPLAYS": "1"})
        outs[out] = done.err.count("a graph is launched")
        assert done.code == 0
    assert outs["single"] == 0 and outs["short"] >= 50 // every
    assert_same_bits(final_fields(tmp_path / "short"), final_fields(tmp_path / "single"))


# ---- restart -------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [6, 12, 18])
def test_restart(run, case, step):
    """Also with other numbers of threads; checkpoints themselves change no bit."""
    expected = run.solve(case, "plain", "--threads", 2)
    whole = run.solve(case, "whole", "--threads", 1, *EVERY)
    assert_same_bits(final_fields(whole), final_fields(expected))
    again = run.solve(case, "again", "--threads", 3, "--restart",
                      checkpoint_at(whole / "checkpoints", step))
    assert_same_bits(final_fields(again), final_fields(expected))


def test_restart_in_its_folder(run, case):
    expected = run.solve(case, "plain", "--set", "diagnostics.every=4", "--set", "output.every=5")
    arguments = ["run", case, "--backend", "cpu", "--quiet", "--output", "out", "--set",
                 "diagnostics.every=4", "--set", "output.every=5", "--max-walltime", "0.001"]
    codes = [run(*arguments, *(["--restart", "out"] if k > 0 else [])).code for k in range(21)]
    assert codes == [75] * 20 + [0]
    assert_same_run(run.folder / "out", expected)


@without_fma
def test_restart_from_backend_to_backend(run, run_emulated, case):
    expected = final_fields(run.solve(case, "plain"))
    run.solve(case, "cpu", *EVERY)
    run_emulated.solve(case, "cuda", *EVERY, "--restart",
                       checkpoint_at(run.folder / "cpu/checkpoints", 6), backend="cuda")
    again = run.solve(case, "again", "--restart",
                      checkpoint_at(run.folder / "cuda/checkpoints", 12))
    assert_same_bits(final_fields(again), expected)


# ---- leapfrog ------------------------------------------------------------------------------------

@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("precision", ["double", "single"])
def test_leapfrog(run, tmp_path, order, precision):
    """The last step is shorter. Nothing that reads v changes a step."""
    n, rng = 53, np.random.default_rng(order)
    shapes = {"h": (6, n + 1, n + 1), "v1": (6, n + 1, n), "v2": (6, n, n + 1)}
    write_state(tmp_path / "noise.h5", **{k: rng.standard_normal(s) for k, s in shapes.items()})
    case = write_case(tmp_path / "case.yaml", grid={"n": n, "order": order},
                      scheme={"time": "leapfrog4", "precision": precision},
                      initial={"kind": "file", "path": "noise.h5"}, time={"end": 0.205, "dt": 0.01}).name
    assert_same_results(run, case, ["--threads", 1], ["--threads", 3], ["--set", "output.every=3"],
                        ["--set", "diagnostics.every=2"], ["--set", "parallel.blocks_2=2"], env={"MALLOC_PERTURB_": "85"})
    whole = run.solve(case, "whole", *EVERY)
    for step in (6, 18):
        again = run.solve(case, f"again{step}", "--restart", checkpoint_at(whole / "checkpoints", step))
        assert_same_bits(final_fields(again), final_fields(whole))


# ---- units ---------------------------------------------------------------------------------------

def scaled_case(path, pipeline, order, step_rule, length, height, time):
    """The same case in units of 2^length m along the sphere, 2^height m above it, 2^time s."""
    values = {"dt": 0.01 * 2.0 ** time, "dt_times_n": 0.16 * 2.0 ** time, "courant": 0.2}
    return write_case(
        path, grid={"n": 16, "order": order}, scheme={"pipeline": pipeline},
        physics={"radius": 1.5 * 2.0 ** length, "depth": 0.7 * 2.0 ** height,
                 "gravity": 1.3 * 2.0 ** (2 * length - 2 * time - height)},
        initial={**INITIAL, "amplitude": 0.3 * 2.0 ** height},
        time={"end": 0.21 * 2.0 ** time, step_rule: values[step_rule]}).name


@pytest.mark.parametrize("length, height, time", [(1, 0, 0), (0, 3, 0), (0, 0, -2), (22, 9, 12),
                                                  (-5, -8, -3)])
@pytest.mark.parametrize("order, step_rule", [(2, "dt"), (4, "dt_times_n"), (6, "courant")])
def test_units(run, pipeline, tmp_path, order, step_rule, length, height, time):
    plain = scaled_case(tmp_path / "plain.yaml", pipeline, order, step_rule, 0, 0, 0)
    scaled = scaled_case(tmp_path / "scaled.yaml", pipeline, order, step_rule, length, height, time)
    before, after = (run.solve(name, name[:-5]) for name in (plain, scaled))
    expected, found = final_fields(before), final_fields(after)
    factors = {"h": height, "area": 2 * length, "u": length - time, "v": length - time, "time": time,
               "v1": 2 * length - time, "v2": 2 * length - time}
    assert_same_bits(found, {k: x * 2.0 ** factors.get(k, 0) for k, x in expected.items()})
    integrals = {"mass": height + 2 * length, "energy": height + 4 * length - 2 * time,
               "circulation": 2 * length - time, "max_h": height, "courant": 0, "step": 0}
    for row, plain_row in zip(*(read_csv(out / "diagnostics.csv") for out in (after, before))):
        for key, factor in integrals.items():
            assert row[key] == plain_row[key] * 2.0 ** factor, key


# ---- a quarter turn of the cube ------------------------------------------------------------------

def quarter_turn(axis):
    """Matrix of a rotation by 90 degrees about a coordinate axis."""
    a, b = [(1, 2), (2, 0), (0, 1)][axis]
    matrix = np.zeros((3, 3))
    matrix[axis, axis] = matrix[b, a] = 1
    matrix[a, b] = -1
    return matrix


def turn(state, matrix):
    """A state rotated with the sphere: each panel maps to a panel, rotated in its plane by quarter turns."""
    turned = {name: np.empty_like(x) for name, x in state.items()}
    for panel, frame in enumerate(FRAMES):
        e0, e1, _ = frame @ matrix.T
        to = next(k for k, other in enumerate(FRAMES) if (other[0] == e0).all())
        sides = [FRAMES[to][1], FRAMES[to][2], -FRAMES[to][1], -FRAMES[to][2]]
        quarters = next(k for k, side in enumerate(sides) if (side == e1).all())
        h, v1, v2 = (state[name][panel] for name in ("h", "v1", "v2"))
        for _ in range(quarters):  # (X, Y) -> (-Y, X), so v1' = -v2 and v2' = v1
            h, v1, v2 = np.rot90(h, -1), -np.rot90(v2, -1), np.rot90(v1, -1)
        turned["h"][to], turned["v1"][to], turned["v2"][to] = h, v1, v2
    return turned


def turned_runs(run, case, matrix):
    """End of a run from a rotated start, and the rotated end of the run from the original start."""
    plain = final_fields(run.solve(case, "plain"))
    with h5py.File(run.folder / "noise.h5") as file:
        state = {name: file[name][()] for name in ("h", "v1", "v2")}
    write_state(run.folder / "noise.h5", **turn(state, matrix))
    turned = final_fields(run.solve(case, "turned"))
    return {k: turned[k] for k in state}, turn({k: plain[k] for k in state}, matrix)


def test_turns_are_turns():
    """Four quarter turns are the identity; a rotated state has the height of the original point."""
    n, rng = 5, np.random.default_rng(1)
    state = {name: rng.standard_normal(shape) for name, shape in
             (("h", (6, n + 1, n + 1)), ("v1", (6, n + 1, n)), ("v2", (6, n, n + 1)))}
    points = positions(vertices(n), vertices(n))
    for axis in range(3):
        matrix, turned = quarter_turn(axis), state
        by_place = turn({**state, "h": points[..., 0]}, matrix)["h"]
        assert np.abs(by_place - (points @ matrix)[..., 0]).max() < 1e-15
        for _ in range(4):
            turned = turn(turned, matrix)
        assert_same_bits(turned, state)


@pytest.mark.parametrize("axis", [0, 1, 2], ids="xyz")
def test_a_quarter_turn(run, case, axis):
    """Equal to rounding: a fused multiply-add is not symmetric in the terms of a sum."""
    found, expected = turned_runs(run, case, quarter_turn(axis))
    for name, values in expected.items():
        assert np.abs(found[name] - values).max() < 1e-14 * np.abs(values).max(), name


@without_fma
@pytest.mark.parametrize("axis", [0, 1, 2], ids="xyz")
def test_a_quarter_turn_without_fma(run, case, axis):
    assert_same_bits(*turned_runs(run, case, quarter_turn(axis)))


@without_fma
def test_emulated_cuda_and_cpu_without_fma(run, run_emulated, case):
    expected = final_fields(run.solve(case, "cpu"))
    assert_same_bits(final_fields(run_emulated.solve(case, "cuda", backend="cuda")), expected)
