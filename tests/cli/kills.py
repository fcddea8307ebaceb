"""SIGKILL at random moments: scenarios, the properties that hold after every kill, and the end of a killed run.

`validation/kill/study` runs hundreds of trials, `test_kills.py` one of each scenario.
"""
import collections
import json
import random
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from checkpoints import NOT_OF_TIME, checkpoints, digest_of_pieces, step_of
from program import HANGS, assert_same_bits, environment, field_files, read_fields, read_json, write_case

REFUSED, STOPPED = (73, 78), 75  # results of another case; its checkpoints
KEEP = 3
TIMES_OF_A_ROW = ("seconds", "step_us", "threads", "core_wait_share", "not_reliable_because")
CASE = {"grid": {"n": 12, "order": 4}, "initial": {"kind": "gaussian", "lon": 40, "lat": 30},
        "time": {"end": 0.45, "dt": 0.01}, "output": {"every": 15}, "diagnostics": {"every": 2},
        "checkpoint": {"every": 3, "keep": KEEP}}
OTHER = {**CASE, "initial": {"kind": "gaussian", "lon": 10, "lat": -20, "width": 0.3}}
WINDOWS = ["--profile=summary", "--set", "profile.start_step=4", "--set", "profile.duration=2", "--set",
           "profile.interval=12"]
RARELY = ["--set", "checkpoint.every=99"]
HALF = ["--set", "time.end=0.3"]
SHORT = ["--set", "time.end=0.02", "--profile=summary", "--set", "profile.start_step=0", "--set",
         "profile.duration=1"]


@dataclass(frozen=True)
class Scenario:
    """A command that is killed, the command that continues, and the folder before the first."""
    name: str
    template: str                    # folder of results that is there before; "": none
    reference: str                   # results of the same command, never killed
    first: Callable                  # arguments, of the trial's folder
    again: Callable
    least: float = 0.0               # the kill comes between these shares of the time of the whole command
    most: float = 1.05
    replaces: bool = False           # what is there is to be replaced
    is_study: bool = False
    also: str = ""                   # results that the first command makes: its configuration is another one


def run(*arguments, case="case.yaml"):
    return lambda folder: ["run", case, *arguments]


def from_older(folder):
    """The oldest checkpoint that exists; without another one before the end, only memory holds the rows for long."""
    oldest = checkpoints(folder / "out/checkpoints")[0]
    return ["run", "case.yaml", "--restart", str(oldest.relative_to(folder)), *RARELY]


def converge(folder):
    return ["converge", "case.yaml", "--n", "9,10,12", "--order", "2,4"]


AUTO = ("--restart", "auto")
SCENARIOS = [
    Scenario("run", "", "whole", run(*AUTO), run(*AUTO)),
    Scenario("restart", "stopped", "whole", run("--restart", "out"), run("--restart", "out")),
    Scenario("restart from an older checkpoint", "stopped", "whole", from_older, run("--restart", "out"),
             also="rare"),
    Scenario("restart to a later end", "half", "whole", run("--restart", "out"), run("--restart", "out"), also="half"),
    Scenario("overwrite", "other", "whole", run("--overwrite"), run(*AUTO), replaces=True),
    Scenario("begin of an overwrite", "other", "whole", run("--overwrite"), run(*AUTO), most=0.25, replaces=True),
    Scenario("begin of a restart", "half", "whole", run("--restart", "out"), run("--restart", "out"), most=0.25,
             also="half"),
    Scenario("converge", "", "study", converge, converge, is_study=True),
    Scenario("profile windows", "", "windows", run(*AUTO, *WINDOWS), run(*AUTO, *WINDOWS)),
    Scenario("summary", "", "short", run(*AUTO, *SHORT), run(*AUTO, *SHORT), least=0.5)]


@dataclass
class Outcome:
    """The result of a trial."""
    scenario: str
    number: int
    kills: int = 0
    moments: collections.Counter = field(default_factory=collections.Counter)
    wrong: list = field(default_factory=list)
    events: list = field(default_factory=list)


# ---- what lies in a folder of results ------------------------------------------------------------

