"""`cubeswe run` and `cubeswe info`: help, exit codes, refusals, results."""
import json
import os
import re
import sys

import numpy as np
import pytest

import sphere
from program import (REPOSITORY, assert_same_bits, contents, field_files, final_fields, read_csv,
                     read_fields, read_json, write_case, write_state)

sys.path.insert(0, str(REPOSITORY / "tests/reference"))
import reference  # noqa: E402

USAGE, NO_INPUT, UNAVAILABLE, NO_MEMORY, CANNOT_CREATE, CONFIG = 64, 66, 69, 71, 73, 78

OPTIONS = {
    "run": "--backend --dry-run --max-walltime --output --overwrite --profile --quiet --restart --set "
           "--strict --threads",
    "converge": "--backend --error --n --order --output --overwrite --quiet --set --threads",
    "profile": "--backend --output --overwrite --profile --quiet --set --threads",
    "bench": "--backend --n --order --output --overwrite --pipeline --precision --quiet --repeats --set --threads",
    "report": "--output --quiet",
    "compare": "--anyway --fail-above --html --json --quiet",
    "convert": "--fields --lat --lon --output --overwrite --quiet --to",
    "info": "--backend --ceilings --dry-run --json --kernels --keys --man --plan --precision --ranks --set --threads",
    "top": "--interval --json --once --wait"}


# ---- help and information ------------------------------------------------------------------------

def test_help_lists_commands_and_exit_codes(run):
    done = run("--help")
    assert done.code == 0 and done.err == ""
    assert all(f"\n  {command} " in done.out for command in OPTIONS)
    table = (REPOSITORY / "solver/base/context.h").read_text()
    codes = re.findall(r'STATUS\(\w+, (\d+), "', table)
    assert len(codes) == 13 and all(re.search(rf"\b{code}\b", done.out) for code in codes)
    assert run("-h").out == done.out


@pytest.mark.parametrize("command", OPTIONS)
def test_help_of_a_command_names_its_options(run, command):
    done = run(command, "--help")
    assert done.code == 0 and done.err == ""
    assert done.out.startswith(f"Usage: cubeswe {command} ")
    assert set(re.findall(r"--[a-z-]+", done.out)) == {*OPTIONS[command].split(), "--help", "--version"}
    assert max(map(len, done.out.splitlines())) <= 80


def test_version(run):
    assert re.fullmatch(r"cubeswe \d+\.\d+\.\d+\n", run("--version").out)


def test_info_describes_the_build(run):
    build = json.loads(run("info", "--json").out)
    assert f"cubeswe {build['version']}\n" == run("--version").out
    cpu = build["backends"][0]
    assert cpu["name"] == "cpu" and len(cpu["devices"]) == 1
    assert {"hdf5", "libyaml", "jansson", "protobuf-c", "zlib", "openssl"} <= set(build["libraries"])
    text = run("info").out
    assert "perf events, NVML" in build["profiler"] and build["profiler"] in text
    assert build["build"] in text and build["libraries"]["hdf5"] in text


def test_info_of_a_case_is_a_case_with_its_costs(run, case, tmp_path):
    done = run("info", case(), "--set", "grid.n=16", "--backend", "cpu")
    assert done.code == 0 and done.err == ""
    assert "# points         1734 vertices, 4998 unknowns\n" in done.out
    summary, keys = done.out.split("grid:\n")  # the summary is first
    assert all(f"# {what}" in summary for what in ("memory", "time step", "Courant", "estimated"))
    (tmp_path / "again.yaml").write_text(done.out)
    again = run("info", "again.yaml", "--backend", "cpu").out.split("grid:\n")
    assert again[0].splitlines()[:4] == summary.splitlines()[:4] and again[1] == keys


def test_info_prints_what_it_knows_before_it_estimates(run, case):
    done = run("info", case(), "--backend", "cuda")  # there is none to time steps on
    assert done.code == UNAVAILABLE and len(done.lines) == 1, done.err
    assert "\n# Courant " in done.out and "estimated" not in done.out


