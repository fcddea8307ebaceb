"""The lines of solver/python/README.md, in its order and one namespace."""
import os
import re

import cubeswe as cs
import matplotlib
import pytest

from conftest import REPOSITORY

PAGE = REPOSITORY / "solver/python/README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.S | re.M)


def test_every_line_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    assert len(BLOCKS) == 5
    names = {}
    for block in BLOCKS:
        exec(compile(block, str(PAGE), "exec"), names)
    assert capsys.readouterr().out.count("\n") == 6  # three lines of print(m), three times
    assert {"fields.nc", "roll_up.png", "run1", "run2"} <= set(os.listdir(tmp_path))


def test_the_page_names_what_there_is():
    text = PAGE.read_text()
    assert not [name for name in cs.__all__ if name not in ("Profile", "Study", "seconds", "version") and f"cs.{name}" not in text]


@pytest.mark.parametrize("name", cs.__all__)
def test_public_names_have_a_description(name):
    assert name in ("EARTH", "version") or getattr(cs, name).__doc__
