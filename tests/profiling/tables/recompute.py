"""Traces for the tests of tables and summary, and their statistics recomputed with numpy."""
import json
import os
import pathlib
import re
import subprocess
from collections import defaultdict

import numpy

KERNEL, COPY, FILL = range(3)
PHASE, STEP, PART, STAGE, THREAD = range(5)
REGION_KINDS = ["phase", "step", "part", "stage", "thread", "launch", "wait"]
RUNTIME, DRIVER, SYNCHRONIZE, OVERHEAD = range(4)
CALL_KINDS = ["runtime", "driver", "synchronize", "overhead"]
COUNTERS = ["task_clock", "context_switches", "instructions", "cycles", "cache_misses"]
TRACES = ["gpu", "cpu", "varied"]


class Trace:
    """The files of one trace, and the trace itself."""

    def __init__(self, output, kind, folder):
        self.kind = kind
        self.folder = pathlib.Path(folder)
        command = ([os.environ["WRITE_VARIED"], folder] if kind == "varied"
                   else [os.environ["WRITE_SAMPLE"], output, kind, folder])
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        self.__dict__.update(json.loads((self.folder / "sample.json").read_text()))

    def kernels(self):
        return [op for op in self.ops if op["kind"] == KERNEL]

    def copies(self):
        return [op for op in self.ops if op["kind"] != KERNEL]

    def regions(self):
        return [span for span in self.spans if span["kind"] != THREAD]

    def parts(self):
        return [span for span in self.spans if span["kind"] == THREAD]

    def is_within(self, span, region):
        """Whether a span (by index) is `region` or lies below it."""
        while span >= 0:
            if span == region:
                return True
            span = self.spans[span]["parent"]
        return False

    def projection(self, region):
        """Start, end and number of the operations launched in a region; None without any."""
        ops = [op for op in self.ops if self.is_within(op["span"], region)]
        if not ops:
            return None
        return min(op["start"] for op in ops), max(op["end"] for op in ops), len(ops)


def time(item):
    return item["end"] - item["start"]


def group(items, *keys):
    """Items grouped by a tuple of members or of functions of the items."""
    groups = defaultdict(list)
    for item in items:
        groups[tuple(key(item) if callable(key) else item[key] for key in keys)].append(item)
    return groups


def call_name(call):
    return re.sub(r"(?<=.)_v\d{4,}$", "", call["name"])


def statistics(values):
    array = numpy.array(values, dtype=numpy.int64)
    low, median, high = numpy.quantile(array, [0.25, 0.5, 0.75])
    return {"count": len(values), "total": sum(values), "mean": array.mean(), "median": median,
            "lower_quartile": low, "upper_quartile": high, "min": min(values), "max": max(values),
            "deviation": array.std(ddof=1) if len(values) > 1 else 0.0}


def order_by_total(groups, value=time):
    """Keys of groups, largest total first."""
    return sorted(groups, key=lambda key: -sum(map(value, groups[key])))
