"""Linear drag, forcing.drag.rate: a standing wave decays as the exact solution says."""
import numpy as np
import pytest

from program import read_csv, read_json, write_case

USAGE, CONFIG = 64, 78
RATE, GRAVITY, DEPTH, RADIUS, DEGREE = 0.5, 9.8, 0.3, 2.5, 2
OMEGA = np.sqrt(GRAVITY * DEPTH * DEGREE * (DEGREE + 1)) / RADIUS
PERIOD = 2 * np.pi / OMEGA


def energy(t):
    """Of h = f(t) Y with f'' + r f' + omega^2 f = 0, f(0) = 1, f'(0) = 0, relative to t = 0: f^2 + (f'/omega)^2."""
    damped = np.sqrt(OMEGA**2 - RATE**2 / 4)
    decay, phase = np.exp(-RATE * t / 2), damped * t
    f = decay * (np.cos(phase) + RATE / (2 * damped) * np.sin(phase))
    slope = -decay * OMEGA**2 / damped * np.sin(phase)
    return f**2 + (slope / OMEGA)**2


def wave(tmp_path, rate=RATE, **sections):
    return write_case(tmp_path / "case.yaml", **{
        "grid": {"n": 24, "order": 4}, "initial": {"kind": "standing_wave", "degree": DEGREE},
        "physics": {"gravity": GRAVITY, "depth": DEPTH, "radius": RADIUS}, "forcing": {"drag": {"rate": rate}},
        "time": {"end": 2 * PERIOD, "dt": PERIOD / 80}, "diagnostics": {"every": 40}, **sections}).name


@pytest.mark.parametrize("pipeline", ["fused", "staged"])
def test_a_standing_wave_loses_energy_as_the_exact_solution(run, tmp_path, pipeline):
    run.solve(wave(tmp_path, scheme={"pipeline": pipeline}), "out")
    rows = read_csv(tmp_path / "out/diagnostics.csv")
    found = np.array([row["energy"] for row in rows]) / rows[0]["energy"]
    expected = energy(np.array([row["time"] for row in rows]))
    assert len(rows) == 5 and 0.02 < expected[-1] < np.exp(-RATE * PERIOD)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5)
    # over half periods of the damped wave, in which both energies turn around, it falls by exp(-r t)
    damped = np.pi / np.sqrt(OMEGA**2 - RATE**2 / 4)
    assert energy(damped) == pytest.approx(np.exp(-RATE * damped), rel=1e-12)


def test_steps_converge_at_order_4(run, tmp_path):
    def end(steps):
        case = wave(tmp_path, time={"end": PERIOD, "dt": PERIOD / steps})
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
    done = run("converge", case, "--n", "12,24", "--output", "study")
    assert "leave forcing.drag.rate out" in done.out + done.err
