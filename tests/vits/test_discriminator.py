import warnings
from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrize

from voxmatrix.tables.quality import qualities
from voxmatrix.vits.checkpoint.weights import to_piper
from voxmatrix.vits.discriminator import PERIODS, MultiPeriodDiscriminator, merged
from voxmatrix.vits.losses import discriminator_adversarial, feature_matching, generator_adversarial


@pytest.mark.parametrize("name", list(qualities()))
def test_six_opinions_on_waves_of_any_length(name: str) -> None:
    discriminator = MultiPeriodDiscriminator(qualities()[name].discriminator_divisor)
    for n in (8192, 8191, 1000):
        scores, features = discriminator(torch.randn(2, 1, n) * 0.1)
        assert len(scores) == len(features) == 1 + len(PERIODS)
        assert all(score.dim() == 2 and score.size(0) == 2 for score in scores)
        assert [len(layers) for layers in features] == [7, 6, 6, 6, 6, 6]


def test_judged_together_or_alone_is_the_same() -> None:
    discriminator = MultiPeriodDiscriminator(8)
    waves = torch.randn(4, 1, 3000)
    together, _ = discriminator(waves)
    alone, _ = discriminator(waves[2:])
    for score, wanted in zip(together, alone, strict=True):
        torch.testing.assert_close(score[2:], wanted, atol=1e-5, rtol=1e-5)


def test_weights_may_be_computed_once_for_several_calls() -> None:
    discriminator = MultiPeriodDiscriminator(8)
    wave = torch.randn(1, 1, 2000)
    wanted, _ = discriminator(wave)
    with parametrize.cached():
        first, _ = discriminator(wave)
        again, _ = discriminator(wave)
        sum(score.sum() for score in first + again).backward()
    for score, other, want in zip(first, again, wanted, strict=True):
        assert torch.equal(score, want)
        assert torch.equal(other, want)
    assert all(weight.grad is not None for weight in discriminator.parameters())


@pytest.mark.peers
@pytest.mark.parametrize(
    ("in_rows", "dtype", "bound"),
    # In rows, single precision would turn the sign of a few features near zero, and with it numbers of the gradient.
    [(False, torch.float32, 2e-3), (True, torch.float64, 1e-9)],
)
def test_scores_losses_and_gradients_are_pipers(
    piper_train: SimpleNamespace, in_rows: bool, dtype: torch.dtype, bound: float
) -> None:
    ours = MultiPeriodDiscriminator().train(in_rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        theirs = piper_train.models.MultiPeriodDiscriminator()
    theirs.load_state_dict(to_piper(ours.state_dict()))
    ours.to(dtype)
    theirs.to(dtype)
    real, fake = torch.randn(2, 1, 8192, dtype=dtype), torch.randn(2, 1, 8192, dtype=dtype)

    real_scores, real_features = ours(real)
    scores, features = ours(fake)
    their_real, their_fake, their_real_features, their_features = theirs(real, fake)
    losses = piper_train.losses
    pairs = [
        (discriminator_adversarial(real_scores, scores), losses.discriminator_loss(their_real, their_fake)[0]),
        (generator_adversarial(scores), losses.generator_loss(their_fake)[0]),
        (feature_matching(real_features, features), losses.feature_loss(their_real_features, their_features)),
    ]
    for loss, wanted in pairs:
        torch.testing.assert_close(loss, wanted, atol=1e-5, rtol=1e-4)
    torch.stack([loss for loss, _ in pairs]).sum().backward()
    sum(wanted for _, wanted in pairs).backward()
    gradients = to_piper({name: weight.grad for name, weight in ours.named_parameters()})
    for key, weight in theirs.named_parameters():
        scale = weight.grad.abs().max().clamp_min(1e-6)
        torch.testing.assert_close(gradients[key] / scale, weight.grad / scale, atol=bound, rtol=0, msg=key)


@pytest.mark.parametrize("n", [8192, 1001])
def test_in_training_on_a_cpu_it_computes_what_it_computes_otherwise(n: int) -> None:
    discriminator, wave = MultiPeriodDiscriminator(4), torch.randn(2, 1, n)
    scores, features = discriminator.train()(wave)
    plain_scores, plain_features = discriminator.eval()(wave)
    torch.testing.assert_close(scores, plain_scores, atol=1e-5, rtol=1e-5)
    for ours, theirs in zip(features[1:], plain_features[1:], strict=True):
        for rows, planes in zip(ours, theirs, strict=True):
            same = planes.permute(0, 3, 2, 1).flatten(0, 1)  # (b, c, positions, period), as rows
            torch.testing.assert_close(rows, same, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(("channels", "made", "groups"), [(16, 64, 4), (64, 32, 16)])
def test_fewer_groups_with_zeros_between_them_give_the_same(channels: int, made: int, groups: int) -> None:
    conv, x = nn.Conv1d(channels, made, 41, 4, padding=20, groups=groups), torch.randn(2, channels, 50)
    weight = merged(conv.weight, groups)
    assert weight.shape == (made, 16, 41)
    found = nn.functional.conv1d(x, weight, conv.bias, 4, 20, groups=groups // 4)
    torch.testing.assert_close(found, conv(x), atol=1e-5, rtol=1e-5)
