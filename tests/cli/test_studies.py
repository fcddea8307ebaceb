"""Studies that are stopped or extended: finished rows stay, the others are computed."""
import json
import shutil
import signal
from pathlib import Path

import jsonschema
import pytest

from program import HANGS, REPOSITORY, Program, contents, read_json, wait_for, write_case

DATA, CANNOT_CREATE, STOPPED = 65, 73, 75

# A row that needs much more time than those before it.
LONG_ROW, LONG = "192", ["--set", "time.end=20"]


def rows_of(folder, name="convergence.json"):
    """Rows of a study so far; none before it has written its file."""
    path = folder / name
    return read_json(path)["rows"] if path.exists() else []


def sizes_of(rows):
    return [(row["order"], row["n"]) for row in rows]


def times_of(rows):
    """Wall times of rows, which differ between any two runs of a row."""
    return [row["seconds"] for row in rows]


def edit(path, change):
    """Change the JSON of a study as `change` does."""
    study = read_json(path)
    change(study)
    path.write_text(json.dumps(study))


# ---- converge ------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["SIGUSR1", "SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU"])
def test_a_signal_leaves_the_rows_that_are_done(run, case, tmp_path, name):
    out, arguments = tmp_path / "out", ("converge", case(grid={"order": 2}), "--backend", "cpu", "--output", "out")
    with run.start(*arguments, "--n", f"9,12,{LONG_ROW}", *LONG) as process:
        wait_for(lambda: len(rows_of(out)) == 2)
        process.send_signal(getattr(signal, name))
        output, line = process.communicate(timeout=HANGS)
    assert process.returncode == STOPPED
    assert line.splitlines()[-1].startswith(f"cubeswe: {name}: stopped with 2 of 3 rows done;")
    assert not read_json(out / "convergence.json")["finished"]
    assert (out / "convergence.md").read_text().split("\n\n")[2].splitlines()[3] in output
    assert {path.suffix for path in out.glob("convergence.*")} == {".json", ".csv", ".md", ".svg", ".html"}
    assert not list(out.glob("*.tmp"))
    before = times_of(rows_of(out))
    done = run(*arguments, "--n", "9,12", *LONG)
    assert done.code == 0 and "out: all rows are done already" in done.out
    assert times_of(rows_of(out)) == before and read_json(out / "convergence.json")["finished"]


@pytest.mark.parametrize("command, arguments, result", [
    ("converge", ["--n", "9"], "convergence.json"), ("run", [], "summary.json")])
def test_a_command_killed_before_its_first_result_starts_anew(run, case, tmp_path, command, arguments, result):
    """An unfinished file is no result."""
    (tmp_path / "out").mkdir()
    for name in (f"{result}.tmp", "progress.json", "fields_00000003.nc.tmp", "run.lock"):
        (tmp_path / "out" / name).write_text("half")
    done = run(command, case(), *arguments, "--backend", "cpu", "--output", "out", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "out" / result).exists() and not list((tmp_path / "out").glob("*.tmp"))


def test_a_study_continues_where_it_was_killed(run, case, tmp_path):
    """It has the finished rows in the requested order, and the rows of a study that was never killed."""
    out, name = tmp_path / "out", case()
    with run.start("converge", name, "--backend", "cpu", "--output", "out", "--quiet", *LONG,
                   "--n", f"9,12,{LONG_ROW}") as process:
        wait_for(lambda: len(rows_of(out)) == 2)
        process.kill()
        process.communicate(timeout=HANGS)
    before = rows_of(out)
    done = run("converge", name, "--backend", "cpu", "--output", "out", *LONG, "--n", "9,10,12",
               "--order", "2,4")
    assert done.code == 0 and "out: 2 of 6 rows are done already, continuing\n" in done.out
    rows = rows_of(out)
    assert sizes_of(rows) == [(order, n) for order in (2, 4) for n in (9, 10, 12)]
    assert times_of([rows[3], rows[5]]) == times_of(before)
    whole = rows_of(run.solve(name, "whole", *LONG, "--n", "9,10,12", "--order", "2,4", command="converge"))
    for found, expected in zip(rows, whole):
        for timing in ("seconds", "step_us", "core_wait_share", "not_reliable_because"):
            del found[timing], expected[timing]
    assert rows == whole
    assert all((out / f"fields_order{order}_n{n:04d}.nc").exists() for order, n in sizes_of(rows))


