import io
import warnings
from collections.abc import Callable
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn

from voxmatrix.audio.spectrum import Spectrum
from voxmatrix.tables.quality import HOP, SEGMENT_FRAMES, SEGMENT_SAMPLES, qualities, quality
from voxmatrix.vits.checkpoint.checkpoint import piper_hyper_parameters
from voxmatrix.vits.checkpoint.weights import to_piper
from voxmatrix.vits.layers.norm import remove_weight_norm
from voxmatrix.vits.losses import kl_divergence
from voxmatrix.vits.synthesizer import Synthesizer

TEXT = torch.tensor([[1, 0, 14, 0, 15, 0, 20, 0, 2], [1, 0, 9, 0, 2, 0, 0, 0, 0]])
LENGTHS = torch.tensor([9, 5])
MakeVoice = Callable[..., Synthesizer]


def training_batch(frames: int = 50) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    wave = torch.randn(2, frames * HOP, generator=torch.Generator().manual_seed(3)) * 0.1
    return TEXT, LENGTHS, Spectrum(22050).linear(wave), torch.tensor([frames, frames - 10])


def test_training_gives_segments_and_the_parts_of_the_losses(make_voice: MakeVoice) -> None:
    out = make_voice().train()(*training_batch())
    assert out.wave.shape == (2, 1, SEGMENT_SAMPLES)
    assert ((out.segment_start >= 0) & (out.segment_start <= torch.tensor([50, 40]) - SEGMENT_FRAMES)).all()
    assert out.z_p.shape == out.m_p.shape == out.logs_p.shape == out.logs_q.shape == (2, 64, 50)
    assert out.path.sum().item() == 90, "every real frame belongs to one symbol"
    real = torch.arange(TEXT.size(1)) < LENGTHS.unsqueeze(1)
    assert (out.path.sum(1) >= real).all(), "every real symbol has a frame"
    assert out.duration_loss.shape == ()
    assert torch.isfinite(out.duration_loss)


def test_every_weight_learns(make_voice: MakeVoice) -> None:
    voice = make_voice(speakers=3).train()
    out = voice(*training_batch(), torch.tensor([0, 2]))
    kl = kl_divergence(out.z_p, out.logs_q, out.m_p, out.logs_p, out.frame_mask)
    (out.wave.square().sum() + out.duration_loss + kl).backward()
    assert [name for name, weight in voice.named_parameters() if weight.grad is None] == []


def test_the_same_text_sounds_the_same_without_noise(make_voice: MakeVoice) -> None:
    voice = make_voice()
    with torch.no_grad():
        first, again = (voice.infer(TEXT, LENGTHS, 0.0, 1.0, 0.0) for _ in range(2))
    assert torch.equal(first, again)
    assert first.shape[:2] == (2, 1)
    assert first.size(2) % HOP == 0


def test_noise_makes_a_difference(make_voice: MakeVoice) -> None:
    with torch.no_grad():
        first, again = (make_voice().infer(TEXT[:1], LENGTHS[:1], 0.667, 1.0, 0.0) for _ in range(2))
    assert first.shape == again.shape
    torch.manual_seed(5)
    with torch.no_grad():
        other = make_voice().infer(TEXT[:1], LENGTHS[:1], 2.0, 1.0, 0.0)
    assert not torch.equal(first, other)


def test_padding_changes_nothing_but_the_end(make_voice: MakeVoice) -> None:
    voice = make_voice()
    with torch.no_grad():
        alone = voice.latent(TEXT[1:, :5], LENGTHS[1:], noise_scale=0.0, noise_w=0.0)
        together = voice.latent(TEXT, LENGTHS, noise_scale=0.0, noise_w=0.0)
    frames = alone.z.size(2)
    torch.testing.assert_close(together.z[1:, :, :frames], alone.z, atol=1e-5, rtol=1e-5)
    assert (together.z[1, :, frames:] == 0).all()


def test_slower_speech_is_longer(make_voice: MakeVoice) -> None:
    voice = make_voice()
    with torch.no_grad():
        lengths = [voice.infer(TEXT, LENGTHS, 0.0, scale, 0.0).size(2) for scale in (0.5, 1.0, 2.0)]
    assert lengths[0] < lengths[1] < lengths[2]


