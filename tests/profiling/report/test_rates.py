"""Rates: those of stages, under the peaks and the caches, and counters beside formulas."""
import json

import healthy
import pytest
from conftest import BAD_DATA
from healthy import CALLS, KERNELS, STAGES, STEPS


@pytest.mark.parametrize("kind, bandwidth, ceiling, peak",
                         [("cpu", 1e10, 2e10, 5e10), ("gpu", 2e12, 4e12, 3e13)])
def test_stages_and_their_rates(profile, dump, kind, bandwidth, ceiling, peak):
    data = healthy.of(kind)
    data["ceilings"]["fp64_flops_per_s"] = peak
    stages = dump(profile(data))["stages"]
    assert sorted(stages) == sorted(STAGES)
    shares = [stage["share"] for stage in stages.values()]
    assert shares == sorted(shares, reverse=True) and sum(shares) == pytest.approx(1, abs=0.003)
    for name, stage in stages.items():
        if kind == "cpu":
            row = next(row for row in data["regions"] if row["name"] == name)["host_ns"]
        else:
            row = next(row for row in data["stages"] if row["stage"] == name)["time_ns"]
        assert stage["calls_per_step"] == CALLS[name]
        assert stage["call"] == pytest.approx(row["total"] / STEPS / CALLS[name])
        assert stage["bandwidth"] == pytest.approx(bandwidth)
        assert stage["flop_rate"] == pytest.approx(0.2 * bandwidth)
        assert stage["intensity"] == pytest.approx(0.2)
        assert stage["attainable"] == pytest.approx(0.2 * ceiling)
        assert (stage["bound"], stage["fraction"]) == ("memory", pytest.approx(0.5))
        assert stage["buffers"] == 2


def test_counters_are_of_one_call_beside_its_formulas(profile, dump):
    data = healthy.of("counters")
    counted = dump(profile(data))["counters"]
    assert (counted["chip"], counted["passes"], counted["first_step"]) == ("GH100", 2, 10)
    assert [row["stage"] for row in counted["stages"]] == STAGES
    for row, summed, cost in zip(counted["stages"], data["counters"]["stages"], data["costs"]):
        calls = CALLS[row["stage"]]
        read, written, flops = (summed[key] / calls for key in
                                ["dram_read_bytes", "dram_written_bytes", "fp64_flops"])
        formula = cost["read_bytes"] + cost["written_bytes"]
        assert row["calls"] == calls
        assert row["kernels"] == {name: calls for name in KERNELS[row["stage"]]}
        assert row["bytes"] == pytest.approx([formula, read + written, (read + written) / formula])
        assert row["flops"] == pytest.approx([cost["flops"], flops, 1.05])
        assert [row["read"], row["written"]] == pytest.approx([read, written])
        assert row["l1"] == pytest.approx(2 * row["l2"]) == pytest.approx(2 * (read + written))
        assert row["time"] == pytest.approx(0.6e-3 * (read + written))
        assert row["bandwidth"] == pytest.approx(1e12 / 0.6)
        assert row["bound"] == ("latency" if row["stage"] == "projection" else "memory")
        assert row["fraction"] == pytest.approx(1 / 2.4)  # of 4 TB/s
        assert row["intensity"] == pytest.approx(flops / (read + written))
        assert row["flop_rate"] == pytest.approx(row["intensity"] * row["bandwidth"])


def test_what_was_not_counted_is_not_known(profile, dump):
    data = healthy.of("counters")
    for row in data["counters"]["stages"]:
        row.update(dict.fromkeys([key for key in row if key not in ("stage", "calls", "kernels")]))
        row["kernels"] = []
    data["counters"]["stages"][0]["stage"] = "another"  # of which no formula is known
    folder = profile(data)
    for row in dump(folder)["counters"]["stages"]:
        assert row["bytes"][1:] == row["flops"][1:] == [None, None] and row["kernels"] == {}
        assert {row[key] for key in ["time", "l2", "l1", "fraction", "intensity"]} == {None}
    assert "has a static cost to compare with" in " ".join(dump(folder, "text").split())


