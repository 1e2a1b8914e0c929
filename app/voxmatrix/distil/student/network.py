"""The student: two networks that read the same symbols, one for when and how high to speak, one for the sound.

Everything is computed 80 times a second, never at the rate of samples: that is what makes it fast.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.distil.student.waves import BINS
from voxmatrix.text.symbols import NUM_SYMBOLS

#: What is known of a frame besides its symbol: where in the symbol it is, from both ends, and how long that is.
PLACES = 3
#: The curves that it has: log of the pitch, voicing, energy.
CURVES = 3
_FORBIDDEN = -1e4
_FARTHEST = 32


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Channels and layers of a student."""

    text: int = 128  # of the sound
    rhythm: int = 192  # of its symbols where durations and curves are made
    curves: int = 128
    sound: int = 256
    #: Of each block of the sound; the first ones need fewer.
    inner: tuple[int, ...] = (256, 384, 512, 640, 768, 768)


class Block(nn.Module):
    """ConvNeXt: a convolution within channels, and two layers across them."""

    def __init__(self, channels: int, inner: int, kernel: int = 7, dilation: int = 1) -> None:
        super().__init__()
        padding = dilation * (kernel // 2)
        # In two dimensions, for which onnxruntime reads rows of channels as they are.
        self.near = nn.Conv2d(
            channels, channels, (1, kernel), padding=(0, padding), dilation=(1, dilation), groups=channels
        )
        self.norm = nn.LayerNorm(channels)
        self.rise, self.fall = nn.Linear(channels, inner), nn.Linear(inner, channels)
        self.scale: nn.Parameter | None = nn.Parameter(torch.full((channels,), 0.3))

    def forward(self, x: Tensor) -> Tensor:
        """(b, f, channels) to the same."""
        y = self.norm(self.near(x.unsqueeze(1).permute(0, 3, 1, 2)).permute(0, 2, 3, 1).squeeze(1))
        y = self.fall(functional.relu(self.rise(y)))
        return x + (y if self.scale is None else self.scale * y)  # type: ignore[no-any-return]

    def fold(self) -> None:
        """Put the scale into the weights of the second layer."""
        if self.scale is not None:
            with torch.no_grad():
                self.fall.weight.mul_(self.scale[:, None])
                self.fall.bias.mul_(self.scale)
            self.scale = None


class Attention(nn.Module):
    """Self-attention with a bias for each distance up to 32."""

    def __init__(self, channels: int, heads: int = 4) -> None:
        super().__init__()
        self.heads, self.width = heads, channels // heads
        self.norm = nn.LayerNorm(channels)
        self.read, self.write = nn.Linear(channels, 3 * channels), nn.Linear(channels, channels)
        self.bias = nn.Parameter(torch.zeros(2 * _FARTHEST + 1, heads))

    def scores(self, count: int, absent: Tensor | None) -> Tensor:
        """What is added to the scores of places, some of which may be padding (b, t): (1 or b, heads, t, t)."""
        places = torch.arange(count, device=self.bias.device)
        distance = (places[None] - places[:, None]).clamp(-_FARTHEST, _FARTHEST) + _FARTHEST
        of_distance = self.bias[distance].permute(2, 0, 1)[None]
        return of_distance if absent is None else of_distance.masked_fill(absent[:, None, None], _FORBIDDEN)

    def forward(self, x: Tensor, added: Tensor) -> Tensor:
        """(b, t, channels), and what `scores` says of its places, to the same."""
        batch = int(x.shape[0])  # a number in exported graphs too, which then compute no shapes
        parts = self.read(self.norm(x)).reshape(batch, -1, 3 * self.heads, self.width).transpose(1, 2)
        query, key, value = parts.split(self.heads, 1)
        scores = query @ key.transpose(2, 3) / math.sqrt(self.width) + added
        mixed = (scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, -1, self.heads * self.width)
        return x + self.write(mixed)  # type: ignore[no-any-return]


class Text(nn.Module):
    """What symbols are in their sentence. The attention and the block behind it are used three times."""

    def __init__(self, channels: int, speakers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(NUM_SYMBOLS, channels)
        self.speakers = nn.Embedding(speakers, channels) if speakers > 1 else None
        self.blocks = nn.ModuleList(Block(channels, 2 * channels, 5) for _ in range(2))
        self.attention, self.after = Attention(channels), Block(channels, 2 * channels, 5)

    def forward(self, ids: Tensor, speakers: Tensor | None, absent: Tensor | None = None) -> Tensor:
        """Ids (b, t), who speaks (b,) if there are several, which ids are padding (b, t) -> (b, t, channels)."""
        present = None if absent is None else (~absent)[..., None].float()
        x = self.embedding(ids)
        if self.speakers is not None:
            x = x + self.speakers(speakers)[:, None]
        for block in self.blocks:
            x = block(x if present is None else x * present)
        scores = self.attention.scores(ids.shape[1], absent)
        for _ in range(3):
            x = self.attention(x, scores)
            x = self.after(x if present is None else x * present)
        return x if present is None else x * present  # type: ignore[no-any-return]


class ProsodyModel(nn.Module):
    """How long each symbol lasts, and the curves of each frame."""

    def __init__(self, sizes: Sizes, speakers: int) -> None:
        super().__init__()
        channels = sizes.rhythm
        self.text = Text(channels, speakers)
        self.near, self.duration = nn.Linear(3 * channels, channels), nn.Conv1d(channels, 1, 1)
        self.enter = nn.Linear(channels + PLACES, sizes.curves)
        self.blocks = nn.ModuleList(Block(sizes.curves, 2 * sizes.curves, 7, each) for each in (1, 2, 4, 8))
        self.leave = nn.Linear(sizes.curves, CURVES)

    def durations(self, text: Tensor) -> Tensor:
        """Log of one and the frames of each symbol: (b, t, channels) -> (b, t)."""
        near = functional.relu(self.near(_with_neighbours(text)))
        return self.duration(near.transpose(1, 2))[:, 0]  # type: ignore[no-any-return]

    def curves(self, frames: Tensor) -> Tensor:
        """What is known of frames (b, f, channels + PLACES) -> their curves (b, f, CURVES), voicing as a logit."""
        x = self.enter(frames)
        for block in self.blocks:
            x = block(x)
        return self.leave(x)  # type: ignore[no-any-return]


class AcousticModel(nn.Module):
    """The filters of each frame."""

    def __init__(self, sizes: Sizes, speakers: int) -> None:
        super().__init__()
        self.text = Text(sizes.text, speakers)
        self.enter = nn.Linear(3 * (sizes.text + PLACES + CURVES), sizes.sound)  # of a frame and its neighbours
        self.blocks = nn.ModuleList(Block(sizes.sound, inner) for inner in sizes.inner)
        self.norm = nn.LayerNorm(sizes.sound)
        self.head = nn.Linear(sizes.sound, 4 * BINS)
        nn.init.normal_(self.head.weight, std=0.01)
        with torch.no_grad():
            self.head.bias.zero_()
            self.head.bias[:BINS] = self.head.bias[2 * BINS : 3 * BINS] = -3.0  # quiet

    def frames(self, text: Tensor, curves: Tensor) -> Tensor:
        """What is known of frames (b, f, text + PLACES), and their curves (b, f, CURVES) -> (b, f, channels)."""
        x = self.enter(_with_neighbours(torch.cat([text, curves], -1)))
        for block in self.blocks:
            x = block(x)
        return self.norm(x)  # type: ignore[no-any-return]

    def forward(self, text: Tensor, curves: Tensor) -> Tensor:
        """As `frames` -> filters (b, f, 4, BINS)."""
        return self.head(self.frames(text, curves)).unflatten(-1, (4, BINS))  # type: ignore[no-any-return]


def _with_neighbours(x: Tensor) -> Tensor:
    """Places (b, n, channels), with those before and after each -> (b, n, 3 channels)."""
    around = functional.pad(x, (0, 0, 1, 1))
    return torch.cat([around[:, :-2], around[:, 1:-1], around[:, 2:]], -1)


def spread(text: Tensor, durations: Tensor, symbols: Tensor) -> Tensor:
    """What is known of each frame: text (b, t, c), frames of each symbol (b, t), symbol of each frame (b, f)."""
    ends = durations.cumsum(1)
    rows = symbols + torch.arange(text.shape[0], device=text.device)[:, None] * text.shape[1]  # of all sentences
    own = durations.flatten()[rows].to(text.dtype)
    passed = torch.arange(symbols.shape[1], device=text.device) - (ends - durations).flatten()[rows]
    share = (passed.to(text.dtype) + 0.5) / own.clamp_min(1.0)
    places = torch.stack([share, 1 - share, torch.log1p(own)], -1)
    return torch.cat([text.flatten(0, 1)[rows], places], -1)
