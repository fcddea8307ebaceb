"""Includes flow downward: a folder of solver/ uses the folders above it in the list of solver/README.md and none below.

The profiler uses the solver's base/ alone; of the profiler the solver below the command line uses profiler.h alone.
"""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SOURCES = {".c", ".h", ".cu"}
# file: the folder below that it includes, and the reason
EXCEPTIONS = {
    "solver/stages/cost.c": ("time", "the shape of a state's buffers has the states of a step"),
}


def layers():
    """The folders of solver/ in the order of the table of solver/README.md."""
    rooms = (ROOT / "solver/README.md").read_text().split("## The rooms")[1].split("\n## ")[0]
    return re.findall(r"^\| \[(\w+)/\]", rooms, re.M)


def includes(folder):
    """(path of the source, included path) of every quoted include of a file of this project."""
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in SOURCES:
            for name in re.findall(r'^\s*#\s*include "([^"]+)"', path.read_text(), re.M):
                yield str(path.relative_to(ROOT)), name


def test_the_list_of_folders_is_complete():
    folders = {path.name for path in (ROOT / "solver").iterdir() if path.is_dir()}
    assert set(layers()) == folders


def test_no_folder_of_the_solver_uses_one_below_it():
    order = layers()
    wrong = []
    for path, name in includes("solver"):
        folder, included = path.split("/")[1], name.split("/")[0]
        if included in order and order.index(included) > order.index(folder):
            if EXCEPTIONS.get(path, ("",))[0] != included:
                wrong.append(f"{path} includes {name}")
    assert not wrong


@pytest.mark.parametrize("path", EXCEPTIONS)
def test_an_exception_is_needed(path):
    used = {name.split("/")[0] for source, name in includes("solver") if source == path}
    assert EXCEPTIONS[path][0] in used


def test_the_profiler_uses_base_alone_of_the_solver():
    solver = set(layers()) - {"base"}
    wrong = [f"{path} includes {name}" for path, name in includes("profiling") if name.split("/")[0] in solver]
    assert not wrong


def test_the_solver_below_the_command_line_uses_one_header_of_the_profiler():
    parts = {path.name for path in (ROOT / "profiling").iterdir() if path.is_dir()}
    wrong = [
        f"{path} includes {name}"
        for path, name in includes("solver")
        if name.split("/")[0] in parts and not path.startswith("solver/cli/")
    ]
    assert not wrong
    assert any(name == "profiler.h" for _, name in includes("solver"))


def test_numbers_enter_json_as_null_where_they_are_not_finite():
    """json_real and the format f of json_pack return NULL for NaN, which reads as a lack of memory."""
    wrong = []
    for path in [*(ROOT / "solver").rglob("*.c"), *(ROOT / "profiling").rglob("*.c")]:
        text = path.read_text()
        formats = re.findall(r'json_pack\(\s*((?:"[^"]*"\s*)+)', text)
        if any("f" in text for text in formats) or (path.name != "json.c" and re.search(r"\bjson_real\(", text)):
            wrong.append(str(path.relative_to(ROOT)))
    assert not wrong
