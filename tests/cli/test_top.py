"""progress.json of `cubeswe run`, and `cubeswe top`, which watches a run by it."""
import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import time

import numpy as np
import pytest

import live
import sphere
from pipelines import CALLS, within
from program import HANGS, REPOSITORY, environment, read_json, wait_for, without_load, write_state

USAGE, DATA, NO_INPUT, INTERNAL, STOPPED = 64, 65, 66, 70, 75
CUPTI, NVML = (os.environ.get(name, "") for name in ("CUPTI_STAND_IN", "NVML_STAND_IN"))

CASE = {"grid": {"n": 12, "order": 4}, "time": {"end": 0.1, "dt": 0.0025}}  # 40 steps
WINDOW = ["--profile=summary", "--set", "profile.start_step=5", "--set", "profile.duration=3"]


def create_folder(folder):
    """Create a folder, unless a file that is being written has the name."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
    return folder.is_dir()


# ---- progress.json -------------------------------------------------------------------------------

def test_a_finished_run_says_so(run, case):
    before = time.time_ns()
    out = run.solve(case(**CASE), "out", "--set", "diagnostics.every=5")
    after = time.time_ns()
    progress, summary = read_json(out / "progress.json"), read_json(out / "summary.json")
    assert (progress["schema"], progress["schema_version"]) == ("cubeswe-progress", 1)
    assert (progress["state"], progress["message"]) == ("finished", None)
    assert (progress["step"], progress["steps"], progress["time"], progress["end"]) == (
        40, 40, 0.1, 0.1)
    assert progress["seconds_left"] == 0 and progress["wall_seconds"] > 0
    assert 0 < progress["stepping_seconds"] <= progress["wall_seconds"]
    assert progress["steps_per_second"]["overall"] == pytest.approx(40 / progress["wall_seconds"])
    same = ["case", "version", "backend", "device", "threads", "n", "order", "courant", "mass_drift",
            "energy_drift"]
    assert {name: progress[name] for name in same} == {name: summary[name] for name in same}
    assert before <= progress["started_ns"] < progress["written_ns"] <= after
    assert 1e9 * progress["stepping_seconds"] <= progress["written_ns"] - progress["started_ns"]
    assert 1e9 * progress["wall_seconds"] <= after - before
    assert progress["profiles"] is None and progress["window"] is None
    assert not (out / "progress.json.tmp").exists()


def test_every_key_is_described(run, case):
    out = run.solve(case(**CASE), "out")
    page = (REPOSITORY / "solver/files/output/README.md").read_text().split("## A running job")[1]
    described = {name for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
                 for name in re.findall(r"`(\w+)`", row)}
    assert described == set(read_json(out / "progress.json"))


def test_a_window_is_named_where_it_is(run, case, tmp_path):
    inside = run.solve(case(**CASE), "inside", *WINDOW)
    progress = read_json(inside / "progress.json")
    assert (progress["profiles"], progress["window"]) == ("profile", "profile/step_00000005")
    outside = run.solve(case(**CASE), "outside", *WINDOW, "--set", "profile.dir=elsewhere")
    progress = read_json(outside / "progress.json")
    assert progress["profiles"] == str(tmp_path / "elsewhere")
    assert progress["window"] == str(tmp_path / "elsewhere/step_00000005")
    never = run.solve(case(**CASE), "never", *WINDOW, "--set", "profile.start_step=4000")
    progress = read_json(never / "progress.json")
    assert (progress["profiles"], progress["window"]) == ("profile", None)


def test_a_run_that_fails_says_why(run, case, tmp_path):
    shapes = {"h": (6, 13, 13), "v1": (6, 13, 12), "v2": (6, 12, 13)}
    write_state(tmp_path / "huge.nc", Xdim=np.degrees(sphere.points(12)[0]),
                **{name: np.full(shape, 1e200) for name, shape in shapes.items()})
    done = run("run", case(initial={"kind": "file", "path": "huge.nc"}), "--quiet", "--backend",
               "cpu", "--output", "out")
    assert done.code == INTERNAL
    progress = read_json(tmp_path / "out/progress.json")
    assert progress["state"] == "failed" and f"cubeswe: {progress['message']}\n" == done.err
    assert "not finite" in progress["message"] and progress["seconds_left"] is None
    done = run("top", "out")
    assert done.code == INTERNAL and len(done.lines) == 1
    assert "the run failed: the energy is not finite" in done.err and "failed: the energy is not finite" in done.out


def test_it_is_whole_whenever_it_is_read(endless_run):
    process, out = endless_run()
    seen = {}
    while len(seen) < 4:
        progress = json.loads((out / "progress.json").read_bytes())
        seen[progress["written_ns"]] = progress
        assert process.poll() is None
    times, rows = list(seen), list(seen.values())
    assert times == sorted(times) and {row["state"] for row in rows} == {"running"}
    for a, b in zip(rows, rows[1:]):
        assert a["step"] < b["step"] and a["time"] < b["time"]
        seconds = b["wall_seconds"] - a["wall_seconds"]
        assert seconds > 0.999  # once a second
        if seconds < 1.999:  # none between them was missed
            assert b["steps_per_second"]["recent"] == pytest.approx((b["step"] - a["step"]) / seconds, rel=1e-6)
    for row in rows:
        elapsed = row["seconds_left"] * row["step"] / (row["steps"] - row["step"])
        assert row["stepping_seconds"] <= elapsed * (1 + 1e-9) and elapsed < row["wall_seconds"]


def next_warning(process):
    """The next line of a run that is not about the load of the machine."""
    return next(filter(None, map(without_load, iter(process.stderr.readline, ""))))


def test_a_disk_that_is_full_for_a_while_costs_no_run(endless_run):
    """An update of progress.json fails; the last one fits."""
    process, out = endless_run(*WINDOW)
    wait_for(lambda: read_json(out / "progress.json")["window"])
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
    first = next_warning(process)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1 << 30, resource.RLIM_INFINITY))
    code, rest = live.end(process)
    assert first.startswith("cubeswe: warning: out/progress.json") and "the run continues" in first
    assert code == STOPPED and "warning" not in rest, rest
    progress = read_json(out / "progress.json")
    assert (progress["state"], progress["window"]) == ("stopped", "profile/step_00000005")
    assert list(out.glob("*.tmp")) == []


def test_a_file_that_cannot_be_replaced_is_reported_once(endless_run):
    """A folder has its name for the rest of the run; at the end no file shows a run that continues."""
    process, out = endless_run()
    wait_for(lambda: create_folder(out / "progress.json.tmp"))
    first = next_warning(process)
    time.sleep(2.5)  # it is written once a second
    code, rest = live.end(process)
    assert "warning" in first and "progress.json.tmp" in first
    assert code == STOPPED and "warning" not in rest, rest
    assert not (out / "progress.json").exists()


# ---- one page ------------------------------------------------------------------------------------

def test_a_page_of_a_finished_run(run, case):
    run.solve(case(**CASE), "out")
    done = run("top", "out", "--once")
    assert done.code == 0 and done.err == "" and "\x1b" not in done.out
    page = dict(re.findall(r"^(\w+) +(.*)$", done.out, re.MULTILINE))
    assert done.out.startswith("case  (out)\n") and page["state"] == "finished"
    assert "100.0 %  step 40 of 40" in done.out and page["grid"] == "n = 12, order 4"
    assert page["model"].startswith("t = 0.1 of 0.1 s, Courant 0.")
    assert "cubeswe run --profile" in page["stages"]
    assert "at the end" in page["rate"] and not re.search("left|so far", page["time"])


def test_a_page_shows_the_stages(run, case, pipeline):
    out = run.solve(case(**within(pipeline, CASE)), "out", *WINDOW)
    summary = read_json(out / "profile/step_00000005/summary.json")
    expected = {row["name"]: row["share_of_steps"] for row in summary["regions"]
                if row["kind"] == "stage"}
    window = json.loads(run("top", "out", "--json").out)["window"]
    found = [(row["stage"], row["share"]) for row in window["stages"]]
    assert len(found) == len(CALLS[pipeline]) and dict(found) == pytest.approx(expected)
    assert [share for _, share in found] == sorted(expected.values(), reverse=True)
    assert (window["steps"], window["is_gpu"]) == (3, False)
    page = run("top", "out", "--once", env={"LC_ALL": "C"}).out
    assert "3 steps of" in page and "profile/step_00000005" in page
    shown = re.findall(r"^  (\S.*?) +(\d+\.\d) %  [#.]+$", page, re.MULTILINE)
    assert [name for name, _ in shown] == [*(name for name, _ in found), "between them"]
    assert sum(float(share) for _, share in shown) == pytest.approx(100, abs=0.5)


@pytest.mark.parametrize("ranks, line", [
    (None, None), ({"count": 4, "imbalance": 1.05, "exposed_share": 0.07}, "4: imbalance 1.05, waits for messages 7 % of the stages' time"),
    ({"count": 2, "imbalance": None, "exposed_share": None}, "2: imbalance -, waits for messages - % of the stages' time"), ([1], None)])
def test_a_page_shows_the_ranks(run, case, ranks, line):
    """Of a window of several; null and anything else is one rank."""
    out = run.solve(case(**CASE), "out", *WINDOW)
    path = out / "profile/step_00000005/summary.json"
    path.write_text(json.dumps({**read_json(path), "ranks": ranks}))
    assert re.findall(r"^ranks +(.*)$", run("top", "out", "--once").out, re.MULTILINE) == ([line] if line else [])
    assert json.loads(run("top", "out", "--json").out)["window"]["ranks"] == (ranks if line else None)


@pytest.mark.skipif(not (CUPTI and NVML), reason="the build has no CUPTI (cupti.h)")
def test_a_page_of_a_gpu(run_emulated, case, tmp_path):
    done = run_emulated("run", case(**CASE), "--output", "out", "--backend", "cuda", "--quiet",
                        *WINDOW, env={"CUBESWE_CUPTI_LIBRARY": CUPTI, "CUBESWE_NVML_LIBRARY": NVML,
                                      "CUDA_EMULATION_PCI": "0000:65:00.0"})
    assert done.code == 0, done.err
    state = json.loads(run_emulated("top", "out", "--json").out)
    summary = read_json(tmp_path / "out/profile/step_00000005/summary.json")
    total = {row["stage"]: row["time_ns"]["total"] for row in summary["stages"]}
    assert state["window"]["is_gpu"]
    assert state["window"]["step_seconds"] == pytest.approx(
        1e-9 * summary["steps"]["gpu_ns"]["median"], rel=1e-12)
    assert summary["steps"]["gpu_ns"]["median"] != summary["steps"]["host_ns"]["median"]
    assert {row["stage"]: row["share"] for row in state["window"]["stages"]} == pytest.approx(
        {name: time / sum(total.values()) for name, time in total.items()})
    last = (tmp_path / "out/profile/gpu_log.csv").read_text().splitlines()[-1].split(", ")[3:]
    watts, celsius, sm, memory, _, clock, used = (None if x == "-" else float(x) for x in last)
    assert state["gpu"] == {"power_watts": watts, "temperature_celsius": celsius, "sm_percent": sm,
                            "memory_percent": memory, "clock_mhz": clock,
                            "memory_used_bytes": used and used * 2 ** 20}
    page = run_emulated("top", "out", "--once").out
    assert "of what ran on the GPU" in page and f"{sm:.0f} % busy" in page


def test_a_page_of_a_running_run(run, endless_run):
    process, out = endless_run(*WINDOW)
    wait_for(lambda: read_json(out / "progress.json")["window"])
    done = run("top", "out", "--once")
    assert done.code == 0 and done.err == ""
    page = dict(re.findall(r"^(\w+) +(.*)$", done.out, re.MULTILINE))
    assert page["state"] == "running" and page["process"].startswith(f"{process.pid} on ")
    assert re.fullmatch(r"\d+\.\d\d cores busy", page["cpu"]) and "MiB" in page["memory"]
    assert page["time"].endswith("left") and "so far" in page["time"]
    assert float(page["rate"].split()[0]) > 0 and "steps/s now" in page["rate"]
    state = json.loads(run("top", "out", "--once", "--json").out)
    assert state["condition"] == "running" and state["progress"]["pid"] == process.pid
    assert 0 <= state["age_seconds"] < 10 and state["process"]["resident_bytes"] > 1 << 20
    assert state["window"]["path"] == "profile/step_00000005"


def test_a_restarted_run_reports_its_own_steps(run, case, tmp_path):
    """Rate, remaining time and shares belong to the running process; the steps count from the start of the run."""
    long = case("long", grid={"n": 24, "order": 4}, time={"end": 1e5, "dt": 0.01})
    first = run("run", long, "--backend", "cpu", "--threads", 1, "--output", "out", "--quiet",
                "--max-walltime", 3)
    assert first.code == STOPPED
    out = tmp_path / "out"
    before = read_json(out / "progress.json")
    assert (before["first_step"], before["seconds_before"]) == (0, 0)
    start = time.monotonic()
    again = run("run", long, "--backend", "cpu", "--threads", 1, "--output", "out", "--restart", "out",
                "--max-walltime", 1)
    seconds = time.monotonic() - start
    assert again.code == STOPPED
    after = read_json(out / "progress.json")
    assert after["first_step"] == before["step"] < after["step"]
    assert after["seconds_before"] == pytest.approx(before["stepping_seconds"])
    assert 0 < after["stepping_seconds"] <= after["wall_seconds"] < seconds
    taken = after["step"] - before["step"]
    assert after["steps_per_second"]["overall"] == pytest.approx(taken / after["wall_seconds"])
    left = after["steps"] - after["step"]
    slowest = after["wall_seconds"] / taken
    assert after["stepping_seconds"] / taken <= after["seconds_left"] / left <= slowest
    page = run("top", "out", "--once").out
    shown = [float(x) for x in re.findall(r"([\d.]+) %", page)]
    assert shown and max(shown) <= 100
    share = re.search(r"^time .* \((\d+) % in steps\)", page, re.MULTILINE)[1]
    assert float(share) == pytest.approx(100 * after["stepping_seconds"] / after["wall_seconds"], abs=0.51)
    line = re.search(r"^restart +from step (\d+); steps have taken ([\d.]+) s in all, ([\d.]+) s of it before$",
                     page, re.MULTILINE)
    assert int(line[1]) == before["step"]
    assert float(line[2]) == pytest.approx(after["seconds_before"] + after["stepping_seconds"], abs=0.051)
    assert float(line[3]) == pytest.approx(after["seconds_before"], abs=0.051)


def test_the_line_on_the_terminal_goes_by_the_steps_since_a_restart(run, case, tmp_path):
    """A rate over all steps would include the steps of the earlier process."""
    pulse = case(**CASE)
    assert run("run", pulse, "--backend", "cpu", "--output", "out", "--quiet", "--max-walltime",
               "0.001").code == STOPPED
    rate = run("run", pulse, "--backend", "cpu", "--output", "out", "--restart", "out").err
    progress = read_json(tmp_path / "out/progress.json")
    taken = progress["step"] - progress["first_step"]
    assert progress["state"] == "finished" and progress["first_step"] > 0 == progress["seconds_left"]
    shown = re.search(r"step 40 of 40, .* ([\d.]+) steps/s, 0 s left", rate)[1]
    assert float(shown) == pytest.approx(taken / progress["stepping_seconds"], rel=1e-2)


def test_a_run_that_was_killed_is_gone(run, endless_run):
    process, _ = endless_run()
    process.kill()
    for reaped in (False, True):  # a process that waits for its parent is gone, too
        if reaped:
            process.wait()
        else:
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        done = run("top", "out", "--once")
        assert done.code == INTERNAL and len(done.lines) == 1 and "is gone" in done.err
        assert re.search(rf"^state +gone: process {process.pid} ", done.out,
                         re.MULTILINE)


def rewrite(folder, **changes):
    """Change members of a folder's progress.json."""
    progress = {**read_json(folder / "progress.json"), **changes}
    (folder / "progress.json").write_text(json.dumps(progress))


