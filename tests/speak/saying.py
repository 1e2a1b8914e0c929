"""Speak in tests, with all settings side by side."""

from pathlib import Path
from typing import Any

from voxmatrix.models.style import Output, Runtime, Style
from voxmatrix.speak.output import OnSpoken, Speech, speak_to
from voxmatrix.speak.partial import PartialSpeech
from voxmatrix.voices.resolve import resolve


def style_of(**settings: Any) -> Style:
    """The style of these settings, of which some are knobs."""
    knobs = {name: settings.pop(name) for name in ("noise", "noise_w") if name in settings}
    return Style(**settings, knobs=knobs)


def say(
    out: Any,
    text: Any,
    voice: Path,
    on_spoken: OnSpoken | None = None,
    partial: PartialSpeech | None = None,
    **more: Any,
) -> Speech:
    """Speak a text into a file or a stream."""
    output = Output(**{name: more.pop(name) for name in ("force", "raw", "bitrate") if name in more})
    runtime = Runtime(threads=more.pop("threads", 0), reproducible=more.get("seed") is not None)
    style = style_of(**more)
    return speak_to(
        out, text, resolve(voice), style, output=output, runtime=runtime, on_spoken=on_spoken, partial=partial
    )
