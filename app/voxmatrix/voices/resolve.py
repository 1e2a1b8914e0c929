"""From the name or the file of a voice to its card: the one place where voices are found."""

import glob
import shutil
from pathlib import Path

from voxmatrix.config import voice_folders
from voxmatrix.errors import BadInputError, Finding, UsageError
from voxmatrix.files import read_errors, read_text_or_empty, storage_errors, write_text
from voxmatrix.inference.onnx_outline import check_whole
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import CPU, SpeakDevice, Warn, python_warning
from voxmatrix.models.family import Family, OpenVoice
from voxmatrix.models.style import Runtime
from voxmatrix.voices.families import families, family_named
from voxmatrix.voices.titles import move_title, titles
from voxmatrix.wording import choice, did_you_mean, quoted


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
        if found := family.named(str(name)) or _run_of(family, str(name)):
            return family, found
    meant = did_you_mean(str(name), named, titles())
    raise BadInputError(
        f"there is no voice {path}",
        f"{meant and f'{meant} Or '}choose NAME.onnx (with NAME.onnx.json next to it), a .ckpt, the folder of a run, "
        f"or a name from `voxmatrix voices list`: {choice(str(name), named)}",
    )


def _run_of(family: Family, name: str) -> Path | None:
    """The checkpoint of a training run in the user's folder of voices, which `train --profile NAME` makes."""
    run = voice_folders()[0] / name
    return family.owns(run) if Path(name).name == name and any(run.glob("*.ckpt")) else None


def check_trainable(name: str | Path, purpose: str) -> None:
    """Check that voxmatrix can do more with a voice than speak. What does not exist is left to others to report.

    Raises:
        BadInputError: its family cannot; the message says what it would be for: "be exported".
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
    """The voices in the voice folders by name; one in an earlier folder hides those of the same name.

    The first one is the default: the one that was made so, else the first that is included. A voice that is added does
    not become it by itself: it may be one of ten seconds of training, and clients expect what they have heard so far.
    """
    found: dict[str, tuple[Family, Path]] = {}
    included = ""
    for place, folder in enumerate(voice_folders()):
        for family in reversed(families()):  # exported voices first
            for name, path in family.find(folder).items():
                found.setdefault(name, (family, path))
                included = included or (name if place else "")  # the first folder is the user's own
    chosen = read_text_or_empty(_default_file()).strip()
    default = chosen if chosen in found else included
    return {default: found[default]} | found if default else found


def make_default(name: str) -> None:
    """Let a voice be the one that speaks where none is named.

    Raises:
        BadInputError: no installed voice has this name.
        UnreachableError: the folder of voices cannot be written to.
    """
    if name not in installed():
        raise BadInputError(f"there is no voice {name}", f"choose one of: {choice(name, installed())}")
    write_text(_default_file(), f"{name}\n")


def default_finding() -> Finding | None:
    """What is wrong with the choice of the default voice, so that another one speaks."""
    path, named = _default_file(), installed()
    chosen = read_text_or_empty(path).strip()
    if not path.exists() or chosen in named:
        return None
    what = f"names {quoted(chosen)}, which is no voice here" if chosen else "is empty"
    instead = f": {next(iter(named))} is the default voice" if named else ""
    remedy = "choose one: voxmatrix voices default NAME"
    return Finding(problem=f"{path} {what}{instead}", remedy=remedy, severity="warning")


def _default_file() -> Path:
    return voice_folders()[0] / "default"


def check_files(card: VoiceCard) -> None:
    """Check the outline of the large files of a voice, which takes no time.

    Raises:
        BadInputError: one is missing.
        DamagedFileError: one is corrupt.
    """
    for file in card.files:
        if file.suffix == ".onnx":
            with read_errors(file):
                check_whole(file)


def remove(name: str) -> list[Path]:
    """Remove a voice of the user's, or all that a family has in a folder of its own; returns the paths that are gone.

    Raises:
        BadInputError: there is no such voice, or it is not the user's own.
        UnreachableError: it cannot be removed.
    """
    was_chosen = default_finding() is None
    folder = voice_folders()[0] / name
    family, paths = next((one for one in families() if one.name == name and folder.is_dir()), None), [folder]
    if family is None:
        family, path = _own(name)
        paths = [folder] if path.parent == folder else _files_of(path)  # a run
    for path in paths:
        with storage_errors(path):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    if was_chosen and default_finding() is not None:
        _default_file().unlink(missing_ok=True)
    move_title(name, None)
    family.tidy()
    return paths


def rename(name: str, new: str) -> str:
    """Give the files of a voice of the user's another name, and return that of the voice.

    Raises:
        BadInputError: there is no such voice, it is not the user's own, or its family does not allow the name.
        UnreachableError: it cannot be renamed.
        UsageError: another voice has the name.
    """
    family, path = _own(name)
    if path.parent == voice_folders()[0] / name:
        raise BadInputError(f"{path} is in the folder of a training run", f"rename the folder {path.parent}")
    target = path.with_name(f"{new}{path.suffix}")
    if target.exists():
        raise UsageError(f"there is already a voice {new}", "choose another name")
    is_default = next(iter(installed())) == name
    renamed: list[tuple[Path, Path]] = []
    try:
        for old in reversed(_files_of(path)):  # that which it is found by, last
            place = old.with_name(target.name + old.name.removeprefix(path.name))
            with storage_errors(place):
                old.rename(place)
            renamed.append((old, place))
        family.card(target)
    except BaseException:
        for old, place in reversed(renamed):
            place.rename(old)
        raise
    found = next(known for known, (_, file) in installed().items() if file == target)
    move_title(name, found)
    if is_default:
        make_default(found)
    return found


def is_own(path: Path) -> bool:
    """Whether a voice is the user's, who may remove it."""
    return path.is_relative_to(voice_folders()[0])


def _own(name: str) -> tuple[Family, Path]:
    family, path = installed().get(name) or locate(name)
    if not is_own(path):
        raise BadInputError(f"{path} is not one of your voices in {voice_folders()[0]}", "choose one of those")
    return family, path


def _files_of(path: Path) -> list[Path]:
    """The files of one voice, that which it is found by first: NAME.onnx, NAME.onnx.json …"""
    return [path, *sorted(path.parent.glob(f"{glob.escape(path.name)}.*json"))]


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
