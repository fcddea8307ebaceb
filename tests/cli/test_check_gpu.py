"""tools/check-gpu: its calls, its pages, its failures; tools/bundle, which packs its build.

The program is the one whose backend "cuda" is emulated; stand-ins replace the tools of a GPU.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from types import SimpleNamespace

import pytest

from program import HANGS, REPOSITORY, environment, path_of

FAILED, USAGE, NO_INPUT, UNAVAILABLE = 1, 64, 66, 69

COMMANDS = ["bash", "cat", "date", "diff", "dirname", "env", "find", "grep", "gzip", "head", "id", "mkdir", "mktemp", "mv", "rm", "sed",
            "sort", "tail", "tar", "timeout", "touch", "tr"]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture(name="check")
def fixture_check(tmp_path):
    """Run tools/check-gpu on a build in a fresh folder, whose tests pass; returns its pages by name. A program is
    a text that bash runs.
    """
    path, build, output = (tmp_path / name for name in ("bin", "build", "output"))
    path.mkdir()
    for command in COMMANDS:
        (path / command).symlink_to(shutil.which(command))
    write(path / "nvidia-smi", "#!/usr/bin/bash\necho some card\n")
    write(path / "python3", f"#!/usr/bin/bash\ncase $2 in *nccl*) exit 1 ;; *jax*) echo none here >&2; exit 1 ;; esac\nexec {sys.executable} \"$@\"\n")
    write(build / "cubeswe", f"#!/usr/bin/bash\nexec {path_of('CUBESWE_EMULATED')} \"$@\"\n")
    for name in ("test_cuda_gpu", "test_cuda_rotational_gpu_single"):
        write(build / "tests" / name, f"#!/usr/bin/bash\necho {name} passed\n")

    def run(*arguments, programs=(), tests=()):
        for name, text in dict(programs).items():
            write(path / name, "#!/usr/bin/bash\n" + text)
        for name, text in dict(tests).items():
            write(build / name, "#!/usr/bin/bash\n" + text)
        done = subprocess.run(
            [REPOSITORY / "tools" / "check-gpu", "--build", build, "--output", output, *arguments],
            env=environment(PATH=str(path), TMPDIR=str(tmp_path)), timeout=HANGS, capture_output=True, text=True,
            check=False)
        packed, pages = {}, {}
        for archive in output.iterdir() if output.exists() else ():
            part = archive.name.removesuffix(".tar.gz")
            with tarfile.open(archive) as files:
                packed[part] = files.getnames()
                pages[part] = files.extractfile(f"{part}/{part}.md").read().decode()
        return SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr, pages=pages, packed=packed)

    return run


def commands(page):
    """The commands on a page."""
    return re.findall(r"^\$ (.*)$", page, re.MULTILINE)


SOME_CARD = {"cubeswe": """
    [ "$1" != info ] || echo "backend    cuda:0  some card"
    echo "with $CUBESWE_TUNING"
