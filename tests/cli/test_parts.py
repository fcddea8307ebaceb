"""Parts of the sweeps: their functions are there, they cover the sweep, and a slow one is found."""
import json
import re
import subprocess

import pytest

from program import ENVIRONMENT, REPOSITORY, Program, path_of, read_json

BUILD = json.loads(subprocess.run([path_of("CUBESWE"), "info", "--json"], capture_output=True, check=True).stdout)
needs_libdw = pytest.mark.skipif("code samples" not in json.dumps(BUILD), reason="the build has no libdw")

# a second of steps, within which the machine may be busy for a while
CASE = {"grid": {"n": 48, "order": 4}, "initial": {"kind": "gaussian"},
        "time": {"end": 2500 / 144, "dt": 1 / 144}}
WINDOW = ("--profile=summary", "--set", "profile.parts=on", "--set", "profile.start_step=50",
          "--set", "profile.duration=2400", "--threads", "1")
SHORT = (*WINDOW, "--set", "profile.duration=20", "--set", "time.end=0.5")    # where no samples are expected
FLOWS = {"fused": {}, "transport": {"model": "nonlinear", "rotation": 0.5}}
SWEEPS = (REPOSITORY / "solver/stages/regions.h").read_text()


@pytest.fixture(autouse=True)
def with_patience(monkeypatch):
    """Shares of parts need the samples of whole seconds."""
    monkeypatch.setitem(ENVIRONMENT, "CUBESWE_TUNING", "peaks=0")


def listed():
    """Stage, part, stages of the staged pipeline and functions of each part in the list."""
    rows = re.sub(r"\\\n", "", SWEEPS.split("#define SWE_PART_LIST(PART)")[1].split("\n\n")[0])
    found = re.findall(r'PART\((\w+),\s*"([^"]*)",\s*"([^"]*)",\s*((?:"[^"]*"\s*)+)\)', rows)
    return [(stage, part, staged.split(), "".join(re.findall(r'"([^"]*)"', functions)).split())
            for stage, part, staged, functions in found]


def profile_of(program, name, out="out", *arguments, **options):
    folder = program.solve(name, out, *WINDOW, *arguments, **options)
    return read_json(folder / "profile/step_00000050/summary.json")


def shares(summary, stage):
    return {row["part"]: row["share_of_stage"] for row in summary["parts"] if row["stage"] == stage}


def covered(rows, threads):
    """Share of the threads' time that the samples stand for: 1; a sample that counts twice makes it 2. Beside other programs
    one sample stands for many, which are not independent: shares of 0.15 and 1.47 were seen."""
    share = sum(row["time_ns"] for row in rows) / sum(row["time_ns"]["total"] for row in threads)
    assert 0.1 < share < 1.8
    return share


def test_every_function_of_a_part_is_there():
    rows = listed()
    assert len(rows) == SWEEPS.count("    PART(") > 10
    rooms = [REPOSITORY / "solver/stages", REPOSITORY / "solver/sweeps"]
    code = "\n".join(path.read_text() for room in rooms for path in room.rglob("*.[ch]*"))
    stages = {path.name for room in rooms for path in room.iterdir()}
    for _, part, staged, functions in rows:
        assert set(staged) <= stages, part
        missing = [name for name in functions
                   if not re.search(rf"^((SWE_POINT|static|void)[^;=(]*\b{name}\(|    {name}\(SWE_GRID_CONSTANT)", code,
                                    re.MULTILINE)]
        assert not missing, part


@needs_libdw
@pytest.mark.parametrize("stage", FLOWS)
def test_parts_cover_their_stage(run, case, stage):
    """Samples times their period are the time of the thread in the stage; little is in no part."""
    summary = profile_of(run, case(**CASE, physics=FLOWS[stage]))
    assert {row["stage"] for row in summary["parts"]} <= {"fused", "transport"}
    assert summary["warnings"] == [], summary["warnings"]
    of_stage = [row for row in summary["parts"] if row["stage"] == stage]
    share = covered(of_stage, [row for row in summary["threads"] if row["stage"] == stage])
    assert sum(shares(summary, stage).values()) == pytest.approx(1)
    names = [part for of, part, *_ in listed() if of == stage]
    assert [row["part"] for row in of_stage if row["part"]] == \
        [name for name in names if name in shares(summary, stage)]
    assert len(of_stage) >= len(names) - 2     # nothing is prefetched here, and a part may be short
    assert shares(summary, stage).get(None, 0) < 0.25
    text = run("report", "out").out
    rows = text.split("\nParts of the stages\n")[1].split("\n\n")[0]
    assert all(name in rows for name in names if name in shares(summary, stage))
    samples = sum(row["samples"] for row in of_stage)
    assert f"{samples} samples, which cover {100 * share:.1f} % of its threads' time" in rows


