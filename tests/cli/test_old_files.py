"""Files of commit 4e9fa98 (files_4e9fa98/README.md) still restart, convert, report and compare; its cases run."""
import re
import tarfile
from pathlib import Path

import h5py
import numpy as np
import pytest

from checkpoints import checkpoints, step_of
from program import assert_same_bits, contents, drawn_by, final_fields, read_csv, read_fields, read_json

CANNOT_CREATE, CONFIG = 73, 78
ARCHIVE = Path(__file__).parent / "files_4e9fa98/files.tar.xz"
ROUNDING = {"double": 1e-12, "single": 1e-5}

OFTEN = ["--set", "diagnostics.every=1", "--set", "checkpoint.every=8"]
LINEAR = ["config/gaussian_generic.yaml", "--set", "grid.n=12", "--set", "time.end=0.5"]
NONLINEAR = ["config/williamson5.yaml", "--set", "grid.n=12", "--set", "grid.closure=equispaced", "--set", "time.end=25200"]
FIELDS = ["--set", "output.fields=[h,wind,native,vorticity,divergence,surface]"]
NATIVE = ["--set", "output.fields=[native]"]
HEIGHT = ["--set", "output.fields=[h,native]"]
STAGED = ["--set", "scheme.pipeline=staged"]
SINGLE = ["--set", "scheme.precision=single"]
FILE = ["file.yaml", "--set", "grid.n=12", "--set", "grid.closure=equispaced", "--set", "time.end=0.5"]
# A run in the archive, by its folder: what follows `cubeswe run`.
RUNS = {"linear_fused": LINEAR + OFTEN + HEIGHT, "linear_staged": LINEAR + OFTEN + HEIGHT + STAGED,
        "nonlinear_fused": NONLINEAR + OFTEN + FIELDS, "nonlinear_staged": NONLINEAR + OFTEN + FIELDS + STAGED,
        "single": LINEAR + OFTEN + NATIVE + SINGLE, "from_file": FILE + OFTEN + NATIVE}
NOTES = [f"cubeswe: note: the {kind} {former} is now named {current}" for kind, former, current in
         [("stage", "join", "flux_projection"), ("stage", "budgets", "integrals"), ("array", "margin", "edge_vorticity"),
          ("array", "budgets", "integrals"), ("closure", "default", "equispaced")]]
CASES = sorted(name for name in tarfile.open(ARCHIVE).getnames() if name.startswith("config/"))


