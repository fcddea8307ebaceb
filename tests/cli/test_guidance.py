"""Hints for misspelt words, short forms of the command line, and notes on misleading results."""
import shutil

import h5py
import numpy as np
import pytest

from checkpoints import checkpoints, reseal
from program import REPOSITORY, Program, assert_same_bits, final_fields, write_case

USAGE, NO_INPUT, CONFIG = 64, 66, 78


# ---- short forms ---------------------------------------------------------------------------------

COMMANDS = ["run", "converge", "profile", "bench", "report", "compare", "convert", "info", "top"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_help_and_the_version(run, command):
    long = run(command, "--help").out
    assert long.startswith(f"Usage: cubeswe {command} ")
    assert run(command, "-h").out == run("help", command).out == run("--help", command).out == long
    assert run(command, "--version").out == run("version").out == run("--version").out


def test_help_without_a_command(run):
    assert run("help").out == run("help", "help").out == run("--help").out
    assert run("help").code == 0


def test_the_short_form_of_output(run, case, tmp_path):
    done = run("run", case(), "--quiet", "--backend", "cpu", "-o", "out")
    assert (done.code, done.err) == (0, "") and (tmp_path / "out/summary.json").is_file()


# ---- misspelt words ------------------------------------------------------------------------------

@pytest.mark.parametrize("arguments, words", [
    (["rnu"], ["'rnu'", "did you mean 'run'?"]),
    (["help", "convrt"], ["did you mean 'convert'?"]),
    (["run", "case.yaml", "--treads", "2"], ["--treads: no such option", "did you mean '--threads'?",
                                             "cubeswe run --help"]),
    (["converge", "case.yaml", "--ordr=4"], ["did you mean '--order'?"]),
    (["run", "case.yaml", "-overwrite"], ["-overwrite: no such option", "did you mean '--overwrite'?"]),
    (["run", "case.yaml", "-quiet"], ["-quiet: no such option", "did you mean '--quiet'?"]),
    (["run", "case.yaml", "--quiet=1"], ["--quiet=1: takes no value"])], ids=" ".join)
def test_a_misspelt_command_or_option_is_named(case, refuses, arguments, words):
    case()
    refuses(USAGE, words, *arguments)


def test_nothing_far_is_suggested(refuses, case):
    for arguments in (["walk"], ["run", case(), "--fast"], ["run", case(), "-x"]):
        with pytest.raises(AssertionError, match="did you mean"):
            refuses(USAGE, ["did you mean"], *arguments)


@pytest.mark.parametrize("text, line, words", [
    ("gird:\n  n: 12\n", 1, ["gird: unknown key", "'grid'?"]),
    ("grid:\n  n: 12\ntime:\n  cuorant: 0.1\n", 4, ["time.cuorant: unknown key", "'time.courant'?"]),
    ("grid:\n  n: 12\n  dt: 0.1\n", 3, ["grid.dt: unknown key", "'time.dt'?"]),
    ("n: 12\n", 1, ["n: unknown key", "'grid.n'?"]),
    ("diagnostics:\n  sample: 0.1\n", 2, ["'diagnostics.sample_times' or 'diagnostics.sample_interval'?"]),
    ("initial:\n  kind: Galewski\n", 2, ["initial.kind: 'Galewski'", "'galewsky'?"]),
    ("initial:\n  kind: williamson\n", 2, ["'williamson2', 'williamson5', 'williamson6' or 'williamson1'?"]),
    ("output:\n  fields: [h, winds]\n", 2, ["output.fields: 'winds'", "'wind'?"])])
def test_a_misspelt_key_or_choice_is_named(tmp_path, refuses, text, line, words):
    (tmp_path / "bad.yaml").write_text(text)
    refuses(CONFIG, [f"bad.yaml:{line}: ", "did you mean ", *words], "run", "bad.yaml")


def test_a_misspelt_key_of_an_override_is_named(case, refuses):
    refuses(CONFIG, ["--set", "did you mean 'grid.order'?"], "run", case(), "--set", "grid.ordre=2")
    refuses(CONFIG, ["--set", "did you mean 'physics'?"], "run", case(), "--set", "phisics.depth=2")


# ---- ready cases by their names ------------------------------------------------------------------

@pytest.fixture(name="installed")
def fixture_installed(run, tmp_path, monkeypatch):
    """The program in PREFIX/bin, with two ready cases in PREFIX/share/cubeswe/config."""
    share = tmp_path / "prefix/share/cubeswe/config"
    share.mkdir(parents=True)
    (tmp_path / "prefix/bin").mkdir()
    shutil.copy(run.path, tmp_path / "prefix/bin/cubeswe")
    for name in ("pulse_one", "pulse_two"):
        write_case(share / f"{name}.yaml")
    monkeypatch.setenv("CUBESWE_INSTALLED", str(tmp_path / "prefix/bin/cubeswe"))
    return Program("CUBESWE_INSTALLED", tmp_path)


def found_case(program, name, *arguments):
    """The path that a dry run reports."""
    done = program("run", name, "--dry-run", "--backend", "cpu", *arguments)
    assert done.code == 0, done.err
    return [line.removeprefix("cubeswe: case ") for line in done.lines]


def test_a_ready_case_is_found_by_its_name(installed, tmp_path):
    share = tmp_path / "prefix/share/cubeswe/config/pulse_one.yaml"
    assert found_case(installed, "pulse_one") == [str(share)]
    assert found_case(installed, "pulse_one", "--quiet") == []
    (tmp_path / "config").mkdir()
    write_case(tmp_path / "config/pulse_one.yaml")
    assert found_case(installed, "pulse_one") == ["config/pulse_one.yaml"]
    write_case(tmp_path / "pulse_one.yaml")
    assert found_case(installed, "pulse_one") == ["pulse_one.yaml"]
    write_case(tmp_path / "pulse_one")
    assert found_case(installed, "pulse_one") == []


def test_results_of_a_ready_case_have_its_name(installed, tmp_path):
    assert installed("run", "pulse_two", "--backend", "cpu").code == 0
    assert (tmp_path / "output/pulse_two/summary.json").is_file()
    assert installed("converge", "pulse_two", "--n", "13", "--backend", "cpu").code == 0
    assert (tmp_path / "output/pulse_two_convergence/convergence.json").is_file()


def test_a_build_finds_the_cases_of_its_source(run, tmp_path):
    """The program is in a build tree within the repository, as in every preset."""
    tree = tmp_path / "tree"
    (tree / "build/release").mkdir(parents=True)
    shutil.copytree(REPOSITORY / "config", tree / "config")
    shutil.copy(run.path, tree / "build/release/cubeswe")
    program = Program("CUBESWE", tmp_path)
    program.path = str(tree / "build/release/cubeswe")
    assert found_case(program, "gaussian_seed") == [str(tree / "config/gaussian_seed.yaml")]


def test_a_folder_of_the_name_is_not_passed_over(installed, refuses, tmp_path):
    (tmp_path / "pulse_one").mkdir()
    refuses(NO_INPUT, ["pulse_one: not a regular file"], "run", "pulse_one", program=installed)


@pytest.mark.parametrize("name, words", [
    ("pulse_on", ["pulse_on: no such file", "did you mean 'pulse_one'?"]),
    ("pulse", ["did you mean 'pulse_one' or 'pulse_two'?"]),
    ("pulse_tow.yaml", ["pulse_tow.yaml: no such file", "did you mean 'pulse_two'?"]),
    ("prefix/share/cubeswe/config/pulse_tow.yaml", ["no such file", "did you mean 'pulse_two.yaml'?"]),
    ("nothing_like_it", ["nothing_like_it: no such file, and no ready case of this name"])])
def test_a_misspelt_case_is_named(installed, refuses, name, words):
    refuses(NO_INPUT, words, "run", name, program=installed)
    refuses(NO_INPUT, words, "info", name, program=installed)


# ---- YAML ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("text, line", [
    ("grid:\n\tn: 12\n", 2), ("\tgrid: {n: 12}\n", 1), ("grid:\n  n: 12\n  \torder: 4\n", 3)])
