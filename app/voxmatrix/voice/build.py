"""Networks of a quality."""

from voxmatrix.tables.quality import Quality
from voxmatrix.voice.discriminator import MultiPeriodDiscriminator
from voxmatrix.voice.synthesizer import Synthesizer


def build_generator(quality: Quality, num_symbols: int, num_speakers: int = 1) -> Synthesizer:
    """A voice's generator with fresh weights."""
    return Synthesizer(quality, num_symbols, num_speakers)


def build_discriminator(quality: Quality) -> MultiPeriodDiscriminator:
    """The discriminators that train a generator of this quality."""
    return MultiPeriodDiscriminator(quality.discriminator_divisor)
