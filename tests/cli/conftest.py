"""Fixtures: the programs, cases in a fresh folder, and refusals that leave nothing behind."""
import contextlib
import os
import shutil

import pytest

import live
from pipelines import CALLS
from program import Program, contents, write_case


# each set of parameters is another input to a reader of files
OF_READERS = {"test_hostile_files", "test_input", "test_attributes", "test_unreadable", "test_restart_damage", "test_old_files"}


def pytest_collection_modifyitems(config, items):
    """In a build with sanitizers a test has its first and its last set of parameters: the release runs them all, and what the
    others compute differently runs the same code.
    """
    if os.environ.get("CUBESWE_SANITIZED") != "ON":
        return
    of = {}
    for item in items:
        of.setdefault((item.module.__name__, item.originalname), []).append(item)
    left = {item for (module, _), all_of in of.items() if module not in OF_READERS for item in all_of[1:-1]}
    config.hook.pytest_deselected(items=[item for item in items if item in left])
    items[:] = [item for item in items if item not in left]


@pytest.fixture
def run(request, tmp_path):
    """Run the program, or the PROGRAM of a module, in a fresh folder: run(*arguments), run.solve(case, output, *arguments)."""
    return Program(getattr(request.module, "PROGRAM", "CUBESWE"), tmp_path)


@pytest.fixture
def run_emulated(tmp_path):
    """Likewise the program whose backend "cuda" is emulated."""
    return Program("CUBESWE_EMULATED", tmp_path)


@pytest.fixture
def run_slowed(tmp_path):
    """Likewise the program whose gradient is slower by CUBESWE_SLOWED_PERCENT."""
    return Program("CUBESWE_SLOWED", tmp_path)


@pytest.fixture(scope="module")
def solved_once(tmp_path_factory):
    """Run a command with a case, once for all tests of a module that read its results: solved_once(variable of the program,
    sections of the case, command, *arguments, **environment). Returns the folder and the outcome.
    """
    outcomes = {}

    def of(variable, sections, command, *arguments, **env):
        key = repr((variable, sections, command, arguments, env))
        if key not in outcomes:
            case = write_case(tmp_path_factory.mktemp("solved") / "case.yaml", **sections)
            outcomes[key] = case.parent, Program(variable, case.parent)(command, case.name, "--quiet", *arguments, env=env)
        assert outcomes[key][1].code == 0, outcomes[key][1].err
        return outcomes[key]
    return of


@pytest.fixture
def solved(solved_once, tmp_path):
    """Likewise; returns the outcome. The folder of the test gets a copy of the case and of the results."""
    def of(*words, **env):
        folder, done = solved_once(*words, **env)
        shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
        return done
    return of


@pytest.fixture(params=CALLS)
def pipeline(request):
    """Each pipeline in turn, by its name."""
    return request.param


@pytest.fixture
def case(tmp_path):
    """Write a case: case(name="case", **sections); its file name."""
    def write(name="case", **sections):
        return write_case(tmp_path / f"{name}.yaml", **sections).name
    return write


@pytest.fixture
def refuses(run, tmp_path):
    """Check that a call fails with a code and one line that has all words, leaving nothing."""
    def check(code, words, *arguments, program=run, **options):
        before = contents(tmp_path)
        done = program(*arguments, **options)
        assert done.code == code, (done.code, done.err)
        assert len(done.lines) == 1 and done.err.startswith("cubeswe: "), done.err
        assert done.err[:-1].isprintable(), done.err
        assert not [word for word in words if word not in done.err], done.err
        assert done.out == ""
        assert contents(tmp_path) == before
    return check


@pytest.fixture
def endless_run(run, case):
    """Start a run that does not end by itself; returns its process and its folder after its first steps."""
    with contextlib.ExitStack() as started:
        def start(*arguments, folder="out"):
            process = live.running(run, case(**live.ENDLESS), "--quiet", *arguments, output=folder)
            return started.enter_context(process), run.folder / folder
        yield start