def test_a_number_that_another_process_has_now_is_not_the_run(run, endless_run):
    process, out = endless_run()
    live.stop(process)
    assert json.loads(run("top", "out", "--json", "--once").out)["condition"] == "running"
    rewrite(out, process_start=read_json(out / "progress.json")["process_start"] - 1)
    assert json.loads(run("top", "out", "--json", "--once").out)["condition"] == "gone"


def test_a_run_without_updates_is_stalled(run, endless_run):
    process, out = endless_run()
    live.stop(process)
    rewrite(out, written_ns=time.time_ns() - 100 * 10 ** 9)  # the wall clock was set: this host has another one
    assert json.loads(run("top", "out", "--json", "--once").out)["condition"] == "running"
    rewrite(out, written_ns=time.time_ns() + 100 * 10 ** 9, written_clock_seconds=time.monotonic() - 100)
    done = run("top", "out", "--once")
    assert done.code == 0 and "stalled: no update for 1 min 4" in done.out
    rewrite(out, host="another.host", pid=1, written_ns=time.time_ns() - 100 * 10 ** 9)  # nothing is known of processes there
    done = run("top", "out", "--once")
    assert done.code == 0 and "stalled" in done.out and "cores busy" not in done.out


def test_a_long_setup_is_not_stalled(run, endless_run):
    process, out = endless_run()
    live.stop(process)
    rewrite(out, state="setup", step=0, steps_per_second={"recent": 0, "overall": 0},
            seconds_left=None, written_clock_seconds=time.monotonic() - 100)
    done = run("top", "out", "--once")
    assert done.code == 0 and re.search("^state +setting up$", done.out, re.MULTILINE)
    assert json.loads(run("top", "out", "--once", "--json").out)["condition"] == "setup"
    process.kill()
    process.wait()
    assert json.loads(run("top", "out", "--once", "--json").out)["condition"] == "gone"