@needs_libdw
def test_windows_of_two_threads(run, case):
    """From the first step on, and each with its own samples."""
    out = run.solve(case(**{**CASE, "grid": {"n": 96, "order": 4}, "time": {"end": 400 / 288, "dt": 1 / 288}}), "out",
                    "--profile=summary", "--set", "profile.parts=on", "--set", "profile.start_step=0", "--set",
                    "profile.duration=200", "--set", "profile.interval=200", "--threads", "2")
    for first in (0, 200):
        summary = read_json(out / f"profile/step_{first:08}/summary.json")
        assert summary["device"]["threads"] == 2 and summary["warnings"] == []
        covered(summary["parts"], [row for row in summary["threads"] if row["stage"] == "fused"])


@needs_libdw
def test_a_slow_part_is_found(case, tmp_path):
    """The divergence is slower: its share grows, and the others keep their shares of the rest."""
    program = Program("CUBESWE_SLOWED_PART", tmp_path)
    name = case(**CASE)
    plain, slowed = (shares(profile_of(program, name, divisions, env={"CUBESWE_SLOWED_DIVISIONS": divisions}), "fused")
                     for divisions in ("0", "30"))
    assert max(slowed, key=slowed.get) == "divergence" != max(plain, key=plain.get)
    rest = [1 - part["divergence"] for part in (plain, slowed)]
    assert slowed["divergence"] / rest[1] > 5 * plain["divergence"] / rest[0]
    for part in {*plain, *slowed} - {"divergence"}:
        assert slowed.get(part, 0) / rest[1] == pytest.approx(plain.get(part, 0) / rest[0], abs=0.15), part


@needs_libdw
def test_parts_beside_the_staged_pipeline(run, case):
    """`cubeswe profile`: the record, the table, and the record read again; with its times made reliable."""
    name = case(**CASE)
    arguments = ("profile", name, "--set", "grid.n=24", "--threads", "1", "--output", "out", "--backend", "cpu")
    done = run(*arguments)
    assert done.code == 0, done.err
    assert done.out.split("| stage     | part")[1] in (run.folder / "out/profile.md").read_text() + "results in out\n"
    assert run(*arguments).out.endswith(done.out)    # from the record
    record = read_json(run.folder / "out/profile.json")
    for row in record["components"]:
        row.update(median_us={"loop": 1e6, "other loop": 2e6}.get(row["name"], row["median_us"]), core_wait_share=0)
        row.update(low_quartile_us=row["median_us"], high_quartile_us=row["median_us"])
    (run.folder / "out/profile.json").write_text(json.dumps(record))
    done = run(*arguments)
    calls = {row["name"]: row["calls_per_step"] * row["median_us"] for row in record["components"]}
    assert sum(row["share_of_stage"] for row in record["parts"]) == pytest.approx(1)
    table = done.out.split("| stage     | part")[1]
    staged = {part: stages for of, part, stages, _ in listed() if of == "fused"}
    for row in record["parts"]:
        us = row["share_of_stage"] * calls["fused"]
        assert row["us_per_step"] in (None, pytest.approx(us))    # of the times before
        line = next(line for line in table.splitlines() if f" {row['part'] or '(other)'} " in line)
        assert f"| {us:9.1f} |" in line
        beside = ", ".join(f"{stage} {calls[stage]:.1f}" for stage in staged.get(row["part"], []))
        assert line.endswith(f"| {beside or '-'}")
    assert "A fused step in a loop takes 1000000.0 us, a staged one 2000000.0 us: fusing saves 50 %." in table
    record["parts"][0]["part"] = "magic"
    (run.folder / "out/profile.json").write_text(json.dumps(record))
    again = run(*arguments)
    assert again.code == 65 and "parts[0]: is not a part" in again.err, again.err


@needs_libdw
def test_a_staged_run_says_that_it_has_no_parts(run, case):
    done = run("run", case(**CASE, scheme={"pipeline": "staged"}), "--output", "out", "--backend", "cpu", "--quiet", *SHORT)
    assert done.code == 0 and "no parts of stages: the stages that ran have none" in done.err


def test_the_staged_pipeline_has_no_parts(run, case):
    out = run.solve(case(**CASE, scheme={"pipeline": "staged"}), "out", "--set", "grid.n=12", "--threads", "1", command="profile")
    assert read_json(out / "profile.json")["parts"] == []
    assert "fusing" not in (out / "profile.md").read_text()


@needs_libdw
def test_a_stripped_program_says_so(run, case, tmp_path):
    """It runs, and the profile has no parts."""
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", stripped, run.path], check=True)
    program = Program("CUBESWE", tmp_path)
    program.path = str(stripped)
    done = program("run", case(**CASE), "--output", "out", "--backend", "cpu", "--quiet", *SHORT)
    assert done.code == 0, done.err
    assert [line for line in done.lines if "no parts of stages: the program has no debug information" in line]
    assert read_json(tmp_path / "out/profile/step_00000050/summary.json")["parts"] == []
