"""A new voice from the weights of another: ours or Piper's, with other symbols or more speakers."""

from pathlib import Path

from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import BadInputError
from voxmatrix.tables.quality import Quality
from voxmatrix.text.symbols import default_map
from voxmatrix.train.step.step import Networks
from voxmatrix.voice.checkpoint.checkpoint import Checkpoint, read_checkpoint
from voxmatrix.voice.checkpoint.transfer import transfer


def start_from(path: Path, networks: Networks, row: Quality, prepared: PreparedSet) -> str:
    """Copy what fits into the networks, and say in one sentence what was copied. Optimisers and epochs begin anew.

    Raises:
        BadInputError: rate or quality differ; the language may.
    """
    checkpoint = read_checkpoint(path)
    _refuse_other_shape(path, checkpoint, row, prepared.rate_hz)
    # A checkpoint of Piper does not say what its ids mean: public voices use the default table.
    symbols = checkpoint.extra.get("card", {}).get("phoneme_id_map") or default_map("espeak")
    generator = transfer(checkpoint.generator, networks.generator, symbols, prepared.id_map)
    copied, fresh = generator.copied, list(generator.fresh)
    if checkpoint.discriminator is not None:
        discriminator = transfer(checkpoint.discriminator, networks.discriminator)
        copied, fresh = copied + discriminator.copied, fresh + list(discriminator.fresh)
    else:
        fresh.append("the discriminators")
    new = f"; new are {', '.join(fresh[:4])}{' …' if len(fresh) > 4 else ''}" if fresh else ""
    return f"starts from {path} ({copied} weights copied{new})"


def _refuse_other_shape(path: Path, checkpoint: Checkpoint, row: Quality, rate_hz: int) -> None:
    if checkpoint.rate_hz != rate_hz:
        raise BadInputError(
            f"{path} speaks at {checkpoint.rate_hz} Hz and quality {row.name} at {rate_hz} Hz",
            f"choose the quality of that voice: --quality {checkpoint.quality}",
        )
    if checkpoint.quality != row.name:
        raise BadInputError(
            f"{path} is a voice of quality {checkpoint.quality}, and {row.name} is asked for: its networks differ",
            f"choose --quality {checkpoint.quality}, or leave --from out",
        )
