"""Windows of several ranks: one folder with the records of all, on the clock of rank 0.

PROFILE_RANKS is profile_ranks.c: its ranks are processes, whose clocks differ by 7 ms each. With virtual clocks every time is
known exactly."""
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from xprof.convert import raw_to_tool_data
from xprof.profile_data import ProfileData

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "perfetto"))
from perfetto_reader import read_trace  # noqa: E402

MS = 1000000  # ns
AHEAD = 7 * MS  # of the clock of each rank
RK4 = MS // 4
WINDOWS = ["step_00000003", "step_00000008"]


def work(rank):
    """Time of the stage gradient before its exchange."""
    return MS * (rank + 1)


def wait(rank, count):
    return MS // 2 * (count - rank)


def profile(folder, count, clocks):
    done = subprocess.run([os.environ["PROFILE_RANKS"], folder, str(count), clocks], capture_output=True, text=True, timeout=120)
    return done, dict(line.split(": ") for line in done.stdout.splitlines())


def recorded(folder, count, clocks="virtual"):
    """Summaries of the windows."""
    done, windows = profile(folder, count, clocks)
    assert (done.returncode, windows) == (0, {str(rank): "2" for rank in range(count)})
    assert sorted(path.name for path in folder.iterdir()) == WINDOWS
    return [json.loads((folder / window / "summary.json").read_text()) for window in WINDOWS]


