"""Every pattern is found where it is, alone, and none where it is not."""
import json
import re

import healthy
import patterns
import pytest
from healthy import CALLS
from patterns import PATTERNS


@pytest.mark.parametrize("kind", ["cpu", "gpu", "counters", "ranks"])
def test_nothing_is_found_in_a_healthy_run(profile, dump, kind):
    report = dump(profile(healthy.of(kind)))
    assert report["findings"] == []
    grades = {i["grade"] for i in report["indicators"].values()}
    assert grades <= ({"good", "unknown"} if kind == "counters" else {"good", "warning"})
    assert not [check for check in report["checks"] if check["grade"] == "bad"]


def test_of_a_gpu_that_was_only_counted_nothing_is_claimed(profile, dump):
    data = healthy.of("gpu")
    data.update(mode="counters", gpu=None, kernels=[], stages=[], calls=[])
    data["steps"]["gpu_ns"] = None
    for row in [*data["steps"]["each"], *data["regions"]]:
        row.update(gpu_ns=None, gpu_ops=0)
    folder = profile(data)
    report, text = dump(folder), " ".join(dump(folder, "text").split())
    assert report["findings"] == [] and "the diagnosis was not possible" in text
    assert "No known performance problem" not in text and "the run used the CPU backend" not in text
    assert "lacks the static costs" in text


def test_a_stage_whose_operations_were_dropped_spoils_no_sum(profile, dump):
    data = healthy.of("gpu")
    for key in ("kernels", "stages"):
        data[key] = [row for row in data[key] if row["stage"] != "sat"]
    folder = profile(data)
    assert dump(folder)["stages"]["sat"]["fraction"] is None
    assert "50 % of the roofline" in " ".join(dump(folder, "text").split())
    assert not re.search(r"\b(nan|inf)\b", dump(folder, "text"))


@pytest.mark.parametrize("pattern, kind, severity, words, change", PATTERNS,
                         ids=[f"{row[4].__name__}-{row[1]}" for row in PATTERNS])
def test_a_pattern_is_found_and_nothing_else(profile, dump, pattern, kind, severity, words, change):
    data = healthy.of(kind)
    change(data)
    findings = dump(profile(data))["findings"]
    assert [f["pattern"] for f in findings] == [pattern], findings
    finding = findings[0]
    assert finding["severity"] == severity
    assert [word for word in words if word not in finding["evidence"]] == [], finding["evidence"]
    assert re.search(r"\d", finding["evidence"]) and finding["evidence"].endswith(".")
    assert finding["cause"].endswith(".") and finding["advice"].endswith(".")
    assert "nan" not in str(finding) and "inf" not in finding["evidence"]


@pytest.mark.parametrize("change, words", [
    (patterns.waiting, "not scheduled when a stage begins"), (patterns.waiting_for_little, "so short"),
    (patterns.idle, "launches the next kernel late"), (patterns.idle_while_waiting, "synchronizes with the GPU"),
    (patterns.idle_while_writing, "writes output")])
def test_the_cause_is_that_of_the_numbers(profile, dump, change, words):
    data = healthy.of("cpu" if "waiting" in change.__name__ and "idle" not in change.__name__
                      else "gpu")
    change(data)
    assert words in dump(profile(data))["findings"][0]["cause"]


@pytest.mark.parametrize("change, words", [
    (patterns.less_traffic, "agree with the static cost and hit in L2"),
    (patterns.less_traffic_nor_requested, "also below the static cost"), (patterns.less_traffic_unrequested, "probably"),
    (patterns.more_traffic, "requested more than once"), (patterns.more_traffic_read, "the traffic is reads"),
    (patterns.more_traffic_written, "written back"), (patterns.more_operations, "division or a square root"),
    (patterns.fewer_operations, "compiler removed")])
def test_the_cause_of_other_counts_is_that_of_the_numbers(profile, dump, change, words):
    data = healthy.of("counters")
    change(data)
    findings = dump(profile(data))["findings"]
    assert len(findings) == 1 and words in findings[0]["cause"]


