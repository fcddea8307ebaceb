"""tools/scaling: its times follow its formula, with the output of cubeswe info for a case and a number of ranks."""
import re
import subprocess

import pytest

from program import REPOSITORY, Program, environment, write_case

POINT, FIXED, LATENCY, MESSAGE, BANDWIDTH = 500.0, 3.0, 2.0, 0.5, 0.1     # ps, us, us, us, GB/s


@pytest.fixture
def scaling(tmp_path):
    case = write_case(tmp_path / "case.yaml", grid={"n": 24, "order": 4}, time={"end": 0.1, "courant": 0.2})

    def run(*arguments):
        return subprocess.run([str(REPOSITORY / "tools/scaling"), str(case), *map(str, arguments)], cwd=tmp_path,
                              capture_output=True, text=True, check=False,
                              env=environment(CUBESWE=Program("CUBESWE", tmp_path).path))
    return run


RATES = ["--point", POINT, "--fixed", FIXED, "--latency", LATENCY, "--message", MESSAGE, "--bandwidth", BANDWIDTH]


def rows(text, heading):
    part = text.split(f"{heading}:\n\n")[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines()[2:]]


@pytest.mark.parametrize("strip", [None, 16])
def test_times_follow_the_formula(scaling, tmp_path, strip):
    done = scaling("--n", "96", "--ranks", "2,24,96", "--weak", "16", *RATES, *(["--strip", strip] if strip else []))
    assert done.returncode == 0, done.stderr
    first = None
    for n, ranks, computing, exchanging, seen, step, speedup, efficiency in rows(done.stdout, "Strong scaling"):
        plan = Program("CUBESWE", tmp_path)("info", "case.yaml", "--set", "grid.n=96", "--ranks", ranks, "--dry-run").out
        blocks_1, blocks_2, received, exchanges, messages = map(float, re.search(
            r"of (\d+) x (\d+) blocks.* receives (\S+) MiB\n# exchanges +(\d+) a step, of at most (\d+) messages", plan,
            re.DOTALL).groups())
        expected = max(FIXED, 6 * 97**2 / int(ranks) * POINT * 1e-6), \
            exchanges * (LATENCY + MESSAGE * (messages - 1)) + received * 2**20 / BANDWIDTH * 1e-3
        assert (n, float(computing), float(exchanging)) == ("96", pytest.approx(expected[0], abs=0.051),
                                                            pytest.approx(expected[1], abs=0.051))
        inside = (1 - 2 * 16 * blocks_1 / 97) * (1 - 2 * 16 * blocks_2 / 97) if strip and max(blocks_1, blocks_2) < 97 / 32 else 0.0
        strips = max(FIXED, (1 - inside) * expected[0])
        whole = max(expected[0], strips + expected[1]) if strip else sum(expected)
        assert float(step) == pytest.approx(whole, abs=0.051)
        assert float(seen) == pytest.approx(whole - expected[0], abs=0.101)
        first = first or whole * int(ranks)
        assert float(efficiency.split()[0]) == pytest.approx(100 * first / whole / int(ranks), abs=1)
    assert [row[:2] for row in rows(done.stdout, "Weak scaling")] == [["9", "2"], ["32", "24"], ["64", "96"]]


def test_ranks_that_do_not_fit_are_left_out(scaling):
    done = scaling("--n", "24", "--ranks", "6,9600", "--weak", "24", *RATES)
    assert done.returncode == 0, done.stderr
    assert [row[1] for row in rows(done.stdout, "Strong scaling")] == ["6"]


def test_rates_are_needed(scaling):
    done = scaling("--point", "1", "--fixed", "1")
    assert done.returncode != 0 and "--latency and --bandwidth, or --measure" in done.stderr
