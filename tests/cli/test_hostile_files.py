"""Initial files, bottoms and field files that crash HDF5 or refer to other files: one line, exit code 65."""
import os
import zlib

import h5py
import numpy as np
import pytest

from program import final_fields, write_state

DATA = 65
N = 13
SHAPE = (6, N + 1, N + 1)
VALUES = np.full(SHAPE, 2.0)
MIB = 1 << 20


def written(file, name, raw, filters, mask=0, shape=SHAPE, chunks=SHAPE):
    """A dataset with one chunk of these bytes, as if the filters had written them."""
    data = file.create_dataset(name, shape, "f8", chunks=chunks, **filters)
    data.id.write_direct_chunk((0,) * len(shape), raw, mask)


GZIP = {"compression": "gzip"}


def short_chunk(file, name):
    written(file, name, zlib.compress(VALUES.tobytes()[:64]), GZIP)


def long_chunk(file, name):
    """100 KiB that inflate to 100 MiB."""
    written(file, name, zlib.compress(bytes(100 * MIB)), GZIP)


def short_plain_chunk(file, name):
    """A chunk of 8 bytes that its mask exempts from deflate."""
    written(file, name, bytes(8), GZIP, mask=1)


def short_checked_chunk(file, name):
    """A checksum over fewer bytes than a chunk."""
    written(file, name, bytes(12), {"fletcher32": True})


def damaged_chunk(file, name):
    written(file, name, zlib.compress(VALUES.tobytes())[:-30], GZIP)


def wide_chunk(file, name):
    file.create_dataset(name, SHAPE, "f8", chunks=(6, 3000, 3000), maxshape=(None,) * 3, **GZIP)[0, 0, 0] = 1.0


def many_wide_chunks(file, name):
    file.create_dataset(name, SHAPE, "f8", chunks=(6, 1, MIB), maxshape=(None,) * 3, **GZIP)[0, 0, 0] = 1.0


def other_filter(file, name):
    file.create_dataset(name, SHAPE, "f8", data=VALUES, chunks=SHAPE, compression="lzf")


def huge(file, name):
    """A dataset that is declared and never written: 12.9 GB in a file of some kB."""
    file.create_dataset(name, (6, 16385, 16385), "f8")


def huge_and_beyond(file, name):
    """Small chunks and a huge shape."""
    file.create_dataset(name, (6, 16385, 16385), "f8", chunks=(6, 700, 700), **GZIP)[:, :700, :700] = 1.0


def virtual_without_source(file, name):
    """HDF5 gives the fill value, 0, where a source is missing."""
    layout = h5py.VirtualLayout(SHAPE, dtype="f8")
    layout[...] = h5py.VirtualSource("gone.h5", "h", SHAPE)
    file.create_virtual_dataset(name, layout)


def virtual_circle(file, name):
    """Two datasets without limits, each the source of the other; HDF5 recurses until its stack ends."""
    for own, other in ((name, "second"), ("second", name)):
        layout = h5py.VirtualLayout(SHAPE, dtype="f8", maxshape=(None,) * 3)
        source = h5py.VirtualSource(".", other, SHAPE, maxshape=(None,) * 3)
        whole = (slice(0, h5py.h5s.UNLIMITED),) + (slice(None),) * 2
        layout[whole] = source[whole]
        file.create_virtual_dataset(own, layout)


def waiting(file, name):
    """Raw data in a FIFO: opening it would wait forever."""
    os.mkfifo(f"{os.path.dirname(file.filename)}/fifo")
    file.create_dataset(name, SHAPE, "f8", external=[("fifo", 0, h5py.h5f.UNLIMITED)])


def leaking(file, name):
    file.create_dataset(name, SHAPE, "f8", external=[("/etc/passwd", 0, h5py.h5f.UNLIMITED)])


def elsewhere(file, name):
    write_state(f"{os.path.dirname(file.filename)}/other.h5", h=VALUES)
    file[name] = h5py.ExternalLink("other.h5", "h")


def by_another_name(file, name):
    file["second"] = VALUES
    file[name] = h5py.SoftLink("/second")


