"""Draw a field of a .vtu file on the sphere, beside that of a UGRID file on a map, with VTK and without a screen.

    python tests/conversion/draw.py FILE.vtu FILE.nc FIELD PICTURE.png
"""
import os
import sys

os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")  # needs no X server

from vtkmodules.util.numpy_support import vtk_to_numpy  # noqa: E402
from vtkmodules.vtkCommonCore import vtkLookupTable  # noqa: E402
from vtkmodules.vtkIOImage import vtkPNGWriter  # noqa: E402
from vtkmodules.vtkIONetCDF import vtkNetCDFUGRIDReader  # noqa: E402
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader  # noqa: E402
from vtkmodules.vtkRenderingCore import (vtkActor, vtkDataSetMapper, vtkRenderer, vtkRenderWindow,  # noqa: E402
                                         vtkWindowToImageFilter)
import vtkmodules.vtkRenderingOpenGL2  # noqa: E402,F401  how vtkRenderWindow draws

SIZE = (800, 400)
COLOURS = [(0.27, 0.00, 0.33), (0.23, 0.32, 0.55), (0.13, 0.57, 0.55), (0.37, 0.79, 0.38), (0.99, 0.91, 0.14)]


def colours():
    """A colour table from dark to light."""
    table = vtkLookupTable()
    table.SetNumberOfTableValues(256)
    for k in range(256):
        place = k / 255 * (len(COLOURS) - 1)
        low = min(int(place), len(COLOURS) - 2)
        table.SetTableValue(k, *(a + (place - low) * (b - a) for a, b in zip(COLOURS[low], COLOURS[low + 1])), 1)
    return table


def window_of(*renderers):
    window = vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetSize(*SIZE)
    for k, renderer in enumerate(renderers):
        renderer.SetViewport(k / len(renderers), 0, (k + 1) / len(renderers), 1)
        window.AddRenderer(renderer)
    return window


def can_draw():
    window = window_of(vtkRenderer())
    return bool(window.SupportsOpenGL())


def scene(reader, path, field, eye):
    """A renderer of one file: of a globe seen from `eye`, or of a map seen from above (None)."""
    reader.SetFileName(str(path))
    reader.Update()
    grid = reader.GetOutput()
    grid.GetPointData().SetActiveScalars(field)
    mapper = vtkDataSetMapper()
    mapper.SetInputData(grid)
    mapper.SetScalarRange(*grid.GetPointData().GetArray(field).GetRange())
    mapper.SetLookupTable(colours())
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().LightingOff()
    renderer = vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    renderer.AddActor(actor)
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    if eye is not None:
        camera.SetPosition(*eye)
        camera.SetViewUp(0, 0, 1)
    renderer.ResetCamera()
    camera.Zoom(1.6 if eye is not None else 1.15)
    return renderer


def draw(vtu, ugrid, field, picture, eye=(1, 0, 0)):
    """Write the picture; returns its pixels (rows from above, columns, 3)."""
    window = window_of(scene(vtkXMLUnstructuredGridReader(), vtu, field, eye),
                       scene(vtkNetCDFUGRIDReader(), ugrid, field, None))
    window.Render()
    image = vtkWindowToImageFilter()
    image.SetInput(window)
    image.ReadFrontBufferOff()
    writer = vtkPNGWriter()
    writer.SetInputConnection(image.GetOutputPort())
    writer.SetFileName(str(picture))
    writer.Write()
    width, height, _ = image.GetOutput().GetDimensions()
    return vtk_to_numpy(image.GetOutput().GetPointData().GetScalars()).reshape(height, width, -1)[::-1]


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    draw(*sys.argv[1:], eye=(0.5, -0.5, 0.8))
