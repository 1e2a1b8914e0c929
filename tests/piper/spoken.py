"""What an open voice makes of ids."""

from collections.abc import Sequence

import numpy as np

from voxmatrix.audio.samples import Samples
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.voice import Voice


def spoken(voice: Voice, ids: Sequence[int], options: SynthesisOptions) -> Samples:
    """One sentence, all at once."""
    return voice.checked(np.concatenate([part() for part in voice.engine.begin(ids, options)]))
