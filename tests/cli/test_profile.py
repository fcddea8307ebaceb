"""The cost of components: the files of the command, on both backends. No test depends on the load of the machine."""
import json
import re
import sys
from subprocess import Popen

import pytest

from pipelines import CALLS, FLOW_CALLS, STAGES, stages_of, within
from program import DEFAULT_CASE, read_json


@pytest.mark.parametrize("pipeline, emulated", [("fused", False), ("staged", False), ("fused", True)])
def test_profile_times_every_component(run, run_emulated, case, pipeline, emulated):
    """Each profile has the stages and the steps of both pipelines. On a GPU a loop is also captured, of the case's own pipeline."""
    program, backend = (run_emulated, "cuda") if emulated else (run, "cpu")
    other = next(name for name in CALLS if name != pipeline)
    loops = ["loop", "captured"] if emulated else ["loop"]
    others = ["other step", "other loop"]
    out = program.solve(case(**within(pipeline, DEFAULT_CASE)), "out", "--set", "grid.n=14",
                        command="profile", backend=backend)
    profile = read_json(out / "profile.json")
    rows = {row["name"]: row for row in profile["components"]}
    assert list(rows) == STAGES + ["rhs", "step"] + loops + others
    calls = {name: row["calls_per_step"] for name, row in rows.items()}
    assert calls == {**dict.fromkeys(STAGES, 0), **CALLS[other], **CALLS[pipeline], "rhs": 4,
                     "step": 1, **dict.fromkeys(loops + others, 1)}
    of_step = {name: row["pipeline"] for name, row in rows.items()}
    assert of_step == {**dict.fromkeys(STAGES), **dict.fromkeys(CALLS[other], other),
                       **dict.fromkeys([*CALLS[pipeline], "step", *loops], pipeline), "rhs": "staged",
                       **dict.fromkeys(others, other)}
    for row in rows.values():
        assert 0 < row["low_quartile_us"] <= row["median_us"] <= row["high_quartile_us"]
        assert row["samples"] >= 30 and row["core_wait_share"] >= 0
        loop = rows["loop" if row["pipeline"] == pipeline else "other loop"]
        is_stage = row["name"] in STAGES + ["rhs"] and row["pipeline"] is not None
        assert row["share"] == ratio(row, loop, row["calls_per_step"] if is_stage else None)
    for loop in loops:
        assert profile[f"{loop}_gain"] == ratio(rows["step"], rows[loop])
    assert (profile["backend"], profile["n"], profile["order"]) == (backend, 14, 4)
    assert profile["pipeline"] == pipeline and profile["precision"] == "double"
    table = (out / "profile.md").read_text()
    assert f", {pipeline} steps in double precision;" in table
    assert all(f"| {name:13} | {row['pipeline'] or 'neither':8} |" in table for name, row in rows.items())
    cells = [line.split("|") for line in table.splitlines() if line.count("|") > 6]
    assert not [line for line in cells if {line[3].strip(), line[6].strip()} & {"0", "0.0 %"}]
    unreliable = {line[1].strip() for line in cells if line[6].strip() == "not reliable"}
    assert unreliable == {name for name, row in rows.items() if row["not_reliable_because"]}
    check = check_captured_loop if emulated else check_no_captured_loop
    check(profile, table, rows)


def ratio(row, to, factor=1):
    """Of medians; none of a time that is not reliable."""
    if factor is None or row["not_reliable_because"] or to["not_reliable_because"]:
        return None
    return pytest.approx(factor * row["median_us"] / to["median_us"])


@pytest.fixture
def printed(run, solved):
    """Print the table of a finished profile whose steps take 100 and 160 us in loops, with changes by row."""
    options = ["--set", "grid.n=12", "--set", "scheme.edge_damping=0.1", "--backend", "cpu", "--threads", "1", "--output"]
    solved("CUBESWE", DEFAULT_CASE, "profile", *options, "out")
    record = read_json(run.folder / "out/profile.json")

    def print_again(changes):
        for row in record["components"]:
            us = {"step": 110, "loop": 100, "other step": 165, "other loop": 160, "fused": 40}.get(row["name"], 5)
            row.update(median_us=us, low_quartile_us=0.95 * us, high_quartile_us=1.05 * us)
            row.pop("core_wait_share", None)    # as in files of earlier versions
            row.update(changes.get(row["name"], {}))
        (run.folder / "changed").mkdir(exist_ok=True)
        (run.folder / "changed/profile.json").write_text(json.dumps(record))
        done = run("profile", "case.yaml", *options, "changed")
        assert done.code == 0
        return done.out
    return print_again