@pytest.mark.parametrize("change, cause, advice", [
    (patterns.uneven_blocks, "larger blocks", "--ranks R"), (patterns.slow_rank, "is slower", "config/batch/README.md")])
def test_the_cause_of_a_slow_rank_is_that_of_its_share(profile, dump, change, cause, advice):
    data = healthy.of("ranks")
    change(data)
    finding, = dump(profile(data))["findings"]
    assert cause in finding["cause"] and advice in finding["advice"]


def test_messages_that_take_longer_than_the_slowest_rank_are_found_too(profile, dump):
    data = healthy.of("ranks")
    healthy.set_ranks(data, [1.0, 1.0, 1.0, 1.5], wait=0.5)
    assert [f["pattern"] for f in dump(profile(data))["findings"]] == ["Rank imbalance", "Exposed messages between ranks"]


@pytest.mark.parametrize("wait", [0.5, 9.0])
def test_waits_for_messages_are_no_waits_of_threads(profile, dump, wait):
    data = healthy.of("ranks")
    healthy.set_ranks(data, [1.0] * 4, wait=wait)
    report = dump(profile(data))
    assert [f["pattern"] for f in report["findings"]] == ["Exposed messages between ranks"]
    assert report["indicators"]["core utilisation"]["value"] == pytest.approx(96, abs=0.5)
    assert report["indicators"]["thread waiting"]["value"] == pytest.approx(4 / (1 + wait), abs=0.1)
    assert "do not count" in report["indicators"]["thread waiting"]["meaning"]
    checks = {check["question"]: check for check in report["checks"]}
    assert checks["synchronisation?"]["grade"] == "good" and "without waits for messages" in checks["utilisation of the processors?"]["answer"]


@pytest.mark.parametrize("kind, answer", [("cpu", "2663430 unknowns on 2 threads"), ("ranks", "665858 unknowns on 2 threads of rank 0")])
def test_parallel_work_is_that_of_rank_0(profile, dump, kind, answer):
    checks = dump(profile(healthy.of(kind)))["checks"]
    assert [check["answer"] for check in checks if check["question"] == "enough parallel work?"] == [answer]


def test_threads_that_wait_are_found_beside_messages(profile, dump):
    data = healthy.of("ranks")
    patterns.waiting(data)
    finding, = dump(profile(data))["findings"]
    assert finding["pattern"] == "Fork and barrier overhead"
    assert "mean, without waits for messages) the slowest thread worked 77 %" in finding["evidence"]


def host_each(data):
    for rank in data["ranks"]["each"]:
        rank["host"] = f"node-{1 + rank['rank']}"


def test_the_peaks_of_ranks_measure_them(profile, dump):
    """All measured them at the same time."""
    data = healthy.of("ranks")
    data["ceilings"]["copy_bandwidth_bytes_per_s"] *= 2
    folder = profile(data)
    report = dump(folder)
    assert [f["pattern"] for f in report["findings"]] == ["Memory-bound, far below peak bandwidth"]
    assert report["indicators"]["memory bandwidth"]["grade"] == "bad"
    roofline = next(check for check in report["checks"] if check["question"] == "position under the roofline?")
    assert roofline["grade"] == "bad"
    assert "All ranks measured the peaks at the same time" in " ".join(dump(folder, "text").split())


@pytest.mark.parametrize("apart", [False, True])
def test_ranks_of_one_cpu_may_share_its_caches(profile, dump, apart):
    data = healthy.of("ranks")
    data["ceilings"]["caches"] = [{"name": "L3", "bytes": 1e8, "bandwidth_bytes_per_s": 2e10}]
    for row in data["costs"]:
        row["reach_bytes"] = 5e7
    if apart:
        host_each(data)
    assert [f["pattern"] for f in dump(profile(data))["findings"]] == ["Working set fits in the caches"] * apart


def test_more_than_the_bandwidth_is_from_caches(profile, dump):
    data = healthy.of("ranks")
    patterns.cached(data)
    finding, = dump(profile(data))["findings"]
    assert finding["pattern"] == "Working set fits in the caches" and finding["evidence"].endswith("of a copy in memory.")


