"""Tools: the calls of nsys-profile and ncu-profile in their order, and their failures; --help of every tool.

Stand-ins for nsys, ncu and cubeswe record their calls; nsys and ncu also run the program that they profile, as the
real ones do.
"""
import json
import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from program import HANGS, REPOSITORY

USAGE, NO_INPUT, UNAVAILABLE, NOTHING, CANNOT_CREATE = 64, 66, 69, 70, 73

# Programs that the tools call besides nsys, ncu and cubeswe: their path has no others.
COMMANDS = ["basename", "bash", "cat", "dirname", "grep", "mkdir", "rm", "tr", "wc"]

STAND_IN = """#!{python}
import json, os, pathlib, subprocess, sys
name, arguments = pathlib.Path(sys.argv[0]).name, sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(json.dumps([name, *arguments]) + "\\n")
value = lambda option: next((a.split("=", 1)[1] if "=" in a else arguments[k + 1]
                             for k, a in enumerate(arguments) if a.split("=")[0] == option), None)
code = 0
if {program!r} in arguments:
    code = subprocess.run(arguments[arguments.index({program!r}):]).returncode
if name == "cubeswe" and arguments[0] == "info":
    print("cubeswe    0.1.0\\nbackend    cpu:0  some CPU\\n" + os.environ.get("DEVICES", ""), end="")
if name == "cubeswe" and arguments[0] == "run":
    code = int(os.environ.get("RUN_CODE", "0"))
ending = dict(nsys=".nsys-rep", ncu=".ncu-rep").get(name)
if ending and arguments[0] != "stats" and "NO_WINDOW" not in os.environ:
    pathlib.Path((value("--output") if name == "nsys" else value("--export")) + ending).write_text("new")
sys.exit(code)
"""

KERNELS = ["void (anonymous namespace)::gradient_kernel<(int)4>(swe_params, double*)",
           "rk4_kernel(int, long, double, double const*)",
           "swe::gradient_kernel<2, pair<int, int> >(swe_params)",
           "flux_kernel(swe_params)"]


@pytest.fixture(name="tool")
def fixture_tool(tmp_path):
    """Run a tool with stand-ins in a fresh folder that has a case; returns the exit code, stdout, stderr and the
    calls of the stand-ins.
    """
    path, log = tmp_path / "bin", tmp_path / "calls"
    path.mkdir()
    for command in COMMANDS:
        (path / command).symlink_to(shutil.which(command))
    (path / "python3").symlink_to(sys.executable)
    program = path / "cubeswe"
    text = STAND_IN.format(python=sys.executable, log=str(log), program=str(program))
    (tmp_path / "pulse.yaml").write_text("grid: {n: 12}\n")

    def run(name, *arguments, installed=("nsys", "ncu", "cubeswe"), **environment):
        for stand_in in ("nsys", "ncu", "cubeswe"):
            (path / stand_in).unlink(missing_ok=True)
            if stand_in in installed:
                (path / stand_in).write_text(text)
                (path / stand_in).chmod(0o755)
        log.write_text("")
        done = subprocess.run(
            [REPOSITORY / "tools" / name, *map(str, arguments)], cwd=tmp_path, timeout=HANGS,
            capture_output=True, text=True, check=False,
            env={"PATH": str(path), "HOME": str(tmp_path), "CUBESWE": str(program), **environment})
        calls = [json.loads(line) for line in log.read_text().splitlines()]
        return SimpleNamespace(code=done.returncode, out=done.stdout, err=done.stderr, calls=calls)

    run.program = str(program)
    run.folder = tmp_path
    return run


@pytest.fixture(name="summary")
def fixture_summary(tool):
    """Write the summary of a window of an earlier profile: summary(kernels, step)."""
    def write(kernels=KERNELS, step=20):
        folder = tool.folder / "output" / "pulse" / "profile" / f"step_{step:08}"
        folder.mkdir(parents=True)
        file = folder / "summary.json"
        file.write_text(json.dumps({"kernels": [{"name": name} for name in kernels]}))
        return file
    return write


def refused(done, code, *words):
    assert done.code == code, (done.code, done.err)
    assert done.err.count("\n") == 1 and all(word in done.err for word in words), done.err
    assert done.calls == []


def run_of(tool, case, *options):
    return [tool.program, "run", case, *options, "--profile=nsys"]  # the last mode counts


GPU = {"DEVICES": "backend    cuda:0  some GPU\n"}


@pytest.mark.parametrize("options, environment", [(["--backend", "cuda"], {}),
                                                  (["--backend=cuda:1"], {}), ([], GPU)])
