"""cubeswe run --profile: windows of steps, the files that they leave, and that no other file is lost."""
import csv
import gzip
import json
import os
import resource
import subprocess

import pytest

from pipelines import CALLS, within
from program import HANGS, assert_same_bits, contents, environment, final_fields, read_json

# 40 steps of 0.0025
CASE = {"grid": {"n": 12, "order": 4}, "time": {"end": 0.1, "dt": 0.0025}}
LITTLE = ["--set", "profile.start_step=5", "--set", "profile.duration=3"]


def windows(folder):
    return sorted(path.name for path in (folder / "profile").glob("step_*"))


def files_of(window):
    return sorted(str(path.relative_to(window)) for path in window.rglob("*") if path.is_file())


def regions(window):
    """Number of regions of a window by name."""
    with open(window / "nvtx_sum.csv", newline="") as file:
        return {row["Range"].split(":")[-1]: int(row["Instances"]) for row in csv.DictReader(file)}


TABLES = ["code_lines.csv", "cpu_thread_sum.csv", "cuda_api_sum.csv", "cuda_gpu_kern_sum.csv",
          "cuda_gpu_mem_size_sum.csv", "cuda_gpu_mem_time_sum.csv", "cuda_gpu_trace.csv",
          "kernel_stats.csv", "nvtx_gpu_proj_sum.csv", "nvtx_sum.csv"]
ALWAYS = sorted([*TABLES, "dataflow.dot", "dataflow.json", "step.mlir", "memory.pprof.gz",
                 "memory_before.pprof.gz", "summary.json", "timeline.json"])


def test_a_window_leaves_its_files(run, case):
    out = run.solve(case(**CASE), "out", "--profile", *LITTLE)
    assert windows(out) == ["step_00000005"]
    found = files_of(out / "profile" / "step_00000005")
    xplane = [name for name in found if name.startswith("plugins/profile/")]
    assert len(xplane) == 1 and xplane[0].endswith(".xplane.pb")
    assert sorted(set(found) - set(xplane)) == sorted([*ALWAYS, "trace.perfetto-trace"])


def test_a_window_holds_its_steps(run, case, pipeline):
    out = run.solve(case(**within(pipeline, CASE)), "out", "--profile=summary", *LITTLE)
    window = out / "profile" / "step_00000005"
    assert files_of(window) == ALWAYS
    found = regions(window)
    inner = {**CALLS[pipeline], **({"rhs": 4} if pipeline == "staged" else {})}
    assert found == {**{name: 3 * calls for name, calls in inner.items()}, "step": 3, "steps": 1}
    summary = read_json(window / "summary.json")
    assert summary["schema_version"] == 1
    assert (summary["window"]["first_step"], summary["window"]["steps"]) == (5, 3)
    assert [row["step"] for row in summary["steps"]["each"]] == [5, 6, 7]
    run_facts = summary["run"]
    assert (run_facts["n"], run_facts["order"], run_facts["pipeline"]) == (12, 4, pipeline)
    assert run_facts["unknowns"] == 6 * 13 ** 2 + 12 * 12 * 13 and run_facts["dt"] == 0.0025
    phases = {row["name"]: row for row in summary["phases"]}
    assert phases["setup"]["count"] == 1 and phases["warm-up"]["total_ns"] > 0


def test_json_on_request(run, case):
    out = run.solve(case(**CASE), "out", "--profile", *LITTLE, "--set", "profile.traces=[json]")
    window = out / "profile" / "step_00000005"
    assert files_of(window) == sorted([*ALWAYS, "trace.json.gz"])
    events = json.loads(gzip.decompress((window / "trace.json.gz").read_bytes()))["traceEvents"]
    assert sum(event.get("name") == "fused" for event in events) >= 12


def test_output_in_a_window_is_seen(run, case):
    out = run.solve(case(**CASE), "out", "--profile", *LITTLE, "--set", "output.every=7", "--set",
                    "diagnostics.every=6")
    found = regions(out / "profile" / "step_00000005")
    assert found["output"] == 1 and found["diagnostics"] == 1  # after step 7, and after step 6
    assert found["step"] == 3


