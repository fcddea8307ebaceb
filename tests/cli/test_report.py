"""cubeswe report: real profiles of the CPU and of the emulated GPU, as text and as a page."""
import json
import os
import re
import resource
import shutil

import jsonschema
import pytest

from pipelines import CALLS, LAUNCHES, STAGES, within
from program import REPOSITORY, Program, contents, drawn_by, read_json

CANNOT_CREATE, DATA, NO_INPUT, USAGE = 73, 65, 66, 64
SCHEMA = read_json(REPOSITORY / "profiling/report/report.schema.json")
CUPTI, NVML = (os.environ.get(name, "") for name in ("CUPTI_STAND_IN", "NVML_STAND_IN"))
CASE = {"grid": {"n": 12, "order": 4}, "time": {"end": 0.05, "dt": 0.0025}}  # 20 steps
WINDOW = ["--set", "profile.start_step=5", "--set", "profile.duration=3"]
HEADINGS = ["Stages", "Memory of the device", "Phases of the run until the window closed", "Indicators",
            "Diagnosis", "Checklist"]


@pytest.fixture
def results(solved, tmp_path, pipeline):
    """Results of a profiled run on the CPU."""
    solved("CUBESWE", within(pipeline, CASE), "run", "--backend", "cpu", "--output", "out", "--profile", *WINDOW)
    return tmp_path / "out"


def check_text(text, pipeline, results):
    assert max(map(len, text.splitlines())) <= 100 and "\033" not in text
    for heading in HEADINGS:
        assert re.search(f"^{heading}", text, re.MULTILINE), heading
    rows = re.findall(r"^(\w+) +(\d\.\d) +[\d.]+ +([\d.]+)", text, re.MULTILINE)
    calls = {name: float(count) for name, count, _ in rows if name in STAGES}
    assert calls == CALLS[pipeline]
    regions = {row["name"]: row
               for row in read_json(results / "profile/step_00000005/summary.json")["regions"]}
    shares = {name: float(share) for name, _, share in rows if name in STAGES}
    if regions["step"]["gpu_ns"]:
        assert sum(shares.values()) == pytest.approx(100, abs=5)
        return
    for name, share in shares.items():  # the rest is between stages: delays of a busy machine
        of_step = regions[name]["host_ns"]["total"] / regions["step"]["host_ns"]["total"]
        assert share == pytest.approx(100 * of_step, abs=0.051)
    assert 0 < sum(shares.values()) <= 100 + 0.051 * len(shares)


