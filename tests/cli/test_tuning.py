"""CUBESWE_TUNING: knobs that change times and no result, and the defaults of a GPU backend."""
import re

import pytest

from program import assert_same_bits, final_fields, read_json, write_case

CONFIG = 78


def tuned(**knobs):
    return {"CUBESWE_TUNING": ",".join(f"{name}={value}" for name, value in knobs.items())}


@pytest.mark.parametrize("text, words", [
    ("speed=1", ["'speed' is not a knob", "graph_steps"]), ("graph_steps", ["graph_steps", "is not a number"]),
    ("graph_steps=", ["is not a number"]), ("graph_steps=2x", ["'2x' is not a number from 0 to 1024"]),
    ("graph_steps=00000000000000000002x", ["is not a number"]),
    ("graph_steps=3", ["3 is odd"]), ("march_blocks=33", ["from 0 to 32"]),
    ("graph_steps=2,,march_blocks=0", ["'' is not a knob"]), ("graph_steps=99999999999999999999999", ["is not a number"])])
def test_a_knob_that_is_wrong_is_refused(run, text, words):
    done = run("info", env={"CUBESWE_TUNING": text})
    assert done.code == CONFIG and len(done.lines) == 1
    for word in ["CUBESWE_TUNING", *words]:
        assert word in done.err


def test_info_has_the_knobs_that_are_set(run):
    assert "tuning" not in run("info", env={"CUBESWE_TUNING": None}).out
    assert re.search(r"^tuning     march_blocks=0,graph_steps=32$",
                     run("info", env={"CUBESWE_TUNING": "graph_steps=32,march_blocks=0"}).out, re.MULTILINE)


def replays(done):
    return len(re.findall("a graph is launched", done.err, re.MULTILINE))


@pytest.mark.parametrize("knobs, fewest, most", [
    ({}, 1, 3), ({"graph_steps": 2}, 3, 10), ({"graph_steps": 0}, 0, 0), ({"march_blocks": 1}, 1, 3)])
def test_knobs_change_no_bit(run_emulated, tmp_path, knobs, fewest, most):
    """21 steps: one alone, the others by graphs of the knob's number of steps and of two; the clock decides the
    strides.
    """
    case = write_case(tmp_path / "case.yaml", grid={"n": 40}, time={"end": 0.0021, "dt": 0.0001}).name
    plain = run_emulated.solve(case, "plain", backend="cuda")
    out = run_emulated("run", case, "--backend", "cuda", "--quiet", "--output", "tuned",
                       env={**tuned(**knobs), "CUDA_EMULATION_TELL_REPLAYS": "1"})
    assert out.code == 0, out.err
    assert fewest <= replays(out) <= most, out.err
    assert_same_bits(final_fields(tmp_path / "tuned"), final_fields(plain))


def test_a_bench_says_by_which_knobs(run_emulated, tmp_path):
    case = write_case(tmp_path / "case.yaml").name
    done = run_emulated("bench", case, "--n", "9", "--backend", "cuda", "--quiet", "--output", "out",
                        env=tuned(graph_steps=2))
    assert done.code == 0, done.err
    assert read_json(tmp_path / "out" / "bench.json")["command"].startswith("CUBESWE_TUNING=graph_steps=2 cubeswe bench")


def test_pinned_memory_that_is_refused_is_pageable_memory_with_a_note(run_emulated, tmp_path):
    case = write_case(tmp_path / "case.yaml").name
    plain = run_emulated.solve(case, "plain", backend="cuda")
    done = run_emulated("run", case, "--backend", "cuda", "--quiet", "--output", "out",
                        env={"CUDA_EMULATION_PINNED": "1000"})
    assert done.code == 0 and len(done.lines) == 1
    assert done.err.startswith("cubeswe: warning: CUDA: no pinned host memory (") and "out of memory" in done.err
    assert_same_bits(final_fields(tmp_path / "out"), final_fields(plain))


# ---- what backend auto finds ------------------------------------------------------------------------


def test_auto_uses_the_first_gpu_that_works(run_emulated, tmp_path):
    """Each call that opens the first of two devices fails in turn."""
    case = write_case(tmp_path / "case.yaml").name
    backends = set()
    for place in range(1, 12):
        done = run_emulated("run", case, "--quiet", "--output", f"out{place}",
                            env={"CUDA_EMULATION_DEVICES": "2", "CUDA_EMULATION_FAIL_AT": str(place),
                                 "CUDA_EMULATION_FAIL_WITH": "209"})
        if done.code == 0:
            found = read_json(tmp_path / f"out{place}" / "summary.json")["backend"]
            backends.add(found)
            assert (found == "cpu") == ("the CPU computes" in done.err)
            assert len(done.lines) == (found == "cpu"), done.err
    assert "cuda" in backends


def test_auto_that_finds_no_gpu_warns_once_with_the_reason(run_emulated, tmp_path):
    case = write_case(tmp_path / "case.yaml").name
    done = run_emulated("run", case, "--quiet", "--output", "out", env={"CUDA_EMULATION_DEVICES": "0"})
    assert done.code == 0 and len(done.lines) == 1
    assert done.err.startswith("cubeswe: warning: backend auto: no GPU works, the CPU computes (CUDA: no CUDA-capable")