def test_a_tab_is_named(tmp_path, refuses, text, line):
    (tmp_path / "bad.yaml").write_text(text)
    refuses(CONFIG, [f"bad.yaml:{line}: a tab; YAML indents with spaces"], "run", "bad.yaml")


def test_a_tab_is_not_blamed_for_another_mistake(tmp_path, refuses):
    (tmp_path / "bad.yaml").write_text("grid: {n: 12,\n\torder: [4}\n")
    with pytest.raises(AssertionError, match="expected ',' or ']'"):
        refuses(CONFIG, ["a tab"], "run", "bad.yaml")


@pytest.mark.parametrize("words, perturbation, counters", [
    (("yes", "true", "on", "True", "ON"), "yes", "on"), (("no", "false", "off", "False", "NO"), "no", "off")])
def test_every_word_of_yaml_for_yes_and_no(run, tmp_path, words, perturbation, counters):
    for word in words:
        write_case(tmp_path / "case.yaml", grid={"n": 13}, physics={"model": "nonlinear"}, initial={"kind": "galewsky"})
        with open(tmp_path / "case.yaml", "a") as file:
            file.write(f"profile: {{counters: {word}}}\n")
        done = run("info", "case.yaml", "--backend", "cpu", "--set", f"initial.perturbation={word}",
                   "--set", "physics.depth=1000")
        assert done.code == 0, done.err
        assert f"  perturbation: {perturbation}\n" in done.out and f"  counters: {counters}\n" in done.out


