"""Results that a command replaces: complete before and after, unless the new ones have begun."""
import os
import resource
import shutil
import signal
import subprocess

import pytest

from checkpoints import checkpoints
from program import contents, environment, field_files, read_json, skip_if_runtime_writes_more, wait_for

DATA, CANNOT_CREATE, IO, CONFIG, USAGE = 65, 73, 74, 78, 64
SHORT = {"time": {"end": 0.2, "dt": 0.01}, "checkpoint": {"every": 5}, "output": {"every": 5}}


def without_times(folder):
    """Everything below a folder except the lock, whose text names the last process."""
    return {path: content for path, content in contents(folder).items() if not path.endswith("run.lock")}


@pytest.fixture
def as_user(run):
    """The program with the rights of a user: the superuser could open every folder."""
    def call(*arguments):
        words = [] if os.geteuid() != 0 else \
            ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--"]
        if words and shutil.which("setpriv") is None:
            pytest.skip("no setpriv (Debian package util-linux)")
        return subprocess.run([*words, run.path, *arguments], cwd=run.folder, env=environment(),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    return call


# ---- a command that cannot begin ---------------------------------------------------------------

@pytest.mark.parametrize("place", ["out/checkpoints", "out"])
@pytest.mark.parametrize("how", [["--overwrite"], ["--restart", "out"], ["--restart", "auto", "--set",
                                                                          "time.end=0.3"]])
def test_a_folder_that_cannot_be_written_loses_nothing(run, as_user, case, tmp_path, place, how):
    file = case(**SHORT)
    out = run.solve(file, "out")
    before = without_times(out)
    (tmp_path / place).chmod(0o555)
    done = as_user("run", file, "--backend", "cpu", "--quiet", "--output", "out", *how)
    (tmp_path / place).chmod(0o755)
    assert done.returncode == CANNOT_CREATE and len(done.stderr.splitlines()) == 1, done.stderr
    assert without_times(out) == before


@pytest.mark.parametrize("how", [["--overwrite"], ["--restart", "out"]])
@pytest.mark.parametrize("name", ["configuration.yaml.tmp", "fields_00000000.nc.tmp", "diagnostics.csv",
                                  "progress.json"])
def test_a_result_that_cannot_be_written_loses_nothing(run, case, tmp_path, how, name):
    """A folder has the name of a result: the command finds it before it changes anything, or never."""
    file = case(**SHORT)
    out = run.solve(file, "out")
    shutil.move(out / name, tmp_path / "moved") if (out / name).exists() else None
    (out / name).mkdir()
    (out / name / "mine").write_text("mine")
    before = without_times(out)
    done = run("run", file, "--backend", "cpu", "--quiet", "--output", "out", *how)
    if done.code == 0:  # the restart had no need of it
        assert how[0] == "--restart" and (out / name / "mine").exists()
        return
    assert done.code in (CANNOT_CREATE, IO, DATA), done.err
    after = without_times(out)
    assert {path: after.get(path) for path in before} == before


@pytest.mark.parametrize("command", [["run", "--overwrite"], ["converge", "--n", "9,10", "--overwrite"],
                                     ["bench", "--n", "9", "--repeats", "30", "--overwrite"],
                                     ["profile", "--set", "grid.n=9", "--overwrite"],
                                     ["run", "--restart", "out", "--set", "time.end=0.3"]])
@pytest.mark.parametrize("most", [0, 300])
def test_a_full_disk_at_the_start_loses_nothing(run, case, tmp_path, command, most):
    skip_if_runtime_writes_more(run, most)
    file = case(**SHORT)
    out = run.solve(file, "out", "--profile=summary", "--set", "profile.start_step=1")
    before = without_times(out)
    name, *more = command
    done = run(name, file, "--backend", "cpu", "--quiet", "--output", "out", *more,
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
    assert done.code in (IO, CANNOT_CREATE), done.err
    assert without_times(out) == before
    run.solve(file, "out", "--restart", "out")  # and its checkpoints belong to its run


def test_an_initial_state_that_is_refused_loses_nothing(run, case, tmp_path):
    """The first row of diagnostics refuses the state, after earlier results were moved away."""
    out = run.solve(case(**SHORT), "out")
    before = without_times(out)
    done = run("run", case("huge", **{**SHORT, "initial": {"kind": "gaussian", "amplitude": 1e200}}),
               "--backend", "cpu", "--quiet", "--output", "out", "--overwrite")
    assert done.code != 0
    assert {path: text for path, text in without_times(out).items() if "failed" not in path} == before


@pytest.mark.parametrize("place, how", [("out", ["--overwrite"]), ("out/checkpoints", ["--overwrite"]),
                                        ("out", ["--restart", "out", "--set", "time.end=0.3"])])
def test_a_link_is_no_place_for_earlier_results(run, case, tmp_path, place, how):
    file = case(**SHORT)
    out = run.solve(file, "out")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / place / ".replaced").symlink_to(tmp_path / "elsewhere")
    before = without_times(out)
    done = run("run", file, "--backend", "cpu", "--quiet", "--output", "out", *how)
    assert done.code == CANNOT_CREATE and "/.replaced: not a folder" in done.err and len(done.lines) == 1, done.err
    assert without_times(out) == before and not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_a_foreign_file_blocks_no_later_run(run, case, tmp_path, kind):
    """What no run wrote, where results wait for their removal, is left under another name, once."""
    file = case(**SHORT)
    out = run.solve(file, "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/text").write_text("mine")
    dropped = out / "checkpoints/.replaced.dropped"
    if kind == "folder":
        shutil.copytree(tmp_path / "mine", dropped / "mine")
    elif kind == "file":
        dropped.write_text("mine")
    else:
        dropped.symlink_to(tmp_path / "mine")
    done = run("run", file, "--backend", "cpu", "--quiet", "--output", "out", "--overwrite")
    assert done.code == 0 and len(done.lines) == 1 and ".replaced.left.1" in done.err, done.err
    run.solve(file, "out", "--overwrite")
    assert [path.name for path in out.rglob(".replaced*")] == [".replaced.left.1"]
    left = out / "checkpoints/.replaced.left.1"
    assert {"folder": left / "mine/text", "file": left, "link": left / "text"}[kind].read_text() == "mine"


# ---- a command that is killed ---------------------------------------------------------------------

@pytest.mark.parametrize("how", ["aside", "decided"])
def test_what_a_killed_command_kept_is_restored_or_removed(run, case, tmp_path, how):
    """Before the new results have begun the earlier ones are restored; afterwards they are removed."""
    file = case(**SHORT)
    out = run.solve(file, "out")
    before = without_times(out)
    lock = (out / "run.lock").read_text()
    aside = out / (".replaced" if how == "aside" else ".replaced.dropped")
    aside.mkdir()
    for path in [*field_files(out), out / "summary.json", out / "diagnostics.csv", out / "progress.json",
                 out / "configuration.yaml"]:
        path.rename(aside / path.name)
    (aside / "run.id").write_text(lock.splitlines()[0])
    (aside / "run.id.tmp").write_text("half")
    inner = out / "checkpoints" / ".replaced"
    inner.mkdir()
    for path in (out / "checkpoints").glob("checkpoint_*"):
        path.rename(inner / path.name)
    (out / "run.lock").write_text("0" * 32 + "\nhost other, process 1\n")
    (out / "fields_00000000.nc.tmp").write_text("half")
    (out / "configuration.yaml").write_text("# of the new run\n")
    done = run("run", file, "--backend", "cpu", "--quiet", "--output", "out", "--restart", "out", "--dry-run")
    assert not list(out.rglob(".replaced*"))
    if how == "aside":
        assert done.code == 0 and without_times(out) == before, done.err
        run.solve(file, "out", "--restart", "out")
    else:
        assert done.code != 0 and not checkpoints(out / "checkpoints")


@pytest.mark.parametrize("moved", [[], ["summary.json", "fields_00000005.nc"],
                                   ["summary.json", "fields_00000005.nc", "checkpoints/*15.json", "checkpoints/*20.h5"]])
def test_a_command_killed_while_it_moves_results_away_loses_nothing(run, case, moved):
    """Without run.id not all results are moved: the others in the folder are the earlier ones."""
    file = case(**SHORT)
    out = run.solve(file, "out")
    before = without_times(out)
    (out / ".replaced").mkdir()
    for pattern in moved:
        (path,) = out.glob(pattern)
        (path.parent / ".replaced").mkdir(exist_ok=True)
        path.rename(path.parent / ".replaced" / path.name)
    done = run("run", file, "--backend", "cpu", "--output", "out", "--restart", "auto")
    assert done.code == 0 and "finished already" in done.out, done.err
    assert without_times(out) == before


def test_a_restart_killed_before_it_moves_anything_loses_nothing(run, case):
    """The folder for kept results exists and is empty."""
    file = case(**SHORT)
    plain = run.solve(file, "plain")
    out = run.solve(file, "out", "--set", "checkpoint.final=no")
    (out / "summary.json").unlink()
    (out / ".replaced").mkdir()
    run.solve(file, "out", "--restart", "auto")
    assert read_json(out / "summary.json")["restarted_at"] == 20
    assert (out / "diagnostics.csv").read_bytes() == (plain / "diagnostics.csv").read_bytes()
    assert [path.name for path in field_files(out)] == [path.name for path in field_files(plain)]


def test_a_restart_keeps_the_rows_of_newer_checkpoints_until_it_has_its_own(run, case, tmp_path):
    """If it is killed before that, the newest checkpoint still has its rows."""
    file = case(**SHORT)
    plain = run.solve(file, "plain")
    out = run.solve(file, "out", "--set", "checkpoint.keep=10")
    oldest = checkpoints(out / "checkpoints")[0]
    shutil.copytree(out, tmp_path / "copy")
    process = run.start("run", file, "--backend", "cpu", "--threads", "1", "--output", "out", "--restart", oldest,
                        "--set", "time.end=1e5", "--set", "checkpoint.every=0")
    wait_for(lambda: read_json(out / "progress.json")["state"] == "running" and
             read_json(out / "progress.json")["step"] > 5 and (out / ".replaced").exists(), 30)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert (out / ".replaced/rows.csv").exists()
    run.solve(file, "out", "--restart", "out")
    assert read_json(out / "summary.json")["restarted_at"] == 20
    assert (out / "diagnostics.csv").read_bytes() == (plain / "diagnostics.csv").read_bytes()


@pytest.mark.parametrize("command", ["run", "converge"])
def test_unfinished_files_of_a_killed_command_go(run, case, tmp_path, command):
    """Of a study that continues, and of a profile in a folder elsewhere."""
    elsewhere = ["--profile=summary", "--set", "profile.start_step=1", "--set", f"profile.dir={tmp_path}/profile"]
    arguments = ["--n", "12", "--order", "2"] if command == "converge" else elsewhere
    run.solve(case(**SHORT), "out", *arguments, command=command)
    unfinished = [tmp_path / "out/fields_order2_n0016.nc.tmp", tmp_path / "out/summary.json.tmp"]
    if command == "run":
        unfinished.append(tmp_path / "profile/.step_00000001.123.partial")
        unfinished[-1].mkdir()
        shutil.rmtree(tmp_path / "profile/step_00000001")
        arguments += ["--restart", "out", "--set", "time.end=0.3"]
    else:
        arguments[1] = "12,14"
    for path in unfinished[:2]:
        path.write_text("half")
    (tmp_path / "out/notes.tmp").write_text("mine")
    run.solve(case(**SHORT), "out", *arguments, command=command)
    assert not [path for path in unfinished if path.exists()]
    assert (tmp_path / "out/notes.tmp").read_text() == "mine"


def test_old_results_go_when_the_new_run_has_begun(run, case, tmp_path):
    file = case(**SHORT)
    run.solve(file, "out", "--profile=summary", "--set", "profile.start_step=1")
    out = run.solve(file, "out", "--overwrite", "--set", "output.every=0", "--set", "checkpoint.final=no", "--set",
                    "checkpoint.every=0")
    assert not list(out.rglob(".replaced*")) and len(field_files(out)) == 1
    assert not (out / "profile").exists() and not (out / "checkpoints").exists()


# ---- what a command reads it does not remove -----------------------------------------------------

@pytest.mark.parametrize("where", ["out/checkpoints/checkpoint_000001_step_0000000020.h5",
                                   "shared/checkpoint_000009_step_0000000001.h5",
                                   "out/profile/step_00000001/summary.json", "out/profile/gpu_log.csv",
                                   "out/fields_00000000.nc"])
@pytest.mark.parametrize("key", ["initial.path", "bottom.path"])
def test_an_input_in_what_would_be_removed_is_refused(run, case, refuses, tmp_path, where, key):
    out = run.solve(case(**SHORT), "out", "--profile=summary", "--set", "profile.start_step=1")
    path = tmp_path / where
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        shutil.copy(field_files(out)[-1], path)
    (tmp_path / "link.h5").symlink_to(path)
    initial = {"kind": "file", "path": "link.h5"} if key == "initial.path" else {"kind": "gaussian"}
    bottom = {"path": "link.h5"} if key == "bottom.path" else {}
    file = case("reader", **{**SHORT, "initial": initial, "bottom": bottom,
                             "physics": {"model": "nonlinear"} if bottom else {}})
    more = ["--set", "checkpoint.dir=shared"] if where.startswith("shared") else []
    before = contents(tmp_path)
    done = run("run", file, "--backend", "cpu", "--output", "out", "--overwrite", *more)
    assert done.code != 0 and len(done.lines) == 1, done.err
    assert contents(tmp_path) == before
    if key == "initial.path" and where.endswith((".nc", ".h5")) and "out/checkpoints" not in where:
        assert done.code == CANNOT_CREATE and "link.h5: this command reads it" in done.err, done.err


# ---- names ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["..", "."])
@pytest.mark.parametrize("command", ["run", "converge", "profile", "bench", "info"])
def test_a_case_named_like_the_folder_above_is_refused(run, case, refuses, tmp_path, name, command):
    file = case(name, **SHORT)
    assert file == f"{name}.yaml"
    more = ["--n", "9"] if command in ("converge", "bench") else []
    refuses(CONFIG, [file, f"'{name}'", "rename the file"], command, file, *more)


@pytest.mark.parametrize("key", ["checkpoint.dir", "profile.dir", "initial.path"])
@pytest.mark.parametrize("value", ["~", "~/x"])
def test_a_tilde_is_no_folder(case, refuses, tmp_path, key, value):
    refuses(CONFIG, [key, value, "name it in full"], "run", case(**SHORT), "--set", f"{key}={value}")


def test_a_null_is_no_folder(refuses, tmp_path):
    (tmp_path / "case.yaml").write_text("grid: {n: 9, order: 4}\ntime: {end: 0.1, dt: 0.01}\n"
                                        "checkpoint:\n  dir: ~\n")
    refuses(CONFIG, ["checkpoint.dir", "~"], "run", "case.yaml")


@pytest.mark.parametrize("option", ["output", "restart"])
def test_a_tilde_of_an_option_is_refused(case, refuses, option):
    refuses(USAGE, [f"--{option}=~/x", "name it in full"], "run", case(**SHORT), f"--{option}=~/x")