def test_texts_of_the_file_cannot_steer_a_terminal(run, case):
    out = run.solve(case(**CASE), "out")
    rewrite(out, case="a\x1b[2Jb\nc\x9bd\x7fé", device="\x07")
    done = run("top", "out", "--once")
    assert done.code == 0 and done.out.startswith("a?[2Jb?c?d?é  (out)\n")
    assert done.out.replace("\n", "").isprintable()


# ---- refusals ------------------------------------------------------------------------------------

@pytest.mark.parametrize("code, words, arguments", [
    (USAGE, ["folder"], []),
    (USAGE, ["one", "b"], ["a", "b"]),
    (USAGE, ["--interval 0", "0.1 to 3600"], ["out", "--interval", "0"]),
    (USAGE, ["--interval nan"], ["out", "--interval", "nan"]),
    (USAGE, ["--interval 1m"], ["out", "--interval", "1m"]),
    (USAGE, ["--overwrite"], ["out", "--overwrite"]),
    (NO_INPUT, ["missing"], ["missing"]),
    (NO_INPUT, ["a?b"], ["a\nb"]),
    (DATA, ["file", "folder"], ["file"]),
    (DATA, ["empty", "progress.json"], ["empty", "--once"])])
def test_what_is_no_run_is_refused(refuses, tmp_path, code, words, arguments):
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    refuses(code, words, "top", *arguments)


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", '{"schema": "cubeswe-profile"}', "\0\xff",
                                  '{"schema": "cubeswe-progress", "schema_version": 2}',
                                  '{"schema": "cubeswe-progress", "schema_version": 1}'])
