"""Loading of profiles: the report holds the data of the files, and a wrong file is one line."""
import copy
import json
import os
import subprocess

import healthy
import pytest
from conftest import BAD_DATA, NO_INPUT


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_the_run(profile, dump, kind):
    report = dump(profile(healthy.of(kind)))
    assert report["case"] == "gaussian_seed" and report["build"] == "0123abcd, Release, GNU 12.2.0"
    assert (report["n"], report["order"], report["unknowns"]) == (384, 4, 2663430)
    assert report["backend"] == {"cpu": "cpu", "gpu": "cuda"}[kind]
    assert report["date"] == "2026-11-20 16:00:00 UTC"
    assert report["timeline"] is None and report["measured"]


def test_former_names_of_stages_are_read_with_a_note(profile, dump):
    earlier = json.loads(json.dumps(healthy.of("cpu")).replace('"sat"', '"join"').replace('"rk4"', '"budgets"'))
    done = subprocess.run([os.environ["DUMP_REPORT"], profile(earlier)], capture_output=True, text=True, check=True)
    stages = set(json.loads(done.stdout)["stages"])
    assert {"flux_projection", "integrals"} <= stages and not {"join", "budgets"} & stages
    assert [line.split("note: ")[1] for line in done.stderr.splitlines()] == \
        ["the stage join is now named flux_projection", "the stage budgets is now named integrals"]


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_profiles_of_earlier_versions_lack_what_tracing_cost(profile, dump, kind):
    earlier = healthy.of(kind)
    folder = profile(earlier)
    today = dump(folder)
    del earlier["tracing"]
    for row in earlier["stages"]:
        del row["calls_ns"]
    (folder / "profile/step_00000010/summary.json").write_text(json.dumps(earlier))
    then = dump(folder)
    assert then["stages"] == today["stages"]
    overhead = {name: report["indicators"].pop("tracing overhead") for name, report in [("today", today), ("then", then)]}
    assert then["indicators"] == today["indicators"]
    assert (overhead["today"]["grade"], overhead["then"]["grade"]) == ("good", "unknown")


def test_only_stages_and_arrays_have_former_names(profile, dump):
    data = healthy.of("cpu")
    data["case"] = "join"
    assert dump(profile(data))["case"] == "join"


def test_a_failure_is_reported_after_former_names(profile, refused):
    """The note precedes the failure in the log of the window, and is not printed as its reason."""
    data = json.loads(json.dumps(healthy.of("cpu")).replace('"sat"', '"join"'))
    folder = profile(data)
    del data["drops"]
    (folder / "profile/step_00000010/summary.json").write_text(json.dumps(data))
    refused(folder, BAD_DATA, "summary.json: drops: is missing")


def test_the_window_of_the_median_step_is_shown(profile, dump):
    windows = []
    for first_step, factor in [(10, 1.3), (20, 1.0), (100, 1.1)]:
        data = healthy.of("cpu")
        data["window"]["first_step"] = first_step
        healthy.scale(data["steps"]["host_ns"], factor)
        windows.append(data)
    folder = profile(*windows)
    report = dump(folder)
    assert [path[-8:] for path in report["folders"]] == ["00000010", "00000020", "00000100"]
    assert report["shown"] == 2
    assert "(shown here)" in dump(folder, "text")


def damaged(folder, first_step):
    """Cut a window's summary short."""
    file = folder / f"profile/step_{first_step:08}/summary.json"
    file.write_text(file.read_text()[:1000])


def windows_from(*first_steps):
    data = [healthy.of("cpu") for _ in first_steps]
    for summary, first_step in zip(data, first_steps):
        summary["window"]["first_step"] = first_step
    return data


@pytest.mark.parametrize("which", [0, 5, 11])
def test_a_window_that_cannot_be_read_is_left_out(profile, dump, which):
    steps = [10 + 20 * k for k in range(12)]
    folder = profile(*windows_from(*steps))
    whole = dump(folder)
    damaged(folder, steps[which])
    done = subprocess.run([os.environ["DUMP_REPORT"], folder], capture_output=True, text=True)
    assert done.returncode == 0 and len(done.stderr.splitlines()) == 1
    assert f"step_{steps[which]:08}/summary.json: no JSON: line 1" in done.stderr
    assert done.stderr.endswith("; this window is left out\n")
    report = json.loads(done.stdout)
    assert report["folders"] == whole["folders"][:which] + whole["folders"][which + 1:]
    assert {**report, "folders": 0, "shown": 0} == {**whole, "folders": 0, "shown": 0}