def test_a_finished_study_is_printed_again(run, case, tmp_path):
    arguments = ("converge", case(), "--n", "9,12", "--backend", "cpu", "--output", "out")
    first, before = run(*arguments), contents(tmp_path / "out")
    again = run(*arguments)
    assert again.code == 0 and again.err == ""
    assert again.out.splitlines()[1:] == first.out.splitlines()
    assert run(*arguments, "--quiet").out == "" and contents(tmp_path / "out") == before


@pytest.mark.parametrize("words, arguments", [
    (["1 row", "not requested"], ["--n", "9"]),
    (["2 rows", "not requested"], ["--n", "9,12", "--order", "2"]),
    (["initial.amplitude is 0.01 there and 0.02 here"],
     ["--n", "9,12", "--set", "initial.amplitude=0.02"]),
    (["scheme.pipeline is fused there and staged here"],
     ["--n", "9,12", "--set", "scheme.pipeline=staged"])], ids=str)
def test_rows_of_another_study_are_refused(run, refuses, case, words, arguments):
    run.solve(case(), "out", "--n", "9,12", command="converge")
    refuses(CANNOT_CREATE, ["out", "--overwrite", *words], "converge", case(), "--output", "out",
            "--backend", "cpu", *arguments)


def test_another_case_in_the_folder_is_refused(run, refuses, case):
    run.solve(case(), "out", "--n", "9", command="converge")
    refuses(CANNOT_CREATE, ['case is "case" there and "other" here'], "converge", case("other"),
            "--n", "9", "--output", "out", "--backend", "cpu")


@pytest.mark.parametrize("fact", ["version", "build", "backend", "device"])
def test_rows_of_another_program_or_device_are_refused(run, refuses, case, fact):
    out = run.solve(case(), "out", "--n", "9", command="converge")
    edit(out / "convergence.json", lambda study: study.update({fact: "other"}))
    refuses(CANNOT_CREATE, [f'{fact} is "other" there'], "converge", case(), "--n", "9,12",
            "--output", "out", "--backend", "cpu")


@pytest.mark.parametrize("old, new, words", [
    ("  amplitude: 0.01\n", "", "the next key is width there and amplitude here"),
    ("initial:\n", "start:\n", "the next key is start there and initial here"),
    ("time:\n", "", "the next key is "), ("grid:", "physics:", "the next key is physics there and grid here")])
def test_a_record_with_other_keys_is_refused(run, refuses, case, old, new, words):
    out = run.solve(case(), "out", "--n", "9", command="converge")
    assert old in read_json(out / "convergence.json")["configuration"]
    edit(out / "convergence.json", lambda study: study.update(configuration=study["configuration"].replace(old, new, 1)))
    refuses(CANNOT_CREATE, [words], "converge", case(), "--n", "9,12", "--output", "out", "--backend", "cpu")


def first_row(**changes):
    return lambda study: study["rows"][0].update(changes)


@pytest.mark.parametrize("word, change", [
    ("rows", lambda study: study.pop("rows")), ("rows", lambda study: study.update(rows=3)),
    ("rows[0]", lambda study: study.update(rows=[1])),
    ("rows[0].l2", first_row(l2="small")), ("rows[0].dt", first_row(dt=-1)),
    ("rows[0].n", first_row(n=1.5)), ("rows[0]", first_row(n=1 << 40)),
    ("rows[0].step_us", first_row(step_us=[])), ("finished", lambda study: study.update(finished=1)),
    ("rows", lambda study: study.update(rows=1025 * study["rows"])),
    ("rows[1]", lambda study: study.update(rows=2 * study["rows"]))], ids=str)
def test_a_record_that_cannot_be_read_is_refused(run, refuses, case, word, change):
    out = run.solve(case(), "out", "--n", "9", command="converge")
    edit(out / "convergence.json", change)
    refuses(DATA, [f"out/convergence.json: {word}: "], "converge", case(), "--n", "9,12", "--output", "out",
            "--backend", "cpu")


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "\0"])
def test_a_record_that_is_no_study_is_refused(run, refuses, case, tmp_path, text):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/convergence.json").write_text(text)
    refuses(DATA, ["out/convergence.json: "], "converge", case(), "--n", "9", "--output", "out", "--backend", "cpu")


# ---- one study in a folder -----------------------------------------------------------------------

