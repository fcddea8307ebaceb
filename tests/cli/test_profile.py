"""The cost of components: what the command writes, on both backends."""
import pytest

from pipelines import CALLS, FLOW_CALLS, STAGES, stages_of, within
from program import DEFAULT_CASE, read_json


@pytest.mark.parametrize("emulated", [False, True])
def test_profile_times_every_component(run, run_emulated, case, pipeline, emulated):
    program, backend = (run_emulated, "cuda") if emulated else (run, "cpu")
    loops = ["loop", "captured"] if emulated else ["loop"]
    out = program.solve(case(**within(pipeline, DEFAULT_CASE)), "out", "--set", "grid.n=12",
                        command="profile", backend=backend)
    profile = read_json(out / "profile.json")
    rows = {row["name"]: row for row in profile["components"]}
    assert list(rows) == STAGES + ["rhs", "step"] + loops
    calls = {name: row["calls_per_step"] for name, row in rows.items()}
    assert calls == {**dict.fromkeys(STAGES, 0), **CALLS[pipeline], "rhs": 4 * (pipeline == "staged"),
                     "step": 1, **dict.fromkeys(loops, 1)}
    step = rows["step"]["median_us"]
    for row in rows.values():
        assert 0 < row["low_quartile_us"] <= row["median_us"] <= row["high_quartile_us"]
        assert row["samples"] >= 30
        assert row["share"] == pytest.approx(row["calls_per_step"] * row["median_us"] / step)
    for loop in loops:
        assert profile[f"{loop}_gain"] == pytest.approx(step / rows[loop]["median_us"])
    assert (profile["backend"], profile["n"], profile["order"]) == (backend, 12, 4)
    assert profile["pipeline"] == pipeline and profile["precision"] == "double"
    table = (out / "profile.md").read_text()
    assert f", {pipeline} steps in double precision;" in table
    assert all(f"| {name:13} |" in table for name in rows)
    check = check_captured_loop if emulated else check_no_captured_loop
    check(profile, table, rows)


@pytest.mark.parametrize("flow, physics", [
    ("rotating", {"rotation": 0.5}), ("nonlinear", {"model": "nonlinear", "rotation": 0.5})])
def test_profile_lists_the_stages_of_its_flow(run, case, pipeline, flow, physics):
    settings = {**DEFAULT_CASE, "physics": {**DEFAULT_CASE.get("physics", {}), **physics}}
    out = run.solve(case(**within(pipeline, settings)), "out", "--set", "grid.n=12",
                    command="profile")
    rows = read_json(out / "profile.json")["components"]
    assert [row["name"] for row in rows] == stages_of(flow) + ["rhs", "step", "loop"]
    calls = {row["name"]: row["calls_per_step"] for row in rows[:-3]}
    assert calls == {**dict.fromkeys(stages_of(flow), 0), **FLOW_CALLS[flow][pipeline]}


def check_captured_loop(profile, table, rows):
    assert profile["loop_steps"] % profile["captured_steps"] == 0 < profile["captured_steps"]
    assert f"CUDA graph of {profile['captured_steps']} steps" in table
    # a replay that did no step, or was taken for one step, would be off by more
    assert 0.2 < rows["captured"]["median_us"] / rows["loop"]["median_us"] < 5


def check_no_captured_loop(profile, table, rows):
    assert (profile["captured_steps"], profile["captured_gain"]) == (0, None)
    assert "captured" not in rows and "graph" not in table


def test_profile_takes_n_384_unless_told_otherwise(run, case, refuses):
    assert "n = 384" in run("profile", "--help").out
    refuses(78, ["grid.n"], "profile", case(), "--set", "grid.n=3")
