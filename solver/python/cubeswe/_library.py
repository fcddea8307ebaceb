"""libcubeswe by its public header, which cffi reads: no declaration is written twice."""
from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import Any

from cffi import FFI

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parents[1]  # solver/ of a checkout


class Error(RuntimeError):
    """A failure: the sentence of the program, and its exit code in `status`."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.status)


class InputError(Error, ValueError):
    """A wrong argument, configuration or input file."""


INPUT = {64, 65, 66, 78}  # exit codes of usage, data, no input and configuration
STOPPED = 75


def first_of(what: str, *paths: Path) -> Path:
    """The first path that exists."""
    for path in paths:
        if path.exists():
            return path
    raise ImportError(f"no {what}: {', '.join(map(str, paths))}")


def declarations() -> str:
    text = first_of("header", HERE / "cubeswe.h", SOURCES / "library/cubeswe.h").read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    return re.sub(r"^#.*$", "", text, flags=re.M)


def library() -> str:
    """The library in CUBESWE_LIBRARY, beside this file, in the release build of a checkout, or of the system."""
    if "CUBESWE_LIBRARY" in os.environ:
        return os.environ["CUBESWE_LIBRARY"]
    for path in (HERE / "libcubeswe.so", SOURCES.parent / "build/release/solver/libcubeswe.so"):
        if path.exists():
            return str(path)
    return "libcubeswe.so.0"


ffi: Any = FFI()
ffi.cdef(declarations())
c: Any = ffi.dlopen(library())


def warn(line: Any) -> None:
    warnings.warn(text(line), stacklevel=2)


def text(value: Any) -> str:
    return ffi.string(value).decode(errors="replace") if value != ffi.NULL else ""


def call(function: Any, *arguments: Any) -> None:
    """Call a function of the library that can fail; the other threads of Python go on meanwhile."""
    error = ffi.new("cubeswe_error *")
    status = function(*arguments, error)
    if status == 0:
        return
    message = text(error.message)
    if status == 71:
        raise MemoryError(message)
    raise (InputError if status in INPUT else Error)(message, status)


_warn = ffi.callback("void(const char *)", warn)  # kept: the library calls it
c.cubeswe_warn_to(_warn)
version: str = text(c.cubeswe_version())
