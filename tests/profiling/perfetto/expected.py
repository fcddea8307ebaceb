"""Expected contents of the sample trace (../sample_trace.c) and of the crossed one (write_crossed.c)."""

import checks

SAMPLE_GPU = "NVIDIA Sample GPU"
# each byte that is not UTF-8 becomes one replacement character
CROSSED_VERSION = "bad \ufffd\ufffd( text\n\t\x01\\ \ufffd\ufffd\ufffd."


def check_sample(timeline, sample, gpu):
    process = checks.process_name(sample)
    name = f"{SAMPLE_GPU} (GPU 0)"
    gpus = {0: name} if gpu else {}
    checks.check_slices(timeline, sample, gpus)
    checks.check_nesting(timeline)
    checks.check_span_parents(timeline, sample)
    # of all operations but the one whose graph was launched before the window
    assert checks.check_flows(timeline, sample, gpus) == max(len(sample["ops"]) - 1, 0)
    checks.check_counters(timeline, sample, gpus, name if gpu else process)
    checks.check_notes(timeline, sample, SAMPLE_GPU if gpu else "Sample CPU", "0.1.0",
                       {"spans": 1, "ops": 2, "records": 3, "rejected": 4, "unknown": 5},
                       ['3 records were dropped, "full" buffers'])
    rows = {("process", process, None), ("thread", "main", process), ("thread", "worker 1", process)}
    if gpu:
        rows |= {("row", "CUDA calls (main)", process), ("gpu", name, None),
                 ("row", "Stream 7", name), ("row", "Stream 14", name)}
    check_rows(timeline, sample, rows)


def check_rows(timeline, sample, rows):
    """The tracks, other than counters: their kind, name and parent; and the system's numbers."""
    tracks = [t for t in timeline.tracks if t.kind != "counter"]
    found = [(t.kind, t.name, t.parent.name if t.parent else None) for t in tracks]
    assert len(found) == len(set(found)) and set(found) == rows
    assert timeline.track(checks.process_name(sample)).process == sample["process"]
    for thread in sample["threads"]:
        track = timeline.track(thread["name"])
        assert (track.process, track.thread) == (sample["process"], thread["id"])


def names_on(timeline, name, root):
    return [s.name for s in timeline.on(timeline.track(name, root))]


def check_crossed(timeline, sample, main):
    """`main`: the parent of what crosses on the main thread."""
    gpus = {0: "GPU 0", 1: "Other GPU (GPU 1)"}
    process = checks.process_name(sample)
    checks.check_slices(timeline, sample, gpus)
    checks.check_nesting(timeline)
    checks.check_counters(timeline, sample, gpus, None)
    checks.check_notes(timeline, sample, "Other GPU", CROSSED_VERSION, None, [])
    check_rows(timeline, sample, {
        ("process", process, None), ("thread", "main", process), ("thread", "worker 1", process),
        ("thread", "idle", process), ("row", "main (overlap 1)", main),
        ("row", "CUDA calls (main)", process), ("row", "CUDA calls (main) (overlap 1)", process),
        ("row", "CUDA calls (thread 555)", process),
        ("gpu", "GPU 0", None), ("row", "Stream 7", "GPU 0"),
        ("row", "Stream 7 (overlap 1)", "GPU 0"), ("row", "Stream 7 (overlap 2)", "GPU 0"),
        ("row", "Stream 14", "GPU 0"), ("row", "Stream 14 (overlap 1)", "GPU 0"),
        ("gpu", "Other GPU (GPU 1)", None), ("row", "Stream 7", "Other GPU (GPU 1)")})
    assert names_on(timeline, "main", process) == ["outer", "first", "twin", "twin inside", "instant"]
    assert names_on(timeline, "main (overlap 1)", process) == ["crossing"]
    assert names_on(timeline, "CUDA calls (main)", process) == ["cudaLaunchKernel", "cuLaunchKernel"]
    assert names_on(timeline, "CUDA calls (main) (overlap 1)", process) == ["overhead"]
    assert names_on(timeline, "Stream 7", "GPU 0") == ["a", "after a", "before its call"]
    assert names_on(timeline, "Stream 7 (overlap 1)", "GPU 0") == ["across a"]
    assert names_on(timeline, "Stream 7 (overlap 2)", "GPU 0") == ["within both"]
    # by their calls, by their regions, and all nodes of the graph by one call
    flows = {s.name: len(s.flows_out) for s in timeline.slices if s.flows_out}
    nodes = sum(op["graph"] == 9 for op in sample["ops"])
    assert nodes == 5000
    assert flows == {"cudaLaunchKernel": 1, "first": 1, "outer": 1, "cudaGraphLaunch": nodes}
    assert checks.check_flows(timeline, sample, gpus) == nodes + 3


def check_failures(output, file, folder):
    """A file that cannot be created or written gives one warning."""
    missing = folder / "missing"
    line = checks.warning_of("WRITE_CROSSED", output, missing)
    assert line == f"{missing}/{file}: cannot be created: No such file or directory"
    (folder / "sample.json").symlink_to("/dev/null")  # the programs of the tests write it, too
    line = f"{folder}/{file}: cannot be written: File too large"
    assert checks.warning_of("WRITE_CROSSED", output, folder, preexec_fn=checks.full_disk) == line  # fails early
    assert checks.warning_of("WRITE_SAMPLE", output, "gpu", folder, preexec_fn=checks.full_disk) == line  # fails at the end