@pytest.mark.parametrize("keys, expected", [
    ({"start_step": 0, "duration": 2}, [0]),
    ({"start_step": 10, "duration": 3, "interval": 10}, [10, 20, 30]),
    ({"start_step": 36, "duration": 3, "interval": 3}, [36, 39]),  # the last is cut short
    ({"start_step": 39, "duration": 100}, [39]),
])
def test_windows_come_on_request(run, case, keys, expected):
    case_file = case(**CASE, profile={"mode": "summary", **keys})
    done = run("run", case_file, "--output", "out", "--backend", "cpu", "--quiet")
    assert done.code == 0
    assert windows(run.folder / "out") == [f"step_{step:08}" for step in expected]
    for step in expected:
        summary = read_json(run.folder / "out/profile" / f"step_{step:08}" / "summary.json")
        assert summary["window"]["steps"] == min(keys["duration"], 40 - step)


def test_off_leaves_nothing(run, case):
    out = run.solve(case(**CASE), "out")
    assert not (out / "profile").exists()
    out = run.solve(case(**CASE), "nsys", "--profile=nsys")
    assert not (out / "profile").exists()


def test_a_window_that_never_comes_is_reported(run, case):
    done = run("run", case(**CASE), "--backend", "cpu", "--quiet", "--profile", "--set",
               "profile.start_step=40")
    assert done.code == 0
    warnings = [line for line in done.lines if "nothing will be recorded" in line]
    assert len(warnings) == 1 and "40 steps" in warnings[0] and "start_step" in warnings[0]


def test_a_restart_after_the_only_window_says_so(run, case):
    file = case(**CASE)
    run.solve(file, "begun", "--set", "checkpoint.every=20", "--set", "checkpoint.keep=9")
    checkpoint = sorted((run.folder / "begun/checkpoints").glob("*"))[-1]
    done = run("run", file, "--restart", checkpoint, "--set", "time.end=0.25", "--output", "out", "--backend", "cpu",
               "--quiet", "--profile=summary", "--set", "profile.start_step=5")
    assert done.code == 0 and not (run.folder / "out/profile").exists()
    assert len(done.lines) == 1 and "the run goes on after step" in done.err and "no window starts" in done.err


ENVIRONMENTS = [
    ({"ENABLED": "1"}, [], {}, [10]),
    ({"ENABLED": "1", "START_STEP": "20", "DURATION": "1", "INTERVAL": "10", "MODE": "summary"},
     [], {}, [20, 30]),
    ({"MODE": "summary"}, [], {}, [10]),
    ({"ENABLED": "0", "MODE": "trace"}, [], {"mode": "trace"}, []),
    ({"ENABLED": ""}, [], {}, []),
    ({"START_STEP": "7"}, ["--profile=summary"], {"start_step": 3}, [7]),  # over the file
    ({"ENABLED": "1", "START_STEP": "7"}, ["--set", "profile.start_step=8"], {}, [8]),  # under
    ({"ENABLED": "1"}, [], {"mode": "summary", "start_step": 4}, [4]),
    ({"ENABLED": "1", "TRACES": "perfetto,json", "COUNTERS": "off", "MAX_EVENTS": "5000"}, [], {},
     [10]),
    ({"ENABLED": "1"}, ["--profile=off"], {}, []),
    ({"DURATION": "50", "INTERVAL": "5"}, [], {}, []),  # of no concern while it is off
]


@pytest.mark.parametrize("variables, arguments, keys, expected", ENVIRONMENTS)
def test_environment(run, case, variables, arguments, keys, expected):
    env = {f"CUBESWE_PROFILE_{name}": value for name, value in variables.items()}
    done = run("run", case(**CASE, profile=keys), "--output", "out", "--backend", "cpu", "--quiet",
               *arguments, env=env)
    assert done.code == 0, done.err
    assert windows(run.folder / "out") == [f"step_{step:08}" for step in expected]
    modes = [read_json(path)["mode"] for path in run.folder.glob("out/profile/*/summary.json")]
    wanted = variables.get("MODE", keys.get("mode", "trace"))
    if not arguments:
        assert set(modes) <= {wanted}


def test_a_variable_without_its_key_is_refused(refuses, case):
    refuses(78, ["CUBESWE_PROFILE:", "CUBESWE_PROFILE_ENABLED"], "run", case(**CASE), "--backend",
            "cpu", env={"CUBESWE_PROFILE": "1"})


