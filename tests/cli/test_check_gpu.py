"""tools/check-gpu: what it calls, what its pages say, how it fails; tools/bundle, which packs its build.

The program is the one whose backend "cuda" is emulated; what needs a GPU's own tools is a stand-in.
"""
import json
import re
import shutil
import subprocess
import sys
import tarfile
from types import SimpleNamespace

import pytest

from program import HANGS, REPOSITORY, environment, path_of

FAILED, USAGE, NO_INPUT, UNAVAILABLE = 1, 64, 66, 69

COMMANDS = ["bash", "cat", "cp", "date", "dirname", "grep", "mkdir", "mktemp", "mv", "rm", "tail", "touch"]


def write(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture(name="check")
def fixture_check(tmp_path):
    """Run tools/check-gpu on a build in a fresh folder, whose tests pass; its pages by name. A program is a text
    to be run by bash."""
    path, build, output = (tmp_path / name for name in ("bin", "build", "output"))
    path.mkdir()
    for command in COMMANDS:
        (path / command).symlink_to(shutil.which(command))
    write(path / "nvidia-smi", "#!/usr/bin/bash\necho some card\n")
    write(path / "python3", f"#!/usr/bin/bash\ncase $2 in *jax*) exit 1 ;; esac\nexec {sys.executable} \"$@\"\n")
    write(build / "cubeswe", f"#!/usr/bin/bash\nexec {path_of('CUBESWE_EMULATED')} \"$@\"\n")
    for name in ("test_cuda_gpu", "test_cuda_turning_gpu_single"):
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
        pages = {page.stem: page.read_text() for page in output.glob("*.md")} if output.exists() else {}
        return SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr, pages=pages)

    return run


def commands(page):
    """The commands on a page."""
    return re.findall(r"^\$ (.*)$", page, re.MULTILINE)


def test_a_page_has_card_date_commands_and_what_they_gave(check):
    done = check("tests")
    assert done.code == 0 and done.err == "" and list(done.pages) == ["tests"]
    page = done.pages["tests"]
    assert re.search(r"^\d{4}-\d\d-\d\d, by `tools/check-gpu tests`\.$", page, re.MULTILINE)
    assert "some card" in page and "test_cuda_gpu passed" in page
    assert "test_cuda_turning_gpu_single passed" in page


def test_what_fails_is_told_and_the_rest_goes_on(check):
    done = check("tests", "converge", tests={"tests/test_cuda_gpu": "echo lost; exit 3\n", "cubeswe": """
        [ "$1" != info ] || echo "backend    cuda:0  some card"
    """})
    assert done.code == FAILED and done.err.startswith("check-gpu: tests: something failed: ")
    assert "lost\n(exit code 3)\n" in done.pages["tests"]
    assert "test_cuda_turning_gpu_single passed" in done.pages["tests"]
    assert "converge" in done.out and "(exit code" not in done.pages["converge"]


@pytest.mark.parametrize("tool", ["memcheck", "racecheck", "initcheck", "synccheck"])
def test_sanitizers_see_every_pipeline_flow_and_precision(check, tool):
    done = check("sanitizers", programs={"compute-sanitizer": f"""
        [ "$2" = {tool} ] || exit 0
        shift 4
        "$@" --dry-run
    """})
    assert done.code == 0, done.pages["sanitizers"]
    runs = [line for line in commands(done.pages["sanitizers"]) if f"--tool {tool} " in line]
    assert any("gaussian_seed" in line and "grid.n=256 " in line for line in runs)  # pairs of parts
    for flow in ("gaussian_seed", "williamson2"):
        for scheme in ("fused", "staged"):
            assert any(flow in line and f"scheme.pipeline={scheme} " in line for line in runs)
        assert any(flow in line and "scheme.precision=single" in line for line in runs)


def test_what_is_not_installed_is_left_out_and_said(check):
    done = check("sanitizers")
    assert done.code == 0 and "Not run: compute-sanitizer is not installed." in done.pages["sanitizers"]


