"""Models and an ensemble on ranks: `mpirun -n 3 python on_ranks.py FOLDER` writes what each rank has."""
import gc
import os
import pickle
import signal
import sys
import threading
from pathlib import Path

import cubeswe as cs
import numpy as np

STATE = ("h", "v1", "v2")


def perturbed(comm, **options):
    """An ensemble after an hour, and its statistics."""
    ensemble = cs.Ensemble("galewsky", members=3, perturb={"h": 1e-3}, seed=1, n=13, device="cpu", threads=1, comm=comm).run("1h", **options)
    return ensemble, {"mean": ensemble.mean(), "spread": ensemble.spread()}


def states(folder, comm):
    """Arrays and numbers of models after all that may be called."""
    options = {"n": 29, "order": 6, "device": "cpu", "threads": 1, "time": {"dt": 450}, "comm": comm}
    times, out = [], {}
    m = cs.Model("galewsky", **options)
    m.run("3h", every={"1h": lambda m: times.append((m.time, m.energy))})
    out |= {name: m[name] for name in m.variables} | m.tendency() | {"energy": m.energy, "time": m.time, "steps": m.steps}
    out["points"] = np.stack(m.points("v1"))
    m.set(h=lambda lon, lat: 1e4 + 120 * np.cos(np.radians(lat)), wind=(lambda lon, lat: 20 * np.cos(np.radians(lat)), lambda lon, lat: 0 * lat))
    m.set(bottom=lambda lon, lat: 500 * np.exp(-((lat - 45) / 10)**2))
    m.step(3)
    out |= {f"set_{name}": m[name] for name in (*STATE, "bottom")}
    m.write(folder / "state.nc", ["h", "native"])
    del m  # released in the next call

    m = cs.Model("turbulence", **{**options, "time": {"end": "1d"}})
    m.step(4)
    m.checkpoint(folder / "checkpoint")
    m.step(2)
    after = m["h"]
    assert np.array_equal(m.restore(folder / "checkpoint").run(until=6 * m.time_step)["h"], after)
    out |= {"stirred": after, "dataset": m.to_xarray(["vorticity"])["vorticity"].values, "read": m.set(folder / "state.nc")["h"]}

    m = cs.Model("williamson2", own_forcing=True, **options)
    h0 = m["h"]
    m.forcing["relaxation"] = lambda t, h, u, v, lon, lat: ((h0 + 10 - h) / 86400, 1e-6 * u, None)
    m.step(2)
    return out | {f"forced_{name}": m[name] for name in (*STATE, "h_exact") if name in m}, times


def refused(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__, str(error)
    return None


def refusals(comm):
    """Name and sentence of each error."""
    m = cs.Model("galewsky", n=13, device="cpu", threads=1, comm=comm)
    calls = {"view": lambda: m.h, "name": lambda: m["vortcity"], "program": lambda: m.run("1h", out="out"), "profile": m.profile,
             "model": lambda: cs.Model("galewsky"), "case": lambda: cs.Model("galewsk", comm=comm), "key": lambda: cs.Model("galewsky", n=3, comm=comm),
             "function": lambda: m.run("1h", every={"30min": lambda m: 1 / 0}), "comm": lambda: cs.Model("galewsky", comm=comm.Split(comm.rank)),
             "other": m.tendency if comm.rank == 0 else m.step,
             "local": lambda: m.run("1h", every={"30min": lambda m: {}[lambda: 0]}),  # an exception that is not pickled
             "class": lambda: m.run("1h", every={"30min": fail}),                     # and one that is not unpickled
             "mixed": lambda: (m if comm.rank == 0 else second).step(), "word": lambda: cs.Model("galewsky", comm="x"),
             "thread": lambda: in_a_thread(m)}
    second = cs.Model("galewsky", n=13, device="cpu", threads=1, comm=comm)
    return {name: refused(call) for name, call in calls.items()} | {"time": m.time, "times": times_of(m, second)}


class Special(Exception):
    def __init__(self, a, b):
        super().__init__(a)


def fail(model):
    raise Special("a", "b")


def in_a_thread(m):
    """Another thread reads while a method runs."""
    errors = []
    reader = threading.Thread(target=lambda: errors.append(refused(lambda: m["h"])))
    m.run("30min", every={"30min": lambda m: (reader.start(), reader.join())})
    if errors:
        raise RuntimeError(errors[0][1])


def times_of(m, second):
    """Of a model that a function advances, of models of a function, and after a signal to each rank."""
    start = second.time
    ended = []
    m.run("30min", every={"10min": lambda _: (second.step(), cs.Model("galewsky", n=13, device="cpu", threads=1, comm=m._ranks.comm), gc.collect(),
                                             ended.append(len(m._ranks.ended)))})
    reached = second.time - start
    pids = m._ranks.comm.allgather(os.getpid())
    try:
        m.run("1d", every={"1h": lambda _: [os.kill(pid, signal.SIGINT) for pid in reversed(pids)]})
    except KeyboardInterrupt:
        return reached / second.time_step, m.time, max(ended, default=0)


def main(folder):
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    ensemble, statistics = perturbed(comm, out=folder / "members")
    ensemble.members[0].write(folder / f"member_{comm.rank}.nc")
    if comm.rank > 0:
        del ensemble
    before = refused(lambda: cs.Model("galewsky", n=13, comm=comm))  # rank 0 has a model of its own
    if comm.rank == 0:
        cs.run("galewsky", folder / "program", n=13, end="1h", device="cpu", threads=1, ranks=2)
        del ensemble
    arrays, times = states(folder, comm)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    (folder / f"rank_{comm.rank}").write_bytes(pickle.dumps((statistics, before, arrays, times, refusals(comm))))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
