"""tools/peers/compare: times all, computes its record from the rounds, and refuses sides that disagree."""
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(os.environ["CUBESWE"])
SMALL = ["--n", "9,10", "--order", "2", "--rounds", "3", "--threads", "1", "--forms", "sliced"]


def compare(*arguments, folder, **environment):
    return subprocess.run([sys.executable, REPOSITORY / "tools/peers/compare", *arguments], cwd=folder, text=True,
                          capture_output=True, check=False, timeout=1200, env={**os.environ, **environment})


def check_quartiles(found, values):
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    assert found == pytest.approx({"median": median, "low_quartile": low, "high_quartile": high}, rel=1e-12)


def test_all_are_timed(tmp_path):
    done = compare(*SMALL[:-1], "sliced,dense", "--output", "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "out/peers.json").read_text())
    assert (record["schema"], record["threads"], record["rounds"]) == ("cubeswe-peers", 1, 3)
    assert record["jax"]["platform"] == "cpu" and record["jax"]["cores"] == 1
    assert [row["n"] for row in record["rows"]] == [9, 10]
    text = (tmp_path / "out/peers.md").read_text()
    assert text in done.stdout
    for row in record["rows"]:
        assert row["threads"] == 1 and len(row["cubeswe_us"]) == 3 and min(row["cubeswe_us"]) > 0
        check_quartiles(row["cubeswe_us_per_step"], row["cubeswe_us"])
        assert list(row["forms"]) == ["sliced", "dense"]
        for form in row["forms"].values():
            assert 0 < form["difference"] < 1e-12 and len(form["us"]) == 3 and min(form["us"]) > 0
            check_quartiles(form["us_per_step"], form["us"])
            check_quartiles(form["ratio"], [jax / ours for jax, ours in zip(form["us"], row["cubeswe_us"])])
            assert f"| {form['ratio']['median']:.2f} |" in text
    assert [line.split(" | ")[1] for line in text.splitlines()[-6:]] == 2 * [
        "cubeswe, derivatives of h, 1 thread", "JAX, classical RK4; slices, small closure blocks, one gather and scatter",
        "JAX, classical RK4; dense matrices, the reference"]


def test_all_forms_are_timed_unless_some_are_named():
    """The forms of jax_forms.py, the one with the algebra of cubeswe first."""
    usage = compare("--help", folder=REPOSITORY).stdout
    forms = re.findall(r'"(\w+)": [\w.]+[,}]', (REPOSITORY / "tools/peers/jax_forms.py").read_text().split("FORMS = ")[1])
    assert forms[0] == "derived" and f"({','.join(forms)})" in " ".join(usage.split())


def test_a_form_that_is_not_there_is_refused(tmp_path):
    done = compare("--forms", "sliced,cut", "--output", "out", folder=tmp_path)
    assert done.returncode == 2 and "no form 'cut', but derived, sliced, seeds, dense" in done.stderr


def test_sides_that_disagree_are_not_timed(tmp_path):
    """A program whose gravity is wrong by a part in 1e9."""
    wrong = tmp_path / "wrong"
    wrong.write_text(f'#!/bin/sh\nexec "{PROGRAM}" "$@" --set physics.gravity=1.000000001\n')
    wrong.chmod(0o755)
    done = compare(*SMALL, "--output", "out", folder=tmp_path, CUBESWE=str(wrong))
    assert done.returncode == 1 and "heights differ by" in done.stderr
    assert "round" not in done.stdout and not (tmp_path / "out").exists()


def test_without_jax_it_says_so(tmp_path):
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c \'raise ImportError("no jax here")\'\n')
    python.chmod(0o755)
    done = compare(*SMALL, "--output", "out", "--python", str(python), folder=tmp_path)
    assert done.returncode == 69 and done.stderr == "compare: JAX ended: ImportError: no jax here\n"


def test_a_program_that_fails_ends_it(tmp_path):
    done = compare("--n", "3", "--output", "out", folder=tmp_path)
    assert done.returncode == 78 and done.stderr.startswith("compare: cubeswe run: cubeswe: "), done.stderr
    assert "grid.n" in done.stderr
    assert not (tmp_path / "out").exists()
