from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from voxmatrix.tables.quality import qualities, quality
from voxmatrix.vits.checkpoint.checkpoint import piper_hyper_parameters, piper_state
from voxmatrix.vits.checkpoint.weights import from_piper, to_piper, transfer
from voxmatrix.vits.discriminator import MultiPeriodDiscriminator
from voxmatrix.vits.synthesizer import Synthesizer

TEXT, LENGTHS = torch.tensor([[1, 0, 14, 0, 15, 0, 2]]), torch.tensor([7])
MakeVoice = Callable[..., Synthesizer]


def test_an_equal_voice_is_taken_over_whole(make_voice: MakeVoice) -> None:
    source, target = make_voice(), Synthesizer(quality("tiny"), 40)
    done = transfer(to_piper(source.state_dict()), target)
    assert (done.copied, done.fresh) == (len(source.state_dict()), ())
    assert all(torch.equal(weight, source.state_dict()[name]) for name, weight in target.state_dict().items())


def test_from_one_speaker_to_many_everybody_begins_as_the_one(make_voice: MakeVoice) -> None:
    source, target = make_voice(), Synthesizer(quality("tiny"), 40, 3).eval()
    done = transfer(source.state_dict(), target)
    assert done.copied == len(source.state_dict())
    assert "emb_g.weight" in done.fresh
    assert {name.split(".")[0] for name in done.fresh} == {"emb_g", "dec", "dp", "enc_q", "flow"}
    assert all("cond" in name or name == "emb_g.weight" for name in done.fresh)
    with torch.no_grad():
        wanted = source.infer(TEXT, LENGTHS, 0.0, 1.0, 0.0)
        for speaker in range(3):
            spoken = target.infer(TEXT, LENGTHS, 0.0, 1.0, 0.0, torch.tensor([speaker]))
            torch.testing.assert_close(spoken, wanted, atol=1e-6, rtol=0)


def test_silenced_conditioning_learns(make_voice: MakeVoice) -> None:
    target = Synthesizer(quality("tiny"), 40, 3)
    transfer(make_voice().state_dict(), target)
    target.infer(TEXT, LENGTHS, 0.0, 1.0, 0.0, torch.tensor([1])).square().sum().backward()
    assert target.dec.cond.weight.grad is not None
    assert target.dec.cond.weight.grad.abs().sum() > 0


def test_more_speakers_keep_the_conditioning(make_voice: MakeVoice) -> None:
    source, target = make_voice(speakers=2), Synthesizer(quality("tiny"), 40, 5)
    assert transfer(source.state_dict(), target).fresh == ("emb_g.weight",)
    assert torch.equal(target.dec.cond.weight, source.dec.cond.weight)


def test_from_many_speakers_to_one_nothing_is_left_fresh(make_voice: MakeVoice) -> None:
    assert transfer(make_voice(speakers=2).state_dict(), Synthesizer(quality("tiny"), 40)).fresh == ()


def test_symbols_that_both_know_keep_their_sound(make_voice: MakeVoice) -> None:
    source, target = make_voice(), Synthesizer(quality("tiny"), 30)
    untouched = target.enc_p.emb.weight.detach().clone()
    here = {"_": [0], "a": [3], "å": [9], "b": [29]}
    there = {"_": [0], "a": [7], "b": [39], "z": [8]}
    done = transfer(source.state_dict(), target, there, here)
    assert done.fresh == ("enc_p.emb.weight",)
    new, old = target.enc_p.emb.weight, source.enc_p.emb.weight
    assert torch.equal(new[[0, 3, 29]], old[[0, 7, 39]])
    assert torch.equal(new[9], untouched[9])


def test_equal_symbols_are_taken_over_whole(make_voice: MakeVoice) -> None:
    symbols, same = {"_": [0], "a": [3]}, {"a": (3,), "_": (0,)}
    source, target = make_voice(), Synthesizer(quality("tiny"), 40)
    assert transfer(source.state_dict(), target, symbols, same).fresh == ()
    assert torch.equal(target.enc_p.emb.weight, source.enc_p.emb.weight)


