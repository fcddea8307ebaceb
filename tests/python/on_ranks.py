"""Models and an ensemble on ranks: `mpirun -n 3 python on_ranks.py FOLDER` writes what each rank has."""
import pickle
import sys
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
        return type(error), str(error)
    return None


def refusals(comm):
    """The type and the sentence of each error."""
    m = cs.Model("galewsky", n=13, device="cpu", threads=1, comm=comm)
    calls = {"view": lambda: m.h, "name": lambda: m["vortcity"], "program": lambda: m.run("1h", out="out"), "profile": m.profile,
             "model": lambda: cs.Model("galewsky"), "case": lambda: cs.Model("galewsk", comm=comm), "key": lambda: cs.Model("galewsky", n=3, comm=comm),
             "function": lambda: m.run("1h", every={"30min": lambda m: 1 / 0}), "comm": lambda: cs.Model("galewsky", comm=comm.Split(comm.rank)),
             "other": m.tendency if comm.rank == 0 else m.step,
             "local": lambda: m.run("1h", every={"30min": lambda m: {}[lambda: 0]})}  # an exception that is not pickled
    return {name: refused(call) for name, call in calls.items()} | {"time": m.time}


def main(folder):
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    ensemble, statistics = perturbed(comm, out=folder / "members")
    ensemble.members[0].write(folder / f"member_{comm.rank}.nc")
    before = refused(lambda: cs.Model("galewsky", n=13, comm=comm))  # a model of this process alone exists
    if comm.rank == 0:
        cs.run("galewsky", folder / "program", n=13, end="1h", device="cpu", threads=1, ranks=2)
    del ensemble
    arrays, times = states(folder, comm)
    (folder / f"rank_{comm.rank}").write_bytes(pickle.dumps((statistics, before, arrays, times, refusals(comm))))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