def test_directory_by_environment(run, case, tmp_path):
    run.solve(case(**CASE), "out", "--profile=summary", env={"CUBESWE_PROFILE_DIR": "elsewhere"})
    assert not (tmp_path / "out" / "profile").exists()
    assert (tmp_path / "elsewhere" / "step_00000010" / "summary.json").is_file()


@pytest.mark.parametrize("code, words, arguments, env", [
    (64, ["--profile=everything", "trace, summary, full, nsys, counters or off"], ["--profile=everything"], {}),
    (78, ["--set", "profile.mode", "everything"], ["--set", "profile.mode=everything"], {}),
    (78, ["CUBESWE_PROFILE_MODE", "profile.mode", "all"], [], {"MODE": "all"}),
    (78, ["CUBESWE_PROFILE_ENABLED", "yes", "0 or 1"], [], {"ENABLED": "yes"}),
    (78, ["CUBESWE_PROFILE_INTERVALL", "no such variable"], [], {"INTERVALL": "3"}),
    (78, ["CUBESWE_PROFILE_TRACES", "svg"], [], {"TRACES": "perfetto,svg"}),
    *[(78, ["CUBESWE_PROFILE_TRACES", "not a list such as a,b"], [], {"TRACES": text})
      for text in ("json],[x", "json] # x", "json], a: [b")],
    (78, ["CUBESWE_PROFILE_START_STEP", "soon"], [], {"START_STEP": "soon"}),
    (78, ["profile.duration", "-1 is not in"], ["--set", "profile.duration=-1"], {}),
    (78, ["profile.interval", "overlap"], ["--profile", "--set", "profile.interval=2", "--set",
                                           "profile.duration=3"], {}),
    (78, ["profile.interval", "overlap", "CUBESWE_PROFILE_INTERVAL"], ["--profile"],
     {"INTERVAL": "2", "DURATION": "3"}),
    (78, ["profile.traces", "svg"], ["--set", "profile.traces=[svg]"], {}),
])
def test_bad_requests(refuses, case, code, words, arguments, env):
    refuses(code, words, "run", case(**CASE), "--backend", "cpu", *arguments,
            env={f"CUBESWE_PROFILE_{name}": value for name, value in env.items()})


def test_old_profiles_are_kept_by_default(run, case, refuses, tmp_path):
    name = case(**CASE)
    other = ["--set", "profile.dir=shared"]
    run.solve(name, "out", "--profile", *LITTLE, *other)
    note = tmp_path / "shared" / "note.txt"
    note.write_text("mine")
    refuses(73, ["shared", "holds profiles already", "--overwrite"], "run", name, "--output",
            "out2", "--backend", "cpu", "--profile", *other)
    run.solve(name, "out3", "--profile=summary", "--overwrite", "--set", "profile.start_step=6",
              *other)
    assert sorted(os.listdir(tmp_path / "shared")) == ["note.txt", "step_00000006"]


def test_profiles_that_cannot_be_written_are_reported_first(refuses, case, tmp_path):
    (tmp_path / "file").write_text("")
    refuses(73, ["file/profiles"], "run", case(**CASE), "--output", "out", "--backend", "cpu",
            "--profile", "--set", "profile.dir=file/profiles")


def test_dry_run_writes_no_profile(run, case, tmp_path):
    name = case(**CASE)
    before = contents(tmp_path)
    done = run("run", name, "--dry-run", "--profile", "--backend", "cpu")
    assert done.code == 0 and "mode: trace" in done.out
    assert contents(tmp_path) == before


def test_nothing_but_profiles_is_ever_removed(run, case, refuses, tmp_path):
    """Files that no profiler wrote, in a window's folder or beside it, are not changed: the run is refused."""
    name = case(**CASE)
    out = run.solve(name, "out", "--profile", *LITTLE)
    window = out / "profile" / "step_00000005"
    again = ["run", name, "--output", "out", "--backend", "cpu", "--profile", "--overwrite"]
    strangers = [window / "notes.txt", window / "plugins" / "mine", window / "plugins/profile/x.pb",
                 out / "profile" / "step_20240101" / "precious", window / "more" / "case.yaml"]
    for stranger in strangers:
        stranger.parent.mkdir(exist_ok=True)
        stranger.write_text("mine")
        refuses(73, ["not written by the profiler", "--overwrite"], *again)
        stranger.unlink()
        if stranger.parent.name in ("more", "step_20240101"):
            stranger.parent.rmdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "summary.json").write_text("mine")
    (out / "profile" / "step_00000077").symlink_to(tmp_path / "elsewhere")
    refuses(73, ["step_00000077"], *again)
    (out / "profile" / "step_00000077").unlink()
    # what XProf leaves there goes with the trace; the rest of the folder stays
    run_folder = next((window / "plugins/profile").iterdir())
    (run_folder / "ALL_HOSTS.op_stats_v2.pb").write_text("cache")
    (out / "profile" / "mine.txt").write_text("mine")
    assert run(*again, "--quiet").code == 0
    assert sorted(os.listdir(out / "profile")) == ["mine.txt", "step_00000010"]


