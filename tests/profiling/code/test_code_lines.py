"""Functions and source lines of a GPU's program, from line tables that cubin.py builds."""
import os
import subprocess

import pytest

import cubin

TOOL = os.environ["CODE_LINES_OF"]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "a.cubin"
    path.write_bytes(cubin.build())
    return path


def found(*arguments):
    return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("kernel, offset", [(kernel, offset) for kernel in cubin.KERNELS for offset in cubin.KERNELS[kernel]])
def test_an_instruction_has_its_functions_and_its_line(program, kernel, offset):
    around, file, line = cubin.KERNELS[kernel][offset]
    assert found(program, kernel, offset) == f"{around} {file} {line}\n"


def test_a_kernel_that_is_not_in_the_program_has_none(program):
    assert found(program, "_Z6absentv", 0) == " - 0\n"


def test_damaged_programs_are_survived(program):
    """Cut at every byte, and with every byte changed; most of those still have all tables."""
    assert found(program, cubin.SWEEP).count("divergence_point compute_dh march_kernel sbp_point.h 79\n") > 1000
