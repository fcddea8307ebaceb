"""The surroundings of a run: terminals, pipes, closed streams, a full disk, the locale."""
import os
import pty
import re
import resource
import subprocess

import numpy as np
import pytest

from program import (Program, assert_same_bits, environment, field_files, final_fields, read_csv, read_json,
                     skip_if_runtime_writes_more, write_case)

IO = 74

PROGRESS = re.compile(r"\S.*: step (\d+) of (\d+), t = \S+ s, Courant \d\.\d{3}, \d+\.\d steps/s, "
                      r"\d+ s left")


# ---- progress ------------------------------------------------------------------------------------

def test_progress_is_plain_lines_when_no_terminal_reads_it(run, case):
    done = run("run", case(), "--backend", "cpu")
    assert done.code == 0 and "\r" not in done.err and "\x1b" not in done.err
    assert all(PROGRESS.fullmatch(line) for line in done.lines)
    assert PROGRESS.fullmatch(done.lines[-1]).groups() == ("4", "4")


def read_all(descriptor):
    """All output to a pseudo-terminal until its other side is closed."""
    text = b""
    while True:
        try:
            part = os.read(descriptor, 4096)
        except OSError:  # Linux: nobody holds the other side any more
            return text.decode()
        if not part:
            return text.decode()
        text += part


def test_progress_renews_one_line_on_a_terminal(run, case, tmp_path):
    try:
        master, slave = pty.openpty()
    except OSError as error:  # a container may have none
        pytest.skip(f"no pseudo-terminal: {error}")
    with subprocess.Popen([run.path, "run", case(), "--backend", "cpu", "--threads", "1", "--set",
                           "grid.n=40", "--set", "time.dt=0.00005"], cwd=tmp_path,
                          env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=slave) as process:
        os.close(slave)
        text = read_all(master)
    os.close(master)
    assert process.returncode == 0
    assert text.count("\n") == 1 and text.endswith("\r\n")
    empty, *states = text[:-2].split("\r\x1b[K")
    assert empty == "" and all(PROGRESS.fullmatch(state) for state in states)
    steps = [int(PROGRESS.fullmatch(state).group(1)) for state in states]
    assert len(steps) >= 2 and steps == sorted(steps) and steps[-1] == 2000


# ---- locale, streams, disk -----------------------------------------------------------------------

@pytest.fixture
def comma_locale(tmp_path_factory):
    """Environment of a locale whose decimal mark is a comma."""
    name, folder = "de_DE.UTF-8", tmp_path_factory.mktemp("locale")
    try:
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder / name], check=True,
                       capture_output=True)
        # under LOCPATH the C library leaks a little, which the leak sanitizer would report
        settings = {"LC_ALL": name, "LOCPATH": str(folder), "ASAN_OPTIONS": "detect_leaks=0"}
    except (OSError, subprocess.CalledProcessError):
        settings = {"LC_ALL": name}
    mark = subprocess.run(["locale", "decimal_point"], env={**os.environ, **settings}, text=True,
                          capture_output=True).stdout.strip()
    if mark != ",":
        pytest.skip("no locale with a decimal comma (Debian package locales)")
    return settings


def test_a_decimal_comma_changes_nothing(run, case, comma_locale):
    arguments = (case(physics={"gravity": 9.5}), "--set", "physics.radius=1.25")
    plain = run.solve(arguments[0], "plain", *arguments[1:])
    comma = run.solve(arguments[0], "comma", *arguments[1:], env=comma_locale)
    assert_same_bits(final_fields(comma), final_fields(plain))
    for name in ("configuration.yaml", "diagnostics.csv"):
        assert (comma / name).read_bytes() == (plain / name).read_bytes()
    assert read_json(comma / "summary.json")["dt"] == read_json(plain / "summary.json")["dt"]


@pytest.fixture(scope="module")
def in_profiled(tmp_path_factory):
    """The program in a folder with a case and its profiled run: case.yaml, out."""
    folder = tmp_path_factory.mktemp("profiled")
    program = Program("CUBESWE", folder)
    program.solve(write_case(folder / "case.yaml", time={"end": 0.2, "dt": 0.0025}), "out", "--profile=summary",
                  "--threads", 1, "--set", "profile.start_step=5", "--set", "profile.duration=10")
    return program


