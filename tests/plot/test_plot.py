"""tools/plot: pictures and films of field files, and refusals in one line."""
import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import h5py
import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.quiver import QuiverKey
from PIL import Image

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "solver/python"))
from cubeswe import sampling  # noqa: E402
from cubeswe.plot import command, film, maps, picture, snapshot  # noqa: E402

USAGE, DATA, NO_INPUT, UNAVAILABLE, CANNOT_CREATE = 64, 65, 66, 69, 73
N = 12


def angles(n, bend=0.0):
    """Of the vertices along a panel; with a bend they are nearer at its edges."""
    s = np.linspace(-1, 1, n + 1)
    return np.pi / 4 * (s + bend * np.sin(np.pi * s))


def vertices(n, bend=0.0):
    """Unit vectors (6, n + 1, n + 1, 3)."""
    t = np.tan(angles(n, bend))
    r = np.stack([f[0] + t[:, None] * f[1] + t[:, None, None] * f[2] for f in sampling.FRAMES])
    return r / np.linalg.norm(r, axis=-1, keepdims=True)


def smooth(r):
    return r[..., 0] * r[..., 1] + 0.5 * r[..., 2] ** 3 + 0.2 * r[..., 2]


def write_fields(path, n=N, time=3600.0, bend=0.0, **fields):
    r = vertices(n, bend)
    lon, lat = np.arctan2(r[..., 1], r[..., 0]), np.arcsin(r[..., 2])
    with h5py.File(path, "w") as file:
        file["lons"], file["lats"], file["time"] = np.degrees(lon), np.degrees(lat), [time]
        file.attrs.update({"title": "a $case", "order": 4})
        for name, values in {"h": smooth(r), "u": np.cos(lat), "v": 0 * lat, **fields}.items():
            file[name] = values[None]
            file[name].attrs.update({"units": "m s-1", "long_name": f"the {name}"})
    return path


def plot_by_script(*arguments, folder):
    return subprocess.run([sys.executable, REPOSITORY / "tools/plot", *map(str, arguments)], cwd=folder, text=True,
                          capture_output=True, check=False, timeout=120, stdin=subprocess.DEVNULL)


def plot(*arguments, folder):
    """The function that tools/plot calls, without the seconds in which a process of its own loads matplotlib."""
    out, failure = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(failure):
        code = command.main(list(map(str, arguments)), "Draw.")
    return SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=failure.getvalue())


def draws(*arguments, folder):
    done = plot(*arguments, folder=folder)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return folder / done.stdout.strip()


def options(**changes):
    return type("Options", (), {"field": "h", "range": None, "levels": None, "cmap": None, "wind": False,
                                "outline": None, "panels": False, **changes})


def figure_of(path, chart, name="h", **changes):
    with snapshot.Snapshot(path) as file:
        look = picture.look_of(options(field=name, **changes), *picture.finite_range(file.values(name)))
        figure = Figure(figsize=chart.size)
        picture.Picture(chart, file.angles, name, look).draw(figure, file)
    return figure


# ---- the script ----------------------------------------------------------------------------------

def test_the_script_draws_and_refuses(tmp_path):
    path = write_fields(tmp_path / "a.nc")
    done = plot_by_script(path, "-o", "a.png", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "a.png\n", "") and (tmp_path / "a.png").stat().st_size > 1000
    refused, here = plot_by_script("nowhere.nc", folder=tmp_path), plot("nowhere.nc", folder=tmp_path)
    assert (refused.returncode, refused.stdout, refused.stderr) == (here.returncode, here.stdout, here.stderr)
    assert here.returncode == NO_INPUT and "usage: tools/plot" in plot_by_script("--help", folder=tmp_path).stdout


# ---- what is drawn -------------------------------------------------------------------------------

