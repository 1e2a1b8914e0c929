"""How much a student's sound varies: as much as that of its teacher.

What cannot be predicted of samples is averaged by the losses, so mel bands of a student vary less than those of its
teacher, and change less from frame to frame: it sounds muffled. Here its filters are widened around their means, as
the spectra of statistical voices have long been (Toda and Tokuda 2007, global variance). That costs nothing when it
speaks, since it is put into the weights of the head.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from voxmatrix.distil.student.batches import Utterance, excerpts
from voxmatrix.distil.student.corpus import RATE_HZ
from voxmatrix.distil.student.losses import MELS, MelBands
from voxmatrix.distil.student.network import AcousticModel
from voxmatrix.distil.student.training import sound_of, wave_of
from voxmatrix.distil.student.waves import BINS

#: Sentences that are compared.
_SENTENCES = 24
#: Bands are widened by this times what their deviation lacks: from frame to frame, twice as much is lacking.
_STRENGTH = 2.0
#: The limits of a deviation, as a share of that of the student.
_LEAST, _MOST = 0.9, 1.4
#: The filters that are magnitudes.
_MAGNITUDES = 0, 2


def widen(sound: AcousticModel, utterances: Sequence[Utterance]) -> None:
    """Let the loud frames of sentences vary as those of the teacher, and be as loud, in each band."""
    own = utterances[:: max(1, len(utterances) // _SENTENCES)][:_SENTENCES]
    with torch.no_grad():
        weights, biases = sound.head.weight.view(4, BINS, -1), sound.head.bias.view(4, BINS)
        shares = _shares()
        theirs, ours, means = _heard(sound, own)
        lacking = (theirs.std(0) / ours.std(0)).clamp(_LEAST, _MOST) - 1
        factors = 1 + _STRENGTH * shares @ lacking
        for filter_ in _MAGNITUDES:
            weights[filter_] *= factors[:, None]
            biases[filter_] += (1 - factors) * (means[filter_] - biases[filter_])
        theirs, ours, _ = _heard(sound, own)
        for filter_ in _MAGNITUDES:
            biases[filter_] += shares @ (theirs - ours).mean(0)


def _heard(sound: AcousticModel, utterances: Sequence[Utterance]) -> tuple[Tensor, Tensor, Tensor]:
    """Mel bands of loud frames by the teacher and by the student (n, MELS), and the means of filters (4, BINS)."""
    bands, found = MelBands(), []
    for one in utterances:
        batch = excerpts([(one, 0)], one.speech.frames)
        filters = sound_of(sound, batch)
        theirs, ours = (bands(wave, batch.noise)[0].T for wave in (batch.samples, wave_of(filters, batch)))
        loudness = theirs.mean(1)
        loud = loudness > loudness.median()
        found.append((theirs[loud], ours[loud], filters[0, loud]))
    theirs, ours, filters = map(torch.cat, zip(*found, strict=True))
    return theirs, ours, filters.mean(0)


def _shares() -> Tensor:
    """What each band means for each bin (BINS, MELS); nothing below the lowest and above the highest band."""
    from torchaudio.functional import melscale_fbanks

    shares: Tensor = melscale_fbanks(BINS, 0.0, RATE_HZ / 2, MELS, RATE_HZ)
    return shares / shares.sum(1, keepdim=True).clamp_min(0.5)