def whole_checkpoints(folder):
    """Digests of the checkpoints by name; a manifest of an incomplete file is a loss."""
    whole, wrong = {}, []
    for path in checkpoints(folder):
        manifest = read_json(path.with_suffix(".json"))
        if path.exists() and path.stat().st_size == manifest["bytes"] and \
                digest_of_pieces(path.read_bytes()) == manifest["sha256_of_pieces"]:
            whole[path.name] = manifest["sha256_of_pieces"]
        else:
            wrong.append(f"{path.name} is not what its manifest says")
    return whole, wrong


def rows_of(folder):
    """Rows of a study; none before the first is written."""
    path = folder / "convergence.json"
    return read_json(path)["rows"] if path.exists() else []


def bytes_of(path):
    return path.read_bytes() if path.exists() else None


def windows_of(folder):
    return {path.name for path in (folder / "profile").glob("step_*")}


@dataclass
class Before:
    """The results that must not be lost."""
    whole: dict
    configuration: bytes
    summary: bytes
    rows: list
    windows: set


def recovered(out):
    """A copy of the folder in which kept results are restored, as the next command restores them."""
    copy = out.with_name("recovered")
    if copy.exists():
        shutil.rmtree(copy)
    if not (out / ".replaced").is_dir():
        return out
    shutil.copytree(out, copy)
    for folder in (copy / "checkpoints", copy / "profile", copy):
        for path in (folder / ".replaced").glob("*"):
            target = folder / path.name
            if target.is_dir():
                shutil.rmtree(target)
            path.rename(target)
    return copy


def look(out):
    out = recovered(out)
    return Before(whole_checkpoints(out / "checkpoints")[0], bytes_of(out / "configuration.yaml"),
                  bytes_of(out / "summary.json"), rows_of(out), windows_of(out))


def doing(out):
    """The file that a killed program was writing, by the names that it left."""
    names = [path.name for path in out.rglob("*")] if out.exists() else []
    for ending, what in ((".h5.tmp", "checkpoint: file"), (".json.tmp", "JSON"), (".nc.tmp", "field file"),
                         (".yaml.tmp", "configuration"), (".partial", "window of a profile"), (".tmp", "other file")):
        if any(name.endswith(ending) for name in names):
            if ending == ".json.tmp" and any(name.startswith("checkpoint_") and name.endswith(ending) for name in names):
                return "checkpoint: manifest"
            return what
    files, manifests = ({path.stem for path in (out / "checkpoints").glob(f"*{ending}")} for ending in (".h5", ".json"))
    if files != manifests:
        return "checkpoint: between file and manifest, or removing old ones"
    if not names:
        return "start: nothing is written yet"
    return "end: the summary is written" if (out / "summary.json").exists() else "steps, rows, or between files"


# ---- after a kill --------------------------------------------------------------------------------

def check_checkpoints(before, out, scenario):
    whole, wrong = whole_checkpoints(out / "checkpoints")
    if scenario.replaces:
        return wrong
    wrong += [f"{name} changed" for name in whole.keys() & before.whole.keys() if whole[name] != before.whole[name]]
    if len(whole) < min(KEEP, len(before.whole)):
        wrong.append(f"{len(before.whole)} checkpoints became {len(whole)}")
    if before.whole and max(whole, default="") < max(before.whole):
        wrong.append(f"{max(before.whole)} is lost")
    return wrong


def check_texts(before, out, references):
    """Each text is complete, or the earlier one; a configuration exists as long as a checkpoint does."""
    wrong, text = [], bytes_of(out / "configuration.yaml")
    if text not in (before.configuration, *(bytes_of(r / "configuration.yaml") for r in references)) and \
            not (text is None and not before.whole):
        wrong.append("configuration.yaml is neither the old nor the new one")
    for name in ("summary.json", "progress.json", "convergence.json"):
        try:
            json.loads(bytes_of(out / name) or b"{}")
        except ValueError as error:
            wrong.append(f"{name} is not whole: {error}")
    wrong += [f"row {row['order']}, {row['n']} is lost" for row in before.rows if row not in rows_of(out)]
    return wrong


