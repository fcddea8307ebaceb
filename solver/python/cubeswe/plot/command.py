"""The command line of tools/plot: arguments, files, exit codes."""
import argparse
import math
import re
import sys
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from cubeswe.plot import film
from cubeswe.plot.maps import LatLon, Sphere
from cubeswe.plot.picture import Picture, finite_range, look_of
from cubeswe.plot.snapshot import DATA, NO_INPUT, Refused, Snapshot

USAGE, UNAVAILABLE, CANNOT_CREATE = 64, 69, 73
PICTURES, FILMS = (".png", ".svg", ".pdf"), (".gif", ".mp4")
TAKES_NUMBERS = ("--center", "--range", "--lat-range", "--levels")


class Parser(argparse.ArgumentParser):
    """Arguments that are wrong get one line."""

    def error(self, message):
        raise Refused(USAGE, message)


def numbers(text, count=None):
    values = [float(word) for word in text.split(",")]
    if not all(map(math.isfinite, values)) or count not in (None, len(values)):
        raise ValueError
    return values


def pair(text):
    return numbers(text, 2)


def ascending(text):
    low, high = pair(text)
    if low >= high:
        raise ValueError
    return low, high


def latitudes(text):
    low, high = ascending(text)
    if low < -90 or high > 90:
        raise ValueError
    return low, high


def level_list(text):
    """A number of levels, or the levels."""
    if re.fullmatch(r"\d+", text):
        if not 2 <= int(text) <= 100:
            raise ValueError
        return int(text)
    values = numbers(text)
    if len(values) < 2 or values != sorted(set(values)):
        raise ValueError
    return values


