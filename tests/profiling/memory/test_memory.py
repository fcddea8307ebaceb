"""Memory profiles read with `go tool pprof`: its output equals the trace."""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
from collections import Counter

import pytest

FILES = {"before": "memory_before.pprof.gz", "after": "memory.pprof.gz"}


def write(folder, device="gpu", **options):
    return subprocess.run([os.environ["WRITE_SAMPLE"], "memory", device, folder],
                          capture_output=True, text=True, **options)


def full_disk():
    """In a new process: no file grows."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@pytest.fixture(scope="module", params=["gpu", "cpu"])
def sample(request, tmp_path_factory):
    """A folder with the profiles of the sample trace, and the trace."""
    folder = tmp_path_factory.mktemp("memory")
    done = write(folder, request.param)
    assert (done.returncode, done.stderr) == (0, "")
    trace = json.loads((folder / "sample.json").read_text())
    trace["device"] = {"gpu": "NVIDIA Sample GPU", "cpu": "Sample CPU"}[request.param]
    return folder, trace


@pytest.fixture
def pprof(tmp_path):
    """Run `go tool pprof` away from the user's settings and from any network."""
    if shutil.which("go") is None:
        pytest.skip("no go: its pprof is needed to read the profiles")

    def run(*arguments):
        offline = dict(os.environ, HOME=str(tmp_path), PPROF_TMPDIR=str(tmp_path), TZ="UTC",
                       GOCACHE=str(tmp_path / "cache"), GOPROXY="off", GOTOOLCHAIN="local",
                       GOFLAGS="", LC_ALL="C")
        done = subprocess.run(["go", "tool", "pprof", *map(str, arguments)], env=offline,
                              capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run


def samples_of(raw):
    """The samples that `pprof -raw` shows: {(frame, ...): (allocations, bytes, labels)}; a frame
    is (function, file, line), the leaf first."""
    frames = {int(number): (name, file, int(line)) for number, name, file, line in
              re.findall(r"^ +(\d+): 0x0 M=1 (.*) (\S+):(\d+) s=\d+\(\)$", raw, re.M)}
    found = re.findall(r"^ +(-?\d+) +(-?\d+): ([\d ]+?) *\n +(\S.*?) *$", raw, re.M)
    samples = {}
    for allocations, space, stack, labels in found:
        key = tuple(frames[int(number)] for number in stack.split())
        assert key not in samples, "a site has two samples"
        labels = dict(re.findall(r"(\w+):\[(.*?)\](?= |$)", labels))
        samples[key] = (int(allocations), int(space), labels)
    return samples


def by_site(blocks):
    """{(label, function, file, line): (allocations, bytes)} of a list of blocks."""
    count, space = Counter(), Counter()
    for block in blocks:
        site = tuple(block[key] for key in ("label", "function", "file", "line"))
        count[site] += 1
        space[site] += block["bytes"]
    return {site: (count[site], space[site]) for site in count}


def expected_samples(sites, device):
    """Expected result of `samples_of` for {(label, function, file, line): (allocations, bytes)}."""
    return {((label, file, line), (function, file, line)):
            (*values, {"kind": "buffer", "label": label, "device": device})
            for (label, function, file, line), values in sites.items()}


def top_of(top):
    """The rows of `pprof -top -unit=B`: {function: (flat, cumulative)} in bytes, in their order."""
    rows = re.findall(r"^ *(-?\d+)B? +\S+% +\S+% +(-?\d+)B? +\S+% +(.*)$", top, re.M)
    return {name: (int(flat), int(cumulative)) for flat, cumulative, name in rows}


@pytest.mark.parametrize("moment", FILES)
def test_raw_shows_every_site_and_the_moment(sample, pprof, moment):
    folder, trace = sample
    raw = pprof("-raw", folder / FILES[moment])
    assert "allocations/count space/bytes[dflt]" in raw
    assert samples_of(raw) == expected_samples(by_site(trace[moment]["blocks"]), trace["device"])
    seconds, nanoseconds = divmod(trace[moment]["time"], 10**9)
    date = subprocess.run(["date", "-u", "-d", f"@{seconds}", "+%Y-%m-%d %H:%M:%S"], check=True,
                          capture_output=True, text=True).stdout.strip()
    assert f"Time: {date}.{nanoseconds:09d}".rstrip("0") in raw


@pytest.mark.parametrize("moment", FILES)
def test_top_lists_labels_by_bytes_and_who_allocates_them(sample, pprof, moment):
    folder, trace = sample
    top = pprof("-top", "-nodefraction=0", "-unit=B", folder / FILES[moment])
    sites = by_site(trace[moment]["blocks"])
    assert "Type: space" in top
    total = sum(space for _, space in sites.values())
    assert total == trace[moment]["in_use"]
    assert f"accounting for {total}B, 100% of {total}B total" in top
    expected = {label: (space, space) for (label, *_), (_, space) in sites.items()}
    expected |= {function: (0, space) for (_, function, *_), (_, space) in sites.items()}
    found = top_of(top)
    assert found == expected
    flat = [flat for flat, _ in found.values()]
    assert flat == sorted(flat, reverse=True)


def test_a_tree_shows_the_line_that_allocates(sample, pprof):
    folder, _ = sample
    tree = pprof("-tree", "-lines", "-unit=B", folder / FILES["after"])
    assert re.search(r"21344400B +100% \| +allocate_state solver/state/model.c:44\n"
                     r" *21344400B .*\| state y solver/state/model.c:44\n", tree)


def test_the_difference_is_what_was_released_and_what_is_new(sample, pprof):
    folder, trace = sample
    before = {block["address"]: block for block in trace["before"]["blocks"]}
    after = {block["address"]: block for block in trace["after"]["blocks"]}
    released = by_site(block for address, block in before.items() if address not in after)
    new = by_site(block for address, block in after.items() if address not in before)
    assert len(released) == 1 and len(new) == 1
    change = {site: (-count, -space) for site, (count, space) in released.items()} | new

    both = ("-base", folder / FILES["before"], folder / FILES["after"])
    assert samples_of(pprof("-raw", *both)) == expected_samples(change, trace["device"])
    expected = {label: (space, space) for (label, *_), (_, space) in change.items()}
    expected |= {function: (0, space) for (_, function, *_), (_, space) in change.items()}
    assert top_of(pprof("-top", "-nodefraction=0", "-unit=B", *both)) == expected


def test_profiles_without_blocks_can_be_read_and_compared(pprof, tmp_path):
    assert subprocess.run([os.environ["WRITE_EMPTY"], tmp_path]).returncode == 0
    before, after = tmp_path / FILES["before"], tmp_path / FILES["after"]
    for arguments in ((before,), (after,), ("-base", before, after)):
        raw = pprof("-raw", *arguments)
        assert "allocations/count space/bytes[dflt]" in raw and samples_of(raw) == {}
        assert "accounting for 0, 0% of 0 total" in pprof("-top", *arguments)


@pytest.mark.parametrize("name", FILES.values())
def test_a_file_that_cannot_be_created_is_one_warning(tmp_path, name):
    (tmp_path / name).mkdir()
    done = write(tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"{tmp_path}/{name}: cannot be created: Is a directory\n"


def test_a_full_disk_is_one_warning(tmp_path):
    (tmp_path / "sample.json").symlink_to("/dev/null")  # the program of the test writes it, too
    done = write(tmp_path, preexec_fn=full_disk)
    assert done.returncode == 1
    assert done.stderr == f"{tmp_path}/{FILES['before']}: cannot be written: File too large\n"
