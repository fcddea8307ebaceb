"""Drag and viscosity: a standing wave decays as the exact solution says, a tracer becomes uniform, steps keep their order and
are stable up to their limit."""
import re

import numpy as np
import pytest

from program import read_csv, read_json, write_case

CONFIG = 78
RATE, GRAVITY, DEPTH, RADIUS, DEGREE = 0.5, 9.8, 0.3, 2.5, 2
OMEGA = np.sqrt(GRAVITY * DEPTH * DEGREE * (DEGREE + 1)) / RADIUS
PERIOD = 2 * np.pi / OMEGA


def energy(t, rate=RATE):
    """Of h = f(t) Y with f'' + r f' + omega^2 f = 0, f(0) = 1, f'(0) = 0, relative to t = 0: f^2 + (f'/omega)^2."""
    damped = np.sqrt(OMEGA**2 - rate**2 / 4)
    decay, phase = np.exp(-rate * t / 2), damped * t
    f = decay * (np.cos(phase) + rate / (2 * damped) * np.sin(phase))
    slope = -decay * OMEGA**2 / damped * np.sin(phase)
    return f**2 + (slope / OMEGA)**2


SQUARE = DEGREE * (DEGREE + 1) / RADIUS**2  # the Laplacian of the wave's velocity is -SQUARE times it


