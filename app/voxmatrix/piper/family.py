"""The family of VITS voices: exported in Piper's format, or checkpoints of a training run."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from voxmatrix.errors import BadInputError, VoxmatrixError
from voxmatrix.files import read_text_or_empty
from voxmatrix.models.card import Capabilities, Knob, VoiceCard
from voxmatrix.models.device import GpuSupport, SpeakDevice, Warn
from voxmatrix.models.family import Family, OpenVoice
from voxmatrix.models.style import Runtime
from voxmatrix.piper.config import STUDENT, VoiceConfig
from voxmatrix.piper.files import (
    ONNX,
    config_beside,
    config_path,
    is_exported,
    source_path,
    title_of,
    voice_in_folder,
)
from voxmatrix.plan.parallelism import CPUS_PER_VOICE
from voxmatrix.text.phonemes.piper_tts import PIPER_TYPES

NAME = "piper"
MAX_NOISE = 10.0
PHONEME_TYPES = ("espeak", "text", *PIPER_TYPES)
_MIB = 2**20
_REMEDY = (
    "use the image or the torch that `voxmatrix doctor` names for this GPU (on Windows with DirectML: pip install "
    "onnxruntime-directml instead of onnxruntime), or set `device=cpu`"
)
#: Memory of an open voice compared with the size of its file (onnxruntime 1.31, 63 MB: 145 to 165 MiB).
_MEMORY_PER_BYTE = 2.75


class PiperFamily:
    """The voices of Piper: ONNX files, checkpoints and training runs."""

    name = NAME
    trainable = True

    def find(self, folder: Path) -> Mapping[str, Path]:
        """The exported voices in a folder."""
        return {path.stem: path for path in sorted(folder.glob(f"*{ONNX}"))}

    def owns(self, path: Path) -> Path | None:
        """A file may always be a checkpoint, whatever it is called; a folder is a run, or has one exported voice."""
        return voice_in_folder(path) if path.is_dir() else path

    def named(self, name: str) -> Path | None:
        """None: all are in folders."""
        return None

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
        from voxmatrix.piper.voice import open_voice

        return open_voice(card.path, runtime, device=device, warn=warn)


def card_of(path: Path, config: VoiceConfig, beside: Path | None) -> VoiceCard:
    """The card of a voice with this config, and perhaps with a JSON next to it.

    Raises:
        BadInputError: its phonemes are of a type that is not supported.
    """
    if config.phoneme_type not in PHONEME_TYPES:
        missing = ": it needs the model of g2pW, which is in no package" if config.phoneme_type == "pinyin" else ""
        raise BadInputError(
            f"the voice {path} uses phonemes of type {config.phoneme_type!r}, which is not supported{missing}",
            f"choose a voice with phonemes of type {', '.join(PHONEME_TYPES)}",
        )
    exported, origin = is_exported(path), _origin(path)
    student = config.quality == STUDENT
    return VoiceCard(
        id=path.stem if exported else path.absolute().parent.name,
        family=NAME,
        title=title_of(path.stem) if exported else config.dataset,
        files=(path, beside) if beside else (path,),
        rate_hz=config.rate_hz,
        languages=(config.espeak_voice,),
        quality=config.quality,
        num_speakers=config.num_speakers,
        speakers=config.speaker_id_map,
        default_speaker=config.default_speaker,
        gender=gender if isinstance(gender := config.source.get("gender"), str) else "",
        license=origin.get("license", ""),
        source=origin.get("source", ""),
        version=origin.get("version", ""),
        facts=config.to_json(),
        memory_mib=path.stat().st_size * _MEMORY_PER_BYTE / _MIB if path.exists() else 0.0,
        capabilities=Capabilities(
            knobs={
                "noise": Knob(title="Variation of the sound", default=config.noise_scale, low=0.0, high=MAX_NOISE),
                "noise_w": Knob(title="Variation of the rhythm", default=config.noise_w, low=0.0, high=MAX_NOISE),
            },
            phonemes=True,
            seed="device",
            may_teach=True,
            uses_torch=not exported,
            on_gpu=not student,  # 8-bit integers in small layers: a GPU would wait for the CPU at each of them
            cpus=1 if student else CPUS_PER_VOICE,  # its layers are too small to be divided
        ),
    )


def _origin(path: Path) -> dict[str, str]:
    """Where a downloaded voice is from, and its licence."""
    with suppress(ValueError, AttributeError):
        known = json.loads(read_text_or_empty(source_path(path)))
        return {name: str(known.get(name, "")) for name in ("source", "version", "license")}
    return {}


def _config_of_checkpoint(path: Path, beside: Path | None) -> VoiceConfig:
    """From the JSON next to it or, if that is not possible, from the file, for which torch is imported."""
    if beside is not None:
        with suppress(VoxmatrixError):
            return VoiceConfig.read(beside)
    from voxmatrix.piper.files import checkpoint_config
    from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint

    return checkpoint_config(path, read_checkpoint(path))


FAMILY: Family = PiperFamily()
