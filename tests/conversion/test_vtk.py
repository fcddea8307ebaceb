"""Converted files in VTK: they are read without a message, and drawn."""
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

os.environ["VTK_DEFAULT_OPENGL_WINDOW"] = "vtkEGLRenderWindow"  # needs no X server

from vtkmodules.util.numpy_support import vtk_to_numpy  # noqa: E402
from vtkmodules.vtkCommonCore import VTK_FLOAT  # noqa: E402
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline  # noqa: E402
from vtkmodules.vtkFiltersVerdict import vtkMeshQuality  # noqa: E402
from vtkmodules.vtkIONetCDF import vtkNetCDFUGRIDReader  # noqa: E402
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader  # noqa: E402

import draw

N, RADIUS, USAGE, HANGS = 14, 2.5, 64, 300
NODES, FACES, VTK_QUAD = 6 * N ** 2 + 2, 6 * N ** 2, 9
CASE = f"""grid: {{n: {N}}}
physics: {{model: nonlinear, radius: {RADIUS}, rotation: 0.5, gravity: 9.8, depth: 4}}
initial: {{kind: williamson2, period: 10}}
time: {{end: 0.1, dt: 0.01}}
output: {{every: 5}}
"""


def cubeswe(folder, *arguments, code=0):
    done = subprocess.run([os.environ["CUBESWE"], *map(str, arguments)], cwd=folder, text=True, capture_output=True,
                          check=False, timeout=HANGS)
    assert done.returncode == code, done.stderr
    return done.stderr