def check_replaced(out, reference, template):
    """Until the new run has begun, all results that it replaces exist."""
    if bytes_of(out / "configuration.yaml") == bytes_of(reference / "configuration.yaml"):
        return []
    return [f"{path.relative_to(template)} is lost before the new run has begun" for path in template.rglob("*")
            if path.is_file() and path.name not in ("progress.json", "run.lock") and
            bytes_of(out / path.relative_to(template)) != path.read_bytes()]


def check_summary(before, out):
    """The summary of an ended run stays until the run that continues it has its own checkpoint."""
    newest = max(whole_checkpoints(out / "checkpoints")[0], default="")
    is_lost = before.summary is not None and not (out / "summary.json").exists()
    return ["summary.json is lost"] if is_lost and newest <= max(before.whole, default="") else []


def check_windows(before, out, scenario):
    """A window with its final name is complete; a run that starts from the beginning replaces earlier windows."""
    wrong = []
    for name in windows_of(out):
        for file in ("summary.json", "timeline.json"):
            try:
                read_json(out / "profile" / name / file)
            except (OSError, ValueError) as error:
                wrong.append(f"window {name}: {error}")
    if before.whole and not scenario.replaces:
        wrong += [f"window {name} is lost" for name in before.windows - windows_of(out)]
    return wrong


def same_fields(path, others):
    """Whether one of the other files has the same fields."""
    for other in others:
        try:
            assert_same_bits(read_fields(path), read_fields(other))
            return True
        except AssertionError:
            pass
    return False


def check_fields(out, references):
    """A file with its final name has the values of a run that was never killed."""
    return [f"{path.name} has other values" for path in field_files(out)
            if not same_fields(path, [r / path.name for r in references if (r / path.name).exists()])]


def check_kill(before, out, references, scenario):
    out = recovered(out)
    wrong = check_checkpoints(before, out, scenario) + check_texts(before, out, references) + \
        check_windows(before, out, scenario) + check_fields(out, references)
    return wrong + (check_replaced(out, *references[:2]) if scenario.replaces else check_summary(before, out))


# ---- the end -------------------------------------------------------------------------------------

def without(values, names):
    return {name: value for name, value in values.items() if name not in names}


def check_study(out, reference):
    found, expected = ([without(row, TIMES_OF_A_ROW) for row in rows_of(folder)] for folder in (out, reference))
    return [] if found == expected and read_json(out / "convergence.json")["finished"] else ["rows differ"]


def check_run(out, reference):
    wrong = []
    if (out / "diagnostics.csv").read_bytes() != (reference / "diagnostics.csv").read_bytes():
        wrong.append("diagnostics.csv differs")
    if without(read_json(out / "summary.json"), NOT_OF_TIME) != without(read_json(reference / "summary.json"), NOT_OF_TIME):
        wrong.append("summary.json differs")
    return wrong


def check_end(out, reference, scenario):
    wrong = (check_study if scenario.is_study else check_run)(out, reference)
    names = [path.name for path in field_files(reference)]
    if [path.name for path in field_files(out)] != names:
        wrong.append("field files are missing or too many")
    elif not scenario.also:
        wrong += [f"{name} has other bytes" for name in names if bytes_of(out / name) != bytes_of(reference / name)]
    # a run that was killed after its summary has ended: the next command has nothing to do
    left = [path.name for path in out.rglob("*") if path.name.endswith((".tmp", ".partial")) and
            not path.name.startswith(("progress.json.tmp", "report.html.tmp", "report.json.tmp"))]
    return wrong + ([f"left: {' '.join(left)}"] if left else [])


# ---- trials --------------------------------------------------------------------------------------

