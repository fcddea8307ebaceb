"""Checkpoints in tests: find them, damage them, and update a manifest to its changed file."""
import hashlib
import json
from pathlib import Path

import numpy as np

import sphere
from program import field_files, read_csv, read_fields, read_json, write_state, assert_same_bits


def checkpoints(folder):
    """Files of the checkpoints that have a manifest, oldest first."""
    return [path.with_suffix(".h5") for path in sorted(Path(folder).glob("checkpoint_*.json"))]


def step_of(path):
    return int(Path(path).name.split("_step_")[1].split(".")[0])


def checkpoint_at(folder, step):
    return next(path for path in checkpoints(folder) if step_of(path) == step)


def digest_of_pieces(content):
    """SHA-256 of what sha256sum prints of pieces of 1 MiB."""
    pieces = (content[first:first + 2 ** 20] for first in range(0, len(content), 2 ** 20))
    return hashlib.sha256("".join(hashlib.sha256(piece).hexdigest() + "  -\n" for piece in pieces).encode()).hexdigest()


def reseal(path, **changes):
    """Update the manifest of a checkpoint to its changed file, as if the file had been written so."""
    manifest = path.with_suffix(".json")
    content = path.read_bytes()
    manifest.write_text(json.dumps({
        **json.loads(manifest.read_text()), "bytes": len(content), "sha256_of_pieces": digest_of_pieces(content), **changes}))


def as_before_format_3(path, format):
    """Change the manifest to one with the SHA-256 of the whole file."""
    manifest = json.loads(path.with_suffix(".json").read_text())
    del manifest["sha256_of_pieces"]
    path.with_suffix(".json").write_text(json.dumps({
        **manifest, "format": format, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}))


def noise_case(folder, write, n=13, seed=1, **sections):
    """A case of 21 steps with noise in every value: nothing cancels by symmetry."""
    rng = np.random.default_rng(seed)
    shapes = {"h": (6, n + 1, n + 1), "v1": (6, n + 1, n), "v2": (6, n, n + 1)}
    grid = {"n": n, "order": 4, **sections.pop("grid", {})}
    angles = np.degrees(sphere.points(n, grid["order"])[0])
    write_state(Path(folder) / "noise.h5", **{k: rng.standard_normal(s) for k, s in shapes.items()}, Xdim=angles, Ydim=angles)
    return write(**{"grid": grid, "initial": {"kind": "file", "path": "noise.h5"},
                    "time": {"end": 0.21, "dt": 0.01}, **sections})


NOT_OF_TIME = ("device", "threads", "backend", "seconds", "step_us", "restarted_at", "checkpoints",
               "output")


def assert_same_run(found, expected):
    """Assert that two folders hold results of the same run: field files and rows of diagnostics to the last bit,
    the summary except for its times.
    """
    assert [path.name for path in field_files(found)] == \
        [path.name for path in field_files(expected)]
    for a, b in zip(field_files(found), field_files(expected)):
        assert_same_bits(read_fields(a), read_fields(b))
    assert (found / "diagnostics.csv").read_bytes() == (expected / "diagnostics.csv").read_bytes()
    assert_same_summary(found, expected)


def assert_same_summary(found, expected):
    a, b = (read_json(folder / "summary.json") for folder in (found, expected))
    for key in NOT_OF_TIME:
        del a[key], b[key]
    assert a == b


def assert_same_rows_after(step, found, expected):
    """Assert that the rows of diagnostics after a step are the same."""
    assert read_csv(found / "diagnostics.csv") == \
        [row for row in read_csv(expected / "diagnostics.csv") if row["step"] > step]
