"""A model: a case, its state, and its arrays on a device."""
from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ._case import Time, case_of, seconds
from ._library import STOPPED, Error, InputError, c, call, ffi, text
from ._ranks import Ranks, together

if TYPE_CHECKING:
    from ._program import Profile, Run

Array = np.ndarray[Any, np.dtype[Any]]
Forcing = Callable[[float, Array, Array, Array, Array, Array], Any]


class _Memory:
    """Memory of a model as NumPy and CuPy read it; keeps the model alive."""

    def __init__(self, model: Model, view: Any) -> None:
        self.model = model
        size = 4 if view.is_single else 8
        interface = {"shape": (6, view.rows, view.columns), "version": 3, "typestr": f"<f{size}",
                     "strides": (view.panel_stride * size, view.row_stride * size, size),
                     "data": (int(ffi.cast("uintptr_t", view.values)), True)}
        setattr(self, "__cuda_array_interface__" if view.is_on_gpu else "__array_interface__", interface)


class Model:
    """A shallow-water flow on the cubed sphere, ready to step.

    case       the name of a ready case (`cases()`), the path of a case file, or its sections as a dictionary
    n, order   cells along a panel side (grid.n), order of the operators (grid.order)
    device     "auto", "cpu", "cuda" or "cuda:1"
    threads    of the CPU; 0: by the size of the model
    own_forcing   True: `forcing` takes functions of Python
    comm       a communicator of mpi4py, whose ranks share the model. All ranks call what computes; all have its result
    sections   further keys: Model("galewsky", forcing={"drag": {"rate": 1e-6}}, time={"end": "3d"})
    """

    def __init__(self, case: str | Path | Mapping[str, Any] | None = None, *, n: int | None = None,
                 order: int | None = None, device: str = "auto", threads: int = 0, own_forcing: bool = False,
                 comm: Any = None, **sections: Any) -> None:
        #: Functions by name, f(t, h, u, v, lon, lat) at the points of h in each substep: dh/dt [m s-1], or that and the
        #: accelerations of the zonal and meridional wind [m s-2], of which each may be None. Slow: Python is called in each.
        self.forcing: dict[str, Forcing] = {}
        self._own_forcing = own_forcing
        self._force: Any = None
        self._handle: Any = None  # of rank 0
        self._now = 0.0, 0  # time and steps, on the other ranks
        self._ranks = Ranks.of(comm)
        self._number = None if self._ranks is None else self._ranks.number(self)
        self._info, self._variables = self._create(case, n, order, device, threads, sections)
        self._device = self._info.backend if device == "auto" else device

    @together
    def _create(self, case: str | Path | Mapping[str, Any] | None, n: int | None, order: int | None, device: str, threads: int,
                sections: Mapping[str, Any]) -> tuple[SimpleNamespace, dict[str, SimpleNamespace]]:
        """Create the model; its facts and its variables."""
        with tempfile.TemporaryDirectory() as folder:
            path, given = case_of(case, Path(folder), n=n, order=order, **sections)
            settings = [ffi.new("char[]", setting.encode()) for setting in given]
            texts = [ffi.new("char[]", device.encode()), ffi.new("char *[]", settings),
                     ffi.NULL if path is None else ffi.new("char[]", str(path).encode())]
            options = ffi.new("cubeswe_options *", {"backend": texts[0], "settings": texts[1], "case_file": texts[2],
                                                    "setting_count": len(settings), "threads": threads,
                                                    "has_own_forcing": self._own_forcing})
            out = ffi.new("cubeswe_model **")
            call(c.cubeswe_create, options, out)
        library, ranks = c, self._ranks  # it stays loaded until views are gone, which may outlive its module

        def end(_: Any) -> None:  # within ffi.new, too, which holds a lock: it must not call it
            library.cubeswe_destroy(out) if ranks is None else ranks.ended.append(out)

        self._handle = ffi.gc(out[0], end)
        info, variable = ffi.new("cubeswe_info *"), ffi.new("cubeswe_variable *")
        variables: dict[str, SimpleNamespace] = {}
        c.cubeswe_get_info(self._handle, info)
        while c.cubeswe_get_variable(self._handle, len(variables), variable):
            variables[text(variable.name)] = SimpleNamespace(
                units=text(variable.units), long_name=text(variable.meaning), standard_name=text(variable.standard_name),
                dimensions=tuple(text(variable.dimensions).split()), shape=(6, variable.rows, variable.columns),
                can_be_set=bool(variable.can_be_set))
        facts = {name: getattr(info, name) for name in dir(info)}
        return SimpleNamespace(**{name: text(fact) if isinstance(fact, ffi.CData) else fact for name, fact in facts.items()}), variables

    # ---- facts ----

    @property
    def name(self) -> str:
        return str(self._info.name)

    @property
    def n(self) -> int:
        return int(self._info.n)

    @property
    def order(self) -> int:
        return int(self._info.order)

    @property
    def time_step(self) -> float:
        """Length of a step [s]."""
        return float(self._info.time_step)

    @property
    def radius(self) -> float:
        """Radius of the sphere [m]."""
        return float(self._info.radius)

    @property
    def device(self) -> str:
        return str(self._info.device)

    @property
    def configuration(self) -> str:
        """All keys, as YAML."""
        return str(self._info.configuration)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names for `model[name]`."""
        return tuple(self._variables)

    @property
    def tracers(self) -> tuple[str, ...]:
        """Names of the tracers."""
        return tuple(name for name, variable in self._variables.items()
                     if variable.can_be_set and name not in ("h", "v1", "v2", "bottom"))

    def __contains__(self, name: object) -> bool:
        return name in self._variables

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._variables)

    def __reduce__(self) -> Any:
        raise TypeError("a model has memory of the library and is not copied: m.checkpoint(folder) keeps its state, and restore(folder) sets it")

    def __repr__(self) -> str:
        i = self._info
        return (f"<cubeswe.Model {self.name}: {i.equations} flow, n = {i.n}, order {i.order}, "
                f"{6 * i.n**2 + 2} points, {i.bytes / 2**20:.1f} MiB\n"
                f" {'single' if i.is_single else 'double'} precision on {i.backend} ({self.device})"
                f"{f', {i.threads} threads' if i.backend == 'cpu' else ''}\n"
                f" step {i.time_step:.6g} s, Courant number {i.courant:.3g}; time {self.time:.9g} s, {self.steps} steps>")

    # ---- time ----

    @property
    def time(self) -> float:
        """Model time [s]."""
        return float(c.cubeswe_time(self._handle) if self._handle is not None else self._now[0])

    @property
    def steps(self) -> int:
        """Steps since t = 0."""
        return int(c.cubeswe_steps(self._handle) if self._handle is not None else self._now[1])

    @together
    def step(self, count: int = 1) -> None:
        """Advance by whole steps. The state is not checked."""
        self._forced(c.cubeswe_step, count)

    @overload
    def run(self, duration: Time | None = None, *, until: Time | None = None,
            every: Mapping[Time, Callable[[Model], object]] | None = None) -> Model: ...

    @overload
    def run(self, duration: Time | None = None, *, until: Time | None = None, out: str | Path, save: Time | None = None,
            overwrite: bool = False) -> Run: ...

    @together
    def run(self, duration: Time | None = None, *, until: Time | None = None,
            every: Mapping[Time, Callable[[Model], object]] | None = None, out: str | Path | None = None,
            save: Time | None = None, overwrite: bool = False) -> Model | Run:
        """Advance by a duration, or until a time; by default to the end of the case.

        every   functions of the model by their intervals, {"6h": f}: f(model) after each multiple of six hours from
                now on. Ctrl-C, and an exception of such a function, leave the model at a whole step.
        out     folder for what `cubeswe run` writes; the program computes, from a checkpoint of the model, which then
                goes on from the end. The same call from the same state continues a run that was stopped, and reads a
                finished one. save: output.interval; overwrite: replace other results
        """
        start = self.time
        if duration is not None and until is not None:
            raise InputError("run: give a duration or `until`, not both", 64)
        end = start + seconds(duration) if duration is not None else \
            float(self._info.end) if until is None else seconds(until)
        if every is not None and not isinstance(every, Mapping):
            raise InputError('run: `every` is a dictionary, {"6h": function}', 64)
        if out is None and (save is not None or overwrite):
            raise InputError("run: `save` and `overwrite` are of a run in a folder: give `out`", 64)
        if out is not None and every:
            raise InputError("run: `every` is of the model's own steps, and `out` of the program: give one", 64)
        if out is not None:
            return self._run_in(Path(out), end, save, overwrite)
        if duration is None and until is None and start >= end:
            return self
        events = [(seconds(interval), function) for interval, function in (every or {}).items()]
        if any(not interval > 0 for interval, _ in events):
            raise InputError("run: an interval of `every` is not positive", 64)
        due = [1] * len(events)
        while True:
            times = [start + count * interval for count, (interval, _) in zip(due, events)]
            tolerance = 1e-6 * self.time_step
            next_time = min([time for time in times if time < end - tolerance] + [end])
            self._advance(next_time)
            for k, (_, function) in enumerate(events):
                if times[k] <= next_time + tolerance:
                    due[k] += 1
                    function(self)
                    if self.time > next_time + tolerance:
                        raise InputError("run: a function of `every` has advanced the model", 64)
            if next_time == end:
                return self

    def _run_in(self, out: Path, end: float, save: Time | None, overwrite: bool) -> Run:
        from ._program import run_from

        self._check_program("run: `out`")
        if self.forcing:
            raise InputError("run: functions of `forcing` are in this process, and `out` is of the program", 64)
        if not end > self.time:
            raise InputError(f"run: the model is at {self.time:.9g} s already", 64)
        steps = end / self.time_step
        if self._info.needs_whole_steps and abs(steps - round(steps)) > 1e-6:
            raise InputError(f"run: {end:.9g} s is no whole number of steps of {self.time_step:.9g} s, as the forcing of this case needs", 64)
        run, state = run_from(self, out, end, save, overwrite)
        call(c.cubeswe_read_checkpoint, self._handle, str(out).encode(), state.encode())
        self._advance(end)  # where the last step is shorter, its checkpoint precedes it
        return run

    def _check_program(self, what: str) -> None:
        if self._ranks is not None:
            raise InputError(f"{what} is of the program, which a launcher starts on ranks of its own: mpirun -n 4 cubeswe ...", 64)

    def _advance(self, time: float) -> None:
        stop, raised = _stopper()
        poll = ffi.callback("int(void *)", lambda _: 0, onerror=stop)  # Python raises KeyboardInterrupt within it
        self._forced(c.cubeswe_advance, time, poll, ffi.NULL, raised=raised)

    def _forced(self, function: Any, *arguments: Any, raised: list[BaseException] | None = None) -> None:
        """Call a function that steps, with the functions of `forcing`; raise what these or others have raised in it."""
        stop, of_forcing = _stopper()
        force = ffi.NULL
        if self.forcing and not self._own_forcing:
            raise InputError("forcing: create the model with own_forcing=True", 64)
        if self.forcing:
            lon, lat = self._geography["lons"], self._geography["lats"]
            force = ffi.callback("int(void *, double)", lambda _, time: self._set_forcing(time, lon, lat), onerror=stop)
        if self._own_forcing:
            call(c.cubeswe_set_forcing, self._handle, force, ffi.NULL)
            self._force = force  # the library keeps its address
        try:
            call(function, self._handle, *arguments)
        except Error as error:
            reasons = of_forcing + (raised or [])
            if error.status != STOPPED or not reasons:
                raise
            raise reasons[0] from None

    def _set_forcing(self, time: float, lon: Array, lat: Array) -> int:
        h, u, v = self["h"], self["u"], self["v"]
        for array in (h, u, v):
            array.flags.writeable = False
        total = [np.zeros(lon.shape) for _ in range(3)]
        for name, function in self.forcing.items():
            change = function(time, h, u, v, lon, lat)
            parts = change if isinstance(change, (tuple, list)) else (change, None, None)
            if len(parts) != 3:
                raise InputError(f"forcing '{name}': returns dh/dt, or three parts, of h and of both winds", 64)
            for whole, part in zip(total, parts):
                whole += 0 if part is None else self._array("h", part)
        call(c.cubeswe_force, self._handle, *map(_pointer, total), lon.size)
        return 0

    # ---- variables ----

    def _variable(self, name: str) -> Any:
        if name not in self._variables:  # for its sentence
            call(c.cubeswe_get, self._handle, str(name).encode(), ffi.NULL, 0)
        return self._variables[name]

    @together
    def __getitem__(self, name: str) -> Array:
        """A copy of a variable of the present state, (6, rows, columns)."""
        values = np.empty(self._variable(name).shape)
        call(c.cubeswe_get, self._handle, name.encode(), _pointer(values), values.size)
        return values

    @together
    def __setitem__(self, name: str, values: Any) -> None:
        """Set h, v1, v2, a tracer or the bottom; numbers are broadcast."""
        array = self._array(name, values)
        call(c.cubeswe_set, self._handle, name.encode(), _pointer(array), array.size)

    def _array(self, name: str, values: Any) -> Array:
        """Values of a variable: a number, an array of its shape, or a DataArray of its dimensions."""
        variable = self._variable(name)
        dims = tuple(dim for dim in variable.dimensions if dim != "time")
        if set(dims) <= set(getattr(values, "dims", ())):
            values = values.squeeze([dim for dim in values.dims if dim not in dims]).transpose(*dims)
        array = np.asarray(values)
        if array.ndim > 0 and array.shape != variable.shape or array.dtype.kind not in "fiub":
            raise InputError(f"{name}: an array {array.shape} of {array.dtype}, where it has {variable.shape}", 64)
        return np.ascontiguousarray(np.broadcast_to(array.astype(float), variable.shape))

    @together
    def points(self, name: str = "h") -> tuple[Array, Array]:
        """Longitudes and latitudes [degree] of the points of a variable."""
        lon, lat = (np.empty(self._variable(name).shape) for _ in range(2))
        call(c.cubeswe_get_points, self._handle, name.encode(), _pointer(lon), _pointer(lat), lon.size)
        return lon, lat

    @cached_property
    def _geography(self) -> dict[str, Array]:
        """The variables that do not change, for reading."""
        out = {name: self[name] for name, variable in self._variables.items() if "time" not in variable.dimensions}
        for array in out.values():
            array.flags.writeable = False
        return out

    @together
    def set(self, dataset: Any = None, *, wind: tuple[Any, Any] | None = None, **values: Any) -> Model:
        """Set the state.

        dataset    a field file, another file that initial.path may name, or an xarray.Dataset with h, u and v on a grid
                   of longitudes and latitudes, or on a cubed sphere
        wind       zonal and meridional wind [m s-1]: functions of (lon, lat) in degrees, numbers, or arrays at vertices
        values     h, v1, v2, tracers or bottom: functions of (lon, lat), numbers, arrays, or an xarray.DataArray of h
        """
        if dataset is not None:
            self._read(dataset)
        for name, value in values.items():
            if name in ("u", "v"):
                raise InputError(f"{name}: give both components, wind=(u, v)", 64)
            if callable(value):
                self[name] = value(*self.points(name))
            elif name == "h" and self._is_on_another_grid(value):
                v1, v2 = self["v1"], self["v2"]
                self._read(value.to_dataset(name="h"))
                self["v1"], self["v2"] = v1, v2
            else:
                self[name] = value
        if wind is not None:
            if not isinstance(wind, (tuple, list)) or len(wind) != 2:
                raise InputError("wind: a pair, wind=(u, v)", 64)
            self._set_wind(*wind)
        return self

    def _is_on_another_grid(self, value: Any) -> bool:
        return hasattr(value, "to_dataset") and not {"nf", "Ydim", "Xdim"} <= set(value.dims)

    def _set_wind(self, zonal: Any, meridional: Any) -> None:
        if callable(zonal) != callable(meridional):
            raise InputError("wind: both components are functions, or none is", 64)
        if not callable(zonal) and np.ndim(zonal) + np.ndim(meridional) > 0:
            self._read_wind(zonal, meridional)
            return
        for name in ("v1", "v2"):
            points = self.points(name)
            u, v = (self._array(name, f(*points) if callable(f) else f) for f in (zonal, meridional))
            call(c.cubeswe_set_wind, self._handle, name.encode(), _pointer(u), _pointer(v), u.size)

    def _read_wind(self, zonal: Any, meridional: Any) -> None:
        """Interpolate a wind in order 6, as of a file: arrays at vertices, or DataArrays. h stays."""
        import xarray as xr

        h = self["h"]
        of_grid = next((part for part in (zonal, meridional) if self._is_on_another_grid(part)), None)
        if of_grid is not None:
            u, v = (part if hasattr(part, "dims") else xr.full_like(of_grid, part) for part in (zonal, meridional))
            dataset = xr.Dataset({"u": u, "v": v})
            dataset["h"] = xr.full_like(dataset["u"], float(h.mean())).drop_attrs().assign_attrs(units="m")  # read, and replaced below
        else:
            dataset = self.to_xarray(["h", "u", "v"])
            for name, values in (("u", zonal), ("v", meridional)):
                dataset[name] = dataset[name].copy(data=self._array(name, values)[np.newaxis])
        self._read(dataset)
        self["h"] = h

    def _read(self, source: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            is_file = isinstance(source, (str, Path))
            path = Path(source) if is_file else Path(folder) / "state.nc"
            if not is_file and not hasattr(source, "to_netcdf"):
                raise InputError(f"set: a path or an xarray.Dataset, not {type(source).__name__}", 64)
            if not is_file:
                source.to_netcdf(path)
            try:
                call(c.cubeswe_read, self._handle, str(path).encode(), ffi.NULL)
            except InputError as error:
                raise InputError(str(error).replace(str(path), str(path) if is_file else "the dataset"), error.status) from None

    @together
    def _view(self, name: str) -> Any:
        view = ffi.new("cubeswe_view *")
        call(c.cubeswe_get_view, self._handle, name.encode(), view)
        memory = _Memory(self, view)
        return memory if view.is_on_gpu else np.asarray(memory)

    @property
    def h(self) -> Any:
        """A view of h for reading, without a copy; on a GPU an object that CuPy reads. Take it anew after steps."""
        return self._view("h")

    @property
    def v1(self) -> Any:
        """Likewise v1 [m2 s-1]."""
        return self._view("v1")

    @property
    def v2(self) -> Any:
        """Likewise v2 [m2 s-1]."""
        return self._view("v2")

    @together
    def tendency(self) -> dict[str, Array]:
        """The tendencies of h, v1 and v2, per second; without damping and dissipation, which act after a step."""
        out = {}
        for name in ("h", "v1", "v2"):
            out[name] = np.empty(self._variable(name).shape)
            self._forced(c.cubeswe_tendency, name.encode(), _pointer(out[name]), out[name].size)
        return out

    # ---- diagnostics ----

    @property
    @together
    def diagnostics(self) -> dict[str, float]:
        """mass [m3], energy [m5 s-2], circulation [m2 s-1], potential_enstrophy [m s-2], least_h, greatest_h [m], fastest, the
        greatest |u| + sqrt(g h) [m s-1], and courant, its Courant number. Raises Error where the state is not finite."""
        out = ffi.new("cubeswe_diagnostics *")
        call(c.cubeswe_diagnose, self._handle, out)
        return {name: float(getattr(out, name)) for name in dir(out)}

    @property
    def mass(self) -> float:
        return self.diagnostics["mass"]

    @property
    def energy(self) -> float:
        return self.diagnostics["energy"]

    def profile(self, out: str | Path | None = None, **options: Any) -> Profile:
        """Time the stages of a step of this configuration, by the program (cubeswe.profile)."""
        from ._program import profile

        self._check_program("profile")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{self.name}.yaml"
            path.write_text(self.configuration)
            return profile(path, n=self.n, out=out, **{"device": self._device, "threads": int(self._info.threads), **options})

    # ---- files and xarray ----

    @together
    def write(self, path: str | Path, names: str | list[str] | None = None) -> None:
        """Write a field file of the present state: words of output.fields, or names of variables; by default output.fields of the case.

        With "h" and "native", `set(path)` gives the same bits back; the time is not set.
        """
        words = ffi.NULL if names is None else " ".join([names] if isinstance(names, str) else names).encode()
        call(c.cubeswe_write, self._handle, str(path).encode(), words)

    @together
    def checkpoint(self, folder: str | Path) -> str:
        """Write a checkpoint into a folder: `restore`, or `cubeswe run --restart` with the folder, goes on to the same bits, without
        functions of `forcing`. Returns start.state of such runs: "" of the initial state of the case."""
        state = ffi.new("char[65]")
        call(c.cubeswe_write_checkpoint, self._handle, str(folder).encode(), state)
        return text(state)

    @together
    def restore(self, path: str | Path) -> Model:
        """Set state and time from a checkpoint of the same case: a file, the newest of a folder, or the end of a run in its folder."""
        call(c.cubeswe_read_checkpoint, self._handle, str(path).encode(), ffi.NULL)
        return self

    @together
    def to_xarray(self, names: str | list[str] | None = None) -> Any:
        """Variables of the present state as an xarray.Dataset, as in field files; by default h, u, v and the tracers."""
        from ._dataset import dataset_of

        return dataset_of(self, names)


def _stopper() -> tuple[Callable[[Any, Any, Any], int], list[BaseException]]:
    """A function that ends a call of the library when Python raises, and the list of the exceptions."""
    raised: list[BaseException] = []

    def stop(kind: Any, value: BaseException, trace: Any) -> int:
        raised.append(value)
        return 1

    return stop, raised


def _pointer(array: Array) -> Any:
    return ffi.cast("double *", array.ctypes.data)
