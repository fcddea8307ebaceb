"""tools/build: a counter that moves, visible errors, a build folder that was moved."""
import json
import os
import pty
import shutil
import subprocess

import pytest

from program import HANGS, REPOSITORY

PRESETS = {"version": 4, "configurePresets": [
    {"name": "small", "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}]}


@pytest.fixture(name="project")
def fixture_project(tmp_path):
    """A project with some files to copy, and our tools."""
    folder = tmp_path / "project"
    (folder / "tools").mkdir(parents=True)
    for tool in ("build", "help.sh"):
        shutil.copy(REPOSITORY / "tools" / tool, folder / "tools")
    (folder / "CMakePresets.json").write_text(json.dumps(PRESETS))
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.23)\nproject(small LANGUAGES NONE)\n"
        "foreach(k RANGE 1 9)\n"
        "  add_custom_command(OUTPUT ${k}.txt COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/source.txt ${k}.txt\n"
        "    DEPENDS ${CMAKE_SOURCE_DIR}/source.txt)\n"
        "  list(APPEND files ${k}.txt)\n"
        "endforeach()\n"
        "add_custom_target(all_files ALL DEPENDS ${files})\n")
    (folder / "source.txt").write_text("x")
    return folder


def build(folder, *arguments):
    """Run tools/build; returns its exit code and its output."""
    return subprocess.run([folder / "tools/build", *arguments], capture_output=True, text=True, timeout=HANGS, check=False)


def build_on_a_terminal(folder):
    """The output of tools/build on a terminal."""
    master, slave = pty.openpty()
    with subprocess.Popen([folder / "tools/build", "small"], stdout=slave, stderr=subprocess.STDOUT) as process:
        os.close(slave)
        output = b""
        try:
            while chunk := os.read(master, 4096):
                output += chunk
        except OSError:    # the terminal's other side is closed
            pass
        assert process.wait(timeout=HANGS) == 0
    os.close(master)
    return output.decode()


def test_warnings_are_shown(project):
    """Also where the build succeeds."""
    with (project / "CMakeLists.txt").open("a") as file:
        file.write("add_custom_target(warns ALL COMMAND ${CMAKE_COMMAND} -E echo 'some.c:1:2: warning: unused')\n")
    done = build(project, "small")
    assert done.returncode == 0 and "some.c:1:2: warning: unused" in done.stderr
    again = build(project, "small")
    assert again.returncode == 0 and again.stderr.count("warning:") == 1


def test_a_terminal_shows_a_counter_that_moves(project):
    output = build_on_a_terminal(project)
    assert all(f"build: {k} of 9 jobs" in output for k in range(1, 10))
    assert "build: build/small is up to date after " in output.splitlines()[-1]


def test_elsewhere_the_last_job_and_the_end_are_lines(project):
    done = build(project, "small")
    assert done.returncode == 0 and done.stderr == "" and "\r" not in done.stdout
    assert "build: 9 of 9 jobs" in done.stdout


def test_a_failed_job_is_shown(project):
    (project / "source.txt").unlink()
    done = build(project, "small")
    assert done.returncode == 1
    assert "source.txt" in done.stderr and "build: build/small failed" in done.stderr


def test_an_error_of_cmake_is_shown(project):
    (project / "CMakeLists.txt").write_text("message(FATAL_ERROR \"no such thing\")\n")
    done = build(project, "small")
    assert done.returncode == 1
    assert "no such thing" in done.stderr and "build: build/small cannot be configured" in done.stderr


def test_a_target_alone(project):
    assert build(project, "--target", "3.txt", "small").returncode == 0
    assert [file.name for file in (project / "build/small").glob("?.txt")] == ["3.txt"]


def test_a_folder_that_was_moved_is_configured_anew(project, tmp_path):
    assert build(project, "small").returncode == 0
    moved = tmp_path / "moved"
    project.rename(moved)
    (moved / "source.txt").write_text("y")
    done = build(moved, "small")
    assert done.returncode == 0, done.stderr
    assert "configured at another place" in done.stdout
    assert (moved / "build/small/9.txt").read_text() == "y"
    assert "another place" not in build(moved, "small").stdout


@pytest.mark.parametrize("arguments", [[], ["--target"], ["--target", "x"], ["--what"]])
def test_without_a_preset_it_prints_its_usage(project, arguments):
    done = build(project, *arguments)
    assert done.returncode == 64 and done.stderr.startswith("usage: tools/build")


@pytest.mark.parametrize("variable, flags", [("CFLAGS", "-O3 -ffast-math"), ("CFLAGS", "-fno-math-errno -fassociative-math"),
                                             ("LDFLAGS", "-Ofast"), ("CUDAFLAGS", "--use_fast_math"),
                                             ("NVCC_APPEND_FLAGS", "-Xcompiler=-ffinite-math-only")])
def test_flags_that_change_results_are_refused(tmp_path, variable, flags):
    done = subprocess.run(["cmake", "-G", "Ninja", "-S", REPOSITORY, "-B", tmp_path], env={**os.environ, variable: flags},
                          capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 1 and variable in done.stderr
    assert flags.split("=")[-1].split()[-1] in done.stderr


@pytest.mark.parametrize("flag", ["-Ofast", "-ffinite-math-only", "-funsafe-math-optimizations"])
def test_sources_refuse_flags_that_change_results(flag):
    compile_header = ["cc", "-fsyntax-only", "-x", "c", "-include", REPOSITORY / "solver/base/point.h", "/dev/null"]
    assert subprocess.run(compile_header, check=False).returncode == 0
    done = subprocess.run([*compile_header, flag], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "hide NaN" in done.stderr