def test_info_plans_a_case_that_does_not_fit(run, case, refuses):
    """It also times the case, on a grid that takes seconds."""
    if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > 250 * 2 ** 30:
        pytest.skip("the largest grid fits")
    large = case(grid={"n": 16384})
    done = run("info", large, "--backend", "cpu")
    assert done.code == 0 and len(done.lines) == 1, done.err
    assert done.err.startswith("cubeswe: warning: grid.n: 16384 needs ")
    assert 96 <= int(re.search(r"# estimated time .* from steps at n = (\d+)\)", done.out)[1]) < 16384
    refuses(CONFIG, ["grid.n: 16384 needs"], "run", large, "--dry-run", "--backend", "cpu")


# ---- refusals ------------------------------------------------------------------------------------

@pytest.mark.parametrize("arguments, words", [
    ([], ["command"]),
    (["walk"], ["walk"]),
    (["run"], ["case file"]),
    (["run", "case.yaml", "case.yaml"], ["one case file"]),
    (["run", "case.yaml", "--fast"], ["--fast"]),
    (["run", "case.yaml", "-x"], ["-x"]),
    (["run", "case.yaml", "--quiet=1"], ["--quiet=1"]),
    (["run", "case.yaml", "--set"], ["--set", "value"]),
    (["run", "case.yaml", "--n", "24"], ["--n"]),
    (["run", "case.yaml", "--once"], ["--once"]),
    (["info", "case.yaml", "--overwrite"], ["--overwrite"]),
    (["info", "case.yaml", "--json"], ["--json"]),
    (["run", "case.yaml", "--threads", "0"], ["--threads", "0"]),
    (["run", "case.yaml", "--threads", "2x"], ["--threads", "2x"]),
    (["run", "case.yaml", "--threads", "99999999999999999999"], ["--threads"]),
    (["run", "case.yaml", "--backend", "gpu"], ["gpu"]),
    (["run", "case.yaml", "--backend", ""], ["backend"]),
    (["run", "case.yaml", "--backend", "cpu:x"], ["cpu:x"]),
    (["run", "case.yaml", "--backend", "cpu:-1"], ["cpu:-1"])], ids=" ".join)
def test_wrong_usage_is_refused(case, refuses, arguments, words):
    case()
    refuses(USAGE, words, *arguments)


