"""Damaged checkpoints, checkpoints of other cases or programs; full disks; killed runs."""
import json
import os
import random
import re
import resource
import shutil
import subprocess
import time

import h5py
import numpy as np
import pytest

from checkpoints import as_before_format_3, checkpoint_at, checkpoints, noise_case, reseal, step_of
from program import HANGS, assert_same_bits, environment, final_fields, read_json, write_case

DATA, NO_INPUT, IO, STOPPED, CONFIG = 65, 66, 74, 75, 78

EVERY = ["--set", "checkpoint.every=8", "--set", "checkpoint.keep=9", "--set", "checkpoint.final=no"]


@pytest.fixture
def noise(case, tmp_path):
    return noise_case(tmp_path, case)


@pytest.fixture
def whole(run, noise):
    """A run with checkpoints at steps 8 and 16."""
    return run.solve(noise, "whole", *EVERY)


@pytest.fixture
def newest(whole):
    return checkpoint_at(whole / "checkpoints", 16)


# ---- damaged -------------------------------------------------------------------------------------

def truncate(path):
    os.truncate(path, path.stat().st_size // 2)


def flip(path, place=0.5):
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= 1
    path.write_bytes(content)


def edit(change):
    """Change a member of the file, and its manifest with it."""
    def damage(path):
        with h5py.File(path, "r+") as file:
            change(file)
        reseal(path)
    return damage


def replace_dataset(name, **options):
    def change(file):
        values = file[name][()]
        del file[name]
        file.create_dataset(name, **{"data": values, **options})
    return edit(change)


def unwritten(file):
    del file["h"]
    file.create_dataset("h", (6, 14, 14), "<f8")


def as_format_1(change=lambda file: None, **options):
    """An earlier format had chunks under checksums."""
    def rewrite(file):
        for name in ("h", "v1", "v2"):
            values = file[name][()]
            del file[name]
            file.create_dataset(name, **{"data": values, "fletcher32": True, "chunks": (1, 5, 5), **options})
        file.attrs["format"] = np.int64(1)
        change(file)
    return edit(rewrite)


def drop(name):
    return edit(lambda file: file.__delitem__(name))


def forget(name):
    return edit(lambda file: file.attrs.__delitem__(name))


def external(path):
    shutil.copy(path, path.parent / "other.h5")

    def change(file):
        del file["v1"]
        file["v1"] = h5py.ExternalLink("other.h5", "/v1")
    edit(change)(path)


def poke_nan(file):
    file["v2"][3, 4, 5] = np.nan


def other_name(path):
    manifest = path.with_suffix(".json")
    manifest.write_text(manifest.read_text().replace(path.name, "../" + path.name))


def big(path):
    """A dataset of terabytes without values."""
    def change(file):
        del file["h"]
        file.create_dataset("h", shape=(6, 10 ** 6, 10 ** 6), dtype="<f8")
    edit(change)(path)


def lacking(path):
    manifest = json.loads(path.with_suffix(".json").read_text())
    del manifest["sha256_of_pieces"]
    path.with_suffix(".json").write_text(json.dumps(manifest))


def fifo(path):
    path.unlink()
    os.mkfifo(path)


def manifest_fifo(path):
    path.with_suffix(".json").unlink()
    os.mkfifo(path.with_suffix(".json"))


DAMAGES = {
    "truncated": (truncate, "bytes"),
    "empty": (lambda path: path.write_bytes(b""), "bytes"),
    "one bit": (flip, "SHA-256"),
    "one bit at the end": (lambda path: flip(path, 0.9999), "SHA-256"),
    "no file": (lambda path: path.unlink(), "No such file"),
    "a FIFO": (fifo, "no regular file"),
    "a folder": (lambda path: (path.unlink(), path.mkdir()), "no regular file"),
    "manifest is no JSON": (lambda path: path.with_suffix(".json").write_text("{"), "JSON"),
    "manifest is empty": (lambda path: path.with_suffix(".json").write_text(""), "JSON"),
    "manifest is a FIFO": (manifest_fifo, "no regular file"),
    "manifest is huge": (lambda path: path.with_suffix(".json").write_text(" " * 10 ** 6), "larger"),
    "manifest lacks a key": (lacking, "has no sha256_of_pieces"),
    "manifest of format 2 without its key": (lambda path: reseal(path, format=2), "has no sha256"),
    "manifest of another file": (other_name, "another file"),
    "manifest of another schema": (lambda path: reseal(path, schema="other"), "schema"),
    "no HDF5": (lambda path: (path.write_bytes(b"x" * 9999), reseal(path)), "not an HDF5 file"),
    "HDF5 that is cut": (lambda path: (truncate(path), reseal(path)), "not an HDF5 file"),
    "no v1": (drop("v1"), "no dataset 'v1'"),
    "an external link": (external, "'v1' is reached by a link"),
    "a soft link": (edit(lambda file: file.move("h", "g") or
                         file.__setitem__("h", h5py.SoftLink("/g"))), "'h' is reached by a link"),
    "floats": (replace_dataset("h", dtype="<f4"), "'h' is not double"),
    "integers": (replace_dataset("h", dtype="<i8"), "'h' is not double"),
    "another shape": (replace_dataset("v2", data=np.zeros((6, 13, 13))), "'v2' is not double"),
    "another rank": (replace_dataset("h", data=np.zeros((1, 6, 14, 14))), "'h' is not double"),
    "a huge shape": (big, "'h' is not double"),
    "chunks": (replace_dataset("h", chunks=(1, 5, 5)), "contiguous within the file"),
    "a filter": (replace_dataset("h", compression="gzip"), "contiguous within the file"),
    "no values": (edit(unwritten), "contiguous within the file"),
    "format 1 without checksums": (as_format_1(fletcher32=False), "with Fletcher32 only"),
    "format 1 with a filter": (as_format_1(compression="gzip"), "with Fletcher32 only"),
    "format 1 without chunks": (as_format_1(fletcher32=False, chunks=None), "with Fletcher32 only"),
    "a later format": (edit(lambda file: file.attrs.__setitem__("format", np.int64(4))), "is of format 4"),
    "no step": (forget("step"), "'step'"),
    "no budget": (forget("first_energy"), "'first_energy'"),
    "no configuration": (forget("configuration"), "'configuration'"),
    "no run": (forget("run"), "'run'"),
    "a step that is a text": (edit(lambda file: file.attrs.__setitem__("step", "8")), "'step'"),
    "a step that is a list": (edit(lambda file: file.attrs.__setitem__("step", [8, 8])), "'step'"),
    "a negative step": (edit(lambda file: file.attrs.__setitem__("step", -8)), "out of range")}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_checkpoint_is_passed_over_or_refused(run, refuses, noise, whole, newest, name):
    damage, word = DAMAGES[name]
    expected = final_fields(whole)
    damage(newest)
    arguments = ["run", noise, "--backend", "cpu", "--quiet", "--output", "again", "--restart",
                 "whole"]
    refuses(DATA, [newest.stem, word], *arguments, "--strict")
    done = run(*arguments)
    assert done.code == 0 and len(done.lines) == 1, done.err
    assert done.err.startswith("cubeswe: warning: ") and newest.stem in done.err and word in done.err
    assert read_json(whole.parent / "again/summary.json")["restarted_at"] == 8
    assert_same_bits(final_fields(whole.parent / "again"), expected)


@pytest.mark.parametrize("format", [1, 2])
def test_a_checkpoint_of_an_earlier_format_is_read(run, refuses, noise, whole, newest, format):
    change = as_format_1() if format == 1 else edit(lambda file: file.attrs.__setitem__("format", np.int64(2)))
    change(newest)
    as_before_format_3(newest, format)
    assert_same_bits(final_fields(run.solve(noise, "again", "--restart", "whole", "--strict")), final_fields(whole))
    flip(newest)
    refuses(DATA, [newest.name, "SHA-256"], "run", noise, "--restart", newest, "--output", "again")


def test_a_damaged_checkpoint_that_is_named_is_refused(refuses, noise, newest):
    flip(newest)
    refuses(DATA, [newest.name, "SHA-256"], "run", noise, "--restart", newest)


@pytest.mark.parametrize("poke", [edit(poke_nan), as_format_1(poke_nan)])
def test_values_that_are_not_finite_are_refused(refuses, noise, newest, poke):
    poke(newest)
    refuses(DATA, ["'v2' is not finite at panel 3, j 4, i 5"], "run", noise, "--backend", "cpu",
            "--output", "again", "--restart", newest)


def test_checkpoints_that_are_all_damaged_are_refused(run, noise, whole):
    for path in checkpoints(whole / "checkpoints"):
        flip(path)
    done = run("run", noise, "--quiet", "--output", "again", "--restart", "whole")
    assert done.code == DATA and len(done.lines) == 3 and "all its checkpoints" in done.lines[-1]


def test_a_damaged_checkpoint_is_not_one_of_those_kept(run, noise, whole, newest):
    """Restarted from the first, the run keeps it until two of its own are complete."""
    flip(newest)
    folder = whole / "checkpoints"
    short = ["--set", "checkpoint.keep=2", "--set", "checkpoint.final=no", "--quiet", "--output", "whole",
             "--backend", "cpu"]
    done = run("run", noise, *short, "--restart", "whole", "--set", "checkpoint.every=20")
    assert done.code == 0 and [step_of(path) for path in checkpoints(folder)] == [8, 16, 20]
    done = run("run", noise, *short, "--restart", checkpoint_at(folder, 8), "--set",
               "checkpoint.every=9")
    assert done.code == 0 and [step_of(path) for path in checkpoints(folder)] == [20, 9, 18][1:]


def test_what_is_no_checkpoint_is_refused(refuses, noise, whole, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "empty").mkdir()
    (tmp_path / "checkpoint_1.h5").write_text("")
    for path, code in (("missing", NO_INPUT), ("fifo", NO_INPUT), ("empty", NO_INPUT),
                       ("/dev/null", NO_INPUT), ("noise.h5", DATA), ("checkpoint_1.h5", DATA)):
        refuses(code, [path], "run", noise, "--restart", path)


# ---- of another case or program ------------------------------------------------------------------

@pytest.mark.parametrize("changes, words", [
    (["grid.n=16"], ["grid.n is 13 there and 16 here"]),
    (["grid.order=2"], ["grid.order is 4 there and 2 here"]),
    (["grid.closure=published"], ["grid.closure is moved there and published here"]),
    (["scheme.precision=single"], ["scheme.precision is double there and single here"]),
    (["physics.gravity=1.5"], ["physics.gravity is 1 there and 1.5 here"]),
    (["physics.depth=0.5", "grid.n=14"], ["physics.depth is 1 there and 0.5 here",
                                          "grid.n is 13 there and 14 here"]),
    (["initial.kind=gaussian", "initial.path="], ["initial.kind is file there and gaussian here"]),
    (["time.dt=0.005"], ["the time step is 0.01", "there and 0.005"]),
    (["time.end=0.1"], ["is of step 16", "ends at step 10"])])
def test_a_checkpoint_of_another_case_is_refused(refuses, case, noise, newest, changes, words):
    if "initial.kind=gaussian" in changes:
        noise, changes = case("other", grid={"n": 13, "order": 4}, time={"end": 0.21, "dt": 0.01}), []
    refuses(CONFIG, [newest.name, *words], "run", noise, "--restart", "whole", "--output", "again",
            *[word for change in changes for word in ("--set", change)])


def test_a_configuration_with_other_keys_is_another_case(refuses, noise, newest):
    def change(file):
        text = file.attrs["configuration"]
        text = text.decode() if isinstance(text, bytes) else text
        text = text.replace("  radius: 1\n", "  viscosity: 7\n")
        file.attrs["configuration"] = np.bytes_(text)
    edit(change)(newest)
    refuses(CONFIG, ["is of another case: its configuration:", "physics.viscosity: unknown key"], "run", noise, "--restart", newest, "--output", "again")


def test_a_checkpoint_without_keys_that_are_not_set_is_of_the_same_case(run, noise, newest, whole):
    """A program without the keys of the bottom wrote it."""
    def change(file):
        text = file.attrs["configuration"]
        text = text.decode() if isinstance(text, bytes) else text
        without = re.sub(r"bottom:\n(  .*: ''\n)+", "", text)
        assert without != text
        file.attrs["configuration"] = np.bytes_(without)
    edit(change)(newest)
    assert_same_bits(final_fields(run.solve(noise, "again", "--restart", newest)), final_fields(whole))


def test_how_a_step_is_computed_may_change(run, noise, whole):
    again = final_fields(run.solve(noise, "again", "--restart", "whole", "--set",
                                   "scheme.pipeline=staged"))
    for name, values in final_fields(whole).items():
        assert np.abs(again[name] - values).max() <= 1e-13 * np.abs(values).max()


def test_a_checkpoint_of_a_later_format_is_refused(refuses, noise, newest):
    """It is not skipped: an older checkpoint would be a wrong choice."""
    reseal(newest, format=4)
    refuses(DATA, ["is of format 4, and this program reads formats 1 to 3"], "run", noise, "--restart",
            "whole", "--output", "again")


# ---- disks that are full -------------------------------------------------------------------------

def stopped(run, noise, tmp_path):
    """A run that was stopped with its only checkpoint; returns its size."""
    done = run("run", noise, "--backend", "cpu", "--quiet", "--output", "out", "--max-walltime",
               "0.001")
    assert done.code == STOPPED, done.err
    (path,) = checkpoints(tmp_path / "out/checkpoints")
    return path


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.8, 0.95, 0.999])
def test_a_checkpoint_that_does_not_fit_ends_the_run(run, noise, whole, tmp_path, share):
    last = stopped(run, noise, tmp_path)
    limit = int(share * last.stat().st_size)
    done = run("run", noise, "--backend", "cpu", "--quiet", "--output", "out", "--restart", "out",
               *EVERY, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert done.code == IO, (done.code, done.err)
    assert done.lines[-1].startswith("cubeswe: out/checkpoints/checkpoint_000002"), done.err
    assert checkpoints(tmp_path / "out/checkpoints") == [last]
    assert len(list((tmp_path / "out/checkpoints").iterdir())) == 2
    again = run.solve(noise, "out", "--restart", "out")
    assert_same_bits(final_fields(again), final_fields(whole))


def tmpfs(folder, size):
    """The words before a command that give it a small file system at a folder; None where an ordinary user may
    not mount one.
    """
    folder.mkdir()
    mount = f'mount -t tmpfs -o size={size} none "{folder}" && exec "$@"'
    words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, "sh"]
    try:
        done = subprocess.run([*words, "true"], capture_output=True, timeout=HANGS)
    except OSError:
        return None
    return words if done.returncode == 0 else None