def broken_pipe():
    """The writing end of a pipe without a reader."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def assert_complete(directory):
    assert read_json(directory / "summary.json")["steps"] == 4
    assert [row["step"] for row in read_csv(directory / "diagnostics.csv")] == [0, 4]
    assert np.isfinite(final_fields(directory)["h"]).all()


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_broken_pipe_costs_no_results(run, case, tmp_path, stream):
    pipe, arguments = broken_pipe(), {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = run("run", case(), "--backend", "cpu", "--output", "out", capture_output=False,
               **{**arguments, stream: pipe})
    os.close(pipe)
    assert done.code == 0 and "cannot be written" not in done.out + done.err
    assert_complete(tmp_path / "out")


@pytest.mark.parametrize("arguments", [
    ["--help"], ["--version"], ["run", "--help"], ["info", "--keys"], ["info", "case.yaml"],
    ["info", "--kernels", "--json"], ["run", "case.yaml", "--dry-run"], ["report", "out"], ["compare", "out", "out"],
    ["compare", "out", "out", "--json"], ["top", "out"]], ids=" ".join)
def test_a_reader_that_leaves_ends_nothing_badly(in_profiled, arguments):
    """`cubeswe info --keys | head -1` prints no message and keeps its exit code."""
    pipe = broken_pipe()
    done = in_profiled(*arguments, capture_output=False, stdout=pipe, stderr=subprocess.PIPE)
    os.close(pipe)
    assert (done.code, done.err) == (0, "")


def test_a_reader_that_leaves_changes_no_answer(in_profiled):
    pipe = broken_pipe()
    done = in_profiled("compare", "out", "out", "--fail-above", "0", capture_output=False, stdout=pipe,
                       stderr=subprocess.PIPE)
    os.close(pipe)
    assert done.code == 2 and done.err.startswith("cubeswe: inconclusive")


@pytest.mark.parametrize("arguments", [["--help"], ["info", "--keys"], ["top", "out"]], ids=" ".join)
def test_a_full_standard_output_of_any_command_is_reported(in_profiled, arguments):
    with open("/dev/full", "w") as full:
        done = in_profiled(*arguments, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert (done.code, done.lines) == (IO, ["cubeswe: standard output cannot be written"])


def test_a_full_standard_output_is_reported(run, case, tmp_path):
    with open("/dev/full", "w") as full:
        done = run("run", case(), "--backend", "cpu", "--output", "out", capture_output=False,
                   stdout=full, stderr=subprocess.PIPE)
    assert done.code == IO and done.lines[-1] == "cubeswe: standard output cannot be written"
    assert_complete(tmp_path / "out")


@pytest.mark.parametrize("closed", [[0], [1], [2], [1, 2], [0, 1, 2]])
def test_closed_standard_streams_do_not_spoil_results(run, case, tmp_path, closed):
    done = run("run", case(), "--backend", "cpu", "--output", "out", capture_output=False,
               preexec_fn=lambda: [os.close(descriptor) for descriptor in closed])
    assert done.code in (0, IO)
    assert_complete(tmp_path / "out")


@pytest.mark.parametrize("bytes_allowed", [100, 4000, 60000])
def test_a_full_disk_is_reported(run, case, tmp_path, bytes_allowed):
    skip_if_runtime_writes_more(run, bytes_allowed)
    limit = (bytes_allowed, bytes_allowed)
    done = run("run", case(), "--backend", "cpu", "--quiet", "--output", "out",
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
    assert done.code == IO and len(done.lines) == 1, (done.code, done.err)
    assert done.err.startswith("cubeswe: out/") and "warning" not in done.err
    assert not list((tmp_path / "out").glob("fields*"))


@pytest.mark.parametrize("command", [["run"], ["converge", "--n", "12"]])
def test_outputs_are_tried_before_the_first_step(run, case, tmp_path, command):
    """The text of the configuration fits into the limit, a file of HDF5 does not."""
    skip_if_runtime_writes_more(run, 1000)
    done = run(*command, case(time={"end": 1e6, "dt": 1e-3}), "--backend", "cpu", "--output", "out",
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
    assert done.code == IO and len(done.lines) == 1, (done.code, done.err)
    assert done.err.endswith(": cannot be written: File too large\n")
    assert not [path for path in tmp_path.rglob("*") if path.suffix in (".csv", ".tmp")]


# ---- HDF5's environment --------------------------------------------------------------------------

@pytest.mark.parametrize("setting", [{"HDF5_USE_FILE_LOCKING": word} for word in ("TRUE", "1", "BEST_EFFORT")]
                         + [{"HDF5_DRIVER": "nowhere"}, {"HDF5_VOL_CONNECTOR": "nowhere", "HDF5_PLUGIN_PATH": "/nowhere"}])
def test_variables_of_hdf5_change_nothing(run, case, setting):
    plain, out = run.solve(case(), "plain"), run.solve(case(), "out", env=setting)
    assert_same_bits(final_fields(out), final_fields(plain))
    run.solve(case(), "study", "--n", "12", command="converge", env=setting)
    done = run("convert", field_files(out)[-1], "--to", "latlon", "--lon", "8", "--lat", "4", env=setting)
    assert done.code == 0, done.err


# ---- files written in the background -------------------------------------------------------------

EVERY = ("--set", "time.dt=0.0025", "--set", "output.every=5")  # 40 steps, nine files


def test_output_is_reported_in_the_summary(run, case):
    output = read_json(run.solve(case(), "out", *EVERY) / "summary.json")["output"]
    assert output["files"] == 9 and output["seconds"] > 0.0 and output["wait_seconds"] >= 0.0


def test_no_temporary_file_is_left(run, case, tmp_path):
    run.solve(case(), "out", *EVERY)
    assert list((tmp_path / "out").glob("*.tmp")) == []


# ---- threads -------------------------------------------------------------------------------------

@pytest.mark.parametrize("variable, size", [("OMP_STACKSIZE", "200000G"), ("OMP_STACKSIZE", " 200000 g "),
                                            ("GOMP_STACKSIZE", "200000G")])
def test_threads_that_cannot_be_had_are_one_line(refuses, case, variable, size):
    """Their stack is larger than the address space; the OpenMP runtime would end the program with code 1."""
    for command in (["run"], ["converge", "--n", "12"], ["bench", "--n", "12"], ["profile"]):
        refuses(71, ["1 of 2 threads can be started: ", "--threads", "OMP_STACKSIZE"], *command, case(),
                "--backend", "cpu", "--threads", "2", env={variable: size})


def test_threads_of_field_files_that_cannot_be_had_are_one_line(run, case):
    """The second thread of the model fits into the address space, but not the threads that write files."""
    if "libomp" in subprocess.run(["ldd", run.path], capture_output=True, text=True, check=True).stdout:
        pytest.skip("the build of clang has sanitizers, which need more address space")
    line = f"ulimit -v 4000000; exec {run.path} run {case()} --backend cpu --threads 2 --output out"
    done = subprocess.run(["sh", "-c", line], cwd=run.folder, capture_output=True, text=True, check=False,
                          env=environment(OMP_STACKSIZE="2500M"))
    assert done.returncode == 71 and "threads can be started" in done.stderr, done.stderr


def test_a_writer_of_field_files_that_cannot_start_is_71(run, case):
    """The default stack of a thread does not fit into the address space."""
    if "libomp" in subprocess.run(["ldd", run.path], capture_output=True, text=True, check=True).stdout:
        pytest.skip("the build of clang has sanitizers, which need more address space")
    line = f"ulimit -s 4000000; ulimit -v 3000000; exec {run.path} run {case()} --backend cpu --threads 1 --output out"
    done = subprocess.run(["sh", "-c", line], cwd=run.folder, capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 71, done.stderr
    assert "no thread can be started to write field files: Resource temporarily unavailable" in done.stderr


def test_one_thread_needs_no_other(run, case):
    run.solve(case(), "out", "--threads", "1", env={"OMP_STACKSIZE": "200000G"})
