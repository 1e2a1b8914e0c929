"""An HTML page to compare a voice with what it was made of: gates, spectrograms, and sentences to listen to."""

import base64
from html import escape
from io import BytesIO

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.dataset.report import document
from voxmatrix.distil.acceptance import Gate, Pair
from voxmatrix.distil.result import Distilled

_SENTENCES = 8
_SIDE_BY_SIDE = 'style="display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:1rem"'
#: Of a spectrogram: window, hop in samples, height in pixels, and the range of its colours in dB.
_WINDOW, _HOP, _HEIGHT, _RANGE_DB = 512, 128, 160, 70.0


def report_page(distilled: Distilled) -> str:
    """The page, with everything inside."""
    like = "speaks like the recordings" if distilled.of_person else "speaks like its original"
    verdict = "does not sound right yet" if distilled.lacking else like
    names = ("recording", "voice") if distilled.of_person else ("original", "fast")
    pairs = "".join(_sentence(pair, distilled.rate_hz, names) for pair in distilled.pairs[:_SENTENCES])
    faster = ""
    if not distilled.of_person:
        times = "unknown" if distilled.times_as_fast is None else f"{distilled.times_as_fast:.1f}"
        faster = f"<div><dt>times as fast</dt><dd>{times}</dd></div>"
    same = "spoken by both" if distilled.of_person else "spoken by both with the same noise"
    body = (
        f"<h1>{escape(distilled.out.name)} {verdict}</h1>"
        f"<dl>{faster}<div><dt>steps learned</dt><dd>{distilled.steps:,}</dd></div>"
        f"<div><dt>sentences compared</dt><dd>{len(distilled.pairs)}</dd></div></dl>"
        f"<table><caption>Measured on sentences that it did not learn from, {same}</caption>"
        "<thead><tr><th>condition</th><th>measured</th><th>wanted</th><th></th></tr></thead>"
        f"<tbody>{''.join(map(_row, distilled.gates))}</tbody></table>"
        f"<h2>Listen</h2>{pairs}"
    )
    return document(
        f"{distilled.out.stem}: a {'small' if distilled.of_person else 'fast'} voice", body, embedded="data:"
    )


def _row(gate: Gate) -> str:
    mark = "holds" if gate.ok else '<span class="error">fails</span>'
    return (
        f'<tr><td>{escape(gate.name)}</td><td class="number">{gate.value:.6g}</td>'
        f"<td>{escape(gate.wanted)}</td><td>{mark}</td></tr>"
    )


def _sentence(pair: Pair, rate_hz: int, names: tuple[str, str]) -> str:
    voices = "".join(
        f"<div><small>{name}</small><br>{_spectrogram(samples, name)}<br>{_sound(samples, rate_hz)}</div>"
        for name, samples in zip(names, (pair.original, pair.fast), strict=True)
    )
    return f"<figure><figcaption>{escape(pair.text)}</figcaption><div {_SIDE_BY_SIDE}>{voices}</div></figure>"


def _sound(samples: Samples, rate_hz: int) -> str:
    import soundfile

    file = BytesIO()
    soundfile.write(file, np.clip(samples, -1, 1), rate_hz, format="FLAC", subtype="PCM_16")
    return f'<audio controls preload="none" src="data:audio/flac;base64,{_base64(file)}"></audio>'


def _spectrogram(samples: Samples, voice: str) -> str:
    """An image with time to the right, and frequency, up to half of the rate, to the top."""
    from PIL import Image

    padded = np.pad(samples, _WINDOW // 2)
    places = np.arange(0, max(1, len(padded) - _WINDOW), _HOP)[:, None] + np.arange(_WINDOW)
    power = np.square(np.abs(np.fft.rfft(padded[places] * np.hanning(_WINDOW), axis=1)))
    level = 10 * np.log10(power + 1e-10)
    shade = np.clip((level - level.max()) / _RANGE_DB + 1, 0, 1).T[::-1]
    image = Image.fromarray((255 * (1 - shade)).astype(np.uint8))
    file = BytesIO()
    image.resize((image.width, _HEIGHT)).save(file, "PNG", optimize=True)
    style = 'style="width:100%;height:10rem"'
    return f'<img alt="spectrogram, {voice}" {style} src="data:image/png;base64,{_base64(file)}">'


def _base64(file: BytesIO) -> str:
    return base64.b64encode(file.getvalue()).decode()
