"""Every command of the README files runs on a clean clone, at a smaller size.

A page runs from top to bottom in a copy of the repository that has no results, as a reader would paste it. Its results lie below
output/, in folders that no other page uses: the pages run in any order in one clone. Variables hold within a block. Commands are

- each line of a code block without a language (a block that is no command names one, such as ```text), and
- each code span that starts with a program of PROGRAMS and names a file, or is a script of tools/ or validation/ with
  arguments or named `run`. Spans with placeholders (FILE, <results>, [...]) are none.

SMALLER makes them cheap. Of runs with a profile that differ only in the folder of their results one runs, and the others get a copy of
its results: each measures the rates of the machine, which takes seconds. A command that cannot run here is one of NOT_RUN, with the reason. Everything else must end with
exit code 0; entries of both tables that match no command fail, too.
"""
import os
import re
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace

import pytest

import mpi
from program import HANGS, REPOSITORY, environment, path_of

PAGES = ["README.md", "config/README.md", "config/batch/README.md", "profiling/README.md", "validation/README.md",
         "solver/files/checkpoint/README.md", "tools/README.md", "tools/peers/README.md",
         *sorted(str(path.relative_to(REPOSITORY)) for path in REPOSITORY.glob("validation/**/README.md")
                 if path.parent.name != "validation")]

PROGRAMS = r"(cubeswe|build/release/cubeswe|tools/\S+|validation/\S+|tests/\S+|ncdump|cdo|dot|go|python3|/usr/bin/python3|\.venv/\S+)$"

# Pattern and replacement, applied in turn.
SMALLER = [
    (r"grid\.n=\d+", "grid.n=24"),
    (r"(cubeswe (?:run|profile) config/\w+\.yaml)(?!.*grid\.n=)", r"\1 --set grid.n=24"),
    (r"(cubeswe converge .*)--n [\d,]+", r"\1--n 15,24"),
    (r"(validation/converge .*)--n [\d,]+", r"\1--n 15,24"),
    (r"(cubeswe bench .*)--n [\d,]+", r"\1--n 15"),
    (r"(cubeswe bench .*)--order 2,4,6", r"\1--order 4"),
    (r"_n0384\.nc", "_n0024.nc"),
    (r"(\S+/)fields_\d{8}\.nc", r"$(ls \1fields_*.nc | tail -n 1)"),        # the last one, whatever its step is now
    (r"time\.end=0\.\d+", "time.end=0.5"),                                 # as many steps as a window needs
    (r"profile\.interval=\d+", "profile.interval=20"),
    (r"START_STEP=100", "START_STEP=20"),
    (r"--fail-above 5%", ""),                                               # depends on the load of the machine
    (r"validation/conservation/run", "validation/conservation/run --set grid.n=26"),
    (r"(mpirun .*config/galewsky\.yaml|run output/own_fields/case\.yaml)", r"\1 --set time.end=43200"),
    (r"run output/gyre/case\.yaml --set time\.end=20d", "run output/gyre/case.yaml --set time.end=1d"),
    (r"--error 5\.85e-9", "--error 1e-6"),
]

# Pattern of the whole command, the reason, and the commands that make what later ones need.
MAIN_JOB = ("build/release/cubeswe converge config/gaussian_seed.yaml --n 15,24 --order 4 "
            "--output output/gaussian_seed_convergence")