@pytest.fixture(name="folder", scope="module")
def fixture_folder(tmp_path_factory):
    """A run of a steady rotation about the axis of the poles: field files of steps 0, 5 and 10 in out/."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "case.yaml").write_text(CASE)
    cubeswe(folder, "run", "case.yaml", "--output", "out", "--backend", "cpu", "--quiet")
    return folder


def converted(folder, form, *arguments):
    cubeswe(folder, "convert", "out/fields_00000010.nc", "--to", form, "--output", f"out.{form}",
            "--overwrite", "--quiet", *arguments)
    return folder / f"out.{form}"


def read(reader, path, capfd):
    """The data of a file, which the reader must load without a message."""
    reader.SetFileName(str(path))
    reader.Update()
    assert reader.GetErrorCode() == 0 and capfd.readouterr().err == ""
    return reader.GetOutput()


def points_of(grid):
    return vtk_to_numpy(grid.GetPoints().GetData()).astype(float)


def values_of(grid):
    data = grid.GetPointData()
    return {data.GetArrayName(k): vtk_to_numpy(data.GetArray(k)) for k in range(data.GetNumberOfArrays())}


def depth(latitude, values):
    """Amplitude c in h = h0 - c sin^2 of the steady rotation, by least squares, and the largest residual."""
    columns = np.stack([np.ones(len(latitude)), np.sin(latitude) ** 2], -1)
    fit = np.linalg.lstsq(columns, values, rcond=None)[0]
    return -fit[1], np.abs(values - columns @ fit).max()


SPEED = 2 * np.pi * RADIUS / 10
BULGE = (RADIUS * 0.5 * SPEED + SPEED ** 2 / 2) / 9.8


def test_vtk_reads_ugrid(folder, capfd):
    reader = vtkNetCDFUGRIDReader()
    cubeswe(folder, "convert", "out/fields_00000010.nc", "--to", "ugrid", "--output", "mesh.nc", "--quiet")
    grid = read(reader, folder / "mesh.nc", capfd)
    assert (grid.GetNumberOfPoints(), grid.GetNumberOfCells()) == (NODES, FACES)
    assert {grid.GetCellType(k) for k in range(FACES)} == {VTK_QUAD}
    values = values_of(grid)
    assert values.keys() == {"area", "h", "u", "v"}
    latitude = np.radians(points_of(grid)[:, 1])
    assert depth(latitude, values["h"]) == (pytest.approx(BULGE, rel=0.01), pytest.approx(0, abs=0.01 * BULGE))
    assert np.abs(values["u"] - SPEED * np.cos(latitude)).max() < 0.01 * SPEED


def test_vtk_reads_every_time_of_ugrid(folder, capfd):
    files = sorted(str(path.relative_to(folder)) for path in folder.glob("out/fields_*.nc"))
    cubeswe(folder, "convert", *files, "--to", "ugrid", "--output", "times.nc", "--quiet")
    reader = vtkNetCDFUGRIDReader()
    read(reader, folder / "times.nc", capfd)
    times = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    assert times == pytest.approx((0, 0.05, 0.1))


def test_vtk_reads_vtu(folder, capfd):
    reader = vtkXMLUnstructuredGridReader()
    grid = read(reader, converted(folder, "vtu"), capfd)
    assert (grid.GetNumberOfPoints(), grid.GetNumberOfCells()) == (NODES, FACES)
    assert reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS()) == pytest.approx((0.1,))
    r, values = points_of(grid), values_of(grid)
    assert np.abs(np.linalg.norm(r, axis=1) - RADIUS).max() < 1e-14 * RADIUS
    assert values.keys() == {"h", "u", "v", "wind"} and values["h"].dtype == np.float64
    latitude = np.arcsin(r[:, 2] / RADIUS)
    assert depth(latitude, values["h"]) == (pytest.approx(BULGE, rel=0.01), pytest.approx(0, abs=0.01 * BULGE))
    rotation = SPEED / RADIUS * np.cross([0, 0, 1], r)
    assert np.abs(values["wind"] - rotation).max() < 0.01 * SPEED


def test_faces_of_vtu_look_outward_and_cover_the_sphere(folder, capfd):
    grid = read(vtkXMLUnstructuredGridReader(), converted(folder, "vtu"), capfd)
    quality = vtkMeshQuality()
    quality.SetInputData(grid)
    quality.SetQuadQualityMeasureToArea()
    quality.Update()
    area = vtk_to_numpy(quality.GetOutput().GetCellData().GetArray("Quality")).sum()
    assert area == pytest.approx(4 * np.pi * RADIUS ** 2, rel=0.02)
    corners = points_of(grid)[vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(FACES, 4)]
    outward = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    assert (np.sum(outward * corners.mean(axis=1), axis=-1) > 0).all()


def test_single_precision_stays_single(folder, capfd):
    cubeswe(folder, "run", "case.yaml", "--output", "single", "--set", "output.precision=single", "--quiet")
    cubeswe(folder, "convert", "single/fields_00000010.nc", "--to", "vtu", "--quiet")
    grid = read(vtkXMLUnstructuredGridReader(), folder / "single/vtu/fields_00000010.vtu", capfd)
    full = read(vtkXMLUnstructuredGridReader(), converted(folder, "vtu"), capfd)
    for name, values in values_of(full).items():
        found = grid.GetPointData().GetArray(name)
        assert found.GetDataType() == VTK_FLOAT
        np.testing.assert_allclose(vtk_to_numpy(found), values, rtol=0, atol=1e-6 * np.abs(values).max())


def test_chosen_fields_only(folder, capfd):
    path = converted(folder, "vtu", "--fields", "h,v")
    assert values_of(read(vtkXMLUnstructuredGridReader(), path, capfd)).keys() == {"h", "v"}


def test_a_vtu_has_one_time(folder):
    files = ["out/fields_00000005.nc", "out/fields_00000010.nc"]
    assert "one time" in cubeswe(folder, "convert", *files, "--to", "vtu", "--output", "two.vtu", code=USAGE)
    assert "two.nc" in cubeswe(folder, "convert", *files, "--to", "vtu", "--output", "two.nc", code=USAGE)
    assert "two.vtu" in cubeswe(folder, "convert", *files, "--to", "ugrid", "--output", "two.vtu", code=USAGE)
    cubeswe(folder, "convert", *files, "--to", "vtu", "--quiet")
    assert {path.name for path in (folder / "out/vtu").iterdir()} == {"fields_00000005.vtu", "fields_00000010.vtu"}


def test_a_full_disk_leaves_nothing(folder):
    """A limit on the size of files stands in for a full disk."""
    command = f'ulimit -f 20; exec "{os.environ["CUBESWE"]}" convert out/fields_00000010.nc --to vtu --output new/out.vtu'
    done = subprocess.run(["/bin/bash", "-c", command], cwd=folder, text=True, capture_output=True, check=False, timeout=HANGS)
    assert done.returncode == 74 and len(done.stderr.splitlines()) == 1 and "new/out.vtu" in done.stderr
    assert not (folder / "new").exists()


def test_vtk_draws_both(folder, tmp_path):
    """The depth is least at the poles: they are dark, the equator is light, and the background is empty."""
    if not draw.can_draw():
        pytest.skip("VTK finds no OpenGL without a screen (Debian packages libegl1, libgl1-mesa-dri)")
    cubeswe(folder, "convert", "out/fields_00000010.nc", "--to", "ugrid", "--output", "drawn.nc", "--quiet")
    path = tmp_path / "both.png"
    pixels = draw.draw(converted(folder, "vtu"), folder / "drawn.nc", "h", path)
    assert Path(path).stat().st_size > 1000
    height, width, _ = pixels.shape
    globe, plane = pixels[:, :width // 2].astype(int), pixels[:, width // 2:].astype(int)
    for picture in (globe, plane):
        background = (picture == 255).all(axis=-1)
        assert background[0].all() and background[-1].all() and 0.2 < background.mean() < 0.8
        assert not background[height // 2, width // 4]
    middle = globe[:, width // 4]
    inside = np.flatnonzero((middle != 255).any(axis=-1))
    assert middle[height // 2].sum() > middle[inside[4]].sum() + 100