def test_the_bench_goes_from_24_to_3072(check):
    done = check("bench", tests={"cubeswe": """
        [ "$1" != info ] || echo "backend    cuda:0  some card"
    """})
    assert done.code == 0
    runs = commands(done.pages["bench"])
    assert any("--n 24,48,96,192,384,768,1536,3072" in line for line in runs)
    assert any("williamson2" in line for line in runs)
    assert "Not run: JAX" in done.pages["bench"]


def test_the_profile_compares_times_and_keeps_the_window(check, tmp_path):
    done = check("profile", tests={"cubeswe": f"""
        case $1 in
        info) echo "backend    cuda:0  some card" ;;
        *) exec {path_of('CUBESWE_EMULATED')} "$@" --set grid.n=12 ;;
        esac
    """})
    assert done.code == FAILED and "no GPU work in it" in done.pages["profile"]    # an emulated GPU does none
    assert "a step in a loop of" in done.pages["profile"].lower()
    assert (tmp_path / "output" / "summary.json").is_file()


@pytest.mark.parametrize("cupti_us, code", [(10.0, 0), (12.1, 0), (8.1, 0), (12.4, FAILED), (7.0, FAILED)])
def test_times_of_stages_agree_but_for_gaps_between_kernels(tmp_path, cupti_us, code):
    """A call of 12 us, whose kernel may be as much shorter as a GPU takes between kernels."""
    window = tmp_path / "profile" / "step_00000001"
    window.mkdir(parents=True)
    (tmp_path / "profile.json").write_text(json.dumps({"captured_steps": 6, "components": [
        {"name": "fused", "median_us": 12.0, "calls_per_step": 4}]}))
    (window / "summary.json").write_text(json.dumps({
        "regions": [{"name": "step", "host_ns": {"count": 4}}],
        "stages": [{"stage": "fused", "time_ns": {"total": 10 * 4 * 1000 * cupti_us}}]}))
    done = subprocess.run([sys.executable, REPOSITORY / "tools" / "compare-stage-times", tmp_path],
                          capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout
    assert f"| all | {4 * cupti_us:.2f} | 48.00 |" in done.stdout


def test_a_bundle_has_the_program_the_tests_and_libraries_but_the_runtime_s(tmp_path):
    (tmp_path / "build" / "tests").mkdir(parents=True)
    (tmp_path / "build" / "cubeswe").symlink_to(path_of("CUBESWE_EMULATED"))
    (tmp_path / "build" / "tests" / "test_cuda_gpu").symlink_to(path_of("CUBESWE_EMULATED"))
    subprocess.run([REPOSITORY / "tools" / "bundle", tmp_path / "build", tmp_path / "b.tar.gz"], check=True)
    with tarfile.open(tmp_path / "b.tar.gz") as bundle:
        names = bundle.getnames()
        bundle.extractall(tmp_path / "there")
    assert "build/cubeswe" in names and "build/tests/test_cuda_gpu" in names
    assert any(name.startswith("lib/libhdf5") for name in names)
    assert not [name for name in names if name.startswith(("lib/libc.so", "lib/libm.so", "lib/ld-"))]
    done = subprocess.run([tmp_path / "there" / "build" / "cubeswe", "--version"], check=False,
                          env=environment(LD_LIBRARY_PATH=str(tmp_path / "there" / "lib")))
    assert done.returncode == 0
    assert subprocess.run([REPOSITORY / "tools" / "bundle", tmp_path, tmp_path / "none"], check=False,
                          capture_output=True).returncode == NO_INPUT


def test_without_a_gpu_nothing_is_written(check):
    done = check(tests={"cubeswe": 'echo "backend    cuda    CUDA: there is no device"\n'})
    assert done.code == UNAVAILABLE and done.pages == {} and "there is no device" in done.err


@pytest.mark.parametrize("arguments, code", [
    (["nothing"], USAGE), (["--build"], USAGE), (["--build", "/nowhere"], NO_INPUT)])
def test_refusals(check, arguments, code):
    done = check(*arguments)
    assert done.code == code and done.err.startswith("check-gpu: ") and done.pages == {}
