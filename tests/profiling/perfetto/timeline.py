"""The contents of a trace file: tracks, nested slices, notes, counters and flows."""

import re
from collections import defaultdict
from dataclasses import dataclass, field


@dataclass(eq=False)
class Track:
    kind: str  # process, thread, gpu, row or counter
    name: str
    parent: "Track" = None
    process: int = None
    thread: int = None
    unit: str = None
    rank: int = None

    @property
    def row(self):
        """The name without the suffix of overlapping tracks of one row."""
        return re.sub(r" \(overlap \d+\)$", "", self.name)

    @property
    def root(self):
        return self if self.parent is None else self.parent.root


@dataclass(eq=False)
class Slice:
    track: Track
    name: str
    category: str
    start: int
    end: int
    args: dict
    parent: "Slice" = None
    flows_out: list = field(default_factory=list)
    flows_in: list = field(default_factory=list)

    @property
    def key(self):
        """All properties that one record of the trace gives its slice."""
        args = tuple(sorted(self.args.items()))
        return self.track.root.name, self.track.row, self.name, self.category, self.start, self.end, args


@dataclass
class Timeline:
    tracks: list = field(default_factory=list)
    slices: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    points: dict = field(default_factory=lambda: defaultdict(list))  # by track

    def track(self, name, root=None):
        found = [t for t in self.tracks if t.name == name and root in (None, t.root.name)]
        assert len(found) == 1, f"{len(found)} tracks are called {name}"
        return found[0]

    def on(self, track):
        return [s for s in self.slices if s.track is track]
