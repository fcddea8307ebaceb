"""tools/peers/compare: times both, computes its record from the rounds, and refuses sides that disagree."""
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(os.environ["CUBESWE"])
SMALL = ["--n", "8,9", "--order", "2", "--rounds", "3", "--threads", "1"]


def compare(*arguments, folder, **environment):
    return subprocess.run([sys.executable, REPOSITORY / "tools/peers/compare", *arguments], cwd=folder, text=True,
                          capture_output=True, check=False, timeout=280, env={**os.environ, **environment})


def check_quartiles(found, values):
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    assert found == pytest.approx({"median": median, "low_quartile": low, "high_quartile": high}, rel=1e-12)


def test_both_are_timed(tmp_path):
    done = compare(*SMALL, "--output", "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "out/peers.json").read_text())
    assert (record["schema"], record["threads"], record["rounds"]) == ("cubeswe-peers", 1, 3)
    assert record["jax"]["platform"] == "cpu" and record["jax"]["cores"] == 1
    assert [row["n"] for row in record["rows"]] == [8, 9]
    for row in record["rows"]:
        assert 0 < row["difference"] < 1e-12 and row["threads"] == 1
        assert len(row["jax_us"]) == len(row["cubeswe_us"]) == 3
        ratios = [jax / ours for jax, ours in zip(row["jax_us"], row["cubeswe_us"])]
        for name, values in (("jax_us_per_step", row["jax_us"]), ("cubeswe_us_per_step", row["cubeswe_us"]),
                             ("ratio", ratios)):
            assert all(value > 0 for value in values)
            check_quartiles(row[name], values)
    text = (tmp_path / "out/peers.md").read_text()
    assert text in done.stdout
    assert all(f"| {row['ratio']['median']:.2f} |" in text for row in record["rows"])


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
