"""The cost of components: the files of the command, on both backends."""
import pytest

from pipelines import CALLS, FLOW_CALLS, STAGES, stages_of, within
from program import DEFAULT_CASE, read_json


@pytest.mark.parametrize("emulated", [False, True])
def test_profile_times_every_component(run, run_emulated, case, pipeline, emulated):
    program, backend = (run_emulated, "cuda") if emulated else (run, "cpu")
    other = next(name for name in CALLS if name != pipeline)
    loops = ["loop", "captured"] if emulated else ["loop"]
    others = ["other step", "other loop"]
    out = program.solve(case(**within(pipeline, DEFAULT_CASE)), "out", "--set", "grid.n=12",
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
    step = rows["step"]["median_us"]
    steps = {pipeline: step, other: rows["other step"]["median_us"], None: 1}
    for row in rows.values():
        assert 0 < row["low_quartile_us"] <= row["median_us"] <= row["high_quartile_us"]
        assert row["samples"] >= 30
        assert row["share"] == pytest.approx(row["calls_per_step"] * row["median_us"] / steps[row["pipeline"]])
        assert (row["share"] > 0) == (row["pipeline"] is not None)
    for loop in loops:
        assert profile[f"{loop}_gain"] == pytest.approx(step / rows[loop]["median_us"])
    assert (profile["backend"], profile["n"], profile["order"]) == (backend, 12, 4)
    assert profile["pipeline"] == pipeline and profile["precision"] == "double"
    table = (out / "profile.md").read_text()
    assert f", {pipeline} steps in double precision;" in table
    assert all(f"| {name:13} | {row['pipeline'] or 'neither':8} |" in table for name, row in rows.items())
    cells = [line.split("|") for line in table.splitlines() if line.startswith("| ")]
    assert not [line for line in cells if {line[3].strip(), line[5].strip()} & {"0", "0.0 %"}]
    check = check_captured_loop if emulated else check_no_captured_loop
    check(profile, table, rows)


@pytest.mark.parametrize("flow, physics", [
    ("rotating", {"rotation": 0.5}), ("nonlinear", {"model": "nonlinear", "rotation": 0.5})])
def test_profile_lists_the_stages_of_its_flow(run, case, pipeline, flow, physics):
    settings = {**DEFAULT_CASE, "physics": {**DEFAULT_CASE.get("physics", {}), **physics}}
    out = run.solve(case(**within(pipeline, settings)), "out", "--set", "grid.n=12",
                    command="profile")
    rows = read_json(out / "profile.json")["components"]
    assert [row["name"] for row in rows] == stages_of(flow) + ["rhs", "step", "loop", "other step",
                                                               "other loop"]
    calls = {row["name"]: row["calls_per_step"] for row in rows[:-5]}
    staged, fused = FLOW_CALLS[flow]["staged"], FLOW_CALLS[flow]["fused"]
    own, other = (staged, fused) if pipeline == "staged" else (fused, staged)
    assert calls == {**dict.fromkeys(stages_of(flow), 0), **other, **own}


def check_captured_loop(profile, table, rows):
    assert profile["loop_steps"] % profile["captured_steps"] == 0 < profile["captured_steps"]
    assert f"CUDA graph of {profile['captured_steps']} steps" in table
    # a replay that did no step, or was taken for one step, would be off by more
    assert 0.2 < rows["captured"]["median_us"] / rows["loop"]["median_us"] < 5


def check_no_captured_loop(profile, table, rows):
    assert (profile["captured_steps"], profile["captured_gain"]) == (0, None)
    assert "captured" not in rows and "graph" not in table


def test_profile_uses_n_384_by_default(run, case, refuses):
    assert "n = 384" in run("profile", "--help").out
    refuses(78, ["grid.n"], "profile", case(), "--set", "grid.n=3")