class Kills:
    """Templates and references in a folder; each trial has its own folder beside them."""

    def __init__(self, program, folder):
        self.program, self.folder = str(program), Path(folder)
        self.seconds = {}
        write_case(self.folder / "case.yaml", **CASE)
        write_case(self.folder / "other.yaml", **OTHER)
        for name, words in (("whole", run()), ("half", run(*HALF)), ("rare", run(*RARELY)), ("other", run(case="other.yaml")),
                            ("study", converge), ("windows", run(*WINDOWS)), ("short", run(*SHORT))):
            start = time.monotonic()
            self.must(words(self.folder), name)
            self.seconds[name] = time.monotonic() - start
        self.stop_half_way()

    def words(self, arguments, out="out"):
        return [self.program, *arguments, "--output", out, "--backend", "cpu", "--threads", "1", "--quiet"]

    def call(self, arguments, out="out", folder=None):
        return subprocess.run(self.words(arguments, out), cwd=folder or self.folder, env=environment(), check=False,
                              capture_output=True, text=True, timeout=HANGS, stdin=subprocess.DEVNULL)

    def must(self, arguments, out):
        done = self.call(arguments, out)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(arguments)}: {done.returncode}: {done.stderr}")

    def stop_half_way(self):
        """Results of a run that was stopped several times: it has KEEP checkpoints."""
        for _ in range(200):
            done = self.call(run(*AUTO, "--max-walltime", "0.001")(self.folder), "stopped")
            if done.returncode != STOPPED:
                raise RuntimeError(f"{done.returncode}: {done.stderr}")
            if step_of(checkpoints(self.folder / "stopped/checkpoints")[-1]) >= 20:
                return
        raise RuntimeError("the run does not come to step 20")

    def prepare(self, number, scenario):
        folder = self.folder / f"trial_{number:04d}"
        folder.mkdir()
        shutil.copy(self.folder / "case.yaml", folder)
        if scenario.template:
            shutil.copytree(self.folder / scenario.template, folder / "out")
        return folder

    def start_and_kill(self, arguments, folder, delay):
        """The exit code, -9 if it was killed, and the message."""
        with subprocess.Popen(self.words(arguments), cwd=folder, env=environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(delay)
            process.kill()
            err = process.communicate(timeout=HANGS)[1]
        return process.returncode, err.strip()

    def go_on(self, folder, scenario, outcome):
        """Run to the end. Results of another case are refused until --overwrite replaces them, whether or not
        an earlier --overwrite had begun to remove them.
        """
        done = self.call(scenario.again(folder), folder=folder)
        if scenario.replaces and done.returncode in REFUSED:
            outcome.events.append("refused, overwritten")
            done = self.call(scenario.first(folder), folder=folder)
        if done.returncode != 0:
            outcome.wrong.append(f"does not go on: {done.returncode}: {done.stderr.strip()}")
        return done.returncode == 0

    def kill_once(self, folder, scenario, arguments, delay, outcome):
        """Whether the program was killed in time."""
        out, before = folder / "out", look(folder / "out")
        references = [self.folder / name for name in (scenario.reference, scenario.template, scenario.also) if name]
        code, err = self.start_and_kill(arguments, folder, delay)
        outcome.events.append(f"{delay:.4f} s" + ("" if code == -9 else f" ended before with {code} {err}"))
        if code != -9:
            if code != 0 and not (scenario.replaces and code in REFUSED):
                outcome.wrong.append(f"does not go on: {code}: {err}")
            return False
        outcome.kills += 1
        outcome.moments[doing(out)] += 1
        outcome.wrong += check_kill(before, out, references, scenario)
        if scenario.replaces:  # the program itself also restores or removes kept results
            self.call(["run", "case.yaml", "--dry-run"], folder=folder)
            outcome.wrong += check_replaced(out, *references)
        return True

    def trial(self, seed, number, most_kills=3):
        """One scenario, killed up to `most_kills` times; its folder stays after a failure."""
        scenario = SCENARIOS[number % len(SCENARIOS)]
        rng, outcome = random.Random(f"{seed} {number}"), Outcome(scenario.name, number)
        folder, whole = self.prepare(number, scenario), self.seconds[scenario.reference]
        kills, arguments = rng.randint(1, most_kills), scenario.first(folder)
        for _ in range(20):  # a delay may be too long
            delay = rng.uniform(scenario.least * whole, scenario.most * whole)
            killed = self.kill_once(folder, scenario, arguments, delay, outcome)
            if outcome.wrong or outcome.kills == kills or (not killed and outcome.kills > 0):
                break
            if killed:
                arguments = scenario.again(folder)
                continue
            whole = delay
            shutil.rmtree(folder)
            self.prepare(number, scenario)
        if not outcome.wrong and self.go_on(folder, scenario, outcome):
            outcome.wrong += check_end(folder / "out", self.folder / scenario.reference, scenario)
        if not outcome.wrong:
            shutil.rmtree(folder)
        return outcome
