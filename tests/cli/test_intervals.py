"""Intervals of model time: hit exactly, by one time step for the whole run."""
import h5py
import pytest

from checkpoints import assert_same_summary, checkpoints, noise_case, step_of
from program import assert_same_bits, field_files, final_fields, read_csv, read_json

EARTH = {"physics": {"radius": 6371220, "depth": 1000, "gravity": 9.80616}}

# dt is 0.3/12: the longest that divides 0.3, 0.1, 0.25 and time.end, and is not above 0.36/12
CASE = {"grid": {"n": 12}, "time": {"end": 1, "dt_times_n": 0.36}, "output": {"interval": 0.3},
        "diagnostics": {"interval": 0.1}, "checkpoint": {"interval": 0.25, "keep": 9}}


def times(directory):
    """Step and model time of every field file."""
    found = []
    for path in field_files(directory):
        with h5py.File(path) as file:
            found.append((int(path.stem.split("_")[1]), float(file["time"][0])))
    return found


def test_intervals_are_hit_exactly(run, case):
    out = run.solve(case(**CASE), "out")
    assert times(out) == [(0, 0), (12, 0.3), (24, 0.6), (36, 3 * 0.3), (40, 1)]
    rows = [(row["step"], row["time"]) for row in read_csv(out / "diagnostics.csv")]
    assert rows == [(4 * k, k * 0.1) for k in range(11)]
    assert [step_of(path) for path in checkpoints(out / "checkpoints")][:3] == [10, 20, 30]


def test_the_time_step_that_results_is_shown(run, case):
    name = case(**CASE)
    line = "# time step      0.025 s, 40 steps\n"
    out = run.solve(name, "out")
    assert line in (out / "configuration.yaml").read_text()
    assert line in run("info", name, "--backend", "cpu").out
    assert line in run("run", name, "--dry-run", "--backend", "cpu", "--output", "none").out
    assert read_json(out / "summary.json")["dt"] == 0.025


def test_intervals_change_no_bit_for_the_same_step(run, case, tmp_path):
    """Errors and drifts of the summary stay the same, too."""
    pulse = case(time={"end": 0.3, "dt": 0.01}, diagnostics={"sample_interval": 0.1})
    plain = run.solve(pulse, "plain")
    often = run.solve(pulse, "often", "--set", "output.interval=0.1", "--set", "checkpoint.interval=0.15")
    assert times(often) == [(0, 0), (10, 0.1), (20, 0.2), (30, 0.3)]
    assert_same_bits(final_fields(often), final_fields(plain))
    assert_same_summary(often, plain)
    assert (often / "diagnostics.csv").read_bytes() == (plain / "diagnostics.csv").read_bytes()
    noise = noise_case(tmp_path, case)
    assert_same_bits(final_fields(run.solve(noise, "rows", "--set", "diagnostics.interval=0.07")),
                     final_fields(run.solve(noise, "none")))


def test_an_interval_in_place_of_steps(run, case, refuses):
    refuses(78, ["case.yaml:", "output.interval", "output.every"], "run",
            case(output={"every": 2, "interval": 0.1}), "--backend", "cpu")
    out = run.solve(case(output={"every": 2}, time={"end": 1, "dt": 0.02}), "out", "--set",
                    "output.interval=0.5")
    assert times(out) == [(0, 0), (25, 0.5), (50, 1)]


def test_a_step_that_cannot_divide_is_refused_with_the_nearest(run, case, refuses):
    name = case(time={"end": 1, "dt": 0.03}, output={"interval": 0.2})
    refuses(78, ["case.yaml:3: time.dt: ", "output.interval = 0.2 s", "0.028571428571428574"], "run",
            name, "--backend", "cpu")
    out = run.solve(name, "out", "--set", "time.dt=0.028571428571428574")
    assert times(out)[1] == (7, 0.2)


def test_an_interval_that_is_switched_off_leaves_the_other_key(run, case):
    name = case(output={"every": 4})
    assert "every: 4" in run("info", name, "--set", "output.interval=0", "--backend", "cpu").out
    assert "every: 2" in run("info", name, "--set", "output.every=2", "--set", "output.interval=0", "--backend", "cpu").out


def test_a_given_time_step_may_divide_an_interval_into_many(run, case):
    name = case(time={"end": 3.0, "dt": 0.001}, output={"interval": 1.001})
    assert run("info", name, "--backend", "cpu").code == 0


def test_a_given_step_is_used_exactly_and_the_last_is_shorter(run, case):
    name = case(time={"end": 1, "dt": 0.03})
    plain = run.solve(name, "plain")
    often = run.solve(name, "often", "--set", "output.interval=0.3", "--set", "diagnostics.interval=0.15")
    for out in (plain, often):
        assert "  dt: 0.03\n" in (out / "configuration.yaml").read_text()
        assert (read_json(out / "summary.json")["dt"], read_csv(out / "diagnostics.csv")[-1]["time"]) == (0.03, 1)
    assert times(often) == [(0, 0), (10, 0.3), (20, 0.6), (30, 3 * 0.3), (34, 1)]
    assert_same_bits(final_fields(often), final_fields(plain))


@pytest.mark.parametrize("text, seconds", [
    ("5d", "432000"), ("12h", "43200"), ("30min", "1800"), ("90s", "90"), ("1d12h", "129600"), ("0.5d", "43200"),
    ("1-12:00:00", "129600"), ("3:50:00", "13800"), ("100:00:00", "360000"), ("1e3", "1000")])
def test_times_are_read_in_all_their_forms(run, case, text, seconds):
    """Also in a list and in a file; they are written in seconds."""
    name = case(**EARTH)
    done = run("info", name, "--dry-run", "--set", f"time.end={text}", "--set", f"diagnostics.sample_times=[{text}]", "--set",
               f"output.interval={text}")
    assert done.code == 0, done.err
    assert f"  end: {seconds}\n" in done.out and f"  interval: {seconds}\n" in done.out
    assert f"  sample_times: [{seconds}]\n" in done.out
    assert f"  end: {seconds}\n" in run("info", case("own", **{**EARTH, "time": {"end": text}}), "--dry-run").out
    assert run("run", name, "--dry-run", "--max-walltime", text, "--output", "none").code == 0


@pytest.mark.parametrize("text", ["5m", "5 d", "d", "12h1d", "1d1d", "1-24:00:00", "1:60:00", "3:50", "0x5d", "5d 3", "1:00:00d"])
def test_no_time_is_refused(refuses, case, text):
    refuses(78, ["time.end: ", text, "is not a time: seconds, or as 5d, 12h"], "run", case(), "--set", f"time.end='{text}'")
    refuses(64, ["--max-walltime", "expected a time such as"], "run", case(), "--max-walltime", text)
