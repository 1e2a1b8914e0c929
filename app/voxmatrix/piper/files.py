"""Locate the files of a voice: an ONNX file and its JSON, a checkpoint and its config, or the folder of a run."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from voxmatrix.config import voice_folders
from voxmatrix.errors import BadInputError
from voxmatrix.piper.config import VoiceConfig

if TYPE_CHECKING:
    from voxmatrix.vits.checkpoint.checkpoint import Checkpoint

#: Checkpoints in the folder of a training run, best first.
CHECKPOINTS = ("best.ckpt", "last.ckpt")
#: Voice configs that may be next to a checkpoint: ours, and that of Piper's trainer.
CONFIGS = ("voice.json", "config.json")


def find_voice(path: Path) -> Path:
    """The file of the voice in `path`: a file, a folder, or the name of an installed voice.

    Raises:
        BadInputError: there is none, or there are several.
    """
    if path.is_dir():
        return _in_folder(path)
    if path.exists():
        return path
    named = {voice.stem: voice for voice in installed_voices()}
    if path.name == str(path) and path.name.removesuffix(".onnx") in named:
        return named[path.name.removesuffix(".onnx")]
    raise BadInputError(
        f"there is no voice {path}",
        "choose NAME.onnx (with NAME.onnx.json next to it), a .ckpt, the folder of a run, or a name from "
        f"`voxmatrix voices list`: {', '.join(named)}",
    )


def installed_voices() -> list[Path]:
    """The voices in the voice folders by name; one in an earlier folder hides those of the same name."""
    found: dict[str, Path] = {}
    for folder in voice_folders():
        for path in sorted(folder.glob("*.onnx")):
            found.setdefault(path.stem, path)
    return list(found.values())


def default_voice() -> Path:
    """The voice to use if none was chosen: the first one found in the voice folders.

    Raises:
        BadInputError: they contain no voice.
    """
    for found in installed_voices():
        return found
    raise BadInputError(
        f"no --voice was given, and there is no voice in {' or '.join(map(str, voice_folders()))}",
        "set --voice, or put NAME.onnx and NAME.onnx.json there",
    )


def find_checkpoint(path: Path) -> Path:
    """The checkpoint in `path`: a file, or the best one in the folder of a run.

    Raises:
        BadInputError: there is none, or it is an exported voice.
    """
    remedy = "choose a checkpoint (.ckpt) or the folder of a training run"
    try:
        found = find_voice(path)
    except BadInputError as error:
        raise BadInputError(error.problem, remedy) from error
    if found.suffix == ".onnx":
        raise BadInputError(f"{found} is already exported", remedy)
    return found


def config_path(onnx: Path) -> Path:
    """The path of the JSON of an ONNX file, as Piper expects it."""
    return onnx.with_name(onnx.name + ".json")


def voice_language(voice: Path) -> str:
    """The language of an exported voice, e.g. en-us; "" for a checkpoint, which would have to be loaded.

    Raises:
        BadInputError: its JSON is missing or invalid.
    """
    return VoiceConfig.read(config_path(voice)).espeak_voice if voice.suffix == ".onnx" else ""


def checkpoint_config(path: Path, checkpoint: "Checkpoint") -> VoiceConfig:
    """The voice config of a checkpoint: inside the file if voxmatrix wrote it, else in the JSON next to it.

    Raises:
        BadInputError: there is none, or it belongs to another voice.
    """
    config = _read_config(path, checkpoint.extra)
    if (config.num_symbols, config.num_speakers) != (checkpoint.num_symbols, checkpoint.num_speakers):
        raise BadInputError(
            f"{path} and its config do not match: the checkpoint has {checkpoint.num_symbols} symbols and "
            f"{checkpoint.num_speakers} speakers, the config {config.num_symbols} and {config.num_speakers}",
            "put the JSON of the same training next to it",
        )
    return config


def _read_config(path: Path, extra: dict[str, Any]) -> VoiceConfig:
    inside = extra.get("card")
    if isinstance(inside, dict):
        return VoiceConfig.from_json(inside, f"the config in {path}")
    for candidate in (config_path(path), *(path.with_name(name) for name in CONFIGS)):
        if candidate.is_file():
            return VoiceConfig.read(candidate)
    raise BadInputError(
        f"{path} contains no voice config, and there is no {' or '.join(CONFIGS)} next to it",
        f"copy the config.json of Piper's training to {path.parent}",
    )


def _in_folder(folder: Path) -> Path:
    for name in CHECKPOINTS:
        if (folder / name).is_file():
            return folder / name
    voices = sorted(folder.glob("*.onnx"))
    if len(voices) == 1:
        return voices[0]
    raise BadInputError(
        f"the folder {folder} contains {len(voices)} voices (*.onnx) and no {' or '.join(CHECKPOINTS)}",
        f"choose one: {', '.join(str(voice) for voice in voices[:8])}" if voices else "choose the folder of a run",
    )
