"""The family of VITS voices: exported in Piper's format, or checkpoints of a training run."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voxmatrix.errors import VoxmatrixError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import GpuSupport, SpeakDevice, Warn
from voxmatrix.models.family import Family, OpenVoice
from voxmatrix.models.style import Runtime
from voxmatrix.piper.card import NAME, card_of
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.files import ONNX, config_beside, config_path, is_exported, voice_in_folder

if TYPE_CHECKING:
    from voxmatrix.models.library import Library

_REMEDY = (
    "use the image or the torch that `voxmatrix doctor` names for this GPU (on Windows with DirectML: pip install "
    "onnxruntime-directml instead of onnxruntime), or set `device=cpu`"
)


class PiperFamily:
    """The voices of Piper: ONNX files, checkpoints and training runs."""

    name = NAME
    trainable = True
    language_names: Mapping[str, str] = {}

    @property
    def library(self) -> "Library[Any]":
        """The voices of Piper's index."""
        from voxmatrix.piper.library import LIBRARY

        return LIBRARY

    def find(self, folder: Path) -> Mapping[str, Path]:
        """The exported voices in a folder."""
        return {path.stem: path for path in sorted(folder.glob(f"*{ONNX}"))}

    def owns(self, path: Path) -> Path | None:
        """A file may always be a checkpoint, whatever it is called; a folder is a run, or has one exported voice."""
        return voice_in_folder(path) if path.is_dir() else path

    def named(self, name: str) -> Path | None:
        """None: all are in folders."""
        return None

    def tidy(self) -> None:
        """Nothing: a voice shares no file with others."""

    def uses_torch(self, path: Path) -> bool:
        """Checkpoints are computed by torch, exported voices are not."""
        return not is_exported(path)

    def card(self, path: Path) -> VoiceCard:
        """From the JSON of the voice; a checkpoint without one next to it is read."""
        if not is_exported(path):
            beside = config_beside(path)
            return card_of(path, _config_of_checkpoint(path, beside), beside)
        beside = config_path(path)
        return card_of(path, VoiceConfig.read(beside), beside)

    def gpu_support(self) -> GpuSupport:
        """Torch on the GPUs that it is built for; what the installed onnxruntime has a provider for on others."""
        from voxmatrix.inference.provider import served_kinds
        from voxmatrix.machine.probes.torch_build import find_torch, read_torch_build

        torch = read_torch_build(find_torch())
        by_torch = torch is not None and torch.built_for is not None
        return GpuSupport(kinds=served_kinds(), by="onnxruntime", remedy=_REMEDY, by_torch=by_torch)

    def open(self, card: VoiceCard, device: SpeakDevice, runtime: Runtime, warn: Warn) -> OpenVoice:
        """Open a voice; its networks load in the background."""
        from voxmatrix.piper.voice import open_piper_voice

        return open_piper_voice(card.path, runtime, device=device, warn=warn)


def _config_of_checkpoint(path: Path, beside: Path | None) -> VoiceConfig:
    """From the JSON next to it or, if that is not possible, from the file, for which torch is imported."""
    if beside is not None:
        with suppress(VoxmatrixError):
            return VoiceConfig.read(beside)
    from voxmatrix.piper.files import checkpoint_config
    from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint

    return checkpoint_config(path, read_checkpoint(path))


FAMILY: Family = PiperFamily()
