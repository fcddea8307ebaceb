"""Files that a user names and that cannot be read: exit code 66 and the reason."""
import ctypes
import os

import pytest

from checkpoints import checkpoints
from test_bottom import case_over

NO_INPUT = 66
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2


def obey_permissions():
    """Restrict the superuser to the permissions of files, as for every user."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH) if os.geteuid() == 0 else ():
        if libc.prctl(PR_CAPBSET_DROP, capability) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


def forbid(folder):
    path = folder / "input.nc"
    path.write_text("")
    path.chmod(0)
    return path


def forbid_folder(folder):
    (folder / "inner").mkdir()
    path = folder / "inner/input.nc"
    path.write_text("")
    (folder / "inner").chmod(0)
    return path


def loop(folder):
    (folder / "input.nc").symlink_to("input.nc")
    return folder / "input.nc"


def dangle(folder):
    (folder / "input.nc").symlink_to("nothing.nc")
    return folder / "input.nc"


def fifo(folder):
    os.mkfifo(folder / "input.nc")
    return folder / "input.nc"


def below_a_file(folder):
    (folder / "file").write_text("")
    return folder / "file/input.nc"


PATHS = {"permission": (forbid, "Permission denied"), "folder": (lambda folder: folder, "not a regular file"),
         "forbidden folder": (forbid_folder, "Permission denied"), "loop": (loop, "symbolic links"),
         "dangling link": (dangle, "no such file"), "fifo": (fifo, "not a regular file"),
         "below a file": (below_a_file, "Not a directory"),
         "missing": (lambda folder: folder / "input.nc", "no such file"),
         "device": (lambda folder: "/dev/null", "not a regular file"),
         "long name": (lambda folder: folder / (300 * "a"), "File name too long")}


@pytest.mark.parametrize("name", PATHS)
def test_an_input_that_cannot_be_read_is_refused(run, case, tmp_path, name):
    """The input is an initial state, a bottom, or a file to convert."""
    make, reason = PATHS[name]
    place = tmp_path / "place"
    place.mkdir()
    path = make(place)
    state = case("state", initial={"kind": "file", "path": str(path)})
    bottom = case_over(tmp_path / "bottom.yaml", {"path": str(path)})
    try:
        for arguments in (["run", state, "--output", "out"], ["run", bottom, "--output", "out"],
                          ["convert", path, "--to", "latlon", "--output", "out.nc"]):
            done = run(*arguments, preexec_fn=obey_permissions)
            assert (done.code, len(done.lines)) == (NO_INPUT, 1), done.err
            assert str(path) in done.err and reason in done.err
    finally:
        for folder in place.glob("inner"):
            folder.chmod(0o700)
    assert not list(tmp_path.glob("out*"))


def test_a_checkpoint_that_cannot_be_read_is_refused(run, case):
    out = run.solve(case(), "out")
    (path,) = checkpoints(out / "checkpoints")
    path.chmod(0)
    done = run("run", case(), "--output", "again", "--restart", path, preexec_fn=obey_permissions)
    assert done.code == NO_INPUT and f"{path}: Permission denied" in done.err, done.err
