"""The text: every part is there, and no line is too long."""
import json

import healthy
import pytest
from patterns import PATTERNS, more_operations, output


def check_lines(text):
    assert max(map(len, text.splitlines())) <= 100
    assert "nan" not in text.replace("tenant", "") and "(null)" not in text
    assert not [line for line in text.splitlines() if line != line.rstrip() and line.strip() == ""]


@pytest.mark.parametrize("kind", ["cpu", "gpu", "counters", "ranks"])
def test_every_part_is_there(profile, dump, kind):
    folder = profile(healthy.of(kind))
    text, report = dump(folder, "text"), dump(folder)
    check_lines(text)
    for heading in ["Stages", "Indicators", "Diagnosis", "Checklist", "Memory of the device",
                    {"cpu": "Threads", "gpu": "Kernels", "counters": "Counters", "ranks": "Ranks"}[kind]]:
        assert f"\n{heading}" in text
    assert [name for name in report["indicators"] if name not in text] == []
    words = " ".join(text.split())
    assert [c for c in report["checks"] if " ".join(c["answer"].split()) not in words] == []
    assert "\033" not in text


def test_parts_of_stages(profile, dump):
    """Their share of a call, and what their samples cover of the time of the threads."""
    data = healthy.of("cpu")
    rows = text_rows(dump(profile(data), "text"), "Parts of the stages")
    assert rows[0] == ["rk4", "update", "100.0", "1000.0", "90"]
    assert rows[2:4] == [["gradient", "stencil", "75.0", "675.0", "60"], ["(other)", "25.0", "225.0", "20"]]
    worked = sum(row["time_ns"]["total"] for row in data["threads"] if row["stage"] == "gradient")
    assert rows[4] == f"80 samples, which cover {100 * 80 * 997e3 / worked:.1f} % of its threads' time".split()


def test_ranks(profile, dump):
    """Each stage over the ranks, then each rank; NCCL leaves waits unknown."""
    data = healthy.of("ranks")
    data["ranks"]["stages"][0]["exposed_ns"] = data["ranks"]["each"][2]["exposed_ns"] = None
    text = dump(profile(data), "text")
    check_lines(text)
    assert "Times are medians of a step" in text
    rows = text_rows(text, "Ranks")
    assert rows[3] == ["contravariant", "3960.0", "4040.0", "4120.0", "1.02", "3", "-", "2.0", "6.0", "36.0"]
    assert rows[8] == ["projection", "316.8", "323.2", "329.6", "1.02", "3", "9.6", "2.0", "6.0", "36.0"]
    assert rows[10] == ["0", "node-1", "Sample", "CPU", "25.0", "17633.6", "17120.0", "513.6", "32.0", "210.0"]
    assert rows[12][:5] == ["2", "node-2", "Sample", "CPU", "25.0"] and rows[12][7] == "-"


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_the_head_names_the_ranks(profile, dump, kind):
    data = healthy.of(kind)
    folder = profile(data)
    assert "\nranks" not in dump(folder, "text")
    healthy.set_ranks(data, [1.0] * 4)
    (folder / "profile/step_00000010/summary.json").write_text(json.dumps(data))
    assert "\nranks       4 (times of rank 0 unless stated)\n" in dump(folder, "text").split("\nStages")[0]


def test_many_ranks_are_cut(profile, dump):
    """Those with most work are shown, the longest first."""
    data = healthy.of("ranks")
    each = data["ranks"]["each"]
    data["ranks"].update(count=64, each=[{**each[k % 4], "rank": k} for k in range(64)])
    data["ranks"]["each"][7]["work_ns"] = None
    data["ranks"]["each"][0]["work_ns"] = None
    data["ranks"]["each"][61]["work_ns"] *= 2
    text = dump(profile(data), "text")
    check_lines(text)
    assert "64 ranks, 4 of them in the traces" in text and "(54 more)" in text.split("\nRanks\n")[1]
    assert "\nThe 10 ranks with most work:\n" in text
    assert [row[0] for row in text_rows(text, "Ranks")[11:21]] == ["61", "3", "11", "15", "19", "23", "27", "31", "35", "39"]


