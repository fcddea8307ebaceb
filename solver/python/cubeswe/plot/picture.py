"""A picture of one field: colours, contours, arrows, colour bar and title."""
import re
from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.colors import AsinhNorm, Normalize
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, MaxNLocator, ScalarFormatter

from cubeswe.sampling import Sampler

# Both can be told apart by colour-blind readers; the first has equal steps of lightness, the second none at zero.
SEQUENTIAL, DIVERGING = "viridis", "RdBu_r"
SIGNED = ("error", "vorticity", "divergence")
AT_REST = 1e-3  # of the strongest frame of a film: a weaker one shows rounding


def is_signed(name, low, high):
    """Whether zero is the middle of a field: by its name, or because its values lie on both sides."""
    by_name = any(word in name for word in SIGNED) and "potential" not in name
    return by_name or (low < 0 < high and min(-low, high) > 0.1 * max(-low, high))


def limits_of(name, low, high):
    """Range of colours of values from low to high, and the map of colours."""
    if is_signed(name, low, high):
        most = max(-low, high)
        most = most if most > 0 else 1.0
        return (-most, most), DIVERGING
    if high - low <= 1e-14 * max(abs(low), abs(high)):
        around = max(abs(low), abs(high)) * 1e-3 or 1.0
        return (low - around, high + around), SEQUENTIAL
    return (low, high), SEQUENTIAL


def linear_width_of(magnitudes, most):
    """Width of the linear part of an asinh scale of colours from -most to most with which the weakest frame of a film
    (largest magnitudes by frame) reaches half of the colours; None where it reaches a third of a linear scale."""
    weakest = min((x for x in magnitudes if x > AT_REST * most), default=most)
    if weakest >= most / 3:
        return None
    widths = most * np.geomspace(1, AT_REST ** 3, 200)
    reached = np.arcsinh(weakest / widths) / np.arcsinh(most / widths)
    return float(widths[np.argmax(reached >= 0.5)])


def round_values(norm, count):
    """About `count` values 0, 1, 2, 5, 10, ... of both signs, apart from one another on a scale of colours."""
    values = [0.0] if norm.vmin <= 0 <= norm.vmax else []
    for end in (norm.vmin, norm.vmax):
        top = int(np.ceil(np.log10(abs(end)))) if end else 0
        for size in (m * 10.0 ** k for k in range(top - 8, top + 1) for m in (1, 2, 5)):
            value = float(np.copysign(size, end))
            if norm.vmin <= value <= norm.vmax and all(abs(norm(value) - norm(x)) >= 1 / count for x in values):
                values.append(value)
    return sorted(values)


def finite_range(values):
    """Least and largest finite value; 0 and 0 without any."""
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def plain(text):
    """A text that is no mathematics to matplotlib."""
    return text.replace("$", r"\$")


def powers(units):
    """Units with powers set as such: m s-1."""
    return re.sub(r"(?<=[A-Za-z])(-?\d+)", r"$^{\1}$", plain(units))


@dataclass
class Look:
    """How a field is drawn."""
    cmap: str                # a map of colours
    limits: tuple            # of its colours
    levels: object = None    # None, about how many contours, or a list
    is_cut: bool = False     # values may lie beyond the limits
    wind: bool = False       # arrows
    outline: str = None      # a field of which there are contours, too
    panels: bool = False     # edges of the panels
    linear_width: float = None  # of an asinh scale of colours; None: a linear scale

    def norm(self):
        """Where a value lies on the scale of colours."""
        return Normalize(*self.limits) if self.linear_width is None else AsinhNorm(self.linear_width, *self.limits)


def look_of(options, low, high, magnitudes=()):
    """How a field with values from low to high is drawn, as requested on the command line; of a film, with the
    largest magnitudes of its frames."""
    limits, cmap = limits_of(options.field, low, high)
    listed = isinstance(options.levels, list)
    if listed:  # the colours follow the levels
        ends = options.levels[0], options.levels[-1]
        limits = ends if cmap == SEQUENTIAL else limits_of(options.field, *ends)[0]
    width = linear_width_of(magnitudes, limits[1]) if cmap == DIVERGING and not listed and not options.range else None
    return Look(options.cmap or cmap, options.range or limits, options.levels, listed or options.range is not None,
                options.wind, options.outline, options.panels, width)


