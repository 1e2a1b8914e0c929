"""The options that decide how speech sounds, and the devices that a voice speaks on."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import warn
from voxmatrix.errors import UsageError

if TYPE_CHECKING:
    from voxmatrix.models.card import VoiceCard
    from voxmatrix.models.device import DeviceSelection
    from voxmatrix.models.style import Role, Style
    from voxmatrix.plan.device_request import DeviceRequest
    from voxmatrix.plan.preflight import Preflight
    from voxmatrix.text.lexicon import Lexicon


@dataclass(frozen=True, kw_only=True)
class VoiceOptions:
    """A voice, and how it speaks."""

    voice: options.VoicePath = ""
    speaker: options.Speaker = ""
    speed: Annotated[float, options.option("--speed", "X", "Speed; 2 is twice as fast.", panel="Voice")] = 1.0
    noise: Annotated[
        float | None, options.option("--noise", "X", "Variation of the sound (default: the voice's).", panel="Voice")
    ] = None
    noise_w: Annotated[
        float | None, options.option("--noise-w", "X", "Variation of the rhythm (default: the voice's).", panel="Voice")
    ] = None
    set: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=X", help="A setting of this voice (repeatable).", rich_help_panel="Voice"),
    ] = None
    sentence_pause: options.SentencePause = 0.2
    volume: options.Volume = 1.0
    lexicon: options.LexiconFile = None
    cast: Annotated[
        Path | None,
        options.option(
            "--cast", "FILE", r"Voices of \[voice:NAME] in texts: NAME|voice or NAME|voice|speaker.", panel="Voice"
        ),
    ] = None
    seed: Annotated[
        int | None,
        options.option(
            "--seed", "N", "Random seed, for reproducible speech (default: another one each time).", panel="Voice"
        ),
    ] = None
    level: Annotated[bool, typer.Option(help="Make sentences equally loud.", rich_help_panel="Voice")] = True
    normalize: Annotated[
        bool, typer.Option(help="Read numbers and abbreviations by rules.", rich_help_panel="Voice")
    ] = True


def speaking_style(given: VoiceOptions, voice: "VoiceCard") -> "Style":
    """The style of these options.

    Raises:
        UsageError: a value is out of its range, or the voice has no such setting.
        BadInputError: the lexicon or the cast cannot be read, or the voice has no such speaker.
    """
    from voxmatrix.models.style import Style
    from voxmatrix.text.lexicon import Lexicon

    knobs = {"noise": given.noise, "noise_w": given.noise_w}
    style = Style(
        speaker=given.speaker or None,
        speed=given.speed,
        knobs={name: value for name, value in knobs.items() if value is not None} | _knobs(given.set or []),
        pause_seconds=given.sentence_pause,
        volume=given.volume,
        lexicon=_lexicon(given.lexicon) if given.lexicon else Lexicon(),
        levelled=given.level,
        normalised=given.normalize,
        seed=given.seed,
        cast=_cast(given.cast) if given.cast else {},
    )
    voice.check(style)
    return style


def _lexicon(path: Path) -> "Lexicon":
    from voxmatrix.text.lexicon_file import read_lexicon

    return read_lexicon(path)


def _cast(path: Path) -> "dict[str, Role]":
    from voxmatrix.voices.cast import read_cast

    return read_cast(path)


def _knobs(words: Sequence[str]) -> dict[str, float]:
    found = {}
    for word in words:
        name, _, value = word.partition("=")
        try:
            found[name.strip().replace("-", "_")] = float(value)
        except ValueError:
            raise UsageError(f"--set is {word!r}", "write NAME=NUMBER, e.g. --set noise=0.5") from None
    return found


def selected_devices(
    voice: "VoiceCard", request: "DeviceRequest", preflight: "Preflight | None", *, brief: bool = False
) -> "DeviceSelection":
    """The devices for a voice (`brief`: for few sentences), the best one first; what is wrong with others is a warning.

    Raises:
        NoDeviceError, NoKernelsError: the requested device cannot be used.
    """
    from voxmatrix.voices.device_selection import select_devices

    selection = select_devices(voice, request, preflight, brief=brief)
    for finding in selection.findings:
        warn(finding)
    return selection
