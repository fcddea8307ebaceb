"""Runs of a case whose initial states differ."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ._case import Time
from ._library import InputError
from ._model import Array, Model
from .sampling import unit_vectors


def _points_of(model: Model, name: str) -> Array:
    """Numbers of the points of a variable: copies of a point on several panels have the same."""
    r = np.round(unit_vectors(*model.points(name)) * 1e9).astype(int).reshape(-1, 3)
    return np.unique(r, axis=0, return_inverse=True)[1].reshape(model[name].shape)


class Ensemble:
    """Models of a case with random perturbations of the initial state, which run one after the other.

    comm      a communicator of mpi4py: each rank has every size-th member, from its rank on; mean and spread, which all
              ranks call, are over the members of all ranks
    perturb   relative sizes by variable, {"h": 1e-3}: each value is multiplied by 1 plus a random number of this size,
              normally distributed, the same at all copies of a point
    seed      of the random numbers: member k has the same perturbation in every ensemble of this seed
    """

    def __init__(self, case: Any, *, members: int, perturb: Mapping[str, float], seed: int = 0, comm: Any = None,
                 **options: Any) -> None:
        if members < 1 or not isinstance(perturb, Mapping) or any(not size >= 0 for size in perturb.values()):
            raise InputError("Ensemble: at least one member, and perturb={'h': 1e-3}", 64)
        rank, ranks = (comm.Get_rank(), comm.Get_size()) if comm is not None else (0, 1)
        if members < ranks:
            raise InputError(f"Ensemble: {members} members are fewer than the {ranks} ranks of comm", 64)
        self._comm, self._count = comm, members
        #: Numbers of the members of this rank, and their models.
        self.numbers = range(rank, members, ranks)
        self.members = [Model(case, **options) for _ in self.numbers]
        for k, model in zip(self.numbers, self.members):
            random = np.random.default_rng((seed, k))
            for name, size in perturb.items():
                values, point = model[name], _points_of(model, name)
                model[name] = values * (1 + size * random.standard_normal(point.max() + 1)[point])

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[Model]:
        return iter(self.members)

    def __repr__(self) -> str:
        return f"<cubeswe.Ensemble of {len(self)}: {self.members[0]!r}>"

    def run(self, duration: Time | None = None, *, out: str | Path | None = None, **options: Any) -> Ensemble:
        """Advance every member, as Model.run; `out`: folder for member_0, member_1 and so on. After an error some members
        have advanced."""
        for k, model in zip(self.numbers, self.members):
            model.run(duration, **({**options, "out": Path(out) / f"member_{k}"} if out is not None else options))
        return self

    def to_xarray(self, names: str | list[str] | None = None) -> Any:
        """Model.to_xarray of the members of this rank, along the dimension `member`."""
        import xarray as xr

        parts = [model.to_xarray(names) for model in self.members]
        changing = [str(name) for name, array in parts[0].data_vars.items() if "time" in array.dims]
        return xr.concat(parts, xr.DataArray(list(self.numbers), dims="member", name="member"), data_vars=changing, coords="minimal",
                         compat="override", combine_attrs="override")

    def __getitem__(self, name: str) -> Array:
        """A variable of all members of this rank, (members, 6, rows, columns)."""
        return np.stack([model[name] for model in self.members])

    def _sum(self, values: Array) -> Array:
        """Over the members of all ranks."""
        total = values.sum(axis=0)
        return np.asarray(self._comm.allreduce(total) if self._comm is not None else total)

    def mean(self, name: str = "h") -> Array:
        """The mean of a variable over the members."""
        return self._sum(self[name]) / self._count

    def spread(self, name: str = "h") -> Array:
        """Its standard deviation over the members (of a sample: divided by members - 1)."""
        return np.asarray(np.sqrt(self._sum((self[name] - self.mean(name)) ** 2) / (self._count - 1)))