def test_a_choice_without_yes_refuses_it(case, refuses):
    refuses(CONFIG, ["grid.closure: 'yes' is not one of moved|equispaced|published"], "run", case(), "--set",
            "grid.closure=yes")


# ---- keys that a case does not read --------------------------------------------------------------

@pytest.mark.parametrize("initial, key, words", [
    ("kind: williamson5\n  amplitude: 5.0", "amplitude", "kind 'williamson5' does not read this key"),
    ("kind: standing_wave\n  width: 0.2", "width", "it reads lon, lat, amplitude, degree, angle"),
    ("kind: gaussian\n  perturbation: no", "perturbation", "it reads lon, lat, amplitude, width"),
    ("kind: gaussian\n  path: state.nc", "path", "it reads lon, lat, amplitude, width"),
    ("kind: galewsky\n  wave: eastward", "wave", "it reads perturbation")])
def test_a_key_that_the_case_does_not_read_is_refused(tmp_path, refuses, initial, key, words):
    model = "nonlinear" if "williamson5" in initial or "galewsky" in initial else "linear"
    (tmp_path / "bad.yaml").write_text(f"physics: {{model: {model}}}\ninitial:\n  {initial}\n")
    refuses(CONFIG, [f"bad.yaml:4: initial.{key}: ", words], "run", "bad.yaml")


def test_an_override_that_the_case_does_not_read_is_refused(case, refuses):
    refuses(CONFIG, ["--set: initial.degree: kind 'gaussian' does not read this key"], "run", case(), "--set",
            "initial.degree=5")


def test_a_written_configuration_with_the_defaults_of_other_cases_is_a_case(run, tmp_path):
    out = run.solve(REPOSITORY / "config/williamson5.yaml", "out", "--set", "grid.n=13", "--set", "time.end=3600")
    assert "  amplitude: 0.01\n" in (out / "configuration.yaml").read_text()
    assert_same_bits(final_fields(run.solve("out/configuration.yaml", "again")), final_fields(out))