def over(values):
    values = sorted(values)
    middle = (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
    return {"least": values[0], "median": middle, "greatest": values[-1]}


@pytest.mark.parametrize("count", [2, 3, 4])
def test_what_ranks_do_in_a_step(tmp_path, count):
    for summary in recorded(tmp_path, count):
        ranks, all_ranks = summary["ranks"], range(count)
        works, waits = [work(r) for r in all_ranks], [wait(r, count) for r in all_ranks]
        assert (ranks["count"], ranks["traced"]) == (count, count)
        assert ranks["step_ns"] == over([works[r] + waits[r] + RK4 for r in all_ranks])
        assert ranks["imbalance"] == pytest.approx((works[-1] + RK4) * count / (sum(works) + count * RK4))
        assert ranks["exposed_share"] == pytest.approx(sum(waits) / (sum(works) + sum(waits) + count * RK4))
        by_name = {stage["stage"]: stage for stage in ranks["stages"]}
        assert list(by_name) == ["gradient", "rk4"]
        gradient, rk4 = by_name["gradient"], by_name["rk4"]
        assert gradient["time_ns"] == over([works[r] + waits[r] for r in all_ranks])
        assert (gradient["work_ns"], gradient["exposed_ns"]) == (over(works), over(waits))
        assert (gradient["rank_0_exposed_ns"], rk4["rank_0_exposed_ns"]) == (waits[0], 0)
        assert gradient["imbalance"] == pytest.approx(works[-1] * count / sum(works))
        assert (gradient["slowest"], gradient["exchanges"], gradient["messages"]) == (count - 1, 1, 1)
        assert gradient["received_bytes"] == 1000 * count
        assert (rk4["imbalance"], rk4["exchanges"], rk4["received_bytes"]) == (1, 0, 0)


def test_each_rank(tmp_path):
    count = 4
    for summary in recorded(tmp_path, count):
        for r, rank in enumerate(summary["ranks"]["each"]):
            assert (rank["rank"], rank["host"], rank["device"], rank["threads"]) == (r, f"node-{r // 2}", "Sample CPU", 1)
            assert rank["share"] == pytest.approx((r + 1) / 10)
            assert (rank["clock_difference_ns"], rank["clock_uncertainty_ns"], rank["dropped"]) == (r * AHEAD + skew(r, summary), 0, 0)
            assert (rank["messages"], rank["received_bytes"], rank["sent_bytes"]) == (1, 1000 * ((r - 1) % count + 1), 1000 * (r + 1))
        assert summary["warnings"] == ["rank 1: profile: a warning of one rank",
                                       "rank 1 and 2 others: profile: a warning of some ranks"]
        # what a rank has cost is its share of what the program gave
        [cost] = summary["costs"]
        assert (cost["flops"], cost["read_bytes"]) == (pytest.approx(0.1 * 4e6), pytest.approx(0.1 * 8e6))


def skew(rank, summary):
    """Virtual clocks pass by what each rank does: by this much more than that of rank 0 before the window opens."""
    steps, count = summary["window"]["first_step"], summary["ranks"]["count"]
    return steps * (work(rank) + wait(rank, count) - work(0) - wait(0, count))


# ---- traces ----


def read_perfetto(folder):
    """Names of the processes; slices as (process, name, start, arguments, flows that start, flows that end)."""
    _, timeline = read_trace(folder)
    processes = [track for track in timeline.tracks if track.kind == "process"]
    for kind, ids in ("process", [track.process for track in processes]), (
            "thread", [track.thread for track in timeline.tracks if track.kind == "thread"]):
        assert len(set(ids)) == len(ids), f"two have one {kind} id"
    return [track.name for track in processes], [
        (s.track.root.name, s.name, s.start, s.args, s.flows_out, s.flows_in) for s in timeline.slices]


def name_of(rank):
    return f"rank {rank}: case on node-{rank // 2}"


@pytest.mark.parametrize("count", [2, 4])
def test_a_trace_has_a_process_for_each_rank(tmp_path, count):
    for summary in recorded(tmp_path, count):
        start = summary["window"]["start_ns"]
        processes, slices = read_perfetto(tmp_path / f"step_{summary['window']['first_step']:08d}")
        assert processes == [name_of(rank) for rank in range(count)]
        for rank in range(count):
            # the clock of rank 0 stands still while it hears of the others, so that all begin at once
            step = work(rank) + wait(rank, count) + RK4
            found = [(name, time) for process, name, time, *_ in slices if process == name_of(rank)]
            for k in range(2):
                begin = start + k * step
                for expected in [("step", begin), ("gradient", begin), ("send", begin + work(rank)),
                                 ("messages", begin + work(rank)), ("receive", begin + work(rank) + wait(rank, count)),
                                 ("rk4", begin + work(rank) + wait(rank, count))]:
                    assert expected in found
            assert len(found) == 12


def test_flows_go_from_the_rank_that_sends(tmp_path):
    count = 3
    for summary in recorded(tmp_path, count):
        _, slices = read_perfetto(tmp_path / f"step_{summary['window']['first_step']:08d}")
        sources, targets = {}, {}
        for process, name, _, arguments, starts, ends in slices:
            assert (len(starts), len(ends)) == (name == "send", name == "receive")
            for flows, found in (starts, sources), (ends, targets):
                for flow in flows:
                    assert flow not in found
                    found[flow] = process, arguments
        assert sources.keys() == targets.keys() and len(sources) == 2 * count
        for flow, (process, arguments) in sources.items():
            rank = [name_of(r) for r in range(count)].index(process)
            assert targets[flow] == (name_of((rank + 1) % count), arguments)
            assert arguments == {"messages": 1, "bytes": 1000 * (rank + 1)}


def test_the_json_trace_has_the_same_flows(tmp_path):
    count = 3
    recorded(tmp_path, count)
    trace = json.loads(gzip.decompress((tmp_path / WINDOWS[0] / "trace.json.gz").read_bytes()))
    events = trace["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    flows = {phase: {event["id"]: names[event["pid"]] for event in events if event["ph"] == phase} for phase in "sf"}
    assert {event["cat"] for event in events if event["ph"] in "sf"} == {"message"}
    assert len(flows["s"]) == 2 * count
    assert {flows["f"][flow]: process for flow, process in flows["s"].items()} == {
        name_of((rank + 1) % count): name_of(rank) for rank in range(count)}
    assert min(event["ts"] for event in events if event["ph"] == "X") == 0


def test_a_session_has_a_host_for_each_rank(tmp_path):
    count = 4
    for summary in recorded(tmp_path, count):
        folder = tmp_path / f"step_{summary['window']['first_step']:08d}"
        [session] = (folder / "plugins/profile").iterdir()
        assert sorted(path.name for path in session.iterdir()) == [f"node-{rank // 2}_rank_{rank}.xplane.pb" for rank in range(count)]
        for rank in range(count):
            data = ProfileData.from_file(str(session / f"node-{rank // 2}_rank_{rank}.xplane.pb"))
            [host] = [plane for plane in data.planes if plane.name == "/host:CPU"]
            [main] = [line for line in host.lines if line.name == "main"]
            lengths = sorted((event.name, round(event.duration_ns)) for event in main.events)
            step = work(rank) + wait(rank, count) + RK4
            assert lengths == sorted(2 * [("gradient", step - RK4), ("messages", wait(rank, count)), ("rk4", RK4), ("step", step)])


def test_xprof_adds_the_hosts_of_a_session(tmp_path):
    count = 3
    recorded(tmp_path, count)
    files = [str(path) for path in sorted((tmp_path / WINDOWS[0]).glob("plugins/profile/*/*.pb"))]

    def tool(name):
        return json.loads(raw_to_tool_data.xspace_to_tool_data(files, name, {"use_saved_result": False})[0])
    table = tool("framework_op_stats")[0]
    names = [column["id"] for column in table["cols"]]
    rows = [dict(zip(names, (cell["v"] for cell in row["c"]))) for row in table["rows"]]
    found = {row["operation"]: (row["occurrences"], row["total_time"]) for row in rows if row["occurrences"] > 0}
    gradient = sum(work(r) + wait(r, count) for r in range(count))
    assert found == {"gradient": (2 * count, pytest.approx(2 * gradient / 1e3)),
                     "rk4": (2 * count, pytest.approx(2 * count * RK4 / 1e3))}
    processes = [event["args"]["name"] for event in tool("trace_viewer@")["traceEvents"] if event.get("name") == "process_name"]
    assert sorted(processes) == [f"node-{rank // 2}_rank_{rank} /host:CPU" for rank in range(count)]


def test_many_ranks_are_counted_and_some_are_traced(tmp_path):
    count, traced = 70, 64
    for summary in recorded(tmp_path, count):
        ranks = summary["ranks"]
        assert (ranks["count"], ranks["traced"], len(ranks["each"])) == (count, traced, count)
        assert ranks["step_ns"] == over([work(r) + wait(r, count) + RK4 for r in range(count)])
        processes, slices = read_perfetto(tmp_path / f"step_{summary['window']['first_step']:08d}")
        assert processes == [name_of(rank) for rank in range(traced)]
        # rank 63 sends to one that is not shown, and rank 0 receives from one
        starts, ends = ([flow for slice in slices for flow in slice[k]] for k in (4, 5))
        assert len(starts) == len(set(starts)) == 2 * (traced - 1) and set(starts) == set(ends)


# ---- clocks of the system ----


def test_clocks_are_compared_as_well_as_messages_allow(tmp_path):
    for summary in recorded(tmp_path, 4, "real"):
        for r, rank in enumerate(summary["ranks"]["each"]):
            assert abs(rank["clock_difference_ns"] - r * AHEAD) <= rank["clock_uncertainty_ns"] < AHEAD // 2


def test_all_traces_are_on_the_clock_of_rank_0(tmp_path):
    """Each step is at the same time in both traces, and on all ranks at about the same."""
    count = 4
    for summary in recorded(tmp_path, count, "real"):
        folder = tmp_path / f"step_{summary['window']['first_step']:08d}"
        _, slices = read_perfetto(folder)
        for rank in range(count):
            [path] = folder.glob(f"plugins/profile/*/*_rank_{rank}.xplane.pb")
            [host] = [plane for plane in ProfileData.from_file(str(path)).planes if plane.name == "/host:CPU"]
            [main] = [line for line in host.lines if line.name == "main"]
            steps = [time for process, name, time, *_ in slices if (process, name) == (name_of(rank), "step")]
            found = [event.start_ns for event in main.events if event.name == "step"]
            assert found == [pytest.approx(time - summary["window"]["start_ns"], abs=1) for time in steps]


# ---- failures ----


def test_no_rank_goes_on_with_windows_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    done, windows = profile(tmp_path / "file", 3, "virtual")
    assert (done.returncode, windows) == (0, dict.fromkeys("012", "0"))
    assert done.stderr.splitlines()[0].endswith("cannot be created: Not a directory")
    assert done.stderr.splitlines()[1:] == ["profile: no further windows are recorded"]
