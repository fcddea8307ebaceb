"""Programs on several ranks, started by mpirun."""
import os
import shlex
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from program import HANGS, environment, without_load

# Open MPI: run as root in a container, put more ranks than cores on a machine, and let ranks that wait give up the core. A rank has
# one thread unless a test says more: ranks share few cores.
# It loses memory, which is no leak of the program (the other setting: tests/CMakeLists.txt).
SETTINGS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1", "OMP_NUM_THREADS": "1", "ASAN_OPTIONS": "intercept_tls_get_addr=0:detect_leaks=0"}
LAUNCHER = os.environ.get("MPIRUN", "")

needs_mpi = pytest.mark.skipif(LAUNCHER == "", reason="this build has no MPI (-DCUBESWE_MPI=ON)")


def line_of(program, ranks, *arguments):
    return [LAUNCHER, "-n", str(ranks), program.path, *map(str, arguments)]


def call(program, ranks, *arguments, env=None):
    """Run on ranks. Returns the exit code and the lines on standard error, without the note of shared cores."""
    return call_line(program, line_of(program, ranks, *arguments), env)


def call_with_other(program, ranks, before, *arguments, env=None):
    """Run on ranks, of which the last one begins with lines of a shell."""
    words = " ".join(map(shlex.quote, (program.path, *map(str, arguments))))
    line = [*line_of(program, ranks - 1, *arguments), ":", "-n", "1", "sh", "-c", f"{before}; exec {words}"]
    return call_line(program, line, env)


def call_line(program, line, env=None):
    done = subprocess.run(line, cwd=program.folder, capture_output=True, text=True,
                          timeout=HANGS, env=environment(**{**SETTINGS, **(env or {})}), stdin=subprocess.DEVNULL, check=False)
    lines = [line for line in without_load(done.stderr).splitlines()
             if line.startswith("cubeswe: ") and not line.startswith("cubeswe: note: ranks share cores")]
    return SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr, lines=lines)


def start(program, ranks, *arguments):
    """Start without waiting; the ranks are in a group of processes of their own."""
    return subprocess.Popen(line_of(program, ranks, *arguments), cwd=program.folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(**SETTINGS))


def solve(program, ranks, case, output, *arguments, backend="cpu", env=None):
    """Run a case that must succeed; its folder."""
    done = call(program, ranks, "run", case, "--output", output, "--backend", backend, "--quiet", *arguments, env=env)
    assert done.code == 0, done.err
    return program.folder / output


def number_of(process):
    """The number of a rank, by what its launcher told it."""
    words = Path(f"/proc/{process}/environ").read_text().split("\0")
    number, = (word.split("=")[1] for word in words if word.startswith(("OMPI_COMM_WORLD_RANK=", "PMI_RANK=")))
    return int(number)


def processes_of(run):
    """Process numbers of the program's ranks."""
    found = subprocess.run(["pgrep", "-f", f"^{run.path} run .*--output {run.folder}/"], capture_output=True, text=True,
                               check=False)
    return list(map(int, found.stdout.split()))


def ranks_of(run):
    """The same in the order of the ranks, all of which run."""
    return sorted(processes_of(run), key=number_of)
