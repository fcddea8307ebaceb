"""Runs on blocks of the panels write the files of whole panels, and a run continues with other blocks."""
import pytest

from program import Program, assert_same_bits, field_files, final_fields, read_fields, write_case

EARTH = {"model": "nonlinear", "rotation": 7.292e-5, "radius": 6.37122e6, "gravity": 9.80616, "depth": 5960.0}
CASE = {"grid": {"n": 40, "order": 4}, "physics": EARTH, "initial": {"kind": "williamson5"},
        "time": {"end": 12000.0, "dt": 400.0}, "output": {"every": 10}, "diagnostics": {"every": 5},
        "checkpoint": {"every": 10, "keep": 5},
        "tracers": [{"name": "bell", "initial": {"kind": "cosine_bell", "lon": 270, "lat": 10}}]}
CONFIG = 78


def blocks(along1, along2):
    return ["--set", f"parallel.blocks_1={along1}", "--set", f"parallel.blocks_2={along2}"]


@pytest.fixture
def run(tmp_path):
    write_case(tmp_path / "case.yaml", **CASE)
    return Program("CUBESWE", tmp_path)


def test_the_files_are_those_of_whole_panels(run):
    whole = run.solve("case.yaml", "whole")
    cut = run.solve("case.yaml", "cut", "--threads", 2, *blocks(2, 3))
    assert (cut / "diagnostics.csv").read_bytes() == (whole / "diagnostics.csv").read_bytes()
    assert len(field_files(cut)) == len(field_files(whole)) == 4
    for found, expected in zip(field_files(cut), field_files(whole)):
        assert found.read_bytes() == expected.read_bytes()
    newest = [sorted((folder / "checkpoints").glob("*.h5"))[-1] for folder in (cut, whole)]
    assert_same_bits(*map(read_fields, newest))


def test_a_run_goes_on_with_other_blocks(run):
    whole = run.solve("case.yaml", "whole")
    run.solve("case.yaml", "chain", "--set", "time.end=4000.0", *blocks(1, 3))
    run.solve("case.yaml", "chain", "--restart", "auto", "--set", "time.end=8000.0", *blocks(2, 4))
    chain = run.solve("case.yaml", "chain", "--restart", "auto")
    assert_same_bits(final_fields(chain), final_fields(whole))


def test_small_blocks_are_refused(run, tmp_path):
    text = (tmp_path / "case.yaml").read_text()
    (tmp_path / "case.yaml").write_text(text + "parallel:\n  blocks_1: 2\n  blocks_2: 9\n")
    refused = run("run", "case.yaml", "--output", "out")
    line = len(text.splitlines()) + 3
    assert refused.code == CONFIG
    assert refused.lines == [f"cubeswe: case.yaml:{line}: parallel.blocks_2: 9 blocks along xi2 are too small for "
                             "n = 40, order 4; at most 6"]
    assert not (tmp_path / "out").exists()


def test_the_files_of_a_gpu_are_those_of_whole_panels(run, tmp_path):
    emulated = Program("CUBESWE_EMULATED", tmp_path)
    whole = emulated.solve("case.yaml", "whole", "--backend", "cuda")
    cut = emulated.solve("case.yaml", "cut", "--backend", "cuda", *blocks(2, 3))
    assert (cut / "diagnostics.csv").read_bytes() == (whole / "diagnostics.csv").read_bytes()
    for found, expected in zip(field_files(cut), field_files(whole), strict=True):
        assert found.read_bytes() == expected.read_bytes()


def test_the_estimate_of_memory_counts_blocks(run):
    def mebibytes(*words):
        done = run("info", "case.yaml", *words)
        assert done.code == 0, done.err
        text, = (line.split()[2] for line in done.out.splitlines() if line.startswith("# memory"))
        return float(text)
    assert mebibytes() < mebibytes(*blocks(1, 2)) < mebibytes(*blocks(2, 4))
