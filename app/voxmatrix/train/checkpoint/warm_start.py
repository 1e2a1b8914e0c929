"""Start a voice from the weights of another (ours or Piper's), possibly with other symbols or more speakers."""

from pathlib import Path

from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import BadInputError
from voxmatrix.tables.quality import Quality
from voxmatrix.text.symbols import default_map
from voxmatrix.train.step.step import Networks
from voxmatrix.vits.checkpoint.checkpoint import Checkpoint, read_checkpoint
from voxmatrix.vits.checkpoint.transfer import transfer


def start_from(path: Path, networks: Networks, row: Quality, prepared: PreparedSet) -> str:
    """Copy all weights that fit into the networks; the result describes it in words.

    Raises:
        BadInputError: the sample rate or quality differs (the language may).
    """
    checkpoint = read_checkpoint(path)
    _check_shape(path, checkpoint, row, prepared.rate_hz)
    # A Piper checkpoint has no symbol table: public voices use the default one.
    symbols = checkpoint.extra.get("card", {}).get("phoneme_id_map") or default_map("espeak")
    generator = transfer(checkpoint.generator, networks.generator, symbols, prepared.id_map)
    copied, fresh = generator.copied, list(generator.fresh)
    if checkpoint.discriminator is not None:
        discriminator = transfer(checkpoint.discriminator, networks.discriminator)
        copied, fresh = copied + discriminator.copied, fresh + list(discriminator.fresh)
    else:
        fresh.append("the discriminators")
    new = f"; new: {', '.join(fresh[:4])}{' …' if len(fresh) > 4 else ''}" if fresh else ""
    return f"starting from {path} ({copied} weights copied{new})"


def _check_shape(path: Path, checkpoint: Checkpoint, row: Quality, rate_hz: int) -> None:
    if checkpoint.rate_hz != rate_hz:
        raise BadInputError(
            f"{path} has a sample rate of {checkpoint.rate_hz} Hz, but quality {row.name} has {rate_hz} Hz",
            f"choose the quality of that voice: --quality {checkpoint.quality}",
        )
    if checkpoint.quality != row.name:
        raise BadInputError(
            f"{path} is a voice of quality {checkpoint.quality}, whose networks differ from those of {row.name}",
            f"choose --quality {checkpoint.quality}, or omit --from",
        )
