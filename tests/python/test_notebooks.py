"""The pages of solver/python/notebooks run from top to bottom, and draw the pictures that they show."""
import os
import re
import shutil

import matplotlib
import pytest

from conftest import OPEN_MPI, REPOSITORY

FOLDER = REPOSITORY / "solver/python/notebooks"


@pytest.mark.parametrize("page", sorted(FOLDER.glob("*.md")), ids=lambda page: page.stem)
def test_a_page_runs(page, tmp_path, monkeypatch):
    text = page.read_text()
    if "ranks=" in text:
        if not os.environ.get("MPIRUN") or shutil.which("mpirun") is None:
            pytest.skip("no MPI")
        for name, value in OPEN_MPI.items():
            monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    names = {}
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)
    assert blocks
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
    shown = re.findall(r"\]\((\w+\.png)\)", text)
    assert sorted(shown) == sorted(name for name in os.listdir(tmp_path) if name.endswith(".png"))
    assert all((FOLDER / name).is_file() for name in shown)
