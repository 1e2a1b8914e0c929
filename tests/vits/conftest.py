"""Networks to try things on, and Piper's own beside them."""

import sys
import types
import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from voxmatrix.tables.quality import quality
from voxmatrix.vits.synthesizer import Synthesizer


def liven(module: nn.Module, seed: int = 0) -> None:
    """Random numbers in every weight, so that parts which begin at zero take part."""
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(torch.randn(weight.shape, generator=random) * 0.02)


@pytest.fixture
def make_voice() -> Callable[..., Synthesizer]:
    def make(name: str = "tiny", speakers: int = 1, symbols: int = 40) -> Synthesizer:
        torch.manual_seed(1)
        voice = Synthesizer(quality(name), symbols, speakers).eval()
        liven(voice)
        with torch.no_grad():
            voice.dec.conv_post.weight.mul_(10)  # loud, so that a difference of 1e-4 is small
        return voice

    return make


@pytest.fixture
def fixed_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every draw depends on its shape only, so that two programs draw the same in whatever order."""

    def draw(kind: str) -> Callable[..., Tensor]:
        original = getattr(torch, kind)

        def fixed(*shape: object, **options: object) -> Tensor:
            sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
            return original(*sizes, generator=torch.Generator().manual_seed(sum(sizes)))  # type: ignore[misc]

        return fixed

    randn = draw("randn")
    monkeypatch.setattr(torch, "rand", draw("rand"))
    monkeypatch.setattr(torch, "randn", randn)
    monkeypatch.setattr(torch, "randn_like", lambda x: randn(*x.shape))


@pytest.fixture
def piper_train(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """Piper's training modules. The wheel lacks its compiled alignment: the package's stands in."""
    from monotonic_alignment_search import maximum_path

    def maximum_path_c(paths: np.ndarray, values: np.ndarray, frames: np.ndarray, texts: np.ndarray) -> None:
        mask = np.zeros_like(values)
        for row, (n_frames, n_text) in enumerate(zip(frames, texts, strict=True)):
            mask[row, :n_frames, :n_text] = 1
        value, seen = (torch.from_numpy(array.transpose(0, 2, 1).copy()) for array in (values, mask))
        paths[:] = maximum_path(value, seen).numpy().transpose(0, 2, 1)

    package = "piper.train.vits.monotonic_align.monotonic_align"
    core = types.ModuleType(f"{package}.core")
    core.maximum_path_c = maximum_path_c  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, package, types.ModuleType(package))
    monkeypatch.setitem(sys.modules, f"{package}.core", core)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the old weight norm, pkg_resources and others: not ours
        from piper.train.vits import commons, lightning, losses, mel_processing, models

        yield SimpleNamespace(
            commons=commons, lightning=lightning, losses=losses, mel_processing=mel_processing, models=models
        )