def test_a_file_that_is_no_progress_is_refused(refuses, tmp_path, text):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/progress.json").write_text(text, encoding="latin-1")
    refuses(DATA, ["out/progress.json"], "top", "out")


def test_values_that_cannot_be_are_refused(refuses, run, case):
    out = run.solve(case(**CASE), "out")
    whole = read_json(out / "progress.json")
    for change in ({"pid": 0}, {"pid": 2 ** 40}, {"steps": 0}, {"written_ns": -2 ** 63}, {"step": "1"}, {"time": None},
                   {"steps_per_second": 3}, {"case": None}):
        rewrite(out, **{**whole, **change})
        refuses(DATA, ["out/progress.json"], "top", "out", "--once")


def test_a_pipe_is_not_waited_for(refuses, tmp_path):
    (tmp_path / "out").mkdir()
    os.mkfifo(tmp_path / "out/progress.json")
    refuses(DATA, ["out/progress.json"], "top", "out")


@pytest.mark.parametrize("text", ["", "{", '{"stages": 3, "regions": [3, {"kind": "stage"}]}'])
def test_a_window_that_cannot_be_read_is_none(run, case, text):
    out = run.solve(case(**CASE), "out", *WINDOW)
    (out / "profile/step_00000005/summary.json").write_text(text)
    (out / "profile/gpu_log.csv").write_text(text + "\n" + text)
    done = run("top", "out", "--once")
    assert done.code == 0 and done.err == "" and "rk4" not in done.out


