"""Export a checkpoint as ONNX and JSON for Piper's runtimes, and verify it against torch."""

import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from voxmatrix.errors import BadInputError, DamagedFileError, UsageError
from voxmatrix.files import check_not_folder, replacing
from voxmatrix.piper.card import MAX_NOISE
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.files import checkpoint_config, config_path, find_checkpoint

#: Largest accepted difference of a sample from torch.
MAX_DIFFERENCE = 1e-4
#: What to do with a voice that does not speak yet.
LEARN_FURTHER = "train it further (the same command with more steps goes on)"


@dataclass(frozen=True, kw_only=True)
class Exported:
    """The two files of a voice, and the largest difference of its samples from those of torch."""

    onnx: Path
    config: Path
    difference: float
    doubt: str = ""  # why it cannot be said to speak, if that was asked for


#: Whether it is looked at that the voice has learned to speak, and what follows if it has not.
Speech = Literal["unchecked", "told", "required"]


def export_voice(
    checkpoint: Path,
    out: Path,
    *,
    noise: float | None = None,
    noise_w: float | None = None,
    force: bool = False,
    speech: Speech = "unchecked",
) -> Exported:
    """Write `out` (NAME.onnx) and NAME.onnx.json, or neither if they do not speak like the checkpoint.

    `noise` and `noise_w` become the defaults of the voice; None keeps those of its config.

    Raises:
        UsageError: `out` does not end in .onnx, or exists and `force` is not set; or a noise is out of range.
        BadInputError: there is no such checkpoint, it has no voice config, or speech is required and it has not learned
            to speak.
        DamagedFileError: the checkpoint is corrupt, or the exported voice does not speak like it.
        UnreachableError: `out` cannot be written.
    """
    check_free(out, force=force)
    check_noise(noise, noise_w)
    return _export(find_checkpoint(checkpoint), noise, noise_w, out, speech)


def _export(path: Path, noise: float | None, noise_w: float | None, out: Path, speech: Speech) -> Exported:
    # These import torch, which takes seconds: a wrong argument is reported before that.
    from voxmatrix.piper.engines.torch import speaking_generator
    from voxmatrix.piper.export.onnx_writer import write_onnx
    from voxmatrix.piper.export.provenance import with_provenance
    from voxmatrix.piper.export.speaks import doubt
    from voxmatrix.piper.export.verify import largest_difference
    from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint

    read = read_checkpoint(path)
    config = with_provenance(checkpoint_config(path, read), path, read)
    config = replace(
        config,
        noise_scale=config.noise_scale if noise is None else noise,
        noise_w=config.noise_w if noise_w is None else noise_w,
    )
    generator = speaking_generator(read)
    doubts = ""
    if speech != "unchecked":
        doubts = doubt(generator, config.id_map, config.rate_hz, read.extra.get("progress", {}))
    if doubts and speech == "required":
        raise BadInputError(
            f"{path} has not learned to speak yet: {doubts}", f"{LEARN_FURTHER}, or export it anyway with `force`"
        )
    with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as folder:
        onnx = Path(folder) / "voice.onnx"
        write_onnx(generator, config, onnx)
        difference = largest_difference(generator, onnx, read.num_symbols, read.num_speakers)
        if not difference <= MAX_DIFFERENCE:
            raise DamagedFileError(
                f"the exported voice differs from {path} by {difference:.1e} (limit: {MAX_DIFFERENCE:g}): not written",
                "export another checkpoint of the run; if this one speaks well with torch, report a bug",
            )
        write_voice(onnx, config, out)
    return Exported(onnx=out, config=config_path(out), difference=difference, doubt=doubts)


def write_voice(onnx: Path, config: VoiceConfig, out: Path) -> None:
    """Write both files: an ONNX file is usable only with its JSON, which has the name of the file."""
    with replacing(out) as file, replacing(config_path(out)) as text, onnx.open("rb") as source:
        shutil.copyfileobj(source, file)
        text.write(config.published(out.stem).encoded())


def check_noise(noise: float | None, noise_w: float | None) -> None:
    """Check the defaults that a voice is given.

    Raises:
        UsageError: one is out of range.
    """
    for name, value in (("noise", noise), ("noise_w", noise_w)):
        if value is not None and not 0.0 <= value <= MAX_NOISE:
            raise UsageError(f"`{name}` is {value}", f"choose a number from 0 to {MAX_NOISE:g}")


def check_free(out: Path, *, force: bool) -> None:
    """Check that both files of a voice may be written.

    Raises:
        UsageError: `out` does not end in .onnx, or one of them is a folder, or exists and `force` is not set.
    """
    if out.suffix != ".onnx":
        raise UsageError(f"`out` is {out}", f"choose a file that ends in .onnx, e.g. `out={out.with_suffix('.onnx')}`")
    files = out, config_path(out)
    for path in files:
        check_not_folder(path)
    existing = [path for path in files if path.exists()]
    if existing and not force:
        raise UsageError(f"{existing[0]} already exists", "add `force` to overwrite it, or choose another name")
