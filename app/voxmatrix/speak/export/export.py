"""A checkpoint to a voice: ONNX and JSON as Piper's runtime wants them, kept only when they speak like torch."""

import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from voxmatrix.errors import DamagedFileError, UsageError
from voxmatrix.files import replacing
from voxmatrix.speak.engines.torch import speaking_generator
from voxmatrix.speak.export.onnx_writer import add_metadata, write_onnx
from voxmatrix.speak.export.provenance import described
from voxmatrix.speak.export.verify import largest_difference
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.speak.voice_files import checkpoint_config, config_path, find_checkpoint
from voxmatrix.voice.checkpoint.checkpoint import read_checkpoint
from voxmatrix.voice.config import VoiceConfig

#: The same samples as torch, within this.
MOST_DIFFERENCE = 1e-4


@dataclass(frozen=True, kw_only=True)
class Exported:
    """The two files of a voice, and how far its samples are from torch's."""

    onnx: Path
    config: Path
    difference: float


def export_voice(
    checkpoint: Path, out: Path, *, noise: float | None = None, noise_w: float | None = None, force: bool = False
) -> Exported:
    """Write `out` (NAME.onnx) and NAME.onnx.json: both, or none when they do not speak like the checkpoint.

    `noise` and `noise_w` are how the voice varies where nobody says otherwise; None leaves what the card says.

    Raises:
        UsageError: `out` does not end in .onnx, or is there and `force` is not set; a noise that makes no sense.
        BadInputError: there is no such checkpoint, or it has no card.
        DamagedFileError: the checkpoint is damaged, or what came out does not speak like it.
        UnreachableError: the place cannot be written.
    """
    _check_free(out, force)
    options = SpeakSettings(noise=noise, noise_w=noise_w)
    path = find_checkpoint(checkpoint)
    read = read_checkpoint(path)
    config = described(checkpoint_config(path, read), path, read)
    config = replace(
        config,
        noise_scale=config.noise_scale if options.noise is None else options.noise,
        noise_w=config.noise_w if options.noise_w is None else options.noise_w,
    )
    generator = speaking_generator(read)
    with tempfile.TemporaryDirectory(prefix="voxmatrix-") as folder:
        made = Path(folder) / "voice.onnx"
        write_onnx(generator, read.num_speakers, made)
        add_metadata(made, config)
        difference = largest_difference(generator, made, read.num_symbols, read.num_speakers)
        if not difference <= MOST_DIFFERENCE:
            raise DamagedFileError(
                f"the exported voice differs from {path} by {difference:.1e}, more than {MOST_DIFFERENCE:g}: not kept",
                "export another checkpoint of the run; if this one speaks well with torch, report it",
            )
        _keep(made, config, out)
    return Exported(onnx=out, config=config_path(out), difference=difference)


def _keep(made: Path, config: VoiceConfig, out: Path) -> None:
    """Put both files in their place: an ONNX is a voice only with its JSON."""
    with replacing(out) as onnx, replacing(config_path(out)) as text, made.open("rb") as source:
        shutil.copyfileobj(source, onnx)
        text.write(config.encoded())


def _check_free(out: Path, force: bool) -> None:
    if out.suffix != ".onnx":
        raise UsageError(f"--out is {out}", f"name a file that ends in .onnx, e.g. --out {out.with_suffix('.onnx')}")
    there = [path for path in (out, config_path(out)) if path.exists()]
    if there and not force:
        raise UsageError(f"{there[0]} is already there", "add --force to replace it, or choose another name")
