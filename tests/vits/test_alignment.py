import math

import pytest
import torch
from torch import Tensor

from voxmatrix.vits.alignment import best_path, prior_scores, torch_path


def random_batch(seed: int) -> tuple[Tensor, Tensor]:
    """Scores and mask (b, frames, text) of rows with different lengths, every row with enough frames for its text."""
    random = torch.Generator().manual_seed(seed)
    batch = 1 + seed % 4
    texts = torch.randint(1, 12, (batch,), generator=random)
    frames = texts + torch.randint(0, 20, (batch,), generator=random)
    shape = (batch, int(frames.max()) + seed % 3, int(texts.max()) + seed % 2)
    scores = torch.randn(shape, generator=random) * 10.0 ** (seed % 4)
    if seed % 5 == 0:
        scores = scores.round()  # many equal scores: ties must be broken alike
    real_frames = torch.arange(shape[1]) < frames.unsqueeze(1)
    real_text = torch.arange(shape[2]) < texts.unsqueeze(1)
    return scores, (real_frames.unsqueeze(2) & real_text.unsqueeze(1)).float()


def packages(scores: Tensor, mask: Tensor) -> Tensor:
    from monotonic_alignment_search import maximum_path

    value, seen = scores.transpose(1, 2).contiguous(), mask.transpose(1, 2).contiguous()
    return maximum_path(value, seen).transpose(1, 2)


@pytest.mark.peers
def test_every_way_equals_the_package_on_a_thousand_batches() -> None:
    for seed in range(1000):
        scores, mask = random_batch(seed)
        wanted = packages(scores, mask)
        assert torch.equal(torch_path(scores, mask), wanted), f"seed {seed}"
        assert torch.equal(best_path(scores, mask), wanted), f"seed {seed}"


@pytest.mark.gpu
@pytest.mark.peers
def test_the_gpu_equals_the_package() -> None:
    for seed in range(200):
        scores, mask = random_batch(seed)
        assert torch.equal(best_path(scores.cuda(), mask.cuda()).cpu(), packages(scores, mask)), f"seed {seed}"


@pytest.mark.peers
def test_a_sentence_size_batch_equals_the_package() -> None:
    scores = torch.randn(2, 400, 150, generator=torch.Generator().manual_seed(1)) * 100
    mask = torch.ones_like(scores)
    mask[1, 300:] = 0
    mask[1, :, 120:] = 0
    assert torch.equal(torch_path(scores, mask), packages(scores, mask))
    assert torch.equal(best_path(scores, mask), packages(scores, mask))


def test_the_cpu_and_other_devices_find_the_same_path() -> None:
    for seed in range(200):
        scores, mask = random_batch(seed)
        assert torch.equal(torch_path(scores, mask), best_path(scores, mask)), f"seed {seed}"


def test_the_path_walks_forward_and_leaves_no_symbol_out() -> None:
    for seed in range(50):
        scores, mask = random_batch(seed)
        path = best_path(scores, mask)
        for row, seen in zip(path, mask, strict=True):
            symbols = row[seen.any(1)].argmax(1)
            steps = symbols.diff()
            assert symbols[0] == 0
            assert symbols[-1] == seen.any(0).sum() - 1
            assert ((steps == 0) | (steps == 1)).all()
        assert torch.equal(path.sum(2), mask.amax(2))


def test_the_path_is_the_best_of_all() -> None:
    scores = torch.randn(1, 7, 3, generator=torch.Generator().manual_seed(2))
    ways = [
        [0] * first + [1] * second + [2] * (7 - first - second)
        for first in range(1, 6)
        for second in range(1, 7 - first)
    ]
    best = max(sum(float(scores[0, frame, symbol]) for frame, symbol in enumerate(way)) for way in ways)
    assert math.isclose(float((scores * best_path(scores, torch.ones_like(scores))).sum()), best, rel_tol=1e-5)


def test_scores_are_log_likelihoods_of_a_normal_distribution() -> None:
    random = torch.Generator().manual_seed(3)
    z, mean = torch.randn(2, 4, 6, generator=random), torch.randn(2, 4, 3, generator=random)
    log_scale = torch.randn(2, 4, 3, generator=random) * 0.3
    normal = torch.distributions.Normal(mean.unsqueeze(2), log_scale.exp().unsqueeze(2))  # (b, c, 1, t)
    wanted = normal.log_prob(z.unsqueeze(3)).sum(1)  # (b, f, t)
    torch.testing.assert_close(prior_scores(z, mean, log_scale), wanted, atol=1e-4, rtol=1e-4)


def test_no_gradient_and_half_precision_are_no_matter() -> None:
    scores = torch.randn(1, 9, 4, requires_grad=True)
    assert not best_path(scores, torch.ones(1, 9, 4)).requires_grad
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert prior_scores(torch.randn(1, 4, 9), torch.randn(1, 4, 4), torch.randn(1, 4, 4)).dtype == torch.float32
