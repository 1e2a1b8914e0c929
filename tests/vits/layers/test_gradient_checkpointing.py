"""Computing again changes nothing but the memory: the same losses and gradients to the last bit."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from tests.train.synthetic import MINI, RATE_HZ
from tests.vits.conftest import liven
from voxmatrix.audio.spectrum import Spectrum
from voxmatrix.tables.quality import HOP
from voxmatrix.train.data.batches import Batch
from voxmatrix.train.step.step import Networks, gradients, make_optimisers, take_step
from voxmatrix.vits.decoders.hifigan import PairedBlock
from voxmatrix.vits.discriminator import MultiPeriodDiscriminator
from voxmatrix.vits.layers import gradient_checkpointing as module
from voxmatrix.vits.layers.gradient_checkpointing import CheckpointedModule, set_gradient_checkpointing
from voxmatrix.vits.layers.wavenet import WaveNet
from voxmatrix.vits.synthesizer import Synthesizer

FRAMES, SYMBOLS = 50, 20
BF16 = partial(torch.autocast, "cpu", torch.bfloat16)


def networks(speakers: int = 1) -> Networks:
    torch.manual_seed(3)
    made = Networks(
        generator=Synthesizer(MINI, 256, speakers),
        discriminator=MultiPeriodDiscriminator(MINI.discriminator_divisor),
        spectrum=Spectrum(RATE_HZ),
    )
    liven(made.generator)
    return made


def batch(speakers: int = 1) -> Batch:
    random = torch.Generator().manual_seed(4)
    return Batch(
        text=torch.randint(1, 100, (2, SYMBOLS), generator=random),
        text_lengths=torch.tensor([SYMBOLS, SYMBOLS - 6]),
        wave=torch.randn(2, FRAMES * HOP, generator=random) * 0.1,
        frames=torch.tensor([FRAMES, FRAMES - 9]),
        speaker=torch.tensor([0, 1]) if speakers > 1 else None,
        symbols_each=(SYMBOLS, SYMBOLS - 6),
        frames_each=(FRAMES, FRAMES - 9),
    )


def learned(on: bool, autocast: Callable[[], AbstractContextManager[Any]], speakers: int = 1) -> dict[str, Tensor]:
    """Losses and gradients of one step."""
    made = networks(speakers)
    set_gradient_checkpointing([made.generator, made.discriminator], on)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    found = gradients(made, scaler, [batch(speakers)], seeds=[7], autocast=autocast)
    for network in (made.generator, made.discriminator):
        found |= {name: weight.grad for name, weight in network.named_parameters() if weight.grad is not None}
    return found


@pytest.mark.parametrize("speakers", [1, 2])
@pytest.mark.parametrize("autocast", [nullcontext, BF16], ids=["fp32", "bf16"])
def test_losses_and_gradients_are_the_same_to_the_last_bit(
    autocast: Callable[[], AbstractContextManager[Any]], speakers: int
) -> None:
    plain, again = (learned(on, autocast, speakers) for on in (False, True))
    assert plain.keys() == again.keys()
    assert all(torch.equal(plain[name], again[name]) for name in plain)


def test_it_can_be_switched_between_two_steps() -> None:
    ends = []
    for switches in ((False, False, False), (True, False, True)):
        made = networks()
        both = make_optimisers(made, 2e-4, torch.device("cpu"), half=False)
        for seed, on in enumerate(switches):
            set_gradient_checkpointing([made.generator, made.discriminator], on)
            take_step(made, both, [batch()], seeds=[seed], autocast=nullcontext, clip_norm=1000.0)
        ends.append(nn.utils.parameters_to_vector(made.generator.parameters()))
    assert torch.equal(*ends)


def test_what_is_drawn_after_it_is_the_same() -> None:
    drawn = []
    for on in (False, True):
        learned(on, nullcontext)
        drawn.append(torch.rand(3))
    assert torch.equal(*drawn)


def blocks() -> list[tuple[nn.Module, tuple[Tensor, ...]]]:
    torch.manual_seed(0)
    made = [
        (PairedBlock(4, 3, (1, 3)), (torch.randn(2, 4, 40, requires_grad=True),)),
        (WaveNet(4, 5, 2), (torch.randn(2, 4, 40, requires_grad=True), torch.ones(2, 1, 40))),
    ]
    for block, _ in made:
        liven(block)
    return made


def sent_back(block: nn.Module, inputs: tuple[Tensor, ...], forward: bool, backward: bool) -> list[Tensor]:
    """Gradients of the input, and then of the weights over the same graph, as the discriminators' step does it.

    `forward` and `backward` say whether normalised weights are cached meanwhile.
    """
    weights = list(block.parameters())
    for tensor in (inputs[0], *weights):
        tensor.grad = None
    with parametrize.cached() if forward and backward else nullcontext():
        with parametrize.cached() if forward else nullcontext():
            loss = block(*inputs).square().sum() + block(inputs[0] * 0.5, *inputs[1:]).abs().sum()
        with parametrize.cached() if backward else nullcontext():
            torch.autograd.backward(loss, inputs=[inputs[0]], retain_graph=True)
            torch.autograd.backward(loss, inputs=weights)
    return [tensor.grad.clone() for tensor in (inputs[0], *weights)]  # type: ignore[union-attr]


@pytest.mark.parametrize("forward", [False, True])
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("number", [0, 1], ids=["PairedBlock", "WaveNet"])
def test_a_graph_goes_back_twice_wherever_normalised_weights_are_cached(
    number: int, forward: bool, backward: bool
) -> None:
    block, inputs = blocks()[number]
    plain = sent_back(block, inputs, forward, backward)
    set_gradient_checkpointing([block], True)
    again = sent_back(block, inputs, forward, backward)
    # A cached weight is normalised once for both calls, and not so in a block that is computed again: sums of another
    # order, so the last bits may differ there.
    within = 1e-5 if forward else 0.0
    torch.testing.assert_close(again, plain, rtol=within, atol=within)


def saved_bytes(on: bool) -> int:
    made = networks()
    set_gradient_checkpointing([made.generator, made.discriminator], on)
    sizes: dict[int, int] = {}
    kept: list[Tensor] = []  # or a storage could be counted twice, under a new one's address

    def pack(tensor: Tensor) -> Tensor:
        sizes[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        kept.append(tensor)
        return tensor

    one, spec = batch(), made.spectrum.linear(batch().wave)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        made.generator(one.text, one.text_lengths, spec, one.frames)
    return sum(sizes.values())


def test_the_generator_keeps_less_than_half() -> None:
    assert saved_bytes(True) < saved_bytes(False) / 2


def test_names_of_weights_stay_pipers() -> None:
    made = networks()
    before = list(made.generator.state_dict()), list(made.discriminator.state_dict())
    set_gradient_checkpointing([made.generator, made.discriminator], True)
    assert (list(made.generator.state_dict()), list(made.discriminator.state_dict())) == before


def test_it_is_off_until_it_is_switched_on_and_can_be_switched_off_again() -> None:
    generator = networks().generator
    parts = [part for part in generator.modules() if isinstance(part, CheckpointedModule)]
    assert len(parts) >= 8
    for on in (True, False):
        assert all(part.checkpointed is not on for part in parts)
        set_gradient_checkpointing([generator], on)
        assert all(part.checkpointed is on for part in parts)


def test_nothing_is_computed_again_where_nothing_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = networks().generator
    text, lengths = torch.randint(1, 100, (1, 9)), torch.tensor([9])
    spoken = []
    for on in (False, True):
        set_gradient_checkpointing([generator], on)
        generator.eval()
        torch.manual_seed(0)
        spoken.append(generator.infer(text, lengths))
    assert torch.equal(*spoken)

    monkeypatch.setattr(module, "checkpoint", lambda *_, **__: pytest.fail("computed with checkpointing"))
    generator.infer(text, lengths)
    generator.train()
    with torch.no_grad():
        one = batch()
        generator(one.text, one.text_lengths, torch.rand(2, 513, FRAMES), one.frames)
