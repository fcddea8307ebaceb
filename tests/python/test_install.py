"""The content of a wheel: the sources of the package, and what the component `python` of CMake adds to them (pyproject.toml)."""
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from conftest import REPOSITORY


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    to = tmp_path_factory.mktemp("site")
    shutil.copytree(REPOSITORY / "solver/python/cubeswe", to / "cubeswe", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["cmake", "--install", Path(os.environ["CUBESWE"]).parent, "--prefix", to, "--component", "python"], check=True,
                   capture_output=True)
    return to


def run(installed, folder, *command):
    env = {name: value for name, value in os.environ.items() if not name.startswith("CUBESWE")}
    return subprocess.run(command, cwd=folder, env={**env, "PYTHONPATH": str(installed)}, capture_output=True, text=True, timeout=300)


def test_the_installed_package_is_whole(installed, tmp_path):
    done = run(installed, tmp_path, sys.executable, "-c", """
import cubeswe as cs
from cubeswe import _library, _program
assert "williamson2" in cs.cases()
print(_library.library(), _program.program())
cs.run("galewsky", "run", n=24, end="1h", device="cpu")
print(cs.Model("galewsky", n=24, device="cpu").run("1h").steps)
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(installed / "cubeswe/libcubeswe.so"), str(installed / "cubeswe/bin/cubeswe"), "7"]


def test_the_program_of_the_package_finds_ready_cases(installed, tmp_path):
    done = run(installed, tmp_path, sys.executable, "-c", """
import sys
from cubeswe._program import main
sys.argv[1:] = ["run", "williamson2", "--dry-run"]
main()
""")
    assert done.returncode == 0 and "kind: williamson2" in done.stdout, done.stderr


def test_the_metadata_of_the_package_are_true():
    meta = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    requirements = (REPOSITORY / "solver/python/requirements.txt").read_text()
    names = [*meta["project"]["dependencies"], *meta["project"]["optional-dependencies"]["all"]]
    assert [name for name in names if name != "numpy" and f"\n{name}==" not in requirements] == []
    assert (REPOSITORY / meta["tool"]["scikit-build"]["wheel"]["packages"][0] / "__init__.py").is_file()
    cmake = (REPOSITORY / "solver/CMakeLists.txt").read_text()
    assert all(f"{target} " in cmake for target in meta["tool"]["scikit-build"]["build"]["targets"])
