"""The picture of quality beside speed and size of voices: docs/images/voices.svg, of the table in docs/speaking.md."""

import math
import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from tools.images.rows import ROOT

PAGE, PICTURE = ROOT / "docs" / "speaking.md", ROOT / "docs" / "images" / "voices.svg"
_TITLE = "## How the voices compare"
_ROW = re.compile(
    r"^\| `(?P<name>[^`]+)` \| (?P<speed>[\d.]+) \| (?P<quality>[\d.]+) \| (?P<size>[\d.]+) \|$", re.MULTILINE
)
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 760, 340, 56, 190, 16, 44
#: CPU seconds for a second of speech at the left and right edge (logarithmic); DistilMOS at the bottom and top.
_FAST, _SLOW, _WORST, _BEST = 0.003, 1.0, 3.9, 4.7
_SPEEDS, _QUALITIES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0), (3.9, 4.1, 4.3, 4.5, 4.7)
#: Pixels: the radius of a voice of one MB. Its area grows with the size.
_RADIUS = 1.5
_STYLE = """<style>
  text { font: 13px sans-serif; fill: #24292f }
  line { stroke: #8c959f; stroke-opacity: 0.4 }
  circle { fill: #0969da; fill-opacity: 0.55; stroke: #0969da }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } circle { fill: #58a6ff; stroke: #58a6ff } }
</style>"""


class Voice(NamedTuple):
    """A row of the table."""

    name: str
    speed: float  # CPU seconds for a second of speech
    quality: float  # DistilMOS
    size: float  # MB


def voices(page: str) -> list[Voice]:
    """The rows of the table.

    Raises:
        ValueError: there is none, or one that does not fit into the picture.
    """
    found = [
        Voice(match["name"], float(match["speed"]), float(match["quality"]), float(match["size"]))
        for match in _ROW.finditer(page.partition(_TITLE)[2])
    ]
    if not found:
        raise ValueError(f"{PAGE.name} must have the table below {_TITLE!r}")
    for voice in found:
        if not (_FAST <= voice.speed <= _SLOW and _WORST <= voice.quality <= _BEST):
            raise ValueError(f"{voice.name} is outside of the picture: widen it")
    return found


def picture(found: Sequence[Voice]) -> str:
    """The voices as circles: fast ones to the left, natural ones at the top, large files as large circles."""
    parts = [_STYLE, "<title>Voices: naturalness beside CPU time</title>"]
    for speed in _SPEEDS:
        x = _x(speed)
        parts.append(f'<line x1="{x}" y1="{_TOP}" x2="{x}" y2="{_HEIGHT - _BOTTOM}"/>')
        parts.append(f'<text x="{x}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{speed:g}</text>')
    for quality in _QUALITIES:
        y = _y(quality)
        parts.append(f'<line x1="{_LEFT}" y1="{y}" x2="{_WIDTH - _RIGHT}" y2="{y}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{quality}</text>')
    parts.append(f'<text x="{_LEFT}" y="{_HEIGHT - 8}">CPU seconds for a second of speech (less is faster)</text>')
    parts.append(f'<text transform="translate(14 {_HEIGHT - _BOTTOM}) rotate(-90)">DistilMOS (naturalness)</text>')
    for voice in sorted(found, key=lambda voice: -voice.size):
        x, y, radius = _x(voice.speed), _y(voice.quality), round(_RADIUS * math.sqrt(voice.size), 1)
        parts.append(f'<circle cx="{x}" cy="{y}" r="{radius}"/>')
        label = f"{escape(voice.name)}, {voice.size:g} MB"
        parts.append(f'<text x="{round(x + radius + 6, 1)}" y="{y + 4}">{label}</text>')
    body = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">\n{body}\n</svg>\n'


def _x(speed: float) -> float:
    share = math.log(speed / _FAST) / math.log(_SLOW / _FAST)
    return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)


def _y(quality: float) -> float:
    share = (quality - _WORST) / (_BEST - _WORST)
    return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)
