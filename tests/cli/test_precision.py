"""`scheme.precision`: a run in single precision on both backends, and the files that report it."""
import json

import numpy
import pytest

from program import final_fields, read_json

CASE = {"grid": {"n": 16, "order": 4}, "time": {"end": 0.1, "dt": 0.0025},
        "initial": {"kind": "gaussian", "lon": 20.0, "lat": 40.0, "amplitude": 0.01}}
SINGLE = ["--set", "scheme.precision=single"]
WIDE = {"norms", "integrals"}  # double in both precisions


def fields_of(program, case, folder, backend, *arguments):
    return final_fields(program.solve(case(**CASE), folder, *arguments, backend=backend))


@pytest.mark.parametrize("pipeline", ["fused", "staged"])
def test_a_run_is_close_to_that_in_double_precision(run, run_emulated, case, pipeline):
    chosen = ["--set", f"scheme.pipeline={pipeline}"]
    double = fields_of(run, case, "double", "cpu", *chosen)
    for program, backend in ((run, "cpu"), (run_emulated, "cuda")):
        single = fields_of(program, case, backend, backend, *chosen, *SINGLE)
        assert single.keys() == double.keys()
        for name, expected in double.items():
            assert single[name].dtype == expected.dtype
            difference = numpy.abs(single[name] - expected).max()
            if name in ("h", "u", "v", "v1", "v2"):
                assert 0 < difference < 1e-5 * numpy.abs(expected).max()
            else:
                assert difference == 0  # the grid and the time


def test_a_large_state_is_that_of_the_stages(run, case):
    """The state exceeds the caches (from n = 208 on, solver/README.md); any number of threads gives the same."""
    large = {**CASE, "grid": {"n": 208, "order": 6}, "time": {"end": 0.03, "dt": 0.002}}
    swept = [final_fields(run.solve(case(**large), f"fused_{threads}", "--threads", str(threads), *SINGLE))
             for threads in (1, 2, 3)]
    staged = final_fields(run.solve(case(**large), "staged", "--set", "scheme.pipeline=staged", *SINGLE))
    for name, expected in staged.items():
        assert all((other[name] == swept[0][name]).all() for other in swept[1:])
        if name in ("h", "u", "v", "v1", "v2"):
            difference = numpy.abs(swept[0][name] - expected).max()
            assert 0 < difference < 1e-5 * numpy.abs(expected).max()


def test_results_and_profiles_record_the_precision(run, case):
    out = run.solve(case(**CASE), "out", "--profile=summary", "--set", "profile.start_step=2", *SINGLE)
    assert "precision: single" in (out / "configuration.yaml").read_text()
    window = read_json(out / "profile" / "step_00000002" / "summary.json")
    assert (window["run"]["precision"], window["run"]["pipeline"]) == ("single", "fused")
    answers = run("report", str(out)).out
    assert "FP32 throughout" in answers and "FP64 throughout" not in answers


def bytes_of(row, wide):
    """Bytes that a stage moves of arrays that are double in both precisions, or of all others."""
    return sum(buffer["bytes"] for buffer in row["buffers"] if (buffer["name"] in WIDE) == wide)


def test_static_costs_are_of_half_the_bytes(run, case):
    name = case(**CASE)
    costs = {}
    for precision, form in (("double", "fp64"), ("single", "fp32")):
        done = run("info", "--kernels", "--json", name, "--set", f"scheme.precision={precision}")
        costs[precision] = json.loads(done.out)
        assert costs[precision]["precision"] == form
        printed = run("info", "--kernels", "--json", name, "--precision", precision)
        assert json.loads(printed.out) == costs[precision]
    of_flow = [costs[precision]["flows"]["non-rotating"]["stages"] for precision in ("double", "single")]
    for double, single in zip(*of_flow):
        assert bytes_of(single, False) == bytes_of(double, False) / 2 > 0
        assert bytes_of(single, True) == bytes_of(double, True)
        assert (bytes_of(single, True) > 0) == (single["stage"] == "integrals")
        assert single["flops"] == double["flops"]


def test_a_bench_measures_both(run, case):
    out = run.solve(case(**CASE), "out", "--n", "9,16", "--precision", "double,single", command="bench")
    bench = read_json(out / "bench.json")
    assert [(row["precision"], row["n"]) for row in bench["rows"]] == [
        ("double", 9), ("double", 16), ("single", 9), ("single", 16)]
    for double, single in zip(bench["rows"][:2], bench["rows"][2:]):
        assert single["bytes_per_step"] == double["bytes_per_step"] / 2
        wide = 8 * (2 * double["n"] + 1 + 102 * (double["n"] + 1))
        assert single["memory_bytes"] - wide == (double["memory_bytes"] - wide) / 2 > 0
        assert single["words"] == pytest.approx(double["words"])
    peaks = {"double": "fp64_flops_per_s", "single": "fp32_flops_per_s"}
    for row in bench["rows"]:
        peak = bench["ceilings"][peaks[row["precision"]]]
        if row["not_reliable_because"] is bench["ceilings"]["not_reliable_because"] is None:
            assert row["flops_share"] == pytest.approx(row["flops_per_s"] / peak)


def test_other_precisions_are_refused(case, refuses):
    name = case(**CASE)
    refuses(78, ["scheme.precision", "double|single"], "run", name, "--set", "scheme.precision=half")
    refuses(64, ["--precision", "half"], "bench", name, "--precision", "half")
    refuses(64, ["one --precision"], "info", "--kernels", "--precision", "double,single")
    refuses(64, ["--precision", "--kernels"], "info", "--precision", "single")