@pytest.mark.parametrize("bend", [0.0, 0.05])
def test_values_anywhere_on_the_sphere(bend):
    """Cubic polynomials: order 4, also at poles, panel edges and cube vertices, where nothing is missing."""
    rng = np.random.default_rng(1)
    r = rng.standard_normal((3000, 3))
    r = np.concatenate([r, np.eye(3), -np.eye(3), [[1, 1, 1], [1, 1, 0], [-1, 0, 1]]])
    r /= np.linalg.norm(r, axis=1, keepdims=True)
    coarse, fine = (np.abs(sampling.Sampler(r, angles(n, bend))(smooth(vertices(n, bend))) - smooth(r)).max()
                    for n in (16, 32))
    assert fine < 1e-4 and np.log2(coarse / fine) > 3.5
    assert np.abs(sampling.Sampler(r, angles(8, bend))(np.full((6, 9, 9), 2.5)) - 2.5).max() < 1e-14


@pytest.mark.parametrize("bend", [0.0, 0.05])
def test_vertices_are_drawn_as_they_are(bend):
    values = np.random.default_rng(2).standard_normal((6, N + 1, N + 1))
    values[:, [0, -1], :] = values[:, :, [0, -1]] = 0  # the same in all copies
    assert np.abs(sampling.Sampler(vertices(N, bend), angles(N, bend))(values) - values).max() < 1e-12