MINUTES = "takes minutes"
NOT_RUN = [
    (r"tools/quickstart( --mpi)?", "set-up: installs packages and builds", MAIN_JOB),
    (r"tools/(bundle|check-gpu) .*", "for a machine with a GPU", None),
    (r"tools/test", "set-up: installs packages and runs all tests", None),
    (r"tools/install-dependencies \w+", "installs packages", None),
    (r"tools/build-libraries \S+|\. \S+/environment", "downloads sources and builds them", None),
    (r".*\.venv/bin/pip install .*", "downloads packages", None),
    (r"tools/build --target cubeswe_cli release .*", "set-up: builds", None),
    (r"tools/build (--target threads tsan|clang) .*", "set-up: builds, and tests of minutes", None),
    (r"sbatch .*", "needs Slurm", None),
    (r"cdo .*", "CDO is no dependency: its package has 443 MB", None),
    (r".*--backend cuda.*", "needs a GPU", None),
    (r"validation/(published_pulse|gaussian_pulse|standing_wave|restart|kill|faults|fuzz|bench|step_time|profile_overhead|sweep_parts|compare|busy_machine|ranks)/run( \w+)?",
     MINUTES, None),
    (r"validation/nonlinear/run( \w+)?", MINUTES, None),
    (r"validation/(bits|deformation|tracers)/study .*", MINUTES, None),
    (r"validation/convert/run", "needs CDO", None),
    (r"validation/dissipation/study.py .*", "takes minutes and needs SciPy", None),
    (r"tools/peers/compare .*", MINUTES, None),
    (r".*tests/profiling/(page/screenshot|xplane/tensorboard_screenshot) .*", "needs Chromium, tested elsewhere", None),
]

FOLDERS = [(r"(dot|go) .*", "output/window/profile/step_*")]                # where files of a window are opened
OPTIONAL = r"tools/plot |\.venv/bin/python "                                 # need packages from PyPI, which tools/test installs
MISSING = r"plot: there is no|ModuleNotFoundError|\.venv/bin/python: No such file"
ON_RANKS = r".*\bmpirun |.* report output/ranks$"                             # need a build with MPI, which tools/test makes


def lines_of(block):
    """Commands of a code block: its lines, with continued lines joined."""
    lines = [re.sub(r"\s+# .*|^#.*", "", line).strip() for line in block.replace("\\\n", " ").splitlines()]
    return [re.sub(r"\s+", " ", line) for line in lines if line]


def is_command(span):
    words = span.split()
    if not re.match(PROGRAMS, words[0]) or re.search(r"\b[A-Z]{3,}\b|[<\[…]", span):
        return False
    if re.match(r"(tools|validation)/", words[0]):
        return len(words) > 1 or words[0].endswith("/run")
    return any(re.search(r"[/.]", word) for word in words[1:])


def commands_of(page):
    """Commands of a page in their order, each with the place of its block in the page; 0: a span."""
    text = (REPOSITORY / page).read_text()
    for match in re.finditer(r"^```(\w*)\n(.*?)^```|`([^`]+)`", text, re.MULTILINE | re.DOTALL):
        language, block, span = match.groups()
        if span is not None:
            span = re.sub(r"\s+", " ", span).strip()
            if span and is_command(span):
                yield span, 0
        elif not language:
            yield from ((line, match.start()) for line in lines_of(block))


def reason_of(command):
    """The row of NOT_RUN of a command."""
    return next((row for row in NOT_RUN if re.fullmatch(row[0], command)), None)


def smaller(command):
    for pattern, replacement in SMALLER:
        command = re.sub(pattern, replacement, command)
    return command


