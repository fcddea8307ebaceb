"""The batch scripts of config/batch, with stand-ins for Slurm: jobs go on from each other until the case has ended."""
import os
import subprocess

import pytest

from program import REPOSITORY, Program, environment, field_files, write_case


@pytest.fixture
def submit(tmp_path):
    """Run a script as a job with a limit in seconds. Returns exit code, lines, and whether the job was queued again."""
    program = Program("CUBESWE", tmp_path)
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "srun").write_text('#!/bin/sh\nwhile case $1 in --*) ;; *) false ;; esac; do shift; done\nexec "$@"\n')
    (tools / "scontrol").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/queue\n')
    (tools / "date").write_text("#!/bin/sh\necho 1800000000\n")
    for tool in tools.iterdir():
        tool.chmod(0o755)

    def run(script, seconds, *arguments):
        queue = tmp_path / "queue"
        queue.unlink(missing_ok=True)
        slurm = {"PATH": f"{tools}:{os.environ['PATH']}", "CUBESWE": program.path, "SLURM_JOB_ID": "17",
                 "SLURM_JOB_END_TIME": str(1800000000 + seconds)}
        done = subprocess.run([str(REPOSITORY / "config/batch" / script), *map(str, arguments)], cwd=tmp_path,
                              capture_output=True, text=True, env=environment(**slurm), check=False)
        return done, queue.read_text().split() if queue.exists() else []
    return run


def test_a_case_ends_after_some_jobs(submit, tmp_path):
    case = write_case(tmp_path / "case.yaml", grid={"n": 24, "order": 4}, time={"end": 60.0, "dt": 0.001},
                      output={"every": 60000})
    done, queue = submit("cpu.slurm", 2, case, "out")
    assert (done.returncode, queue) == (0, ["requeue", "17"]), done.stderr
    assert "--max-walltime: stopped after step" in done.stderr
    done, queue = submit("cpu.slurm", 600, case, "out", "--quiet")
    assert (done.returncode, queue) == (0, []), done.stderr
    assert field_files(tmp_path / "out")[-1].name == "fields_00060000.nc"


@pytest.mark.parametrize("script", ["cpu.slurm", "gpu.slurm"])
def test_a_failure_ends_the_chain(submit, tmp_path, script):
    done, queue = submit(script, 600, tmp_path / "nowhere.yaml", "out")
    assert done.returncode != 0 and queue == []
    assert len(done.stderr.splitlines()) == 1