def test_nsys_on_a_gpu(tool, options, environment):
    done = tool("nsys-profile", "pulse.yaml", *options, "--set", "profile.start_step=5",
                **environment)
    assert done.code == 0, done.err
    calls = [call for call in done.calls if call[1] != "info"]
    base = "output/pulse_nsys/profile/nsys"
    run = run_of(tool, "pulse.yaml", *options, "--set", "profile.start_step=5", "--output",
                 "output/pulse_nsys")
    assert calls == [
        ["nsys", "profile", "--trace=cuda,nvtx,osrt", "--cuda-graph-trace=node",
         "--capture-range=cudaProfilerApi", "--capture-range-end=stop", "--kill=none",
         f"--output={base}", *run],
        ["cubeswe", *run[1:]],
        ["nsys", "stats",
         "--report=cuda_gpu_kern_sum,cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum,cuda_gpu_trace,"
         "cuda_api_sum,nvtx_sum,nvtx_gpu_proj_sum,osrt_sum",
         "--format=csv", f"--output={base}", "--force-export=true", f"{base}.nsys-rep"]]
    assert (tool.folder / f"{base}.nsys-rep").is_file() and f"{base}.nsys-rep" in done.out


@pytest.mark.parametrize("options", [["--backend", "cpu"], []])
def test_nsys_on_the_cpu_captures_the_range_of_the_window(tool, options):
    done = tool("nsys-profile", "pulse.yaml", *options, "--output", "out")
    assert done.code == 0, done.err
    nsys, run, stats = [call for call in done.calls if call[1] != "info"]
    assert nsys == ["nsys", "profile", "--trace=nvtx,osrt", "--capture-range=nvtx",
                    "--nvtx-capture=window@cubeswe", "--capture-range-end=stop", "--kill=none",
                    "--output=out/profile/nsys",
                    *run_of(tool, "pulse.yaml", *options, "--output", "out")]
    assert run == ["cubeswe", *nsys[-len(run) + 1:]]
    assert "--report=nvtx_sum,osrt_sum" in stats


@pytest.mark.parametrize("spelling", [["-o", "out"], ["-oout"], ["--output", "out"], ["--output=out"], ["--out", "out"], ["--ou=out"],
                                      ["--output", "other", "-o", "out"]])
@pytest.mark.parametrize("name, option", [("nsys-profile", "--output=out/profile/nsys"), ("ncu-profile", "out/profile/ncu")])
def test_the_folder_of_the_user_is_kept(tool, summary, name, option, spelling):
    summary()
    done = tool(name, "pulse.yaml", "--back=cuda", *spelling)
    assert done.code == 0, done.err
    profiler, run, *_ = done.calls
    assert option in profiler and run == ["cubeswe", *run_of(tool, "pulse.yaml", "--back=cuda", *spelling)[1:]]
    assert sorted(os.listdir(tool.folder / "output")) == ["pulse"] and list((tool.folder / "out/profile").iterdir())


@pytest.mark.parametrize("name", ["pulse", "gaussian_seed"])
def test_a_ready_case_is_named(tool, name):
    """In the current folder or in config/; a path is not completed."""
    done = tool("nsys-profile", name, "--backend", "cpu")
    assert done.code == 0 and done.calls[1] == ["cubeswe", *run_of(tool, name, "--backend", "cpu", "--output", f"output/{name}_nsys")[1:]]
    refused(tool("nsys-profile", f"./{name}"), NO_INPUT, f"./{name}: no such file")


def test_folders_of_options():
    """The mechanism of all tools that pass options on: the last --output counts, in each spelling."""
    for options, expected in [("", "x"), ("-o a --output=b", "b"), ("--output b -oa", "a"), ("--overwrite --ou a=b", "a=b")]:
        done = subprocess.run(["bash", "-euc", f'. {REPOSITORY}/tools/output-of.sh; output_of x {options}; echo "$output"'], check=True,
                              capture_output=True, text=True)
        assert done.stdout == f"{expected}\n", options
    done = subprocess.run([REPOSITORY / "validation/converge", "results", "case.yaml", "-oa"], capture_output=True, text=True, check=False)
    assert done.returncode == USAGE and done.stderr.startswith("validation/converge: a: the folder of the results is results")


def test_nsys_replaces_a_report_only_on_request(tool):
    report = tool.folder / "out" / "profile" / "nsys.nsys-rep"
    report.parent.mkdir(parents=True)
    report.write_text("old")
    arguments = ["pulse.yaml", "--backend", "cuda", "--output=out"]
    refused(tool("nsys-profile", *arguments), CANNOT_CREATE, "out/profile/nsys.nsys-rep",
            "--overwrite")
    assert report.read_text() == "old"
    done = tool("nsys-profile", *arguments, "--overwrite")
    assert done.code == 0 and report.read_text() == "new"
    assert all("--force-overwrite=true" in call for call in done.calls if call[0] == "nsys")
    assert done.calls[1][-2] == "--overwrite"


