"""Pictures of a set of recordings as SVG: how long they are, and how fast they are spoken."""

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
#: More points cannot be told apart, and make a page slow; those that matter are always drawn.
_MOST_POINTS = 3000
_MOST_NAMES = 40
#: Paces beyond so many times the median are drawn at the upper edge; their own figure is in their name.
_HIGHEST = 5
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
        """Pixels from the origin."""
        return value / self.top * self._pixels


def durations(measured: Sequence[MeasuredRecording]) -> str:
    """A histogram of the seconds of speech, what is used in front of what is left out."""
    seconds = [one.seconds for one in measured if one.seconds > 0]
    if not seconds:
        return _empty("no recording could be measured")
    across = Axis(max(seconds), _PLOT_WIDTH)
    width = across.top / _BINS
    everything, used = [0] * _BINS, [0] * _BINS
    for one in measured:
        if one.seconds > 0:
            place = min(_BINS - 1, int(one.seconds / width))
            everything[place] += 1
            used[place] += one.used
    up = Axis(max(everything), _PLOT_HEIGHT)
    bars = []
    for place in range(_BINS):
        label = f"{place * width:.1f} to {(place + 1) * width:.1f} s: {used[place]} used"
        label += f", {everything[place] - used[place]} left out" if everything[place] > used[place] else ""
        for count, name in ((everything[place], "out"), (used[place], "in")):
            if count:
                bars.append(_bar(across.at(place * width), across.at(width), up.at(count), name, label))
    return _figure("durations", ("Durations", "seconds", "recordings"), across, up, "".join(bars))


def paces(measured: Sequence[MeasuredRecording], outliers: Iterable[str]) -> str:
    """Characters a second over seconds; recordings whose text does not fit are named."""
    named = set(outliers)
    shown = [one for one in measured if one.seconds > 0 and one.characters]
    if not shown:
        return _empty("no recording could be measured")
    every = max(1, math.ceil(len(shown) / _MOST_POINTS))
    drawn = [one for place, one in enumerate(shown) if place % every == 0 or one.id in named or not one.used]
    across = Axis(max(one.seconds for one in drawn), _PLOT_WIDTH)
    all_paces = [one.characters / one.seconds for one in drawn]
    up = Axis(min(max(all_paces), _HIGHEST * statistics.median(all_paces)), _PLOT_HEIGHT)
    points = [_point(one, across, up) for one in drawn]
    names = [_name(one, across, up) for one in drawn if one.id in named][:_MOST_NAMES]
    drawing = "".join(points + names)
    return _figure("paces", ("Pace", "seconds", "characters a second"), across, up, drawing)


def printable(text: str) -> str:
    """Text without control characters and half characters, so that any page and terminal can hold it."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(sign if sign.isprintable() or sign == " " else "\N{REPLACEMENT CHARACTER}" for sign in whole)


def _point(one: MeasuredRecording, across: Axis, up: Axis) -> str:
    pace = one.characters / one.seconds
    x, y = _LEFT + across.at(one.seconds), _TOP + _PLOT_HEIGHT - up.at(min(up.top, pace))
    label = escape(f"{printable(one.id)}: {one.seconds:.2f} s, {pace:.1f} characters a second")
    kind = "in" if one.used else "out"
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{label}</title></circle>'


def _name(one: MeasuredRecording, across: Axis, up: Axis) -> str:
    x = _LEFT + across.at(one.seconds)
    y = _TOP + _PLOT_HEIGHT - up.at(min(up.top, one.characters / one.seconds))
    short = printable(one.id)
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
    """A drawing between its axes. `words`: the title, what goes across, what goes up."""
    title, across, up = words
    bottom = _TOP + _PLOT_HEIGHT
    marks = [
        f'<text x="{_LEFT + x.at(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>' for tick in x.ticks
    ]
    for tick in y.ticks:
        place = bottom - y.at(tick)
        marks.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{place:.1f}" y2="{place:.1f}"/>')
        marks.append(f'<text x="{_LEFT - 6}" y="{place + 4:.1f}" text-anchor="end">{tick:g}</text>')
    return (
        f'<figure><figcaption id="{name}">{title} <small>({up} over {across})</small></figcaption>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="{name}">{"".join(marks)}{drawing}'
        f'<text x="{WIDTH - _RIGHT}" y="{HEIGHT - 6}" text-anchor="end">{across}</text>{_LEGEND}</svg></figure>'
    )


def _empty(why: str) -> str:
    return f"<p>No picture: {escape(why)}.</p>"


def _round_step(rough: float) -> float:
    """The least of 1, 2, 5, 10, 20, 50 … (or 0.1, 0.2 …) that is at least `rough`."""
    magnitude = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    return next(magnitude * factor for factor in (1, 2, 5, 10) if magnitude * factor >= rough * 0.999)
