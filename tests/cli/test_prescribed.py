"""Tracers in flows whose velocity is prescribed in time: what stays, what returns, restarts, and what is refused."""
import numpy as np
import pytest

from checkpoints import checkpoint_at
from program import assert_same_bits, field_files, final_fields, read_csv, read_fields, read_json, write_case

CONFIG = 78
PERIOD = 1036800.0
TRACERS = [{"name": "one", "initial": {"kind": "constant"}},
           {"name": "hills", "initial": {"kind": "gaussian", "lon": 150.0, "apart_lon": 60.0, "radius": 0.4472135955, "amplitude": 0.95}},
           {"name": "bells", "initial": {"kind": "cosine_bell", "lon": 180.0, "lat": 60.0, "apart_lat": -120.0, "radius": 0.5}}]
FLOWS = {"rotation": {"kind": "williamson1"}, **{f"flow {mode}": {"kind": "deformation", "mode": mode} for mode in (1, 2, 3, 4)}}


def prescribed(tmp_path, flow, **sections):
    return write_case(tmp_path / "case.yaml", **{
        "grid": {"n": 16}, "physics": {"model": "prescribed", "depth": 1000.0, "radius": 6371220.0, "axis_lon": 180.0, "axis_lat": 45.0},
        "initial": {**FLOWS[flow], "period": PERIOD}, "tracers": TRACERS, "time": {"end": PERIOD, "courant": 0.5}, **sections}).name


@pytest.mark.parametrize("flow", FLOWS)
def test_what_stays_in_a_prescribed_flow(run, tmp_path, flow):
    out = run.solve(prescribed(tmp_path, flow, diagnostics={"interval": PERIOD / 4}), "out")
    rows, fields = read_csv(out / "diagnostics.csv"), final_fields(out)
    assert np.all(fields["h"] == 1000.0)
    for tracer in TRACERS:
        mass = f"{tracer['name']}_mass"
        assert all(row[mass] == pytest.approx(rows[0][mass], rel=1e-13) for row in rows)
    if flow == "flow 3":  # a density, where the flow has divergence
        assert rows[2]["one_max"] > 1.1 and fields["one"] == pytest.approx(np.ones_like(fields["one"]), abs=0.05)
    else:
        assert fields["one"] == pytest.approx(np.ones_like(fields["one"]), abs=1e-12)


@pytest.mark.parametrize("flow", FLOWS)
def test_tracers_return_with_the_order_of_the_scheme(run, tmp_path, flow):
    errors = []
    for n in (24, 48):
        case = prescribed(tmp_path, flow, grid={"n": n}, output={"interval": PERIOD})
        files = field_files(run.solve(case, f"out{n}"))
        before, after = read_fields(files[0]), read_fields(files[-1])
        errors.append(np.sqrt((before["area"] * (after["hills"] - before["hills"])**2).sum() / (before["area"] * before["hills"]**2).sum()))
        assert after["time"] == PERIOD
    assert errors[1] < 0.2 and np.log2(errors[0] / errors[1]) > 1.5


def test_the_velocity_of_files_is_that_of_their_time(run, tmp_path):
    """Beside the exact one, which converge and the errors read, at a time that is no whole number of steps."""
    case = prescribed(tmp_path, "flow 4", time={"end": 0.37 * PERIOD, "dt": 1700.0}, diagnostics={"sample_interval": 60000.0})
    done = run("run", case, "--output", "out")
    line = next(line for line in done.out.splitlines() if line.startswith("error of u"))
    assert all(float(word.rstrip(",")) < 1e-13 for word in line.split()[4::2])


@pytest.mark.parametrize("precision", ["double", "single"])
def test_a_restart_goes_on_with_the_same_bits(run, tmp_path, precision):
    case = prescribed(tmp_path, "flow 4", scheme={"precision": precision}, time={"end": 0.3 * PERIOD, "dt": 1700.0}, checkpoint={"every": 40, "keep": 9})
    whole = run.solve(case, "whole")
    run.solve(case, "part")
    again = run.solve(case, "again", "--restart", checkpoint_at(tmp_path / "part/checkpoints", 80))
    assert_same_bits(final_fields(again), final_fields(whole))


