"""Writing of results: to regular files of the folder, as a whole, or not at all."""
import fcntl
import os
import re

import pytest

from live import ENDLESS, STOPPED, end, running, stopped
from program import REPOSITORY, wait_for

CANNOT_CREATE = 73


@pytest.fixture
def victim(tmp_path):
    """A file outside the folder of results, to which planted links point."""
    path = tmp_path / "elsewhere" / "precious"
    path.parent.mkdir()
    path.write_text("precious\n")
    return path


TEMPORARY = ["configuration.yaml.tmp", "progress.json.tmp", "fields_00000000.nc.tmp", "summary.json.tmp"]


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_is_planted_in_a_folder_is_not_followed(run, case, tmp_path, victim, kind):
    """Links and pipes with the names of results are replaced; nothing is written through them."""
    out = tmp_path / "out"
    out.mkdir()
    names = [*TEMPORARY, "configuration.yaml", "diagnostics.csv", "summary.json", "progress.json"]
    for name in names:
        if kind == "link":
            (out / name).symlink_to(victim)
        else:
            os.mkfifo(out / name)
    done = run("run", case(), "--backend", "cpu", "--quiet", "--output", "out", "--overwrite", timeout=60)
    assert victim.read_text() == "precious\n"
    assert done.code in (0, CANNOT_CREATE), done.err
    if done.code == 0:
        assert all((out / name).is_file() and not (out / name).is_symlink() for name in names[4:])


def test_links_planted_in_mid_run_are_not_followed(run, case, tmp_path, victim):
    out = tmp_path / "out"
    with running(run, case(**ENDLESS, output={"every": 100})) as process:
        with stopped(process):
            step = max(int(path.name[7:15]) for path in out.glob("fields_????????.nc"))
            planted = [out / f"fields_{step + 100 * k:08d}.nc.tmp" for k in range(4, 400)]
            for path in planted:
                path.symlink_to(victim)
        wait_for(lambda: sum(not path.is_symlink() for path in planted) > 2)
        code, err = end(process)
    assert victim.read_text() == "precious\n"
    assert code == STOPPED, err


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_restart_replaces_what_is_planted(run, case, tmp_path, victim, kind):
    file = case(time={"end": 0.1, "dt": 0.01}, checkpoint={"every": 5}, output={"every": 1})
    out = run.solve(file, "out")
    planted = [out / name for name in ("configuration.yaml", "configuration.yaml.tmp", "progress.json.tmp",
                                       "summary.json.tmp", "fields_00000010.nc.tmp")]
    for path in planted:
        path.unlink(missing_ok=True)
        path.symlink_to(victim) if kind == "link" else os.mkfifo(path)
    run.solve(file, "out", "--restart", "out", timeout=60)
    assert victim.read_text() == "precious\n"
    assert not [path for path in planted[1:] if path.is_symlink() or path.exists()]
    assert planted[0].is_file() and not planted[0].is_symlink()


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_rows_are_added_to_a_regular_file_only(run, case, tmp_path, victim, kind):
    file = case(time={"end": 0.1, "dt": 0.01}, checkpoint={"every": 5})
    out = run.solve(file, "out")
    (out / "diagnostics.csv").unlink()
    victim.write_text("precious\n" * 1000)
    if kind == "link":
        (out / "diagnostics.csv").symlink_to(victim)
    else:
        os.mkfifo(out / "diagnostics.csv")
    done = run("run", file, "--restart", "out", "--output", "out", "--backend", "cpu", timeout=60)
    assert done.code == 65 and "diagnostics.csv" in done.err, done.err
    assert victim.read_text() == "precious\n" * 1000


@pytest.mark.parametrize("to", ["latlon", "vtu"])
def test_convert_follows_no_link(run, case, tmp_path, victim, to):
    out = run.solve(case(), "out")
    name = "x.vtu" if to == "vtu" else "x.nc"
    (tmp_path / f"{name}.tmp").symlink_to(victim)
    file = sorted(out.glob("fields_*.nc"))[0]
    done = run("convert", file, "--to", to, "--output", name)
    assert done.code == 0, done.err
    assert victim.read_text() == "precious\n"
    assert (tmp_path / name).is_file() and not (tmp_path / f"{name}.tmp").exists()


def test_a_temporary_file_of_a_live_writer_is_left_to_it(run, case, tmp_path):
    """Two programs never write to the same temporary file, and never publish each other's."""
    out = run.solve(case(), "out")
    held = tmp_path / "x.nc.tmp"
    file = sorted(out.glob("fields_*.nc"))[0]
    with held.open("w") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        done = run("convert", file, "--to", "latlon", "--output", "x.nc")
        assert done.code == CANNOT_CREATE and "another program is writing it" in done.err
        assert held.exists() and not (tmp_path / "x.nc").exists()
    assert run("convert", file, "--to", "latlon", "--output", "x.nc").code == 0
    assert not held.exists()


def test_pages_follow_no_link(run, case, tmp_path, victim):
    out = run.solve(case(), "out", "--profile", "--set", "profile.start_step=1")
    (tmp_path / "page.html.tmp").symlink_to(victim)
    done = run("compare", out / "profile", out / "profile", "--html", "page.html")
    assert done.code == 0 and victim.read_text() == "precious\n", done.err
    assert (tmp_path / "page.html").is_file() and not (tmp_path / "page.html").is_symlink()


# ---- nothing is rewritten that has not changed ---------------------------------------------------

def test_a_configuration_that_is_the_same_is_not_rewritten(run, case):
    file = case(time={"end": 0.1, "dt": 0.01}, checkpoint={"every": 5})
    out = run.solve(file, "out")
    before = (out / "configuration.yaml").stat()
    run.solve(file, "out", "--restart", "out")
    after = (out / "configuration.yaml").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    run.solve(file, "out", "--restart", "out", "--set", "time.end=0.12")
    assert (out / "configuration.yaml").stat().st_ino != before.st_ino


def test_one_module_opens_all_outputs():
    """Any other way to create a file would bypass its checks."""
    ways = re.compile(r'\b(fopen\([^;]*"[wa]|O_CREAT|O_TRUNC|H5Fcreate|gzopen\(|mkstemp|creat\(|tmpfile)')
    found = {str(path.relative_to(REPOSITORY)) for folder in ("solver", "profiling")
             for path in (REPOSITORY / folder).rglob("*.c*") if ways.search(path.read_text())}
    assert found == {"solver/base/output_file.c", "solver/files/output/hdf5_writer.c", "solver/base/folder_lock.c"}
