"""Runs in which one call fails, and the properties that hold after each.

FAULTS names the library of tests/support/faults; it is loaded before all others, so that the program
under test is the unmodified one.
"""
import errno
import os
import shutil
import struct
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from checkpoints import checkpoints, step_of
from program import (HANGS, assert_same_bits, contents, environment, final_fields, read_fields, read_json, without_load,
                     write_case)

DATA, NO_INPUT, UNAVAILABLE, INTERNAL, NO_MEMORY = 65, 66, 69, 70, 71
CANNOT_CREATE, IO, STOPPED, CONFIG = 73, 74, 75, 78

SKIPPED = 98  # the machine does not allow the library's filter

# Errors of a failed call, besides its own (tests/support/faults).
ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EACCES": errno.EACCES, "EINTR": errno.EINTR}

# Correct exit codes after a failed call; 0 where the failure does not matter.
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
# Long enough for captured graphs, which have 16 steps each.
CUDA_CASE = {**CASE, "time": {"end": 0.5, "dt": 0.01}, "output": {"every": 25}, "diagnostics": {"every": 40}}
CHECKPOINTS = ["--set", "checkpoint.every=3"]

# Scenarios of a run: from the beginning or continued, with two threads, with a profiled window.
SCENARIOS = {
    "restart": ["--threads", "1", "--restart", "out"],
    "fresh": ["--threads", "1", "--overwrite"],
    "threads": ["--threads", "2", "--restart", "out"],
    "profile": ["--threads", "1", "--restart", "out", "--profile", "--set", "profile.start_step=3"],
}


# Commands that replace results of another case, in `old`; a file that the new results do not have. The staged pipeline has no parts,
# for which a profile would run steps for two seconds.
REPLACING = {
    "replace": (["run", "case.yaml", "--backend", "cpu", "--threads", "1", *CHECKPOINTS], "fields_00000002.nc"),
    "converge": (["converge", "case.yaml", "--backend", "cpu", "--threads", "1", "--n", "9,11", "--order", "2"],
                 "fields_order2_n0012.nc"),
    "component profile": (["profile", "case.yaml", "--backend", "cpu", "--threads", "1", "--set", "grid.n=9", "--set",
                           "scheme.pipeline=staged", "--profile=summary"], None),
    "convert": (["convert", "field.nc", "--to", "latlon", "--lon", "8", "--lat", "4"], None),
}


def codes_of(call):
    """Calls of one kind are "cuda <error>" and "lock <call>", too."""
    return "cuda" if call.startswith("cuda") else call.removeprefix("lock ")


@dataclass
class Outcome:
    """The result of a run: its exit code, the library that called, and the violated property."""
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
    error: str = ""


def count_of_cuda(done):
    """Number of calls of the emulated runtime, as it reports it."""
    line = next(line for line in done.stderr.decode().splitlines() if line.startswith("cuda emulation: "))
    return int(line.split()[2])


def whole_files(folder):
    """The files that must not change: all except the lock, which names the last process, and the state of a run."""
    return {name: content for name, content in contents(folder).items()
            if not name.endswith(("run.lock", "progress.json")) and content is not None}


