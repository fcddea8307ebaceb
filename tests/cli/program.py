"""The program under test, its cases and its results.

CUBESWE names the program, CUBESWE_EMULATED a build of it whose backend "cuda" is emulated, CUBESWE_SLOWED one whose
gradient is slower by CUBESWE_SLOWED_PERCENT.
"""
import csv
import json
import os
import re
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import h5py
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

# Results must not depend on a GPU or a CUDA toolkit that happens to be there (NVIDIA's libcupti has threads
# at which the leak sanitizer may stumble); threads that wait must not spin.
ENVIRONMENT = {"CUDA_VISIBLE_DEVICES": "", "CUBESWE_CUPTI_LIBRARY": "/nowhere/libcupti.so",
               "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2", "CUBESWE_TUNING": "peaks=0,patience=5"}  # measurements take seconds of each run

HANGS = 300    # seconds after which a program is assumed to hang: sanitizers on a busy machine are slow

IS_BUSY = "peak rates are left out, because they are not reliable"

DEFAULT_CASE = {"grid": {"n": 12, "order": 4}, "initial": {"kind": "gaussian"},
                "time": {"end": 0.1, "courant": 0.2}}


# HDF5 1.10 loses 424 bytes where it cannot open a damaged dataset.
OF_DAMAGE = {"ASAN_OPTIONS": "intercept_tls_get_addr=0:detect_leaks=0"}


def without_load(err):
    """Lines on stderr without the warning that depends on the load of the machine."""
    return "".join(line for line in err.splitlines(keepends=True) if IS_BUSY not in line)


def path_of(variable):
    """The program that an environment variable names."""
    path = os.environ.get(variable, "")
    if not os.access(path, os.X_OK):
        pytest.fail(f"{variable} must name the program under test, and is '{path}'", pytrace=False)
    return os.path.abspath(path)


def environment(**changes):
    """Environment of the program; None removes a variable."""
    merged = {**os.environ, **ENVIRONMENT, **changes}
    return {name: value for name, value in merged.items() if value is not None}


def skip_if_runtime_writes_more(run, most):
    """Skip a test whose limit for files is below the 1024 bytes of shared memory that clang's OpenMP runtime writes."""
    libraries = subprocess.run(["ldd", run.path], capture_output=True, text=True).stdout
    if most < 1024 and "libomp" in libraries:
        pytest.skip("clang's OpenMP runtime writes 1024 bytes of shared memory when it starts")


class Program:
    """A program that runs in a folder."""

    def __init__(self, variable, folder):
        self.path, self.folder = path_of(variable), folder

    def __call__(self, *arguments, timeout=HANGS, env=None, **options):
        """Run; the exit code, stdout, stderr and its lines."""
        done = subprocess.run([self.path, *map(str, arguments)], cwd=self.folder, timeout=timeout,
                              env=environment(**(env or {})), stdin=subprocess.DEVNULL,
                              **{"capture_output": True, **options})
        out, err = ((text or b"").decode() for text in (done.stdout, done.stderr))
        err = without_load(err)
        return SimpleNamespace(code=done.returncode, out=out, err=err, lines=err.splitlines())

    def start(self, *arguments):
        """Start without waiting; returns the process, whose streams are texts."""
        return subprocess.Popen([self.path, *map(str, arguments)], cwd=self.folder, env=environment(),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)

    def solve(self, case, output, *arguments, command="run", backend="cpu", **options):
        """Run a case that must succeed; its output folder."""
        done = self(command, case, "--output", output, "--backend", backend, "--quiet", *arguments,
                    **options)
        assert done.code == 0, done.err
        return Path(self.folder) / output


def wait_for(condition, seconds=HANGS):
    """Test a condition a hundred times a second until it holds."""
    for _ in range(int(100 * seconds)):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("waited in vain")


def write_case(path, **sections):
    """Write a case file; each section replaces the section of the default case."""
    merged = {**DEFAULT_CASE, **sections}
    lines = [f"{name}: {json.dumps(keys)}\n" for name, keys in merged.items()]
    Path(path).write_text("".join(lines))
    return path


def write_state(path, **fields):
    """An HDF5 file with the fields of a state."""
    with h5py.File(path, "w") as file:
        for name, values in fields.items():
            file[name] = values
    return path


def damage(path, name):
    """Flip a bit of the header of a dataset, which HDF5's checksum finds."""
    with h5py.File(path) as file:
        at = h5py.h5o.get_info(file[name].id).addr
    content = bytearray(Path(path).read_bytes())
    assert content[at:at + 4] == b"OHDR"
    content[at + 24] ^= 1
    Path(path).write_bytes(content)


def field_files(directory):
    """Field files of a run, by step."""
    return sorted(Path(directory).glob("fields_*.nc"))


def read_fields(path):
    """All datasets with values, without their leading dimension of time."""
    with h5py.File(path) as file:
        arrays = {name: item[()] for name, item in file.items() if item.shape}
    return {name: x[0] if x.ndim == 4 else x for name, x in arrays.items()}


def final_fields(directory):
    """Datasets of the last field file of a run."""
    return read_fields(field_files(directory)[-1])


def assert_same_bits(found, expected):
    """Two sets of datasets are equal to the last bit."""
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name].tobytes() == values.tobytes(), f"{name} differs"


def read_json(path):
    content = json.loads(Path(path).read_text())
    if "warnings" in content:
        content["warnings"] = [line for line in content["warnings"] if IS_BUSY not in line]
    return content


def drawn_by(page):
    """The document within a page, which the script of the page draws."""
    text, = re.findall('<script type="application/json" id="document">(.*?)</script>',
                       Path(page).read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(text)


def read_csv(path):
    """Rows of a CSV file as dictionaries of numbers; an empty cell is None."""
    with open(path, newline="") as file:
        return [{key: float(text) if text else None for key, text in row.items()}
                for row in csv.DictReader(file)]


def contents(folder):
    """Every path below a folder, with the content of files."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in Path(folder).rglob("*")}