def test_a_second_study_in_a_folder_is_refused(run, case, tmp_path):
    arguments = ("converge", case(), "--n", f"9,{LONG_ROW}", "--backend", "cpu", "--output", "out", "--quiet", *LONG)
    with run.start(*arguments) as process:
        wait_for(lambda: rows_of(tmp_path / "out"))
        for again in (arguments, (*arguments, "--overwrite"),
                      ("run", case(), "--backend", "cpu", "--output", "out", "--overwrite")):
            second = run(*again)
            assert second.code == CANNOT_CREATE and f"process {process.pid}" in second.err
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=HANGS)[1].startswith("cubeswe: SIGTERM: stopped with 1 of 2")


# ---- bench ---------------------------------------------------------------------------------------

SCHEMA = read_json(REPOSITORY / "solver/cli/bench.schema.json")
ONE = ("--n", "9", "--repeats", "31")
BENCH = ("--backend", "cpu", "--output", "out", "--pipeline", "fused", "--threads", "1")


def bench_of(folder):
    """The bench of a folder, which agrees with its schema."""
    bench = read_json(folder / "bench.json")
    jsonschema.validate(bench, SCHEMA)
    return bench


def samples_of(folder):
    return [row["seconds"] for row in bench_of(folder)["rows"]]


def test_a_signal_leaves_samples_and_the_bench_continues(run, case, tmp_path):
    out, name = tmp_path / "out", case()
    with run.start("bench", name, *BENCH, "--n", "12,16", "--repeats", "1000") as process:
        for _ in range(2):  # both rows are warm
            assert "about" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        output, line = process.communicate(timeout=HANGS)
    assert process.returncode == STOPPED
    assert line == "cubeswe: SIGINT: stopped with 0 of 2 rows done; the same command continues in out\n"
    assert "| fused    | double    |     4 |   16 |" in output
    assert {path.name for path in out.iterdir()} == {
        "bench.json", "bench.csv", "bench.md", "bench.svg", "bench.html", "run.lock"}
    bench, before = bench_of(out), samples_of(out)
    assert not bench["finished"] and bench["ceilings"]["after"] is None and bench["sizes"] == [12, 16]
    assert all(0 < len(samples) < 30 for samples in before), "the signal was handled at once"
    assert "Not finished" in (out / "bench.md").read_text()
    again = run("bench", name, *BENCH, "--n", "12,16", "--repeats", "30")
    assert again.code == 0 and "out: 0 of 2 rows are done already, continuing\n" in again.out
    bench, after = bench_of(out), samples_of(out)
    assert bench["finished"] and bench["ceilings"]["after"] is not None
    assert [samples[:len(old)] for samples, old in zip(after, before)] == before
    assert [len(samples) for samples in after] == [30, 30]
    assert "Not finished" not in (out / "bench.md").read_text()


@pytest.fixture(scope="module")
def one_bench(tmp_path_factory):
    """A bench of one size, measured once for all tests, and its output."""
    folder = tmp_path_factory.mktemp("bench")
    done = Program("CUBESWE", folder)("bench", write_case(folder / "case.yaml"), *BENCH, *ONE)
    assert done.code == 0, done.err
    return folder / "out", done.out


@pytest.fixture
def benched(one_bench, case, tmp_path):
    """A copy of the bench, and its case."""
    return Path(shutil.copytree(one_bench[0], tmp_path / "out")), case()


def test_a_bench_keeps_the_reason_why_its_peaks_are_not_reliable(benched, run):
    out, name = benched
    for reason in ("copies in a cache are slower than in the memory beyond it", "threads waited for cores that others used"):
        bench = bench_of(out)
        bench["ceilings"]["not_reliable_because"] = reason
        (out / "bench.json").write_text(json.dumps(bench))
        assert f"Ceilings: not reliable, because {reason}.\n" in run("bench", name, *BENCH, *ONE).out


def test_a_bench_adds_a_further_size(benched, run, one_bench):
    out, name = benched
    before = (out / "bench.json").read_bytes()
    again = run("bench", name, *BENCH, *ONE)
    assert again.code == 0 and (out / "bench.json").read_bytes() == before
    assert again.out.splitlines() == [
        "out: all rows are done already (--overwrite starts anew)", *one_bench[1].splitlines()[1:]]
    more = run("bench", name, *BENCH, "--repeats", "31", "--n", "9,12")
    assert more.code == 0 and more.out.count("about") == 1 and "n = 12: about" in more.out
    (small, large), (old,) = bench_of(out)["rows"], json.loads(before)["rows"]
    assert (small["n"], large["n"]) == (9, 12)
    for key in ("seconds", "steps", "max_h", "threads", "measured", "us_per_step"):
        assert small[key] == old[key]