def checkpoint_with(run, name, folder, written, changed):
    """The newest checkpoint of a run, changed as if the configuration had another value."""
    path = checkpoints(run.solve(name, folder) / "checkpoints")[-1]
    with h5py.File(path, "r+") as file:
        text = bytes(file.attrs["configuration"]).decode().rstrip("\0")
        assert written in text
        file.attrs["configuration"] = np.bytes_(text.replace(written, changed))
    reseal(path)
    return path


def test_a_checkpoint_may_have_other_values_of_keys_that_were_not_read(run, case):
    """An earlier program that did not refuse such values may have written them."""
    name = case(time={"end": 0.2, "dt": 0.02}, checkpoint={"every": 5})
    path = checkpoint_with(run, name, "out", "  degree: 3\n", "  degree: 7\n")
    again = run.solve(name, "again", "--restart", path)
    assert_same_bits(final_fields(again), final_fields(run.folder / "out"))
    path = checkpoint_with(run, name, "other", "  width: 0.18", "  width: 0.19")
    done = run("run", name, "--restart", path, "--output", "refused")
    assert done.code == CONFIG and "initial.width is 0.19" in done.err and "initial.degree" not in done.err


# ---- errors that do not measure convergence, and grids that do not show the flow -----------------

@pytest.mark.parametrize("name, settings, words", [
    ("williamson5", [], ["no solution of this flow is known in closed form", "converge williamson2"]),
    ("williamson6", [], ["no solution of this flow is known in closed form"]),
    ("galewsky", [], ["no solution of this flow is known in closed form"]),
    ("matsuno", [], ["equatorial beta plane", "converge hough"]),
    ("hough", ["physics.model=nonlinear"], ["physics.model=linear"]),
    ("gaussian_seed", ["physics.rotation=0.5"], ["physics.rotation=0"]),
    ("standing_wave", ["physics.model=nonlinear"], ["physics.model=linear", "converge williamson2"])])
def test_converge_says_why_an_error_does_not_measure_convergence(refuses, name, settings, words):
    path = REPOSITORY / f"config/{name}.yaml"
    sets = [word for setting in settings for word in ("--set", setting)]
    refuses(CONFIG, [f"{path}: initial.kind: ", "does not measure convergence", *words], "converge", path, "--n",
            "13", *sets)


def test_converge_says_what_else_an_error_measures(run):
    def note_of(name):
        done = run("converge", REPOSITORY / f"config/{name}.yaml", "--n", "13", "--set", "time.end=3600", "--output",
                   name, "--backend", "cpu")
        assert done.code == 0, done.err
        return [line for line in done.out.splitlines() if line.startswith("note: ")]
    assert "at rest to rounding" in note_of("lake_at_rest")[0]
    assert "the jet is unstable" in note_of("galewsky_balanced")[0]
    assert note_of("williamson2") == []


def test_the_jet_is_run_on_a_grid_that_shows_it(run):
    path = REPOSITORY / "config/galewsky.yaml"
    assert "\n  n: 192\n" in run("run", path, "--dry-run", "--backend", "cpu").out
    coarse = run("run", path, "--set", "grid.n=13", "--set", "time.end=3600", "--backend", "cpu")
    assert "\nnote         n = 13 shows grid imprinting in the flow: use n = 192 or more\n" in coarse.out
    for name in ("galewsky_balanced", "williamson5"):
        done = run("run", REPOSITORY / f"config/{name}.yaml", "--set", "grid.n=13", "--set", "time.end=3600")
        assert done.code == 0 and "note" not in done.out


@pytest.mark.parametrize("setting", ["diagnostics.sample_interval=900", "diagnostics.sample_times=[900]"])
def test_samples_without_a_solution_are_noted(run, setting):
    def notes_of(name):
        done = run("run", REPOSITORY / f"config/{name}.yaml", "--set", "grid.n=13", "--set", "time.end=3600", "--set",
                   setting, "--output", name, "--backend", "cpu")
        assert done.code == 0, done.err
        return [line for line in done.out.splitlines() if line.startswith("note ")]
    assert "diagnostics.sample_* has no effect" in notes_of("williamson5")[0]
    assert notes_of("williamson2") == []