def test_without_a_window_that_can_be_read_there_is_no_report(profile, refused):
    folder = profile(*windows_from(10, 30, 50))
    for first_step in (10, 30, 50):
        damaged(folder, first_step)
    refused(folder, BAD_DATA, "step_00000010/summary.json: no JSON: line 1")


def test_a_profile_is_found_by_each_of_its_folders(profile, dump):
    folder = profile(healthy.of("cpu"))
    reports = [dump(path) for path in
               (folder, folder / "profile", folder / "profile" / "step_00000010")]
    for report in reports:
        assert len(report.pop("folders")) == 1
    assert reports[0] == reports[1] == reports[2]


def test_windows_of_other_runs_are_reported(profile, capfd):
    other = healthy.of("cpu")
    other["window"]["first_step"] = 50
    other["process"] = 4300
    folder = profile(healthy.of("cpu"), other)
    done = subprocess.run([os.environ["DUMP_REPORT"], folder], capture_output=True, text=True)
    assert done.returncode == 0 and "several runs" in done.stderr


def test_no_profile(tmp_path, refused):
    refused(tmp_path / "nowhere", NO_INPUT, "nowhere", "No such file")
    refused(tmp_path, NO_INPUT, str(tmp_path), "no profile")
    (tmp_path / "profile").mkdir()
    refused(tmp_path, NO_INPUT, str(tmp_path), "no profile")
    (tmp_path / "profile" / ".step_00000010.77.partial").mkdir()
    refused(tmp_path, NO_INPUT, str(tmp_path), "no profile")
    (tmp_path / "profile" / "step_00000010").mkdir()
    refused(tmp_path, NO_INPUT, "step_00000010/summary.json", "No such file")
    (tmp_path / "file").write_text("")
    refused(tmp_path / "file", NO_INPUT, "no directory")


def test_results_without_a_profile(tmp_path, refused):
    (tmp_path / "summary.json").write_text('{"case": "gaussian_seed", "n": 96}')
    refused(tmp_path, BAD_DATA, "summary.json: schema: is not cubeswe-profile")


@pytest.mark.parametrize("text, words", [
    ("", ["no JSON: line 1"]), ("{", ["no JSON: line 1"]), ("[]", ["no JSON object"]),
    ('{"schema": "cubeswe-profile",\n "schema": 1}', ["no JSON: line 2"])])
def test_no_json(profile, refused, text, words):
    folder = profile(healthy.of("cpu"))
    (folder / "profile/step_00000010/summary.json").write_text(text)
    refused(folder, BAD_DATA, "step_00000010/summary.json", *words)


@pytest.mark.parametrize("name", ["summary.json", "timeline.json"])
def test_what_is_no_regular_file_is_not_waited_for(profile, refused, name):
    path = profile(healthy.of("cpu")) / "profile/step_00000010" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    refused(path.parent, BAD_DATA, f"step_00000010/{name}: no regular file")
    path.unlink()
    path.symlink_to("/dev/zero")
    refused(path.parent, BAD_DATA, f"step_00000010/{name}: no regular file")


def test_a_file_that_is_too_large_is_not_read(profile, refused):
    path = profile(healthy.of("cpu")) / "profile/step_00000010/summary.json"
    os.truncate(path, 2 ** 28 + 1)  # a hole: nothing is on the disk
    refused(path.parent, BAD_DATA, "summary.json: larger than 268435456 bytes")


