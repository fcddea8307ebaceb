"""The log of a GPU's state: its contents in the report, and the refusal of a wrong one."""
import os
import subprocess
import time

import healthy
import pytest

HEADINGS = ("#Date, Time, gpu, pwr, gtemp, sm, mem, mclk, pclk, fb\n"
            "#YYYYMMDD, HH:MM:SS, Idx, W, C, %, %, MHz, MHz, MB\n")
ROWS = ["20261120, 17:00:00.500, 0, 100, 40, 0, 0, 2619, 345, 512",
        "20261120, 17:00:00.600, 0, 400, 45, 98, 60, 2619, 1980, 1024",
        "20261120, 17:00:01.600, 0, 300, -, 100, 70, 2619, 1965, 1024"]


def text_of(rows):
    return HEADINGS + "".join(f"{row}\n" for row in rows)


@pytest.fixture
def logged(profile, dump):
    """The folder of a healthy profile with a log, and what its report has of that."""
    folder = profile(healthy.of("gpu"))

    def write(text):
        (folder / "profile/gpu_log.csv").write_text(text)
        return dump(folder)["log"]
    write.folder = folder
    return write


def test_a_log_is_taken_as_it_is(logged, dump):
    log = logged(text_of(ROWS))
    assert log["start"] == 1e9 * time.mktime((2026, 11, 20, 17, 0, 0, 0, 0, -1)) + 5e8
    assert log["times"] == pytest.approx([0, 1e8, 1.1e9], abs=1e3)
    assert log["told"] == {
        "sm": [3, 66, 0, 100], "memory": pytest.approx([3, 130 / 3, 0, 70]),
        "memory_used": pytest.approx([3, 2560 / 3 * 2**20, 2**29, 2**30]),
        "sm_clock": pytest.approx([3, 4290 / 3, 345, 1980]), "memory_clock": [3, 2619, 2619, 2619],
        "power": pytest.approx([3, 800 / 3, 100, 400]), "temperature": [2, 42.5, 40, 45]}
    text = dump(logged.folder, "text")
    part = text.split("\nGPU over the whole run\n")[1].split("\n\n")[0]
    assert "3 in 1.1 s" in part and "266.7 W (100.0 to 400.0)" in part


@pytest.mark.parametrize("below", ["", "profile", "profile/step_00000010"])
def test_every_folder_of_a_profile_has_it(logged, dump, below):
    logged(text_of(ROWS))
    assert len(dump(logged.folder / below)["log"]["times"]) == 3


def test_without_a_log_nothing_is_said(profile, dump):
    folder = profile(healthy.of("gpu"))
    assert dump(folder)["log"] == {"start": 0, "times": [], "told": {}}
    assert "over the whole run" not in dump(folder, "text")


def test_a_line_that_is_being_written_is_left_out(logged):
    for rest in ["2026", ROWS[0][:-6], ROWS[0]]:
        assert len(logged(text_of(ROWS) + rest)["times"]) == 3


def test_other_columns_are_left_out(logged):
    text = ("#Date, Time, gpu, jpg, pwr\n#YYYYMMDD, HH:MM:SS, Idx, %, W\n"
            "20261120, 17:00:00, 0, 3, 250\n")
    assert logged(text)["told"] == {"power": [1, 250, 250, 250]}


def test_a_clock_that_is_set_back_stands_still(logged):
    assert logged(text_of([*ROWS[:2], ROWS[0], ROWS[2]]))["times"] == pytest.approx(
        [0, 1e8, 1e8, 1.1e9], abs=1e3)


@pytest.mark.parametrize("text, words", [
    ("a, b\n", "line 1: not the headings"), ("#Date, Time\n", "line 1: not the headings"),
    ("#Date, Time" + 40 * ", x" + "\n", "line 1: not the headings"),
    (text_of([ROWS[0], ROWS[1] + ", 7"]), "line 4: not a sample"),
    (text_of([ROWS[0], ROWS[1][:-6]]), "line 4: not a sample"),
    (text_of([ROWS[0].replace("100", "1OO")]), "line 3: not a sample"),
    (text_of([ROWS[0].replace("100", "nan")]), "line 3: not a sample"),
    (text_of([ROWS[0].replace("00.500", "1e300")]), "line 3: not a sample"),
    (text_of([ROWS[0].replace("2026", "9999")]), "line 3: not a sample"),
    (text_of([ROWS[0].replace("17:00:00.500", "five")]), "line 3: not a sample"),
    (text_of([ROWS[0], "", ROWS[1]]), "line 4: not a sample"),
    (text_of([ROWS[0].replace("20261120", "20261120x")]), "line 3: not a sample"),
    (text_of([ROWS[0].replace("00.500", "00.500x")]), "line 3: not a sample"),
    (text_of([ROWS[0] + "\0, 7"]), "line 3: a NUL character"),
    (text_of([ROWS[0], 5000 * "7"]), "line 4: longer than a line of such a file can be"),
    (text_of(ROWS) + (1 << 23) * "7", "line 6: longer than a line of such a file can be")],
    ids=lambda value: value[-60:])
def test_what_is_no_log_is_left_out_with_one_warning(logged, text, words):
    (logged.folder / "profile/gpu_log.csv").write_text(text)
    done = subprocess.run([os.environ["DUMP_REPORT"], logged.folder, "text"], capture_output=True,
                          text=True)
    assert done.returncode == 0 and "over the whole run" not in done.stdout
    assert len(done.stderr.splitlines()) == 1 and f"profile/step_00000010/../gpu_log.csv: {words}" \
        in done.stderr


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_a_log_that_cannot_be_read_is_one_warning(logged, make):
    make(logged.folder / "profile/gpu_log.csv")
    done = subprocess.run([os.environ["DUMP_REPORT"], logged.folder], capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0 and len(done.stderr.splitlines()) == 1
    assert "gpu_log.csv" in done.stderr and "no regular file" in done.stderr
