"""Checkpoints of several ranks: all write and read them at once, share their digest, and find what is wrong with them."""
import os
import re

import h5py
import numpy as np
import pytest

import mpi
from checkpoints import checkpoint_at, digest_of_pieces, reseal
from program import assert_same_bits, read_fields, read_json
from rank_cases import assert_same_files, newest_checkpoint, write

DATA, IO = 65, 74
pytestmark = mpi.needs_mpi


@pytest.mark.parametrize("precision,writings", [("double", [(2, "root"), (3, "all"), (8, "auto")]), ("single", [(7, "root"), (7, "all")])])
def test_whoever_writes_a_checkpoint_it_is_the_same(run, precision, writings):
    """A precision decides the bytes of a value, for all writers alike."""
    case = write(run, "mountain", scheme={"precision": precision})
    one = run.solve(case, "one")
    for count, writers in writings:
        folder = mpi.solve(run, count, case, f"out_{count}_{writers}", "--set", f"checkpoint.writers={writers}")
        assert_same_files(folder, one)
        found = read_json(folder / "summary.json")["checkpoints"]
        assert found["written"] == 2 and found["written_by_all_ranks"] == (0 if writers == "root" else 2)
        continued = mpi.solve(run, 5, case, f"more_{count}_{writers}", "--restart", checkpoint_at(folder / "checkpoints", 10))
        assert_same_bits(read_fields(newest_checkpoint(continued)), read_fields(newest_checkpoint(one)))


def test_a_rank_that_does_not_see_the_checkpoint(run):
    """The last rank is in another folder, without this file or with one of the same name: rank 0 writes and reads for it."""
    case = write(run, "wave", n=96, time={"end": 4000.0, "dt": 200.0})
    (run.folder / "elsewhere").mkdir()
    words = ["run", case, "--backend", "cpu", "--quiet", "--output"]
    one = run.solve(case, "one")
    for writers, why in (("auto", "No such file or directory"), ("all", "another one")):
        done = mpi.call_with_other(run, 3, "cd elsewhere", *words, f"out_{writers}", "--set", f"checkpoint.writers={writers}")
        assert done.code == 0, done.err
        assert done.lines == [f"cubeswe: warning: out_{writers}/checkpoints/checkpoint_000001_step_0000000010.h5: rank 2 does not see this "
                              f"file ({why}); rank 0 writes checkpoints alone"]
        assert_same_files(run.folder / f"out_{writers}", one)
        assert read_json(run.folder / f"out_{writers}/summary.json")["checkpoints"]["written_by_all_ranks"] == 0
        (run.folder / "elsewhere/out_all/checkpoints").mkdir(parents=True, exist_ok=True)
        (run.folder / "elsewhere/out_all/checkpoints/checkpoint_000001_step_0000000010.h5.tmp").write_text("another")
    done = mpi.call_with_other(run, 3, "cd elsewhere", *words, "more", "--restart", checkpoint_at(run.folder / "out_all/checkpoints", 10).relative_to(run.folder))
    assert done.code == 0 and [line.split("; ")[1] for line in done.lines[:2]] == ["rank 0 computes SHA-256 alone", "rank 0 reads checkpoints alone"]
    assert_same_bits(read_fields(newest_checkpoint(run.folder / "more")), read_fields(newest_checkpoint(one)))


def test_a_rank_that_cannot_write_its_part_ends_all(run):
    """The last rank, whose rows lie behind the limit of its files; the checkpoint before is whole."""
    case = write(run, "wave", n=480, time={"end": 40.0, "dt": 10.0}, output={"every": 0}, checkpoint={"every": 2})
    words = ["run", case, "--backend", "cpu", "--quiet", "--output", "out"]
    first = mpi.call(run, 3, *words, "--set", "time.end=20")
    assert first.code == 0, first.err
    newest = newest_checkpoint(run.folder / "out")
    size = newest.stat().st_size
    assert read_json(newest.with_suffix(".json"))["sha256_of_pieces"] == digest_of_pieces(newest.read_bytes())
    done = mpi.call_with_other(run, 3, f"ulimit -f {size // 2048}", *words, "--restart", "out")
    line, = done.lines
    assert done.code == IO and re.search(r"checkpoint_000002_step_[0-9]{10}.h5: cannot be written: File too large$", line)
    assert [path.name[-13:] for path in sorted((run.folder / "out/checkpoints").iterdir())] == ["0000000002.h5", "00000002.json"]
    again = mpi.call(run, 3, *words, "--restart", "out")
    assert again.code == 0, again.err


@pytest.fixture(name="pieces")
def fixture_pieces(run):
    """A case, and a checkpoint of it of 5 pieces."""
    case = write(run, "wave", n=180, time={"end": 20.0, "dt": 10.0}, output={"every": 0})
    return case, newest_checkpoint(run.solve(case, "out"))


def restart(case, checkpoint):
    return ["run", case, "--backend", "cpu", "--quiet", "--output", "again", "--set", "time.end=40", "--restart", checkpoint]


def test_ranks_share_the_pieces_of_a_digest(run, pieces):
    assert mpi.call(run, 3, *restart(*pieces)).code == 0
    content = bytearray(pieces[1].read_bytes())
    content[int(0.9 * len(content))] ^= 1
    pieces[1].write_bytes(content)
    refused = mpi.call(run, 3, *restart(*pieces))
    assert (refused.code, len(refused.lines)) == (DATA, 1) and "SHA-256" in refused.lines[0]


@pytest.mark.skipif(not os.environ.get("FAULTS"), reason="no library of faults in this build")
def test_a_rank_that_cannot_read_its_pieces(run, pieces):
    fault = f"export LD_PRELOAD={os.environ['FAULTS']} FAULTS_CALL=read FAULTS_AT=1 FAULTS_PATH=.h5"
    done = mpi.call_with_other(run, 3, fault, *restart(*pieces))
    if done.code == 98:
        pytest.skip("this machine does not allow filters of calls (seccomp)")
    assert done.code == IO and done.lines[0].endswith(".h5: cannot be read: Input/output error"), done.err


def test_a_value_that_is_not_finite_is_found_by_its_rank(run):
    case = write(run, "wave")
    newest = newest_checkpoint(mpi.solve(run, 2, case, "out"))
    with h5py.File(newest, "r+") as file:
        file["v2"][5, 20, 30] = np.nan
    reseal(newest)
    refused = mpi.call(run, 4, "run", case, "--backend", "cpu", "--output", "again", "--restart", newest)
    assert (refused.code, len(refused.lines)) == (DATA, 1)
    assert refused.lines[0].endswith("dataset 'v2' is not finite at panel 5, j 20, i 30")