@pytest.fixture(autouse=True, name="old")
def fixture_old(tmp_path):
    """The files, in the folder in which the program runs."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path)
    # keys of a pulse, which a file does not read, are refused today
    case = (tmp_path / "config/gaussian_generic.yaml").read_text()
    initial = "initial: {kind: file, path: linear_fused/fields_00000018.nc}"
    (tmp_path / "file.yaml").write_text(re.sub("^initial:.*", initial, case, flags=re.MULTILINE))
    return tmp_path


def assert_close(found, expected, limit):
    for name, values in expected.items():
        assert np.abs(found[name] - values).max() <= limit * np.abs(values).max(), name


def same_bits(found, expected):
    return all(found[name].tobytes() == values.tobytes() for name, values in expected.items())


# ---- runs ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", RUNS)
def test_a_restart_ends_where_the_earlier_program_did(run, old, name):
    """In the same bits where today's program has them from the start, else to rounding: compilers and
    instruction sets contract multiplications and additions differently."""
    case, *arguments = RUNS[name]
    expected = final_fields(old / name)
    plain = final_fields(run.solve(case, "plain", *arguments))
    first = checkpoints(old / name / "checkpoints")[0]
    again = run.solve(case, "again", *arguments, "--restart", first, "--strict")
    assert read_json(again / "summary.json")["restarted_at"] == step_of(first) == 8
    if same_bits(plain, expected):
        assert_same_bits(final_fields(again), plain)
    assert_close(final_fields(again), expected, ROUNDING["single" if name == "single" else "double"])
    rows = [row for row in read_csv(old / name / "diagnostics.csv") if row["step"] > 8]
    for found, row in zip(read_csv(again / "diagnostics.csv"), rows, strict=True):
        assert found["step"] == row["step"]
        assert [found[key] for key in row] == pytest.approx(list(row.values()), rel=1e-6, abs=1e-5, nan_ok=True)


@pytest.mark.parametrize("restart", ["stopped", "auto"])
def test_a_stopped_run_goes_on_in_its_folder(run, old, restart):
    case, *arguments = RUNS["nonlinear_fused"]
    assert not list((old / "stopped").glob("fields_*"))
    before = (old / "stopped/diagnostics.csv").read_text()
    out = run.solve(case, "stopped", *arguments, *NATIVE, "--restart", restart, "--strict")
    whole = final_fields(old / "nonlinear_fused")
    assert_close(final_fields(out), {name: whole[name] for name in ["v1", "v2"]}, 1e-12)
    assert (out / "diagnostics.csv").read_text().startswith(before)
    assert [row["step"] for row in read_csv(out / "diagnostics.csv")] == \
        [row["step"] for row in read_csv(old / "nonlinear_fused/diagnostics.csv")]


def test_a_default_of_the_earlier_program_is_the_number_of_today(run, old, refuses):
    """Its configurations have -1."""
    case, *arguments = RUNS["nonlinear_fused"]
    restart = ["run", case, *arguments, "--restart", "nonlinear_fused", "--dry-run", "--output", "out", "--backend", "cpu"]
    assert "dissipation: -1\n" in (old / "nonlinear_fused/configuration.yaml").read_text()
    assert run(*restart, "--set", "scheme.dissipation=0.5").code == 0
    refuses(CONFIG, ["scheme.dissipation is 0.5 there and 0.2 here"], *restart, "--set", "scheme.dissipation=0.2")


@pytest.mark.parametrize("name", sorted(RUNS.keys() - {"from_file"}))
def test_resolved_configurations_are_cases(run, old, name):
    out = run.solve(f"{name}/configuration.yaml", "out", "--restart", name)
    assert read_json(out / "summary.json")["restarted_at"] == 16


def test_a_key_that_nothing_reads_is_named(refuses, old):
    """The earlier program ignored keys of another kind and wrote them into its resolved configuration."""
    refuses(CONFIG, ["configuration.yaml:", "initial.lon: kind 'file' does not read this key"], "run",
            "from_file/configuration.yaml", "--restart", "from_file", "--output", "out")


@pytest.mark.parametrize("path", CASES)
def test_ready_cases_step(run, path):
    out = run.solve(path, "out", "--set", "grid.n=13", "--set", "time.end=0.01")
    assert read_json(out / "summary.json")["steps"] == 1
    assert all(np.isfinite(values).all() for values in final_fields(out).values())


def test_fields_are_initial_states(run, old):
    """The staggered fields to the bit, as the first file of the run has them."""
    out = run.solve(NONLINEAR[0], "out", *NONLINEAR[1:], "--set", "output.every=1", *NATIVE, "--set",
                    "initial.kind=file", "--set", "initial.path=../nonlinear_fused/fields_00000019.nc")
    found, expected = read_fields(out / "fields_00000000.nc"), final_fields(old / "nonlinear_fused")
    for name in ["v1", "v2"]:
        assert found[name].tobytes() == expected[name].tobytes()


def test_top_shows_runs(run):
    for name in ["nonlinear_fused", "stopped"]:
        done = run("top", name, "--once")
        assert done.code == 0 and done.err == "", done.err
    done = run("top", "profile_fused", "--once")
    assert done.code == 0 and "flux_projection" in done.out and "join" not in done.out


# ---- fields --------------------------------------------------------------------------------------

@pytest.mark.parametrize("to, arguments", [("latlon", ["--lon", "24", "--lat", "12"]), ("ugrid", [])])
def test_fields_are_converted_as_before(run, old, to, arguments):
    field = "nonlinear_fused/fields_00000019.nc"
    done = run("convert", field, "--to", to, *arguments, "--output", "converted.nc", "--quiet")
    assert (done.code, done.err) == (0, "")
    with h5py.File(old / "converted.nc") as now, h5py.File(old / f"{to}.nc") as before:
        assert before.keys() <= now.keys()
        for name in before:
            if before[name].dtype.kind == "f" and before[name].size > 0:
                scale = np.abs(before[name][()]).max()
                assert np.abs(now[name][()] - before[name][()]).max() <= 1e-13 * scale, name


def test_fields_are_converted_for_vtk(run, old):
    done = run("convert", "nonlinear_fused/fields_00000019.nc", "--to", "vtu", "--output", "out.vtu", "--quiet")
    assert (done.code, done.err) == (0, "") and (old / "out.vtu").stat().st_size > 0


# ---- profiles ------------------------------------------------------------------------------------

@pytest.mark.parametrize("pipeline, stages", [
    ("fused", {"transport", "flux_projection", "momentum"}), ("staged", {"gradient", "sat", "rk4"})])
def test_profiles_are_reported_with_todays_names(run, old, pipeline, stages):
    done = run("report", f"profile_{pipeline}", "--output", "report.html")
    assert done.code == 0 and not {"join", "budgets", "margin"} & set(done.out.split()), done.out
    assert sorted(done.lines) == sorted(note for note in NOTES if pipeline == "fused" or "margin" not in note)
    report = drawn_by(old / "report.html")
    text = str(report)
    assert all(f"'{name}'" in text for name in stages)
    assert not [name for name in ["join", "budgets", "margin"] if f"'{name}'" in text]


def test_a_profile_is_compared_with_todays(run, old):
    new = run.solve(NONLINEAR[0], "new", *NONLINEAR[1:], "--set", "time.end=129600", "--set", "diagnostics.every=5",
                    *NATIVE, "--threads", "2", "--profile=summary", "--set", "profile.duration=4",
                    "--set", "profile.interval=8")
    assert len(list((new / "profile").iterdir())) == len(list((old / "windows/profile").iterdir()))
    done = run("compare", "windows", "new")
    assert done.code == 0 and sorted(done.lines) == sorted(NOTES), done.err
    for pair in [("windows", "new"), ("new", "windows"), ("windows", "windows"), ("new", "new")]:
        done = run("compare", *pair, "--json")
        assert done.code == 0 and sorted(done.lines) == ([] if pair == ("new", "new") else sorted(NOTES))
        assert '"flux_projection"' in done.out
        assert '"join"' not in done.out and '"budgets"' not in done.out


def test_components_are_compared_with_todays(run):
    run.solve(NONLINEAR[0], "new", *NONLINEAR[1:], "--threads", "1", command="profile")
    done = run("compare", "components", "new", "--json")
    assert done.code == 0 and set(done.lines) <= set(NOTES[:2]) and NOTES[0] in done.lines
    assert '"flux_projection"' in done.out and '"join"' not in done.out


# ---- studies -------------------------------------------------------------------------------------

@pytest.mark.parametrize("command, folder, case, arguments", [
    ("converge", "convergence", LINEAR, ["--n", "12,16", "--order", "2,4"]),
    ("bench", "bench", LINEAR, ["--n", "12,16", "--pipeline", "fused,staged"]),
    ("profile", "components", NONLINEAR, [])])
def test_rows_of_another_program_are_not_mixed_with_todays(run, old, command, folder, case, arguments):
    """They are refused with the fact that differs, as rows of every other build."""
    before = contents(old / folder)
    arguments = [*case[1:], *arguments, "--threads", "1"]
    done = run(command, case[0], *arguments, "--backend", "cpu", "--output", folder, "--quiet")
    assert done.code == CANNOT_CREATE and len(done.lines) == 1, done.err
    assert "holds rows of another study: build is " in done.err and "--overwrite replaces them" in done.err
    assert contents(old / folder) == before


def test_rows_of_another_program_are_replaced_on_request(run, old):
    before = contents(old / "convergence")
    run.solve(LINEAR[0], "convergence", *LINEAR[1:], "--n", "12,16", "--overwrite", command="converge")
    assert contents(old / "convergence").keys() != before.keys()