@pytest.mark.parametrize("text, line, key", [
    ("grid: {n: 12}\nwind: {n: 12}\n", 2, "wind: unknown key"),
    ("grid:\n  n: 12\n  m: 12\n", 3, "grid.m: unknown key"),
    ("grid:\n  n: 12\n\"a\\nb\": 1\n", 3, "unknown key"),
    ("grid:\n  n: 12\n  n: 16\n", 3, "grid.n: key given twice"),
    ("grid: [12]\n", 1, "grid: expected keys below it"),
    ("grid:\n  [n]: 12\n", 1, "a key must be a single word"),
    ("grid:\n  n: {a: 12}\n", 2, "grid.n: expected a single value"),
    ("output:\n  fields: []\n", 2, "output.fields: the list must not be empty"),
    ("output:\n  fields: [h, [wind]]\n", 2, "output.fields: expected a single value"),
    ("output:\n  fields: {h: 1}\n", 2, "output.fields: expected a list"),
    ("grid:\n  n: 12\ngrid:\n  n: 16\n", 3, "grid"),
    ("grid: {n: 12}\n--- {grid: {n: 16}}\n", 2, "document"),
    ("grid: 12\n", 1, "grid"),
    ("grid: {n: 12\n", 2, ""),
    ("\tgrid: {n: 12}\n", 1, ""),
    ("[12, 4]\n", 1, ""),
    ("", 1, "empty"),
    ("grid:\n  n: twelve\n", 2, "grid.n"),
    ("grid:\n  n: [12]\n", 2, "grid.n"),
    ("grid:\n  n: true\n", 2, "grid.n"),
    ("grid:\n  n:\n", 2, "grid.n"),
    ("grid:\n  n: 12.5\n", 2, "grid.n"),
    ("grid:\n  n: 12 cells\n", 2, "grid.n"),
    ("grid:\n  n: 1e3\n", 2, "grid.n"),
    ("grid:\n  n: .nan\n", 2, "grid.n"),
    ("grid:\n  n: 0\n", 2, "grid.n"),
    ("grid:\n  n: -12\n", 2, "grid.n"),
    ("grid:\n  n: 1000000\n", 2, "grid.n"),
    ("grid:\n  n: 4294967308\n", 2, "grid.n"),
    ("grid:\n  n: 18446744073709551628\n", 2, "grid.n"),
    ("grid:\n  order: 4\n  n: 6\n", 3, "grid.n"),
    ("grid:\n  n: 10\n  order: 6\n", 2, "grid.n"),
    ("grid:\n  n: 12\n  order: 3\n", 3, "grid.order"),
    ("grid:\n  n: 12\n  order: 6\n  closure: published\n", 4, "grid.closure"),
    ("grid:\n  n: 12\n  closure: none\n", 3, "grid.closure"),
    ("physics:\n  model: spherical\n", 2, "physics.model"),
    ("physics:\n  gravity: nan\n", 2, "physics.gravity"),
    ("physics:\n  gravity: .nan\n", 2, "physics.gravity"),
    ("physics:\n  gravity: .inf\n", 2, "physics.gravity"),
    ("physics:\n  gravity: 1e999\n", 2, "physics.gravity"),
    ("physics:\n  gravity: 0\n", 2, "physics.gravity"),
    ("physics:\n  gravity: 9,81\n", 2, "physics.gravity"),
    ("physics:\n  gravity: 9.81 m/s2\n", 2, "physics.gravity"),
    ("physics:\n  depth: -1\n", 2, "physics.depth"),
    ("physics:\n  radius: ''\n", 2, "physics.radius"),
    ("initial:\n  kind: vortex\n", 2, "initial.kind"),
    ("initial:\n  kind: \"a\\nb\"\n", 2, "initial.kind"),
    ("initial:\n  width: 1e-9\n", 2, "initial.width"),
    ("initial:\n  lat: 91\n", 2, "initial.lat"),
    ("initial:\n  kind: file\n", 1, "initial.path"),
    ("initial:\n  path: state.nc\n", 2, "initial.path"),
    ("grid:\n  n: 12\ntime:\n  end: 1\n  dt: 0.5\n", 5, "time.dt: dt = 0.5 s is unstable"),
    ("grid:\n  n: 12\ntime:\n  dt_times_n: 6\n", 4, "time.dt_times_n"),
    ("grid:\n  n: 12\ntime:\n  courant: 0.7\n", 4, "time.courant"),
    ("time:\n  dt: 0.001\n  courant: 0.1\n", 3, "time.courant"),
    ("time:\n  end: 1e12\n  dt: 1e-3\n", 3, "1e12 steps"),
    ("time:\n  end: 0\n", 2, "time.end"),
    ("output:\n  every: -1\n", 2, "output.every"),
    ("output:\n  fields: h\n", 2, "output.fields"),
    ("output:\n  fields: [h, w]\n", 2, "output.fields"),
    ("diagnostics:\n  sample_times: [0.5, nan]\n", 2, "diagnostics.sample_times"),
    ("diagnostics:\n  sample_times: [0.5, 2]\n", 2, "diagnostics.sample_times")])
def test_bad_configuration_is_refused(tmp_path, refuses, text, line, key):
    (tmp_path / "bad.yaml").write_text(text)
    refuses(CONFIG, [f"bad.yaml:{line}: ", key], "run", "bad.yaml")
    refuses(CONFIG, [f"bad.yaml:{line}: ", key], "info", "bad.yaml")