def test_speakers_differ_and_must_be_named(make_voice: MakeVoice) -> None:
    voice = make_voice(speakers=2)
    with torch.no_grad():
        one, other = (voice.infer(TEXT[:1], LENGTHS[:1], 0.0, 1.0, 0.0, torch.tensor([n])) for n in (0, 1))
        assert one.shape != other.shape or not torch.equal(one, other)
        with pytest.raises(ValueError, match="speaker number"):
            voice.infer(TEXT, LENGTHS)


@pytest.mark.parametrize("name", list(qualities()))
def test_every_quality_speaks(name: str) -> None:
    voice = Synthesizer(quality(name), 40).eval()
    with torch.no_grad():
        wave = voice.infer(TEXT[:1], LENGTHS[:1], 0.0, 1.0, 0.0)
    assert wave.abs().max() <= 1
    assert wave.size(2) >= HOP


def test_baked_weights_sound_the_same(make_voice: MakeVoice) -> None:
    voice = make_voice(speakers=2)
    speaker = torch.tensor([1])
    with torch.no_grad():
        before = voice.infer(TEXT[:1], LENGTHS[:1], 0.0, 1.0, 0.0, speaker)
        remove_weight_norm(voice)
        after = voice.infer(TEXT[:1], LENGTHS[:1], 0.0, 1.0, 0.0, speaker)
    torch.testing.assert_close(after, before, atol=1e-6, rtol=0)
    assert not any("parametrizations" in name for name in voice.state_dict())


class Exported(nn.Module):
    """Piper's inputs: all scales in one tensor."""

    def __init__(self, voice: Synthesizer) -> None:
        super().__init__()
        self.voice = voice

    def forward(self, text: Tensor, lengths: Tensor, scales: Tensor, speaker: Tensor | None = None) -> Tensor:
        return self.voice.infer(text, lengths, scales[0], scales[1], scales[2], speaker)


@pytest.mark.parametrize("speakers", [1, 3])
def test_it_speaks_the_same_through_onnx(make_voice: MakeVoice, speakers: int) -> None:
    onnx = pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    voice = make_voice(speakers=speakers)
    remove_weight_norm(voice)
    names = ["input", "input_lengths", "scales", *(["sid"] if speakers > 1 else [])]
    scales = torch.tensor([0.0, 1.0, 0.0])
    speaker = [torch.tensor([1])] if speakers > 1 else []
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter without dynamo is deprecated; dynamo cannot export this
        torch.onnx.export(
            Exported(voice).eval(),
            (TEXT[:1], LENGTHS[:1], scales, *speaker),
            file,
            dynamo=False,
            opset_version=15,
            input_names=names,
            output_names=["output"],
            dynamic_axes={"input": {1: "phonemes"}, "output": {2: "time"}},
        )
    graph = onnx.load_from_string(file.getvalue()).graph
    assert sum(node.op_type == "Ceil" for node in graph.node) == 1, "Piper's alignments are found at the one Ceil"
    session = onnxruntime.InferenceSession(file.getvalue())
    for size in (9, 3, 1, 39):
        text = torch.arange(size).unsqueeze(0)
        inputs = [text, torch.tensor([size]), scales, *speaker]
        spoken = session.run(None, {name: value.numpy() for name, value in zip(names, inputs, strict=True)})[0]
        with torch.no_grad():
            ours = voice.infer(text, torch.tensor([size]), 0.0, 1.0, 0.0, *speaker)
        torch.testing.assert_close(torch.from_numpy(spoken), ours, atol=1e-5, rtol=0)