@pytest.mark.parametrize("stage, found", [("gradient", False), (None, True)])
def test_waits_do_not_make_a_stage_dominate(profile, dump, stage, found):
    data = healthy.of("ranks")
    healthy.lengthen(data, {name: 6 if name == "gradient" else 1 for name in CALLS})
    row = next(row for row in data["ranks"]["stages"] if row["stage"] == "gradient")
    if stage:
        row["rank_0_exposed_ns"] += 5 * 4 * 1.03 * 900e3
    assert ("One stage dominates" in [f["pattern"] for f in dump(profile(data))["findings"]]) == found


@pytest.mark.parametrize("name, key, value, grade", [
    ("rank imbalance", "imbalance", 1.05, "good"), ("rank imbalance", "imbalance", 1.2, "warning"),
    ("rank imbalance", "imbalance", 1.4, "bad"), ("rank imbalance", "imbalance", None, "unknown"),
    ("exposed messages", "exposed_share", 0.04, "good"), ("exposed messages", "exposed_share", 0.1, "warning"),
    ("exposed messages", "exposed_share", 0.3, "bad"), ("exposed messages", "exposed_share", None, "unknown")])
def test_ranks_are_graded(profile, dump, name, key, value, grade):
    data = healthy.of("ranks")
    data["ranks"][key] = value
    report = dump(profile(data))
    assert report["indicators"][name]["grade"] == grade
    question = {"rank imbalance": "do they work evenly?", "exposed messages": "do messages hide behind work?"}[name]
    assert [c["grade"] for c in report["checks"] if c["question"] == question] == [grade]


@pytest.mark.parametrize("absent", [False, True])
def test_one_rank_has_no_indicators_of_ranks(profile, dump, absent):
    """Nor has a profile of an earlier version."""
    data = healthy.of("cpu")
    folder = profile(data)
    if absent:
        del data["ranks"]
        (folder / "profile/step_00000010/summary.json").write_text(json.dumps(data))
    report, text = dump(folder), dump(folder, "text")
    assert not {"rank imbalance", "exposed messages"} & report["indicators"].keys()
    assert not [c for c in report["checks"] if "ranks" in c["group"]] and "\nRanks\n" not in text


@pytest.mark.parametrize("factor, found", [(1.09, False), (1.11, True), (0.91, False), (0.89, True)])
@pytest.mark.parametrize("key", ["bytes", "flops"])
def test_counts_within_ten_percent_agree(profile, dump, key, factor, found):
    data = healthy.of("counters")
    keys = ["dram_read_bytes", "dram_written_bytes"] if key == "bytes" else ["fp64_flops"]
    for cost, row in zip(data["costs"], data["counters"]["stages"]):
        for name, formula in zip(keys, [cost["read_bytes"], cost["written_bytes"]]
                                 if key == "bytes" else [cost["flops"]]):
            row[name] = factor * row["calls"] * formula
    folder = profile(data)
    assert bool(dump(folder)["findings"]) == found
    text = " ".join(dump(folder, "text").split())
    assert ("differs from the counters by more than 10 %" in text) == found
    assert ("all 6 stages agrees with the counters within 10 %" in text) != found


def test_little_stages_and_what_has_no_formula_are_no_pattern(profile, dump):
    """Twice of a hundredth of a step's bytes; operations of a stage that has none by its formulas;
    what the chip cannot count."""
    data = healthy.of("counters")
    bytes_of_step = sum(CALLS[row["stage"]] * row["read_bytes"] for row in data["costs"])
    cost, row = data["costs"][0], data["counters"]["stages"][0]
    cost.update(read_bytes=0.004 * bytes_of_step / CALLS[cost["stage"]], written_bytes=0, flops=0)
    row.update(dram_read_bytes=0.008 * bytes_of_step, dram_written_bytes=0)
    data["counters"]["stages"][1].update(fp64_adds=None, fp64_flops=None)
    data["counters"]["stages"][2].update(dram_read_bytes=None)
    folder = profile(data)
    assert dump(folder)["findings"] == []
    assert "1 of 6 stages differs" in dump(folder, "text")  # the report states it where all are