def test_ids_outside_a_voice_are_left_alone(make_voice: MakeVoice) -> None:
    target = Synthesizer(quality("tiny"), 30)
    untouched = target.enc_p.emb.weight.detach().clone()
    transfer(make_voice().state_dict(), target, {"a": [99]}, {"a": [3]})
    assert torch.equal(target.enc_p.emb.weight, untouched)


def test_embeddings_of_another_width_begin_anew(make_voice: MakeVoice) -> None:
    done = transfer(make_voice("x_low").state_dict(), Synthesizer(quality("tiny"), 40), {"a": [1]}, {"a": [3]})
    assert "enc_p.emb.weight" in done.fresh


def test_other_symbols_without_tables_begin_anew(make_voice: MakeVoice) -> None:
    done = transfer(make_voice().state_dict(), Synthesizer(quality("tiny"), 30))
    assert done.fresh == ("enc_p.emb.weight",)


def test_discriminators_are_taken_over_too() -> None:
    source, target = (MultiPeriodDiscriminator(quality("tiny").discriminator_divisor) for _ in range(2))
    assert transfer(to_piper(source.state_dict()), target).fresh == ()
    assert transfer(MultiPeriodDiscriminator(quality("x_low").discriminator_divisor).state_dict(), target).copied > 0


LISTS = Path(__file__).parents[1] / "keys"
Shapes = dict[str, tuple[int, ...]]


def our_shapes(name: str, speakers: int) -> Shapes:
    with torch.device("meta"):
        state = piper_state(
            Synthesizer(quality(name), 256, speakers), MultiPeriodDiscriminator(quality(name).discriminator_divisor)
        )
    return {key: tuple(weight.shape) for key, weight in state.items()}


def listed_shapes(name: str) -> Shapes:
    lines = (LISTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t") for line in lines)
    return {key: tuple(int(size) for size in shape.strip("()").split(",") if size.strip()) for key, shape in pairs}


@pytest.mark.parametrize(
    ("listed", "name", "speakers"), [("medium", "medium", 1), ("high", "high", 1), ("medium_4_speakers", "medium", 4)]
)
def test_names_and_shapes_are_those_of_the_lists(listed: str, name: str, speakers: int) -> None:
    wanted = listed_shapes(listed)
    ours = our_shapes(name, speakers)
    if not any(key.startswith("model_d.") for key in wanted):
        ours = {key: shape for key, shape in ours.items() if key.startswith("model_g.")}
    assert ours == wanted


@pytest.mark.peers
@pytest.mark.parametrize(
    ("name", "speakers"), [("x_low", 1), ("low", 1), ("medium", 1), ("medium", 4), ("high", 1), ("high", 7)]
)
def test_names_and_shapes_are_those_of_pipers_trainer(piper_train: SimpleNamespace, name: str, speakers: int) -> None:
    sizes: dict[str, Any] = piper_hyper_parameters(quality(name), 256, speakers, batch_size=4)
    with torch.device("meta"):
        theirs = piper_train.lightning.VitsModel(**sizes, mos_metric=None).state_dict()
    assert our_shapes(name, speakers) == {key: tuple(weight.shape) for key, weight in theirs.items()}


@pytest.mark.parametrize("name", list(qualities()))
def test_names_go_to_piper_and_come_back(name: str) -> None:
    with torch.device("meta"):
        state = Synthesizer(quality(name), 256, 3).state_dict()
    there = to_piper(state)
    assert not any("parametrizations" in key for key in there)
    assert list(from_piper(there)) == list(state)
    assert from_piper(from_piper(there)).keys() == state.keys(), "names that are ours already stay as they are"
    assert to_piper(there).keys() == there.keys()


def test_every_quality_has_the_same_kinds_of_names() -> None:
    def kinds(name: str) -> set[str]:
        return {".".join("N" if part.isdigit() else part for part in key.split(".")) for key in our_shapes(name, 2)}

    assert kinds("tiny") == kinds("x_low") == kinds("medium")
