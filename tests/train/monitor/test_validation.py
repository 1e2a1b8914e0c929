"""The figure by which the best checkpoint is chosen."""

from contextlib import nullcontext

import pytest
import torch

from tests.train.synthetic import MINI, RATE_HZ, prepared_set
from voxmatrix.audio.spectrum import Spectrum
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.train.data.batches import ClipDataset, Collate
from voxmatrix.train.monitor.validation import validation_batches, validation_mel
from voxmatrix.train.step.step import Networks
from voxmatrix.vits.discriminator import MultiPeriodDiscriminator
from voxmatrix.vits.synthesizer import Synthesizer


def make_networks(n_speakers: int = 1) -> Networks:
    torch.manual_seed(1)
    return Networks(
        generator=Synthesizer(MINI, 256, n_speakers),
        discriminator=MultiPeriodDiscriminator(MINI.discriminator_divisor),
        spectrum=Spectrum(RATE_HZ),
    )


def figure(networks: Networks, prepared: PreparedSet, batch_size: int, seed: int = 1) -> float:
    collate = Collate(prepared.speakers)
    batches = validation_batches(ClipDataset(prepared.clips[:4]), collate, batch_size, torch.device("cpu"))
    return validation_mel(networks, batches, nullcontext, seed)


def test_the_same_weights_give_the_same_figure_whatever_chance_did_before(prepared: PreparedSet) -> None:
    networks = make_networks()
    first = figure(networks, prepared, 4)
    torch.rand(17)
    assert figure(networks, prepared, 4) == first > 0


def test_the_size_of_batches_hardly_matters(prepared: PreparedSet) -> None:
    networks = make_networks()
    assert figure(networks, prepared, 1) == pytest.approx(figure(networks, prepared, 4), rel=0.02)


def test_the_networks_are_left_in_training_mode_without_gradients(prepared: PreparedSet) -> None:
    networks = make_networks()
    figure(networks, prepared, 4)
    assert networks.generator.training
    assert all(weight.grad is None for weight in networks.generator.parameters())


def test_several_speakers_are_heard_each_with_their_own_voice(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    several = prepared_set(tmp_path_factory.mktemp("several"), speakers=("ann", "bob"))
    assert figure(make_networks(2), several, 4) > 0