@pytest.mark.parametrize("limiter", ["monotone", "bounds"])
@pytest.mark.parametrize("order", [2, 4, 6])
def test_a_limiter_keeps_bounds_and_mass(run, tmp_path, order, limiter):
    """Also at a restart; and the errors of a bell are less than without."""
    tracers = [{"name": name, "least": 0.1, "greatest": 1.0,
                "initial": {"kind": kind, "lon": 150.0, "apart_lon": 60.0, "radius": 0.5, "amplitude": 0.9, "background": 0.1}}
               for name, kind in (("bells", "cosine_bell"), ("cylinders", "slotted_cylinder"))]
    case = prescribed(tmp_path, "flow 4", tracers=tracers, grid={"n": 24, "order": order}, time={"end": PERIOD, "courant": 0.3},
                      diagnostics={"interval": PERIOD / 12}, output={"interval": PERIOD}, checkpoint={"interval": PERIOD / 4, "keep": 9})
    free, limited = run.solve(case, "free"), run.solve(case, "limited", "--set", f"scheme.limiter={limiter}")
    rows = read_csv(limited / "diagnostics.csv")
    for name in ("bells", "cylinders"):
        assert all(0.1 - 1e-12 < row[f"{name}_min"] and row[f"{name}_max"] < 1.0 + 1e-12 for row in rows)
        assert all(row[f"{name}_mass"] == pytest.approx(rows[0][f"{name}_mass"], rel=1e-13) for row in rows)
    assert min(row["cylinders_min"] for row in read_csv(free / "diagnostics.csv")) < -0.1
    errors = [np.abs(read_fields(field_files(out)[-1])["bells"] - read_fields(field_files(out)[0])["bells"]).mean() for out in (free, limited)]
    assert errors[1] < errors[0]
    whole = [path for path in (tmp_path / "limited/checkpoints").glob("*.h5")]
    again = run.solve(case, "again", "--restart", sorted(whole)[1], "--set", f"scheme.limiter={limiter}")
    assert_same_bits(final_fields(again), final_fields(limited))


@pytest.mark.parametrize("order", [2, 4, 6])
def test_a_limiter_keeps_bounds_at_a_vertex_of_the_cube(run, tmp_path, order):
    """A cylinder on the vertex, which the fastest flow crosses at the greatest Courant number."""
    tracers = [{"name": "c", "greatest": 1.0, "initial": {"kind": "slotted_cylinder", "lon": 45.0, "lat": 35.26, "radius": 0.5}}]
    physics = {"model": "prescribed", "depth": 1000.0, "radius": 6371220.0, "axis_lon": 45.0, "axis_lat": -54.7356}
    case = prescribed(tmp_path, "rotation", physics=physics, tracers=tracers, grid={"n": 24, "order": order},
                      scheme={"limiter": "bounds"}, time={"end": PERIOD / 3, "courant": 0.3}, diagnostics={"every": 1})
    rows = read_csv(run.solve(case, "out") / "diagnostics.csv")
    assert all(-1e-12 < row["c_min"] and row["c_max"] < 1.0 + 1e-12 for row in rows)


@pytest.mark.parametrize("words, sections", [
    (["physics.model", "prescribed"], {"physics": {"model": "nonlinear"}}),
    (["physics.model", "gaussian"], {"initial": {"kind": "gaussian"}}),
    (["physics.model", "file"], {"initial": {"kind": "file", "path": "none.h5"}}),
    (["initial.mode", "1 to 4"], {"initial": {"kind": "deformation", "mode": 5}}),
    (["forcing.drag.rate"], {"forcing": {"drag": {"rate": 1e-6}}}),
    (["forcing.drag.coefficient"], {"forcing": {"drag": {"coefficient": 1e-3}}}),
    (["scheme.limiter", "divergence"], {"scheme": {"limiter": "bounds"}, "initial": {"kind": "deformation", "mode": 3},
                                         "time": {"end": PERIOD, "courant": 0.3}}),
    (["scheme.limiter", "no tracers"], {"scheme": {"limiter": "bounds"}, "tracers": [], "time": {"end": PERIOD, "courant": 0.3}}),
    (["tracers[0].least", "between 1 and 1"], {"scheme": {"limiter": "bounds"}, "time": {"end": PERIOD, "courant": 0.3}, "tracers": [
        {"name": "one", "least": 2.0, "initial": {"kind": "constant"}}]}),
    (["tracers[0].", "not less"], {"tracers": [{"name": "one", "greatest": 0.0, "initial": {"kind": "constant"}}]}),
    (["scheme.edge_damping"], {"scheme": {"edge_damping": 0.1}}),
    (["time.courant", "unstable"], {"time": {"end": PERIOD, "courant": 1.1}}),
    (["time.courant", "unstable"], {"scheme": {"limiter": "bounds"}, "time": {"end": PERIOD, "courant": 0.31}})], ids=str)
def test_cases_that_are_refused(refuses, tmp_path, words, sections):
    refuses(CONFIG, words, "run", prescribed(tmp_path, "rotation", **sections), "--output", "out")


def test_a_prescribed_flow_is_profiled_and_not_converged(run, refuses, tmp_path):
    case = prescribed(tmp_path, "flow 4", scheme={"limiter": "monotone"}, time={"end": PERIOD, "courant": 0.3})
    out = run.solve(case, "out", "--set", "grid.n=16", "--threads", "1", command="profile")
    stages = {row["name"] for row in read_json(out / "profile.json")["components"]}
    assert {"wind", "tracer", "limiter", "projection"} <= stages and "rhs" not in stages and "rk4" not in stages
    refuses(CONFIG, ["prescribed", "validation/deformation"], "converge", case, "--n", "16,24", "--output", "study")
