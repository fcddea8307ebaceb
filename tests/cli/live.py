"""Runs that do not end by themselves, while their folders change."""
import contextlib
import json
import os
import signal

from program import wait_for

STOPPED = 75
ENDLESS = {"grid": {"n": 12, "order": 4}, "time": {"end": 1e6, "dt": 0.01}}


@contextlib.contextmanager
def running(run, case, *arguments, output="out"):
    """Start a run that does not end by itself, and wait for its first steps."""
    process = run.start("run", case, "--backend", "cpu", "--threads", "1", "--output", output, *arguments)
    try:
        wait_until_it_steps(run, process, output)
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_until_it_steps(run, process, output):
    progress = run.folder / output / "progress.json"
    wait_for(lambda: process.poll() is not None or
             (progress.exists() and json.loads(progress.read_text())["state"] == "running"))
    assert process.poll() is None, process.stderr.read()


def stop(process):
    """Stop a run, and wait until it stands still."""
    process.send_signal(signal.SIGSTOP)
    assert os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT).si_code == os.CLD_STOPPED


@contextlib.contextmanager
def stopped(process):
    """A run stands still within the block."""
    stop(process)
    yield
    process.send_signal(signal.SIGCONT)


def end(process):
    """Request the end of a run; returns its exit code and standard error."""
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    return process.returncode, err
