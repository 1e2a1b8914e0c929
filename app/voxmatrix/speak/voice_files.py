"""Where a voice's files lie: an ONNX and its JSON, a checkpoint and its card, the folder of a run."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from voxmatrix.config import voice_folders
from voxmatrix.errors import BadInputError
from voxmatrix.voice.config import VoiceConfig

if TYPE_CHECKING:
    from voxmatrix.voice.checkpoint.checkpoint import Checkpoint

#: In the folder of a training run, best first.
CHECKPOINTS = ("best.ckpt", "last.ckpt")
#: Cards that may lie beside a checkpoint: ours, and that of Piper's trainer.
CARDS = ("voice.json", "config.json")


def find_voice(path: Path) -> Path:
    """The file that a person means by `path`.

    Raises:
        BadInputError: there is none, or there are several.
    """
    if path.is_dir():
        return _in_folder(path)
    if not path.exists():
        raise BadInputError(
            f"there is no voice {path}", "give NAME.onnx with NAME.onnx.json beside it, a .ckpt, or a run's folder"
        )
    return path


def default_voice() -> Path:
    """The voice of a person who names none.

    Raises:
        BadInputError: there is none.
    """
    folders = voice_folders()
    for folder in folders:
        for found in sorted(folder.glob("*.onnx")):
            return found
    raise BadInputError(
        f"no --voice was given, and there is none in {' or '.join(map(str, folders))}",
        "name one with --voice, or put NAME.onnx and NAME.onnx.json there",
    )


def find_checkpoint(path: Path) -> Path:
    """The checkpoint that a person means: a file, or the best of a run's folder."""
    found = find_voice(path)
    if found.suffix == ".onnx":
        raise BadInputError(f"{found} is exported already", "give the checkpoint (.ckpt) or the folder of the run")
    return found


def config_path(onnx: Path) -> Path:
    """Where Piper looks for the JSON of an ONNX."""
    return onnx.with_name(onnx.name + ".json")


def checkpoint_config(path: Path, checkpoint: "Checkpoint") -> VoiceConfig:
    """The card of a checkpoint: inside it when it is ours, else the JSON beside it.

    Raises:
        BadInputError: there is none, or it belongs to another voice.
    """
    config = _inside_or_beside(path, checkpoint.extra)
    if (config.num_symbols, config.num_speakers) != (checkpoint.num_symbols, checkpoint.num_speakers):
        raise BadInputError(
            f"{path} and its card do not belong together: the checkpoint has {checkpoint.num_symbols} symbols and "
            f"{checkpoint.num_speakers} speakers, the card {config.num_symbols} and {config.num_speakers}",
            "put the JSON of that training beside it",
        )
    return config


def _inside_or_beside(path: Path, extra: dict[str, Any]) -> VoiceConfig:
    inside = extra.get("card")
    if isinstance(inside, dict):
        return VoiceConfig.from_json(inside, f"the card in {path}")
    for beside in (config_path(path), *(path.with_name(name) for name in CARDS)):
        if beside.is_file():
            return VoiceConfig.read(beside)
    raise BadInputError(
        f"{path} does not say how its text is pronounced, and no {' or '.join(CARDS)} lies beside it",
        f"put the config.json of Piper's training into {path.parent}",
    )


def _in_folder(folder: Path) -> Path:
    for name in CHECKPOINTS:
        if (folder / name).is_file():
            return folder / name
    voices = sorted(folder.glob("*.onnx"))
    if len(voices) == 1:
        return voices[0]
    raise BadInputError(
        f"the folder {folder} holds {len(voices)} voices (*.onnx) and no {' or '.join(CHECKPOINTS)}",
        f"name the file: {', '.join(str(voice) for voice in voices[:8])}" if voices else "give the folder of a run",
    )
