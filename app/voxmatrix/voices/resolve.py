"""From the name or the file of a voice to its card: the one place where voices are found."""

import shutil
from contextlib import suppress
from pathlib import Path

from voxmatrix.config import voice_folders
from voxmatrix.errors import BadInputError, VoxmatrixError
from voxmatrix.files import storage_errors
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import CPU, SpeakDevice, Warn, python_warning
from voxmatrix.models.family import Family, OpenVoice
from voxmatrix.models.style import Runtime
from voxmatrix.voices.families import families, family_named


def resolve(name: str | Path = "") -> VoiceCard:
    """The voice of this name, or in this file or folder; the default one for "".

    Raises:
        BadInputError: there is none, or there are several, or it cannot be used.
        DamagedFileError: a file of it is corrupt.
    """
    family, path = locate(name)
    return family.card(path)


def locate(name: str | Path = "") -> tuple[Family, Path]:
    """`resolve` without reading any file: the family of the voice, and the file to open.

    Raises:
        BadInputError: there is none, or there are several.
    """
    path = Path(name)
    if not str(name):
        return _default()
    if path.exists():
        for family in families():
            if found := family.owns(path):
                return family, found
        raise BadInputError(
            f"the folder {path} contains 0 voices (*.onnx) and no checkpoint of a run",
            "choose the folder of a run, or a file of a voice",
        )
    named = installed()
    for known, voice in named.items():
        if str(name) in (known, voice[1].name):
            return voice
    for family in families():
        if found := family.named(str(name)):
            return family, found
    raise BadInputError(
        f"there is no voice {path}",
        "choose NAME.onnx (with NAME.onnx.json next to it), a .ckpt, the folder of a run, or a name from "
        f"`voxmatrix voices list`: {', '.join(named)}",
    )


def check_trainable(name: str | Path, purpose: str) -> None:
    """Check that voxmatrix can do more with a voice than speak. What does not exist is left to others to report.

    Raises:
        BadInputError: its family cannot; the message says what it would be for: "be distilled".
    """
    try:
        family, path = locate(name)
    except BadInputError:
        return
    if not family.trainable:
        raise BadInputError(
            f"{path} cannot {purpose}: it is a voice of the family {family.name}",
            "choose a Piper voice, a checkpoint, or the folder of a training run",
        )


def installed() -> dict[str, tuple[Family, Path]]:
    """The voices in the voice folders by name; one in an earlier folder hides those of the same name."""
    found: dict[str, tuple[Family, Path]] = {}
    for folder in voice_folders():
        for family in reversed(families()):  # exported voices first
            for name, path in family.find(folder).items():
                found.setdefault(name, (family, path))
    return found


def remove(name: str) -> list[Path]:
    """Remove a voice of the user's, or all that a family has in a folder of its own; returns the paths that are gone.

    Raises:
        BadInputError: there is no such voice, or it is not the user's own.
        UnreachableError: it cannot be removed.
    """
    own = voice_folders()[0]
    paths = [own / name] if any(name == family.name for family in families()) and (own / name).is_dir() else []
    if not paths:
        family, path = locate(name)
        if not path.is_relative_to(own):
            raise BadInputError(f"{path} is not one of your voices in {own}", "remove the file yourself")
        paths = [path]
        with suppress(VoxmatrixError):  # a corrupt voice has no card
            paths = [one for one in family.card(path).files if one.name.startswith(path.stem)]
    for path in paths:
        with storage_errors(path):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return paths


def open_voice(
    voice: VoiceCard, device: SpeakDevice = CPU, runtime: Runtime | None = None, *, warn: Warn = python_warning
) -> OpenVoice:
    """Open a voice by its family.

    Raises:
        As `Family.open`.
    """
    return family_named(voice.family).open(voice, device, runtime or Runtime(), warn)


def _default() -> tuple[Family, Path]:
    for found in installed().values():
        return found
    folders = " or ".join(map(str, voice_folders()))
    raise BadInputError(
        f"no `voice` was given, and there is no voice in {folders}",
        "set `voice`, or put NAME.onnx and NAME.onnx.json there",
    )
