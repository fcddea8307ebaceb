"""Manual pages, which are printed from the tables of the help; command lines that users of GNU programs may type."""
import re
import shutil
import subprocess
from pathlib import Path

import pytest

USAGE = 64
PAGES = ["", "run", "converge", "profile", "bench", "report", "compare", "convert", "info", "top"]


def page_of(run, command):
    done = run("info", f"--man={command}" if command else "--man")
    assert (done.code, done.err) == (0, "")
    return done.out


def shown(text):
    """Words of a page or a help in their order, without roff marks and line breaks."""
    text = re.sub(r"^\.(TP|PP|br)\n|\\f[BR I]|\\&", "", text, flags=re.MULTILINE)
    return " ".join(text.replace("\\-", "-").replace("\\e", "\\").split())


@pytest.mark.parametrize("command", PAGES)
def test_a_page_has_the_sections_and_options_of_the_help(run, command):
    page, text = page_of(run, command), run(*[command] * bool(command), "--help").out
    name = f"cubeswe-{command}".rstrip("-")
    version = run("--version").out.strip()
    assert page.splitlines()[0].replace("\\-", "-") == f'.TH "{name}" 1 "" "{version}" "User Commands"'
    sections = re.findall(r"^\.SH (.*)", page, re.MULTILINE)
    assert sections[:4] == ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"] and sections[-1] == "SEE ALSO"
    options = re.findall(r"^ {2,6}(?:-(\w), )?--([a-z-]+)", text, re.MULTILINE)
    rows = re.findall(r"^\.TP\n(?:\\fB\\-(\w)\\fR, )?\\fB\\-\\-([a-z\\-]+)\\fR", page, re.MULTILINE)
    assert options and [(letter, word.replace("\\-", "-")) for letter, word in rows] == options
    assert all(re.search(rf"^\.SH {section}\n+\S", page, re.MULTILINE) for section in sections)


@pytest.mark.parametrize("command", PAGES)
def test_a_page_says_what_the_help_says(run, command):
    page, text = shown(page_of(run, command)), run(*[command] * bool(command), "--help").out
    usage, *paragraphs = re.split(r"\n(?=Without|[A-Z][a-z]+ )|\n\n", text)
    for paragraph in paragraphs:
        words = shown(paragraph)
        if words and not re.match(r"--?\w|-\w,|run CASE|Mandatory", words):
            assert words in page, words


def test_pages_are_roff_without_complaints(run):
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("no groff")
    for command in PAGES:
        done = subprocess.run([groff, "-man", "-ww", "-Tutf8", "-z"], input=page_of(run, command), text=True,
                              capture_output=True, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), command


def test_the_installation_has_all_pages(run, tmp_path):
    build = Path(run.path).parent
    if not (build / "cmake_install.cmake").is_file():
        pytest.skip("the program is in no build folder")
    subprocess.run(["cmake", "--install", build, "--prefix", tmp_path, "--component", "manual"], check=True,
                   capture_output=True, timeout=120)
    pages = {path.name: path.read_text() for path in (tmp_path / "share/man/man1").iterdir()}
    commands = re.findall(r"^  (\w+) ", run("--help").out, re.MULTILINE)
    assert len(commands) == len(PAGES) - 1
    assert pages == {f"cubeswe-{command}".rstrip("-") + ".1": page_of(run, command) for command in ["", *commands]}


def test_a_page_of_no_command_is_refused(refuses):
    refuses(USAGE, ["'rnu'", "did you mean 'run'?"], "info", "--man=rnu")


# ---- what users of GNU programs may type ---------------------------------------------------------

@pytest.mark.parametrize("arguments", [
    ["case.yaml", "--dry-run", "--threads", "1", "--backend", "cpu"],
    ["--dry-run", "--threads=1", "--backend=cpu", "case.yaml"],
    ["--dry", "--back=cpu", "case.yaml", "--thr", "1"],
    ["--dry-run", "--backend", "cpu", "--", "case.yaml"]], ids=" ".join)
def test_forms_of_a_call_are_alike(run, case, arguments):
    case()
    done, plain = run("run", *arguments), run("run", "--dry-run", "--backend", "cpu", "case.yaml")
    assert (done.code, done.err) == (0, "") and done.out == plain.out != ""


@pytest.mark.parametrize("arguments, words", [
    (["--o", "out"], ["--o: may be any of --output --overwrite"]),
    (["--threads=0"], ["--threads=0: expected 1 to 4096, or auto"]),
    (["--threads", "0"], ["--threads 0: expected 1 to 4096, or auto"]),
    (["-qo", "out"], ["-qo: no such option"]),
    (["--output", "-q", "-fast"], ["-fast: no such option"]),
    (["-o"], ["-o: needs a value"]),
    (["--help=all"], ["--help=all: takes no value"]),
    (["--once"], ["run does not have the option --once"]),
    (["--", "--quiet"], ["one case file", "--quiet"])], ids=" ".join)
def test_a_bad_argument_is_named(refuses, case, arguments, words):
    refuses(USAGE, words, "run", case(), *arguments)


def test_a_short_option_of_other_commands(refuses):
    refuses(USAGE, ["compare does not have the option --output"], "compare", "a", "b", "-o", "out")


def test_the_version_has_a_short_form(run):
    assert run("run", "-V").out == run("-V").out == run("--version").out