def parse(arguments, description):
    parser = Parser(prog="tools/plot", description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", metavar="FILE", help="a field file")
    parser.add_argument("--animate", metavar="DIR", help="all field files of a run, as a film")
    parser.add_argument("--field", default="h", metavar="NAME", help="field at vertices (default: h)")
    parser.add_argument("--projection", choices=("latlon", "sphere"), default="latlon")
    parser.add_argument("--center", type=pair, default=[0.0, 0.0], metavar="LON,LAT",
                        help="middle of the map; of latlon only its longitude counts")
    parser.add_argument("--lat-range", type=latitudes, metavar="SOUTH,NORTH", help="part of a latlon map")
    parser.add_argument("--levels", type=level_list, metavar="N|A,B,...", help="contours: about N, or these")
    parser.add_argument("--range", type=ascending, metavar="LOW,HIGH",
                        help="of colours (default: of the values, around 0 for those of both signs; of a film, of all frames, "
                             "and on an asinh scale where one is weaker than a third of the strongest)")
    parser.add_argument("--cmap", choices=sorted(colormaps), metavar="NAME", help="a map of colours of matplotlib")
    parser.add_argument("--wind", action="store_true", help="arrows of the wind (fields u and v)")
    parser.add_argument("--outline", metavar="NAME", help="three contours of another field, such as bottom, with their values")
    parser.add_argument("--panels", action="store_true", help="edges of the panels")
    parser.add_argument("--fps", type=int, default=8, choices=range(1, 61), metavar="N", help="of a film (default: 8)")
    parser.add_argument("--dpi", type=int, choices=range(40, 601), metavar="N",
                        help="dots an inch (default: 160, of a film 110)")
    parser.add_argument("-o", "--output", metavar="PATH",
                        help=".png, .svg or .pdf; of a film .gif or .mp4 (needs ffmpeg); replaced if there "
                             "(default: beside FILE, or DIR/FIELD.gif)")
    joined = []  # a value such as -90,30 is no option
    for word in arguments:
        if joined and joined[-1] in TAKES_NUMBERS:
            joined[-1] += "=" + word
        else:
            joined.append(word)
    options = parser.parse_args(joined)
    if (options.file is None) == (options.animate is None):
        parser.error("needs a FILE or --animate DIR (see tools/plot --help)")
    if options.projection == "sphere" and options.lat_range:
        parser.error("--lat-range is of --projection latlon")
    if abs(options.center[1]) > 90:
        parser.error(f"argument --center: no latitude: {options.center[1]:g}")
    return options


def chart_of(options):
    if options.projection == "sphere":
        return Sphere(options.center)
    return LatLon(options.center, options.lat_range or (-90.0, 90.0))


def output_of(options, default, endings):
    path = Path(options.output or default)
    if path.suffix not in endings:
        raise Refused(USAGE, f"{path}: expected a name that ends with {', '.join(endings)}")
    if not path.parent.is_dir() or path.is_dir():
        raise Refused(CANNOT_CREATE, f"{path}: cannot be created there")
    return path


def draw(options):
    """One picture; its path."""
    file = Path(options.file)
    path = output_of(options, file.with_name(f"{file.stem}_{options.field}.png"), PICTURES)
    with Snapshot(options.file) as snapshot:
        chart = chart_of(options)
        figure = Figure(figsize=chart.size, dpi=options.dpi or 160)
        look = look_of(options, *finite_range(snapshot.values(options.field)))
        Picture(chart, snapshot.angles, options.field, look).draw(figure, snapshot)
    figure.savefig(path, bbox_inches="tight", pad_inches=0.08)
    return path


def files_of(folder):
    """Field files of a run, by step."""
    if not Path(folder).is_dir():
        raise Refused(NO_INPUT, f"{folder}: no such folder")
    files = sorted(path for path in Path(folder).iterdir() if re.fullmatch(r"fields_\d{8,}\.nc", path.name))
    if not files:
        raise Refused(NO_INPUT, f"{folder}: has no field files of a run (fields_<step>.nc)")
    return files


def survey(files, name):
    """Vertex angles of all files, least and largest value of a field in all of them, and its largest magnitude in each."""
    sizes, ranges, angles = set(), [], None
    for path in files:
        with Snapshot(path) as snapshot:
            sizes.add(snapshot.n)
            angles = snapshot.angles if angles is None else angles
            if snapshot.n + 1 == angles.size and not np.allclose(snapshot.angles, angles, atol=1e-5, rtol=0):
                raise Refused(DATA, f"{path}: its vertices differ from the ones in {files[0]}")
            ranges.append(finite_range(snapshot.values(name)))
    if len(sizes) > 1:
        raise Refused(DATA, f"{files[0].parent}: its field files have different n: {sorted(sizes)}")
    return (angles, min(low for low, _ in ranges), max(high for _, high in ranges),
            [max(-low, high) for low, high in ranges])


def animate(options):
    """A film; its path."""
    files = files_of(options.animate)
    path = output_of(options, Path(options.animate) / f"{options.field}.gif", FILMS)
    if path.suffix == ".mp4" and not film.has_ffmpeg():
        raise Refused(UNAVAILABLE, f"{path}: there is no ffmpeg for it; a .gif needs none")
    angles, low, high, magnitudes = survey(files, options.field)
    picture = Picture(chart_of(options), angles, options.field, look_of(options, low, high, magnitudes))
    figure = Figure(figsize=picture.chart.size, dpi=options.dpi or 110)

    def frames():
        for file in files:
            figure.clear()
            with Snapshot(file) as snapshot:
                picture.draw(figure, snapshot)
            yield figure

    (film.write_gif if path.suffix == ".gif" else film.write_mp4)(path, figure, frames(), options.fps, picture.look.cmap)
    return path


def main(arguments, description):
    """Draw the requested pictures; the exit code."""
    try:
        options = parse(arguments, description)
        print((animate if options.animate else draw)(options))
        return 0
    except Refused as refused:
        print("plot: " + re.sub(r"[^ -~°]", "?", str(refused)), file=sys.stderr)
        return refused.code
    except OSError as error:
        print(f"plot: {error.filename or options.output}: {error.strerror or error}", file=sys.stderr)
        return CANNOT_CREATE