"""}


def test_help_names_every_part_in_the_order_in_which_they_run(check):
    done = check("--help")
    assert done.code == 0
    parts = ["first", "tests", "timings", "knobs", "strides", "ranks", "jax", "converge", "profile", "windows", "memcheck", "racecheck",
             "initcheck", "synccheck", "ncu"]
    refused = check("nothing")
    assert refused.err.strip().endswith("parts: " + " ".join(parts))
    places = [re.search(rf"^  (?:\w+, )*{part}\b", done.out, re.MULTILINE).start() for part in parts]
    assert places == sorted(places)


def test_a_page_has_card_date_commands_and_what_they_gave(check):
    done = check("tests")
    assert done.code == 0 and done.err == "" and list(done.pages) == ["tests"]
    page = done.pages["tests"]
    assert re.search(r"^\d{4}-\d\d-\d\d, by `tools/check-gpu tests`\.$", page, re.MULTILINE)
    assert "some card" in page and "test_cuda_gpu passed" in page
    assert "test_cuda_rotational_gpu_single passed" in page


def test_what_fails_is_reported_and_the_rest_continues(check):
    done = check("tests", "converge", tests={"tests/test_cuda_gpu": "echo lost; exit 3\n", "cubeswe": """
        [ "$1" != info ] || echo "backend    cuda:0  some card"
    """})
    assert done.code == FAILED and done.err.startswith("check-gpu: tests: something failed: ")
    assert "lost\n(exit code 3)\n" in done.pages["tests"]
    assert "test_cuda_rotational_gpu_single passed" in done.pages["tests"]
    assert "converge" in done.out and "(exit code" not in done.pages["converge"]


def test_a_part_ends_when_its_time_is_over_and_leaves_its_file(check):
    sleeping = f"echo begins; exec {shutil.which('sleep')} 600\n"
    done = check("tests", "--seconds", "5", tests={**SOME_CARD, "tests/test_cuda_gpu": sleeping})
    assert done.code == FAILED and list(done.pages) == ["tests"]
    assert re.search(r"^begins\n\(ended after \d s, when its time was over\)$", done.pages["tests"], re.MULTILINE)
    assert "(not run: the 5 s of the part are over)" in done.pages["tests"]


def test_the_first_part_times_both_forms_in_turn(check, tmp_path):
    """Where it has the form before; what a bench writes decides the quotients."""
    fake = """
        [ "$1" != info ] || echo "backend    cuda:0  some card"
        while [ $# -gt 1 ]; do [ "$1" != --output ] || folder=$2; shift; done
        [ -z "$folder" ] || { mkdir -p "$folder"; echo '{"rows": [{"n": 96, "us_per_step": {"median": US}}]}' >"$folder/bench.json"; }
    """
    write(tmp_path / "before", "#!/usr/bin/bash\n" + fake.replace("US", "30"))
    done = check("--before", tmp_path / "before", "first", programs={"ncu": "echo by node\n"},
                 tests={"cubeswe": fake.replace("US", "20"), "tests/test_cuda_march_gpu": "echo marched\n"})
    page = done.pages["first"]
    assert done.code == 0 and "marched" in page and "| before | 1 | 30.00 | 1.500 |" in page and "by node" in page
    ran = [line.split()[0] for line in commands(page) if " bench " in line and "96,384,1536,3072" in line]
    assert len(ran) == 4 and ran[0] == ran[2] != ran[1] == ran[3]
    alone = check("first", tests={"cubeswe": fake.replace("US", "20")})
    assert alone.code == 0 and "Not run: the form before" in alone.pages["first"]


@pytest.mark.parametrize("tool", ["memcheck", "racecheck", "initcheck", "synccheck"])
def test_sanitizers_see_every_pipeline_flow_and_precision(check, tool):
    done = check(tool, programs={"compute-sanitizer": f"""
        [ "$2" = {tool} ] || exit 3
        shift 4
        "$@" --dry-run
    """})
    assert done.code == 0, done.pages[tool]
    runs = [line for line in commands(done.pages[tool]) if f"--tool {tool} " in line]
    assert any("gaussian_seed" in line and "grid.n=256 " in line for line in runs)  # marches
    for flow in ("gaussian_seed", "williamson2"):
        for scheme in ("fused", "staged"):
            assert any(flow in line and f"scheme.pipeline={scheme} " in line for line in runs)
        assert any(flow in line and "scheme.precision=single" in line for line in runs)


@pytest.mark.parametrize("part, program", [("memcheck", "compute-sanitizer"), ("ncu", "ncu")])
def test_missing_software_is_left_out_and_reported(check, part, program):
    done = check(part)
    assert done.code == 0 and f"Not run: {program} is not installed." in done.pages[part]


def test_timings_go_from_24_to_3072_twice(check):
    done = check("timings", tests=SOME_CARD)
    assert done.code == 0
    runs = commands(done.pages["timings"])
    assert sum("--n 24,48,96,192,384,768,1536,3072" in line for line in runs) == 2
    assert any("williamson2" in line for line in runs)


def test_jax_that_is_not_there_is_reported(check):
    assert "Not run: JAX (none here)." in check("jax").pages["jax"]


def test_every_knob_is_timed_in_turn_and_known_to_the_program(check, run):
    """n is 192 to 1536; the real program accepts each value."""
    done = check("knobs", tests=SOME_CARD)
    page = done.pages["knobs"]
    settings = re.findall(r"^\$ CUBESWE_TUNING=(\S*) .* --n 192,384,768,1536 ", page, re.MULTILINE)
    assert settings.count("") == 2 and len(settings) == 2 * len(set(settings))
    assert settings[:len(settings) // 2] == settings[len(settings) // 2:]
    for name in ("march_blocks", "graph_steps"):
        assert any(setting.startswith(name + "=") for setting in settings)
        assert f"\nwith {name}=" in page
    for setting in set(settings):
        assert run("--version", env={"CUBESWE_TUNING": setting}).code == 0, setting


# Two GPUs; a run writes a file, another one by one of the transports.
TWO_CARDS = """
    case $1 in
    info) printf 'backend    cuda:0  a card\\nbackend    cuda:1  a card\\nmpi        some MPI\\n' ;;
    run)
        words=$*
        [[ $words == *"--output "* ]] || exit 9
        output=${words##*--output }
        output=${output%% *}
        mkdir -p "$output"
        case $* in
        *transport=DIFFERS*) echo other >"$output/fields.nc" ;;
        *) echo same >"$output/fields.nc" ;;
        esac ;;
    esac
