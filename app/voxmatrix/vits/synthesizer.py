"""The VITS generator (Kim, Kong, Son 2021): text to wave in one network, for training and inference."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from voxmatrix.audio.spectrum import without_autocast
from voxmatrix.tables.quality import SEGMENT_FRAMES, SPEAKER_CHANNELS, SPEC_BINS, Quality
from voxmatrix.vits.alignment import best_path, prior_scores
from voxmatrix.vits.decoders import make_decoder
from voxmatrix.vits.duration import StochasticDurationPredictor
from voxmatrix.vits.encoders import PosteriorEncoder, TextEncoder
from voxmatrix.vits.flow import Flow
from voxmatrix.vits.layers.masks import cut, longest, positions, random_starts, sequence_mask
from voxmatrix.vits.layers.noise import normal_like


class TrainingOutput(NamedTuple):
    """The generated segments and the inputs of the losses."""

    wave: Tensor  # (b, 1, segment_frames * HOP)
    segment_start: Tensor  # (b,) in frames
    duration_loss: Tensor  # (), summed over the batch, per symbol
    z_p: Tensor  # (b, c, f); this and the next three are inputs of kl_divergence
    m_p: Tensor
    logs_p: Tensor
    logs_q: Tensor
    frame_mask: Tensor  # (b, 1, f)
    path: Tensor  # (b, f, t)


class Prior(NamedTuple):
    """What the text says about the frames."""

    durations: Tensor  # (b, t), in frames
    ends: Tensor  # (b, t), their sums from the beginning
    mean: Tensor  # (b, c, t); this and the next: the normal distribution of the frames of a symbol
    log_scale: Tensor

    def at(self, frames: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log-scale of frames (b or 1, f): (b, c, f) each."""
        symbol = (frames.unsqueeze(-1) >= self.ends.unsqueeze(1)).sum(-1)  # (b, f)
        symbol = symbol.clamp_max(self.ends.size(1) - 1).unsqueeze(1).expand(-1, self.mean.size(1), -1)
        return self.mean.gather(2, symbol), self.log_scale.gather(2, symbol)


class Latent(NamedTuple):
    """The input of the decoder."""

    z: Tensor  # (b, c, f)
    speaker: Tensor | None  # (b, SPEAKER_CHANNELS, 1)
    durations: Tensor  # (b, t), in frames


