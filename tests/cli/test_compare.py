"""`cubeswe compare`: its comparison of two profiles, its exit codes, its refusals."""
import copy
import json
import os
import re
import shutil

import jsonschema
import pytest

from pipelines import CALLS, STAGES, within
from program import REPOSITORY, Program, drawn_by, read_json, write_case

SCHEMA = read_json(REPOSITORY / "profiling/compare/comparison.schema.json")
SLOWER, INCONCLUSIVE, USAGE, DATA, NO_INPUT, CANNOT_CREATE = 1, 2, 64, 65, 66, 73
# 80 steps of many stages
CASE = within("staged", {"grid": {"n": 12, "order": 4}, "time": {"end": 0.2, "dt": 0.0025}})
STAGED = list(CALLS["staged"])
WINDOWS = ["--profile=summary", "--threads", 1, "--set", "profile.start_step=10", "--set",
           "profile.duration=5", "--set", "profile.interval=10"]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A profiled run of seven windows; returns its folder."""
    folder = tmp_path_factory.mktemp("recorded")
    case = write_case(folder / "case.yaml", **CASE)
    return Program("CUBESWE", folder).solve(case, "out", *WINDOWS)


def scaled(statistics, factor):
    """Times whose median is 1 ms times a factor, with quartiles 2 % away."""
    return {**statistics, "median": int(1e6 * factor), "lower_quartile": int(0.98e6 * factor),
            "upper_quartile": int(1.02e6 * factor)}


@pytest.fixture
def make(recorded, tmp_path):
    """Write a profile in which every time is 1 ms, some per mille more from window to window: make(name,
    slower={region: factor}, windows=7, change=a function of each summary).
    """
    template = read_json(recorded / "profile/step_00000010/summary.json")

    def write(name, slower=None, windows=7, change=lambda summary: None):
        for k in range(windows):
            summary = copy.deepcopy(template)
            summary["window"].update(first_step=10 * (k + 1))
            for region in summary["regions"]:
                factor = (slower or {}).get(region["name"], 1) * (1 + 0.001 * (k * 3 % 7))
                region["host_ns"] = scaled(region["host_ns"], factor)
            summary["steps"]["host_ns"] = scaled(summary["steps"]["host_ns"], 1)
            change(summary)
            folder = tmp_path / name / "profile" / f"step_{10 * (k + 1):08}"
            folder.mkdir(parents=True)
            (folder / "summary.json").write_text(json.dumps(summary))
        return name
    return write


def compare(run, *arguments, code=0):
    """Rows of a comparison by name and place, and the whole comparison."""
    done = run("compare", *arguments, "--json")
    assert done.code == code, done.err
    data = json.loads(done.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(data)
    return {(row["name"], row["place"]): row for row in data["rows"]}, data


# ---- its results ---------------------------------------------------------------------------------

def test_a_slower_stage_is_reported(run, make):
    rows, data = compare(run, make("a"), make("b", {"gradient": 1.2, "sat": 0.8}))
    verdicts = {name: row["verdict"] for (name, _), row in rows.items() if row["kind"] != "phase"}
    assert verdicts == {**dict.fromkeys([*STAGED, "rhs", "step"], "same"), "gradient": "slower",
                        "sat": "faster"}
    gradient = rows["gradient", "host"]
    assert gradient["change"] == pytest.approx(0.2, abs=1e-3)
    assert 0 < gradient["low"] < 0.2 < gradient["high"] < 0.3
    assert gradient["a_us"] == pytest.approx(1003, abs=1)
    assert gradient["b_us"] == pytest.approx(1.2 * 1003, abs=1)
    assert data["between_windows"] and data["differs"] == [] and data["notes"] == []
    assert (data["a_windows"], data["b_windows"]) == (7, 7)


def test_rows_come_by_importance(run, recorded):
    rows, _ = compare(run, recorded, recorded)
    kinds = [row["kind"] for row in rows.values()]
    assert kinds[0] == "step" and kinds == sorted(kinds, key=lambda kind: kind == "phase")
    shares = [row["share"] for row in rows.values() if row["kind"] != "phase"]
    assert shares == sorted(shares, reverse=True) and set(STAGED) <= {name for name, _ in rows}
    assert all(row["verdict"] == "not judged" and row["low"] is None for row in rows.values()
               if row["kind"] == "phase")


def test_a_run_against_itself_is_quiet(run, recorded):
    rows, _ = compare(run, recorded, recorded)
    assert {row["change"] for row in rows.values()} == {0}
    assert {row["verdict"] for row in rows.values()} == {"same", "not judged"}


def test_text_fits_a_terminal(run, make, recorded, tmp_path):
    def change(summary):
        summary["run"]["build"] = "another build, " * 20
        summary["warnings"] = ["something went wrong, and the message is a long one " * 4]
    long = tmp_path / "/".join(["a long name of a folder"] * 6)
    shutil.copytree(tmp_path / make("b", {"gradient": 1.2}, change=change), long)
    done = run("compare", make("a"), long)
    assert done.code == 0 and done.err == ""
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 100 and all(line.isprintable() for line in lines)
    assert re.search(r"^gradient +1003\.\d +120\d\.\d +\+20\.0 % +\+\d.* slower$", done.out, re.M)
    assert re.search(r"^build +\S.*another build", done.out, re.M)
    assert "B was profiled with 7 warnings" in done.out


def test_few_windows_are_reported_to_be_few(run, make):
    rows, data = compare(run, make("a", windows=2), make("b", {"gradient": 1.12, "rk4": 1.5}))
    assert not data["between_windows"]
    assert rows["gradient", "host"]["verdict"] == "same"
    assert rows["rk4", "host"]["verdict"] == "slower"
    assert any("windows" in note and "profile.interval" in note for note in data["notes"])
    assert any("Phases are left out" in note for note in data["notes"])


def test_a_few_calls_are_not_judged(run, make):
    def change(summary):
        for region in summary["regions"]:
            region["host_ns"]["count"] = 5 if region["name"] == "step" else 100
    rows, _ = compare(run, make("a", windows=1, change=change),
                      make("b", {"step": 9, "sat": 9}, windows=1, change=change))
    assert rows["step", "host"]["verdict"] == "not judged"
    assert rows["sat", "host"]["verdict"] == "slower"


@pytest.mark.parametrize("below", ["", "profile", "profile/step_00000010",
                                   "profile/step_00000010/summary.json"])
def test_paths_that_name_a_profile(run, recorded, below):
    _, data = compare(run, recorded / below, recorded)
    assert data["a_windows"] == (7 if below in ("", "profile") else 1)


def test_what_differs_is_reported(run, make, recorded):
    def change(summary):
        summary["host"], summary["device"]["threads"] = "another", 64
        summary["run"]["added"] = "new"
        del summary["run"]["dt"]
    _, data = compare(run, make("a"), make("b", change=change))
    found = {row["name"]: (row["a"], row["b"]) for row in data["differs"]}
    assert found["host"][1] == "another" and found["threads"] == ("1", "64")
    assert found["added"] == ("", "new") and found["dt"] == ("0.0025", "")
    assert len(found) == 4 and not any(row["is_task"] for row in data["differs"])


def test_quantities_of_one_run_only_are_reported(run, make):
    def change(summary):
        summary["regions"] = [r for r in summary["regions"] if r["name"] != "sat"]
    rows, data = compare(run, make("a", {"sat": 2}), make("b", change=change))
    assert ("sat", "host") not in rows and data["notes"] == []
    only, = data["only"]
    assert (only["run"], only["name"], only["kind"], only["place"]) == ("A", "sat", "stage", "host")
    assert only["us"] == pytest.approx(2006, abs=1) and 0 < only["us_per_step"] < 1003
    assert re.search(r"^sat +2006\.\d +\d+\.\d$", run("compare", "a", "b").out, re.M)


@pytest.mark.parametrize("name, end, sweep", [("gaussian_seed", 1, "fused"), ("williamson2", 100000, "transport")])
def test_pipelines_are_compared_by_what_they_compute(run, tmp_path, name, end, sweep):
    """Stages of only one run have their times, and the time per step of all stages that compute the same."""
    for pipeline in ("fused", "staged"):
        run.solve(name, pipeline, *WINDOWS[:-2], "--set", "grid.n=13", "--set", f"time.end={end}", "--set", f"scheme.pipeline={pipeline}")
    rows, data = compare(run, "staged", "fused", "--html", "page.html")
    assert drawn_by(tmp_path / "page.html") == data
    stages = {letter: {row["name"]: row["us_per_step"] for row in data["only"] if row["run"] == letter and row["kind"] == "stage"}
              for letter in "AB"}
    assert {"divergence", "gradient", "rk4"} < set(stages["A"]) and not set(stages["A"]) & set(stages["B"])
    sums = [sum(stages[letter].values()) for letter in "AB"]
    step = rows["step", "host"]
    assert sweep in stages["B"] and all(row["us"] > 0 for row in data["only"])
    assert 0 < sums[0] <= 1.001 * step["a_us"] and 0 < sums[1] <= 1.001 * step["b_us"]
    note, = (note for note in data["notes"] if note.startswith("In a step "))
    assert "which compute the same" in note and f"A spends {sums[0]:.1f} us in" in note and f"B spends {sums[1]:.1f} us in" in note
    text = run("compare", "staged", "fused").out
    assert all(re.search(rf"^{row['name']} +{row['us']:.1f} ", text, re.M) for row in data["only"])


def test_studies_of_components(run, case, tmp_path):
    study = read_json(run.solve(case(), "real", "--set", "grid.n=14", command="profile")
                      / "profile.json")
    for name, factor in ("a", 1), ("b", 2):
        for row in study["components"]:
            median = 1e3 * (factor if row["name"] == "gradient" else 1)
            share = 1 if row["name"] in ("step", "loop") else 0.1  # alone, some need more time than within the step
            row.update(median_us=median, low_quartile_us=0.98 * median,
                       high_quartile_us=1.02 * median, share=share)
        (tmp_path / name).mkdir()
        (tmp_path / name / "profile.json").write_text(json.dumps(study))
    rows, data = compare(run, "a", "b/profile.json", "--fail-above", "90%", code=SLOWER)
    assert list(rows)[0][0] in ("step", "loop")
    assert {name for name, _ in rows} == {*STAGES, "rhs", "step", "loop", "other step", "other loop"}
    verdicts = {name: row["verdict"] for (name, _), row in rows.items()}
    assert verdicts == {**dict.fromkeys(verdicts, "same"), "gradient": "slower"}
    assert (data["a_windows"], data["between_windows"]) == (0, False)
    assert data["notes"] and data["notes"][0].startswith("How much such studies differ")


CUPTI = os.environ.get("CUPTI_STAND_IN", "")


@pytest.mark.skipif(not CUPTI, reason="the build has no CUPTI (cupti.h)")
def test_times_on_the_gpu_come_first(run, run_emulated, case):
    out = run_emulated.solve(case(**CASE), "out", *WINDOWS[3:], "--profile=summary",
                             backend="cuda", env={"CUBESWE_CUPTI_LIBRARY": CUPTI})
    rows, _ = compare(run, out, out)
    places = [row["place"] for row in rows.values()]
    assert places == sorted(places) and places.count("gpu") == len(STAGED) + 2
    assert rows["gradient", "gpu"]["a_us"] > 0
    assert re.search(r"^gradient \(GPU\) ", run("compare", out, out).out, re.M)


def test_a_stage_that_is_slower_is_found(run, run_slowed, case):
    """Real runs; the stage is slower by so much that a busy machine does not hide it. validation/compare has a
    study at 10 %.
    """
    case(**CASE)
    plain = run.solve("case.yaml", "plain", *WINDOWS)
    slow = run_slowed.solve("case.yaml", "slow", *WINDOWS, env={"CUBESWE_SLOWED_PERCENT": "2000"})
    done = run("compare", plain, slow, "--fail-above", "50%", "--quiet")
    assert done.code == SLOWER and done.out == ""
    assert re.fullmatch(r"cubeswe: gradient is \d+\.\d % slower in B than in A, more than 50 %\n",
                        done.err)


# ---- the gate ------------------------------------------------------------------------------------

@pytest.mark.parametrize("factor, limit, code", [
    (1.2, "5%", SLOWER), (1.2, "5", SLOWER), (1.2, "0%", SLOWER), (1.2, "19.9%", SLOWER),
    (1.2, "30%", 0), (0.5, "6%", 0), (1.0, "6%", 0),
    (1.2, "20.5%", INCONCLUSIVE), (1.03, "1%", INCONCLUSIVE),  # slower by too little to be sure
    (0.5, "0%", INCONCLUSIVE), (1.0, "0%", INCONCLUSIVE)])  # runs of one program differ by 4 %
def test_fail_above(run, make, factor, limit, code):
    arguments = make("a"), make("b", {"gradient": factor}, change=all_large), "--fail-above", limit
    done = run("compare", *arguments)
    assert done.code == code and (done.err == "") == (code == 0)
    assert ("gradient" in done.err) == (factor > 1 and code != 0)
    assert done.err.startswith("cubeswe: inconclusive: ") == (code == INCONCLUSIVE)
    assert run("compare", *arguments[:2]).code == 0


def all_large(summary):
    """Every stage has half of the time of a step."""
    for region in summary["regions"]:
        region["share_of_steps"] = 0.5


def noisy(name, share):
    """A change of summaries: windows of a region differ by up to half, and the region has a share of the step."""
    def change(summary):
        window = summary["window"]["first_step"] // 10
        for region in summary["regions"]:
            region["share_of_steps"] = 1.0
            if region["name"] == name:
                region["host_ns"] = scaled(region["host_ns"], 1 + 0.5 * (window % 3) / 2)
                region["share_of_steps"] = share
    return change


def gate_of(run, *arguments, code):
    return compare(run, *arguments, "--fail-above", "5.5%", code=code)[1]["gate"]


@pytest.mark.parametrize("name, share, verdict", [
    ("step", 1.0, "inconclusive"), ("gradient", 0.2, "inconclusive"), ("gradient", 0.01, "passed")])
def test_a_gate_reports_what_it_could_have_seen(run, make, tmp_path, name, share, verdict):
    """The report covers the step and the stages of at least a twentieth of it."""
    make("a", change=noisy(name, share)), make("b", change=noisy(name, share))
    code = {"inconclusive": INCONCLUSIVE, "passed": 0}[verdict]
    gate = gate_of(run, "a", "b", code=code)
    assert (gate["verdict"], gate["limit"]) == (verdict, 0.055)
    done = run("compare", "a", "b", "--fail-above", "5.5%", "--html", "page.html")
    text = " ".join(done.out.split())
    noticed = float(re.search(r"would notice >= ([\d.]+) %", text)[1])
    assert noticed / 100 == pytest.approx(gate["detectable"], rel=0.1)
    assert noticed / 100 >= gate["detectable"] >= gate["limit"]
    assert f"Gate: {gate['text']}" in text and max(map(len, done.out.splitlines())) <= 100
    assert drawn_by(tmp_path / "page.html")["gate"] == gate
    assert done.err == (f"cubeswe: {gate['text']}\n" if code else "")
    if code:
        assert (gate["name"], gate["place"]) == (name, "host") and noticed > 20


@pytest.mark.parametrize("is_noisy, code", [(False, 0), (True, INCONCLUSIVE)])
def test_a_gate_goes_by_the_gpu_where_that_was_timed(run, make, is_noisy, code):
    """The host only launches: its spread leaves the gate decided, the spread of the GPU does not."""
    def change(summary):
        noisy("step", 1.0)(summary)
        for region in summary["regions"]:
            region["gpu_ns"] = dict(region["host_ns"] if is_noisy or region["name"] != "step"
                                    else scaled(region["host_ns"], 1))
        summary["steps"]["gpu_ns"] = dict(summary["steps"]["host_ns"])
    gate = gate_of(run, make("a", change=change), make("b", change=change), code=code)
    assert gate["place"] == "gpu" and (gate["name"] == "step" or not is_noisy)


def test_a_gate_needs_samples(run, make):
    def change(summary):
        for region in summary["regions"]:
            region["host_ns"]["count"] = 5
    gate = gate_of(run, make("a", windows=1, change=change), make("b", windows=1, change=change),
                   code=INCONCLUSIVE)
    assert gate["detectable"] is None and "too few samples" in gate["text"]


def test_a_gate_is_named_where_none_was_set(run, make):
    assert compare(run, make("a"), make("b"))[1]["gate"] is None
    assert "Gate" not in run("compare", "a", "b").out


def test_exit_code_is_documented(run):
    assert re.search(r"\b2 inconclusive", run("--help").out)
    assert "code 2" in run("compare", "--help").out


def test_the_worst_is_named(run, make):
    done = run("compare", make("a"), make("b", {"gradient": 1.2, "step": 1.1, "sat": 1.4}),
               "--fail-above=5%", "--quiet")
    assert done.out == "" and done.err.startswith("cubeswe: sat is 40.0 % slower")


# ---- the page ------------------------------------------------------------------------------------

def test_page_stands_alone(run, make, tmp_path):
    def change(summary):
        summary["run"]["build"] = "<b onload='x'>&\""
    done = run("compare", make("a"), make("b", {"gradient": 1.2}, change=change), "--html",
               "page.html", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    page = (tmp_path / "page.html").read_text()
    assert not re.search(r"<[^>]*(?:src|href)\s*=\s*[\"'](?!data:)|url\(|@import", page.split("<script>")[0])
    assert "default-src 'none'" in page and "color-scheme: light dark" in page
    assert "<b onload" not in page
    document = drawn_by(tmp_path / "page.html")
    assert document == read_json(tmp_path / "page.json")
    assert document == compare(run, "a", "b")[1]
    assert ["<b onload='x'>&\""] == [d["b"] for d in document["differs"] if d["name"] == "build"]


def test_page_that_cannot_be_written(make, refuses):
    make("a")
    refuses(CANNOT_CREATE, ["nowhere/page.html"], "compare", "a", "a", "--html",
            "nowhere/page.html")


# ---- refusals ------------------------------------------------------------------------------------

@pytest.mark.parametrize("arguments, words", [
    ([], ["two runs"]), (["a"], ["two runs"]), (["a", "a", "a"], ["two runs at a time"]),
    (["a", "a", "--fail-above"], ["--fail-above", "value"]),
    (["a", "a", "--fail-above", "x"], ["--fail-above x"]),
    (["a", "a", "--fail-above", "5%%"], ["5%%"]), (["a", "a", "--fail-above", "-1"], ["-1"]),
    (["a", "a", "--fail-above", "nan"], ["nan"]), (["a", "a", "--fail-above="], ["--fail-above"]),
    (["a", "a", "--backend", "cpu"], ["--backend"])])
def test_wrong_usage(make, refuses, arguments, words):
    make("a")
    refuses(USAGE, words, "compare", *arguments)


def test_no_profile_there(make, refuses, tmp_path):
    make("a")
    (tmp_path / "empty").mkdir()
    refuses(NO_INPUT, ["nothing", "No such file"], "compare", "a", "nothing")
    refuses(NO_INPUT, ["empty", "holds no profile"], "compare", "empty", "a")


@pytest.mark.parametrize("text, words", [
    ("", ["summary.json"]), ("{", ["line 1"]), ("[]", ["not of a profile"]),
    ('{"case": "a run without --profile"}', ["not of a profile", "--profile"]),
    ('{"schema": "cubeswe-profile", "schema_version": 2}', ["schema_version"]),
    ('{"schema": "cubeswe-profile", "schema_version": 1}', ["case: is missing"]),
    ('{"components": []}', ["without components"]), ('{"components": [{}]}', ["name"]),
    ('{"components": [{"name": "sat", "median_us": -1}]}', ["median_us"]),
    ('{"components": [{"name": "sat"}, {"name": "sat"}]}', ["components[1]: is there twice"])])
def test_not_a_profile(make, refuses, tmp_path, text, words):
    make("a")
    (tmp_path / "b").mkdir()
    (tmp_path / "b/summary.json").write_text(text)
    refuses(DATA, ["b/summary.json", *words], "compare", "a", "b")


def test_a_pipe_is_not_waited_for(make, refuses, tmp_path):
    make("a")
    (tmp_path / "b").mkdir()
    for name in ("summary.json", "profile.json"):
        os.mkfifo(tmp_path / "b" / name)
        refuses(DATA, [f"b/{name}", "no regular file"], "compare", "a", "b")


@pytest.mark.parametrize("key, value", [("median", None), ("median", "1"), ("median", -1),
                                        ("count", None), ("total", []), ("median", 2 ** 61),
                                        ("upper_quartile", 1e300), ("count", 2 ** 62)])
def test_windows_with_a_wrong_number(make, refuses, key, value):
    def change(summary):
        summary["regions"][-1]["host_ns"][key] = value
    refuses(DATA, ["step_00000010/summary.json", key], "compare", make("a"),
            make("b", change=change))


def test_windows_of_two_runs_in_one_folder(make, refuses):
    def change(summary):
        summary["run"]["build"] = str(summary["window"]["first_step"])
    refuses(DATA, ["step_00000020", "build"], "compare", make("a"), make("b", change=change))


def test_what_took_no_time_took_a_nanosecond(run, make):
    """The time of a stage, of its quartiles or of a phase in later windows is below the resolution of the clocks."""
    def change(summary):
        for region in summary["regions"]:
            if region["name"] in ("sat", "rk4"):
                region["host_ns"].update(lower_quartile=0, median=0)
            if region["name"] == "rk4":
                region["host_ns"]["upper_quartile"] = 0
        for phase in summary["phases"]:
            phase["total_ns"] = 1000 if summary["window"]["first_step"] == 10 else 0
    make("a", change=change), make("b")
    for pair in (("a", "a"), ("a", "b"), ("b", "a")):
        rows, _ = compare(run, *pair)
        for name in ("sat", "rk4"):
            row = rows[name, "host"]
            assert min(row["a_us"], row["b_us"]) == pytest.approx(0.001)
        phases = [row for row in rows.values() if row["kind"] == "phase"]
        assert phases and all(min(row["a_us"], row["b_us"]) >= 0.001 for row in phases)


UNLIKE = [("n", lambda summary: summary["run"].update(n=24)),
          ("order", lambda summary: summary["run"].update(order=2)),
          ("closure", lambda summary: summary["run"].update(closure="published")),
          ("case", lambda summary: summary.update(case="another"))]


@pytest.mark.parametrize("name, change", UNLIKE, ids=[name for name, _ in UNLIKE])
def test_runs_that_did_different_work(run, make, refuses, name, change):
    make("a"), make("b", change=change)
    refuses(DATA, [name, "--anyway"], "compare", "a", "b")
    _, data = compare(run, "a", "b", "--anyway")
    assert [(row["name"], row["is_task"]) for row in data["differs"]] == [(name, True)]


@pytest.mark.parametrize("name, a, b", [("pipeline", "staged", "fused"), ("precision", "double", "single")])
def test_another_pipeline_or_precision_is_another_way_of_the_same_work(run, make, name, a, b):
    make("a"), make("b", change=lambda summary: summary["run"].update({name: b}))
    _, data = compare(run, "a", "b")
    assert data["differs"] == [{"name": name, "a": a, "b": b, "is_task": False}]


def test_studies_in_another_precision(run, case):
    case()
    for precision in ("double", "single"):
        run.solve("case.yaml", precision, "--set", "grid.n=12", "--set", f"scheme.precision={precision}",
                  command="profile")
    _, data = compare(run, "double", "single")
    assert data["differs"] == [{"name": "precision", "a": "double", "b": "single", "is_task": False}]


def test_a_window_and_a_study_are_not_alike(run, case, recorded, refuses):
    case()
    run.solve("case.yaml", "study", "--set", "grid.n=12", command="profile")
    refuses(DATA, ["measured", "--anyway"], "compare", "study", recorded)
    rows, _ = compare(run, "study", recorded, "--anyway")
    assert {*STAGED, "rhs", "step"} == {name for name, _ in rows}


@pytest.mark.parametrize("key", ["costs", "regions", "phases", "threads"])
def test_a_profile_that_holds_an_entry_twice_is_refused(run, make, key):
    def double(summary):
        summary[key] += summary[key]
    make("twice", windows=1, change=double)
    for arguments in (["report", "twice"], ["compare", "twice", "twice"]):
        done = run(*arguments)
        assert (done.code, len(done.lines)) == (DATA, 1)
        assert f"step_00000010/summary.json: {key}[" in done.err and done.err.endswith("]: is there twice\n")


def on_ranks(step_ns, waits_ns):
    """A window of two ranks and fifty calls of everything, with waits of rank 0 as a region."""
    def change(summary):
        over = dict.fromkeys(["least", "median", "greatest"], step_ns)
        rank = {"host": "node", "process": 7, "device": "CPU", "threads": 1, "share": 0.5, "clock_difference_ns": 0,
                "clock_uncertainty_ns": 0, "step_ns": step_ns, "work_ns": step_ns, "messages": 4, "received_bytes": 8,
                "sent_bytes": 8, "memory_peak_bytes": 8, "dropped": 0}
        summary["ranks"] = {"count": 2, "traced": 2, "step_ns": over, "imbalance": 1, "exposed_share": None, "stages": [],
                            "each": [{**rank, "rank": k, "exposed_ns": waits} for k, waits in enumerate(waits_ns)]}
        stage = next(region for region in summary["regions"] if region["name"] == "sat")
        summary["regions"].append({**stage, "name": "messages", "kind": "wait"})
        for times in [*(region["host_ns"] for region in summary["regions"]), summary["steps"]["host_ns"]]:
            times["count"] = 50
    return change


@pytest.mark.parametrize("windows", [1, 7])
def test_ranks_are_compared(run, make, windows):
    make("a", windows=windows, change=on_ranks(1e6, [2e5, 4e5]))
    make("b", windows=windows, change=on_ranks(1.5e6, [6e5, 6e5]))
    rows, data = compare(run, "a", "b")
    found = {name: (row["kind"], row["a_us"], row["b_us"]) for (name, _), row in rows.items() if name.startswith("ranks:")}
    assert found == {"ranks: step": ("step", pytest.approx(1000), pytest.approx(1500)),
                     "ranks: waits": ("wait", pytest.approx(300), pytest.approx(600))}
    assert rows["ranks: step", "host"]["verdict"] == "slower" and rows["messages", "host"]["kind"] == "wait"
    assert rows["ranks: waits", "host"]["verdict"] == ("slower" if windows == 7 else "not judged")
    assert data["differs"] == [] and any("rank 0's" in note for note in data["notes"])
    assert max(map(len, run("compare", "a", "b").out.splitlines())) <= 100


@pytest.mark.parametrize("windows", [1, 7])
@pytest.mark.parametrize("waits", [[3e5, 3e5], [None, 3e5]])
def test_waits_do_not_decide_the_gate(run, make, waits, windows):
    """The stages contain them; unknown ones are no row."""
    make("a", windows=windows, change=on_ranks(1e6, [1e5, 1e5]))
    make("b", windows=windows, change=on_ranks(1e6, waits))
    rows, data = compare(run, "a", "b", "--fail-above", "100%")
    assert data["gate"]["verdict"] == "passed" and (("ranks: waits", "host") in rows) == (None not in waits)


@pytest.mark.parametrize("first", ["a", "b"])
def test_one_rank_is_compared_with_several(run, make, first):
    make("a", slower={"step": 3}), make("b", change=on_ranks(1e6, [1e5, 1e5]))
    rows, data = compare(run, first, "b" if first == "a" else "a")
    row = rows["ranks: step", "host"]
    assert sorted([row["a_us"], row["b_us"]]) == [pytest.approx(1000), pytest.approx(3000, rel=0.01)]
    assert row["verdict"] == ("faster" if first == "a" else "slower")
    assert not any(row["name"] == "ranks: step" for row in data["only"])
    assert not any(name.startswith("ranks:") for name, _ in compare(run, "a", "a")[0])


def test_the_number_of_ranks_is_another_way_of_the_same_work(run, make):
    make("a"), make("b", change=on_ranks(1e6, [1e5, 1e5]))
    _, data = compare(run, "a", "b")
    assert data["differs"] == [{"name": "ranks", "a": "1", "b": "2", "is_task": False}]
    assert any(note.startswith("Times of a run on several ranks") for note in data["notes"])