def test_axes_of_a_map(tmp_path):
    write_fields(tmp_path / "f.nc")
    figure = figure_of(tmp_path / "f.nc", maps.LatLon((90.0, 0.0), (10.0, 80.0)))
    axes = figure.axes[0]
    assert axes.get_xlim() == (-90, 270) and axes.get_ylim() == (10, 80)
    image = axes.get_images()[0]
    chart_lat, chart_lon = np.radians(10 + 70 * 0.25), np.radians(-90 + 360 * 0.75)
    rows, columns = image.get_array().shape
    found = image.get_array()[rows // 4, 3 * columns // 4]
    expected = smooth(np.array([np.cos(chart_lat) * np.cos(chart_lon), np.cos(chart_lat) * np.sin(chart_lon), np.sin(chart_lat)]))
    assert found == pytest.approx(expected, abs=0.01)
    assert axes.get_title() == r"a \$case, n = 12, order 4, t = 3600 s"
    figure.canvas.draw()
    assert [text.get_text() for text in axes.get_xticklabels()][1:3] == ["60°W", "0°"]


def test_axes_of_a_sphere(tmp_path):
    write_fields(tmp_path / "f.nc")
    for center in ((0.0, 90.0), (30.0, -20.0)):
        image = figure_of(tmp_path / "f.nc", maps.Sphere(center)).axes[0].get_images()[0]
        middle = image.get_array()[450, 450]
        assert middle == pytest.approx(smooth(sampling.unit_vectors(*center)), abs=0.01)
        assert image.get_clip_path() is not None and image.get_extent() == [-1, 1, -1, 1]


def test_right_and_up_of_a_sphere():
    chart = maps.Sphere((20.0, 40.0))
    east, north = chart.points[450, 460], chart.points[460, 450]
    lon, lat = np.degrees(np.arctan2(east[1], east[0])), np.degrees(np.arcsin(north[2]))
    assert lon > 20.5 and lat > 40.5


@pytest.mark.parametrize("name, low, high, limits, cmap", [
    ("h", 1.0, 3.0, (1.0, 3.0), picture.SEQUENTIAL), ("h", -1.0, 3.0, (-3.0, 3.0), picture.DIVERGING),
    ("h", -1e-6, 3.0, (-1e-6, 3.0), picture.SEQUENTIAL), ("h_error", 0.0, 2.0, (-2.0, 2.0), picture.DIVERGING),
    ("vorticity", -1.0, 9.0, (-9.0, 9.0), picture.DIVERGING), ("divergence", 0.0, 0.0, (-1.0, 1.0), picture.DIVERGING),
    ("potential_vorticity", 1.0, 2.0, (1.0, 2.0), picture.SEQUENTIAL), ("h", 0.0, 0.0, (-1.0, 1.0), picture.SEQUENTIAL),
    ("h", 1e4, 1e4, (9990.0, 10010.0), picture.SEQUENTIAL)])
def test_ranges_and_colours(name, low, high, limits, cmap):
    assert picture.limits_of(name, low, high) == (pytest.approx(limits), cmap)


def test_levels_colour_around_zero():
    look = picture.look_of(options(levels=[-1.0, 0.0, 3.0]), -1.0, 2.0)
    assert (look.limits, look.levels, look.is_cut) == ((-3.0, 3.0), [-1.0, 0.0, 3.0], True)


def test_arrows_point_where_the_wind_goes(tmp_path):
    """A wind to the east: to the right on a map, around the pole on the sphere."""
    write_fields(tmp_path / "f.nc")
    for chart in (maps.LatLon((0.0, 0.0), (-90.0, 90.0)), maps.Sphere((0.0, 90.0))):
        axes = figure_of(tmp_path / "f.nc", chart, wind=True).axes[0]
        arrows = next(item for item in axes.collections if hasattr(item, "U"))
        if isinstance(chart, maps.LatLon):
            assert (arrows.U > 0).all() and np.abs(arrows.V).max() < 1e-3
        else:
            turn = arrows.X * arrows.V - arrows.Y * arrows.U
            np.testing.assert_allclose(turn, arrows.X ** 2 + arrows.Y ** 2, atol=5e-3)


def test_an_outline_is_at_quarters_of_its_field(tmp_path):
    """For the sine of the latitude: parallels at 30 degrees and the equator, with the values there; for a constant: nothing."""
    r = vertices(N)
    write_fields(tmp_path / "f.nc", bump=r[..., 2], high=3000 + r[..., 2], flat=np.ones(r.shape[:-1]))
    chart = maps.LatLon((0.0, 0.0), (-90.0, 90.0))
    drawn = [figure_of(tmp_path / "f.nc", chart, **look).axes[0] for look in
             ({}, {"outline": "flat"}, {"outline": "bump"}, {"outline": "high"})]
    assert [len(axes.collections) for axes in drawn[:2]] == [0, 0]
    heights = np.concatenate([path.vertices[:, 1] for item in drawn[2].collections for path in item.get_paths()])
    assert np.unique(np.round(heights)).tolist() == [-30, 0, 30]
    places = {(text.get_text().replace("\N{MINUS SIGN}", "-"), round(text.get_position()[1])) for axes in drawn[2:] for text in axes.texts}
    assert places == {("-0.5", -30), ("0", 0), ("0.5", 30), ("2999.5", -30), ("3000", 0), ("3000.5", 30)}


def test_values_beyond_the_limb_are_left_out(tmp_path):
    write_fields(tmp_path / "f.nc", bump=vertices(N)[..., 2])
    texts = figure_of(tmp_path / "f.nc", maps.Sphere((0.0, 60.0)), outline="bump").axes[0].texts
    assert texts and all(text.get_visible() == (np.hypot(*text.get_position()) < 0.9) for text in texts)


def test_errors_at_panel_edges_are_seen_between_the_lines(tmp_path):
    """A field that differs from zero only where panels meet keeps most of its pixels under --panels."""
    n = 192  # a cell is about a pixel
    spikes = np.zeros((6, n + 1, n + 1))
    spikes[:, [0, -1]] = spikes[:, :, [0, -1]] = 1.0
    write_fields(tmp_path / "f.nc", n, h_error=spikes)
    for chart in (maps.LatLon((0.0, 0.0), (-90.0, 90.0)), maps.Sphere((0.0, 30.0))):
        bare, lined = (redness_of(figure_of(tmp_path / "f.nc", chart, "h_error", panels=panels)) for panels in (False, True))
        at_edges = bare > 0.7 * bare.max()
        kept = (lined > 0.8 * bare)[at_edges].mean()
        assert at_edges.sum() > 1000 and 0.5 < kept < 0.9, kept


def redness_of(figure):
    """Red minus blue of the pixels left of the colour bar."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba()).astype(int)[:, :int(0.79 * figure.bbox.width)]
    return pixels[..., 0] - pixels[..., 2]


@pytest.mark.parametrize("chart", [maps.LatLon((0.0, 0.0), (-90.0, 90.0)), maps.Sphere((0.0, 30.0))],
                         ids=["latlon", "sphere"])
@pytest.mark.parametrize("speed", [1.6e-3, 82.0, 1.6e-5])
def test_no_text_is_cut_off(tmp_path, chart, speed):
    """Arrows of --wind and their legend, and the colour bar: in a film, and in a picture, which is cropped."""
    r = vertices(N)
    write_fields(tmp_path / "f.nc", u=speed * np.hypot(r[..., 0], r[..., 1]))
    figure = figure_of(tmp_path / "f.nc", chart, wind=True)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer, dpi = canvas.get_renderer(), figure.dpi
    key = next(item for item in figure.axes[0].get_children() if isinstance(item, QuiverKey)).text
    bar, = figure.axes[0].child_axes
    cropped = figure.get_tightbbox(renderer).padded(0.08)
    for text in (key, bar.yaxis.label, figure.axes[0].title):
        box = text.get_window_extent(renderer)
        assert text.get_text()
        for left, right, low, high in ((0, figure.get_figwidth(), 0, figure.get_figheight()),
                                       (cropped.x0, cropped.x1, cropped.y0, cropped.y1)):
            assert left * dpi <= box.x0 and box.x1 <= right * dpi and low * dpi <= box.y0 and box.y1 <= high * dpi
    assert not key.get_window_extent(renderer).overlaps(bar.get_tightbbox(renderer))


@pytest.mark.parametrize("levels", [6, 9, [-1.1, -0.7, -0.3, 0.1, 0.5, 0.9], [-0.5, 0.0, 0.5], [-3.0, -0.1, 0.1, 3.0]], ids=str)
def test_a_colour_bar_of_contours_on_both_sides_has_a_zero(tmp_path, levels):
    """Also if the contours omit zero, as contours of vorticity do, so that rounding draws no line."""
    write_fields(tmp_path / "f.nc")
    figure = figure_of(tmp_path / "f.nc", maps.LatLon((0.0, 0.0), (-90.0, 90.0)), levels=levels)
    bar, = figure.axes[0].child_axes
    low, high = bar.get_ylim()
    ticks = [x for x in bar.get_yticks() if low <= x <= high]
    assert 2 < len(ticks) < 12 and min(map(abs, ticks)) < 1e-12
    drawn = figure.axes[0].collections[0].levels
    assert all(np.abs(drawn - x).min() < 1e-12 for x in ticks if abs(x) > 1e-12)  # on contours


def test_a_film_shows_its_weakest_frame():
    """Colours are of all frames and reach the strongest; a weak one gets half of them; one at rest does not count."""
    def film_of(*magnitudes, **looks):
        return picture.look_of(options(field="vorticity", **looks), -max(magnitudes), 0.0, magnitudes)
    for weakest in (0.2, 0.01):
        look = film_of(1.0, weakest, 1e-9)
        norm = look.norm()
        assert look.limits == (-1.0, 1.0) and [norm(x) for x in (-1.0, 0.0, 1.0)] == pytest.approx([0, 0.5, 1])
        assert norm(weakest) == pytest.approx(0.75, abs=0.02)
        values = picture.round_values(norm, 9)
        assert 0.0 in values and len(values) >= 5 and [-x for x in reversed(values)] == values
    for look in (film_of(1.0, 0.4), film_of(1.0, 1e-9), film_of(1.0, 0.1, range=(-2.0, 2.0)), film_of(1.0, 0.1, levels=[-1.0, 1.0])):
        assert look.linear_width is None
    assert picture.look_of(options(), 1.0, 2.0, [2.0, 0.1]).linear_width is None  # of one sign


@pytest.mark.parametrize("look", [[], ["--levels", "8"]], ids=" ".join)
def test_the_end_of_a_film_is_seen(tmp_path, look):
    (tmp_path / "run").mkdir()
    for step, size in ((0, 1.0), (1, 0.05)):
        write_fields(tmp_path / f"run/fields_{step:08d}.nc", vorticity=size * smooth(vertices(N)))
    with Image.open(draws("--animate", "run", "--field", "vorticity", *look, "-o", "film.gif", folder=tmp_path)) as gif:
        gif.seek(1)
        pixels = np.asarray(gif.convert("RGB")).astype(int)[:, :int(0.78 * gif.width)]
    assert np.abs(pixels[..., 0] - pixels[..., 2]).max() > 80  # on a linear scale 15


def test_durations():
    times = {1.0: "1 s", 7199: "7199 s", 7200: "2 h", 2 * 86400: "2 d", 6.25 * 86400: "6.25 d"}
    assert {t: snapshot.duration(t) for t in times} == times


def test_frames_share_a_palette():
    colours = np.array(film.palette_of("RdBu_r").getpalette()).reshape(-1, 3)
    middle = np.rint(255 * np.array(colormaps["RdBu_r"](0.5)[:3]))
    assert np.abs(colours - middle).sum(axis=1).min() <= 3 and [0, 0, 0] in colours.tolist()


# ---- the program ---------------------------------------------------------------------------------

def assert_drawn(path, least=60):
    """A picture that is not blank: many colours, and room around them."""
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB"))
    colours, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_counts=True)
    assert len(colours) > least and counts.max() < 0.9 * pixels[..., 0].size
    assert (pixels[0] > 200).all()
    return pixels


@pytest.mark.parametrize("look", [[], ["--projection", "sphere", "--center", "-90,30", "--wind", "--panels"],
                                  ["--levels", "8", "--cmap", "cividis"], ["--lat-range", "-10,80", "--range", "-1,1"], ["--outline", "u", "--projection", "sphere"],
                                  ["--levels", "-0.5,0,0.5", "--projection", "sphere"]], ids=" ".join)
def test_a_picture_is_written(tmp_path, look):
    write_fields(tmp_path / "f.nc")
    assert_drawn(draws("f.nc", *look, "-o", "out.png", folder=tmp_path))


def test_pictures_of_a_run(tmp_path):
    """Files of a run and of a study of convergence; the largest height is where it is drawn."""
    case = "grid: {n: 16}\ninitial: {kind: gaussian, lon: 90, lat: 0}\ntime: {end: 0.1}\noutput: {every: 1}\n"
    (tmp_path / "case.yaml").write_text(case)
    for words in (["run", "case.yaml", "--output", "out"], ["converge", "case.yaml", "--n", "16", "--output", "study"]):
        subprocess.run([os.environ["CUBESWE"], *words, "--quiet", "--backend", "cpu"], cwd=tmp_path, check=True, timeout=120)
    picture_path = draws("out/fields_00000000.nc", "--range", "0,0.01", folder=tmp_path)
    assert picture_path == tmp_path / "out/fields_00000000_h.png"
    pixels = assert_drawn(picture_path).astype(int)
    yellow = (np.abs(pixels - (255 * np.array(colormaps["viridis"](1.0)[:3]))).sum(axis=-1) < 30)
    row, column = (np.median(x) for x in np.nonzero(yellow[:, :int(0.85 * pixels.shape[1])]))
    assert 0.4 < row / pixels.shape[0] < 0.6 and 0.6 < column / pixels.shape[1] < 0.75
    assert_drawn(draws("study/fields_order4_n0016.nc", "--field", "h_error", "-o", "e.png", folder=tmp_path))
    with Image.open(draws("--animate", "out", "-o", "run.gif", "--projection", "sphere", folder=tmp_path)) as gif:
        frames = len(list((tmp_path / "out").glob("fields_*.nc")))
        assert gif.n_frames == frames > 2 and gif.info["duration"] == 120
        first = np.asarray(gif.convert("RGB")).astype(int)
        gif.seek(frames - 1)
        last = np.asarray(gif.convert("RGB")).astype(int)
    assert np.abs(first - last).max() > 100
    assert (first[:, -120:] == last[:, -120:]).all()  # one range of colours


def test_a_tracer_is_named(tmp_path):
    (tmp_path / "case.yaml").write_text("grid: {n: 13}\nphysics: {model: nonlinear, gravity: 1.0, depth: 1.0}\ninitial: {kind: gaussian, amplitude: 0.01}\n"
                                        "time: {end: 0.1}\noutput: {every: 1000}\ntracers: [{name: dye}, {name: salt}]\n")
    subprocess.run([os.environ["CUBESWE"], "run", "case.yaml", "--output", "out", "--quiet", "--backend", "cpu"], cwd=tmp_path, check=True, timeout=120)
    path = next((tmp_path / "out").glob("fields_*.nc"))
    for name in ("dye", "salt"):
        bar, = figure_of(path, maps.LatLon((0.0, 0.0), (-90.0, 90.0)), name).axes[0].child_axes
        assert bar.get_ylabel() == f"concentration of the passive tracer {name} [1]"


def test_compressed_and_single_files_are_drawn(tmp_path):
    (tmp_path / "case.yaml").write_text("grid: {n: 12}\ntime: {end: 0.1}\noutput: {compression: 9, precision: single}\n")
    subprocess.run([os.environ["CUBESWE"], "run", "case.yaml", "--output", "out", "--quiet", "--backend", "cpu"], cwd=tmp_path, check=True, timeout=120)
    path = next((tmp_path / "out").glob("fields_*.nc"))
    with h5py.File(path) as file:
        assert (file["h"].dtype, file["h"].compression) == (np.float32, "gzip")
    assert_drawn(draws(path, "--wind", "-o", "out.png", folder=tmp_path))


@pytest.mark.parametrize("ending, start", [("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_other_formats(tmp_path, ending, start):
    write_fields(tmp_path / "f.nc")
    for look in ([], ["--levels", "5", "--projection", "sphere"]):
        path = draws("f.nc", *look, "-o", f"out.{ending}", folder=tmp_path)
        assert path.read_bytes().startswith(start) and path.stat().st_size > 5000


def test_vorticity_and_divergence_of_a_run(tmp_path):
    (tmp_path / "case.yaml").write_text("grid: {n: 16}\ninitial: {kind: gaussian, lon: 90, lat: 0}\ntime: {end: 0.1}\n"
                                        "output: {fields: [vorticity, divergence]}\n")
    subprocess.run([os.environ["CUBESWE"], "run", "case.yaml", "--output", "out", "--quiet", "--backend", "cpu"], cwd=tmp_path,
                   check=True, timeout=120)
    file, = (tmp_path / "out").glob("fields_*.nc")
    for name in ("vorticity", "divergence"):
        assert_drawn(draws(file, "--field", name, "--levels", "9", "-o", f"{name}.png", folder=tmp_path), least=20)


def test_a_field_with_holes_and_fields_at_rest(tmp_path):
    hole, rest = smooth(vertices(N)), np.zeros((6, N + 1, N + 1))
    hole[0, 5, 5] = np.nan
    write_fields(tmp_path / "f.nc", hole=hole, rest=rest, u=rest, all_nan=rest * np.nan)
    pixels = assert_drawn(draws("f.nc", "--field", "hole", "-o", "out.png", folder=tmp_path))
    assert (pixels == 153).all(axis=-1).any()  # grey
    draws("f.nc", "--field", "rest", "--wind", "-o", "out.png", folder=tmp_path)
    draws("f.nc", "--field", "all_nan", "--levels", "5", "-o", "out.png", folder=tmp_path)


# ---- refusals ------------------------------------------------------------------------------------

def refuses(code, words, *arguments, folder):
    before = sorted(path.name for path in folder.iterdir())
    done = plot(*arguments, folder=folder)
    assert done.returncode == code, (done.returncode, done.stderr)
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("plot: ") and done.stdout == "", done.stderr
    assert not [word for word in words if word not in done.stderr], done.stderr
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("arguments, words", [
    ([], ["FILE"]), (["f.nc", "--animate", "."], ["FILE"]), (["f.nc", "--center", "1"], ["--center"]),
    (["f.nc", "--center", "0,91"], ["--center", "91"]), (["f.nc", "--range", "2,1"], ["--range"]),
    (["f.nc", "--range", "0,nan"], ["--range"]), (["f.nc", "--dpi", "9"], ["--dpi"]), (["f.nc", "--dpi", "9"], ["--dpi"]), (["f.nc", "--lat-range", "0,100"], ["--lat-range"]),
    (["f.nc", "--levels", "3,2"], ["--levels"]), (["f.nc", "--levels", "1"], ["--levels"]),
    (["f.nc", "--cmap", "none"], ["--cmap"]), (["f.nc", "--projection", "flat"], ["--projection"]),
    (["f.nc", "--projection", "sphere", "--lat-range", "0,9"], ["--lat-range"]), (["f.nc", "--fps", "0"], ["--fps"]),
    (["f.nc", "-o", "out.txt"], ["out.txt", ".png"]), (["--animate", ".", "-o", "out.png"], ["out.png", ".gif"]),
    (["f.nc", "--fast"], ["--fast"])], ids=" ".join)
def test_wrong_usage(tmp_path, arguments, words):
    write_fields(tmp_path / "f.nc")
    write_fields(tmp_path / "fields_00000000.nc")
    refuses(USAGE, words, *arguments, folder=tmp_path)


@pytest.mark.parametrize("name", ["h", "u", "time", "lons"])
def test_a_dataset_that_is_damaged_is_not_an_absent_one(tmp_path, name):
    """A bit of its header has changed, which HDF5's checksum finds."""
    with h5py.File(write_fields(tmp_path / "old.nc")) as old, h5py.File(tmp_path / "f.nc", "w", libver="latest") as file:
        for item in old:
            old.copy(item, file)
        at = h5py.h5o.get_info(file[name].id).addr
    content = bytearray((tmp_path / "f.nc").read_bytes())
    content[at + 24] ^= 1
    (tmp_path / "f.nc").write_bytes(content)
    refuses(DATA, ["f.nc", f"'{name}' cannot be opened", "damaged"], "f.nc", "--wind", folder=tmp_path)


def test_bad_input(tmp_path):
    write_fields(tmp_path / "f.nc")
    os.mkfifo(tmp_path / "fifo.nc")
    (tmp_path / "text.nc").write_text("h\n")
    (tmp_path / "empty").mkdir()
    refuses(NO_INPUT, ["none.nc"], "none.nc", folder=tmp_path)
    refuses(NO_INPUT, ["fifo.nc"], "fifo.nc", folder=tmp_path)
    refuses(DATA, ["text.nc"], "text.nc", folder=tmp_path)
    refuses(DATA, ["f.nc", "'w'", "h, u, v"], "f.nc", "--field", "w", folder=tmp_path)
    refuses(NO_INPUT, ["empty"], "--animate", "empty", folder=tmp_path)
    refuses(NO_INPUT, ["none"], "--animate", "none", folder=tmp_path)
    refuses(CANNOT_CREATE, ["none/out.png"], "f.nc", "-o", "none/out.png", folder=tmp_path)
    with h5py.File(tmp_path / "state.nc", "w") as file:
        file["h"] = np.ones((6, N + 1, N + 1))
    refuses(DATA, ["state.nc", "'lons'"], "state.nc", folder=tmp_path)


@pytest.mark.parametrize("first", [np.nan, 0.0, -50.0])
def test_longitudes_that_do_not_ascend_are_refused(tmp_path, first):
    with h5py.File(write_fields(tmp_path / "f.nc"), "a") as file:
        file["lons"][0, 0, 1] = first
    refuses(DATA, ["f.nc", "'lons'", "do not ascend"], "f.nc", folder=tmp_path)


def test_a_run_of_different_sizes_is_no_film(tmp_path):
    (tmp_path / "run").mkdir()
    for n in (8, 9):
        write_fields(tmp_path / f"run/fields_{n:08d}.nc", n)
    refuses(DATA, ["different n", "8, 9"], "--animate", "run", "-o", "out.gif", folder=tmp_path)


def test_a_run_of_other_vertices_is_no_film(tmp_path):
    (tmp_path / "run").mkdir()
    for k in (0, 1):
        write_fields(tmp_path / f"run/fields_{k:08d}.nc", bend=0.05 * k)
    refuses(DATA, ["fields_00000001.nc", "its vertices differ"], "--animate", "run", "-o", "out.gif", folder=tmp_path)


@pytest.mark.skipif(film.has_ffmpeg(), reason="ffmpeg is there")
def test_without_ffmpeg_it_says_so(tmp_path):
    write_fields(tmp_path / "fields_00000000.nc")
    refuses(UNAVAILABLE, ["out.mp4", "ffmpeg", ".gif"], "--animate", ".", "-o", "out.mp4", folder=tmp_path)


@pytest.mark.skipif(not film.has_ffmpeg(), reason="there is no ffmpeg")
def test_a_film_by_ffmpeg(tmp_path):
    write_fields(tmp_path / "fields_00000000.nc")
    assert draws("--animate", ".", "-o", "out.mp4", folder=tmp_path).stat().st_size > 1000
