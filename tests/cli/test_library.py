"""The installed library: programs in C and C++ find it by pkg-config and by CMake, and it has the bits of the program."""
import os
import shutil
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

from program import REPOSITORY, environment, path_of

BUILD = Path(path_of("CUBESWE")).parent
CONSUMER = REPOSITORY / "tests/support/consumer.c"
CASE, SETTING = REPOSITORY / "config/galewsky.yaml", "grid.n=24"
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(consumer C CXX)
find_package(cubeswe 0.1 REQUIRED)
find_package(Threads REQUIRED)
configure_file(consumer.c consumer.cpp COPYONLY)
add_executable(consumer consumer.c)
add_executable(consumer++ ${CMAKE_CURRENT_BINARY_DIR}/consumer.cpp)
foreach(target consumer consumer++)
  target_link_libraries(${target} PRIVATE cubeswe::cubeswe Threads::Threads)
endforeach()
"""


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300,
                          **{"env": environment(), **options})


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    to = tmp_path_factory.mktemp("installed")
    for component in ("library", "dev"):
        done = run("cmake", "--install", BUILD, "--prefix", to, "--component", component)
        assert done.returncode == 0, done.stderr
    return to


@pytest.fixture(scope="module")
def consumers(prefix, tmp_path_factory):
    """The consumer by language and tool."""
    folder = tmp_path_factory.mktemp("consumer")
    shutil.copy(CONSUMER, folder)
    (folder / "CMakeLists.txt").write_text(CMAKE)
    configured = run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    built = run("cmake", "--build", folder / "build")
    assert configured.returncode == built.returncode == 0, configured.stderr + built.stdout + built.stderr
    found = {"C by CMake": folder / "build/consumer", "C++ by CMake": folder / "build/consumer++"}
    pkgconfig = next(prefix.rglob("cubeswe.pc")).parent
    flags = run("pkg-config", "--cflags", "--libs", "cubeswe",
                env=environment(PKG_CONFIG_PATH=str(pkgconfig)))
    assert flags.returncode == 0, flags.stderr
    for name, compiler in (("C by pkg-config", ["gcc", "-std=c17"]), ("C++ by pkg-config", ["g++", "-std=c++17", "-x", "c++"])):
        program = folder / name.replace(" ", "_")
        built = run(*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", CONSUMER, "-o", program, *flags.stdout.split(),
                    f"-Wl,-rpath,{next(prefix.rglob('libcubeswe.so')).parent}", "-pthread")
        assert built.returncode == 0, built.stderr
        found[name] = program
    return found


@pytest.fixture(scope="module")
def of_program(tmp_path_factory):
    """The last field file of `cubeswe run`."""
    out = tmp_path_factory.mktemp("run") / "out"
    done = run(path_of("CUBESWE"), "run", CASE, "--set", SETTING, "--set", "output.fields=[h,native,vorticity]", "--output", out,
               "--backend", "cpu", "--threads", "2", "--quiet")
    assert done.returncode == 0, done.stderr
    return max(out.glob("fields_*.nc"))


@pytest.mark.parametrize("name", ["C by CMake", "C++ by CMake", "C by pkg-config", "C++ by pkg-config"])
def test_a_consumer_has_the_bits_of_the_program(consumers, of_program, tmp_path, name):
    done = run(consumers[name], CASE, SETTING, tmp_path / "fields.nc")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    with h5py.File(of_program) as expected, h5py.File(tmp_path / "fields.nc") as found:
        assert set(expected) == set(found)
        for variable in ("time", "lons", "area", "h", "v1", "v2", "vorticity"):
            assert np.array_equal(expected[variable], found[variable]), variable


def test_a_failure_has_the_sentence_of_the_program(consumers):
    by_library = run(consumers["C by CMake"], CASE, "grid.n=5")
    by_program = run(path_of("CUBESWE"), "run", CASE, "--set", "grid.n=5")
    assert by_library.returncode == by_program.returncode == 78
    assert (f"cubeswe: {by_library.stdout}", by_library.stderr) == (by_program.stderr, "")


def test_only_functions_of_the_header_are_visible(prefix):
    library = next(prefix.rglob("libcubeswe.so"))
    names = {line.split()[-1] for line in run("nm", "-D", "--defined-only", library).stdout.splitlines()}
    header = next(prefix.rglob("cubeswe.h")).read_text()
    assert names and all(name.split("@")[0].startswith("cubeswe_") and name.split("@")[0] in header for name in names)
    assert all(f"{name}(" in header for name in names)


def test_the_library_needs_mpi_where_it_is_built_with_it(prefix):
    needed = run("ldd", next(prefix.rglob("libcubeswe.so"))).stdout
    assert "libhdf5" in needed and ("libmpi" in needed) == (os.environ.get("MPIRUN", "") != "")
    assert os.path.islink(next(prefix.rglob("libcubeswe.so")))
