"""SVG charts of a set of recordings: durations and speaking pace."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from voxmatrix.dataset.prepared import MeasuredRecording

WIDTH, HEIGHT = 720, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 12, 40
_PLOT_WIDTH = WIDTH - _LEFT - _RIGHT
_PLOT_HEIGHT = HEIGHT - _TOP - _BOTTOM
_BINS = 40
#: More points are indistinguishable and slow the page down. Outliers and unused recordings are always drawn.
_MAX_POINTS = 3000
_MAX_NAMES = 40
#: What is above this many times the median is drawn at the edge; the tooltip of a point has the real value.
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


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """How many recordings are in bins of `width` that begin with 0; the last has all beyond it, too."""

    width: float
    used: list[int]
    left_out: list[int]

    def to_json(self) -> dict[str, Any]:
        """For `prepare --json`."""
        return {"width": float(f"{self.width:.6g}"), "used": self.used, "left_out": self.left_out}


def duration_histogram(measured: Iterable[MeasuredRecording]) -> Histogram:
    """The seconds of the recordings that could be measured. Without any, there are no bins."""
    return _histogram([(item.seconds, item.used) for item in measured if item.seconds > 0])


def pace_histogram(measured: Iterable[MeasuredRecording]) -> Histogram:
    """Their characters per second. Without any, there are no bins."""
    return _histogram([(_pace(item), item.used) for item in measured if item.seconds > 0 and item.characters])


def _histogram(values: Sequence[tuple[float, bool]]) -> Histogram:
    """Of values, and whether their recordings are used. One that is far beyond the others flattens none of them."""
    if not values:
        return Histogram(width=1.0, used=[], left_out=[])
    top = _top([value for value, _ in values])
    width = _round_step(top / _BINS)
    count = max(1, math.ceil(top / width * (1 - 1e-9)))
    used, left_out = [0] * count, [0] * count
    for value, is_used in values:
        (used if is_used else left_out)[min(count - 1, int(value / width))] += 1
    return Histogram(width=width, used=used, left_out=left_out)


def durations(measured: Sequence[MeasuredRecording]) -> str:
    """A histogram of the durations: used recordings in front of all recordings."""
    found = duration_histogram(measured)
    if not found.used:
        return _empty("no recording could be measured")
    x_axis = Axis(found.width * len(found.used), _PLOT_WIDTH)
    y_axis = Axis(max(map(sum, zip(found.used, found.left_out, strict=True))), _PLOT_HEIGHT)
    bars = []
    for place, (used, left_out) in enumerate(zip(found.used, found.left_out, strict=True)):
        start = place * found.width
        end = f"to {start + found.width:g} s" if place < len(found.used) - 1 else "s and more"
        label = f"{start:g} {end}: {used} used" + (f", {left_out} left out" if left_out else "")
        for count, name in ((used + left_out if left_out else 0, "out"), (used, "in")):
            if count:
                bars.append(_bar(x_axis.at(start), x_axis.at(found.width), y_axis.at(count), name, label))
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
    y_axis = Axis(_top([_pace(item) for item in drawn]), _PLOT_HEIGHT)
    points = [_point(item, x_axis, y_axis) for item in drawn]
    names = [_name(item, x_axis, y_axis) for item in drawn if item.id in labelled][:_MAX_NAMES]
    drawing = "".join(points + names)
    return _figure("paces", ("Speaking pace", "seconds", "characters per second"), x_axis, y_axis, drawing)


def without_controls(text: str) -> str:
    """`text` with control characters and lone surrogates replaced, safe for any page and terminal."""
    valid = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(char if char.isprintable() or char == " " else "\N{REPLACEMENT CHARACTER}" for char in valid)


def _pace(item: MeasuredRecording) -> float:
    return item.characters / item.seconds


def _top(values: Sequence[float]) -> float:
    """The largest that is drawn where it is."""
    return min(max(values), _MAX_TIMES_MEDIAN * statistics.median(values))


def _point(item: MeasuredRecording, x_axis: Axis, y_axis: Axis) -> str:
    pace = _pace(item)
    x, y = _LEFT + x_axis.at(item.seconds), _TOP + _PLOT_HEIGHT - y_axis.at(min(y_axis.top, pace))
    label = escape(f"{without_controls(item.id)}: {item.seconds:.2f} s, {pace:.1f} characters per second")
    kind = "in" if item.used else "out"
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{label}</title></circle>'


def _name(item: MeasuredRecording, x_axis: Axis, y_axis: Axis) -> str:
    x = _LEFT + x_axis.at(item.seconds)
    y = _TOP + _PLOT_HEIGHT - y_axis.at(min(y_axis.top, _pace(item)))
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