def test_nsys_without_a_window_is_an_error(tool):
    done = tool("nsys-profile", "pulse.yaml", "--backend", "cuda", NO_WINDOW="yes")
    assert done.code == NOTHING and "profile.start_step" in done.err
    assert [call[:2] for call in done.calls] == [["nsys", "profile"], ["cubeswe", "run"]]


@pytest.mark.parametrize("name", ["nsys-profile", "ncu-profile"])
def test_a_run_that_fails_ends_it_with_the_same_code(tool, summary, name):
    summary()
    done = tool(name, "pulse.yaml", "--backend", "cuda", RUN_CODE="65")
    assert done.code == 65 and done.calls[-1][:2] == ["cubeswe", "run"]


def test_ncu_measures_the_slowest_kernels(tool, summary):
    summary()
    done = tool("ncu-profile", "pulse.yaml", "--threads", "2")
    assert done.code == 0, done.err
    run = run_of(tool, "pulse.yaml", "--threads", "2", "--output", "output/pulse_ncu")
    assert done.calls == [
        ["ncu", "--profile-from-start", "off", "--graph-profiling", "node", "--nvtx",
         "--clock-control", "none", "--cache-control", "none", "--set", "full", "--kernel-name-base", "function",
         "--kernel-name", "regex:^(gradient_kernel|rk4_kernel|flux_kernel)$", "--launch-count", "12",
         "--export", "output/pulse_ncu/profile/ncu", *run],
        ["cubeswe", *run[1:]]]
    assert (tool.folder / "output" / "pulse_ncu" / "profile" / "ncu.ncu-rep").is_file()


def test_ncu_takes_the_options_before_the_case(tool, summary):
    summary(["last(int)"], step=300)
    summary(["first(int)"], step=20)
    chosen = tool.folder / "chosen.json"
    chosen.write_text(json.dumps({"kernels": [{"name": name} for name in KERNELS]}))
    options = ["--top", "2", "--launches", "7", "--section", "SpeedOfLight", "--section", "Occupancy"]
    ncu = tool("ncu-profile", *options, "--summary", chosen, "pulse.yaml").calls[0]
    assert "regex:^(gradient_kernel|rk4_kernel)$" in ncu and "--set" not in ncu
    assert ncu[ncu.index("--section"):][:4] == ["--section", "SpeedOfLight", "--section",
                                                "Occupancy"]
    assert ncu[ncu.index("--launch-count") + 1] == "7"
    ncu = tool("ncu-profile", "pulse.yaml", "--overwrite").calls[0]
    assert "regex:^(last)$" in ncu and "--force-overwrite" in ncu
    assert ncu[ncu.index("--launch-count") + 1] == "4"


def test_ncu_without_a_window_is_an_error(tool, summary):
    summary()
    done = tool("ncu-profile", "pulse.yaml", NO_WINDOW="yes")
    assert done.code == NOTHING and "GPU" in done.err


@pytest.mark.parametrize("name, profiler", [("nsys-profile", "nsys"), ("ncu-profile", "ncu")])
def test_what_is_not_installed(tool, summary, name, profiler):
    summary()
    refused(tool(name, "pulse.yaml", installed=["cubeswe"]), UNAVAILABLE,
            f"{profiler} is not installed", "https://developer.nvidia.com/")
    refused(tool(name, "pulse.yaml", installed=["nsys", "ncu"]), UNAVAILABLE, "bin/cubeswe",
            "tools/quickstart")
    assert sorted(os.listdir(tool.folder / "output")) == ["pulse"]


@pytest.mark.parametrize("name", ["nsys-profile", "ncu-profile"])
@pytest.mark.parametrize("arguments, word", [
    ([], "no case file"), (["--dry-run"], "no case file"), (["--fast", "pulse.yaml"], "--fast"),
    (["pulse.yaml", "--output"], "--output"), (["pulse.yaml", "--profile"], "--profile"),
    (["pulse.yaml", "--profile=trace"], "--profile=trace"), (["pulse.yaml", "-o"], "-o: needs"),
    (["pulse.yaml", "--set", "profile.mode=trace"], "profile.mode=trace"),
    (["pulse.yaml", "--dry-run"], "before the case file")])
def test_wrong_usage(tool, name, arguments, word):
    refused(tool(name, *arguments), USAGE, f"{name}: ", word)


@pytest.mark.parametrize("arguments, word", [
    (["--top"], "--top"), (["--top", "0", "pulse.yaml"], "--top 0"),
    (["--launches", "many", "pulse.yaml"], "--launches many"),
    (["pulse.yaml", "--backend", "cpu"], "--backend cpu")])
