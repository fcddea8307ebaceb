"""Runs of a case whose initial states differ."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._model import Array, Model, Time


class Ensemble:
    """Models of a case with random perturbations of the initial state, which run one after the other.

    perturb   relative sizes by variable, {"h": 1e-3}: each value is multiplied by 1 plus a random number of this size,
              normally distributed, the same at all copies of a point
    seed      of the random numbers: member k has the same perturbation in every ensemble of this seed
    """

    def __init__(self, case: Any, *, members: int, perturb: Mapping[str, float], seed: int = 0, **options: Any) -> None:
        self.members = [Model(case, **options) for _ in range(members)]
        for k, model in enumerate(self.members):
            random = np.random.default_rng((seed, k))
            for name, size in perturb.items():
                values = model[name]
                model[name] = values * (1 + size * random.standard_normal(values.shape))  # copies become their mean

    def run(self, duration: Time | None = None, **options: Any) -> Ensemble:
        """Advance every member, as Model.run."""
        for model in self.members:
            model.run(duration, **options)
        return self

    def __getitem__(self, name: str) -> Array:
        """A variable of all members, (members, 6, rows, columns)."""
        return np.stack([model[name] for model in self.members])

    def mean(self, name: str = "h") -> Array:
        """The mean of a variable over the members."""
        return np.asarray(self[name].mean(axis=0))

    def spread(self, name: str = "h") -> Array:
        """Its standard deviation over the members."""
        return np.asarray(self[name].std(axis=0, ddof=1))