@pytest.mark.parametrize("count, more", [(2, 0), (30, 20)])
def test_ranks_that_dropped_records_are_named(profile, dump, count, more):
    data = healthy.of("ranks")
    each = data["ranks"]["each"]
    data["ranks"].update(count=40, each=[{**each[k % 4], "rank": k, "dropped": 7 if k < count else 0} for k in range(40)])
    text = dump(profile(data), "text")
    section = text.split("\nRanks\n")[1].split("\n\n")[0]
    check_lines(text)
    assert section.count(" dropped 7 records\n") + section.endswith("dropped 7 records") == min(count, 10)
    assert "rank 0 dropped 7 records" in section and (f"\n({more} more)" in section) == (more > 0)


def test_few_ranks_are_in_order(profile, dump):
    text = dump(profile(healthy.of("ranks")), "text")
    assert [row[0] for row in text_rows(text, "Ranks")[10:]] == ["0", "1", "2", "3"] and "with most work:" not in text


@pytest.mark.parametrize("change", [lambda data: data["parts"].clear(), lambda data: data.pop("parts")])
def test_without_samples_there_are_no_parts(profile, dump, change):
    """In a profile of an earlier version, too."""
    data = healthy.of("cpu")
    folder = profile(data)
    change(data)
    (folder / "profile/step_00000010/summary.json").write_text(json.dumps(data))
    assert "Parts of the stages" not in dump(folder, "text")


def text_rows(text, heading):
    """The words of the lines below a heading and its row of columns."""
    lines = text.split(f"\n{heading}\n")[1].split("\n\n")[0].splitlines()
    return [line.split() for line in lines[1:]]


@pytest.mark.parametrize("pattern, kind, severity, words, change", PATTERNS,
                         ids=[f"{row[4].__name__}-{row[1]}" for row in PATTERNS])
def test_lines_are_short(profile, dump, pattern, kind, severity, words, change):
    data = healthy.of(kind)
    change(data)
    check_lines(dump(profile(data), "text"))


def test_counters_stand_beside_the_formulas(profile, dump):
    data = healthy.of("counters")
    more_operations(data)
    data["counters"]["stages"][0]["l1_bytes"] = None
    text = dump(profile(data), "text")
    check_lines(text)
    rows = {line.split()[0]: line.split()[1:] for line in
            text.split("\nCounters\n")[1].split("\n\n")[0].splitlines()}
    assert rows["projection"][-1] == "1.68!" and rows["projection"][-4] == "-"
    assert rows["gradient"][:5] == ["4", "48.2", "80.320", "80.000", "1.00"]
    assert "     4 x gradient_kernel<4>" in text
    assert "6 of 6 stages differs from the counters by more than 10 %" in text


@pytest.mark.parametrize("kind, mode, words", [
    ("cpu", "trace", "counted on GPUs only"), ("gpu", "trace", "To count memory traffic"),
    ("gpu", "counters", "the warnings give the reason")])
def test_without_counters_the_text_says_so(profile, dump, kind, mode, words):
    data = healthy.of(kind)
    data["mode"] = mode
    text = dump(profile(data), "text")
    check_lines(text)
    section = " ".join(text.split("\nCounters\n")[1].split("\n\n")[0].split())
    assert "was not checked against counters in this run" in section and words in section
    assert ("--profile=full" in section) == (mode != "counters")


def test_long_and_foreign_texts(profile, dump):
    data = healthy.of("gpu")
    data["case"] = "ein sehr langer Name eines Falls " * 5 + "é"
    data["kernels"][0]["name"] = "void küche::kernel<(int)4, double>(double *, const double *, ü)"
    data["warnings"] = ["a warning that goes on and on and on " * 6]
    text = dump(profile(data), "text")
    check_lines(text)
    assert "void küche::kernel<(int)4, do..." in text


def test_the_checklist_has_the_questions_of_guides(profile, dump):
    data = healthy.of("gpu")
    output(data)
    checks = dump(profile(data))["checks"]
    groups = list(dict.fromkeys(check["group"] for check in checks))
    assert len(groups) == 7 and len(checks) == 28
    assert all(check["answer"] for check in checks)
    assert len([c for c in checks if c["grade"] == "unknown"]) == 0
