"""A short run with everything that a run does, under valgrind: no error, no leak."""
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from program import REPOSITORY, environment, path_of, without_load, write_case  # noqa: E402


def test_a_run_under_valgrind(tmp_path):
    write_case(tmp_path / "case.yaml", time={"end": 0.1, "dt": 0.01}, output={"every": 3},
               diagnostics={"every": 2}, checkpoint={"every": 4})
    valgrind = [os.environ["VALGRIND"], "-q", "--error-exitcode=99", "--leak-check=full",
                "--errors-for-leak-kinds=definite,indirect,possible",
                f"--suppressions={REPOSITORY / 'tests/support/valgrind.supp'}"]
    for output, more in (("out", ["--profile", "--set", "profile.start_step=2"]),
                         ("again", ["--restart", "out"])):
        done = subprocess.run([*valgrind, path_of("CUBESWE"), "run", "case.yaml", "--backend", "cpu",
                               "--threads", "2", "--quiet", "--output", output, *more], cwd=tmp_path,
                              env=environment(), capture_output=True, text=True, timeout=300, check=False)
        if done.returncode == -signal.SIGILL and os.environ["CUBESWE_ONE_ISA"] == "1":
            pytest.skip("the program is built for this processor alone, and valgrind does not know all its instructions: "
                        "needs -DCUBESWE_ONE_ISA=OFF")
        assert done.returncode == 0 and without_load(done.stderr) == "", done.stderr[-3000:]