def wave(tmp_path, rate=RATE, term="drag", **sections):
    """Both terms slow the wave at the rate."""
    forcing = {"rate": rate} if term == "drag" else {"coefficient": rate / SQUARE**(term // 2), "order": term}
    return write_case(tmp_path / "case.yaml", **{
        "grid": {"n": 24, "order": 4}, "initial": {"kind": "standing_wave", "degree": DEGREE},
        "physics": {"gravity": GRAVITY, "depth": DEPTH, "radius": RADIUS},
        "forcing": {"drag" if term == "drag" else "viscosity": forcing},
        "time": {"end": 2 * PERIOD, "dt": PERIOD / 80}, "diagnostics": {"every": 40}, **sections}).name


@pytest.mark.parametrize("pipeline", ["fused", "staged"])
@pytest.mark.parametrize("term, rate, n, steps, error", [
    ("drag", RATE, 24, 80, 2e-5), (2, RATE, 24, 880, 2e-5), (4, RATE / 10, 9, 2200, 1e-3)])
def test_a_standing_wave_loses_energy_as_the_exact_solution(run, tmp_path, pipeline, term, rate, n, steps, error):
    run.solve(wave(tmp_path, rate, term, scheme={"pipeline": pipeline}, grid={"n": n, "order": 4},
                   time={"end": 2 * PERIOD, "dt": PERIOD / steps}, diagnostics={"every": steps // 2}), "out")
    rows = read_csv(tmp_path / "out/diagnostics.csv")
    found = np.array([row["energy"] for row in rows]) / rows[0]["energy"]
    expected = energy(np.array([row["time"] for row in rows]), rate)
    assert len(rows) == 5 and np.exp(-2 * rate * PERIOD) / 2 < expected[-1] < np.exp(-rate * PERIOD)
    np.testing.assert_allclose(found, expected, rtol=0, atol=error)
    # over half periods of the damped wave, in which both energies turn around, it falls by exp(-r t)
    damped = np.pi / np.sqrt(OMEGA**2 - rate**2 / 4)
    assert energy(damped, rate) == pytest.approx(np.exp(-rate * damped), rel=1e-12)


@pytest.mark.parametrize("pipeline", ["fused", "staged"])
def test_with_viscosity_of_h_a_standing_wave_keeps_its_frequency(run, tmp_path, pipeline):
    """Its amplitude falls as exp(-r t), so its energy, which no exchange between h and v changes, as the square."""
    case = wave(tmp_path, RATE, 2, scheme={"pipeline": pipeline}, time={"end": PERIOD, "dt": PERIOD / 880}, diagnostics={"every": 110})
    rows = read_csv(run.solve(case, "out", "--set", "forcing.viscosity.h=yes") / "diagnostics.csv")
    np.testing.assert_allclose([row["energy"] / rows[0]["energy"] for row in rows],
                               [np.exp(-2 * RATE * row["time"]) for row in rows], rtol=0, atol=2e-5)
    assert [row["mass"] for row in rows] == pytest.approx([rows[0]["mass"]] * 9, abs=1e-13)


@pytest.mark.parametrize("of", ["h=no", "h=yes"])
def test_the_longest_step_with_viscosity_is_stable(run, tmp_path, of):
    """Where waves and viscosity alone would each allow the same step."""
    case = wave(tmp_path, 0.0, 2, initial={"kind": "gaussian"}, time={"end": 20, "courant": 9}, diagnostics={"every": 20})
    with_both, key = ["--set", f"forcing.viscosity.{of}"], "forcing.viscosity.coefficient"

    def allowed(coefficient):
        done = run("run", case, "--output", "out", *with_both, "--set", f"{key}={coefficient}")
        return float(re.search(r"allows ([\d.]+)", done.err)[1])
    waves, of_both = allowed(1e-30), allowed(1.0)
    equal = (1 / waves) / (1 / of_both - 1 / waves)  # the limit of viscosity goes by the coefficient's reciprocal
    assert allowed(equal) == pytest.approx(waves / 2, rel=0.01)
    out = run.solve(case, "out", *with_both, "--set", f"{key}={equal}", "--set", f"time.courant={0.999 * waves / 2}")
    energy = [row["energy"] for row in read_csv(out / "diagnostics.csv")]
    assert len(energy) > 10 and all(b < a for a, b in zip(energy, energy[1:]))


def test_viscosity_mixes_tracers(run, tmp_path):
    """A cylinder of concentration 1 becomes flat and keeps its mass; without viscosity it stays."""
    case = write_case(tmp_path / "case.yaml", **{
        "grid": {"n": 10, "order": 4}, "initial": {"kind": "gaussian", "amplitude": 0.0}, "physics": {"model": "nonlinear", "gravity": GRAVITY, "depth": DEPTH, "radius": RADIUS, "rotation": 0.7},
        "forcing": {"viscosity": {"coefficient": 0.5, "tracers": "yes"}}, "scheme": {"dissipation": 0.0, "edge_damping": 0.0},
        "tracers": [{"name": "dye", "initial": {"kind": "cosine_bell", "lon": 40, "lat": 30, "radius": 0.6}}],
        "time": {"end": 40.0, "dt": 0.01}, "diagnostics": {"every": 400}}).name
    rows = read_csv(run.solve(case, "out") / "diagnostics.csv")
    last = rows[-1]
    assert rows[0]["dye_max"] > 0.9 and last["dye_max"] - last["dye_min"] < 1e-3
    assert last["dye_mass"] == pytest.approx(rows[0]["dye_mass"], rel=1e-12)


@pytest.mark.parametrize("words, key", [
    (["forcing.viscosity.h", "coefficient"], "h=yes"), (["forcing.viscosity.tracers", "coefficient"], "tracers=yes"),
    (["forcing.viscosity.tracers", "no tracers"], "coefficient=1e-4 tracers=yes")], ids=str)
def test_what_viscosity_of_scalars_needs(refuses, tmp_path, words, key):
    keys = [word for part in key.split() for word in ("--set", f"forcing.viscosity.{part}")]
    refuses(CONFIG, words, "run", wave(tmp_path), "--output", "out", *keys)


@pytest.mark.parametrize("term, grid", [("drag", {"n": 24, "order": 4}), (2, {"n": 8, "order": 2})])
def test_steps_converge_at_order_4(run, tmp_path, term, grid):
    def end(steps):
        case = wave(tmp_path, term=term, grid=grid, time={"end": PERIOD, "dt": PERIOD / steps})
        run.solve(case, f"out{steps}")
        return read_csv(tmp_path / f"out{steps}/diagnostics.csv")[-1]["energy"]
    coarse, fine, exact = end(80), end(160), end(960)
    assert np.log2(abs(coarse - exact) / abs(fine - exact)) == pytest.approx(4, abs=0.2)


def test_cuda_steps_have_drag(run, run_emulated, tmp_path):
    case = wave(tmp_path, time={"end": PERIOD / 8, "dt": PERIOD / 80})
    run.solve(case, "cpu")
    run_emulated.solve(case, "cuda", backend="cuda")
    cpu, cuda = (read_csv(tmp_path / folder / "diagnostics.csv")[-1]["energy"] for folder in ("cpu", "cuda"))
    assert cuda == pytest.approx(cpu, rel=1e-13)


def test_a_run_goes_on_with_its_drag_alone(run, tmp_path):
    """An earlier configuration, without the key, has no drag."""
    half = {"end": PERIOD, "dt": PERIOD / 80}
    run.solve(wave(tmp_path), "whole")
    run.solve(wave(tmp_path, time=half), "parts")
    assert run("run", wave(tmp_path), "--restart", "parts", "--output", "parts", "--quiet").code == 0
    whole, parts = (read_json(tmp_path / folder / "summary.json") for folder in ("whole", "parts"))
    assert whole["energy_drift"] == parts["energy_drift"]
    done = run("run", wave(tmp_path, rate=0.0), "--restart", "parts", "--output", "parts", "--quiet")
    assert done.code == CONFIG and "forcing.drag.rate" in done.err


def test_what_drag_excludes(run, tmp_path, refuses):
    done = run("run", wave(tmp_path), "--output", "out", "--quiet")
    assert done.code == 0 and "l2" not in read_json(tmp_path / "out/summary.json")
    case = wave(tmp_path)
    refuses(CONFIG, ["scheme.time", "leapfrog4"], "run", case, "--set", "scheme.time=leapfrog4")
    refuses(CONFIG, ["forcing.drag.rate", "-1"], "run", case, "--set", "forcing.drag.rate=-1")
    refuses(CONFIG, ["unstable", "Courant"], "run", case, "--set", "forcing.drag.rate=100")
    refuses(CONFIG, ["unstable", "with its other terms"], "run", case, "--set", "forcing.viscosity.coefficient=1")
    refuses(CONFIG, ["forcing.viscosity.order", "3 is not 2 or 4"], "run", case, "--set", "forcing.viscosity.order=3")
    done = run("converge", case, "--n", "12,24", "--output", "study")
    assert "leave section forcing out" in done.out + done.err
