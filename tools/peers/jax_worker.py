"""JAX's side of tools/peers/compare: the forms of the scheme in jax_forms.py.

Reads one request a line from standard input and answers each with a line, both JSON. A form and n choose the model.
"""

import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/reference"))
import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax_forms import FORMS  # noqa: E402

LEAST_SECONDS = 0.3  # of a sample


class Peer:
    """Models by form and size, each with a state and the steps of a sample."""

    def __init__(self):
        self.models, self.states, self.steps = {}, {}, {}

    def about(self):
        """Version and device."""
        device = jax.devices()[0]
        return {"version": jax.__version__, "platform": device.platform, "device": device.device_kind,
                "cores": len(os.sched_getaffinity(0))}

    def run(self, key, dt, steps):
        """The state after `steps` steps, and the seconds that they took."""
        start = time.perf_counter()
        end = jax.block_until_ready(self.models[key].run_n_steps(*self.states[key], dt, steps))
        return end, time.perf_counter() - start

    def prepare(self, form, n, order, start, dt):
        """Compile a form for a size, whose initial h, v1 and v2 are in a file; find the length of a sample."""
        key = form, n
        self.models[key] = FORMS[form](n, order)
        with np.load(start) as fields:
            self.states[key] = tuple(jax.numpy.asarray(fields[name]) for name in ("h", "v1", "v2"))
        _, compilation = self.run(key, dt, 1)
        steps, seconds = 1, 0.0
        while seconds < 0.5 * LEAST_SECONDS:
            _, seconds = self.run(key, dt, steps)
            steps *= 2
        steps //= 2
        self.steps[key] = max(1, round(LEAST_SECONDS * steps / seconds))
        return {"compile_seconds": compilation, "steps_per_sample": self.steps[key]}

    def advance(self, form, n, dt, steps, output):
        """Write h after `steps` steps from the initial state to a file."""
        (h, _, _), _ = self.run((form, n), dt, steps)
        np.save(output, np.asarray(h))
        return {}

    def sample(self, form, n, dt):
        """Seconds of a step, from one sample; a step that is not timed comes first."""
        key = form, n
        self.run(key, dt, 1)
        _, seconds = self.run(key, dt, self.steps[key])
        return {"step_seconds": seconds / self.steps[key]}


def main():
    peer = Peer()
    for line in sys.stdin:
        request = json.loads(line)
        answer = getattr(peer, request.pop("do"))(**request)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
