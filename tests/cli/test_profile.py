"""The cost of components: what the command writes, on both backends."""
import pytest

from program import read_json

STAGES = ["projection", "gradient", "contravariant", "divergence", "sat", "rk4"]


@pytest.mark.parametrize("emulated", [False, True])
def test_profile_times_every_component(run, run_emulated, case, emulated):
    program, backend = (run_emulated, "cuda") if emulated else (run, "cpu")
    out = program.solve(case(), "out", "--set", "grid.n=12", command="profile", backend=backend)
    profile = read_json(out / "profile.json")
    rows = profile["components"]
    assert [row["name"] for row in rows] == STAGES + ["rhs", "step", "loop"]
    assert [row["calls_per_step"] for row in rows] == [8, 4, 4, 4, 4, 4, 4, 1, 1]
    for row in rows:
        assert 0 < row["low_quartile_us"] <= row["median_us"] <= row["high_quartile_us"]
        assert row["samples"] >= 30
    step = rows[STAGES.index("rk4") + 2]
    assert step["share"] == pytest.approx(1)
    assert profile["loop_gain"] == pytest.approx(step["median_us"] / rows[-1]["median_us"])
    assert (profile["backend"], profile["n"], profile["order"]) == (backend, 12, 4)
    table = (out / "profile.md").read_text()
    assert all(f"| {row['name']:13} |" in table for row in rows)


def test_profile_takes_n_384_unless_told_otherwise(run, case, refuses):
    assert "n = 384" in run("profile", "--help").out
    refuses(78, ["grid.n"], "profile", case(), "--set", "grid.n=3")
