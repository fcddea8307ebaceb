"""Datasets on the cubed sphere: the variables of a model, laid out as field files, and what they can do (`ds.cs`)."""
from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

import numpy as np
import xarray as xr

from .remapping import esmf_weights
from .sampling import Sampler, directions, panel_angles, unit_vectors

if TYPE_CHECKING:
    from ._model import Model

GEOGRAPHY = ("lons", "lats", "corner_lons", "corner_lats", "area")
POINT = ("nf", "Ydim", "Xdim")


def attributes(variable: Any) -> dict[str, str]:
    out = {"units": variable.units, "long_name": variable.long_name}
    if variable.dimensions[-3:] == POINT and "time" in variable.dimensions:
        out |= {"grid_mapping": "cubed_sphere", "cell_measures": "area: area"}
    return out | ({"standard_name": variable.standard_name} if variable.standard_name else {})


def dataset_of(model: Model, names: str | list[str] | None) -> xr.Dataset:
    """Variables of the present state with the coordinates of field files."""
    known = model._variables
    names = [names] if isinstance(names, str) else ["h", "u", "v", *model.tracers] if names is None else names
    arrays = {}
    for name in (*GEOGRAPHY, *names):
        values, variable = model._geography[name].copy() if name in GEOGRAPHY else model[name], known[name]
        is_in_time = variable.dimensions[0] == "time"
        arrays[name] = xr.Variable(variable.dimensions, values[np.newaxis] if is_in_time else values, attributes(variable))
    out = xr.Dataset({name: arrays[name] for name in names}, {name: arrays[name] for name in GEOGRAPHY},
                     {"Conventions": "CF-1.8", "title": model.name, "radius": model.radius, "model_time": model.time,
                      "step": model.steps, "order": model.order})
    time = np.datetime64("2000-01-01", "ns") + np.timedelta64(round(model.time * 1e9), "ns")
    out = out.assign_coords(nf=np.arange(1.0, 7.0), time=[time], cubed_sphere=((), np.int32(0), {"grid_mapping_name": "gnomonic cubed-sphere"}))
    for suffix, lons in (("dim", "lons"), ("Cdim", "corner_lons")):
        angles = panel_angles(arrays[lons].values)
        out = out.assign_coords({f"X{suffix}": angles, f"Y{suffix}": angles})
    return out


