"""The options that decide how speech sounds, and the devices that a voice speaks on."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.warn import warn

if TYPE_CHECKING:
    from voxmatrix.models.device import DeviceSelection, SpeakDevice
    from voxmatrix.plan.device_request import DeviceRequest
    from voxmatrix.plan.preflight import Preflight
    from voxmatrix.speak.options import SpeakSettings


@dataclass(frozen=True, kw_only=True)
class VoiceOptions:
    """A voice, and how it speaks."""

    voice: options.VoicePath = ""
    speaker: options.Speaker = ""
    speed: Annotated[float, options.option("--speed", "X", "Speed; 2 is twice as fast.", panel="Voice")] = 1.0
    noise: Annotated[float | None, options.option("--noise", "X", "Variation of the sound.", panel="Voice")] = None
    noise_w: Annotated[float | None, options.option("--noise-w", "X", "Variation of the rhythm.", panel="Voice")] = None
    sentence_pause: Annotated[
        float, options.option("--sentence-pause", "SECONDS", "Pause between sentences.", panel="Voice")
    ] = 0.2
    volume: Annotated[float, options.option("--volume", "X", "Loudness; 0.5 is half the amplitude.", panel="Voice")] = (
        1.0
    )
    lexicon: Annotated[
        Path | None,
        # Help texts are markup of rich: the backslash keeps the brackets.
        options.option("--lexicon", "FILE", r"Pronunciations: word|respelling or word|[\[phonemes]].", panel="Voice"),
    ] = None
    seed: Annotated[
        int | None, options.option("--seed", "N", "Random seed, for reproducible speech.", panel="Voice")
    ] = None
    level: Annotated[bool, typer.Option(help="Make sentences equally loud.", rich_help_panel="Voice")] = True


def speak_settings(given: VoiceOptions, **more: Any) -> "SpeakSettings":
    """The settings of these options, and `more` of `SpeakSettings`.

    Raises:
        UsageError: a value is out of its range.
        BadInputError: the lexicon cannot be read.
    """
    from voxmatrix.speak.options import SpeakSettings
    from voxmatrix.text.lexicon import Lexicon, read_lexicon

    return SpeakSettings(
        speaker=given.speaker or None,
        speed=given.speed,
        noise=given.noise,
        noise_w=given.noise_w,
        pause_seconds=given.sentence_pause,
        volume=given.volume,
        lexicon=read_lexicon(given.lexicon) if given.lexicon else Lexicon(),
        levelled=given.level,
        seed=given.seed,
        **more,
    )


def selected_devices(voice: Path, request: "DeviceRequest", preflight: "Preflight | None") -> "DeviceSelection":
    """The devices for a voice, the best one first; what is wrong with others is a warning.

    Raises:
        NoDeviceError, NoKernelsError: the requested device cannot be used.
    """
    from voxmatrix.voices.device_selection import select_devices

    selection = select_devices(voice, request, preflight)
    for finding in selection.findings:
        warn(finding)
    return selection


def fitting_workers(devices: Sequence["SpeakDevice"]) -> int:
    """How many workers fit on the devices together."""
    from voxmatrix.machine.detect import detect
    from voxmatrix.plan.budget import memory_budget
    from voxmatrix.plan.parallelism import choose_parallel_voices

    number = 0
    for device in devices:
        gpu, machine = (None, detect().machine) if device.on is None else (device.on.gpu, device.on.machine)
        number += choose_parallel_voices(gpu, machine, memory_budget(gpu, machine), None).value
    return number
