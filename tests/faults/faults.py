"""Runs in which one call fails, and what must hold after each.

FAULTS names the library of tests/support/faults; it is loaded before all others, so that the program
under test is the one that users have.
"""
import os
import shutil
import struct
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from checkpoints import checkpoints, step_of
from program import HANGS, assert_same_bits, environment, final_fields, write_case

DATA, NO_INPUT, UNAVAILABLE, INTERNAL, NO_MEMORY = 65, 66, 69, 70, 71
CANNOT_CREATE, IO, STOPPED, CONFIG = 73, 74, 75, 78

SKIPPED = 98  # the machine does not allow the library's filter

# Exit codes that tell the truth about a call that failed; 0 where it did not matter.
TRUE_CODES = {
    "write": {0, IO, CANNOT_CREATE},
    "fsync": {0, IO},
    "rename": {0, IO, CANNOT_CREATE},
    "truncate": {0, IO, CANNOT_CREATE},
    "close": {0, IO, CANNOT_CREATE},
    "open": {0, DATA, NO_INPUT, CANNOT_CREATE, IO},
    "read": {0, DATA, NO_INPUT, CONFIG, IO, CANNOT_CREATE},
    "memory": {0, DATA, NO_INPUT, INTERNAL, NO_MEMORY, CANNOT_CREATE, IO, CONFIG},
    "cuda": {0, UNAVAILABLE, INTERNAL, NO_MEMORY},
    "any memory": {0, DATA, NO_INPUT, INTERNAL, NO_MEMORY, CANNOT_CREATE, IO, CONFIG},
}

CASE = {"grid": {"n": 12, "order": 4}, "initial": {"kind": "gaussian"},
        "time": {"end": 0.08, "dt": 0.01}, "output": {"every": 4}, "diagnostics": {"every": 3}}
# Long enough for recorded sequences of steps, which have 16 each.
CUDA_CASE = {**CASE, "time": {"end": 0.5, "dt": 0.01}, "output": {"every": 25}, "diagnostics": {"every": 40}}
CHECKPOINTS = ["--set", "checkpoint.every=3"]

# What a run does besides: begins anew or goes on, with two threads, with a window profiled.
SCENARIOS = {
    "restart": ["--threads", "1", "--restart", "out"],
    "fresh": ["--threads", "1", "--overwrite"],
    "threads": ["--threads", "2", "--restart", "out"],
    "profile": ["--threads", "1", "--restart", "out", "--profile", "--set", "profile.start_step=3"],
}


def codes_of(call):
    """Calls of one kind are "cuda <error>" and "lock <call>", too."""
    return "cuda" if call.startswith("cuda") else call.removeprefix("lock ")


@dataclass
class Outcome:
    """What came of a run: its exit code, the library that made the call, and what is wrong."""
    call: str
    scenario: str
    place: int
    then: str
    code: int
    failed: int
    library: str
    crashed: str
    lines: list
    wrong: str


def count_of_cuda(done):
    """Calls of the emulated runtime, as it tells them."""
    line = next(line for line in done.stderr.decode().splitlines() if line.startswith("cuda emulation: "))
    return int(line.split()[2])