@xr.register_dataset_accessor("cs")  # type: ignore[no-untyped-call, unused-ignore]
class CubedSphere:
    """A dataset on the cubed sphere: a field file, `Model.to_xarray`, `Run.to_xarray`."""

    def __init__(self, dataset: xr.Dataset) -> None:
        self._dataset = dataset

    def integral(self, name: str) -> xr.DataArray:
        """Integral over the sphere, by the quadrature of the scheme."""
        field = self._dataset[name]
        out = (field * self._dataset["area"]).sum(POINT, keep_attrs=False).rename(name)
        return out.assign_attrs(long_name=f"integral of {name}", units=f"{field.attrs.get('units', '1')} m2")

    def mean(self, name: str) -> xr.DataArray:
        """Mean over the sphere."""
        out = (self.integral(name) / self._dataset["area"].sum()).drop_attrs()
        return out.assign_attrs(long_name=f"mean of {name}", units=self._dataset[name].attrs.get("units", "1"))

    # ---- other grids ----

    def sample(self, lons: Any, lats: Any, dims: tuple[str, ...], coords: dict[str, Any]) -> xr.Dataset:
        """All variables at points, by products of cubic polynomials within panels; u and v as the vector that they are."""
        return self._on(Sampler(unit_vectors(lons, lats), np.radians(panel_angles(self._dataset["lons"].values))), lons, lats, dims, coords)

    def _on(self, sampler: Callable[[Any], Any], lons: Any, lats: Any, dims: tuple[str, ...], coords: dict[str, Any]) -> xr.Dataset:
        source = self._dataset
        fields = {str(name): array for name, array in source.data_vars.items() if array.dims[-3:] == POINT}
        wind = ("u", "v") if {"u", "v"} <= fields.keys() else ()
        sampled = {name: _each(array, sampler) for name, array in fields.items() if name not in wind}
        if wind:
            own = directions(source["lons"].values, source["lats"].values)
            vector = [_each(sum(fields[name] * e[..., k] for name, e in zip(wind, own)), sampler) for k in range(3)]
            sampled |= {name: sum(vector[k] * e[..., k] for k in range(3)) for name, e in zip(wind, directions(lons, lats))}
        data = {name: xr.DataArray(sampled[name], dims=(*array.dims[:-3], *dims), attrs={
            key: value for key, value in array.attrs.items() if key in ("units", "long_name", "standard_name")})
                for name, array in fields.items()}
        times = {"time": source["time"]} if "time" in source.coords else {}
        return xr.Dataset(data, {**coords, **times}, {**source.attrs, "Conventions": "CF-1.8"})

    def to_latlon(self, nlon: int, nlat: int, method: str = "cubic") -> xr.Dataset:
        """Values on a regular grid of longitudes and latitudes.

        method   "cubic": interpolated to the centres of its cells; "conservative": means over its cells, of order 1, which keep
                 constants, the mean over the sphere (`mean`) and, but for u and v, the range of the values of overlapping cells
        """
        lat = (np.arange(nlat) + 0.5) * 180 / nlat - 90
        if method == "cubic":
            return self._to_grid(nlon, lat)
        if method != "conservative":
            raise TypeError(f"no method '{method}': cubic, conservative")
        weights = self.weights(nlon, nlat)
        share, row, col = weights["S"].values, weights["row"].values - 1, weights["col"].values - 1
        out = self._to_grid(nlon, lat, lambda field: np.bincount(row, share * field.ravel()[col], nlon * nlat).reshape(nlat, nlon))
        for field in out.values():
            field.attrs["cell_methods"] = "area: mean"
        return out

    def weights(self, nlon: int, nlat: int) -> xr.Dataset:
        """Weights of the conservative means, which xESMF reads: a file of ESMF_RegridWeightGen after `to_netcdf`.

        Points are in the order (nf, Ydim, Xdim) and (lat, lon). The cell of a point has the area `area`, times the area of the
        sphere over their sum. It is not the cell of corner_lons and corner_lats, which next to panel edges has 0.6 to 2 times that area.
        """
        return esmf_weights(self._dataset, nlon, nlat)

    def to_gaussian(self, nlat: int) -> xr.Dataset:
        """Interpolate to a Gaussian grid of 2 nlat longitudes, whose weights are the variable `weight`."""
        places, weights = np.polynomial.legendre.leggauss(nlat)
        out = self._to_grid(2 * nlat, np.degrees(np.arcsin(places)))
        return out.assign(weight=("lat", weights))

    def _to_grid(self, nlon: int, lat: Any, sampler: Callable[[Any], Any] | None = None) -> xr.Dataset:
        lon = np.arange(nlon) * 360 / nlon
        lons, lats = np.meshgrid(lon, lat)
        coords = {"lon": ("lon", lon, {"units": "degrees_east", "standard_name": "longitude"}),
                  "lat": ("lat", lat, {"units": "degrees_north", "standard_name": "latitude"})}
        return self._on(sampler, lons, lats, ("lat", "lon"), coords) if sampler else self.sample(lons, lats, ("lat", "lon"), coords)

    def zonal_mean(self, nlat: int | None = None) -> xr.Dataset:
        """Means over circles of latitude, at Gaussian latitudes (default: as many as cells between the poles)."""
        return self.to_gaussian(nlat or 2 * self._cells()).drop_vars("weight").mean("lon")

    def _cells(self) -> int:
        return int(self._dataset.sizes["Xdim"]) - 1

    def spectrum(self, name: str, lmax: int | None = None) -> xr.DataArray:
        """Variance of a variable by the degree l of spherical harmonics: its sum over l is the mean of the square.

        By way of a Gaussian grid; needs ducc0. lmax: the greatest degree (default: 2 n, the shortest wave of the grid).
        """
        import ducc0

        lmax = lmax or 2 * self._cells()
        grid = self._dataset[[name, *(g for g in GEOGRAPHY if g in self._dataset)]].cs.to_gaussian(lmax + 1)[name]
        maps = np.ascontiguousarray(grid.values.reshape(-1, *grid.shape[-2:])[:, ::-1])  # from the north pole on
        m = np.concatenate([np.full(lmax + 1 - k, k) for k in range(lmax + 1)])
        degree = np.concatenate([np.arange(k, lmax + 1) for k in range(lmax + 1)])
        out = []
        for values in maps:
            alm = ducc0.sht.analysis_2d(map=values[None].astype(float), spin=0, lmax=lmax, geometry="GL")[0]
            power = np.where(m == 0, 1, 2) * np.abs(alm) ** 2 / (4 * np.pi)
            out.append(np.bincount(degree, power, minlength=lmax + 1))
        return xr.DataArray(np.reshape(out, (*grid.shape[:-2], lmax + 1)), dims=(*grid.dims[:-2], "degree"),
                            coords={"degree": np.arange(lmax + 1)}, name=f"{name}_spectrum")

    def energy_spectrum(self, lmax: int | None = None) -> xr.DataArray:
        """Kinetic energy for each mass [m2 s-2] by degree, from vorticity and divergence."""
        missing = {"vorticity", "divergence"} - set(self._dataset)
        if missing:
            raise ValueError(f"energy_spectrum: the dataset has no {', '.join(sorted(missing))}: name both in to_xarray")
        rotational, divergent = (self.spectrum(name, lmax) for name in ("vorticity", "divergence"))
        degree = rotational["degree"]
        scale = float(self._dataset.attrs["radius"]) ** 2 / (2 * degree * (degree + 1)).where(degree > 0)
        out = ((rotational + divergent) * scale).fillna(0).rename("energy_spectrum")
        return out.assign_attrs(long_name="kinetic energy for each mass", units="m2 s-2")

    # ---- pictures and meshes ----

    def plot(self, name: str = "h", projection: str = "latlon", center: tuple[float, float] = (0, 0), path: str | Path | None = None,
             time: int = -1, figure: Any = None, **look: Any) -> Any:
        """Draw a variable, as tools/plot: a matplotlib figure, saved where `path` is given.

        projection   "latlon", "sphere", "north" or "south"; look: levels, range, cmap, wind, outline, panels, dpi
        figure       a figure or subfigure of matplotlib to draw in: plt.figure().subfigures(1, 2)[0]
        """
        from .plot.draw import draw

        dataset = self._dataset.isel(time=time) if "time" in self._dataset.dims else self._dataset
        return draw(dataset, name, projection, center, path, figure, look)

    def to_uxarray(self) -> Any:
        """The dataset on a mesh of uxarray, which reads it as a cubed sphere of GEOS."""
        import tempfile

        import uxarray

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "fields.nc"
            self._dataset.to_netcdf(path)
            return uxarray.open_dataset(str(path), str(path)).load()


def _each(array: xr.DataArray, sampler: Callable[[Any], Any]) -> Any:
    """The sampled values of each time."""
    values = np.asarray(array.values, dtype=float)
    parts = [sampler(field) for field in values.reshape(-1, *values.shape[-3:])]
    return np.reshape(parts, (*values.shape[:-3], *parts[0].shape))
