"""No text of a file, an argument or the environment controls the terminal or hides its neighbours."""
import fcntl
import json
import re
import shutil
from xml.etree import ElementTree

import pytest

from checkpoints import checkpoints
from program import read_json

USAGE, DATA, CANNOT_CREATE, CONFIG = 64, 65, 73, 78

# a title for the window, a C1 control sequence, an override of the direction, an isolate
EVIL = ["\x1b]0;x\x07", "\x9b2J", "a\u202eb", "a\u2066b"]
SHORT = ["--set", "time.end=0.1", "--backend", "cpu"]
WINDOW = ["--profile", "--set", "profile.start_step=1", "--set", "profile.duration=1"]


def check(text):
    """Assert that lines are printable and that a character was replaced."""
    assert [c for c in text if c != "\n" and not c.isprintable()] == []
    assert "?" in text


def check_refused(done, code):
    assert (done.code, done.out, len(done.lines)) == (code, "", 1), done.err
    check(done.err)


@pytest.mark.parametrize("evil", EVIL)
def test_a_name_of_a_case(run, case, tmp_path, evil):
    (tmp_path / f"{evil}.yaml").write_text((tmp_path / case()).read_text())
    check_refused(run("run", f"{evil}.yaml", *SHORT), CONFIG)
    check_refused(run("info", f"{evil}.yaml"), CONFIG)
    check_refused(run("run", "case.yaml", "--set", f"output.dir={evil}"), CONFIG)
    check_refused(run(evil), USAGE)


@pytest.mark.parametrize("evil", EVIL)
def test_a_name_of_a_folder(run, case, tmp_path, evil):
    done = run("run", case(), "--output", evil, *SHORT)
    assert done.code == 0, done.err
    check(done.out)
    check(run("run", case(), "--output", evil, "--restart", "auto", *SHORT).out)
    check(run("top", evil, "--once").out)
    check_refused(run("run", case(), "--output", evil, *SHORT), CANNOT_CREATE)
    check(run("converge", case(), "--n", "9", "--output", f"{evil}2", *SHORT).out)
    shutil.copy(next((tmp_path / evil).glob("fields_*.nc")), tmp_path / f"{evil}.nc")
    check(run("convert", f"{evil}.nc", "--to", "latlon").out)


@pytest.mark.parametrize("evil", EVIL)
def test_what_a_lock_says(run, case, tmp_path, evil):
    (tmp_path / "out").mkdir()
    with open(tmp_path / "out/run.lock", "w", encoding="utf-8") as lock:
        lock.write(f"{'0' * 32}\nhost {evil}, process 1\n")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        check_refused(run("run", case(), "--output", "out", *SHORT), CANNOT_CREATE)


@pytest.mark.parametrize("evil", EVIL)
def test_what_a_manifest_says(run, case, evil):
    out = run.solve(case(), "out", *SHORT)
    manifest = checkpoints(out / "checkpoints")[-1].with_suffix(".json")
    for text in (f'{{"schema": {evil}', f'{{"schema" "{evil}"', json.dumps({"schema": evil})):
        manifest.write_text(text, encoding="utf-8")
        done = run("run", "case.yaml", "--restart", out, *SHORT, "--output", "other")
        assert done.code == DATA and all(line.isprintable() for line in done.lines), done.err


@pytest.mark.parametrize("evil", EVIL)
def test_what_a_progress_says(run, case, evil):
    out = run.solve(case(), "out", *SHORT, *WINDOW)
    progress = read_json(out / "progress.json")
    (out / "profile" / evil).symlink_to(next((out / "profile").glob("step_*")).name)
    for text in ("case", "host", "device", "message"):
        progress[text] = evil
    progress["window"] = f"profile/{evil}"
    (out / "progress.json").write_text(json.dumps(progress))
    check(run("top", "out", "--once").out)
    printed = run("top", "out", "--once", "--json").out
    assert printed.isascii() and json.loads(printed)["progress"]["case"] == evil
    progress["steps"] = evil
    (out / "progress.json").write_text(json.dumps(progress))
    done = run("top", "out", "--once")
    assert done.code == DATA and done.err[:-1].isprintable()


@pytest.mark.parametrize("evil", EVIL)
def test_what_a_profile_says(run, case, evil):
    out = run.solve(case(), "out", *SHORT, *WINDOW)
    file = next((out / "profile").glob("step_*/summary.json"))
    summary = read_json(file)
    summary["case"] = summary["host"] = summary["regions"][0]["name"] = evil
    file.write_text(json.dumps(summary))
    check(run("report", "out").out)
    printed = run("compare", "out", "out")
    assert [c for c in printed.out if c != "\n" and not c.isprintable()] == []
    assert run("compare", "out", "out", "--json").out.isascii()


NAMES = ["a|b", "<img src=x>", "[x](y)", "`x`", "a & b"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_no_markup(run, case, tmp_path, name):
    """The pages are Markdown; a name also stays in its cell."""
    (tmp_path / f"{name}.yaml").write_text((tmp_path / case()).read_text())
    out = run.solve(f"{name}.yaml", "out", "--n", "9", *SHORT[:2], command="converge")
    other = run.solve(f"{name}.yaml", "other", "--set", "grid.n=9", command="profile")
    escaped = re.sub(r"([`<>|&\[\]])", r"\\\1", name)
    assert (out / "convergence.md").read_text().startswith(f"# Convergence of {escaped}\n")
    assert (other / "profile.md").read_text().startswith(f"# Components of {escaped}\n")
    ElementTree.parse(out / "convergence.svg")


def test_a_command_is_no_markup(run, case):
    run.solve(case(), "a|b`c", "--n", "9", "--repeats", "30", command="bench")
    assert "--output a|b?c --backend" in (run.folder / "a|b`c/bench.md").read_text()
