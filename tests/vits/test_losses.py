import torch

from voxmatrix.vits.losses import discriminator_adversarial, feature_matching, generator_adversarial, kl_divergence


def test_right_opinions_cost_nothing() -> None:
    real, generated = [torch.ones(2, 5)] * 6, [torch.zeros(2, 5)] * 6
    assert discriminator_adversarial(real, generated) == 0
    assert discriminator_adversarial(generated, real) == 12
    assert generator_adversarial(real) == 0
    assert generator_adversarial(generated) == 6


def test_features_of_recordings_send_no_gradient() -> None:
    real, generated = torch.randn(2, 3, 4, requires_grad=True), torch.randn(2, 3, 4, requires_grad=True)
    loss = feature_matching([[real], [real]], [[generated], [generated]])
    loss.backward()
    torch.testing.assert_close(loss, 4 * (real - generated).abs().mean())
    assert real.grad is None
    assert generated.grad is not None


def test_the_divergence_of_a_distribution_from_itself_is_what_its_draw_makes_it() -> None:
    z = torch.zeros(1, 2, 3)
    mask = torch.ones(1, 1, 3)
    assert kl_divergence(z, z, z, z, mask) == -1.0  # two channels of -1/2: a draw at the mean
    assert kl_divergence(z + 1, z, z, z, mask) == 0.0  # a draw one standard deviation off
    padded = torch.cat([mask, torch.zeros(1, 1, 2)], 2)
    wild = torch.cat([z, torch.full((1, 2, 2), 9.0)], 2)
    assert kl_divergence(wild, wild, wild, wild, padded) == -1.0, "padding does not count"


def test_losses_of_half_precision_are_summed_in_float32() -> None:
    scores = [torch.ones(2, 5, dtype=torch.bfloat16)]
    assert discriminator_adversarial(scores, scores).dtype == torch.float32
    assert generator_adversarial(scores).dtype == torch.float32
    assert feature_matching([scores], [scores]).dtype == torch.float32