class Faults:
    """Runs of one case, each in a folder of its own."""

    def __init__(self, program, library, folder, backend="cpu"):
        self.program, self.library = os.path.abspath(program), os.path.abspath(library)
        self.backend = backend
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        write_case(self.folder / "case.yaml", **(CUDA_CASE if backend == "cuda" else CASE))
        self._run(self.folder, "plain", "--threads", "1", *CHECKPOINTS)
        self.expected = final_fields(self.folder / "plain")
        done = self._run(self.folder, "out", "--threads", "1", *CHECKPOINTS, "--max-walltime", "0.001",
                         code=STOPPED)
        assert len(checkpoints(self.folder / "out/checkpoints")) == 1, done.stderr

    def _run(self, folder, output, *arguments, code=0, **env):
        done = subprocess.run(
            [self.program, "run", "case.yaml", "--backend", self.backend, "--quiet", "--output", output,
             *arguments], cwd=folder, env=environment(**env), timeout=HANGS, capture_output=True,
            stdin=subprocess.DEVNULL, check=False)
        assert code is None or done.returncode == code, done.stderr
        return done

    def _words(self, call, told, **more):
        """Environment of a run with a fault; memory is the program's own, or that of its libraries, too."""
        if call.startswith("cuda"):
            place = {"CUDA_EMULATION_FAIL_AT": more["FAULTS_AT"]} if more else {}
            return {"CUDA_EMULATION_FAIL_WITH": call.split()[-1], "CUDA_EMULATION_TELL_CALLS": "1", **place}
        kind = call.split()[-1]
        own = {"FAULTS_OWN": "1"} if call == "memory" else {}
        if call.startswith("lock"):
            own = {"FAULTS_PATH": "run.lock"}
        return {"LD_PRELOAD": self.library, "FAULTS_CALL": kind, "FAULTS_TOLD": str(told), **own, **more}

    def _prepare(self, name, scenario):
        folder = self.folder / name
        folder.mkdir()
        shutil.copy(self.folder / "case.yaml", folder)
        if scenario != "fresh":
            shutil.copytree(self.folder / "out", folder / "out")
        return folder

    def count(self, call, scenario):
        """Calls that a run makes; None where the machine does not allow the filter."""
        folder = self._prepare(f"count-{call}-{scenario}".replace(" ", "-"), scenario)
        told = folder / "told"
        done = self._run(folder, "out", *CHECKPOINTS, *SCENARIOS[scenario], code=None,
                         **self._words(call, told))
        if done.returncode == SKIPPED:
            shutil.rmtree(folder)
            return None
        assert done.returncode == 0, done.stderr
        assert_same_bits(final_fields(folder / "out"), self.expected)
        if call.startswith("cuda"):
            count = count_of_cuda(done)
        else:
            count, = struct.unpack("<Q", told.read_bytes()[:8])
        shutil.rmtree(folder)
        return count

    def fail(self, call, scenario, place, then):
        """Let the call of a place fail; what came of it."""
        folder = self._prepare(f"{call}-{scenario}-{then}-{place}".replace(" ", "-"), scenario)
        told = folder / "told"
        try:
            done = self._run(folder, "out", *CHECKPOINTS, *SCENARIOS[scenario], code=None,
                             **self._words(call, told, FAULTS_AT=str(place), FAULTS_THEN=then))
            code, lines = done.returncode, done.stderr.decode(errors="replace").splitlines()
            lines = [line for line in lines if not line.startswith("cuda emulation: ")]
        except subprocess.TimeoutExpired:
            code, lines = None, []
        known = told.read_bytes() if told.exists() else struct.pack("<QQ240s256s", 0, 1, b"", b"")
        _, failed, *libraries = struct.unpack("<QQ240s256s", known)
        library, crashed = (Path(name.split(b"\0")[0].decode()).name for name in libraries)
        outcome = Outcome(call, scenario, place, then, code, failed, library, crashed, lines, "")
        try:
            self._check(folder, outcome)
        except (AssertionError, OSError, KeyError, IndexError, ValueError,
                subprocess.TimeoutExpired) as error:
            outcome.wrong = f"{type(error).__name__}: {error}".splitlines()[0]
        if not outcome.wrong:
            shutil.rmtree(folder)
        return outcome

    def _check(self, folder, outcome):
        unfinished = [path.name for path in folder.rglob("*.tmp")]
        if outcome.code == 0:
            assert_same_bits(final_fields(folder / "out"), self.expected)
        if outcome.scenario != "fresh":
            self._check_restart(folder)
        assert outcome.code is not None, "the run hangs"
        assert outcome.code >= 0, f"ended by signal {-outcome.code} in {outcome.crashed}"
        told = [line for line in outcome.lines if not line.startswith("cubeswe: warning: ")]
        assert outcome.code in TRUE_CODES[codes_of(outcome.call)], f"exit code {outcome.code}: {told}"
        assert len(told) == (outcome.code != 0), f"{len(told)} lines"
        assert not told or told[0].startswith("cubeswe: ") and told == outcome.lines[-1:], told
        assert outcome.code == 0 or not unfinished or outcome.then == "always", unfinished

    def _check_restart(self, folder):
        """The checkpoint from before, or a later one, goes on to the same bits."""
        found = checkpoints(folder / "out/checkpoints")
        assert found, "no checkpoint is left"
        done = self._run(folder, "out", "--threads", "1", "--restart", "out", *CHECKPOINTS, code=None)
        assert done.returncode == 0, f"no restart from step {step_of(found[-1])}: {done.stderr[:200]}"
        assert_same_bits(final_fields(folder / "out"), self.expected)

    def fail_all(self, trials, workers):
        """Outcomes of (call, scenario, place, then), in their order."""
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(lambda trial: self.fail(*trial), trials))
