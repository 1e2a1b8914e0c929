"""SVG charts of a set of recordings: durations and speaking pace."""

import math
import statistics
from collections.abc import Iterable, Sequence
from html import escape

from voxmatrix.dataset.prepared import MeasuredRecording

WIDTH, HEIGHT = 720, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 12, 40
_PLOT_WIDTH = WIDTH - _LEFT - _RIGHT
_PLOT_HEIGHT = HEIGHT - _TOP - _BOTTOM
_BINS = 40
#: More points are indistinguishable and slow the page down. Outliers and unused recordings are always drawn.
_MAX_POINTS = 3000
_MAX_NAMES = 40
#: Paces above this many times the median are drawn at the upper edge; their tooltip has the real value.
_MAX_TIMES_MEDIAN = 5
_LEGEND = "".join(
    f'<rect class="{kind}" x="{x}" y="{HEIGHT - 15}" width="10" height="10"/>'
    f'<text x="{x + 15}" y="{HEIGHT - 6}">{word}</text>'
    for kind, x, word in (("in", _LEFT, "used"), ("out", _LEFT + 70, "left out"))
)


class Axis:
    """A scale from 0 to a round number."""

    def __init__(self, largest: float, pixels: int) -> None:
        step = _round_step(largest / 6)
        self.top = max(step, math.ceil(largest / step) * step)
        self.ticks = [step * number for number in range(round(self.top / step) + 1)]
        self._pixels = pixels

    def at(self, value: float) -> float:
        """Distance of `value` from the origin, in pixels."""
        return value / self.top * self._pixels


def durations(measured: Sequence[MeasuredRecording]) -> str:
    """A histogram of the durations: used recordings in front of all recordings."""
    seconds = [item.seconds for item in measured if item.seconds > 0]
    if not seconds:
        return _empty("no recording could be measured")
    x_axis = Axis(max(seconds), _PLOT_WIDTH)
    width = x_axis.top / _BINS
    everything, used = [0] * _BINS, [0] * _BINS
    for item in measured:
        if item.seconds > 0:
            place = min(_BINS - 1, int(item.seconds / width))
            everything[place] += 1
            used[place] += item.used
    y_axis = Axis(max(everything), _PLOT_HEIGHT)
    bars = []
    for place in range(_BINS):
        label = f"{place * width:.1f} to {(place + 1) * width:.1f} s: {used[place]} used"
        label += f", {everything[place] - used[place]} left out" if everything[place] > used[place] else ""
        for count, name in ((everything[place], "out"), (used[place], "in")):
            if count:
                bars.append(_bar(x_axis.at(place * width), x_axis.at(width), y_axis.at(count), name, label))
    return _figure("durations", ("Durations", "seconds", "recordings"), x_axis, y_axis, "".join(bars))


def paces(measured: Sequence[MeasuredRecording], outliers: Iterable[str]) -> str:
    """A scatter chart of characters per second over seconds. `outliers`: ids of recordings to label."""
    labelled = set(outliers)
    shown = [item for item in measured if item.seconds > 0 and item.characters]
    if not shown:
        return _empty("no recording could be measured")
    every = max(1, math.ceil(len(shown) / _MAX_POINTS))
    drawn = [item for place, item in enumerate(shown) if place % every == 0 or item.id in labelled or not item.used]
    x_axis = Axis(max(item.seconds for item in drawn), _PLOT_WIDTH)
    all_paces = [item.characters / item.seconds for item in drawn]
    y_axis = Axis(min(max(all_paces), _MAX_TIMES_MEDIAN * statistics.median(all_paces)), _PLOT_HEIGHT)
    points = [_point(item, x_axis, y_axis) for item in drawn]
    names = [_name(item, x_axis, y_axis) for item in drawn if item.id in labelled][:_MAX_NAMES]
    drawing = "".join(points + names)
    return _figure("paces", ("Speaking pace", "seconds", "characters per second"), x_axis, y_axis, drawing)


def without_controls(text: str) -> str:
    """`text` with control characters and lone surrogates replaced, safe for any page and terminal."""
    valid = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(char if char.isprintable() or char == " " else "\N{REPLACEMENT CHARACTER}" for char in valid)


def _point(item: MeasuredRecording, x_axis: Axis, y_axis: Axis) -> str:
    pace = item.characters / item.seconds
    x, y = _LEFT + x_axis.at(item.seconds), _TOP + _PLOT_HEIGHT - y_axis.at(min(y_axis.top, pace))
    label = escape(f"{without_controls(item.id)}: {item.seconds:.2f} s, {pace:.1f} characters per second")
    kind = "in" if item.used else "out"
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{label}</title></circle>'


def _name(item: MeasuredRecording, x_axis: Axis, y_axis: Axis) -> str:
    x = _LEFT + x_axis.at(item.seconds)
    y = _TOP + _PLOT_HEIGHT - y_axis.at(min(y_axis.top, item.characters / item.seconds))
    short = without_controls(item.id)
    short = escape(short if len(short) <= 24 else short[:23] + "…")
    right = x > _LEFT + _PLOT_WIDTH * 0.75
    place = f'x="{x - 6:.1f}" text-anchor="end"' if right else f'x="{x + 6:.1f}"'
    return f'<text class="name" {place} y="{y + 4:.1f}">{short}</text>'


def _bar(x: float, width: float, height: float, name: str, label: str) -> str:
    return (
        f'<rect class="{name}" x="{_LEFT + x + 0.5:.1f}" y="{_TOP + _PLOT_HEIGHT - height:.1f}" '
        f'width="{max(1.0, width - 1):.1f}" height="{height:.1f}"><title>{escape(label)}</title></rect>'
    )


def _figure(name: str, words: tuple[str, str, str], x: Axis, y: Axis, drawing: str) -> str:
    """A drawing with axes. `words`: the title and the labels of the x and y axis."""
    title, x_label, y_label = words
    bottom = _TOP + _PLOT_HEIGHT
    marks = [
        f'<text x="{_LEFT + x.at(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>' for tick in x.ticks
    ]
    for tick in y.ticks:
        place = bottom - y.at(tick)
        marks.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{place:.1f}" y2="{place:.1f}"/>')
        marks.append(f'<text x="{_LEFT - 6}" y="{place + 4:.1f}" text-anchor="end">{tick:g}</text>')
    return (
        f'<figure><figcaption id="{name}">{title} <small>({y_label} over {x_label})</small></figcaption>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="{name}">{"".join(marks)}{drawing}'
        f'<text x="{WIDTH - _RIGHT}" y="{HEIGHT - 6}" text-anchor="end">{x_label}</text>{_LEGEND}</svg></figure>'
    )


def _empty(why: str) -> str:
    return f"<p>No chart: {escape(why)}.</p>"


def _round_step(rough: float) -> float:
    """The smallest of 1, 2, 5, 10, 20, 50 … (or 0.1, 0.2 …) that is at least `rough`."""
    magnitude = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    return next(magnitude * factor for factor in (1, 2, 5, 10) if magnitude * factor >= rough * 0.999)