def test_a_bench_of_a_gpu_keeps_the_time_of_the_host(run_emulated, case):
    name, arguments = case(), (*BENCH[4:], "--repeats", "30")
    out = run_emulated.solve(name, "out", "--n", "9", *arguments, command="bench", backend="cuda")
    (old,), keys = bench_of(out)["rows"], ("seconds", "host_seconds", "host_steps", "host_us_per_step")
    run_emulated.solve(name, "out", "--n", "9,12", *arguments, command="bench", backend="cuda")
    small, large = bench_of(out)["rows"]
    assert [small[key] for key in keys] == [old[key] for key in keys]
    assert len(large["host_seconds"]) == 30


def test_sizes_that_the_program_chose_stay(benched, run):
    edit(benched[0] / "bench.json", lambda bench: bench.update(stopped="n = 16 would take too long"))
    done = run("bench", benched[1], *BENCH, "--repeats", "31")
    assert done.code == 0 and "all rows are done already" in done.out and "about" not in done.out


@pytest.mark.parametrize("words, arguments", [
    (["1 row", "not requested"], ["--n", "12"]),
    (["1 row", "not requested"], ["--n", "9", "--precision", "single"]),
    (["31 samples", "--repeats 30"], ["--n", "9", "--repeats", "30"]),
    (["requested_threads is 1 there and 2 here"], ["--n", "9", "--threads", "2"]),
    (["physics.depth is 1 there and 2 here"], ["--n", "9", "--set", "physics.depth=2"])], ids=str)
def test_samples_of_another_bench_are_refused(benched, refuses, words, arguments):
    refuses(CANNOT_CREATE, ["out", "--overwrite", *words], "bench", benched[1], *BENCH, "--repeats", "31",
            *arguments)


@pytest.mark.parametrize("fact", ["host", "processor", "cores", "threads", "system", "tuning"])
def test_samples_of_another_machine_are_refused(benched, refuses, fact):
    edit(benched[0] / "bench.json", lambda bench: bench["machine"].update({fact: "other"}))
    refuses(CANNOT_CREATE, [f'{fact} is "other" there'], "bench", benched[1], *BENCH, "--n", "9,12", "--repeats", "31")


@pytest.mark.parametrize("word, change", [
    ("rows", lambda bench: bench.pop("rows")),
    ("rows[0]", lambda bench: bench.update(rows=["fast"])),
    ("rows[0].seconds", first_row(seconds=[0])), ("rows[0].seconds[0]", first_row(seconds=["1"])),
    ("rows[0]", first_row(seconds=[])), ("rows[0]", first_row(steps_per_sample=0)),
    ("rows[0]", first_row(host_steps=3, host_seconds=[1])), ("rows[0]", first_row(threads=0)),
    ("rows[1]", lambda bench: bench.update(rows=2 * bench["rows"])),
    ("rows[0].max_h", first_row(max_h=None)),
    ("ceilings", lambda bench: bench.update(ceilings=[]))], ids=str)
def test_a_bench_that_cannot_be_read_is_refused(benched, refuses, word, change):
    edit(benched[0] / "bench.json", change)
    refuses(DATA, [f"out/bench.json: {word}: "], "bench", benched[1], *BENCH, "--n", "9,12", "--repeats", "31")


def test_samples_of_other_threads_are_taken_anew(benched, run):
    """The program chooses the number of threads of every row, and may choose another one in the next call."""
    def stop(bench):
        bench["finished"] = False
        bench["rows"][0]["threads"], bench["rows"][0]["seconds"] = 7, [1e9]
    edit(benched[0] / "bench.json", stop)
    assert run("bench", benched[1], *BENCH, "--n", "9", "--repeats", "31").code == 0
    row, = bench_of(benched[0])["rows"]
    assert row["threads"] != 7 and len(row["seconds"]) == 31 and max(row["seconds"]) < 1e9


# ---- profile -------------------------------------------------------------------------------------

PROFILE = ("--backend", "cpu", "--output", "out", "--set", "grid.n=12")


def components_of(folder):
    return {row["name"]: row for row in read_json(folder / "profile.json")["components"]}


