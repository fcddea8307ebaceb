"""Cases that ranks run, and what two runs of one must have alike."""
from checkpoints import checkpoints
from program import assert_same_bits, field_files, read_fields, write_case

EARTH = {"model": "nonlinear", "rotation": 7.292e-5, "radius": 6.37122e6, "gravity": 9.80616, "depth": 5960.0}
WAVE = {"model": "linear", "radius": 6.37122e6, "gravity": 9.80616, "depth": 1000.0}
BELL = [{"name": "bell", "initial": {"kind": "cosine_bell", "lon": 270, "lat": 10}}]
FILES = {"output": {"every": 10, "fields": ["h", "wind", "vorticity", "divergence", "native"]}, "diagnostics": {"every": 5},
         "checkpoint": {"every": 10, "keep": 5}}
# a wave at a cube vertex, which is on up to three ranks; a rotating sphere; a mountain with a tracer
CASES = {"wave": {**FILES, "physics": WAVE, "initial": {"kind": "gaussian", "lon": 45.0, "lat": 35.264389682754654},
                  "time": {"end": 8000.0, "dt": 400.0}},
         "rotating": {**FILES, "physics": {**WAVE, "rotation": 7.292e-5}, "initial": {"kind": "gaussian"},
                      "time": {"end": 8000.0, "dt": 400.0}},
         "deformation": {**FILES, "physics": {"model": "prescribed", "depth": 1000.0, "radius": 6371220.0},
                         "initial": {"kind": "deformation", "mode": 4, "period": 1036800.0}, "time": {"end": 20000.0, "dt": 1000.0},
                         "tracers": BELL},
         "mountain": {**FILES, "physics": EARTH, "initial": {"kind": "williamson5"}, "time": {"end": 4000.0, "dt": 200.0},
                      "tracers": BELL}}


def write(run, name, n=48, order=4, **sections):
    return write_case(run.folder / f"{name}.yaml", grid={"n": n, "order": order}, **{**CASES[name], **sections}).name


def newest_checkpoint(folder):
    return checkpoints(folder / "checkpoints")[-1]


def assert_same_files(found, expected):
    assert (found / "diagnostics.csv").read_bytes() == (expected / "diagnostics.csv").read_bytes()
    assert len(field_files(found)) == len(field_files(expected)) == 3
    for a, b in zip(field_files(found), field_files(expected)):
        assert a.read_bytes() == b.read_bytes(), a.name
    assert_same_bits(*map(read_fields, map(newest_checkpoint, (found, expected))))
