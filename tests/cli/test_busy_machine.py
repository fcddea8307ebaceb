"""Threads while other programs use the cores: the run uses fewer and reports it, and `top` shows it."""
import json
import os

import pytest

from program import assert_same_bits, final_fields, read_json

# Two threads on one core: in each stage one of them waits while the other computes, a quarter of their time.
ONE_CORE = {"preexec_fn": lambda: os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]),
            "env": {"OMP_WAIT_POLICY": None, "GOMP_SPINCOUNT": None, "OMP_NUM_THREADS": "2"}}

STEPS = {"grid": {"n": 96, "order": 4}, "time": {"end": 0.5, "dt": 0.001}}    # half a second and more


def test_a_run_that_waits_tries_fewer_threads_and_says_so(run, case):
    done = run("run", case(**STEPS), "--backend", "cpu", "--output", "out", **ONE_CORE)
    assert done.code == 0
    notes = [line for line in done.lines if "threads waited for one another" in line]
    assert len(notes) == 1 and "--threads T keeps T" in notes[0]
    # which number the run ends with depends on what else uses the core (unit/test_team.c has the choice)
    assert read_json(run.folder / "out/progress.json")["most_threads"] == 2


def test_a_number_of_threads_that_was_given_stays(run, case):
    done = run("run", case(**STEPS), "--backend", "cpu", "--output", "out", "--threads", "2", **ONE_CORE)
    assert done.code == 0
    assert len([line for line in done.lines if "--threads auto tries fewer" in line]) == 1
    progress = read_json(run.folder / "out/progress.json")
    assert (progress["threads"], progress["most_threads"]) == (2, 2)
    assert progress["waiting"] > 0.0


@pytest.mark.parametrize("waiting, is_reported", [(0.14, False), (0.16, True), (None, False)])
def test_top_reports_waiting_threads(run, case, waiting, is_reported):
    file = run.solve(case(), "out") / "progress.json"
    file.write_text(json.dumps({**read_json(file), "waiting": waiting}))
    assert ("threads wait for one another" in run("top", "out", "--once").out) == is_reported


def test_the_choice_changes_no_bit(run, case):
    chosen = run.solve(case(**STEPS), "chosen", "--threads", "auto", **ONE_CORE)
    assert_same_bits(final_fields(chosen), final_fields(run.solve(case(**STEPS), "one", "--threads", "1")))


@pytest.mark.parametrize("threads", ["1", "auto"])
def test_one_thread_does_not_wait(run, case, threads):
    done = run("run", case(), "--backend", "cpu", "--output", "out", "--threads", threads,
               env={"OMP_NUM_THREADS": "1"})
    assert done.code == 0 and "waited" not in done.err
    assert read_json(run.folder / "out/progress.json")["waiting"] == 0.0
