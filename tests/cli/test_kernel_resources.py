"""From the output of ptxas to the table of the kernels' resources: tools/keep-ptxas-report and
tools/cmake/kernel_resources.cmake, with a stand-in for the compiler.
"""
import subprocess

import pytest

from program import REPOSITORY

OUTPUT = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z11flux_kernelILi6EL13swe_equations1EEv8swe_viewPKdS2_' for 'sm_90'
ptxas info    : Function properties for _Z11flux_kernelILi6EL13swe_equations1EEv8swe_viewPKdS2_
    16 bytes stack frame, 24 bytes spill stores, 40 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 16 bytes cumulative stack size, 2048 bytes smem
ptxas info    : Compile time = 16.244 ms
stage.cu(3): warning #177-D: variable "k" was declared but never referenced
ptxas info    : Compiling entry function '_Z10rk4_kerneliiPKd' for 'sm_120a'
ptxas info    : Function properties for _Z10rk4_kerneliiPKd
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 0 barriers, 352 bytes cmem[0]
"""
WARNING = OUTPUT.splitlines(keepends=True)[6]
ROWS = """\
{"flux_kernel", SWE_PRECISION_DOUBLE, 6, 1, 90, 255, 2048, 16, 24, 40},
{"rk4_kernel", SWE_PRECISION_DOUBLE, 0, -1, 120, 24, 0, 0, 0, 0},
"""


@pytest.fixture(name="compile_with")
def fixture_compile_with(tmp_path):
    """Run the launcher with a compiler that prints something and ends with a code."""
    def run(output, code=0):
        compiler = tmp_path / "nvcc"
        compiler.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{output}END\nprintf '%s ' \"$@\"\nexit {code}\n")
        compiler.chmod(0o755)
        return subprocess.run([REPOSITORY / "tools/keep-ptxas-report", compiler, "-c", "a b.cu", "-o",
                               "stage.o"], cwd=tmp_path, capture_output=True, text=True, check=False)
    return run


def tabulate(folder, *objects):
    """Run the script; returns its result."""
    return subprocess.run(
        ["cmake", "-D", f"OBJECTS={';'.join(str(folder / name) for name in objects)}", "-D",
         f"OUTPUT={folder / 'table.inc'}", "-P", REPOSITORY / "tools/cmake/kernel_resources.cmake"],
        capture_output=True, text=True, check=False)


def test_the_report_is_kept_and_the_rest_is_reported(compile_with, tmp_path):
    done = compile_with(OUTPUT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "-c a b.cu -o stage.o ", WARNING)
    assert (tmp_path / "stage.o.ptxas").read_text() == OUTPUT.replace(WARNING, "")
    assert tabulate(tmp_path, "stage.o").returncode == 0
    assert (tmp_path / "table.inc").read_text() == ROWS


def test_the_target_sets_the_precision(tmp_path):
    for target in ("a.dir", "a_single.dir"):
        (tmp_path / target).mkdir()
        (tmp_path / target / "stage.o.ptxas").write_text(OUTPUT.replace(WARNING, ""))
    assert tabulate(tmp_path, "a.dir/stage.o", "a_single.dir/stage.o").returncode == 0
    assert (tmp_path / "table.inc").read_text() == ROWS + ROWS.replace("DOUBLE", "SINGLE")


def test_a_failure_is_the_compilers(compile_with, tmp_path):
    done = compile_with("stage.cu(1): error: expected a ;\n", code=2)
    assert (done.returncode, done.stderr) == (2, "stage.cu(1): error: expected a ;\n")
    assert not (tmp_path / "stage.o.ptxas").exists()


def test_a_table_without_its_reports_is_refused(compile_with, tmp_path):
    assert compile_with(OUTPUT).returncode == 0
    done = tabulate(tmp_path, "stage.o", "other.o")
    assert done.returncode != 0 and "other.o.ptxas is missing" in " ".join(done.stderr.split())
    assert compile_with("").returncode == 0
    done = tabulate(tmp_path, "stage.o")
    assert done.returncode != 0 and "reported no resources" in " ".join(done.stderr.split())
    assert not (tmp_path / "table.inc").exists()