class Faults:
    """Runs of one case, each in its own folder."""

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
        self.old = {}

    def _old_results(self, scenario):
        """Results that a command replaces: of another time step, with a file that the new ones do not have."""
        if scenario in self.old:
            return self.old[scenario]
        words, mark = REPLACING[scenario]
        folder = self.folder / f"old {scenario}"
        folder.mkdir()
        write_case(folder / "case.yaml", **{**CASE, "time": {"end": 0.08, "dt": 0.005}, "output": {"every": 2}})
        more = ["--n", "9,12"] if scenario == "converge" else []
        shutil.copy(self.folder / "plain/fields_00000000.nc", folder / "field.nc")
        target = "out/grid.nc" if scenario == "convert" else "out"
        self._call(folder, [*words, *more, "--quiet", "--output", target], code=0)
        assert mark is None or (folder / "out" / mark).exists()
        shutil.copy(self.folder / "plain/fields_00000008.nc", folder / "field.nc")
        shutil.copy(self.folder / "case.yaml", folder)
        self.old[scenario] = folder
        if scenario == "convert":
            done = Path(shutil.copytree(folder, self.folder / "converted"))
            self._command(done, scenario)
            self.converted = [read_fields(there / "out/grid.nc") for there in (folder, done)]
        return folder

    def _call(self, folder, words, code=None, **env):
        done = subprocess.run([self.program, *words], cwd=folder, env=environment(**env), timeout=HANGS,
                              capture_output=True, stdin=subprocess.DEVNULL, check=False)
        assert code is None or done.returncode == code, done.stderr
        return done

    def _run(self, folder, output, *arguments, code=0, **env):
        return self._call(folder, ["run", "case.yaml", "--backend", self.backend, "--quiet", "--output", output,
                                   *arguments], code, **env)

    def _command(self, folder, scenario, **env):
        """Run the command of a scenario in a prepared folder."""
        if scenario not in REPLACING:
            return self._run(folder, "out", *CHECKPOINTS, *SCENARIOS[scenario], code=None, **env)
        target = "out/grid.nc" if scenario == "convert" else "out"
        return self._call(folder, [*REPLACING[scenario][0], "--quiet", "--output", target, "--overwrite"], **env)

    def _words(self, call, record, **more):
        """Environment of a run with a fault; "memory": of the program, "any memory": also of its libraries."""
        if call.startswith("cuda"):
            place = {"CUDA_EMULATION_FAIL_AT": more["FAULTS_AT"]} if more else {}
            return {"CUDA_EMULATION_FAIL_WITH": call.split()[-1], "CUDA_EMULATION_TELL_CALLS": "1", **place}
        kind = call.split()[-1]
        own = {"FAULTS_OWN": "1"} if call == "memory" else {}
        if call.startswith("lock"):
            own = {"FAULTS_PATH": "run.lock"}
        return {"LD_PRELOAD": self.library, "FAULTS_CALL": kind, "FAULTS_TOLD": str(record), **own, **more}

    def _prepare(self, name, scenario):
        folder = self.folder / name
        if scenario in REPLACING:
            return Path(shutil.copytree(self._old_results(scenario), folder))
        folder.mkdir()
        shutil.copy(self.folder / "case.yaml", folder)
        if scenario != "fresh":
            shutil.copytree(self.folder / "out", folder / "out")
        return folder

    def count(self, call, scenario):
        """Number of calls of a run; None if the machine does not allow the filter."""
        folder = self._prepare(f"count-{call}-{scenario}".replace(" ", "-"), scenario)
        record = folder / "record"
        done = self._command(folder, scenario, **self._words(call, record))
        if done.returncode == SKIPPED:
            shutil.rmtree(folder)
            return None
        assert done.returncode == 0, done.stderr
        if scenario not in REPLACING:
            assert_same_bits(final_fields(folder / "out"), self.expected)
        if call.startswith("cuda"):
            count = count_of_cuda(done)
        else:
            count, = struct.unpack("<Q", record.read_bytes()[:8])
        shutil.rmtree(folder)
        return count

    def fail(self, call, scenario, place, then, error=""):
        """Let one call fail, with an error of ERRORS or its own; returns the outcome."""
        folder = self._prepare(f"{call}-{scenario}-{then}-{error}-{place}".replace(" ", "-"), scenario)
        record = self.folder / f"{folder.name}.record"
        more = {"FAULTS_ERRNO": str(ERRORS[error])} if error else {}
        try:
            done = self._command(folder, scenario, **self._words(call, record, FAULTS_AT=str(place),
                                                                 FAULTS_THEN=then, **more))
            code, lines = done.returncode, without_load(done.stderr.decode(errors="replace")).splitlines()
            lines = [line for line in lines if not line.startswith("cuda emulation: ")]
        except subprocess.TimeoutExpired:
            code, lines = None, []
        known = record.read_bytes() if record.exists() else struct.pack("<QQ240s256s", 0, 1, b"", b"")
        _, failed, *libraries = struct.unpack("<QQ240s256s", known)
        library, crashed = (Path(name.split(b"\0")[0].decode()).name for name in libraries)
        outcome = Outcome(call, scenario, place, then, code, failed, library, crashed, lines, "", error)
        try:
            self._check(folder, outcome)
        except (AssertionError, OSError, KeyError, IndexError, ValueError,
                subprocess.TimeoutExpired) as error:
            outcome.wrong = f"{type(error).__name__}: {error}".splitlines()[0]
        record.unlink(missing_ok=True)
        if not outcome.wrong:
            shutil.rmtree(folder)
        return outcome

    def _check(self, folder, outcome):
        unfinished = [path.name for path in folder.rglob("*.tmp")]
        if outcome.scenario in REPLACING:
            self._check_replaced(folder, outcome)
        else:
            if outcome.code == 0:
                assert_same_bits(final_fields(folder / "out"), self.expected)
            if outcome.scenario != "fresh":
                self._check_restart(folder)
        assert outcome.code is not None, "the run hangs"
        assert outcome.code >= 0, f"ended by signal {-outcome.code} in {outcome.crashed}"
        messages = [line for line in outcome.lines if not line.startswith("cubeswe: warning: ")]
        assert outcome.code in TRUE_CODES[codes_of(outcome.call)], f"exit code {outcome.code}: {messages}"
        assert len(messages) == (outcome.code != 0), f"{len(messages)} lines"
        assert not messages or messages[0].startswith("cubeswe: ") and messages == outcome.lines[-1:], messages
        assert outcome.code == 0 or not unfinished or outcome.then == "always", unfinished

    def _check_restart(self, folder):
        """The earlier checkpoint, or a later one, restarts to the same bits."""
        found = checkpoints(folder / "out/checkpoints")
        assert found, "no checkpoint is left"
        done = self._run(folder, "out", "--threads", "1", "--restart", "out", *CHECKPOINTS, code=None)
        assert done.returncode == 0, f"no restart from step {step_of(found[-1])}: {done.stderr[:200]}"
        assert_same_bits(final_fields(folder / "out"), self.expected)

    def _check_replaced(self, folder, outcome):
        """All earlier results exist, or the new ones have begun and the command can continue."""
        words, mark = REPLACING[outcome.scenario]
        if outcome.scenario == "convert":
            old, new = (all((found := read_fields(folder / "out/grid.nc"))[name].tobytes() == values.tobytes()
                            for name, values in expected.items()) for expected in self.converted)
            assert new if outcome.code == 0 else old or new, "neither file is whole"
            return
        out = folder / "out"
        if outcome.code != 0 and (out / ".replaced").exists():  # the failure also prevented the restoration
            assert outcome.then == "always", "old results stay aside"
            self._call(folder, [*words, "--quiet", "--output", "out"])
        if whole_files(out) == whole_files(self._old_results(outcome.scenario) / "out"):
            assert outcome.code != 0
            return
        assert mark is None or not (out / mark).exists(), "old results beside new ones"
        if outcome.scenario == "replace":
            assert (out / "fields_00000000.nc").exists(), "the old results are gone, and new ones have not begun"
            return
        record = read_json(out / ("convergence.json" if outcome.scenario == "converge" else "profile.json"))
        assert record["finished"] or outcome.code != 0
        self._call(folder, [*words, "--quiet", "--output", "out"], code=0)

    def fail_all(self, trials, workers):
        """Outcomes of (call, scenario, place, then), in their order."""
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(lambda trial: self.fail(*trial), trials))
