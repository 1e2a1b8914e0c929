"""What an open voice makes of ids."""

from collections.abc import Sequence

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.voice import PiperVoice


def spoken(voice: PiperVoice, ids: Sequence[int], options: SynthesisOptions, seed: int | None = None) -> Samples:
    """One sentence, all at once."""
    return np.concatenate([part() for part in voice.engine.begin(ids, options, seed).segments])