def test_a_profiled_run_leaves_its_page(results, pipeline):
    page = (results / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")
    report = read_json(results / "report.json")
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    assert report == drawn_by(results / "report.html")
    calls = {stage["name"]: stage["calls_per_step"] for stage in report["window"]["stages"]}
    assert calls == CALLS[pipeline]
    assert report["window"]["timeline"] == read_json(results / "profile/step_00000005/timeline.json")


def test_report_and_dataflow_agree_on_what_bounds(run, case):
    """The bound may be memory, arithmetic in builds with checks, or neither for short stages."""
    out = run.solve(case(grid={"n": 64, "order": 4}, time={"end": 0.01, "dt": 0.0005},
                         scheme={"pipeline": "staged"}), "out", "--profile=summary", *WINDOW)
    flow = read_json(out / "profile/step_00000005/dataflow.json")
    classes = {stage["name"]: (stage["class"] or "unknown").removesuffix("-bound") for stage in flow["stages"]
               if stage["name"] in CALLS["staged"]}
    assert classes.keys() == CALLS["staged"].keys()
    stages = read_json(out / "report.json")["window"]["stages"]
    assert {stage["name"]: stage["bound"] or "unknown" for stage in stages} == classes


def test_the_bandwidth_is_one_number(run, results):
    """The same number is at the top of the page, among its indicators and on the terminal."""
    file = results / "profile/step_00000005/summary.json"
    summary = read_json(file)    # with peaks and times that the load of the machine does not change
    summary["tracing"]["core_wait_share"] = 0
    summary["ceilings"].update(copy_bandwidth_bytes_per_s=1e10, fp64_flops_per_s=1e10)
    for row in summary["threads"]:
        row["counters"] = dict.fromkeys(row["counters"])
    file.write_text(json.dumps(summary))
    assert run("report", "out").code == 0
    window = read_json(results / "report.json")["window"]
    indicator, = [i["value"] for i in window["indicators"] if i["name"] == "memory bandwidth"]
    assert window["bandwidth_share"] == pytest.approx(indicator / 100, rel=1e-12)
    # if each stage moved its bytes as fast as a copy in the memory that serves it
    least = sum(stage["calls_per_step"] * stage["bytes"] / stage["serving_bytes_per_s"] for stage in window["stages"])
    spent = 1e-9 * sum(stage["calls_per_step"] * stage["call_ns"] for stage in window["stages"])
    assert least / spent == pytest.approx(indicator / 100, rel=1e-12)
    shown = re.findall(r"memory bandwidth +(\S+) %", run("report", "out").out)    # a finding names it, too, where it is bad
    assert set(shown) == {f"{indicator:.1f}"}


# the staged pipeline has no parts, for which steps would run for two seconds
QUICK = ["--set", "grid.n=12", "--set", "scheme.pipeline=staged", "--threads", "1"]


def test_a_study_with_a_window_leaves_its_page(run, case):
    """The same code as in a run writes it, and replaces it together with the results."""
    for again in [[], ["--overwrite"]]:
        done = run("profile", case(), *QUICK, "--output", "out", "--backend", "cpu", "--quiet", "--profile", *again)
        assert (done.code, done.err) == (0, "")
    report = drawn_by(run.folder / "out" / "report.html")
    assert {stage["name"] for stage in report["window"]["stages"]} == set(CALLS["staged"])


@pytest.mark.parametrize("command, options, places", [
    ("run", ["--profile", *WINDOW], 1), ("run", [], 0), ("run", ["--profile", "--quiet"], 0),
    ("run", ["--profile", "--set", "profile.start_step=20"], 0),  # no window: no page
    ("profile", ["--profile", *QUICK], 1), ("profile", QUICK, 0), ("profile", ["--profile", *QUICK, "--quiet"], 0)])
def test_one_line_names_where_the_page_is(run, case, command, options, places):
    done = run(command, case(**CASE), "--output", "out", "--backend", "cpu", *options)
    assert done.code == 0, done.err
    lines = [line for line in done.out.splitlines() if "report" in line]
    assert lines == ["report       out/report.html"] * places
    assert "--profile" in options or not (run.folder / "out/report.html").exists()
    if places:
        assert done.out.endswith(f"{lines[0]}\n") and (run.folder / "out/report.html").exists()


@pytest.mark.parametrize("arguments, there", [
    (["--profile=summary", *WINDOW], True), (["--profile=nsys", *WINDOW], False), ([], False),
    (["--profile", "--set", "profile.start_step=20"], False)])
def test_only_a_profile_has_a_page(run, case, arguments, there):
    done = run("run", case(**CASE), "--output", "out", "--backend", "cpu", "--quiet", *arguments)
    assert done.code == 0 and "report" not in done.err
    assert (run.folder / "out" / "report.html").exists() == there


@pytest.mark.parametrize("command, window", [("run", WINDOW), ("profile", QUICK)])
def test_a_page_that_cannot_be_written_is_a_warning(run, case, command, window):
    """The limit on the size of files is below the page and above all other files."""
    arguments = [command, case(**CASE), "--backend", "cpu", "--quiet", "--profile=summary", *window, "--set", "grid.n=9", "--set",
                 "output.fields=[h]"]
    assert run(*arguments, "--output", "plain").code == 0
    page = run.folder / "plain/report.html"
    limit = page.stat().st_size * 9 // 10
    assert all(path.stat().st_size < limit for path in page.parent.rglob("*.*") if path.is_file() and path != page)
    done = run(*arguments, "--output", "out",
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert done.code == 0 and len(done.lines) == 1, done.err
    assert done.lines[0].startswith("cubeswe: warning: out/report.html: cannot be written")


def test_the_text_of_a_run_on_the_cpu(run, results, pipeline):
    (results / "report.html").unlink()
    done = run("report", "out")
    assert (done.code, done.err) == (0, "")
    check_text(done.out, pipeline, results)
    assert re.search(r"^threads +\d+$", done.out, re.MULTILINE) and "mode trace" in done.out
    assert done.out.endswith("page        out/report.html\n") and (results / "report.html").exists()


@pytest.mark.skipif(not (CUPTI and NVML), reason="the build has no CUPTI (cupti.h)")
def test_the_text_of_a_run_on_the_emulated_gpu(run, run_emulated, case, pipeline):
    env = {"CUBESWE_CUPTI_LIBRARY": CUPTI, "CUBESWE_NVML_LIBRARY": NVML,
           "CUDA_EMULATION_PCI": "0000:65:00.0"}
    done = run_emulated("run", case(**within(pipeline, CASE)), "--output", "out", "--backend", "cuda",
                        "--quiet", "--profile", *WINDOW, "--set", "output.every=7", "--set",
                        "profile.launch=eager", env=env)
    assert (done.code, done.err) == (0, "")
    done = run("report", "out")
    assert (done.code, done.err) == (0, "")
    check_text(done.out, pipeline, run.folder / "out")
    assert "CUDA emulation (no GPU)" in done.out and "[CUDA memcpy Device-to-Host]" in done.out
    launches = 3 * sum(LAUNCHES[pipeline].values())
    assert re.search(rf"^cudaLaunchKernel +runtime +{launches} ", done.out, re.MULTILINE)
    assert re.search(r"kernels a step\b", done.out)
    log = done.out.split("\nGPU over the whole run\n")[1].split("\n\n")[0]
    rows = len((run.folder / "out/profile/gpu_log.csv").read_text().splitlines()) - 2
    assert re.search(rf"^samples +{rows} in ", log, re.MULTILINE) and "SM clock" in log
    report = drawn_by(run.folder / "out/report.html")
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    assert report["log"]["count"] == rows and report["window"]["kernels"]


def test_every_folder_of_a_profile_will_do(run, results):
    texts = []
    for folder in ["out", "out/profile", "out/profile/step_00000005"]:
        done = run("report", folder)
        assert (done.code, done.err) == (0, "")
        texts.append(done.out.split("\nfolder")[0])
        assert (run.folder / folder / "report.html").exists()
        assert (run.folder / folder / "report.json").exists()
    assert len(set(texts)) == 1
    assert run("run", "case.yaml", "--output", "out", "--backend", "cpu", "--quiet", "--profile",
               "--overwrite", *WINDOW).code == 0  # pages are no strangers in these folders


def test_profiles_elsewhere_are_found_by_the_results(run, results, tmp_path):
    """In any folder; profiles of an earlier program named a folder relative to the present one."""
    (tmp_path / "below").mkdir()
    run.solve("case.yaml", "out2", "--profile", *WINDOW, "--set", "profile.dir=far #2")
    for command in (["report", "../out2", "--quiet"], ["compare", "../out", "../out2", "--quiet"],
                    ["top", "../out2", "--once"]):
        done = Program("CUBESWE", tmp_path / "below")(*command)
        assert done.code == 0, done.err
    assert "gradient" in done.out or "fused" in done.out
    assert (tmp_path / "out2/report.json").exists() and not (tmp_path / "far #2/report.json").exists()
    text = (tmp_path / "out2/configuration.yaml").read_text()
    (tmp_path / "out2/configuration.yaml").write_text(text.replace(f"{tmp_path}/", ""))
    assert run("report", "out2", "--quiet").code == 0


def test_quiet_and_elsewhere(run, results, tmp_path):
    assert run("report", "out", "--quiet").code == 0
    before = contents(results)
    done = run("report", "out", "--quiet", "--output", "page.html")
    assert (done.code, done.out, done.err) == (0, "", "")
    for kind in ("html", "json"):
        assert (tmp_path / f"page.{kind}").read_bytes() == (results / f"report.{kind}").read_bytes()
    assert contents(results) == before


def test_what_cannot_be_reported_is_one_line(run, results, refuses, tmp_path):
    refuses(USAGE, ["needs a directory"], "report")
    refuses(USAGE, ["--threads"], "report", "out", "--threads", "2")
    refuses(NO_INPUT, ["nowhere"], "report", "nowhere")
    refuses(NO_INPUT, ["case.yaml", "no directory"], "report", "case.yaml")
    refuses(CANNOT_CREATE, ["far/below.html"], "report", "out", "--quiet", "--output",
            "far/below.html")
    summary = results / "profile/step_00000005/summary.json"
    text = summary.read_text()
    summary.write_text(text.replace('"schema_version": 1', '"schema_version": 7'))
    refuses(DATA, ["summary.json: schema_version"], "report", "out")
    summary.write_text(text[:1000])
    refuses(DATA, ["summary.json: no JSON"], "report", "out")
    summary.write_text(text)
    timeline = results / "profile/step_00000005/timeline.json"
    timeline.write_text(timeline.read_text()[:-100])
    refuses(DATA, ["timeline.json: no JSON"], "report", "out")
    shutil.rmtree(results / "profile")
    refuses(DATA, ["out/summary.json: schema"], "report", "out")


def test_an_old_profile_without_a_timeline_is_reported(run, results, pipeline):
    (results / "profile/step_00000005/timeline.json").unlink()
    done = run("report", "out")
    assert (done.code, done.err) == (0, "")
    check_text(done.out, pipeline, results)
    assert read_json(results / "report.json")["window"]["timeline"] is None


def test_what_the_text_says_is_what_was_measured(run, results):
    summary = read_json(results / "profile/step_00000005/summary.json")
    text = run("report", "out").out
    median = summary["steps"]["host_ns"]["median"]
    assert f"step        {1e-3 * median:.1f} us on the host (median of 3;" in text
    whole = next(row for row in summary["regions"] if row["kind"] == "step")["host_ns"]["total"]
    for region in summary["regions"]:
        if region["kind"] == "stage":
            share = region["host_ns"]["total"] / whole
            assert region["share_of_steps"] == pytest.approx(share, rel=1e-9)
            assert re.search(rf"^{region['name']} .* {100 * region['share_of_steps']:.1f} ", text,
                             re.MULTILINE)