def test_wrong_usage_of_ncu(tool, arguments, word):
    refused(tool("ncu-profile", *arguments), USAGE, word)


@pytest.mark.parametrize("name", ["nsys-profile", "ncu-profile"])
def test_a_case_that_is_missing(tool, name):
    refused(tool(name, "nowhere.yaml"), NO_INPUT, "nowhere.yaml")


def test_a_summary_that_is_missing_or_none(tool, summary):
    refused(tool("ncu-profile", "pulse.yaml"), NO_INPUT, "output/pulse/profile",
            "cubeswe run pulse.yaml --profile")
    refused(tool("ncu-profile", "--summary", "nowhere.json", "pulse.yaml"), NO_INPUT, "nowhere.json")
    empty = summary([])
    refused(tool("ncu-profile", "pulse.yaml"), NO_INPUT, "has no kernels")
    for text in ("no JSON", "[]", "{}", '{"kernels": [{"name": null}]}'):
        empty.write_text(text)
        done = tool("ncu-profile", "pulse.yaml")
        assert done.code == NO_INPUT and "not the summary of a profile" in done.err
        assert "Traceback" not in done.err and done.calls == []


@pytest.mark.parametrize("name", ["nsys-profile", "ncu-profile"])
def test_a_dry_run_prints_what_would_be_run(tool, summary, name):
    summary()
    dry = tool(name, "--dry-run", "pulse.yaml", "--backend", "cuda", installed=["cubeswe"])
    assert dry.code == 0 and dry.calls == []
    assert sorted(os.listdir(tool.folder / "output")) == ["pulse"]
    done = tool(name, "pulse.yaml", "--backend", "cuda")
    folder = f"output/pulse_{name.split('-')[0]}/profile"
    called = [["mkdir", "-p", folder],
              *(call for call in done.calls if call[0] != "cubeswe")]
    printed = subprocess.run(["bash", "-c", f"printf '%s\\0' {dry.out.replace(os.linesep, ' ')}"],
                             capture_output=True, text=True, check=True).stdout
    assert printed.split("\0")[:-1] == [word for call in called for word in call]


@pytest.mark.parametrize("name", ["nsys-profile", "ncu-profile"])
def test_help(tool, name):
    done = tool(name, "--help", installed=[])
    assert done.code == 0 and done.out.startswith(f"Usage: tools/{name} ")
    assert "--dry-run" in done.out and max(map(len, done.out.splitlines())) <= 100


# ---- libraries without root ----------------------------------------------------------------------

def build_libraries(folder, **env):
    return subprocess.run([REPOSITORY / "tools/build-libraries", folder / "libraries"], capture_output=True, text=True, check=False,
                          env={**os.environ, "CUBESWE_ARCHIVE": f"file://{folder}/archive", **env}, stdin=subprocess.DEVNULL, timeout=60)


def test_libraries_that_are_there_are_not_built(tmp_path):
    done = build_libraries(tmp_path)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("libraries: all there"), done.stdout
    printed = subprocess.run(["bash", "-c", ". libraries/environment; echo $PKG_CONFIG_PATH"], cwd=tmp_path, capture_output=True, text=True,
                             check=True).stdout
    assert printed.startswith(f"{tmp_path}/libraries/lib/pkgconfig")


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl")
def test_sources_that_are_not_those_expected(tmp_path):
    sources = tmp_path / "archive/liby/libyaml/libyaml_0.2.5.orig.tar.gz"
    sources.parent.mkdir(parents=True)
    sources.write_text("other")
    done = build_libraries(tmp_path, PKG_CONFIG_LIBDIR="/nowhere")
    assert done.returncode == 65 and done.stderr == f"libraries: file://{sources} is another file than was expected\n"
    sources.unlink()
    assert build_libraries(tmp_path, PKG_CONFIG_LIBDIR="/nowhere").returncode == 69


# ---- every tool ----------------------------------------------------------------------------------

TOOLS = sorted(str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "tools").rglob("*")
               if path.is_file() and os.access(path, os.X_OK))


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_explains_itself(name, tmp_path):
    """From any folder it prints its usage to standard output at once and does nothing else."""
    done = subprocess.run([REPOSITORY / name, "--help"], cwd=tmp_path, timeout=60, capture_output=True,
                          text=True, check=False, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr) == (0, "")
    usage, *rest = [line for line in done.stdout.splitlines() if line]
    assert re.match(rf"(usage: )?(tools/)?(\w+/)*{re.escape(os.path.basename(name))}\b", usage, re.IGNORECASE), usage
    assert rest and list(tmp_path.iterdir()) == []


def test_tools_are_found():
    assert {"tools/build", "tools/lab/try", "tools/peers/compare", "tools/plot"} <= set(TOOLS)
