"""What the program says to a user who misspells a word, and the short forms of its command line."""
import pytest

from program import write_case

USAGE, CONFIG = 64, 78


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
    ("initial:\n  kind: williamson\n", 2, ["'williamson2', 'williamson5' or 'williamson6'?"]),
    ("output:\n  fields: [h, winds]\n", 2, ["output.fields: 'winds'", "'wind'?"])])
def test_a_misspelt_key_or_choice_is_named(tmp_path, refuses, text, line, words):
    (tmp_path / "bad.yaml").write_text(text)
    refuses(CONFIG, [f"bad.yaml:{line}: ", "did you mean ", *words], "run", "bad.yaml")


def test_a_misspelt_key_of_an_override_is_named(case, refuses):
    refuses(CONFIG, ["--set", "did you mean 'grid.order'?"], "run", case(), "--set", "grid.ordre=2")
    refuses(CONFIG, ["--set", "did you mean 'physics'?"], "run", case(), "--set", "phisics.depth=2")


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
        write_case(tmp_path / "case.yaml", physics={"model": "nonlinear"}, initial={"kind": "galewsky"})
        with open(tmp_path / "case.yaml", "a") as file:
            file.write(f"profile: {{counters: {word}}}\n")
        done = run("info", "case.yaml", "--backend", "cpu", "--set", f"initial.perturbation={word}",
                   "--set", "physics.depth=1000")
        assert done.code == 0, done.err
        assert f"  perturbation: {perturbation}\n" in done.out and f"  counters: {counters}\n" in done.out


def test_a_choice_without_yes_refuses_it(case, refuses):
    refuses(CONFIG, ["grid.closure: 'yes' is not one of default|published"], "run", case(), "--set",
            "grid.closure=yes")
