"""Cases and times: the names, paths and dictionaries that become settings."""
from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Union

import numpy as np

from ._library import HERE, SOURCES, InputError

# The sections of a nonlinear case on the Earth.
EARTH: Mapping[str, Any] = {"physics": {"model": "nonlinear", "gravity": 9.80616, "radius": 6371220.0, "rotation": 7.292e-5,
                                        "depth": 8000.0}}
Time = Union[float, str, timedelta, np.timedelta64]
UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
# Of a wheel, a checkout, or an installation.
CASES = next((folder for folder in (HERE / "share/cubeswe/config", SOURCES.parent / "config", Path(sys.prefix, "share/cubeswe/config"))
              if folder.is_dir()), Path("config"))


def seconds(time: Time) -> float:
    """A time in seconds, of a number or as in a case: "6d", "1d12h", "30min", "90s"."""
    if isinstance(time, timedelta):
        return time.total_seconds()
    if isinstance(time, np.timedelta64):
        return float(time / np.timedelta64(1, "s"))
    text = str(time).strip()
    parts = re.findall(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*(d|h|min|s|$)", text)
    if not parts or re.sub(r"\s", "", text) != "".join(map("".join, parts)):
        raise InputError(f"'{time}' is not a time: seconds, or as 5d, 12h, 1d12h, 30min", 64)
    return sum(float(number) * UNITS[unit or "s"] for number, unit in parts)


def cases() -> list[str]:
    """Names of the ready cases."""
    return sorted(path.stem for path in CASES.glob("*.yaml"))


def find_case(case: str | Path) -> Path:
    """The path of a case file, or of a ready case."""
    path = Path(case)
    if path.is_file() or path.suffix or len(path.parts) > 1:
        return path
    if str(case) not in cases():
        raise InputError(f"{case}: no such file, and no ready case of this name: {', '.join(cases())}", 66)
    return CASES / f"{case}.yaml"


def settings_of(sections: Mapping[str, Any], before: str = "") -> list[str]:
    """The settings "section.key=value" of nested dictionaries."""
    out = []
    for key, value in sections.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping):
            out += settings_of(value, f"{name}.")
        else:
            out.append(f"{name}={value_of(value)}")
    return out


def value_of(value: Any) -> str:
    """A value as in a case."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(str, value))}]"
    if isinstance(value, (timedelta, np.timedelta64)):
        return repr(seconds(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def absolute(value: Any) -> Any:
    """Nested lists and dictionaries with absolute paths: relative ones start at the current folder."""
    if isinstance(value, Mapping):
        return {key: os.path.abspath(v) if key == "path" and v else absolute(v) for key, v in value.items()}
    return [absolute(v) for v in value] if isinstance(value, (list, tuple)) else value


def case_of(case: str | Path | Mapping[str, Any] | None, folder: Path, *, n: int | None = None, order: int | None = None,
            **sections: Any) -> tuple[Path | None, list[str]]:
    """The path of a case file (None: none is needed), and the settings over its keys."""
    given, sections = absolute(case if isinstance(case, Mapping) else {}), absolute(sections)
    for key, value in (*given.items(), *sections.items()):
        if key != "tracers" and not isinstance(value, Mapping):
            raise InputError(f"{key}: is no section of a case; a section is a dictionary, such as time={{'end': '3d'}}", 78)
    path = None if case is None or isinstance(case, Mapping) else find_case(case)
    tracers = sections.pop("tracers", given.pop("tracers", None))
    if tracers is not None and path is not None:
        raise InputError("tracers: name them in the case file, or give the whole case as a dictionary", 64)
    if tracers is not None:  # settings have no lists of sections; JSON is YAML
        path = folder / "case.yaml"
        path.write_text(json.dumps({"tracers": tracers}))
    grid = {key: value for key, value in (("n", n), ("order", order)) if value is not None}
    return path, settings_of(given) + settings_of(sections) + settings_of({"grid": grid})