"""
LAUNCHER = {"mpiexec": 'shift 2; exec "$@"\n'}


@pytest.mark.parametrize("differs", ["none", "ipc"])
def test_files_of_ranks_are_compared_with_those_of_one_process(check, differs):
    done = check("ranks", programs=LAUNCHER, tests={"cubeswe": TWO_CARDS.replace("DIFFERS", differs)})
    page = done.pages["ranks"]
    assert done.code == (0 if differs == "none" else FAILED), page
    assert page.count("fields.nc differ\n(exit code 1)") == (0 if differs == "none" else 8)
    for transport in ("mpi", "ipc", "nccl"):
        runs = [line for line in commands(page) if " run " in line and f"transport={transport} " in line and "--profile" not in line]
        assert [re.search(r" -n (\d) .* --backend (\S+) ", line).groups() for line in runs] == 2 * [
            ("2", "cuda"), ("3", "cuda:0"), ("4", "cuda:0"), ("6", "cuda:0")]
    assert re.search("^Set: .*NCCL_MULTI_RANK_GPU_ENABLE=1 ", page, re.MULTILINE)
    assert sum("CUBESWE_TUNING=graph_steps=0 " in line for line in commands(page)) == 1


def test_a_transport_that_does_not_connect_is_left_out(check):
    refuses = TWO_CARDS.replace("*transport=DIFFERS*) echo other", '*transport=nccl*) echo "cubeswe: no NCCL" >&2; exit 69; echo')
    done = check("ranks", programs=LAUNCHER, tests={"cubeswe": refuses})
    page = done.pages["ranks"]
    assert done.code == 0 and "Not run: nccl (cubeswe: no NCCL)." in page and "transport=nccl" not in page
    assert "transport=ipc" in page


def test_ranks_need_mpi_and_its_launcher(check):
    assert "Not run: this build has no MPI." in check("ranks", tests=SOME_CARD).pages["ranks"]
    assert "Not run: mpiexec is not installed." in check("ranks", tests={"cubeswe": TWO_CARDS}).pages["ranks"]


def test_knobs_are_compared_with_none_round_by_round(tmp_path):
    for name, us in (("default_1", 10.0), ("default_2", 12.0), ("graph_steps=0_1", 15.0), ("graph_steps=0_2", 15.0)):
        write(tmp_path / name / "bench.json", json.dumps({"rows": [{"n": 24, "us_per_step": {"median": us}}]}))
    tool = REPOSITORY / "tools" / "compare-tunings"
    done = subprocess.run([sys.executable, tool, tmp_path], capture_output=True, text=True, check=True)
    assert "| default | 2 | 12.00 | 1.000 |" in done.stdout
    assert "| graph_steps=0 | 1 | 15.00 | 1.500 |" in done.stdout and "| graph_steps=0 | 2 | 15.00 | 1.250 |" in done.stdout
    (tmp_path / "empty").mkdir()
    assert subprocess.run([sys.executable, tool, tmp_path / "empty"], capture_output=True, check=False).returncode == 1


def test_windows_are_of_every_mode_and_of_two_sizes(check):
    done = check("windows", tests=SOME_CARD)
    assert done.code == 0
    runs = [line for line in commands(done.pages["windows"]) if " run " in line]
    for n, end in ((384, "0.1"), (3072, "0.0125")):
        of_size = [line for line in runs if f"grid.n={n} " in line and f"time.end={end} " in line]
        assert len(of_size) == 5 and len(runs) == 10
        for option in ("--profile ", "profile.launch=eager", "--profile=counters", "--profile=full", "profile.parts=on"):
            assert sum(option in line + " " for line in of_size) >= 1, option


def test_the_profile_compares_times_and_keeps_the_window(check):
    done = check("profile", tests={"cubeswe": f"""
        case $1 in
        info) echo "backend    cuda:0  some card" ;;
        report) exec {path_of('CUBESWE_EMULATED')} "$@" ;;
        *) exec {path_of('CUBESWE_EMULATED')} "$@" --set grid.n=12 ;;
        esac
    """})
    assert done.code == FAILED and "no GPU work in it" in done.pages["profile"]    # an emulated GPU does none
    assert "a step within a loop of steps" in done.pages["profile"]
    assert any(re.fullmatch(r"profile/profile/profile/step_\d+/summary.json", name) for name in done.packed["profile"])


@pytest.mark.parametrize("cupti_us, code", [(10.0, 0), (12.1, 0), (8.1, 0), (12.4, FAILED), (7.0, FAILED)])
def test_times_of_stages_agree_but_for_gaps_between_kernels(tmp_path, cupti_us, code):
    """A call takes 12 us, and its kernel may be shorter by the gap of a GPU between kernels."""
    window = tmp_path / "profile" / "step_00000001"
    window.mkdir(parents=True)
    (tmp_path / "profile.json").write_text(json.dumps({"components": [
        {"name": "fused", "median_us": 12.0, "calls_per_step": 4}]}))
    (window / "summary.json").write_text(json.dumps({
        "window": {"steps": 10},
        "stages": [{"stage": "fused", "time_ns": {"total": 10 * 4 * 1000 * cupti_us}}]}))
    done = subprocess.run([sys.executable, REPOSITORY / "tools" / "compare-stage-times", tmp_path],
                          capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout
    assert f"| all | {4 * cupti_us:.2f} | 48.00 |" in done.stdout


def bundle(*arguments):
    return subprocess.run([REPOSITORY / "tools" / "bundle", *arguments], capture_output=True, text=True, check=False)


@pytest.fixture(name="unpacked", scope="module")
def fixture_unpacked(tmp_path_factory):
    """A bundle of the emulated program, whose CUPTI is the stand-in, unpacked."""
    folder = tmp_path_factory.mktemp("bundle")
    build = folder / "build"
    (build / "tests").mkdir(parents=True)
    for name in ("cubeswe", "tests/test_cuda_gpu"):
        (build / name).symlink_to(path_of("CUBESWE_EMULATED"))
    cupti = folder / "cuda" / "libcupti.so"
    write(cupti, "")
    if "CUPTI_STAND_IN" in os.environ:
        shutil.copy(os.environ["CUPTI_STAND_IN"], cupti)
    write(cupti.with_name("libnvperf_host.so"), "")
    (build / "CMakeCache.txt").write_text(f"CUPTI_LIBRARY:FILEPATH={cupti}\n")
    done = bundle(build, folder / "b.tar.gz")
    assert done.returncode == 0, done.stderr
    assert "no libnvperf_target.so" in done.stderr and "needs          GLIBC " in done.stdout
    with tarfile.open(folder / "b.tar.gz") as archive:
        archive.extractall(folder / "there")
    return folder / "there" / "cubeswe"


def test_a_bundle_has_all_but_the_c_library(unpacked):
    libraries = [path.name for path in (unpacked / "build" / "lib").iterdir()]
    for name in ("libhdf5", "libstdc++", "libcupti.so.13", "libnvperf_host.so"):
        assert any(library.startswith(name) for library in libraries), name
    assert not [name for name in libraries if re.match(r"(libc|libm|libmvec|libpthread|ld-.*)\.so", name)]
    for name in ("tools/check-gpu", "tools/compare-tunings", "config/gaussian_seed.yaml", "CONTENTS"):
        assert (unpacked / name).is_file()
    for name in ("nsys-profile", "ncu-profile"):    # with the files that they source
        assert subprocess.run([unpacked / "tools" / name, "--help"], capture_output=True, check=False).returncode == 0


def test_a_bundle_has_the_reference_that_jax_is_compared_by(unpacked):
    worker = (unpacked / "tools" / "peers" / "jax_worker.py").read_text()
    path = re.search(r"sys\.path\.insert.*", worker).group().replace("__file__", "worker")
    code = f"import sys; from pathlib import Path; worker = sys.argv[1]; {path}; import reference; reference.load_operators(24)"
    subprocess.run(["/usr/bin/python3", "-c", code, unpacked / "tools" / "peers" / "jax_worker.py"], check=True)


@pytest.mark.parametrize("name", ["bin/cubeswe", "tests/test_cuda_gpu"])
def test_programs_of_a_bundle_take_its_libraries_and_no_others(unpacked, name):
    env = {key: value for key, value in environment().items() if key != "LD_LIBRARY_PATH"}
    found = subprocess.run(["ldd", unpacked / "build" / name], env=env, capture_output=True, text=True, check=True).stdout
    inside = re.findall(r"=> (\S+)", found)
    runtime = r"/(libc|libm|libmvec|libdl|librt|libpthread|libresolv|ld-linux-x86-64)\.so"
    assert "not found" not in found and any("/libcurl" in path or "/libhdf5" in path for path in inside)
    assert not [path for path in inside if str(unpacked) not in path and not re.search(runtime, path)]


def test_a_bundle_s_program_knows_its_cupti_and_leaves_the_library_path_alone(unpacked):
    wrapper = (unpacked / "build" / "cubeswe").read_text()
    assert "LD_LIBRARY_PATH" not in wrapper
    shown = unpacked / "build" / "shown"
    write(shown / "cubeswe", wrapper)
    write(shown / "bin" / "cubeswe", "#!/bin/sh\necho $CUBESWE_CUPTI_LIBRARY $LD_LIBRARY_PATH $1\n")
    write(shown / "lib" / "libcupti.so.13", "")
    for named, cupti in ((None, shown / "lib" / "libcupti.so.13"), ("/other", "/other")):
        env = environment(LD_LIBRARY_PATH="/driver", CUBESWE_CUPTI_LIBRARY=named)
        done = subprocess.run([shown / "cubeswe", "run"], env=env, capture_output=True, text=True, check=True)
        assert done.stdout.split() == [str(cupti), "/driver", "run"]


def test_check_gpu_runs_in_a_bundle(unpacked, tmp_path):
    """The part of JAX, without JAX, since the program is slow over the emulation layer."""
    write(tmp_path / "bin" / "nvidia-smi", "#!/bin/sh\necho some card\n")
    write(tmp_path / "bin" / "python3", "#!/bin/sh\necho no module >&2\nexit 1\n")
    env = environment(PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    done = subprocess.run([unpacked / "tools" / "check-gpu", "--output", tmp_path / "out", "jax"],
                          env=env, timeout=HANGS, capture_output=True, text=True, check=False)
    with tarfile.open(tmp_path / "out" / "jax.tar.gz") as files:
        page = files.extractfile("jax/jax.md").read().decode()
    assert done.returncode == 0 and "needs          GLIBC " in page and "some card" in page, done.stderr
    assert re.search(r"\$ \S*bin/cubeswe info\ncubeswe ", page) and "Not run: JAX (no module)." in page, page


def test_a_bundle_that_is_too_large_is_not_left(unpacked, tmp_path):
    done = bundle("--limit", "1", unpacked.parents[1] / "build", tmp_path / "b.tar.gz")
    assert done.returncode == FAILED and "more than 1" in done.stderr and not (tmp_path / "b.tar.gz").exists()


def test_a_bundle_has_the_launcher_of_mpich(tmp_path):
    """Stand-ins for MPICH's library and its two programs."""
    build, path = tmp_path / "build", tmp_path / "bin"
    build.mkdir()
    path.mkdir()
    program = shutil.copy(path_of("CUBESWE_EMULATED"), build / "cubeswe")
    shutil.copy(shutil.which("true"), path / "hydra_pmi_proxy")
    shutil.copy(shutil.which("true"), path / "mpiexec.hydra")
    found = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    shutil.copy(re.search(r"=> (\S*/libz\.so\S*)", found).group(1), path / "libmpich.so.12")
    for option in (["--add-needed", "libmpich.so.12"], ["--add-rpath", path]):
        subprocess.run(["patchelf", *option, program], check=True)
    (build / "CMakeCache.txt").write_text(f"MPIEXEC_EXECUTABLE:FILEPATH={path / 'mpiexec.hydra'}\n")
    done = bundle(build, tmp_path / "b.tar.gz")
    assert done.returncode == 0, done.stderr
    with tarfile.open(tmp_path / "b.tar.gz") as archive:
        names = archive.getnames()
    assert {f"cubeswe/build/{name}" for name in ("bin/mpiexec", "bin/hydra_pmi_proxy", "lib/libmpich.so.12")} <= set(names)
    (path / "hydra_pmi_proxy").unlink()
    done = bundle(build, tmp_path / "b.tar.gz")
    assert done.returncode == UNAVAILABLE and "no launcher of MPICH" in done.stderr
    (build / "CMakeCache.txt").unlink()
    done = bundle(build, tmp_path / "b.tar.gz")
    assert done.returncode == UNAVAILABLE and "no launcher of MPICH" in done.stderr


