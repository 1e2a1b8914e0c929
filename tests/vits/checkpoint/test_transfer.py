from collections.abc import Callable

import torch

from voxmatrix.tables.quality import quality
from voxmatrix.vits.checkpoint.transfer import transfer
from voxmatrix.vits.checkpoint.weight_names import to_piper
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