class Picture:
    """Draws snapshots of one field alike."""

    def __init__(self, chart, angles, name, look):
        self.chart, self.name, self.look = chart, name, look
        self.sampler = Sampler(chart.points, angles)
        self.colours = colormaps[look.cmap].with_extremes(bad="0.6")

    def draw_values(self, axes, values):
        """The coloured map; what the colour bar belongs to, and what has to be cut off."""
        chart, look, norm = self.chart, self.look, self.look.norm()
        if look.levels is None:
            image = axes.imshow(values, origin="lower", extent=chart.extent, cmap=self.colours, norm=norm)
            return image, [image]
        levels = self.levels_of(norm)
        filled = axes.contourf(chart.x, chart.y, values, levels, cmap=self.colours, norm=norm,
                               extend="both" if look.is_cut else "neither")
        lines = axes.contour(chart.x, chart.y, values, levels, colors="k", linewidths=0.4)
        parts = [[part] if isinstance(part, Artist) else part.collections for part in (filled, lines)]
        return filled, sum(map(list, parts), [])

    def levels_of(self, norm):
        """Contours: the listed levels, or about the requested number of levels."""
        levels = self.look.levels
        if not isinstance(levels, int):
            return levels
        if self.look.linear_width is None:
            return MaxNLocator(levels).tick_values(*self.look.limits)
        return [norm.vmin, *(x for x in round_values(norm, levels) if norm.vmin < x < norm.vmax), norm.vmax]

    def draw_outline(self, axes, snapshot):
        """Contours of another field at quarters of its range, with their values; what has to be cut off."""
        values = snapshot.values(self.look.outline)
        low, high = finite_range(values)
        if not high > low:
            return []  # flat
        lines = axes.contour(self.chart.x, self.chart.y, np.ma.masked_invalid(self.sampler(values)),
                             low + np.array([0.25, 0.5, 0.75]) * (high - low),
                             colors="k", linewidths=1.2, linestyles="dashed")
        digits = 3 + int(np.log10(max(-low, high) / (high - low)))  # that tell the values apart
        texts = list(axes.clabel(lines, fontsize=7, fmt=f"%.{min(max(digits, 3), 17)}g"))
        return texts + ([lines] if isinstance(lines, Artist) else list(lines.collections))

    def draw_arrows(self, axes, snapshot):
        velocity, units = snapshot.velocity()
        x, y, points, right, up = self.chart.arrow_places()
        sampler = Sampler(points, snapshot.angles)
        vectors = np.stack([sampler(velocity[..., d]) for d in range(3)], -1)
        along, across = np.sum(vectors * right, -1), np.sum(vectors * up, -1)
        fastest = float(np.hypot(along, across).max())
        if not fastest > 0:
            return  # nothing moves
        arrows = axes.quiver(x, y, along, across, scale=fastest / self.chart.longest_arrow, width=0.0018, zorder=4)
        (left, low, width, height), (key_x, key_y) = self.chart.box, self.chart.key  # shares of a figure, also of a subfigure
        axes.quiverkey(arrows, (key_x - left) / width, (key_y - low) / height, fastest, f"{fastest:.2g} {powers(units)}",
                       labelpos=self.chart.key_side, coordinates="axes", fontproperties={"size": 8})

    def draw(self, figure, snapshot):
        """Draw the snapshot's field into an empty figure."""
        field = snapshot.field(self.name)
        axes = figure.add_axes(self.chart.box)
        limb = self.chart.frame(axes)
        mapped, cut = self.draw_values(axes, np.ma.masked_invalid(self.sampler(field.values)))
        if self.look.outline:
            cut += self.draw_outline(axes, snapshot)
        for artist in cut if limb is not None else []:
            artist.set_clip_path(limb)
            if isinstance(artist, Text):  # a number that is cut off reads as another
                artist.set_visible(np.hypot(*artist.get_position()) < 0.9)
        if self.look.panels:
            self.chart.draw_panels(axes)
        if self.look.wind:
            self.draw_arrows(axes, snapshot)
        self.add_bar(figure, axes, mapped, field)
        axes.set_title(plain(snapshot.describe()), fontsize=10)

    def ticks(self):
        """Ticks of the colour bar: at most ten of the contours, and a zero between them; without contours, ticks of
        an asinh scale, or None."""
        if self.look.levels is None:
            return None if self.look.linear_width is None else round_values(self.look.norm(), 9)
        levels = self.levels_of(self.look.norm())
        ticks = list(FixedLocator(levels, nbins=10).tick_values(None, None))
        has_zero = min(map(abs, ticks)) < 1e-9 * (levels[-1] - levels[0])
        return ticks if has_zero or not levels[0] < 0 < levels[-1] else sorted([*ticks, 0.0])

    def add_bar(self, figure, axes, mapped, field):
        formatter = ScalarFormatter(useMathText=True)
        formatter.set_powerlimits((-2, 4))
        bar = figure.colorbar(mapped, cax=axes.inset_axes(self.chart.bar), format=formatter)
        ticks = self.ticks()
        if ticks is not None:
            bar.set_ticks(ticks)
            bar.ax.yaxis.set_major_formatter(formatter)
            bar.ax.minorticks_off()
        scale = "" if self.look.linear_width is None else ", asinh scale"
        bar.set_label(plain(field.label) + (f" [{powers(field.units)}]" if field.units else "") + scale, fontsize=9)
        bar.ax.tick_params(labelsize=8)
        bar.ax.yaxis.get_offset_text().set_fontsize(8)
