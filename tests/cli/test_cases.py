"""The standard cases in config/: errors against exact solutions, and conserved quantities."""
from math import log2
from pathlib import Path

import pytest

from program import read_json

CONFIG = Path(__file__).resolve().parents[2] / "config"


def summary(run, case, *settings, output="out"):
    sets = [word for setting in settings for word in ("--set", setting)]
    return read_json(run.solve(CONFIG / f"{case}.yaml", output, *sets) / "summary.json")


@pytest.mark.parametrize("order, most", [(2, 5e-3), (4, 1e-4), (6, 4e-5)])
def test_a_steady_zonal_flow_stays_what_it_is(run, order, most):
    found = summary(run, "williamson2", "grid.n=24", f"grid.order={order}")
    assert found["reference"] == "exact" and found["errors"]["l2"] < most
    assert found["mass_drift"] < 1e-14 and found["circulation_drift"] < 1e-14
    assert -1e-4 < found["energy_drift"] < 0.0


def test_undamped_it_loses_energy_as_the_fifth_power_of_the_step(run):
    lost = [-summary(run, "williamson6", "grid.n=16", "time.end=86400", "scheme.edge_damping=0",
                     "scheme.dissipation=0", f"time.courant={courant}", output=f"out{courant}")["energy_drift"]
            for courant in (0.25, 0.125)]
    assert 4.5 < log2(lost[0] / lost[1]) < 5.5


def test_water_over_a_mountain_rests(run):
    found = summary(run, "lake_at_rest", "grid.n=24")
    wave_speed = 170.0
    assert found["errors"]["velocity_linf_abs"] < 1e-12 * wave_speed


@pytest.mark.parametrize("case, rate", [("laeuter", 3.0), ("linear_geostrophic", 2.5), ("hough", 2.5)])
def test_errors_fall_as_the_order_says(run, case, rate):
    coarse, fine = (summary(run, case, f"grid.n={n}", "time.end=86400", output=f"out{n}")["errors"]["l2"]
                    for n in (13, 26))
    assert coarse / fine > 2.0 ** rate