def test_counts_of_no_call_are_refused(profile, refused):
    data = healthy.of("counters")
    folder = profile(data)
    data["counters"]["stages"][2]["calls"] = 0
    (folder / "profile/step_00000010/summary.json").write_text(json.dumps(data))
    refused(folder, BAD_DATA, "summary.json: counters.stages[2]: has no calls")


def test_rates_are_of_the_mean_call(profile, dump):
    """Costs are means of calls that differ, as those of rk4 do: so must the time be."""
    data = healthy.of("cpu")
    times = next(row for row in data["regions"] if row["name"] == "rk4")["host_ns"]
    times["median"] = times["upper_quartile"] = 1.25 * times["mean"]
    stage = dump(profile(data))["stages"]["rk4"]
    assert stage["call"] == pytest.approx(times["mean"])
    assert stage["bandwidth"] == pytest.approx(1e10)


@pytest.mark.parametrize("wait", [0.0, 0.5, 9.0])
def test_rates_are_of_the_work_among_ranks(profile, dump, wait):
    """Waits for messages lengthen a call and lower no rate."""
    data = healthy.of("ranks")
    healthy.set_ranks(data, [1.0] * 4, wait=wait)
    folder = profile(data)
    for name, stage in dump(folder)["stages"].items():
        work = next(row for row in healthy.cpu()["regions"] if row["name"] == name)["host_ns"]["mean"]
        assert stage["call"] == pytest.approx((1 + wait) * work)
        assert (stage["bandwidth"], stage["flop_rate"]) == (pytest.approx(1e10), pytest.approx(2e9))
        assert (stage["bound"], stage["fraction"]) == ("memory", pytest.approx(0.5))
    assert "without its waits for messages" in " ".join(dump(folder, "text").split())


def test_few_long_waits_are_no_work(profile, dump):
    """Times of calls are means: so must the waits be, though a median wait is half of them."""
    data = healthy.of("ranks")
    healthy.set_ranks(data, [1.0] * 4, wait=1.0)
    data["regions"].append(healthy.region("messages", "wait", 1e6, 10, 0.5 / 1.001))
    for row in data["ranks"]["stages"]:
        row["rank_0_exposed_ns"] /= 2
    for stage in dump(profile(data))["stages"].values():
        assert stage["bandwidth"] == pytest.approx(1e10, rel=1e-3)


def test_a_stage_that_only_waits_has_no_rates(profile, dump):
    data = healthy.of("ranks")
    data["ranks"]["stages"][0]["rank_0_exposed_ns"] = 1e12
    stage = dump(profile(data))["stages"][data["ranks"]["stages"][0]["stage"]]
    assert stage["bandwidth"] is stage["flop_rate"] is stage["fraction"] is None


def test_operations_of_a_gpu_hold_no_waits(profile, dump):
    data = healthy.of("gpu")
    healthy.set_ranks(data, [1.0] * 4, wait=0.5)
    assert dump(profile(data))["stages"]["gradient"]["bandwidth"] == pytest.approx(2e12)


def test_beyond_the_ridge_arithmetic_is_the_peak(profile, dump):
    data = healthy.of("gpu")
    for cost in data["costs"]:
        cost["flops"] *= 100
    stage = dump(profile(data))["stages"]["gradient"]
    assert (stage["bound"], stage["attainable"]) == ("compute", 3e13)
    assert stage["fraction"] == pytest.approx(4e13 / 3e13)


@pytest.mark.parametrize("flops, bound", [(1e3, "latency"), (6e4, "latency"), (3e5, "compute")])
def test_little_that_takes_long_is_bound_by_latency(profile, dump, flops, bound):
    """By the ceilings a call of 40 us moves its bytes in 2 us; 5e10 FLOP/s."""
    data = healthy.of("cpu")
    cost = next(row for row in data["costs"] if row["stage"] == "projection")
    cost.update(read_bytes=3e4, written_bytes=1e4, flops=flops)
    stage = dump(profile(data))["stages"]["projection"]
    reached = max(4e4 / 2e10, flops / 5e10) / 40e-6
    assert (stage["bound"], stage["fraction"]) == (bound, pytest.approx(reached))