def places(value, path=()):
    """Every key of an object, with the way there; one item of each array."""
    if isinstance(value, dict):
        for key in value:
            yield (*path, key)
            yield from places(value[key], (*path, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield from places(value[0], (*path, 0))


def parent_of(data, path):
    for key in path[:-1]:
        data = data[key]
    return data


def name_of(path):
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)[1:]


# keys that the report does not read
UNREAD = {"vendor", "index", "warps_per_multiprocessor", "blocks"}


def is_read(path):
    return not (path[0] == "run" and len(path) > 1) and path[-1] not in UNREAD and \
        path != ("memory", "before", "peak_bytes")


def changed(value):
    """A value of a kind that a key does not have."""
    if isinstance(value, list):
        return {}
    return [1] if isinstance(value, dict) or value is None else {"a": 1}


@pytest.mark.parametrize("kind", ["cpu", "gpu", "counters", "ranks"])
def test_every_key_that_is_missing_or_of_another_kind_is_named(profile, refused, kind):
    data = healthy.of(kind)
    data["copies"] = [{"operation": "[CUDA memset]", "time_ns": healthy.spread(1, 1),
                       "bytes": healthy.spread(1, 1)}]
    folder = profile(data)
    file = folder / "profile/step_00000010/summary.json"
    paths = [path for path in places(data) if is_read(path)]
    assert len(paths) >= 140
    for path in paths:
        bad = copy.deepcopy(data)
        parent = parent_of(bad, path)
        parent[path[-1]] = changed(parent[path[-1]])
        file.write_text(json.dumps(bad))
        refused(folder, BAD_DATA, f"step_00000010/summary.json: {name_of(path)}: is ")
        if path[-1] in ("tracing", "parts", "ranks", "calls_ns", "reach_bytes", "caches", "fp32_flops_per_s", "core_wait_share"):  # which profiles of earlier versions lack
            continue
        del parent[path[-1]]
        file.write_text(json.dumps(bad))
        # without its schema it is no file of a profile at all
        refused(folder, BAD_DATA, f"step_00000010/summary.json: {name_of(path)}: is ")


# lists whose entries have names, and their names where those are not all of one key
LISTS = ["phases", "regions", "stages", "calls", "threads", "parts", "costs"]


def dropped(items, k):
    return items[:k] + items[k + 1:]


@pytest.mark.parametrize("times", [2, 9])
@pytest.mark.parametrize("key", LISTS)
def test_entries_of_one_name_are_refused(profile, refused, key, times):
    data = healthy.of("gpu" if key in ("stages", "calls") else "cpu")
    folder = profile(data)
    count = len(data[key])
    assert count > 0
    data[key] = times * data[key]
    (folder / "profile/step_00000010/summary.json").write_text(json.dumps(data))
    refused(folder, BAD_DATA, f"summary.json: {key}[{count}]: is there twice")


@pytest.mark.parametrize("key, where", [("each", "steps"), ("stages", "counters")])
def test_entries_of_one_name_further_down_are_refused(profile, refused, key, where):
    data = healthy.of("counters")
    folder = profile(data)
    count = len(data[where][key])
    data[where][key] += data[where][key]
    (folder / "profile/step_00000010/summary.json").write_text(json.dumps(data))
    refused(folder, BAD_DATA, f"summary.json: {where}.{key}[{count}]: is there twice")


@pytest.mark.parametrize("change, words", [
    (lambda ranks: ranks.update(count=1), "ranks: is of fewer than two ranks"),
    (lambda ranks: ranks.update(count=5), "ranks.each: is not of all ranks"),
    (lambda ranks: ranks["each"].pop(), "ranks.each: is not of all ranks"),
    (lambda ranks: ranks["each"].reverse(), "ranks.each[0]: is not the rank of its place"),
    (lambda ranks: ranks["each"][2].update(share=0), "ranks.each[2]: has a share that is not above 0"),
    (lambda ranks: ranks["each"][2].update(share=1.5), "ranks.each[2]: has a share that is not above 0"),
    (lambda ranks: ranks["stages"][1].update(slowest=4), "ranks.stages[1]: has a slowest rank that there is not"),
    (lambda ranks: ranks["stages"].append(ranks["stages"][0]), "ranks.stages[6]: is there twice")])
def test_ranks_that_cannot_be(profile, refused, change, words):
    data = healthy.of("ranks")
    folder = profile(data)
    change(data["ranks"])
    (folder / "profile/step_00000010/summary.json").write_text(json.dumps(data))
    refused(folder, BAD_DATA, f"summary.json: {words}")


@pytest.mark.parametrize("kind", ["cpu", "gpu", "counters"])
def test_the_order_of_entries_does_not_matter(profile, dump, kind):
    data = healthy.of(kind)
    folder = profile(data)
    stages = dump(folder)["stages"]
    for key in LISTS:
        data[key].reverse()
    (folder / "profile/step_00000010/summary.json").write_text(json.dumps(data))
    assert dump(folder)["stages"] == stages


@pytest.mark.parametrize("kind", ["cpu", "gpu", "counters"])
def test_an_entry_may_be_missing(profile, kind):
    """Each of every list in turn: there is a report, or one line."""
    data = healthy.of(kind)
    folder = profile(data)
    for key in [*LISTS, "kernels"]:
        for k in range(min(3, len(data[key]))):
            (folder / "profile/step_00000010/summary.json").write_text(
                json.dumps({**data, key: dropped(data[key], k)}))
            for arguments in ([], ["text"]):
                done = subprocess.run([os.environ["DUMP_REPORT"], folder, *arguments],
                                      capture_output=True)
                assert done.returncode == 0, (key, k, done.stderr)


def test_other_versions_are_refused(profile, refused):
    data = healthy.of("cpu")
    folder = profile(data)
    data["schema_version"] = 2
    (folder / "profile/step_00000010/summary.json").write_text(json.dumps(data))
    refused(folder, BAD_DATA, "summary.json: schema_version: is not 1")


TIMELINE = {
    "schema": "cubeswe-timeline", "schema_version": 1, "start_ns": 1795190400123456789,
    "duration_ns": 9000, "names": ["step", "rk4", "rk4_kernel", "[CUDA memset]"],
    "threads": ["main", "worker 1"],
    "spans": [[0, "step", 100, 5000, 10, 0, 0], [1, "stage", 200, 4000, 10, 1, 0],
              [1, "thread", 300, 3500, 10, 2, 1]],
    "ops": [[2, 1, "kernel", 900, 3000, 7, 0], [3, None, "fill", 4000, 20, 7, 8192]],
    "memory": [[0, 1000], [9000, 1000]], "samples": [[50, 95, 40, 1e9, 1980, 500, None]],
    "sampled": [[40, 20, 90, 55, 30, 1e12, 5e11, None], [60, 20, 80, 50, 20, 1e12, 4e11, None]],
    "omitted": {"spans": 0, "ops": 0}}


def write_timeline(folder, timeline, first_step=10):
    (folder / f"profile/step_{first_step:08}/timeline.json").write_text(
        timeline if isinstance(timeline, str) else json.dumps(timeline))


def test_the_timeline_is_its_document(profile, dump):
    folder = profile(healthy.of("gpu"))
    write_timeline(folder, TIMELINE)
    assert dump(folder)["timeline"] == TIMELINE
    more = {**TIMELINE, "spans": [[9, -1]], "memory": None, "more": {"a": ["\u2028<b>"]}}  # the page checks it
    write_timeline(folder, more)
    assert dump(folder)["timeline"] == more


def test_the_timeline_is_of_the_shown_window(profile, dump):
    folder = profile(*windows_from(10, 30, 50))
    for first_step in (10, 30, 50):
        write_timeline(folder, {**TIMELINE, "duration_ns": first_step}, first_step)
    report = dump(folder)
    assert report["timeline"]["duration_ns"] == [10, 30, 50][report["shown"]]


def test_a_window_whose_timeline_cannot_be_read_is_left_out(profile):
    folder = profile(*windows_from(10, 30, 50))
    write_timeline(folder, TIMELINE)
    write_timeline(folder, {**TIMELINE, "schema_version": 2}, 30)
    done = subprocess.run([os.environ["DUMP_REPORT"], folder], capture_output=True, text=True)
    assert done.returncode == 0 and len(done.stderr.splitlines()) == 1
    assert "step_00000030/timeline.json: schema_version: is not 1" in done.stderr
    assert [path[-8:] for path in json.loads(done.stdout)["folders"]] == ["00000010", "00000050"]


def test_former_names_of_stages_in_a_timeline(profile):
    """A name of the timeline alone has a note, too, and only texts are names."""
    folder = profile(healthy.of("cpu"))
    names = ["join", "a join", 7, None, "budgets", "margin", ["join"]]
    write_timeline(folder, {**TIMELINE, "names": names, "threads": ["join"]})
    done = subprocess.run([os.environ["DUMP_REPORT"], folder], capture_output=True, text=True, check=True)
    timeline = json.loads(done.stdout)["timeline"]
    assert timeline["names"] == ["flux_projection", "a join", 7, None, "integrals", "margin", ["join"]]
    assert timeline["threads"] == ["join"]
    assert [line.split("note: ")[1] for line in done.stderr.splitlines()] == \
        ["the stage join is now named flux_projection", "the stage budgets is now named integrals"]


def test_a_text_of_a_profile_does_not_steer_the_terminal(profile, dump):
    data = healthy.of("gpu")
    evil = "\x1b]0;x\x07\r\n\x9b2J"
    data["case"] = data["version"] = data["host"] = data["run"]["build"] = evil
    data["memory"]["sites"][0].update(label=evil, file=evil)
    data["kernels"][0]["name"] = evil
    data["warnings"] = [evil]
    text = dump(profile(data), "text")
    assert [c for c in text if c != "\n" and not c.isprintable()] == []
    assert text.count("?]0;x????2J") == 8


@pytest.mark.parametrize("change", [
    lambda kernel: kernel.update(grid=[2 ** 40, 2 ** 40, 1]),
    lambda kernel: kernel.update(block=[32, -1, 1]),
    lambda kernel: kernel.update(dynamic_shared_bytes=2 ** 40)])
def test_a_launch_that_cannot_be(profile, refused, change):
    folder = profile(healthy.of("gpu"))
    file = folder / "profile/step_00000010/summary.json"
    data = json.loads(file.read_text())
    change(data["kernels"][2])
    file.write_text(json.dumps(data))
    refused(folder, BAD_DATA, "kernels[2]: is larger than a launch can be")


@pytest.mark.parametrize("path", [
    ("phases", 0, "total_ns"), ("regions", 2, "host_ns", "median"), ("steps", "each", 3, "host_ns"),
    ("stages", 0, "time_ns", "total"), ("stages", 0, "time_ns", "count"), ("window", "first_step"),
    ("window", "steps"), ("gpu", "launch_latency_ns", "min"), ("steps", "each", 3, "gpu_ns")])
def test_numbers_have_a_limit(profile, dump, refused, path):
    data = healthy.of("gpu")
    folder = profile(data)
    file = folder / "profile/step_00000010/summary.json"
    for number, is_refused in [(2 ** 60, False), (2 ** 60 + 2 ** 10, True)]:
        parent_of(data, path)[path[-1]] = number
        file.write_text(json.dumps(data))
        if is_refused:
            refused(folder, BAD_DATA, f"summary.json: {name_of(path)}: is beyond 2^60")
        else:
            dump(folder), dump(folder, "text")


@pytest.mark.parametrize("number, kept", [(1e300, None), (-1e300, None), (2663430, 2663430)])
def test_facts_are_limited_too(profile, dump, number, kept):
    data = healthy.of("cpu")
    data["run"]["unknowns"] = number
    assert dump(profile(data))["unknowns"] == kept


@pytest.mark.parametrize("timeline, words", [
    ("", "no JSON: line 1"), (json.dumps(TIMELINE)[:300], "no JSON: line 1"), ([TIMELINE], "no JSON object"),
    ({**TIMELINE, "schema": "cubeswe-profile"}, "schema: is not cubeswe-timeline"),
    ({**TIMELINE, "schema": None}, "schema: is not cubeswe-timeline"), ({}, "schema: is not cubeswe-timeline"),
    ({**TIMELINE, "schema_version": 2}, "schema_version: is not 1"),
    ({**TIMELINE, "schema_version": "1"}, "schema_version: is not 1"),
    ({"schema": "cubeswe-timeline"}, "schema_version: is missing")])
def test_a_timeline_that_is_none(profile, refused, timeline, words):
    folder = profile(healthy.of("gpu"))
    write_timeline(folder, timeline)
    refused(folder, BAD_DATA, f"step_00000010/timeline.json: {words}")
