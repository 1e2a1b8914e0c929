"""The report on a run as one HTML file: curves, samples to hear, settings, recordings and advice."""

import base64
from html import escape
from io import BytesIO
from pathlib import Path

from voxmatrix.dataset.charts import Axis, without_controls
from voxmatrix.dataset.report import document
from voxmatrix.files import read_errors
from voxmatrix.train.run_report import CURVES, Points, RunReport
from voxmatrix.wording import plain, pluralise

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 720, 240, 52, 30, 12
_MOST_POINTS, _MOST_SAMPLES = 500, 8


def report_page(report: RunReport) -> str:
    """The page, with everything inside."""
    body = (
        f"<h1>{_safe(report.out.name)}: {pluralise(report.step, 'step')}</h1>{_figures(report)}"
        f"{''.join(_chart(name, points) for name, points in report.curves.items()) or '<p>No figures yet.</p>'}"
        f"<h2>Listen</h2>{_samples(report)}<h2>Advice</h2>{_list(report.advice)}"
        f"<h2>Settings</h2>{_settings(report)}"
    )
    return document(f"{_safe(report.out.name)}: a training", body, embedded="data:")


def _figures(report: RunReport) -> str:
    best, words = report.best, report.curves.get("words_wrong")
    facts = [
        ("quality", f"{report.recipe.get('quality')}, {report.recipe.get('rate_hz')} Hz"),
        ("language", str(report.recipe.get("language"))),
        ("epoch", str(report.epoch)),
        ("recordings", f"{report.seconds / 60:.1f} min, {pluralise(report.clips, 'clip')}" if report.clips else "?"),
        ("best.ckpt", f"step {best[0]}, validation mel {best[1]:.3f}" if best else "none yet"),
        ("words wrong", f"{words[-1][1]:.0%} at step {words[-1][0]}" if words else "not heard (--judge)"),
    ]
    return f"<dl>{''.join(f'<div><dt>{name}</dt><dd>{_safe(value)}</dd></div>' for name, value in facts)}</dl>"


def _chart(name: str, points: Points) -> str:
    """A curve over the steps, from 0 up; of many points some."""
    every = max(1, len(points) // _MOST_POINTS)
    drawn = [*points[::every]]
    drawn += [points[-1]] * (drawn[-1] != points[-1])
    x_axis = Axis(max(1, drawn[-1][0]), _WIDTH - _LEFT - 12)
    y_axis = Axis(max(1e-9, *(value for _, value in drawn), 0.0), _HEIGHT - _TOP - _BOTTOM)
    bottom = _HEIGHT - _BOTTOM
    marks = [
        f'<text x="{_LEFT + x_axis.at(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>'
        for tick in x_axis.ticks
    ]
    for tick in y_axis.ticks:
        y = bottom - y_axis.at(tick)
        marks.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - 12}" y1="{y:.1f}" y2="{y:.1f}"/>')
        marks.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    places = [(_LEFT + x_axis.at(step), bottom - y_axis.at(max(0.0, value))) for step, value in drawn]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = "".join(
        f'<circle class="in" cx="{x:.1f}" cy="{y:.1f}" r="{3 if len(drawn) < 60 else 1}">'
        f"<title>step {step}: {value:.4g}</title></circle>"
        for (x, y), (step, value) in zip(places, drawn, strict=True)
    )
    title = f"{CURVES[name]} <small>(over steps; now {points[-1][1]:.3g})</small>"
    return (
        f'<figure><figcaption id="{name}">{title}</figcaption><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-labelledby="{name}">{"".join(marks)}'
        f'<polyline points="{line}" style="fill:none;stroke:var(--in);stroke-width:1.5"/>{dots}</svg></figure>'
    )


def _samples(report: RunReport) -> str:
    """The newest first; of many some, evenly spread."""
    samples = report.samples
    if not samples:
        return "<p>There is no sample yet.</p>"
    count = min(len(samples), _MOST_SAMPLES)
    places = {round(number * (len(samples) - 1) / max(1, count - 1)) for number in range(count)}
    rows = "".join(
        f"<tr><td>step {samples[place][0]:,}</td><td>{_sound(samples[place][1])}</td></tr>"
        for place in sorted(places, reverse=True)
    )
    return f"<table><caption>The same text after so many steps</caption><tbody>{rows}</tbody></table>"


def _sound(path: Path) -> str:
    import soundfile

    file = BytesIO()
    with read_errors(path):
        try:
            samples, rate_hz = soundfile.read(path, dtype="int16")
        except soundfile.LibsndfileError:
            return f"{_safe(path.name)} cannot be read"
    soundfile.write(file, samples, rate_hz, format="FLAC", subtype="PCM_16")
    data = base64.b64encode(file.getvalue()).decode()
    return f'<audio controls preload="none" src="data:audio/flac;base64,{data}"></audio>'


def _settings(report: RunReport) -> str:
    rows = "".join(
        f"<tr><td>{_safe(name.replace('_', ' '))}</td><td>{_safe(value)}</td></tr>"
        for name, value in report.recipe.items()
        if value not in ("", [], None)
    )
    return f"<table><tbody>{rows}</tbody></table>"


def _list(sentences: tuple[str, ...]) -> str:
    if not sentences:
        return "<p>None.</p>"
    return f"<ul>{''.join(f'<li>{_safe(plain(sentence))}</li>' for sentence in sentences)}</ul>"


def _safe(text: object) -> str:
    return escape(without_controls(str(text)))
