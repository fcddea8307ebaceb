"""Fixtures: profiles on disk and their reports."""
import json
import os
import pathlib
import subprocess

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCHEMA = json.loads((ROOT / "profiling/window/summary/summary.schema.json").read_text())
NO_INPUT, BAD_DATA = 1, 2


@pytest.fixture
def profile(tmp_path):
    """Write summaries as windows of a profile; its folder."""
    def write(*summaries):
        for data in summaries:
            jsonschema.Draft202012Validator(SCHEMA).validate(data)
            window = tmp_path / "profile" / f"step_{data['window']['first_step']:08}"
            window.mkdir(parents=True)
            (window / "summary.json").write_text(json.dumps(data))
        return tmp_path
    return write


@pytest.fixture
def dump():
    """The report of a folder as JSON, or as text with the argument "text"."""
    def run(folder, *arguments):
        done = subprocess.run([os.environ["DUMP_REPORT"], folder, *arguments], capture_output=True,
                              text=True, encoding="utf-8")
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout if arguments else json.loads(done.stdout)
    return run


@pytest.fixture
def refused():
    """Assert that loading fails with this status and one line that contains the words."""
    def run(folder, status, *words):
        done = subprocess.run([os.environ["DUMP_REPORT"], folder], capture_output=True, text=True,
                              timeout=60)
        assert (done.returncode, done.stdout) == (status, "")
        assert len(done.stderr.splitlines()) == 1
        assert [word for word in words if word not in done.stderr] == [], done.stderr
    return run
