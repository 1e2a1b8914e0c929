"""The weights of a voice: their names in Piper's checkpoints, the quality of their shapes, copies into others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor, nn

from voxmatrix.tables.quality import Quality, qualities
from voxmatrix.vits.decoders import count_modules, decoder_sizes

T = TypeVar("T")

_PAIRS = (("parametrizations.weight.original0", "weight_g"), ("parametrizations.weight.original1", "weight_v"))


def to_piper(state: Mapping[str, T]) -> dict[str, T]:
    """Names as in a file: a normalised weight is `weight_g` (length) and `weight_v` (direction)."""
    return {_renamed(name, 0): value for name, value in state.items()}


def from_piper(state: Mapping[str, T]) -> dict[str, T]:
    """Names as in our modules."""
    return {_renamed(name, 1): value for name, value in state.items()}


def _renamed(name: str, side: int) -> str:
    for pair in _PAIRS:
        old, new = pair[side], pair[1 - side]
        if name.endswith("." + old):
            return name.removesuffix(old) + new
    return name


#: The most likely sample rate of a file that does not state it.
_DEFAULT_RATE_HZ = 22050


def match_quality(state: Mapping[str, Tensor], rate_hz: int | None) -> Quality:
    """The quality whose networks have these weights (Piper's names); of several, the one nearest in sample rate.

    Raises:
        LookupError: no quality matches; the message has the measured sizes.
    """
    measured: dict[str, dict[str, object]] = {}
    missing = ""
    for decoder in sorted({row.decoder for row in qualities().values()}):
        try:
            measured[decoder] = _encoder_sizes(state) | decoder_sizes(decoder, state)
        except KeyError as error:
            missing = f"it has no weight {error.args[0]}"
    matches = [row for row in qualities().values() if _fits(row, measured.get(row.decoder))]
    if not matches:
        sizes = [f"{name} {size}" for found in measured.values() for name, size in found.items()]
        raise LookupError(", ".join(sizes) or missing)
    return min(matches, key=lambda row: abs(row.rate_hz - (rate_hz or _DEFAULT_RATE_HZ)))


def _fits(row: Quality, sizes: dict[str, object] | None) -> bool:
    return sizes is not None and all(getattr(row, name) == size for name, size in sizes.items())


def _encoder_sizes(state: Mapping[str, Tensor]) -> dict[str, object]:
    """The columns of qualities.toml that follow from the encoders' weights."""
    return {
        "inter_channels": state["enc_p.proj.weight"].size(0) // 2,
        "hidden_channels": state["enc_p.emb.weight"].size(1),
        "filter_channels": state["enc_p.encoder.ffn_layers.0.conv_1.weight"].size(0),
        "n_layers": count_modules(state, "enc_p.encoder.attn_layers."),
        "posterior_layers": count_modules(state, "enc_q.enc.in_layers."),
    }


Symbols = Mapping[str, Sequence[int]]

_EMBEDDING = "enc_p.emb.weight"
#: Weights that condition on the speaker.
_CONDITIONING = ("dec.cond.", "dp.cond.", "enc.cond_layer.")


@dataclass(frozen=True, kw_only=True)
class Transfer:
    """The result of `transfer`."""

    copied: int  # number of weights copied completely
    fresh: tuple[str, ...]  # other weights, by Piper's names


def transfer(
    source: Mapping[str, Tensor],
    target: nn.Module,
    source_symbols: Symbols | None = None,
    target_symbols: Symbols | None = None,
) -> Transfer:
    """Copy all weights of `source` that fit into `target`.

    With both symbol tables (symbol -> ids), embeddings are copied per symbol. Conditioning on the speaker that is new
    in `target` starts at zero: at first every speaker sounds like the source.
    """
    state = target.state_dict()
    source = from_piper(source)
    rows = _shared_rows(source_symbols, target_symbols)
    fresh: list[str] = []
    with torch.no_grad():
        for name, weight in state.items():
            old = source.get(name)
            if old is not None and old.shape == weight.shape and not (rows is not None and name == _EMBEDDING):
                weight.copy_(old)
                continue
            fresh.append(name)
            if rows is not None and name == _EMBEDDING and old is not None and old.shape[1:] == weight.shape[1:]:
                _copy_rows(old, weight, rows)
        _zero_conditioning(state, fresh)
    return Transfer(copied=len(state) - len(fresh), fresh=tuple(to_piper(dict.fromkeys(fresh))))


def _shared_rows(source: Symbols | None, target: Symbols | None) -> list[tuple[int, int]] | None:
    """(source row, target row) for each symbol in both tables; None if the tables are equal or missing."""
    if source is None or target is None or _plain(source) == _plain(target):
        return None
    pairs = ((source[symbol], ids) for symbol, ids in target.items() if symbol in source)
    return [pair for old_ids, new_ids in pairs for pair in zip(old_ids, new_ids, strict=False)]


def _plain(symbols: Symbols) -> dict[str, list[int]]:
    return {symbol: list(ids) for symbol, ids in symbols.items()}


def _copy_rows(source: Tensor, target: Tensor, rows: list[tuple[int, int]]) -> None:
    for old, new in rows:
        if old < source.size(0) and new < target.size(0):
            target[new] = source[old]


def _zero_conditioning(state: Mapping[str, Tensor], fresh: Sequence[str]) -> None:
    """Zero new conditioning: bias, and weight or length of a normalised weight. Its direction stays random."""
    for name in fresh:
        if any(part in name for part in _CONDITIONING) and not name.endswith("original1"):
            state[name].zero_()