def test_both_ways_at_once(profile, dump):
    data = healthy.of("counters")
    for k, row in enumerate(data["counters"]["stages"]):
        row["dram_read_bytes"] *= 0.3 if k % 2 else 5
        row["l2_bytes"] *= 1 if k % 2 else 3
    found = dump(profile(data))["findings"]
    assert [(f["pattern"].split()[0], f["severity"]) for f in found] == [("More", "bad"),
                                                                          ("Less", "good")]
    assert all("3 of 6 stages" in f["evidence"] for f in found)


@pytest.mark.parametrize("change", [patterns.host_bound, patterns.small_kernels])
@pytest.mark.parametrize("launch", ["graph", "eager"])
def test_no_advice_for_what_the_run_does(profile, dump, change, launch):
    data = healthy.of("gpu")
    change(data)
    data["tracing"].update(launch=launch, launched_steps=10 if launch == "graph" else 0)
    advice = dump(profile(data))["findings"][0]["advice"]
    assert "as a CUDA graph" not in advice
    if change is patterns.host_bound:
        assert ("No graph launched steps" in advice) == (launch == "eager")


@pytest.mark.parametrize("change, words", [
    (patterns.host_bound, "Let NCCL carry"), (patterns.idle_while_waiting, "let NCCL carry"), (patterns.copies, "Let NCCL carry")])
def test_advice_for_gpus_knows_messages(profile, dump, change, words):
    data = healthy.of("gpu")
    change(data)
    folder = profile(data)
    alone, = dump(folder)["findings"]
    healthy.set_ranks(data, [1.0, 1.02, 0.99, 1.03])
    (folder / "profile/step_00000010/summary.json").write_text(json.dumps(data))
    together, = dump(folder)["findings"]
    assert words in together["advice"] and words not in alone["advice"]
    assert (together["pattern"], together["evidence"]) == (alone["pattern"], alone["evidence"])


@pytest.mark.parametrize("change", [patterns.host_bound, patterns.idle_while_waiting, patterns.copies])
def test_no_advice_to_use_nccl_where_it_is(profile, dump, change):
    """It leaves the waits unknown."""
    data = healthy.of("gpu")
    change(data)
    healthy.set_ranks(data, [1.0, 1.02, 0.99, 1.03])
    data["ranks"]["exposed_share"] = None
    for row in [*data["ranks"]["each"], *data["ranks"]["stages"]]:
        row["exposed_ns"] = None
    for row in data["ranks"]["stages"]:
        row["rank_0_exposed_ns"] = None
    finding, = dump(profile(data))["findings"]
    assert "NCCL" not in finding["advice"] and "messages of other ranks" not in finding["cause"]


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
@pytest.mark.parametrize("ratio, grade", [(1.02, "good"), (1.1, "warning"), (1.5, "bad"), (None, "unknown"),
                                          (0.97, "good"), (0.3, "unknown")])
def test_the_cost_of_tracing_is_graded(profile, dump, kind, ratio, grade):
    data = healthy.of(kind)
    data["tracing"]["ratio"] = ratio
    assert dump(profile(data))["indicators"]["tracing overhead"]["grade"] == grade


def test_tracing_that_costs_less_than_the_steps_spread_has_no_grade(profile, dump):
    data = healthy.of("cpu")
    data["tracing"]["ratio"] = 1.15
    data["steps"]["host_ns"]["upper_quartile"] = round(1.2 * data["steps"]["host_ns"]["median"])
    assert dump(profile(data))["indicators"]["tracing overhead"]["grade"] == "unknown"