@pytest.mark.parametrize("pages", [1, 4, 12, 24, 40, 70])
def test_a_full_file_system_ends_the_run(run, noise, whole, tmp_path, pages):
    """It holds the new checkpoints; the earlier one is elsewhere and stays."""
    words = tmpfs(tmp_path / "small", f"{4 * pages}k")
    if words is None:
        pytest.skip("no user namespaces here")
    last = stopped(run, noise, tmp_path)
    script = (f'cp {last} {last.with_suffix(".json")} small/ 2>/dev/null; '
              f'{run.path} run {noise} --backend cpu --quiet --output on --restart {last} '
              '--set checkpoint.dir=small/here --set checkpoint.every=1 --set checkpoint.keep=99; '
              'echo $? > code; ls small/here > files')
    subprocess.run([*words, "sh", "-c", script], cwd=tmp_path, env=environment(), timeout=HANGS,
                   capture_output=True)
    assert int((tmp_path / "code").read_text()) == IO and not [
        name for name in (tmp_path / "files").read_text().split() if name.endswith(".tmp")]
    again = run.solve(noise, "again", "--restart", last)
    assert_same_bits(final_fields(again), final_fields(whole))


# ---- runs that are killed ------------------------------------------------------------------------

def test_a_run_that_is_killed_continues(run, case, tmp_path):
    """validation/restart/kill_study repeats this 200 times."""
    rng = random.Random(1)
    noise = noise_case(tmp_path, case, time={"end": 0.6, "dt": 0.01})
    expected = final_fields(run.solve(noise, "plain"))
    words = [run.path, "run", noise, "--backend", "cpu", "--quiet", "--output", "out", "--set",
             "checkpoint.every=1", "--threads", "1"]
    restart, known = [], -1
    for _ in range(10):
        process = subprocess.Popen([*words, *restart], cwd=tmp_path, env=environment(),
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(rng.uniform(0.02, 0.25))
        process.kill()
        err = process.communicate(timeout=HANGS)[1].decode()
        assert process.returncode in (0, -9), err
        found = [step_of(path) for path in checkpoints(tmp_path / "out/checkpoints")]
        assert not found or max(found) >= known, (found, known)
        known = max([known, *found])
        restart = ["--restart", "out"] if found else ["--overwrite"]
    end = run.solve(noise, "out", *restart)
    assert_same_bits(final_fields(end), expected)