def test_a_library_that_is_not_found_is_reported(tmp_path):
    (tmp_path / "build").mkdir()
    program = shutil.copy(path_of("CUBESWE_EMULATED"), tmp_path / "build" / "cubeswe")
    subprocess.run(["patchelf", "--add-needed", "libgone.so.3", program], check=True)
    done = bundle(tmp_path / "build", tmp_path / "b.tar.gz")
    assert done.returncode == UNAVAILABLE and "libgone.so.3" in done.stderr and not (tmp_path / "b.tar.gz").exists()


@pytest.mark.parametrize("arguments, code", [
    (["."], USAGE), (["--limit", "x", ".", "b.tar.xz"], USAGE), (["--none", ".", "b.tar.xz"], USAGE),
    (["/nowhere", "b.tar.xz"], NO_INPUT), (["--help"], 0)])
def test_bundle_refuses_and_helps(arguments, code):
    done = bundle(*arguments)
    assert done.returncode == code and (done.stdout if code == 0 else done.stderr.startswith("bundle: "))


def test_without_a_gpu_nothing_is_written(check):
    done = check(tests={"cubeswe": 'echo "backend    cuda    CUDA: there is no device"\n'})
    assert done.code == UNAVAILABLE and done.pages == {} and "there is no device" in done.err


@pytest.mark.parametrize("arguments, code", [
    (["nothing"], USAGE), (["--build"], USAGE), (["--build", "/nowhere"], NO_INPUT), (["--seconds", "0"], USAGE)])
def test_refusals(check, arguments, code):
    done = check(*arguments)
    assert done.code == code and done.err.startswith("check-gpu: ") and done.pages == {}