class Synthesizer(nn.Module):
    """The generator of a voice. Attribute names match Piper's checkpoints."""

    def __init__(self, quality: Quality, num_symbols: int, num_speakers: int = 1) -> None:
        super().__init__()
        q = quality
        speaker_channels = SPEAKER_CHANNELS if num_speakers > 1 else 0
        self.enc_p = TextEncoder(
            num_symbols,
            out_channels=q.inter_channels,
            hidden_channels=q.hidden_channels,
            filter_channels=q.filter_channels,
            n_heads=q.n_heads,
            n_layers=q.n_layers,
        )
        self.dec = make_decoder(q, speaker_channels)
        self.enc_q = PosteriorEncoder(
            SPEC_BINS, q.inter_channels, q.hidden_channels, q.posterior_layers, speaker_channels
        )
        self.flow = Flow(q.inter_channels, q.hidden_channels, speaker_channels)
        self.dp = StochasticDurationPredictor(q.hidden_channels, speaker_channels)
        if speaker_channels:
            self.emb_g = nn.Embedding(num_speakers, speaker_channels)

    def forward(
        self,
        text: Tensor,
        text_lengths: Tensor,
        spec: Tensor,
        spec_lengths: Tensor,
        speaker: Tensor | None = None,
        *,
        segment_frames: int = SEGMENT_FRAMES,
    ) -> TrainingOutput:
        """Text (b, t) and the linear spectrum of its recording (b, 513, f) -> generated segments and loss inputs."""
        g = self.embedding(speaker)
        hidden, m_text, logs_text, text_mask = self.enc_p(text, text_lengths)
        frame_mask = sequence_mask(spec_lengths, spec.size(2))
        z, _, logs_q = self.enc_q(spec, frame_mask, g)
        z_p = self.flow(z, frame_mask, g)

        scores = prior_scores(z_p.detach(), m_text.detach(), logs_text.detach())
        path = best_path(scores, frame_mask.transpose(1, 2) * text_mask)  # (b, f, t)
        duration_loss = (self.dp(hidden, text_mask, path.sum(1, keepdim=True), g) / text_mask.sum()).sum()
        with without_autocast(path):
            m_p = m_text @ path.transpose(1, 2)  # each frame takes the value of its symbol: (b, c, t) -> (b, c, f)
            logs_p = logs_text @ path.transpose(1, 2)

        start = random_starts(spec_lengths, segment_frames)
        wave = self.dec(cut(z, start, segment_frames), g)
        return TrainingOutput(wave, start, duration_loss, z_p.float(), m_p, logs_p, logs_q, frame_mask, path)

    def infer(  # noqa: PLR0917 (scales in Piper's order)
        self,
        text: Tensor,
        text_lengths: Tensor,
        noise_scale: float | Tensor = 0.667,
        length_scale: float | Tensor = 1.0,
        noise_w: float | Tensor = 0.8,
        speaker: Tensor | None = None,
    ) -> Tensor:
        """Synthesise: ids (b, t) -> wave (b, 1, n). Rows shorter than the longest end in padding."""
        latent = self.latent(
            text,
            text_lengths,
            noise_scale=noise_scale,
            length_scale=length_scale,
            noise_w=noise_w,
            speaker=speaker,
        )
        return self.dec(latent.z, latent.speaker)  # type: ignore[no-any-return]

    def latent(
        self,
        text: Tensor,
        text_lengths: Tensor,
        *,
        noise_scale: float | Tensor = 0.667,
        length_scale: float | Tensor = 1.0,
        noise_w: float | Tensor = 0.8,
        speaker: Tensor | None = None,
        rhythm_noise: Tensor | None = None,
        noise_like: Callable[[Tensor], Tensor] = normal_like,
    ) -> Latent:
        """Everything in `infer` except the decoder.

        Noise is drawn unless it is given: `rhythm_noise` (b, 2, t), and `noise_like` in the shape of frames (b, c, f).
        """
        g = self.embedding(speaker)
        prior = self.prior(text, text_lengths, g, length_scale=length_scale, noise_w=noise_w, noise=rhythm_noise)
        n_frames = prior.ends[:, -1].clamp_min(1).long()
        f = longest(n_frames)  # the only value that is read back from the device
        frame_mask = sequence_mask(n_frames, f)
        m_p, logs_p = prior.at(positions(f, text.device).unsqueeze(0))
        z_p = m_p + noise_like(m_p) * torch.exp(logs_p) * noise_scale
        z = self.flow(z_p, frame_mask, g, reverse=True) * frame_mask
        return Latent(z, g, prior.durations)

    def prior(
        self,
        text: Tensor,
        text_lengths: Tensor,
        speaker: Tensor | None,
        *,
        length_scale: float | Tensor,
        noise_w: float | Tensor,
        noise: Tensor | None = None,
    ) -> Prior:
        """The part of `infer` that reads text. The speaker is an embedding; `noise` (b, 2, t) is drawn if missing."""
        hidden, mean, log_scale, text_mask = self.enc_p(text, text_lengths)
        log_durations = self.dp.sample(hidden, text_mask, noise_w, speaker, noise)
        durations = torch.ceil(torch.exp(log_durations) * text_mask * length_scale).squeeze(1)
        return Prior(durations, durations.cumsum(1), mean, log_scale)

    def drop_training_parts(self) -> None:
        """Drop what only training needs, and exported voices do not have."""
        del self.enc_q, self.dp.post_pre, self.dp.post_proj, self.dp.post_convs, self.dp.post_flows
        self.dp.flows[1] = nn.Identity()  # which speech skips

    def embedding(self, speaker: Tensor | None) -> Tensor | None:
        """Speaker numbers (b,) -> (b, SPEAKER_CHANNELS, 1); None for a voice with one speaker."""
        if not hasattr(self, "emb_g"):
            return None
        if speaker is None:
            raise ValueError("a voice with several speakers needs a speaker number")
        return self.emb_g(speaker).unsqueeze(-1)  # type: ignore[no-any-return]
