"""The files of a voice: an ONNX file and its JSON, a checkpoint and its config, or the folder of a run."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voxmatrix.errors import BadInputError
from voxmatrix.piper.config import VoiceConfig

if TYPE_CHECKING:
    from voxmatrix.vits.checkpoint.checkpoint import Checkpoint

ONNX = ".onnx"
#: How the names of public voices look: en_US-joe-medium.
PUBLIC_NAME = re.compile(r"[a-z]{2,3}_[A-Z]{2}-\w{1,64}-(x_low|low|medium|high)")
_TITLE = re.compile(r"[a-z]{2,3}_[A-Z]{2}-(\w+)(-\w+)?")
#: Checkpoints in the folder of a training run, best first.
CHECKPOINTS = ("best.ckpt", "last.ckpt")
#: Voice configs that may be next to a checkpoint: ours, and that of Piper's trainer.
CONFIGS = ("voice.json", "config.json")


def title_of(name: str) -> str:
    """A voice as people call it: Joe for en_US-joe-medium, VCTK for en_GB-vctk-medium; other names stay as they are."""
    found = _TITLE.fullmatch(name)
    if found is None:
        return name.replace("_", " ")
    words = found[1].split("_")
    return " ".join(word.title() if set("aeiouy") & set(word) else word.upper() for word in words)


def is_exported(path: Path) -> bool:
    """Whether a file is an exported voice; all others are checkpoints."""
    return path.suffix == ONNX


def voice_in_folder(folder: Path) -> Path | None:
    """The best checkpoint in the folder of a run, else its only exported voice; None if it has neither.

    Raises:
        BadInputError: it has several.
    """
    for name in CHECKPOINTS:
        if (folder / name).is_file():
            return folder / name
    voices = sorted(folder.glob(f"*{ONNX}"))
    if len(voices) > 1:
        raise BadInputError(
            f"the folder {folder} contains {len(voices)} voices (*{ONNX}) and no {' or '.join(CHECKPOINTS)}",
            f"choose one: {', '.join(str(voice) for voice in voices[:8])}",
        )
    return voices[0] if voices else None


def find_checkpoint(path: Path) -> Path:
    """The checkpoint in `path`: a file, or the best one in the folder of a run.

    Raises:
        BadInputError: there is none, or it is an exported voice.
    """
    remedy = "choose a checkpoint (.ckpt) or the folder of a training run"
    found = voice_in_folder(path) if path.is_dir() else path
    if found is None or not found.exists():
        raise BadInputError(f"there is no checkpoint and no run {path}", remedy)
    if is_exported(found):
        raise BadInputError(f"{found} is an exported voice: it can neither be trained further nor exported", remedy)
    return found


def config_path(onnx: Path) -> Path:
    """The path of the JSON of an ONNX file, as Piper expects it."""
    return onnx.with_name(onnx.name + ".json")


def source_path(onnx: Path) -> Path:
    """The path of the JSON that says where a downloaded voice is from, and its licence."""
    return onnx.with_name(onnx.name + ".source.json")


def config_beside(checkpoint: Path) -> Path | None:
    """The voice config next to a checkpoint, which may also have it inside."""
    candidates = config_path(checkpoint), *(checkpoint.with_name(name) for name in CONFIGS)
    return next((path for path in candidates if path.is_file()), None)


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
    if beside := config_beside(path):
        return VoiceConfig.read(beside)
    raise BadInputError(
        f"{path} contains no voice config, and there is no {' or '.join(CONFIGS)} next to it",
        f"copy the config.json of Piper's training to {path.parent}",
    )
