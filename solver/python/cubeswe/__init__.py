"""cubeswe: shallow-water flow on the cubed sphere.

    import cubeswe as cs
    model = cs.Model("galewsky", n=48)
    model.run("1d")
    model["vorticity"], model.energy, model.to_xarray()
"""
from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._ensemble import Ensemble
    from ._case import EARTH, cases, seconds
    from ._library import Error, InputError, version
    from ._model import Model
    from ._program import Profile, Run, Study, profile, run, study

# Found when they are used: cubeswe.plot needs no library, and cubeswe.Model no xarray.
_FROM = {"_case": ("EARTH", "cases", "seconds"), "_ensemble": ("Ensemble",), "_library": ("Error", "InputError", "version"), "_model": ("Model",),
         "_program": ("Profile", "Run", "Study", "profile", "run", "study")}
_MODULE = {name: module for module, names in _FROM.items() for name in names}

__all__ = ["EARTH", "Ensemble", "Error", "InputError", "Model", "Profile", "Run", "Study", "cases", "profile", "run", "seconds", "study",
           "version"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return __getattr__("version")
    if name not in _MODULE:
        raise AttributeError(f"module 'cubeswe' has no attribute '{name}'")
    return getattr(importlib.import_module(f".{_MODULE[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__


if importlib.util.find_spec("xarray") is not None:
    from . import _dataset  # noqa: F401 every xarray.Dataset has .cs
