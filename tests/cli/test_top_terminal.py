"""`cubeswe top` on a terminal: its page renews itself, fits, and leaves the terminal as it was."""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios

import pytest

from program import environment, wait_for

NO_INPUT, INTERNAL = 66, 70


class Terminal:
    """`cubeswe top` on a pseudo-terminal of its own."""

    def __init__(self, program, folder, *arguments, size=(40, 100), **changes):
        # a terminal that stays open shows its last state
        self.master, self.slave = pty.openpty()
        self.resize(*size)
        self.before, self.text = termios.tcgetattr(self.slave), ""
        self.decoder = codecs.getincrementaldecoder("utf-8")()  # a character may arrive in two parts

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen(
            [program, "top", *arguments], cwd=folder, stdin=self.slave, stdout=self.slave,
            stderr=self.slave, env=environment(**{"TERM": "xterm", "LC_ALL": "C", **changes}), preexec_fn=own_terminal)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        while select.select([self.master], [], [], 0.02)[0]:
            self.text += self.decoder.decode(os.read(self.master, 65536))
        return self.text

    def pages(self):
        """The drawn pages, each a list of lines."""
        drawn = self.read().split("\x1b[?7h")[0].split("\x1b[H")[1:]
        return [page[:-6].split("\x1b[K\r\n") for page in drawn if page.endswith("\x1b[K\x1b[J")]

    def type(self, keys):
        os.write(self.master, keys)

    def is_as_it_was(self):
        return termios.tcgetattr(self.slave) == self.before

    def end(self):
        """Wait for its end; returns the exit code."""
        wait_for(lambda: self.read() is not None and self.process.poll() is not None)
        self.read()
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def terminal(run, tmp_path):
    opened = []

    def open_one(*arguments, **options):
        try:
            opened.append(Terminal(run.path, tmp_path, *arguments, **options))
        except OSError as error:  # a container may have none
            pytest.skip(f"no pseudo-terminal: {error}")
        return opened[-1]
    yield open_one
    for one in opened:
        one.close()


def assert_restored(shown):
    """The screen, the cursor, wrapping and the keys are as before."""
    text = shown.text
    assert shown.is_as_it_was()
    for mode, normal in (("1049", "l"), ("25", "h"), ("7", "h")):
        other = "h" if normal == "l" else "l"
        assert text.rfind(f"\x1b[?{mode}{normal}") > text.rfind(f"\x1b[?{mode}{other}") >= 0


def has_history(page):
    """Whether the rates of two updates or more are drawn."""
    rate, = (line for line in page if line.startswith("rate"))
    return re.search(r"overall   [_.:=+*#-]{2,}", rate)


def test_a_page_renews_itself_until_q(endless_run, terminal):
    endless_run()
    shown = terminal("out", "--interval", "0.1")
    wait_for(lambda: len(shown.pages()) >= 16 and has_history(shown.pages()[-1]))
    assert not shown.is_as_it_was()
    shown.type(b"q")
    assert shown.end() == 0
    assert_restored(shown)
    assert shown.text.startswith("\x1b[?1049h") and shown.text.endswith("\x1b[?1049l")
    pages = shown.pages()
    steps = [int(re.search(r"step (\d+) of", "\n".join(page)).group(1)) for page in pages]
    assert steps == sorted(steps) and steps[-1] > steps[0]
    assert all(page[0].startswith("case  (out)") for page in pages)
    assert has_history(pages[-1])


def test_blocks_where_the_terminal_knows_them(endless_run, terminal):
    endless_run()
    shown = terminal("out", "--interval", "0.1", LC_ALL="C.UTF-8")
    wait_for(lambda: len(shown.pages()) >= 2)
    shown.type(b"q")
    assert shown.end() == 0 and "░" in shown.text


def test_a_page_fits_the_terminal(endless_run, terminal):
    endless_run()
    shown = terminal("out", "--interval", "600", size=(8, 50))
    wait_for(shown.pages)
    shown.resize(5, 20)
    wait_for(lambda: len(shown.pages()) >= 2)
    shown.resize(60, 200)
    wait_for(lambda: len(shown.pages()) >= 3)
    shown.type(b"q")
    assert shown.end() == 0
    for page, (rows, columns) in zip(shown.pages(), [(8, 50), (5, 20), (60, 200)]):
        assert len(page) <= rows and max(map(len, page)) <= columns
    assert [len(page) for page in shown.pages()][:2] == [8, 5]
    assert any("stages" in line for line in shown.pages()[2])


@pytest.mark.parametrize("how, code", [(b"\x03", 0), (signal.SIGINT, 0),
                                       (signal.SIGTERM, -signal.SIGTERM),
                                       (signal.SIGHUP, -signal.SIGHUP), (b"\x1c", -signal.SIGQUIT)])
def test_signals_leave_the_terminal_as_it_was(endless_run, terminal, how, code):
    endless_run()
    shown = terminal("out", "--interval", "600")
    wait_for(shown.pages)
    if isinstance(how, bytes):
        shown.type(how)
    else:
        shown.process.send_signal(how)
    assert shown.end() == code
    assert_restored(shown)


def test_it_can_be_suspended(endless_run, terminal):
    endless_run()
    shown = terminal("out", "--interval", "600")
    wait_for(shown.pages)
    shown.type(b"\x1a")  # Ctrl-Z
    wait_for(lambda: os.waitid(os.P_PID, shown.process.pid,
                            os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None)
    shown.read()
    assert_restored(shown)
    shown.process.send_signal(signal.SIGCONT)
    wait_for(lambda: shown.read().count("\x1b[H") >= 2 and not shown.is_as_it_was())
    shown.type(b"q")
    assert shown.end() == 0
    assert_restored(shown)


def test_the_last_page_stays(endless_run, terminal):
    process, _ = endless_run()
    shown = terminal("out", "--interval", "0.1")
    wait_for(shown.pages)
    process.kill()
    assert shown.end() == INTERNAL
    assert_restored(shown)
    after = shown.text.rpartition("\x1b[?1049l")[2]
    assert "state      gone" in after and "is gone, after step" in after.splitlines()[-1]
    assert "\x1b" not in after


def test_a_refusal_leaves_the_screen_alone(terminal):
    shown = terminal("missing")
    assert shown.end() == NO_INPUT and "\x1b" not in shown.text and shown.is_as_it_was()


def test_a_terminal_that_cannot_renew_gets_lines(endless_run, terminal):
    process, _ = endless_run()
    shown = terminal("out", "--interval", "0.1", TERM="dumb")
    wait_for(lambda: shown.read().count("\n") >= 2)
    process.kill()
    assert shown.end() == INTERNAL and "\x1b" not in shown.text