@pytest.mark.parametrize("text", [
    "grid: &a [*a]\n",
    "&a grid: {*a : *a}\n",
    "grid: &a {n: *a}\n",
    "grid: " + "[" * 20_000 + "]" * 20_000 + "\n",
    "a0: &a0 [x, x]\n" + "".join(f"a{k}: &a{k} [*a{k - 1}, *a{k - 1}]\n" for k in range(1, 64)),
    "grid: {n: \0}\n",
    "grid: {n: \x07}\n"], ids=["cycle", "key", "mapping", "deep", "bomb", "NUL", "bell"])
def test_a_malicious_file_is_refused(tmp_path, refuses, text):
    (tmp_path / "bad.yaml").write_text(text)
    refuses(CONFIG, ["bad.yaml"], "run", "bad.yaml")


@pytest.mark.skipif(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") > 300 * 2 ** 30,
                    reason="this machine has the memory that the case needs")
def test_a_case_beyond_the_memory_is_refused(refuses, case):
    refuses(CONFIG, ["case.yaml:1: grid.n", "GiB"], "run", case(grid={"n": 16384}))


@pytest.mark.parametrize("assignment, words", [
    ("grid.n", ["--set grid.n"]),
    ("n=12", ["--set n=12"]),
    ("grid.=12", ["--set grid.=12"]),
    ("grid.n=", ["--set grid.n="]),
    ("grid.n=[", ["--set grid.n=["]),
    ("grid.m=12", ["--set", "grid.m", "unknown"]),
    ("wind.n=12", ["--set", "wind", "unknown"]),
    ("grid.n=x", ["--set", "grid.n"]),
    ("grid.n=12.5", ["--set", "grid.n"]),
    ("grid.n=-1", ["--set", "grid.n"]),
    ("physics.gravity=nan", ["--set", "physics.gravity"]),
    ("time.dt=1", ["--set", "time.dt", "unstable"])])
def test_a_bad_override_is_refused(case, refuses, assignment, words):
    refuses(CONFIG, words, "run", case(), "--set", assignment)


def test_a_case_that_is_no_file_is_refused(tmp_path, refuses):
    os.mkfifo(tmp_path / "fifo.yaml")
    for path in ("missing.yaml", ".", "fifo.yaml", "/dev/null"):
        refuses(NO_INPUT, [path], "run", path)
    refuses(NO_INPUT, ["no such file"], "run", "two\nlines.yaml")


def test_a_huge_case_file_is_refused(tmp_path, refuses):
    (tmp_path / "huge.yaml").write_text("# comment\n" * 1_700_000)
    refuses(CONFIG, ["huge.yaml: larger than 16 MiB"], "run", "huge.yaml")


def test_a_backend_that_is_not_there_is_refused(case, refuses, run_emulated):
    refuses(UNAVAILABLE, ["CUDA"], "run", case(), "--backend", "cuda")
    refuses(UNAVAILABLE, ["cpu:1"], "run", case(), "--backend", "cpu:1")
    none, one = ({"CUDA_EMULATION_DEVICES": count} for count in "01")
    refuses(UNAVAILABLE, ["CUDA"], "run", case(), "--backend", "cuda", program=run_emulated,
            env=none)
    refuses(UNAVAILABLE, ["cuda:1"], "run", case(), "--backend", "cuda:1", program=run_emulated,
            env=one)


def test_auto_uses_the_gpu_if_there_is_one(case, run_emulated):
    for devices, backend in (("0", "cpu"), ("1", "cuda")):
        done = run_emulated("run", case(), "--quiet", "--output", backend,
                            env={"CUDA_EMULATION_DEVICES": devices})
        assert done.code == 0 and ("no GPU works" in done.err if devices == "0" else done.err == "")
        assert read_json(run_emulated.folder / backend / "summary.json")["backend"] == backend