def test_reliable_times_have_ratios(printed):
    out = printed({})
    assert "not reliable" not in out.lower() and re.search(r"\| fused +\| fused .* 80\.0 % \|", out)
    assert "1.10 times as fast" in out and "takes 100.0 us, a staged one 160.0 us: fusing saves 38 %" in out


def test_times_that_are_not_reliable_have_none(printed):
    for row, change, reason in [
            ("loop", {"core_wait_share": 0.2}, "threads waited for cores"), ("other loop", {"high_quartile_us": 210}, "quartiles"),
            ("loop", {"low_quartile_us": 70}, "quartiles"), ("fused", {"core_wait_share": 0.06}, "threads waited for cores"),
            ("fused", {"median_us": 52}, "the calls take longer than the step")]:
        out = printed({row: change})
        assert re.search(rf"Not reliable, because {reason}.*: {row}\.\n", out)
        assert "not reliable" in next(line for line in out.splitlines() if line.startswith(f"| {row} "))
        assert ("80.0 %" in out) == (row == "other loop")
        assert ("saves 38 %" in out) == (row == "fused") and ("1.10 times" in out) == (row != "loop")


def test_shares_that_add_up_to_more_than_a_step_are_not_shown(printed):
    """Threads that slept between the calls of one stage make it slow where quartiles agree."""
    out = printed({"damping": {"median_us": 32, "low_quartile_us": 31.6, "high_quartile_us": 32.4}})
    assert re.search(r"Not reliable, because all calls take longer than the step that has them, .*: fused, damping\.\n", out)
    assert "80.0 %" not in out and "saves 38 %" in out


def test_on_a_busy_machine_no_ratio_stands_without_its_word(run, case):
    loops = [Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:
        done = run("profile", case(**DEFAULT_CASE), "--set", "grid.n=12", "--backend", "cpu", "--output", "out")
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    shares = [float(share) for share in re.findall(r" (\d+\.\d) % \| [^|]*$", done.out.split("\n\n")[0], re.MULTILINE)]
    assert done.code == 0 and max(shares, default=0) <= 100
    assert bool(re.search(r"fusing (saves|costs) \d", done.out)) != ("The gain of fusing is not reliable" in done.out)
    record = {row["name"]: row for row in read_json(run.folder / "out/profile.json")["components"]}
    assert all(row["share"] is None for row in record.values() if row["not_reliable_because"])


@pytest.mark.parametrize("pipeline, flow, physics", [
    ("staged", "rotating", {"rotation": 0.5}), ("fused", "nonlinear", {"model": "nonlinear", "rotation": 0.5})])
def test_profile_lists_the_stages_of_its_flow(run, case, pipeline, flow, physics):
    settings = {**DEFAULT_CASE, "physics": {**DEFAULT_CASE.get("physics", {}), **physics}}
    out = run.solve(case(**within(pipeline, settings)), "out", "--set", "grid.n=13", "--threads", "1",
                    command="profile")
    rows = read_json(out / "profile.json")["components"]
    stages = [stage for stage in stages_of(flow) if stage not in ("forcing", "wind", "viscosity")]  # this case has none
    assert [row["name"] for row in rows] == [*stages, "rhs", "step", "loop", "other step", "other loop"]
    calls = {row["name"]: row["calls_per_step"] for row in rows[:-5]}
    staged, fused = FLOW_CALLS[flow]["staged"], FLOW_CALLS[flow]["fused"]
    own, other = (staged, fused) if pipeline == "staged" else (fused, staged)
    assert calls == {**dict.fromkeys(stages, 0), **other, **own}


def check_captured_loop(profile, table, rows):
    assert profile["loop_steps"] % profile["captured_steps"] == 0 < profile["captured_steps"]
    assert (f"CUDA graph of {profile['captured_steps']} steps" in table) == (profile["captured_gain"] is not None)
    # a replay that did no step, or was taken for one step, would be off by more
    assert 0.2 < rows["captured"]["median_us"] / rows["loop"]["median_us"] < 5


def check_no_captured_loop(profile, table, rows):
    assert (profile["captured_steps"], profile["captured_gain"]) == (0, None)
    assert "captured" not in rows and "graph" not in table


def test_profile_uses_n_384_by_default(run, case, refuses):
    assert "n = 384" in run("profile", "--help").out
    refuses(78, ["grid.n"], "profile", case(), "--set", "grid.n=3")