FLAWS = [short_chunk, long_chunk, short_plain_chunk, short_checked_chunk, damaged_chunk, wide_chunk, many_wide_chunks,
         other_filter, huge, huge_and_beyond, virtual_without_source, virtual_circle, waiting, leaking, elsewhere,
         by_another_name]


def spoil(path, name, flaw):
    with h5py.File(path, "a") as file:
        file.pop(name, None)
        flaw(file, name)


@pytest.mark.parametrize("flaw", FLAWS)
def test_an_initial_file_or_bottom_that_is_hostile_is_refused(refuses, case, tmp_path, flaw):
    write_state(tmp_path / "native.h5", v1=np.zeros((6, N + 1, N)), v2=np.zeros((6, N, N + 1)))
    spoil(tmp_path / "native.h5", "h", flaw)
    refuses(DATA, ["native.h5", "'h'"], "run", case("one", grid={"n": N}, initial={"kind": "file", "path": "native.h5"},
                                                    time={"end": 1e-3, "dt": 1e-3}))
    (tmp_path / "fifo").unlink(missing_ok=True)
    write_state(tmp_path / "bottom.h5")
    spoil(tmp_path / "bottom.h5", "bottom", flaw)
    refuses(DATA, ["bottom.h5", "'bottom'"], "run",
            case("two", grid={"n": N}, physics={"model": "nonlinear", "gravity": 1.0, "depth": 1.0},
                 initial={"kind": "gaussian"}, bottom={"path": "bottom.h5"}, time={"end": 1e-3, "dt": 1e-3}))


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_coordinate_that_is_hostile_is_refused_by_convert(refuses, run, case, tmp_path, flaw):
    run.solve(case(grid={"n": N}, time={"end": 1e-3, "dt": 1e-3}), "out")
    (path,) = sorted((tmp_path / "out").glob("fields_*.nc"))
    spoil(path, "lats", flaw)
    refuses(DATA, [path.name, "'second'" if flaw is virtual_circle else "'lats'"], "convert", f"out/{path.name}", "--to", "ugrid", "--output", "mesh.nc")


@pytest.mark.parametrize("flaw", [elsewhere, by_another_name])
def test_a_group_that_is_a_link_is_not_followed(refuses, case, tmp_path, flaw):
    write_state(tmp_path / "state.h5")
    spoil(tmp_path / "state.h5", "group", flaw)
    refuses(DATA, ["state.h5", "'group/h'"], "run",
            case(grid={"n": N}, initial={"kind": "file", "path": "state.h5", "variable_h": "group/h"},
                 time={"end": 1e-3, "dt": 1e-3}))


WRITERS = [{}, {"chunks": (7, 48)}, {"chunks": (5, 7), "compression": 4},
           {"chunks": (24, 48), "maxshape": (None, 48), "compression": 1},
           {"chunks": (5, 7), "compression": 4, "shuffle": True, "fletcher32": True}]


def test_chunks_and_filters_of_common_writers_give_the_same_bits(run, case, tmp_path):
    """The writers use shuffle, deflate and checksum, chunks that end beyond the shape, and a chunk that deflate
    left as it was.
    """
    lat, lon = (np.arange(24) + 0.5) * 7.5 - 90, np.arange(48) * 7.5
    h = np.broadcast_to(2.0 + np.cos(np.radians(lat))[:, None], (24, 48))
    found = []
    for k, options in enumerate(WRITERS):
        write_state(tmp_path / f"{k}.nc", lat=lat, lon=lon)
        with h5py.File(tmp_path / f"{k}.nc", "a") as file:
            data = file.create_dataset("h", data=h, **options)
            if k == 2:
                data.id.write_direct_chunk((0, 0), np.ascontiguousarray(h[:5, :7]).tobytes(), 1)
        found.append(final_fields(run.solve(case(str(k), grid={"n": N}, initial={"kind": "file", "path": f"{k}.nc"},
                                                 time={"end": 1e-3, "dt": 1e-3}), f"out{k}")))
    assert np.ptp(found[0]["h"]) > 0.9 and all(one["h"].tobytes() == found[0]["h"].tobytes() for one in found)