def pipers(piper_train: SimpleNamespace, voice: Synthesizer, name: str, speakers: int) -> nn.Module:
    sizes = piper_hyper_parameters(quality(name), 40, speakers, batch_size=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        theirs: nn.Module = piper_train.lightning.VitsModel(**sizes, mos_metric=None).model_g.eval()
    theirs.load_state_dict(to_piper(voice.state_dict()))
    return theirs


QUALITIES = [("x_low", 1), ("medium", 3), ("high", 1)]


@pytest.mark.peers
@pytest.mark.parametrize(("name", "speakers"), QUALITIES)
def test_it_speaks_as_pipers_modules_do(
    piper_train: SimpleNamespace, make_voice: MakeVoice, name: str, speakers: int
) -> None:
    voice = make_voice(name, speakers)
    theirs = pipers(piper_train, voice, name, speakers)
    speaker = torch.tensor([0, 2]) if speakers > 1 else None
    with torch.no_grad():
        ours = voice.infer(TEXT, LENGTHS, 0.0, 1.3, 0.0, speaker)
        wave = theirs.infer(TEXT, LENGTHS, sid=speaker, noise_scale=0.0, length_scale=1.3, noise_scale_w=0.0)[0]
    torch.testing.assert_close(ours, wave, atol=1e-4, rtol=0)


@pytest.mark.peers
@pytest.mark.usefixtures("fixed_noise")
def test_it_speaks_as_pipers_modules_do_with_noise(piper_train: SimpleNamespace, make_voice: MakeVoice) -> None:
    voice = make_voice("x_low")
    theirs = pipers(piper_train, voice, "x_low", 1)
    with torch.no_grad():
        ours = voice.infer(TEXT, LENGTHS, 0.667, 1.0, 0.8)
        wave = theirs.infer(TEXT, LENGTHS, noise_scale=0.667, length_scale=1.0, noise_scale_w=0.8)[0]
    torch.testing.assert_close(ours, wave, atol=1e-4, rtol=0)


@pytest.mark.peers
@pytest.mark.usefixtures("fixed_noise")
@pytest.mark.parametrize(("name", "speakers"), QUALITIES)
def test_a_training_pass_and_its_gradients_are_pipers(
    piper_train: SimpleNamespace, make_voice: MakeVoice, name: str, speakers: int
) -> None:
    voice = make_voice(name, speakers)
    theirs = pipers(piper_train, voice, name, speakers)
    speaker = torch.tensor([2, 1]) if speakers > 1 else None
    batch = training_batch()
    out = voice(*batch, speaker)
    wave, duration, path, start, _, frame_mask, (_, z_p, m_p, logs_p, _, logs_q) = theirs(*batch, speaker)

    assert torch.equal(out.segment_start, start)
    assert torch.equal(out.path, path.squeeze(1))
    for ours, wanted in (
        (out.wave, wave),
        (out.duration_loss, duration.sum()),
        (out.z_p, z_p),
        (out.m_p, m_p),
        (out.logs_p, logs_p),
        (out.logs_q, logs_q),
        (out.frame_mask, frame_mask),
    ):
        torch.testing.assert_close(ours, wanted, atol=1e-4, rtol=1e-4)

    kl = kl_divergence(out.z_p, out.logs_q, out.m_p, out.logs_p, out.frame_mask)
    their_kl = piper_train.losses.kl_loss(z_p, logs_q, m_p, logs_p, frame_mask)
    torch.testing.assert_close(kl, their_kl)
    (out.wave.square().sum() + out.duration_loss + kl).backward()
    (wave.square().sum() + duration.sum() + their_kl).backward()
    gradients = to_piper({name: weight.grad for name, weight in voice.named_parameters()})
    wanted = {key: weight.grad for key, weight in theirs.named_parameters()}
    for key, gradient in wanted.items():
        # A bias of all keys alike leaves their softmax as it is: its gradient is nought but for rounding, which is
        # to be held against the weights beside it.
        beside = key.replace("conv_k.bias", "conv_k.weight")
        scale = wanted[beside].abs().max().clamp_min(1e-3)
        torch.testing.assert_close(gradients[key] / scale, gradient / scale, atol=2e-3, rtol=0, msg=key)


TRANSFORMERS_NAMES = (
    ("enc_p.emb.", "text_encoder.embed_tokens."),
    ("enc_p.proj.", "text_encoder.project."),
    ("enc_p.encoder.attn_layers.", "text_encoder.encoder.layers.{}.attention."),
    ("enc_p.encoder.norm_layers_1.", "text_encoder.encoder.layers.{}.layer_norm."),
    ("enc_p.encoder.ffn_layers.", "text_encoder.encoder.layers.{}.feed_forward."),
    ("enc_p.encoder.norm_layers_2.", "text_encoder.encoder.layers.{}.final_layer_norm."),
    ("enc_q.enc.", "posterior_encoder.wavenet."),
    ("enc_q.", "posterior_encoder."),
    ("flow.", "flow."),
    ("dec.ups.", "decoder.upsampler."),
    ("dec.", "decoder."),
    ("dp.", "duration_predictor."),
    ("emb_g.", "embed_speaker."),
)
TRANSFORMERS_PARTS = {
    "conv_q": "q_proj", "conv_k": "k_proj", "conv_v": "v_proj", "conv_o": "out_proj", "gamma": "weight", "beta": "bias",
    "convs_sep": "convs_dilated", "convs_1x1": "convs_pointwise", "m": "translate", "logs": "log_scale",
    "weight_g": "parametrizations.weight.original0", "weight_v": "parametrizations.weight.original1", "enc": "wavenet",
}  # fmt: skip


def transformers_name(key: str) -> str:
    """A name of ours, as transformers.VitsModel calls the same weight."""
    ours, theirs = next(pair for pair in TRANSFORMERS_NAMES if key.startswith(pair[0]))
    rest = key.removeprefix(ours)
    if "{}" in theirs:
        number, rest = rest.split(".", 1)
        theirs = theirs.format(number)
    parts = [TRANSFORMERS_PARTS.get(part, part) for part in rest.split(".")]
    if ours in ("dp.", "flow.", "enc_q."):
        parts = ["conv_" + part if part in ("pre", "proj", "post") else part for part in parts]
        parts = [part.replace("post_", "post_conv_") if part in ("post_pre", "post_proj") else part for part in parts]
    if ours == "dp.":
        parts = ["conv_dds" if part == "convs" else part.replace("post_convs", "post_conv_dds") for part in parts]
    if parts[0] in ("flows", "post_flows"):  # there the steps between the couplings are not counted
        parts[1] = str((int(parts[1]) + 1) // 2)
    return theirs + ".".join(parts)


@pytest.mark.peers
def test_transformers_speaks_the_same_with_our_weights(make_voice: MakeVoice) -> None:
    transformers = pytest.importorskip("transformers")
    row = quality("high")
    voice = make_voice("high")
    config = transformers.VitsConfig(
        vocab_size=40,
        hidden_size=row.hidden_channels,
        flow_size=row.inter_channels,
        num_hidden_layers=row.n_layers,
        num_attention_heads=row.n_heads,
        ffn_dim=row.filter_channels,
        sampling_rate=row.rate_hz,
        noise_scale=0.0,
        noise_scale_duration=0.0,
    )
    theirs = transformers.VitsModel(config).eval()
    theirs.decoder.apply_weight_norm()
    wanted = {key: weight.shape for key, weight in theirs.state_dict().items()}
    state = {transformers_name(key): weight for key, weight in to_piper(voice.state_dict()).items()}
    assert state.keys() == wanted.keys()
    theirs.load_state_dict({key: weight.reshape(wanted[key]) for key, weight in state.items()})
    with torch.no_grad():
        ours = voice.infer(TEXT[:1], LENGTHS[:1], 0.0, 1.0, 0.0)
        wave = theirs(input_ids=TEXT[:1], attention_mask=torch.ones_like(TEXT[:1])).waveform
    torch.testing.assert_close(ours.squeeze(1), wave, atol=1e-4, rtol=0)


def test_half_precision_keeps_the_delicate_parts_in_float32(make_voice: MakeVoice) -> None:
    voice = make_voice(speakers=3).train()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = voice(*training_batch(), torch.tensor([0, 1]))
    assert {part.dtype for part in (out.z_p, out.m_p, out.logs_p, out.logs_q, out.duration_loss)} == {torch.float32}
    (out.wave.float().square().sum() + out.duration_loss).backward()
    assert all(torch.isfinite(weight.grad).all() for weight in voice.parameters() if weight.grad is not None)