@pytest.mark.parametrize("change", [patterns.busy_machine, patterns.one_thread_waits])
def test_nothing_rests_on_times_of_shared_cores(profile, dump, change):
    data = healthy.of("cpu")
    patterns.near_peak(data)    # would be a finding
    change(data)
    folder = profile(data)
    report, text = dump(folder), " ".join(dump(folder, "text").split())
    assert [finding["pattern"] for finding in report["findings"]] == ["CPU cores shared with other work"]
    assert ("--threads" in report["findings"][0]["advice"]) == (data["device"]["threads"] > 1)
    graded = {name for name, row in report["indicators"].items() if row["grade"] != "unknown"}
    assert graded == {"setup time"} and "not reliable: threads waited for cores" in text
    assert all(stage["fraction"] is None and stage["bandwidth"] is None for stage in report["stages"].values())
    assert "nan" not in text.replace("tenant", "")


def test_waits_for_cores_in_earlier_profiles_are_unknown(profile, dump):
    data = healthy.of("cpu")
    folder = profile(data)
    del data["tracing"]["core_wait_share"]
    (folder / "profile/step_00000010/summary.json").write_text(json.dumps(data))
    assert dump(folder)["findings"] == []


def test_there_is_a_test_of_every_pattern(dump):
    from conftest import ROOT
    names = re.findall(r'pattern_\w+\[\] = "(.*)"', (ROOT / "profiling/report/diagnosis.h").read_text())
    assert len(names) > 12 and sorted(names) == sorted({row[0] for row in PATTERNS})


@pytest.mark.parametrize("kind, change", [(row[1], row[4]) for row in PATTERNS])
def test_bad_ones_come_first_and_text_holds_all(profile, dump, kind, change):
    data = healthy.of(kind)
    change(data)
    data["drops"]["spans"] = 1
    folder = profile(data)
    findings = dump(folder)["findings"]
    order = ["bad", "warning", "good"]
    found = [order.index(f["severity"]) for f in findings]
    assert findings and found == sorted(found)
    text = " ".join(dump(folder, "text").split())
    assert [f for f in findings if f"{f['severity']} {f['pattern']} {f['evidence']}" not in text] == []


@pytest.mark.parametrize("seconds, count, found", [(0.2, 5, False), (1.2, 2, True), (40.0, 5, True)])
def test_a_first_output_is_no_pattern(profile, dump, seconds, count, found):
    """Diagnostics that every run begins with weigh much in an early window."""
    data = healthy.of("cpu")
    data["phases"] = [p for p in data["phases"] if p["name"] != "diagnostics"]
    data["phases"].append(healthy.phase("output", seconds, count))
    findings = dump(profile(data))["findings"]
    assert (findings != []) == (found and count >= 3)
    if findings:
        assert findings[0]["severity"] == "bad"


def test_a_run_of_one_step_and_no_substeps_is_reported(profile, dump):
    data = healthy.of("cpu")
    data["threads"], data["costs"] = [], []
    data["steps"]["host_ns"] = healthy.spread(5e6, 1)
    data["steps"]["each"] = data["steps"]["each"][:1]
    data["phases"] = []
    data["tracing"]["ratio"] = None
    report = dump(profile(data))
    assert report["findings"] == []
    grades = {name: i["grade"] for name, i in report["indicators"].items()}
    assert grades.pop("host overhead") == "good" and set(grades.values()) == {"unknown"}
    assert all(i["why_unknown"] for i in report["indicators"].values() if i["grade"] == "unknown")


def test_a_gpu_that_nothing_was_recorded_of(profile, dump):
    data = healthy.of("gpu")
    data.update(kernels=[], stages=[], calls=[])
    data["gpu"].update(ops=0, busy_ns=0, idle_share=1.0, launch_latency_ns=None, queue_ns=None)
    data["gpu"]["samples"] = dict.fromkeys(data["gpu"]["samples"])
    data["steps"]["gpu_ns"] = data["tracing"]["ratio"] = None
    for row in [*data["steps"]["each"], *data["regions"]]:
        row.update(gpu_ns=None, gpu_ops=0)
    data["warnings"] = ["no GPU trace: another profiler is attached"]
    folder = profile(data)
    report = dump(folder)
    assert report["findings"] == []
    grades = {name: i["grade"] for name, i in report["indicators"].items()}
    assert grades.pop("setup time") == "good" and set(grades.values()) == {"unknown"}
    assert "no GPU trace: another profiler is attached" in dump(folder, "text")
