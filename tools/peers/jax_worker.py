"""JAX's side of tools/peers/compare: the einsum-and-scatter form of the scheme, compiled as one loop.

Reads one request a line from standard input and answers each with a line, both JSON. The model is JaxModel of
tests/reference: dense operators applied by einsum, shared points written by .at[].set and .at[].add, jit, and a
fori_loop of Runge-Kutta steps in double precision.
"""

import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/reference"))
import jax  # noqa: E402
import numpy as np  # noqa: E402
import reference  # noqa: E402

LEAST_SECONDS = 0.3  # of a sample


class Peer:
    """Models by size, each with a state and the steps that a sample takes."""

    def __init__(self):
        self.models, self.states, self.steps = {}, {}, {}

    def about(self):
        """What computes."""
        device = jax.devices()[0]
        return {"version": jax.__version__, "platform": device.platform, "device": device.device_kind,
                "cores": len(os.sched_getaffinity(0))}

    def run(self, n, dt, steps):
        """The state after `steps` steps, and the seconds that they took."""
        start = time.perf_counter()
        end = jax.block_until_ready(self.models[n].run_n_steps(*self.states[n], dt, steps))
        return end, time.perf_counter() - start

    def prepare(self, n, order, start, dt):
        """Compile for a size, whose initial h, v1 and v2 are in a file; find the length of a sample."""
        self.models[n] = reference.JaxModel(n, order)
        with np.load(start) as fields:
            self.states[n] = tuple(jax.numpy.asarray(fields[name]) for name in ("h", "v1", "v2"))
        _, compilation = self.run(n, dt, 1)
        steps, seconds = 1, 0.0
        while seconds < 0.5 * LEAST_SECONDS:
            _, seconds = self.run(n, dt, steps)
            steps *= 2
        steps //= 2
        self.steps[n] = max(1, round(LEAST_SECONDS * steps / seconds))
        return {"compile_seconds": compilation, "steps_per_sample": self.steps[n]}

    def advance(self, n, dt, steps, output):
        """Write h after `steps` steps from the initial state to a file."""
        (h, _, _), _ = self.run(n, dt, steps)
        np.save(output, np.asarray(h))
        return {}

    def sample(self, n, dt):
        """Seconds of a step, from one sample; a step that is not timed comes first."""
        self.run(n, dt, 1)
        _, seconds = self.run(n, dt, self.steps[n])
        return {"step_seconds": seconds / self.steps[n]}


def main():
    peer = Peer()
    for line in sys.stdin:
        request = json.loads(line)
        answer = getattr(peer, request.pop("do"))(**request)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