def test_a_signal_leaves_the_components_that_are_done(run, case, tmp_path):
    out, name = tmp_path / "out", case(scheme={"pipeline": "staged"})
    with run.start("profile", name, *PROFILE[:-1], "grid.n=384") as process:
        wait_for(lambda: (out / "profile.json").exists())
        process.send_signal(signal.SIGTERM)
        output, line = process.communicate(timeout=HANGS)
    assert process.returncode == STOPPED and line.startswith("cubeswe: SIGTERM: stopped with ")
    profile, rows = read_json(out / "profile.json"), components_of(out)
    assert not profile["finished"] and "step" in rows and "sat" not in rows
    assert f"stopped with {len(rows)} of " in line
    for text in (output, (out / "profile.md").read_text()):
        assert "| step          |" in text and "nan" not in text and "inf" not in text


@pytest.fixture(scope="module")
def one_profile(tmp_path_factory):
    """A small case, profiled once for all tests, and its output."""
    folder = tmp_path_factory.mktemp("profile")
    done = Program("CUBESWE", folder)("profile", write_case(folder / "case.yaml"), *PROFILE)
    assert done.code == 0, done.err
    return folder / "out", done.out


@pytest.fixture
def profiled(one_profile, case, tmp_path):
    """A copy of the profile, and its case."""
    return Path(shutil.copytree(one_profile[0], tmp_path / "out")), case()


def test_a_finished_profile_is_printed_again(profiled, run, one_profile):
    before = contents(profiled[0])
    done = run("profile", profiled[1], *PROFILE)
    assert done.code == 0 and contents(profiled[0]) == before
    assert done.out.splitlines() == [
        "out: all rows are done already (--overwrite starts anew)", *one_profile[1].splitlines()]


def test_a_profile_continues_where_it_was_killed(profiled, run):
    out, name = profiled
    before = components_of(out)

    def cut(profile):
        profile["finished"] = False
        profile["components"] = [row for row in profile["components"] if row["name"] in ("gradient", "step")]
    edit(out / "profile.json", cut)
    done = run("profile", name, *PROFILE)
    after = components_of(out)
    assert done.code == 0 and f"out: 2 of {len(before)} rows are done already, continuing" in done.out
    assert list(after) == list(before) and read_json(out / "profile.json")["finished"]
    again = {name for name, row in after.items() if row["median_us"] != pytest.approx(before[name]["median_us"],
                                                                                      rel=1e-12)}
    assert not again & {"gradient", "step"} and len(again) > len(before) / 2


def test_a_window_that_was_not_finished_is_recorded_again(run, case, tmp_path):
    out, arguments = tmp_path / "out", ("profile", case(), *PROFILE, "--profile=summary")
    assert run(*arguments).code == 0
    before = components_of(out)
    window, = (out / "profile").glob("step_*")
    (window / "summary.json").unlink()
    edit(out / "profile.json", lambda profile: profile.update(finished=False))
    assert run(*arguments).code == 0
    assert (window / "summary.json").exists()
    assert components_of(out)["step"]["median_us"] == pytest.approx(before["step"]["median_us"], rel=1e-12)


@pytest.mark.parametrize("words, arguments", [
    (["grid.n is 12 there and 13 here"], ["--set", "grid.n=13"]),
    (["requested_threads is null there and 1 here"], ["--threads", "1"])], ids=str)
def test_components_of_another_profile_are_refused(profiled, refuses, words, arguments):
    refuses(CANNOT_CREATE, ["out", "--overwrite", *words], "profile", profiled[1], *PROFILE, *arguments)


@pytest.mark.parametrize("word, change", [
    ("host is", lambda profile: profile["machine"].update(host="other")),
    ("build is", lambda profile: profile.update(build="other")),
    ("threads is", lambda profile: profile.update(threads=99))], ids=str)
def test_components_of_another_machine_are_refused(profiled, refuses, word, change):
    edit(profiled[0] / "profile.json", change)
    refuses(CANNOT_CREATE, ["out", "--overwrite", word], "profile", profiled[1], *PROFILE)


def first_component(**changes):
    return lambda profile: profile["components"][0].update(changes)


@pytest.mark.parametrize("word, change", [
    ("components", lambda profile: profile.update(components={})),
    ("components[0].name", lambda profile: profile.update(components=[3])),
    ("components[0]", first_component(name="turbulence")), ("components[", first_component(name="loop")),
    ("components[0].median_us", first_component(median_us="1")),
    ("components[0].samples", first_component(samples=-1))], ids=str)
def test_a_profile_that_cannot_be_read_is_refused(profiled, refuses, word, change):
    edit(profiled[0] / "profile.json", change)
    refuses(DATA, [f"out/profile.json: {word}"], "profile", profiled[1], *PROFILE)