# ---- following -----------------------------------------------------------------------------------

LINE = re.compile(r"case: (running|gone: .* ago), step (\d+) of 100000000 \(0\.\d %\), t = \S+ s, "
                  r"Courant \d\.\d{3}, \S+ steps/s, \S+ overall(, .* left)?")


def step_of(line):
    match = LINE.fullmatch(line.rstrip("\n"))
    assert match, line
    return int(match.group(2))


def test_lines_follow_a_run_to_its_end(run, endless_run, tmp_path):
    process, _ = endless_run()
    with subprocess.Popen([run.path, "top", "out", "--interval", "0.5"], cwd=tmp_path, text=True,
                          env=environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as top:
        lines = [top.stdout.readline()]
        while len(lines) < 4 or step_of(lines[-1]) == step_of(lines[0]):
            assert len(lines) < 2 * HANGS, lines[-1]
            lines.append(top.stdout.readline())
        process.kill()
        lines += top.stdout.readlines()
        message = top.stderr.read()
    assert top.returncode == INTERNAL and "is gone" in message
    found = [LINE.fullmatch(line.rstrip("\n")) for line in lines]
    assert all(found), lines
    assert [match.group(1)[:4] for match in found] == ["runn"] * (len(lines) - 1) + ["gone"]
    steps = list(map(step_of, lines))
    assert steps == sorted(steps) and steps[-1] > steps[0]


def test_json_follows_a_run(run, endless_run, tmp_path):
    endless_run()
    with subprocess.Popen([run.path, "top", "out", "--json", "--interval", "0.1"], cwd=tmp_path,
                          env=environment(), stdout=subprocess.PIPE) as top:
        states = [json.loads(top.stdout.readline()) for _ in range(3)]
        top.send_signal(signal.SIGINT)
        assert top.wait(timeout=HANGS) == -signal.SIGINT
    assert {(s["schema"], s["schema_version"], s["condition"]) for s in states} == {
        ("cubeswe-top", 1, "running")}


def test_it_waits_for_a_run_on_request(run, case, tmp_path):
    with subprocess.Popen([run.path, "top", "out", "--wait"], cwd=tmp_path, env=environment(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as top:
        time.sleep(0.3)
        assert top.poll() is None
        run.solve(case(**CASE), "out")
        out, err = top.communicate(timeout=HANGS)
    assert top.returncode == 0 and err == ""
    assert out.splitlines()[-1].startswith("case: finished, step 40 of 40 (100.0 %)")


def test_a_reader_that_leaves_ends_it(run, endless_run, tmp_path):
    endless_run()
    with subprocess.Popen([run.path, "top", "out", "--interval", "0.1"], cwd=tmp_path,
                          env=environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as top:
        top.stdout.readline()
        top.stdout.close()
        assert top.stderr.read() == b""
    assert top.returncode == 0
