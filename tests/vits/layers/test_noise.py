"""What is random in speech is drawn on the CPU, and is the same as ever there."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from voxmatrix.vits.layers.noise import normal, normal_like
from voxmatrix.vits.synthesizer import Synthesizer

ELSEWHERE = torch.device("meta")  # has no numbers, and so no generator either


def test_on_the_cpu_it_is_torchs_own_draw() -> None:
    torch.manual_seed(3)
    wanted = torch.randn(2, 5, 40), torch.randn_like(torch.empty(2, 5, 40))
    torch.manual_seed(3)

    assert torch.equal(normal((2, 5, 40), torch.device("cpu")), wanted[0])
    assert torch.equal(normal_like(torch.empty(2, 5, 40)), wanted[1])


@pytest.mark.parametrize(
    "draw", [lambda: normal((2, 5, 40), ELSEWHERE), lambda: normal_like(torch.empty(2, 5, 40, device=ELSEWHERE))]
)
def test_for_another_device_it_is_drawn_on_the_cpu(draw: Callable[[], torch.Tensor]) -> None:
    torch.manual_seed(3)
    torch.randn(2, 5, 40)
    after = torch.get_rng_state()
    torch.manual_seed(3)

    drawn = draw()

    assert drawn.device == ELSEWHERE and drawn.shape == (2, 5, 40)
    assert torch.equal(torch.get_rng_state(), after)


def test_speaking_asks_no_device_for_randomness(
    make_voice: Callable[..., Synthesizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    original = torch.randn

    def randn(*shape: Any, **options: Any) -> torch.Tensor:
        asked.append(options.get("device"))
        return original(*shape, **options)

    voice = make_voice()
    monkeypatch.setattr(torch, "randn", randn)
    with torch.no_grad():
        voice.infer(torch.arange(12)[None], torch.tensor([12]))

    assert asked == [None]  # for the rhythm; the sound takes the shape of what is there