def test_an_old_profile_does_not_stay_beside_new_results(run, case):
    name = case(**CASE)
    run.solve(name, "out", "--profile", *LITTLE)
    out = run.solve(name, "out", "--overwrite")
    assert not (out / "profile").exists()


def test_an_unfinished_window_is_removed(run, case):
    name = case(**CASE)
    out = run.solve(name, "out", "--profile=summary", *LITTLE)
    partial = out / "profile" / ".step_00000005.12345.partial"
    (out / "profile" / "step_00000005").rename(partial)
    run.solve(name, "out", "--overwrite", "--profile=summary", *LITTLE)
    assert os.listdir(out / "profile") == ["step_00000005"]


def test_runs_may_share_a_folder_of_profiles(run, case):
    """Windows of both are complete, however they overlap in time."""
    name = case(**CASE)
    commands = [[run.path, "run", name, "--output", f"out{k}", "--backend", "cpu", "--quiet",
                 "--profile", "--set", "profile.dir=shared", "--set", f"profile.start_step={k}",
                 "--set", "profile.duration=40"] for k in range(4)]
    done = [subprocess.Popen(command, cwd=run.folder, stderr=subprocess.DEVNULL,
                             env=environment()) for command in commands]
    codes = [process.wait(timeout=HANGS) for process in done]
    found = sorted(path.name for path in (run.folder / "shared").iterdir())
    # a run that comes late finds a window there already, and refuses
    assert set(codes) <= {0, 73} and 0 in codes
    assert found == [f"step_{k:08}" for k in range(4) if codes[k] == 0]


def test_values_of_the_environment_are_texts(run, case, tmp_path):
    for k, folder in enumerate(["run #1", "@x", "[x]", "a: b"]):
        run.solve(case(**CASE), f"out{k}", "--profile=summary",
                  env={"CUBESWE_PROFILE_DIR": folder})
        assert (tmp_path / folder / "step_00000010" / "summary.json").is_file()


def test_a_warning_is_one_line(run, case):
    done = run("run", case(**CASE), "--output", "out", "--backend", "cpu", "--quiet", "--profile",
               *LITTLE, env={"CUBESWE_PROFILE_DIR": "a\nb"},
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000)))
    assert all(line.startswith("cubeswe: ") for line in done.lines), done.err


@pytest.mark.parametrize("duration, is_reported", [(35, True), (30, False)])
def test_a_window_that_is_cut_short_is_reported(run, case, duration, is_reported):
    done = run("run", case(**CASE), "--output", "out", "--backend", "cpu", "--quiet",
               "--profile=summary", "--set", f"profile.duration={duration}")
    assert done.code == 0
    assert ("has 30 of 35 steps" in done.err) == is_reported and len(done.lines) == is_reported


def test_the_run_says_where_its_profiles_are(run, case):
    done = run("run", case(**CASE), "--output", "out", "--backend", "cpu", "--profile=summary",
               "--set", "profile.interval=10")
    assert "out/profile (3 windows)" in done.out
    assert "profile" not in run("run", case(**CASE), "--output", "out2", "--backend", "cpu").out


def test_a_refused_run_prints_nothing_else(run, case, refuses):
    name = case(**CASE)
    run.solve(name, "out")
    refuses(73, ["holds results"], "run", name, "--output", "out", "--backend", "cpu", "--profile",
            "--set", "profile.start_step=40")
    refuses(64, ["one case file", "--profile=MODE"], "run", name, "--profile", "summary")