COMMANDS = [(page, *command) for page in PAGES for command in dict.fromkeys(commands_of(page))]
RUN = [(page, command) for page, command, _ in COMMANDS if not reason_of(command)]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The results of the commands of a page, results(page).done[command], and the paths of the files that they left."""
    profiles = {}

    @lru_cache(maxsize=None)
    def of_page(page):
        return paste(page, clone(tmp_path_factory.mktemp("clone")), profiles)
    return of_page


def clone(folder):
    """A repository without results, in which commands may write as in the original: files that git knows, and .venv."""
    names = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.splitlines()
    for name in sorted({".venv", *(name.split("/")[0] for name in names)}):
        if name in ("config", "tools", "validation"):
            shutil.copytree(REPOSITORY / name, folder / name)
        elif (REPOSITORY / name).exists():
            (folder / name).symlink_to(REPOSITORY / name)
    (folder / "build/release").mkdir(parents=True)
    (folder / "build/release/cubeswe").symlink_to(path_of("CUBESWE"))
    return folder


@pytest.fixture(scope="module")
def used():
    """Names below output/, and the page that uses each."""
    return {}


def files_in(folder):
    return {str((Path(path) / name).relative_to(folder)) for path, _, names in os.walk(folder) for name in names}


def paste(page, folder, profiles):
    """Run the commands of a page one after another; exports hold for the following ones of their block."""
    done, before, exports, last = {}, files_in(folder), [], 0
    for command, block in dict.fromkeys(commands_of(page)):
        exports, last = exports if block == last else [], block
        if row := reason_of(command):
            text = row[2]
        elif command.startswith("export "):
            exports.append(text := command)
        else:
            text = smaller(command)
        if text:
            place = next((place for pattern, place in FOLDERS if re.fullmatch(pattern, command)), ".")
            paths = exports if block else ['export PATH="$PWD/build/release:$PATH"']
            text = "; ".join([*paths, f"cd {place}", text])
            done[command] = profile(text, folder, profiles) or shell(text, folder)
    return SimpleNamespace(done=done, left=files_in(folder) - before)


def profile(text, folder, profiles):
    """The outcome of a run with a profile, unless text is something else: of the first one, or a copy of its results."""
    match = re.search(r"; (?:build/release/)?(cubeswe run .*--profile.*) --output (\S+)$", text)
    if match and match[1] not in profiles:
        profiles[match[1]] = folder / match[2], shell(text, folder)
    elif match:
        shutil.copytree(profiles[match[1]][0], folder / match[2])
    return match and profiles[match[1]][1]


def shell(text, folder):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, capture_output=True, text=True, timeout=HANGS,
                          stdin=subprocess.DEVNULL, env=environment(PYTHONDONTWRITEBYTECODE="1", **mpi.SETTINGS), check=False)
    return SimpleNamespace(code=done.returncode, text=text, output=f"{done.stdout[-600:]}{done.stderr[-1500:]}")


@pytest.mark.parametrize("page, command", RUN)
def test_a_command_runs_on_a_clean_clone(results, page, command):
    if mpi.LAUNCHER == "" and re.match(ON_RANKS, command):
        pytest.skip("this build has no MPI (-DCUBESWE_MPI=ON)")
    done = results(page).done[command]
    if done.code and re.match(OPTIONAL, command) and re.search(MISSING, done.output):
        pytest.skip(done.output)
    assert done.code == 0, f"{done.text}\n{done.output}"


@pytest.mark.parametrize("page", dict.fromkeys(page for page, _ in RUN))
def test_files_of_a_page_lie_in_folders_of_its_own(results, used, page):
    outside = [path for path in results(page).left if not path.startswith("output/")]
    names = {path.split("/")[1] for path in results(page).left} - {"gaussian_seed_convergence"}    # which the main job replaces
    assert outside == []
    assert {name: used[name] for name in names if used.setdefault(name, page) != page} == {}


@pytest.mark.parametrize("page, command", [(page, command) for page, command, _ in COMMANDS if reason_of(command)])
def test_a_command_that_is_not_run_names_files_that_are_there(page, command):
    for path in re.findall(r"(?:^|\s)((?:tools|validation|tests|config)/\S+)", command):
        assert (REPOSITORY / path).exists(), f"{page}: {command}"


def test_no_rule_is_left_over():
    texts = [command for _, command, _ in COMMANDS]
    assert [row[0] for row in NOT_RUN if not any(re.fullmatch(row[0], text) for text in texts)] == []
    unused = []
    for pattern, replacement in SMALLER:
        changed = [re.sub(pattern, replacement, text) for text in texts]
        unused += [pattern] if changed == texts else []
        texts = changed
    assert unused == []


def test_commands_are_found():
    """Commands are found in blocks and spans; a text that only mentions a program is none."""
    assert lines_of("a --b c \\\n    --d    # why\n# only a remark\nexport X=1\n") == ["a --b c --d", "export X=1"]
    spans = ["cubeswe info config/a.yaml", "tools/plot --help", "validation/bench/run", "python3 -m venv .venv"]
    assert [span for span in [*spans, "tools/plot", "cubeswe profile", "tools/plot FILE", "validation/output/run [PROGRAM...]",
                              "cubeswe top <folder>", "output/a.nc"] if is_command(span)] == spans
    assert len(RUN) > 30