def test_a_device_too_small_is_refused(case, refuses, run_emulated):
    refuses(NO_MEMORY, ["device memory"], "run", case(), "--backend", "cuda", program=run_emulated,
            env={"CUDA_EMULATION_MEMORY": "50000"})


# ---- where results go ----------------------------------------------------------------------------

def test_the_default_folder_is_named_after_the_case(run, case, tmp_path):
    done = run("run", case("my.pulse"), "--backend", "cpu")
    assert done.code == 0 and "output/my.pulse" in done.out
    assert sorted(path.name for path in (tmp_path / "output/my.pulse").iterdir()) == [
        "checkpoints", "configuration.yaml", "diagnostics.csv", "fields_00000004.nc", "progress.json",
        "run.lock", "summary.json"]


def test_an_output_that_cannot_be_created_is_refused(case, refuses):
    for path in ("case.yaml", "case.yaml/below", "case.yaml/far/below", ""):
        refuses(CANNOT_CREATE, [path], "run", case(), "--backend", "cpu", "--output", path)


def test_results_are_replaced_only_on_request(run, case, refuses, tmp_path):
    run.solve(case(), "out", "--set", "output.every=1")
    (tmp_path / "out/notes.txt").write_text("mine")
    (tmp_path / "out/fields.dat").write_text("mine too")
    (tmp_path / "out/progress.json.tmp").write_text("of a run that was killed")
    refuses(CANNOT_CREATE, ["out", "--overwrite"], "run", case(), "--output", "out")
    run.solve(case(), "out", "--overwrite", "--set", "time.end=0.05")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "checkpoints", "configuration.yaml", "diagnostics.csv", "fields.dat", "fields_00000002.nc", "notes.txt",
        "progress.json", "run.lock", "summary.json"]
    assert [path.stem for path in (tmp_path / "out/checkpoints").glob("*.json")] == \
        ["checkpoint_000001_step_0000000002"]
    assert (tmp_path / "out/notes.txt").read_text() == "mine"


