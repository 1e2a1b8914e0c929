"""Copy weights from a voice with other symbols or speakers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from voxmatrix.vits.checkpoint.weight_names import from_piper, to_piper

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