def test_a_tool_that_is_missing_is_reported(run, case):
    done = run("run", case(**CASE), "--output", "out", "--backend", "cpu", "--quiet",
               "--profile=nsys")
    assert done.code == 0
    assert len(done.lines) == 1 and "no tool is attached" in done.err


def test_windows_that_cannot_be_written_are_reported_once(run, case):
    limit = 65000  # the run's own files are smaller, a trace of 19 steps is not
    name = case(**within("staged", {**CASE, "grid": {"n": 4, "order": 2}}))
    done = run("run", name, "--output", "out", "--backend", "cpu", "--quiet", "--profile", "--set", "profile.interval=19",
               "--set", "profile.duration=19", "--set", "profile.start_step=0", "--threads", "2",
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert done.code == 0, done.err
    assert len([line for line in done.lines if "cannot be written" in line]) == 1
    assert len([line for line in done.lines if "no further windows" in line]) == 1
    assert len(done.lines) == 2, done.err


def test_a_full_disk_costs_the_window_only(run, case):
    """The files of the run are below the limit on file size, the trace is above it."""
    name = case(**within("staged", CASE))
    expected = final_fields(run.solve(name, "plain"))
    limit = 150000
    done = run("run", name, "--output", "out", "--backend", "cpu", "--quiet", "--profile", "--set",
               "profile.start_step=0", "--set", "profile.duration=40",
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert done.code == 0, done.err
    warnings = [line for line in done.lines if "cannot be written" in line]
    assert len(warnings) == 1 and "warning" in warnings[0] and "step_00000000" in warnings[0]
    assert not (run.folder / "out" / "profile").exists()
    assert_same_bits(final_fields(run.folder / "out"), expected)


def test_events_beyond_the_limit_are_counted(run, case):
    done = run("run", case(**within("staged", CASE)), "--output", "out", "--backend", "cpu", "--quiet",
               "--profile=summary", "--set", "profile.start_step=0", "--set",
               "profile.duration=40", "--set", "profile.max_events=1000")
    assert done.code == 0
    assert len([line for line in done.lines if "profile.max_events" in line]) == 1
    drops = read_json(run.folder / "out/profile/step_00000000/summary.json")["drops"]
    # 1 + 33 regions a step; the first 1000 are kept
    assert drops["spans"] >= 40 * 33 - 1000


def test_a_run_that_fails_in_a_window_still_reports(run, case):
    """A field file exceeds a limit: the window is written, and the exit code reports the failure."""
    limit = 60000
    name = case(grid={"n": 24, "order": 4}, time={"end": 0.1, "dt": 0.0025})
    done = run("run", name, "--output", "out", "--backend", "cpu", "--quiet", "--profile=summary",
               "--set", "output.every=12",
               "--set", "profile.start_step=10", "--set", "profile.duration=20",
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert done.code == 74, done.err
    assert "fields_00000000.nc" in done.err  # before the window: no report
    assert "the window" not in done.err
    done = run("run", name, "--output", "out2", "--backend", "cpu", "--quiet", "--profile=summary",
               "--set", "profile.start_step=30", "--set", "profile.duration=20",
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert done.code == 74 and "fields_00000040.nc" in done.err
    warnings = [line for line in done.lines if "the window at step 30 has 10 of 20 steps" in line]
    assert len(warnings) == 1
    summary = read_json(run.folder / "out2/profile/step_00000030/summary.json")
    assert summary["window"]["steps"] == 10 and len(summary["warnings"]) >= 1


@pytest.mark.parametrize("counters", ["on", "off"])
def test_counters_of_threads(run, case, pipeline, counters):
    out = run.solve(case(**within(pipeline, CASE)), "out", "--profile=summary", *LITTLE, "--set",
                    f"profile.counters={counters}", "--threads", "2")
    summary = read_json(out / "profile/step_00000005/summary.json")
    threads = summary["threads"]
    assert {(row["stage"], row["thread"]) for row in threads} == \
        {(stage, thread) for stage in CALLS[pipeline] for thread in ("main", "worker 1")}
    clocks = [row["counters"]["task_clock"] for row in threads]
    if counters == "off":
        assert clocks == [None] * len(threads)
    elif not any("CPU counters" in line for line in summary["warnings"]) or any(clocks):
        assert all(clock > 0 for clock in clocks)