def test_a_folder_with_other_files_is_used(run, case, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/notes.txt").write_text("mine")
    run.solve(case(), "out")
    assert (tmp_path / "out/notes.txt").read_text() == "mine"


def test_a_refused_case_leaves_old_results(run, case, refuses):
    run.solve(case(), "out")
    again = ("run", case(), "--output", "out", "--overwrite")
    refuses(CONFIG, ["time.dt"], *again, "--set", "time.dt=1")
    refuses(UNAVAILABLE, ["CUDA"], *again, "--backend", "cuda")


def test_a_dry_run_writes_nothing(run, case, tmp_path):
    run.solve(case(), "out")
    before = contents(tmp_path)
    for arguments in (["--output", "new"], ["--output", "out", "--overwrite"]):
        done = run("run", case(), "--dry-run", "--backend", "cpu", *arguments)
        assert done.code == 0 and done.err == "" and "dry run" in done.out
        assert contents(tmp_path) == before


def test_a_dry_run_finds_what_a_run_would(case, refuses):
    refuses(UNAVAILABLE, ["CUDA"], "run", case(), "--dry-run", "--backend", "cuda")
    refuses(NO_INPUT, ["none.nc"], "run", case(initial={"kind": "file", "path": "none.nc"}),
            "--dry-run")


def test_a_dry_run_refuses_results_that_are_there(run, case, refuses):
    run.solve(case(), "out")
    refuses(CANNOT_CREATE, ["out", "--overwrite"], "run", case(), "--dry-run", "--output", "out")


def test_a_dry_run_checks_where_results_would_go(case, refuses):
    refuses(CANNOT_CREATE, ["case.yaml/below"], "run", case(), "--dry-run", "--output",
            "case.yaml/below")


# ---- what a run writes ---------------------------------------------------------------------------

def test_quiet_is_silent(run, case):
    done = run("run", case(), "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_overrides_repeat_and_the_last_wins(run, case):
    out = run.solve(case(), "out", "--set", "grid.n=14", "--set", "grid.n=16", "--set",
                    "grid.order=2", "--set", "output.fields=[h]", "--set", "time.dt=0.005")
    summary, fields = read_json(out / "summary.json"), final_fields(out)
    assert (summary["n"], summary["order"], summary["steps"], summary["dt"]) == (16, 2, 20, 0.005)
    assert "h" in fields and not {"u", "v", "v1", "v2"} & fields.keys()


def test_every_key_can_be_overridden(run, tmp_path):
    (tmp_path / "short.yaml").write_text("grid: {n: 12}\n")
    write_case(tmp_path / "long.yaml", grid={"n": 11, "order": 6, "closure": "equispaced"},
               physics={"model": "linear", "gravity": 2.0, "depth": 0.5, "radius": 1.5},
               initial={"kind": "standing_wave", "lon": 5, "lat": 6, "amplitude": 1, "degree": 2,
                        "angle": 7},
               time={"end": 0.05, "dt": 0.01}, output={"every": 2, "fields": ["wind"]},
               diagnostics={"every": 3, "sample_times": [0.02], "sample_interval": 0.04})
    text = run("run", "long.yaml", "--dry-run", "--backend", "cpu").out
    keys = re.findall(r"^(\w+):$|^  (\w+): (.*)$", text, re.MULTILINE)
    sections = [section for section, _, _ in keys]
    arguments = [f"{next(s for s in sections[k::-1] if s)}.{name}={value}"
                 for k, (section, name, value) in enumerate(keys)
                 if not section and value not in ("0", "''")]
    assert len(arguments) > 18
    overridden = run("run", "short.yaml", "--dry-run", "--backend", "cpu",
                     *(word for text in arguments for word in ("--set", text)))
    assert overridden.code == 0 and overridden.out == text


def test_too_many_overrides_are_refused(case, refuses):
    refuses(USAGE, ["--set"], "run", case(), *["--set", "grid.n=12"] * 129)


def test_field_files_come_at_their_steps(run, case):
    out = run.solve(case(), "out", "--set", "time.dt=0.01", "--set", "output.every=4")
    assert [path.name for path in field_files(out)] == [
        f"fields_{step:08d}.nc" for step in (0, 4, 8, 10)]


def test_a_configuration_reruns_to_the_same_bits(run, case):
    out = run.solve(case(physics={"gravity": 9.81, "depth": 0.1, "radius": 3.3},
                         initial={"kind": "standing_wave", "lon": 0.1, "lat": -7.7, "degree": 5,
                                  "angle": 1 / 3, "amplitude": 1e-3}),
                    "out", "--set", "diagnostics.sample_times=[0.05, 0.1]")
    again = run.solve("out/configuration.yaml", "again")
    assert_same_bits(final_fields(again), final_fields(out))
    assert (again / "diagnostics.csv").read_bytes() == (out / "diagnostics.csv").read_bytes()
    assert (again / "configuration.yaml").read_bytes() == (out / "configuration.yaml").read_bytes()


def test_a_configuration_with_an_initial_file_reruns(run, tmp_path):
    (tmp_path / "cases").mkdir()
    write_state(tmp_path / "cases/it's here.nc", **sphere.rotation_state(12, [0, 0, 1]))
    write_case(tmp_path / "cases/file.yaml", initial={"kind": "file", "path": "it's here.nc"})
    out = run.solve("cases/file.yaml", "out")
    again = run.solve("out/configuration.yaml", "again")
    assert_same_bits(final_fields(again), final_fields(out))


def test_summary_and_diagnostics_agree_with_the_fields(run, case):
    gravity, depth, radius, n, dt = 9.8, 3.0, 2.0, 12, 0.0125
    out = run.solve(case(physics={"gravity": gravity, "depth": depth, "radius": radius},
                         time={"end": 0.1, "dt": dt}, output={"every": 1},
                         diagnostics={"every": 1}), "out", "--threads", 1)
    summary, rows = read_json(out / "summary.json"), read_csv(out / "diagnostics.csv")
    assert {"case", "version", "build", "backend", "device", "threads", "order", "n", "dt", "steps",
            "courant", "mass_drift", "energy_drift", "max_h", "reference", "errors", "seconds",
            "step_us"} <= summary.keys()
    assert (summary["case"], summary["backend"], summary["threads"]) == ("case", "cpu", 1)
    assert [row["step"] for row in rows] == list(range(9))
    courant = np.sqrt(gravity * depth) * dt / (radius * sphere.points(n)[2])
    assert summary["courant"] == pytest.approx(courant, rel=1e-14)
    model = reference.Model(n, gravity=gravity, depth=depth, radius=radius)
    for row, path in zip(rows, field_files(out)):
        fields = read_fields(path)
        state = [fields[name] for name in ("h", "v1", "v2")]
        assert row["time"] == pytest.approx(row["step"] * dt, rel=1e-14)
        assert row["mass"] == pytest.approx(np.sum(sphere.quadrature(n, 4, radius) * fields["h"]),
                                            rel=1e-13)
        assert row["energy"] == pytest.approx(0.5 * model.inner(state, state), rel=1e-13)
        assert row["max_h"] == np.abs(fields["h"]).max()
        assert row["courant"] == summary["courant"]
        assert abs(row["circulation"]) < 1e-14
    assert summary["max_h"] == rows[-1]["max_h"]
    assert summary["energy_drift"] == pytest.approx(rows[-1]["energy"] / rows[0]["energy"] - 1,
                                                    abs=1e-15)
    assert summary["mass_drift"] == pytest.approx(max(row["mass_drift"] for row in rows), rel=1e-6)


@pytest.mark.parametrize("order", [2, 4, 6])
def test_mass_and_energy_are_conserved(run, case, order):
    out = run.solve(case(grid={"n": 16, "order": order}, time={"end": 2, "courant": 0.1},
                         initial={"kind": "gaussian", "lon": 45, "lat": 35.26}),
                    "out", "--set", "diagnostics.every=1", "--threads", 1)
    summary = read_json(out / "summary.json")
    assert summary["steps"] > 150 and summary["mass_drift"] < 1e-14
    assert -1e-6 < summary["energy_drift"] < 0
    assert all(row["mass_drift"] < 1e-14 for row in read_csv(out / "diagnostics.csv"))


@pytest.mark.parametrize("kind", ["gaussian", "standing_wave", "hough", "matsuno"])
def test_nothing_comes_of_nothing(run, case, kind):
    name = case(initial={"kind": kind}, physics={"rotation": 1.0, "depth": 1e-3} if kind in ("hough", "matsuno") else {})
    done = run("run", name, "--output", "out", "--set", "initial.amplitude=0", "--backend", "cpu")
    out = run.folder / "out"
    texts = [done.out, (out / "diagnostics.csv").read_text(), (out / "summary.json").read_text()]
    assert done.code == 0 and not [text for text in texts if re.search(r"\b(nan|inf)\b", text, re.I)]
    assert "at most 0.0000e+00 m\n" in done.out
    assert read_json(out / "summary.json")["max_h"] == 0
    assert (final_fields(out)["h"] == 0).all()


def test_damping_is_recorded_as_the_numbers_that_ran(run, case):
    name = case(grid={"n": 15}, physics={"model": "nonlinear", "depth": 2.0}, initial={"kind": "williamson2", "period": 50.0})
    for order, damping in {2: (0.1, 0.1), 4: (0.1, 2), 6: (0.1, 3.75)}.items():
        out = run.solve(name, f"out{order}", "--set", f"grid.order={order}")
        lines = "  edge_damping: {}\n  dissipation: {}\n".format(*damping)
        assert lines in (out / "configuration.yaml").read_text()
        assert lines in run("info", name, "--dry-run", "--set", f"grid.order={order}").out
        summary = read_json(out / "summary.json")
        assert (summary["edge_damping"], summary["dissipation"]) == damping
