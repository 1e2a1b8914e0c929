"""A student varies as much as its teacher once it is widened."""

from copy import deepcopy

import torch

from tests.distil.student.conftest import SMALL, utterances_of
from voxmatrix.distil.student import variance
from voxmatrix.distil.student.network import AcousticModel
from voxmatrix.distil.student.variance import widen
from voxmatrix.distil.student.waves import BINS


def test_bands_vary_more_and_are_as_loud() -> None:
    torch.manual_seed(0)
    sound, said = AcousticModel(SMALL, 1), utterances_of(3)
    with torch.no_grad():
        sound.head.weight *= 20.0  # it says different symbols differently
        before, phases = variance._heard(sound, said), deepcopy(sound.head.weight.view(4, BINS, -1)[1::2])
        widen(sound, said)
        after = variance._heard(sound, said)

    deviations = [ours.std(0).mean() for _, ours, _ in (before, after)]
    distances = [(theirs - ours).mean(0).abs().mean() for theirs, ours, _ in (before, after)]
    assert deviations[0] < before[0].std(0).mean() and deviations[1] > 1.2 * deviations[0]
    assert distances[1] < 0.2 * distances[0]
    assert torch.equal(phases, sound.head.weight.view(4, BINS, -1)[1::2])