@pytest.mark.parametrize("ceiling", ["copy_bandwidth_bytes_per_s", "fp64_flops_per_s"])
def test_what_bounds_is_not_known_without_both_peaks(profile, dump, ceiling):
    data = healthy.of("cpu")
    data["ceilings"][ceiling] = None
    bounds = {(stage["bound"], stage["fraction"]) for stage in dump(profile(data))["stages"].values()}
    assert bounds == {("unknown", None)}


def test_without_a_measurement_the_data_sheet_is_the_peak(profile, dump):
    data = healthy.of("gpu")
    data["ceilings"] = healthy.ceilings(None, None)
    report = dump(profile(data))
    assert not report["measured"]
    assert report["stages"]["rk4"]["fraction"] == pytest.approx(2e12 / 4.8e12)


def test_a_stage_is_under_the_cache_that_holds_its_reach(profile, dump):
    """Ten times the bandwidth within 2 MB; an unknown reach and one beyond all caches are the memory's."""
    data = healthy.of("cpu")
    data["ceilings"]["caches"] = [{"name": "L1", "bytes": 65536, "bandwidth_bytes_per_s": None},
                                  {"name": "L2", "bytes": 2e6, "bandwidth_bytes_per_s": 2e11}]
    reach = dict(zip(STAGES, [100, 2e6, 2.1e6, None, 1e9, 65536]))
    for cost in data["costs"]:
        cost["reach_bytes"] = reach[cost["stage"]]
    cached = {stage for stage, size in reach.items() if size is not None and size <= 2e6}
    folder = profile(data)
    for name, stage in dump(folder)["stages"].items():
        memory = "memory" if reach[name] else ""
        assert (stage["served_by"], stage["serving"]) == (("L2", 2e11) if name in cached else (memory, 2e10))
        # 10 GB/s and 2 GFLOP/s of 50
        assert stage["fraction"] == pytest.approx(max(0.05, 0.04) if name in cached else 0.5)
    text = dump(folder, "text")
    assert "\ncopy within L2 (1953 KiB) 200.0 GB/s\n" in text


@pytest.mark.parametrize("precision, flops, peak", [("single", 1e11, 1e11), ("single", None, 5e10), ("double", None, 5e10)])
def test_a_run_is_under_the_peak_of_its_precision(profile, dump, precision, flops, peak):
    data = healthy.of("cpu")
    data["run"]["precision"] = precision
    data["ceilings"].update(fp32_flops_per_s=flops, fp64_flops_per_s=None if flops else 5e10)
    for cost in data["costs"]:
        cost["flops"] *= 1e3
    assert {stage["attainable"] for stage in dump(profile(data))["stages"].values()} == {peak}


def test_profiles_of_earlier_versions_have_no_caches(profile, dump):
    data = healthy.of("cpu")
    folder = profile(data)
    expected = dump(folder)["stages"]
    for cost in data["costs"]:
        del cost["reach_bytes"]
    del data["ceilings"]["caches"], data["ceilings"]["fp32_flops_per_s"]
    file, = folder.glob("profile/*/summary.json")
    file.write_text(json.dumps(data))
    assert dump(folder)["stages"] == expected


def test_stages_that_a_graph_replayed(profile, dump):
    """Without regions and times of calls, as earlier versions left them, calls are counted by launches."""
    data = healthy.of("gpu")
    data["regions"] = [row for row in data["regions"] if row["kind"] != "stage"]
    data["stages"].append({"stage": "steps", "time_ns": healthy.spread(5e3, 2)})  # no stage
    data["stages"].append({"stage": None, "time_ns": healthy.spread(5e3, 2)})
    for row in data["stages"]:
        row["calls_ns"] = None
    stages = dump(profile(data))["stages"]
    assert {name: stage["calls_per_step"] for name, stage in stages.items()} == CALLS
    for name, stage in stages.items():
        row = next(row for row in data["stages"] if row["stage"] == name)["time_ns"]
        assert stage["call"] == pytest.approx(len(KERNELS[name]) * row["mean"])
